/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block's result computed directly, from whole tensors: no tiles, no parts,
 * and nothing of the code that computes those. Eight filters at a time walk over
 * the whole map, whose padding is laid out once.
 */
#include "mapper/prove/prove_arithmetic.h"
#include "mapper/prove/prove_parts.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
#include <stdlib.h>
#include <string.h>

#define N_FILTER 8    /* of an item */
#define CHUNK 32768u  /* products summed in 32 bit before they are added modulo 2^32 */
#define MEAN_LIMIT 32 /* of magnitudes after quantisation */
#define SHIFT_STREAM 0x80000000u

/* The layer as a convolution of a map [h][w][c], rows of a matrix multiplication as one-pixel rows. */
struct whole_layer {
	const struct block *block;
	const struct prove_data *data;
	uint32_t in_c, out_c, n_group; /* channels of a group */
	uint32_t out_w, out_h;
	uint32_t w, h;   /* of the padded map, as far as the last window reaches */
	int16_t *padded; /* [h][w][in_c * n_group] */
	uint32_t *sum;   /* [out_h][out_w][out_c * n_group] */
	struct prove_map *result;
	bool *failed; /* [items] no memory */
};

static struct whole_layer whole_of(const struct block *block, const struct prove_data *data)
{
	struct whole_layer whole = {.block = block,
	                            .data = data,
	                            .in_c = block->in_c,
	                            .out_c = block->out_c,
	                            .n_group = 1,
	                            .out_w = block->out_w,
	                            .out_h = block->out_h};
	if (block->kind == BLOCK_MATMUL) {
		whole.in_c = block->in_w;
		whole.out_c = block->out_w;
		whole.out_w = 1;
	} else if (block->kind == BLOCK_CONV) {
		whole.n_group = block->groups > 1 ? block->groups : 1;
		whole.in_c /= whole.n_group;
		whole.out_c /= whole.n_group;
	}
	whole.w = (whole.out_w - 1) * block->stride + block_reach_w(block);
	whole.h = (whole.out_h - 1) * block->stride + block_reach_h(block);
	return whole;
}

static bool lay_out(struct whole_layer *whole)
{
	const struct prove_map *ifmap = &whole->data->ifmap;
	size_t n_channel = ifmap->c;
	assert(n_channel == (size_t)whole->in_c * whole->n_group);
	whole->padded = calloc((size_t)whole->w * whole->h * n_channel, sizeof(*whole->padded));
	if (!whole->padded)
		return false;
	for (uint32_t y = 0; y < ifmap->h; y++)
		for (uint32_t x = 0; x < ifmap->w; x++) {
			uint32_t to_x = x + whole->block->pad_left, to_y = y + whole->block->pad_top;
			const int8_t *from = ifmap->value + ((size_t)y * ifmap->w + x) * n_channel;
			if (to_x >= whole->w || to_y >= whole->h)
				continue; /* beyond the last window */
			int16_t *to = whole->padded + ((size_t)to_y * whole->w + to_x) * n_channel;
			for (size_t c = 0; c < n_channel; c++)
				to[c] = from[c];
		}
	return true;
}

static uint32_t dot(const int16_t *a, const int16_t *b, size_t n)
{
	uint32_t sum = 0;
	for (size_t first = 0; first < n; first += CHUNK) {
		size_t end = n - first < CHUNK ? n : first + CHUNK;
		int32_t part = 0;
		for (size_t i = first; i < end; i++)
			part += a[i] * b[i];
		sum += (uint32_t)part;
	}
	return sum;
}

/* One value before anything is added to it: filter [kernel_h][kernel_w][in_c] on the window at (x, y). */
static uint32_t convolve(const struct whole_layer *whole, const int16_t *filter, uint32_t group, uint32_t x, uint32_t y)
{
	const struct block *block = whole->block;
	size_t n_channel = (size_t)whole->in_c * whole->n_group, dilation = block_dilation(block);
	uint32_t sum = 0;
	for (uint32_t i = 0; i < block->kernel_h; i++) {
		size_t row = (size_t)y * block->stride + (size_t)i * dilation, column = (size_t)x * block->stride;
		const int16_t *from = whole->padded + (row * whole->w + column) * n_channel;
		const int16_t *tap = filter + (size_t)i * block->kernel_w * whole->in_c;
		if (whole->n_group == 1 && dilation == 1) {
			sum += dot(from, tap, (size_t)block->kernel_w * whole->in_c);
			continue;
		}
		for (uint32_t k = 0; k < block->kernel_w; k++)
			sum += dot(from + (size_t)k * dilation * n_channel + (size_t)group * whole->in_c,
			           tap + (size_t)k * whole->in_c, whole->in_c);
	}
	return sum;
}

