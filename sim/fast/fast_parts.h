/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FAST_PARTS_H
#define SIM_FAST_PARTS_H
/* What the files of the fast tier share: rates of the clock domains, a step's time, and closed forms of both. */
#include "sim/base/real.h"
#include "sim/fast/fast.h"
#include "sim/machine/latency.h"
#include "sim/machine/queue_place.h"
#include <assert.h>

/* What the other clock domains do in a PE clock. */
struct rates {
	const struct machine *machine;
	uint32_t level;
	double dram_byte;     /* of one interface */
	double router_packet; /* through a router */
	double link_packet;   /* over a link */
	double port_packet;   /* into or out of a PE */
	bool is_least;        /* lower bounds, see fast_run_least */
	bool with_slower;     /* ... which hold for slower clocks, too */
};

/*
 * A step's clocks, what they are mostly spent on, and clocks that an MLA works for each in which it multiplies;
 * stall_clk: of the clocks, those of PHASE_STALL.
 */
struct step_time {
	double clk;
	enum bound bound;
	double awake_frac;
	uint64_t stall_clk;
};

/* Its set-up at the level of the rates, see sim/machine/latency.h. */
static inline double rates_setup_clk(const struct rates *rates, enum setup setup, double measured_clk)
{
	return latency_setup_clk(rates->machine, rates->level, setup, measured_clk);
}

/* Whatever of a task's time the array does not multiply, it waits for its SRAM port: operands, or results being
 * written. */
static inline enum bound step_bound(double task_clk, double mac_clk)
{
	return 2 * mac_clk < task_clk ? BOUND_SRAM : BOUND_MAC;
}

/*
 * PEs with shorter tasks work as much longer than they multiply as the busiest
 * one does. Of a bound: they work at least while they multiply.
 */
static inline double step_awake_frac(double task_clk, double mac_clk, const struct rates *rates)
{
	return rates->is_least || mac_clk <= 0 ? 1 : task_clk / mac_clk;
}

/* n_task tasks of each of n_pe PEs of a QPE, whose operand A comes through one router. */
static inline double step_task_clk(double task_clk, double n_task, const struct mla_fetch *fetch, double n_pe,
                                   double router_packet, const struct rates *rates)
{
	double router_clk = mla_router_clk(fetch, n_pe, router_packet);
	return real_max(task_clk, n_task * rates->machine->mla_init_clk + router_clk);
}

/*
 * PE clocks that a foreign packet waits at the router of a QPE whose n_pe PEs fetch operand A, the mean over their
 * tasks.
 */
double fast_router_wait_clk(const struct mla_fetch *fetch, double task_clk, double n_pe, double router_packet);

/* PE clocks that a STEP_COMPUTE takes at least when its busiest PE and interface do at least this. */
double fast_busiest_clk(const struct machine *machine, const struct busiest_work *busiest, uint32_t level);

/* Transfers of equal items on a chip (transfer->paths). */
struct step_time fast_time_paths(const struct transfer *transfer, const struct rates *rates);
/*
 * Clocks after the longest PEs' tasks in which results are still written or waited for, between all barriers
 * (compute->writers, of several kinds). stretch: as long as its tasks take because of the router; setup_clk: a task's;
 * share_clk: all results take of what they share. O(kinds^2) for each of at most 256 tasks between two barriers.
 */
double fast_writes_clk(const struct compute *compute, double stretch, double setup_clk, double share_clk,
                       const struct rates *rates);
/* The rounds of a QPE (compute->rounds). */
struct step_time fast_time_rounds(const struct compute *compute, const struct rates *rates);

/* A queue of jobs: served one by one where they are told apart, else in closed form. */
struct step_time fast_time_jobs(const struct jobs *jobs, const struct rates *rates);

/* Set-up of a load, clocks from a write's end to the next load, share of tasks in which the SRAM is shared, times as
 * long as tasks take because of the router. */
