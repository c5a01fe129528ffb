/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RESOLUTION_H
#define DSE_RESOLUTION_H
/*
 * A front at a resolution: of points closer than a model can tell apart, one stands for all.
 *
 *   a ─ ─ ┐           b stands for a and c: in every objective it is at most (1 + resolution) times as large
 *         b ─ ─ c
 */
#include "dse/pareto/pareto.h"

/* Whether a point of a front is in no objective more than (1 + resolution) times as large as another: it stands for it.
 */
bool resolution_covers(const struct pareto *front, size_t own, size_t other, double resolution);

/*
 * Choose points of a sorted front so that to each point there is a chosen one that is at most (1 + resolution) times as
 * large in every objective; the least of each objective is chosen in any case. resolution 0: all of them. chosen and
 * n_stood_for [front->n] (may be NULL): indices, ascending, and how many points each chosen one stands for, itself
 * included. Returns how many; 0 when memory is out. Greedy: as few as it finds, not the fewest.
 */
size_t resolution_choose(const struct pareto *front, double resolution, size_t *chosen, uint32_t *n_stood_for);

#endif
