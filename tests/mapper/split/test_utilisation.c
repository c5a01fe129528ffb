/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include <math.h>

#include "mapper/split/utilisation.h"
#include "sim/base/csv.h"
#include "sim/machine/machine_param.h"
#include "tests/support/random_block.h"
#include "tests/support/plain_block.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct network networks[2];
static struct split_scheme scheme;

static int set_up(void **state)
{
	struct err err = {0};
	(void)state;
	return network_read("spaces/networks/vgg16.yaml", &networks[0], &err) ||
	       network_read("spaces/networks/resnet50.yaml", &networks[1], &err) ||
	       split_scheme_read("spaces/splits/thesis.csv", &scheme, &err);
}

static int tear_down(void **state)
{
	(void)state;
	network_free(&networks[0]);
	network_free(&networks[1]);
	split_scheme_free(&scheme);
	return 0;
}

static const char *text_of(const struct csv_table *table, size_t row, const char *column)
{
	return csv_get_cell(table, row, csv_find_column(table, column))->text;
}

static uint64_t number_of(const struct csv_table *table, size_t row, const char *column)
{
	return strtoull(text_of(table, row, column), NULL, 10);
}

/* Equal after rounding to the table's two decimals. */
static void assert_rounded(double value, const char *text)
{
	char rounded[16];
	snprintf(rounded, sizeof(rounded), "%.2f", value);
	assert_string_equal(rounded, text);
}

static const struct network *network_of(const char *name)
{
	return strcmp(name, "vgg16") == 0 ? &networks[0] : &networks[1];
}

static void check_row(const struct csv_table *table, size_t row)
{
	const char *target = text_of(table, row, "target"), *operation = text_of(table, row, "operation");
	const struct network *network = network_of(text_of(table, row, "network"));
	const struct block *block = network_find_block(network, operation);
	const struct split_scheme_row *listed = split_scheme_find(&scheme, network->name, target, operation);
	struct utilisation out[UTILISATION_MAX_CLASS], *found = NULL;
	struct machine machine;
	size_t n;
	assert_non_null(block);
	assert_non_null(listed);
	machine_init(&machine, strcmp(target, "qpe") == 0 ? MACHINE_QPE : MACHINE_CHIP);
	n = utilisation_of_split(block, &listed->split, &machine, out, UTILISATION_MAX_CLASS);
	for (size_t i = 0; i < n; i++)
		if (strcmp(out[i].name, text_of(table, row, "partial_operation")) == 0)
			found = &out[i];
	assert_non_null(found);
	assert_int_equal(found->pieces, number_of(table, row, "pieces"));
	assert_int_equal(found->ifmap_aligned_byte, number_of(table, row, "ifmap_aligned_byte"));
	assert_int_equal(found->ifmap_valid_byte, number_of(table, row, "ifmap_valid_byte"));
	assert_int_equal(found->weight_aligned_byte, number_of(table, row, "weight_aligned_byte"));
	assert_int_equal(found->weight_valid_byte, number_of(table, row, "weight_valid_byte"));
	assert_int_equal(found->ofmap_aligned_byte, number_of(table, row, "ofmap_aligned_byte"));
	assert_int_equal(found->ofmap_valid_byte, number_of(table, row, "ofmap_valid_byte"));
	assert_rounded(found->mac_utilisation, text_of(table, row, "mac_utilisation"));
	assert_rounded(found->sram_utilisation, text_of(table, row, "sram_utilisation"));
}

static void test_utilisation_gives_every_row_of_the_tables(void **state)
{
	struct err err = {0};
	struct csv_table table;
	(void)state;
	assert_int_equal(csv_read_file("tests/reference/split_utilisation.csv", &table, &err), ERR_OK);
	assert_true(table.n_row >= 35);
	for (size_t i = 0; i < table.n_row; i++)
		check_row(&table, i);
	csv_free(&table);
}

