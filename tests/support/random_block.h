/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_RANDOM_BLOCK_H
#define TESTS_RANDOM_BLOCK_H
/* Random blocks and splits for property tests; every one of them is legal. */
#include "mapper/split/design.h"
#include "sim/base/arena.h"
#include "sim/base/rng.h"
#include <stdio.h>

static inline uint32_t random_from(struct rng *rng, uint32_t low, uint32_t high)
{
	assert_true(low <= high);
	return low + rng_below(rng, high - low + 1);
}

/* A convolution of up to max_w x max_w pixels and max_c channels and filters, often padded, sometimes pooled. */
static inline struct block random_plain_conv(struct rng *rng, uint32_t max_w, uint32_t max_c)
{
	static const uint32_t kernel[] = {1, 1, 3, 3, 3, 5, 7};
	struct block block = {.kind = BLOCK_CONV, .pool = 1, .stride = random_from(rng, 1, 4) == 4 ? 2 : 1};
	snprintf(block.name, sizeof(block.name), "CONV_1");
	block.kernel_w = kernel[rng_below(rng, 7)];
	block.kernel_h = rng_below(rng, 8) ? block.kernel_w : kernel[rng_below(rng, 7)];
	block.out_w = random_from(rng, 1, max_w);
	block.out_h = random_from(rng, 1, max_w);
	if (block.kernel_w * block.kernel_h > 1 && block.out_w % 4 == 1)
		block.dilation = 2 + block.out_h % 3;
	if (rng_below(rng, 4) == 0) {
		block.pool = 2;
		block.out_w += block.out_w % 2;
		block.out_h += block.out_h % 2;
	}
	uint32_t padded_w = (block.out_w - 1) * block.stride + block_reach_w(&block);
	uint32_t padded_h = (block.out_h - 1) * block.stride + block_reach_h(&block);
	/* what a stride leaves over at the right and at the bottom */
	padded_w += rng_below(rng, block.stride);
	padded_h += rng_below(rng, block.stride);
	if (rng_below(rng, 2)) {
		block.pad_left = block_reach_w(&block) / 2;
		block.pad_top = block_reach_h(&block) / 2;
		block.pad_right = padded_w > 2 * block.pad_left ? block.pad_left : 0;
		block.pad_bottom = padded_h > 2 * block.pad_top ? block.pad_top : 0;
	}
	block.in_w = padded_w - block.pad_left - block.pad_right;
	block.in_h = padded_h - block.pad_top - block.pad_bottom;
	block.in_c = random_from(rng, 1, max_c);
	block.out_c = random_from(rng, 1, max_c);
	block.has_padd = block.pad_left > 0;
	block.has_acti = block.has_quan = true;
	return block;
}

/* Groups for a third of the blocks, half of these depthwise, with as many filters as channels or twice as many. */
static inline void random_groups(struct rng *rng, struct block *block, uint32_t max_c)
{
	if (max_c < 4 || rng_below(rng, 3))
		return;
	bool is_depthwise = rng_below(rng, 2);
	block->groups = random_from(rng, 2, is_depthwise ? max_c / 2 : 4);
	uint32_t max_each = max_c / block->groups, in_c = random_from(rng, 1, max_each);
	uint32_t out_c = random_from(rng, 1, max_each);
	block->in_c = block->groups * (is_depthwise ? 1 : in_c);
	block->out_c = block->groups * (is_depthwise ? random_from(rng, 1, 2) : out_c);
}

/* Two to four images for a quarter of the blocks; what is drawn after it is as without. */
static inline void random_batch(const struct rng *rng, struct block *block)
{
	struct rng own = *rng;
	for (int i = 0; i < 16; i++)
		(void)rng_u32(&own);
	block->batch = rng_below(&own, 4) ? 1 : random_from(&own, 2, 4);
}

/* The same, some of them grouped, some of several images. */
static inline struct block random_conv(struct rng *rng, uint32_t max_w, uint32_t max_c)
{
	struct block block = random_plain_conv(rng, max_w, max_c);
	random_groups(rng, &block, max_c);
	random_batch(rng, &block);
	return block;
}

static inline struct block random_matmul(struct rng *rng, uint32_t max_w)
{
	struct block block = {.kind = BLOCK_MATMUL, .pool = 1, .stride = 1, .kernel_w = 1, .kernel_h = 1};
	snprintf(block.name, sizeof(block.name), "FC_1");
	block.in_c = block.out_c = 1;
	block.in_h = block.out_h = random_from(rng, 1, 8);
	block.in_w = random_from(rng, 1, max_w);
	block.out_w = random_from(rng, 1, max_w);
	block.has_acti = block.has_quan = true;
	return block;
}

/* One of all splits of extent into up to max_part parts of one or two sizes. */
static inline struct dim_split random_dim(struct rng *rng, uint32_t extent, uint32_t step, uint32_t max_part)
{
	struct arena arena = {0};
	struct dim_axis axis;
	struct err err = {0};
	assert_int_equal(dim_axis_build(extent, step, 1, max_part, SPLIT_ALL, &arena, &axis, &err), ERR_OK);
	struct dim_split dim = axis.choice[rng_below(rng, (uint32_t)axis.n)];
	arena_free(&arena);
	return dim;
}

/* The same of the filters of a convolution. */
static inline struct dim_split random_filters(struct rng *rng, const struct block *block, uint32_t max_part)
{
	struct arena arena = {0};
	struct dim_axis axis;
	struct err err = {0};
	if (block_n_group(block) == 1)
		return random_dim(rng, block->out_c, 1, max_part);
	assert_int_equal(
	    dim_axis_build_groups(block->groups, block_group_out_c(block), max_part, SPLIT_ALL, &arena, &axis, &err),
	    ERR_OK);
	struct dim_split dim = axis.choice[rng_below(rng, (uint32_t)axis.n)];
	arena_free(&arena);
	return dim;
}

/* Input channels, or B's height, are cut in half of the splits. */
static inline struct split random_split(struct rng *rng, const struct block *block, uint32_t max_part)
{
	struct split split = split_whole(block);
	split.w = random_dim(rng, block->out_w, block->pool, max_part);
	split.h = random_dim(rng, block->out_h, block->pool, max_part);
	if (block->kind == BLOCK_CONV)
		split.c = random_filters(rng, block, max_part);
	if (rng_below(rng, 2))
		split.d = random_dim(rng, split.d.size_a, 1, max_part);
	return split;
}

#endif
