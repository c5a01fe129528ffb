/* SPDX-License-Identifier: Apache-2.0 */
/* Single operations in the event tier, from the host's command to its knowing of the end: measured, and by hand. */
#include "tests/support/unit_test.h"
#include "sim/event/event.h"
#include "sim/machine/latency.h"
#include "sim/machine/machine_param.h"
#include "tests/support/default_machine.h"

static const struct mla_shape conv_task = {
    .kind = MLA_CONV, .operand_bit = 8, .kernel_w = 3, .kernel_h = 3, .conv = {34, 6, 12, 8, 1}};

/* Clocks of a schedule of this operation alone. */
static uint64_t run_op(const struct machine *machine, struct op op)
{
	struct schedule schedule = {0};
	struct sim_result result;
	op.before[0] = op.before[1] = SCHEDULE_NONE;
	schedule_add_step(&schedule, (struct schedule_step){.phase = PHASE_INPUT});
	if (op.kind == OP_TASK)
		op.shape = schedule_add_shape(&schedule, &conv_task);
	schedule_add_op(&schedule, op);
	assert_int_equal(schedule_check(&schedule, machine, NULL), ERR_OK);
	assert_int_equal(event_run_schedule(machine, &schedule, 0, NULL, &result, NULL, NULL), ERR_OK);
	schedule_free(&schedule);
	return result.total_clk;
}

static struct op load(uint32_t byte)
{
	return (struct op){.kind = OP_LOAD, .byte = byte};
}

static struct op copy(uint32_t from, uint32_t to, uint32_t byte)
{
	return (struct op){.kind = OP_COPY, .pe = from, .peer = to, .byte = byte};
}

/* Thesis simulator, re-run: 45 clocks and 2 for each 16 bytes from DRAM, 33 and 1 from one PE of a QPE to another. */
static void test_event_transfer_takes_what_was_measured(void **state)
{
	(void)state;
	struct machine machine = default_machine(MACHINE_QPE, 250);
	for (uint32_t byte = 16; byte <= 65536; byte *= 4) {
		assert_int_equal(run_op(&machine, load(byte)), 45 + 2 * byte / 16);
		assert_int_equal(run_op(&machine, copy(0, 1, byte)), 33 + byte / 16);
		assert_int_equal(run_op(&machine, copy(3, 2, byte)), 33 + byte / 16);
	}
}

/* The same: 4 more for each QPE further away, 2 for the data and 2 for the report. */
static void test_event_transfer_takes_longer_further_away(void **state)
{
	(void)state;
	struct machine machine = default_machine(MACHINE_CHIP, 250);
	uint64_t clk = run_op(&machine, copy(0, 4 * 3, 1024));
	assert_int_equal(run_op(&machine, copy(0, 4 * 4, 1024)), clk + 4);
	assert_int_equal(run_op(&machine, copy(0, 4 * 5, 1024)), clk + 8);
}

/*
 * Host 10, router 2, ARM core 1; the task; the last write 1, ARM core 1, router 2, host 10, and 1 to see it. On its
 * own the task has mla_init_clk and the last write besides.
 */
static void test_event_transfer_of_a_task(void **state)
{
	(void)state;
	struct machine machine = default_machine(MACHINE_QPE, 250);
	struct mla_shape task = conv_task;
	struct event_result result;
	task.pe_shift = 1;
	assert_int_equal(event_run_qpe(&machine, &task, 1, NULL, &result, NULL), ERR_OK);
	assert_int_equal(run_op(&machine, (struct op){.kind = OP_TASK, .pe = 0, .peer = 1}),
	                 10 + 2 + 1 + (result.clk - 13 - 1) + 1 + 1 + 2 + 10 + 1);
}

/* What the events take more on a slower machine is what the fast tier adds to its set-ups (sim/machine/latency.c). */
static void test_event_transfer_latencies_are_the_fast_tiers(void **state)
{
	(void)state;
	const struct machine machine = default_machine(MACHINE_QPE, 250);
	struct machine slow[3] = {machine, machine, machine};
	slow[0].noc_hop_clk += 6;
	slow[1].dram_interface_clk += 5;
	slow[2].chip.host_latency_clk += 7;
	for (int i = 0; i < 3; i++) {
		uint64_t load_clk = run_op(&slow[i], load(256)) - run_op(&machine, load(256));
		uint64_t copy_clk = run_op(&slow[i], copy(0, 1, 256)) - run_op(&machine, copy(0, 1, 256));
		assert_true((double)load_clk == latency_setup_clk(&slow[i], 0, SETUP_SINGLE_LOAD, 45) - 45);
		assert_true((double)copy_clk == latency_setup_clk(&slow[i], 0, SETUP_COPY, 47) - 47);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_event_transfer_takes_what_was_measured),
	    cmocka_unit_test(test_event_transfer_takes_longer_further_away),
	    cmocka_unit_test(test_event_transfer_of_a_task),
	    cmocka_unit_test(test_event_transfer_latencies_are_the_fast_tiers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
