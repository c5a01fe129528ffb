/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_HUNT_H
#define DSE_HUNT_H
/*
 * A hunt: the exact search of all layers of one network on one machine, without a space file. Each distinct layer has
 * a front for each place that its ifmap and result may have (dse/candidate.h); composed, they are the network's.
 */
#include "dse/candidate.h"
#include "dse/progress.h"

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
	bool fetches_ahead; /* weights may be fetched while the layer before runs (mapper/ahead.h), where that can be */
	unsigned n_thread;
	struct progress *progress; /* NULL: none; started */
};

/* Not movable: what it holds points into it. Initialise with {0}. */
struct hunt {
	struct hunt_options options;
	struct space space;
	struct machine machine;
	struct space_network network;
	const char *path;
	struct space_file file;
	struct space_limit limit;
	struct layer_map map;
	struct candidate candidate;
	bool is_open;
	atomic_size_t n_done;
};

/* ERR_INFEASIBLE when the machine is none for a search, ERR_INTERNAL; close it in any case. Choices live in arena. */
enum err_code hunt_open(const struct hunt_options *options, struct arena *arena, struct hunt *hunt, struct err *err);

/*
 * Search the tasks of the candidate with wanted[i] ([n_task]; NULL: all that can be reached). ERR_INTERRUPTED after
 * Ctrl-C; ERR_INTERNAL.
 */
enum err_code hunt_search(struct hunt *hunt, const bool *wanted, struct err *err);

/*
 * Compose what was searched: candidate.total. ERR_INFEASIBLE, with the layers that have no design at all, when no whole
 * design is left.
 */
enum err_code hunt_compose(struct hunt *hunt, struct err *err);

/* The point of the total front with the least metric, of equal ones the first; value: its metric. */
size_t hunt_best(const struct hunt *hunt, enum metric metric, double *value);

/* Task of each block in point i, [n_block]; ERR_INTERNAL. */
enum err_code hunt_tasks(const struct hunt *hunt, size_t i, size_t *task, struct arena *arena, struct err *err);

/* Designs of all blocks in point i, [n_block]; ERR_INTERNAL. */
enum err_code hunt_designs(const struct hunt *hunt, size_t i, struct layer_design *design, struct arena *arena,
                           struct err *err);

void hunt_close(struct hunt *hunt);

#endif
