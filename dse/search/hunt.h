/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HUNT_H
#define DSE_HUNT_H
/*
 * A hunt: one network on one machine without a space file. space_single_make says what a space file would say, so that
 * explore_run finds the best mapping (dse/price/mapping_search.c, dse/power/power_search.c); hunt_open and hunt_search
 * make single searches of layers, each in its place, whose fronts dse power --search chooses from.
 */
#include "dse/search/candidate.h"
#include "dse/search/explore.h"
#include "dse/space/space_single.h"

struct hunt_options {
	unsigned n_thread;
	bool shows_progress;        /* in a line, where there is a terminal */
	bool prices;                /* layers are kept for dse/price */
	uint64_t max_box;           /* that branch and bound may look at, then explore has what was seen; 0: no limit */
	struct explore_watch watch; /* who looks on from outside */
};

/*
 * explore_run on the space, exact, with a design. ERR_INFEASIBLE says why there is none; ERR_INTERRUPTED; ERR_INTERNAL.
 * The caller frees explore, also after an error.
 */
enum err_code hunt_explore(const struct space_single *made, const struct hunt_options *how, struct explore *explore,
                           struct err *err);

/* Searches of layers, not movable. Initialise with {0}. */
struct hunt {
	unsigned n_thread;
	struct space_single made;
	struct layer_map map;
	struct candidate candidate;
	bool is_open;
};

/* ERR_INFEASIBLE when the machine is none for a search, ERR_INTERNAL; close it in any case. Choices live in arena. */
enum err_code hunt_open(const struct space_single_options *options, unsigned n_thread, struct arena *arena,
                        struct hunt *hunt, struct err *err);

/*
 * Search the tasks of the candidate with wanted[i] ([n_task]; NULL: all that can be reached). ERR_INTERRUPTED after
 * Ctrl-C; ERR_INTERNAL.
 */
enum err_code hunt_search(struct hunt *hunt, const bool *wanted, struct err *err);

void hunt_close(struct hunt *hunt);

#endif
