/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole designs by number: all of a machine, all combinations of its layers' points, or samples. Designs drawn without
 * looking would hardly ever fit the SRAM in all layers at once, so layers are drawn from lists of designs that do. Half
 * of the samples keep near the front, where it could be wrong by little: points of it with layers of other points and
 * one or two other genes.
 */
#include "dse/base/memory.h"
#include "dse/check/audit_parts.h"
#include "dse/layer/layer_problem.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Generations of random streams: lists, then samples. */
enum { DRAW_LIST = 1, DRAW_SAMPLE = 2 };

#define MIN_LIST 64
#define MAX_LIST 4096
#define TRIES_A_DESIGN 8
#define MAX_PROPOSED 32

static struct rng stream(const struct audit_job *job, const struct audit_stop *stop, uint32_t what, uint64_t i)
{
	/* 64 bits of number: the upper half joins the machine's */
	return rng_stream(job->options->seed + (i >> 32U), what + 4 * (uint32_t)stop->ordinal, (uint32_t)i);
}

/* Values of a gene of a whole design: GENE_PLACE only asks for storage QPEs. */
static uint32_t n_value_of(const struct layer_problem *layer, unsigned gene)
{
	if (gene == GENE_PLACE)
		return whole_n_ask(layer);
	return layer->n_value[gene];
}

uint64_t audit_n_whole(const struct audit_stop *stop)
{
	const struct layer_set *set = stop->candidate.set;
	uint64_t n = 1;
	for (size_t i = 0; i < set->map->n_block; i++)
		for (unsigned k = 0; k < N_LAYER_GENE; k++)
			n = mul_sat(n, n_value_of(&set->problem[set->map->distinct[i]], k));
	return n;
}

static void make_whole(const struct layer_set *set, uint64_t i, uint32_t *canonical)
{
	for (size_t block = set->map->n_block; block-- > 0;) {
		const struct layer_problem *layer = &set->problem[set->map->distinct[block]];
		for (unsigned k = N_LAYER_GENE; k-- > 0;) {
			uint32_t n = n_value_of(layer, k);
			canonical[1 + block * N_LAYER_GENE + k] = (uint32_t)(i % n);
			i /= n;
		}
	}
	assert(i == 0);
}

/* The listed design of a block in combination i; *rest is what the blocks before it have of i. */
static const uint32_t *combined_gene(const struct audit_stop *stop, size_t block, uint64_t *rest)
{
	const struct audit_list *list = &stop->list[stop->candidate.set->map->distinct[block]];
	assert(list->n > 0);
	const uint32_t *gene = list->gene + *rest % list->n * N_LAYER_GENE;
	*rest /= list->n;
	return gene;
}

static void make_combined(const struct audit_stop *stop, uint64_t i, uint32_t *canonical)
{
	const struct layer_set *set = stop->candidate.set;
	for (size_t block = set->map->n_block; block-- > 0;) {
		uint32_t *to = canonical + 1 + block * N_LAYER_GENE;
		memcpy(to, combined_gene(stop, block, &i), N_LAYER_GENE * sizeof(*to));
		to[GENE_PLACE] = whole_ask_for(&set->problem[set->map->distinct[block]], to[GENE_PLACE]);
	}
}

bool audit_is_as_made(const struct audit_job *job, const struct audit_stop *stop, uint64_t i, const uint32_t *canonical)
{
	if (stop->source != SOURCE_COMBINED)
		return true;
	for (size_t block = job->explore->map.n_block; block-- > 0;)
		if (combined_gene(stop, block, &i)[GENE_PLACE] != canonical[1 + block * N_LAYER_GENE + GENE_PLACE])
			return false;
	return true;
}

/* A point of the front: mostly one of this machine, where it has some. */
static const uint32_t *draw_point(const struct audit_job *job, const struct audit_stop *stop, struct rng *rng,
                                  bool *is_own)
{
	const struct pareto *front = &job->explore->front;
	*is_own = stop->n_point > 0 && rng_below(rng, 4) > 0;
	size_t at =
	    *is_own ? stop->first_point + rng_below(rng, (uint32_t)stop->n_point) : rng_below(rng, (uint32_t)front->n);
	return front->genome + job->by_machine[at] * front->n_gene;
}

/* A block's genes as another machine's point has them, as far as this one has such values. */
static void take_genes(const struct layer_problem *layer, const uint32_t *from, bool is_own, uint32_t *to)
{
	to[GENE_PLACE] = is_own ? whole_ask_for(layer, from[GENE_PLACE]) : from[GENE_PLACE] != 0;
	for (unsigned k = GENE_PLACE + 1; k < N_LAYER_GENE; k++)
		to[k] = from[k] % layer->n_value[k];
}

/* One gene of one block: a step where values are in order, or any value. */
static void mutate(const struct layer_set *set, struct rng *rng, uint32_t *canonical)
{
	size_t block = rng_below(rng, (uint32_t)set->map->n_block);
	unsigned k = rng_below(rng, N_LAYER_GENE);
	uint32_t n = n_value_of(&set->problem[set->map->distinct[block]], k), kind = rng_below(rng, 3);
	uint32_t *gene = canonical + 1 + block * N_LAYER_GENE + k;
	if (kind == 0 && *gene + 1 < n)
		(*gene)++;
	else if (kind == 1 && *gene > 0)
		(*gene)--;
	else
		*gene = rng_below(rng, n);
}

