/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "dse/pareto/indicator.h"
#include "dse/pareto/shortlist.h"
#include "dse/out/table.h"
#include <string.h>

static void test_report_shows_a_short_front_whole(void **state)
{
	struct pareto front;
	size_t chosen[SHORTLIST_MAX], knee;
	(void)state;
	pareto_init(&front, 2, 1);
	for (uint32_t i = 0; i < 5; i++) {
		double objective[2] = {i, 16.0 - i * i};
		assert_true(pareto_insert(&front, objective, &i, 0));
	}
	pareto_sort(&front);
	assert_int_equal(shortlist_choose(&front, SHORTLIST_MAX, chosen, &knee), 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(chosen[i], i);
	pareto_free(&front);
}

/* Both ends and the knee are among the chosen, in order, none twice. */
static void test_report_thins_a_long_front(void **state)
{
	struct pareto front;
	size_t chosen[SHORTLIST_MAX], knee;
	bool has_knee = false;
	(void)state;
	pareto_init(&front, 2, 1);
	for (uint32_t i = 1; i <= 1000; i++) {
		double objective[2] = {i, 1000.0 / i};
		assert_true(pareto_insert(&front, objective, &i, 0));
	}
	pareto_sort(&front);
	size_t n = shortlist_choose(&front, SHORTLIST_MAX, chosen, &knee);
	assert_int_equal(n, SHORTLIST_MAX);
	assert_int_equal(chosen[0], 0);
	assert_int_equal(chosen[n - 1], 999);
	for (size_t i = 0; i < n; i++) {
		has_knee = has_knee || chosen[i] == knee;
		assert_true(i == 0 || chosen[i] > chosen[i - 1]);
	}
	assert_true(has_knee);
	/* x/1000 + 1/x is least at the square root of 1000; the same point as in run.json. */
	assert_in_range(knee, 30, 31);
	assert_int_equal(knee, indicator_knee(front.objective, front.n, 2));
	pareto_free(&front);
}

static void test_table_aligns_columns(void **state)
{
	char text[256];
	struct table table = {0};
	(void)state;
	table_add_column(&table, "name", false);
	table_add_column(&table, "n_clk", true);
	table_add_column(&table, "note", false);
	table_add(&table, "a");
	table_add(&table, "%d", 5);
	table_add(&table, "x");
	table_add(&table, "longer");
	table_add_real(&table, 1234567.0);
	table_add(&table, "%s", "");
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	table_print(&table, file, 1);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, " name      n_clk  note\n a             5  x\n longer  1234567\n");
	table_free(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_report_shows_a_short_front_whole),
	    cmocka_unit_test(test_report_thins_a_long_front),
	    cmocka_unit_test(test_table_aligns_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
