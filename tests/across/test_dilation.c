/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions with gaps: shapes, a task in closed form, and whole layers in both tiers. */
#include "tests/support/unit_test.h"
#include "sim/event/event.h"
#include "dse/space/machine_read.h"
#include "sim/base/checked.h"
#include "tests/support/network_text.h"
#include "tests/support/two_tiers.h"
#include <math.h>
#include <string.h>

#define N_LAYER 5

/* As in DeepLab and in WaveNet (one row); with a stride, with groups, and with so large a gap that a row is padding. */
static const char network_text[] =
    "name: gaps\nlayers:\n"
    "  - conv: {input: [56, 56, 64], kernel: 3, dilation: 2, out_channels: 64}\n"
    "  - conv: {input: [128, 1, 32], kernel: [2, 1], dilation: 16, out_channels: 64, padding: [16, 0, 0, 0]}\n"
    "  - conv: {input: [56, 56, 16], kernel: 3, dilation: 3, stride: 2, out_channels: 32}\n"
    "  - conv: {input: [28, 28, 96], kernel: 5, dilation: 2, groups: depthwise}\n"
    "  - conv: {input: [14, 14, 128], kernel: 3, dilation: 12, out_channels: 32, padding: [12, 12, 12, 12]}\n";

static void read_network(struct network *network)
{
	struct err err = {0};
	if (network_read_text(network_text, network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(network->n_block, N_LAYER);
}

static void test_dilation_shapes(void **state)
{
	static const uint32_t out[N_LAYER][2] = {{56, 56}, {128, 1}, {28, 28}, {28, 28}, {14, 14}};
	static const uint32_t pad[N_LAYER][2] = {{2, 2}, {16, 0}, {3, 2}, {4, 4}, {12, 12}};
	static const uint32_t reach[N_LAYER] = {5, 17, 7, 9, 25};
	static const uint32_t tap[N_LAYER] = {9 * 64, 2 * 32, 9 * 16, 25, 9 * 128};
	struct network network;
	(void)state;
	read_network(&network);
	for (int i = 0; i < N_LAYER; i++) {
		const struct block *block = &network.block[i];
		assert_int_equal(block->out_w, out[i][0]);
		assert_int_equal(block->out_h, out[i][1]);
		assert_int_equal(block->pad_left, pad[i][0]);
		assert_int_equal(block->pad_right, pad[i][1]);
		assert_int_equal(block_reach_w(block), reach[i]);
		assert_true(block_n_weight(block) == (uint64_t)tap[i] * block->out_c);
		assert_true(block_n_mac(block) == block_n_weight(block) * block->out_w * block->out_h);
	}
	network_free(&network);
}

/* Gaps that reach too far are refused where they stand; those of one tap are none. */
static void test_dilation_mistakes(void **state)
{
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(network_read_text("name: x\ninput: [8, 8, 1]\nlayers:\n"
	                                   "  - conv: {kernel: 3, dilation: 40000, out_channels: 1}\n",
	                                   &network, &err),
	                 ERR_INPUT);
	assert_non_null(strstr(err_text(&err), ":4:5"));
	err_clear(&err);
	assert_int_equal(network_read_text("name: x\ninput: [8, 8, 1]\nlayers:\n"
	                                   "  - conv: {kernel: 3, dilation: 4, out_channels: 1, padding: valid}\n",
	                                   &network, &err),
	                 ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "9x9"));
	err_clear(&err);
	assert_int_equal(network_read_text("name: x\ninput: [8, 8, 1]\nlayers:\n"
	                                   "  - conv: {kernel: 1, dilation: 4, out_channels: 2}\n"
	                                   "  - conv: {kernel: 3, dilation: 1, out_channels: 2}\n"
	                                   "  - conv: {kernel: 3, out_channels: 2}\n"
	                                   "  - conv: {kernel: 3, dilation: 2, out_channels: 2}\n",
	                                   &network, &err),
	                 ERR_OK);
	assert_int_equal(block_dilation(&network.block[0]), 1);
	assert_int_equal(network.block[2].same_as, 1);
	assert_int_equal(network.block[3].same_as, 3);
	network_free(&network);
}

/*
 * Rounds are those of the outputs, multiply for the taps, and read for each tap the array's columns anew. A PE with
 * operand A in its own SRAM takes in both tiers as long as for a kernel of as many rows of one tap.
 */
static void test_dilation_of_a_task(void **state)
{
	struct machine machine;
	(void)state;
	assert_int_equal(machine_read("spaces/machines/thesis_qpe_dram.yaml", &machine, NULL), ERR_OK);
	for (uint32_t gap = 2; gap <= 7; gap++)
		for (uint32_t kernel = 2; kernel <= 5; kernel++) {
			const uint32_t reach = (kernel - 1) * gap + 1, n_tap = kernel * kernel, n_c = 3 * gap;
			const struct mla_conv_task task = {40 + reach - 1, 9 + reach - 1, n_c, 10, 1};
			const struct mla_conv_task rows = {40, 9 + n_tap - 1, n_c, 10, 1};
			struct mla_conv_round with_gaps, of_rows;
			struct mla_cost cost, want;
			struct mla_shape event[2] = {
			    {.kind = MLA_CONV, .operand_bit = 8, .kernel_w = kernel, .kernel_h = kernel, .conv = task},
			    {.kind = MLA_CONV, .operand_bit = 8, .kernel_w = 1, .kernel_h = n_tap, .conv = rows}};
			event[0].dilation = gap;
			mla_prepare_dilated(&machine, kernel, kernel, gap, 8, &with_gaps);
			mla_conv_cost(&machine, &with_gaps, &task, 8, &cost);
			uint64_t n_round = ceil_div(40, machine.mla_cols) * 9 * ceil_div(10, machine.mla_rows);
			assert_true(cost.mac_clk == n_round * n_tap * n_c);
			uint64_t read_byte = align_up(machine.mla_cols, machine.pe_sram_port_byte);
			assert_true(cost.b_word == n_round * n_tap * n_c * read_byte / 4);
			mla_prepare_conv(&machine, 1, n_tap, 8, &of_rows);
			mla_conv_cost(&machine, &of_rows, &rows, 8, &want);
			assert_true(cost.clk == want.clk && cost.shared_clk == want.shared_clk);
			assert_true(cost.a_word == want.a_word && cost.out_word == want.out_word);
			struct event_result result[2];
			for (int i = 0; i < 2; i++)
				assert_int_equal(event_run_qpe(&machine, &event[i], 1, NULL, &result[i], NULL), ERR_OK);
			assert_true(result[0].clk == result[1].clk);
			assert_true(fabs((double)result[0].clk / cost.shared_clk - 1) < 0.02);
		}
}

static void test_dilation_takes_as_long_in_both_tiers(void **state)
{
	struct network network;
	(void)state;
	read_network(&network);
	assert_tiers_agree(&network);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_dilation_shapes),
	    cmocka_unit_test(test_dilation_mistakes),
	    cmocka_unit_test(test_dilation_of_a_task),
	    cmocka_unit_test(test_dilation_takes_as_long_in_both_tiers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
