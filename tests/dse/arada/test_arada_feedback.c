/* SPDX-License-Identifier: Apache-2.0 */
/* ARADA's run-time feedback: without noise one step leads to the rule's allocation, with noise many lead near it. */
#include "tests/support/unit_test.h"

#include "dse/arada/arada_feedback.h"
#include "sim/base/rng.h"
#include "tests/support/near.h"
#include <stdlib.h>
#include <string.h>

enum { N_LAYER = 40, N_STEP = 65 };

static struct arada_layer layers[N_LAYER];

/* Layers that wait, some a little, and layers that do not. */
static struct arada_run draw_run(uint32_t number)
{
	struct rng rng = rng_stream(31, 1, number);
	struct arada_run run = {.n_layer = N_LAYER, .layer = layers};
	run.platform = (struct arada_platform){.max_clk_mhz = 500,
	                                       .max_vdd_v = 0.8,
	                                       .max_bandwidth_gb_s = 20,
	                                       .max_word_per_clk = 20,
	                                       .switch_us = 10,
	                                       .clk_step_mhz = 50,
	                                       .n_bandwidth = 10};
	for (size_t i = 0; i < N_LAYER; i++) {
		uint64_t busy = 20000 + rng_below(&rng, 400000),
			 stall = rng_below(&rng, 2) ? rng_below(&rng, 600000) : 0;
		uint64_t n_word = stall > 0 ? 20 * (busy + stall) : rng_below(&rng, (uint32_t)(20 * busy));
		layers[i] = (struct arada_layer){busy + stall, stall, n_word};
	}
	return run;
}

/* What the rule saves of layers that are known. */
static double rule_frac(const struct arada_run *run)
{
	double work = 0, energy = 0;
	for (size_t i = 0; i < run->n_layer; i++) {
		double busy = (double)(run->layer[i].total_clk - run->layer[i].stall_clk);
		work += busy;
		energy += busy * arada_allocate(ARADA_VF_OH_Q, &run->platform, &run->layer[i]).gated_frac;
	}
	return 1 - energy / work;
}

static void test_feedback_without_noise_takes_one_step(void **state)
{
	const struct arada_feedback_options options = {.n_inference = 4, .n_sample = 2, .seed = 1};
	struct arada_feedback_step step[5];
	(void)state;
	for (uint32_t number = 0; number < 100; number++) {
		struct arada_run run = draw_run(number);
		arada_feedback_run(&run, &options, number, step);
		assert_true(fabs(step[0].saving_frac) < 1e-12 && fabs(step[0].late_frac) < 1e-12);
		for (uint32_t k = 1; k <= 4; k++) {
			assert_near(step[k].saving_frac, rule_frac(&run), 1e-9);
			assert_near(step[k].knowing_frac, rule_frac(&run), 1e-9);
			assert_true(step[k].late_frac < 1e-9);
		}
	}
}

/* More measurements, nearer to the mean's allocation; more noise, later. */
static void test_feedback_with_noise_comes_near(void **state)
{
	struct arada_feedback_options options = {.n_inference = N_STEP - 1, .n_sample = 16, .seed = 1};
	struct arada_feedback_step step[N_STEP], again[N_STEP], other[N_STEP];
	double first = 0, last = 0, late_at[3] = {0};
	(void)state;
	for (uint32_t number = 0; number < 10; number++) {
		struct arada_run run = draw_run(number);
		for (unsigned i = 0; i < 3; i++) {
			options.noise_frac = 0.05 * (i + 1);
			arada_feedback_run(&run, &options, number, step);
			late_at[i] += step[N_STEP - 1].late_frac;
		}
		first += fabs(step[1].saving_frac - rule_frac(&run));
		last += fabs(step[N_STEP - 1].saving_frac - rule_frac(&run));
		arada_feedback_run(&run, &options, number, again);
		assert_memory_equal(step, again, sizeof(step));
		options.seed++;
		arada_feedback_run(&run, &options, number, other);
		assert_memory_not_equal(step, other, sizeof(step));
		options.seed--;
	}
	print_message("off the rule's saving: %.4f after one inference, %.4f after %d; late %.4f, %.4f, %.4f\n",
	              first / 10, last / 10, N_STEP - 1, late_at[0] / 10, late_at[1] / 10, late_at[2] / 10);
	assert_true(last < first && late_at[0] < late_at[1] && late_at[1] < late_at[2] && late_at[0] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_feedback_without_noise_takes_one_step),
	    cmocka_unit_test(test_feedback_with_noise_comes_near),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
