/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_MLA_H
#define SIM_EVENT_MLA_H
/* State of a PE's MLA in the event tier. What it does from clock to clock is event_qpe_mla.c's. */
#include "sim/event/event_count.h"
#include "sim/event/event_fifo.h"
#include "sim/event/event_plan.h"

enum event_mla_phase { EVENT_DONE, EVENT_WAIT_START, EVENT_MULTIPLY, EVENT_OUTPUT, EVENT_INTERRUPT };

struct event_mla {
	struct event_plan plan;
	uint32_t source; /* PE whose SRAM has operand A */
	bool a_is_local; /* matmul from the own SRAM: its requests do not pass the router */
	enum event_mla_phase phase;
	uint64_t row, block; /* round in work */
	uint64_t n_tap;      /* of the round done */
	uint64_t start_clk;
	uint64_t phase_clk; /* EVENT_WAIT_START, EVENT_OUTPUT, EVENT_INTERRUPT: the phase ends */
	uint32_t op, shape; /* that it works for, and the number of its task's shape; of no meaning in a QPE alone */

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
	uint64_t a_leave_clk;            /* matmul, own SRAM: the last packet has left for the router */
	uint64_t n_a_drop;               /* packets on their way that nobody wants any more */

	/* Replayed clocks included: last result handed over; in SRAM; the ARM core's report leaves. */
	uint64_t end_clk, done_clk, report_clk;
	uint64_t *count; /* [EVENT_N_COUNT] of the PE */
};

/* Where a PE is: what a state leaves out. */
struct event_place {
	uint64_t row, block, n_tap, n_a_to_ask, a_byte;
};

static inline struct event_place event_mla_place(const struct event_mla *mla)
{
	return (struct event_place){mla->row, mla->block, mla->n_tap, mla->n_a_to_ask, mla->a_byte};
}

/* in_round: without what counts on within a round (struct event_place). */
void event_mla_save(const struct event_mla *mla, uint64_t clk, bool in_round, struct event_state *state);
/* Bytes of operand A at hand with which neither taps nor requests wait for any more. */
static inline uint64_t event_mla_enough_a(const struct event_mla *mla)
{
	if (mla->plan.a_buffer_byte > 0) /* every byte decides whether there is room */
		return UINT64_MAX / 2;
	return mla->plan.low_a_byte + (mla->plan.kernel_w + 1) * mla->plan.tap_a_byte;
}

/*
 * Periods within a round that an MLA which was in the same state at a place has left: taps, requests of operand A's
 * stream, and of its bytes at hand so many that they keep nothing waiting, must last for one period more.
 */
uint64_t event_mla_n_tap_left(const struct event_mla *mla, const struct event_place *from);
/* Skip so many of them: only what counts on moves. */
void event_mla_skip_tap(struct event_mla *mla, const struct event_place *from, uint64_t n_period);

/* Clocks at least until the task has ended. */
uint64_t event_mla_least_clk(const struct event_mla *mla, uint64_t clk);

#endif
