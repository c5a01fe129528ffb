/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a genetic search of a layer may know: which designs people and rules
 * propose, and how to make one fit that is too large for its PE's SRAM.
 */
#include "dse/layer/layer_problem_parts.h"
#include "mapper/split/splitter.h"
#include "sim/base/rng.h"
#include <assert.h>
#include <math.h>
#include <string.h>

const bool layer_gene_is_ordered[N_LAYER_GENE] = {
    [GENE_D] = true, [GENE_W] = true, [GENE_H] = true, [GENE_C] = true, [GENE_LEVEL] = true};

enum { N_FILL = 4, N_SHAPE = 5, N_SPLIT = 2 + N_SHAPE * N_FILL, N_AXIS = 4, MAX_SHRINK = 64 };

static const enum layer_gene axis_gene[N_AXIS] = {GENE_W, GENE_H, GENE_C, GENE_D};

static const struct dim_axis *axis_of(const struct layer_problem *layer, unsigned i)
{
	const struct dim_axis *const axis[N_AXIS] = {&layer->w, &layer->h, &layer->c, &layer->d};
	assert(i < N_AXIS);
	return axis[i];
}

/* The first choice with at least so many parts; the last one where there is none. */
static uint32_t find_parts(const struct dim_axis *axis, uint64_t n_part)
{
	size_t low = 0, high = axis->n - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (dim_n_part(&axis->choice[middle]) < n_part)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low;
}

/* By the rules of the machine's splitter; a systolic array's depends on what its PEs keep. */
static bool find_split(const struct layer_problem *layer, const uint32_t *genome, struct split *split)
{
	const struct layer_context *context = layer_context_at(layer, genome[GENE_OPERAND]);
	double latency_ns;
	if (context->machine->target == MACHINE_SYSTOLIC)
		return splitter_systolic(context, (enum strategy)layer->strategy[genome[GENE_STRATEGY]],
		                         layer->level[genome[GENE_LEVEL]], split, &latency_ns);
	return splitter_thesis(context->block, context->machine, split, NULL) == ERR_OK;
}

bool layer_problem_propose_split(const struct layer_problem *layer, uint32_t *genome)
{
	struct split split;
	if (!find_split(layer, genome, &split))
		return false;
	const struct dim_split *const dim[N_AXIS] = {&split.w, &split.h, &split.c, &split.d};
	for (unsigned i = 0; i < N_AXIS; i++) {
		const struct dim_axis *axis = axis_of(layer, i);
		uint32_t at = find_parts(axis, dim_n_part(dim[i]));
		while (at + 1 < axis->n && axis->choice[at].size_a != dim[i]->size_a &&
		       dim_n_part(&axis->choice[at + 1]) == dim_n_part(dim[i]))
			at++;
		genome[axis_gene[i]] = at;
	}
	return true;
}

/*
 * Splits number 2 and on: even tasks for every PE, once, twice, ... as many,
 * cut in one dimension, in width and height alike, or in all three.
 */
static void propose_even(const struct layer_problem *layer, uint32_t number, uint32_t *genome)
{
	const struct layer_context *context = layer_any_context(layer);
	double n_task = (double)machine_n_pe(context->machine) * (double)(UINT32_C(1) << number / N_SHAPE);
	/* tiles of an array follow each other */
	if (context->machine->target == MACHINE_SYSTOLIC)
		n_task = (double)(UINT32_C(2) << 2 * (number / N_SHAPE));
	double part[N_AXIS] = {1.0, 1.0, 1.0, 1.0};
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	switch (number % N_SHAPE) {
	case 0:
		part[is_matmul ? 0 : 1] = n_task;
		break;
	case 1:
		part[is_matmul ? 3 : 2] = n_task;
		break;
	case 2:
		part[0] = part[is_matmul ? 3 : 1] = ceil(sqrt(n_task));
		break;
	case 3:
		part[1] = part[2] = ceil(sqrt(n_task));
		break;
	default:
		part[0] = part[1] = part[2] = ceil(cbrt(n_task));
		break;
	}
	for (unsigned i = 0; i < N_AXIS; i++)
		genome[axis_gene[i]] = find_parts(axis_of(layer, i), (uint64_t)part[i]);
}

