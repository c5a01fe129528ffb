/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of two sizes in reuse on a chip. Larger parts come first, so the block, the interface and the PE that get the
 * first ones have most to do. Of a range of splits only the sums are known: of the parts that come first no less than
 * their share of all.
 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>

/* n parts, of which no more than so many are of the larger size, over n of these. */
static double two_size_frac(uint64_t n_large, uint64_t n, double large, double small)
{
	if (n_large >= n || large <= 0)
		return 1;
	return ((double)n_large + (double)(n - n_large) * small / large) / (double)n;
}

/* The first n parts together over n of the larger size. */
static double first_frac(const struct dim_split *dim, double large, double small, uint64_t n)
{
	return dim->n_b == 0 ? 1 : two_size_frac(dim->n_a, n, large, small);
}

/* All parts' mean over the largest: whole lines, which small parts have more of than their share. */
static double mean_frac(uint64_t all_byte, uint64_t n, uint64_t largest_byte)
{
	return real_min(1, (double)all_byte / ((double)n * (double)largest_byte));
}

double distribute_filter_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n)
{
	const struct dim_split *c = &design->split.c;
	double mean = mean_frac(tiling->all_filter_byte, tiling->n_c, tiling->filter_byte);
	if (tiling->is_least)
		return mean;
	return real_max(mean, first_frac(c, c->size_a, c->size_b, n < tiling->n_c ? n : tiling->n_c));
}

/* Images of a batch each begin with their larger rows: together as if one had them all. */
static double row_frac(const struct layer_context *context, const struct layer_design *design,
                       const struct tiling *tiling, uint64_t n_row)
{
	const struct split *split = &design->split;
	uint64_t n_image = tiling->n_h / dim_n_part(&split->h), n_image_row = ceil_div(n_row, n_image);
	/* a packed part is a row of pixels in the array, but loaded as it is */
	if (context->is_packed) {
		double small_w = split->w.n_b > 0 ? mapper_part_in_w(context, split->w.size_b) : 0;
		return first_frac(&split->w, mapper_part_in_w(context, split->w.size_a), small_w, tiling->n_w) *
		       first_frac(&split->h, split->h.size_a, split->h.size_b, n_image_row);
	}
	return first_frac(&split->w, tiling->in_w, tiling->small_in_w, tiling->n_w) *
	       first_frac(&split->h, tiling->in_h, tiling->small_in_h, n_image_row);
}

double distribute_mean_map_frac(const struct tiling *tiling)
{
	return mean_frac(tiling->all_map_byte, tiling->n_map * tiling->n_channel_part, tiling->map_byte);
}

double distribute_map_frac(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, uint64_t n_row, uint64_t n_filter)
{
	const struct dim_split *c = &design->split.c;
	double mean = distribute_mean_map_frac(tiling);
	if (tiling->is_least)
		return mean;
	return real_max(mean, row_frac(context, design, tiling, n_row) * first_frac(c, c->size_a, c->size_b, n_filter));
}

/* n lots of so many parts each, one lot after the other: the first part of each over the larger size, in the mean. */
static double lot_frac(const struct dim_split *dim, double large, double small, uint64_t n_each, uint64_t n)
{
	return dim->n_b == 0 ? 1 : two_size_frac(ceil_div(dim->n_a, n_each), n, large, small);
}

/* Waves of ifmap parts of a block: parts in a row, parts a wave, rows of parts, waves. */
struct waves {
	uint64_t n_w, n_lot, n_row, n_wave;
};

/* Rows that the array computes for so many rows of results: all between the first and the last. */
static double computed_row(const struct block *block, double out_row)
{
	return block->stride * (out_row - 1) + 1;
}

/* The larger parts come first, and of each wave the first one is the largest: their mean over the larger size. */
static double height_frac(const struct block *block, const struct dim_split *h, const struct waves *waves)
{
	uint64_t n_large = ceil_div((h->n_a < waves->n_row ? h->n_a : waves->n_row) * waves->n_w, waves->n_lot);
	if (h->n_b == 0)
		return 1;
	return two_size_frac(n_large, waves->n_wave, computed_row(block, h->size_a), computed_row(block, h->size_b));
}

static bool has_one_n(const struct dim_range *range)
{
	return range->n_least == range->n_most;
}

/* Of a range: of all its splits if they are few, else what all parts' rows make of so many of the largest. */
static double least_height_frac(const struct layer_context *context, const struct tiling *tiling,
                                const struct waves *waves)
{
	const struct block *block = context->block;
	const struct split_range *range = tiling->range;
	const struct dim_range *h = &range->h;
	const struct hierarchy *hierarchy = &context->hierarchy;
	bool is_known = has_one_n(&range->w) && has_one_n(h) && has_one_n(&range->c) && has_one_n(&range->d);
	is_known = is_known && block_batch(block) == 1;
	if (h->split && (is_known || h->split->n_b == 0))
		return height_frac(block, h->split, waves);
	if (!is_known || h->n_choice == 0 || h->n_choice > MAX_RANGE_CHOICE) {
		/* parts of a wave are no more than PEs, and have no more rows than so many of the largest */
		double n_place = (double)hierarchy->n_block * hierarchy->pe_per_block * (double)waves->n_wave;
		double n_row = (double)block->stride * block->out_h - (double)(block->stride - 1) * h->n_most;
		n_row *= block_batch(block);
		double frac = n_row * (double)waves->n_w / (n_place * computed_row(block, tiling->out_h));
		return real_max(1.0 / (double)waves->n_wave, real_min(1, frac));
	}
	double frac = 1;
	for (size_t i = 0; i < h->n_choice; i++)
		frac = real_min(frac, height_frac(block, &h->choice[i], waves));
	return frac;
}

