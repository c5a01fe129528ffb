/* SPDX-License-Identifier: Apache-2.0 */
/* Grouped convolutions, and layers that read several results or parts of one. */
#include "tests/support/unit_test.h"

#include "dse/design/simulate.h"
#include "dse/space/machine_read.h"
#include "dse/space/space.h"
#include "mapper/distribute/bound.h"
#include "mapper/split/design.h"
#include "mapper/split/splitter.h"
#include "tests/support/network_text.h"
#include <string.h>

#define HEAD "name: t\ninput: [8, 8, 12]\nlayers:\n"

static void read_good(const char *text, struct network *network)
{
	struct err err = {0};
	enum err_code code = network_read_text(text, network, &err);
	if (code != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* out_c filters of in_c / groups channels each; depthwise is a group a channel. */
static void test_groups_are_counted(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 3, out_channels: 24, groups: 3}\n"
	               "  - conv: {kernel: [5, 3], groups: depthwise, stride: 2}\n"
	               "  - conv: {kernel: 1, out_channels: 48, groups: depthwise}\n"
	               "  - conv: {kernel: 3, out_channels: 7}\n",
	          &network);
	const struct block *block = network.block;
	assert_int_equal(network.n_block, 4);
	assert_int_equal(block_n_group(&block[0]), 3);
	assert_int_equal(block_n_mac(&block[0]), 8 * 8 * 24 * 9 * 4);
	assert_int_equal(block_n_weight(&block[0]), 24 * 9 * 4);
	assert_int_equal(block_n_group(&block[1]), 24);
	assert_int_equal(block[1].out_c, 24);
	assert_int_equal(block_n_mac(&block[1]), 4 * 4 * 24 * 15);
	assert_int_equal(block_n_weight(&block[1]), 24 * 15);
	assert_int_equal(block_group_out_c(&block[2]), 2);
	assert_int_equal(block_n_mac(&block[2]), 4 * 4 * 48);
	assert_int_equal(block_n_group(&block[3]), 1);
	assert_int_equal(block_n_mac(&block[3]), 4 * 4 * 7 * 9 * 48);
	network_free(&network);
}

/* A view has the shape it says, of whatever sources; results that are weights lie in DRAM. */
static void test_views_and_results_as_weights(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 1, out_channels: 8}\n"          /* 1: queries, 64 pixels */
	               "  - conv: {kernel: 1, out_channels: 8, from: 0}\n" /* 2: keys */
	               "  - conv: {kernel: 1, out_channels: 128, groups: 2, from: 1, filters: 2}\n" /* 3: scores */
	               "  - view: {size: [4, 5, 6], from: [1, 3]}\n"                                /* 4 */
	               "  - pool: {window: 1}\n",                                                   /* 5 */
	          &network);
	assert_int_equal(network.n_block, 4);
	assert_int_equal(block_n_mac(&network.block[2]), 64 * 128 * 4);
	assert_int_equal(network.block[2].input, INPUT_DRAM);
	assert_true(network.block[1].result_to_dram);
	assert_true(network.block[2].result_to_dram);
	assert_int_equal(network.block[3].in_w, 4);
	assert_int_equal(network.block[3].in_h, 5);
	assert_int_equal(network.block[3].out_c, 6);
	assert_int_equal(network.block[3].input, INPUT_DRAM);
	network_free(&network);
}

static void assert_sources(const struct block_sources *sources, bool is_view, uint32_t n, const uint32_t *producer)
{
	assert_int_equal(sources->n, n);
	assert_int_equal(sources->is_view, is_view);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(sources->producer[i], producer[i]);
}

/*
 * Data has no block and no place but DRAM: read as it is, put together with a result, as weights, added. It is nobody's
 * result, so that what nobody reads stays what it was.
 */
