/* SPDX-License-Identifier: Apache-2.0 */
/* Fronts at a resolution: every point is stood for, the best of each objective stays, counts add up. */
#include "tests/support/unit_test.h"

#include "dse/pareto/resolution.h"
#include "dse/pareto/shortlist.h"
#include "sim/base/rng.h"
#include <stdlib.h>

enum { N_FRONT = 200, MAX_POINT = 400 };

static void random_front(struct rng *rng, struct pareto *front)
{
	uint32_t n = 1 + rng_below(rng, MAX_POINT), gene = 0;
	unsigned n_objective = 1 + rng_below(rng, 4);
	pareto_init(front, n_objective, 1);
	for (; gene < n; gene++) {
		double value[PARETO_MAX_OBJECTIVE];
		for (unsigned k = 0; k < n_objective; k++)
			value[k] = rng_below(rng, 20) == 0 ? 0.0 : 1.0 + (double)rng_below(rng, 1000) / 1000.0;
		(void)pareto_insert(front, value, &gene, 0);
	}
	pareto_sort(front);
}

static bool covers(const struct pareto *front, size_t own, size_t other, double factor)
{
	for (unsigned k = 0; k < front->n_objective; k++)
		if (front->objective[own * front->n_objective + k] >
		    front->objective[other * front->n_objective + k] * factor)
			return false;
	return true;
}

static void check(const struct pareto *front, double resolution, size_t *n_less)
{
	size_t chosen[MAX_POINT], n_stood_for = 0;
	uint32_t like[MAX_POINT];
	size_t n = resolution_choose(front, resolution, chosen, like);
	assert_true(n > 0 && n <= front->n);
	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || chosen[i - 1] < chosen[i]);
		assert_true(like[i] >= 1);
		n_stood_for += like[i];
	}
	assert_int_equal(n_stood_for, front->n);
	for (size_t i = 0; i < front->n; i++) {
		bool is_covered = false;
		for (size_t k = 0; k < n; k++)
			is_covered |= covers(front, chosen[k], i, 1.0 + resolution);
		assert_true(is_covered);
	}
	for (unsigned k = 0; k < front->n_objective; k++) {
		bool is_there = false;
		for (size_t i = 0; i < n; i++)
			is_there |= chosen[i] == shortlist_least(front, k);
		assert_true(is_there);
	}
	*n_less += front->n - n;
}

static void test_resolution_stands_for_all(void **state)
{
	size_t n_less = 0, n_same = 0;
	(void)state;
	for (uint32_t i = 0; i < N_FRONT; i++) {
		struct rng rng = rng_stream(31, 1, i);
		struct pareto front;
		random_front(&rng, &front);
		check(&front, 0.001 * (double)(1 + rng_below(&rng, 200)), &n_less);
		check(&front, 0.0, &n_same);
		pareto_free(&front);
	}
	assert_true(n_less > N_FRONT);
	assert_int_equal(n_same, 0);
}

/* Points in a row, 1 % apart in both directions: each stands for itself and one to either side. */
static void test_resolution_is_a_distance(void **state)
{
	struct pareto front;
	size_t chosen[100];
	double a = 1, b = 100;
	(void)state;
	pareto_init(&front, 2, 1);
	for (uint32_t i = 0; i < 99; i++, a *= 1.01, b /= 1.01) {
		double value[2] = {a, b};
		assert_true(pareto_insert(&front, value, &i, 0));
	}
	pareto_sort(&front);
	size_t n = resolution_choose(&front, 0.0101, chosen, NULL);
	assert_in_range(n, 33, 36);
	pareto_free(&front);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_resolution_stands_for_all),
	                                   cmocka_unit_test(test_resolution_is_a_distance)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
