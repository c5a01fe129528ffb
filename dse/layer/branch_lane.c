/* SPDX-License-Identifier: Apache-2.0 */
/* A lane of branch and bound: its stack of boxes, what it cuts, halves and evaluates in a round, and what it finds. */
#include "dse/layer/branch_lane_parts.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>

/* An evaluation of the event tier takes as long as many boxes. */
#define N_EVENT_BOX 256
/* Points of a front that are looked through sooner than a tree of them. */
#define FEW_POINTS 64

/* pareto_covers of the front. */
static bool front_covers(const struct branch_work *search, struct branch_lane *lane, const double *objective,
                         const uint32_t *genome)
{
	bool is_open =
	    search->seen.n_dim > 0 && search->front->n > FEW_POINTS && !dominance_covers(&search->seen, objective);
	return !is_open && pareto_covers(search->front, objective, genome, &lane->hint[0]);
}

/* Whether at each operating point the box exceeds a limit, or a design found before makes it superfluous. */
static bool is_hopeless(const struct branch_work *search, struct branch_lane *lane, const struct branch_box *box,
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
static void note_loss(const struct branch_work *search, struct branch_lane *lane, const double *least)
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
static bool is_nearer_miss(const struct branch_work *search, struct branch_lane *lane, const struct verdict *verdict)
{
	if (search->front->n + lane->found.n > 0 || !search->nearest || verdict->available == 0 ||
	    lane->n_miss == lane->max_miss)
		return false;
	lane->n_miss++;
	return (double)verdict->demanded / (double)verdict->available - 1 < lane->nearest.violation * (1 - 1e-9);
}

static void cut_box(const struct branch_work *search, struct branch_lane *lane, const struct branch_box *box)
{
	struct branch_counts *counts = &lane->counts;
	uint64_t n = branch_box_size(&search->space, box);
	assert(box->reason > VERDICT_OK && box->reason < LAYER_N_REASON);
	counts->n_cut_box++;
	counts->cut_by_reason[box->reason] = add_sat(counts->cut_by_reason[box->reason], n);
	counts->engine.n_skipped = add_sat(counts->engine.n_skipped, n);
}

double branch_push_box(const struct branch_work *search, struct branch_lane *lane, const struct branch_box *box)
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
static void note_point(const struct branch_work *search, struct branch_lane *lane, const uint32_t *genome,
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
static void note_floor(const struct branch_work *search, struct branch_lane *lane, const uint32_t *genome,
                       const double *least, const struct evaluation *result)
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
static void note_result(const struct branch_work *search, struct branch_lane *lane, const uint32_t *genome,
                        const double *least, const struct evaluation *result)
{
	if (search->keeps_floor)
		note_floor(search, lane, genome, least, result);
	else if (result->violation == 0)
		note_point(search, lane, genome, result->objective);
}

/* A design that is infeasible. */
static void count_infeasible(struct branch_lane *lane, const uint32_t *genome, const struct evaluation *result)
{
	struct branch_counts *counts = &lane->counts;
	counts->engine.n_infeasible++;
	counts->by_reason[result->reason]++;
	if (result->reason >= N_VERDICT && result->reason < LAYER_REASON_BOUND)
		counts->over_limit |= UINT32_C(1) << (result->reason - N_VERDICT);
	engine_nearest_take(&lane->nearest, result->violation, result->reason, genome, N_LAYER_GENE);
}

/* The n first levels' designs; least [n][n_objective]: their bounds. */
static void count_designs(const struct branch_work *search, struct branch_lane *lane, uint32_t n,
                          const uint32_t *genome, const double *least, const struct evaluation *result)
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
static bool covers_pair(const struct branch_work *search, struct branch_lane *lane, const uint32_t *genome,
                        const double *least, double *lowest)
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
	const struct branch_work *search;
	struct branch_lane *lane;
	const uint32_t *genome;
};

static bool plan_is_covered(void *context, const double *bound)
{
	const struct plan_covering *covering = context;
	const struct branch_work *search = covering->search;
	struct branch_lane *lane = covering->lane;
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
static bool count_plans(const struct branch_work *search, struct branch_lane *lane, uint32_t *genome,
                        const struct layer_design_run *run, const double *least)
{
	struct branch_counts *counts = &lane->counts;
	const struct evaluation covered = {.violation = INFINITY, .reason = LAYER_REASON_BOUND}, *best = &covered;
	struct layer_plan_results *plans = &lane->plans;
	double lowest[PARETO_MAX_OBJECTIVE];
	struct plan_covering covering = {search, lane, genome};
	const struct layer_plan_filter filter = {plan_is_covered, &covering};
	plans->n = 0;
	if (!covers_pair(search, lane, genome, least, lowest))
		layer_problem_plans(search->space.layer, genome, run, &filter, plans);
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
static void evaluate_box(const struct branch_work *search, struct branch_lane *lane, const struct branch_box *box)
{
	const struct branch_space *space = &search->space;
	uint32_t genome[MACHINE_MAX_LEVEL * N_LAYER_GENE];
	struct evaluation result[MACHINE_MAX_LEVEL];
	struct layer_design_run run;
	for (uint32_t l = 0; l < space->n_level; l++)
		branch_box_genome(space, box, l, genome + l * N_LAYER_GENE);
	layer_problem_evaluate_kept(space->layer, genome, space->n_own_level, result, &run);
	/* the box was the top of the stack */
	const double *least = lane->least + lane->top * search->n_least;
	count_designs(search, lane, space->n_own_level, genome, least, result);
	bool was_stopped = problem_any_stopped(result, space->n_own_level);
	for (uint32_t l = space->n_own_level; l < space->n_level && !was_stopped; l++)
		was_stopped = !count_plans(search, lane, genome + l * N_LAYER_GENE, &run,
		                           least + branch_level_row(space, l) * search->front->n_objective);
	lane->n_split--;
	if (!was_stopped)
		return;
	lane->was_stopped = true;
	lane->box[lane->top++] = *box;
}

/* The more promising half goes on top: what it finds may cut the other one. */
static void halve_box(const struct branch_work *search, struct branch_lane *lane, const struct branch_box *box, int dim)
{
	struct branch_box half[2];
	branch_box_halve(&search->space, box, dim, half);
	double score = branch_push_box(search, lane, &half[1]);
	double first_score = branch_push_box(search, lane, &half[0]);
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

void branch_run_lane(void *context, size_t i)
{
	const struct branch_work *search = context;
	struct branch_lane *lane = &((struct branch_work *)context)->lane[search->active[i]];
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
