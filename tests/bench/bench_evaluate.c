/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speed of the fast tier: full evaluations (split to program to clocks, counts
 * and energy) a second on one core, over the layers of VGG-16 and ResNet-50,
 * three MAC arrays, all strategies for search and both operating points, with
 * random splits. Nothing is cached: every evaluation works out its program.
 * Preparing a layer for a machine counts as time too. Candidates that do not
 * fit are not counted as evaluations, though their time is.
 */
#define _GNU_SOURCE
#include "dse/space/machine_read.h"
#include "dse/layer/layer_problem.h"
#include "sim/base/rng.h"
#include "tests/support/evaluate_design.h"
#include "tests/bench/cpu_time.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define N_SPLIT 4000 /* random splits a layer and array */

static struct dim_split random_cut(struct rng *rng, uint32_t extent, uint32_t step)
{
	return dim_even(extent, 1 + rng_below(rng, extent / step), step);
}

static struct split random_split(const struct block *block, struct rng *rng)
{
	struct split split = split_whole(block);
	split.w = random_cut(rng, block->out_w, block->pool);
	split.h = random_cut(rng, block->out_h, block->pool);
	if (block->kind == BLOCK_MATMUL)
		split.d = random_cut(rng, block->in_w, 1);
	else
		split.c = random_cut(rng, block->out_c, 1);
	return split;
}

struct tally {
	uint64_t n_feasible, n_infeasible;
	double check; /* keeps the results alive */
};

static void evaluate_split(const struct layer_context *context, const struct split *split, struct tally *tally)
{
	struct layer_design design = {.split = *split, .operand_bit = 8};
	struct sim_result result;
	struct verdict verdict;
	double metric[N_METRIC];
	for (int strategy = 0; strategy < N_PE_STRATEGY; strategy++) {
		if (!strategy_table[strategy].for_search)
			continue;
		design.strategy = (enum strategy)strategy;
		for (design.level = 0; design.level < context->machine->n_level; design.level++) {
			if (evaluate_design(context, &design, &result, metric, &verdict)) {
				tally->n_feasible++;
				tally->check += metric[METRIC_ENERGY] + metric[METRIC_LATENCY];
			} else {
				tally->n_infeasible++;
			}
		}
	}
}

static void bench_network(const struct network *network, struct machine *machine, struct tally *tally)
{
	static const uint32_t array[][2] = {{16, 4}, {16, 2}, {8, 4}};
	for (size_t a = 0; a < sizeof(array) / sizeof(array[0]); a++) {
		machine->mla_cols = array[a][0];
		machine->mla_rows = array[a][1];
		for (size_t i = 0; i < network->n_block; i++) {
			const struct block *block = &network->block[i];
			struct layer_context context;
			mapper_prepare(block, machine, 8, &context);
			struct rng rng = rng_stream(1, (uint32_t)a, (uint32_t)i);
			for (int k = 0; k < N_SPLIT; k++) {
				struct split split = random_split(block, &rng);
				evaluate_split(&context, &split, tally);
			}
		}
	}
}

int main(void)
{
	struct err err = {0};
	struct machine machine;
	struct network vgg = {0}, resnet = {0};
	if (machine_read("spaces/machines/dvfs_chip.yaml", &machine, &err) ||
	    network_read("spaces/networks/vgg16.yaml", &vgg, &err) ||
	    network_read("spaces/networks/resnet50.yaml", &resnet, &err)) {
		fputs(err_text(&err), stderr);
		return EXIT_FAILURE;
	}
	struct tally tally = {0};
	double start_s = now_s();
	bench_network(&vgg, &machine, &tally);
	bench_network(&resnet, &machine, &tally);
	double seconds = now_s() - start_s;
	printf("fast tier: %" PRIu64 " evaluations (and %" PRIu64
	       " infeasible candidates) in %.2f s on one core: %.2f million a second\n",
	       tally.n_feasible, tally.n_infeasible, seconds, (double)tally.n_feasible / seconds * 1e-6);
	printf("check sum %.6e\n", tally.check);
	network_free(&vgg);
	network_free(&resnet);
	return EXIT_SUCCESS;
}