static void test_data_lies_in_dram(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - data: {size: [7, 1, 8]}\n"                                       /* 1 */
	               "  - conv: {kernel: 1, out_channels: 8, from: 1}\n"                   /* 2 */
	               "  - data: {size: [8, 8, 12]}\n"                                      /* 3 */
	               "  - concat: {from: [3, 0]}\n"                                        /* 4 */
	               "  - conv: {kernel: 1, out_channels: 8}\n"                            /* 5 */
	               "  - conv: {kernel: 1, out_channels: 7, from: 5, filters: 1}\n"       /* 6 */
	               "  - arm: {op: multiply, from: [0, 3]}\n"                             /* 7 */
	               "  - conv: {kernel: 1, out_channels: 12, from: 3, add: {from: 3}}\n", /* 8 */
	          &network);
	const struct block *block = network.block;
	assert_int_equal(network.n_block, 5);
	assert_int_equal(network.n_data, 2);
	assert_int_equal(network_n_source(&network), 1 + 5 + 2);
	assert_int_equal(network_source(&network, 5), 5);
	assert_int_equal(network_source(&network, NETWORK_DATA + 1), 7);
	assert_int_equal(network.data[1].number, 3);
	assert_int_equal(network.data[1].h, 8);
	assert_sources(&block[0].reads, false, 1, (const uint32_t[]){NETWORK_DATA});
	assert_sources(&block[1].reads, true, 2, (const uint32_t[]){NETWORK_DATA + 1, 0});
	assert_true(block[1].reads.is_concat);
	assert_sources(&block[2].filters, false, 1, (const uint32_t[]){NETWORK_DATA});
	assert_int_equal(block[2].input, INPUT_LATEST);
	assert_sources(&block[3].adds, false, 1, (const uint32_t[]){NETWORK_DATA + 1});
	assert_int_equal(block[4].input, INPUT_DRAM);
	assert_int_equal(block[4].added, INPUT_DRAM);
	assert_sources(&block[4].adds, false, 1, (const uint32_t[]){NETWORK_DATA + 1});
	/* nobody reads the results of the first, third and fourth block, nor the last one's, which is the network's */
	for (size_t b = 0; b < network.n_block; b++)
		assert_false(block[b].result_to_dram);
	network_free(&network);
}

/* Every block names the blocks whose results it reads, through pooling that is fused and views of views. */
static void test_blocks_name_what_they_read(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 1, out_channels: 8}\n"                                    /* 1: block 0 */
	               "  - pool: {window: 2}\n"                                                     /* 2: with it */
	               "  - conv: {kernel: 1, out_channels: 8, add: {from: 2}}\n"                    /* 3: block 1 */
	               "  - conv: {kernel: 1, out_channels: 4, add: {from: 2, conv: {kernel: 1}}}\n" /* 4: 2 and 3 */
	               "  - concat: {from: [4, 2]}\n"                                                /* 5 */
	               "  - slice: {from: 5, channels: [1, 8]}\n"                                    /* 6 */
	               "  - concat: {from: [6, 3, 4]}\n"                                             /* 7 */
	               "  - conv: {kernel: 1, out_channels: 8, from: 7, add: {from: 6}}\n"           /* 8: block 4 */
	               "  - conv: {kernel: 1, out_channels: 16, from: 8, filters: 3}\n"              /* 9: block 5 */
	               "  - conv: {kernel: 1, out_channels: 4, input: [3, 3, 3]}\n",                 /* 10: block 6 */
	          &network);
	const struct block *block = network.block;
	assert_int_equal(network.n_block, 7);
	assert_sources(&block[0].reads, false, 1, (const uint32_t[]){0});
	assert_sources(&block[0].adds, false, 0, NULL);
	assert_sources(&block[1].reads, false, 1, (const uint32_t[]){1});
	assert_sources(&block[1].adds, false, 1, (const uint32_t[]){1});
	assert_sources(&block[2].adds, false, 0, NULL);
	assert_sources(&block[3].reads, false, 1, (const uint32_t[]){1});
	assert_sources(&block[3].adds, false, 1, (const uint32_t[]){3});
	assert_sources(&block[4].reads, true, 3, (const uint32_t[]){4, 1, 2});
	assert_sources(&block[4].adds, true, 2, (const uint32_t[]){4, 1});
	assert_sources(&block[5].reads, false, 1, (const uint32_t[]){5});
	assert_sources(&block[5].filters, false, 1, (const uint32_t[]){2});
	assert_sources(&block[6].reads, false, 0, NULL);
	assert_true(block[0].reads.is_concat && block[1].adds.is_concat && block[5].filters.is_concat);
	assert_false(block[4].reads.is_concat || block[4].adds.is_concat); /* a slice is in it; a slice is more */
	network_free(&network);
}

