/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver. A batch goes through these steps:
 *
 *   ask ─► batch of up to N_BATCH genomes, cut into chunks
 *            chunk 0 ─► evaluate, reduce ─► indices of points that may matter ┐
 *            chunk 1 ─► evaluate, reduce ─► ...                               ├─► insert, chunk by chunk
 *            ...          (in parallel)                                       ┘
 *       ◄─ tell
 *
 * While chunks run, the archive is only read. Reducing a chunk drops every
 * point that the archive or another point of the chunk makes superfluous; on
 * most spaces nothing is left, so the serial part stays short. The chunks'
 * bounds do not depend on the number of threads, and the archive is a function
 * of the set of points told, so neither does the result.
 */
#include "dse/engine/engine_run.h"
#include "dse/engine/islands.h"
#include "dse/base/parallel.h"
#include "sim/base/arena.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_BATCH = 16384, /* few enough to stay in the cache, enough that threads seldom wait for each other */
	MIN_CHUNK = 16,  /* small batches (a genetic engine's generation) still occupy all threads */
	N_CHUNK = 64,    /* per batch at most; of N_BATCH candidates each chunk gets 256 */
	REASON_PAD = 16  /* counters of two chunks never share a cache line */
};

/* What one chunk's evaluation leaves for the serial part. */
struct engine_chunk {
	size_t begin, n;
	size_t n_kept;  /* indices of the kept points: run->kept[begin .. begin + n_kept - 1] */
	size_t nearest; /* index of the least-violating infeasible candidate; SIZE_MAX: none */
	size_t hint[2]; /* points of the archive that dominated something lately */
};

struct engine_driver {
	const struct engine_search *search;
	struct engine *engine;
	uint64_t n_told;
	const struct problem *problem;
	const struct pareto *archive;
	unsigned n_thread;
	size_t n_reason;
	struct history *history;    /* NULL: none */
	uint32_t *genome;           /* [N_BATCH][n_gene] */
	struct evaluation *result;  /* [N_BATCH] */
	uint32_t *kept;             /* [N_BATCH] */
	struct engine_chunk *chunk; /* [N_CHUNK] */
	uint64_t *by_reason;        /* [N_CHUNK][n_reason + REASON_PAD] */
	struct arena arena;         /* of these arrays */
};

static const uint32_t *genome_of(const struct engine_driver *run, size_t at)
{
	return run->genome + at * run->problem->n_gene;
}

/* Whether candidate a of the batch makes b superfluous: it dominates b, or is equal and its genome comes first. */
static bool candidate_covers(const struct engine_driver *run, size_t a, size_t b)
{
	const double *left = run->result[a].objective, *right = run->result[b].objective;
	const uint32_t *left_gene = genome_of(run, a), *right_gene = genome_of(run, b);
	bool smaller = false;
	for (unsigned i = 0; i < run->problem->n_objective; i++) {
		if (left[i] > right[i])
			return false;
		smaller |= left[i] < right[i];
	}
	for (size_t i = 0; !smaller && i < run->problem->n_gene; i++) {
		if (left_gene[i] != right_gene[i])
			return left_gene[i] < right_gene[i];
	}
	return true;
}

/* The point that was better moves to the front, because it will be better than the next candidates, too. */
static bool chunk_covers(const struct engine_driver *run, const struct engine_chunk *chunk, size_t at)
{
	uint32_t *kept = run->kept + chunk->begin;
	for (size_t i = 0; i < chunk->n_kept; i++) {
		if (candidate_covers(run, kept[i], at)) {
			uint32_t better = kept[i];
			kept[i] = kept[0];
			kept[0] = better;
			return true;
		}
	}
	return false;
}

/* Cheapest test first: the archive's last two dominators, the chunk's own points, the whole archive. */
static bool is_superfluous(const struct engine_driver *run, struct engine_chunk *chunk, size_t at)
{
	const double *objective = run->result[at].objective;
	const struct pareto *archive = run->archive;
	unsigned n_objective = run->problem->n_objective;
	for (unsigned i = 0; i < 2; i++) {
		size_t hint = chunk->hint[i];
		if (hint < archive->n &&
		    pareto_dominates(archive->objective + hint * n_objective, objective, n_objective)) {
			chunk->hint[i] = chunk->hint[0];
			chunk->hint[0] = hint;
			return true;
		}
	}
	if (chunk_covers(run, chunk, at))
		return true;
	size_t hint = SIZE_MAX;
	if (!pareto_covers(archive, objective, genome_of(run, at), &hint))
		return false;
	chunk->hint[1] = hint;
	return true;
}

