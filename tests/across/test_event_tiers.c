/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that nobody has measured: arrays and rounds that do not end on whole
 * packets of operand A. The tiers share no code for them, so each checks the other.
 */
#include "tests/support/unit_test.h"
#include "sim/event/event.h"
#include "sim/machine/machine_param.h"
#include <math.h>

static struct machine array(uint32_t cols, uint32_t rows)
{
	struct machine machine;
	machine_init(&machine, MACHINE_QPE);
	machine.mla_cols = cols;
	machine.mla_rows = rows;
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	return machine;
}

/* The same product on all four PEs, operand A from pe_shift further, in both tiers. */
static void run_both(const struct machine *machine, struct mla_matmul_task matmul, uint32_t pe_shift,
                     struct event_result *event, double *fast_clk)
{
	struct mla_shape task = {.kind = MLA_MATMUL, .operand_bit = 8, .pe_shift = pe_shift, .matmul = matmul};
	struct mla_shape all[4] = {task, task, task, task};
	struct mla_cost cost;
	assert_int_equal(machine->qpe_n_pe, 4);
	assert_int_equal(event_run_qpe(machine, all, 4, NULL, event, NULL), ERR_OK);
	mla_matmul_cost(machine, &matmul, pe_shift, 8, &cost);
	*fast_clk = cost.shared_clk;
}

/*
 * Operand A from another PE: nothing but its way, the buffer's low mark and the
 * packets kept from round to round time it, and of these both tiers know the
 * same. 3 rows: a low mark between taps; 2 rows: packets kept for the next round.
 */
static void test_event_tiers_agree_on_foreign_products(void **state)
{
	(void)state;
	for (uint32_t rows = 3; rows <= 4; rows++) {
		for (uint32_t a_w = 96; a_w <= 112; a_w++) {
			struct machine machine = array(16, rows);
			struct event_result event;
			double fast_clk;
			run_both(&machine, (struct mla_matmul_task){a_w, rows, 256}, 1 + a_w % 3, &event, &fast_clk);
			if (fabs((double)event.clk - fast_clk) > 1)
				fail_msg("%u rows of %u: %llu and %.1f clocks", rows, a_w,
				         (unsigned long long)event.clk, fast_clk);
		}
	}
}

/* Rounds of two rows whose last packet is not used up: the next round's is asked for too late to be kept. */
static void test_event_tiers_agree_on_packets_given_up(void **state)
{
	(void)state;
	struct machine machine = array(16, 2);
	for (uint32_t a_w = 96; a_w <= 112; a_w++) {
		struct event_result event;
		double fast_clk;
		run_both(&machine, (struct mla_matmul_task){a_w, 2, 256}, 1, &event, &fast_clk);
		uint64_t n_round = 16, n_packet = n_round * ((a_w + 7) / 8);
		uint64_t n_given_up = event.pe[0].count[EVENT_A_PACKET] - n_packet;
		assert_true(fabs((double)event.clk - fast_clk) < 0.002 * fast_clk);
		/* the last round's early packet serves nobody, either */
		if (a_w % 8 == 0)
			assert_int_equal(n_given_up, 1);
		else if (a_w % 8 == 7)
			assert_int_equal(n_given_up, n_round);
	}
}

/* Operand A from the own SRAM competes with operand B there, which the closed form knows on average only. */
static void test_event_tiers_agree_on_own_products(void **state)
{
	(void)state;
	for (uint32_t rows = 1; rows <= 4; rows++) {
		for (uint32_t a_w = 96; a_w <= 112; a_w++) {
			struct machine machine = array(16, rows);
			struct event_result event;
			double fast_clk;
			run_both(&machine, (struct mla_matmul_task){a_w, rows, 256}, 0, &event, &fast_clk);
			assert_true(fabs((double)event.clk - fast_clk) < 0.035 * fast_clk);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_event_tiers_agree_on_foreign_products),
	    cmocka_unit_test(test_event_tiers_agree_on_packets_given_up),
	    cmocka_unit_test(test_event_tiers_agree_on_own_products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