/* Results put together and nothing else are told from other views, also where each is a concatenation itself. */
static void test_concatenations_are_told(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 1, out_channels: 8}\n"               /* 1: block 0 */
	               "  - conv: {kernel: 1, out_channels: 4}\n"               /* 2: block 1 */
	               "  - concat: {from: [2, 1]}\n"                           /* 3 */
	               "  - conv: {kernel: 1, out_channels: 4}\n"               /* 4: block 2 */
	               "  - conv: {kernel: 1, out_channels: 4, from: [3, 4]}\n" /* 5: block 3 */
	               "  - conv: {kernel: 1, out_channels: 4, from: [3, 1]}\n" /* 6: block 4 */
	               "  - upsample: {from: 3, factor: 2}\n"                   /* 7 */
	               "  - conv: {kernel: 1, out_channels: 4, from: 7}\n",     /* 8: block 5 */
	          &network);
	const struct block *block = network.block;
	assert_sources(&block[2].reads, true, 2, (const uint32_t[]){2, 1});
	assert_sources(&block[3].reads, true, 3, (const uint32_t[]){2, 1, 3});
	assert_true(block[2].reads.is_concat && block[3].reads.is_concat);
	assert_sources(&block[4].reads, true, 2, (const uint32_t[]){2, 1});
	assert_false(block[4].reads.is_concat); /* the first result stands there twice */
	assert_false(block[5].reads.is_concat);
	network_free(&network);
}

/* A layer differs from one of the same shape with other groups; a split is one of each group. */
static void test_groups_tell_blocks_apart(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 3, out_channels: 12, groups: 3}\n"
	               "  - conv: {kernel: 3, out_channels: 12}\n"
	               "  - conv: {kernel: 3, out_channels: 12, groups: 3}\n"
	               "  - conv: {kernel: 3, out_channels: 12, groups: 1}\n",
	          &network);
	assert_int_equal(network.block[1].same_as, 1);
	assert_int_equal(network.block[2].same_as, 0);
	assert_int_equal(network.block[3].same_as, 1);
	const struct split split = split_whole_group(&network.block[0]);
	assert_int_equal(split.c.size_a, 4);
	assert_int_equal(split.d.size_a, 4);
	network_free(&network);
}

/* PEs take splits of the filters of all groups, systolic arrays those of one; no part has half a group and another. */
static void test_groups_are_split_by_machine(void **state)
{
	static const char *const path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml",
	                                   "spaces/machines/edge_tpu.yaml"};
	struct network network;
	struct err err = {0};
	(void)state;
	read_good(HEAD "  - conv: {kernel: 3, out_channels: 12, groups: 3}\n", &network);
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		struct machine machine;
		struct layer_context context;
		struct program program;
		struct verdict verdict;
		struct split split;
		assert_int_equal(machine_read(path[i], &machine, &err), ERR_OK);
		mapper_prepare(&network.block[0], &machine, 8, &context);
		struct layer_design design = {.strategy = i < 2 ? STRATEGY_FUSION : STRATEGY_OUTPUT_STATIONARY,
		                              .split = mapper_split_whole(&network.block[0], &machine),
		                              .operand_bit = 8};
		assert_int_equal(design.split.c.size_a, i < 2 ? 12 : 4);
		design.split.w = dim_even(network.block[0].out_w, network.block[0].out_w, 1);
		design.split.h = dim_even(network.block[0].out_h, network.block[0].out_h, 1);
		assert_true(mapper_distribute(&context, &design, &program, &verdict));
		design.split.c = dim_whole(i < 2 ? 4 : 12);
		assert_int_equal(split_check(&network.block[0], &design.split, &err), ERR_OK);
		assert_false(mapper_distribute(&context, &design, &program, &verdict));
		assert_int_equal(verdict.reason, VERDICT_GROUPS);
		assert_int_equal(splitter_thesis(&network.block[0], &machine, &split, &err), ERR_OK);
		assert_int_equal(dim_extent(&split.c), i < 2 ? 12 : 4);
	}
	network_free(&network);
}

