/* SPDX-License-Identifier: Apache-2.0 */
/* A model in floating point, block by block: what quantisation is measured against. */
#include "mapper/quantise/quantise.h"
#include "mapper/quantise/quantise_parts.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

struct float_step {
	const struct block *block;
	const struct quantise_float_block *own;
	const float *in, *added;
	float *core; /* before pooling */
	float *out;
	struct stop_watch *watch;
};

/* One tap of one filter on a whole plane of the result. */
static void add_tap(const struct block *block, float weight, const float *plane, uint32_t kx, uint32_t ky, float *core)
{
	int64_t at_x = (int64_t)kx * block_dilation(block) - block->pad_left;
	int64_t at_y = (int64_t)ky * block_dilation(block) - block->pad_top;
	uint32_t stride = block->stride;
	struct quantise_reach x = quantise_reach_of(block->out_w, block->in_w, stride, at_x);
	struct quantise_reach y = quantise_reach_of(block->out_h, block->in_h, stride, at_y);
	for (uint32_t i = y.first; i < y.end; i++) {
		const float *row = plane + ((int64_t)i * stride + y.at) * block->in_w + x.at;
		float *to = core + (size_t)i * block->out_w;
		for (uint32_t k = x.first; k < x.end; k++)
			to[k] += weight * row[(size_t)k * stride];
	}
}

/* So do the others: false when it was stopped. */
static bool convolve(const struct float_step *step)
{
	const struct block *block = step->block;
	uint32_t in_c = block_group_in_c(block), out_c = block_group_out_c(block);
	size_t in_plane = (size_t)block->in_w * block->in_h, out_plane = (size_t)block->out_w * block->out_h;
	for (uint32_t f = 0; f < block->out_c; f++) {
		float *core = step->core + f * out_plane;
		const float *tap = step->own->weight + f * step->own->n_tap;
		for (size_t i = 0; i < out_plane; i++)
			core[i] = step->own->bias[f];
		for (uint32_t c = 0; c < in_c; c++)
			for (uint32_t k = 0; k < block->kernel_h * block->kernel_w; k++) {
				add_tap(block, *tap++, step->in + (f / out_c * in_c + c) * in_plane,
				        k % block->kernel_w, k / block->kernel_w, core);
				if (stop_after(step->watch, out_plane))
					return false;
			}
	}
	return true;
}

static bool multiply(const struct float_step *step)
{
	const struct block *block = step->block;
	for (uint32_t y = 0; y < block->in_h; y++)
		for (uint32_t f = 0; f < block->out_w; f++) {
			const float *weight = step->own->weight + f * step->own->n_tap;
			const float *row = step->in + (size_t)y * block->in_w;
			float sum = step->own->bias[f];
			for (uint32_t k = 0; k < block->in_w; k++)
				sum += weight[k] * row[k];
			step->core[(size_t)y * block->out_w + f] = sum;
			if (stop_after(step->watch, block->in_w))
				return false;
		}
	return true;
}

/* Windows of a block of its own; pixels beside the map are zeros. */
static bool pool(const struct float_step *step)
{
	const struct block *block = step->block;
	size_t in_plane = (size_t)block->in_w * block->in_h, at = 0;
	for (uint32_t c = 0; c < block->out_c; c++)
		for (uint32_t y = 0; y < block->out_h; y++)
			for (uint32_t x = 0; x < block->out_w; x++) {
				float sum = 0, most = -FLT_MAX;
				for (uint32_t i = 0; i < block->kernel_h * block->kernel_w; i++) {
					int64_t in_x =
					    (int64_t)x * block->stride + i % block->kernel_w - block->pad_left;
					int64_t in_y =
					    (int64_t)y * block->stride + i / block->kernel_w - block->pad_top;
					bool is_in = in_x >= 0 && in_x < block->in_w && in_y >= 0 && in_y < block->in_h;
					float value =
					    is_in ? step->in[c * in_plane + (size_t)in_y * block->in_w + (size_t)in_x]
						  : 0;
					sum += value;
					most = fmaxf(most, value);
				}
				step->core[at++] =
				    block->pool_average ? sum / (float)(block->kernel_w * block->kernel_h) : most;
				if (stop_after(step->watch, (uint64_t)block->kernel_h * block->kernel_w))
					return false;
			}
	return true;
}

