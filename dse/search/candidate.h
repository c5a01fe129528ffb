/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CANDIDATE_H
#define DSE_CANDIDATE_H
/*
 * One machine candidate on its way to a front of whole designs: its distinct
 * layers are searched one by one (a task for each layer and each place its
 * ifmap and result may lie), layer fronts are composed to network fronts, and
 * those to one front over all networks.
 */
#include "dse/layer/layers.h"

/* One distinct layer with ifmap and result in one place. */
struct candidate_task {
	struct layer_problem
	    layer;         /* the set's, narrowed to this place and to what can reach its front; owns its lists */
	uint64_t size;     /* candidates, before bounds narrow the layer's axes */
	uint64_t max_work; /* of this search: evaluations of a genetic engine, boxes of branch and bound; 0: no limit */
	struct pareto bound; /* the layer's sample that bounds its search */
	struct pareto front; /* over layer.metric[]; genomes of the set's problem, but GENE_PLACE is 0 */
	/* Of a branch and bound that ended before it was done: no design is in all metrics below front and these. */
	struct pareto open;
	struct engine_counts counts;
	uint64_t by_reason[LAYER_N_REASON], cut_by_reason[LAYER_N_REASON];
	uint64_t n_box;                             /* that a branch and bound looked at */
	uint32_t over_limit;                        /* of struct branch_counts; all ones: unknown */
	double epsilon, loss[PARETO_MAX_OBJECTIVE]; /* of struct branch_counts */
	uint64_t n_unreached; /* designs of a place that no chain of layers gets to; of counts.n_skipped */
	uint64_t n_shared;    /* designs of a front that another search found; likewise */
	struct engine_nearest nearest;
	uint32_t nearest_genome[N_LAYER_GENE];
	enum err_code code;
	struct err err;
};

struct candidate {
	const struct space *space;
	bool is_exact; /* by branch and bound; the caller's choice after candidate_init, else exhaustive */
	/* A genetic engine that searches the layers; the caller's choice, too; NULL: none. */
	const struct engine_kind *genetic;
	double epsilon;        /* of its layers' searches: candidate_set_epsilon; 0: exact */
	size_t max_front;      /* of a composition: the space's; the caller's choice, too; 0: by a budget */
	uint64_t max_composed; /* of a composition, as in dse/pareto/compose.h; likewise */
	unsigned n_thread;     /* of a composition; 0, as after candidate_init: one */
	bool no_limits;        /* a composition leaves the space's limits alone; likewise */
	struct layer_set *set;
	size_t n_task, *first_task; /* [n_distinct + 1] */
	struct candidate_task *task;
	size_t n_iota;
	uint32_t *iota; /* [n_iota] 0, 1, 2, ...: the points of a front are named by their place in it */
	struct compose_result *network; /* [n_network] */
	enum err_code *network_code;    /* [n_network] what candidate_compose_network said */
	double *network_nearest; /* [n_network][COMPOSE_MAX_METRIC] least values reachable, where a front is empty */
	struct compose_result total;
	double total_nearest[COMPOSE_MAX_METRIC];
	uint64_t n_composed; /* by all compositions */
	struct arena arena;  /* of all arrays but iota */
};

/* Takes the set over, also on failure. ERR_INTERNAL when memory is out. */
enum err_code candidate_init(const struct space *space, struct layer_set *set, struct candidate *candidate,
                             struct err *err);
void candidate_free(struct candidate *candidate);

/* Branch and bound leaves out designs that others match to within epsilon (dse/layer/branch.h). Before any search. */
void candidate_set_epsilon(struct candidate *candidate, double epsilon);

/* A genome of one of a distinct layer's tasks as one of the set's problem: with its place and its level. */
void candidate_widen(const struct candidate *candidate, size_t distinct, size_t task, const uint32_t *genome,
                     uint32_t *own);

/* The task that such a genome is of. */
size_t candidate_find_task(const struct candidate *candidate, size_t distinct, const uint32_t *own);

/* Whether any chain of layers can get into task i's place; a search of one that none can is skipped. */
bool candidate_is_reachable(const struct candidate *candidate, size_t i);

/* Give each search its part of max_work, by size (dse/pareto/budget.h). Without memory: an even part. */
void candidate_share_budget(struct candidate *candidate, uint64_t max_work);

/* Search task i; its code and messages stay in the task. Tasks may run at the same time. */
void candidate_search(struct candidate *candidate, size_t i, unsigned n_thread, const struct engine_options *options,
                      engine_watch watch, void *watch_context);

/* Forget all that the search of task i found. */
void candidate_forget_task(struct candidate *candidate, size_t i);

/* What a search that is not to be begun any more leaves: the front of the coarse sample that would have bounded it. */
void candidate_sample(struct candidate *candidate, size_t i);

/* Whether a search ended before it was done. */
bool candidate_is_open(const struct candidate *candidate);

/* The front is of another search; so are all counts but that the designs are accounted for. */
void candidate_count_shared(struct candidate_task *task);

/* Instead of searches: the bounds that each would begin with, into its task's open. ERR_INTERNAL. */
enum err_code candidate_bound(struct candidate *candidate, struct err *err);

/*
 * Write what the search of task i found, or read what an earlier run's search of it found instead of searching. A
 * reader that is refused (pack->failed) leaves the task as it was.
 */
void candidate_pack_task(struct candidate *candidate, size_t i, struct pack *pack);

/* Call once between the last search and the first composition. ERR_INTERNAL. */
enum err_code candidate_name_points(struct candidate *candidate, struct err *err);

/* Compose network i from its layers' fronts, into network_code[i], too; networks may be composed at the same time. */
void candidate_compose_network(struct candidate *candidate, size_t i);

/* Compose the networks' fronts by the space's aggregate. ERR_INTERNAL, also when a network's composition failed. */
enum err_code candidate_compose_total(struct candidate *candidate, struct err *err);

/*
 * After candidate_compose_total: where limits have cut designs that stood for others, which thinning dropped, compose
 * again with larger fronts, within a budget of work and memory; what proves more is kept. ERR_INTERNAL.
 */
enum err_code candidate_compose_again(struct candidate *candidate, struct err *err);

/* Whether designs may have been lost to limits: then nothing is proven of those that keep them by less than epsilon. */
bool candidate_is_limited(const struct candidate *candidate);

/*
 * How far a design that is missing may be better at most, in each metric that is composed: its layers' searches' loss,
 * each network's own, then that of their combination.
 */
double candidate_epsilon(const struct candidate *candidate);

/* All networks, then the total; what was composed before goes. ERR_INTERNAL. */
enum err_code candidate_compose_once(struct candidate *candidate, struct err *err);

/* The same, again where limits meet thinning. ERR_INTERNAL. */
enum err_code candidate_compose(struct candidate *candidate, struct err *err);

/* Metrics [N_METRIC] of point i of the total front: composed, machine's and derived ones; others 0. */
void candidate_metrics(const struct candidate *candidate, size_t i, double *metric);

/* A design in full: the machine's index, then N_LAYER_GENE genes for each block. */
static inline size_t genome_size(const struct layer_map *map)
{
	return 1 + map->n_block * N_LAYER_GENE;
}

/* Genome [genome_size] of point i of the total front. */
void candidate_genome(const struct candidate *candidate, size_t i, uint32_t *genome);

/* Objectives of a design from its metrics; false when a limit is broken, which *broken then names. */
bool candidate_objectives(const struct space *space, const double *metric, double *objective, enum metric *broken);

/* Decimal logarithm of the sum of two numbers, from theirs; a may be that of 0. */
double candidate_add_log10(double a, double b);

#endif
