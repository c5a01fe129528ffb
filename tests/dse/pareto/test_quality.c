/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include "dse/pareto/budget.h"
#include "dse/engine/engine.h"
#include "dse/engine/nsga2_vary.h"
#include "dse/pareto/quality.h"
#include <math.h>
#include <string.h>

static void test_quality_of_two_points_is_their_union(void **state)
{
	struct pareto front;
	struct quality quality;
	const double a[] = {1.0, 10.0}, b[] = {2.0, 5.0};
	(void)state;
	pareto_init(&front, 2, 0);
	assert_true(pareto_insert(&front, a, NULL, 0) && pareto_insert(&front, b, NULL, 0));
	assert_true(quality_of_front(&front, &quality));
	/* Reference (2.2, 11): boxes 1.2 x 1 and 0.2 x 6 overlap in 0.2 x 1. */
	assert_true(fabs(quality.hypervolume - 2.2) < 1e-12);
	assert_true(fabs(quality.hypervolume_frac - 2.2 / 24.2) < 1e-12);
	assert_int_equal(quality.knee, 0);
	pareto_free(&front);
}

static void check_budget(enum budget_law law)
{
	const uint64_t size[] = {0, 10, 1000000, 40000, 3, 1000000};
	uint64_t share[6];
	for (uint64_t total = 10; total < 3000000; total = total * 3 + 1) {
		uint64_t sum = 0;
		budget_share(law, total, size, 6, share);
		for (size_t i = 0; i < 6; i++) {
			assert_true(share[i] <= size[i] && (share[i] > 0 || size[i] == 0));
			sum += share[i];
		}
		assert_true(sum <= total + 5); /* where a search would get nothing it gets 1 */
		assert_int_equal(share[2], share[5]);
		assert_true(share[2] >= share[3]);
	}
	budget_share(law, 3000000, size, 6, share);
	assert_memory_equal(share, size, sizeof(size));
}

static void test_quality_budget_adds_up_and_fits(void **state)
{
	(void)state;
	check_budget(BUDGET_BY_ROOT);
	check_budget(BUDGET_BY_LOG);
}

/* Layers of 10^13 and 10^7 designs: a thousandth of the evaluations by roots, half as many by logarithms. */
static void test_quality_budget_leaves_small_searches_their_part(void **state)
{
	const uint64_t size[] = {UINT64_C(10000000000000), UINT64_C(10000000)};
	uint64_t share[2];
	(void)state;
	budget_share(BUDGET_BY_ROOT, 100000, size, 2, share);
	assert_true(share[1] < 200);
	budget_share(BUDGET_BY_LOG, 100000, size, 2, share);
	assert_true(share[1] > 30000 && share[1] < share[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quality_of_two_points_is_their_union),
	    cmocka_unit_test(test_quality_budget_adds_up_and_fits),
	    cmocka_unit_test(test_quality_budget_leaves_small_searches_their_part),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
