/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NSGA-II (K. Deb, A. Pratap, S. Agarwal, T. Meyarivan, "A fast and elitist
 * multiobjective genetic algorithm: NSGA-II", 2002) for integer genomes.
 *
 *   parents ─► tournament, crossover, mutation ─► not asked for before? ─► ask
 *      ▲                                                                    │
 *      └── the best `population` of both ◄── ranks, crowding ◄── tell ◄─────┘
 *
 * What differs from the paper:
 * - Integer genes: four operators (dse/engine/nsga2_vary.h), drawn by their success.
 * - Half of the initial population are what heuristics of the problem propose,
 *   and a candidate that is seen to be infeasible unevaluated is repaired, where
 *   the problem knows how.
 * - No candidate is asked for twice. A child that is known is varied again, more
 *   strongly; after N_ATTEMPT attempts the next unknown candidate in counting
 *   order takes its place. So a small space is exhausted, and then we are done.
 * - Of points with equal objectives, one has the rank of the paper, the others
 *   rank behind it; otherwise copies of one point fill the population.
 * - Ranks are found by efficient non-dominated sort with binary search (X. Zhang,
 *   Y. Tian, R. Cheng, Y. Jin, 2015), which needs no lists of who dominates whom.
 *
 * The search stops
 * - after `generations` generations, the initial population being the first,
 * - after max_evaluation candidates,
 * - when every candidate has been asked for,
 * - when nothing was gained in N_STAGNANT generations: no point that no earlier
 *   one dominates or equals, nor, while nothing is feasible, a smaller violation.
 * In a space that the limits, or without limits DEFAULT_BUDGET, allow to
 * enumerate, stagnation does not stop the search: it switches to counting through
 * what is unknown, so that the front is complete at the end.
 *
 * Random numbers come from the stream (seed, generation, number of the child).
 */
#include "dse/engine/engine.h"
#include "dse/engine/genome_set.h"
#include "dse/engine/nsga2_vary.h"
#include "sim/base/arena.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	N_ATTEMPT = 8,
	N_STAGNANT = 60,
	DEFAULT_BUDGET = 1 << 20, /* candidates; about a second of evaluation */
	MIN_POPULATION = 100,     /* the paper's; enough for two objectives on spaces of few genes */
	MAX_POPULATION = 400,
	LEAST_POPULATION = 16,
	LEAST_ISLAND = 50,
	MIN_GENERATION = 20,
	POPULATION_PER_GENE = 4
};

struct engine {
	const struct problem *problem;
	uint64_t seed, size, max_evaluation, budget;
	uint32_t generations;

	uint32_t generation; /* the one being made */
	uint32_t n_made;     /* children of it made; those told are in the population */
	uint32_t n_stagnant;
	uint32_t n_walked; /* children of it that are no children but came in counting order */
	uint64_t n_taken;  /* individuals of other islands among the known */
	bool gained;       /* in this generation */
	bool is_island;
	bool sweeping; /* counting through what is unknown */
	bool finished;
	uint32_t stop; /* when finished: enum engine_stop */

	struct nsga2_population population;
	struct nsga2_vary vary;
	uint32_t *used;     /* [population.size] by which operator a child was made; NSGA2_N_OPERATOR: by none */
	uint32_t *proposed; /* [n_proposed][n_gene] by heuristics */
	size_t n_proposed;
	uint32_t *next; /* [n_gene] where the count stands */
	bool counted_out;
	struct genome_set known; /* its is_out stands for all memory of the search */
	struct pareto front;     /* objectives only: what has been reached so far */
	double least_violation;
	struct engine_counts counts;
	struct arena arena; /* of used, proposed and next */
};

static void destroy(struct engine *engine)
{
	if (!engine)
		return;
	nsga2_population_free(&engine->population);
	nsga2_vary_free(&engine->vary);
	arena_free(&engine->arena);
	genome_set_free(&engine->known);
	pareto_free(&engine->front);
	free(engine);
}

static uint32_t choose_population(const struct engine_options *options, size_t n_free)
{
	size_t population = POPULATION_PER_GENE * n_free;
	if (options->population > 0)
		return options->population;
	population = population < MIN_POPULATION ? MIN_POPULATION : population;
	population = population > MAX_POPULATION ? MAX_POPULATION : population;
	/* Islands share the individuals that one population would have. */
	if (options->is_island) {
		population /= options->n_island;
		population = population < LEAST_ISLAND ? LEAST_ISLAND : population;
	}
	/* Few evaluations are better spent on generations than on individuals. */
	uint64_t few = options->max_evaluation / MIN_GENERATION;
	if (options->max_evaluation > 0 && few < population)
		population = few < LEAST_POPULATION ? LEAST_POPULATION : (size_t)few;
	return (uint32_t)population;
}

