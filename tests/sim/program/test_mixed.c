/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed operating points: a part of a layer's rounds at each of two, with a change between; bounds, and the search. */
#include "tests/support/unit_test.h"

#include "dse/space/detail.h"
#include "dse/space/machine_read.h"
#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "mapper/distribute/bound.h"
#include "sim/program/mixed.h"
#include "sim/machine/machine_check.h"
#include "tests/support/above_bounds.h"
#include "tests/support/random_design.h"
#include "tests/support/sample_design.h"
#include "tests/support/temporary.h"
#include "tests/support/near.h"
#include "tests/support/shipped_machine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct machine read_machine(const char *path, uint32_t n_share)
{
	struct machine machine = shipped_machine(path);
	struct err err = {0};
	if (n_share > 0)
		assert_int_equal(mixed_add(&machine, n_share, &err), ERR_OK);
	return machine;
}

static struct sim_result run_at(const struct machine *machine, const struct sample *sample, uint32_t level,
                                enum detail detail)
{
	struct layer_context context;
	struct layer_design design = sample->design;
	const struct detail_options options = {.detail = detail};
	design.level = level;
	mapper_prepare(&sample->block, machine, 8, &context);
	struct detail_run run = {.context = &context, .design = &design};
	detail_run(&run, &options);
	assert_true(run.ran);
	return run.result;
}

/* Two levels and four shares: 2 + 3 points, named, at the better of both in each field. */
static void test_mixed_points_follow_the_machines(void **state)
{
	(void)state;
	struct machine machine = read_machine("spaces/machines/dvfs_chip.yaml", 4);
	assert_int_equal(machine.n_level, 5);
	assert_string_equal(machine.level[2].name, "PL1*1+PL2*3");
	assert_string_equal(machine.level[4].name, "PL1*3+PL2*1");
	assert_true(machine.level[3].low == 0 && machine.level[3].high == 1);
	assert_true(machine.level[3].clk_mhz == 400 && machine.level[3].mla_clk_pj == 8.5);
	assert_true(machine.level[3].pe_static_mw == 1.05 &&
	            energy_sleep_mw(&machine) == energy_static_mw(&machine, 0));
	assert_int_equal(machine_check(&machine, NULL), ERR_OK);
	struct machine many = read_machine("spaces/machines/dvfs_chip.yaml", 0), before = many;
	struct err err = {0};
	assert_int_equal(mixed_add(&many, MACHINE_MAX_LEVEL, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "allowed are 16"));
	assert_int_equal(many.n_level, before.n_level);
	err_clear(&err);
}

/*
 * 28 rounds of tasks on four PEs each way (56 wide, 2 x 14 parts of the map, 8 of the filters): at half of the rounds
 * each level gives half of its computation; loads are the slower one's, ARM operations the faster one's.
 */
static void test_mixed_takes_a_part_of_each(void **state)
{
	(void)state;
	struct machine machine = read_machine("spaces/machines/final_chip.yaml", 2);
	struct sample sample = sample_conv(2, 14, 32, STRATEGY_FUSION_REUSE);
	machine.dvfs_switch_ns = 1000;
	machine.dvfs_switch_nj = 2;
	assert_int_equal(machine.n_level, 3);
	for (int detail = 0; detail < N_DETAIL; detail++) {
		struct sim_result low = run_at(&machine, &sample, 0, (enum detail)detail),
				  high = run_at(&machine, &sample, 1, (enum detail)detail),
				  mixed = run_at(&machine, &sample, 2, (enum detail)detail);
		double low_clk = 0, high_clk = 0;
		for (int i = 0; i < N_PHASE; i++) {
			double frac = i < PHASE_COMPUTATION ? 1 : i < PHASE_PADD ? 0.5 : 0;
			low_clk += frac * (double)low.phase_clk[i];
			high_clk += (1 - frac) * (double)high.phase_clk[i];
		}
		double low_ns = low_clk * 1e3 / 150, high_ns = high_clk * 1e3 / 300;
		assert_close(mixed.latency_ns, low_ns + high_ns + 1000);
		assert_close(mixed.energy.mla_pj, (low.energy.mla_pj + high.energy.mla_pj) / 2);
		assert_close(mixed.energy.switch_pj, 152 * 2000.0);
		assert_close(mixed.energy.static_pj,
		             energy_static_mw(&machine, 0) * low_ns + energy_static_mw(&machine, 1) * (high_ns + 1000));
		assert_true(mixed.latency_ns > high.latency_ns && mixed.latency_ns < low.latency_ns);
	}
}

