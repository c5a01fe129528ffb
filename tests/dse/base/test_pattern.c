/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include "dse/base/pattern.h"
#include <string.h>

static bool matches(const char *text, const char *subject)
{
	struct pattern pattern;
	bool yes = false;
	assert_int_equal(pattern_compile(text, (struct err_place){0}, &pattern, NULL), ERR_OK);
	assert_int_equal(pattern_match(&pattern, subject, &yes, NULL), ERR_OK);
	pattern_free(&pattern);
	assert_null(pattern.code);
	return yes;
}

static void test_pattern_matches_names_of_operations(void **state)
{
	(void)state;
	assert_true(matches("^CONV_(SC_)?\\d+$", "CONV_12"));
	assert_true(matches("^CONV_(SC_)?\\d+$", "CONV_SC_5"));
	assert_false(matches("^CONV_(SC_)?\\d+$", "FC_19"));
	assert_false(matches("^CONV_1$", "CONV_12"));
	assert_true(matches("1", "CONV_12")); /* no anchors are implied */
	assert_true(matches("^(?!FC_)", "CONV_1"));
	assert_false(matches("^(?!FC_)", "FC_1"));
	assert_true(matches("", "CONV_1"));
}

static void test_pattern_mistake_names_its_column(void **state)
{
	(void)state;
	struct pattern pattern;
	struct err err = {0};
	struct err_place at = {"space.yaml", 7, 12};
	assert_int_equal(pattern_compile("^CONV_(SC_", at, &pattern, &err), ERR_INPUT);
	assert_null(pattern.code);
	assert_int_equal(err.n_message, 1);
	assert_int_equal(strncmp(err_text(&err), "space.yaml:7:22: pattern '^CONV_(SC_': ", 39), 0);
	assert_non_null(strstr(err_text(&err), "parenthesis"));
	assert_non_null(strstr(err_text(&err), "allowed a Perl-compatible regular expression"));
	err_clear(&err);

	/* two bytes before the mistake are one character */
	assert_int_equal(pattern_compile("\xc3\xa4(b", at, &pattern, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "space.yaml:7:15: "));
	err_clear(&err);

	/* without a file there is no place, but the character */
	assert_int_equal(pattern_compile("*", (struct err_place){0}, &pattern, &err), ERR_INPUT);
	assert_int_equal(strncmp(err_text(&err), "pattern '*'", 11), 0);
	assert_non_null(strstr(err_text(&err), "(at character "));
	err_clear(&err);
}

static void test_pattern_runaway_is_stopped(void **state)
{
	(void)state;
	struct pattern pattern;
	struct err err = {0};
	bool yes = true;
	assert_int_equal(pattern_compile("^(A|A?)+$(?<!A)", (struct err_place){0}, &pattern, NULL), ERR_OK);
	enum err_code code = pattern_match(&pattern, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB", &yes, &err);
	assert_false(yes);
	assert_int_equal(code, ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "nested repetition"));
	err_clear(&err);
	pattern_free(&pattern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pattern_matches_names_of_operations),
	    cmocka_unit_test(test_pattern_mistake_names_its_column),
	    cmocka_unit_test(test_pattern_runaway_is_stopped),
	};
	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
