/* SPDX-License-Identifier: Apache-2.0 */
/* The search of one task, by branch and bound, a genetic engine, or every design that bounds leave. */
#include "dse/search/candidate_parts.h"
#include "dse/engine/engine_run.h"
#include "dse/layer/branch.h"
#include "dse/pareto/quality.h"
#include "mapper/placement/transit.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Between the seeds of two searches of a candidate: 2^64 over the golden ratio, so that they never meet. */
#define SEED_STRIDE UINT64_C(0x9e3779b97f4a7c15)

/* Of local search before a branch and bound to within an epsilon. */
#define IMPROVE_EVALUATION 300
/* Designs of a front that another search begins with. */
#define MAX_SEED 32

static void run_engine(struct candidate_task *task, const struct engine_kind *kind, unsigned n_thread,
                       const struct engine_options *options, engine_watch watch, void *watch_context)
{
	const struct engine_search search = {.kind = kind,
	                                     .problem = &task->layer.problem,
	                                     .options = options,
	                                     .n_thread = n_thread,
	                                     .archive = &task->front,
	                                     .counts = &task->counts,
	                                     .n_reason = LAYER_N_REASON,
	                                     .n_by_reason = task->by_reason,
	                                     .near = &task->nearest,
	                                     .watch = watch,
	                                     .watch_context = watch_context};
	task->code = engine_run(&search, &task->err);
}

/*
 * Some steps of local search from the front of a sample, where the search does not go on until no design is better:
 * what it begins with then decides what it ends with.
 */
static enum err_code improve_sample(struct candidate_task *task, unsigned n_thread, struct pareto *front)
{
	struct engine_counts counts = {0};
	size_t n = front->n;
	uint32_t *genome = calloc(n + 1, N_LAYER_GENE * sizeof(*genome));
	const struct engine_options options = {
	    .seed = 1, .max_evaluation = IMPROVE_EVALUATION, .proposal = genome, .n_proposal = n};
	const struct engine_search search = {.kind = &engine_pls,
	                                     .problem = &task->layer.problem,
	                                     .options = &options,
	                                     .n_thread = n_thread,
	                                     .archive = front,
	                                     .counts = &counts};
	enum err_code code = ERR_OK;
	if (n > 0 && genome) { /* without memory the sample has to do */
		memcpy(genome, front->genome, n * N_LAYER_GENE * sizeof(*genome));
		code = engine_run(&search, &task->err);
	}
	free(genome);
	return code;
}

static bool watch_seeds(void *context, double progress, const struct engine_counts *counts)
{
	const struct candidate *candidate = context;
	(void)progress;
	(void)counts;
	return !stop_requested(candidate->set->map->stop);
}

/* Of a front some points: the least of each metric, then others, evenly spread. Returns how many. */
static size_t choose_seeds(const struct pareto *front, uint32_t *seed)
{
	size_t n = 0;
	const size_t n_least = front->n > 0 ? front->n_objective : 0;
	size_t n_more = front->n < MAX_SEED - n_least ? front->n : MAX_SEED - n_least;
	for (size_t i = 0; i < n_least + n_more; i++) {
		size_t at = i < n_least ? pareto_least(front, (unsigned)i) : (i - n_least) * front->n / n_more;
		memcpy(seed + n++ * N_LAYER_GENE, front->genome + at * N_LAYER_GENE, N_LAYER_GENE * sizeof(*seed));
	}
	return n;
}

/*
 * What an exact search of the fast tier finds is where the task's search in another tier, or by
 * a genetic engine, begins.
 */
static enum err_code find_seeds(struct candidate *candidate, struct candidate_task *task, unsigned n_thread)
{
	struct layer_problem *layer = &task->layer;
	const enum detail detail = layer->detail;
	const double epsilon = layer->epsilon;
	struct branch_counts counts;
	struct pareto front;
	uint32_t *seed = arena_array(&layer->arena, (size_t)MAX_SEED * N_LAYER_GENE, sizeof(*seed));
	if (!seed)
		return err_add(&task->err, ERR_INTERNAL, "out of memory for the first designs of a search");
	layer->detail = DETAIL_FAST;
	layer->epsilon = 0; /* the optimum itself is to be among them */
	pareto_init(&front, layer->n_metric, N_LAYER_GENE);
	enum err_code code = layer_problem_sample(layer, n_thread, &front, NULL, &task->err);
	if (code == ERR_OK)
		code = branch_search(layer, NULL, n_thread, &front, &counts, NULL, NULL, watch_seeds, candidate,
		                     &task->err);
	layer->detail = detail;
	layer->epsilon = epsilon;
	layer->n_seed = code == ERR_OK || code == ERR_INTERRUPTED ? choose_seeds(&front, seed) : 0;
	layer->seed = seed;
	pareto_free(&front);
	return code;
}

