/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How uncertainties add up, and which machines are far. Whether the table is true is checked by
 * tests/across/test_random_tiers.c (fast tier) and tests/cli/uncertainty.sh (event tier).
 */
#include "tests/support/unit_test.h"

#include "sim/fast/uncertainty.h"
#include "sim/machine/machine_param.h"
#include <math.h>
#include <string.h>

/* Its four DRAM interfaces of 125 million packets pass as much as a router does. */
static struct machine chip(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	return machine;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)));
}

/* 5000 clocks of filters, 70000 of tasks and 25000 of the ARM core, which are exact. */
static void test_uncertainty_is_that_of_the_phases(void **state)
{
	struct machine machine = chip();
	const struct sim_result result = {
	    .total_clk = 100000,
	    .phase_clk = {[PHASE_WEIGHT] = 5000, [PHASE_COMPUTATION] = 70000, [PHASE_PADD] = 25000}};
	(void)state;
	for (unsigned n_uneven = 0; n_uneven < 5; n_uneven++) {
		unsigned split = n_uneven > 2 ? 2 : n_uneven;
		double weight_pct = (double)uncertainty_fast_pct[UNCERTAINTY_WEIGHT][split][2][0],
		       compute_pct = (double)uncertainty_fast_pct[UNCERTAINTY_COMPUTE][split][2][1],
		       reference_pct = 0.05 * (double)uncertainty_event_pct[UNCERTAINTY_WEIGHT][2] +
		                       0.70 * (double)uncertainty_event_pct[UNCERTAINTY_COMPUTE][2];
		struct uncertainty fast = uncertainty_of(&machine, &result, n_uneven, UNCERTAINTY_FAST);
		assert_near(100 * fast.event_frac, 0.05 * weight_pct + 0.70 * compute_pct);
		assert_near(100 * fast.reference_frac, reference_pct);
		assert_near(uncertainty_frac(&fast), fast.event_frac);
		struct uncertainty event = uncertainty_of(&machine, &result, n_uneven, UNCERTAINTY_EVENT);
		assert_true(isnan(event.event_frac));
		assert_near(uncertainty_frac(&event), fast.reference_frac);
	}
	machine_init(&machine, MACHINE_SYSTOLIC);
	struct uncertainty none = uncertainty_of(&machine, &result, 0, UNCERTAINTY_FAST);
	assert_true(isnan(uncertainty_frac(&none)));
}

/* 1 % of 3 ms and 5 % of 1 ms are 2 % of 4 ms; of what takes no time nothing is divided. */
static void test_uncertainty_adds_up_by_time(void **state)
{
	const struct uncertainty one = {0.01, 0.02}, other = {0.05, 0.02};
	struct uncertainty sum = {0};
	(void)state;
	uncertainty_divide(&sum, 0);
	assert_near(sum.event_frac, 0);
	uncertainty_add(&sum, 3, &one);
	uncertainty_add(&sum, 1, &other);
	uncertainty_divide(&sum, 4);
	assert_near(sum.event_frac, 0.02);
	assert_near(sum.reference_frac, 0.02);
}

/* Classes are told apart by kind, split, machine and length, and are all of them used; each has a measured figure. */
static void test_uncertainty_classes(void **state)
{
	struct machine machine = chip();
	bool seen[UNCERTAINTY_N_CLASS] = {false};
	size_t n_seen = 0;
	(void)state;
	for (uint32_t at = 0; at < 2 * 4 * 3 * 2 * N_PHASE; at++) {
		uint32_t phase = at / 48;
		machine.target = at % 2 ? MACHINE_CHIP : MACHINE_QPE;
		machine.noc_router_packet = UINT32_C(1) << at / 2 % 4;
		machine.noc_clk_mhz = 300;
		unsigned class = uncertainty_class(&machine, (enum phase)phase, at / 24 % 2 ? 5001 : 5000, at / 8 % 3);
		if (phase == PHASE_ACTI)
			assert_int_equal(class, UNCERTAINTY_N_CLASS);
		if (class < UNCERTAINTY_N_CLASS && !seen[class]) {
			seen[class] = true;
			assert_true((&uncertainty_fast_pct[0][0][0][0])[class] > 0);
			n_seen++;
		}
	}
	assert_int_equal(n_seen, UNCERTAINTY_N_CLASS);
}

static void assert_far(struct machine machine, const char *key)
{
	const struct uncertainty_range *range = uncertainty_find_far(&machine, 0);
	assert_non_null(range);
	assert_string_equal(range->key, key);
	double value = uncertainty_value(&machine, 0, range);
	assert_true(value < range->min || value > range->max);
}

static void test_uncertainty_far_machines(void **state)
{
	struct machine machine = chip();
	(void)state;
	assert_null(uncertainty_find_far(&machine, 0));
	machine.noc_clk_mhz = 1001;
	assert_far(machine, "noc.clk_mhz");
	machine = chip();
	machine.level[0].clk_mhz = 149;
	assert_far(machine, "clk_mhz");
	machine = chip();
	machine.mla_cols = 64;
	assert_far(machine, "mla.array");
	/* a single QPE has no mesh */
	machine = chip();
	machine.chip.mesh_w = 1;
	assert_far(machine, "chip.mesh_w");
	machine.target = MACHINE_QPE;
	assert_null(uncertainty_find_far(&machine, 0));
	for (size_t i = 0; i < uncertainty_n_range; i++)
		assert_true(strcmp(uncertainty_range[i].key, "clk_mhz") == 0 ||
		            machine_find_param(uncertainty_range[i].key));
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_uncertainty_is_that_of_the_phases),
	    cmocka_unit_test(test_uncertainty_adds_up_by_time),
	    cmocka_unit_test(test_uncertainty_classes),
	    cmocka_unit_test(test_uncertainty_far_machines),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
