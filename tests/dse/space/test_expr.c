/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include "dse/space/expr.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const name[] = {"chip.n_dram", "dram.clk_mhz", "latency_ms", "a", "order"};
static const char *const unit[] = {"ports", "MHz", "ms", NULL, "us"};
static const double value[] = {4, 250, 43, 3, 7};
#define N_NAME (sizeof(name) / sizeof(name[0]))

static double value_of(const char *text)
{
	struct arena arena = {0};
	struct err err = {0};
	struct expr *expr = expr_parse(text, (struct err_place){0}, name, unit, N_NAME, &arena, &err);
	if (!expr)
		print_error("%s", err_text(&err));
	assert_non_null(expr);
	assert_string_equal(expr_text(expr), text);
	double result = expr_value(expr, value);
	arena_free(&arena);
	err_clear(&err);
	return result;
}

static void test_expr_follows_precedence(void **state)
{
	(void)state;
	assert_true(value_of("1 + 2 * 3") == 7);
	assert_true(value_of("(1 + 2) * 3") == 9);
	assert_true(value_of("10 - 4 - 3") == 3);
	assert_true(value_of("24 / 4 / 2") == 3);
	assert_true(value_of("-2 * -3") == 6);
	assert_true(value_of("2 - -3") == 5);
	assert_true(value_of("1.5e2") == 150);
	assert_true(value_of(" chip.n_dram*dram.clk_mhz<=1000 ") == 1);
	assert_true(value_of("chip.n_dram * dram.clk_mhz < 1000") == 0);
	assert_true(value_of("1 < 2 and 2 < 1 or 3 >= 3") == 1);
	assert_true(value_of("1 < 2 and (2 < 1 or 3 > 3)") == 0);
	assert_true(value_of("not a == 3 or a != 3") == 0);
	assert_true(value_of("not not a == 3") == 1);
	assert_true(value_of("order") == 7); /* begins with a keyword */
}

static void test_expr_division_by_zero_satisfies_nothing(void **state)
{
	(void)state;
	assert_true(isnan(value_of("1 / (a - 3)")));
	static const char *const sign[] = {"<", "<=", ">", ">=", "==", "!="};
	for (size_t i = 0; i < sizeof(sign) / sizeof(sign[0]); i++) {
		char text[64];
		(void)snprintf(text, sizeof(text), "1 / (a - 3) %s 1", sign[i]);
		assert_true(value_of(text) == 0);
	}
	assert_true(value_of("1 / 0 and 1") == 0);
}

static void assert_mistake(const char *text, unsigned column, const char *message)
{
	struct arena arena = {0};
	struct err err = {0};
	char expected[256];
	(void)snprintf(expected, sizeof(expected), "s.yaml:3:%u: '%s': %s", column, text, message);
	assert_null(expr_parse(text, (struct err_place){"s.yaml", 3, 10}, name, unit, N_NAME, &arena, &err));
	assert_int_equal(err.n_message, 1);
	assert_int_equal(err.code, ERR_INPUT);
	if (!strstr(err_text(&err), expected))
		print_error("expected %s\nfound    %s", expected, err_text(&err));
	assert_non_null(strstr(err_text(&err), expected));
	arena_free(&arena);
	err_clear(&err);
}

static void test_expr_mistakes_name_their_column(void **state)
{
	(void)state;
	assert_mistake("", 10, "found the end, allowed a number, a name or '('");
	assert_mistake("a +", 13, "found the end, allowed a number");
	assert_mistake("a + * 2", 14, "found '*', allowed a number");
	assert_mistake("(a + 2", 16, "found the end, allowed ')'");
	assert_mistake("a + 2)", 15, "found ')', allowed an operator");
	assert_mistake("a 2", 12, "found '2', allowed an operator");
	assert_mistake("latency <= 43", 10,
	               "found the name 'latency', allowed the name of a parameter or metric, "
	               "did you mean 'latency_ms'?");
	assert_mistake("1 + chip.n_drum", 14,
	               "found the name 'chip.n_drum', allowed the name of a parameter or metric, "
	               "did you mean 'chip.n_dram'?");
	assert_mistake("1 < a < 3", 16, "found a second comparison");
	assert_mistake("a = 3", 12, "found '=', allowed an operator");
	assert_mistake("a <= 16x4", 15, "found '16x4', allowed a number");
	assert_mistake("a <= 0x10", 15, "found '0x10', allowed a number");
	assert_mistake("a and", 15, "found the end, allowed a number");
	assert_mistake("and a", 10, "found 'and', allowed a number");
	assert_mistake("a & 1", 12, "found '&', allowed an operator");
	assert_mistake("1e999 > a", 10, "found '1e999', allowed a number");
	assert_mistake("\xc3\xa4 + 1", 10, "found");
}

