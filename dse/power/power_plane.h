/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_PLANE_H
#define DSE_POWER_PLANE_H
/*
 * The plane of time and energy, in which schedules are compared: directions in it, and numbers rounded so that sums of
 * them are exact. The solvers of power management and of ARADA's exact allocation (dse/arada/arada_exact.h) share it.
 */

/* A direction; the value of a point is per_ns * ns + per_pj * pj. */
struct power_weight {
	double per_ns, per_pj;
};

static inline double power_value(struct power_weight weight, double ns, double pj)
{
	return weight.per_ns * ns + weight.per_pj * pj;
}

/*
 * A power of two of which 2^52 are more than most; 0 for 0. Values rounded to its multiples add up exactly, in any
 * order, as long as the sum is not above most. So two schedules with the same pieces in another order have equal times
 * and energies, and one of them dominates the other instead of both being carried on.
 */
double power_quantum(double most);
double power_round(double value, double quantum);

#endif
