/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMPOSE_SWEEP_PARTS_H
#define DSE_COMPOSE_SWEEP_PARTS_H
/*
 * One layer's step to one state: sums and maxima of all pairs of a partial chain and a layer's point, nondominated
 * ones only, in parts (compose_sweep.c), each of which is swept alone (compose_part.c).
 */
#include "dse/pareto/compose_parts.h"
#include "dse/pareto/dominance.h"

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
	/* Four metrics, the last of them a maximum: the values that it takes, rising; 0: others, or too many values. */
	size_t n_level, n_level_alloc;
	double *level; /* [n_level] */
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

#endif
