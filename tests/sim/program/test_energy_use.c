/* SPDX-License-Identifier: Apache-2.0 */
/* Amounts times coefficients are the simulator's energy, in every tier, mixed or not, and at other coefficients, too.
 */
#include "tests/support/unit_test.h"

#include "dse/space/detail.h"
#include "sim/program/energy_use.h"
#include "sim/program/mixed.h"
#include "tests/support/near.h"
#include "tests/support/random_design.h"
#include "tests/support/shipped_machine.h"
#include <math.h>

/* Every coefficient somewhere, none twice the same. */
static void draw_coefficients(struct rng *rng, struct machine *machine)
{
	for (uint32_t i = 0; i < machine->n_level; i++) {
		struct operating_point *point = &machine->level[i];
		point->mla_clk_pj = 1 + 9 * rng_unit(rng);
		point->sram_read32_pj = 1 + 9 * rng_unit(rng);
		point->sram_write32_pj = 1 + 9 * rng_unit(rng);
		point->noc_read128_pj = 1 + 9 * rng_unit(rng);
		point->arm_clk_pj = 1 + 9 * rng_unit(rng);
		point->pe_static_mw = rng_unit(rng);
		point->pe_awake_mw = rng_unit(rng);
	}
	machine->dram_byte_pj = 10 + 90 * rng_unit(rng);
	machine->chip_off_mw = 100 * rng_unit(rng);
	machine->sram_static_mw = 10 * rng_unit(rng);
	machine->noc_static_mw = 10 * rng_unit(rng);
	machine->dram_static_mw = 10 * rng_unit(rng);
	machine->dvfs_switch_nj = rng_unit(rng);
}

/* The machine with its mixed points made anew, which have the better value of two in each field. */
static struct machine machine_with(uint32_t trial, bool is_mixed)
{
	struct rng rng = rng_stream(31, 1, trial);
	struct machine machine = shipped_machine("spaces/machines/dvfs_chip.yaml");
	draw_coefficients(&rng, &machine);
	machine.dvfs_switch_ns = 50;
	if (is_mixed)
		assert_int_equal(mixed_add(&machine, 3, NULL), ERR_OK);
	return machine;
}

static bool run_on(const struct machine *machine, const struct block *block, const struct layer_design *design,
                   enum detail detail, struct sim_result *result)
{
	struct layer_context context;
	const struct detail_options options = {.detail = detail};
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &context);
	struct detail_run run = {.context = &context, .design = design};
	detail_run(&run, &options);
	err_clear(&run.err);
	*result = run.result;
	return run.ran;
}

static void check_tier(enum detail detail, uint32_t n_trial, unsigned n_least)
{
	unsigned n_ran = 0, n_mixed = 0;
	for (uint32_t trial = 0; trial < n_trial; trial++) {
		struct rng rng = rng_stream(31, 0, trial);
		struct machine machine = machine_with(2 * trial, true), other = machine_with(2 * trial + 1, true);
		struct block block = random_block(&rng);
		struct layer_design design = random_design(&rng, &block, &machine);
		struct sim_result result, again;
		struct energy_use use, value;
		if (!run_on(&machine, &block, &design, detail, &result))
			continue;
		n_ran++;
		n_mixed += result.mix.is_mixed && mixed_is(&machine.level[design.level]);
		energy_use_of(&machine, design.level, &result, &use);
		energy_use_values(&machine, &value);
		assert_near(energy_use_pj(&use, &value), result.energy.total_pj, 1e-9);
		/* what the simulator says of a machine with other coefficients, without asking it */
		assert_true(run_on(&other, &block, &design, detail, &again));
		energy_use_values(&other, &value);
		assert_near(energy_use_pj(&use, &value), again.energy.total_pj, 1e-9);
	}
	assert_true(n_ran > n_least && n_mixed > n_least / 4);
}

static void test_energy_use_is_the_fast_tiers_energy(void **state)
{
	(void)state;
	check_tier(DETAIL_FAST, 2000, 200);
}

static void test_energy_use_is_the_event_tiers_energy(void **state)
{
	(void)state;
	check_tier(DETAIL_EVENT, 60, 8);
}

/* By hand: one clock of a 16x2 array, one word, ns of 152 PEs. */
static void test_energy_use_by_hand(void **state)
{
	(void)state;
	struct machine machine = shipped_machine("spaces/machines/dvfs_chip.yaml");
	machine.mla_rows = 2;
	const struct sim_result result = {.counts = {.mla_clk = 10, .sram_read_word = 3, .dram_write_byte = 5},
	                                  .latency_ns = 7};
	struct energy_use use, value;
	energy_use_of(&machine, 1, &result, &use);
	energy_use_values(&machine, &value);
	assert_true(*energy_use_find(&use, "mla_clk_pj", 1) == 5);
	assert_true(*energy_use_find(&use, "mla_clk_pj", 0) == 0);
	assert_true(*energy_use_find(&use, "pe_static_mw", 1) == 7 * 152);
	assert_true(*energy_use_find(&use, "energy.dram_byte_pj", UINT32_MAX) == 5);
	assert_null(energy_use_find(&use, "conv_a", 0));
	assert_close(energy_use_pj(&use, &value), 5 * 12.3 + 3 * 2.94 + 5 * 64 + 7 * (75.2 + 152 * 1.5));
	struct energy_use change = {0};
	machine.dvfs_switch_nj = 2;
	energy_use_add_change(&machine, 0, 0, &change);
	assert_true(energy_use_pj(&change, &value) == 0);
	energy_use_add_change(&machine, 0, 1, &change);
	energy_use_values(&machine, &value);
	assert_close(energy_use_pj(&change, &value), 2000.0 * 152 + 100 * (75.2 + 152 * 1.5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_energy_use_is_the_fast_tiers_energy),
	    cmocka_unit_test(test_energy_use_is_the_event_tiers_energy),
	    cmocka_unit_test(test_energy_use_by_hand),
	};
	return cmocka_run_group_tests_name("energy_use", tests, NULL, NULL);
}