static uint64_t choose_budget(const struct engine *engine)
{
	uint64_t by_generations = mul_sat(engine->generations, engine->population.size);
	if (engine->max_evaluation == UINT64_MAX && engine->generations == 0)
		return DEFAULT_BUDGET;
	if (engine->generations == 0 || engine->max_evaluation < by_generations)
		return engine->max_evaluation;
	return by_generations;
}

/* Half of the initial population at most: the other half keeps it diverse. */
static bool take_proposals(struct engine *engine, const struct engine_options *options, uint32_t size)
{
	const struct problem *problem = engine->problem;
	size_t max = size / 2;
	if ((!options->proposal && !problem->propose) || max == 0)
		return true;
	engine->proposed = arena_array(&engine->arena, max, problem->n_gene * sizeof(*engine->proposed));
	if (!engine->proposed)
		return false;
	if (options->proposal) {
		engine->n_proposed = options->n_proposal < max ? options->n_proposal : max;
		memcpy(engine->proposed, options->proposal,
		       engine->n_proposed * problem->n_gene * sizeof(*engine->proposed));
		return true;
	}
	engine->n_proposed = problem->propose(problem->context, engine->proposed, max);
	assert(engine->n_proposed <= max);
	return true;
}

static struct engine *create(const struct problem *problem, const struct engine_options *options, struct err *err)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	if (!engine)
		goto out_of_memory;
	engine->problem = problem;
	engine->seed = options->seed;
	engine->size = problem_size(problem);
	engine->max_evaluation = options->max_evaluation > 0 ? options->max_evaluation : UINT64_MAX;
	engine->generations = options->generations;
	engine->is_island = options->is_island;
	genome_set_init(&engine->known, problem);
	pareto_init(&engine->front, problem->n_objective, 0);
	if (!nsga2_vary_init(&engine->vary, problem))
		goto out_of_memory;
	uint32_t size = choose_population(options, engine->vary.n_free);
	engine->least_violation = INFINITY;
	engine->next = arena_array(&engine->arena, problem->n_gene, sizeof(*engine->next));
	engine->used = arena_array(&engine->arena, size, sizeof(*engine->used));
	if (engine->next && engine->used && take_proposals(engine, options, size) &&
	    nsga2_population_init(&engine->population, size, problem->n_gene * sizeof(uint32_t),
	                          problem->n_objective)) {
		engine->budget = choose_budget(engine);
		return engine;
	}
out_of_memory:
	destroy(engine);
	err_add(err, ERR_INTERNAL, "out of memory in engine nsga2");
	return NULL;
}

/* ---- making children --------------------------------------------------------------------------- */

/* The next unknown candidate in counting order; false when there is none, or memory is out. */
static bool walk(struct engine *engine, uint32_t *genome)
{
	return genome_set_walk(&engine->known, engine->next, &engine->counted_out, genome);
}

/* The initial population: what heuristics propose, then uniform draws; later generations: children. */
static void vary(struct engine *engine, unsigned attempt, struct rng *rng, uint32_t *genome)
{
	const struct problem *problem = engine->problem;
	uint32_t *used = &engine->used[engine->n_made];
	*used = NSGA2_N_OPERATOR;
	if (engine->generation == 0 && attempt == 0 && engine->n_made < engine->n_proposed) {
		memcpy(genome, engine->proposed + engine->n_made * problem->n_gene, problem->n_gene * sizeof(*genome));
	} else if (engine->generation == 0) {
		problem_draw(problem, rng, genome);
	} else {
		*used = nsga2_vary_choose(&engine->vary, rng);
		nsga2_vary_make(&engine->vary, &engine->population, (enum nsga2_operator) * used, 1 + attempt, rng,
		                genome);
	}
	if (problem->repair)
		problem->repair(problem->context, rng, genome);
}

/* A candidate that is not known yet; false when there is none, or memory is out. */
static bool make_child(struct engine *engine, uint32_t *genome)
{
	struct rng rng = rng_stream(engine->seed, engine->generation, engine->n_made);
	for (unsigned attempt = 0; attempt < N_ATTEMPT && !engine->known.is_out; attempt++) {
		vary(engine, attempt, &rng, genome);
		if (genome_set_add(&engine->known, genome))
			return true;
		engine->counts.n_duplicate += !engine->known.is_out;
	}
	engine->n_walked++;
	engine->used[engine->n_made] = NSGA2_N_OPERATOR;
	return walk(engine, genome);
}

