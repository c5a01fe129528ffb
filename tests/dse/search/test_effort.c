/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "dse/search/effort.h"

static void test_effort_leaves_what_is_given(void **state)
{
	struct cli_options quick = {.command = cli_command_table, .effort = "quick"};
	struct cli_options signoff = {.command = cli_command_table, .effort = "signoff", .engine = "exhaustive"};
	struct err err = {0};

	(void)state;
	assert_int_equal(effort_apply(&quick, &err), ERR_OK);
	assert_string_equal(quick.engine, "nsga2");
	assert_int_equal(quick.max_evaluations, EFFORT_QUICK_EVALUATIONS);
	assert_false(quick.verify);
	assert_int_equal(effort_apply(&signoff, &err), ERR_OK);
	assert_string_equal(signoff.engine, "exhaustive");
	assert_true(signoff.verify && signoff.audit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_effort_leaves_what_is_given),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
