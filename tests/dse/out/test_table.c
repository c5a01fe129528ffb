/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "dse/out/csv_write.h"
#include "dse/out/table.h"
#include <inttypes.h>
#include <string.h>

/* A row's cells are what single cells would be, empty ones at its ends among them. */
static void test_table_rows(void **state)
{
	(void)state;
	char text[2][512] = {"", ""};
	for (int i = 0; i < 2; i++) {
		struct table table = {0};
		FILE *file = fmemopen(text[i], sizeof(text[i]), "w");
		assert_non_null(file);
		table_add_columns(&table, "name|>mac|>share_pct|>time_ms||to");
		if (i == 0) {
			table_add_row(&table, "%s %.2s|%" PRIu64 "|%.1f %%|%g||%u to %zu", "conv", "12345", UINT64_MAX,
			              12.345, 1234567.0, 7U, sizeof(uint32_t));
			table_add_row(&table, "|||||");
		} else {
			static const char *const cell[] = {"conv 12", "18446744073709551615", "12.3 %", "1234567", "",
			                                   "7 to 4"};
			for (size_t k = 0; k < 6; k++)
				table_add(&table, "%s", cell[k]);
			for (size_t k = 0; k < 6; k++)
				table_add(&table, "%s", "");
		}
		table_finish(&table, file, 2);
		assert_int_equal(fclose(file), 0);
	}
	assert_string_equal(text[0], text[1]);
	assert_non_null(strstr(text[0], "conv 12  18446744073709551615"));
}

/* Columns without a word are left out; a block that goes on below leaves out rows that it has nothing of. */
static void test_table_leaves_out_what_is_empty(void **state)
{
	(void)state;
	char text[512] = "";
	struct table table = {0};
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	table_add_columns(&table, "name|>a|>empty|>b|remark");
	table_add_row(&table, "one|1| |10| ");
	table_add_row(&table, "two|2||20|least");
	table_add_row(&table, "three| | |30|");
	table_leave_empty(&table);
	table_print_within(&table, file, 0, 12);
	table_free(&table);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text,
	                    "name   a   b\none    1  10\ntwo    2  20\nthree     30\n\nname   remark\ntwo    least\n");
}

/* As many columns stand before each block as tell a row from the one before, three at most; no line ends in blanks. */
static void test_table_names_rows_in_each_block(void **state)
{
	(void)state;
	char text[512] = "";
	struct table table = {0};
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	table_add_columns(&table, "key|>from|>to|>change|>other|remark");
	table_add_row(&table, "clk|1|2|10|12345|");
	table_add_row(&table, "clk|1|3|20|12345|best");
	table_print_within(&table, file, 0, 24);
	table_free(&table);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "key  from  to  change\nclk     1   2      10\nclk     1   3      20\n\n"
	                          "key  from  to  other\nclk     1   2  12345\nclk     1   3  12345\n\n"
	                          "key  from  to  remark\nclk     1   3  best\n");
}

static void test_csv_rows(void **state)
{
	(void)state;
	char text[256] = "";
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	csv_put_row(file, "%s,%s,%g,%zu", "a,b", "=1+x", 0.1, sizeof(uint64_t));
	csv_put_row(file, ",%s,%u%%\n", "word", 3U);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "\"a,b\",\"'=1+x\",0.1,8,word,3%\n");
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_table_rows), cmocka_unit_test(test_table_leaves_out_what_is_empty),
	    cmocka_unit_test(test_table_names_rows_in_each_block), cmocka_unit_test(test_csv_rows)};
	return cmocka_run_group_tests(test, NULL, NULL);
}
