/* SPDX-License-Identifier: Apache-2.0 */
/* ARADA's equations against hand-made numbers, and what holds for any layer. */
#include "tests/support/unit_test.h"
#include "dse/arada/arada.h"
#include "sim/base/rng.h"
#include <math.h>

#define RNG_SEED 11

/* 20 GB/s are 20 words a clock; a switch takes 5000 clocks. */
static const struct arada_platform edge = {
    .max_clk_mhz = 500,
    .max_vdd_v = 1,
    .max_bandwidth_gb_s = 20,
    .max_word_per_clk = 20,
    .switch_us = 10,
    .clk_step_mhz = 50,
    .n_bandwidth = 10,
};

static void expect_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected))))
		fail_msg("%.17g instead of %.17g", found, expected);
}

static void test_arada_slows_layers_that_wait(void **state)
{
	(void)state;
	/* 40 000 clocks of 100 000 are work. */
	const struct arada_layer layer = {100000, 60000, 123};
	struct arada_mode rti = arada_allocate(ARADA_RTI, &edge, &layer);
	struct arada_mode ideal = arada_allocate(ARADA_IDEAL, &edge, &layer);
	struct arada_mode free = arada_allocate(ARADA_VF_OH, &edge, &layer);
	struct arada_mode legal = arada_allocate(ARADA_VF_OH_Q, &edge, &layer);
	expect_near(rti.clk_mhz, 500);
	expect_near(rti.energy_frac, 1);
	expect_near(rti.busy_us, 80);
	expect_near(ideal.clk_mhz, 200);
	expect_near(ideal.vdd_v, 0.4);
	expect_near(ideal.energy_frac, 0.16); /* equation 6: 0.4^2 * 0.4 * (1 + 60 / 40) */
	expect_near(ideal.gated_frac, 0.16);
	expect_near(ideal.busy_us, 200);
	expect_near(free.clk_mhz, 225); /* 55 000 of the 60 000 stalls are left */
	expect_near(free.energy_frac, 0.45 * 0.45 * 0.45 * 2.5);
	expect_near(free.busy_us, 40000 / 225.0 + 10);
	expect_near(legal.clk_mhz, 250);
	expect_near(legal.vdd_v, 0.5);
	expect_near(legal.energy_frac, 0.5 * 0.5 * 0.5 * 2.5);
	expect_near(legal.gated_frac, 0.25);
	expect_near(legal.time_us, 200);
	expect_near(legal.bandwidth_gb_s, 20);
	expect_near(legal.printed_gb_s, 20);
}

static void test_arada_switches_where_it_pays(void **state)
{
	(void)state;
	/* A switch takes 5000 clocks: as long as the stalls, and a clock less. */
	const struct arada_layer equal = {20000, 5000, 1}, more = {20000, 5001, 1}, high = {20000, 5500, 1};
	expect_near(arada_allocate(ARADA_IDEAL, &edge, &equal).clk_mhz, 375);
	expect_near(arada_allocate(ARADA_VF_OH, &edge, &equal).clk_mhz, 500);
	expect_near(arada_allocate(ARADA_VF_OH, &edge, &equal).busy_us, 30);
	expect_near(arada_allocate(ARADA_VF_OH, &edge, &more).clk_mhz, 500 * 19999.0 / 20000);
	/* No legal clock lies between 487.5 and 500 MHz: nothing is switched, nothing gained or lost. */
	expect_near(arada_allocate(ARADA_VF_OH, &edge, &high).clk_mhz, 487.5);
	expect_near(arada_allocate(ARADA_VF_OH_Q, &edge, &high).clk_mhz, 500);
	expect_near(arada_allocate(ARADA_VF_OH_Q, &edge, &high).energy_frac, 1);
}

static void test_arada_gives_compute_bound_layers_their_bandwidth(void **state)
{
	(void)state;
	/* 6.5 words a clock of 20. */
	const struct arada_layer layer = {10000, 0, 65000}, full = {10000, 0, 300000};
	struct arada_mode free = arada_allocate(ARADA_IDEAL, &edge, &layer);
	struct arada_mode legal = arada_allocate(ARADA_VF_OH_Q, &edge, &layer);
	expect_near(free.bandwidth_gb_s, 6.5);
	expect_near(free.printed_gb_s, 13.5);
	expect_near(legal.bandwidth_gb_s, 8);
	expect_near(legal.clk_mhz, 500);
	expect_near(legal.energy_frac, 1);
	expect_near(arada_allocate(ARADA_RTI, &edge, &layer).bandwidth_gb_s, 20);
	expect_near(arada_allocate(ARADA_VF_OH_Q, &edge, &full).bandwidth_gb_s, 20);
	expect_near(arada_allocate(ARADA_VF_OH_Q, &edge, &full).printed_gb_s, 0);
}