/* Splits outermost, then what does not depend on sizes; the number of combinations decides which splits come. */
static bool propose_one(const struct layer_problem *layer, uint32_t split, uint32_t rest, uint32_t *genome)
{
	static const enum layer_gene gene[] = {GENE_STRATEGY, GENE_LEVEL, GENE_REUSE, GENE_OPERAND, GENE_PLACE};
	for (unsigned i = 0; i < N_LAYER_GENE; i++)
		genome[i] = 0;
	for (unsigned i = 0; i < sizeof(gene) / sizeof(gene[0]); i++) {
		genome[gene[i]] = rest % layer->n_value[gene[i]];
		rest /= layer->n_value[gene[i]];
	}
	if (split == 0)
		return layer_problem_propose_split(layer, genome);
	if (split >= 2)
		propose_even(layer, split - 2, genome);
	return true; /* split 1: uncut; repair makes it fit */
}

static size_t propose_heuristics(const struct layer_problem *layer, uint32_t *genome, size_t max)
{
	uint32_t n_rest = layer->n_value[GENE_STRATEGY] * layer->n_value[GENE_LEVEL] * layer->n_value[GENE_REUSE] *
	                  layer->n_value[GENE_OPERAND];
	size_t n = 0;
	assert(n_rest > 0);
	/* Few are wanted: each split once, with the other choices in turn; many: every combination. */
	bool in_turn = max < (size_t)N_SPLIT * n_rest;
	for (uint32_t round = 0; round < (in_turn ? 1 + max / N_SPLIT : n_rest); round++)
		for (uint32_t split = 0; split < N_SPLIT && n < max; split++) {
			uint32_t rest = in_turn ? (split + round) % n_rest : round;
			n += propose_one(layer, split, rest, genome + n * N_LAYER_GENE);
		}
	assert(n <= max);
	return n;
}

size_t layer_problem_propose(const void *context, uint32_t *genome, size_t max)
{
	const struct layer_problem *layer = context;
	size_t n = layer->n_seed < max ? layer->n_seed : max;
	if (n > 0)
		memcpy(genome, layer->seed, n * N_LAYER_GENE * sizeof(*genome));
	return n + (n < max ? propose_heuristics(layer, genome + n * N_LAYER_GENE, max - n) : 0);
}

static bool is_too_large(const struct layer_problem *layer, const uint32_t *genome)
{
	struct layer_design design;
	layer_problem_design(layer, genome, &design);
	const struct layer_context *context = layer_context_of(layer, &design);
	uint64_t demanded = mapper_sram_byte(context, &design), available = mapper_available_byte(context->machine);
	return demanded > available || (double)demanded / (double)available > layer->layer_limit[METRIC_SRAM_USED];
}

/* Cut one dimension into about twice as many parts; false when it has no smaller ones. */
static bool shrink(const struct layer_problem *layer, unsigned i, uint32_t *genome)
{
	const struct dim_axis *axis = axis_of(layer, i);
	uint32_t *at = &genome[axis_gene[i]], before = axis->choice[*at].size_a;
	uint32_t next = find_parts(axis, 2 * (uint64_t)dim_n_part(&axis->choice[*at]));
	while (next + 1 < axis->n && axis->choice[next].size_a >= before)
		next++;
	if (axis->choice[next].size_a >= before)
		return false;
	*at = next;
	return true;
}

void layer_problem_repair(const void *context, struct rng *rng, uint32_t *genome)
{
	const struct layer_problem *layer = context;
	for (unsigned i = 0; i < MAX_SHRINK && is_too_large(layer, genome); i++) {
		unsigned first = rng_below(rng, N_AXIS), k = 0;
		while (k < N_AXIS && !shrink(layer, (first + k) % N_AXIS, genome))
			k++;
		if (k == N_AXIS)
			return; /* nothing is smaller; its evaluation says by how much it is too large */
	}
}
