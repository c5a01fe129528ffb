/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/islands.h"
#include "dse/base/parallel.h"
#include "dse/keep/ranks.h"
#include "sim/base/arena.h"
#include <assert.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_BATCH = 256,       /* candidates evaluated at once on an island */
	N_EMIGRANT = 8,      /* at a time; few enough that islands stay apart */
	N_PROPOSAL = 50,     /* heuristic designs for each island */
	DEFAULT_MIGRATE = 5, /* generations */
	LEAST_SHARE = 320,   /* evaluations of an island: 20 generations of 16; with less there are fewer islands */
	ENUMERABLE = 1 << 20 /* without limits, a smaller space is looked through by one population */
};

/* Between the seeds of two islands; another stride than that of layers' searches, so that they do not meet. */
#define SEED_STRIDE UINT64_C(0xd1342543de82ef95)

struct island {
	struct engine *engine; /* NULL: another rank's */
	/* What the others are told of it. */
	bool is_done, is_idle, failed;
	bool is_torn; /* an evaluation was stopped: its engine has not been told what it asked for */
	struct engine_counts counts;
	uint32_t stop; /* when done: enum engine_stop */
	double progress;
	struct engine_nearest near;
	uint64_t *by_reason; /* [n_reason] */
	struct pareto found; /* nondominated points since the last exchange */
	size_t n_out;
	uint32_t *out_genome; /* [N_EMIGRANT][n_gene] */
	struct evaluation *out_result;
};

struct sea {
	const struct engine_search *search;
	const struct engine_kind *kind;
	const struct problem *problem;
	const struct engine_options *options;
	unsigned n_thread, n_rank, rank;
	size_t n, n_reason;
	struct island island[ISLANDS_MAX]; /* [n]; number i is rank i mod n_rank's */
	struct pareto *archive;
	uint32_t target;    /* generations after which islands migrate next */
	uint32_t *proposal; /* [n * N_PROPOSAL][n_gene] island after island */
	atomic_uint_fast64_t n_told;
	atomic_bool stops;  /* watch wanted no more */
	struct arena arena; /* of proposals, and what others are told of islands */
};

static uint32_t migrate_every(const struct engine_options *options)
{
	return options->migrate_every > 0 ? options->migrate_every : DEFAULT_MIGRATE;
}

static size_t count_islands(const struct engine_options *options)
{
	uint64_t most = options->max_evaluation > 0 ? options->max_evaluation / LEAST_SHARE : ISLANDS_MAX;
	assert(options->n_island <= ISLANDS_MAX);
	return options->n_island < most ? options->n_island : (size_t)most;
}

bool islands_apply(const struct engine_kind *kind, const struct problem *problem, const struct engine_options *options)
{
	uint64_t limit = options->max_evaluation > 0 ? options->max_evaluation : ENUMERABLE;
	return kind->immigrate && !options->is_island && count_islands(options) > 1 && problem_size(problem) > limit;
}

/* ---- evolving --------------------------------------------------------------------------------- */

/* What a batch leaves: points that the archive does not cover, reasons, the nearest miss. */
static void note_batch(struct sea *sea, struct island *island, const uint32_t *genome, const struct evaluation *result,
                       size_t n)
{
	size_t n_gene = sea->problem->n_gene, hint = 0;
	for (size_t i = 0; i < n; i++) {
		const uint32_t *row = genome + i * n_gene;
		assert(result[i].violation >= 0.0);
		if (result[i].violation == 0.0) {
			if (pareto_covers(sea->archive, result[i].objective, row, &hint))
				continue;
			(void)pareto_insert(&island->found, result[i].objective, row, 0);
			island->failed |= island->found.n_alloc == 0;
			continue;
		}
		if (result[i].reason < sea->n_reason)
			island->by_reason[result[i].reason]++;
		engine_nearest_take(&island->near, result[i].violation, result[i].reason, row, n_gene);
	}
}

/* What others may know of the island now. */
static void describe(const struct sea *sea, struct island *island)
{
	island->counts = sea->kind->counts(island->engine);
	island->is_idle = sea->kind->is_idle(island->engine);
	island->progress = sea->kind->progress(island->engine);
	island->stop = sea->kind->stop(island->engine);
	island->n_out = sea->kind->emigrate(island->engine, island->out_genome, island->out_result, N_EMIGRANT);
}

