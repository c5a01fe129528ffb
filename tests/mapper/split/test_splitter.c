/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "mapper/split/design.h"
#include "mapper/split/splitter.h"
#include "mapper/split/utilisation.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include "sim/machine/machine_param.h"
#include "tests/support/plain_block.h"
#include <stdio.h>
#include <string.h>

static const char *const target_name[] = {[MACHINE_QPE] = "qpe", [MACHINE_CHIP] = "chip"};

struct count {
	unsigned n, n_equal;
};

static bool same_dim(const struct dim_split *a, const struct dim_split *b)
{
	return a->size_a == b->size_a && a->n_a == b->n_a && a->size_b == b->size_b && a->n_b == b->n_b;
}

static void print_split(const char *what, const struct split *split)
{
	char text[4][48];
	dim_print(&split->w, text[0], sizeof(text[0]));
	dim_print(&split->h, text[1], sizeof(text[1]));
	dim_print(&split->c, text[2], sizeof(text[2]));
	dim_print(&split->d, text[3], sizeof(text[3]));
	print_message("  %s %s x %s x %s x %s\n", what, text[0], text[1], text[2], text[3]);
}

/* How many of the blocks that the thesis lists for this target its rules give the listed split. */
static struct count count_matches(const char *network_name, enum machine_target target)
{
	struct err err = {0};
	struct split_scheme scheme;
	struct machine machine;
	struct count count = {0};
	struct network network = shipped_network(network_name);
	assert_int_equal(split_scheme_read("spaces/splits/thesis.csv", &scheme, &err), ERR_OK);
	machine_init(&machine, target);
	for (size_t i = 0; i < network.n_block; i++) {
		const struct block *block = &network.block[i];
		const struct split_scheme_row *row =
		    split_scheme_find(&scheme, network_name, target_name[target], block->name);
		struct split split;

		assert_int_equal(splitter_thesis(block, &machine, &split, &err), ERR_OK);
		assert_int_equal(split_check(block, &split, &err), ERR_OK);
		if (!row)
			continue;
		count.n++;
		if (same_dim(&split.w, &row->split.w) && same_dim(&split.h, &row->split.h) &&
		    same_dim(&split.c, &row->split.c) && same_dim(&split.d, &row->split.d)) {
			count.n_equal++;
		} else {
			print_message("%s %s %s\n", network_name, target_name[target], block->name);
			print_split("listed", &row->split);
			print_split("ours  ", &split);
		}
	}
	split_scheme_free(&scheme);
	network_free(&network);
	return count;
}

static void test_splitter_gives_splits_of_table_g1(void **state)
{
	struct count count = count_matches("vgg16", MACHINE_QPE);
	(void)state;
	assert_int_equal(count.n, 16);
	assert_int_equal(count.n_equal, 16);
}

static void test_splitter_gives_splits_of_table_h1(void **state)
{
	struct count count = count_matches("resnet50", MACHINE_QPE);
	(void)state;
	/* Rows from PADD_31 on are illegible in the source. */
	assert_int_equal(count.n, 33);
	assert_int_equal(count.n_equal, 33);
}

static void test_splitter_gives_splits_of_table_i1(void **state)
{
	struct count count = count_matches("vgg16", MACHINE_CHIP);
	(void)state;
	assert_int_equal(count.n, 16);
	assert_int_equal(count.n_equal, 15);
}

static void test_splitter_gives_splits_of_table_j1(void **state)
{
	struct count count = count_matches("resnet50", MACHINE_CHIP);
	(void)state;
	assert_int_equal(count.n, 55);
	assert_int_equal(count.n_equal, 55);
}

/* Bytes of the largest task, without a second place for weights. */
static uint64_t largest_task_byte(const struct block *block, const struct machine *machine, const struct split *split)
{
	struct task_byte byte =
	    task_byte_of(block, machine, split->w.size_a, split->h.size_a, split->c.size_a, split->d.size_a);
	return byte.ifmap_aligned + byte.weight_aligned + byte.ofmap_aligned;
}

static uint32_t draw(struct rng *rng, uint32_t low, uint32_t high)
{
	return low + rng_below(rng, high - low + 1);
}

/* A block with shapes that belong together; sides, channels and kernels from 1 up, most of them small. */
static struct block random_block(struct rng *rng)
{
	static const uint32_t max_side[] = {1, 8, 40, 300}, max_channel[] = {1, 16, 130, 1500};
	struct block block = {
	    .number = 1, .kind = (enum block_kind)draw(rng, 0, 2), .pool = 1, .next_pool_stride = 1, .name = "LAYER_1"};
	if (block.kind == BLOCK_MATMUL) {
		block.in_w = draw(rng, 1, 5000);
		block.in_h = block.out_h = draw(rng, 1, 40);
		block.out_w = draw(rng, 1, 3000);
		block.in_c = block.out_c = block.kernel_w = block.kernel_h = block.stride = 1;
		return block;
	}
	block.kernel_w = draw(rng, 1, 12);
	block.kernel_h = draw(rng, 1, 12);
	block.stride = draw(rng, 1, 4);
	block.in_c = draw(rng, 1, max_channel[draw(rng, 0, 3)]);
	block.out_c = block.kind == BLOCK_POOL ? block.in_c : draw(rng, 1, max_channel[draw(rng, 0, 3)]);
	if (block.kind == BLOCK_CONV && draw(rng, 0, 3) == 0)
		block.pool = draw(rng, 2, 3);
	if (block.kind == BLOCK_CONV && draw(rng, 0, 3) == 0) {
		block.groups = draw(rng, 2, block.in_c + 1);
		block.in_c = block.groups * draw(rng, 1, 2);
		block.out_c = block.groups * draw(rng, 1, 40);
	}
	if (draw(rng, 0, 5) == 0)
		block.next_pool_stride = 2;
	block.out_w = draw(rng, 1, max_side[draw(rng, 0, 3)]) * block.pool;
	block.out_h = draw(rng, 1, max_side[draw(rng, 0, 3)]) * block.pool;
	block.in_w = (block.out_w - 1) * block.stride + block.kernel_w;
	block.in_h = (block.out_h - 1) * block.stride + block.kernel_h;
	return block;
}

