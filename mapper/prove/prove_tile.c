/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A result computed from its tiles, as a PE has them: the ifmap part with its
 * padding and overlap, the filter part, 32-bit sums task by task, and what the
 * ARM core does to them. Whatever a tile lacks has the value POISON, so that a
 * task which reaches past it goes wrong.
 */
#include "mapper/prove/prove_arithmetic.h"
#include "mapper/prove/prove_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define POISON 85
/* Products of int8 that fit a signed 32-bit sum: 2^31 / 2^14, and some. */
#define RUN_MAX 65536u
#define N_AT_ONCE 4 /* filters */

/* A tile and scratch for its tasks; one allocation. */
struct tile {
	const struct prove_run *run;
	const struct prove_data *data;
	struct prove_region region;
	uint32_t in_w, in_h; /* pixels that the result's windows reach */
	/* Of this task: filters, of all groups; their groups, each with as many of them; input channels of a group. */
	struct prove_span filters;
	uint32_t first_group, n_group;
	struct prove_span depth;
	uint32_t n_channel; /* of a pixel, all groups */
	uint64_t n_tap;     /* numbers of a filter */
	int16_t *map;       /* [in_h][in_w][n_channel], group by group */
	int16_t *filter;    /* [filters, and N_AT_ONCE of zeros][n_tap] */
	int16_t *window;    /* [n_tap] */
	uint32_t *sum;      /* [h][w][c] of the result */
	void *memory;
};

/* First pixel of a part in the ifmap without padding; below 0: padding. */
static int64_t first_in(const struct tile *tile, uint32_t first_out, uint32_t pad)
{
	return (int64_t)first_out * tile->run->core.block->stride - pad;
}

/* Pixels that the part has, as the mapper counts them (thesis equation 4.1). */
static uint32_t loaded(uint32_t part, uint32_t needed)
{
	return part < needed ? part : needed;
}

/* The pixel at (x, y) of the tile's image, its channels; padding, and what lies beyond it, is zeros. */
static void load_pixel(const struct tile *tile, int64_t x, int64_t y, int16_t *to)
{
	const struct prove_map *ifmap = &tile->data->ifmap;
	uint32_t image_h = tile->run->core.block->in_h;
	if (x < 0 || y < 0 || x >= ifmap->w || y >= image_h) {
		memset(to, 0, tile->n_channel * sizeof(*to));
		return;
	}
	size_t row = (size_t)tile->region.image * image_h + (size_t)y;
	const int8_t *pixel = ifmap->value + (row * ifmap->w + (size_t)x) * ifmap->c;
	for (uint32_t g = 0; g < tile->n_group; g++) {
		const int8_t *from = pixel + (size_t)(tile->first_group + g) * tile->run->core.in_c + tile->depth.first;
		for (uint32_t i = 0; i < tile->depth.size; i++)
			*to++ = from[i];
	}
}

/*
 * The ifmap part: as many columns and rows as the split gives it. A window that
 * reaches past the whole padded ifmap sees zeros there, as in the reference.
 */
static void load_map(const struct tile *tile)
{
	const struct prove_core *core = &tile->run->core;
	const struct block *block = core->block;
	const struct prove_region *region = &tile->region;
	bool is_matmul = block->kind == BLOCK_MATMUL;
	uint32_t part_w = is_matmul ? region->w.size : prove_part_in_w(core, region->w.size);
	uint32_t part_h = is_matmul ? region->h.size : prove_part_in_h(core, region->h.size);
	int64_t first_x = first_in(tile, region->w.first, block->pad_left);
	int64_t first_y = first_in(tile, region->h.first, block->pad_top);
	if (tile->run->mistake == PROVE_PADDING_SIDE)
		first_x++;
	uint32_t n_w = loaded(part_w, tile->in_w) - (tile->run->mistake == PROVE_HALO);
	for (uint32_t y = 0; y < tile->in_h; y++)
		for (uint32_t x = 0; x < tile->in_w; x++) {
			int16_t *to = tile->map + ((size_t)y * tile->in_w + x) * tile->n_channel;
			int64_t in_x = first_x + x, in_y = first_y + y;
			bool is_past = in_x >= (int64_t)tile->run->core.padded_w - block->pad_left ||
			               in_y >= (int64_t)tile->run->core.padded_h - block->pad_top;
			if ((x < n_w && y < part_h) || is_past)
				load_pixel(tile, in_x, in_y, to);
			else
				for (uint32_t i = 0; i < tile->n_channel; i++)
					to[i] = POISON;
		}
}

