/* SPDX-License-Identifier: Apache-2.0 */
/* Work of the ARM cores that is a layer of its own: clocks, traffic, rows, and how networks write it. */
#include "tests/support/unit_test.h"
#include "tests/support/sample_design.h"
#include "tests/support/network_text.h"
#include "dse/space/detail.h"
#include "mapper/split/splitter.h"
#include "mapper/unfold/unfold.h"
#include "sim/machine/machine_param.h"
#include <stdio.h>
#include <string.h>

static struct machine chip(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	machine.n_level = 1;
	machine_init_level(&machine.level[0]);
	return machine;
}

/*
 * 56 x 56 pixels of 128 channels in 28 or 128 parts, one a PE: clocks are those of a part's pixels, in both tiers; the
 * ifmap comes once, its second operand with each part.
 */
static void test_arm_work_has_its_clocks_and_traffic(void **state)
{
	const double n = 56.0 * 56 * 128;
	static const struct {
		double clk, operand_byte; /* a pixel; of all parts */
		enum phase phase;
	} want[N_ARM_KIND] = {
	    [ARM_POOL] = {12 + 0.5 * 9, 0, PHASE_POOL}, [ARM_ADD] = {8, 56.0 * 56 * 128, PHASE_MAT_ELE},
	    [ARM_MULTIPLY] = {7, 128 * 16, PHASE_MUL}, /* one channel a part: a line of 16 bytes */
	    [ARM_FUNCTION] = {6, 0, PHASE_FUNC},        [ARM_SOFTMAX] = {18.5 + 8, 0, PHASE_SOFTMAX},
	    [ARM_NORM] = {24, 0, PHASE_NORM},
	};
	(void)state;
	for (int kind = 0; kind < N_ARM_KIND; kind++) {
		struct sample sample = sample_arm((enum arm_kind)kind);
		struct machine machine = chip();
		struct layer_context context;
		struct detail_options options = {.detail = DETAIL_EVENT, .audit = true};
		struct program program;
		struct verdict verdict;
		struct sim_result fast, event;
		struct err err = {0};
		machine.arm_average_read_clk = 0.5;
		machine.arm_multiply_pixel_clk = 7;
		machine.arm_function_pixel_clk = 6;
		mapper_prepare(&sample.block, &machine, 8, &context);
		assert_true(mapper_distribute(&context, &sample.design, &program, &verdict));
		fast_run(&machine, &program, 0, &fast);
		if (detail_simulate(&context, &sample.design, &program, &options, &event, NULL, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		double part = n / (double)split_n_task(&sample.design.split);
		assert_int_equal(fast.phase_clk[want[kind].phase], (uint64_t)(want[kind].clk * part));
		assert_int_equal(event.phase_clk[want[kind].phase], fast.phase_clk[want[kind].phase]);
		assert_true(fast.counts.dram_write_byte == n);
		double in = kind == ARM_POOL ? 58.0 * 58 * 128 : n;
		assert_true(fast.counts.dram_read_byte >= in + want[kind].operand_byte);
		assert_true(fast.counts.dram_read_byte <= (in + want[kind].operand_byte) * 1.01); /* whole lines */
		assert_true(event.counts.dram_read_byte == fast.counts.dram_read_byte);
		assert_true(fast.counts.mac == 0);
	}
}

/* Rows that are cut are a verdict of their own, and neither the thesis' splitter nor a systolic array cuts them. */
static void test_arm_work_keeps_rows_whole(void **state)
{
	struct machine machine = chip();
	(void)state;
	for (uint32_t whole = 0; whole < 8; whole++) {
		struct sample sample = sample_arm(ARM_NORM);
		struct block *block = &sample.block;
		struct layer_context context;
		struct program program;
		struct verdict verdict;
		struct split found;
		struct err err = {0};
		block->whole = whole;
		block->in_w = block->out_w = 24;
		block->in_h = block->out_h = 20;
		mapper_prepare(block, &machine, 8, &context);
		for (uint32_t cut = 0; cut < 8; cut++) {
			sample.design.split =
			    sample_split(block, cut & WHOLE_W ? 2 : 1, cut & WHOLE_H ? 4 : 1, cut & WHOLE_C ? 8 : 1);
			bool runs = mapper_distribute(&context, &sample.design, &program, &verdict);
			enum verdict_reason reason = whole & cut ? VERDICT_ROWS : cut == 0 ? VERDICT_SRAM : VERDICT_OK;
			assert_int_equal(runs ? VERDICT_OK : verdict.reason, reason);
		}
		enum err_code code = splitter_thesis(block, &machine, &found, &err);
		assert_int_equal(code, whole == 7 ? ERR_INFEASIBLE : ERR_OK);
		err_clear(&err);
		if (code != ERR_OK)
			continue;
		sample.design.split = found;
		assert_true(mapper_distribute(&context, &sample.design, &program, &verdict));
	}
}

/* Rows side by side in the channels, as of heads: the splitter and a search may cut between them, never through one. */
static void test_arm_work_cuts_between_heads(void **state)
{
	struct machine machine = chip();
	(void)state;
	for (uint32_t n_row = 1; n_row <= 32; n_row *= 2) {
		struct sample sample = sample_arm(ARM_SOFTMAX);
		struct block *block = &sample.block;
		struct layer_context context;
		struct program program;
		struct verdict verdict;
		struct split found;
		struct err err = {0};
		block->whole = WHOLE_C;
		block->in_w = block->out_w = 1;
		block->in_h = block->out_h = 1;
		block->in_c = block->out_c = 32 * 3000;
		block->row_groups = n_row;
		assert_int_equal(block_row_c(block), 96000 / n_row);
		mapper_prepare(block, &machine, 8, &context);
		assert_int_equal(splitter_thesis(block, &machine, &found, &err), n_row == 1 ? ERR_INFEASIBLE : ERR_OK);
		err_clear(&err);
		if (n_row == 1)
			continue;
		assert_int_equal(dim_n_part(&found.c), n_row);
		sample.design.split = found;
		assert_true(mapper_distribute(&context, &sample.design, &program, &verdict));
	}
}

#define HEAD "name: n\ninput: [8, 6, 12]\nlayers:\n"

static void test_arm_work_is_read_from_networks(void **state)
{
	static const char text[] = HEAD "  - conv: {kernel: 1, out_channels: 12}\n"
					"  - arm: {op: multiply, from: [1, 0]}\n"
					"  - arm: {op: softmax}\n"
					"  - arm: {op: normalise, over: map}\n"
					"  - pool: {window: [8, 6], type: average}\n"
					"  - arm: {op: add, from: [4, 5]}\n"
					"  - fc: {out: 10}\n"
					"  - arm: {op: function}\n";
	static const struct {
		const char *name;
		enum arm_kind arm;
		enum arm_operand operand;
		uint32_t whole;
	} want[] = {
	    {"CONV_1", ARM_POOL, OPERAND_NONE, 0},
	    {"MUL_2", ARM_MULTIPLY, OPERAND_MAP, 0},
	    {"SOFTMAX_3", ARM_SOFTMAX, OPERAND_NONE, WHOLE_C},
	    {"NORM_4", ARM_NORM, OPERAND_NONE, WHOLE_W | WHOLE_H},
	    {"POOL_5", ARM_POOL, OPERAND_NONE, 0},
	    {"MAT_ELE_6", ARM_ADD, OPERAND_CHANNEL, 0},
	    {"FC_7", ARM_POOL, OPERAND_NONE, 0},
	    {"FUNC_8", ARM_FUNCTION, OPERAND_NONE, 0},
	};
	struct network network;
	struct err err = {0};
	(void)state;
	if (network_read_text(text, &network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(network.n_block, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < network.n_block; i++) {
		const struct block *block = &network.block[i];
		struct operation operation[BLOCK_MAX_OPERATION];
		assert_string_equal(block->name, want[i].name);
		assert_int_equal(block->arm, want[i].arm);
		assert_int_equal(block->operand, want[i].operand);
		assert_int_equal(block->whole, want[i].whole);
		assert_true(block_operations(block, operation, BLOCK_MAX_OPERATION) >= 1);
		assert_string_equal(operation[0].name, want[i].name);
	}
	/* the second operand is read where it lies for all */
	assert_true(network.block[4].result_to_dram);
	assert_int_equal(network.block[7].out_c, 10);
	network_free(&network);
}

static void test_arm_work_mistakes_name_their_place(void **state)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
	    {HEAD "  - arm: {from: 0}\n", ":4:10: op is missing"},
	    {HEAD "  - arm: {op: softmix}\n", "found 'softmix', allowed add, multiply, function, softmax, normalise"},
	    {HEAD "  - arm: {op: softmax, over: rows}\n", "over: found 'rows'"},
	    {HEAD "  - arm: {op: add, over: width}\n", ":4:26: over: found beside op add"},
	    {HEAD "  - arm: {op: softmax, from: [0, 0]}\n", "found 2 layers, allowed 1 for this op"},
	    {HEAD "  - conv: {kernel: 1, out_channels: 5}\n  - arm: {op: add, from: [0, 1]}\n",
	     "allowed is a second operand of the same shape"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct network network;
		struct err err = {0};
		assert_int_equal(network_read_text(bad[i].text, &network, &err), ERR_INPUT);
		if (!strstr(err_text(&err), bad[i].message))
			fail_msg("%s\nlacks %s", err_text(&err), bad[i].message);
		err_clear(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arm_work_has_its_clocks_and_traffic),
	    cmocka_unit_test(test_arm_work_keeps_rows_whole),
	    cmocka_unit_test(test_arm_work_cuts_between_heads),
	    cmocka_unit_test(test_arm_work_is_read_from_networks),
	    cmocka_unit_test(test_arm_work_mistakes_name_their_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
