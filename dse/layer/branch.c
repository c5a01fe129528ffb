/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box is cut when no design of it runs, or when at each operating point its
 * lower bound exceeds a limit or a design of the front so far makes everything
 * that is not below the bound superfluous: by dominating it, or by being as good
 * with a genome that comes before all of the box. Else it is halved. With an epsilon bounds are made larger by as much.
 * Nothing that could be on the front, first of its equals, is ever cut, so the front does not depend on the order.
 *
 * Boxes are searched side by side in BRANCH_N_LANE lanes, whoever runs them, in rounds:
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
#include "dse/base/parallel.h"
#include "dse/layer/branch_lane_parts.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Boxes a lane opens in the first rounds and at most: finds are shared early, and later rounds are long enough. */
#define MIN_QUANTUM 32
#define MAX_QUANTUM 1024
/* Boxes opened for the sake of a nearest miss. */
#define MAX_MISS 2000
/* A budget of evaluations allows so many boxes for each: where bounds decide nearly all, it must end the search, too.
 */
#define BOX_PER_EVALUATION 10000
/* Boxes of a search to within an epsilon before that grows. */
#define EPSILON_BOX 20000.0

/* Give the lanes that ran dry the largest box of the lane whose largest box is largest. */
static void share_boxes(struct branch_work *search)
{
	for (size_t i = 0; i < BRANCH_N_LANE; i++) {
		struct branch_lane *idle = &search->lane[i], *rich = NULL;
		uint64_t largest = 0;
		if (idle->top > idle->bottom)
			continue;
		idle->bottom = idle->top = 0;
		for (size_t k = 0; k < BRANCH_N_LANE; k++) {
			struct branch_lane *lane = &search->lane[k];
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
static bool any_stopped(const struct branch_work *search)
{
	for (size_t i = 0; i < BRANCH_N_LANE; i++)
		if (search->lane[i].was_stopped)
			return true;
	return false;
}

/* Add the points of a front to what has been seen. false when memory is out. */
static bool note_seen(struct branch_work *search, const struct pareto *front)
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
static bool merge_lanes(struct branch_work *search, struct branch_counts *counts)
{
	counts->engine.n_told = counts->engine.n_skipped = 0;
	for (size_t i = 0; i < BRANCH_N_LANE; i++) {
		struct branch_lane *lane = &search->lane[i];
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
static bool begin_round(struct branch_work *search, uint64_t n_told)
{
	uint64_t n_left = UINT64_MAX, n_box = 0;
	uint32_t n_miss = 0;
	for (size_t i = 0; i < BRANCH_N_LANE; i++)
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
	for (uint32_t i = 0; i < BRANCH_N_LANE && search->n_active < n_left; i++) {
		if (search->lane[i].top > search->lane[i].bottom)
			search->active[search->n_active++] = i;
		n_miss += search->lane[i].n_miss;
	}
	for (uint32_t i = 0; i < search->n_active; i++) {
		struct branch_lane *lane = &search->lane[search->active[i]];
		lane->n_split = n_left / search->n_active;
		lane->max_miss = lane->n_miss + (MAX_MISS - n_miss) / search->n_active;
		lane->nearest.violation = search->nearest ? search->nearest->violation : 0;
	}
	return search->n_active > 0;
}

/* Made larger by what roundings may add. */
static void note_losses(const struct branch_lane *lane, struct branch_counts *counts)
{
	counts->epsilon = fmax(counts->epsilon, lane->epsilon * (1 + 1e-9));
	for (unsigned k = 0; k < PARETO_MAX_OBJECTIVE; k++)
		counts->loss[k] = fmax(counts->loss[k], lane->loss[k] * (1 + 1e-9));
}

static void sum_counts(const struct branch_work *search, struct branch_counts *counts)
{
	*counts = (struct branch_counts){0};
	for (size_t i = 0; i < BRANCH_N_LANE; i++) {
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
static void grow_slack(struct branch_work *search)
{
	uint64_t n_box = 0;
	if (!(search->slack > 1) || search->keeps_floor)
		return;
	for (size_t i = 0; i < BRANCH_N_LANE; i++)
		n_box += search->lane[i].counts.n_box;
	double work = fmax(1, (double)n_box / EPSILON_BOX);
	double slack = 1 + search->space.layer->epsilon * work * work, ratio = slack / search->slack;
	if (!(ratio > 1))
		return;
	for (size_t i = 0; i < BRANCH_N_LANE; i++)
		for (size_t k = search->lane[i].bottom * search->n_least; k < search->lane[i].top * search->n_least;
		     k++)
			search->lane[i].least[k] *= ratio;
	search->slack = slack;
}

/* ERR_OK, ERR_INTERRUPTED or, without a message, ERR_INTERNAL. */
static enum err_code search_layer(struct branch_work *search, unsigned n_thread, struct branch_counts *counts,
                                  engine_watch watch, void *watch_context)
{
	while (begin_round(search, counts->engine.n_told)) {
		parallel_for(search->n_active, n_thread, branch_run_lane, search);
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
static bool init_lanes(struct branch_work *search, struct arena *arena)
{
	uint32_t n_root = search->space.n_root, n_box = 0;
	search->max_stack = branch_space_depth(&search->space) + 2 * (size_t)ceil_div(n_root, BRANCH_N_LANE);
	for (size_t i = 0; i < BRANCH_N_LANE; i++) {
		struct branch_lane *lane = &search->lane[i];
		lane->box = arena_array(arena, search->max_stack, sizeof(*lane->box));
		lane->least = arena_array(arena, search->max_stack * search->n_least, sizeof(*lane->least));
		lane->nearest.genome = lane->nearest_genome;
		lane->nearest.violation = search->nearest ? search->nearest->violation : 0;
		lane->max_miss = MAX_MISS / BRANCH_N_LANE;
		pareto_init(&lane->found, search->front->n_objective, N_LAYER_GENE);
		if (!lane->box || !lane->least)
			return false;
	}
	for (uint32_t root = n_root; root-- > 0;) {
		struct branch_box box[2];
		for (uint32_t k = branch_root_boxes(&search->space, root, box); k-- > 0; n_box++)
			(void)branch_push_box(search, &search->lane[n_box % BRANCH_N_LANE], &box[k]);
	}
	return true;
}

/* The bounds of a box, without the slack; what is left of one on energy beyond sleep may be below 0, designs are not.
 */
static bool list_box(const struct branch_work *search, const double *least, struct pareto *open)
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
static bool list_open(const struct branch_work *search, struct pareto *open)
{
	for (size_t i = 0; i < BRANCH_N_LANE; i++) {
		const struct branch_lane *lane = &search->lane[i];
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
	struct branch_work *search = arena_alloc(&arena, sizeof(*search));
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
		for (size_t i = 0; i < BRANCH_N_LANE; i++) {
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
