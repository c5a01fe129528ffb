/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_QPE_H
#define SIM_EVENT_QPE_H
/*
 * A QPE of the event tier and its MLAs, internal to the tier: what the MLA does
 * (event_mla.c), how the blocks are wired (event_qpe.c), and the replay of what
 * recurs (event_replay.c).
 */
#include "sim/event_queue.h"
#include "sim/event_unit.h"
#include "sim/mla_operand.h"

/* Units of a PE, in the order in which they run in a clock. */
enum event_unit { EVENT_PORT, EVENT_MLA, EVENT_SRAM, EVENT_UNIT_PER_PE };

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
	uint64_t n_block;                    /* rounds of a row */
	uint64_t n_row, n_full_row;          /* rows in all; rows whose results fill all array rows */
	uint64_t full_write[2],
	    last_write[2]; /* ports of results: [0] full rows, [1] the rest; last_write: last block */
};

enum event_mla_phase { EVENT_WAIT_START, EVENT_MULTIPLY, EVENT_OUTPUT, EVENT_DONE };

struct event_mla {
	struct event_plan plan;
	uint32_t source; /* PE whose SRAM has operand A */
	bool a_is_local; /* matmul from the own SRAM: not through the router */
	enum event_mla_phase phase;
	uint64_t row, block; /* round in work */
	uint64_t n_tap;      /* of the round done */
	uint64_t start_clk;
	uint64_t phase_clk; /* EVENT_WAIT_START, EVENT_OUTPUT: the phase ends */

	/* MACs in work: n_run taps until run_clk, the clock after the last. */
	uint64_t n_run, run_clk;

	/* operand B: taps done of the kernel row, taps the pixels at hand suffice for, the read under way */
	uint64_t tap, n_reach;
	uint32_t n_first;
	bool b_asked;
	uint64_t b_clk; /* pixels are there */

	/* operand A; clocks that have passed or do not apply are 0 */
	uint64_t a_byte;                 /* in the buffer and the register behind it */
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
/* Fill plan; the task was checked. */
void event_plan(const struct machine *machine, const struct event_task *task, struct event_plan *plan);
/* Run the MLA of a PE for the present clock. */
void event_mla_step(struct event_qpe *qpe, uint32_t pe);
/* A packet of operand A has come. */
void event_mla_receive(struct event_qpe *qpe, uint32_t pe);
void event_mla_save(const struct event_mla *mla, uint64_t clk, struct event_state *state);

/* ---- a QPE ---- */

struct event_qpe {
	struct event_queue queue;
	struct event_noc noc;
	uint32_t n_pe, packet_byte;
	struct event_sram sram[EVENT_MAX_PE];
	struct event_mla mla[EVENT_MAX_PE];
	uint64_t count[EVENT_MAX_PE][EVENT_N_COUNT];
	uint32_t n_running;
	uint32_t lead;     /* the first PE that still runs ... */
	bool row_begins;   /* ... has just begun a row of rounds: a place to compare states */
	uint64_t base_clk; /* clocks replayed, to be added to those of the queue */
};

static inline void event_wake(struct event_qpe *qpe, uint64_t clk, uint32_t pe, enum event_unit unit)
{
	event_queue_wake(&qpe->queue, clk, pe * EVENT_UNIT_PER_PE + unit);
}

/* Put a packet into the router in the present clock, for PE `to`. */
void event_qpe_send(struct event_qpe *qpe, uint32_t to, struct event_message message);

/* ---- replay ---- */

struct event_replay;
/* NULL: no memory. */
struct event_replay *event_replay_new(void);
void event_replay_free(struct event_replay *replay);

/*
 * Compare the state of all units with those kept from earlier beginnings of a
 * row. If one recurs, what lies between is what comes next, over and over: skip
 * as many whole periods as all PEs have rows of the same kind left. Otherwise
 * keep the state.
 */
void event_replay_step(struct event_replay *replay, struct event_qpe *qpe);

#endif
