/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker: fetches what a tile's record says, computes in 32-bit sums, writes the result. What it may believe has been
 * checked (emulate_check.c).
 */
#include "dse/base/memory.h"
#include "dse/emulate/emulate_parts.h"
#include "mapper/quantise/quantise_arithmetic.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A worker's SRAM during a tile. */
struct worker {
	struct emulator *emulator;
	const struct dram_layer *layer;
	struct octopus_traffic *traffic;
	const struct dram_tile *tile, *before, *first; /* the tile before it, NULL: none; its worker's first */
	const struct emulate_tile *own;
	uint32_t padded_w, padded_h;
	int8_t *ifmap;         /* [in_c][padded_h][padded_w]; linear: [h][in_w] */
	int8_t *added;         /* [n_filter][h][w] */
	uint32_t *sum;         /* [n_filter][h][w]; linear: [h][w] */
	int8_t *core;          /* the same, finished */
	const uint8_t *weight; /* where the next run begins */
	struct stop_watch *watch;
};

static const uint8_t *constant_at(const struct emulator *emulator, uint64_t address)
{
	return emulator->dram.constant + (address - emulator->dram.constants.address);
}

/* Where a patch begins: in the data memory, or in a tensor that stays in SRAM, whichever workers have it. */
static int8_t *patch_at(const struct emulator *emulator, const struct dram_patch *patch)
{
	uint8_t *sram = emulator->sram[patch->tensor];
	return (int8_t *)(sram ? sram + patch->address
	                       : emulator->data + (patch->address - emulator->dram.data.address));
}

/* Bytes of a role that a tile reads from SRAM, which are copies and no loads. */
static uint64_t n_copied(const struct emulator *emulator, const struct dram_tile *tile, uint32_t role)
{
	uint64_t byte = 0;
	for (uint32_t i = 0; i < tile->n_read && emulator->is_resident; i++)
		if (tile->read[i].role == role && emulator->sram[tile->read[i].tensor])
			byte += (uint64_t)tile->read[i].w * tile->read[i].h * tile->read[i].c;
	return byte;
}

static void count(uint64_t byte, uint64_t *total, uint64_t *n, struct octopus_traffic *traffic)
{
	if (byte == 0)
		return;
	*total += byte;
	++*n;
	traffic->n_packet += octopus_n_packet(byte);
}

/* ---- fetching ---- */

static bool same_patch(const struct dram_patch *a, const struct dram_patch *b)
{
	return a->address == b->address && a->row_byte == b->row_byte && a->plane_byte == b->plane_byte &&
	       a->role == b->role && a->w == b->w && a->h == b->h && a->c == b->c && a->to == b->to;
}

bool emulate_same_ifmap(const struct dram_tile *tile, const struct dram_tile *before)
{
	uint32_t i = 0, k = 0;
	if (tile->pad_left != before->pad_left || tile->pad_right != before->pad_right ||
	    tile->pad_top != before->pad_top || tile->pad_bottom != before->pad_bottom)
		return false;
	for (;; i++, k++) {
		while (i < tile->n_read && tile->read[i].role != OCTOPUS_IFMAP)
			i++;
		while (k < before->n_read && before->read[k].role != OCTOPUS_IFMAP)
			k++;
		if (i == tile->n_read || k == before->n_read)
			return i == tile->n_read && k == before->n_read;
		if (!same_patch(&tile->read[i], &before->read[k]))
			return false;
	}
}

/* A patch to where its channels begin; of rows of row_byte, planes of plane_byte there. */
static void fetch_patch(const struct worker *worker, const struct dram_patch *patch, int8_t *to, size_t row_byte,
                        size_t plane_byte)
{
	const int8_t *from = patch_at(worker->emulator, patch);
	for (uint32_t c = 0; c < patch->c; c++)
		for (uint32_t y = 0; y < patch->h; y++)
			memcpy(to + (patch->to + c) * plane_byte + y * row_byte,
			       from + c * patch->plane_byte + y * patch->row_byte, patch->w);
}