/* Filters N_FILTER * i .. on all windows. */
static void sum_filters(void *context, size_t i)
{
	struct whole_layer *whole = context;
	const struct block *block = whole->block;
	size_t n_tap = (size_t)block->kernel_w * block->kernel_h * whole->in_c;
	size_t n_all = (size_t)whole->out_c * whole->n_group, first = i * N_FILTER;
	size_t n = n_all - first < N_FILTER ? n_all - first : N_FILTER;
	int16_t *filter = malloc(n * n_tap * sizeof(*filter));
	whole->failed[i] = !filter;
	if (!filter)
		return;
	for (size_t k = 0; k < n * n_tap; k++)
		filter[k] = whole->data->weight[first * n_tap + k];
	for (uint32_t y = 0; y < whole->out_h; y++)
		for (uint32_t x = 0; x < whole->out_w; x++) {
			uint32_t *to = whole->sum + ((size_t)y * whole->out_w + x) * n_all + first;
			for (size_t f = 0; f < n; f++)
				to[f] =
				    convolve(whole, filter + f * n_tap, (uint32_t)((first + f) / whole->out_c), x, y);
		}
	free(filter);
}

static bool sum_all(struct whole_layer *whole, const struct prove_pool *pool)
{
	size_t n_channel = (size_t)whole->out_c * whole->n_group, n_item = (size_t)ceil_div(n_channel, N_FILTER);
	bool good;
	whole->sum = malloc((size_t)whole->out_w * whole->out_h * n_channel * sizeof(*whole->sum));
	whole->failed = calloc(n_item, sizeof(*whole->failed));
	good = whole->sum && whole->failed && lay_out(whole);
	if (good)
		pool->run(pool, n_item, sum_filters, whole);
	for (size_t i = 0; i < n_item && good; i++)
		good = !whole->failed[i];
	free(whole->failed);
	free(whole->padded);
	return good;
}

/* ---- after the sums ---- */

static uint32_t choose_shift(const struct whole_layer *whole, uint64_t seed)
{
	size_t n = (size_t)whole->out_w * whole->out_h * whole->out_c * whole->n_group;
	struct rng rng = rng_stream(seed, SHIFT_STREAM, whole->block->number);
	double magnitude = 0;
	uint32_t shift = 1;
	for (size_t i = 0; i < n; i++)
		magnitude += whole->sum[i] >> 31 ? 0u - whole->sum[i] : whole->sum[i];
	while (magnitude / (double)n / (double)(UINT64_C(1) << shift) >= MEAN_LIMIT)
		shift++;
	assert(shift < 31);
	return shift > 1 ? shift - rng_below(&rng, 2) : shift;
}

/* Value of the core operation's result, quantised. */
static int8_t value_at(const struct whole_layer *whole, size_t at)
{
	uint32_t sum = whole->sum[at];
	if (whole->block->has_mat_ele)
		sum += (uint32_t)whole->data->added.value[at] << (whole->data->shift - 1);
	if (whole->block->has_acti && sum >> 31)
		sum = 0;
	return prove_quantise(sum, whole->data->shift);
}

/* A row of the block's result. */
static void finish_row(void *context, size_t y)
{
	const struct whole_layer *whole = context;
	const struct prove_map *out = whole->result;
	uint32_t side = whole->block->pool;
	for (uint32_t x = 0; x < out->w; x++)
		for (uint32_t c = 0; c < out->c; c++) {
			int64_t sum = 0;
			int8_t most = INT8_MIN;
			for (uint32_t i = 0; i < side * side; i++) {
				size_t row = y * side + i / side, column = (size_t)x * side + i % side;
				int8_t value = value_at(whole, (row * whole->out_w + column) * out->c + c);
				sum += value;
				most = value > most ? value : most;
			}
			out->value[(y * out->w + x) * out->c + c] =
			    whole->block->pool_average && side > 1 ? prove_average(sum, (int64_t)side * side) : most;
		}
}

