/* SPDX-License-Identifier: Apache-2.0 */
/* ARADA on spaces: what a layer costs, sums and means, bandwidths that match a saving. */
#include "tests/support/unit_test.h"
#include "dse/arada/arada_physical.h"
#include "dse/arada/arada_study.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_place.h"
#include "tests/support/plain_block.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SPACE_PATH "test_arada_study_space.yaml"
#define MACHINE_PATH "test_arada_study_machine.yaml"

static const struct arada_how one_thread = {.n_thread = 1};

static struct machine machine_of(uint32_t rows, uint32_t cols, uint32_t buffer_byte, double gb_s)
{
	struct machine machine;
	machine_init(&machine, MACHINE_SYSTOLIC);
	machine.systolic.rows = rows;
	machine.systolic.cols = cols;
	machine.systolic.ifmap_byte = machine.systolic.filter_byte = machine.systolic.ofmap_byte = buffer_byte;
	machine.systolic.memory_gb_s = gb_s;
	machine.level[0].clk_mhz = 500;
	return machine;
}

/* 8x8 pixels, padded to 10x10; 16 channels in 16 groups, or one. */
static struct block conv_of(uint32_t groups)
{
	struct block block = plain_conv(8, 16, 16, 3);
	block.groups = groups;
	return block;
}

static void test_arada_shapes_of_layers(void **state)
{
	(void)state;
	uint32_t n_group;
	struct block depthwise = conv_of(16), plain = conv_of(1);
	struct systolic_layer layer = arada_shape(&depthwise, ARADA_NETWORK, &n_group);
	assert_int_equal(n_group, 16);
	assert_int_equal(layer.channels, 1);
	assert_int_equal(layer.n_filter, 1);
	assert_int_equal(layer.ifmap_h, 10);
	layer = arada_shape(&depthwise, ARADA_TOOL, &n_group);
	assert_int_equal(n_group, 1);
	assert_int_equal(layer.channels, 16);
	assert_int_equal(layer.n_filter, 1);
	assert_int_equal(layer.ifmap_h, 8);
	layer = arada_shape(&plain, ARADA_TOOL, &n_group);
	assert_int_equal(layer.n_filter, 16);
	const struct block product = {
	    .name = "FC_1", .kind = BLOCK_MATMUL, .in_h = 3, .in_w = 40, .in_c = 1, .out_h = 3, .out_w = 7, .out_c = 1};
	layer = arada_shape(&product, ARADA_TOOL, &n_group);
	assert_true(layer.ifmap_h == 3 && layer.channels == 40 && layer.n_filter == 7 && layer.filter_h == 1);
}

