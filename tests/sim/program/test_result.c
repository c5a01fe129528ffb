/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds a run: the unit that most of its clocks wait for, over all phases together. */
#include "tests/support/unit_test.h"
#include "sim/base/rng.h"
#include "sim/program/result.h"

static void test_result_bound_has_most_clocks(void **state)
{
	struct rng rng = rng_stream(7, 1, 2);
	(void)state;
	for (int draw = 0; draw < 2000; draw++) {
		struct sim_result result = {0};
		uint64_t clk[N_BOUND] = {0};
		for (int i = 0; i < N_PHASE; i++) {
			result.phase_clk[i] = rng_below(&rng, 100);
			result.phase_bound[i] = (enum bound)rng_below(&rng, N_BOUND);
			clk[result.phase_bound[i]] += result.phase_clk[i];
		}
		result_find_bound(&result);
		for (int i = 0; i < N_BOUND; i++)
			assert_true(clk[result.bound] >= clk[i]);
	}
}

/* Loads of 34 % and 30 % from DRAM outweigh the longest phase, 36 % of the array. */
static void test_result_bound_of_two_loads(void **state)
{
	struct sim_result result = {
	    .phase_clk = {[PHASE_WEIGHT] = 34, [PHASE_INPUT] = 30, [PHASE_COMPUTATION] = 36},
	    .phase_bound = {[PHASE_WEIGHT] = BOUND_DRAM, [PHASE_INPUT] = BOUND_DRAM, [PHASE_COMPUTATION] = BOUND_MAC}};
	(void)state;
	result_find_bound(&result);
	assert_int_equal(result.bound, BOUND_DRAM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_result_bound_has_most_clocks),
	    cmocka_unit_test(test_result_bound_of_two_loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