/* The filter part, and zeros behind it. */
static void load_filter(const struct tile *tile)
{
	const struct prove_core *core = &tile->run->core;
	size_t n_kernel = (size_t)core->block->kernel_w * core->block->kernel_h;
	int16_t *to = tile->filter;
	for (uint32_t f = 0; f < tile->filters.size; f++)
		for (size_t k = 0; k < n_kernel; k++) {
			size_t filter = tile->filters.first + f;
			const int8_t *from =
			    tile->data->weight + (filter * n_kernel + k) * core->in_c + tile->depth.first;
			for (uint32_t i = 0; i < tile->depth.size; i++)
				*to++ = from[i];
		}
	memset(to, 0, N_AT_ONCE * tile->n_tap * sizeof(*to));
}

/* Four filters, n numbers each, one after the other, on one window. */
static void add_products(const int16_t *window, const int16_t *filter, uint64_t n, uint32_t sum[N_AT_ONCE])
{
	for (uint64_t first = 0; first < n; first += RUN_MAX) {
		uint64_t end = first + RUN_MAX < n ? first + RUN_MAX : n;
		const int16_t *f0 = filter, *f1 = f0 + n, *f2 = f1 + n, *f3 = f2 + n;
		int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
		for (uint64_t i = first; i < end; i++) {
			s0 += window[i] * f0[i];
			s1 += window[i] * f1[i];
			s2 += window[i] * f2[i];
			s3 += window[i] * f3[i];
		}
		sum[0] += (uint32_t)s0;
		sum[1] += (uint32_t)s1;
		sum[2] += (uint32_t)s2;
		sum[3] += (uint32_t)s3;
	}
}

/* A group's window of output (x, y) in one piece. */
static const int16_t *gather(const struct tile *tile, uint32_t group, uint32_t x, uint32_t y)
{
	const struct block *block = tile->run->core.block;
	size_t n = tile->depth.size, n_row = (size_t)tile->in_w * tile->n_channel, dilation = block_dilation(block);
	const int16_t *from =
	    tile->map + (size_t)y * block->stride * n_row + (size_t)x * block->stride * tile->n_channel + group * n;
	int16_t *to = tile->window;
	if (tile->n_group == 1 && block->kernel_h == 1 && dilation == 1)
		return from;
	for (uint32_t i = 0; i < block->kernel_h; i++, from += dilation * n_row) {
		if (tile->n_group == 1 && dilation == 1) {
			memcpy(to, from, block->kernel_w * n * sizeof(*to));
			to += block->kernel_w * n;
			continue;
		}
		for (uint32_t k = 0; k < block->kernel_w; k++, to += n)
			memcpy(to, from + k * dilation * tile->n_channel, n * sizeof(*to));
	}
	return tile->window;
}

/* The group's n filters from f on of one output. */
static void add_filters(const struct tile *tile, const int16_t *window, uint32_t first, uint32_t n, uint32_t *to)
{
	for (uint32_t f = 0; f < n; f += N_AT_ONCE) {
		uint32_t sum[N_AT_ONCE] = {0};
		add_products(window, tile->filter + (first + f) * tile->n_tap, tile->n_tap, sum);
		for (uint32_t i = 0; i < N_AT_ONCE && i < n - f; i++)
			to[first + f + i] += sum[i];
	}
}

static void run_task(const struct tile *tile)
{
	const struct prove_region *region = &tile->region;
	uint32_t n_each = region->c.size / tile->n_group;
	for (uint32_t y = 0; y < region->h.size; y++)
		for (uint32_t x = 0; x < region->w.size; x++) {
			uint32_t *to = tile->sum + ((size_t)y * region->w.size + x) * region->c.size;
			for (uint32_t g = 0; g < tile->n_group; g++)
				add_filters(tile, gather(tile, g, x, y), g * n_each, n_each, to);
		}
}

