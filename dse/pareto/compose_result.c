/* SPDX-License-Identifier: Apache-2.0 */
/* The result of a composition: final chains sorted, with all their choices. */
#include "dse/pareto/compose_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct result_row {
	const double *metric;
	unsigned n_metric;
	uint32_t at;
};

static int compare_row(const void *left, const void *right)
{
	const struct result_row *a = left, *b = right;
	for (unsigned i = 0; i < a->n_metric; i++) {
		if (a->metric[i] != b->metric[i])
			return a->metric[i] < b->metric[i] ? -1 : 1;
	}
	assert(a == b || a->at == b->at); /* equal chains were reduced to one */
	return 0;
}

/* The final points in the caller's order of metrics, sorted; chain_at [n] is each one's number after the last layer. */
static bool sort_result(const struct compose_work *work, struct compose_result *result, uint32_t *chain_at,
                        struct arena *arena)
{
	const struct compose_points *final = &work->final;
	double *metric = arena_array(arena, final->n, work->n_metric * sizeof(*metric));
	struct result_row *row = arena_array(arena, final->n, sizeof(*row));
	if (arena->is_out)
		return false;
	for (size_t i = 0; i < final->n; i++) {
		row[i] = (struct result_row){metric + i * work->n_metric, work->n_metric, (uint32_t)i};
		for (unsigned k = 0; k < work->n_metric; k++)
			metric[i * work->n_metric + work->costs.order[k]] = final->metric[k][i];
	}
	qsort(row, final->n, sizeof(*row), compare_row);
	for (size_t i = 0; i < final->n; i++) {
		memcpy(result->metric + i * work->n_metric, row[i].metric, work->n_metric * sizeof(*metric));
		chain_at[i] = final->before[row[i].at];
	}
	return true;
}

/* Layer by layer from the last one, so that each layer's points are numbered once. */
static void unroll(const struct compose_work *work, struct compose_result *result, uint32_t *chain_at)
{
	for (size_t layer = work->n_layer; layer-- > 0;) {
		compose_number_points(work, &work->layer[layer]);
		for (size_t i = 0; i < result->n; i++) {
			const struct compose_choice *point = &work->point[work->history[layer].choice[chain_at[i]]];
			result->edge[i * work->n_layer + layer] = point->edge;
			result->id[i * work->n_layer + layer] = point->id;
			chain_at[i] = work->history[layer].before[chain_at[i]];
		}
	}
}

bool compose_make_result(const struct compose_work *work, struct compose_result *result)
{
	size_t n = work->final.n;
	*result = (struct compose_result){
	    .n = n, .n_layer = work->n_layer, .n_metric = work->n_metric, .n_composed = work->n_composed};
	result->is_over_budget = work->is_over_budget;
	result->is_limited = work->lost > 0.0;
	result->epsilon = fmax(0.0, work->lost - 1.0);
	for (unsigned s = 0; s < work->options->n_state; s++) {
		for (unsigned i = 0; i < work->n_metric && work->now[s].points.n > 0; i++)
			result->epsilon = fmax(result->epsilon, work->now[s].factor[i] - 1.0);
	}
	if (n == 0)
		return true;
	struct arena arena = {0};
	uint32_t *chain_at = arena_array(&arena, n, sizeof(*chain_at));
	result->metric = arena_array(&result->arena, n, work->n_metric * sizeof(*result->metric));
	result->edge = arena_array(&result->arena, n, work->n_layer * sizeof(*result->edge));
	result->id = arena_array(&result->arena, n, work->n_layer * sizeof(*result->id));
	bool done = !result->arena.is_out && sort_result(work, result, chain_at, &arena);
	if (done)
		unroll(work, result, chain_at);
	else
		compose_free(result);
	arena_free(&arena);
	return done;
}