/* Classes share out all tasks, and unstrided valid results without overlap the whole ofmap. */
static void test_utilisation_pieces_sum_to_tasks(void **state)
{
	(void)state;
	for (size_t i = 0; i < scheme.n; i++) {
		const struct split_scheme_row *row = &scheme.row[i];
		const struct block *block = network_find_block(network_of(row->network), row->operation);
		struct utilisation out[UTILISATION_MAX_CLASS];
		struct machine machine;
		uint64_t pieces = 0, result_byte = 0;
		size_t n;

		if (!block)
			continue;
		machine_init(&machine, MACHINE_QPE);
		n = utilisation_of_split(block, &row->split, &machine, out, UTILISATION_MAX_CLASS);
		for (size_t j = 0; j < n; j++) {
			pieces += out[j].pieces;
			result_byte += out[j].pieces * out[j].ofmap_valid_byte;
			assert_true(out[j].ifmap_valid_byte <= out[j].ifmap_aligned_byte);
			assert_true(out[j].weight_valid_byte <= out[j].weight_aligned_byte);
			assert_true(out[j].ofmap_valid_byte <= out[j].ofmap_aligned_byte);
			assert_true(out[j].mac_utilisation <= 1 && out[j].sram_utilisation <= 1);
		}
		assert_int_equal(pieces, split_n_task(&row->split));
		if (block->kind == BLOCK_CONV)
			assert_int_equal(result_byte, 4ull * block->out_w * block->out_h * block->out_c);
	}
}

static void test_utilisation_names_classes_by_place(void **state)
{
	static const char *const name[] = {"CONVSUTL_7", "CONVSUTR_7", "CONVSUBL_7", "CONVSUBR_7"};
	struct block block = plain_conv(10, 2, 4, 1);
	block.number = 7;
	struct split split = {.w = {4, 1, 3, 2}, .h = {6, 1, 4, 1}, .c = {4, 1, 0, 0}, .d = {2, 1, 0, 0}};
	struct utilisation out[UTILISATION_MAX_CLASS];
	struct machine machine;
	(void)state;
	machine_init(&machine, MACHINE_QPE);
	assert_int_equal(utilisation_of_split(&block, &split, &machine, out, UTILISATION_MAX_CLASS), 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(out[i].name, name[i]);
	assert_int_equal(out[1].pieces, 2);
	/* 3 of 16 columns, all 4 rows; 3x6 pixels of 2 channels. */
	assert_rounded(out[1].mac_utilisation, "0.19");
	assert_int_equal(out[1].ifmap_valid_byte, 36);
	assert_int_equal(out[1].ifmap_aligned_byte, 16 * 6 * 2);
	/* Asked for fewer it still says how many there are. */
	assert_int_equal(utilisation_of_split(&block, &split, &machine, out, 1), 4);
}

/* ResNet-50's CONV_12: the array computes 56x2 outputs of a part, 28x1 are kept. */
static void test_utilisation_counts_stride_1_outputs_as_aligned(void **state)
{
	const struct block *block = network_find_block(&networks[1], "CONV_12");
	const struct split_scheme_row *listed = split_scheme_find(&scheme, "resnet50", "chip", "CONV_12");
	struct utilisation out[1];
	struct machine machine;
	(void)state;
	machine_init(&machine, MACHINE_CHIP);
	assert_int_equal(utilisation_of_split(block, &listed->split, &machine, out, 1), 1);
	assert_int_equal(out[0].ifmap_valid_byte, 56 * 2 * 256);
	assert_int_equal(out[0].ofmap_aligned_byte, 56 * 2 * 4 * 4);
	assert_int_equal(out[0].ofmap_valid_byte, 28 * 4 * 4);
}

/* The split of a layer in the thesis' tables, as classes. */
static size_t use_listed(const char *target, const char *operation, struct utilisation *out)
{
	const struct split_scheme_row *listed = split_scheme_find(&scheme, "resnet50", target, operation);
	struct machine machine;
	assert_non_null(listed);
	machine_init(&machine, strcmp(target, "qpe") == 0 ? MACHINE_QPE : MACHINE_CHIP);
	return utilisation_of_split(network_find_block(&networks[1], operation), &listed->split, &machine, out,
	                            UTILISATION_MAX_CLASS);
}

/* Appendices H and J: of 2 x 2 outputs that the array computes one is kept. */
static void test_utilisation_of_strided_layers_counts_what_is_kept(void **state)
{
	static const struct {
		const char *target, *operation, *mac_utilisation;
		size_t n_class;
	} listed[] = {
	    {"qpe", "CONV_1", "0.25", 2},   {"chip", "CONV_1", "0.25", 1},     {"qpe", "CONV_12", "0.22", 1},
	    {"chip", "CONV_12", "0.22", 1}, {"chip", "CONV_SC_14", "0.22", 1}, {"chip", "CONV_24", "0.22", 1},
	    {"chip", "CONV_42", "0.22", 1}, {"chip", "CONV_11", "0.88", 1},
	};
	struct utilisation out[UTILISATION_MAX_CLASS];

	(void)state;
	for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++) {
		assert_int_equal(use_listed(listed[i].target, listed[i].operation, out), listed[i].n_class);
		for (size_t j = 0; j < listed[i].n_class; j++)
			assert_rounded(out[j].mac_utilisation, listed[i].mac_utilisation);
	}
}

