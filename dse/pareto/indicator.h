/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_INDICATOR_H
#define DSE_INDICATOR_H
/*
 * How good a front is against another one, and which of its points to look at
 * first. All objectives are minimised; points are rows [n][n_objective], in any
 * order, finite. The volume that a front dominates is in dse/pareto/hypervolume.h.
 */
#include <stddef.h>

/*
 * Additive epsilon: the least number by which `front`, if lowered in all
 * objectives, would cover each point of `other` (E. Zitzler and others,
 * "Performance assessment of multiobjective optimizers", 2003). At most 0: it
 * covers them as it is. Both hold at least one point. Up to n n_other steps.
 */
double indicator_epsilon(const double *front, size_t n, const double *other, size_t n_other, unsigned n_objective);

/*
 * The knee: with each objective scaled to 0 at the front's least and 1 at its
 * largest value, the point farthest towards the ideal from the plane on which
 * the scaled objectives add up to 1, the line through both ends of a front in
 * two objectives (I. Das, "On characterizing the knee of the Pareto curve based
 * on normal-boundary intersection", 1999). So it is the point with the least sum
 * of scaled objectives; of several the one with the smallest objective 0, then
 * 1, ... An objective that is the same everywhere does not count. Returns its
 * index, of equal points the first; n is at least 1.
 */
size_t indicator_knee(const double *front, size_t n, unsigned n_objective);

#endif
