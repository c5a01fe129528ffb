/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_REAL_H
#define SIM_BASE_REAL_H
/*
 * The larger and the smaller of two numbers, neither of them NaN. C's fmax and
 * fmin are calls into the mathematics library because of what they promise for
 * NaN; an evaluation needs dozens of them.
 */

static inline double real_max(double a, double b)
{
	return a > b ? a : b;
}

static inline double real_min(double a, double b)
{
	return a < b ? a : b;
}

#endif
