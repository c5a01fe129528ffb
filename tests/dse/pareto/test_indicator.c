/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/indicator.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <math.h>

enum { MAX_POINT = 60, MAX_DIM = 4 };

static void draw_points(struct rng *rng, unsigned n_objective, size_t n, double *point)
{
	for (size_t i = 0; i < n * n_objective; i++)
		point[i] = rng_below(rng, 3) ? rng_unit(rng) : rng_below(rng, 4) / 4.0;
}

static double naive_epsilon(const double *front, size_t n, const double *other, size_t n_other, unsigned n_objective)
{
	double epsilon = -INFINITY;
	for (size_t i = 0; i < n_other; i++) {
		double least = INFINITY;
		for (size_t at = 0; at < n; at++) {
			double lag = -INFINITY;
			for (unsigned k = 0; k < n_objective; k++)
				lag = fmax(lag, front[at * n_objective + k] - other[i * n_objective + k]);
			least = fmin(least, lag);
		}
		epsilon = fmax(epsilon, least);
	}
	return epsilon;
}

static void test_indicator_equals_naive(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 400; number++) {
		struct rng rng = rng_stream(51, 0, number);
		unsigned n_objective = 1 + number % MAX_DIM;
		size_t n = 1 + rng_below(&rng, MAX_POINT), n_other = 1 + rng_below(&rng, MAX_POINT);
		double front[MAX_POINT * MAX_DIM], other[MAX_POINT * MAX_DIM];
		draw_points(&rng, n_objective, n, front);
		draw_points(&rng, n_objective, n_other, other);
		assert_true(indicator_epsilon(front, n, other, n_other, n_objective) ==
		            naive_epsilon(front, n, other, n_other, n_objective));
	}
}

static void test_indicator_in_closed_form(void **state)
{
	const double front[] = {0, 4, 2, 2, 4, 0}, behind[] = {0.5, 4.5, 2.5, 2.5, 4.5, 0.5};
	const double beside[] = {0, 7};
	(void)state;
	assert_true(indicator_epsilon(front, 3, front, 3, 2) == 0.0);
	assert_true(indicator_epsilon(behind, 3, front, 3, 2) == 0.5);
	assert_true(indicator_epsilon(front, 3, behind, 3, 2) == -0.5);
	/* (0, 7) lags most behind (4, 0). */
	assert_true(indicator_epsilon(beside, 1, front, 3, 2) == 7.0);
}

static void test_indicator_knee_is_where_the_front_bends(void **state)
{
	/* Scaled by 100 and 1: the line through the ends is x / 100 + y = 1. */
	const double bent[] = {0, 1, 100, 0, 30, 0.2, 20, 0.4, 50, 0.1};
	const double bulging[] = {0, 1, 0.6, 0.6, 1, 0};
	const double straight[] = {2, 2, 0, 4, 4, 0};
	const double same[] = {3, 3, 3, 3};
	const double solid[] = {0, 1, 1, 1, 0, 1, 1, 1, 0, 0.3, 0.3, 0.3};
	(void)state;
	assert_int_equal(indicator_knee(bent, 5, 2), 2);
	/* All of the front lies beyond the line: its ends are nearest to the ideal; the first objective decides. */
	assert_int_equal(indicator_knee(bulging, 3, 2), 0);
	assert_int_equal(indicator_knee(straight, 3, 2), 1);
	assert_int_equal(indicator_knee(same, 2, 2), 0);
	assert_int_equal(indicator_knee(solid, 4, 3), 3);
	assert_int_equal(indicator_knee((double[]){5, 3, 4}, 3, 1), 1);
}

static void test_indicator_knee_does_not_depend_on_order(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 200; number++) {
		struct rng rng = rng_stream(52, 0, number);
		unsigned n_objective = 1 + number % MAX_DIM;
		size_t n = 1 + rng_below(&rng, MAX_POINT);
		double front[MAX_POINT * MAX_DIM], back[MAX_POINT * MAX_DIM];
		draw_points(&rng, n_objective, n, front);
		for (size_t i = 0; i < n; i++) {
			for (unsigned k = 0; k < n_objective; k++)
				back[(n - 1 - i) * n_objective + k] = front[i * n_objective + k];
		}
		const double *a = front + indicator_knee(front, n, n_objective) * n_objective;
		const double *b = back + indicator_knee(back, n, n_objective) * n_objective;
		for (unsigned k = 0; k < n_objective; k++)
			assert_true(a[k] == b[k]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_indicator_equals_naive),
	    cmocka_unit_test(test_indicator_in_closed_form),
	    cmocka_unit_test(test_indicator_knee_is_where_the_front_bends),
	    cmocka_unit_test(test_indicator_knee_does_not_depend_on_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