static void test_expr_depth_is_bounded(void **state)
{
	(void)state;
	char text[2001];
	struct arena arena = {0};
	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_null(expr_parse(text, (struct err_place){0}, name, unit, N_NAME, &arena, NULL));
	memset(text, '-', sizeof(text) - 1);
	assert_null(expr_parse(text, (struct err_place){0}, name, unit, N_NAME, &arena, NULL));
	for (size_t i = 0; i + 1 < sizeof(text); i++)
		text[i] = "1+"[i % 2];
	text[sizeof(text) - 2] = '\0';
	assert_null(expr_parse(text, (struct err_place){0}, name, unit, N_NAME, &arena, NULL));
	arena_free(&arena);
}

static bool upper_limit(const char *text, size_t *index, double *max)
{
	struct arena arena = {0};
	struct expr *expr = expr_parse(text, (struct err_place){0}, name, unit, N_NAME, &arena, NULL);
	assert_non_null(expr);
	bool yes = expr_upper_limit(expr, index, max);
	arena_free(&arena);
	return yes;
}

static void test_expr_upper_limit(void **state)
{
	(void)state;
	size_t index = 99;
	double max = 0;
	assert_true(upper_limit("latency_ms <= 43", &index, &max) && index == 2 && max == 43);
	assert_true(upper_limit("2 * (20 + 1) > latency_ms", &index, &max) && index == 2 && max == 42);
	assert_true(upper_limit("a < 1", &index, &max) && index == 3 && max == 1);
	index = 99;
	assert_false(upper_limit("latency_ms >= 43", &index, &max));
	assert_false(upper_limit("latency_ms == 43", &index, &max));
	assert_false(upper_limit("2 * latency_ms <= 43", &index, &max));
	assert_false(upper_limit("latency_ms <= a", &index, &max));
	assert_false(upper_limit("latency_ms <= 1 / 0", &index, &max));
	assert_false(upper_limit("latency_ms <= 43 and a <= 1", &index, &max));
	assert_false(upper_limit("latency_ms", &index, &max));
	assert_int_equal(index, 99);
}

static void test_expr_tells_names_and_kind(void **state)
{
	(void)state;
	struct arena arena = {0};
	struct expr *expr =
	    expr_parse("(1 < a) and not latency_ms", (struct err_place){0}, name, unit, N_NAME, &arena, NULL);
	assert_non_null(expr);
	assert_true(expr_uses(expr, 2) && expr_uses(expr, 3));
	assert_false(expr_uses(expr, 0) || expr_uses(expr, 1) || expr_uses(expr, 4));
	assert_true(expr_is_condition(expr));
	assert_false(expr_is_condition(expr_parse("a * 2", (struct err_place){0}, name, unit, N_NAME, &arena, NULL)));
	assert_true(expr_is_condition(expr_parse("a == 2", (struct err_place){0}, name, unit, N_NAME, &arena, NULL)));
	arena_free(&arena);
}

static void test_expr_numbers_are_decimal(void **state)
{
	static const char *const bad[] = {"a < 0x10", "a < 0X10", "a < 0x1p3", "a < 1e", "a < 1e999", "a < 1.5.2"};
	struct arena arena = {0};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_null(expr_parse(bad[i], (struct err_place){0}, name, unit, N_NAME, &arena, NULL));
	assert_non_null(expr_parse("a < 1.5e-1", (struct err_place){0}, name, unit, N_NAME, &arena, NULL));
	arena_free(&arena);
}

static bool missed(const char *text, double *left, double *right)
{
	struct arena arena = {0};
	struct err err = {0};
	struct expr *expr = expr_parse(text, (struct err_place){0}, name, unit, N_NAME, &arena, &err);
	assert_non_null(expr);
	bool is_missed = expr_missed_sides(expr, value, left, right);
	arena_free(&arena);
	err_clear(&err);
	return is_missed;
}

