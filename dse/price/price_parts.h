/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PRICE_PARTS_H
#define DSE_PRICE_PARTS_H
/*
 * Inside pricing: the designs of a machine that are listed (price_list.c), their runs (price_run.c), composition of
 * what is known of them (price_compose.c), the front of all machines (price_front.c), bounds without any tier
 * (price_bound.c). price.c decides what is priced next.
 */
#include "dse/base/key_table.h"
#include "dse/layer/front_key.h"
#include "dse/layer/near.h"
#include "dse/out/progress.h"
#include "dse/price/price.h"

/* A design of a layer in one place. */
struct price_design {
	struct unrolled_design own;  /* once it has a price, in the event tier */
	size_t task;                 /* of the candidate */
	uint32_t gene[N_LAYER_GENE]; /* of the task's problem */
	double metric[N_METRIC];     /* fast tier */
	uint64_t fast_clk, work;
	double static_frac;                 /* of its energy in the fast tier */
	double value[PARETO_MAX_OBJECTIVE]; /* the task's metrics: its price, or without one what it may be at best */
	struct unrolled_design known;       /* its price, where an earlier run found it */
	bool is_known, is_front;            /* on the layer's front in the fast tier */
	bool is_priced;
	bool breaks_limit; /* its value does */
	uint32_t n_use;    /* points of the last composition that have it */
};

/* Kinds of designs that are listed by themselves: tasks one by one, and in lock step. */
enum price_kind { PRICE_JOBS, PRICE_REUSE, N_PRICE_KIND };

/* By how much a design without a price may be faster, and slower, than the fast tier says. */
struct price_error {
	double faster_frac, slower_frac;
	bool is_unstated; /* some design's is not known */
};

/* A search for designs near a front of layers. */
struct price_near {
	double max_distance;
	size_t max_design;
	uint64_t max_box;
	double reach; /* distance of designs that are not listed */
};

struct price_machine {
	struct candidate candidate; /* fronts are those of the last composition */
	size_t n;
	struct price_design *design;             /* [n] by task, those of the fast front first */
	size_t *first;                           /* [n_task + 1]; NULL: nothing is listed */
	struct price_near (*near)[N_PRICE_KIND]; /* [n_task] */
	bool *has_unlisted;                      /* [n_task] something that is not listed may be on its front */
	struct pareto *fast;                     /* [n_task] the layers' fronts as they were searched */
	struct pareto outlook;                   /* before it is listed: its front in the fast tier */
	struct key_table known;                  /* distinct layer and genes of the designs, by index */
	bool is_open;                            /* the candidate is there */
};

/* Take the machine's layers over. ERR_INTERNAL. Then list their designs. ERR_INTERNAL, ERR_INTERRUPTED. */
enum err_code price_open(const struct explore *explore, const struct explore_kept *kept, struct price_machine *machine,
                         struct err *err);
enum err_code price_list(const struct explore *explore, const struct price_options *options,
                         struct price_machine *machine, struct err *err);

/* How far from some point of a task's front all are whose designs are not listed: in the kind where that is least. */
double price_reach(const struct price_near near[N_PRICE_KIND]);

/* List more of the tasks that is_used [n_task] says, where what is not listed may matter as it was last composed.
 * *is_wider: something was left to be listed. ERR_INTERNAL, ERR_INTERRUPTED. */
enum err_code price_widen(struct price_machine *machine, const bool *is_used, const struct price_options *options,
                          bool *is_wider, struct err *err);
void price_machine_free(struct price_machine *machine);

/* Index of a block's design, which is listed, by its genes in a genome of the whole. */
size_t price_find(const struct price_machine *machine, size_t distinct, const uint32_t *gene);

/* Values of the task's metrics from a layer's [N_METRIC]. Whether it keeps the limits of layers. */
bool price_value(const struct price_machine *machine, size_t task, const double *metric, double *value);

/* What designs without a price may be at best, by these errors. */
void price_hope(struct price_machine *machine, const struct price_error *error);

/* Note prices that earlier runs found, and keep this run's (price_store.c). */
void price_take_known(struct price_machine *machine, const struct price_keeper *keeper);
void price_keep(struct price_machine *machine, const struct price_keeper *keeper);

/* What a composition is of. */
enum price_side {
	PRICE_KNOWN,   /* designs with a price */
	PRICE_LISTED,  /* all that are listed, those without a price as good as they may be */
	PRICE_POSSIBLE /* what is not listed likewise */
};

/* Compose a machine's fronts into candidate->total; states' fronts of at most max_front points; error is of what is not
 * listed. ERR_INTERNAL. */
enum err_code price_compose(struct price_machine *machine, enum price_side side, const struct price_error *error,
                            size_t max_front, unsigned n_thread, struct err *err);

/* Add the composed points that keep the limits to a batch of objectives and genomes. false: out of memory. */
bool price_add_points(const struct price_machine *machine, struct pareto *batch);

/* Least values of a machine's objectives whatever its mapping is: work over the rates of what does it. */
bool price_bound(const struct explore *explore, uint32_t machine_index, double *objective);

/* One pricing. */
struct pricing {
	struct explore *explore;
	const struct price_options *options;
	struct price *price;
	struct progress progress;
	uint64_t budget; /* of rounds, in work */
	bool is_closing; /* there is no budget any more */
	size_t n_machine;
	struct price_machine *machine;      /* [n_machine] as explore->kept */
	struct price_error error;           /* of designs without a price */
	double least[PARETO_MAX_OBJECTIVE]; /* of the fast front by internal metric: what gains are fractions of */
	struct pareto fast;                 /* the front in the fast tier, once explore has the other one */
	bool has_fast;
	struct pareto possible; /* what no design can beat, as last composed */
	double possible_epsilon;
};

/* Run chosen [n] designs of a machine in the event tier, and count them. ERR_INTERRUPTED, ERR_INTERNAL. */
enum err_code price_run(struct pricing *pricing, struct price_machine *machine, const size_t *chosen, size_t n,
                        struct err *err);

/* Count for each listed design how many of these n points of a front have it (price.c). */
void price_count_uses(struct pricing *pricing, const struct pareto *front, const size_t *chosen, size_t n);

/* Price what is in use and has no price, whatever it takes, and learn of the fast tier's errors. ERR_INTERRUPTED,
 * ERR_INTERNAL. */
enum err_code price_used(struct pricing *pricing, struct err *err);

/* From prices to errors, and from these to hopes. ERR_INTERNAL. */
enum err_code price_learn(struct pricing *pricing, struct err *err);

/* Price, and list, until the assumed gap is no more than the resolution, or rests on what is too much to be listed
 * (price_close.c). ERR_INTERRUPTED, ERR_INTERNAL. */
enum err_code price_close(struct pricing *pricing, struct err *err);

/* What designs of such a front may be at best, into possible. false: out of memory. */
bool price_add_hopes(const struct pricing *pricing, const struct pareto *front, struct pareto *possible);

/* Compose what no design can beat into pricing->possible. ERR_INTERNAL. */
enum err_code price_compose_possible(struct pricing *pricing, enum price_side side, size_t max_front, struct err *err);

/* The front of the designs that have a price, with its designs, takes the place of the one before, which is kept as
 * pricing->fast; price->is_priced says whether there is one. ERR_INTERNAL. */
enum err_code price_take_front(struct pricing *pricing, struct err *err);

/* The same, and what is known of it; without one the fast tier's stays. ERR_INTERNAL. */
enum err_code price_finish(struct pricing *pricing, struct err *err);

#endif
