/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels by PE take a task's time at a level to be the same whatever level the other PEs of its QPE have. The event
 * tier says how far that is off for a PE at the slow level among three at the fast one: seen from its clock they ask
 * the router for more. As if all four ran at the fast level, in the slow one's clocks, is the most that can come of it.
 */
#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "mapper/distribute/tiling.h"
#include "sim/event/event.h"
#include <stdio.h>
#include <string.h>
#include "tests/support/unit_test.h"

#define MAX_BLOCK 80

static struct machine chip;
static struct network network;
static struct simulated simulated[MAX_BLOCK];

/* PE clocks of the largest task of a design on n_pe PEs, each of which has operand A from its neighbour. */
static double event_clk(const struct machine *machine, const struct mla_shape *task, unsigned n_pe)
{
	struct mla_shape all[EVENT_MAX_PE] = {0};
	struct event_result result;
	uint64_t most = 0;
	for (unsigned i = 0; i < n_pe; i++)
		all[i] = *task;
	assert_int_equal(event_run_qpe(machine, all, n_pe, NULL, &result, NULL), ERR_OK);
	for (unsigned i = 0; i < n_pe; i++) {
		uint64_t clk = result.pe[i].done_clk - result.pe[i].start_clk;
		most = clk > most ? clk : most;
	}
	return (double)most;
}

static struct mla_shape task_of(const struct block *block, const struct layer_design *design)
{
	struct layer_context context;
	struct tiling tiling;
	mapper_prepare(block, &chip, 8, &context);
	tiling_build(&context, &design->split, &tiling);
	return (struct mla_shape){.kind = MLA_CONV,
	                          .operand_bit = 8,
	                          .pe_shift = 1,
	                          .kernel_w = block->kernel_w,
	                          .kernel_h = block->kernel_h,
	                          .conv = {tiling.in_w, tiling.in_h, tiling.group_c, tiling.out_c, 1}};
}

static void test_power_contention_is_small(void **state)
{
	static const bool none[MAX_BLOCK];
	const struct simulate_options options = {.strategy = STRATEGY_FUSION_REUSE, .shown = none};
	unsigned n = 0, n_short = 0;
	(void)state;
	assert_int_equal(machine_read("spaces/machines/dvfs_chip.yaml", &chip, NULL), ERR_OK);
	assert_int_equal(network_read("spaces/networks/vgg16.yaml", &network, NULL), ERR_OK);
	assert_int_equal(simulate_network(&chip, &network, &options, simulated, NULL), ERR_OK);
	for (size_t i = 0; i < network.n_block; i++) {
		if (network.block[i].kind != BLOCK_CONV)
			continue;
		struct mla_shape task = task_of(&network.block[i], &simulated[i].design);
		struct machine crowded = chip;
		crowded.noc_clk_mhz *= chip.level[0].clk_mhz / chip.level[1].clk_mhz;
		double alone = event_clk(&chip, &task, 1), alike = event_clk(&chip, &task, 4);
		double most = event_clk(&crowded, &task, 4), more = most / alike - 1;
		/* rounds of 27 taps, of which waits are a larger part */
		bool is_short = task.conv.in_c < 16;
		n_short += is_short;
		if (!(more >= 0 && more <= (is_short ? 0.07 : 0.006) && alone < alike))
			print_error("%s: %.0f clocks alone, %.0f among its like, %.0f at most\n", network.block[i].name,
			            alone, alike, most);
		assert_true(more >= 0 && more <= (is_short ? 0.07 : 0.006) && alone < alike);
		n++;
	}
	assert_int_equal(n, 13);
	assert_int_equal(n_short, 1);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_power_contention_is_small)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
