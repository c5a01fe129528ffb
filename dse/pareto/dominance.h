/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DOMINANCE_H
#define DSE_DOMINANCE_H
/*
 * A growing set of points that answers one question fast: is some point of the
 * set, in every coordinate, at or below a given one? By number of coordinates
 * it is a flag (0), a minimum (1), a staircase (2) or a forest of k-d trees
 * (more). compose_sweep.c meets points in the order of their first metric and
 * asks about the remaining ones. Three coordinates of which the last takes few
 * values are served by staircases, too.
 */
#include "dse/pareto/staircase.h"
#include <stdbool.h>
#include <stddef.h>

#define DOMINANCE_MAX_DIM 7

/* Initialise with `struct dominance set = {0};`, then dominance_reset. */
struct dominance {
	unsigned n_dim;
	size_t n;     /* points added since the reset */
	double least; /* n_dim 1: the minimum; infinite while the set is empty */

	struct staircase stair; /* n_dim 2 */

	/* n_dim 3, with levels: staircase k is of the points at levels k & (k + 1) to k. */
	const double *level; /* [n_level] what the last coordinate may be, rising; the caller's memory */
	size_t n_level, n_step_alloc;
	struct staircase *step; /* [n_step_alloc] */

	/* n_dim > 2: trees of falling size, then fewer than a leaf's number of loose points. */
	double *point, *low; /* [n_alloc][n_dim] */
	size_t n_alloc;
};

/* Empty the set and set its number of coordinates, 0..DOMINANCE_MAX_DIM. Keeps memory for the next use. */
void dominance_reset(struct dominance *set, unsigned n_dim);
void dominance_free(struct dominance *set);

/*
 * After a reset to 3 coordinates: the last coordinate of every point that will be added is one of these level
 * [n_level], which rise and stay where they are until the next reset. An addition and a question then take log n_level
 * staircases. false when memory is out.
 */
bool dominance_set_levels(struct dominance *set, const double *level, size_t n_level);

/* Whether a point of the set is at or below point [n_dim] in all coordinates. About log n for n_dim up to 2. */
bool dominance_covers(const struct dominance *set, const double *point);

/* Add a point [n_dim] that the set does not cover. false when memory is out. */
bool dominance_add(struct dominance *set, const double *point);

#endif
