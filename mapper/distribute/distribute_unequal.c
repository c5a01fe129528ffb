/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of two sizes in reuse on a chip. Larger parts come first, so the block, the interface and the PE that get the
 * first ones have most to do. Of a range of splits only the sums are known: of the parts that come first no less than
 * their share of all.
 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/* The first n parts together over n of the larger size. */
static double first_frac(const struct dim_split *dim, double large, double small, uint64_t n)
{
	uint64_t n_large = n < dim->n_a ? n : dim->n_a;
	if (dim->n_b == 0 || n == 0 || large <= 0)
		return 1;
	return ((double)n_large + (double)(n - n_large) * small / large) / (double)n;
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
static double row_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n_row)
{
	const struct split *split = &design->split;
	uint64_t n_image = tiling->n_h / dim_n_part(&split->h);
	return first_frac(&split->w, tiling->in_w, tiling->small_in_w, tiling->n_w) *
	       first_frac(&split->h, tiling->in_h, tiling->small_in_h, ceil_div(n_row, n_image));
}

double distribute_map_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n_row)
{
	double mean = mean_frac(tiling->all_map_byte, tiling->n_map * tiling->n_channel_part, tiling->map_byte);
	return tiling->is_least ? mean : real_max(mean, row_frac(design, tiling, n_row));
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

double distribute_result_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n_row,
                              uint64_t n)
{
	const struct dim_split *c = &design->split.c;
	double mean = mean_frac(tiling->all_out_byte, tiling->n_task, tiling->out_byte);
	if (tiling->is_least)
		return mean;
	return real_max(mean, row_frac(design, tiling, n_row) *
	                          first_frac(c, c->size_a, c->size_b, n < tiling->n_c ? n : tiling->n_c));
}
