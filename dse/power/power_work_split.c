/* SPDX-License-Identifier: Apache-2.0 */
/* A split into a given number of tasks, as the DVFS paper states its own: "1024 parts". */
#include "dse/power/power_work.h"
#include "mapper/distribute/tiling.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* How far from the number asked for others are looked for. */
#define NEAR_PART 64

/* What the three loops over numbers of parts share. */
struct choice {
	const struct layer_context *context;
	uint64_t n_part;
	struct split best;
	double best_clk;
	bool is_found;
};

/* Of splits whose task takes as long the first one stays: fewer parts of channels before fewer of rows. */
static void try_split(struct choice *choice, const struct split *split)
{
	const struct layer_context *context = choice->context;
	const struct layer_design design = {
	    .split = *split, .strategy = STRATEGY_FUSION, .operand_bit = context->operand_bit, .form = context->form};
	struct tiling tiling;
	if (split_n_task(split) != choice->n_part || split_check(context->block, split, NULL) != ERR_OK ||
	    mapper_sram_least_byte(context, &design) > context->machine->pe_sram_byte)
		return;
	tiling_build(context, split, &tiling);
	if (choice->is_found && tiling.task.shared_clk >= choice->best_clk)
		return;
	choice->is_found = true;
	choice->best = *split;
	choice->best_clk = tiling.task.shared_clk;
}

/* Parts of two dimensions are given; the third is what is left. Sizes in whole rows or columns of the array, too. */
static void try_parts(struct choice *choice, uint32_t n_deep, uint32_t n_h, uint64_t n_w)
{
	assert(n_deep > 0 && n_h > 0 && n_w > 0);
	const struct block *block = choice->context->block;
	const struct machine *machine = choice->context->machine;
	bool is_matmul = block->kind == BLOCK_MATMUL;
	uint32_t pool = block->pool > 0 ? block->pool : 1, deep = is_matmul ? block->in_w : split_whole(block).c.size_a;
	const uint32_t w_step[] = {pool, machine->mla_cols}, deep_step[] = {1, machine->mla_rows};
	for (int i = 0; i < 4; i++) {
		uint32_t step = w_step[i & 1], other = deep_step[i >> 1];
		/* sizes are multiples of a step, which only extents that are such can be cut into */
		if (block->out_w % step != 0 || block->out_h % pool != 0 || deep % other != 0)
			continue;
		if (step % pool != 0 || n_w * step > block->out_w || (uint64_t)n_deep * other > deep ||
		    (uint64_t)n_h * pool > block->out_h)
			continue;
		struct split split = split_whole(block);
		split.w = dim_even(block->out_w, (uint32_t)n_w, step);
		split.h = dim_even(block->out_h, n_h, pool);
		if (is_matmul)
			split.d = dim_even(deep, n_deep, other);
		else
			split.c = dim_even(deep, n_deep, other);
		try_split(choice, &split);
	}
}

static bool find_split(const struct layer_context *context, uint64_t n_part, struct split *split)
{
	const struct block *block = context->block;
	struct choice choice = {.context = context, .n_part = n_part, .best_clk = INFINITY};
	uint32_t deep = block->kind == BLOCK_MATMUL ? block->in_w : split_whole(block).c.size_a;
	assert(block->kind != BLOCK_POOL);
	for (uint32_t n_deep = 1; n_deep <= deep && n_deep <= n_part; n_deep++)
		for (uint32_t n_h = 1; n_part % n_deep == 0 && n_h <= block->out_h && n_h <= n_part / n_deep; n_h++)
			if (n_part / n_deep % n_h == 0)
				try_parts(&choice, n_deep, n_h, n_part / n_deep / n_h);
	*split = choice.best;
	return choice.is_found;
}

enum err_code power_split_into(const struct layer_context *context, uint64_t n_part, struct split *split,
                               struct err *err)
{
	struct split other;
	uint64_t below = 0, above = 0;
	assert(n_part > 0);
	if (find_split(context, n_part, split))
		return ERR_OK;
	for (uint64_t k = 1; k <= NEAR_PART && !(below && above); k++) {
		if (!below && k < n_part && find_split(context, n_part - k, &other))
			below = n_part - k;
		if (!above && find_split(context, n_part + k, &other))
			above = n_part + k;
	}
	if (below || above)
		return err_add(
		    err, ERR_INFEASIBLE,
		    "%s: no even split into %" PRIu64 " parts fits the SRAM; the nearest that does has %" PRIu64,
		    context->block->name, n_part, !below || (above && above - n_part < n_part - below) ? above : below);
	return err_add(err, ERR_INFEASIBLE,
	               "%s: no even split into %" PRIu64 " parts fits the SRAM, and none into %d parts more or less",
	               context->block->name, n_part, NEAR_PART);
}