struct queue_rule {
	double setup_clk, answer_clk, duty, stretch;
	uint64_t n_most; /* jobs that are served one by one at most */
	bool is_shared;  /* tasks run in QPEs and wait for their routers; stretch is found */
	bool has_host;   /* messages wait for each other at the host */
};
/* Clocks that a PE alone takes for jobs with so many loads one after the other, whose sums `kind` has: from the first
 * request to the answer to the write; task_clk as it is. */
double fast_alone_clk(const struct job_kind *kind, double n_load, double setup_clk, double answer_clk,
                      const struct rates *rates);

/* Serve the jobs of one of the orders, from the first load to the last write's answer; O(jobs), no allocation. */
double fast_serve_queue(const struct jobs *jobs, const struct job_order *order, const struct rates *rates,
                        struct queue_rule *rule);

/* ---- orders (fast_order.c) ---- */

/* Jobs of one kind that follow each other are a run; where the next one begins. */
struct job_cursor {
	const struct job_order *order;
	uint64_t n_left; /* results of rows not yet begun */
	uint32_t h, w, d;
	uint32_t first, c, end; /* columns of the row: first to end - 1, c is next */
};

struct job_cursor job_cursor_at_start(const struct job_order *order);
/* Jobs of the next run, 0: there are none; a chain's begin with its first part. */
uint32_t job_cursor_next_run(struct job_cursor *cursor, uint32_t *kind);

/* ---- QPEs (fast_qpe.c) ---- */

/*
 * QPEs whose tasks wait for their router: operand A of all PEs of a QPE, and whatever passes on its way to or from
 * other PEs. Tasks that run at the same time share the router evenly, so each goes on at a speed that changes when
 * another one begins or ends.
 */

/* A job of a kind, with a part of d, in a PE of its queue, as the queue counts them. */
struct job_place {
	uint32_t kind, d, pe;
};

/* A kind's tasks; of so many that run at the same time: the speed of each (1: as alone), packets a clock that all of
 * them ask the router for, clocks that others' packets wait there. */
struct shared_kind {
	double task_clk;     /* beside an idle router */
	double burst_packet; /* packets a clock that one asks for while it fetches */
	double speed[ROUND_MAX_PE + 1], ask_packet[ROUND_MAX_PE + 1], wait_clk[ROUND_MAX_PE + 1];
};

struct shared_task {
	struct job_place job;
	double left_clk, begin_clk; /* left: as if alone */
};

struct shared_qpe {
	uint32_t n_task;
	double clk; /* up to which its tasks have run */
	struct shared_task task[ROUND_MAX_PE];
};

struct shared_qpes {
	const struct queue_place *place;
	double router_packet;
	uint32_t qpe_n_pe, n_qpe, n_task; /* n_task: that run */
	double end_clk;                   /* of the first to end; INFINITY */
	double task_clk, alone_clk;       /* all tasks that have ended: as long as they ran, and as they would alone */
	struct shared_kind kind[JOB_MAX_KIND];
	double qpe_end_clk[QUEUE_MAX_QPE];
	struct shared_qpe qpe[QUEUE_MAX_QPE];
};

/* Whether the QPEs of a queue of n_pe PEs can be told apart. */
bool shared_qpes_fit(const struct machine *machine, const struct queue_place *place, uint32_t n_pe);

/* No task runs. place must outlive it. */
void shared_qpes_begin(const struct queue_place *place, uint32_t n_pe, const struct rates *rates,
                       struct shared_qpes *qpes);
/* A kind whose tasks take task_clk beside an idle router. */
void shared_qpes_time_kind(struct shared_qpes *qpes, uint32_t kind, const struct job_kind *job, double task_clk,
                           const struct rates *rates);

/* A task begins; clk: not before the last call's. */
void shared_qpes_add(struct shared_qpes *qpes, const struct job_place *job, double clk);
/* The task that ends first, at end_clk, ends. */
struct job_place shared_qpes_end(struct shared_qpes *qpes);
/*
 * So many packets, packet_clk a clock apart, have passed all routers between a PE and its DRAM interface: the tasks
 * there are that much behind. Returns the clocks that the packets have waited.
 */
double shared_qpes_pass(struct shared_qpes *qpes, uint32_t pe, double n_packet, double packet_clk);

#endif