/* Add a feasible point to the chunk's own front and drop what it makes superfluous there. */
static void keep_point(const struct engine_driver *run, struct engine_chunk *chunk, size_t at)
{
	uint32_t *kept = run->kept + chunk->begin;
	size_t n = 0;
	for (size_t i = 0; i < chunk->n_kept; i++) {
		if (!candidate_covers(run, at, kept[i]))
			kept[n++] = kept[i];
	}
	assert(n < chunk->n);
	kept[n++] = (uint32_t)at;
	chunk->n_kept = n;
}

/* Counts are kept by chunk, so that they do not depend on the threads. */
static void evaluate_chunk(void *context, size_t i)
{
	const struct engine_driver *run = context;
	struct engine_chunk *chunk = &run->chunk[i];
	const struct problem *problem = run->problem;
	uint64_t *by_reason = run->by_reason + i * (run->n_reason + REASON_PAD);
	assert(chunk->n > 0 && chunk->begin + chunk->n <= N_BATCH);
	if (!problem->evaluate_shared)
		problem->evaluate(problem->context, genome_of(run, chunk->begin), chunk->n, run->result + chunk->begin);
	chunk->n_kept = 0;
	chunk->nearest = SIZE_MAX;
	double least = INFINITY;
	for (size_t at = chunk->begin; at < chunk->begin + chunk->n; at++) {
		const struct evaluation *result = &run->result[at];
		if (problem_is_stopped(result))
			continue;
		assert(result->violation >= 0.0); /* neither negative nor NaN */
		if (result->violation == 0.0) {
			if (!is_superfluous(run, chunk, at))
				keep_point(run, chunk, at);
			continue;
		}
		if (result->reason < run->n_reason)
			by_reason[result->reason]++;
		if (result->violation < least) {
			least = result->violation;
			chunk->nearest = at;
		}
	}
}

static size_t evaluate_batch(struct engine_driver *run, size_t n)
{
	size_t chunk_size = ceil_div(n, N_CHUNK) > MIN_CHUNK ? ceil_div(n, N_CHUNK) : MIN_CHUNK;
	size_t n_chunk = ceil_div(n, chunk_size);
	assert(n > 0 && n_chunk <= N_CHUNK);
	for (size_t i = 0; i < n_chunk; i++) {
		run->chunk[i].begin = i * chunk_size;
		run->chunk[i].n = n - i * chunk_size < chunk_size ? n - i * chunk_size : chunk_size;
	}
	if (run->problem->evaluate_shared)
		run->problem->evaluate_shared(run->problem->context, run->genome, n, run->n_thread, run->result);
	parallel_for(n_chunk, run->n_thread, evaluate_chunk, run);
	return n_chunk;
}

/* Chunk by chunk, in the order of asking. false when memory is out. */
static bool collect(const struct engine_driver *run, size_t n_chunk)
{
	const struct engine_search *search = run->search;
	for (size_t c = 0; c < n_chunk; c++) {
		const struct engine_chunk *chunk = &run->chunk[c];
		for (size_t i = 0; i < chunk->n_kept; i++) {
			size_t at = run->kept[chunk->begin + i];
			pareto_insert(search->archive, run->result[at].objective, genome_of(run, at), run->n_told + at);
			if (search->archive->n_alloc == 0)
				return false;
		}
		if (!search->near || chunk->nearest == SIZE_MAX)
			continue;
		const struct evaluation *nearest = &run->result[chunk->nearest];
		engine_nearest_take(search->near, nearest->violation, nearest->reason, genome_of(run, chunk->nearest),
		                    run->problem->n_gene);
	}
	return true;
}

static bool run_init(struct engine_driver *run)
{
	run->genome = arena_array(&run->arena, N_BATCH, run->problem->n_gene * sizeof(*run->genome));
	run->result = arena_array(&run->arena, N_BATCH, sizeof(*run->result));
	run->kept = arena_array(&run->arena, N_BATCH, sizeof(*run->kept));
	run->chunk = arena_array(&run->arena, N_CHUNK, sizeof(*run->chunk));
	run->by_reason = arena_array(&run->arena, N_CHUNK, (run->n_reason + REASON_PAD) * sizeof(*run->by_reason));
	return !run->arena.is_out;
}

/* All that a run is made of between two batches. */
static void pack_run(struct engine_driver *run, struct pack *pack)
{
	const struct engine_search *search = run->search;
	pack_u64(pack, &run->n_told);
	for (size_t reason = 0; reason < run->n_reason; reason++) {
		uint64_t sum = 0;
		for (size_t i = 0; i < N_CHUNK; i++)
			sum += run->by_reason[i * (run->n_reason + REASON_PAD) + reason];
		pack_u64(pack, &sum);
		if (pack->is_reading)
			run->by_reason[reason] = sum; /* of the first chunk, which stands for all */
	}
	if (search->near)
		engine_nearest_pack(search->near, run->problem->n_value, run->problem->n_gene, pack);
	pareto_pack(search->archive, run->problem->n_value, pack);
	if (run->history)
		history_pack(run->history, pack);
	search->kind->pack(run->engine, pack);
	(void)pack_refuse(pack, pack->is_reading && search->kind->counts(run->engine).n_told != run->n_told);
}

