/* SPDX-License-Identifier: Apache-2.0 */
/* Brute force: every design of a layer, evaluated one by one without bounds, against what the layer's search finds. */
#include "dse/base/interrupt.h"
#include "dse/base/memory.h"
#include "dse/check/audit_parts.h"
#include "dse/engine/engine.h"
#include "dse/layer/changes.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

#define BATCH 64

static size_t find_distinct(const struct candidate *candidate, size_t i)
{
	size_t distinct = 0;
	assert(i < candidate->n_task);
	while (i >= candidate->first_task[distinct + 1])
		distinct++;
	return distinct;
}

/* The next genome, last gene fastest, the place as it is, and the level where it has a search of its own; false after
 * the last one. */
static bool turn_on(const struct layer_problem *layer, bool level_stays, uint32_t *genome)
{
	for (size_t k = N_LAYER_GENE; k-- > GENE_PLACE + 1;) {
		if (k == GENE_LEVEL && level_stays)
			continue;
		if (++genome[k] < layer->n_value[k])
			return true;
		genome[k] = 0;
	}
	return false;
}

static void keep_feasible(const struct evaluation *result, const uint32_t *genome, size_t n, size_t *hint,
                          struct pareto *front)
{
	for (size_t i = 0; i < n; i++) {
		const uint32_t *gene = genome + i * N_LAYER_GENE;
		if (result[i].violation > 0.0 || pareto_covers(front, result[i].objective, gene, hint))
			continue;
		(void)pareto_insert(front, result[i].objective, gene, 0);
		memory_check(front->n_alloc > 0);
	}
}

/* All designs of task i, by the set's own problem, which no search has narrowed. */
static enum err_code enumerate(const struct candidate *candidate, size_t i, struct audit_layer *found)
{
	static const uint32_t zeros[N_LAYER_GENE];
	size_t hint = 0, distinct = find_distinct(candidate, i);
	const struct layer_problem *layer = &candidate->set->problem[distinct];
	bool level_stays = changes_count(candidate->space, &candidate->set->machine);
	uint32_t genome[BATCH * N_LAYER_GENE], next[N_LAYER_GENE];
	struct evaluation result[BATCH];
	candidate_widen(candidate, distinct, i, zeros, next);
	assert(!layer->is_bounded && next[GENE_PLACE] < layer->n_value[GENE_PLACE]);
	for (bool more = true; more;) {
		size_t n = 0;
		if (interrupt_requested())
			return ERR_INTERRUPTED;
		for (; n < BATCH && more; n++) {
			memcpy(genome + n * N_LAYER_GENE, next, sizeof(next));
			more = turn_on(layer, level_stays, next);
		}
		layer->problem.evaluate(layer->problem.context, genome, n, result);
		found->n_design += n;
		keep_feasible(result, genome, n, &hint, &found->front);
	}
	pareto_sort(&found->front);
	return ERR_OK;
}

/* The search's front must hold the same objectives, bit by bit: the same evaluations made both. */
static void compare_fronts(const struct pareto *searched, const char *name, struct audit_layer *found)
{
	const struct pareto *brute = &found->front;
	size_t n = searched->n < brute->n ? searched->n : brute->n, at = 0, width = brute->n_objective;
	assert(searched->n_objective == brute->n_objective);
	while (at < n && memcmp(searched->objective + at * width, brute->objective + at * width,
	                        width * sizeof(*brute->objective)) == 0)
		at++;
	found->differs = at < n || searched->n != brute->n;
	if (found->differs)
		(void)snprintf(found->what, sizeof(found->what),
		               "layer %s: its search finds %zu points, brute force over %llu designs %zu; the first "
		               "difference is point %zu",
		               name, searched->n, (unsigned long long)found->n_design, brute->n, at);
}

void audit_check_layer(const struct audit_job *job, struct audit_stop *stop, size_t i)
{
	struct candidate *candidate = &stop->candidate;
	struct candidate_task *task = &candidate->task[i];
	struct audit_layer *found = &stop->layer[i];
	const struct engine_options options = {.seed = job->search->seed};
	assert(found->is_listed);
	candidate_search(candidate, i, 1, &options, engine_watch_stop, NULL);
	found->code = task->code;
	if (task->code != ERR_OK && task->code != ERR_INTERRUPTED)
		(void)err_add(&found->err, task->code, "%s", err_text(&task->err));
	if (found->code == ERR_OK)
		found->code = enumerate(candidate, i, found);
	if (found->code != ERR_OK)
		return;
	pareto_sort(&task->front);
	compare_fronts(&task->front, layer_any_context(&task->layer)->block->name, found);
}

/* Points of all places of a layer; their place is part of the gene. */
static void list_layer(struct audit_stop *stop, size_t distinct)
{
	const struct candidate *candidate = &stop->candidate;
	struct audit_list *list = &stop->list[distinct];
	size_t begin = candidate->first_task[distinct], end = candidate->first_task[distinct + 1], n = 0;
	assert(!list->gene);
	for (size_t i = begin; i < end; i++)
		n += stop->layer[i].front.n;
	list->gene = memory_array(n, N_LAYER_GENE * sizeof(*list->gene));
	for (size_t i = begin; i < end; i++) {
		const struct pareto *front = &stop->layer[i].front;
		if (front->n > 0)
			memcpy(list->gene + list->n * N_LAYER_GENE, front->genome,
			       front->n * N_LAYER_GENE * sizeof(*list->gene));
		list->n += front->n;
	}
}

uint64_t audit_list_points(struct audit_stop *stop)
{
	const struct candidate *candidate = &stop->candidate;
	const struct layer_map *map = candidate->set->map;
	uint64_t n = 1;
	for (size_t i = 0; i < candidate->n_task; i++)
		if (!stop->layer[i].is_listed && candidate_is_reachable(candidate, i))
			return 0;
	for (size_t i = 0; i < map->n_block; i++) {
		size_t distinct = map->distinct[i], n_point = 0;
		for (size_t k = candidate->first_task[distinct]; k < candidate->first_task[distinct + 1]; k++)
			n_point += stop->layer[k].front.n;
		n = mul_sat(n, n_point);
	}
	if (n == 0 || n > audit_effort_table[candidate->space->detail].max_whole)
		return 0;
	for (size_t i = 0; i < map->n_distinct; i++)
		list_layer(stop, i);
	return n;
}