static void make_near(const struct audit_job *job, const struct audit_stop *stop, struct rng *rng, uint32_t *canonical)
{
	const struct layer_set *set = stop->candidate.set;
	bool is_own, is_other_own, crosses = rng_below(rng, 2) == 0;
	const uint32_t *point = draw_point(job, stop, rng, &is_own);
	const uint32_t *other = crosses ? draw_point(job, stop, rng, &is_other_own) : point;
	is_other_own = crosses ? is_other_own : is_own;
	for (size_t block = 0; block < set->map->n_block; block++) {
		bool takes_other = crosses && rng_below(rng, 2) == 0;
		size_t at = 1 + block * N_LAYER_GENE;
		take_genes(&set->problem[set->map->distinct[block]], (takes_other ? other : point) + at,
		           takes_other ? is_other_own : is_own, canonical + at);
	}
	/* a crossed design is another one as it is */
	for (unsigned n = rng_below(rng, 2) + (crosses ? 0 : 1); n > 0; n--)
		mutate(set, rng, canonical);
}

static void make_drawn(const struct audit_stop *stop, struct rng *rng, uint32_t *canonical)
{
	const struct layer_set *set = stop->candidate.set;
	for (size_t block = 0; block < set->map->n_block; block++) {
		const struct audit_list *list = &stop->list[set->map->distinct[block]];
		uint32_t *to = canonical + 1 + block * N_LAYER_GENE;
		assert(list->n > 0);
		memcpy(to, list->gene + rng_below(rng, (uint32_t)list->n) * N_LAYER_GENE, N_LAYER_GENE * sizeof(*to));
		to[GENE_PLACE] = rng_below(rng, n_value_of(&set->problem[set->map->distinct[block]], GENE_PLACE));
	}
}

void audit_make(const struct audit_job *job, const struct audit_stop *stop, uint64_t i, uint32_t *canonical)
{
	canonical[0] = stop->machine_index;
	if (stop->source == SOURCE_WHOLE) {
		make_whole(stop->candidate.set, i, canonical);
	} else if (stop->source == SOURCE_COMBINED) {
		make_combined(stop, i, canonical);
	} else {
		struct rng rng = stream(job, stop, DRAW_SAMPLE, i);
		if (i % 2 == 0 && job->explore->front.n > 0)
			make_near(job, stop, &rng, canonical);
		else
			make_drawn(stop, &rng, canonical);
	}
}

/* Random designs, made to fit the SRAM where they do not. */
static void draw(const struct layer_problem *layer, struct rng *rng, uint32_t *gene)
{
	for (unsigned k = GENE_PLACE + 1; k < N_LAYER_GENE; k++)
		gene[k] = rng_below(rng, layer->n_value[k]);
	gene[GENE_PLACE] = 0;
	layer->problem.repair(layer, rng, gene);
}

void audit_draw_list(const struct audit_job *job, struct audit_stop *stop, size_t distinct)
{
	const struct layer_set *set = stop->candidate.set;
	/* what runs in one tier does in the other; only the samples themselves are worth the slow one */
	struct layer_problem *layer = memory_array(1, sizeof(*layer));
	struct audit_list *list = &stop->list[distinct];
	uint64_t wanted = stop->n_sample / set->map->n_distinct;
	size_t max = wanted < MIN_LIST ? MIN_LIST : wanted > MAX_LIST ? MAX_LIST : (size_t)wanted;
	assert(!list->gene && list->n == 0);
	list->gene = memory_array(max + MAX_PROPOSED, N_LAYER_GENE * sizeof(*list->gene));
	*layer = set->problem[distinct];
	layer->detail = DETAIL_FAST;
	uint32_t proposed[MAX_PROPOSED * N_LAYER_GENE];
	size_t n_proposed = layer->problem.propose(layer, proposed, MAX_PROPOSED);
	for (uint64_t i = 0; i < n_proposed + TRIES_A_DESIGN * max && list->n < max; i++) {
		uint32_t *gene = list->gene + list->n * N_LAYER_GENE;
		struct rng rng = stream(job, stop, DRAW_LIST, i * set->map->n_distinct + distinct);
		struct evaluation result;
		if (i < n_proposed)
			memcpy(gene, proposed + i * N_LAYER_GENE, N_LAYER_GENE * sizeof(*gene));
		else
			draw(layer, &rng, gene);
		gene[GENE_PLACE] = 0;
		layer_problem_evaluate(layer, gene, 1, &result);
		list->n += !(result.violation > 0.0);
	}
	/* of a layer without a feasible design none is lacking: any will do */
	if (list->n == 0) {
		memset(list->gene, 0, N_LAYER_GENE * sizeof(*list->gene));
		list->n = 1;
	}
	free(layer);
}
