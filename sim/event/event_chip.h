/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_CHIP_H
#define SIM_EVENT_CHIP_H
/*
 * A chip of the event tier, internal to the tier: QPEs in a mesh, DRAM
 * interfaces at its edges, and the host with its agents, which starts what a
 * schedule says when what it waits for has been reported complete.
 *
 *   host --10 clk--> agent --command--> mesh --> PE: DMA or MLA; DRAM interface: its DMA
 *   PE, DRAM --packets--> mesh --> PE, DRAM    (loads, copies, stores)
 *   PE, DRAM --report--> mesh --> agent --10 clk--> host
 *
 * What a task leaves its PE sends without a command, and notes that to the host.
 *
 * Each QPE has its own queue of events (event_qpe.c); the chip's queue says which
 * QPE, interface or agent has something to do in a clock. All clocks here are PE
 * clocks of the chip; between routers NoC clocks; in an interface its ticks.
 */
#include "sim/event/event_count.h"
#include "sim/event/event_qpe.h"
#include "sim/event/trace.h"
#include "sim/machine/mesh.h"
#include "sim/program/schedule.h"

/* Links into a router: from the four neighbours, the host's agent, DRAM interfaces from EVENT_LINK_DRAM on. */
enum event_link {
	EVENT_LINK_WEST,
	EVENT_LINK_EAST,
	EVENT_LINK_NORTH,
	EVENT_LINK_SOUTH,
	EVENT_LINK_AGENT,
	EVENT_LINK_DRAM
};

/* An operation under way: of the step, or of a job. */
struct event_live {
	enum op_kind kind;
	uint32_t pe, peer, shape; /* as in struct op */
	uint32_t n_packet;        /* in all ... */
	uint32_t n_left;          /* ... and not yet where they go */
	uint32_t byte, part;
};

/* Of the host (event_chip_host.c). */
struct event_agent {
	uint64_t free_clk;       /* one packet a clock, both ways */
	struct event_fifo in;    /* reports from its router */
	struct event_fifo known; /* reports the host has by a clock */
	struct trace_span span;  /* open */
};

/*
 * An interface and the DRAM behind it (event_chip_dram.c). Times within are ticks: 1 / access_byte of a DRAM clock, so
 * that a packet takes a whole number of them.
 */
struct event_dram {
	uint32_t index, link; /* of EVENT_LINK_DRAM .. */
	uint64_t clk_tick, packet_tick, interface_tick;
	uint64_t tick_khz;        /* ticks a ms */
	uint64_t interface_free;  /* one item a DRAM clock, both ways */
	struct event_fifo *in;    /* [mesh h] from the routers of its rows, by tick of arrival */
	struct event_fifo inside; /* behind the interface, by tick */
	/* DMA: pushes the reads of one load after the other, one a DRAM clock. */
	struct event_fifo load;
	uint32_t n_to_push, push_op;
	uint64_t push_tick;
	uint64_t free_tick;       /* the DRAM has served all so far */
	struct event_fifo served; /* what it sends: by the first one's tick, `to` packets of operation `from` */
	uint64_t busy_tick, read_packet, write_packet;
	struct trace_span span; /* open; name NULL: none */
};

struct event_host;
struct event_gap;
struct event_memo;
struct event_share;

/* A QPE that works for itself: its events can wait until one of its tasks can end, or something comes to it. */
struct event_rest {
	bool rests;       /* its events from its queue's clock on have not run */
	bool disturbed;   /* something may have come from outside since it last ran alone */
	uint64_t try_clk; /* the next look whether it works for itself */
};

struct event_chip {
	struct arena memory; /* of all of it */
	const struct machine *machine;
	const struct schedule *schedule;
	uint32_t level;
	struct mesh mesh;
	uint64_t noc_khz, pe_khz, hop_clk;
	uint64_t max_clk; /* up to here products of clocks and frequencies fit 64 bits, whatever is on its way */
	uint32_t n_pe, n_link;
	struct event_qpe *qpe;     /* [mesh.n_qpe] */
	struct event_dram *dram;   /* [mesh.n_dram] */
	struct event_agent *agent; /* [mesh.n_qpe], of those that have one */
	uint32_t *agent_of;        /* [mesh.n_qpe] */
	uint32_t *dram_port;       /* [mesh.n_qpe][mesh.n_dram] where packets from here leave the mesh */
	uint32_t *next;            /* [n_qpe][n_qpe] QPE that is next on the way from one to another ... */
	uint8_t *next_link;        /* ... and its link that packets come by */
	uint64_t *link_clk; /* [n_qpe][4] by the receiver: a link passes one packet a NoC clock, from this one on */
	struct event_plan *plan;  /* [schedule->n_shape] */
	struct event_queue queue; /* units: QPEs, DRAM interfaces, agents */
	uint64_t *wake_clk;       /* [queue.n_unit] the clock in which a unit runs next */
	struct event_live *live;
	uint32_t n_busy; /* operations issued and not complete, those on an MLA left out, and notes under way */
	bool try_alone;  /* n_busy has become 0: QPEs may run each for itself for a while */
	uint64_t load_byte, store_byte;
	struct event_host *host;
	uint64_t host_free_clk;            /* it deals with the next message, where it takes turns */
	struct stop_watch watch;           /* hears who wants to stop */
	struct event_replay **replay;      /* [n_qpe]; of NULL: nothing is replayed */
	uint64_t n_change;                 /* messages of the host, tasks and DMA operations that began or ended */
	struct event_gap *gap;             /* event_gap.c; NULL: nothing is skipped with all of the chip */
	uint64_t replayed_clk;             /* of QPEs, added up, that were replayed by others */
	struct event_rest *rest;           /* [n_qpe] */
	uint32_t *n_run;                   /* [queue.n_unit] times that a unit has run: the low bits will do */
	uint32_t turn;                     /* unit that runs in the present clock */
	struct event_rounds *rounds;       /* of this step, shared by QPEs; NULL: none are */
	struct event_taps *taps;           /* the same */
	struct event_share *share;         /* event_step.c; NULL: steps are not shared */
	const struct event_record *record; /* NULL: nobody asks */
	const struct trace_sink *trace;
	struct trace_span *router_span; /* [mesh.n_qpe] open; NULL: nobody listens */
	struct trace_cause *cause;      /* [n_pe] what MLAs wait for; NULL: nobody listens */
};

