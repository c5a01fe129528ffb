/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "mapper/split/split.h"
#include "sim/base/csv.h"
#include "tests/support/plain_block.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_dim(const struct dim_split *dim, uint32_t size_a, uint32_t n_a, uint32_t size_b, uint32_t n_b)
{
	assert_int_equal(dim->size_a, size_a);
	assert_int_equal(dim->n_a, n_a);
	assert_int_equal(dim->size_b, size_b);
	assert_int_equal(dim->n_b, n_b);
}

static void test_split_reads_and_prints_parts(void **state)
{
	struct dim_split dim;
	char text[32];
	(void)state;
	assert_int_equal(dim_parse("28*2", &dim, NULL), ERR_OK);
	assert_dim(&dim, 28, 2, 0, 0);
	dim_print(&dim, text, sizeof(text));
	assert_string_equal(text, "28*2");
	assert_int_equal(dim_parse("20*7+21*4", &dim, NULL), ERR_OK);
	assert_dim(&dim, 21, 4, 20, 7);
	dim_print(&dim, text, sizeof(text));
	assert_string_equal(text, "21*4+20*7");
	assert_int_equal(dim_extent(&dim), 224);
	assert_int_equal(dim_n_part(&dim), 11);
}

static void test_split_refuses_malformed_parts(void **state)
{
	static const char *const wrong[] = {"",
	                                    "28",
	                                    "28*",
	                                    "*2",
	                                    "0*2",
	                                    "28*0",
	                                    "28*2+",
	                                    "28*2+3",
	                                    "28*2 ",
	                                    "28*2+4*1+2*1",
	                                    " 28*2",
	                                    "-28*2",
	                                    "4294967296*1",
	                                    "1*99999999999999999999",
	                                    "28x2",
	                                    "28*2+28*3",
	                                    "2*4294967295+1*1"};
	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct dim_split dim = {1, 2, 3, 4};
		struct err err = {0};

		assert_int_equal(dim_parse(wrong[i], &dim, &err), ERR_INPUT);
		assert_dim(&dim, 1, 2, 3, 4);
		assert_int_equal(err.n_message, 1);
		assert_non_null(strstr(err_text(&err), "allowed"));
		err_clear(&err);
	}
}

static void test_split_even_parts_differ_by_a_step(void **state)
{
	(void)state;
	for (uint32_t step = 1; step <= 3; step++)
		for (uint32_t n_unit = 1; n_unit <= 40; n_unit++)
			for (uint32_t n = 1; n <= n_unit; n++) {
				struct dim_split dim = dim_even(n_unit * step, n, step);

				assert_int_equal(dim_extent(&dim), n_unit * step);
				assert_int_equal(dim_n_part(&dim), n);
				assert_int_equal(dim.size_a % step, 0);
				assert_true(dim.n_b == 0 || dim.size_a - dim.size_b == step);
			}
}

static struct block conv_block(void)
{
	struct block block = plain_conv(8, 6, 10, 3);
	block.pool = 2;
	return block;
}

static void test_split_check_takes_legal_splits(void **state)
{
	struct block block = conv_block();
	struct split split = split_whole(&block);
	struct block fc = block_matmul(1, 4096, 1000);
	struct split columns = {.w = {256, 4, 0, 0}, .h = {1, 1, 0, 0}, .c = {1, 1, 0, 0}, .d = {256, 16, 0, 0}};
	(void)state;
	assert_int_equal(split_check(&block, &split, NULL), ERR_OK);
	assert_int_equal(split_n_task(&split), 1);
	split = (struct split){.w = {4, 1, 2, 2}, .h = {2, 4, 0, 0}, .c = {4, 2, 2, 1}, .d = {3, 2, 0, 0}};
	assert_int_equal(split_check(&block, &split, NULL), ERR_OK);
	assert_int_equal(split_n_task(&split), 3 * 4 * 3 * 2);
	/* 24 of the last 256 columns are zeros. */
	assert_int_equal(split_check(&fc, &columns, NULL), ERR_OK);
	columns.w.n_a = 5;
	assert_int_equal(split_check(&fc, &columns, NULL), ERR_INPUT);
}

