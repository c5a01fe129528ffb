/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_SPLIT_RANGE_H
#define MAPPER_SPLIT_RANGE_H
/* Ranges of splits. A search bounds all designs of a range at once (mapper/distribute/bound.h). */
#include "mapper/split/split.h"

/* Dimensions of a split that a bound leaves open; added up. */
enum bound_open { BOUND_OPEN_W = 1, BOUND_OPEN_H = 2, BOUND_OPEN_C = 4, BOUND_OPEN_D = 8 };

/* Of one dimension: a single split, or all splits into n_least to n_most parts whose largest part has at least `size`.
 */
struct dim_range {
	uint32_t extent, step; /* of the block; a single split may exceed the extent (padding) */
	uint32_t n_least, n_most;
	uint32_t size;
	const struct dim_split *split;  /* NULL: any */
	const struct dim_split *choice; /* [n_choice] all of them, if 0: not known */
	size_t n_choice;
};
struct split_range {
	struct dim_range w, h, c, d;
};

#endif