static double first_rows(const struct block *block, const struct dim_split *h, uint64_t n)
{
	uint64_t n_large = n < h->n_a ? n : h->n_a;
	double small = h->n_b > 0 ? computed_row(block, h->size_b) : 0;
	return (double)n_large * computed_row(block, h->size_a) + (double)(n - n_large) * small;
}

double distribute_first_rows(const struct block *block, const struct dim_range *h, uint64_t n)
{
	assert(has_one_n(h));
	if (h->split)
		return first_rows(block, h->split, n);
	double mean_row = (double)h->extent / h->n_least, n_row = (double)n * computed_row(block, mean_row);
	if (h->n_choice == 0 || h->n_choice > MAX_RANGE_CHOICE)
		return n_row;
	n_row = INFINITY;
	for (size_t i = 0; i < h->n_choice; i++)
		n_row = real_min(n_row, first_rows(block, &h->choice[i], n));
	return n_row;
}

/* Likewise, of a batch, whose images each begin with larger rows: of all blocks' parts in a wave the largest. */
static double batch_height_frac(const struct block *block, const struct dim_split *h, const struct waves *waves,
                                uint64_t n_group)
{
	uint64_t n_large = 0, n_h = dim_n_part(h);
	if (h->n_b == 0)
		return 1;
	for (uint64_t wave = 0; wave < waves->n_wave; wave++) {
		bool is_large = false;
		for (uint64_t group = 0; group < n_group && !is_large; group++) {
			uint64_t first = wave * waves->n_lot / waves->n_w,
				 last = ((wave + 1) * waves->n_lot - 1) / waves->n_w;
			last = min_u64(last, waves->n_row - 1);
			uint64_t row = (group * waves->n_row + first) % n_h;
			is_large = first <= last && (row < h->n_a || row + last - first >= n_h);
		}
		n_large += is_large;
	}
	return two_size_frac(n_large, waves->n_wave, computed_row(block, h->size_a), computed_row(block, h->size_b));
}

/* All PEs wait for the tasks of a wave. */
double distribute_wave_frac(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, const struct chip_assignment *a)
{
	uint64_t n_group = context->hierarchy.n_block / a->n_share;
	const struct waves waves = {.n_w = tiling->n_w,
	                            .n_lot = a->is_own ? a->n_user : a->n_resident,
	                            .n_row = ceil_div(tiling->n_h, n_group),
	                            .n_wave = a->is_own ? a->n_turn : a->n_wave};
	if (waves.n_wave == 1)
		return 1;
	if (tiling->is_least)
		return least_height_frac(context, tiling, &waves);
	if (block_batch(context->block) > 1)
		return batch_height_frac(context->block, &design->split.h, &waves, n_group);
	return height_frac(context->block, &design->split.h, &waves);
}

double distribute_own_task_frac(const struct layer_context *context, const struct layer_design *design,
                                const struct tiling *tiling, const struct chip_assignment *a)
{
	const struct block *block = context->block;
	const struct dim_split *c = &design->split.c;
	uint32_t n_row = context->machine->mla_rows;
	double large = (double)split_part_row(block, tiling->out_c, n_row);
	if (tiling->is_least)
		return distribute_task_frac(context, design, tiling, tiling->n_c);
	double small = c->n_b > 0 ? (double)split_part_row(block, c->size_b, n_row) : 0;
	return lot_frac(c, large, small, a->n_together, a->n_wave / a->n_turn);
}

double distribute_mean_frac(const struct layer_context *context, const struct tiling *tiling)
{
	const struct block *block = context->block;
	double n_row = context->machine->mla_rows,
	       large = (double)split_part_row(block, tiling->out_c, context->machine->mla_rows);
	return real_min(1, (double)block->out_c / ((double)tiling->n_c * n_row * large));
}

double distribute_task_frac(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, uint64_t n)
{
	const struct block *block = context->block;
	const struct dim_split *c = &design->split.c;
	uint64_t n_row = context->machine->mla_rows;
	double large = (double)split_part_row(block, tiling->out_c, (uint32_t)n_row);
	if (tiling->is_least)
		return real_min(1, (double)block->out_c / ((double)tiling->n_c * (double)n_row * large));
	double small = c->n_b > 0 ? (double)split_part_row(block, c->size_b, (uint32_t)n_row) : 0;
	return first_frac(c, large, small, n < tiling->n_c ? n : tiling->n_c);
}
