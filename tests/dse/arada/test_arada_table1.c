/* SPDX-License-Identifier: Apache-2.0 */
/* Table 1 of the ARADA paper under the set of assumptions that explains it, and under others. */
#include "tests/support/unit_test.h"
#include "dse/arada/arada_table1.h"
#include <math.h>

/* The paper's table: MHz, GB/s. */
static const double paper_clk_mhz[ARADA_TABLE1_N_ROW] = {500, 300, 500, 250, 500, 200, 500, 350, 500,
                                                         300, 500, 500, 500, 500, 300, 500, 300, 500,
                                                         300, 500, 300, 500, 300, 500, 500, 500, 500};
#define PAPER_GB_S 20
#define PAPER_LOW_GB_S 8
#define PAPER_LOW_ROW 25 /* from 0 */

struct score {
	int n_clk, n_near, n_bandwidth; /* clocks equal, clocks within 50 MHz, bandwidths equal */
};

static struct score score_of(struct arada_table1 set)
{
	struct score score = {0};
	for (size_t row = 0; row < ARADA_TABLE1_N_ROW; row++) {
		struct arada_mode mode;
		double gb_s = row == PAPER_LOW_ROW ? PAPER_LOW_GB_S : PAPER_GB_S;
		assert_int_equal(arada_table1_run(&set, row, &mode, NULL), ERR_OK);
		score.n_clk += fabs(mode.clk_mhz - paper_clk_mhz[row]) < 1e-6;
		score.n_near += fabs(mode.clk_mhz - paper_clk_mhz[row]) < 50 + 1e-6;
		score.n_bandwidth += fabs(mode.bandwidth_gb_s - gb_s) < 1e-6;
	}
	return score;
}

static void expect_score(struct arada_table1 set, int n_clk, int n_near, int n_bandwidth)
{
	struct score score = score_of(set);
	if (score.n_clk != n_clk || score.n_near != n_near || score.n_bandwidth != n_bandwidth)
		fail_msg("%d clocks, %d near, %d bandwidths", score.n_clk, score.n_near, score.n_bandwidth);
}

static void test_arada_table1_is_met(void **state)
{
	(void)state;
	expect_score(arada_table1_found(), 27, 27, 27);
}

/* Each assumption changed alone. */
static void test_arada_table1_needs_every_assumption(void **state)
{
	(void)state;
	struct arada_table1 set = arada_table1_found();
	set.is_exchanged = false;
	expect_score(set, 17, 17, 27);
	set = arada_table1_found();
	set.switch_us = 0;
	expect_score(set, 19, 26, 27);
	set = arada_table1_found();
	set.word_per_clk = 40;
	expect_score(set, 17, 17, 13);
	set = arada_table1_found();
	set.ifmap_part = set.filter_part = set.ofmap_part = 1;
	expect_score(set, 16, 20, 22);
	/* The set that was known before: thirds, every row in the file's order, free switches. */
	set.is_exchanged = false;
	set.switch_us = 0;
	expect_score(set, 18, 18, 22);
}

static void test_arada_table1_has_mobilenets_layers(void **state)
{
	(void)state;
	struct arada_table1 set = arada_table1_found();
	uint64_t filter_word[2] = {0};
	for (int exchanged = 0; exchanged < 2; exchanged++) {
		set.is_exchanged = exchanged == 1;
		for (size_t row = 0; row < ARADA_TABLE1_N_ROW; row++) {
			struct systolic_layer layer = arada_table1_layer(&set, row);
			assert_true(systolic_layer_is_valid(&layer));
			filter_word[exchanged] +=
			    (uint64_t)layer.filter_h * layer.filter_w * layer.channels * layer.n_filter;
		}
	}
	/* MobileNet's weights: first convolution, depthwise, pointwise ones. */
	assert_int_equal(filter_word[0], 864 + 44640 + 3139584);
	assert_int_equal(filter_word[0], filter_word[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arada_table1_is_met),
	    cmocka_unit_test(test_arada_table1_needs_every_assumption),
	    cmocka_unit_test(test_arada_table1_has_mobilenets_layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
