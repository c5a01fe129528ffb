/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mapper/utilisation.h"
#include "sim/base/csv.h"
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

	snprintf(rounded, sizeof rounded, "%.2f", value);
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
	struct block block = {.kind = BLOCK_CONV,
	                      .number = 7,
	                      .pool = 1,
	                      .in_w = 10,
	                      .in_h = 10,
	                      .in_c = 2,
	                      .kernel_w = 1,
	                      .kernel_h = 1,
	                      .stride = 1,
	                      .out_w = 10,
	                      .out_h = 10,
	                      .out_c = 4};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_utilisation_gives_every_row_of_the_tables),
	    cmocka_unit_test(test_utilisation_pieces_sum_to_tasks),
	    cmocka_unit_test(test_utilisation_names_classes_by_place),
	    cmocka_unit_test(test_utilisation_counts_stride_1_outputs_as_aligned),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
