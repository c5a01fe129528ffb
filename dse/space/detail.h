/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DETAIL_H
#define DSE_DETAIL_H
/*
 * The tiers of the simulator as the commands offer them (--detail): one design of
 * a block in, clocks and counts out, at the level of detail that was asked for.
 *
 *   design ─► mapper_distribute ─► program ──────────────────────► fast_run ──► result
 *                    └─ feasible ─► mapper_unfold ─► schedule ───► event_run_schedule ─► result
 */
#include "mapper/split/design.h"
#include "sim/event/event.h"
#include "sim/fast/uncertainty.h"

enum detail {
	DETAIL_FAST,    /* closed forms (sim/fast/fast.h) */
	DETAIL_EVENT,   /* event by event (sim/event/event.h) */
	DETAIL_GREYBOX, /* closed forms, MLA tasks by the DVFS paper's fitted model (sim/mla/greybox.h) */
	N_DETAIL
};
extern const char *const detail_name[N_DETAIL]; /* "fast", "event", "greybox" */

/* How designs are to be run; {0}: in the fast tier, on one thread. */
struct detail_options {
	enum detail detail;
	bool audit;              /* event tier: run each design again without replay; another result is an error */
	unsigned n_thread;       /* of detail_run_all; 0 is 1 */
	bool can_stop;           /* once there is a wish to stop nothing more is run: ERR_INTERRUPTED */
	const struct stop *stop; /* who besides a signal stops that, and runs of the event tier; NULL: nobody */
	struct event_memo *memo; /* event tier: shared by runs, the caller's; NULL: detail_run_all has one of its own,
	                            and the others none */
	const struct trace_sink *trace; /* event tier: told of every span; NULL: nobody. One run at a time then */
};

/* A design to be run, and what came of it. */
struct detail_run {
	const struct layer_context *context;
	const struct layer_design *design;
	bool ran; /* false: verdict says why not, or code is not ERR_OK; the result is undefined */
	struct verdict verdict;
	struct sim_result result;
	struct event_stat stat;       /* event tier; else 0 */
	struct uncertainty uncertain; /* of its clocks */
	enum err_code code;
	struct err err; /* of this run; detail_run_all hands it on */
};

/*
 * Simulate the feasible design that a program is of. result->sram_byte is the
 * program's in either tier. stat may be NULL. ERR_INTERNAL: no memory, a
 * self-check of the event tier, or an audit that finds a difference. ERR_INTERRUPTED:
 * a replay was stopped, and there is no result.
 */
enum err_code detail_simulate(const struct layer_context *context, const struct layer_design *design,
                              const struct program *program, const struct detail_options *options,
                              struct sim_result *result, struct event_stat *stat, struct err *err);

/* The results at the two levels of a mixed operating point, the slower one first; by PE in the event tier slow PEs wait
 * for the NoC as if all asked at the faster clock, the most that can come of it. */
enum err_code detail_simulate_pair(const struct layer_context *context, const struct layer_design *design,
                                   const struct program *program, const struct detail_options *options,
                                   struct sim_result part[2], struct event_stat *stat, struct err *err);

/* Who does what in a design at a pair of levels by PE, or ""; text [LAYER_PLAN_TEXT_SIZE]. */
void detail_plan_text(const struct layer_context *context, const struct layer_design *design, char *text);

/* Distribute and simulate run->design: code and messages stay in the run. The caller clears run->err. */
void detail_run(struct detail_run *run, const struct detail_options *options);

/*
 * Run n designs, which are independent, on options->n_thread threads. The code
 * of the first that failed, by its place in the list, with its messages; all
 * messages are cleared in the runs. Results do not depend on the threads.
 */
enum err_code detail_run_all(struct detail_run *run, size_t n, const struct detail_options *options, struct err *err);

#endif
