/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exhaustive search: counts through all candidates like an odometer, the last
 * gene fastest, in constant memory. When a told candidate carries a cut, all
 * candidates with its first n_cut genes are infeasible; they stand next to
 * each other in this order, so if the odometer still lies among them, it jumps
 * behind the last one:
 *
 *   told with n_cut 1   next            jumps to
 *   3 0 0               3 2 1     ─►    4 0 0        skipped: from 3 2 1 to 3 max max
 *
 * A cut becomes known only after a batch; what the batch holds is evaluated.
 */
#include "dse/engine/engine.h"
#include "sim/base/arena.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/*
 * Candidates asked for at once: few where a cut has just saved more than a
 * batch, since the next is likely to do so, too; more and more where none does.
 */
#define MIN_BATCH 64

struct engine {
	const struct problem *problem;
	uint64_t size, max_evaluation;
	uint64_t end; /* number of the first candidate that is not asked for; 0: all are, however many */
	size_t n_batch;
	bool finished;
	uint32_t *next; /* [n_gene] the candidate to be asked next, unless finished */
	uint64_t
	    *below_size; /* [n_gene + 1] candidates that share genes 0..i-1: product of n_value[i..], may saturate */
	struct engine_counts counts;
	struct arena arena; /* of the two */
};

static void destroy(struct engine *engine)
{
	arena_free(&engine->arena);
	free(engine);
}

static struct engine *create(const struct problem *problem, const struct engine_options *options, struct err *err)
{
	struct arena arena = {0};
	struct engine *engine = calloc(1, sizeof(*engine));
	uint32_t *next = arena_array(&arena, problem->n_gene, sizeof(*next));
	uint64_t *below_size = arena_array(&arena, problem->n_gene + 1, sizeof(*below_size));
	if (!engine || arena.is_out) {
		arena_free(&arena);
		free(engine);
		err_add(err, ERR_INTERNAL, "out of memory in engine exhaustive");
		return NULL;
	}
	below_size[problem->n_gene] = 1;
	for (size_t i = problem->n_gene; i-- > 0;)
		below_size[i] = mul_sat(below_size[i + 1], problem->n_value[i]);
	assert(below_size[0] == problem_size(problem));
	assert(options->first <= options->end && options->end <= below_size[0]);
	for (size_t i = 0; i < problem->n_gene && options->end > 0; i++)
		next[i] = (uint32_t)(options->first / below_size[i + 1] % problem->n_value[i]);
	*engine = (struct engine){
	    .problem = problem,
	    .size = options->end > 0 ? options->end - options->first : below_size[0],
	    .end = options->end,
	    .max_evaluation = options->max_evaluation > 0 ? options->max_evaluation : UINT64_MAX,
	    .n_batch = MIN_BATCH,
	    .next = next,
	    .below_size = below_size,
	    .arena = arena,
	};
	return engine;
}

/* Turn gene n_gene-1 of the first n_gene genes one on, with carry. */
static void turn_on(struct engine *engine, size_t n_gene)
{
	while (n_gene-- > 0) {
		if (++engine->next[n_gene] < engine->problem->n_value[n_gene])
			return;
		engine->next[n_gene] = 0;
	}
	engine->finished = true;
}

static void check_finished(const struct engine *engine)
{
	const struct engine_counts *counts = &engine->counts;
	/* A size that does not fit 64 bits saturates, and so would the count of skipped candidates. */
	if (engine->finished && engine->size < UINT64_MAX)
		assert(counts->n_asked + counts->n_skipped == engine->size);
}

/* Candidates of the range that are not behind the odometer; of all of them more than anybody asks for. */
static uint64_t n_ahead(const struct engine *engine)
{
	uint64_t number = 0;
	if (engine->end == 0)
		return UINT64_MAX;
	for (size_t i = 0; i < engine->problem->n_gene; i++)
		number += engine->next[i] * engine->below_size[i + 1];
	assert(number < engine->end);
	return engine->end - number;
}

static size_t ask(struct engine *engine, uint32_t *genome, size_t max)
{
	size_t n = 0, n_gene = engine->problem->n_gene;
	uint64_t n_left = engine->max_evaluation - engine->counts.n_asked,
		 n_range = engine->finished ? 0 : n_ahead(engine);
	max = n_left < max ? (size_t)n_left : max;
	max = n_range < max ? (size_t)n_range : max;
	max = engine->n_batch < max ? engine->n_batch : max;
	for (; n < max && !engine->finished; n++) {
		for (size_t i = 0; i < n_gene; i++)
			genome[n * n_gene + i] = engine->next[i];
		turn_on(engine, n_gene);
	}
	engine->finished |= n == n_range;
	engine->counts.n_asked += n;
	check_finished(engine);
	return n;
}

