/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box is cut when no design of it runs, or when at each operating point its
 * lower bound exceeds a limit or a design of the front so far makes everything
 * that is not below the bound superfluous: by dominating it, or by being as good
 * with a genome that comes before all of the box. Else it is halved. With an epsilon bounds are made larger by as much.
 * Nothing that could be on the front, first of its equals, is ever cut, so the front does not depend on the order.
 *
 * Boxes are searched side by side in N_LANE lanes, whoever runs them, in rounds:
 *
 *   lane 0  stack of open boxes ─► up to so many, depth first ─► designs found ┐
 *   lane 1  ...                                                                ├─► front, lane by lane
 *   ...     (in parallel; the front is only read)                              ┘
 *           idle lanes get the largest box of a lane that has several
 *
 * The more promising half of a box goes first, so a stack is a path, and never
 * longer than the deepest one. What a lane does depends on its boxes and on the
 * front at the round's beginning, so counts do not depend on the threads either.
 */
#include "dse/layer/branch_parts.h"
#include "dse/base/parallel.h"
#include "dse/pareto/dominance.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* As many lanes as keep some threads busy when they differ in length, and few enough not to miss each other's finds. */
#define N_LANE 32
/* Boxes a lane opens in the first rounds and at most: finds are shared early, and later rounds are long enough. */
#define MIN_QUANTUM 32
#define MAX_QUANTUM 1024
/* Bytes before what a lane writes: no cache line, nor the next one that is fetched with it, has others' data, too. */
#define LANE_GAP 128
/* An evaluation of the event tier takes as long as many boxes. */
#define N_EVENT_BOX 256
/* Boxes opened for the sake of a nearest miss. */
#define MAX_MISS 2000
/* Points of a front that are looked through sooner than a tree of them. */
#define FEW_POINTS 64
/* A budget of evaluations allows so many boxes for each: where bounds decide nearly all, it must end the search, too.
 */
#define BOX_PER_EVALUATION 10000

/* Boxes of a search to within an epsilon before that grows. */
#define EPSILON_BOX 20000.0

