/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules: what the check lets pass and what not, shapes that are the same, growth. */
#include "tests/support/unit_test.h"
#include "sim/program/schedule.h"
#include "sim/machine/machine_param.h"
#include <string.h>

#define NONE SCHEDULE_NONE

static struct machine chip(void)
{
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	return machine;
}

/* A step with a copy and this operation after it: whether it passes, and what is said. */
static void assert_check(const struct op *op, const char *what)
{
	struct machine machine = chip();
	struct schedule schedule = {0};
	struct err err = {0};
	const struct mla_shape shape = {
	    .kind = MLA_CONV, .operand_bit = 8, .kernel_w = 1, .kernel_h = 1, .conv = {1, 1, 1, 1}};
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_WEIGHT});
	(void)schedule_add_op(&schedule, (struct op){.kind = OP_SYNC, .before = {NONE, NONE}});
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_INPUT});
	(void)schedule_add_op(&schedule, (struct op){.kind = OP_COPY, .peer = 1, .byte = 16, .before = {NONE, NONE}});
	assert_int_equal(schedule_add_shape(&schedule, &shape), 0);
	assert_int_equal(schedule_add_op(&schedule, *op), 2);
	enum err_code code = schedule_check(&schedule, &machine, &err);
	assert_int_equal(code, what ? ERR_INTERNAL : ERR_OK);
	if (what && !strstr(err_text(&err), what))
		fail_msg("said '%s', not '%s'", err_text(&err), what);
	err_clear(&err);
	schedule_free(&schedule);
}

static void test_schedule_check(void **state)
{
	(void)state;
	assert_check(&(struct op){.kind = OP_LOAD, .pe = 143, .peer = 3, .byte = 1, .before = {1, NONE}}, NULL);
	assert_check(&(struct op){.kind = OP_STORE, .pe = 0, .peer = 0, .byte = 1, .before = {NONE, 1}}, NULL);
	assert_check(&(struct op){.kind = OP_TASK, .pe = 4, .peer = 7, .before = {1, NONE}}, NULL);
	assert_check(&(struct op){.kind = OP_LOAD, .pe = 144, .byte = 1, .before = {NONE, NONE}}, "no such PE");
	assert_check(&(struct op){.kind = OP_LOAD, .peer = 4, .byte = 1, .before = {NONE, NONE}}, "no such PE");
	assert_check(&(struct op){.kind = OP_COPY, .peer = 144, .byte = 1, .before = {NONE, NONE}}, "no such PE");
	assert_check(&(struct op){.kind = OP_COPY, .byte = 1, .before = {NONE, NONE}}, "to the PE itself");
	assert_check(&(struct op){.kind = OP_TASK, .pe = 4, .peer = 8, .before = {NONE, NONE}}, "another QPE");
	assert_check(&(struct op){.kind = OP_TASK, .shape = 1, .before = {NONE, NONE}}, "no such task");
	assert_check(&(struct op){.kind = OP_TASK, .byte = 16, .before = {NONE, NONE}}, "bytes of what is none");
	assert_check(&(struct op){.kind = OP_STORE, .before = {NONE, NONE}}, "of no bytes");
	assert_check(&(struct op){.kind = OP_SYNC, .before = {2, NONE}}, "not before it in its step");
	assert_check(&(struct op){.kind = OP_SYNC, .before = {NONE, 0}}, "not before it in its step");
}

static void test_schedule_shapes(void **state)
{
	(void)state;
	struct schedule schedule = {0};
	struct mla_shape task = {
	    .kind = MLA_CONV, .operand_bit = 8, .kernel_w = 3, .kernel_h = 3, .conv = {5, 6, 7, 8}};
	assert_int_equal(schedule_add_shape(&schedule, &task), 0);
	task.pe_shift = 1; /* where operand A lies is the operation's */
	assert_int_equal(schedule_add_shape(&schedule, &task), 0);
	task.is_partial = true;
	assert_int_equal(schedule_add_shape(&schedule, &task), 1);
	task.conv.n_filter++;
	assert_int_equal(schedule_add_shape(&schedule, &task), 2);
	task = (struct mla_shape){.kind = MLA_MATMUL, .operand_bit = 8, .matmul = {5, 6, 7}};
	assert_int_equal(schedule_add_shape(&schedule, &task), 3);
	task.matmul.b_w++;
	assert_int_equal(schedule_add_shape(&schedule, &task), 4);
	task.matmul.b_w--;
	assert_int_equal(schedule_add_shape(&schedule, &task), 3);
	schedule_free(&schedule);
}

/* Steps keep their own operations however many there are. */
static void test_schedule_grows(void **state)
{
	(void)state;
	struct schedule schedule = {0};
	for (uint32_t i = 0; i < 1000; i++) {
		schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_TASKS});
		for (uint32_t k = 0; k < i % 5; k++)
			schedule_add_job(&schedule, (struct job){.part = i});
	}
	assert_int_equal(schedule.n_step, 1000);
	for (uint32_t i = 0, first = 0; i < 1000; i++) {
		assert_int_equal(schedule.step[i].first_job, first);
		assert_int_equal(schedule.step[i].n_job, i % 5);
		for (uint32_t k = 0; k < i % 5; k++)
			assert_int_equal(schedule.job[first++].part, i);
	}
	/* What failed is not run. */
	schedule.failed = true;
	assert_int_equal(schedule_add_op(&schedule, (struct op){.kind = OP_SYNC}), NONE);
	struct machine machine = chip();
	assert_int_equal(schedule_check(&schedule, &machine, NULL), ERR_INTERNAL);
	schedule_free(&schedule);
	assert_int_equal(schedule.n_step, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_schedule_check),
	    cmocka_unit_test(test_schedule_shapes),
	    cmocka_unit_test(test_schedule_grows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