/* One wrong dimension each. */
static void test_split_check_says_what_is_wrong(void **state)
{
	static const struct {
		struct split split;
		const char *said;
	} wrong[] = {
	    {{{4, 1, 0, 0}, {8, 1, 0, 0}, {10, 1, 0, 0}, {6, 1, 0, 0}}, "covers 4 of 8"},
	    {{{8, 1, 0, 0}, {8, 2, 0, 0}, {10, 1, 0, 0}, {6, 1, 0, 0}}, "covers 16 of 8"},
	    {{{5, 1, 3, 1}, {8, 1, 0, 0}, {10, 1, 0, 0}, {6, 1, 0, 0}}, "multiples of the fused pooling's stride 2"},
	    {{{8, 1, 0, 0}, {8, 1, 0, 0}, {4, 2, 0, 0}, {6, 1, 0, 0}}, "ofmap channels"},
	    {{{8, 1, 0, 0}, {8, 1, 0, 0}, {10, 1, 0, 0}, {7, 1, 0, 0}}, "ifmap channels"},
	    {{{0, 0, 0, 0}, {8, 1, 0, 0}, {10, 1, 0, 0}, {6, 1, 0, 0}}, "parts above 0"},
	    {{{2, 2, 4, 1}, {8, 1, 0, 0}, {10, 1, 0, 0}, {6, 1, 0, 0}}, "the larger first"},
	};
	struct block block = conv_block();

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct err err = {0};

		assert_int_equal(split_check(&block, &wrong[i].split, &err), ERR_INPUT);
		assert_int_equal(err.n_message, 1);
		assert_non_null(strstr(err_text(&err), wrong[i].said));
		assert_non_null(strstr(err_text(&err), "CONV_1"));
		err_clear(&err);
	}
}

static void test_split_tasks_saturate(void **state)
{
	struct split split = {
	    .w = {1, 65536, 0, 0}, .h = {1, 65536, 0, 0}, .c = {1, 65536, 0, 0}, .d = {1, 65536, 0, 0}};
	(void)state;
	assert_true(split_n_task(&split) == UINT64_MAX);
}

static const char *cell(const struct csv_table *table, size_t row, const char *column)
{
	return csv_get_cell(table, row, csv_find_column(table, column))->text;
}

static void check_part(const char *ifmap, const char *ofmap, const char *kernel, const char *stride)
{
	struct dim_split in, out;
	uint32_t k = (uint32_t)strtoul(kernel, NULL, 10), s = (uint32_t)strtoul(stride, NULL, 10);
	assert_int_equal(dim_parse(ifmap, &in, NULL), ERR_OK);
	assert_int_equal(dim_parse(ofmap, &out, NULL), ERR_OK);
	assert_int_equal(in.size_a, split_in_extent(out.size_a, k, s));
	assert_int_equal(in.n_a, out.n_a);
	assert_int_equal(in.n_b, out.n_b);
	if (out.n_b > 0)
		assert_int_equal(in.size_b, split_in_extent(out.size_b, k, s));
}

/* Every ifmap part that the thesis lists for a convolution or pooling follows from the ofmap part. */
static void test_split_in_extent_gives_every_listed_part(void **state)
{
	struct err err = {0};
	struct csv_table table;
	size_t n = 0;
	(void)state;
	assert_int_equal(csv_read_file("spaces/splits/thesis.csv", &table, &err), ERR_OK);
	for (size_t i = 0; i < table.n_row; i++) {
		const char *stride = cell(&table, i, "stride");

		if (stride[0] == '\0')
			continue;
		check_part(cell(&table, i, "ifmap_w"), cell(&table, i, "ofmap_w"), cell(&table, i, "kernel_w"), stride);
		check_part(cell(&table, i, "ifmap_h"), cell(&table, i, "ofmap_h"), cell(&table, i, "kernel_h"), stride);
		n++;
	}
	assert_true(n > 110);
	csv_free(&table);
}

static void test_split_part_is_not_wider_than_the_map(void **state)
{
	/* 19 outputs of a 1x1 kernel with stride 3 on 55 pixels: the last output skips nothing. */
	struct block block = plain_conv(55, 1, 1, 1);
	block.stride = 3;
	block.out_w = block.out_h = 19;
	(void)state;
	assert_int_equal(split_in_extent(19, 1, 3), 57);
	assert_int_equal(split_part_in_w(&block, 19), 55);
	assert_int_equal(split_part_in_h(&block, 18), 54);
	assert_true(split_in_extent(UINT32_MAX, 3, 65536) == UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_split_reads_and_prints_parts),
	    cmocka_unit_test(test_split_refuses_malformed_parts),
	    cmocka_unit_test(test_split_even_parts_differ_by_a_step),
	    cmocka_unit_test(test_split_check_takes_legal_splits),
	    cmocka_unit_test(test_split_check_says_what_is_wrong),
	    cmocka_unit_test(test_split_tasks_saturate),
	    cmocka_unit_test(test_split_in_extent_gives_every_listed_part),
	    cmocka_unit_test(test_split_part_is_not_wider_than_the_map),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