/* The ifmap with zeros around it. */
static void fetch_ifmap(const struct worker *worker)
{
	const struct emulate_tile *own = worker->own;
	size_t plane = (size_t)worker->padded_w * worker->padded_h;
	int8_t *to = worker->ifmap + (size_t)worker->tile->pad_top * worker->padded_w + worker->tile->pad_left;
	bool is_linear = worker->layer->type == OCTOPUS_LINEAR;
	memset(worker->ifmap, 0, plane * own->in_c);
	for (uint32_t i = 0; i < worker->tile->n_read; i++) {
		const struct dram_patch *patch = &worker->tile->read[i];
		if (patch->role == OCTOPUS_IFMAP && is_linear)
			fetch_patch(worker, patch, worker->ifmap, patch->w, (size_t)patch->w * patch->h);
		else if (patch->role == OCTOPUS_IFMAP)
			fetch_patch(worker, patch, to, worker->padded_w, plane);
	}
}

static void fetch_added(const struct worker *worker)
{
	const struct emulate_tile *own = worker->own;
	for (uint32_t i = 0; i < worker->tile->n_read; i++)
		if (worker->tile->read[i].role == OCTOPUS_ADDED)
			fetch_patch(worker, &worker->tile->read[i], worker->added, worker->tile->read[i].w,
			            (size_t)worker->tile->read[i].w * worker->tile->read[i].h);
	uint64_t copied = n_copied(worker->emulator, worker->tile, OCTOPUS_ADDED);
	count(own->added_byte - copied, &worker->traffic->input_byte, &worker->traffic->n_input_load, worker->traffic);
}

/* ---- the MAC array ---- */

/* Filters first to first + n - 1 of the tile with one tap, at (x, y) of the padded channel. */
static void add_tap(const struct worker *worker, const int8_t *channel, uint32_t x, uint32_t y, uint32_t first,
                    uint32_t n, const uint8_t *weight)
{
	const struct emulate_tile *own = worker->own;
	uint32_t stride = worker->layer->shape.stride;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *to = worker->sum + (size_t)(first + i) * own->w * own->h;
		int8_t tap = (int8_t)weight[i];
		for (uint32_t row = 0; row < own->h; row++, to += own->w) {
			const int8_t *from = channel + ((size_t)row * stride + y) * worker->padded_w + x;
			if (stride == 1)
				for (uint32_t k = 0; k < own->w; k++)
					to[k] += (uint32_t)(tap * from[k]);
			else
				for (uint32_t k = 0; k < own->w; k++)
					to[k] += (uint32_t)(tap * from[(size_t)k * stride]);
		}
	}
}

/* Channels from to end - 1 of each group: the next run of weights; false, as of the others, when it was stopped. */
static bool convolve(struct worker *worker, uint32_t from, uint32_t end)
{
	const struct dram_shape *shape = &worker->layer->shape;
	const struct emulate_tile *own = worker->own;
	size_t plane = (size_t)worker->padded_w * worker->padded_h;
	uint32_t out_c = shape->out_c / shape->groups, in_c = shape->in_c / shape->groups;
	uint32_t first_group = own->first_filter / out_c;
	for (uint32_t f = own->first_filter, last = f + own->n_filter, n; f < last; f += n) {
		n = emulate_n_lane(shape, f, last);
		const int8_t *group = worker->ifmap + (size_t)(f / out_c - first_group) * in_c * plane;
		for (uint32_t c = from; c < end; c++)
			for (uint32_t k = 0; k < shape->kernel_w * shape->kernel_h; k++) {
				add_tap(worker, group + c * plane, k % shape->kernel_w * shape->dilation,
				        k / shape->kernel_w * shape->dilation, f - own->first_filter, n,
				        worker->weight);
				worker->weight += n;
				if (stop_after(worker->watch, (uint64_t)n * own->w * own->h))
					return false;
			}
	}
	return true;
}

