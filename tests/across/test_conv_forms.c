/* SPDX-License-Identifier: Apache-2.0 */
/* 1x1 convolutions with their pixels packed, and as matrix multiplications: what the array does, in both tiers. */
#include "tests/support/unit_test.h"
#include "tests/support/random_design.h"
#include "tests/support/sample_design.h"
#include "dse/space/detail.h"
#include "dse/layer/layer_problem.h"
#include "dse/space/space.h"
#include "mapper/distribute/tiling.h"
#include "tests/support/shipped_machine.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of the same name in tests/across/test_tiers.c: a layer, and the mean of many. */
#define MAX_LAYER_FRAC 0.08
#define MAX_MEAN_FRAC 0.02

static struct block conv_1x1(uint32_t side, uint32_t in_c, uint32_t out_c, uint32_t stride)
{
	struct block block = plain_conv(side, in_c, out_c, 1);
	block.stride = stride;
	block.in_w = block.in_h = side * stride;
	block.has_acti = block.has_quan = true;
	return block;
}

/* False when the design does not run; both tiers. */
static bool run(const struct machine *machine, const struct block *block, const struct layer_design *design,
                struct sim_result *fast, struct sim_result *event)
{
	const struct detail_options options = {.detail = DETAIL_EVENT};
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	struct err err = {0};
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &context);
	if (!mapper_distribute(&context, design, &program, &verdict))
		return false;
	fast_run(machine, &program, design->level, fast);
	if (event && detail_simulate(&context, design, &program, &options, event, NULL, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return true;
}

/*
 * 49 pixels are 4 blocks of 16 columns, 7 rows of 7 are 7; with a stride of 2 the packed ones leave pixels out, and
 * tight ones the last row and column.
 */
static void test_conv_forms_fill_the_array(void **state)
{
	static const uint64_t n_block[2][N_CONV_FORM] = {{7, 4, 4, 7}, {14, 4, 4, 13}};
	struct machine machine = shipped_machine("spaces/machines/thesis_chip.yaml");
	(void)state;
	for (uint32_t stride = 1; stride <= 2; stride++)
		for (int form = 0; form < N_CONV_FORM; form++) {
			struct block block = conv_1x1(7, 96, 64, stride);
			struct layer_design design = {.split = split_whole(&block),
			                              .strategy = STRATEGY_FUSION,
			                              .operand_bit = 8,
			                              .form = (enum conv_form)form};
			struct sim_result fast, event;
			design.split.c = equal_parts(64, 4);
			bool is_tight = form == FORM_TIGHT, is_packed = form == FORM_PACKED || form == FORM_MATMUL;
			bool runs = run(&machine, &block, &design, &fast, &event);
			assert_int_equal(runs, !is_tight || stride == 2);
			if (!runs)
				continue;
			/* rows of a stride of 2 are 14 pixels, tight 13, all of which the array computes */
			double block_rows = (double)n_block[stride - 1][form];
			assert_true(fast.counts.mla_clk == block_rows * 96 * 16);
			assert_true(event.counts.mla_clk == fast.counts.mla_clk);
			assert_true(fast.counts.mac == 49.0 * 96 * 64 && event.counts.mac == fast.counts.mac);
			/* 2 clocks for each pixel and channel of a task that is taken out of its row */
			uint64_t gather_clk = stride == 2 && is_packed ? 2 * 49 * 96 : 0;
			assert_int_equal(fast.phase_clk[PHASE_PADD], gather_clk);
			assert_int_equal(event.phase_clk[PHASE_PADD], gather_clk);
			/* four parts load the map, of a stride of 2 half of its rows where packed */
			double rows = stride == 1 || is_packed ? 7 : is_tight ? 13 : 14;
			assert_true(fast.counts.dram_read_byte ==
			            4 * rows * (7 * stride - is_tight) * 96 + (double)block_n_weight(&block));
		}
}

/* A whole map packed is the convolution of one row of as many pixels: the same clocks and counts to the bit. */
static void test_conv_forms_packed_is_one_row(void **state)
{
	static const enum strategy strategy[] = {STRATEGY_NO_FUSION, STRATEGY_FUSION, STRATEGY_FUSION_REUSE};
	static const char *const path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml"};
	(void)state;
	for (uint32_t i = 0; i < 24; i++) {
		struct rng rng = rng_stream(3, 0, i);
		struct machine machine = shipped_machine(path[i % 2]);
		struct block map = conv_1x1(random_from(&rng, 1, 12), 64, 128, 1), row = map;
		struct layer_design design = {.strategy = strategy[i % 3], .operand_bit = 8};
		struct sim_result packed[2], flat[2];
		row.in_w = row.out_w = map.out_w * map.out_h;
		row.in_h = row.out_h = 1;
		design.split = split_whole(&row);
		design.split.c = equal_parts(128, 8u << rng_below(&rng, 3));
		/* without fusion rows are padded in DRAM, which a packed part has none of */
		if (design.strategy == STRATEGY_NO_FUSION)
			row.in_w = row.out_w = 16 * map.out_w, map.in_w = map.out_w = 16,
			map.in_h = map.out_h = row.in_w / 16;
		design.split.w = dim_whole(row.out_w);
		assert_true(run(&machine, &row, &design, &flat[0], &flat[1]));
		design.split.w = dim_whole(map.out_w);
		design.split.h = dim_whole(map.out_h);
		design.form = FORM_PACKED;
		assert_true(run(&machine, &map, &design, &packed[0], &packed[1]));
		for (int tier = 0; tier < 2; tier++) {
			assert_int_equal(packed[tier].total_clk, flat[tier].total_clk);
			assert_true(packed[tier].counts.sram_read_word == flat[tier].counts.sram_read_word);
			assert_true(packed[tier].counts.sram_write_word == flat[tier].counts.sram_write_word);
			assert_true(packed[tier].counts.dram_read_byte == flat[tier].counts.dram_read_byte);
			assert_true(packed[tier].counts.noc_packet == flat[tier].counts.noc_packet);
		}
	}
}

static double deviation(const struct machine *machine, const struct block *block, const struct layer_design *design)
{
	struct sim_result fast, event;
	if (!run(machine, block, design, &fast, &event))
		return NAN;
	return fabs((double)fast.core_clk / (double)event.core_clk - 1);
}

/*
 * The tiers agree as well as on those designs of test_tiers.c; where few tasks of few pixels are nothing but set-ups,
 * as well as on the same parts in rows.
 */
static void test_conv_forms_tiers_agree(void **state)
{
	static const char *const path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml"};
	double sum = 0;
	unsigned n = 0;
	(void)state;
	for (uint32_t i = 0; i < 100; i++) {
		struct rng rng = rng_stream(4, 0, i);
		struct machine machine = shipped_machine(path[i % 2]);
		struct block block = conv_1x1(14u << rng_below(&rng, 2), 64, 128, 1 + rng_below(&rng, 2));
		struct layer_design design = {
		    .split = split_whole(&block), .operand_bit = 8, .form = (enum conv_form)(1 + rng_below(&rng, 2))};
		design.strategy =
		    design.form == FORM_PACKED && rng_below(&rng, 2) ? STRATEGY_FUSION_REUSE : STRATEGY_FUSION;
		design.split.h = equal_parts(block.out_h, rng_below(&rng, 2) ? 7 : 2);
		design.split.c = equal_parts(128, 8u << rng_below(&rng, 3));
		double frac = deviation(&machine, &block, &design);
		if (isnan(frac))
			continue;
		sum += frac;
		n++;
		if (frac <= MAX_LAYER_FRAC)
			continue;
		struct layer_design rows = design;
		rows.form = FORM_CONV;
		double conv_frac = deviation(&machine, &block, &rows);
		/* rounds of reuse on a QPE are priced with a host's command before each write, which none is sent */
		double more_frac = design.strategy == STRATEGY_FUSION_REUSE ? 0.08 : MAX_MEAN_FRAC;
		if (!(frac <= conv_frac + more_frac))
			fail_msg("case %u, %s, %s: the tiers differ by %.1f %%, in rows by %.1f %%", i,
			         strategy_table[design.strategy].name, conv_form_name[design.form], 100 * frac,
			         100 * conv_frac);
	}
	print_message("mean deviation %.2f %% of %u designs\n", 100 * sum / n, n);
	assert_true(n > 80 && sum / n <= MAX_MEAN_FRAC);
}

/* Where there is no such form, a verdict says so. */
static void test_conv_forms_verdicts(void **state)
{
	struct machine chip = shipped_machine("spaces/machines/thesis_chip.yaml"),
		       array = shipped_machine("spaces/machines/edge_tpu.yaml");
	struct block plain = conv_1x1(14, 64, 64, 1), wide = plain, padded = plain;
	(void)state;
	wide.kernel_w = 3;
	wide.in_w += 2;
	padded.in_w -= 2;
	padded.pad_left = padded.pad_right = 1;
	const struct {
		const struct machine *machine;
		const struct block *block;
		enum strategy strategy;
		enum conv_form form;
		enum verdict_reason reason;
	} row[] = {
	    {&chip, &plain, STRATEGY_FUSION_REUSE, FORM_PACKED, VERDICT_OK},
	    {&chip, &plain, STRATEGY_FUSION, FORM_MATMUL, VERDICT_OK},
	    {&chip, &plain, STRATEGY_NO_FUSION, FORM_MATMUL, VERDICT_OK},
	    {&chip, &plain, STRATEGY_FUSION_REUSE, FORM_MATMUL, VERDICT_FORM},
	    {&chip, &wide, STRATEGY_FUSION, FORM_PACKED, VERDICT_FORM},
	    {&chip, &padded, STRATEGY_FUSION, FORM_PACKED, VERDICT_FORM},
	    {&array, &plain, STRATEGY_OUTPUT_STATIONARY, FORM_PACKED, VERDICT_FORM},
	    {&chip, &plain, STRATEGY_FUSION, FORM_TIGHT, VERDICT_FORM},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct layer_design design = {.split = split_whole(row[i].block),
		                              .strategy = row[i].strategy,
		                              .operand_bit = 8,
		                              .form = row[i].form};
		struct layer_context context;
		struct program program;
		struct verdict verdict;
		mapper_prepare_form(row[i].block, row[i].machine, 8, row[i].form, &context);
		(void)mapper_distribute(&context, &design, &program, &verdict);
		assert_int_equal(verdict.reason, row[i].reason);
	}
}

/* A space's rule gives 1x1 convolutions a gene value for each form; without it, and elsewhere, there is one. */
static void test_conv_forms_are_a_rule_of_spaces(void **state)
{
	struct machine machine = shipped_machine("spaces/machines/thesis_chip.yaml");
	struct space space;
	struct err err = {0};
	unsigned n[N_CONV_FORM] = {0};
	(void)state;
	if (space_read("spaces/conv_1x1.yaml", &space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	const struct space_network *network = &space.network[0];
	for (size_t i = 0; i < network->network.n_block; i++) {
		struct layer_problem layer;
		struct layer_choice all = network->choice[i];
		struct block wide = network->network.block[i];
		assert_int_equal(layer_problem_build(&space, &machine, &wide, &all, NULL, &layer, &err), ERR_OK);
		assert_int_equal(layer.n_value[GENE_OPERAND], 1);
		n[layer.form[0]]++;
		layer_problem_free(&layer);
		all.form[FORM_CONV] = all.form[FORM_PACKED] = all.form[FORM_MATMUL] = true;
		for (int is_wide = 0; is_wide < 2 && i < 4; is_wide++) {
			wide.kernel_h = is_wide ? 3 : 1;
			wide.in_h += is_wide ? 2 : 0;
			assert_int_equal(layer_problem_build(&space, &machine, &wide, &all, NULL, &layer, &err),
			                 ERR_OK);
			assert_int_equal(layer.n_value[GENE_OPERAND], is_wide ? 1 : 3);
			layer_problem_free(&layer);
		}
	}
	for (int form = 0; form < N_CONV_FORM; form++)
		assert_int_equal(n[form], form == FORM_TIGHT ? 0 : 34);
	space_free(&space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_conv_forms_fill_the_array),       cmocka_unit_test(test_conv_forms_packed_is_one_row),
	    cmocka_unit_test(test_conv_forms_tiers_agree),          cmocka_unit_test(test_conv_forms_verdicts),
	    cmocka_unit_test(test_conv_forms_are_a_rule_of_spaces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
