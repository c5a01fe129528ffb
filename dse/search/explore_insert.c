/* SPDX-License-Identifier: Apache-2.0 */
/* From the composed front of a machine candidate to the archive of all candidates. */
#include "dse/search/explore_parts.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Points that one thread makes ready for the archive at a time. */
#define POINT_CHUNK 512

struct insertion {
	struct explore *explore;
	const struct candidate *candidate;
	unsigned n_thread;
	bool *keeps;         /* [total.n] which points keep the limits */
	uint32_t *number;    /* [batch.n] those */
	struct pareto batch; /* of them */
	struct arena arena;  /* of the two arrays */
};

static bool get_objectives(const struct insertion *insertion, size_t point, double *metric, double *objective,
                           enum metric *broken)
{
	candidate_metrics(insertion->candidate, point, metric);
	return candidate_objectives(insertion->explore->space, metric, objective, broken);
}

static void judge_points(void *context, size_t chunk)
{
	struct insertion *insertion = context;
	size_t end = (chunk + 1) * POINT_CHUNK, n = insertion->candidate->total.n;
	for (size_t i = chunk * POINT_CHUNK; i < end && i < n; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		insertion->keeps[i] = get_objectives(insertion, i, metric, objective, &broken);
	}
}

static void write_points(void *context, size_t chunk)
{
	struct insertion *insertion = context;
	struct pareto *batch = &insertion->batch;
	size_t end = (chunk + 1) * POINT_CHUNK;
	assert(genome_size(&insertion->explore->map) == batch->n_gene);
	for (size_t i = chunk * POINT_CHUNK; i < end && i < batch->n; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		bool keeps = get_objectives(insertion, insertion->number[i], metric, objective, &broken);
		assert(keeps);
		(void)keeps;
		memcpy(batch->objective + i * batch->n_objective, objective, batch->n_objective * sizeof(*objective));
		candidate_genome(insertion->candidate, insertion->number[i], batch->genome + i * batch->n_gene);
	}
}

/* The points that keep the limits, in order; the others are noted, in order, too. */
static size_t take_numbers(struct insertion *insertion)
{
	size_t n = 0;
	for (size_t i = 0; i < insertion->candidate->total.n; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		const struct layer_set *set = insertion->candidate->set;
		if (insertion->keeps[i])
			insertion->number[n++] = (uint32_t)i;
		else if (!get_objectives(insertion, i, metric, objective, &broken))
			explore_note_over_limit(insertion->explore, set->machine_index, &set->machine, STAGE_TOTAL,
			                        broken, metric[broken]);
	}
	return n;
}

/* false when memory is out. */
static bool make_batch(struct insertion *insertion)
{
	size_t n = insertion->candidate->total.n;
	insertion->keeps = arena_array(&insertion->arena, n, sizeof(*insertion->keeps));
	insertion->number = arena_array(&insertion->arena, n, sizeof(*insertion->number));
	if (insertion->arena.is_out)
		return false;
	parallel_for(ceil_div(n, POINT_CHUNK), insertion->n_thread, judge_points, insertion);
	size_t n_kept = take_numbers(insertion);
	if (n_kept > 0 && !pareto_extend(&insertion->batch, n_kept))
		return false;
	parallel_for(ceil_div(n_kept, POINT_CHUNK), insertion->n_thread, write_points, insertion);
	return true;
}

enum err_code explore_insert(struct explore *explore, const struct candidate *candidate, unsigned n_thread,
                             bool *is_empty, struct err *err)
{
	struct insertion insertion = {.explore = explore, .candidate = candidate, .n_thread = n_thread};
	assert(candidate->total.n < UINT32_MAX && n_thread > 0);
	pareto_init(&insertion.batch, explore->front.n_objective, explore->front.n_gene);
	bool done = make_batch(&insertion);
	*is_empty = insertion.batch.n == 0;
	if (done && !*is_empty)
		done = pareto_insert_all(&explore->front, &insertion.batch, n_thread);
	arena_free(&insertion.arena);
	return done ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
}