/* The seeds' designs in the task's own tier. */
static enum err_code price_seeds(struct candidate_task *task)
{
	const struct layer_problem *layer = &task->layer;
	struct pareto priced;
	pareto_init(&priced, layer->n_metric, N_LAYER_GENE);
	const double unknown[PARETO_MAX_OBJECTIVE] = {0};
	bool has_memory = true;
	for (size_t i = 0; i < layer->n_seed && has_memory; i++)
		has_memory = pareto_append(&priced, unknown, layer->seed + i * N_LAYER_GENE, 0);
	enum err_code code = has_memory ? layer_problem_price(layer, &priced, &task->err)
	                                : err_add(&task->err, ERR_INTERNAL, "out of memory");
	pareto_merge(&task->front, &priced);
	pareto_free(&priced);
	return code;
}

/* By a genetic engine: no bounds, whose sample would cost more evaluations than a small budget has. */
static void search_genetically(struct candidate *candidate, size_t i, unsigned n_thread,
                               const struct engine_options *options, engine_watch watch, void *watch_context)
{
	struct candidate_task *task = &candidate->task[i];
	struct engine_options own = *options;
	own.seed += i * SEED_STRIDE;
	own.max_evaluation = task->max_work;
	own.checkpoint = NULL;
	assert(candidate->genetic);
	struct history *history = malloc(sizeof(*history)); /* without memory nothing is measured */
	if (history)
		history_init(history, task->front.n_objective);
	own.history = history;
	if (candidate->space->seeds == SEEDS_EXACT)
		task->code = find_seeds(candidate, task, n_thread);
	if (task->code == ERR_OK || task->code == ERR_INTERRUPTED)
		run_engine(task, candidate->genetic, n_thread, &own, watch, watch_context);
	if (history && (task->code == ERR_OK || task->code == ERR_INTERRUPTED))
		quality_reach(&task->front, history, task->counts.n_reach);
	if (history)
		history_free(history);
	free(history);
}

/* The sample's designs are the first incumbents. */
static void search_exactly(struct candidate *candidate, struct candidate_task *task, unsigned n_thread,
                           const struct engine_options *options, engine_watch watch, void *watch_context)
{
	struct branch_counts counts = {0};
	struct branch_budget budget = {options->max_evaluation, task->max_work};
	enum err_code begun = layer_problem_sample(&task->layer, n_thread, &task->front, &task->nearest, &task->err);
	if (begun == ERR_OK && task->layer.epsilon > 0 && task->layer.detail == DETAIL_FAST)
		begun = improve_sample(task, n_thread, &task->front);
	if (begun == ERR_OK && candidate->space->seeds == SEEDS_EXACT && task->layer.detail != DETAIL_FAST) {
		begun = find_seeds(candidate, task, n_thread);
		begun = begun == ERR_OK ? price_seeds(task) : begun;
	}
	if (begun == ERR_INTERRUPTED) /* the bounds that the search would begin with are all that it finds */
		budget.max_box = 1;
	task->code = begun;
	if (begun == ERR_OK || begun == ERR_INTERRUPTED)
		task->code = branch_search(&task->layer, &budget, n_thread, &task->front, &counts, &task->nearest,
		                           &task->open, watch, watch_context, &task->err);
	if (task->code == ERR_OK)
		task->code = begun;
	task->counts = counts.engine;
	bool is_whole = add_sat(task->counts.n_asked, task->counts.n_skipped) >= task->size;
	task->counts.n_stop[task->code == ERR_INTERRUPTED ? ENGINE_STOP_WATCH
	                    : is_whole                    ? ENGINE_STOP_EXHAUSTED
	                                                  : ENGINE_STOP_EVALUATIONS]++;
	task->n_box = counts.n_box;
	task->epsilon = counts.epsilon;
	memcpy(task->loss, counts.loss, sizeof(task->loss));
	task->over_limit = counts.over_limit;
	memcpy(task->by_reason, counts.by_reason, sizeof(task->by_reason));
	memcpy(task->cut_by_reason, counts.cut_by_reason, sizeof(task->cut_by_reason));
}

/*
 * What bounds reject is no nearest miss: where they reject everything, the sample has one. The sample's points may lie
 * behind the place where the search stopped, on Ctrl-C or at max_evaluation.
 */
static void add_sample(struct candidate_task *task, const struct engine_nearest *sampled)
{
	if (task->front.n == 0)
		engine_nearest_take(&task->nearest, sampled->violation, sampled->reason, sampled->genome, N_LAYER_GENE);
	if (task->code == ERR_INTERRUPTED || add_sat(task->counts.n_asked, task->counts.n_skipped) < task->size)
		pareto_merge(&task->front, &task->bound);
}

