/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/candidate.h"
#include "dse/layer/branch.h"
#include "dse/pareto/budget.h"
#include "dse/layer/changes.h"
#include "dse/layer/deadline.h"
#include "dse/engine/engine_run.h"
#include "dse/layer/layer_problem.h"
#include "dse/pareto/quality.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A state leaves a layer its result's place and how much it fetches ahead. */
#define MAX_PLACE_EDGE (LAYER_N_STATE * 2 * AHEAD_N)
/* Of every state before, with changes of level: each level of a layer after each point of the machine's own. */
#define MAX_EDGE (MAX_PLACE_EDGE * MACHINE_FILE_LEVEL * MACHINE_MAX_LEVEL)
/* Between the seeds of two searches of a candidate: 2^64 over the golden ratio, so that they never meet. */
#define SEED_STRIDE UINT64_C(0x9e3779b97f4a7c15)

/*
 * Composition again, where limits meet thinning: points of a state's front, which take about 50 bytes each, with what
 * the layers before keep of theirs; pairs to be weighed, some 30 million a second, where nothing was found and else
 * as a multiple of those of the first composition.
 */
#define AGAIN_MAX_FRONT ((size_t)1 << 18)
#define AGAIN_EMPTY_PAIRS (UINT64_C(1) << 29)
#define AGAIN_LEAST_PAIRS (UINT64_C(1) << 22)
#define AGAIN_FACTOR 4

/* All problems of a set have the same internal metrics. */
static const struct layer_problem *any_layer(const struct candidate *candidate)
{
	assert(candidate->set->n_problem > 0);
	return &candidate->set->problem[0];
}

/* Searches of a layer for each place: one, or where changes of level count, which tell levels apart, one a level. */
static size_t n_level_task(const struct candidate *candidate, size_t distinct)
{
	const struct layer_set *set = candidate->set;
	return changes_count(candidate->space, &set->machine) ? set->problem[distinct].n_value[GENE_LEVEL] : 1;
}

void candidate_widen(const struct candidate *candidate, size_t distinct, size_t task, const uint32_t *genome,
                     uint32_t *own)
{
	size_t n_level = n_level_task(candidate, distinct), at = task - candidate->first_task[distinct];
	assert(task >= candidate->first_task[distinct] && task < candidate->first_task[distinct + 1]);
	memcpy(own, genome, N_LAYER_GENE * sizeof(*own));
	own[GENE_PLACE] = (uint32_t)(at / n_level);
	if (n_level > 1)
		own[GENE_LEVEL] = (uint32_t)(at % n_level);
}

static void init_task(struct candidate *candidate, size_t distinct, size_t at)
{
	size_t n_level = n_level_task(candidate, distinct), place = at / n_level;
	struct candidate_task *task = &candidate->task[candidate->first_task[distinct] + at];
	struct layer_problem *layer = &task->layer;
	*layer = candidate->set->problem[distinct];
	layer->arena = (struct arena){0};
	layer->place[0] = layer->place[place];
	layer->n_value[GENE_PLACE] = 1;
	if (n_level > 1) {
		layer->level[0] = layer->level[at % n_level];
		layer->n_value[GENE_LEVEL] = 1;
	}
	layer->problem.n_value = layer->n_value;
	layer->problem.context = layer;
	task->size = problem_size(&layer->problem);
	task->nearest = (struct engine_nearest){.violation = INFINITY, .genome = task->nearest_genome};
	pareto_init(&task->front, layer->problem.n_objective, N_LAYER_GENE);
	pareto_init(&task->bound, layer->problem.n_objective, N_LAYER_GENE);
}

