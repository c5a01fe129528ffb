/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pareto local search (L. Paquete, T. Chiarandini, T. Stuetzle, "Pareto local
 * optimum sets in the biobjective traveling salesman problem", 2004) for integer
 * genomes. Splits are ordered by their number of parts, so a step along one gene
 * is a small change, and from a good design small changes lead to the best ones.
 *
 *   proposals, draws ─► archive ─► a point not explored yet: the centre ◄─────────┐
 *                          ▲           │ moves: one gene 1, 2, 4, ... values on,   │ all moves made, or the
 *                          │           ▼ or any other value where order is none    │ centre beaten meanwhile
 *                          └── tell ◄─ ask, in random order, PART at a time ───────┘
 *
 * What differs from the paper:
 * - A centre that one of its neighbours beats is left at once: its other neighbours are the worse for it.
 * - Where all points are explored, a point with two to four genes drawn anew is the next start (iterated local search).
 * - No candidate is asked for twice, and one that is seen to be infeasible unevaluated is repaired.
 * - While nothing is feasible, the candidate with the least violation is the centre.
 *
 * The search stops after max_evaluation candidates, when every candidate has been asked for, or when N_STAGNANT
 * candidates in a row gained nothing; a space that the limits, or without limits DEFAULT_BUDGET, allow to enumerate is
 * then counted through, so that its front is complete.
 */
#include "dse/engine/engine.h"
#include "dse/engine/genome_set.h"
#include "sim/base/arena.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_UNORDERED = 64, /* more values without an order are not all tried from each point */
	PART = 6,           /* neighbours asked for before the centre is looked at again */
	MAX_START = 200,    /* proposals and draws, half of either */
	N_KICK_TRY = 1000,  /* for a start that is not known yet */
	N_STAGNANT = 6000,
	DEFAULT_BUDGET = 1 << 20
};

struct local_move {
	uint32_t gene, value;
};

struct engine {
	const struct problem *problem;
	uint64_t seed, size, max_evaluation, budget;
	uint32_t n_start, n_proposed, n_begun;
	uint32_t *proposed; /* [n_proposed][n_gene] */
	uint64_t n_ask;     /* names the stream of each ask */
	uint64_t n_idle;    /* candidates told since the last gain */
	bool has_centre, sweeping, counted_out;
	bool all_explored;       /* until the next gain */
	bool has_gained;         /* since the centre was last looked for among the points */
	uint32_t *centre;        /* [n_gene] */
	struct local_move *move; /* [n_move] of the centre, in the order of asking */
	size_t n_move, max_move, at;
	uint32_t *next;  /* [n_gene] where the count stands */
	uint32_t *least; /* [n_gene] the least-violating candidate */
	double least_violation;
	struct pareto front;
	struct genome_set known, explored;
	struct arena arena; /* of the arrays */
	struct engine_counts counts;
};

static void destroy(struct engine *engine)
{
	if (!engine)
		return;
	arena_free(&engine->arena);
	pareto_free(&engine->front);
	genome_set_free(&engine->known);
	genome_set_free(&engine->explored);
	free(engine);
}

static bool is_ordered(const struct problem *problem, size_t gene)
{
	uint32_t n_value = problem->n_value[gene];
	return n_value > MAX_UNORDERED || (n_value > 2 && (!problem->is_ordered || problem->is_ordered[gene]));
}

/* Write the moves from a genome; move NULL: only count those that there are at most. */
static size_t list_moves(const struct problem *problem, const uint32_t *genome, struct local_move *move)
{
	size_t n = 0;
	for (uint32_t gene = 0; gene < problem->n_gene; gene++) {
		uint32_t n_value = problem->n_value[gene], from = genome ? genome[gene] : 0;
		bool steps = is_ordered(problem, gene);
		for (uint32_t step = 1; step < n_value; step = steps ? 2 * step : step + 1) {
			uint32_t other = steps ? from + step : (from + step) % n_value;
			if (other < n_value && move)
				move[n] = (struct local_move){gene, other};
			n += !move || other < n_value;
			if (steps && from >= step && move)
				move[n] = (struct local_move){gene, from - step};
			n += steps && (!move || from >= step);
			if (step > UINT32_MAX / 2)
				break;
		}
	}
	return n;
}

