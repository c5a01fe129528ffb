/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HYPERVOLUME_PARTS_H
#define DSE_HYPERVOLUME_PARTS_H
/* What the files of the hypervolume share; for nobody else. */
#include "dse/pareto/staircase.h"

/*
 * Copy the points [n][n_objective] that are below the reference to row
 * [n][n_objective], ordered by the last objective, then the one before it, and so
 * on, for 3 or 4 objectives. Returns how many; SIZE_MAX: memory is out.
 */
size_t hypervolume_sort(const double *point, size_t n, unsigned n_objective, const double *reference, double *row);

/* The volume of rows [n][3] that are sorted so. stair: scratch. false when memory is out. */
bool hypervolume_sweep_3d(const double *row, size_t n, const double *reference, struct staircase *stair, double *out);

/*
 * The volume of rows [n][4] that hypervolume_sort has sorted, where an objective takes so few values that slices
 * between them are worth it; else *is_done is false. false when memory is out.
 */
bool hypervolume_slices(const double *row, size_t n, const double *reference, bool *is_done, double *volume);

/* See hypervolume(). */
bool hypervolume_4d(const double *point, size_t n, const double *reference, double *volume);

#endif