static void finish(struct engine *engine, enum engine_stop stop)
{
	assert(!engine->finished);
	engine->finished = true;
	engine->stop = stop;
}

static size_t ask(struct engine *engine, uint32_t *genome, size_t max)
{
	uint64_t n_left = engine->max_evaluation - engine->counts.n_asked;
	size_t n = 0;
	max = n_left < max ? (size_t)n_left : max;
	while (n < max && !engine->finished && (engine->sweeping || engine->n_made < engine->population.size)) {
		uint32_t *row = genome + n * engine->problem->n_gene;
		if (!(engine->sweeping ? walk(engine, row) : make_child(engine, row))) {
			finish(engine, ENGINE_STOP_EXHAUSTED);
			break;
		}
		engine->n_made += !engine->sweeping;
		n++;
	}
	if (engine->known.is_out)
		return SIZE_MAX;
	engine->counts.n_asked += n;
	assert(engine->counts.n_asked + engine->n_taken == engine->known.n);
	/* Counted to the end, nothing can be unknown; only a hash shared by two genomes could hide one. */
	assert(!engine->finished || !engine->counted_out || !engine->known.numbered || engine->known.n == engine->size);
	return n;
}

/* ---- being told -------------------------------------------------------------------------------- */

static void end_generation(struct engine *engine)
{
	nsga2_population_select(&engine->population);
	engine->n_stagnant = engine->gained ? 0 : engine->n_stagnant + 1;
	bool stuck = engine->n_stagnant >= N_STAGNANT || engine->n_walked == engine->population.size;
	if (engine->size <= engine->budget)
		engine->sweeping = stuck;
	else if (engine->n_stagnant >= N_STAGNANT && !engine->is_island)
		finish(engine, ENGINE_STOP_STAGNATION);
	nsga2_vary_fade(&engine->vary);
	engine->gained = false;
	engine->n_made = engine->n_walked = 0;
	engine->generation++;
	if (!engine->finished && engine->generations > 0 && engine->generation >= engine->generations)
		finish(engine, ENGINE_STOP_GENERATIONS);
	assert(engine->population.n_parent >= 1);
}

/* Whether the result is a step forward. */
static bool is_gain(struct engine *engine, const struct evaluation *result)
{
	bool gain;
	if (result->violation == 0.0) {
		gain = pareto_insert(&engine->front, result->objective, NULL, 0);
		engine->known.is_out |= engine->front.n_alloc == 0;
		engine->least_violation = 0.0;
	} else {
		gain = result->violation < engine->least_violation;
		engine->least_violation = gain ? result->violation : engine->least_violation;
	}
	return gain;
}

static void tell_nsga2(struct engine *engine, const uint32_t *genome, const struct evaluation *result, size_t n)
{
	uint64_t n_feasible = 0;
	for (size_t i = 0; i < n; i++)
		n_feasible += result[i].violation == 0.0;
	engine->counts.n_told += n;
	engine->counts.n_feasible += n_feasible;
	engine->counts.n_infeasible += n - n_feasible;
	assert(engine->counts.n_told == engine->counts.n_asked);
	if (engine->sweeping)
		return;
	nsga2_population_add(&engine->population, genome, result, n);
	assert(engine->population.n_child == engine->n_made);
	for (size_t i = 0; i < n; i++) {
		bool gain = is_gain(engine, &result[i]);
		uint32_t used = engine->used[engine->n_made - n + i];
		if (used != NSGA2_N_OPERATOR)
			nsga2_vary_note(&engine->vary, (enum nsga2_operator)used, gain);
		engine->gained |= gain;
	}
	if (engine->n_made == engine->population.size)
		end_generation(engine);
}

/* ---- between islands ---------------------------------------------------------------------------- */

static uint32_t get_generation(const struct engine *engine)
{
	return engine->generation;
}

static bool is_idle(const struct engine *engine)
{
	return engine->n_stagnant >= N_STAGNANT;
}

static bool is_dominated(const struct nsga2_population *population, uint32_t which)
{
	unsigned n_objective = population->sort.n_objective;
	for (uint32_t i = 0; i < population->n_parent; i++) {
		const struct evaluation *other = &population->result[i], *own = &population->result[which];
		if (other->violation < own->violation ||
		    (own->violation == 0.0 && pareto_dominates(other->objective, own->objective, n_objective)))
			return true;
	}
	return false;
}