static bool init(struct engine *engine, const struct engine_options *options)
{
	const struct problem *problem = engine->problem;
	size_t n_gene = problem->n_gene;
	uint64_t wanted = engine->max_evaluation / 20 + 8;
	engine->n_start = wanted < MAX_START ? (uint32_t)wanted : MAX_START;
	engine->max_move = list_moves(problem, NULL, NULL);
	engine->proposed = arena_array(&engine->arena, engine->n_start, n_gene * sizeof(*engine->proposed));
	engine->centre = arena_array(&engine->arena, n_gene, sizeof(*engine->centre));
	engine->move = arena_array(&engine->arena, engine->max_move, sizeof(*engine->move));
	engine->next = arena_array(&engine->arena, n_gene, sizeof(*engine->next));
	engine->least = arena_array(&engine->arena, n_gene, sizeof(*engine->least));
	if (engine->arena.is_out)
		return false;
	size_t most = options->proposal ? engine->n_start : engine->n_start / 2;
	if (options->proposal) {
		engine->n_proposed = (uint32_t)(options->n_proposal < most ? options->n_proposal : most);
		memcpy(engine->proposed, options->proposal, engine->n_proposed * n_gene * sizeof(*engine->proposed));
	} else if (problem->propose) {
		engine->n_proposed = (uint32_t)problem->propose(problem->context, engine->proposed, most);
	}
	assert(engine->n_proposed <= most);
	return true;
}

static struct engine *create(const struct problem *problem, const struct engine_options *options, struct err *err)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	if (engine) {
		engine->problem = problem;
		engine->seed = options->seed;
		engine->size = problem_size(problem);
		engine->max_evaluation = options->max_evaluation > 0 ? options->max_evaluation : UINT64_MAX;
		engine->budget = options->max_evaluation > 0 ? options->max_evaluation : DEFAULT_BUDGET;
		engine->least_violation = INFINITY;
		genome_set_init(&engine->known, problem);
		genome_set_init(&engine->explored, problem);
		pareto_init(&engine->front, problem->n_objective, problem->n_gene);
	}
	if (engine && init(engine, options))
		return engine;
	destroy(engine);
	err_add(err, ERR_INTERNAL, "out of memory in engine pls");
	return NULL;
}

/* ---- asking ------------------------------------------------------------------------------------ */

static bool is_out(const struct engine *engine)
{
	return engine->known.is_out || engine->explored.is_out;
}

/* Whether a candidate, repaired, is to be asked for. */
static bool take_start(struct engine *engine, struct rng *rng, uint32_t *genome)
{
	const struct problem *problem = engine->problem;
	if (problem->repair)
		problem->repair(problem->context, rng, genome);
	bool takes = genome_set_add(&engine->known, genome);
	engine->counts.n_duplicate += !takes && !engine->known.is_out;
	return takes;
}

/* The next unknown candidate in counting order; false when there is none, or memory is out. */
static bool walk(struct engine *engine, uint32_t *genome)
{
	return genome_set_walk(&engine->known, engine->next, &engine->counted_out, genome);
}

static const uint32_t *point_of(const struct engine *engine, size_t at)
{
	return engine->front.genome + at * engine->problem->n_gene;
}

/* A point that has not been a centre: the first one from a place drawn at random. false: there is none. */
static bool choose_centre(struct engine *engine, struct rng *rng)
{
	size_t n_gene = engine->problem->n_gene, n = engine->front.n;
	const uint32_t *found = NULL;
	if (n == 0 && isfinite(engine->least_violation) && genome_set_add(&engine->explored, engine->least))
		found = engine->least;
	size_t first = n > 0 ? rng_below(rng, (uint32_t)n) : 0;
	for (size_t i = 0; i < n && !found; i++)
		if (genome_set_add(&engine->explored, point_of(engine, (first + i) % n)))
			found = point_of(engine, (first + i) % n);
	engine->has_centre = found != NULL;
	engine->all_explored = !found;
	engine->at = engine->n_move = 0;
	if (!found)
		return false;
	memcpy(engine->centre, found, n_gene * sizeof(*engine->centre));
	engine->n_move = list_moves(engine->problem, engine->centre, engine->move);
	assert(engine->n_move <= engine->max_move);
	for (size_t i = engine->n_move; i > 1; i--) {
		size_t other = rng_below(rng, (uint32_t)i);
		struct local_move move = engine->move[i - 1];
		engine->move[i - 1] = engine->move[other];
		engine->move[other] = move;
	}
	return true;
}

