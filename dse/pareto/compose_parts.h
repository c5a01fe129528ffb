/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMPOSE_PARTS_H
#define DSE_COMPOSE_PARTS_H
/*
 * What compose.c (the chain), compose_cost.c (its numbers), compose_sweep.c (one layer: sums and maxima of all
 * pairs, nondominated ones only, in parts), compose_part.c (one part), compose_points.c (memory), compose_thin.c
 * (epsilon-dominance), compose_box.c (its boxes) and compose_joint.c (limits that only together cannot be kept) share.
 * Metrics stand here in the order of work: summed ones first, then maxima, so
 * that the first metric seldom has equal values.
 */
#include "dse/pareto/compose.h"
#include "dse/pareto/dominance.h"

/* The numbers of a whole chain; see compose_cost.c. */
struct compose_costs {
	unsigned n_metric, n_sum, n_state;
	unsigned order[COMPOSE_MAX_METRIC]; /* the caller's metric at each place of the order of work */
	double quantum[COMPOSE_MAX_METRIC]; /* summed metrics are multiples of it; 0: all values are 0 */
	double beside[COMPOSE_MAX_METRIC];  /* the option, in the order of work */
	double *least_after; /* [n_layer + 1][n_state][n_metric] least value of the layers to come, infinite: no way */
};

/* false when memory is out (compose_costs_free is due all the same). */
bool compose_costs_init(struct compose_costs *costs, const struct compose_layer *chain, size_t n_layer,
                        const struct compose_options *options);
void compose_costs_free(struct compose_costs *costs);

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

/* false when memory is out (compose_joint_free is due all the same). limits [n_metric] in the caller's order. */
bool compose_joint_init(struct compose_joint *joint, const struct compose_costs *costs,
                        const struct compose_layer *chain, size_t n_layer, const double *limits);
void compose_joint_free(struct compose_joint *joint);

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

/* Partial chains extended by one point of a layer. */
struct compose_run {
	const struct compose_points *from;
	uint32_t first; /* number of from's first point among all states' points */
	uint32_t choice;
	double cost[COMPOSE_MAX_METRIC];
};

struct compose_candidate {
	double metric[COMPOSE_MAX_METRIC];
	unsigned n_metric;
	uint32_t before, choice, rank;
};

/* Where a part of a sweep stands in a run. */
struct compose_cursor {
	double key;       /* first metric of the point there */
	uint32_t at, end; /* the part's points are those up to end */
};

/* The points of all runs whose first metric is at least low and less than high. */
struct compose_part {
	double low, high;
	size_t n_alloc, n_heap, n_group, n_group_alloc;
	struct compose_cursor *cursor;   /* [n_alloc] of each run */
	uint32_t *heap;                  /* [n_alloc] runs by key, least first */
	struct compose_candidate *group; /* [n_group_alloc] points of equal first metric */
	struct dominance seen;           /* what has been kept, without the first metric */
	struct staircase before;         /* what all parts before this one have seen; of three metrics */
	struct compose_points kept;      /* where there are several parts */
	size_t n_before;                 /* points of the front that come from parts before this one */
	bool done;                       /* false: memory is out */
};

#define COMPOSE_MAX_PART 32

/* Initialise with zeros and the first five members; reserve runs, fill them, run. */
struct compose_sweep {
	unsigned n_metric, n_sum; /* metrics 0..n_sum-1 add up, the others take the maximum */
	unsigned n_thread;
	size_t part_size;                 /* points of runs that make a part worth it */
	double bound[COMPOSE_MAX_METRIC]; /* points above it in any metric are dropped */
	size_t n_run, n_run_alloc;
	struct compose_run *run; /* [n_run] */
	size_t n_part;
	struct compose_part part[COMPOSE_MAX_PART];
	struct compose_points *out; /* of the sweep under way */
};

/* Make room for n runs; false when memory is out. */
bool compose_sweep_reserve(struct compose_sweep *sweep, size_t n);

/*
 * The front of all runs' points into out, whose memory is used again; sorted by
 * metrics; of equal points the one whose choices come first. On n_thread threads,
 * or those of the parallel_for whose item it is called by. false when memory is
 * out.
 */
bool compose_sweep_run(struct compose_sweep *sweep, struct compose_points *out);
void compose_sweep_free(struct compose_sweep *sweep);

/* A metric of the run's point at a place. */
static inline double compose_run_metric(const struct compose_sweep *sweep, const struct compose_run *run,
                                        unsigned metric, size_t at)
{
	double before = run->from->metric[metric][at], cost = run->cost[metric];

	if (metric < sweep->n_sum)
		return before + cost;
	return before > cost ? before : cost;
}

/* The front of a part's points into out, as if there were no other parts, save for what it has seen at first. */
bool compose_part_run(const struct compose_sweep *sweep, struct compose_part *part, struct compose_points *out);
void compose_part_free(struct compose_part *part);

/*
 * Thin points out to at most max_front (but no fewer than 2^n_metric + n_metric):
 * to each point dropped one is kept that is, in each metric i, at most
 * (1 + epsilon[i]) times as large when beyond[i] is added to both. The best in each metric stay. *guess is the
 * epsilon of an earlier, similar call, 0 at first. false when memory is out.
 */
bool compose_thin(struct compose_points *points, const double *beyond, size_t max_front, unsigned n_thread,
                  double *guess, double *epsilon);

#define COMPOSE_BOX_CLASS 16

/* Boxes of points of more than two metrics; see compose_box.c. */
struct compose_box_table {
	uint64_t *name; /* [n_slot] 0: empty */
	uint32_t *best; /* [n_slot] the point nearest to the ideal */
	size_t n;
};

struct compose_boxes {
	const struct compose_points *points;
	unsigned n_thread, n_class;
	size_t max_of_class; /* boxes a class may have; a hash gives each about as many */
	size_t n_slot;       /* of a table: a power of two */
	double least[COMPOSE_MAX_METRIC];
	const double *beyond; /* [n_metric] added to every value; the caller's memory */
	double *logarithm;    /* [n][n_metric] of the metric over its least positive value; negative: the metric is 0 */
	double *sum;          /* [n] of the point's logarithms */
	uint64_t *name;       /* [n] of boxes, by chunk, then class */
	uint32_t *number;     /* [n] of the points so named */
	uint32_t *first;      /* [n_chunk][COMPOSE_BOX_CLASS + 1] where a chunk's classes begin */
	struct compose_box_table table[COMPOSE_BOX_CLASS];

	/* Of the trial under way. */
	double per_side;
	size_t chunk, chunk_end;
	uint32_t *keeper;
};

/* false when memory is out (compose_boxes_free is due all the same). max_kept: the most that compose_boxes_fit is
 * asked. */
bool compose_boxes_init(struct compose_boxes *boxes, const struct compose_points *points, const double *beyond,
                        size_t max_kept, unsigned n_thread);
void compose_boxes_free(struct compose_boxes *boxes);

/* Whether there are at most max boxes of side log(1 + epsilon). */
bool compose_boxes_fit(struct compose_boxes *boxes, double epsilon, size_t max);

/* After boxes that fit: keeper[i] becomes the best point of the box of point i. */
void compose_boxes_assign(struct compose_boxes *boxes, uint32_t *keeper);

#endif
