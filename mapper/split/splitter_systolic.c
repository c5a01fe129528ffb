/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles for a systolic array without a search, in the spirit of the thesis'
 * splitter. Tried are all input channels in a tile, if that fits, and fewer, which
 * leave room for more pixels and filters. For each number of filter parts the
 * largest pixel tiles that fit are tried, and smaller ones, whose first load takes
 * less time. The fastest is taken.
 */
#include "mapper/split/design.h"
#include "mapper/split/splitter.h"
#include "mapper/split/splitter_parts.h"
#include "sim/base/checked.h"
#include <math.h>

/* Pixel tiles are tried in the fewest parts that fit, and in so many times as many. */
static const uint32_t finer[] = {1, 2, 4, 8};
#define N_FINER (sizeof(finer) / sizeof(finer[0]))
/* Numbers of input channel parts: the first one that fits, and others that each have half as large ones. */
#define MAX_DEEP 6

struct tile_finder {
	const struct layer_context *context;
	struct layer_design design; /* but for the split */
	struct split best;
	double best_ns, best_byte;
	bool is_found;
};

static bool fits(const struct tile_finder *finder, const struct split *split)
{
	struct layer_design design = finder->design;
	struct program program;
	struct verdict verdict;
	design.split = *split;
	return mapper_distribute(finder->context, &design, &program, &verdict);
}

static void try_split(struct tile_finder *finder, const struct split *split)
{
	struct layer_design design = finder->design;
	struct program program;
	struct sim_result result;
	struct verdict verdict;
	design.split = *split;
	if (!mapper_distribute(finder->context, &design, &program, &verdict))
		return;
	fast_run(finder->context->machine, &program, design.level, &result);
	if (!mapper_judge_run(&result, &verdict))
		return;
	double byte = result.counts.dram_read_byte + result.counts.dram_write_byte;
	if (finder->is_found && (result.latency_ns > finder->best_ns ||
	                         (result.latency_ns >= finder->best_ns && byte >= finder->best_byte)))
		return;
	finder->is_found = true;
	finder->best = *split;
	finder->best_ns = result.latency_ns;
	finder->best_byte = byte;
}

/*
 * Under SCALE-Sim's rules, which know no tiles, there is nothing to choose, and what the layer really takes only a
 * replay of minutes could say: the roofline stands for it.
 */
static void take_whole(struct tile_finder *finder, const struct split *split)
{
	const struct machine *machine = finder->context->machine;
	struct layer_design design = finder->design;
	struct program program;
	struct verdict verdict;
	design.split = *split;
	finder->is_found = mapper_distribute(finder->context, &design, &program, &verdict);
	if (!finder->is_found)
		return;
	finder->best = *split;
	finder->best_ns =
	    fast_roofline_clk(machine, &program, design.level) * 1e3 / machine->level[design.level].clk_mhz;
}

/* The next number of even parts whose largest one is smaller; 0: there is none. */
static uint32_t next_parts(uint32_t n_unit, uint32_t n)
{
	uint64_t size = ceil_div(n_unit, n);
	return size > 1 ? (uint32_t)ceil_div(n_unit, size - 1) : 0;
}

/* The fewest parts of a dimension with which everything fits; false: none do. */
static bool cut_until_fits(const struct tile_finder *finder, struct split *split, struct dim_split *dim, uint32_t step)
{
	uint32_t extent = (uint32_t)dim_extent(dim), n_unit = extent / step;
	for (uint32_t n = dim_n_part(dim); n > 0; n = next_parts(n_unit, n)) {
		*dim = dim_even(extent, n, step);
		if (fits(finder, split))
			return true;
	}
	return false;
}

/* The largest pixel tile that fits beside these filters and channels, and smaller ones: rows first, then columns. */
static bool try_pixels(struct tile_finder *finder, struct split *split)
{
	const struct block *block = finder->context->block;
	uint32_t pool = block->kind == BLOCK_MATMUL ? 1 : block->pool;
	split->h = dim_whole(block->out_h);
	if (block->kind == BLOCK_CONV)
		split->w = dim_whole(block->out_w);
	bool is_cut = cut_until_fits(finder, split, &split->h, pool);
	if (!is_cut && (block->kind != BLOCK_CONV || !cut_until_fits(finder, split, &split->w, pool)))
		return false;
	uint32_t n_unit = block->out_h / pool, n = dim_n_part(&split->h);
	for (size_t i = 0; i < N_FINER && (uint64_t)n * finer[i] <= n_unit; i++) {
		split->h = dim_even(block->out_h, n * finer[i], pool);
		try_split(finder, split);
	}
	return true;
}

/* All numbers of parts of the filters that differ in their largest one, whole columns of the array at first. */
static bool try_filters(struct tile_finder *finder, struct split *split)
{
	const struct block *block = finder->context->block;
	struct dim_split *dim = block->kind == BLOCK_MATMUL ? &split->w : &split->c;
	uint32_t extent = block->kind == BLOCK_MATMUL ? block->out_w : block_group_out_c(block);
	uint32_t cols = finder->context->machine->systolic.cols;
	bool is_any = false;
	for (uint32_t n = 1; n > 0; n = next_parts(extent, n)) {
		uint64_t size = ceil_div(extent, n);
		/* parts above a fold of the array that leave columns idle only add folds */
		if (size > cols && n > 1 && size % cols != 0 && ceil_div(extent, align_up(size, cols)) != n)
			continue;
		*dim = dim_even(extent, n, 1);
		is_any |= try_pixels(finder, split);
	}
	return is_any;
}

static struct split finest(const struct block *block)
{
	struct split split = split_whole_group(block);
	split.w = dim_even(split.w.size_a, split.w.size_a / block->pool, block->pool);
	split.h = dim_even(split.h.size_a, split.h.size_a / block->pool, block->pool);
	split.c = dim_even(split.c.size_a, split.c.size_a, 1);
	split.d = dim_even(split.d.size_a, split.d.size_a, 1);
	return split;
}

bool splitter_systolic(const struct layer_context *context, enum strategy strategy, uint32_t level, struct split *split,
                       double *latency_ns)
{
	const struct block *block = context->block;
	struct tile_finder finder = {
	    .context = context,
	    .design = {.strategy = strategy, .level = level, .operand_bit = context->operand_bit, .reuse = REUSE_AUTO},
	};
	struct split tried = split_whole_group(block);
	uint32_t n_deep = 0, deep = tried.d.size_a;
	assert(context->machine->target == MACHINE_SYSTOLIC && level < context->machine->n_level);
	bool is_replayed = context->machine->systolic.memory != SYSTOLIC_PHYSICAL;
	bool is_whole = block->kind == BLOCK_POOL || is_replayed;
	if (is_replayed)
		take_whole(&finder, &tried);
	else if (is_whole)
		try_split(&finder, &tried);
	for (uint32_t n = 1; !is_whole && n > 0 && n_deep < MAX_DEEP;) {
		tried.d = dim_even(deep, n, 1);
		n_deep += try_filters(&finder, &tried);
		uint32_t next = next_parts(deep, n);
		n = n_deep > 0 && next > 0 && n <= deep / 2 ? 2 * n : next;
	}
	*split = finder.is_found ? finder.best : finest(block);
	*latency_ns = finder.is_found ? finder.best_ns : INFINITY;
	return finder.is_found;
}
