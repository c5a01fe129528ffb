/* SPDX-License-Identifier: Apache-2.0 */
/* Split reports: every cell of the thesis' split schemes, from the splits of its core operations alone. */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"
#include "mapper/split/split_report.h"
#include "sim/base/csv.h"
#include "tests/support/random_block.h"
#include "tests/support/plain_block.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const struct csv_table *table, size_t row, const char *column)
{
	return csv_get_cell(table, row, csv_find_column(table, column))->text;
}

/* The table's row of an operation, SIZE_MAX: none. */
static size_t find_row(const struct csv_table *table, const char *network, const char *target, const char *operation)
{
	for (size_t i = 0; i < table->n_row; i++)
		if (strcmp(text_of(table, i, "network"), network) == 0 &&
		    strcmp(text_of(table, i, "target"), target) == 0 &&
		    strcmp(text_of(table, i, "operation"), operation) == 0)
			return i;
	return SIZE_MAX;
}

static void check_row(const struct csv_table *table, size_t at, const struct split_row *row)
{
	assert_true(at != SIZE_MAX);
	for (size_t c = 0; c < N_SPLIT_COLUMN; c++) {
		const char *wanted = text_of(table, at, split_column_name[c]);
		if (strcmp(row->cell[c], wanted) != 0)
			print_error("%s: %s is '%s', listed '%s'\n", row->operation.name, split_column_name[c],
			            row->cell[c], wanted);
		assert_string_equal(row->cell[c], wanted);
	}
}

/* Every row of one network on one target whose split is listed; returns how many. */
static size_t check_network(const struct csv_table *table, const struct split_scheme *scheme, const char *name,
                            const char *target)
{
	size_t n_row = 0;
	struct network network = shipped_network(name);
	for (size_t i = 0; i < network.n_block; i++) {
		const struct split_scheme_row *listed = split_scheme_find(scheme, name, target, network.block[i].name);
		struct split_row row[BLOCK_MAX_OPERATION];
		size_t n =
		    listed ? split_report(&network.block[i], &listed->split, FORM_CONV, row, BLOCK_MAX_OPERATION) : 0;
		for (size_t k = 0; k < n; k++)
			check_row(table, find_row(table, name, target, row[k].operation.name), &row[k]);
		n_row += n;
	}
	network_free(&network);
	return n_row;
}

/* Tables G.1 to J.1: all 440 rows whose core operation is legible; of FC_52 on the QPE only three others are. */
static void test_split_report_gives_the_thesis_tables(void **state)
{
	(void)state;
	struct csv_table table;
	struct split_scheme scheme;
	struct err err = {0};
	assert_int_equal(csv_read_file("spaces/splits/thesis.csv", &table, &err), ERR_OK);
	assert_int_equal(split_scheme_read("spaces/splits/thesis.csv", &scheme, &err), ERR_OK);
	size_t n_row =
	    check_network(&table, &scheme, "vgg16", "qpe") + check_network(&table, &scheme, "vgg16", "chip") +
	    check_network(&table, &scheme, "resnet50", "qpe") + check_network(&table, &scheme, "resnet50", "chip");
	assert_int_equal(n_row + 3, table.n_row);
	assert_int_equal(n_row, 440);
	split_scheme_free(&scheme);
	csv_free(&table);
}

/* The i-th part of "22*1+23*3"; 0: there are no more. */
static uint32_t nth_part(const char *text, uint32_t i)
{
	uint32_t size, n;
	int n_byte;
	while (sscanf(text, "%" SCNu32 "*%" SCNu32 "%n", &size, &n, &n_byte) == 2) {
		if (i < n)
			return size;
		i -= n;
		text += n_byte + (text[n_byte] == '+');
	}
	return 0;
}

/* One direction of a padding, pixel by pixel: each part is what the windows of its outputs see of the padded ifmap. */
static void check_direction(const struct dim_split *out, const char *stored, const char *padded, uint32_t in,
                            uint32_t pad, uint32_t padded_in, uint32_t kernel, uint32_t stride)
{
	uint32_t begin = 0;
	for (uint32_t i = 0; i < dim_n_part(out); i++) {
		uint32_t size = i < out->n_a ? out->size_a : out->size_b, n_all = 0, n_own = 0;
		uint32_t end = (begin + size - 1) * stride + (kernel > stride ? kernel : stride);
		for (uint32_t x = begin * stride; x < end; x++) {
			n_all++;
			n_own += x >= pad && x < pad + in;
		}
		/* parts are stored in one size: the last one may see less than that */
		n_all = n_all < padded_in ? n_all : padded_in;
		assert_int_equal(nth_part(padded, i), n_all);
		assert_int_equal(nth_part(stored, i), n_own);
		begin += size;
	}
	assert_int_equal(nth_part(stored, dim_n_part(out)), 0);
	assert_int_equal(nth_part(padded, dim_n_part(out)), 0);
}

