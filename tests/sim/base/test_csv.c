/* SPDX-License-Identifier: Apache-2.0 */
/* The CSV reader: what it decodes, every mistake it names with its place, and that no byte sequence breaks it. */
#include "tests/support/unit_test.h"
#include "sim/base/csv.h"
#include "sim/base/rng.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum err_code read_text(const char *text, struct csv_table *table, struct err *err)
{
	return csv_read_text("t.csv", text, strlen(text), table, err);
}

static void expect_mistake(const char *text, const char *message)
{
	struct csv_table table;
	struct err err = {0};
	assert_int_equal(read_text(text, &table, &err), ERR_INPUT);
	assert_string_equal(err_text(&err), message);
	assert_int_equal(table.n_row, 0);
	assert_int_equal(table.n_column, 0);
	assert_null(table.cell);
	err_clear(&err);
	csv_free(&table);
}

static void test_csv_reads_plain_table(void **state)
{
	(void)state;
	struct csv_table table;
	assert_int_equal(read_text("a,b\n1,x y\n\n2,\n", &table, NULL), ERR_OK);
	assert_int_equal(table.n_column, 2);
	assert_int_equal(table.n_row, 2);
	assert_int_equal(csv_find_column(&table, "b"), 1);
	assert_int_equal(csv_find_column(&table, "B"), CSV_NO_COLUMN);
	assert_string_equal(csv_get_cell(&table, 0, 1)->text, "x y");
	assert_string_equal(csv_get_cell(&table, 1, 1)->text, "");
	assert_int_equal(csv_get_cell(&table, 1, 1)->line, 4);
	assert_int_equal(csv_get_cell(&table, 1, 1)->column, 3);
	csv_free(&table);
}

static void test_csv_reads_quotes_crlf_and_byte_order_mark(void **state)
{
	(void)state;
	struct csv_table table;
	const char *text = "\xef\xbb\xbf\"a\",b\r\n\"x,\"\"y\"\"\",\"two\r\nlines\"\r\nlast,\"\"";
	assert_int_equal(read_text(text, &table, NULL), ERR_OK);
	assert_string_equal(table.header[0].text, "a");
	assert_int_equal(table.header[0].column, 1);
	assert_int_equal(table.n_row, 2);
	assert_string_equal(csv_get_cell(&table, 0, 0)->text, "x,\"y\"");
	assert_string_equal(csv_get_cell(&table, 0, 1)->text, "two\nlines");
	assert_string_equal(csv_get_cell(&table, 1, 0)->text, "last");
	assert_int_equal(csv_get_cell(&table, 1, 0)->line, 4);
	assert_string_equal(csv_get_cell(&table, 1, 1)->text, "");
	csv_free(&table);
}

static void test_csv_names_each_mistake(void **state)
{
	(void)state;
	expect_mistake("", "t.csv:1:1: empty file; a header row is needed\n");
	expect_mistake("\n\n", "t.csv:1:1: empty file; a header row is needed\n");
	expect_mistake("a,,b\n", "t.csv:1:3: column without a name\n");
	expect_mistake("a,b,a\n", "t.csv:1:5: column 'a' stands twice, first in column 1\n");
	expect_mistake("a,b\n1\n", "t.csv:2:1: 1 cells; the header names 2 columns\n");
	expect_mistake("a,b\n1,2,3\n", "t.csv:2:1: 3 cells; the header names 2 columns\n");
	expect_mistake("a\n\"1\n", "t.csv:2:1: this quote is never closed\n");
	expect_mistake("a\nb\"c\n", "t.csv:2:2: quote inside a cell; quote the whole cell and double it\n");
	expect_mistake("a\n\"b\" c\n", "t.csv:2:4: text after a closing quote; a comma or a line end is allowed\n");
	expect_mistake("a\nb\rc\n", "t.csv:2:2: byte 0x0d is not text; printable UTF-8 is allowed\n");
	expect_mistake("a\n\x01\n", "t.csv:2:1: byte 0x01 is not text; printable UTF-8 is allowed\n");
	expect_mistake("a\nx\xc0\xaf\n", "t.csv:2:2: byte 0xc0 is not text; printable UTF-8 is allowed\n"
	                                 "t.csv:2:3: byte 0xaf is not text; printable UTF-8 is allowed\n");
}