static void test_expr_tells_the_sides_that_miss(void **state)
{
	double left = 0, right = 0;
	(void)state;
	assert_true(missed("dram.clk_mhz * 2 < a", &left, &right));
	assert_true(left == 500 && right == 3);
	assert_true(missed("a == 3 and chip.n_dram >= order + 1", &left, &right));
	assert_true(left == 4 && right == 8);
	assert_true(missed("a == 4 or order == 8", &left, &right));
	assert_true(left == 3 && right == 4);
	assert_false(missed("a == 3", &left, &right));
	assert_false(missed("not a == 3", &left, &right));
}

static const char *mistake(const char *text, struct err *err)
{
	struct arena arena = {0};
	err_clear(err);
	assert_null(expr_parse(text, (struct err_place){"f", 1, 1}, name, unit, N_NAME, &arena, err));
	arena_free(&arena);
	return err_text(err);
}

static void test_expr_suggests_names(void **state)
{
	struct err err = {0};
	(void)state;
	assert_non_null(strstr(mistake("n_dram <= 3", &err), "did you mean 'chip.n_dram'?"));
	assert_non_null(strstr(mistake("latency_of_all <= 3", &err), "did you mean 'latency_ms'?"));
	assert_non_null(strstr(mistake("zzzzzzzzzz <= 3", &err), "chip.n_dram, dram.clk_mhz, latency_ms, a, order"));
	err_clear(&err);
}

/* The unit of what it is compared with: latency_ms 43, order 7 us, dram.clk_mhz 250. */
static void test_expr_numbers_have_units(void **state)
{
	size_t index = 0;
	double max = 0;
	(void)state;
	assert_true(upper_limit("latency_ms <= 5000us", &index, &max) && index == 2 && max == 5);
	assert_true(upper_limit("latency_ms <= 0.3 s", &index, &max) && max == 300);
	assert_true(upper_limit("2 * 5 ms > latency_ms", &index, &max) && max == 10);
	assert_true(value_of("latency_ms <= 43000us") == 1 && value_of("latency_ms < 43000us") == 0);
	assert_true(value_of("latency_ms <= 42999 us or dram.clk_mhz >= 0.25GHz") == 1);
	assert_true(value_of("chip.n_dram * dram.clk_mhz <= 1GHz") == 1);
	assert_true(value_of("chip.n_dram * dram.clk_mhz < 1GHz and a == 3") == 0);
	/* each comparison for itself, brackets included */
	assert_true(value_of("order == 0.007ms and latency_ms == 0.043 s") == 1);
	assert_true(value_of("(latency_ms + 7ms) == 50") == 1);
	assert_true(value_of("(order <= 7000ns) + 1 == 2") == 1);
	assert_true(value_of("latency_ms - 3ms/2 == 41.5") == 1);
	assert_mistake("a <= 5ms", 15, "found '5ms', allowed a plain number, or a unit of what a name");
	assert_mistake("latency_ms <= 5 MHz", 24, "found '5 MHz', allowed a plain number, or a unit");
	assert_mistake("latency_ms <= order + 5ms", 32,
	               "found '5ms', allowed a plain number: what it is compared with is in two units of the kind");
	assert_mistake("latency_ms <= 5 mss", 26, "found 'mss', allowed an operator");
	assert_mistake("latency_ms <= 5mss", 24, "found '5mss', allowed a number");
	assert_mistake("5ms", 10, "found '5ms', allowed a plain number, or a unit");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_expr_tells_the_sides_that_miss),
	    cmocka_unit_test(test_expr_suggests_names),
	    cmocka_unit_test(test_expr_follows_precedence),
	    cmocka_unit_test(test_expr_division_by_zero_satisfies_nothing),
	    cmocka_unit_test(test_expr_mistakes_name_their_column),
	    cmocka_unit_test(test_expr_depth_is_bounded),
	    cmocka_unit_test(test_expr_upper_limit),
	    cmocka_unit_test(test_expr_tells_names_and_kind),
	    cmocka_unit_test(test_expr_numbers_are_decimal),
	    cmocka_unit_test(test_expr_numbers_have_units),
	};
	return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