/* Bounds narrow the layer's axes first; genomes are widened again afterwards. */
static void search_exhaustively(struct candidate_task *task, unsigned n_thread, const struct engine_options *options,
                                engine_watch watch, void *watch_context)
{
	uint32_t genome[N_LAYER_GENE];
	struct engine_nearest sampled = {.violation = INFINITY, .genome = genome};
	task->code = layer_problem_bound(&task->layer, n_thread, &task->bound, &sampled, &task->err);
	if (task->code == ERR_INTERRUPTED) {
		task->counts.n_stop[ENGINE_STOP_WATCH]++;
		pareto_merge(&task->front, &task->bound);
	}
	if (task->code != ERR_OK)
		return;
	run_engine(task, &engine_exhaustive, n_thread, options, watch, watch_context);
	task->counts.n_skipped = add_sat(task->counts.n_skipped, task->size - problem_size(&task->layer.problem));
	for (size_t k = 0; k < task->front.n; k++)
		layer_problem_widen(&task->layer, task->front.genome + k * N_LAYER_GENE);
	layer_problem_widen(&task->layer, task->nearest.genome);
	add_sample(task, &sampled);
}

void candidate_search(struct candidate *candidate, size_t i, unsigned n_thread, const struct engine_options *options,
                      engine_watch watch, void *watch_context)
{
	assert(i < candidate->n_task);
	struct candidate_task *task = &candidate->task[i];
	if (!candidate_is_reachable(candidate, i)) {
		task->counts.n_skipped = task->n_unreached = task->size;
		task->code = ERR_OK;
		return;
	}
	task->over_limit = candidate->is_exact ? 0 : UINT32_MAX;
	if (candidate->is_exact)
		search_exactly(candidate, task, n_thread, options, watch, watch_context);
	else if (candidate->genetic)
		search_genetically(candidate, i, n_thread, options, watch, watch_context);
	else
		search_exhaustively(task, n_thread, options, watch, watch_context);
	if (task->code == ERR_OK && transit_is_out())
		task->code = err_add(&task->err, ERR_INTERNAL, "out of memory for the paths of transfers");
}

void candidate_forget_task(struct candidate *candidate, size_t i)
{
	assert(i < candidate->n_task);
	struct candidate_task *task = &candidate->task[i];
	pareto_free(&task->front);
	pareto_init(&task->front, task->layer.problem.n_objective, N_LAYER_GENE);
	pareto_free(&task->open);
	pareto_init(&task->open, task->layer.problem.n_objective, N_LAYER_GENE);
	task->counts = (struct engine_counts){0};
	memset(task->by_reason, 0, sizeof(task->by_reason));
	memset(task->cut_by_reason, 0, sizeof(task->cut_by_reason));
	task->n_box = task->n_unreached = task->n_shared = 0;
	task->over_limit = 0;
	task->epsilon = 0;
	memset(task->loss, 0, sizeof(task->loss));
	task->nearest.violation = INFINITY;
	task->nearest.reason = 0;
	memset(task->nearest_genome, 0, sizeof(task->nearest_genome));
	err_clear(&task->err);
	task->code = ERR_OK;
}

void candidate_count_shared(struct candidate_task *task)
{
	task->counts = (struct engine_counts){.n_skipped = task->size};
	task->counts.n_stop[ENGINE_STOP_EXHAUSTED] = 1;
	task->n_shared = task->size;
	task->n_box = 0;
	memset(task->by_reason, 0, sizeof(task->by_reason));
	memset(task->cut_by_reason, 0, sizeof(task->cut_by_reason));
}

enum err_code candidate_bound(struct candidate *candidate, struct err *err)
{
	/* the boxes that a search begins with, before any is opened */
	static const struct branch_budget budget = {.max_box = 1};
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct candidate_task *task = &candidate->task[i];
		struct branch_counts counts;
		if (!candidate_is_reachable(candidate, i))
			continue;
		enum err_code code =
		    branch_search(&task->layer, &budget, 1, &task->front, &counts, NULL, &task->open, NULL, NULL, err);
		if (code != ERR_OK)
			return code;
	}
	return ERR_OK;
}

void candidate_sample(struct candidate *candidate, size_t i)
{
	assert(i < candidate->n_task);
	struct candidate_task *task = &candidate->task[i];
	task->code = ERR_INTERRUPTED;
	task->counts.n_stop[ENGINE_STOP_WATCH]++;
	/* without memory it stays empty */
	if (candidate_is_reachable(candidate, i))
		(void)layer_problem_sample(&task->layer, 1, &task->front, NULL, NULL);
}
