/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_PLAN_H
#define SIM_EVENT_PLAN_H
/* What an MLA of the event tier has to do for a task: its rounds, and what each of them moves. */
#include "sim/base/err.h"
#include "sim/mla/mla.h"
#include "sim/mla/mla_operand.h"

/* Rounds of a task. A row of rounds is the unit that recurs: n_block rounds, the last maybe narrower. */
struct event_plan {
	bool is_matmul, has_task;
	struct operand_rate rate;
	uint32_t kernel_w;
	uint64_t n_round_tap;                /* MACs of a round, in taps */
	uint64_t n_round_a;                  /* packets of operand A a round */
	uint64_t tap_a_byte;                 /* of operand A a tap */
	uint64_t a_period_num, a_period_den; /* clocks from packet to packet of a convolution's stream */
	uint64_t low_a_byte;                 /* matmul: A is asked for when no more are there */
	bool round_waits, matmul_streams;    /* as in struct machine */
	uint64_t turn_clk;
	uint64_t a_buffer_byte;     /* 0: no bound */
	uint64_t last_ahead;        /* pixels beyond its columns that the first reads of B bring a row's last block */
	uint64_t n_period_tap;      /* after so many taps packets of A and kernel rows begin together again */
	uint64_t n_block;           /* rounds of a row */
	uint64_t n_row, n_full_row; /* rows in all; rows whose results fill all array rows */
	uint64_t full_write[2],
	    last_write[2]; /* ports of results: [0] full rows, [1] the rest; last_write: last block */
};

/* ERR_INPUT: a task that no MLA runs, of PE `pe`. */
enum err_code event_plan_check(const struct mla_shape *task, unsigned pe, struct err *err);
/* Fill plan; the task was checked. */
void event_plan_task(const struct machine *machine, const struct mla_shape *task, struct event_plan *plan);

#endif