/* To the next migration, or until watch, which the first island asks, wants no more. */
static void evolve(void *context, size_t i)
{
	struct sea *sea = context;
	struct island *island = &sea->island[sea->rank + i * sea->n_rank];
	const struct engine_kind *kind = sea->kind;
	const struct problem *problem = sea->problem;
	uint32_t *genome = malloc(N_BATCH * (problem->n_gene + 1) * sizeof(*genome));
	struct evaluation *result = calloc(N_BATCH, sizeof(*result));
	assert(island->engine && island->found.n == 0);
	island->failed = !genome || !result;
	while (!island->failed && !island->is_done && !atomic_load(&sea->stops) &&
	       kind->generation(island->engine) < sea->target) {
		size_t n = kind->ask(island->engine, genome, N_BATCH);
		island->failed = n == SIZE_MAX;
		island->is_done = n == 0;
		if (n == 0 || n == SIZE_MAX)
			break;
		problem->evaluate(problem->context, genome, n, result);
		island->is_torn = problem_any_stopped(result, n);
		if (island->is_torn) {
			atomic_store(&sea->stops, true);
			break;
		}
		note_batch(sea, island, genome, result, n);
		kind->tell(island->engine, genome, result, n);
		struct engine_counts all = {.n_told = atomic_fetch_add(&sea->n_told, n) + n};
		engine_watch watch = sea->search->watch;
		if (i == 0 && watch && !watch(sea->search->watch_context, kind->progress(island->engine), &all))
			atomic_store(&sea->stops, true);
	}
	describe(sea, island);
	free(genome);
	free(result);
}

/* ---- between two times of evolving ------------------------------------------------------------ */

/* Islands that this rank evolves. */
static size_t n_mine(const struct sea *sea)
{
	return sea->n > sea->rank ? (sea->n - sea->rank + sea->n_rank - 1) / sea->n_rank : 0;
}

static void pack_emigrants(const struct sea *sea, struct island *island, struct pack *pack)
{
	const struct problem *problem = sea->problem;
	size_t n_out = island->n_out;
	pack_count(pack, &n_out, 8);
	if (pack_refuse(pack, pack->is_reading && n_out > N_EMIGRANT))
		return;
	if (pack->is_reading)
		island->n_out = n_out;
	pack_u32s(pack, island->out_genome, n_out * problem->n_gene);
	for (size_t i = 0; i < n_out * problem->n_gene; i++)
		(void)pack_refuse(pack, island->out_genome[i] >= problem->n_value[i % problem->n_gene]);
	problem_pack_results(island->out_result, n_out, pack);
}

/* What other ranks, or a later process, must know of an island beside its engine's state. found is empty to read into.
 */
static void pack_island(const struct sea *sea, struct island *island, struct pack *pack)
{
	const struct problem *problem = sea->problem;
	pack_bool(pack, &island->is_done);
	pack_bool(pack, &island->is_idle);
	pack_bool(pack, &island->failed);
	pack_bool(pack, &island->is_torn);
	engine_counts_pack(&island->counts, pack);
	pack_u32(pack, &island->stop);
	(void)pack_refuse(pack, island->stop >= ENGINE_N_STOP);
	engine_nearest_pack(&island->near, problem->n_value, problem->n_gene, pack);
	pack_u64s(pack, island->by_reason, sea->n_reason);
	pareto_pack(&island->found, problem->n_value, pack);
	pack_emigrants(sea, island, pack);
}

/* Every rank learns what has become of all islands. false when memory is out, or a rank's bytes cannot be. */
static bool exchange(struct sea *sea)
{
	bool is_fine = true;
	for (unsigned from = 0; from < sea->n_rank && sea->n_rank > 1; from++) {
		struct pack own = {0};
		uint8_t *data;
		size_t n_byte;
		for (size_t i = from; i < sea->n && from == sea->rank; i += sea->n_rank)
			pack_island(sea, &sea->island[i], &own);
		is_fine &= !own.failed;
		own.n = own.failed ? 0 : own.n;
		own.failed = false;
		ranks_spread(from, &own, &data, &n_byte);
		struct pack reader = pack_reader(data, n_byte);
		for (size_t i = from; i < sea->n && from != sea->rank; i += sea->n_rank)
			pack_island(sea, &sea->island[i], &reader);
		is_fine &= from == sea->rank || pack_done(&reader);
		free(data);
		pack_free(&own);
	}
	return is_fine;
}