static void test_groups_are_not_cut_across(void **state)
{
	static const struct dim_split good[] = {{12, 1, 0, 0}, {8, 1, 4, 1}, {4, 3, 0, 0}, {2, 6, 0, 0}, {1, 12, 0, 0}};
	static const struct dim_split bad[] = {{6, 2, 0, 0}, {3, 4, 0, 0}, {5, 1, 1, 7}, {3, 3, 1, 3}};
	struct network network;
	struct err err = {0};
	(void)state;
	read_good(HEAD "  - conv: {kernel: 3, out_channels: 12, groups: 3}\n", &network);
	struct split split = split_whole(&network.block[0]);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		split.c = good[i];
		assert_int_equal(split_check(&network.block[0], &split, &err), ERR_OK);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		split.c = bad[i];
		assert_int_equal(split_check(&network.block[0], &split, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), "whole groups of 4"));
		err_clear(&err);
	}
	network_free(&network);
}

/* An inception module in small: what is put together lies in DRAM, and nothing else does. */
static void test_branches_are_put_together(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 1, out_channels: 5}\n"          /* 1 */
	               "  - conv: {kernel: 1, out_channels: 6, from: 1}\n" /* 2 */
	               "  - conv: {kernel: 3, out_channels: 7}\n"          /* 3 */
	               "  - conv: {kernel: 5, out_channels: 8, from: 1}\n" /* 4 */
	               "  - concat: {from: [2, 3, 4]}\n"                   /* 5: 21 channels */
	               "  - conv: {kernel: 1, out_channels: 4}\n"          /* 6 reads 5 */
	               "  - pool: {window: 3, stride: 2, from: [5, -1]}\n" /* 7: 25 channels */
	               "  - fc: {out: 10}\n",
	          &network);
	const struct block *block = network.block;
	assert_int_equal(network.n_block, 7);
	assert_string_equal(block[4].name, "CONV_6");
	assert_int_equal(block[4].in_c, 6 + 7 + 8);
	assert_int_equal(block[4].in_w, 8);
	assert_int_equal(block[4].input, INPUT_DRAM);
	assert_int_equal(block[5].in_c, 21 + 4);
	assert_int_equal(block[5].input, INPUT_DRAM);
	assert_int_equal(block[6].in_w, 3 * 3 * 25);
	assert_int_equal(block[6].input, INPUT_LATEST);
	static const bool in_dram[] = {true, true, true, true, true, false, false};
	static const enum block_input input[] = {INPUT_LATEST, INPUT_LATEST, INPUT_LATEST, INPUT_DRAM,
	                                         INPUT_DRAM,   INPUT_DRAM,   INPUT_LATEST};
	for (size_t i = 0; i < network.n_block; i++) {
		assert_int_equal(block[i].result_to_dram, in_dram[i]);
		assert_int_equal(block[i].input, input[i]);
	}
	network_free(&network);
}

/* A conv whose result is put together with others may still pool it, when nobody wants it unpooled. */
static void test_branches_of_pooled_results(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 1, out_channels: 5}\n"
	               "  - pool: {window: 2}\n"
	               "  - conv: {kernel: 1, out_channels: 3}\n"
	               "  - conv: {kernel: 1, out_channels: 3, from: [2, 3]}\n",
	          &network);
	assert_int_equal(network.n_block, 3);
	assert_int_equal(network.block[0].pool, 2);
	assert_true(network.block[0].result_to_dram && network.block[1].result_to_dram);
	assert_int_equal(network.block[2].in_w, 4);
	assert_int_equal(network.block[2].in_c, 8);
	network_free(&network);
}