static void save_run(struct engine_driver *run)
{
	struct pack pack = {0};
	pack_run(run, &pack);
	checkpoint_write(run->search->options->checkpoint, &pack);
	pack_free(&pack);
}

/* Go on where another process stopped. false when the state is not of this search, or memory is out. */
static bool load_run(struct engine_driver *run)
{
	const struct checkpoint *checkpoint = run->search->options->checkpoint;
	if (!checkpoint || !checkpoint->state)
		return true;
	struct pack pack = pack_reader(checkpoint->state, checkpoint->n_state);
	assert(run->archive->n == 0);
	pack_run(run, &pack);
	return pack_done(&pack);
}

/*
 * Ask, evaluate and tell until the engine is done. *stopped: watch wanted no more, or an evaluation was stopped; of
 * that batch the front takes what there is, but the engine and the checkpoint, which another process goes on from, know
 * nothing of it. false when memory is out.
 */
static bool run_loop(struct engine_driver *run, bool *stopped)
{
	const struct engine_search *search = run->search;
	const struct engine_kind *kind = search->kind;
	struct checkpoint *checkpoint = search->options->checkpoint;
	for (size_t n; (n = kind->ask(run->engine, run->genome, N_BATCH)) > 0;) {
		if (n == SIZE_MAX)
			return false;
		assert(n <= N_BATCH);
		if (!collect(run, evaluate_batch(run, n)))
			return false;
		*stopped = problem_any_stopped(run->result, n);
		if (*stopped)
			return true;
		kind->tell(run->engine, run->genome, run->result, n);
		run->n_told += n;
		if (run->history)
			history_note(run->history, run->n_told, run->archive, false);
		struct engine_counts counts = kind->counts(run->engine);
		assert(counts.n_told == run->n_told && counts.n_told == counts.n_feasible + counts.n_infeasible);
		*stopped = search->watch && !search->watch(search->watch_context, kind->progress(run->engine), &counts);
		if (checkpoint && (checkpoint_is_due(checkpoint) || *stopped))
			save_run(run);
		if (*stopped)
			return true;
	}
	return true;
}

/* Counts and reasons; of a run that came to its end or was stopped, too, why. */
static void report(struct engine_driver *run, bool is_over, bool stopped)
{
	const struct engine_search *search = run->search;
	for (size_t i = 0; run->by_reason && i < N_CHUNK; i++) {
		for (size_t reason = 0; reason < run->n_reason; reason++)
			search->n_by_reason[reason] += run->by_reason[i * (run->n_reason + REASON_PAD) + reason];
	}
	pareto_sort(search->archive);
	*search->counts = search->kind->counts(run->engine);
	if (!is_over)
		return;
	search->counts->n_stop[stopped ? ENGINE_STOP_WATCH : search->kind->stop(run->engine)]++;
	if (run->history)
		history_note(run->history, search->counts->n_told, search->archive, true);
}

enum err_code engine_run(const struct engine_search *search, struct err *err)
{
	struct engine_driver run = {.search = search,
	                            .problem = search->problem,
	                            .archive = search->archive,
	                            .n_thread = parallel_n_thread(search->n_thread),
	                            .n_reason = search->n_reason,
	                            .history = search->options->history};
	bool stopped = false;
	enum err_code code = ERR_OK;
	if (islands_apply(search->kind, search->problem, search->options))
		return islands_run(search, err);
	assert(search->archive->n_objective == search->problem->n_objective &&
	       search->archive->n_gene == search->problem->n_gene);
	assert(search->counts && (search->n_by_reason || search->n_reason == 0));
	if (search->near)
		search->near->violation = INFINITY;
	run.engine = search->kind->create(search->problem, search->options, err);
	if (!run.engine)
		return ERR_INTERNAL;
	bool has_memory = run_init(&run);
	if (has_memory && !load_run(&run))
		code = err_add(err, ERR_INPUT, "%s: does not fit this search; without it the search begins anew",
		               search->options->checkpoint->path);
	else if (!has_memory || !run_loop(&run, &stopped))
		code = err_add(err, ERR_INTERNAL, "out of memory in engine %s", search->kind->name);
	else if (stopped)
		code = ERR_INTERRUPTED;
	report(&run, code == ERR_OK || stopped, stopped);
	search->kind->destroy(run.engine);
	arena_free(&run.arena);
	return code;
}