/* Drawn from those that no other parent dominates: always the same ends of the front would be no news. */
static size_t emigrate(const struct engine *engine, uint32_t *genome, struct evaluation *result, size_t max)
{
	const struct nsga2_population *population = &engine->population;
	struct rng rng = rng_stream(engine->seed, engine->generation, UINT32_MAX);
	size_t n = 0;
	for (size_t i = 0; i < max && population->n_parent > 0; i++) {
		uint32_t which = rng_below(&rng, population->n_parent);
		if (is_dominated(population, which))
			continue;
		memcpy(genome + n * engine->problem->n_gene, population->genome + which * population->genome_byte,
		       population->genome_byte);
		result[n++] = population->result[which];
	}
	return n;
}

/* They stand beside the parents, and the best of both stay. Whoever is known here already is no news. */
static bool immigrate(struct engine *engine, const uint32_t *genome, const struct evaluation *result, size_t n)
{
	uint32_t n_before = engine->population.n_child;
	assert(engine->n_made == 0 && n_before == 0);
	for (size_t i = 0; i < n && !engine->finished && engine->population.n_child < engine->population.size; i++) {
		const uint32_t *row = genome + i * engine->problem->n_gene;
		if (!genome_set_add(&engine->known, row))
			continue;
		engine->n_taken++;
		nsga2_population_add(&engine->population, row, &result[i], 1);
		if (is_gain(engine, &result[i]))
			engine->n_stagnant = 0;
	}
	if (engine->population.n_child > n_before)
		nsga2_population_select(&engine->population);
	return !engine->known.is_out;
}

static struct engine_counts get_counts(const struct engine *engine)
{
	return engine->counts;
}

static enum engine_stop get_stop(const struct engine *engine)
{
	if (engine->finished)
		return (enum engine_stop)engine->stop;
	return engine->known.n == engine->size ? ENGINE_STOP_EXHAUSTED : ENGINE_STOP_EVALUATIONS;
}

/* The largest of what is done of each limit; without limits, how long nothing has been gained. */
static double progress(const struct engine *engine)
{
	double done = (double)engine->counts.n_told / (double)engine->size;
	double of_budget = (double)engine->counts.n_told / (double)engine->max_evaluation;
	done = fmax(done, of_budget);
	if (engine->generations > 0)
		done = fmax(done, (double)engine->generation / engine->generations);
	else if (engine->max_evaluation == UINT64_MAX && engine->size > engine->budget)
		done = fmax(done, (double)engine->n_stagnant / N_STAGNANT);
	return fmin(1.0, done);
}

/* Random numbers need no state: their streams are named by the generation and the child. */
static void pack_engine(struct engine *engine, struct pack *pack)
{
	pack_u32(pack, &engine->generation);
	pack_u32(pack, &engine->n_made);
	pack_u32(pack, &engine->n_stagnant);
	pack_u32(pack, &engine->n_walked);
	pack_u64(pack, &engine->n_taken);
	pack_bool(pack, &engine->gained);
	pack_bool(pack, &engine->sweeping);
	pack_bool(pack, &engine->finished);
	pack_u32(pack, &engine->stop);
	(void)pack_refuse(pack, engine->stop >= ENGINE_N_STOP);
	pack_u32s(pack, engine->next, engine->problem->n_gene);
	pack_bool(pack, &engine->counted_out);
	pack_real(pack, &engine->least_violation);
	engine_counts_pack(&engine->counts, pack);
	nsga2_population_pack(&engine->population, pack);
	nsga2_vary_pack(&engine->vary, pack);
	pack_u32s(pack, engine->used, engine->population.size);
	for (uint32_t i = 0; i < engine->population.size; i++)
		(void)pack_refuse(pack, engine->used[i] > NSGA2_N_OPERATOR);
	genome_set_pack(&engine->known, pack);
	pareto_pack(&engine->front, NULL, pack);
	(void)pack_refuse(pack, pack->is_reading && engine->population.n_child != engine->n_made);
}

const struct engine_kind engine_nsga2 = {
    .name = "nsga2",
    .help = "genetic search (NSGA-II) for spaces too large to enumerate; asks for no candidate twice",
    .is_random = true,
    .is_layered = true,
    .create = create,
    .ask = ask,
    .tell = tell_nsga2,
    .destroy = destroy,
    .counts = get_counts,
    .stop = get_stop,
    .progress = progress,
    .generation = get_generation,
    .is_idle = is_idle,
    .emigrate = emigrate,
    .immigrate = immigrate,
    .pack = pack_engine,
};