/* Jump behind the candidates that share the first n_cut genes of the odometer. */
static void skip(struct engine *engine, size_t n_cut)
{
	size_t n_gene = engine->problem->n_gene;
	uint64_t n_before = 0; /* of those candidates, the ones that come before the odometer */
	assert(n_cut < n_gene);
	uint64_t n_range = n_ahead(engine);
	for (size_t i = n_cut; i < n_gene; i++) {
		n_before = add_sat(n_before, mul_sat(engine->next[i], engine->below_size[i + 1]));
		engine->next[i] = 0;
	}
	assert(n_before < engine->below_size[n_cut] || n_before == UINT64_MAX);
	uint64_t n_skipped = engine->below_size[n_cut] - n_before;
	engine->counts.n_skipped = add_sat(engine->counts.n_skipped, n_skipped < n_range ? n_skipped : n_range);
	if (n_skipped < n_range || engine->end == 0)
		turn_on(engine, n_cut);
	else
		engine->finished = true;
	check_finished(engine);
}

static void tell_exhaustive(struct engine *engine, const uint32_t *genome, const struct evaluation *result, size_t n)
{
	size_t n_gene = engine->problem->n_gene, shortest = n_gene;
	uint64_t n_feasible = 0;
	for (size_t i = 0; i < n; i++) {
		size_t n_cut = result[i].n_cut;
		n_feasible += result[i].violation == 0.0;
		if (n_cut == 0)
			continue;
		assert(n_cut <= n_gene && result[i].violation > 0.0);
		/* One jump suffices: behind the shortest cut that holds the odometer, no longer one does. */
		if (n_cut < shortest && memcmp(genome + i * n_gene, engine->next, n_cut * sizeof(*genome)) == 0)
			shortest = n_cut;
	}
	engine->counts.n_told += n;
	engine->counts.n_feasible += n_feasible;
	engine->counts.n_infeasible += n - n_feasible;
	assert(engine->counts.n_told == engine->counts.n_asked);
	uint64_t n_skipped = engine->counts.n_skipped;
	if (shortest < n_gene && !engine->finished)
		skip(engine, shortest);
	n_skipped = engine->counts.n_skipped - n_skipped;
	engine->n_batch = n_skipped > n ? MIN_BATCH : engine->n_batch < SIZE_MAX / 2 ? 2 * engine->n_batch : SIZE_MAX;
}

static struct engine_counts get_counts(const struct engine *engine)
{
	return engine->counts;
}

static enum engine_stop get_stop(const struct engine *engine)
{
	return engine->finished ? ENGINE_STOP_EXHAUSTED : ENGINE_STOP_EVALUATIONS;
}

static double progress(const struct engine *engine)
{
	uint64_t n_done = add_sat(engine->counts.n_told, engine->counts.n_skipped);
	double of_space = (double)n_done / (double)engine->size;
	double of_budget = (double)engine->counts.n_told / (double)engine->max_evaluation;
	assert(of_space >= 0.0 && of_budget <= 1.0);
	return of_space > of_budget ? of_space : of_budget;
}

static void pack_engine(struct engine *engine, struct pack *pack)
{
	pack_size(pack, &engine->n_batch);
	pack_bool(pack, &engine->finished);
	pack_u32s(pack, engine->next, engine->problem->n_gene);
	engine_counts_pack(&engine->counts, pack);
	for (size_t i = 0; i < engine->problem->n_gene; i++)
		(void)pack_refuse(pack, engine->next[i] >= engine->problem->n_value[i]);
}

/* The exact engine differs where there are layers, and those it does not search (dse/layer/branch.h). */
#define METHODS                                                                                        \
	.is_layered = true, .create = create, .ask = ask, .tell = tell_exhaustive, .destroy = destroy, \
	.counts = get_counts, .stop = get_stop, .progress = progress, .pack = pack_engine

const struct engine_kind engine_exhaustive = {
    .name = "exhaustive",
    .help = "every candidate, in order; skips what a limit rules out for all of a kind",
    METHODS,
};

const struct engine_kind engine_exact = {
    .name = "exact",
    .help = "branch and bound over every legal split, layer by layer; proves its front",
    METHODS,
};
