/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_TILING_PARTS_H
#define MAPPER_TILING_PARTS_H
/*
 * What the sums over a tiling's parts share: tiling.c adds up bytes and words, tiling_clk.c clocks, tiling_least.c the
 * least of either over a range of splits.
 */
#include "mapper/distribute/tiling.h"
#include "sim/base/checked.h"

/* Results leave the MAC array as 32-bit words, results of an operator block as bytes of the operand's width. */
#define RESULT_BYTE 4
#define LINE_BYTE 16 /* a port's, packet's and DRAM access's width, to which rows are aligned */
#define WORD_ALIGN 4 /* result rows are aligned to four words */

/* The parts of a dimension: n_size sizes, 1 or 2, the largest first; without a second one its n and size are 0. */
struct part_pair {
	uint32_t n_size;
	uint64_t n[2], size[2];
};

static inline struct part_pair tiling_parts_of(const struct dim_split *dim)
{
	return (struct part_pair){dim->n_b ? 2 : 1, {dim->n_a, dim->n_b}, {dim->size_a, dim->n_b ? dim->size_b : 0}};
}

/* Of a height: images of a batch stand one below the other, and no part has rows of two of them. */
static inline struct part_pair tiling_row_parts(const struct block *block, const struct dim_split *h)
{
	uint64_t n = block_batch(block);
	return (struct part_pair){h->n_b ? 2 : 1, {n * h->n_a, n * h->n_b}, {h->size_a, h->n_b ? h->size_b : 0}};
}

static inline uint64_t tiling_sum_parts(const struct part_pair *pair)
{
	return pair->n[0] * pair->size[0] + pair->n[1] * pair->size[1];
}

static inline uint64_t tiling_sum_blocks(const struct part_pair *pair, uint64_t step)
{
	uint64_t sum = pair->n[0] * ceil_div(pair->size[0], step);
	return pair->n_size == 1 ? sum : sum + pair->n[1] * ceil_div(pair->size[1], step);
}

/* The same parts with other extents: of the ifmap, or of what the array computes. */
static inline struct part_pair tiling_resized(const struct part_pair *pair, uint32_t large, uint32_t small)
{
	struct part_pair other = *pair;
	other.size[0] = large;
	other.size[1] = small;
	return other;
}

/* The extents whose every stride-1 output the array computes. */
static inline struct part_pair tiling_computed_parts(const struct part_pair *out, uint32_t large_in, uint32_t small_in,
                                                     uint32_t kernel)
{
	assert(large_in >= kernel && (small_in >= kernel || out->n_size == 1));
	return tiling_resized(out, large_in - kernel + 1, small_in ? small_in - kernel + 1 : 0);
}

/* The rounds and the machine as the split's tasks see them: with input channels split, results are partial sums. */
static inline const struct mla_conv_round *tiling_round_of(const struct layer_context *context,
                                                           const struct tiling *tiling)
{
	return tiling->n_d > 1 ? &context->partial_round : &context->round;
}

static inline const struct mla_matmul *tiling_matmul_of(const struct layer_context *context,
                                                        const struct tiling *tiling)
{
	return tiling->n_d > 1 ? &context->partial_matmul : &context->matmul;
}

static inline const struct machine *tiling_machine_of(const struct layer_context *context, const struct tiling *tiling)
{
	return tiling->n_d > 1 ? &context->partial_machine : context->machine;
}

static inline struct mla_conv_task tiling_largest_task(const struct tiling *tiling)
{
	return (struct mla_conv_task){tiling->in_w, tiling->in_h, tiling->group_c, tiling->out_c / tiling->n_group,
	                              tiling->n_group};
}

/* Pixels of a part as one row; too many for any SRAM are as many as can be counted. */
static inline uint32_t tiling_packed_pixels(uint64_t w, uint64_t h)
{
	uint64_t n = w * h;
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* Bytes of all tiles w x h x c / area, each rounded up to whole lines: a sum over the up to eight kinds of tile. */
static inline uint64_t tiling_sum_line_byte(const struct part_pair *w, const struct part_pair *h,
                                            const struct part_pair *c, uint64_t area, uint64_t byte)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < w->n_size; i++)
		for (uint32_t j = 0; j < h->n_size; j++)
			for (uint32_t k = 0; k < c->n_size; k++) {
				uint64_t n_pixel = w->size[i] * h->size[j] * c->size[k];
				n_pixel = area > 1 ? ceil_div(n_pixel, area) : n_pixel;
				sum += w->n[i] * h->n[j] * c->n[k] * align_up(n_pixel * byte, LINE_BYTE);
			}
	return sum;
}

/* Bytes of all ifmap parts of a grouped convolution, whose tasks have the channels of their groups. */
uint64_t tiling_sum_group_map(const struct layer_context *context, const struct part_pair *w, const struct part_pair *h,
                              const struct dim_split *filters, const struct dim_split *depth,
                              const struct tiling *tiling);

/* A second operand comes with the parts that these are bytes of; channel_byte: of them where it is a number a channel.
 */
void tiling_add_operand(const struct block *block, uint64_t channel_byte, uint64_t *map_byte, uint64_t *aligned_byte);

/* SRAM ports that a row of n_pixel results takes; a left-over block of columns fills its last port. */
static inline uint64_t tiling_row_port(const struct layer_context *context, const struct mla_conv_round *round,
                                       uint64_t n_pixel)
{
	uint64_t n_block = n_pixel / context->machine->mla_cols, n_left = n_pixel % context->machine->mla_cols;
	uint64_t n_port = n_block * round->n_row_write;
	return n_left ? n_port + ceil_div(n_left * round->result_byte, context->machine->pe_sram_port_byte) : n_port;
}

/* Groups of array rows that all parts of the filters take. */
uint64_t tiling_sum_rows(const struct layer_context *context, const struct part_pair *c);

/* A task's cost in the form of the context; channels: prepared for in_c. */
void tiling_packed_cost(const struct layer_context *context, const struct tiling *tiling,
                        const struct mla_conv_channels *channels, const struct mla_conv_task *task,
                        struct mla_cost *cost);

#endif
