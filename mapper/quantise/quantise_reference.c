/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A quantised network computed directly, from whole tensors: no tiles, no packed weights, and nothing of the code that
 * runs an image.
 */
#include "mapper/quantise/quantise.h"
#include "mapper/quantise/quantise_arithmetic.h"
#include "mapper/quantise/quantise_parts.h"
#include <stdlib.h>
#include <string.h>

struct whole_step {
	const struct block *block;
	const struct quantise_block *own;
	const int8_t *in, *added;
	uint32_t *sum; /* before pooling, modulo 2^32 */
	int8_t *core, *out;
};

/* One tap of one filter on a whole plane of the result. Sums of 2^16 products and a bias may wrap: as unsigned. */
static void add_tap(const struct block *block, int8_t weight, const int8_t *plane, uint32_t kx, uint32_t ky,
                    uint32_t *sum)
{
	int64_t at_x = (int64_t)kx * block_dilation(block) - block->pad_left;
	int64_t at_y = (int64_t)ky * block_dilation(block) - block->pad_top;
	uint32_t stride = block->stride;
	struct quantise_reach x = quantise_reach_of(block->out_w, block->in_w, stride, at_x);
	struct quantise_reach y = quantise_reach_of(block->out_h, block->in_h, stride, at_y);
	for (uint32_t i = y.first; i < y.end; i++) {
		const int8_t *row = plane + ((int64_t)i * stride + y.at) * block->in_w + x.at;
		uint32_t *to = sum + (size_t)i * block->out_w;
		if (stride == 1)
			for (uint32_t k = x.first; k < x.end; k++)
				to[k] += (uint32_t)(weight * row[k]);
		else
			for (uint32_t k = x.first; k < x.end; k++)
				to[k] += (uint32_t)(weight * row[(size_t)k * stride]);
	}
}

static void convolve(const struct whole_step *step)
{
	const struct block *block = step->block;
	uint32_t in_c = block_group_in_c(block), out_c = block_group_out_c(block);
	size_t in_plane = (size_t)block->in_w * block->in_h, out_plane = (size_t)block->out_w * block->out_h;
	for (uint32_t f = 0; f < block->out_c; f++) {
		uint32_t *sum = step->sum + f * out_plane;
		const int8_t *tap = step->own->weight + f * step->own->n_tap;
		for (size_t i = 0; i < out_plane; i++)
			sum[i] = (uint32_t)step->own->bias[f];
		for (uint32_t c = 0; c < in_c; c++)
			for (uint32_t ky = 0; ky < block->kernel_h; ky++)
				for (uint32_t kx = 0; kx < block->kernel_w; kx++)
					add_tap(block, *tap++, step->in + (f / out_c * in_c + c) * in_plane, kx, ky,
					        sum);
	}
}

static void multiply(const struct whole_step *step)
{
	const struct block *block = step->block;
	for (uint32_t y = 0; y < block->in_h; y++)
		for (uint32_t f = 0; f < block->out_w; f++) {
			const int8_t *weight = step->own->weight + f * step->own->n_tap;
			const int8_t *row = step->in + (size_t)y * block->in_w;
			uint32_t sum = (uint32_t)step->own->bias[f];
			for (uint32_t k = 0; k < block->in_w; k++)
				sum += (uint32_t)(weight[k] * row[k]);
			step->sum[(size_t)y * block->out_w + f] = sum;
		}
}

/* Windows of a block of its own; pixels beside the map are zeros. */
static int8_t pool_window(const struct whole_step *step, uint32_t c, uint32_t x, uint32_t y)
{
	const struct block *block = step->block;
	const int8_t *plane = step->in + (size_t)c * block->in_w * block->in_h;
	int64_t sum = 0;
	int8_t most = INT8_MIN;
	for (uint32_t i = 0; i < block->kernel_h * block->kernel_w; i++) {
		int64_t in_x = (int64_t)x * block->stride + i % block->kernel_w - block->pad_left;
		int64_t in_y = (int64_t)y * block->stride + i / block->kernel_w - block->pad_top;
		bool is_in = in_x >= 0 && in_x < block->in_w && in_y >= 0 && in_y < block->in_h;
		int8_t value = is_in ? plane[in_y * block->in_w + in_x] : 0;
		sum += value;
		most = value > most ? value : most;
	}
	return block->pool_average ? quantise_average(sum, (int64_t)block->kernel_w * block->kernel_h) : most;
}

