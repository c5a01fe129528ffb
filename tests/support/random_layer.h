/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_LAYER_H
#define TESTS_RANDOM_LAYER_H
/* Random layers of random machines as small layer problems, and their fronts by trying every design. */
#include "tests/support/unit_test.h"

#include "dse/layer/front_key.h"
#include "dse/space/machine_read.h"
#include "sim/program/mixed.h"
#include "tests/support/random_block.h"
#include "tests/support/plain_block.h"
#include "tests/support/random_chip.h"

struct random_layer {
	struct machine machine;
	struct block block;
	struct space space;
	struct space_limit limit;
	struct layer_choice choice;
	struct layer_problem layer;
};

static inline void random_layer_level(struct rng *rng, struct operating_point *level)
{
	level->arm_clk_pj = rng_below(rng, 2) ? 3.5 : 0;
	level->noc_read128_pj = rng_below(rng, 2) ? 1.25 : 0;
	level->pe_awake_mw = rng_below(rng, 2) ? 0.5 : 0;
}

static inline void random_layer_machine(struct rng *rng, struct machine *machine)
{
	static const char *const name[] = {"dvfs_chip", "thesis_chip", "dvfs_chip", "thesis_qpe_dram"};
	char path[64];
	(void)snprintf(path, sizeof(path), "spaces/machines/%s.yaml", name[rng_below(rng, 4)]);
	assert_int_equal(machine_read(path, machine, NULL), ERR_OK);
	if (machine->target == MACHINE_CHIP)
		*machine = random_chip(rng, machine);
	machine->mla_postprocess = rng_below(rng, 2) > 0;
	machine->pe_sram_byte = rng_below(rng, 3) ? 98304 : 2048;
	machine->chip.storage_pe_byte = rng_below(rng, 2) ? 131072 : 1024;
	machine->dvfs_switch_ns = rng_below(rng, 2) ? 40 : 0;
	for (uint32_t i = 0; i < machine->n_level; i++)
		random_layer_level(rng, &machine->level[i]);
	if (machine->n_level > 1 && rng_below(rng, 3) == 0)
		assert_int_equal(mixed_add(machine, 2, NULL), ERR_OK);
}

static inline struct block random_layer_pool(struct rng *rng)
{
	struct block block = random_conv(rng, 6, 8);
	block.kind = BLOCK_POOL;
	block.pool = block.dilation = 1;
	block.out_c = block.in_c;
	block.has_acti = block.has_quan = false;
	return block;
}

static inline void random_layer_block(struct rng *rng, struct block *block)
{
	uint32_t kind = rng_below(rng, 6);
	*block = kind == 0 ? random_layer_pool(rng) : kind == 1 ? random_matmul(rng, 40) : random_conv(rng, 8, 24);
	block->input = block->added = INPUT_LATEST;
	if (block->kind == BLOCK_CONV && rng_below(rng, 3) == 0) {
		block->groups = 1 + rng_below(rng, 4);
		block->in_c = block->groups * (1 + rng_below(rng, 6));
		block->out_c = block->groups * (1 + rng_below(rng, 6));
	}
	if (block->kind == BLOCK_POOL)
		return;
	block->has_mat_ele = block->kind == BLOCK_CONV && rng_below(rng, 3) == 0;
	block->has_acti = rng_below(rng, 2) > 0;
	block->has_quan = rng_below(rng, 3) > 0;
}

static inline void random_layer_space(struct rng *rng, struct random_layer *f)
{
	static const enum metric metric[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM, METRIC_PEAK_POWER,
	                                     METRIC_SRAM_USED};
	uint32_t first = rng_below(rng, 5);
	f->space = (struct space){.n_objective = 2, .detail = rng_below(rng, 8) ? DETAIL_FAST : DETAIL_GREYBOX};
	/* most often without energy, which reads much */
	f->space.objective[0] = rng_below(rng, 2) ? METRIC_LATENCY : metric[first];
	f->space.objective[1] = rng_below(rng, 2) ? METRIC_DRAM : metric[(first + 1) % 5];
	f->space.deadline_ms = rng_below(rng, 4) == 0 ? 1000 : 0;
	f->limit = (struct space_limit){.metric = METRIC_SRAM_USED, .max = 0.9};
	f->space.limit = &f->limit;
	f->space.n_limit = rng_below(rng, 8) == 0;
	f->choice = layer_choice_any();
	f->choice.w.choice = f->choice.h.choice = f->choice.c.choice = f->choice.d.choice =
	    rng_below(rng, 6) ? SPLIT_EVEN : SPLIT_REDUCED;
	f->choice.w.max_part = f->choice.h.max_part = 1 + rng_below(rng, 3);
	f->choice.c.max_part = rng_below(rng, 4) ? 1 + rng_below(rng, 3) : 12;
	f->choice.d.max_part = 1 + rng_below(rng, 2);
	for (size_t i = 0; i < N_PE_STRATEGY; i++)
		f->choice.strategy[i] = rng_below(rng, 3) > 0;
	for (size_t i = 0; i < FORM_TIGHT; i++)
		f->choice.form[i] = rng_below(rng, 2) > 0;
	f->choice.form[FORM_TIGHT] = f->choice.form[FORM_PACKED]; /* what is drawn is as without tight parts */
	f->choice.form[FORM_CONV] = true;
	f->choice.strategy[STRATEGY_FUSION + rng_below(rng, 2)] = true;
	f->choice.thesis_split = f->block.kind == BLOCK_CONV && rng_below(rng, 16) == 0;
}

/* One place of the layer that f describes; false where it has none such. */
static inline bool random_layer_build(struct random_layer *f, unsigned place)
{
	struct err err = {0};
	if (layer_problem_build(&f->space, &f->machine, &f->block, &f->choice, NULL, &f->layer, &err) != ERR_OK) {
		err_clear(&err);
		return false;
	}
	for (uint32_t i = 0; i < f->layer.n_value[GENE_PLACE]; i++)
		if (f->layer.place[i] == place) {
			f->layer.place[0] = (uint8_t)place;
			f->layer.n_value[GENE_PLACE] = 1;
			return true;
		}
	layer_problem_free(&f->layer);
	return false;
}

static inline bool random_layer_fill(struct rng *rng, struct random_layer *f)
{
	do {
		random_layer_machine(rng, &f->machine);
		random_layer_block(rng, &f->block);
		random_layer_space(rng, f);
	} while (!random_layer_build(f, rng_below(rng, 3) ? 0 : rng_below(rng, 8)));
	return true;
}

static inline bool random_layer_next(const struct layer_problem *layer, uint32_t *genome)
{
	for (size_t i = N_LAYER_GENE; i-- > 0; genome[i] = 0)
		if (++genome[i] < layer->n_value[i])
			return true;
	return false;
}

/* The front by trying every design. */
static inline void random_layer_front(const struct layer_problem *layer, struct pareto *front)
{
	uint32_t genome[N_LAYER_GENE] = {0};
	pareto_init(front, layer->n_metric, N_LAYER_GENE);
	do {
		struct evaluation result;
		layer_problem_evaluate(layer, genome, 1, &result);
		if (result.violation <= 0)
			(void)pareto_insert(front, result.objective, genome, 0);
	} while (random_layer_next(layer, genome));
	pareto_sort(front);
}

#endif
