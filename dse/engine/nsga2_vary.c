/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/nsga2_vary.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Crossover happens this often; the paper's (K. Deb and others, 2002). */
static const double CROSSOVER_FRAC = 0.9;
/* Each operator keeps this probability, so that one that is of use later is found. */
static const double LEAST_FRAC = 0.1;
/* What is left of a generation's counts after the next: some ten generations are remembered. */
static const double FADE = 0.9;
/* Distribution index of the blend: low, because splits that are far apart may both be good. */
static const double BLEND_INDEX = 3.0;

enum { N_CONTEST = 4 }; /* a step is worth most beside the best: of so many parents the best is taken */

void nsga2_vary_free(struct nsga2_vary *vary)
{
	free(vary->free_gene);
	*vary = (struct nsga2_vary){0};
}

/* One of two is a gain before anything is known. */
static double gain_frac(const struct nsga2_vary *vary, unsigned which)
{
	assert(vary->n_gain[which] <= vary->n_used[which]);
	return (vary->n_gain[which] + 1.0) / (vary->n_used[which] + 2.0);
}

enum nsga2_operator nsga2_vary_choose(const struct nsga2_vary *vary, struct rng *rng)
{
	double at = rng_unit(rng);
	for (unsigned i = 0; i + 1 < NSGA2_N_OPERATOR; i++) {
		if (at < vary->share[i])
			return (enum nsga2_operator)i;
		at -= vary->share[i];
	}
	return NSGA2_N_OPERATOR - 1;
}

static void set_shares(struct nsga2_vary *vary)
{
	double sum = 0.0;
	for (unsigned i = 0; i < NSGA2_N_OPERATOR; i++)
		sum += gain_frac(vary, i);
	for (unsigned i = 0; i < NSGA2_N_OPERATOR; i++)
		vary->share[i] = LEAST_FRAC + (1.0 - NSGA2_N_OPERATOR * LEAST_FRAC) * gain_frac(vary, i) / sum;
}

bool nsga2_vary_init(struct nsga2_vary *vary, const struct problem *problem)
{
	*vary = (struct nsga2_vary){.problem = problem};
	vary->free_gene = calloc(problem->n_gene + 1, sizeof(*vary->free_gene));
	if (!vary->free_gene)
		return false;
	for (size_t i = 0; i < problem->n_gene; i++) {
		assert(problem->n_value[i] >= 1);
		if (problem->n_value[i] > 1)
			vary->free_gene[vary->n_free++] = (uint32_t)i;
	}
	set_shares(vary);
	return true;
}

void nsga2_vary_note(struct nsga2_vary *vary, enum nsga2_operator which, bool is_gain)
{
	assert(which < NSGA2_N_OPERATOR);
	vary->n_used[which] += 1.0;
	vary->n_gain[which] += is_gain ? 1.0 : 0.0;
}

/* Shares stay as they are within a generation, so that it does not matter in how many batches it is told. */
void nsga2_vary_fade(struct nsga2_vary *vary)
{
	for (unsigned i = 0; i < NSGA2_N_OPERATOR; i++) {
		vary->n_used[i] *= FADE;
		vary->n_gain[i] *= FADE;
	}
	set_shares(vary);
}

static bool is_ordered(const struct nsga2_vary *vary, size_t gene)
{
	return vary->problem->n_value[gene] > 2 && (!vary->problem->is_ordered || vary->problem->is_ordered[gene]);
}

/* Another value of the gene, all as likely. */
static void reset_gene(const struct nsga2_vary *vary, size_t gene, struct rng *rng, uint32_t *genome)
{
	uint32_t n_value = vary->problem->n_value[gene], other = rng_below(rng, n_value - 1);
	genome[gene] = other + (other >= genome[gene]);
	assert(genome[gene] < n_value);
}

/* An ordered gene goes on by 1, 2, 4, ... values, small steps as likely as large ones; any other is drawn anew. */
static void step_gene(const struct nsga2_vary *vary, size_t gene, struct rng *rng, uint32_t *genome)
{
	uint32_t n_value = vary->problem->n_value[gene], n_size = 1, value = genome[gene];
	if (!is_ordered(vary, gene)) {
		reset_gene(vary, gene, rng, genome);
		return;
	}
	while (n_size < 31 && (UINT32_C(2) << n_size) < n_value)
		n_size++;
	uint32_t size = UINT32_C(1) << rng_below(rng, n_size);
	size = size > 2 ? size / 2 + rng_below(rng, size) : size;
	bool up = rng_below(rng, 2) == 0;
	uint32_t room = up ? n_value - 1 - value : value;
	if (room == 0) {
		up = !up;
		room = n_value - 1;
	}
	size = size < room ? size : room;
	genome[gene] = up ? value + size : value - size;
	assert(genome[gene] < n_value && size > 0);
}

/*
 * Uniform crossover mixes genes that stand far apart, one-point crossover keeps
 * neighbours (the split of one layer) together; each serves half of the children.
 */