static bool multiply(struct worker *worker, uint32_t from, uint32_t end)
{
	const struct emulate_tile *own = worker->own;
	for (uint32_t f = 0, n; f < own->w; f += n) {
		n = emulate_n_lane(&worker->layer->shape, f, own->w);
		for (uint32_t k = from; k < end; k++, worker->weight += n)
			for (uint32_t y = 0; y < own->h; y++) {
				uint32_t *to = worker->sum + (size_t)y * own->w + f;
				int8_t a = worker->ifmap[(size_t)y * own->in_w + k];
				for (uint32_t i = 0; i < n; i++)
					to[i] += (uint32_t)(a * (int8_t)worker->weight[i]);
				if (stop_after(worker->watch, n))
					return false;
			}
	}
	return true;
}

/* ---- the ARM core ---- */

static void put_biases(const struct worker *worker)
{
	const struct emulate_tile *own = worker->own;
	const uint8_t *from = constant_at(worker->emulator, worker->tile->biases.address);
	bool is_linear = worker->layer->type == OCTOPUS_LINEAR;
	size_t n_each = is_linear ? own->h : (size_t)own->w * own->h;
	for (uint32_t f = 0; f < own->n_filter; f++, from += 4) {
		uint32_t bias = from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
		for (size_t i = 0; i < n_each; i++)
			worker->sum[is_linear ? i * own->w + f : f * n_each + i] = bias;
	}
}

static void finish(const struct worker *worker)
{
	const struct dram_shape *shape = &worker->layer->shape;
	const struct emulate_tile *own = worker->own;
	size_t n = (size_t)own->w * own->h * (worker->layer->type == OCTOPUS_LINEAR ? 1 : own->n_filter);
	for (size_t i = 0; i < n; i++) {
		uint32_t sum = worker->sum[i];
		if (shape->has_added)
			sum += quantise_added(worker->added[i], shape->added_shift);
		worker->core[i] = quantise_finish(sum, shape->has_acti, shape->shift);
	}
}

/* One number of pooling with a window of its own, at (x, y) of its input's padded channel. */
static int8_t pool_window(const struct worker *worker, const int8_t *from)
{
	const struct dram_shape *shape = &worker->layer->shape;
	int64_t total = 0;
	int8_t most = INT8_MIN;
	for (uint32_t y = 0; y < shape->kernel_h; y++)
		for (uint32_t x = 0; x < shape->kernel_w; x++) {
			int8_t value = from[(size_t)y * worker->padded_w + x];
			total += value;
			most = value > most ? value : most;
		}
	return shape->pool_average ? quantise_average(total, (int64_t)shape->kernel_w * shape->kernel_h) : most;
}

static bool pool(const struct worker *worker)
{
	const struct emulate_tile *own = worker->own;
	const struct dram_shape *shape = &worker->layer->shape;
	size_t plane = (size_t)worker->padded_w * worker->padded_h, stride = shape->stride, at = 0;
	for (uint32_t c = 0; c < own->n_filter; c++)
		for (uint32_t y = 0; y < own->h; y++)
			for (uint32_t x = 0; x < own->w; x++) {
				worker->core[at++] = pool_window(
				    worker, worker->ifmap + c * plane + y * stride * worker->padded_w + x * stride);
				if (stop_after(worker->watch, (uint64_t)shape->kernel_w * shape->kernel_h))
					return false;
			}
	return true;
}

