/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NEAR_H
#define TESTS_NEAR_H
/* Numbers that are equal but for a fraction of them. */
#include "tests/support/unit_test.h"
#include <math.h>
#include <stdbool.h>

static inline bool is_near(double left, double right, double frac)
{
	return fabs(left - right) <= frac * fmax(fabs(left), fabs(right));
}

static inline void assert_near(double value, double want, double frac)
{
	if (!(fabs(value - want) <= frac * fabs(want)))
		fail_msg("%.17g, expected %.17g", value, want);
}

/* Equal but for rounding. */
static inline void assert_close(double value, double want)
{
	assert_near(value, want, 1e-12);
}

#endif