/* Squeeze and excite, a half of the channels, and a map spread twofold. */
static void test_views_have_their_shapes(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 3, groups: depthwise}\n"                /* 1 */
	               "  - pool: {window: 8, type: average, from: 1}\n"           /* 2: 1x1x12 */
	               "  - conv: {kernel: 1, out_channels: 3}\n"                  /* 3 */
	               "  - conv: {kernel: 1, out_channels: 12}\n"                 /* 4 */
	               "  - multiply: {from: [1, -1]}\n"                           /* 5: 8x8x12 */
	               "  - conv: {kernel: 1, out_channels: 6}\n"                  /* 6 */
	               "  - slice: {channels: [2, 5]}\n"                           /* 7: 8x8x4 */
	               "  - conv: {kernel: 1, out_channels: 9, stride: 2}\n"       /* 8: 4x4x9 */
	               "  - upsample: {factor: 2}\n"                               /* 9: 8x8x9 */
	               "  - conv: {kernel: 1, out_channels: 2, from: [6, 9]}\n"    /* 10 */
	               "  - fc: {out: 7}\n"                                        /* 11 */
	               "  - fc: {out: 2}\n"                                        /* 12 */
	               "  - multiply: {from: [10, 12]}\n"                          /* 13: 8x8x2 by 2 numbers */
	               "  - conv: {kernel: 1, out_channels: 2, add: {from: 13}}\n" /* 14 */
	               "  - conv: {kernel: 1, out_channels: 2, from: 0, add: {from: 13, conv: {kernel: 1}}}\n",
	          &network);
	const struct block *conv = network_find_block(&network, "CONV_6");
	assert_int_equal(conv->in_w, 8);
	assert_int_equal(conv->in_c, 12);
	assert_int_equal(conv->input, INPUT_DRAM);
	assert_true(network_find_block(&network, "CONV_1")->result_to_dram);
	conv = network_find_block(&network, "CONV_8");
	assert_int_equal(conv->in_c, 4);
	assert_int_equal(conv->input, INPUT_DRAM);
	conv = network_find_block(&network, "CONV_10");
	assert_int_equal(conv->in_c, 6 + 9);
	assert_int_equal(conv->in_w, 8);
	assert_true(network_find_block(&network, "FC_12")->result_to_dram);
	conv = network_find_block(&network, "CONV_14");
	assert_true(conv->has_mat_ele);
	assert_int_equal(conv->added, INPUT_DRAM);
	conv = network_find_block(&network, "CONV_SC_15");
	assert_int_equal(conv->in_c, 2);
	assert_int_equal(conv->input, INPUT_DRAM);
	network_free(&network);
}

/* The chip reads what was put together like any other map: all of it, from DRAM. */
static void test_branches_run_on_the_chip(void **state)
{
	struct network branches, chain;
	struct machine machine;
	struct simulated part[4], whole;
	struct err err = {0};
	const struct simulate_options options = {.strategy = STRATEGY_FUSION};
	(void)state;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err), ERR_OK);
	read_good("name: t\ninput: [16, 16, 16]\nlayers:\n  - conv: {kernel: 3, out_channels: 8}\n"
	          "  - conv: {kernel: 3, out_channels: 8, from: 0}\n"
	          "  - conv: {kernel: 3, out_channels: 32, from: [1, 2]}\n",
	          &branches);
	read_good("name: t\ninput: [16, 16, 16]\nlayers:\n  - conv: {kernel: 3, out_channels: 32}\n", &chain);
	assert_int_equal(simulate_network(&machine, &branches, &options, part, &err), ERR_OK);
	assert_int_equal(simulate_network(&machine, &chain, &options, &whole, &err), ERR_OK);
	assert_int_equal(part[2].result.total_clk, whole.result.total_clk);
	assert_true(part[2].result.counts.dram_read_byte == whole.result.counts.dram_read_byte);
	network_free(&branches);
	network_free(&chain);
}

/* Layers of their own between others: who reads whom, and that no result is lost. */
static void test_layers_have_inputs_of_their_own(void **state)
{
	struct network network;
	(void)state;
	read_good(HEAD "  - conv: {kernel: 1, out_channels: 4}\n"
	               "  - conv: {kernel: 3, out_channels: 8, input: [16, 10, 3]}\n"
	               "  - conv: {kernel: 1, out_channels: 5}\n"
	               "  - fc: {out: 10, input: 70000}\n"
	               "  - conv: {kernel: 3, out_channels: 8, input: [16, 10, 3], add: {from: 2}}\n"
	               "  - pool: {window: 2}\n",
	          &network);
	const struct block *block = network.block;
	assert_int_equal(network.n_block, 5);
	assert_int_equal(block[0].input, INPUT_LATEST);
	assert_true(block[0].result_to_dram); /* nobody reads it: it is a result of the network */
	assert_int_equal(block[1].input, INPUT_DRAM);
	assert_int_equal(block[1].in_w, 16);
	assert_int_equal(block[1].in_h, 10);
	assert_int_equal(block[1].in_c, 3);
	assert_false(block[1].result_to_dram); /* held for the layer that adds it */
	assert_true(block[2].hold);
	assert_int_equal(block[2].input, INPUT_LATEST);
	assert_int_equal(block[2].in_c, 8);
	assert_true(block[2].result_to_dram);
	assert_int_equal(block[3].kind, BLOCK_MATMUL);
	assert_int_equal(block[3].input, INPUT_DRAM);
	assert_int_equal(block[3].in_w, 70000);
	assert_int_equal(block[4].input, INPUT_DRAM);
	assert_int_equal(block[4].added, INPUT_HELD);
	assert_int_equal(block[4].pool, 2);
	assert_true(block[4].result_to_dram);
	network_free(&network);
}