/* Pooling as a block of its own: a row of its result. */
static void pool_row(void *context, size_t y)
{
	const struct whole_layer *whole = context;
	const struct block *block = whole->block;
	const struct prove_map *out = whole->result;
	for (uint32_t x = 0; x < out->w; x++)
		for (uint32_t c = 0; c < out->c; c++) {
			int64_t sum = 0;
			int16_t most = INT8_MIN;
			for (uint32_t i = 0; i < block->kernel_h; i++)
				for (uint32_t k = 0; k < block->kernel_w; k++) {
					size_t row = y * block->stride + i, column = (size_t)x * block->stride + k;
					int16_t value = whole->padded[(row * whole->w + column) * out->c + c];
					sum += value;
					most = value > most ? value : most;
				}
			out->value[(y * out->w + x) * out->c + c] =
			    block->pool_average ? prove_average(sum, (int64_t)block->kernel_w * block->kernel_h)
						: (int8_t)most;
		}
}

/* All of a layer of the ARM cores at once. */
static bool work_on_all(const struct whole_layer *whole)
{
	const struct prove_map *ifmap = &whole->data->ifmap, *added = &whole->data->added;
	size_t n = (size_t)ifmap->w * ifmap->h * ifmap->c,
	       n_added = added->value ? (size_t)added->w * added->h * added->c : 0;
	int16_t *operand = malloc((n + n_added) * sizeof(*operand));
	if (!operand)
		return false;
	for (size_t i = 0; i < n; i++)
		operand[i] = ifmap->value[i];
	for (size_t i = 0; i < n_added; i++)
		operand[n + i] = added->value[i];
	prove_arm(whole->block, whole->result, operand, operand + n, whole->result->value);
	free(operand);
	return true;
}

/* One image, into its part of the result; false: no memory. */
static bool compute_image(struct whole_layer *whole, uint64_t seed, struct prove_data *data,
                          const struct prove_pool *pool)
{
	bool is_pool = whole->block->kind == BLOCK_POOL, is_arm = is_pool && whole->block->arm != ARM_POOL;
	bool good = is_arm ? work_on_all(whole) : is_pool ? lay_out(whole) : sum_all(whole, pool);
	if (good && !is_pool && data->shift == 0)
		data->shift = choose_shift(whole, seed);
	if (good && !is_arm)
		pool->run(pool, whole->result->h, is_pool ? pool_row : finish_row, whole);
	if (is_pool)
		free(whole->padded);
	free(whole->sum);
	return good;
}

/* The i-th of n images that stand one below the other. */
static struct prove_map image_of(const struct prove_map *all, uint32_t n, uint32_t i)
{
	struct prove_map image = {all->w, all->h / n, all->c, all->value};
	assert(all->h % n == 0 && i < n);
	if (image.value)
		image.value += (size_t)i * image.w * image.h * image.c;
	return image;
}

enum err_code prove_reference(const struct block *block, uint64_t seed, struct prove_data *data,
                              const struct prove_pool *pool, struct prove_map *result)
{
	struct whole_layer shape = whole_of(block, data);
	uint32_t n_image = block_batch(block);
	struct prove_map out = {shape.out_w / block->pool, shape.out_h / block->pool * n_image,
	                        shape.out_c * shape.n_group, NULL};
	uint64_t n_value = mul_sat((uint64_t)out.w * out.h, out.c);
	out.value = n_value <= PROVE_MAX_VALUE ? malloc((size_t)n_value) : NULL;
	bool good = out.value != NULL;
	for (uint32_t i = 0; i < n_image && good; i++) {
		struct prove_data own = *data;
		struct prove_map image = image_of(&out, n_image, i);
		own.ifmap = image_of(&data->ifmap, n_image, i);
		if (own.added.value)
			own.added = image_of(&data->added, n_image, i);
		struct whole_layer whole = whole_of(block, &own);
		whole.result = &image;
		good = compute_image(&whole, seed, &own, pool);
		data->shift = own.shift;
	}
	if (!good) {
		free(out.value);
		return ERR_INFEASIBLE;
	}
	*result = out;
	return ERR_OK;
}