static void cross(const struct nsga2_vary *vary, const uint32_t *father, struct rng *rng, uint32_t *genome)
{
	size_t n_gene = vary->problem->n_gene;
	uint32_t bits = 0;
	if (n_gene < 2 || rng_unit(rng) >= CROSSOVER_FRAC)
		return;
	if (rng_below(rng, 2) == 0) {
		size_t point = 1 + rng_below(rng, (uint32_t)n_gene - 1);
		memcpy(genome + point, father + point, (n_gene - point) * sizeof(*genome));
		return;
	}
	for (size_t i = 0; i < n_gene; i++, bits >>= 1) {
		if (i % 32 == 0)
			bits = rng_u32(rng);
		if (bits & 1)
			genome[i] = father[i];
	}
}

/*
 * Simulated binary crossover (K. Deb, R. B. Agrawal, 1995), rounded to values
 * that there are: near either parent as often as the parents are near each other.
 */
static uint32_t blend_gene(uint32_t mother, uint32_t father, uint32_t n_value, struct rng *rng)
{
	double draw = rng_unit(rng), power = 1.0 / (BLEND_INDEX + 1.0);
	double spread = draw < 0.5 ? pow(2.0 * draw, power) : pow(0.5 / (1.0 - draw), power);
	double middle = 0.5 * ((double)mother + (double)father), apart = 0.5 * ((double)mother - (double)father);
	double value = floor(middle + spread * apart + 0.5);
	assert(n_value > 0);
	return value < 0.0 ? 0 : value > (double)(n_value - 1) ? n_value - 1 : (uint32_t)value;
}

static void blend(const struct nsga2_vary *vary, const uint32_t *father, struct rng *rng, uint32_t *genome)
{
	for (size_t i = 0; i < vary->n_free; i++) {
		size_t gene = vary->free_gene[i];
		uint32_t mine = genome[gene];
		bool swaps = rng_below(rng, 2) == 0;
		if (mine == father[gene])
			continue;
		if (is_ordered(vary, gene))
			genome[gene] = swaps ? blend_gene(father[gene], mine, vary->problem->n_value[gene], rng)
			                     : blend_gene(mine, father[gene], vary->problem->n_value[gene], rng);
		else if (swaps)
			genome[gene] = father[gene];
	}
}

/* Each gene that has a choice changes with probability strength / n_free. */
static void mutate(const struct nsga2_vary *vary, bool steps, unsigned strength, struct rng *rng, uint32_t *genome)
{
	for (size_t i = 0; i < vary->n_free; i++) {
		if (rng_below(rng, (uint32_t)vary->n_free) >= strength)
			continue;
		if (steps)
			step_gene(vary, vary->free_gene[i], rng, genome);
		else
			reset_gene(vary, vary->free_gene[i], rng, genome);
	}
}

static const uint32_t *choose_best(const struct nsga2_population *population, struct rng *rng)
{
	uint32_t best = population->n_parent - 1;
	for (unsigned i = 0; i < N_CONTEST; i++) {
		uint32_t other = rng_below(rng, population->n_parent);
		best = other < best ? other : best; /* parents are sorted */
	}
	return (const uint32_t *)(const void *)(population->genome + best * population->genome_byte);
}

void nsga2_vary_make(const struct nsga2_vary *vary, const struct nsga2_population *population,
                     enum nsga2_operator which, unsigned strength, struct rng *rng, uint32_t *genome)
{
	bool is_pair = which == NSGA2_MIX || which == NSGA2_BLEND;
	const uint32_t *mother = is_pair ? nsga2_population_choose(population, rng) : choose_best(population, rng);
	assert(which < NSGA2_N_OPERATOR && strength >= 1 && population->n_parent >= 1);
	memcpy(genome, mother, vary->problem->n_gene * sizeof(*genome));
	if (vary->n_free == 0)
		return;
	if (is_pair) {
		const uint32_t *father = nsga2_population_choose(population, rng);
		if (which == NSGA2_MIX)
			cross(vary, father, rng, genome);
		else
			blend(vary, father, rng, genome);
		mutate(vary, which == NSGA2_BLEND, strength, rng, genome);
		return;
	}
	/* One gene for half of the children, two for a quarter, ...; strength - 1 more */
	for (unsigned i = 1; i == 1 || i <= strength || rng_below(rng, 2) == 0; i++) {
		size_t gene = vary->free_gene[rng_below(rng, (uint32_t)vary->n_free)];
		if (which == NSGA2_STEP)
			step_gene(vary, gene, rng, genome);
		else
			reset_gene(vary, gene, rng, genome);
	}
}

void nsga2_vary_pack(struct nsga2_vary *vary, struct pack *pack)
{
	pack_reals(pack, vary->n_used, NSGA2_N_OPERATOR);
	pack_reals(pack, vary->n_gain, NSGA2_N_OPERATOR);
	pack_reals(pack, vary->share, NSGA2_N_OPERATOR);
	for (unsigned i = 0; i < NSGA2_N_OPERATOR; i++)
		(void)pack_refuse(
		    pack, !(vary->n_gain[i] >= 0.0 && vary->n_gain[i] <= vary->n_used[i] && vary->share[i] > 0.0));
}
