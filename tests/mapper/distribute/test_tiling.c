/* SPDX-License-Identifier: Apache-2.0 */
/* A tiling's sums, which factor by dimension, against adding up every task of random blocks and splits. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "mapper/distribute/tiling.h"
#include "sim/base/checked.h"
#include "sim/machine/machine_param.h"
#include "tests/support/random_block.h"
#include <math.h>
#include <string.h>

#define N_CASE 2000
#define LINE_BYTE 16

/* The parts of a dimension one by one. */
static uint32_t part_size(const struct dim_split *dim, uint32_t i)
{
	return i < dim->n_a ? dim->size_a : dim->size_b;
}

/* What one loop over all parts and tasks gives. */
struct brute {
	uint64_t map_byte, map_aligned_byte, filter_byte, out_byte, raw_out_byte, n_pixel;
	uint64_t mac, mac_clk, a_word, b_word, out_word;
	double clk, shared_clk;
};

static void add_cost(const struct mla_cost *cost, struct brute *brute)
{
	brute->mac_clk += cost->mac_clk;
	brute->a_word += cost->a_word;
	brute->b_word += cost->b_word;
	brute->out_word += cost->out_word;
	brute->clk += cost->clk;
	brute->shared_clk += cost->shared_clk;
}

/* Partial sums of split input channels leave the array in 32 bit. */
static struct machine task_machine(const struct layer_context *context, const struct split *split)
{
	struct machine machine = *context->machine;
	machine.mla_postprocess = machine.mla_postprocess && dim_n_part(&split->d) == 1;
	return machine;
}

static void add_conv_task(const struct layer_context *context, const struct split *split, const uint32_t *at,
                          struct brute *brute)
{
	const struct block *block = context->block;
	const struct machine *machine = context->machine;
	uint32_t w = part_size(&split->w, at[0]), h = part_size(&split->h, at[1]);
	uint32_t c = part_size(&split->c, at[2]), d = part_size(&split->d, at[3]);
	uint32_t in_w = split_part_in_w(block, w), in_h = split_part_in_h(block, h);
	uint64_t byte = context->operand_bit / 8;
	/* a task has the channels of its filters' groups; of parts of a group, and of none, the first counts them */
	uint32_t group_c = block_group_out_c(block), n_group = c > group_c ? c / group_c : 1, n_filter = c / n_group;
	uint32_t first = 0;
	for (uint32_t i = 0; i < at[2]; i++)
		first += part_size(&split->c, i);
	if (first % group_c == 0) {
		brute->map_byte += align_up((uint64_t)in_w * in_h * d * n_group * byte, LINE_BYTE);
		brute->map_aligned_byte += align_up(in_w * byte, LINE_BYTE) * in_h * d * n_group;
	}
	if (at[0] == 0 && at[1] == 0)
		brute->filter_byte += align_up(block->kernel_w * block->kernel_h * d * n_group *
		                                   align_up(n_filter, machine->mla_rows) * byte,
		                               LINE_BYTE);
	if (at[3] == 0) {
		uint64_t area = (uint64_t)block->pool * block->pool;
		brute->out_byte += align_up(ceil_div((uint64_t)w * h * c, area) * byte, LINE_BYTE);
		brute->raw_out_byte += align_up(w, 4) * h * c * 4;
		brute->n_pixel += (uint64_t)w * h * c;
	}
	brute->mac += (uint64_t)w * h * c * d * block->kernel_w * block->kernel_h;
	struct mla_conv_task task = {in_w, in_h, d, n_filter, n_group};
	struct machine of_task = task_machine(context, split);
	struct mla_cost cost;
	const struct mla_conv_round *round = dim_n_part(&split->d) > 1 ? &context->partial_round : &context->round;
	mla_conv_cost(&of_task, round, &task, context->operand_bit, &cost);
	add_cost(&cost, brute);
}

static void add_matmul_task(const struct layer_context *context, const struct split *split, const uint32_t *at,
                            struct brute *brute)
{
	const struct machine *machine = context->machine;
	uint32_t w = part_size(&split->w, at[0]), h = part_size(&split->h, at[1]), d = part_size(&split->d, at[3]);
	uint64_t byte = context->operand_bit / 8;
	if (at[0] == 0) {
		brute->map_byte += (uint64_t)h * d * byte;
		brute->map_aligned_byte += align_up(d, 4) * align_up(h, machine->mla_rows) * byte;
	}
	if (at[1] == 0)
		brute->filter_byte += align_up(w, machine->mla_cols) * align_up(d, 4) * byte;
	if (at[3] == 0) {
		brute->out_byte += align_up((uint64_t)w * h * byte, LINE_BYTE);
		brute->raw_out_byte += align_up(w, 4) * h * 4;
		brute->n_pixel += (uint64_t)w * h;
	}
	brute->mac += (uint64_t)w * h * d;
	struct mla_matmul_task task = {d, h, w};
	struct machine of_task = task_machine(context, split);
	struct mla_cost cost;
	mla_matmul_cost(&of_task, &task, 0, context->operand_bit, &cost);
	add_cost(&cost, brute);
}

