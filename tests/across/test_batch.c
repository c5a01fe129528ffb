/* SPDX-License-Identifier: Apache-2.0 */
/* Images of a batch: as much work as so many single ones, and weights that are read once where all filters stay. */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "dse/space/machine_read.h"
#include "mapper/distribute/tiling.h"
#include "sim/fast/fast.h"
#include "tests/support/plain_block.h"
#include "tests/support/random_design.h"
#include "tests/support/shipped_machine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_CASE 3000

static const char *const machine_path[] = {"spaces/machines/thesis_chip.yaml", "spaces/machines/thesis_qpe_dram.yaml",
                                           "spaces/machines/dvfs_chip.yaml", "spaces/machines/hdl_qpe.yaml"};
#define N_MACHINE 4

/* A design on a block. */
struct run {
	struct verdict verdict;
	struct program program;
	struct sim_result result;
	double weight_byte; /* of DRAM: loads of the weight phase, where there is one */
};

static bool run_block(const struct block *block, const struct machine *machine, const struct layer_design *design,
                      struct run *run)
{
	struct layer_context context;
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &context);
	if (!mapper_distribute(&context, design, &run->program, &run->verdict))
		return false;
	fast_run(machine, &run->program, design->level, &run->result);
	run->weight_byte = 0;
	for (uint32_t i = 0; i < run->program.n_step; i++)
		if (run->program.step[i].phase == PHASE_WEIGHT)
			run->weight_byte += run->program.step[i].counts.dram_read_byte;
	return true;
}

static void assert_times(double found, double one, uint32_t n)
{
	if (fabs(found - one * n) > 1e-9 * one * n)
		fail_msg("%.3f is not %u times %.3f", found, n, one);
}

/* Clocks over those of so many single images. */
static void keep_most(const struct run *all, const struct run *single, uint32_t n, double *most)
{
	double ratio = (double)all->result.total_clk / ((double)single->result.total_clk * n);
	*most = ratio > *most ? ratio : *most;
}

/* The same design on one image and on several. */
static void compare(const struct block *several, const struct machine *machine, const struct layer_design *design,
                    unsigned n_run[N_STRATEGY], double *most)
{
	struct block one = *several;
	struct run all, single;
	uint32_t n = block_batch(several);
	one.batch = 1;
	if (!run_block(several, machine, design, &all) || !run_block(&one, machine, design, &single))
		return;
	const struct counts *found = &all.result.counts, *expected = &single.result.counts;
	n_run[design->strategy]++;
	assert_times(found->mac, expected->mac, n);
	assert_true((double)block_n_mac(several) == (double)block_n_mac(&one) * n);
	assert_times(found->dram_write_byte, expected->dram_write_byte, n);
	bool reuses = strategy_table[design->strategy].reuses;
	if (!reuses) {
		assert_times(found->dram_read_byte, expected->dram_read_byte, n);
		assert_times(found->arm_clk, expected->arm_clk, n);
		keep_most(&all, &single, n, most);
		return;
	}
	double rest = found->dram_read_byte - all.weight_byte, rest_one = expected->dram_read_byte - single.weight_byte;
	assert_true(all.weight_byte <= single.weight_byte * n * (1 + 1e-9));
	/* on a chip blocks that share a row of parts load its ifmap each: with more rows fewer do */
	assert_true(rest <= rest_one * n * (1 + 1e-9));
	if (machine->target == MACHINE_QPE) {
		assert_true(found->dram_read_byte <= expected->dram_read_byte * n * (1 + 1e-9));
		keep_most(&all, &single, n, most);
	}
}

static void test_batch_random_designs(void **state)
{
	struct rng rng = rng_stream(17, 0, 0);
	unsigned n_run[N_STRATEGY] = {0};
	double most[N_STRATEGY] = {0};
	struct machine machine[N_MACHINE];
	(void)state;
	for (int i = 0; i < N_MACHINE; i++)
		machine[i] = shipped_machine(machine_path[i]);
	for (int i = 0; i < N_CASE; i++) {
		struct block block = random_block(&rng);
		const struct machine *on = &machine[i % N_MACHINE];
		struct layer_design design = random_design(&rng, &block, on);
		if (block.kind == BLOCK_MATMUL)
			continue;
		block.batch = random_from(&rng, 2, 9);
		compare(&block, on, &design, n_run, &most[design.strategy]);
	}
	for (int i = 0; i < N_PE_STRATEGY; i++)
		print_message("%s: %u designs, at most %.4f of the clocks of single images\n", strategy_table[i].name,
		              n_run[i], most[i]);
	/* jobs of one image are served one by one, of more images in closed form or in part; a group of three parts has
	 * more copies than three of one */
	assert_true(most[STRATEGY_FUSION] < 1.03 && most[STRATEGY_NO_FUSION] < 1.12 &&
	            most[STRATEGY_FUSION_REUSE] < 1.25);
	assert_true(n_run[STRATEGY_NO_FUSION] > 100 && n_run[STRATEGY_FUSION] > 100 &&
	            n_run[STRATEGY_FUSION_REUSE] > 30 && n_run[STRATEGY_THESIS_REUSE] == 0);
}

/* 14x14 pixels, 64 channels, 128 filters in 16 parts. */
static struct block middle_layer(uint32_t n_image)
{
	struct block block = plain_conv(14, 64, 128, 3);
	block.batch = n_image;
	block.has_acti = block.has_quan = true;
	return block;
}

/* Reuse on the chip: all filters stay in the PEs and each image is read once, so 2 to 16 images of as many rows. */
static void test_batch_reads_weights_once(void **state)
{
	struct machine machine;
	struct run one, several;
	(void)state;
	machine = shipped_machine("spaces/machines/dvfs_chip.yaml");
	struct block block = middle_layer(1);
	struct layer_design design = {
	    .strategy = STRATEGY_FUSION_REUSE, .operand_bit = 8, .split = split_whole(&block)};
	design.split.h = dim_even(14, 7, 1);
	design.split.c = dim_even(128, 16, 1);
	assert_true(run_block(&block, &machine, &design, &one));
	for (uint32_t n = 2; n <= 16; n *= 2) {
		block = middle_layer(n);
		assert_true(run_block(&block, &machine, &design, &several));
		assert_times(several.weight_byte, one.weight_byte, 1);
		assert_times(several.result.counts.dram_write_byte, one.result.counts.dram_write_byte, n);
		assert_times(several.result.counts.dram_read_byte - several.weight_byte,
		             one.result.counts.dram_read_byte - one.weight_byte, n);
		assert_true(several.result.total_clk < one.result.total_clk * n);
	}
}

static void test_batch_is_refused(void **state)
{
	struct machine machine;
	struct run run;
	struct block block = middle_layer(2);
	struct layer_design design = {
	    .strategy = STRATEGY_THESIS_REUSE, .operand_bit = 8, .split = split_whole(&block)};
	(void)state;
	machine = shipped_machine("spaces/machines/thesis_chip.yaml");
	assert_false(run_block(&block, &machine, &design, &run));
	assert_int_equal(run.verdict.reason, VERDICT_BATCH);
	machine = shipped_machine("spaces/machines/edge_tpu.yaml");
	design.strategy = STRATEGY_OUTPUT_STATIONARY;
	assert_false(run_block(&block, &machine, &design, &run));
	assert_int_equal(run.verdict.reason, VERDICT_BATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_batch_random_designs),
	    cmocka_unit_test(test_batch_reads_weights_once),
	    cmocka_unit_test(test_batch_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