/* Shares are rounded to whole rounds; what has no tasks runs at the faster point without a change. */
static void test_mixed_rounds_to_whole_rounds(void **state)
{
	(void)state;
	struct machine machine = read_machine("spaces/machines/final_chip.yaml", 4);
	const struct sim_result low = {.phase_clk = {[PHASE_COMPUTATION] = 600}},
				high = {.phase_clk = {[PHASE_COMPUTATION] = 300}};
	struct sim_result result;
	machine.dvfs_switch_ns = 7;
	const uint64_t n_round = 7;
	/* a quarter of seven rounds are two, three quarters five */
	mixed_combine(&machine, 2, n_round, &low, &high, &result);
	assert_close(result.latency_ns, 2.0 / 7 * 4000 + 5.0 / 7 * 1000 + 7);
	mixed_combine(&machine, 4, n_round, &low, &high, &result);
	assert_close(result.latency_ns, 5.0 / 7 * 4000 + 2.0 / 7 * 1000 + 7);
	/* one round is whole at one of them */
	mixed_combine(&machine, 2, 1, &low, &high, &result);
	assert_close(result.latency_ns, 1000 + 7);
	struct sample pool = sample_pool();
	struct sim_result fast = run_at(&machine, &pool, 1, DETAIL_FAST),
			  mixed = run_at(&machine, &pool, 3, DETAIL_FAST);
	assert_true(fast.latency_ns == mixed.latency_ns && fast.energy.total_pj == mixed.energy.total_pj);
}

/* Bounds from a mixed point's fields, and from its least program, are under what is priced. */
static void test_mixed_bounds_hold(void **state)
{
	(void)state;
	struct machine machine = read_machine("spaces/machines/dvfs_chip.yaml", 5);
	unsigned n_ran = 0;
	machine.dvfs_switch_ns = 50;
	machine.dvfs_switch_nj = 1;
	for (uint32_t trial = 0; trial < 4000; trial++) {
		struct rng rng = rng_stream(11, 0, trial);
		struct layer_design design;
		struct sim_result result;
		n_ran += random_result_above_bounds(&machine, &rng, &design, &result);
	}
	assert_true(n_ran > 500);
}

static const char few[] = "name: shares\n"
			  "machine: dvfs_chip\n"
			  "network: tiny\n"
			  "level_shares: 3\n"
			  "layers:\n"
			  "  - match: '.*'\n"
			  "    split: whole\n"
			  "    strategy: fusion\n"
			  "  - match: '^CONV_'\n"
			  "    split: {height: {max_parts: 4, choose: even}}\n"
			  "    strategy: [fusion, fusion_reuse]\n"
			  "  - match: '^FC_'\n"
			  "    split: {in_channels: {max_parts: 2, choose: even}}\n"
			  "    level: PL2\n"
			  "objectives: [latency_ms, energy_mj]\n";

/* The front with mixed points is the same by every exact road, and not beaten by the one without. */
static void test_mixed_searches_agree(void **state)
{
	(void)state;
	struct pareto front[3];
	struct explore explore[3];
	struct space space[3];
	char path[TEMPORARY_SIZE];
	temporary_write(path, few);
	for (int i = 0; i < 3; i++) {
		const struct explore_options options = {
		    .engine = i == 1 ? &engine_exact : &engine_exhaustive, .flat = i == 2, .n_thread = 2};
		struct err err = {0};
		if (space_read(path, &space[i], &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		assert_int_equal(space[i].machine[0].n_level, 4);
		assert_int_equal(explore_run(&space[i], &options, &explore[i], &err), ERR_OK);
		front[i] = explore[i].front;
		assert_int_equal(front[i].n, front[0].n);
		for (size_t k = 0; k < front[i].n * 2; k++)
			assert_close(front[i].objective[k], front[0].objective[k]);
	}
	assert_true(front[0].n > 2);
	for (int i = 0; i < 3; i++) {
		explore_free(&explore[i]);
		space_free(&space[i]);
	}
	(void)remove(path);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_mixed_points_follow_the_machines),
	    cmocka_unit_test(test_mixed_takes_a_part_of_each),
	    cmocka_unit_test(test_mixed_rounds_to_whole_rounds),
	    cmocka_unit_test(test_mixed_bounds_hold),
	    cmocka_unit_test(test_mixed_searches_agree),
	};
	return cmocka_run_group_tests_name("mixed", test, NULL, NULL);
}
