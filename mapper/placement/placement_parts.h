/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PLACEMENT_PARTS_H
#define MAPPER_PLACEMENT_PARTS_H
/* What the files of a placement share. */
#include "mapper/placement/placement.h"

/* Begin a list: nobody has anything. */
void placement_clear(struct placement *placement);

/* Append a transfer; and one of what a PE has, if it has anything. */
void placement_add(struct placement *placement, uint32_t from, uint32_t to, uint32_t before, uint32_t part);
void placement_pass(struct placement *placement, uint32_t from, uint32_t to);

/* The QPE that is the k-th to get a block's ifmap parts, k < n_qpe: the first n_set are the heads of the chains. */
uint32_t placement_seat(const struct placement *placement, uint32_t block, uint32_t k);

#endif
