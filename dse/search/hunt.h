/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HUNT_H
#define DSE_HUNT_H
/*
 * A hunt: one network on one machine without a space file. hunt_make_space says what a space file would say, so that
 * explore_run finds the best mapping (dse/design/mapping_search.c, dse/power/power_search.c); hunt_open and hunt_search
 * make single searches of layers, each in its place, whose fronts dse power --search chooses from.
 */
#include "dse/search/candidate.h"
#include "dse/search/explore.h"

#define HUNT_ALL_FORMS ((UINT32_C(1) << N_CONV_FORM) - 1)

struct hunt_options {
	const struct machine *machine;
	const struct network *network;
	uint32_t levels; /* bit l: operating point l may be used */
	unsigned n_objective;
	enum metric objective[SPACE_MAX_OBJECTIVE];
	double max_peak_mw;      /* infinite: no limit */
	double deadline_ms;      /* 0: none */
	size_t max_front;        /* of a composition */
	enum split_choice split; /* SPLIT_ALL, SPLIT_REDUCED, SPLIT_EVEN of every dimension */
	/* N_STRATEGY: all that serve; else this one, and of layers that it does not serve as dse simulate chooses. */
	enum strategy strategy;
	uint32_t forms; /* bit f: 1x1 convolutions may have enum conv_form f */
	enum network_result network_result;
	bool fetches_ahead; /* weights may be fetched while the layer before runs (mapper/split/ahead.h), where that can
	                       be */
	unsigned n_thread;
};

/* Not movable: what it holds points into it. Initialise with {0}; what is in it lives in the caller's arena. */
struct hunt_space {
	struct space space;
	struct machine machine;
	struct space_network network;
	const char *path;
	struct space_file file;
	struct space_limit limit;
	struct space_axis lanes;
};

/* The space that the options ask for: what no option narrows is as in a space without rules. ERR_INTERNAL. */
enum err_code hunt_make_space(const struct hunt_options *options, struct arena *arena, struct hunt_space *made,
                              struct err *err);

/*
 * Where the machine has fewer power lanes than voltages may be chosen from: an axis with every choice of operating
 * points that they can supply. ERR_INTERNAL.
 */
enum err_code hunt_choose_lanes(struct hunt_space *made, struct arena *arena, struct err *err);

/*
 * explore_run on the space, to an end: exact, with a design. ERR_INFEASIBLE says why there is none; ERR_INTERRUPTED;
 * ERR_INTERNAL. The caller frees explore, also after an error.
 */
enum err_code hunt_explore(const struct hunt_space *made, unsigned n_thread, bool shows_progress,
                           struct explore *explore, struct err *err);

/* Searches of layers, not movable. Initialise with {0}. */
struct hunt {
	unsigned n_thread;
	struct hunt_space made;
	struct layer_map map;
	struct candidate candidate;
	bool is_open;
};

/* ERR_INFEASIBLE when the machine is none for a search, ERR_INTERNAL; close it in any case. Choices live in arena. */
enum err_code hunt_open(const struct hunt_options *options, struct arena *arena, struct hunt *hunt, struct err *err);

/*
 * Search the tasks of the candidate with wanted[i] ([n_task]; NULL: all that can be reached). ERR_INTERRUPTED after
 * Ctrl-C; ERR_INTERNAL.
 */
enum err_code hunt_search(struct hunt *hunt, const bool *wanted, struct err *err);

void hunt_close(struct hunt *hunt);

#endif
