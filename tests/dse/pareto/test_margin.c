/* SPDX-License-Identifier: Apache-2.0 */
/* Margins between fronts against the definition, tried for all pairs of points. */
#include "tests/support/unit_test.h"

#include "dse/pareto/margin.h"
#include "sim/base/rng.h"
#include <math.h>

#define MAX_POINT 8
#define N_CASE 3000

/* The largest factor by which other may be divided so that own is still no worse; a zero stays one. */
static double factor_of(const double *own, const double *other, const bool *is_scaled, size_t n_objective)
{
	double factor = INFINITY;
	for (size_t k = 0; k < n_objective; k++) {
		if (is_scaled[k] && own[k] > 0)
			factor = fmin(factor, other[k] / own[k]);
		else if (!is_scaled[k] && own[k] > other[k])
			factor = 0;
	}
	for (size_t k = 0; k < n_objective && isinf(factor); k++)
		if (is_scaled[k] && other[k] > 0)
			return INFINITY;
	return isinf(factor) ? 1 : factor;
}

/* Of the other front's point that is beaten least, by the own point that beats it most. */
static double expected_margin(const double *own, size_t n_own, const double *other, size_t n_other,
                              const bool *is_scaled, size_t n_objective)
{
	double least = INFINITY;
	for (size_t i = 0; i < n_other; i++) {
		double most = 0;
		for (size_t k = 0; k < n_own; k++)
			most = fmax(most, factor_of(own + k * n_objective, other + i * n_objective, is_scaled,
			                            n_objective));
		least = fmin(least, most);
	}
	return least - 1;
}

/* Small whole numbers, among them zeros and equal ones. */
static void test_margin_is_that_of_all_pairs(void **state)
{
	(void)state;
	unsigned n_above = 0, n_below = 0, n_zero = 0;
	for (uint32_t i = 0; i < N_CASE; i++) {
		struct rng rng = rng_stream(71, i, 0);
		size_t n_objective = 1 + rng_below(&rng, 4), n_own = 1 + rng_below(&rng, MAX_POINT),
		       n_other = 1 + rng_below(&rng, MAX_POINT);
		double own[MAX_POINT * 4], other[MAX_POINT * 4];
		bool is_scaled[4];
		for (size_t k = 0; k < n_objective; k++)
			is_scaled[k] = k == 0 || rng_below(&rng, 3) > 0;
		for (size_t k = 0; k < MAX_POINT * n_objective; k++) {
			own[k] = rng_below(&rng, 5);
			other[k] = rng_below(&rng, 5);
		}
		double expected = expected_margin(own, n_own, other, n_other, is_scaled, n_objective);
		double found = margin_between((struct margin_points){.objective = own, .n = n_own},
		                              (struct margin_points){.objective = other, .n = n_other}, is_scaled,
		                              n_objective, -1);
		if (isinf(expected) ? found != expected : fabs(found - expected) > 1e-12)
			fail_msg("case %u: margin %g instead of %g", i, found, expected);
		n_above += found > 0;
		n_below += found < 0 && found > -1;
		n_zero += found == 0;
	}
	assert_true(n_above > N_CASE / 50 && n_below > N_CASE / 50 && n_zero > N_CASE / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_margin_is_that_of_all_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