static void rectify(const struct tile *tile)
{
	size_t n = (size_t)tile->region.w.size * tile->region.h.size * tile->region.c.size;
	for (size_t i = 0; i < n; i++)
		if (tile->sum[i] >> 31)
			tile->sum[i] = 0;
}

/* Nothing that lay in the PE was of use: its sums are nobody knows what. */
static void spoil(const struct tile *tile)
{
	size_t n = (size_t)tile->region.w.size * tile->region.h.size * tile->region.c.size;
	for (size_t i = 0; i < n; i++)
		tile->sum[i] += POISON * 0x01010101u;
}

/* The input channels of a task's filters, of each of their groups so many. */
static void set_depth(struct tile *tile, struct prove_span depth)
{
	const struct block *block = tile->run->core.block;
	tile->first_group = 0;
	tile->n_group = 1;
	if (block->kind == BLOCK_CONV && block_n_group(block) > 1) {
		uint32_t n_each = block_group_out_c(block);
		tile->first_group = tile->filters.first / n_each;
		tile->n_group = tile->filters.size > n_each ? tile->filters.size / n_each : 1;
	}
	tile->depth = depth;
	tile->n_channel = tile->n_group * depth.size;
	tile->n_tap = (uint64_t)block->kernel_w * block->kernel_h * depth.size;
}

/* One task on what lay there: another part than the result's goes by its own numbers, in the result's extents. */
static void add_task(struct tile *tile, const struct prove_task *task, uint32_t result)
{
	const struct prove_core *core = &tile->run->core;
	const struct prove_region own = prove_region_of(core, result);
	if (task->map == PROVE_NONE || task->filter == PROVE_NONE) {
		spoil(tile);
		return;
	}
	const struct prove_map_part part = prove_map_part_of(core, task->map);
	struct prove_region there = prove_region_of(core, part.map * core->n_c);
	struct prove_span filters = prove_span_of(&core->split.c, task->filter % core->n_c, core->out_c);
	if (there.w.size != own.w.size || there.h.size != own.h.size || filters.size != own.c.size ||
	    task->filter / core->n_c % core->n_d != part.depth ||
	    task->filter % core->n_c / core->n_meet != part.channel_part) {
		spoil(tile);
		return;
	}
	filters.first += own.group * core->out_c;
	tile->filters = filters;
	tile->region.w = there.w;
	tile->region.h = there.h;
	tile->region.image = there.image;
	set_depth(tile, prove_span_of(&core->split.d, part.depth, core->in_c));
	load_map(tile);
	load_filter(tile);
	run_task(tile);
	tile->region = own;
}

/* ---- what the ARM core does ---- */

/* First row of a result among those of all images. */
static size_t row_of(const struct tile *tile, const struct prove_region *region)
{
	return (size_t)region->image * tile->run->core.out_h + region->h.first;
}

static void add_shortcut(const struct tile *tile)
{
	const struct prove_region *region = &tile->region;
	const struct prove_map *added = &tile->data->added;
	unsigned n_time = tile->run->mistake == PROVE_RESIDUAL_TWICE ? 2 : 1;
	for (uint32_t y = 0; y < region->h.size; y++)
		for (uint32_t x = 0; x < region->w.size; x++) {
			size_t pixel = (row_of(tile, region) + y) * added->w + region->w.first + x;
			const int8_t *from = added->value + pixel * added->c + region->c.first;
			uint32_t *to = tile->sum + ((size_t)y * region->w.size + x) * region->c.size;
			from += (size_t)region->group * tile->run->core.out_c;
			for (uint32_t i = 0; i < region->c.size; i++)
				to[i] += n_time * ((uint32_t)from[i] << (tile->data->shift - 1));
		}
}

/* A pixel of the tile, quantised; beside it there is nothing. */
static int8_t quantised(const struct tile *tile, int64_t x, uint32_t y, uint32_t c)
{
	const struct prove_region *region = &tile->region;
	if (x < 0)
		return POISON;
	uint32_t sum = tile->sum[((size_t)y * region->w.size + (size_t)x) * region->c.size + c];
	return prove_quantise(sum, tile->data->shift + (tile->run->mistake == PROVE_SHIFT));
}