static bool softmax(const struct float_step *step)
{
	const struct block *block = step->block;
	size_t n = quantise_row_size(block);
	for (size_t row = 0; row < quantise_n_row(block); row++) {
		float most = -FLT_MAX, sum = 0;
		for (size_t k = 0; k < n; k++)
			most = fmaxf(most, step->in[quantise_row_at(block, row, k)]);
		for (size_t k = 0; k < n; k++) {
			size_t at = quantise_row_at(block, row, k);
			sum += step->core[at] = expf(step->in[at] - most);
		}
		for (size_t k = 0; k < n; k++)
			step->core[quantise_row_at(block, row, k)] /= sum;
		if (stop_after(step->watch, n))
			return false;
	}
	return true;
}

/* What is added, and rectifying. */
static void finish_core(const struct float_step *step)
{
	size_t n = quantise_n_core(step->block);
	for (size_t i = 0; i < n && step->block->has_mat_ele; i++)
		step->core[i] += step->added[i];
	for (size_t i = 0; i < n && step->block->has_acti; i++)
		step->core[i] = fmaxf(step->core[i], 0);
}

static void pool_fused(const struct float_step *step)
{
	const struct block *block = step->block;
	uint32_t side = block->pool, w = block->out_w / side, h = block->out_h / side;
	size_t at = 0;
	for (uint32_t c = 0; c < block->out_c; c++)
		for (uint32_t y = 0; y < h; y++)
			for (uint32_t x = 0; x < w; x++) {
				float sum = 0, most = -FLT_MAX;
				for (uint32_t i = 0; i < side * side; i++) {
					size_t row = (size_t)c * block->out_h + y * side + i / side;
					float value = step->core[row * block->out_w + x * side + i % side];
					sum += value;
					most = fmaxf(most, value);
				}
				step->out[at++] = block->pool_average && side > 1 ? sum / (float)(side * side) : most;
			}
}

static float magnitude(const float *value, size_t n)
{
	float most = 0;
	for (size_t i = 0; i < n; i++)
		most = fmaxf(most, fabsf(value[i]));
	return most;
}

static bool run_block(const struct float_step *step)
{
	const struct block *block = step->block;
	bool is_done;
	if (block->kind == BLOCK_CONV)
		is_done = convolve(step);
	else if (block->kind == BLOCK_MATMUL)
		is_done = multiply(step);
	else
		is_done = (block->arm == ARM_POOL ? pool : softmax)(step);
	if (!is_done)
		return false;
	finish_core(step);
	pool_fused(step);
	return true;
}

static bool run_from(const struct quantise_float *model, size_t first, const float *input, float *const *result,
                     float *peak)
{
	const struct network *network = model->network;
	size_t most = 1, most_read = quantise_max_read(network);
	for (size_t b = 0; b < network->n_block; b++)
		most = quantise_n_core(&network->block[b]) > most ? quantise_n_core(&network->block[b]) : most;
	float *core = malloc((most + 2 * most_read + most) * sizeof(*core)), *room = core + most;
	float *added_room = room + most_read;
	if (!core)
		return false;
	if (peak)
		peak[0] = fmaxf(peak[0], magnitude(input, quantise_n_input(network)));
	struct stop_watch watch = stop_watch_for(NULL);
	bool good = true;
	for (size_t b = first; b < network->n_block && good; b++) {
		const struct block *block = &network->block[b];
		void *const *all = (void *const *)result;
		struct float_step step = {
		    .block = block, .own = &model->block[b], .core = core, .out = result[b], .watch = &watch};
		step.in = quantise_gather(network, &block->reads, input, all, sizeof(float), room);
		if (block->has_mat_ele)
			step.added = quantise_gather(network, &block->adds, input, all, sizeof(float), added_room);
		good = run_block(&step);
		if (peak)
			peak[1 + b] = fmaxf(peak[1 + b], magnitude(core, quantise_n_core(block)));
	}
	free(core);
	return good;
}

bool quantise_run_float(const struct quantise_float *model, const float *input, float *const *result, float *peak)
{
	return run_from(model, 0, input, result, peak);
}

bool quantise_run_mixed(const struct quantise_float *model, const struct quantise_network *quant, size_t n_quantised,
                        int8_t *const *quantised, const float *input, float *const *result)
{
	for (size_t b = 0; b < n_quantised; b++) {
		size_t n = quantise_n_result(&model->network->block[b]);
		for (size_t i = 0; i < n; i++)
			result[b][i] = ldexpf(quantised[b][i], -quant->block[b].fraction);
	}
	return run_from(model, n_quantised, input, result, NULL);
}
