/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_BRANCH_LANE_PARTS_H
#define DSE_BRANCH_LANE_PARTS_H
/* Inside branch and bound: a search's lanes and what they share, for branch.c (rounds) and branch_lane.c (one lane). */
#include "dse/layer/branch_parts.h"
#include "dse/pareto/dominance.h"

/* As many lanes as keep some threads busy when they differ in length, and few enough not to miss each other's finds. */
#define BRANCH_N_LANE 32
/* Bytes before what a lane writes: no cache line, nor the next one that is fetched with it, has others' data, too. */
#define BRANCH_LANE_GAP 128

struct branch_lane {
	char gap[BRANCH_LANE_GAP];
	size_t bottom, top; /* of the stack: box[bottom] to box[top - 1] are open */
	struct branch_box *box;
	double *least;       /* [stack][n_bound * n_metric] */
	struct pareto found; /* in this round, not yet in the front */
	struct branch_counts counts;
	struct engine_nearest nearest;
	uint32_t nearest_genome[N_LAYER_GENE];
	struct layer_plan_results plans; /* of a split at a pair of levels by PE */
	size_t hint[2];                  /* of the front and of found: points that covered something lately */
	uint64_t n_split;                /* to be evaluated in this round at most */
	uint32_t n_miss;                 /* boxes opened for the nearest miss alone */
	uint32_t max_miss;               /* in all rounds so far */
	double epsilon, loss[PARETO_MAX_OBJECTIVE]; /* of what was cut */
	bool out_of_memory, was_stopped;
};

struct branch_work {
	struct branch_space space;
	struct pareto *front;
	/*
	 * All points that front ever had, of more than two objectives: what they do not cover needs no look at each.
	 * Those that are gone are dominated by one that is there.
	 */
	struct dominance seen;
	struct engine_nearest *nearest;
	struct branch_budget budget;
	uint64_t size;
	double slack;     /* bounds are compared when made so many times as large; 1: of an exact search */
	bool keeps_floor; /* front is one of bounds, not of designs */
	uint32_t n_least; /* rows of bounds times metrics */
	uint32_t quantum;
	bool is_spent;                            /* the boxes that the budget allows */
	uint32_t n_active, active[BRANCH_N_LANE]; /* lanes that have boxes in this round */
	size_t max_stack;
	struct branch_lane lane[BRANCH_N_LANE];
};

/*
 * Bound a box and leave it at the lane's top, or cut it. Returns its score, by which halves are compared; negative: it
 * was cut. The stack has room for it.
 */
double branch_push_box(const struct branch_work *search, struct branch_lane *lane, const struct branch_box *box);

/* The part in a round of active lane i; context: the struct branch_work, of which it writes that lane alone. */
void branch_run_lane(void *context, size_t i);

#endif