/* Whether the centre has moves left and nothing has beaten it. */
static bool goes_on(struct engine *engine)
{
	size_t n_byte = engine->problem->n_gene * sizeof(*engine->centre);
	if (!engine->has_centre || engine->at == engine->n_move)
		return false;
	if (!engine->has_gained)
		return true;
	engine->has_gained = false;
	bool found = engine->front.n == 0 && memcmp(engine->least, engine->centre, n_byte) == 0;
	for (size_t i = 0; i < engine->front.n && !found; i++)
		found = memcmp(point_of(engine, i), engine->centre, n_byte) == 0;
	engine->has_centre = found;
	return found;
}

/* A start beside a point of the archive that is not known yet; false when none was found. */
static bool kick(struct engine *engine, struct rng *rng, uint32_t *genome)
{
	const struct problem *problem = engine->problem;
	for (unsigned i = 0; i < N_KICK_TRY && !is_out(engine) && problem->n_gene > 0; i++) {
		uint32_t n_change = 2 + rng_below(rng, 3);
		if (engine->front.n == 0)
			problem_draw(problem, rng, genome);
		else
			memcpy(genome, point_of(engine, rng_below(rng, (uint32_t)engine->front.n)),
			       problem->n_gene * sizeof(*genome));
		for (uint32_t k = 0; k < n_change; k++) {
			uint32_t gene = rng_below(rng, (uint32_t)problem->n_gene);
			genome[gene] = problem->n_value[gene] > 1 ? rng_below(rng, problem->n_value[gene]) : 0;
		}
		if (take_start(engine, rng, genome))
			return true;
	}
	return false;
}

/* One candidate of the start, or of the centre's neighbours; false: it is known already. */
static bool make_start(struct engine *engine, uint32_t *genome)
{
	const struct problem *problem = engine->problem;
	struct rng rng = rng_stream(engine->seed, 0, engine->n_begun);
	if (engine->n_begun < engine->n_proposed)
		memcpy(genome, engine->proposed + engine->n_begun * problem->n_gene, problem->n_gene * sizeof(*genome));
	else
		problem_draw(problem, &rng, genome);
	engine->n_begun++;
	return take_start(engine, &rng, genome);
}

static bool make_neighbour(struct engine *engine, struct rng *rng, uint32_t *genome)
{
	struct local_move move = engine->move[engine->at++];
	memcpy(genome, engine->centre, engine->problem->n_gene * sizeof(*genome));
	genome[move.gene] = move.value;
	return take_start(engine, rng, genome);
}

static size_t ask(struct engine *engine, uint32_t *genome, size_t max)
{
	uint64_t n_left = engine->max_evaluation - engine->counts.n_asked;
	size_t n = 0, n_gene = engine->problem->n_gene;
	struct rng rng = rng_stream(engine->seed, 1 + (uint32_t)(engine->n_ask >> 32), (uint32_t)engine->n_ask);
	engine->n_ask++;
	max = n_left < max ? (size_t)n_left : max;
	while (n < max && engine->n_begun < engine->n_start && !is_out(engine))
		n += make_start(engine, genome + n * n_gene);
	while (n == 0 && max > 0 && !engine->sweeping && engine->n_idle < N_STAGNANT && !is_out(engine)) {
		if (!goes_on(engine) && (engine->all_explored || !choose_centre(engine, &rng))) {
			while (n < max && n < PART && !engine->sweeping && !is_out(engine)) {
				engine->sweeping = !kick(engine, &rng, genome + n * n_gene);
				n += !engine->sweeping;
			}
			break;
		}
		while (n < max && n < PART && engine->at < engine->n_move && !is_out(engine))
			n += make_neighbour(engine, &rng, genome + n * n_gene);
	}
	if (engine->n_idle >= N_STAGNANT)
		engine->sweeping = true;
	/* After N_KICK_TRY known starts little can be unknown; after stagnation it depends on how much there is. */
	if (n == 0 && engine->sweeping && engine->size <= engine->budget)
		while (n < max && walk(engine, genome + n * n_gene))
			n++;
	engine->counts.n_asked += n;
	assert(is_out(engine) || engine->counts.n_asked == engine->known.n);
	return is_out(engine) ? SIZE_MAX : n;
}

/* ---- being told -------------------------------------------------------------------------------- */