/* Rows over the sides that lie together; the sums' memory has each row, and its result. */
static bool softmax(const struct worker *worker)
{
	const struct emulate_tile *own = worker->own;
	uint32_t whole = worker->layer->shape.whole;
	size_t n_w = whole & WHOLE_W ? own->w : 1, n_h = whole & WHOLE_H ? own->h : 1;
	size_t row_c = worker->layer->shape.out_c / worker->layer->shape.groups, n_c = 1;
	if (whole & WHOLE_C)
		n_c = own->n_filter % row_c == 0 ? row_c : own->n_filter;
	size_t n = n_w * n_h * n_c;
	int8_t *row = (int8_t *)worker->sum;
	for (size_t c = 0; c < own->n_filter; c += n_c)
		for (size_t y = 0; y < own->h; y += n_h)
			for (size_t x = 0; x < own->w; x += n_w) {
				for (size_t k = 0; k < n; k++)
					row[k] =
					    worker->ifmap[((c + k / n_w / n_h) * own->h + y + k / n_w % n_h) * own->w +
					                  x + k % n_w];
				quantise_softmax(row, n, worker->layer->shape.shift, row + n);
				for (size_t k = 0; k < n; k++)
					worker->core[((c + k / n_w / n_h) * own->h + y + k / n_w % n_h) * own->w + x +
					             k % n_w] = row[n + k];
				if (stop_after(worker->watch, n))
					return false;
			}
	return true;
}

/* One number of fused pooling. */
static int8_t pool_fused(const struct worker *worker, const int8_t *from)
{
	uint32_t side = worker->layer->shape.pool;
	int64_t total = 0;
	int8_t most = INT8_MIN;
	for (uint32_t i = 0; i < side * side; i++) {
		int8_t value = from[(size_t)(i / side) * worker->own->w + i % side];
		total += value;
		most = value > most ? value : most;
	}
	return worker->layer->shape.pool_average && side > 1 ? quantise_average(total, (int64_t)side * side) : most;
}

static void write_result(const struct worker *worker)
{
	const struct dram_patch *patch = &worker->tile->result;
	const struct emulate_tile *own = worker->own;
	uint32_t side = worker->layer->shape.pool;
	int8_t *to = patch_at(worker->emulator, patch);
	for (uint32_t c = 0; c < patch->c; c++)
		for (uint32_t y = 0; y < patch->h; y++)
			for (uint32_t x = 0; x < patch->w; x++)
				to[c * patch->plane_byte + y * patch->row_byte + x] =
				    pool_fused(worker, worker->core + ((size_t)c * own->h + (size_t)y * side) * own->w +
				                           (size_t)x * side);
	if (worker->emulator->sram[patch->tensor])
		return; /* it stays here */
	count((uint64_t)patch->w * patch->h * patch->c, &worker->traffic->output_byte, &worker->traffic->n_write,
	      worker->traffic);
}

/* ---- a tile ---- */

/* Where weights stay they are loaded once: with the first run, and the first tile of the worker that needs them. */
static bool is_loaded(const struct worker *worker)
{
	if (!worker->emulator->is_resident)
		return false;
	bool found = worker->emulator->n_run > 0;
	for (const struct dram_tile *tile = worker->first; tile < worker->tile && !found; tile++)
		found = tile->weights.address == worker->tile->weights.address;
	return found;
}

/* The chip fetches operands part by part of the depth, each into the place of the one before: so they are counted. */
static bool run_filters(struct worker *worker)
{
	const struct dim_split *d = &worker->layer->shape.split.d;
	const struct dram_tile *tile = worker->tile;
	const struct emulate_tile *own = worker->own;
	uint32_t depth = emulate_depth(worker->layer), n_part = dim_n_part(d);
	bool is_kept = n_part == 1 && worker->before;
	bool has_weights = (is_kept && worker->before->weights.address == tile->weights.address) || is_loaded(worker);
	bool has_ifmap = is_kept && emulate_same_ifmap(tile, worker->before);
	uint64_t in_byte = (uint64_t)own->in_w * own->in_h * own->in_c;
	uint64_t copied = n_copied(worker->emulator, tile, OCTOPUS_IFMAP);
	in_byte -= copied;
	worker->weight = constant_at(worker->emulator, tile->weights.address);
	if (!has_ifmap)
		fetch_ifmap(worker);
	put_biases(worker);
	for (uint32_t i = 0, at = 0; i < n_part && at < depth; i++) {
		uint32_t n = i < d->n_a ? d->size_a : d->size_b;
		n = n < depth - at ? n : depth - at;
		const uint8_t *begin = worker->weight;
		if (!(worker->layer->type == OCTOPUS_LINEAR ? multiply : convolve)(worker, at, at + n))
			return false;
		if (!has_weights)
			count((uint64_t)(worker->weight - begin), &worker->traffic->weight_byte,
			      &worker->traffic->n_weight_load, worker->traffic);
		if (!has_ifmap)
			count(in_byte / depth * n, &worker->traffic->input_byte, &worker->traffic->n_input_load,
			      worker->traffic);
		at += n;
	}
	assert(worker->weight == constant_at(worker->emulator, tile->weights.address) + tile->weights.byte);
	if (!has_weights) {
		worker->traffic->weight_byte += tile->biases.byte;
		worker->traffic->n_packet += octopus_n_packet(tile->biases.byte);
	}
	return true;
}