static void test_arada_rounds_up_to_legal_values(void **state)
{
	(void)state;
	struct arada_platform hpc = edge;
	hpc.max_clk_mhz = 940;
	expect_near(arada_legal_clk_mhz(&edge, 250), 250);
	expect_near(arada_legal_clk_mhz(&edge, 250.001), 300);
	expect_near(arada_legal_clk_mhz(&edge, 0.1), 50);
	expect_near(arada_legal_clk_mhz(&hpc, 899.9), 900);
	expect_near(arada_legal_clk_mhz(&hpc, 900.1), 940);
	/* A tenth of 500 MHz, computed in three ways that round differently. */
	expect_near(arada_legal_clk_mhz(&edge, 500 * 0.1), 50);
	expect_near(arada_legal_clk_mhz(&edge, 500 * (7.0 / 70)), 50);
	expect_near(arada_legal_clk_mhz(&edge, 500.0 * 3 / 30), 50);
	expect_near(arada_legal_bandwidth_gb_s(&edge, 6), 6);
	expect_near(arada_legal_bandwidth_gb_s(&edge, 6.1), 8);
	/* The largest exactly: ten tenths of 54.4 are less in doubles. */
	hpc.max_bandwidth_gb_s = 54.4;
	assert_true(arada_legal_bandwidth_gb_s(&hpc, 54.3) == 54.4);
}

/* No scheme takes longer than race to idle, nor more energy when gated; fewer freedoms save less. */
static void test_arada_keeps_time(void **state)
{
	(void)state;
	struct rng rng = rng_stream(RNG_SEED, 0, 0);
	for (int i = 0; i < 20000; i++) {
		uint64_t work = 1 + rng_below(&rng, 60000), stall = rng_below(&rng, 3) * rng_below(&rng, 40000);
		const struct arada_layer layer = {work + stall, stall, rng_below(&rng, 2000000)};
		struct arada_platform platform = edge;
		struct arada_mode mode[N_ARADA_SCHEME];
		platform.max_clk_mhz = 100 + (double)rng_below(&rng, 1000);
		platform.switch_us = (double)rng_below(&rng, 20);
		for (int s = 0; s < N_ARADA_SCHEME; s++) {
			mode[s] = arada_allocate((enum arada_scheme)s, &platform, &layer);
			expect_near(mode[s].time_us, mode[ARADA_RTI].time_us);
			assert_true(mode[s].busy_us <= mode[s].time_us * (1 + 1e-9));
			assert_true(mode[s].clk_mhz > 0 && mode[s].clk_mhz <= platform.max_clk_mhz);
			assert_true(mode[s].bandwidth_gb_s > 0 || layer.n_word == 0);
			assert_true(mode[s].bandwidth_gb_s <= platform.max_bandwidth_gb_s);
			assert_true(s == 0 || mode[s].gated_frac <= 1);
			/* A layer gets less of one of the two at most. */
			assert_true(mode[s].clk_mhz == platform.max_clk_mhz ||
			            mode[s].bandwidth_gb_s == platform.max_bandwidth_gb_s);
		}
		assert_true(mode[ARADA_IDEAL].gated_frac <= mode[ARADA_VF_OH].gated_frac);
		assert_true(mode[ARADA_VF_OH].gated_frac <= mode[ARADA_VF_OH_Q].gated_frac);
		assert_true(mode[ARADA_IDEAL].bandwidth_gb_s <= mode[ARADA_VF_OH_Q].bandwidth_gb_s);
		/* What the bandwidth moves in the layer's time is what it needs, or all there is. */
		double moved = mode[ARADA_IDEAL].bandwidth_gb_s * (double)layer.total_clk;
		assert_true(stall > 0 || layer.n_word == 0 ||
		            moved >= fmin((double)layer.n_word, 20.0 * (double)work) * (1 - 1e-9));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arada_slows_layers_that_wait),
	    cmocka_unit_test(test_arada_switches_where_it_pays),
	    cmocka_unit_test(test_arada_gives_compute_bound_layers_their_bandwidth),
	    cmocka_unit_test(test_arada_rounds_up_to_legal_values),
	    cmocka_unit_test(test_arada_keeps_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
