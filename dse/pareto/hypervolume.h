/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HYPERVOLUME_H
#define DSE_HYPERVOLUME_H
/*
 * Exact hypervolume: how much of the objective space, up to a reference point,
 * a set of points dominates, all objectives minimised (E. Zitzler, L. Thiele,
 * "Multiobjective optimization using evolutionary algorithms - a comparative
 * case study", 1998). Fronts are judged by it.
 */
#include <stdbool.h>
#include <stddef.h>

#define HYPERVOLUME_MAX_OBJECTIVE 4

/*
 * *volume becomes the volume between point [n][n_objective] (not NaN; in any
 * order; equal and dominated points may be among them) and reference
 * [n_objective] (finite). Points that are not below the reference in every
 * objective count for nothing; neither do those at minus infinity have a finite
 * volume. The result is the same, bit by bit, for any order of the points.
 * n_objective is 1..HYPERVOLUME_MAX_OBJECTIVE. false when memory is out.
 * Steps: n for 1 objective, n log n for 2 and 3, n times the size of the largest
 * front of the first three objectives for 4 (n^2 when all points are on it), or n log n times the number of values of
 * the objective that has fewest, where these are at most 64 and a point in 64.
 */
bool hypervolume(const double *point, size_t n, unsigned n_objective, const double *reference, double *volume);

#endif
