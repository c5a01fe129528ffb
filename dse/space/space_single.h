/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPACE_SINGLE_H
#define DSE_SPACE_SINGLE_H
/* Spaces that no file describes: one network on one machine, for the commands that map it. */
#include "dse/space/space.h"

struct space_single_options {
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
};

/* Not movable: what it holds points into it. Initialise with {0}; what is in it lives in the caller's arena. */
struct space_single {
	struct space space;
	struct machine machine;
	struct space_network network;
	const char *path;
	struct space_file file;
	struct space_limit limit;
	struct space_axis lanes;
};

/* The space that the options ask for: what no option narrows is as in a space without rules. ERR_INTERNAL. */
enum err_code space_single_make(const struct space_single_options *options, struct arena *arena,
                                struct space_single *made, struct err *err);

/*
 * Where the machine has fewer power lanes than voltages may be chosen from: an axis with every choice of operating
 * points that they can supply. ERR_INTERNAL.
 */
enum err_code space_single_choose_lanes(struct space_single *made, struct arena *arena, struct err *err);

#endif