/* The network's input may be left out where no layer reads it, and only there. */
static void test_the_networks_input_may_be_left_out(void **state)
{
	static const char own[] = "name: t\nlayers:\n  - conv: {kernel: 1, out_channels: 3, input: [8, 8, 3]}\n";
	static const struct {
		const char *text, *said;
	} wrong[] = {
	    {"  - conv: {kernel: 1, out_channels: 3, from: 0}\n", ":1:1: input is missing: [width, height, channels]"},
	    {"  - conv: {kernel: 1, out_channels: 3, add: {from: 0}}\n", ":1:1: input is missing"},
	    {"  - conv: {kernel: 1, out_channels: 3, filters: 0}\n", ":1:1: input is missing"},
	    {"  - concat: {from: [1, 0]}\n", ":1:1: input is missing"},
	};
	struct network network;
	(void)state;
	read_good(own, &network);
	assert_int_equal(network.n_block, 1);
	assert_int_equal(network.block[0].input, INPUT_DRAM);
	network_free(&network);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct err err = {0};
		char text[512];
		(void)snprintf(text, sizeof(text), "%s%s", own, wrong[i].text);
		assert_int_equal(network_read_text(text, &network, &err), ERR_INPUT);
		assert_int_equal(network.n_block, 0);
		if (err.n_message != 1 || !strstr(err_text(&err), wrong[i].said))
			fail_msg("%s: found %u messages:\n%swanted one: %s", wrong[i].text, err.n_message,
			         err_text(&err), wrong[i].said);
		err_clear(&err);
	}
}