static void add_image(const struct layer_context *context, const struct split *split, struct brute *brute)
{
	uint32_t at[4];
	for (at[0] = 0; at[0] < dim_n_part(&split->w); at[0]++)
		for (at[1] = 0; at[1] < dim_n_part(&split->h); at[1]++)
			for (at[2] = 0; at[2] < dim_n_part(&split->c); at[2]++)
				for (at[3] = 0; at[3] < dim_n_part(&split->d); at[3]++) {
					if (context->block->kind == BLOCK_CONV)
						add_conv_task(context, split, at, brute);
					else
						add_matmul_task(context, split, at, brute);
				}
}

/* Images one after the other, on the same filters. */
static void add_all(const struct layer_context *context, const struct split *split, struct brute *brute)
{
	memset(brute, 0, sizeof(*brute));
	for (uint32_t i = 0; i < block_batch(context->block); i++) {
		brute->filter_byte = 0;
		add_image(context, split, brute);
	}
}

static void print_case(const struct layer_context *context, const struct split *split)
{
	const struct block *block = context->block;
	char text[4][64];
	dim_print(&split->w, text[0], sizeof(text[0]));
	dim_print(&split->h, text[1], sizeof(text[1]));
	dim_print(&split->c, text[2], sizeof(text[2]));
	dim_print(&split->d, text[3], sizeof(text[3]));
	print_error("%s in %ux%ux%u kernel %ux%u stride %u groups %u batch %u out %ux%ux%u pool %u, %u bit: w %s h %s "
	            "c %s d %s\n",
	            block->name, block->in_w, block->in_h, block->in_c, block->kernel_w, block->kernel_h, block->stride,
	            block->groups, block_batch(block), block->out_w, block->out_h, block->out_c, block->pool,
	            context->operand_bit, text[0], text[1], text[2], text[3]);
}

struct worst {
	double clk, shared_clk, word;
	double grouped_clk; /* of either, of grouped convolutions */
};

static void keep_worst(double got, double want, double *worst)
{
	if (want > 0 && fabs(got / want - 1) > *worst)
		*worst = fabs(got / want - 1);
}

static void compare(const struct layer_context *context, const struct split *split, struct worst *worst)
{
	struct tiling tiling;
	struct brute brute;
	tiling_build(context, split, &tiling);
	add_all(context, split, &brute);
	struct counts counts;
	tiling_mla_counts(context, &tiling, &counts);
	bool exact = tiling.all_map_byte == brute.map_byte && tiling.all_map_aligned_byte == brute.map_aligned_byte &&
	             tiling.all_filter_byte == brute.filter_byte && tiling.all_out_byte == brute.out_byte &&
	             tiling.all_raw_out_byte == brute.raw_out_byte && tiling.n_out_pixel == brute.n_pixel &&
	             tiling.n_task == split_n_task(split) * block_batch(context->block) &&
	             fabs(counts.mla_clk - (double)brute.mac_clk) < 0.5 && counts.mac == (double)brute.mac;
	if (!exact) {
		print_case(context, split);
		print_error("mac clocks %.1f of %llu, MACs %.0f of %llu\n", counts.mla_clk,
		            (unsigned long long)brute.mac_clk, counts.mac, (unsigned long long)brute.mac);
	}
	assert_int_equal(tiling.all_map_byte, brute.map_byte);
	assert_int_equal(tiling.all_map_aligned_byte, brute.map_aligned_byte);
	assert_int_equal(tiling.all_filter_byte, brute.filter_byte);
	assert_int_equal(tiling.all_out_byte, brute.out_byte);
	assert_int_equal(tiling.all_raw_out_byte, brute.raw_out_byte);
	assert_true(exact);
	struct task_clk task = tiling_all_task_clk(context, split, &tiling);
	bool is_grouped = block_n_group(context->block) > 1;
	keep_worst(task.clk, brute.clk, is_grouped ? &worst->grouped_clk : &worst->clk);
	keep_worst(task.shared_clk, brute.shared_clk, is_grouped ? &worst->grouped_clk : &worst->shared_clk);
	keep_worst(counts.sram_read_word, (double)(brute.a_word + brute.b_word), &worst->word);
	keep_worst(counts.sram_write_word, (double)brute.out_word, &worst->word);
}

