/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H
/*
 * The event tier: a schedule on a whole machine, or MLA tasks on one QPE,
 * simulated from event to event. Where the fast tier has closed forms, here every
 * packet and every SRAM access has its clock, so PEs that fetch operand A from
 * each other delay each other as they do on the chip:
 *
 *   host --start--> MLA p --A request--> router --> port q --> SRAM q --A--> router --> port p --> MLA p
 *                   MLA p --B read, results--> SRAM p
 *
 * Rules: thesis sections 2.3 and 3; clocks: thesis simulator, re-run.
 */
#include "sim/base/err.h"
#include "sim/event/event_count.h"
#include "sim/program/result.h"
#include "sim/program/schedule.h"
#include <stdbool.h>
#include <stdint.h>

struct event_memo; /* sim/event/event_memo.h */
struct trace_sink; /* sim/event/trace.h */
struct stop;       /* sim/base/stop.h */

struct event_option {
	bool no_replay; /* simulate every event, even where the state of all units has recurred; the same result */
	const struct trace_sink *trace; /* event_run_schedule: told of every span (replay is off then); NULL: nobody */
	struct event_memo *memo; /* event_run_schedule: steps that it knows are not simulated again; NULL: all are. Not
	                            with no_replay or trace */
	const struct event_record *record; /* event_run_schedule: filled in, but on failure; NULL: nobody asks */
	const struct stop *stop;           /* who may stop it; NULL: a signal */
};

/* How a run went, besides its result. */
struct event_stat {
	uint64_t n_event;      /* simulated, here or where a memo has it from: of one run the same with any memo */
	uint64_t replayed_clk; /* PE clocks of QPEs, added up, that were replayed instead */
};

/*
 * Run a schedule that has passed schedule_check. Phases last from barrier to
 * barrier; ARM operations are priced as in the fast tier. The counts are of what
 * was simulated, and of the schedule's ARM work. result->sram_byte is the
 * caller's to fill. option, stat: NULL for defaults, for nobody. ERR_INTERNAL: no memory, or
 * a self-check that fails (which names it). ERR_INTERRUPTED: option->stop. *result is untouched on failure.
 */
enum err_code event_run_schedule(const struct machine *machine, const struct schedule *schedule, uint32_t level,
                                 const struct event_option *option, struct sim_result *result, struct event_stat *stat,
                                 struct err *err);

/* ---- one QPE ---- */

struct event_pe_result {
	uint64_t start_clk,
	    done_clk; /* of its task, the QPE's first start being 0; clock after the last result is in SRAM */
	uint64_t count[EVENT_N_COUNT];
};

struct event_result {
	uint64_t clk;          /* of the whole run as the host sees it: mla_init_clk covers the starts */
	uint64_t n_noc_packet; /* through the router */
	uint64_t n_event;      /* simulated; what replay leaves out is not in it */
	uint64_t replayed_clk; /* of clk, not simulated because all state recurred */
	uint32_t n_pe;
	struct event_pe_result pe[EVENT_MAX_PE];
};

/*
 * Run task[0 .. n_pe-1] on the PEs of one QPE, started by the host one after the
 * other, until all have done; n_pe is at most qpe_n_pe. The PE clock is that of
 * level[0], or half the NoC clock if the machine has no level. option NULL: all
 * false. ERR_INPUT: a task or machine that cannot be run (names what is allowed);
 * ERR_INTERNAL: no memory; ERR_INTERRUPTED: option->stop. *result is untouched on failure.
 */
enum err_code event_run_qpe(const struct machine *machine, const struct mla_shape *task, unsigned n_pe,
                            const struct event_option *option, struct event_result *result, struct err *err);

#endif