static void tell_pareto_local(struct engine *engine, const uint32_t *genome, const struct evaluation *result, size_t n)
{
	size_t n_gene = engine->problem->n_gene;
	for (size_t i = 0; i < n; i++) {
		const uint32_t *row = genome + i * n_gene;
		bool is_feasible = result[i].violation == 0.0, gains = false;
		if (is_feasible) {
			gains = pareto_insert(&engine->front, result[i].objective, row, 0);
			engine->known.is_out |= engine->front.n_alloc == 0;
		} else if (result[i].violation < engine->least_violation) {
			engine->least_violation = result[i].violation;
			memcpy(engine->least, row, n_gene * sizeof(*row));
			gains = engine->front.n == 0;
		}
		engine->n_idle = gains ? 0 : engine->n_idle + 1;
		engine->has_gained |= gains;
		engine->all_explored &= !gains;
		engine->counts.n_feasible += is_feasible;
		engine->counts.n_infeasible += !is_feasible;
	}
	engine->counts.n_told += n;
	assert(engine->counts.n_told == engine->counts.n_asked);
}

static struct engine_counts get_counts(const struct engine *engine)
{
	return engine->counts;
}

static enum engine_stop get_stop(const struct engine *engine)
{
	if (engine->known.n == engine->size)
		return ENGINE_STOP_EXHAUSTED;
	return engine->counts.n_asked == engine->max_evaluation ? ENGINE_STOP_EVALUATIONS : ENGINE_STOP_STAGNATION;
}

static double progress(const struct engine *engine)
{
	double done = (double)engine->counts.n_told / (double)engine->size;
	double of_budget = (double)engine->counts.n_told / (double)engine->max_evaluation;
	double idle = engine->size > engine->budget ? (double)engine->n_idle / N_STAGNANT : 0.0;
	return fmin(1.0, fmax(done, fmax(of_budget, idle)));
}

static void pack_moves(struct engine *engine, struct pack *pack)
{
	pack_count(pack, &engine->n_move, 8);
	pack_size(pack, &engine->at);
	if (pack_refuse(pack, engine->n_move > engine->max_move || engine->at > engine->n_move)) {
		engine->n_move = engine->at = 0;
		return;
	}
	for (size_t i = 0; i < engine->n_move; i++) {
		struct local_move *move = &engine->move[i];
		pack_u32(pack, &move->gene);
		pack_u32(pack, &move->value);
		if (pack_refuse(pack, move->gene >= engine->problem->n_gene ||
		                          move->value >= engine->problem->n_value[move->gene]))
			return;
	}
}

/* Random numbers need no state: their streams are named by the number of the ask. */
static void pack_engine(struct engine *engine, struct pack *pack)
{
	size_t n_gene = engine->problem->n_gene;
	pack_u32(pack, &engine->n_begun);
	pack_u64(pack, &engine->n_ask);
	pack_u64(pack, &engine->n_idle);
	pack_bool(pack, &engine->has_centre);
	pack_bool(pack, &engine->all_explored);
	pack_bool(pack, &engine->has_gained);
	pack_bool(pack, &engine->sweeping);
	pack_bool(pack, &engine->counted_out);
	pack_u32s(pack, engine->centre, n_gene);
	pack_u32s(pack, engine->next, n_gene);
	pack_u32s(pack, engine->least, n_gene);
	pack_real(pack, &engine->least_violation);
	pack_moves(engine, pack);
	engine_counts_pack(&engine->counts, pack);
	for (size_t i = 0; i < n_gene; i++) {
		uint32_t n_value = engine->problem->n_value[i];
		(void)pack_refuse(pack, engine->centre[i] >= n_value || engine->next[i] >= n_value ||
		                            engine->least[i] >= n_value);
	}
	pareto_pack(&engine->front, engine->problem->n_value, pack);
	genome_set_pack(&engine->known, pack);
	genome_set_pack(&engine->explored, pack);
	(void)pack_refuse(pack, pack->is_reading && engine->known.n != engine->counts.n_asked);
}

const struct engine_kind engine_pls = {
    .name = "pls",
    .help = "Pareto local search from heuristic designs; asks for no candidate twice",
    .is_random = true,
    .is_layered = true,
    .create = create,
    .ask = ask,
    .tell = tell_pareto_local,
    .destroy = destroy,
    .counts = get_counts,
    .stop = get_stop,
    .progress = progress,
    .pack = pack_engine,
};