enum err_code candidate_init(const struct space *space, struct layer_set *set, struct candidate *candidate,
                             struct err *err)
{
	assert(space && set && candidate);
	const struct layer_map *map = set->map;
	*candidate = (struct candidate){.space = space, .max_front = space->max_front, .set = set};
	candidate->first_task = calloc(map->n_distinct + 1, sizeof(*candidate->first_task));
	candidate->network = calloc(map->n_network, sizeof(*candidate->network));
	candidate->network_code = calloc(map->n_network, sizeof(*candidate->network_code));
	candidate->network_nearest = calloc(map->n_network * COMPOSE_MAX_METRIC, sizeof(double));
	if (candidate->first_task) {
		for (size_t i = 0; i < map->n_distinct; i++)
			candidate->first_task[i + 1] =
			    candidate->first_task[i] + set->problem[i].n_value[GENE_PLACE] * n_level_task(candidate, i);
		candidate->task = calloc(candidate->first_task[map->n_distinct], sizeof(*candidate->task));
	}
	if (!candidate->task || !candidate->network || !candidate->network_code || !candidate->network_nearest) {
		candidate_free(candidate);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	candidate->n_task = candidate->first_task[map->n_distinct];
	for (size_t i = 0; i < map->n_distinct; i++)
		for (size_t k = 0; k < candidate->first_task[i + 1] - candidate->first_task[i]; k++)
			init_task(candidate, i, k);
	return ERR_OK;
}

void candidate_free(struct candidate *candidate)
{
	for (size_t i = 0; i < candidate->n_task; i++) {
		pareto_free(&candidate->task[i].front);
		pareto_free(&candidate->task[i].bound);
		arena_free(&candidate->task[i].layer.arena);
		err_clear(&candidate->task[i].err);
	}
	for (size_t i = 0; candidate->network && i < candidate->set->map->n_network; i++)
		compose_free(&candidate->network[i]);
	compose_free(&candidate->total);
	layer_set_free(candidate->set);
	free(candidate->first_task);
	free(candidate->task);
	free(candidate->iota);
	free(candidate->network);
	free(candidate->network_code);
	free(candidate->network_nearest);
	*candidate = (struct candidate){0};
}

/* A network's input comes from DRAM: a layer that only opens networks never finds its ifmap in the storage QPEs. */
bool candidate_is_reachable(const struct candidate *candidate, size_t i)
{
	assert(i < candidate->n_task);
	const struct candidate_task *task = &candidate->task[i];
	const struct layer_map *map = candidate->set->map;
	if ((task->layer.place[0] & (PLACE_IFMAP | PLACE_WEIGHT)) == 0)
		return true;
	for (size_t network = 0; network < map->n_network; network++)
		for (size_t block = map->begin[network] + 1; block < map->begin[network + 1]; block++)
			if (layer_any_context(&candidate->set->problem[map->distinct[block]])->block ==
			    layer_any_context(&task->layer)->block)
				return true;
	return false;
}

void candidate_share_budget(struct candidate *candidate, uint64_t max_work)
{
	size_t n = candidate->n_task;
	uint64_t *size = calloc(2 * n, sizeof(*size));
	assert(n > 0 && max_work < UINT64_MAX);
	for (size_t i = 0; i < n && size; i++)
		size[i] = candidate_is_reachable(candidate, i) ? candidate->task[i].size : 0;
	if (size)
		budget_share(max_work, size, n, size + n);
	for (size_t i = 0; i < n; i++) {
		uint64_t share = size ? size[n + i] : max_work / n;
		candidate->task[i].max_work = share > 0 ? share : 1;
	}
	free(size);
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
	task->code = engine_run(candidate->genetic, &task->layer.problem, &own, n_thread, &task->front, &task->counts,
	                        task->by_reason, LAYER_N_REASON, &task->nearest, watch, watch_context, &task->err);
	if (history && (task->code == ERR_OK || task->code == ERR_INTERRUPTED))
		quality_reach(&task->front, history, task->counts.n_reach);
	if (history)
		history_free(history);
	free(history);
}

/* The sample's designs are the first incumbents. */
static void search_exactly(struct candidate_task *task, unsigned n_thread, const struct engine_options *options,
                           engine_watch watch, void *watch_context)
{
	struct branch_counts counts = {0};
	const struct branch_budget budget = {options->max_evaluation, task->max_work};
	task->code = layer_problem_sample(&task->layer, n_thread, &task->front, &task->nearest, &task->err);
	if (task->code == ERR_OK)
		task->code = branch_search(&task->layer, &budget, n_thread, &task->front, &counts, &task->nearest,
		                           watch, watch_context, &task->err);
	task->counts = counts.engine;
	bool is_whole = add_sat(task->counts.n_asked, task->counts.n_skipped) >= task->size;
	task->counts.n_stop[task->code == ERR_INTERRUPTED ? ENGINE_STOP_WATCH
	                    : is_whole                    ? ENGINE_STOP_EXHAUSTED
	                                                  : ENGINE_STOP_EVALUATIONS]++;
	task->n_box = counts.n_box;
	task->over_limit = counts.over_limit;
	memcpy(task->by_reason, counts.by_reason, sizeof(task->by_reason));
	memcpy(task->cut_by_reason, counts.cut_by_reason, sizeof(task->cut_by_reason));
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
	if (candidate->is_exact) {
		search_exactly(task, n_thread, options, watch, watch_context);
		return;
	}
	task->over_limit = UINT32_MAX;
	if (candidate->genetic) {
		search_genetically(candidate, i, n_thread, options, watch, watch_context);
		return;
	}
	uint32_t genome[N_LAYER_GENE];
	struct engine_nearest sampled = {.violation = INFINITY, .genome = genome};
	task->code = layer_problem_bound(&task->layer, n_thread, &task->bound, &sampled, &task->err);
	if (task->code == ERR_INTERRUPTED) {
		task->counts.n_stop[ENGINE_STOP_WATCH]++;
		pareto_merge(&task->front, &task->bound);
	}
	if (task->code != ERR_OK)
		return;
	task->code =
	    engine_run(&engine_exhaustive, &task->layer.problem, options, n_thread, &task->front, &task->counts,
	               task->by_reason, LAYER_N_REASON, &task->nearest, watch, watch_context, &task->err);
	task->counts.n_skipped = add_sat(task->counts.n_skipped, task->size - problem_size(&task->layer.problem));
	for (size_t k = 0; k < task->front.n; k++)
		layer_problem_widen(&task->layer, task->front.genome + k * N_LAYER_GENE);
	layer_problem_widen(&task->layer, task->nearest.genome);
	/* what bounds reject is no nearest miss: where they reject everything, the sample has one */
	if (task->front.n == 0 && sampled.violation < task->nearest.violation) {
		task->nearest.violation = sampled.violation;
		task->nearest.reason = sampled.reason;
		memcpy(task->nearest.genome, genome, sizeof(genome));
	}
	/* The sample's points may lie behind the place where the search stopped, on Ctrl-C or at max_evaluation. */
	if (task->code == ERR_INTERRUPTED || add_sat(task->counts.n_asked, task->counts.n_skipped) < task->size)
		pareto_merge(&task->front, &task->bound);
}

void candidate_forget_task(struct candidate *candidate, size_t i)
{
	assert(i < candidate->n_task);
	struct candidate_task *task = &candidate->task[i];
	pareto_free(&task->front);
	pareto_init(&task->front, task->layer.problem.n_objective, N_LAYER_GENE);
	task->counts = (struct engine_counts){0};
	memset(task->by_reason, 0, sizeof(task->by_reason));
	memset(task->cut_by_reason, 0, sizeof(task->cut_by_reason));
	task->n_box = task->n_unreached = task->n_shared = 0;
	task->over_limit = 0;
	task->nearest.violation = INFINITY;
	task->nearest.reason = 0;
	memset(task->nearest_genome, 0, sizeof(task->nearest_genome));
	err_clear(&task->err);
	task->code = ERR_OK;
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

/* Names for n points. */
static enum err_code grow_iota(struct candidate *candidate, size_t n, struct err *err)
{
	if (n <= candidate->n_iota)
		return ERR_OK;
	uint32_t *iota = realloc(candidate->iota, n * sizeof(*iota));
	if (!iota || n > UINT32_MAX) {
		candidate->iota = iota ? iota : candidate->iota;
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	for (size_t i = candidate->n_iota; i < n; i++)
		iota[i] = (uint32_t)i;
	candidate->iota = iota;
	candidate->n_iota = n;
	return ERR_OK;
}

enum err_code candidate_name_points(struct candidate *candidate, struct err *err)
{
	size_t n = 1;
	for (size_t i = 0; i < candidate->n_task; i++)
		if (candidate->task[i].front.n > n)
			n = candidate->task[i].front.n;
	return grow_iota(candidate, n, err);
}

/* The state of a chain: what residency does, and with changes of level the machine's own point that it ends at. */
struct chain_space {
	unsigned n_place, n_level; /* states of either; n_level 1: changes do not count */
};

/*
 * The edges of a block, always in the same order: state before, then place, then level. Returns how many. edge NULL:
 * they are counted, and *task becomes the task of edge number wanted's front. front: [n_task] as they are, then
 * [n_task] after a change of level.
 */
static size_t list_edges(const struct candidate *candidate, size_t block, struct chain_space states,
                         const struct compose_front *front, struct compose_edge *edge, size_t wanted, uint32_t *task)
{
	const struct layer_map *map = candidate->set->map;
	const struct machine *machine = &candidate->set->machine;
	size_t distinct = map->distinct[block], n = 0, n_level = n_level_task(candidate, distinct);
	const struct layer_problem *layer = &candidate->set->problem[distinct];
	bool is_first = block == map->begin[layer_map_network(map, block)];
	for (unsigned from = 0; from < states.n_place * states.n_level; from++)
		for (size_t i = 0; i < layer->n_value[GENE_PLACE] * n_level; i++) {
			unsigned to, place = layer->place[i / n_level];
			size_t own = candidate->first_task[distinct] + i, which = own;
			if (!layer_place_fits(map->block[block], from % states.n_place, place, &to) ||
			    to >= states.n_place || candidate->task[own].front.n == 0)
				continue;
			if (states.n_level > 1) {
				uint32_t level = candidate->task[own].layer.level[0];
				bool changes = !is_first && changes_entry(machine, level) != from / states.n_place;
				to += states.n_place * changes_exit(machine, level);
				which += changes ? candidate->n_task : 0;
			}
			assert(n < MAX_EDGE);
			if (edge)
				edge[n] = (struct compose_edge){from, to, &front[which]};
			else if (n == wanted)
				*task = (uint32_t)own;
			n++;
		}
	return n;
}

/* One state suffices where nothing can ever stay in storage QPEs, half of them where nothing is fetched ahead. */
static unsigned n_place_state(const struct candidate *candidate)
{
	unsigned all = 0;
	for (size_t i = 0; i < candidate->set->n_problem; i++)
		for (unsigned k = 0; k < candidate->set->problem[i].n_value[GENE_PLACE]; k++)
			all |= candidate->set->problem[i].place[k];
	if ((all & (PLACE_WEIGHT | PLACE_FETCH)) != 0)
		return LAYER_N_STATE;
	return all != 0 ? LAYER_N_RESULT_STATE : 1;
}

/* Mixed points stand behind the machine's own. */
static struct chain_space states_of(const struct candidate *candidate)
{
	const struct machine *machine = &candidate->set->machine;
	unsigned n_level = 1;
	if (changes_count(candidate->space, machine))
		while (n_level < machine->n_level && machine->level[n_level].n_share == 0)
			n_level++;
	assert(n_level <= MACHINE_FILE_LEVEL);
	return (struct chain_space){n_place_state(candidate), n_level};
}

/* Memory of one composition. */
struct chain {
	struct compose_front *front; /* [n_task], then [n_task] after a change of level */
	struct compose_edge *edge;   /* [n_layer][max_edge] */
	struct compose_layer *layer; /* [n_layer] */
	double *changed;             /* metrics after a change of level; NULL: changes do not count */
	size_t max_edge;
};

static bool chain_alloc(struct chain *chain, size_t n_front, size_t n_layer, size_t max_edge)
{
	chain->max_edge = max_edge;
	chain->front = calloc(n_front, sizeof(*chain->front));
	chain->edge = calloc(n_layer * max_edge, sizeof(*chain->edge));
	chain->layer = calloc(n_layer, sizeof(*chain->layer));
	return chain->front && chain->edge && chain->layer;
}

/* All tasks' fronts as if another level were before them. false: out of memory. */
static bool change_fronts(const struct candidate *candidate, struct chain *chain)
{
	const struct layer_problem *any = any_layer(candidate);
	size_t n_value = 0;
	for (size_t k = 0; k < candidate->n_task; k++)
		n_value += candidate->task[k].front.n * any->n_metric;
	double *value = chain->changed = calloc(n_value + 1, sizeof(*value));
	if (!value)
		return false;
	for (size_t k = 0; k < candidate->n_task; k++) {
		const struct compose_front *front = &chain->front[k];
		const struct machine *machine = &candidate->set->machine;
		uint32_t level = candidate->task[k].layer.level[0], to = changes_entry(machine, level);
		double change[N_METRIC] = {0};
		/* what it costs depends on where it leads alone */
		changes_add(candidate->space, machine, to == 0 ? 1 : 0, to, change);
		deadline_of_layer(candidate->space, machine, change);
		chain->front[candidate->n_task + k] = (struct compose_front){front->n, value, front->id};
		for (size_t i = 0; i < front->n * any->n_metric; i++)
			*value++ = front->metric[i] + change[any->metric[i % any->n_metric]];
	}
	return true;
}

static void chain_free(struct chain *chain)
{
	free(chain->front);
	free(chain->edge);
	free(chain->layer);
	free(chain->changed);
}

/* Until the deadline; the same for all points, so their order stays. */
static void add_sleep(struct candidate *candidate, size_t i)
{
	const struct layer_problem *any = any_layer(candidate);
	struct compose_result *network = &candidate->network[i];
	double sleep_mj = deadline_sleep_mj(candidate->space, &candidate->set->machine);
	if (!(sleep_mj > 0))
		return;
	for (unsigned k = 0; k < any->n_metric; k++) {
		if (any->metric[k] != METRIC_ENERGY)
			continue;
		candidate->network_nearest[i * COMPOSE_MAX_METRIC + k] += sleep_mj;
		for (size_t point = 0; point < network->n; point++)
			network->metric[point * network->n_metric + k] += sleep_mj;
	}
}

void candidate_compose_network(struct candidate *candidate, size_t i)
{
	const struct layer_map *map = candidate->set->map;
	const struct layer_problem *any = any_layer(candidate);
	size_t n_layer = map->begin[i + 1] - map->begin[i];
	enum compose_op op[COMPOSE_MAX_METRIC];
	double limit[COMPOSE_MAX_METRIC], beside[COMPOSE_MAX_METRIC];
	struct chain chain = {0};
	struct chain_space states = states_of(candidate);
	bool changes = states.n_level > 1;
	assert(any->n_metric <= COMPOSE_MAX_METRIC);
	for (unsigned k = 0; k < any->n_metric; k++) {
		op[k] = metric_table[any->metric[k]].op;
		beside[k] = any->metric[k] == METRIC_ENERGY
		                ? deadline_sleep_mj(candidate->space, &candidate->set->machine)
		                : 0.0;
		limit[k] = candidate->no_limits
		               ? INFINITY
		               : deadline_limit(candidate->space, &candidate->set->machine, i, any->metric[k]);
	}
	struct compose_options options = {.n_metric = any->n_metric,
	                                  .op = op,
	                                  .limit = limit,
	                                  .beside = beside,
	                                  .n_state = states.n_place * states.n_level,
	                                  .max_front = candidate->max_front,
	                                  .max_composed = candidate->max_composed,
	                                  .stop = candidate->set->map->stop,
	                                  .n_thread = candidate->n_thread};
	candidate->network_code[i] = ERR_INTERNAL;
	if (!chain_alloc(&chain, 2 * candidate->n_task, n_layer, changes ? MAX_EDGE : MAX_PLACE_EDGE))
		goto cleanup;
	for (size_t k = 0; k < candidate->n_task; k++) {
		const struct pareto *front = &candidate->task[k].front;
		assert(front->n <= candidate->n_iota);
		chain.front[k] = (struct compose_front){front->n, front->objective, candidate->iota};
	}
	if (changes && !change_fronts(candidate, &chain))
		goto cleanup;
	for (size_t k = 0; k < n_layer; k++) {
		struct compose_edge *edge = chain.edge + k * chain.max_edge;
		size_t n = list_edges(candidate, map->begin[i] + k, states, chain.front, edge, 0, NULL);
		chain.layer[k] = (struct compose_layer){n, edge, 1.0};
	}
	candidate->network_code[i] = compose_chain(chain.layer, n_layer, &options, &candidate->network[i],
	                                           candidate->network_nearest + i * COMPOSE_MAX_METRIC, NULL);
	add_sleep(candidate, i);
cleanup:
	chain_free(&chain);
}

static uint64_t count_composed(const struct candidate *candidate)
{
	uint64_t n = candidate->total.n_composed;
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		n = add_sat(n, candidate->network[i].n_composed);
	return n;
}

enum err_code candidate_compose_total(struct candidate *candidate, struct err *err)
{
	const struct layer_problem *any = any_layer(candidate);
	size_t n_network = candidate->set->map->n_network;
	enum compose_op op[COMPOSE_MAX_METRIC];
	double limit[COMPOSE_MAX_METRIC];
	struct chain chain = {0};
	enum err_code code = ERR_OK;
	for (unsigned k = 0; k < any->n_metric; k++) {
		op[k] = space_aggregate_op(candidate->space, any->metric[k]);
		limit[k] = candidate->no_limits ? INFINITY : space_metric_limit(candidate->space, any->metric[k]);
	}
	struct compose_options options = {.n_metric = any->n_metric,
	                                  .op = op,
	                                  .limit = limit,
	                                  .n_state = 1,
	                                  .max_front = candidate->max_front,
	                                  .max_composed = candidate->max_composed,
	                                  .stop = candidate->set->map->stop,
	                                  .n_thread = candidate->n_thread};
	for (size_t i = 0; i < n_network && code == ERR_OK; i++) {
		if (candidate->network_code[i] != ERR_OK)
			code = err_add(err, ERR_INTERNAL, "out of memory when composing a network");
		else
			code = grow_iota(candidate, candidate->network[i].n, err);
	}
	if (code != ERR_OK)
		return code;
	if (!chain_alloc(&chain, n_network, n_network, 1)) {
		code = err_add(err, ERR_INTERNAL, "out of memory");
		goto cleanup;
	}
	for (size_t i = 0; i < n_network; i++) {
		const struct compose_result *network = &candidate->network[i];
		chain.front[i] = (struct compose_front){network->n, network->metric, candidate->iota};
		chain.edge[i] = (struct compose_edge){0, 0, &chain.front[i]};
		chain.layer[i] = (struct compose_layer){network->n > 0 ? 1 : 0, &chain.edge[i],
		                                        space_network_weight(candidate->space, i)};
		options.is_thinned |= network->epsilon > 0.0;
	}
	code = compose_chain(chain.layer, n_network, &options, &candidate->total, candidate->total_nearest, err);
	candidate->n_composed = add_sat(candidate->n_composed, count_composed(candidate));
cleanup:
	chain_free(&chain);
	return code;
}

double candidate_epsilon(const struct candidate *candidate)
{
	double worst = 0.0;
	assert(candidate->total.epsilon >= 0.0);
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		worst = fmax(worst, candidate->network[i].epsilon);
	return (1.0 + worst) * (1.0 + candidate->total.epsilon) - 1.0;
}

/* A limit on a product of metrics is none of a composition; whether a point exceeds it. */
static bool breaks_derived_limit(const struct candidate *candidate)
{
	for (unsigned m = 0; m < N_METRIC; m++) {
		double limit = space_metric_limit(candidate->space, (enum metric)m);
		if (metric_table[m].scope != METRIC_DERIVED || candidate->no_limits || !(limit < INFINITY))
			continue;
		for (size_t i = 0; i < candidate->total.n; i++) {
			double metric[N_METRIC];
			candidate_metrics(candidate, i, metric);
			if (metric[m] > limit)
				return true;
		}
	}
	return false;
}

static bool is_over_budget(const struct candidate *candidate)
{
	bool is_over = candidate->total.is_over_budget;
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		is_over |= candidate->network[i].is_over_budget;
	return is_over;
}

bool candidate_is_limited(const struct candidate *candidate)
{
	bool is_limited = candidate->total.is_limited;
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		is_limited |= candidate->network[i].is_limited;
	return is_limited || (candidate_epsilon(candidate) > 0.0 && breaks_derived_limit(candidate));
}

/* What compositions made, to be put back. */
struct composed {
	struct compose_result *network; /* [n_network] */
	struct compose_result total;
};

static void swap_composed(struct candidate *candidate, struct composed *composed)
{
	struct composed own = {candidate->network, candidate->total};
	candidate->network = composed->network;
	candidate->total = composed->total;
	*composed = own;
}

static void free_composed(const struct candidate *candidate, struct composed *composed)
{
	for (size_t i = 0; i < candidate->set->map->n_network; i++)
		compose_free(&composed->network[i]);
	compose_free(&composed->total);
	free(composed->network);
}

enum err_code candidate_compose_again(struct candidate *candidate, struct err *err)
{
	const size_t max_front = candidate->max_front, n_network = candidate->set->map->n_network;
	if (!candidate_is_limited(candidate) || max_front >= AGAIN_MAX_FRONT)
		return ERR_OK;
	struct composed first = {calloc(n_network, sizeof(struct compose_result)), {0}};
	if (!first.network)
		return err_add(err, ERR_INTERNAL, "out of memory");
	uint64_t n_pair = candidate->total.n > 0 ? AGAIN_FACTOR * candidate->n_composed : AGAIN_EMPTY_PAIRS;
	double epsilon = candidate_epsilon(candidate);
	bool was_empty = candidate->total.n == 0;
	swap_composed(candidate, &first);
	candidate->max_front = AGAIN_MAX_FRONT;
	candidate->max_composed = n_pair > AGAIN_LEAST_PAIRS ? n_pair : AGAIN_LEAST_PAIRS;
	enum err_code code = candidate_compose_once(candidate, err);
	candidate->max_front = max_front;
	candidate->max_composed = 0;
	bool is_better = !is_over_budget(candidate) && (was_empty || candidate->total.n > 0) &&
	                 candidate_epsilon(candidate) < epsilon;
	if (code == ERR_OK && !is_better)
		swap_composed(candidate, &first);
	free_composed(candidate, &first);
	return code;
}

enum err_code candidate_compose_once(struct candidate *candidate, struct err *err)
{
	for (size_t i = 0; i < candidate->set->map->n_network; i++) {
		compose_free(&candidate->network[i]);
		candidate_compose_network(candidate, i);
	}
	compose_free(&candidate->total);
	return candidate_compose_total(candidate, err);
}

enum err_code candidate_compose(struct candidate *candidate, struct err *err)
{
	enum err_code code = candidate_compose_once(candidate, err);
	return code == ERR_OK ? candidate_compose_again(candidate, err) : code;
}

void candidate_metrics(const struct candidate *candidate, size_t i, double *metric)
{
	const struct layer_problem *any = any_layer(candidate);
	assert(i < candidate->total.n && metric);
	for (unsigned k = 0; k < N_METRIC; k++)
		metric[k] = 0.0;
	for (unsigned k = 0; k < any->n_metric; k++)
		metric[any->metric[k]] = candidate->total.metric[i * any->n_metric + k];
	metric_of_machine(&candidate->set->machine, metric);
	metric_derive(metric);
}

void candidate_genome(const struct candidate *candidate, size_t i, uint32_t *genome)
{
	const struct layer_map *map = candidate->set->map;
	struct chain_space states = states_of(candidate);
	assert(i < candidate->total.n && genome);
	genome[0] = candidate->set->machine_index;
	for (size_t network = 0; network < map->n_network; network++) {
		const struct compose_result *result = &candidate->network[network];
		size_t n_layer = map->begin[network + 1] - map->begin[network];
		size_t point = candidate->total.id[i * map->n_network + network];
		assert(point < result->n && result->n_layer == n_layer);
		for (size_t k = 0; k < n_layer; k++) {
			size_t block = map->begin[network] + k;
			uint32_t chosen = result->edge[point * n_layer + k], task = 0;
			size_t n_edge = list_edges(candidate, block, states, NULL, NULL, chosen, &task);
			assert(chosen < n_edge);
			(void)n_edge;
			const struct pareto *front = &candidate->task[task].front;
			candidate_widen(candidate, map->distinct[block], task,
			                front->genome + result->id[point * n_layer + k] * N_LAYER_GENE,
			                genome + 1 + block * N_LAYER_GENE);
		}
	}
}

/* Written as !(value <= max), so that a NaN breaks every limit. */
bool candidate_objectives(const struct space *space, const double *metric, double *objective, enum metric *broken)
{
	assert(space && metric && objective && broken);
	for (size_t i = 0; i < space->n_objective; i++)
		objective[i] = metric[space->objective[i]];
	for (size_t i = 0; i < space->n_limit; i++) {
		if (!(metric[space->limit[i].metric] <= space_limit_most(&space->limit[i]))) {
			*broken = space->limit[i].metric;
			return false;
		}
	}
	return true;
}

/* The larger one first, so that nothing overflows. */
double candidate_add_log10(double a, double b)
{
	assert(!isnan(a) && !isnan(b) && b > -INFINITY);
	return fmax(a, b) + log10(1.0 + pow(10.0, fmin(a, b) - fmax(a, b)));
}