/* A chip of a machine at an operating point; trace NULL: nobody listens; replays: what recurs is skipped. Free it also
 * on failure. ERR_INPUT: a task that no MLA runs; ERR_INFEASIBLE: more PEs or QPEs than EVENT_MAX_PE and EVENT_MAX_QPE,
 * or longer than can be counted; ERR_INTERNAL. */
enum err_code event_chip_init(struct event_chip *chip, const struct machine *machine, const struct schedule *schedule,
                              uint32_t level, const struct trace_sink *trace, bool replays, struct err *err);

/* Who may stop it: NULL: a signal. The chip must not be moved from here on. */
void event_chip_watch(struct event_chip *chip, const struct stop *stop);
void event_chip_free(struct event_chip *chip);
/* ERR_INTERNAL: memory is out. */
enum err_code event_chip_refuse_memory(const struct event_chip *chip, struct err *err);

/* Wake a unit of the chip, not before the present clock. */
void event_chip_wake(struct event_chip *chip, uint64_t clk, uint32_t unit);
static inline uint32_t event_chip_dram_unit(const struct event_chip *chip, uint32_t dram)
{
	return chip->mesh.n_qpe + dram;
}
static inline uint32_t event_chip_agent_unit(const struct event_chip *chip, uint32_t qpe)
{
	return chip->mesh.n_qpe + chip->mesh.n_dram + qpe;
}

/* Let a QPE that rests come to the present clock, ahead of it no more than the order of units has it. */
void event_chip_rouse(struct event_chip *chip, uint32_t qpe);
/* A message enters a QPE's router over a link in a NoC clock of the chip (message.clk). */
void event_chip_push_link(struct event_chip *chip, uint32_t qpe, uint32_t link, struct event_message message);

/* A PE's ARM core begins to send the result of its task, an operation whose command no host sends. */
void event_chip_send_result(struct event_chip *chip, uint32_t op);

/* ---- DRAM interfaces ---- */

void event_dram_init(struct event_chip *chip, uint32_t index);
/* A packet from the router of a row reaches the interface in a NoC clock of the chip. */
void event_dram_push(struct event_chip *chip, uint32_t dram, uint32_t row, uint64_t noc_clk,
                     struct event_message message);
void event_dram_step(struct event_chip *chip, uint32_t dram, uint64_t clk);

/* ---- host ---- */

/* Also makes room for what is under way at once, chip->live. Nothing is to be used where memory is out. */
void event_host_init(struct event_chip *chip);
/* A report reaches an agent in a clock. */
void event_agent_push(struct event_chip *chip, uint32_t qpe, uint64_t clk, struct event_message message);
void event_agent_step(struct event_chip *chip, uint32_t qpe, uint64_t clk);
/* A task has ended: true if what waits for it sends its result from the same PE. The PE begins that itself, and the
 * host hears of the task with it. */
bool event_host_goes_on(struct event_chip *chip, uint32_t op);
/*
 * Where tasks run side by side, jobs or a computation of reuse, the host deals with one message a clock, whatever its
 * agent and direction: the thesis simulator starts 144 jobs in 288 clocks and 128 tasks in 128. Its transfers between
 * computations fit one message a clock and agent.
 */
static inline bool event_host_takes_turns(const struct schedule_step *step)
{
	return step->n_job > 0 || step->phase == PHASE_COMPUTATION;
}
/* Begin a step of operations or jobs in the present clock. */
void event_host_begin(struct event_chip *chip, const struct schedule_step *step);
/* Whether all of the step is complete. */
bool event_host_is_done(const struct event_chip *chip);

#endif