/* Fused pooling of the window that begins at (x, y); of one pixel nothing. */
static int8_t pool(const struct tile *tile, uint32_t x, uint32_t y, uint32_t c)
{
	const struct block *block = tile->run->core.block;
	uint32_t side = block->pool;
	int64_t sum = 0, first_x = (int64_t)x - (tile->run->mistake == PROVE_POOL_BORDER && side > 1);
	int8_t most = INT8_MIN;
	for (uint32_t i = 0; i < side; i++)
		for (uint32_t k = 0; k < side; k++) {
			int8_t value = quantised(tile, first_x + k, y + i, c);
			sum += value;
			most = value > most ? value : most;
		}
	return block->pool_average && side > 1 ? prove_average(sum, (int64_t)side * side) : most;
}

/* Rows and columns of the result in multiples of the pooling's side. */
static void store(const struct tile *tile, struct prove_map *out)
{
	const struct prove_region *region = &tile->region;
	uint32_t side = tile->run->core.block->pool;
	size_t first_c = (size_t)region->group * tile->run->core.out_c + region->c.first;
	for (uint32_t y = 0; y < region->h.size; y += side)
		for (uint32_t x = 0; x < region->w.size; x += side) {
			size_t pixel = (row_of(tile, region) + y) / side * out->w + (region->w.first + x) / side;
			int8_t *to = out->value + pixel * out->c + first_c;
			for (uint32_t c = 0; c < region->c.size; c++)
				to[c] = pool(tile, x, y, c);
		}
}

/* ---- pooling as a block of its own ---- */

/* A window of so many channels, one of them. */
static int8_t pool_window(const struct tile *tile, const int16_t *from)
{
	const struct block *block = tile->run->core.block;
	int64_t sum = 0;
	int16_t most = INT8_MIN;
	for (uint32_t i = 0; i < block->kernel_h; i++)
		for (uint32_t k = 0; k < block->kernel_w; k++) {
			int16_t value = from[((size_t)i * tile->in_w + k) * tile->depth.size];
			sum += value;
			most = value > most ? value : most;
		}
	return block->pool_average ? prove_average(sum, (int64_t)block->kernel_w * block->kernel_h) : (int8_t)most;
}

/* The ifmap part is that of result `there`, which may not be the one that is stored. */
static void pool_part(struct tile *tile, uint32_t there, struct prove_map *out)
{
	const struct block *block = tile->run->core.block;
	const struct prove_region own = tile->region, *region = &own;
	uint32_t n_c = own.c.size;
	tile->region = prove_region_of(&tile->run->core, there);
	if (tile->region.w.size != own.w.size || tile->region.h.size != own.h.size || tile->region.c.size != n_c)
		return;
	set_depth(tile, tile->region.c);
	load_map(tile);
	for (uint32_t y = 0; y < region->h.size; y++)
		for (uint32_t x = 0; x < region->w.size; x++) {
			size_t pixel = (row_of(tile, region) + y) * out->w + region->w.first + x;
			const int16_t *from =
			    tile->map + ((size_t)y * block->stride * tile->in_w + (size_t)x * block->stride) * n_c;
			for (uint32_t c = 0; c < n_c; c++)
				out->value[pixel * out->c + region->c.first + c] = pool_window(tile, from + c);
		}
}

/* Numbers of a second operand that come with the part, behind its own. */
static void load_operand(const struct tile *tile, const struct prove_region *region, int16_t *to)
{
	const struct prove_map *added = &tile->data->added;
	bool is_map = tile->run->core.block->operand == OPERAND_MAP;
	uint32_t n_w = is_map ? region->w.size : 1, n_h = is_map ? region->h.size : 1;
	for (uint32_t y = 0; y < n_h; y++)
		for (uint32_t x = 0; x < n_w; x++) {
			size_t pixel =
			    is_map ? (row_of(tile, region) + y) * added->w + region->w.first + x : region->image;
			for (uint32_t c = 0; c < region->c.size; c++)
				*to++ = added->value[pixel * added->c + region->c.first + c];
		}
}