static void test_csv_reports_all_mistakes_in_one_pass(void **state)
{
	(void)state;
	expect_mistake("a,b\n1\n1,2\n1,\"x\"y\n1,2,3\n",
	               "t.csv:2:1: 1 cells; the header names 2 columns\n"
	               "t.csv:4:6: text after a closing quote; a comma or a line end is allowed\n"
	               "t.csv:5:1: 3 cells; the header names 2 columns\n");
}

static void test_csv_shows_a_limited_number_of_mistakes(void **state)
{
	(void)state;
	struct csv_table table;
	struct err err = {0};
	char text[256] = "a,b\n";
	for (int i = 0; i < 100; i++)
		strcat(text, "1\n");
	assert_int_equal(read_text(text, &table, &err), ERR_INPUT);
	assert_int_equal(err.n_message, CSV_MAX_MESSAGE + 1);
	assert_non_null(strstr(err_text(&err), "more mistakes follow"));
	err_clear(&err);
}

static void test_csv_refuses_bytes_that_are_not_utf8(void **state)
{
	(void)state;
	static const char *const bad[] = {"\x80",
	                                  "\xc3",
	                                  "\xe0\x80\x80",
	                                  "\xed\xa0\x80",
	                                  "\xf0\x80\x80\x80",
	                                  "\xf4\x90\x80\x80",
	                                  "\xf8\x88\x80\x80\x80",
	                                  "\xff"};
	static const char *const good[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbd"};
	struct csv_table table;
	char text[16];
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		(void)snprintf(text, sizeof(text), "a\n%s\n", bad[i]);
		assert_int_equal(read_text(text, &table, NULL), ERR_INPUT);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		(void)snprintf(text, sizeof(text), "a\n%s\n", good[i]);
		assert_int_equal(read_text(text, &table, NULL), ERR_OK);
		assert_string_equal(csv_get_cell(&table, 0, 0)->text, good[i]);
		csv_free(&table);
	}
}

static void test_csv_keeps_its_limits(void **state)
{
	(void)state;
	struct csv_table table;
	size_t n = 0;
	char *text = malloc(CSV_MAX_BYTE + 1);
	assert_non_null(text);
	for (unsigned i = 0; i < CSV_MAX_COLUMN; i++)
		n += (size_t)sprintf(text + n, i == 0 ? "c%u" : ",c%u", i);
	assert_int_equal(csv_read_text("t.csv", text, n, &table, NULL), ERR_OK);
	assert_int_equal(table.n_column, CSV_MAX_COLUMN);
	csv_free(&table);
	n += (size_t)sprintf(text + n, ",one_more");
	assert_int_equal(csv_read_text("t.csv", text, n, &table, NULL), ERR_INPUT);

	memset(text, 'x', CSV_MAX_BYTE + 1);
	assert_int_equal(csv_read_text("t.csv", text, CSV_MAX_BYTE, &table, NULL), ERR_OK);
	csv_free(&table);
	assert_int_equal(csv_read_text("t.csv", text, CSV_MAX_BYTE + 1, &table, NULL), ERR_INPUT);

	n = 0;
	for (unsigned i = 0; i < CSV_MAX_ROW + 1; i++) {
		text[n++] = '1';
		text[n++] = '\n';
	}
	assert_int_equal(csv_read_text("t.csv", text, n, &table, NULL), ERR_OK);
	assert_int_equal(table.n_row, CSV_MAX_ROW);
	csv_free(&table);
	text[n++] = '1';
	assert_int_equal(csv_read_text("t.csv", text, n, &table, NULL), ERR_INPUT);
	free(text);
}

