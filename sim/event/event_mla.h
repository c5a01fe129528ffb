/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_MLA_H
#define SIM_EVENT_MLA_H
/*
 * A PE's MLA in the event tier, internal to the tier: the rounds of its task
 * (event_plan.c), what it does clock by clock (event_mla.c), and the check that
 * some MLA can do a task at all (event_task.c).
 */
#include "sim/event/event_unit.h"
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

enum event_mla_phase { EVENT_DONE, EVENT_WAIT_START, EVENT_MULTIPLY, EVENT_OUTPUT, EVENT_INTERRUPT };

struct event_mla {
	struct event_plan plan;
	uint32_t source; /* PE whose SRAM has operand A */
	bool a_is_local; /* matmul from the own SRAM: not through the router */
	enum event_mla_phase phase;
	uint64_t row, block; /* round in work */
	uint64_t n_tap;      /* of the round done */
	uint64_t start_clk;
	uint64_t phase_clk; /* EVENT_WAIT_START, EVENT_OUTPUT, EVENT_INTERRUPT: the phase ends */
	uint32_t op;        /* that it works for; of no meaning in a QPE alone */

	/* MACs in work: n_run taps until run_clk, the clock after the last. */
	uint64_t n_run, run_clk;

	/* operand B: taps done of the kernel row, taps the pixels at hand suffice for, the read under way */
	uint64_t tap, n_reach;
	uint32_t n_first;
	bool b_asked;
	uint64_t b_clk; /* pixels are there */

	/* operand A; clocks that have passed or do not apply are 0 */
	uint64_t a_byte;                 /* in the buffer and the register behind it */
	uint64_t n_a_way;                /* streamed packets on their way */
	uint64_t n_a_to_ask;             /* convolution: packets of the stream still to ask for ... */
	uint64_t a_next_clk, a_next_num; /* ... the next one, a_next_num / a_period_den clocks after a_next_clk */
	bool a_outstanding;              /* matmul: a packet was asked for */
	uint64_t a_ask_clk, a_ask_tap;   /* matmul: the request leaves; taps done when A ran low */
	uint64_t a_local_clk;            /* matmul, own SRAM: the packet comes */
	uint64_t n_a_drop;               /* packets on their way that nobody wants any more */

	uint64_t end_clk, done_clk; /* replayed clocks included: last result handed over; in SRAM */
	uint64_t *count;            /* [EVENT_N_COUNT] of the PE */
};

struct event_qpe;

/* ERR_INPUT: a task that no MLA runs, of PE `pe`. */
enum err_code event_task_check(const struct event_task *task, unsigned pe, struct err *err);
/* Fill plan; the task was checked. */
void event_plan(const struct machine *machine, const struct event_task *task, struct event_plan *plan);
/* Run the MLA of a PE for the present clock. */
void event_mla_step(struct event_qpe *qpe, uint32_t pe);
/* A packet of operand A has come. */
void event_mla_receive(struct event_qpe *qpe, uint32_t pe);
/* in_round: without what counts on within a round (struct place of event_replay.c). */
void event_mla_save(const struct event_mla *mla, uint64_t clk, bool in_round, struct event_state *state);
/* Bytes of operand A at hand with which neither taps nor requests wait for any more. */
static inline uint64_t event_mla_enough_a(const struct event_mla *mla)
{
	if (mla->plan.a_buffer_byte > 0) /* every byte decides whether there is room */
		return UINT64_MAX / 2;
	return mla->plan.low_a_byte + (mla->plan.kernel_w + 1) * mla->plan.tap_a_byte;
}

/* Clocks at least until the task has ended. */
uint64_t event_mla_least_clk(const struct event_mla *mla, uint64_t clk);

/* Begin a task on a PE: operand A from PE `source` of the QPE, at start_clk. */
void event_mla_start(struct event_qpe *qpe, uint32_t pe, const struct event_plan *plan, uint32_t source,
                     uint64_t start_clk);

#endif
