/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_QPE_H
#define SIM_EVENT_QPE_H
/*
 * A QPE of the event tier: PEs and their router as one queue of events (event_qpe.c), what its MLAs do
 * (event_qpe_mla.c), and the replay of what recurs (event_qpe_replay.c).
 */
#include "sim/event/event_mla.h"
#include "sim/event/event_noc.h"
#include "sim/event/event_queue.h"
#include "sim/event/event_sram.h"
#include "sim/base/stop.h"

/* Units of a PE, in the order in which they run in a clock; after those of all PEs the router's links. */
enum event_unit { EVENT_PORT, EVENT_MLA, EVENT_SRAM, EVENT_DMA, EVENT_UNIT_PER_PE };

/* ---- DMA: reads packets for an operation, one a clock, one operation after the other ---- */

struct event_dma {
	struct event_fifo command;
	uint64_t command_clk;        /* of the newest */
	uint32_t n_left;             /* packets of the operation in work */
	struct event_message packet; /* of it */
	uint64_t begin_clk;
};

/* ---- a QPE ---- */

struct event_chip;

struct event_qpe {
	struct stop_watch
	    *watch; /* of the chip; a run ends early, in the middle of it, once it has come; NULL: never */
	struct event_queue queue;
	struct event_noc noc;
	uint32_t index, first_pe, n_pe, packet_byte; /* first_pe: of the machine's PEs */
	struct event_sram sram[EVENT_MAX_PE];
	struct event_mla mla[EVENT_MAX_PE];
	struct event_dma dma[EVENT_MAX_PE];
	uint64_t count[EVENT_MAX_PE][EVENT_N_COUNT];
	uint32_t n_running;
	uint32_t lead;     /* the first PE that still runs ... */
	bool row_begins;   /* ... has just begun a row of rounds: a place to compare states, ... */
	bool round_begins; /* ... any round, ... */
	bool tap_begins;   /* ... or is within a round where operands A and B begin anew together: another */
	uint64_t n_round;  /* begun, all PEs */
	uint64_t base_clk, base_noc_clk; /* PE and NoC clocks replayed, to be added to those of the queue */
	uint64_t shared_clk;             /* of the queue's clocks, those taken over from other rounds */
	struct event_rounds *rounds;     /* of all QPEs of a chip; NULL: none are shared */
	struct event_taps *taps;         /* the same */

	/* On a chip; a QPE alone has no links. */
	struct event_chip *chip;
	uint32_t agent; /* QPE where the host's agent for this one sits */
	bool is_traced;
	uint32_t n_link;
	struct event_fifo *link; /* [n_link] packets on their way to the router, by NoC clocks of the chip */
	uint64_t link_clk;       /* the links are woken; UINT64_MAX: they are not */
};

/* QPE `index` of a machine at an operating point; not to be used where memory is out. */
void event_qpe_init(struct event_qpe *qpe, const struct machine *machine, uint32_t level, uint32_t index,
                    uint32_t n_link, struct arena *memory);

struct event_replay;
/* Run all events before limit_clk (base_clk included); replay may be NULL. */
void event_qpe_run(struct event_qpe *qpe, uint64_t limit_clk, struct event_replay *replay);

/* Nothing is in it that came from outside or goes there, and no task has ended: tasks of its own are all that runs. */
bool event_qpe_is_alone(const struct event_qpe *qpe);

/* Clock of the next event, base_clk included; UINT64_MAX: none. */
static inline uint64_t event_qpe_next_clk(const struct event_qpe *qpe)
{
	uint64_t clk = event_queue_peek(&qpe->queue);
	return clk == UINT64_MAX ? clk : clk + qpe->base_clk;
}

/* Replay PE clocks: states recur only whole NoC clocks apart. */
static inline void event_qpe_add_base(struct event_qpe *qpe, uint64_t clk)
{
	qpe->base_clk += clk;
	qpe->base_noc_clk = qpe->base_clk * qpe->noc.noc_khz / qpe->noc.pe_khz;
}

/* A packet comes over a link at a NoC clock of the chip. Returns the PE clock of that, base_clk included. */
uint64_t event_qpe_push_link(struct event_qpe *qpe, uint32_t link, struct event_message message);

static inline void event_wake(struct event_qpe *qpe, uint64_t clk, uint32_t pe, enum event_unit unit)
{
	event_queue_wake(&qpe->queue, clk, pe * EVENT_UNIT_PER_PE + unit);
}

/* Put a packet into the router in the present clock. */
void event_qpe_send(struct event_qpe *qpe, struct event_message message);

/* Report an operation to the host when the PE's SRAM has served all that came before. */
void event_qpe_report(struct event_qpe *qpe, uint32_t pe, uint32_t op);

/* Read a packet of operand A for the PE's own MLA, by way of the router; returns the clock in which it leaves. */
uint64_t event_qpe_read_own(struct event_qpe *qpe, uint32_t pe);

/* ---- MLA ---- */