static void test_branches_report_mistakes(void **state)
{
	static const struct {
		const char *layers, *said;
	} wrong[] = {
	    {"  - conv: {kernel: 1, out_channels: 8, groups: 5}\n",
	     ":4:5: CONV_1: 5 groups of 12 input channels and 8 filters, allowed is a number of groups that divides"},
	    {"  - conv: {kernel: 1, out_channels: 8, groups: deepwise}\n",
	     ":4:48: groups: found 'deepwise', allowed a whole number above 0, or depthwise"},
	    {"  - conv: {kernel: 1, out_channels: 8, groups: 0}\n", ":4:48: groups: found '0'"},
	    {"  - conv: {kernel: 1, out_channels: 8, groups: [2]}\n", ":4:48: groups"},
	    {"  - conv: {kernel: 1, out_channels: 8, from: []}\n", ":4:46: from: found 0 layers, allowed 1 to 256"},
	    {"  - conv: {kernel: 1, out_channels: 8, from: [-1, -2]}\n", ":4:5: CONV_1: from is -2, allowed"},
	    {"  - conv: {kernel: 2, out_channels: 8, padding: valid}\n  - concat: {from: [0, 1]}\n",
	     ":5:5: CONCAT_2: the network's input gives 8x8x12 and CONV_1 gives 7x7x8, allowed are feature maps of "
	     "one"},
	    {"  - fc: {out: 5}\n  - fc: {out: 5, from: [0, 1]}\n", ":5:5: FC_2: the network's input gives 8x8x12"},
	    {"  - concat: {from: -1}\n", ":4:20: from: allowed is a list of at least 2 layers"},
	    {"  - concat: {}\n", ": from is missing"},
	    {"  - slice: {channels: [0, 12]}\n", ":4:5: SLICE_1: channels 0 to 12 of 8x8x12, allowed are channels"},
	    {"  - slice: {channels: [3, 2]}\n", ":4:27: channels: found '2', allowed"},
	    {"  - slice: {channels: 3}\n", ":4:23: channels: allowed is [first, last], counted from 0"},
	    {"  - upsample: {factor: 9000}\n", ":4:5: UPSAMPLE_1: 8x8x12 by a factor of 9000"},
	    {"  - upsample: {}\n", ": factor is missing"},
	    {"  - conv: {kernel: 1, out_channels: 3}\n  - multiply: {from: [0, 1]}\n",
	     ":5:5: MUL_2: the network's input gives 8x8x12 and CONV_1 gives 8x8x3, allowed is a second operand"},
	    {"  - multiply: {from: [0, 0, 0]}\n", ":4:22: from: found 3 layers, allowed 2 to 2"},
	    {"  - view: {size: [1, 2]}\n", ":4:18: size: allowed is [width, height, channels]"},
	    {"  - view: {size: [1, 0, 2]}\n", ":4:22: size: found '0', allowed"},
	    {"  - view: {}\n", ": size is missing"},
	    {"  - arm: {op: softmax, groups: 5}\n", ":4:5: ARM_1: 5 groups of 12 channels"},
	    {"  - arm: {op: softmax, over: width, groups: 2}\n", ":4:45: groups: found where no rows lie along"},
	    {"  - arm: {op: function, groups: 2}\n", ":4:33: groups: found where no rows lie along"},
	    {"  - data: {}\n", ": size is missing"},
	    {"  - data: {size: [1, 2]}\n", ":4:18: size: allowed is [width, height, channels]"},
	    {"  - data: {size: [1, 2, 3], from: 0}\n", ":4:29: key: found 'from', allowed size"},
	    {"  - conv: {kernel: 1, out_channels: 12, filters: 0}\n",
	     ":4:5: CONV_1 has 144 weights, but the network's input, which is to be them, gives a 8x8x12"},
	    {"  - conv: {kernel: 1, out_channels: 12, filters: 1}\n", ": filters is 1, allowed -1"},
	    {"  - concat: {from: [0, 0]}\n", ":4:5: no layer computes anything"},
	    {"  - conv: {kernel: 1, out_channels: 8, input: [8, 8]}\n", ":4:47: input: found a list of 2, allowed"},
	    {"  - conv: {kernel: 1, out_channels: 8, input: [8, 0, 8]}\n", ":4:51: input: found '0', allowed"},
	    {"  - conv: {kernel: 1, out_channels: 8, input: 5}\n",
	     ":4:47: input: found one number, allowed in a layer of this kind is [width, height, channels]"},
	    {"  - fc: {out: 8, input: [8, 8, 2]}\n",
	     ":4:25: input: found a list of 3, allowed in a layer of this kind is one number"},
	    {"  - fc: {out: 8, input: 8, from: -1}\n", ":4:25: input: found beside from, allowed is one of both"},
	    {"  - pool: {window: 2, input: [8, 8, 2]}\n", ":4:23: key: found 'input', allowed window, stride"},
	    {"  - conv: {kernel: 9, out_channels: 8, input: [8, 9, 2], padding: valid}\n",
	     ":4:5: CONV_1: a window of 9x9 is larger than its input of 8x9 pixels"},
	    {"  - conv: {kernel: 1, out_channels: 8, input: [8, 8, 2], groups: 3}\n",
	     ":4:5: CONV_1: 3 groups of 2 input channels"},
	    {"  - concat: {from: [0, 0], form: 1}\n  - fc: {out: 1}\n", "did you mean 'from'?"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct network network;
		struct err err = {0};
		char text[512];
		(void)snprintf(text, sizeof(text), HEAD "%s", wrong[i].layers);
		assert_int_equal(network_read_text(text, &network, &err), ERR_INPUT);
		assert_int_equal(network.n_block, 0);
		if (err.n_message != 1 || !strstr(err_text(&err), wrong[i].said))
			fail_msg("%s: found %u messages:\n%swanted one: %s", wrong[i].layers, err.n_message,
			         err_text(&err), wrong[i].said);
		err_clear(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_views_and_results_as_weights),
	    cmocka_unit_test(test_data_lies_in_dram),
	    cmocka_unit_test(test_blocks_name_what_they_read),
	    cmocka_unit_test(test_concatenations_are_told),
	    cmocka_unit_test(test_groups_are_counted),
	    cmocka_unit_test(test_groups_tell_blocks_apart),
	    cmocka_unit_test(test_groups_are_split_by_machine),
	    cmocka_unit_test(test_groups_are_not_cut_across),
	    cmocka_unit_test(test_branches_are_put_together),
	    cmocka_unit_test(test_branches_of_pooled_results),
	    cmocka_unit_test(test_views_have_their_shapes),
	    cmocka_unit_test(test_branches_run_on_the_chip),
	    cmocka_unit_test(test_layers_have_inputs_of_their_own),
	    cmocka_unit_test(test_the_networks_input_may_be_left_out),
	    cmocka_unit_test(test_branches_report_mistakes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
