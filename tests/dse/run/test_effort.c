/* SPDX-License-Identifier: Apache-2.0 */
/* --effort stands for other options, and leaves what is given beside it. */

#include "tests/support/unit_test.h"

#include "dse/run/effort.h"
#include <string.h>

static void test_effort_leaves_what_is_given(void **state)
{
	struct explore_request quick = {0}, flat = {.flat = true}, coarse = {.has_epsilon = true, .epsilon_pct = 3.0},
			       signoff = {.engine = "exhaustive"},
			       limited = {.has_max_evaluations = true, .max_evaluations = 7};
	struct err err = {0};
	(void)state;
	assert_int_equal(effort_apply("quick", &quick, &err), ERR_OK);
	assert_string_equal(quick.engine, "exact");
	assert_true(quick.epsilon_pct == EFFORT_QUICK_EPSILON_PCT);
	assert_int_equal(quick.max_evaluations, 0);
	assert_true(quick.has_max_evaluations);
	assert_false(quick.verify);
	assert_int_equal(effort_apply("quick", &flat, &err), ERR_OK);
	assert_string_equal(flat.engine, "nsga2");
	assert_int_equal(flat.max_evaluations, EFFORT_QUICK_EVALUATIONS);
	assert_true(flat.epsilon_pct == 0.0);
	assert_int_equal(effort_apply("quick", &coarse, &err), ERR_OK);
	assert_true(coarse.epsilon_pct == 3.0);
	assert_int_equal(effort_apply("signoff", &signoff, &err), ERR_OK);
	assert_string_equal(signoff.engine, "exhaustive");
	assert_true(signoff.verify && signoff.audit);
	assert_int_equal(effort_apply("normal", &limited, &err), ERR_OK);
	assert_string_equal(limited.engine, "exact");
	assert_int_equal(limited.max_evaluations, 7);
	assert_int_equal(effort_apply(NULL, &limited, &err), ERR_OK);
}

static void test_effort_names_what_is_allowed(void **state)
{
	struct explore_request request = {0};
	struct err err = {0};
	(void)state;
	assert_int_equal(effort_apply("quik", &request, &err), ERR_USAGE);
	assert_non_null(strstr(err_text(&err), "dse explore: --effort is 'quik'"));
	assert_non_null(strstr(err_text(&err), "did you mean 'quick'?"));
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_effort_leaves_what_is_given),
	    cmocka_unit_test(test_effort_names_what_is_allowed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