struct lane {
	char gap[LANE_GAP];
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

struct box_search {
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
	bool is_spent;                     /* the boxes that the budget allows */
	uint32_t n_active, active[N_LANE]; /* lanes that have boxes in this round */
	size_t max_stack;
	struct lane lane[N_LANE];
};

/* ---- one lane --------------------------------------------------------------------------------------- */

/* pareto_covers of the front. */
static bool front_covers(const struct box_search *search, struct lane *lane, const double *objective,
                         const uint32_t *genome)
{
	bool is_open =
	    search->seen.n_dim > 0 && search->front->n > FEW_POINTS && !dominance_covers(&search->seen, objective);
	return !is_open && pareto_covers(search->front, objective, genome, &lane->hint[0]);
}

/* Whether at each operating point the box exceeds a limit, or a design found before makes it superfluous. */
static bool is_hopeless(const struct box_search *search, struct lane *lane, const struct branch_box *box,
                        const double *least)
{
	uint32_t genome[N_LAYER_GENE];
	branch_box_genome(&search->space, box, 0, genome);
	for (uint32_t row = 0; row < search->space.n_bound; row++, least += search->front->n_objective) {
		genome[GENE_LEVEL] = branch_row_level(&search->space, row);
		if (least[0] < INFINITY && !front_covers(search, lane, least, genome) &&
		    !pareto_covers(&lane->found, least, genome, &lane->hint[1]))
			return false;
	}
	return true;
}

/* By how much a point is above a bound in the worst metric, 1: not at all. */
static double ratio_above(const double *point, const double *least, unsigned n)
{
	double worst = 1;
	for (unsigned k = 0; k < n; k++)
		worst = fmax(worst, point[k] <= least[k] ? 1 : least[k] > 0 ? point[k] / least[k] : INFINITY);
	return worst;
}

/* The point that is the least above a bound, if that is less than *ratio. */
static const double *find_above(const struct pareto *front, const double *least, double *ratio, const double *found)
{
	for (size_t i = 0; i < front->n; i++) {
		const double *point = front->objective + i * front->n_objective;
		double own = ratio_above(point, least, front->n_objective);
		found = own < *ratio ? point : found;
		*ratio = fmin(*ratio, own);
	}
	return found;
}

/* What a search to within an epsilon loses with a box that is cut, mostly less than it may. */
static void note_loss(const struct box_search *search, struct lane *lane, const double *least)
{
	const unsigned n = search->front->n_objective;
	double own[PARETO_MAX_OBJECTIVE];
	for (uint32_t row = 0; row < search->space.n_bound; row++, least += n) {
		double ratio = INFINITY;
		if (isinf(least[0]))
			continue;
		for (unsigned k = 0; k < n; k++)
			own[k] = least[k] / search->slack;
		const double *point = find_above(search->front, own, &ratio, NULL);
		point = find_above(&lane->found, own, &ratio, point);
		lane->epsilon = fmax(lane->epsilon, ratio - 1);
		for (unsigned k = 0; k < n && point; k++)
			lane->loss[k] = fmax(lane->loss[k], point[k] - fmax(own[k], 0));
	}
}

/* As long as nothing is feasible, some boxes are opened that are too large by less than the nearest miss so far. */
static bool is_nearer_miss(const struct box_search *search, struct lane *lane, const struct verdict *verdict)
{
	if (search->front->n + lane->found.n > 0 || !search->nearest || verdict->available == 0 ||
	    lane->n_miss == lane->max_miss)
		return false;
	lane->n_miss++;
	return (double)verdict->demanded / (double)verdict->available - 1 < lane->nearest.violation * (1 - 1e-9);
}

static void cut_box(const struct box_search *search, struct lane *lane, const struct branch_box *box)
{
	struct branch_counts *counts = &lane->counts;
	uint64_t n = branch_box_size(&search->space, box);
	assert(box->reason > VERDICT_OK && box->reason < LAYER_N_REASON);
	counts->n_cut_box++;
	counts->cut_by_reason[box->reason] = add_sat(counts->cut_by_reason[box->reason], n);
	counts->engine.n_skipped = add_sat(counts->engine.n_skipped, n);
}

/* Bound a box at the stack's top and leave it there, or cut it. Its score; negative: it was cut. */
static double push_box(const struct box_search *search, struct lane *lane, const struct branch_box *box)
{
	struct branch_bound bound;
	assert(lane->top < search->max_stack);
	struct branch_box *own = &lane->box[lane->top];
	double *least = lane->least + lane->top * search->n_least;
	*own = *box;
	lane->counts.n_box++;
	branch_box_bound(&search->space, own, least, &bound);
	for (uint32_t i = 0; search->slack > 1 && i < search->n_least; i++)
		least[i] *= search->slack;
	lane->counts.over_limit |= bound.over_limit;
	bool loses = search->slack > 1 && !search->keeps_floor && bound.runs;
	bool is_cut =
	    bound.runs ? is_hopeless(search, lane, own, least) : !is_nearer_miss(search, lane, &bound.verdict);
	if (is_cut && loses)
		note_loss(search, lane, least);
	if (is_cut) {
		cut_box(search, lane, own);
		return -1;
	}
	lane->top++;
	return bound.score;
}

/* A point that nothing in the front covers is found. */
static void note_point(const struct box_search *search, struct lane *lane, const uint32_t *genome,
                       const double *objective)
{
	if (front_covers(search, lane, objective, genome))
		return;
	(void)pareto_insert(&lane->found, objective, genome, 0);
	lane->out_of_memory |= lane->found.n_alloc == 0;
}

/*
 * What a relaxed search remembers of a design: its bound, made larger, where the design is above that. Of one that
 * exceeds a limit, too: a machine of which this one's bounds serve may run it within the limit.
 */
static void note_floor(const struct box_search *search, struct lane *lane, const uint32_t *genome, const double *least,
                       const struct evaluation *result)
{
	const unsigned n = search->front->n_objective;
	double floor[PARETO_MAX_OBJECTIVE];
	bool is_above = result->violation > 0;
	assert(search->keeps_floor);
	if (isinf(least[0]) || (result->violation > 0 && result->reason < N_VERDICT))
		return;
	for (unsigned i = 0; i < n; i++)
		is_above |= result->objective[i] > least[i];
	/* what is left of a bound on energy beyond sleep may be below 0, designs are not */
	for (unsigned i = 0; i < n; i++)
		floor[i] = !is_above ? result->objective[i] : least[i] > 0 ? least[i] : 0;
	note_point(search, lane, genome, floor);
}

/* What became of a point; least: its bound. */
static void note_result(const struct box_search *search, struct lane *lane, const uint32_t *genome, const double *least,
                        const struct evaluation *result)
{
	if (search->keeps_floor)
		note_floor(search, lane, genome, least, result);
	else if (result->violation == 0)
		note_point(search, lane, genome, result->objective);
}

/* A design that is infeasible. */
static void count_infeasible(struct lane *lane, const uint32_t *genome, const struct evaluation *result)
{
	struct branch_counts *counts = &lane->counts;
	counts->engine.n_infeasible++;
	counts->by_reason[result->reason]++;
	if (result->reason >= N_VERDICT && result->reason < LAYER_REASON_BOUND)
		counts->over_limit |= UINT32_C(1) << (result->reason - N_VERDICT);
	engine_nearest_take(&lane->nearest, result->violation, result->reason, genome, N_LAYER_GENE);
}

/* The n first levels' designs; least [n][n_objective]: their bounds. */
static void count_designs(const struct box_search *search, struct lane *lane, uint32_t n, const uint32_t *genome,
                          const double *least, const struct evaluation *result)
{
	struct branch_counts *counts = &lane->counts;
	for (uint32_t l = 0; l < n; l++, genome += N_LAYER_GENE, least += search->front->n_objective) {
		if (problem_is_stopped(&result[l])) {
			counts->engine.n_told--;
			continue;
		}
		note_result(search, lane, genome, least, &result[l]);
		if (result[l].violation == 0)
			counts->engine.n_feasible++;
		else
			count_infeasible(lane, genome, &result[l]);
	}
	counts->engine.n_asked = counts->engine.n_told += n;
}

/* The least of a pair's rows in each metric, and whether the front covers all of them. */
static bool covers_pair(const struct box_search *search, struct lane *lane, const uint32_t *genome, const double *least,
                        double *lowest)
{
	const unsigned n = search->front->n_objective;
	bool covers = true;
	for (unsigned i = 0; i < n; i++)
		lowest[i] = INFINITY;
	for (uint32_t row = 0; row < BOUND_PAIR_CELL; row++, least += n) {
		for (unsigned i = 0; i < n; i++)
			lowest[i] = fmin(lowest[i], least[i]);
		covers = covers && (isinf(least[0]) || front_covers(search, lane, least, genome) ||
		                    pareto_covers(&lane->found, least, genome, &lane->hint[1]));
	}
	return covers;
}

struct plan_covering {
	const struct box_search *search;
	struct lane *lane;
	const uint32_t *genome;
};

static bool plan_is_covered(void *context, const double *bound)
{
	const struct plan_covering *covering = context;
	const struct box_search *search = covering->search;
	struct lane *lane = covering->lane;
	double own[PARETO_MAX_OBJECTIVE];
	for (unsigned i = 0; i < search->front->n_objective; i++)
		own[i] = bound[i] * search->slack;
	return front_covers(search, lane, own, covering->genome) ||
	       pareto_covers(&lane->found, own, covering->genome, &lane->hint[1]);
}

/*
 * A design at a pair of levels by PE with all its plans, unless the front covers its bounds; it counts as one, which is
 * feasible if any of its plans is. false: its evaluation was stopped.
 */
static bool count_plans(const struct box_search *search, struct lane *lane, uint32_t *genome, const double *least)
{
	struct branch_counts *counts = &lane->counts;
	const struct evaluation covered = {.violation = INFINITY, .reason = LAYER_REASON_BOUND}, *best = &covered;
	struct layer_plan_results *plans = &lane->plans;
	double lowest[PARETO_MAX_OBJECTIVE];
	struct plan_covering covering = {search, lane, genome};
	const struct layer_plan_filter filter = {plan_is_covered, &covering};
	plans->n = 0;
	if (!covers_pair(search, lane, genome, least, lowest))
		layer_problem_plans(search->space.layer, genome, &filter, plans);
	if (plans->n > 0 && problem_any_stopped(plans->result, plans->n))
		return false;
	for (size_t i = 0; i < plans->n; i++) {
		genome[GENE_LEVEL] = plans->gene[i];
		note_result(search, lane, genome, lowest, &plans->result[i]);
		if (i == 0 || plans->result[i].violation < best->violation)
			best = &plans->result[i];
	}
	counts->engine.n_asked = ++counts->engine.n_told;
	if (best->violation > 0)
		count_infeasible(lane, genome, best);
	else
		counts->engine.n_feasible++;
	return true;
}

/* One split at all operating points. */
static void evaluate_box(const struct box_search *search, struct lane *lane, const struct branch_box *box)
{
	const struct branch_space *space = &search->space;
	uint32_t genome[MACHINE_MAX_LEVEL * N_LAYER_GENE];
	struct evaluation result[MACHINE_MAX_LEVEL];
	for (uint32_t l = 0; l < space->n_level; l++)
		branch_box_genome(space, box, l, genome + l * N_LAYER_GENE);
	layer_problem_evaluate(space->layer, genome, space->n_own_level, result);
	/* the box was the top of the stack */
	const double *least = lane->least + lane->top * search->n_least;
	count_designs(search, lane, space->n_own_level, genome, least, result);
	bool was_stopped = problem_any_stopped(result, space->n_own_level);
	for (uint32_t l = space->n_own_level; l < space->n_level && !was_stopped; l++)
		was_stopped = !count_plans(search, lane, genome + l * N_LAYER_GENE,
		                           least + branch_level_row(space, l) * search->front->n_objective);
	lane->n_split--;
	if (!was_stopped)
		return;
	lane->was_stopped = true;
	lane->box[lane->top++] = *box;
}

/* The more promising half goes on top: what it finds may cut the other one. */
static void halve_box(const struct box_search *search, struct lane *lane, const struct branch_box *box, int dim)
{
	struct branch_box half[2];
	branch_box_halve(&search->space, box, dim, half);
	double score = push_box(search, lane, &half[1]);
	double first_score = push_box(search, lane, &half[0]);
	if (score < 0 || first_score < 0 || first_score <= score)
		return;
	struct branch_box *top = &lane->box[lane->top - 1], kept = *top;
	*top = top[-1];
	top[-1] = kept;
	double *least = lane->least + (lane->top - 1) * search->n_least;
	for (uint32_t i = 0; i < search->n_least; i++, least++) {
		double kept_least = *least;
		*least = *(least - search->n_least);
		*(least - search->n_least) = kept_least;
	}
}

/* A lane's part of a round. */
static void run_lane(void *context, size_t i)
{
	const struct box_search *search = context;
	struct lane *lane = &((struct box_search *)context)->lane[search->active[i]];
	bool is_fast = search->space.layer->detail == DETAIL_FAST;
	uint32_t n_left = search->quantum;
	while (lane->top > lane->bottom && n_left > 0 && lane->n_split > 0 && !lane->out_of_memory &&
	       !lane->was_stopped) {
		struct branch_box box = lane->box[--lane->top];
		uint32_t n_work = 1;
		if (is_hopeless(search, lane, &box, lane->least + lane->top * search->n_least)) {
			if (search->slack > 1 && !search->keeps_floor)
				note_loss(search, lane, lane->least + lane->top * search->n_least);
			cut_box(search, lane, &box);
			continue;
		}
		int dim = branch_box_dim(&search->space, &box);
		if (dim >= 0) {
			halve_box(search, lane, &box, dim);
		} else {
			evaluate_box(search, lane, &box);
			n_work = is_fast ? 1 : N_EVENT_BOX;
		}
		n_left -= n_work < n_left ? n_work : n_left;
	}
}

/* ---- rounds ----------------------------------------------------------------------------------------- */

/* Give the lanes that ran dry the largest box of the lane whose largest box is largest. */
static void share_boxes(struct box_search *search)
{
	for (size_t i = 0; i < N_LANE; i++) {
		struct lane *idle = &search->lane[i], *rich = NULL;
		uint64_t largest = 0;
		if (idle->top > idle->bottom)
			continue;
		idle->bottom = idle->top = 0;
		for (size_t k = 0; k < N_LANE; k++) {
			struct lane *lane = &search->lane[k];
			uint64_t size = lane->top > lane->bottom + 1
			                    ? branch_box_size(&search->space, &lane->box[lane->bottom])
			                    : 0;
			rich = size > largest ? lane : rich;
			largest = size > largest ? size : largest;
		}
		if (!rich)
			return;
		idle->box[0] = rich->box[rich->bottom];
		memcpy(idle->least, rich->least + rich->bottom * search->n_least,
		       search->n_least * sizeof(*idle->least));
		idle->top = 1;
		rich->bottom++;
	}
}

/* An evaluation was stopped: its box and all that are open are left as they are. */
static bool any_stopped(const struct box_search *search)
{
	for (size_t i = 0; i < N_LANE; i++)
		if (search->lane[i].was_stopped)
			return true;
	return false;
}

/* Add the points of a front to what has been seen. false when memory is out. */
static bool note_seen(struct box_search *search, const struct pareto *front)
{
	const unsigned n = search->seen.n_dim;
	for (size_t i = 0; n > 0 && i < front->n; i++) {
		const double *point = front->objective + i * n;
		if (!dominance_covers(&search->seen, point) && !dominance_add(&search->seen, point))
			return false;
	}
	return true;
}

/* What the lanes found, in their order. false when memory is out. */
static bool merge_lanes(struct box_search *search, struct branch_counts *counts)
{
	counts->engine.n_told = counts->engine.n_skipped = 0;
	for (size_t i = 0; i < N_LANE; i++) {
		struct lane *lane = &search->lane[i];
		counts->engine.n_told += lane->counts.engine.n_told;
		counts->engine.n_skipped = add_sat(counts->engine.n_skipped, lane->counts.engine.n_skipped);
		pareto_merge(search->front, &lane->found);
		if (lane->out_of_memory || (lane->found.n > 0 && search->front->n_alloc == 0) ||
		    !note_seen(search, &lane->found))
			return false;
		lane->found.n = 0;
		if (search->nearest)
			engine_nearest_take(search->nearest, lane->nearest.violation, lane->nearest.reason,
			                    lane->nearest.genome, N_LAYER_GENE);
	}
	return true;
}

/*
 * Which lanes run in this round, and how much each may evaluate: all of what the budget has left together. false: none
 * has boxes, or nothing is left.
 */
static bool begin_round(struct box_search *search, uint64_t n_told)
{
	uint64_t n_left = UINT64_MAX, n_box = 0;
	uint32_t n_miss = 0;
	for (size_t i = 0; i < N_LANE; i++)
		n_box += search->lane[i].counts.n_box;
	const struct branch_budget *budget = &search->budget;
	search->is_spent = (budget->max_evaluation > 0 && n_box / BOX_PER_EVALUATION >= budget->max_evaluation) ||
	                   (budget->max_box > 0 && n_box >= budget->max_box);
	if (search->is_spent)
		return false;
	if (budget->max_evaluation > 0)
		n_left = n_told < budget->max_evaluation
		             ? ceil_div(budget->max_evaluation - n_told, search->space.n_level)
		             : 0;
	search->n_active = 0;
	for (uint32_t i = 0; i < N_LANE && search->n_active < n_left; i++) {
		if (search->lane[i].top > search->lane[i].bottom)
			search->active[search->n_active++] = i;
		n_miss += search->lane[i].n_miss;
	}
	for (uint32_t i = 0; i < search->n_active; i++) {
		struct lane *lane = &search->lane[search->active[i]];
		lane->n_split = n_left / search->n_active;
		lane->max_miss = lane->n_miss + (MAX_MISS - n_miss) / search->n_active;
		lane->nearest.violation = search->nearest ? search->nearest->violation : 0;
	}
	return search->n_active > 0;
}

/* Made larger by what roundings may add. */
static void note_losses(const struct lane *lane, struct branch_counts *counts)
{
	counts->epsilon = fmax(counts->epsilon, lane->epsilon * (1 + 1e-9));
	for (unsigned k = 0; k < PARETO_MAX_OBJECTIVE; k++)
		counts->loss[k] = fmax(counts->loss[k], lane->loss[k] * (1 + 1e-9));
}

static void sum_counts(const struct box_search *search, struct branch_counts *counts)
{
	*counts = (struct branch_counts){0};
	for (size_t i = 0; i < N_LANE; i++) {
		const struct branch_counts *own = &search->lane[i].counts;
		engine_counts_add(&counts->engine, &own->engine);
		counts->n_box += own->n_box;
		note_losses(&search->lane[i], counts);
		counts->n_cut_box += own->n_cut_box;
		counts->over_limit |= own->over_limit;
		for (uint32_t reason = 0; reason < LAYER_N_REASON; reason++) {
			counts->by_reason[reason] += own->by_reason[reason];
			counts->cut_by_reason[reason] =
			    add_sat(counts->cut_by_reason[reason], own->cut_by_reason[reason]);
		}
	}
}

/*
 * A search to within an epsilon that goes on for long meets boxes whose bounds lie below the front by more than that
 * and tell little: from EPSILON_BOX boxes on the epsilon grows with the square of their number, and so it ends soon.
 */
static void grow_slack(struct box_search *search)
{
	uint64_t n_box = 0;
	if (!(search->slack > 1) || search->keeps_floor)
		return;
	for (size_t i = 0; i < N_LANE; i++)
		n_box += search->lane[i].counts.n_box;
	double work = fmax(1, (double)n_box / EPSILON_BOX);
	double slack = 1 + search->space.layer->epsilon * work * work, ratio = slack / search->slack;
	if (!(ratio > 1))
		return;
	for (size_t i = 0; i < N_LANE; i++)
		for (size_t k = search->lane[i].bottom * search->n_least; k < search->lane[i].top * search->n_least;
		     k++)
			search->lane[i].least[k] *= ratio;
	search->slack = slack;
}

/* ERR_OK, ERR_INTERRUPTED or, without a message, ERR_INTERNAL. */
static enum err_code search_layer(struct box_search *search, unsigned n_thread, struct branch_counts *counts,
                                  engine_watch watch, void *watch_context)
{
	while (begin_round(search, counts->engine.n_told)) {
		parallel_for(search->n_active, n_thread, run_lane, search);
		if (!merge_lanes(search, counts))
			return ERR_INTERNAL;
		if (any_stopped(search))
			return ERR_INTERRUPTED;
		share_boxes(search);
		grow_slack(search);
		if (search->quantum < MAX_QUANTUM)
			search->quantum *= 2;
		double done = (double)add_sat(counts->engine.n_told, counts->engine.n_skipped) / (double)search->size;
		if (watch && !watch(watch_context, done < 1 ? done : 1, &counts->engine))
			return ERR_INTERRUPTED;
	}
	return ERR_OK;
}

/* Lanes with the roots' boxes dealt in turn, the first ones on top. */
static bool init_lanes(struct box_search *search, struct arena *arena)
{
	uint32_t n_root = search->space.n_root, n_box = 0;
	search->max_stack = branch_space_depth(&search->space) + 2 * (size_t)ceil_div(n_root, N_LANE);
	for (size_t i = 0; i < N_LANE; i++) {
		struct lane *lane = &search->lane[i];
		lane->box = arena_array(arena, search->max_stack, sizeof(*lane->box));
		lane->least = arena_array(arena, search->max_stack * search->n_least, sizeof(*lane->least));
		lane->nearest.genome = lane->nearest_genome;
		lane->nearest.violation = search->nearest ? search->nearest->violation : 0;
		lane->max_miss = MAX_MISS / N_LANE;
		pareto_init(&lane->found, search->front->n_objective, N_LAYER_GENE);
		if (!lane->box || !lane->least)
			return false;
	}
	for (uint32_t root = n_root; root-- > 0;) {
		struct branch_box box[2];
		for (uint32_t k = branch_root_boxes(&search->space, root, box); k-- > 0; n_box++)
			(void)push_box(search, &search->lane[n_box % N_LANE], &box[k]);
	}
	return true;
}

/* The bounds of a box, without the slack; what is left of one on energy beyond sleep may be below 0, designs are not.
 */
static bool list_box(const struct box_search *search, const double *least, struct pareto *open)
{
	static const uint32_t genome[N_LAYER_GENE];
	for (uint32_t row = 0; row < search->space.n_bound; row++, least += open->n_objective) {
		double floor[PARETO_MAX_OBJECTIVE];
		for (unsigned i = 0; i < open->n_objective; i++)
			floor[i] = fmax(least[i] / search->slack, 0.0);
		if (least[0] < INFINITY && !pareto_insert(open, floor, genome, 0) && open->n_alloc == 0)
			return false;
	}
	return true;
}

/* Bounds of the boxes on the stacks; those that were opened for a nearest miss alone hold nothing that runs. */
static bool list_open(const struct box_search *search, struct pareto *open)
{
	for (size_t i = 0; i < N_LANE; i++) {
		const struct lane *lane = &search->lane[i];
		for (size_t at = lane->bottom; at < lane->top; at++)
			if (lane->box[at].reason == LAYER_REASON_BOUND &&
			    !list_box(search, lane->least + at * search->n_least, open))
				return false;
	}
	return true;
}

static enum err_code search_within(const struct layer_problem *layer, double epsilon, bool keeps_floor,
                                   struct branch_budget budget, unsigned n_thread, struct pareto *front,
                                   struct branch_counts *counts, struct engine_nearest *nearest, struct pareto *open,
                                   engine_watch watch, void *watch_context, struct err *err)
{
	struct arena arena = {0};
	struct box_search *search = arena_alloc(&arena, sizeof(*search));
	enum err_code code = ERR_INTERNAL;
	assert(layer->n_value[GENE_PLACE] == 1 && !layer->is_bounded && front->n_objective == layer->n_metric);
	*counts = (struct branch_counts){0};
	if (search) {
		search->front = front;
		search->nearest = nearest;
		search->budget = budget;
		search->slack = 1 + epsilon;
		search->keeps_floor = keeps_floor;
		search->size = problem_size(&layer->problem);
		search->quantum = MIN_QUANTUM;
		if (front->n_objective > 2)
			dominance_reset(&search->seen, front->n_objective);
		bool is_built = branch_space_build(layer, &arena, &search->space);
		search->n_least = search->space.n_bound * layer->n_metric;
		if (is_built && note_seen(search, front) && init_lanes(search, &arena))
			code = search_layer(search, n_thread, counts, watch, watch_context);
		if (open && code != ERR_INTERNAL && !list_open(search, open))
			code = ERR_INTERNAL;
		sum_counts(search, counts);
		for (size_t i = 0; i < N_LANE; i++) {
			pareto_free(&search->lane[i].found);
			layer_plan_results_free(&search->lane[i].plans);
		}
		dominance_free(&search->seen);
	}
	if (code == ERR_OK && !search->is_spent &&
	    (budget.max_evaluation == 0 || counts->engine.n_told < budget.max_evaluation))
		assert(add_sat(counts->engine.n_told, counts->engine.n_skipped) == search->size);
	arena_free(&arena);
	if (code == ERR_INTERNAL)
		return err_add(err, ERR_INTERNAL, "out of memory in the exact search of a layer");
	pareto_sort(front);
	return code;
}

enum err_code branch_search(const struct layer_problem *layer, const struct branch_budget *budget, unsigned n_thread,
                            struct pareto *front, struct branch_counts *counts, struct engine_nearest *nearest,
                            struct pareto *open, engine_watch watch, void *watch_context, struct err *err)
{
	assert(layer->epsilon >= 0 && layer->epsilon < INFINITY);
	return search_within(layer, layer->epsilon, false, budget ? *budget : (struct branch_budget){0}, n_thread,
	                     front, counts, nearest, open, watch, watch_context, err);
}

/*
 * Every design that may be feasible lies in a box that was cut because a point of the front is nowhere above the box's
 * bound times the slack, or was evaluated and is remembered by a point nowhere above its bound times the slack.
 */
enum err_code branch_relax(const struct layer_problem *layer, double epsilon, unsigned n_thread, struct pareto *front,
                           struct branch_counts *counts, engine_watch watch, void *watch_context, struct err *err)
{
	assert(epsilon > 0 && epsilon < INFINITY);
	return search_within(layer, epsilon, true, (struct branch_budget){0}, n_thread, front, counts, NULL, NULL,
	                     watch, watch_context, err);
}