/* Island by island, so that all ranks have one archive. false when memory is out. */
static bool collect(struct sea *sea)
{
	for (size_t i = 0; i < sea->n; i++) {
		struct island *island = &sea->island[i];
		if (island->failed)
			return false;
		for (size_t k = 0; k < island->found.n; k++) {
			(void)pareto_insert(sea->archive, island->found.objective + k * island->found.n_objective,
			                    island->found.genome + k * island->found.n_gene, 0);
			if (sea->archive->n_alloc == 0)
				return false;
		}
		pareto_free(&island->found);
		pareto_init(&island->found, sea->problem->n_objective, sea->problem->n_gene);
	}
	return true;
}

static struct engine_counts sum_counts(const struct sea *sea)
{
	struct engine_counts sum = {0};
	for (size_t i = 0; i < sea->n; i++)
		engine_counts_add(&sum, &sea->island[i].counts);
	return sum;
}

/* Round the ring. An island that has ended its search takes nobody in. false when memory is out. */
static bool migrate(struct sea *sea)
{
	bool has_memory = true;
	for (size_t i = sea->rank; i < sea->n; i += sea->n_rank) {
		struct island *to = &sea->island[i];
		const struct island *from = &sea->island[(i + sea->n - 1) % sea->n];
		if (!to->is_done)
			has_memory &= sea->kind->immigrate(to->engine, from->out_genome, from->out_result, from->n_out);
	}
	sea->target += migrate_every(sea->options);
	return has_memory;
}

/* Nobody goes on; or nobody has gained anything for long, whoever came in. */
static bool is_over(const struct sea *sea, enum engine_stop *stop)
{
	bool all_done = true, all_idle = true;
	*stop = ENGINE_STOP_EXHAUSTED;
	for (size_t i = 0; i < sea->n; i++) {
		const struct island *island = &sea->island[i];
		all_done &= island->is_done;
		all_idle &= island->is_done || island->is_idle;
		if (island->stop > (uint32_t)*stop)
			*stop = (enum engine_stop)island->stop;
	}
	*stop = all_done ? *stop : ENGINE_STOP_STAGNATION;
	return all_done || all_idle;
}

/* ---- checkpoints ------------------------------------------------------------------------------ */

static void pack_sea(struct sea *sea, struct pack *pack)
{
	uint64_t n = sea->n;
	pack_u64(pack, &n);
	(void)pack_refuse(pack, n != sea->n);
	pack_u32(pack, &sea->target);
	pareto_pack(sea->archive, sea->problem->n_value, pack);
	if (sea->options->history)
		history_pack(sea->options->history, pack);
}

/* All ranks; rank 0 writes: the sea, then for each island how many bytes it takes, and these. */
static bool save(struct sea *sea)
{
	struct pack whole = {0};
	bool is_fine = true;
	pack_sea(sea, &whole);
	for (size_t i = 0; i < sea->n; i++) {
		struct pack own = {0};
		uint8_t *data;
		size_t n_byte;
		if (sea->island[i].engine) {
			pack_island(sea, &sea->island[i], &own);
			sea->kind->pack(sea->island[i].engine, &own);
		}
		is_fine &= !own.failed;
		own.n = own.failed ? 0 : own.n;
		own.failed = false;
		ranks_spread((unsigned)i % sea->n_rank, &own, &data, &n_byte);
		pack_size(&whole, &n_byte);
		pack_append(&whole, data, n_byte);
		free(data);
		pack_free(&own);
	}
	if (sea->rank == 0 && is_fine && !whole.failed)
		checkpoint_write(sea->options->checkpoint, &whole);
	pack_free(&whole);
	return is_fine;
}

/* Every rank reads of every island what others know of it, and all of its own ones. */
static bool read_state(struct sea *sea, const uint8_t *state, size_t n_state)
{
	struct pack pack = pack_reader(state, n_state);
	pack_sea(sea, &pack);
	for (size_t i = 0; i < sea->n && !pack.failed; i++) {
		size_t n_byte = 0;
		pack_count(&pack, &n_byte, 1);
		struct pack own = pack_reader(pack.from + pack.at, pack.failed ? 0 : n_byte);
		pack_island(sea, &sea->island[i], &own);
		if (sea->island[i].engine)
			sea->kind->pack(sea->island[i].engine, &own);
		(void)pack_refuse(&pack, sea->island[i].engine ? !pack_done(&own) : own.failed);
		pack.at += pack.failed ? 0 : n_byte;
	}
	atomic_store(&sea->n_told, sum_counts(sea).n_told);
	return pack_done(&pack);
}

