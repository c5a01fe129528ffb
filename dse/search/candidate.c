/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/candidate_parts.h"
#include "dse/space/space_goals.h"
#include "dse/layer/changes.h"
#include "dse/pareto/budget.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct layer_problem *candidate_any_layer(const struct candidate *candidate)
{
	assert(candidate->set->n_problem > 0);
	return &candidate->set->problem[0];
}

size_t candidate_n_level_task(const struct candidate *candidate, size_t distinct)
{
	const struct layer_set *set = candidate->set;
	return changes_count(candidate->space, &set->machine) ? set->problem[distinct].n_value[GENE_LEVEL] : 1;
}

void candidate_widen(const struct candidate *candidate, size_t distinct, size_t task, const uint32_t *genome,
                     uint32_t *own)
{
	size_t n_level = candidate_n_level_task(candidate, distinct), at = task - candidate->first_task[distinct];
	assert(task >= candidate->first_task[distinct] && task < candidate->first_task[distinct + 1]);
	memcpy(own, genome, N_LAYER_GENE * sizeof(*own));
	own[GENE_PLACE] = (uint32_t)(at / n_level);
	if (n_level > 1)
		own[GENE_LEVEL] = (uint32_t)(at % n_level) | (own[GENE_LEVEL] - layer_gene_level(own[GENE_LEVEL]));
}

size_t candidate_find_task(const struct candidate *candidate, size_t distinct, const uint32_t *own)
{
	size_t n_level = candidate_n_level_task(candidate, distinct);
	return candidate->first_task[distinct] + own[GENE_PLACE] * n_level +
	       (n_level > 1 ? layer_gene_level(own[GENE_LEVEL]) : 0);
}

static void init_task(struct candidate *candidate, size_t distinct, size_t at)
{
	size_t n_level = candidate_n_level_task(candidate, distinct), place = at / n_level;
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
	pareto_init(&task->open, layer->problem.n_objective, N_LAYER_GENE);
}

enum err_code candidate_init(const struct space *space, struct layer_set *set, struct candidate *candidate,
                             struct err *err)
{
	assert(space && set && candidate);
	const struct layer_map *map = set->map;
	*candidate = (struct candidate){.space = space, .max_front = space->max_front, .set = set};
	struct arena *arena = &candidate->arena;
	candidate->first_task = arena_array(arena, map->n_distinct + 1, sizeof(*candidate->first_task));
	candidate->network = arena_array(arena, map->n_network, sizeof(*candidate->network));
	candidate->network_code = arena_array(arena, map->n_network, sizeof(*candidate->network_code));
	candidate->network_nearest = arena_array(arena, map->n_network * COMPOSE_MAX_METRIC, sizeof(double));
	for (size_t i = 0; i < map->n_distinct && candidate->first_task; i++)
		candidate->first_task[i + 1] = candidate->first_task[i] + set->problem[i].n_value[GENE_PLACE] *
		                                                              candidate_n_level_task(candidate, i);
	if (candidate->first_task)
		candidate->task = arena_array(arena, candidate->first_task[map->n_distinct], sizeof(*candidate->task));
	if (arena->is_out) {
		candidate_free(candidate);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	candidate->n_task = candidate->first_task[map->n_distinct];
	for (size_t i = 0; i < map->n_distinct; i++)
		for (size_t k = 0; k < candidate->first_task[i + 1] - candidate->first_task[i]; k++)
			init_task(candidate, i, k);
	return ERR_OK;
}

void candidate_set_epsilon(struct candidate *candidate, double epsilon)
{
	assert(epsilon >= 0);
	candidate->epsilon = epsilon;
	for (size_t i = 0; i < candidate->n_task; i++)
		candidate->task[i].layer.epsilon = epsilon;
}

void candidate_free(struct candidate *candidate)
{
	for (size_t i = 0; i < candidate->n_task; i++) {
		pareto_free(&candidate->task[i].front);
		pareto_free(&candidate->task[i].bound);
		pareto_free(&candidate->task[i].open);
		arena_free(&candidate->task[i].layer.arena);
		err_clear(&candidate->task[i].err);
	}
	for (size_t i = 0; candidate->network && i < candidate->set->map->n_network; i++)
		compose_free(&candidate->network[i]);
	compose_free(&candidate->total);
	layer_set_free(candidate->set);
	free(candidate->iota);
	arena_free(&candidate->arena);
	*candidate = (struct candidate){0};
}

bool candidate_is_open(const struct candidate *candidate)
{
	for (size_t i = 0; i < candidate->n_task; i++)
		if (candidate->task[i].open.n > 0 || candidate->task[i].code != ERR_OK)
			return true;
	return false;
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
		budget_share(candidate->genetic ? BUDGET_BY_LOG : BUDGET_BY_ROOT, max_work, size, n, size + n);
	for (size_t i = 0; i < n; i++) {
		uint64_t share = size ? size[n + i] : max_work / n;
		candidate->task[i].max_work = share > 0 ? share : 1;
	}
	free(size);
}

void candidate_metrics(const struct candidate *candidate, size_t i, double *metric)
{
	const struct layer_problem *any = candidate_any_layer(candidate);
	assert(i < candidate->total.n && metric);
	for (unsigned k = 0; k < N_METRIC; k++)
		metric[k] = 0.0;
	for (unsigned k = 0; k < any->n_metric; k++)
		metric[any->metric[k]] = candidate->total.metric[i * any->n_metric + k];
	metric_of_machine(&candidate->set->machine, metric);
	metric_derive(metric);
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
	*broken = METRIC_LATENCY;
	return !(space->least_tops_mm2 > 0) ||
	       metric[METRIC_LATENCY] * metric[METRIC_AREA] <= space_most_ms_mm2(space);
}

/* The larger one first, so that nothing overflows. */
double candidate_add_log10(double a, double b)
{
	assert(!isnan(a) && !isnan(b) && b > -INFINITY);
	return fmax(a, b) + log10(1.0 + pow(10.0, fmin(a, b) - fmax(a, b)));
}
