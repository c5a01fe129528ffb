/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "mapper/split/split.h"
#include "tests/support/temporary.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void assert_dim(const struct dim_split *dim, const char *text)
{
	char printed[48];
	dim_print(dim, printed, sizeof(printed));
	assert_string_equal(printed, text);
}

static struct split_scheme read_thesis(void)
{
	struct split_scheme scheme;
	struct err err = {0};
	assert_int_equal(split_scheme_read("spaces/splits/thesis.csv", &scheme, &err), ERR_OK);
	return scheme;
}

static void test_split_scheme_reads_rows_by_kind(void **state)
{
	struct split_scheme scheme = read_thesis();
	const struct split_scheme_row *row = split_scheme_find(&scheme, "vgg16", "qpe", "CONV_1");
	(void)state;
	assert_non_null(row);
	assert_dim(&row->split.w, "224*1");
	assert_dim(&row->split.h, "21*4+20*7");
	assert_dim(&row->split.c, "4*16");
	assert_dim(&row->split.d, "3*1");
	assert_int_equal(row->in_w[0], 226);
	assert_int_equal(row->in_h[0], 23);
	assert_int_equal(row->in_h[1], 22);
	assert_int_equal(row->line, 3);
	row = split_scheme_find(&scheme, NULL, "qpe", "FC_19");
	assert_dim(&row->split.w, "256*16");
	assert_dim(&row->split.h, "1*1");
	assert_dim(&row->split.c, "1*1");
	assert_dim(&row->split.d, "256*98");
	row = split_scheme_find(&scheme, "resnet50", "qpe", "POOL_2");
	assert_dim(&row->split.c, "6*9+5*2");
	assert_dim(&row->split.d, "1*1");
	row = split_scheme_find(&scheme, "vgg16", "chip", "PADD_2");
	assert_dim(&row->split.w, "34*7");
	assert_null(split_scheme_find(&scheme, "vgg16", "chip", "CONV_3"));
	assert_null(split_scheme_find(&scheme, "alexnet", "chip", "CONV_1"));
	split_scheme_free(&scheme);
	assert_int_equal(scheme.n, 0);
}

/* Every split of the table is legal for the block of that name. */
static void test_split_scheme_fits_the_networks(void **state)
{
	static const char *const name[] = {"vgg16", "resnet50"}, *const target[] = {"qpe", "chip"};
	struct split_scheme scheme = read_thesis();
	unsigned n_found = 0;
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct err err = {0};

		struct network network = shipped_network(name[i]);
		for (size_t b = 0; b < 2 * network.n_block; b++) {
			const struct block *block = &network.block[b / 2];
			const struct split_scheme_row *row =
			    split_scheme_find(&scheme, name[i], target[b % 2], block->name);

			if (row && split_check(block, &row->split, &err) != ERR_OK)
				fail_msg("line %u: %s", row->line, err_text(&err));
			n_found += row != NULL;
		}
		network_free(&network);
	}
	/* 16 blocks of VGG-16 twice, 55 of ResNet-50 on the chip and the 33 legible ones on the QPE. */
	assert_int_equal(n_found, 2 * 16 + 55 + 33);
	split_scheme_free(&scheme);
}

/* Columns in another order, quoted, with others between them. */
static void test_split_scheme_goes_by_column_names(void **state)
{
	char path[TEMPORARY_SIZE];
	FILE *file = temporary_open(path);
	struct split_scheme scheme;
	struct err err = {0};
	(void)state;
	fputs("note,ofmap_h,ofmap_w,operation,ofmap_c,network,target,ifmap_c,ifmap_w\n"
	      "\"a, \"\"b\"\"\",\"7*2\",14*1,\"CONV_2\",4*8,\"my net\",chip,16*1,\"16*1\"\n",
	      file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(split_scheme_read(path, &scheme, &err), ERR_OK);
	remove(path);
	assert_int_equal(scheme.n, 1);
	assert_string_equal(scheme.row[0].network, "my net");
	assert_dim(&scheme.row[0].split.h, "7*2");
	assert_int_equal(scheme.row[0].in_w[0], 16);
	assert_int_equal(scheme.row[0].in_h[0], 0);
	split_scheme_free(&scheme);
}

static void test_split_scheme_reports_every_malformed_file(void **state)
{
	static const struct {
		const char *file, *said;
		unsigned n_message;
	} wrong[] = {
	    {"bad_parts", ":2:19: ofmap_w: split: found '224*'", 1},
	    {"bad_target", ":2:7: target: found 'chips', allowed qpe, chip", 1},
	    {"no_operation", ":2:12: operation: found 0 characters", 1},
	    {"no_filters", "ofmap_c: split: found ''", 1},
	    {"twice", ":3:12: CONV_1 of vgg16 on chip stands twice, first in line 2", 1},
	    {"no_column", ":1:1: no column 'ifmap_c'", 1},
	    {"short_row", ":2:1: ", 1},
	    {"many", ":3:", 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct split_scheme scheme;
		struct err err = {0};
		char path[128];

		snprintf(path, sizeof(path), "tests/malformed/scheme_%s.csv", wrong[i].file);
		assert_int_equal(split_scheme_read(path, &scheme, &err), ERR_INPUT);
		if (err.n_message != wrong[i].n_message || !strstr(err_text(&err), wrong[i].said))
			fail_msg("%s: found %u messages:\n%swanted: %s", path, err.n_message, err_text(&err),
			         wrong[i].said);
		assert_int_equal(scheme.n, 0);
		err_clear(&err);
	}
	struct split_scheme scheme;

	assert_int_equal(split_scheme_read("tests/malformed/none.csv", &scheme, NULL), ERR_IO);
}

/* As many rows as a table may hold, nearly: looked through once, not row against row. */
static void test_split_scheme_of_many_rows(void **state)
{
	char path[TEMPORARY_SIZE];
	const unsigned n_row = 300000;
	struct split_scheme scheme;
	struct err err = {0};
	(void)state;
	FILE *file = temporary_open(path);
	fputs("network,target,operation,ofmap_w,ofmap_h,ofmap_c,ifmap_w,ifmap_c\n", file);
	for (unsigned i = 0; i < n_row; i++)
		fprintf(file, "n,chip,CONV_%u,1*1,1*1,1*1,,1*1\n", i);
	fputs("n,chip,CONV_7,1*1,1*1,1*1,,1*1\n", file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(split_scheme_read(path, &scheme, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 1);
	assert_non_null(strstr(err_text(&err), ":300002:8: CONV_7 of n on chip stands twice, first in line 9"));
	err_clear(&err);
	assert_int_equal(unlink(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_split_scheme_of_many_rows),
	    cmocka_unit_test(test_split_scheme_reads_rows_by_kind),
	    cmocka_unit_test(test_split_scheme_fits_the_networks),
	    cmocka_unit_test(test_split_scheme_goes_by_column_names),
	    cmocka_unit_test(test_split_scheme_reports_every_malformed_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