/* All ranks: go on where another process stopped; rank 0 has its state, if anybody. */
static enum err_code load(struct sea *sea, struct err *err)
{
	const struct checkpoint *checkpoint = sea->options->checkpoint;
	struct pack own = {0};
	uint8_t *state;
	size_t n_state;
	bool has_state = sea->rank == 0 && checkpoint && checkpoint->state;
	if (has_state)
		pack_append(&own, checkpoint->state, checkpoint->n_state);
	enum err_code code = own.failed ? err_add(err, ERR_INTERNAL, "out of memory in islands") : ERR_OK;
	code = sea->options->over_ranks ? ranks_agree(code, err) : code;
	if (code != ERR_OK)
		return code;
	ranks_spread(0, &own, &state, &n_state);
	if (n_state > 0 && !read_state(sea, state, n_state))
		code = err_add(err, ERR_INPUT, "%s: does not fit this search; without it the search begins anew",
		               checkpoint ? checkpoint->path : "checkpoint");
	free(state);
	pack_free(&own);
	return code;
}

/* ---- the run ---------------------------------------------------------------------------------- */

static bool init_island(struct sea *sea, size_t i, struct err *err)
{
	const struct problem *problem = sea->problem;
	struct island *island = &sea->island[i];
	uint64_t total = sea->options->max_evaluation;
	struct engine_options own = *sea->options;
	own.is_island = true;
	own.n_island = (uint32_t)sea->n;
	own.seed += i * SEED_STRIDE;
	own.max_evaluation = total / sea->n + (i < total % sea->n);
	own.checkpoint = NULL;
	own.history = NULL;
	own.proposal = sea->proposal ? sea->proposal + i * N_PROPOSAL * problem->n_gene : NULL;
	own.n_proposal = N_PROPOSAL;
	assert(total == 0 || own.max_evaluation >= LEAST_SHARE);
	island->near = (struct engine_nearest){.violation = INFINITY,
	                                       .genome = arena_array(&sea->arena, problem->n_gene, sizeof(uint32_t))};
	island->by_reason = arena_array(&sea->arena, sea->n_reason, sizeof(*island->by_reason));
	island->out_genome = arena_array(&sea->arena, N_EMIGRANT, problem->n_gene * sizeof(*island->out_genome));
	island->out_result = arena_array(&sea->arena, N_EMIGRANT, sizeof(*island->out_result));
	pareto_init(&island->found, problem->n_objective, problem->n_gene);
	if (i % sea->n_rank == sea->rank)
		island->engine = sea->kind->create(problem, &own, err);
	return !sea->arena.is_out && (island->engine || i % sea->n_rank != sea->rank);
}

static void free_sea(struct sea *sea)
{
	for (size_t i = 0; i < sea->n; i++) {
		struct island *island = &sea->island[i];
		if (island->engine)
			sea->kind->destroy(island->engine);
		pareto_free(&island->found);
	}
	arena_free(&sea->arena);
	free(sea);
}

/* Proposals are dealt: proposal i is island i mod n's, so that no two islands begin alike. */
static bool deal_proposals(struct sea *sea)
{
	const struct problem *problem = sea->problem;
	size_t n_gene = problem->n_gene, n_max = sea->n * N_PROPOSAL;
	if (!problem->propose)
		return true;
	uint32_t *genome = arena_array(&sea->arena, n_max, n_gene * sizeof(*genome));
	uint32_t *dealt = arena_array(&sea->arena, n_max, n_gene * sizeof(*dealt));
	if (sea->arena.is_out)
		return false;
	size_t n = problem->propose(problem->context, genome, n_max);
	/* Where there are fewer, they come again: an island drops what it knows already. */
	for (size_t i = 0; i < n_max && n > 0; i++)
		memcpy(dealt + (i % sea->n * N_PROPOSAL + i / sea->n) * n_gene, genome + i % n * n_gene,
		       n_gene * sizeof(*genome));
	sea->proposal = n > 0 ? dealt : NULL;
	return true;
}

static bool any_torn(const struct sea *sea)
{
	for (size_t i = 0; i < sea->n; i++)
		if (sea->island[i].is_torn)
			return true;
	return false;
}