/* A file cut anywhere is a shorter table or a mistake with a place, never a crash; the sanitizers watch. */
static void test_csv_survives_truncation_at_every_byte(void **state)
{
	(void)state;
	const char *whole =
	    "\xef\xbb\xbfname,\"va\"\"lue\",\xc3\xa9\r\n\"one\r\nmore\",1.5e3,\r\n,\"\",\xf0\x9f\x98\x80\n";
	for (size_t n = 0; n <= strlen(whole); n++) {
		char *text = malloc(n ? n : 1); /* a copy that ends at n, so that a sanitizer sees reads beyond */
		assert_non_null(text);
		memcpy(text, whole, n);
		struct csv_table table;
		struct err err = {0};
		enum err_code code = csv_read_text("t.csv", text, n, &table, &err);
		assert_true(code == ERR_OK || code == ERR_INPUT);
		assert_true((code == ERR_OK) == (err.n_message == 0));
		assert_true(code == ERR_OK || strncmp(err_text(&err), "t.csv:", 6) == 0);
		err_clear(&err);
		csv_free(&table);
		free(text);
	}
}

static void test_csv_survives_random_bytes(void **state)
{
	(void)state;
	static const char alphabet[] = "a1,,,\"\"\"\n\n\r\xc3\xa9\x01 .";
	struct rng rng = rng_stream(7, 0, 0);
	size_t n_good = 0;
	for (unsigned round = 0; round < 20000; round++) {
		char text[32];
		size_t n = rng_below(&rng, sizeof(text));
		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[rng_below(&rng, sizeof(alphabet) - 1)];
		struct csv_table table;
		if (csv_read_text("t.csv", text, n, &table, NULL) == ERR_OK) {
			n_good++;
			for (size_t i = 0; i < table.n_row * table.n_column; i++)
				assert_true(strlen(table.cell[i].text) < sizeof(text));
		}
		csv_free(&table);
	}
	assert_true(n_good > 100);
}

static void test_csv_reads_numbers_strictly(void **state)
{
	(void)state;
	static const char *const bad[] = {"",    "x", " 1", "1 ",  "0x10",  "inf",   "nan", "1e",
	                                  "1e+", ".", "+",  "1,5", "1.2.3", "1e999", "-1",  "101"};
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0", 0}, {"100", 100}, {"1.5", 1.5}, {"+.5", 0.5}, {"2.", 2}, {"1e2", 100}, {"15E-1", 1.5}};
	struct csv_table table = {.file = "t.csv"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct csv_cell cell = {bad[i], 3, 4};
		struct err err = {0};
		double number = 42;
		assert_int_equal(csv_get_real(&table, &cell, "clk", 0, 100, &number, &err), ERR_INPUT);
		assert_true(number == 42);
		assert_int_equal(strncmp(err_text(&err), "t.csv:3:4: clk is ", 18), 0);
		err_clear(&err);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct csv_cell cell = {good[i].text, 1, 1};
		double number = 42;
		assert_int_equal(csv_get_real(&table, &cell, "clk", 0, 100, &number, NULL), ERR_OK);
		assert_true(number == good[i].value);
	}
}

static void test_csv_reports_unreadable_files(void **state)
{
	(void)state;
	struct csv_table table;
	struct err err = {0};
	assert_int_equal(csv_read_file("tests/no_such_file.csv", &table, &err), ERR_IO);
	assert_non_null(strstr(err_text(&err), "tests/no_such_file.csv: "));
	err_clear(&err);
	assert_int_equal(csv_read_file("tests", &table, &err), ERR_IO);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_csv_reads_plain_table),
	    cmocka_unit_test(test_csv_reads_quotes_crlf_and_byte_order_mark),
	    cmocka_unit_test(test_csv_names_each_mistake),
	    cmocka_unit_test(test_csv_reports_all_mistakes_in_one_pass),
	    cmocka_unit_test(test_csv_shows_a_limited_number_of_mistakes),
	    cmocka_unit_test(test_csv_refuses_bytes_that_are_not_utf8),
	    cmocka_unit_test(test_csv_keeps_its_limits),
	    cmocka_unit_test(test_csv_survives_truncation_at_every_byte),
	    cmocka_unit_test(test_csv_survives_random_bytes),
	    cmocka_unit_test(test_csv_reads_numbers_strictly),
	    cmocka_unit_test(test_csv_reports_unreadable_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