/* Work of the ARM cores on the part of result `there`. */
static void arm_part(struct tile *tile, uint32_t there, struct prove_map *out)
{
	const struct block *block = tile->run->core.block;
	const struct prove_region own = tile->region;
	const struct prove_map shape = {own.w.size, own.h.size, own.c.size, NULL};
	size_t n = (size_t)shape.w * shape.h * shape.c, at = 0;
	int8_t *result = (int8_t *)tile->window;
	tile->region = prove_region_of(&tile->run->core, there);
	if (tile->region.w.size != own.w.size || tile->region.h.size != own.h.size || tile->region.c.size != own.c.size)
		return;
	set_depth(tile, tile->region.c);
	load_map(tile);
	if (block->operand != OPERAND_NONE)
		load_operand(tile, &tile->region, tile->filter);
	prove_arm(block, &shape, tile->map, tile->filter, result);
	for (uint32_t y = 0; y < shape.h; y++)
		for (uint32_t x = 0; x < shape.w; x++, at += shape.c) {
			size_t pixel = (row_of(tile, &own) + y) * out->w + own.w.first + x;
			memcpy(out->value + pixel * out->c + own.c.first, result + at, shape.c);
		}
	assert(at == n);
}

/* ---- the whole ---- */

/* Room for the largest task of the result. */
static bool open_tile(struct tile *tile)
{
	const struct prove_core *core = &tile->run->core;
	const struct block *block = core->block;
	const struct prove_region *region = &tile->region;
	bool is_pool = block->kind == BLOCK_POOL;
	tile->filters = (struct prove_span){region->group * core->out_c + region->c.first, region->c.size};
	struct prove_span depth = {0, is_pool ? region->c.size : core->split.d.size_a};
	depth.size = !is_pool && depth.size > core->in_c ? core->in_c : depth.size;
	set_depth(tile, depth);
	tile->in_w = (region->w.size - 1) * block->stride + block_reach_w(block);
	tile->in_h = (region->h.size - 1) * block->stride + block_reach_h(block);
	size_t n_map = (size_t)tile->in_w * tile->in_h * tile->n_channel, n_tap = is_pool ? 0 : (size_t)tile->n_tap;
	size_t n_filter = ((size_t)region->c.size + N_AT_ONCE) * n_tap;
	if (is_pool && block->arm != ARM_POOL)
		n_filter = n_tap = n_map; /* the second operand; the result */
	size_t n_sum = is_pool ? 0 : (size_t)region->w.size * region->h.size * region->c.size;
	tile->memory = malloc(n_sum * sizeof(*tile->sum) + (n_map + n_filter + n_tap) * sizeof(*tile->map));
	if (!tile->memory)
		return false;
	tile->sum = tile->memory;
	tile->map = (int16_t *)(tile->sum + n_sum);
	tile->filter = tile->map + n_map;
	tile->window = tile->filter + n_filter;
	memset(tile->sum, 0, n_sum * sizeof(*tile->sum));
	return true;
}

bool prove_tile(const struct prove_run *run, const struct prove_data *data, uint32_t result, struct prove_map *out)
{
	struct tile tile = {.run = run, .data = data, .region = prove_region_of(&run->core, result)};
	uint32_t first = run->store[result].first;
	const struct block *block = run->core.block;
	if (!open_tile(&tile))
		return false;
	if (block->kind == BLOCK_POOL) {
		(block->arm == ARM_POOL ? pool_part : arm_part)(&tile, first, out);
		free(tile.memory);
		return true;
	}
	for (uint32_t i = first; i != PROVE_NONE; i = run->task[i].next) {
		bool is_last = run->task[i].next == PROVE_NONE;
		if (run->mistake == PROVE_LOST_SUM && is_last && i != first)
			break;
		add_task(&tile, &run->task[i], result);
		if (run->mistake == PROVE_RELU_FIRST && !is_last)
			rectify(&tile);
	}
	if (block->has_mat_ele)
		add_shortcut(&tile);
	if (block->has_acti)
		rectify(&tile);
	store(&tile, out);
	free(tile.memory);
	return true;
}
