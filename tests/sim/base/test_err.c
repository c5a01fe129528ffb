/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "sim/base/err.h"
#include <stdlib.h>
#include <string.h>

static void test_err_is_empty_at_first(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(err.code, ERR_OK);
	assert_string_equal(err_text(&err), "");
	err_clear(&err);
}

static void test_err_keeps_first_code_and_all_messages(void **state)
{
	(void)state;
	struct err err = {0};
	assert_int_equal(err_add(&err, ERR_INPUT, "%d apples", 3), ERR_INPUT);
	assert_int_equal(err_add(&err, ERR_IO, "pears"), ERR_IO);
	assert_int_equal(err.code, ERR_INPUT);
	assert_int_equal(err.n_message, 2);
	assert_string_equal(err_text(&err), "3 apples\npears\n");
	assert_int_equal(err.n_byte, strlen("3 apples\npears\n"));
	err_clear(&err);
}

static void test_err_names_the_place(void **state)
{
	(void)state;
	struct err err = {0};
	struct err_place at = {"a.yaml", 3, 14}, nowhere = {0};
	assert_int_equal(err_add_at(&err, ERR_INPUT, at, "found '%s'", "x"), ERR_INPUT);
	(void)err_add_at(&err, ERR_INPUT, nowhere, "somewhere");
	assert_string_equal(err_text(&err), "a.yaml:3:14: found 'x'\nsomewhere\n");
	err_clear(&err);
}

static void test_err_without_record_returns_code(void **state)
{
	(void)state;
	struct err_place at = {"a.yaml", 1, 1};
	assert_int_equal(err_add(NULL, ERR_USAGE, "lost"), ERR_USAGE);
	assert_int_equal(err_add_at(NULL, ERR_GATE, at, "lost"), ERR_GATE);
}

static void test_err_grows(void **state)
{
	(void)state;
	struct err err = {0};
	char word[700];
	memset(word, 'w', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	for (unsigned i = 0; i < 1000; i++)
		(void)err_add(&err, ERR_INPUT, "%s", word);
	assert_int_equal(err.n_message, 1000);
	assert_int_equal(strlen(err_text(&err)), 1000 * sizeof(word));
	err_clear(&err);
}

static void test_err_can_be_used_again(void **state)
{
	(void)state;
	struct err err = {0};
	(void)err_add(&err, ERR_INPUT, "first");
	err_clear(&err);
	assert_int_equal(err.code, ERR_OK);
	assert_int_equal(err.n_message, 0);
	(void)err_add(&err, ERR_IO, "second");
	assert_int_equal(err.code, ERR_IO);
	assert_string_equal(err_text(&err), "second\n");
	err_clear(&err);
}

static const char *const names[] = {"mla.array", "pe.sram_byte", "chip.n_dram", "latency_ms", "noc.clk_mhz", "ReLU"};
#define N_NAME (sizeof(names) / sizeof(names[0]))

static void test_err_nearest_finds_slips(void **state)
{
	(void)state;
	assert_string_equal(err_nearest("mla.aray", names, N_NAME), "mla.array");      /* left out */
	assert_string_equal(err_nearest("mla.arrray", names, N_NAME), "mla.array");    /* one too many */
	assert_string_equal(err_nearest("chip.m_dram", names, N_NAME), "chip.n_dram"); /* another letter */
	assert_string_equal(err_nearest("laetncy_ms", names, N_NAME), "latency_ms");   /* swapped */
	assert_string_equal(err_nearest("relu", names, N_NAME), "ReLU");               /* case */
	assert_string_equal(err_nearest("noc.clk_mhz", names, N_NAME), "noc.clk_mhz");
}

static void test_err_nearest_finds_left_out_unit_or_folder(void **state)
{
	(void)state;
	assert_string_equal(err_nearest("latency", names, N_NAME), "latency_ms");
	assert_string_equal(err_nearest("sram_byte", names, N_NAME), "pe.sram_byte");
	static const char *const network[] = {"vgg16_fc_21", "vgg16_conv_1", "vgg16", "vgg16_x"};
	assert_string_equal(err_nearest("vgg", network, 4), "vgg16");
}

static void test_err_nearest_prefers_fewest_edits_then_order(void **state)
{
	(void)state;
	const char *const near[] = {"cab", "car", "cat"};
	assert_string_equal(err_nearest("cat", near, 3), "cat");
	assert_string_equal(err_nearest("caz", near, 3), "cab");
}

static void test_err_nearest_suggests_nothing_far_off(void **state)
{
	(void)state;
	char word[200];
	memset(word, 'a', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	const char *const short_names[] = {"x", "y"};
	const char *const long_names[] = {word};
	assert_null(err_nearest("frequency", names, N_NAME));
	assert_null(err_nearest("", names, N_NAME));
	assert_null(err_nearest("z", short_names, 2));
	assert_null(err_nearest(word, names, N_NAME));
	assert_null(err_nearest("a", long_names, 1));
	assert_null(err_nearest("mla.array", NULL, 0));
}

/* What stands in a file may be no text, or cut in the middle of a character: a terminal sees neither. */
static void test_err_messages_are_printable(void **state)
{
	(void)state;
	struct err err = {0};
	(void)err_add_at(&err, ERR_INPUT, (struct err_place){"a\033.csv", 1, 2}, "'%s' '%.4s' %s", "\033[2J\t\x7f",
	                 "\xc3\xa4\xc3\xa4\xc3\xa4", "\xff\xc0\xafok \xe2\x82\xac");
	assert_string_equal(err_text(&err), "a?.csv:1:2: '?[2J?\?' '\xc3\xa4\xc3\xa4' ?\?\?ok \xe2\x82\xac\n");
	err_clear(&err);
	(void)err_add(&err, ERR_INPUT, "cell 'a\nb': %s", "inner\n");
	assert_string_equal(err_text(&err), "cell 'a b': inner\n");
	err_clear(&err);
	(void)err_add(&err, ERR_INPUT, "%.3s", "\xc3\xa4\xc3\xa4");
	assert_string_equal(err_text(&err), "\xc3\xa4?\n");
	err_clear(&err);
}

static void test_err_keeps_a_thousand_messages(void **state)
{
	(void)state;
	struct err err = {0};
	for (unsigned i = 0; i < 100000; i++)
		(void)err_add_at(&err, ERR_INPUT, (struct err_place){"a", i + 1, 1}, "wrong");
	assert_int_equal(err.n_message, 100000);
	assert_non_null(strstr(err_text(&err), "\na:1000:1: wrong\na:1001:1: more mistakes follow"));
	assert_null(strstr(err_text(&err), "a:1002:"));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_err_messages_are_printable),
	    cmocka_unit_test(test_err_keeps_a_thousand_messages),
	    cmocka_unit_test(test_err_is_empty_at_first),
	    cmocka_unit_test(test_err_keeps_first_code_and_all_messages),
	    cmocka_unit_test(test_err_names_the_place),
	    cmocka_unit_test(test_err_without_record_returns_code),
	    cmocka_unit_test(test_err_grows),
	    cmocka_unit_test(test_err_can_be_used_again),
	    cmocka_unit_test(test_err_nearest_finds_slips),
	    cmocka_unit_test(test_err_nearest_finds_left_out_unit_or_folder),
	    cmocka_unit_test(test_err_nearest_prefers_fewest_edits_then_order),
	    cmocka_unit_test(test_err_nearest_suggests_nothing_far_off),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
