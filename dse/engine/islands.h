/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ISLANDS_H
#define DSE_ISLANDS_H
/*
 * Islands: several populations of a genetic engine evolve apart, each with
 * random numbers of its own, and now and then send a few of their best to the
 * next one in the ring (E. Cantu-Paz, "A survey of parallel genetic algorithms",
 * 1998). They are evolved by threads, and by all ranks of a flat search:
 *
 *   island 0 ─┐                                  ┌─► archive, the same on every rank
 *   island 1 ─┼─ migrate_every generations ─► exchange ─► emigrants of island i to island i + 1 ─► again
 *   island 2 ─┘   (each on one thread of       └─► checkpoint, time, Ctrl-C: rank 0 decides
 *                  rank i mod n_rank)
 *
 * The space or an option sets the number of islands, so the result is the same for any number of threads and ranks.
 */
#include "dse/engine/engine.h"

#define ISLANDS_MAX 256

/*
 * Whether the search is one of islands: more than one is wanted, the engine can migrate, and the problem is too large
 * to be enumerated within its limits.
 */
bool islands_apply(const struct engine_kind *kind, const struct problem *problem, const struct engine_options *options);

/* What engine_run does, for a search to which islands apply; tags in the archive are 0. Called by engine_run. */
enum err_code islands_run(const struct engine_search *search, struct err *err);

#endif
