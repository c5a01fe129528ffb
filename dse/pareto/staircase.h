/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_STAIRCASE_H
#define DSE_STAIRCASE_H
/*
 * The lower left staircase of points of the plane: those that no other one is
 * at or below in both coordinates, by rising x and so by falling y.
 *
 *   y |  a           A point is covered when the last step at or left of it is at or
 *     |     b        below it. The steps that a new one covers stand next to each other.
 *     |         c
 *     +------------ x
 *
 * Kept in ordered blocks, so that a new step moves little memory: about log n
 * for each question and each step.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stair_block;

/* Initialise with `struct staircase stair = {0};`. */
struct staircase {
	struct stair_block *block; /* [n_block_alloc] */
	double *first_x;           /* [n_block] x of the first step of each block, in order */
	uint32_t *block_at;        /* [n_block_alloc] the blocks in order, then the free ones */
	size_t n_block, n_block_alloc;
};

/* Forget all steps, keep the memory. */
void staircase_reset(struct staircase *stair);
void staircase_free(struct staircase *stair);

/* Whether a step is at or below (x, y). */
bool staircase_covers(const struct staircase *stair, double x, double y);

/*
 * Add a step that the staircase does not cover. *area (unless NULL) becomes the
 * area that it alone covers below and left of the corner (corner_x, corner_y),
 * which must lie beyond all steps. false when memory is out.
 */
bool staircase_add(struct staircase *stair, double x, double y, double corner_x, double corner_y, double *area);

/* Add all steps of another staircase that this one does not cover. false when memory is out. */
bool staircase_absorb(struct staircase *stair, const struct staircase *other);

#endif
