/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMPOSE_PARTS_H
#define DSE_COMPOSE_PARTS_H
/*
 * Inside composition:
 *   compose.c         layer after layer
 *   compose_state.c   one layer's step to one state: all sums, swept to a front, thinned
 *   compose_budget.c  how far fronts must be thinned
 *   compose_result.c  chains unrolled
 *   compose_cost.c    numbers of the whole chain
 *   compose_joint.c   limits that can be kept one by one but not together
 *   compose_points.c  memory
 *
 * Metrics stand here in the order of work: summed ones first, then maxima, so
 * that the first metric seldom has equal values.
 */
#include "dse/pareto/compose.h"

/* The numbers of a whole chain; see compose_cost.c. */
struct compose_costs {
	unsigned n_metric, n_sum, n_state;
	unsigned order[COMPOSE_MAX_METRIC]; /* the caller's metric at each place of the order of work */
	double quantum[COMPOSE_MAX_METRIC]; /* summed metrics are multiples of it; 0: all values are 0 */
	double beside[COMPOSE_MAX_METRIC];  /* the option, in the order of work */
	double *least_after; /* [n_layer + 1][n_state][n_metric] least value of the layers to come, infinite: no way */
};

/* In arena; false when memory is out. */
bool compose_costs_init(struct compose_costs *costs, const struct compose_layer *chain, size_t n_layer,
                        const struct compose_options *options, struct arena *arena);

/* What a point of a layer's front costs: cost [n_metric] in the order of work, weighted and rounded. */
void compose_costs_point(const struct compose_costs *costs, const struct compose_layer *layer,
                         const struct compose_front *front, size_t point, double *cost);

/* Least and most [n_metric] of an edge's points, metric by metric; its front must not be empty. */
void compose_costs_range(const struct compose_costs *costs, const struct compose_layer *layer,
                         const struct compose_edge *edge, double *least, double *most);

/* Sum or maximum of two values of a metric. */
double compose_costs_join(const struct compose_costs *costs, unsigned metric, double a, double b);

/* Bound [n_metric] on chains of n_done layers to a state: what exceeds it exceeds a limit, whatever follows. */
void compose_costs_bound(const struct compose_costs *costs, const double *limits, size_t n_done, unsigned state,
                         double *bound);

/*
 * What a chain of n_done layers to a state has in the end beyond its value, at least: beyond [n_metric]. A sum grows by
 * the layers to come; a maximum may stay as it is. false: there is no way from the state to the end.
 */
bool compose_costs_beyond(const struct compose_costs *costs, size_t n_done, unsigned state, double *beyond);

/* Bounds on weighted sums of limited metrics; see compose_joint.c. */
struct compose_joint {
	size_t n; /* weightings; 0: at most one summed metric has a limit */
	unsigned n_sum, n_state;
	double *weight;      /* [n][n_sum] */
	double *limit;       /* [n] the limits' weighted sum */
	double *least_after; /* [n_layer + 1][n_state][n] least weighted sum of the layers to come; infinite: no way */
};

/* In arena; false when memory is out. limits [n_metric] in the caller's order. */
bool compose_joint_init(struct compose_joint *joint, const struct compose_costs *costs,
                        const struct compose_layer *chain, size_t n_layer, const double *limits, struct arena *arena);

/* Nondominated partial chains that end in one state, in columns, sorted by metrics. */
struct compose_points {
	size_t n, n_alloc;
	unsigned n_metric;
	double *metric[COMPOSE_MAX_METRIC]; /* each [n] */
	uint32_t *before;                   /* [n] the chain without its last layer: number in the layer before */
	uint32_t *choice;                   /* [n] number of the last layer's point, see compose.c */
	uint32_t *rank; /* [n] order of the chains' choices, among all states' points after this layer */
};

/*
 * Drop the chains of n_done layers to a state that break one limit or another however they go on. Returns how many;
 * order stays.
 */
size_t compose_joint_cut(const struct compose_joint *joint, size_t n_done, unsigned state,
                         struct compose_points *points);

/* Make room for n points; false when memory is out. */
bool compose_points_reserve(struct compose_points *points, size_t n);
void compose_points_free(struct compose_points *points);

struct compose_sweep;

/* Which edge and which of its front's points a choice stands for. */
struct compose_choice {
	uint32_t id, edge, point;
};

/* What is known of the partial chains to one state. */
struct compose_state {
	struct compose_points points;
	double factor[COMPOSE_MAX_METRIC]; /* in the order of work */
	double most[COMPOSE_MAX_METRIC];   /* largest value of its points, metric by metric */
	double lost;                       /* the largest factor at which a limit cut chains; 0: none was cut */
	double guess;                      /* epsilon of the last thinning */
	double beyond[COMPOSE_MAX_METRIC]; /* what its chains will have besides, at least (compose_costs_beyond) */
	bool done;                         /* false: memory was out */
};

/* What unrolling needs of a layer. */
struct compose_history {
	uint32_t *before, *choice; /* [points of all states] */
};

/* One composition at work. */
struct compose_work {
	const struct compose_layer *layer;
	const struct compose_options *options;
	size_t n_layer;
	unsigned n_metric;
	struct compose_costs costs;
	struct compose_joint joint;
	double lost; /* the largest of all states' after all layers so far */
	bool is_over_budget;
	double largest[COMPOSE_MAX_METRIC]; /* the largest value any partial chain can have so far */
	struct compose_state *now, *next;   /* [n_state] */
	struct compose_history *history;    /* [n_layer] */
	size_t max_choice;                  /* points of the layer that has most */
	struct compose_choice *point;       /* [max_choice] */
	struct compose_sweep *sweep;        /* [n_state] */
	struct compose_points final;
	uint64_t n_composed, n_kept; /* pairs that were weighed; points of all states and layers that were kept */
	uint64_t *n_point_after;     /* [n_layer + 1] points of all edges of the layers from this one on */
	struct arena arena;          /* of all but points and sweeps */

	/* The layer under way. */
	size_t n_done, n_point;          /* layers, that one counted; its points */
	size_t first[COMPOSE_MAX_STATE]; /* number of each state's first chain before it */
	size_t max_front;                /* of a state after it */
};

/* Number the points of a layer's edges through, as choices; returns how many. */
size_t compose_number_points(const struct compose_work *work, const struct compose_layer *layer);

/* Extend all chains to one state by layer n_done - 1. An item of a parallel_for: context is the work. */
void compose_extend_state(void *context, size_t state);

/* Thin a state's chains to max_front, after compose_extend_state of all states. Likewise. */
void compose_thin_state(void *context, size_t state);

/* In the work's arena; false when memory is out. */
bool compose_budget_init(struct compose_work *work);

/* The most points of a state's front after the layer under way, of next, that options allow; see compose_budget.c. */
size_t compose_budget_front(const struct compose_work *work);

/* The front of all states' chains into work->final, by a last layer that costs nothing. false when memory is out. */
bool compose_join_states(struct compose_work *work);

/* The final chains with all their choices. false when memory is out. */
bool compose_make_result(const struct compose_work *work, struct compose_result *result);

/* Number of the first point of each state among all states' points; returns their sum. */
size_t compose_first_numbers(const struct compose_state *state, unsigned n_state, size_t *first);

#endif