static void test_split_report_pads_pixel_by_pixel(void **state)
{
	(void)state;
	struct rng rng = rng_stream(11, 0, 0);
	unsigned n_padded = 0;
	for (unsigned k = 0; k < 400; k++) {
		struct block block = random_conv(&rng, 20, 8);
		block.number = 1;
		struct split split = random_split(&rng, &block, 6);
		struct split_row row[BLOCK_MAX_OPERATION];
		size_t n = split_report(&block, &split, FORM_CONV, row, BLOCK_MAX_OPERATION);
		if (!block.has_padd)
			continue;
		n_padded++;
		assert_true(n >= 2 && row[0].operation.kind == OPERATION_PADD);
		check_direction(&split.w, row[0].cell[SPLIT_IFMAP_W], row[0].cell[SPLIT_OFMAP_W], block.in_w,
		                block.pad_left, block_padded_w(&block), block_reach_w(&block), block.stride);
		check_direction(&split.h, row[0].cell[SPLIT_IFMAP_H], row[0].cell[SPLIT_OFMAP_H], block.in_h,
		                block.pad_top, block_padded_h(&block), block_reach_h(&block), block.stride);
		assert_string_equal(row[0].cell[SPLIT_OFMAP_W], row[1].cell[SPLIT_IFMAP_W]);
		assert_string_equal(row[0].cell[SPLIT_OFMAP_C], row[1].cell[SPLIT_IFMAP_C]);
	}
	assert_true(n_padded > 50);
}

/* Pieces: tasks make partial sums, FCE adds all but the first of each result, and ACTI sees each result once. */
static void test_split_report_counts_pieces(void **state)
{
	(void)state;
	struct rng rng = rng_stream(12, 0, 0);
	for (unsigned k = 0; k < 200; k++) {
		struct block block = random_matmul(&rng, 300);
		block.number = 1;
		struct split split = random_split(&rng, &block, 9);
		struct split_row row[BLOCK_MAX_OPERATION];
		size_t n = split_report(&block, &split, FORM_CONV, row, BLOCK_MAX_OPERATION);
		uint64_t n_task = strtoull(row[0].cell[SPLIT_PIECES], NULL, 10);
		bool has_sums = row[1].operation.kind == OPERATION_FCE;
		assert_int_equal(has_sums, dim_n_part(&split.d) > 1);
		uint64_t n_added = has_sums ? strtoull(row[1].cell[SPLIT_PIECES], NULL, 10) : 0;
		uint64_t n_result = strtoull(row[n - 1].cell[SPLIT_PIECES], NULL, 10);
		assert_int_equal(n_task, split_n_task(&split));
		assert_int_equal(n_task, n_added + n_result);
		assert_string_equal(row[0].cell[SPLIT_OFMAP_W], row[n - 1].cell[SPLIT_IFMAP_W]);
	}
}

/* Depthwise: a task reads as many channels as it has filters; of a group of several: all of the group's. */
static void test_split_report_follows_groups(void **state)
{
	(void)state;
	struct block block = plain_conv(8, 24, 24, 1);
	block.groups = 24;
	struct split split = split_whole(&block);
	struct split_row row[BLOCK_MAX_OPERATION];
	split.c = (struct dim_split){10, 2, 4, 1};
	assert_int_equal(split_check(&block, &split, NULL), ERR_OK);
	assert_int_equal(split_report(&block, &split, FORM_CONV, row, BLOCK_MAX_OPERATION), 1);
	assert_string_equal(row[0].cell[SPLIT_IFMAP_C], "10*2+4*1");
	assert_string_equal(row[0].cell[SPLIT_KERNEL_IN_C], "1");
	block.groups = 4; /* 6 channels and 6 filters each */
	split = split_whole(&block);
	split.c = (struct dim_split){.size_a = 3, .n_a = 8};
	assert_int_equal(split_check(&block, &split, NULL), ERR_OK);
	assert_int_equal(split_report(&block, &split, FORM_CONV, row, BLOCK_MAX_OPERATION), 1);
	assert_string_equal(row[0].cell[SPLIT_IFMAP_C], "6*8");
	assert_string_equal(row[0].cell[SPLIT_KERNEL_IN_C], "6");
}

/* Parts of a strided 1x1 kernel end with a stride's pixels, tight ones with the last output's. */
static void test_split_report_has_tight_parts(void **state)
{
	(void)state;
	struct block block = {.kind = BLOCK_CONV,
	                      .number = 1,
	                      .in_w = 14,
	                      .in_h = 14,
	                      .in_c = 8,
	                      .kernel_w = 1,
	                      .kernel_h = 1,
	                      .stride = 2,
	                      .out_w = 7,
	                      .out_h = 7,
	                      .out_c = 8,
	                      .pool = 1,
	                      .next_pool_stride = 1};
	struct split split = split_whole(&block);
	struct split_row row[BLOCK_MAX_OPERATION];
	split.w = (struct dim_split){4, 1, 3, 1};
	split.h = (struct dim_split){1, 7, 0, 0};
	assert_int_equal(split_report(&block, &split, FORM_CONV, row, BLOCK_MAX_OPERATION), 1);
	assert_string_equal(row[0].cell[SPLIT_IFMAP_W], "8*1+6*1");
	assert_string_equal(row[0].cell[SPLIT_IFMAP_H], "2*7");
	assert_int_equal(split_report(&block, &split, FORM_TIGHT, row, BLOCK_MAX_OPERATION), 1);
	assert_string_equal(row[0].cell[SPLIT_IFMAP_W], "7*1+5*1");
	assert_string_equal(row[0].cell[SPLIT_IFMAP_H], "1*7");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_split_report_gives_the_thesis_tables),
	    cmocka_unit_test(test_split_report_pads_pixel_by_pixel),
	    cmocka_unit_test(test_split_report_counts_pieces),
	    cmocka_unit_test(test_split_report_follows_groups),
	    cmocka_unit_test(test_split_report_has_tight_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
