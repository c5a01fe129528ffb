/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ENGINE_RUN_H
#define DSE_ENGINE_RUN_H
/* The driver of search engines: ask, evaluate in parallel, tell, until the engine is done. */
#include "dse/engine/engine.h"

/*
 * Run an engine to its end on n_thread threads (0: all): ask, evaluate the
 * batch in parallel, tell, insert feasible points into archive, which the
 * caller has initialised and which is sorted at the end; a point's tag is its
 * number in the order of asking, from 0. The archive is the same for any
 * n_thread. watch may be NULL. n_by_reason (NULL when n_reason is 0) is added
 * to. near (may be NULL): receives the least-violating infeasible candidate,
 * of equal ones the one asked for first.
 * With a checkpoint the state is written now and then and when watch stops the
 * run; a run that begins with a state ends as the one that left it would have.
 * ERR_INTERNAL when memory is out; ERR_INPUT when the checkpoint's state is of
 * another search; ERR_INTERRUPTED, without a message, when
 * watch stopped the run (archive and counts are valid then).
 */
enum err_code engine_run(const struct engine_kind *kind, const struct problem *problem,
                         const struct engine_options *options, unsigned n_thread, struct pareto *archive,
                         struct engine_counts *counts, uint64_t *n_by_reason /* [n_reason] */, size_t n_reason,
                         struct engine_nearest *near, engine_watch watch, void *watch_context, struct err *err);

#endif
