/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RUN_CACHE_H
#define DSE_RUN_CACHE_H
/*
 * Runs of the event tier behind a table. Its values are predicted one after the
 * other, several of them from the same run; so the table is gone through twice:
 * first every run that it asks for is noted, then all of them run at once on all
 * threads, then the values are taken from what came out.
 *
 *   collect: ask, ask, ask ... (answered by the fast tier)  ─►  run all  ─►  ask, ask, ask ... (answered by the runs)
 */
#include "dse/space/detail.h"

struct run_cache;

/* What a run is of: the caller's own numbering. */
struct run_key {
	const void *owner; /* an object of the caller */
	size_t item;
	unsigned variant;
};

/* options is copied; its trace must be NULL. */
struct run_cache *run_cache_open(const struct detail_options *options);
void run_cache_close(struct run_cache *cache);

/* From here to run_cache_run: note what is asked for. */
void run_cache_collect(struct run_cache *cache);

/* Run what was noted. ERR_INTERNAL with the messages of the first run that failed, in the order of asking. */
enum err_code run_cache_run(struct run_cache *cache, struct err *err);

/*
 * A design's result: from its run, if that was noted, else by running it now;
 * while collecting from the fast tier. out is as detail_run leaves it. context and design
 * need not outlive the call, context->machine must outlive the cache. ERR_INTERNAL.
 */
enum err_code run_cache_design(struct run_cache *cache, const struct run_key *key, const struct layer_context *context,
                               const struct layer_design *design, struct detail_run *out, struct err *err);

/* PE clocks of a task on all PEs of a QPE, in the same way; 0 while collecting. machine is copied. ERR_INTERNAL. */
enum err_code run_cache_task(struct run_cache *cache, const struct run_key *key, const struct machine *machine,
                             const struct mla_shape *task, uint64_t *clk, struct err *err);

/* Forget all runs with this owner. */
void run_cache_forget(struct run_cache *cache, const void *owner);

#endif
