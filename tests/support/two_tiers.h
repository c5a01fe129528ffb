/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TWO_TIERS_H
#define TESTS_TWO_TIERS_H
/*
 * Whole layers in both tiers, on three machines and with three strategies: the
 * same work, and clocks within 8 % in each layer and 4 % in the mean. Include
 *
 */
#include "tests/support/unit_test.h"
#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include <math.h>

#define TWO_TIERS_MAX_LAYER 16

static inline void simulate_tier(const struct machine *machine, const struct network *network, enum strategy strategy,
                                 enum detail detail, struct simulated *simulated)
{
	struct err err = {0};
	const struct simulate_options options = {.strategy = strategy,
	                                         .how = {.detail = {.detail = detail, .n_thread = 1}}};
	if (simulate_network(machine, network, &options, simulated, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* Loads and stores are those of the parts, in either tier; the array multiplies what the layer has. */
static inline void compare_counts(const struct simulated *fast, const struct simulated *event)
{
	const struct counts *a = &fast->result.counts, *b = &event->result.counts;
	assert_true(a->mac == (double)block_n_mac(fast->block) && b->mac == a->mac);
	assert_true(fabs(b->dram_read_byte - a->dram_read_byte) < 0.5);
	assert_true(fabs(b->dram_write_byte - a->dram_write_byte) < 0.5);
	assert_true(fabs(b->mla_clk - a->mla_clk) < 0.5);
}

static inline void compare_tiers(const struct machine *machine, const struct network *network, enum strategy strategy)
{
	struct simulated fast[TWO_TIERS_MAX_LAYER], event[TWO_TIERS_MAX_LAYER];
	double mean = 0;
	assert_in_range(network->n_block, 1, TWO_TIERS_MAX_LAYER);
	simulate_tier(machine, network, strategy, DETAIL_FAST, fast);
	simulate_tier(machine, network, strategy, DETAIL_EVENT, event);
	for (size_t i = 0; i < network->n_block; i++) {
		assert_true(fast[i].ran && event[i].ran);
		double error = (double)event[i].result.total_clk / (double)fast[i].result.total_clk - 1;
		compare_counts(&fast[i], &event[i]);
		print_message("%s %s %s: %+.1f %%\n", machine->name, strategy_table[strategy].name, fast[i].block->name,
		              100 * error);
		mean += fabs(error) / (double)network->n_block;
		assert_true(fabs(error) < 0.08);
	}
	assert_true(mean < 0.04);
}

static inline void assert_tiers_agree(const struct network *network)
{
	static const char *const path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/dvfs_chip.yaml",
	                                   "spaces/machines/thesis_qpe_dram.yaml"};
	static const enum strategy strategy[] = {STRATEGY_NO_FUSION, STRATEGY_FUSION, STRATEGY_FUSION_REUSE};
	for (int m = 0; m < 3; m++)
		for (int s = 0; s < 3; s++) {
			struct machine machine;
			assert_int_equal(machine_read(path[m], &machine, NULL), ERR_OK);
			compare_tiers(&machine, network, strategy[s]);
		}
}

#endif