static bool run_arm(struct worker *worker)
{
	const struct emulate_tile *own = worker->own;
	if (!worker->before || !emulate_same_ifmap(worker->tile, worker->before)) {
		uint64_t copied = n_copied(worker->emulator, worker->tile, OCTOPUS_IFMAP);
		fetch_ifmap(worker);
		count((uint64_t)own->in_w * own->in_h * own->in_c - copied, &worker->traffic->input_byte,
		      &worker->traffic->n_input_load, worker->traffic);
	}
	return (worker->layer->type == OCTOPUS_POOL ? pool : softmax)(worker);
}

static bool run_tile(struct worker *worker)
{
	bool has_filters = worker->layer->type == OCTOPUS_CONV || worker->layer->type == OCTOPUS_LINEAR;
	worker->padded_w = worker->own->in_w + worker->tile->pad_left + worker->tile->pad_right;
	worker->padded_h = worker->own->in_h + worker->tile->pad_top + worker->tile->pad_bottom;
	if (!has_filters) {
		if (!run_arm(worker))
			return false;
	} else {
		if (!run_filters(worker))
			return false;
		if (worker->own->added_byte > 0)
			fetch_added(worker);
		finish(worker);
	}
	write_result(worker);
	return true;
}

/* Numbers of the largest tile. */
static void open_sram(struct worker *worker, const struct emulate_tile *tile, const struct dram_worker *mine)
{
	size_t n_in = 1, n_core = 1;
	for (uint32_t i = mine->first_tile; i < mine->first_tile + mine->n_tile; i++) {
		const struct dram_tile *record = &worker->layer->tile[i];
		size_t in = ((size_t)tile[i].in_w + record->pad_left + record->pad_right) *
		            ((size_t)tile[i].in_h + record->pad_top + record->pad_bottom) * tile[i].in_c;
		size_t core =
		    (size_t)tile[i].w * tile[i].h * (worker->layer->type == OCTOPUS_LINEAR ? 1 : tile[i].n_filter);
		n_in = in > n_in ? in : n_in;
		n_core = core > n_core ? core : n_core;
	}
	worker->sum = memory_array(n_core, sizeof(*worker->sum));
	worker->core = memory_array(2 * n_core + n_in, 1);
	worker->added = worker->core + n_core;
	worker->ifmap = worker->added + n_core;
}

bool emulate_worker(struct emulator *emulator, uint32_t l, uint32_t p, struct stop_watch *watch)
{
	const struct dram_layer *layer = &emulator->dram.layer[l];
	const struct dram_worker *mine = &layer->worker[p];
	struct worker worker = {.emulator = emulator,
	                        .layer = layer,
	                        .traffic = &emulator->part[l][p],
	                        .first = layer->tile + mine->first_tile,
	                        .watch = watch};
	bool is_done = true;
	open_sram(&worker, emulator->tile[l], mine);
	for (uint32_t i = mine->first_tile; i < mine->first_tile + mine->n_tile && is_done; i++) {
		worker.tile = &layer->tile[i];
		worker.own = &emulator->tile[l][i];
		is_done = run_tile(&worker);
		worker.before = worker.tile;
	}
	free(worker.core);
	free(worker.sum);
	return is_done;
}
