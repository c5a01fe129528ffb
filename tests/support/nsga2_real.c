/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random numbers come from the stream (seed, generation, number of the pair); the
 * last stream of a generation pairs up its tournaments.
 * Which variables mutate is drawn as gaps between them, because most do not.
 */
#include "tests/support/nsga2_real.h"
#include "dse/engine/nsga2_population.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parents that are nearer than this in a variable have the same children in it. */
static const double SAME = 1e-14;

struct real_search {
	const struct nsga2_real_problem *problem;
	const struct nsga2_real_options *options;
	struct nsga2_population population;
	uint32_t *contestant; /* [2 * population.size] parents; two neighbours contest */
	double *child;        /* [population + 1][n_variable]; an odd population's last pair has one child too many */
	struct evaluation *result; /* [population] */
	double gap_scale;          /* 1 / log(1 - mutation_frac) */
	unsigned n_root; /* 2^n_root is crossover_index + 1: a power is n_root squarings, a root n_root square roots */
	bool is_power;
};

/*
 * Tournaments of which each parent takes part in two, as in Deb's implementation:
 * no good parent is missed by chance, which on ZDT1 is worth a generation or
 * more. Two permutations of the parents, one behind the other; the two of a pair
 * of winners differ mostly.
 */
static void pair_up(struct real_search *search, struct rng *rng)
{
	uint32_t n = search->population.n_parent;
	for (uint32_t half = 0; half < 2; half++) {
		uint32_t *contestant = search->contestant + half * n;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t other = rng_below(rng, i + 1);
			contestant[i] = contestant[other];
			contestant[other] = i;
		}
	}
}

/* Winner 0, 1, ... n_parent - 1. */
static const void *winner(const struct real_search *search, uint32_t number)
{
	const struct nsga2_population *population = &search->population;
	const uint32_t *pair = search->contestant + 2 * (size_t)(number % population->n_parent);
	assert(pair[0] < population->n_parent && pair[1] < population->n_parent);
	return population->genome + (pair[0] < pair[1] ? pair[0] : pair[1]) * population->genome_byte;
}

/* ---- variation ---------------------------------------------------------------------------------- */

/* base^(crossover_index + 1) */
static double raise(const struct real_search *search, double base)
{
	if (!search->is_power)
		return pow(base, search->options->crossover_index + 1.0);
	for (unsigned i = 0; i < search->n_root; i++)
		base *= base;
	return base;
}

/* base^(1 / (crossover_index + 1)) */
static double root(const struct real_search *search, double base)
{
	if (!search->is_power)
		return pow(base, 1.0 / (search->options->crossover_index + 1.0));
	for (unsigned i = 0; i < search->n_root; i++)
		base = sqrt(base);
	return base;
}

/*
 * How far apart the children are, as a multiple of the parents' distance, on the
 * side where the bound is `room` of these distances away. The distribution is cut
 * so that no child lies beyond the bound. draw is uniform in [0, 1).
 */
static double draw_spread(const struct real_search *search, double room, double draw)
{
	double whole = 2.0 - raise(search, 1.0 / (1.0 + 2.0 * room)), part = draw * whole;
	assert(room >= 0.0 && part < 2.0);
	return root(search, part <= 1.0 ? part : 1.0 / (2.0 - part));
}

static double clamp(double value, double lower, double upper)
{
	return value < lower ? lower : value > upper ? upper : value;
}

/*
 * Simulated binary crossover (K. Deb, R. B. Agrawal, "Simulated binary crossover
 * for continuous search space", 1995), with bounds as in Deb's implementation of
 * NSGA-II: each variable is crossed with probability 1/2; which child gets the
 * smaller value is as likely either way.
 */
static void cross(const struct real_search *search, struct rng *rng, double *a, double *b)
{
	const struct nsga2_real_problem *problem = search->problem;
	uint32_t bits = 0;
	for (size_t i = 0; i < problem->n_variable; i++, bits >>= 2) {
		if (i % 16 == 0)
			bits = rng_u32(rng);
		double low = a[i] < b[i] ? a[i] : b[i], high = a[i] < b[i] ? b[i] : a[i], apart = high - low;
		if (!(bits & 1) || apart <= SAME)
			continue;
		double draw = rng_unit(rng), sum = low + high, lower = problem->lower[i], upper = problem->upper[i];
		double left = 0.5 * (sum - draw_spread(search, (low - lower) / apart, draw) * apart);
		double right = 0.5 * (sum + draw_spread(search, (upper - high) / apart, draw) * apart);
		left = clamp(left, lower, upper);
		right = clamp(right, lower, upper);
		a[i] = bits & 2 ? right : left;
		b[i] = bits & 2 ? left : right;
	}
}