/* Appendix H: ResNet-50's POOL_2 is cut by channels alone, 6*9+5*2. */
static void test_utilisation_tells_channels_of_two_sizes_apart(void **state)
{
	struct utilisation out[UTILISATION_MAX_CLASS];
	(void)state;
	assert_int_equal(use_listed("qpe", "POOL_2", out), 2);
	assert_string_equal(out[0].name, "POOLSUTL_2");
	assert_string_equal(out[1].name, "POOLSUTLS_2");
	assert_int_equal(out[0].pieces, 9);
	assert_int_equal(out[1].pieces, 2);
	assert_int_equal(out[0].ofmap_valid_byte, 56 * 56 * 6);
	assert_int_equal(out[1].ofmap_valid_byte, 56 * 56 * 5);
	assert_int_equal(out[1].ifmap_valid_byte, 113 * 113 * 5);
}

/* The array's steps one by one: blocks of columns along each computed row, groups of rows of filters. */
static double walk_array(const struct machine *machine, uint32_t stride, uint32_t width, uint32_t height, uint32_t c)
{
	uint64_t n_slot = 0, n_kept = 0;
	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x += machine->mla_cols)
			for (uint32_t f = 0; f < c; f += machine->mla_rows)
				for (uint32_t i = 0; i < machine->mla_cols * machine->mla_rows; i++) {
					uint32_t at = x + i % machine->mla_cols, filter = f + i / machine->mla_cols;

					n_slot++;
					n_kept += at < width && at % stride == 0 && y % stride == 0 && filter < c;
				}
	return (double)n_kept / (double)n_slot;
}

