/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_SPLIT_RANGE_H
#define MAPPER_SPLIT_RANGE_H
/* Ranges of splits: a box of designs that a search bounds as a whole. */
#include "mapper/split/split.h"

/*
 * A range of splits: in each dimension either one split or any into n_least to
 * n_most parts, the largest of which is at least of this size.
 */
struct dim_range {
	uint32_t extent, step; /* of the block; a single split may exceed the extent (padding) */
	uint32_t n_least, n_most;
	uint32_t size;                 /* that no split's largest part is below */
	const struct dim_split *split; /* NULL: any */
};
struct split_range {
	struct dim_range w, h, c, d;
};

#endif