static void pool(const struct whole_step *step)
{
	const struct block *block = step->block;
	size_t at = 0;
	for (uint32_t c = 0; c < block->out_c; c++)
		for (uint32_t y = 0; y < block->out_h; y++)
			for (uint32_t x = 0; x < block->out_w; x++)
				step->core[at++] = pool_window(step, c, x, y);
}

/* A row is gathered into the end of its own sums, which nobody else needs. */
static void softmax(const struct whole_step *step)
{
	const struct block *block = step->block;
	size_t n = quantise_row_size(block);
	int8_t *row = (int8_t *)step->sum, *out = row + n;
	for (size_t r = 0; r < quantise_n_row(block); r++) {
		for (size_t k = 0; k < n; k++)
			row[k] = step->in[quantise_row_at(block, r, k)];
		quantise_softmax(row, n, step->own->shift, out);
		for (size_t k = 0; k < n; k++)
			step->core[quantise_row_at(block, r, k)] = out[k];
	}
}

static void finish_core(const struct whole_step *step)
{
	size_t n = quantise_n_core(step->block);
	for (size_t i = 0; i < n; i++) {
		uint32_t sum = step->sum[i];
		if (step->block->has_mat_ele)
			sum += quantise_added(step->added[i], step->own->added_shift);
		step->core[i] = quantise_finish(sum, step->block->has_acti, step->own->shift);
	}
}

static void pool_fused(const struct whole_step *step)
{
	const struct block *block = step->block;
	uint32_t side = block->pool, w = block->out_w / side, h = block->out_h / side;
	size_t at = 0;
	for (uint32_t c = 0; c < block->out_c; c++)
		for (uint32_t y = 0; y < h; y++)
			for (uint32_t x = 0; x < w; x++) {
				int64_t sum = 0;
				int8_t most = INT8_MIN;
				for (uint32_t i = 0; i < side * side; i++) {
					size_t row = (size_t)c * block->out_h + y * side + i / side;
					int8_t value = step->core[row * block->out_w + x * side + i % side];
					sum += value;
					most = value > most ? value : most;
				}
				step->out[at++] = block->pool_average && side > 1
				                      ? quantise_average(sum, (int64_t)side * side)
				                      : most;
			}
}

static void run_block(const struct whole_step *step)
{
	const struct block *block = step->block;
	if (block->kind == BLOCK_POOL) {
		(block->arm == ARM_POOL ? pool : softmax)(step);
	} else {
		(block->kind == BLOCK_CONV ? convolve : multiply)(step);
		finish_core(step);
	}
	pool_fused(step);
}

bool quantise_run(const struct quantise_network *quant, const int8_t *input, int8_t *const *result)
{
	const struct network *network = quant->network;
	size_t most = 1, most_read = quantise_max_read(network);
	for (size_t b = 0; b < network->n_block; b++)
		most = quantise_n_core(&network->block[b]) > most ? quantise_n_core(&network->block[b]) : most;
	uint32_t *sum = malloc(most * sizeof(*sum) + 2 * most + most_read);
	if (!sum)
		return false;
	int8_t *core = (int8_t *)(sum + most), *added_room = core + most, *room = added_room + most;
	for (size_t b = 0; b < network->n_block; b++) {
		const struct block *block = &network->block[b];
		void *const *all = (void *const *)result;
		struct whole_step step = {
		    .block = block, .own = &quant->block[b], .sum = sum, .core = core, .out = result[b]};
		step.in = quantise_gather(network, &block->reads, input, all, 1, room);
		if (block->has_mat_ele)
			step.added = quantise_gather(network, &block->adds, input, all, 1, added_room);
		run_block(&step);
	}
	free(sum);
	return true;
}
