/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_EXPLORE_PARTS_H
#define DSE_EXPLORE_PARTS_H
/*
 * Inside the driver of explorations: groups of machine candidates (explore.c) in their order (explore_order.c), what
 * bounds tell (explore_bound.c), the searches of a group's layers (explore_search.c), their fronts as rows of
 * points.csv (explore_points.c), the archive of all machines (explore_insert.c), counts (explore_count.c) and near
 * misses (explore_note.c). flat.c is the other road.
 */
#include "dse/search/explore.h"
#include "dse/search/floors.h"
#include "dse/search/hardware.h"
#include "dse/out/progress.h"
#include "sim/base/stop.h"
#include <stdatomic.h>

#define MAX_GROUP 8
/* Of the progress shown, where machines are bounded first. */
#define BOUND_SHARE 0.4

/* One machine candidate of the group that is being worked on. */
struct explore_slot {
	uint32_t machine_index;
	bool is_alive; /* candidate is initialised */
	struct candidate candidate;
	bool *is_mine;              /* [n_task] which searches are made here; NULL: all */
	struct front_entry **entry; /* [n_task] of the searches' fronts; NULL: they are not shared */
	uint64_t lead_byte;         /* see dse/search/front_cache.h */
	const char *left_out;       /* why it is not looked at; NULL: it is */
	char why[EXPLORE_TEXT_SIZE];
	enum err_code code;
	struct err err;
};

/* A machine's place in the order of the searches, by its gap (dse/search/floors.h). */
struct explore_turn {
	uint32_t machine_index;
	double gap_frac;
};

struct explore_driver {
	struct explore *explore;
	const struct explore_options *options;
	struct engine_options engine_options;
	size_t n_slot;
	struct explore_slot slot[MAX_GROUP];
	size_t n_job, n_chain;
	struct search_job *job;     /* [n_job] those with one entry beside each other, in the order of their machines */
	struct search_job **chain;  /* [n_chain] the first of those that run one after the other */
	struct arena group;         /* what the group's searches are listed in */
	struct floors floors;       /* of designs that are not seen; of branch and bound alone */
	struct hardware hardware;   /* machines that need no search; none are known where its is_cut is NULL */
	uint64_t n_order;           /* machines that are searched */
	struct explore_turn *order; /* [n_order] the next first; NULL: all, in the order of the space */
	struct front_cache *fronts; /* NULL: machines share none */
	struct stop stop;           /* when the time is up */
	uint64_t n_evaluation;      /* of the candidates in the archive */
	/* Progress. */
	struct live *live; /* NULL: nobody looks */
	uint64_t n_machine_done;
	double group_size;           /* candidates of the group's searches */
	atomic_uint_fast64_t n_done; /* of them */
};

/* A search to be run, and its share of the progress. */
struct search_job {
	struct explore_driver *driver;
	struct explore_slot *slot;
	size_t task;
	uint64_t size, n_done, n_told; /* of the search; of it done; evaluated */
	unsigned n_thread;
	struct front_entry *entry; /* of its front; NULL: no other search may have it in common */
};

/* Ctrl-C, or the time is up. */
bool explore_must_stop(const struct explore_driver *driver);

/* points.csv: a header, then a row for each point of each layer's front; errors stay in the stream. */
void explore_points_write_header(FILE *file, const struct space *space);
void explore_points_write(FILE *file, const struct candidate *candidate);

/*
 * What kept a candidate without a design: the layer without any, or the network
 * or sum of networks over its limits, and by how much. false when none of them
 * is to blame.
 */
bool explore_points_miss(const struct candidate *candidate, struct explore_miss *miss);

/* Fill the slots with the next machines, up to n of them, from *at on in the order (explore_order.c). */
void explore_fill_group(struct explore_driver *driver, uint64_t *at, size_t n);

/*
 * Best first, so that a search that is cut short leaves little open: in the order of what their outlooks promise over
 * the designs seen. Machines of which nothing is known come first, those that are cut not at all. ERR_INTERNAL.
 */
enum err_code explore_order_machines(struct explore_driver *driver, struct err *err);

/*
 * Find the machines that need no search, where bounds can tell, and account for their designs. ERR_INTERNAL,
 * ERR_INPUT.
 */
enum err_code explore_bound_machines(struct explore_driver *driver, struct err *err);

/* How much better than front a design may be, for whoever looks on; measured no longer than it takes to search. */
void explore_show_gap(struct explore_driver *driver, const struct pareto *front);

/* What a search that was cut short, or that limits restrain, can say of designs that it has not seen. */
void explore_bound_gap(struct explore_driver *driver);

/* List the searches of the group's machines that this process makes. ERR_INTERNAL. */
enum err_code explore_list_searches(struct explore_driver *driver, struct err *err);

/* Run them. */
void explore_search_group(struct explore_driver *driver);

/* Keep the miss that is nearer. */
void explore_note_miss(struct explore *explore, const struct explore_miss *miss);

/* Note a design or machine that breaks a limit of the space, and count it. */
void explore_note_over_limit(struct explore *explore, uint32_t machine_index, const struct machine *machine,
                             enum explore_stage stage, enum metric metric, double value);

/*
 * Insert a candidate's composed front, of what keeps the limits, into the explore's; *is_empty: nothing does.
 * ERR_INTERNAL.
 */
enum err_code explore_insert(struct explore *explore, const struct candidate *candidate, unsigned n_thread,
                             bool *is_empty, struct err *err);

/*
 * Keep the layers' fronts of a candidate whose designs are on the front (explore_keep.c). ERR_INTERNAL. Then drop
 * those that are not on it any more, or all.
 */
enum err_code explore_keep(struct explore *explore, struct candidate *candidate, bool keeps_all, struct err *err);
void explore_drop_kept(struct explore *explore, bool keeps_all);
void explore_free_kept(struct explore *explore);

/* Count a refused machine candidate under its reason. */
void explore_note_rejection(struct explore *explore, const char *why);

/* Note a failure; machine NULL: of the whole. Call in the order of the candidates. */
void explore_note_failure(struct explore *explore, uint32_t machine_index, const struct machine *machine,
                          const char *format, ...) __attribute__((format(printf, 4, 5)));

/*
 * Add what the searches of a candidate counted, of those that are is_mine (NULL: all). Returns the code of the first
 * that failed, with its messages.
 */
enum err_code explore_count_searches(struct explore *explore, const struct candidate *candidate, const bool *is_mine,
                                     struct err *err);

/*
 * Assert that the candidates of all layers are what was evaluated, cut, cut with a machine, known from another machine
 * and not reached together. Of a complete branch and bound; nothing is asserted of counts too large for 64 bits.
 */
void explore_count_check(const struct explore_counts *counts);

void explore_count_composition(struct explore *explore, const struct candidate *candidate);

/* By how much a design that is missing in a candidate's front may be better at most, in each objective. */
double explore_epsilon(const struct explore *explore, const struct candidate *candidate);

/*
 * Where every machine candidate was refused, the one that came nearest to keeping the constraints becomes the miss.
 * Looks at all candidates once more; nothing happens where a search came farther, or where no constraint refused.
 */
void explore_note_refused(struct explore *explore);

/* The flat search (flat.c): fills front, counts and miss. */
enum err_code explore_flat(struct explore *explore, const struct explore_options *options, engine_watch watch,
                           void *watch_context, struct err *err);

#endif