/* Polynomial mutation of one variable, bounded (K. Deb, S. Agrawal, 1999, as in Deb's implementation of NSGA-II). */
static double mutate_one(double value, double lower, double upper, double index, double draw)
{
	double range = upper - lower, step;
	if (draw <= 0.5) {
		double left = 1.0 - (value - lower) / range;
		step = pow(2.0 * draw + (1.0 - 2.0 * draw) * pow(left, index + 1.0), 1.0 / (index + 1.0)) - 1.0;
	} else {
		double left = 1.0 - (upper - value) / range;
		step = 1.0 - pow(2.0 * (1.0 - draw) + (2.0 * draw - 1.0) * pow(left, index + 1.0), 1.0 / (index + 1.0));
	}
	return clamp(value + step * range, lower, upper);
}

static void mutate(const struct real_search *search, struct rng *rng, double *variable)
{
	const struct nsga2_real_problem *problem = search->problem;
	double at = -1.0;
	for (;;) {
		/* The number of variables passed over before the next success is geometric. */
		at += 1.0 + floor(log(1.0 - rng_unit(rng)) * search->gap_scale);
		if (!(at < (double)problem->n_variable))
			return;
		size_t i = (size_t)at;
		variable[i] = mutate_one(variable[i], problem->lower[i], problem->upper[i],
		                         search->options->mutation_index, rng_unit(rng));
	}
}

/* ---- generations -------------------------------------------------------------------------------- */

static void draw_variables(const struct real_search *search, struct rng *rng, double *variable)
{
	const struct nsga2_real_problem *problem = search->problem;
	for (size_t i = 0; i < problem->n_variable; i++)
		variable[i] = problem->lower[i] + (problem->upper[i] - problem->lower[i]) * rng_unit(rng);
}

/* Children 2 pair and 2 pair + 1. */
static void make_pair(const struct real_search *search, uint32_t generation, uint32_t pair)
{
	struct rng rng = rng_stream(search->options->seed, generation, pair);
	size_t n = search->problem->n_variable;
	double *first = search->child + 2 * (size_t)pair * n, *second = first + n;
	if (generation == 0) {
		draw_variables(search, &rng, first);
		draw_variables(search, &rng, second);
		return;
	}
	memcpy(first, winner(search, 2 * pair), n * sizeof(*first));
	memcpy(second, winner(search, 2 * pair + 1), n * sizeof(*second));
	if (rng_unit(&rng) < search->options->crossover_frac)
		cross(search, &rng, first, second);
	mutate(search, &rng, first);
	mutate(search, &rng, second);
}

static void make_generation(struct real_search *search, uint32_t generation)
{
	const struct nsga2_real_problem *problem = search->problem;
	uint32_t n = search->options->population;
	if (generation > 0) {
		struct rng rng = rng_stream(search->options->seed, generation, UINT32_MAX);
		pair_up(search, &rng);
	}
	for (uint32_t pair = 0; pair < n / 2 + n % 2; pair++)
		make_pair(search, generation, pair);
	problem->evaluate(problem->context, search->child, n, search->result);
	nsga2_population_add(&search->population, search->child, search->result, n);
	nsga2_population_select(&search->population);
}

static bool search_init(struct real_search *search)
{
	const struct nsga2_real_options *options = search->options;
	size_t n = options->population, n_variable = search->problem->n_variable;
	double frac = options->mutation_frac > 0.0 ? options->mutation_frac : 1.0 / (double)n_variable;
	/* Where every variable mutates, the logarithm is minus infinity and each gap 0. */
	search->gap_scale = 1.0 / log(1.0 - frac);
	while (ldexp(1.0, (int)search->n_root) < options->crossover_index + 1.0)
		search->n_root++;
	search->is_power = ldexp(1.0, (int)search->n_root) == options->crossover_index + 1.0;
	search->child = calloc((n + 1) * n_variable, sizeof(*search->child));
	search->result = calloc(n, sizeof(*search->result));
	search->contestant = calloc(2 * (size_t)search->options->population, sizeof(*search->contestant));
	return nsga2_population_init(&search->population, options->population, n_variable * sizeof(*search->child),
	                             search->problem->n_objective) &&
	       search->child && search->result && search->contestant;
}

bool nsga2_real_run(const struct nsga2_real_problem *problem, const struct nsga2_real_options *options,
                    double *variable, struct evaluation *result)
{
	struct real_search search = {.problem = problem, .options = options};
	size_t n = options->population;
	assert(problem->n_variable > 0 && options->population > 0 && options->generations > 0);
	assert(options->crossover_index >= 0.0 && options->crossover_index < 1e6 && options->mutation_index >= 0.0);
	assert(options->mutation_frac >= 0.0 && options->mutation_frac <= 1.0);
	for (size_t i = 0; i < problem->n_variable; i++)
		assert(problem->lower[i] < problem->upper[i] && isfinite(problem->upper[i] - problem->lower[i]));
	bool done = search_init(&search);
	for (uint32_t generation = 0; done && generation < options->generations; generation++)
		make_generation(&search, generation);
	if (done && variable)
		memcpy(variable, search.population.genome, n * problem->n_variable * sizeof(*variable));
	if (done && result)
		memcpy(result, search.population.result, n * sizeof(*result));
	nsga2_population_free(&search.population);
	free(search.child);
	free(search.result);
	free(search.contestant);
	return done;
}