static void test_utilisation_is_what_the_array_keeps(void **state)
{
	static const uint32_t array[][2] = {{16, 4}, {16, 2}, {8, 4}, {5, 3}};
	struct rng rng = rng_stream(16, 0, 0);
	unsigned n_strided = 0, n_skip = 0;
	(void)state;
	for (unsigned k = 0; k < 300; k++) {
		struct block block = random_plain_conv(&rng, 24, 12);
		struct split split;
		struct utilisation out[UTILISATION_MAX_CLASS], tight[UTILISATION_MAX_CLASS];
		struct machine machine;
		size_t n, n_tight, at = 0;

		block.stride = block.stride == 2 ? random_from(&rng, 2, 4) : 1;
		block.number = 1;
		block.pool = 1;
		block.in_w = (block.out_w - 1) * block.stride + block_reach_w(&block);
		block.in_h = (block.out_h - 1) * block.stride + block_reach_h(&block);
		block.pad_left = block.pad_right = block.pad_top = block.pad_bottom = 0;
		split = random_split(&rng, &block, 6);
		n_strided += block.stride > 1;
		machine_init(&machine, MACHINE_QPE);
		machine.mla_cols = array[k % 4][0];
		machine.mla_rows = array[k % 4][1];
		n = utilisation_of_split(&block, &split, &machine, out, UTILISATION_MAX_CLASS);
		n_tight = utilisation_of_form(&block, &split, FORM_TIGHT, &machine, tight, UTILISATION_MAX_CLASS);
		assert_int_equal(n, n_tight);
		n_skip += block_skips_pixels(&block);
		for (unsigned i = 0; i < 8; i++) {
			uint32_t w = i & 2 ? split.w.size_b : split.w.size_a,
				 h = i & 4 ? split.h.size_b : split.h.size_a;
			uint32_t c = i & 1 ? split.c.size_b : split.c.size_a;
			double wanted;

			if (w == 0 || h == 0 || c == 0)
				continue;
			wanted = walk_array(&machine, block.stride, block.stride * w, block.stride * h, c);
			assert_true(at < n);
			assert_true(out[at].mac_utilisation > wanted - 1e-12 &&
			            out[at].mac_utilisation < wanted + 1e-12);
			/* of a tight part the array computes no further than the last output */
			if (block_skips_pixels(&block))
				wanted = walk_array(&machine, block.stride, block.stride * (w - 1) + 1,
				                    block.stride * (h - 1) + 1, c);
			assert_true(fabs(tight[at].mac_utilisation - wanted) < 1e-12);
			assert_true(tight[at].ifmap_valid_byte <= out[at].ifmap_valid_byte);
			at++;
		}
		assert_int_equal(at, n);
	}
	assert_true(n_strided > 40 && n_skip > 20);
}

/* Classes share out the whole result, whatever is of two sizes, and each has a name of its own. */
static void test_utilisation_classes_cover_the_result(void **state)
{
	struct rng rng = rng_stream(17, 0, 0);
	unsigned n_uneven = 0;
	(void)state;
	for (unsigned k = 0; k < 400; k++) {
		struct block block = k % 3 ? random_plain_conv(&rng, 24, 24) : random_matmul(&rng, 200);
		struct split split;
		struct utilisation out[UTILISATION_MAX_CLASS];
		struct machine machine;
		uint64_t result_byte = 0, pieces = 0;
		size_t n;

		if (k % 3 == 2) {
			block.kind = BLOCK_POOL;
			block.in_c = block.out_c;
			block.pool = 1;
		}
		block.number = 1;
		split = random_split(&rng, &block, 6);
		if (block.kind == BLOCK_POOL) {
			split.c = random_dim(&rng, block.out_c, 1, 6);
			split.d = dim_whole(1);
		}
		n_uneven += split.c.n_b > 0;
		machine_init(&machine, MACHINE_QPE);
		n = utilisation_of_split(&block, &split, &machine, out, UTILISATION_MAX_CLASS);
		for (size_t i = 0; i < n; i++) {
			pieces += out[i].pieces;
			result_byte += out[i].pieces * out[i].ofmap_valid_byte;
			for (size_t j = 0; j < i; j++)
				assert_string_not_equal(out[i].name, out[j].name);
		}
		assert_int_equal(pieces, split_n_task(&split));
		assert_int_equal(result_byte, (uint64_t)block.out_w * block.out_h * block.out_c * dim_n_part(&split.d) *
		                                  (block.kind == BLOCK_POOL ? 1 : 4));
	}
	assert_true(n_uneven > 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_utilisation_gives_every_row_of_the_tables),
	    cmocka_unit_test(test_utilisation_pieces_sum_to_tasks),
	    cmocka_unit_test(test_utilisation_names_classes_by_place),
	    cmocka_unit_test(test_utilisation_counts_stride_1_outputs_as_aligned),
	    cmocka_unit_test(test_utilisation_of_strided_layers_counts_what_is_kept),
	    cmocka_unit_test(test_utilisation_tells_channels_of_two_sizes_apart),
	    cmocka_unit_test(test_utilisation_is_what_the_array_keeps),
	    cmocka_unit_test(test_utilisation_classes_cover_the_result),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
