/* SPDX-License-Identifier: Apache-2.0 */
/* Grouped convolutions as whole layers in both tiers, whose models of them share nothing but the tasks. */
#include "tests/support/unit_test.h"
#include "tests/support/network_text.h"
#include "dse/space/machine_read.h"
#include "tests/support/two_tiers.h"
#include <math.h>

#define N_LAYER 6

/* Depthwise as in MobileNet, of stride 1 and 2, wide and narrow; groups of several channels; few groups of many. */
static const char network_text[] = "name: groups\nlayers:\n"
				   "  - conv: {input: [56, 56, 64], kernel: 3, groups: depthwise}\n"
				   "  - conv: {input: [56, 56, 48], kernel: 3, stride: 2, groups: depthwise}\n"
				   "  - conv: {input: [14, 14, 384], kernel: 5, groups: depthwise, activation: none}\n"
				   "  - conv: {input: [28, 28, 144], kernel: 1, out_channels: 288, groups: 4}\n"
				   "  - conv: {input: [14, 14, 128], kernel: 3, out_channels: 128, groups: 32}\n"
				   "  - conv: {input: [13, 13, 384], kernel: 3, out_channels: 256, groups: 2}\n";

static void read_network(struct network *network)
{
	struct err err = {0};
	if (network_read_text(network_text, network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(network->n_block, N_LAYER);
}

static void test_groups_take_as_long_in_both_tiers(void **state)
{
	struct network network;
	(void)state;
	read_network(&network);
	assert_tiers_agree(&network);
	network_free(&network);
}

/* An array of 16 x 4 has one filter of a depthwise layer in its four rows: a quarter of the MACs it could do. */
static void test_groups_leave_rows_idle(void **state)
{
	struct network network;
	struct machine machine;
	struct simulated fast[N_LAYER];
	(void)state;
	read_network(&network);
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &machine, NULL), ERR_OK);
	simulate_tier(&machine, &network, STRATEGY_FUSION, DETAIL_FAST, fast);
	for (int i = 0; i < N_LAYER; i++) {
		const struct counts *counts = &fast[i].result.counts;
		double used = counts->mac / (counts->mla_clk * machine.mla_cols * machine.mla_rows);
		assert_true(used <= (block_group_out_c(fast[i].block) == 1 ? 0.25 : 1));
	}
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_groups_take_as_long_in_both_tiers),
	    cmocka_unit_test(test_groups_leave_rows_idle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