/* Rank 0 decides for all whether they stop, and whether they save. */
static void decide(struct sea *sea, bool *stops, bool *saves)
{
	struct checkpoint *checkpoint = sea->options->checkpoint;
	bool is_torn = any_torn(sea);
	*stops = is_torn || atomic_load(&sea->stops);
	/* an engine between asking and being told has no state that another process could go on from */
	*saves = sea->rank == 0 && checkpoint && !is_torn && (*stops || checkpoint_is_due(checkpoint));
	if (sea->n_rank > 1) {
		ranks_broadcast(0, stops, sizeof(*stops));
		ranks_broadcast(0, saves, sizeof(*saves));
	}
}

static enum err_code agree(const struct sea *sea, bool is_fine, struct err *err)
{
	enum err_code code =
	    is_fine ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory in islands of engine %s", sea->kind->name);
	return sea->n_rank > 1 ? ranks_agree(code, err) : code;
}

/* Evolve, exchange, decide, migrate. ERR_INTERRUPTED when watch wanted no more. */
static enum err_code run_rounds(struct sea *sea, enum engine_stop *stop, struct err *err)
{
	for (;;) {
		bool stops, saves;
		parallel_for(n_mine(sea), sea->n_thread, evolve, sea);
		enum err_code code = agree(sea, exchange(sea) && collect(sea), err);
		if (code != ERR_OK)
			return code;
		bool is_last = is_over(sea, stop) && !any_torn(sea);
		decide(sea, &stops, &saves);
		bool is_fine = true;
		if (!stops) {
			if (sea->options->history)
				history_note(sea->options->history, sum_counts(sea).n_told, sea->archive, false);
			is_fine = is_last || migrate(sea);
		}
		is_fine = is_fine && (!saves || save(sea));
		code = agree(sea, is_fine, err);
		if (code != ERR_OK || is_last)
			return code;
		if (stops) {
			*stop = ENGINE_STOP_WATCH;
			return ERR_INTERRUPTED;
		}
	}
}

/* Counts, reasons and the nearest miss of all islands. */
static void report(const struct sea *sea, enum engine_stop stop)
{
	const struct engine_search *search = sea->search;
	*search->counts = sum_counts(sea);
	search->counts->n_stop[stop]++;
	for (size_t i = 0; i < sea->n; i++) {
		const struct island *island = &sea->island[i];
		for (size_t reason = 0; reason < sea->n_reason; reason++)
			search->n_by_reason[reason] += island->by_reason[reason];
		if (search->near)
			engine_nearest_take(search->near, island->near.violation, island->near.reason,
			                    island->near.genome, sea->problem->n_gene);
	}
	pareto_sort(sea->archive);
	if (sea->options->history)
		history_note(sea->options->history, search->counts->n_told, sea->archive, true);
}

static bool init_sea(struct sea *sea, const struct engine_search *search, struct err *err)
{
	const struct engine_options *options = search->options;
	sea->search = search;
	sea->kind = search->kind;
	sea->problem = search->problem;
	sea->options = options;
	sea->n_thread = parallel_n_thread(search->n_thread);
	sea->n_rank = options->over_ranks ? ranks_n() : 1;
	sea->rank = options->over_ranks ? ranks_index() : 0;
	sea->n = count_islands(options);
	sea->n_reason = search->n_reason;
	sea->archive = search->archive;
	sea->target = migrate_every(options);
	bool is_fine = deal_proposals(sea);
	for (size_t i = 0; i < sea->n && is_fine; i++)
		is_fine = init_island(sea, i, err);
	return is_fine;
}

enum err_code islands_run(const struct engine_search *search, struct err *err)
{
	enum engine_stop stop = ENGINE_STOP_EXHAUSTED;
	assert(islands_apply(search->kind, search->problem, search->options));
	assert(search->archive->n == 0 && search->counts);
	struct sea *sea = calloc(1, sizeof(*sea));
	if (search->near)
		search->near->violation = INFINITY;
	bool is_fine = sea && init_sea(sea, search, err);
	enum err_code code = is_fine ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory in islands");
	code = search->options->over_ranks ? ranks_agree(code, err) : code;
	if (code == ERR_OK)
		code = load(sea, err);
	if (code == ERR_OK)
		code = run_rounds(sea, &stop, err);
	if (code == ERR_OK || code == ERR_INTERRUPTED)
		report(sea, stop);
	if (sea)
		free_sea(sea);
	return code;
}