static struct worst compare_random(enum block_kind kind, const char *array, uint32_t operand_bit, bool postprocess)
{
	struct rng rng = rng_stream(11, (uint32_t)kind, operand_bit);
	struct worst worst = {0};
	struct machine machine;
	struct err err = {0};
	machine_init(&machine, MACHINE_CHIP);
	assert_int_equal(machine_set_param(&machine, machine_find_param("mla.array"), array, &err), ERR_OK);
	machine.mla_postprocess = postprocess;
	for (int i = 0; i < N_CASE; i++) {
		struct block block = kind == BLOCK_CONV ? random_conv(&rng, 40, 24) : random_matmul(&rng, 200);
		struct layer_context context;
		mapper_prepare(&block, &machine, operand_bit, &context);
		struct split split = random_split(&rng, &block, 6);
		assert_int_equal(split_check(&block, &split, &err), ERR_OK);
		compare(&context, &split, &worst);
	}
	print_message("%s %s %u bit: worst clocks %.1f %%, shared %.1f %%, words %.1f %%\n",
	              kind == BLOCK_CONV ? "convolution" : "matmul", array, operand_bit, 100 * worst.clk,
	              100 * worst.shared_clk, 100 * worst.word);
	return worst;
}

/* Heights share the clocks of a task's first round, so clocks are near, less so in the short rounds of one channel;
 * everything else is exact. */
static void assert_near(struct worst worst)
{
	assert_true(worst.clk < 0.08 && worst.shared_clk < 0.08 && worst.grouped_clk < 0.1);
	assert_true(worst.word < 1e-9);
}

static void test_tiling_sums_of_convolutions(void **state)
{
	(void)state;
	static const char *const array[] = {"16x4", "8x4", "16x2"};
	for (size_t i = 0; i < 3; i++)
		assert_near(compare_random(BLOCK_CONV, array[i], 8, false));
	assert_near(compare_random(BLOCK_CONV, "16x4", 16, false));
	assert_near(compare_random(BLOCK_CONV, "16x4", 8, true)); /* results leave as bytes */
}

static void test_tiling_sums_of_matmuls(void **state)
{
	(void)state;
	assert_near(compare_random(BLOCK_MATMUL, "16x4", 8, false));
	assert_near(compare_random(BLOCK_MATMUL, "16x4", 16, false));
}

/* Equal parts: all tasks cost what the largest does. */
static void test_tiling_of_equal_parts(void **state)
{
	(void)state;
	struct block block = {.kind = BLOCK_CONV, .name = "CONV_1", .in_w = 32, .in_h = 32, .in_c = 64, .out_w = 32};
	block.out_h = 32;
	block.out_c = 64;
	block.kernel_w = block.kernel_h = 3;
	block.pad_left = block.pad_right = block.pad_top = block.pad_bottom = 1;
	block.stride = block.pool = 1;
	struct machine machine;
	struct layer_context context;
	struct tiling tiling;
	machine_init(&machine, MACHINE_QPE);
	mapper_prepare(&block, &machine, 8, &context);
	struct split split = {{16, 2, 0, 0}, {8, 4, 0, 0}, {16, 4, 0, 0}, {64, 1, 0, 0}};
	tiling_build(&context, &split, &tiling);
	assert_int_equal(tiling.n_task, 32);
	assert_int_equal(tiling.in_w, 18);
	assert_int_equal(tiling.in_h, 10);
	assert_int_equal(tiling.map_byte, 18 * 10 * 64);
	assert_int_equal(tiling.map_aligned_byte, 32 * 10 * 64);
	assert_int_equal(tiling.filter_byte, 9 * 64 * 16);
	assert_int_equal(tiling.result_byte, 16 * 8 * 16 * 4);
	assert_int_equal(tiling.out_byte, 16 * 8 * 16);
	struct task_clk task = tiling_all_task_clk(&context, &split, &tiling);
	assert_true(fabs(task.clk - 32 * tiling.task.clk) < 1e-6);
	assert_true(fabs(task.shared_clk - 32 * tiling.task.shared_clk) < 1e-6);
	struct counts counts;
	tiling_mla_counts(&context, &tiling, &counts);
	assert_true(fabs(counts.mla_clk - 9.0 * 64 * 32 * 8 * 4) < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tiling_sums_of_convolutions),
	    cmocka_unit_test(test_tiling_sums_of_matmuls),
	    cmocka_unit_test(test_tiling_of_equal_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
