/* SPDX-License-Identifier: Apache-2.0 */
/* A double has 53 bits: multiples of a 2^52nd of more than the whole sum can come to add up without rounding. */
#include "dse/power/power_plane.h"
#include <assert.h>
#include <math.h>

double power_quantum(double most)
{
	int exponent;
	assert(isfinite(most) && most >= 0);
	(void)frexp(most, &exponent);
	return most > 0 ? ldexp(1.0, exponent - 52) : 0;
}

double power_round(double value, double quantum)
{
	assert(isfinite(value) && value >= 0 && quantum >= 0);
	return quantum > 0 ? rint(value / quantum) * quantum : value;
}