static void test_splitter_splits_any_layer_that_fits(void **state)
{
	struct rng rng;
	struct machine machine[2];
	unsigned n_split = 0;
	(void)state;
	rng = rng_stream(7, 0, 0);
	machine_init(&machine[0], MACHINE_QPE);
	machine_init(&machine[1], MACHINE_CHIP);
	for (unsigned i = 0; i < 4000; i++) {
		struct block block = random_block(&rng);
		const struct machine *on = &machine[i % 2];
		struct err err = {0};
		struct split split;
		/* The smallest task there is must not fit when no split is found. */
		struct task_byte least = task_byte_of(&block, on, block.kind == BLOCK_MATMUL ? 1 : block.pool,
		                                      block.kind == BLOCK_MATMUL ? 1 : block.pool, 1, 1);
		enum err_code code = splitter_thesis(&block, on, &split, &err);

		if (code != ERR_OK) {
			assert_int_equal(code, ERR_INFEASIBLE);
			assert_true(least.ifmap_aligned + least.weight_aligned + least.ofmap_aligned >
			            on->pe_sram_byte);
			err_clear(&err);
			continue;
		}
		n_split++;
		assert_int_equal(split_check(&block, &split, &err), ERR_OK);
		assert_true(largest_task_byte(&block, on, &split) <= on->pe_sram_byte);
	}
	assert_true(n_split > 3900);
}

/* One pixel, of a kernel as large as the ifmap. */
static struct block whole_kernel(uint32_t side, uint32_t in_c, uint32_t out_c)
{
	struct block block = plain_conv(1, in_c, out_c, 1);
	block.in_w = block.in_h = block.kernel_w = block.kernel_h = side;
	return block;
}

static void test_splitter_cuts_input_channels_last(void **state)
{
	struct block block = whole_kernel(9, 4096, 8);
	struct err err = {0};
	struct machine machine;
	struct split split;
	(void)state;
	machine_init(&machine, MACHINE_QPE);
	assert_int_equal(splitter_thesis(&block, &machine, &split, &err), ERR_OK);
	assert_true(split.d.n_a > 1);
	/* Half as many parts would not fit. */
	split.d.size_a *= 2;
	assert_true(largest_task_byte(&block, &machine, &split) > machine.pe_sram_byte);
}

static void test_splitter_says_when_nothing_fits(void **state)
{
	struct block block = whole_kernel(400, 1, 1);
	struct err err = {0};
	struct machine machine;
	struct split split = {.w = {77, 1, 0, 0}};
	(void)state;
	machine_init(&machine, MACHINE_CHIP);
	assert_int_equal(splitter_thesis(&block, &machine, &split, &err), ERR_INFEASIBLE);
	assert_non_null(strstr(err_text(&err), "CONV_1"));
	assert_int_equal(split.w.size_a, 77);
	err_clear(&err);
}

/* The largest layers a network may have, on both targets: an answer, in which order it is looked for decides when. */
static void test_splitter_answers_for_the_largest_layers(void **state)
{
	static const uint32_t kernel[] = {1, 3, 65536}, side[] = {64, 65521, 65536};
	(void)state;
	for (unsigned i = 0; i < 2 * 3 * 3; i++) {
		uint32_t k = kernel[i / 2 % 3], in = side[i / 6];
		struct block block = plain_conv(in, 65536, 65536, k);
		block.pad_left = block.pad_top = k - 1;
		block.pad_right = block.pad_bottom = 0;
		struct machine machine;
		struct split split;

		machine_init(&machine, i % 2 == 0 ? MACHINE_QPE : MACHINE_CHIP);
		enum err_code code = splitter_thesis(&block, &machine, &split, NULL);
		assert_int_equal(code, k == 65536 ? ERR_INFEASIBLE : ERR_OK);
		if (code == ERR_OK)
			assert_int_equal(split_check(&block, &split, NULL), ERR_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_splitter_gives_splits_of_table_g1),
	    cmocka_unit_test(test_splitter_gives_splits_of_table_h1),
	    cmocka_unit_test(test_splitter_gives_splits_of_table_i1),
	    cmocka_unit_test(test_splitter_gives_splits_of_table_j1),
	    cmocka_unit_test(test_splitter_splits_any_layer_that_fits),
	    cmocka_unit_test(test_splitter_cuts_input_channels_last),
	    cmocka_unit_test(test_splitter_says_when_nothing_fits),
	    cmocka_unit_test(test_splitter_answers_for_the_largest_layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