static struct arada_layer cost_of(const struct machine *machine, const struct arada_options *options,
                                  const struct block *block, double word_per_clk)
{
	struct arada_layer cost;
	struct err err = {0};
	if (arada_cost(machine, options, block, word_per_clk, &cost, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return cost;
}

/* A layer whose operands all fit: each word once. Folds: 64 pixels on 8 rows, 16 filters on 8 columns, 144 taps. */
static void test_arada_cost_of_what_fits(void **state)
{
	(void)state;
	struct machine machine = machine_of(8, 8, 1 << 20, 1);
	struct block block = conv_of(1);
	const uint64_t word = 10 * 10 * 16 + 144 * 16 + 64 * 16, clk = 8 * 2 * (144 + 8 + 8 - 2);
	struct arada_options options = {.model = ARADA_SCALESIM, .shape = ARADA_NETWORK};
	struct arada_layer cost = cost_of(&machine, &options, &block, 1000);
	assert_int_equal(cost.total_clk, clk - 1); /* SCALE-Sim's */
	assert_int_equal(cost.stall_clk, 0);
	assert_int_equal(cost.n_word, word);
	/* Words are exact; no time is shorter than the array's work, or than all words take. */
	options.model = ARADA_PHYSICAL;
	for (double word_per_clk = 0.125; word_per_clk < 1000; word_per_clk *= 2) {
		cost = cost_of(&machine, &options, &block, word_per_clk);
		assert_true(cost.n_word >= word);
		assert_true(cost.total_clk - cost.stall_clk >= clk);
		assert_true((double)cost.total_clk <= (double)clk + (double)word / word_per_clk + 1);
	}
}

/* The first load and the last store are exposed, whatever the tiles: all there is to wait for where there is one. */
static void test_arada_physical_ends(void **state)
{
	(void)state;
	struct machine machine = machine_of(8, 8, 1 << 11, 1);
	struct block block = conv_of(1);
	const double word_per_clk = 3;
	struct systolic_work work;
	for (block.out_c = 1; block.out_c < 40; block.out_c++) {
		assert_int_equal(arada_physical_work(&machine, &block, word_per_clk, &work, NULL), ERR_OK);
		struct systolic_time time = systolic_run_time(&machine, &work, word_per_clk);
		double ends = systolic_ends_clk(&work, word_per_clk);
		assert_true(ends > 0 && time.clk >= ((double)time.compute_clk + ends) * (1 - 1e-12));
	}
	machine = machine_of(64, 64, 1 << 20, 1);
	block.out_c = 16;
	/* One tile. */
	work = (struct systolic_work){.n_group = 1,
	                              .in_w = 10,
	                              .in_h = 10,
	                              .kernel_w = 3,
	                              .kernel_h = 3,
	                              .stride = 1,
	                              .w = {8, 1, 0, 0},
	                              .h = {8, 1, 0, 0},
	                              .c = {16, 1, 0, 0},
	                              .d = {16, 1, 0, 0}};
	struct systolic_misfit misfit;
	assert_true(systolic_is_valid(&machine, &work) && systolic_place(&machine, &work, &misfit));
	struct systolic_time time = systolic_run_time(&machine, &work, word_per_clk);
	double words = 10 * 10 * 16 + 144 * 16 + 64 * 16;
	assert_true(fabs(systolic_ends_clk(&work, word_per_clk) - words / word_per_clk) < 1e-9);
	assert_true(fabs(time.clk - (144 + 64 + 64 - 2) - words / word_per_clk) < 1e-9);
}

/* Groups are one after another. */
static void test_arada_cost_of_groups(void **state)
{
	(void)state;
	struct machine machine = machine_of(8, 8, 1 << 12, 1);
	struct block all = conv_of(16), one = conv_of(1);
	one.in_c = one.out_c = 1;
	for (int model = 0; model < N_ARADA_MODEL; model++) {
		struct arada_options options = {.model = (enum arada_model)model, .shape = ARADA_NETWORK};
		struct arada_layer of_all = cost_of(&machine, &options, &all, 4);
		struct arada_layer of_one = cost_of(&machine, &options, &one, 4);
		assert_true(of_all.total_clk <= 16 * of_one.total_clk);
		assert_true(of_all.n_word >= 16 * (100 + 9 + 64));
		if (model == ARADA_PHYSICAL) /* groups overlap, and may be worth other tiles */
			continue;
		assert_int_equal(of_all.n_word, 16 * of_one.n_word);
		assert_int_equal(of_all.stall_clk, 16 * of_one.stall_clk);
		assert_int_equal(of_all.total_clk, 16 * of_one.total_clk);
	}
}

static void test_arada_words_a_clock(void **state)
{
	(void)state;
	struct machine machine = machine_of(8, 8, 1 << 12, 25.6);
	struct arada_options options = {.model = ARADA_SCALESIM, .bandwidth = ARADA_WORD_PER_CLK};
	assert_true(arada_word_per_clk(&machine, &options, 25.6) == 26);
	assert_true(arada_word_per_clk(&machine, &options, 0.2) == 1);
	options.bandwidth = ARADA_GB_S;
	assert_true(arada_word_per_clk(&machine, &options, 25.6) == 51);
	options.model = ARADA_PHYSICAL;
	machine.systolic.word_byte = 2;
	assert_true(fabs(arada_word_per_clk(&machine, &options, 25.6) - 25.6) < 1e-12);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void open_study(const char *model, struct space *space, struct arada_study *study)
{
	char text[1024];
	struct err err = {0};
	(void)snprintf(text, sizeof(text),
	               "name: t\nmachine: %s\nnetworks: [tiny, mlp_784_512_256_16]\nobjectives: [latency_ms]\n"
	               "arada: {memory_model: %s, bandwidth: gb_s, layers_as: network, switch_us: 0.1, "
	               "buffers_kib: {m: [100, 200, 300]}, memories: {m: {a: 1, b: 4, c: 100}}}\n",
	               MACHINE_PATH, model);
	write_text(SPACE_PATH, text);
	write_text(MACHINE_PATH,
	           "name: m\ntarget: systolic\n"
	           "systolic: {array: 16x16, ifmap_byte: 300000, filter_byte: 300000, ofmap_byte: 300000, "
	           "dataflow: os}\nlevels:\n  - {name: N, vdd_v: 1, clk_mhz: 500}\n");
	enum err_code code = space_read(SPACE_PATH, space, &err);
	if (code == ERR_OK)
		code = arada_study_run(space, SPACE_PATH, &one_thread, study, &err);
	if (code != ERR_OK)
		fail_msg("%s", err_text(&err));
	(void)remove(SPACE_PATH);
	(void)remove(MACHINE_PATH);
}

static void check_run(const struct arada_run *run)
{
	double time = 0, work = 0, energy = 0;
	for (size_t i = 0; i < run->n_layer; i++) {
		double own = (double)(run->layer[i].total_clk - run->layer[i].stall_clk);
		time += (double)run->layer[i].total_clk / run->platform.max_clk_mhz;
		work += own;
		energy += own * run->mode[ARADA_VF_OH_Q][i].gated_frac;
	}
	assert_true(fabs(run->time_us - time) < 1e-9 * time);
	assert_true(fabs(run->sum[ARADA_VF_OH_Q].saving_frac - (1 - energy / work)) < 1e-12);
	assert_true(run->sum[ARADA_RTI].saving_frac == 0);
	assert_true(run->sum[ARADA_IDEAL].saving_frac >= run->sum[ARADA_VF_OH].saving_frac);
}

static void check_study(const char *model)
{
	struct space space;
	struct arada_study study;
	double gb_s, reached, at_least, own;
	open_study(model, &space, &study);
	assert_int_equal(study.n_machine, 3);
	assert_int_equal(study.n_group, 1);
	assert_int_equal(study.n_run, 6);
	assert_true(study.n_distinct <= study.n_all);
	assert_int_equal(study.machine[0].systolic.ifmap_byte, 102400);
	assert_int_equal(study.machine[0].systolic.filter_byte, 204800);
	for (size_t i = 0; i < study.n_run; i++)
		check_run(&study.run[i]);
	for (size_t i = 0; i < 3; i++) {
		struct arada_sum mean = arada_study_mean(&study, i, ARADA_VF_OH_Q);
		double sum = study.run[2 * i].sum[ARADA_VF_OH_Q].saving_frac +
		             study.run[2 * i + 1].sum[ARADA_VF_OH_Q].saving_frac;
		assert_true(fabs(mean.saving_frac - sum / 2) < 1e-12);
		assert_int_equal(
		    arada_study_saving(&study, 0, study.machine[i].systolic.memory_gb_s, &one_thread, &own, NULL),
		    ERR_OK);
		assert_true(fabs(own - mean.saving_frac) < 1e-12);
	}
	/* The bandwidth that saves a tenth: just below it more is saved. */
	assert_int_equal(arada_study_match(&study, 1, 0.1, &one_thread, &gb_s, &reached, NULL), ERR_OK);
	assert_true(reached <= 0.1);
	assert_int_equal(arada_study_saving(&study, 1, gb_s, &one_thread, &own, NULL), ERR_OK);
	assert_true(fabs(own - reached) < 1e-12);
	double below = gb_s - (study.space->arada.model == ARADA_SCALESIM ? 0.5 : gb_s / 50);
	assert_int_equal(arada_study_saving(&study, 1, below, &one_thread, &at_least, NULL), ERR_OK);
	assert_true(at_least > 0.1);
	assert_int_equal(arada_study_match(&study, 1, 0.9999, &one_thread, &gb_s, &reached, NULL), ERR_OK);
	assert_true(isnan(gb_s) && isnan(reached));
	arada_study_free(&study);
	space_free(&space);
}

static void test_arada_study_adds_up(void **state)
{
	(void)state;
	check_study("scalesim");
	check_study("physical");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arada_shapes_of_layers), cmocka_unit_test(test_arada_cost_of_what_fits),
	    cmocka_unit_test(test_arada_physical_ends),    cmocka_unit_test(test_arada_cost_of_groups),
	    cmocka_unit_test(test_arada_words_a_clock),    cmocka_unit_test(test_arada_study_adds_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