/* Run the MLA of a PE for the present clock. */
void event_qpe_step_mla(struct event_qpe *qpe, uint32_t pe);
/* A packet of operand A has come. */
void event_qpe_receive_a(struct event_qpe *qpe, uint32_t pe);
/* Begin a task on a PE: operand A from PE `source` of the QPE, at start_clk. */
void event_qpe_start_task(struct event_qpe *qpe, uint32_t pe, const struct event_plan *plan, uint32_t source,
                          uint64_t start_clk);

/* ---- replay ---- */

/* NULL: no memory. */
struct event_replay *event_replay_new(struct arena *memory);

/*
 * Where qpe->row_begins or tap_begins: compare the state of all units with those
 * kept from earlier such places. If one recurs, what lies between is what comes
 * next, over and over: skip as many whole periods as all PEs have left and
 * limit_clk (base_clk included) allows. Otherwise keep the state.
 */
void event_replay_step(struct event_replay *replay, struct event_qpe *qpe, uint64_t limit_clk);

/* Forget what is kept: something came from outside, or tasks changed. */
void event_replay_reset(struct event_replay *replay);

/*
 * Rounds that some QPE has run before: from the same state of a QPE alone, from where its leading PE begins a round to
 * where it begins the next, the same comes of it in any QPE.
 */
/* NULL: no memory. */
struct event_rounds *event_rounds_new(struct arena *memory);
/* Forget all: shapes of tasks may have other numbers from here on, or what is simulated is not to depend on it. */
void event_rounds_forget(struct event_rounds *rounds);
/* A QPE begins to run alone: what another one has begun to record is of no use. */
void event_rounds_begin(struct event_rounds *rounds);
/* Where qpe->round_begins, before states are compared: keep what has come since the round before. */
void event_rounds_keep(struct event_rounds *rounds, const struct event_qpe *qpe);
/* And afterwards: true if the round is known and has been taken over, so that the next one begins; limit_clk as
 * event_qpe_run. replay forgets what the round would have made it forget. */
bool event_rounds_take(struct event_rounds *rounds, struct event_qpe *qpe, uint64_t limit_clk,
                       struct event_replay *replay);

/*
 * Stretches within rounds that some QPE has run before: from the same state of a QPE alone, from where its leading PE
 * begins a round or a period of taps to where it begins the next.
 */
/* NULL: no memory. */
struct event_taps *event_taps_new(struct arena *memory);
/* As of rounds. */
void event_taps_forget(struct event_taps *taps);
void event_taps_begin(struct event_taps *taps);
/* Where qpe->round_begins or tap_begins: keep the stretch that ends here, and take over all that is known from here on;
 * true if something was. limit_clk as event_qpe_run. */
bool event_taps_take(struct event_taps *taps, struct event_qpe *qpe, uint64_t limit_clk);

/*
 * State of a QPE as words relative to its clock, from which another QPE can go on: all but the MLAs, of which those who
 * take states over, rounds and taps, leave out different parts (event_qpe_state.c).
 */
/* Nobody else has a part in what follows, and the events are those that a state has. */
bool event_qpe_is_closed(const struct event_qpe *qpe);
/* Add router, SRAMs and events of a closed QPE; false: they do not fit. */
bool event_qpe_save_around(const struct event_qpe *qpe, struct event_state *state);
/* Load the same, and set the QPE's queue to a clock, not before its own. */
void event_qpe_load_around(struct event_qpe *qpe, uint64_t clk, const uint64_t *word, const uint64_t *end);

/* Clocks of which 0 is none, also where they are relative. */
static inline uint64_t event_to_relative(uint64_t at_clk, uint64_t clk)
{
	return at_clk == 0 ? 0 : at_clk - clk + 1;
}

static inline uint64_t event_from_relative(uint64_t word, uint64_t clk)
{
	return word == 0 ? 0 : word + clk - 1;
}

/* An MLA without a task still waits for a packet of its last one. */
static inline bool event_done_waits(const struct event_mla *mla)
{
	return mla->a_outstanding && mla->a_ask_clk == 0;
}

/* ---- what a QPE asks of the chip that it is part of (event_chip.c); a QPE alone asks nothing ---- */

/* A packet for elsewhere passes this QPE's router in a NoC clock of the QPE's own. */
void event_chip_forward(struct event_chip *chip, struct event_qpe *qpe, uint64_t noc_clk, struct event_message message);
/* A command has come to a PE. */
void event_chip_command(struct event_qpe *qpe, uint32_t pe, uint32_t op);
/* A packet of an operation has reached its PE and is in SRAM; true: it was the last. */
bool event_chip_receive(struct event_chip *chip, uint32_t op);
/* A PE's task has ended. */
void event_chip_end_task(struct event_qpe *qpe, uint32_t pe);
/* A PE's DMA begins an operation: fill in how many packets, and whither. */
void event_chip_begin_dma(struct event_qpe *qpe, uint32_t pe, uint32_t op);
/* A PE's DMA has read the last packet of its operation. */
void event_chip_end_dma(struct event_qpe *qpe, uint32_t pe);
/* A packet passes the router of a QPE that is traced, in a NoC clock of the QPE's own. */
void event_chip_trace_router(struct event_qpe *qpe, uint64_t noc_clk);

#endif
