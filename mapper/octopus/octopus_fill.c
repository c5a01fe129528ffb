/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus_fill.h"
#include "sim/base/checked.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <string.h>

/* A layer whose constants are written. */
struct filling {
	const struct block *block;
	const struct quantise_block *own;
	const struct split *split;
	uint32_t lanes;
	uint64_t n_kernel; /* taps of a channel */
	uint32_t depth;    /* channels of a filter */
	uint8_t *to;
	struct stop_watch *watch;
};

/* Filters of one group of the array: up to the end of the tile and of their group of the convolution. */
static uint32_t n_lane(const struct filling *filling, uint32_t first, uint32_t end)
{
	uint32_t n = end - first < filling->lanes ? end - first : filling->lanes;
	if (block_n_group(filling->block) > 1) {
		uint32_t n_each = block_group_out_c(filling->block), left = n_each - first % n_each;
		n = left < n ? left : n;
	}
	return n;
}

/* Channels from to end - 1 of filters first to end_filter - 1; false when it was stopped. */
static bool put_run(struct filling *filling, uint32_t first, uint32_t end_filter, uint32_t from, uint32_t end)
{
	for (uint32_t f = first, n; f < end_filter; f += n) {
		n = n_lane(filling, f, end_filter);
		for (uint64_t tap = from * filling->n_kernel; tap < end * filling->n_kernel; tap++) {
			for (uint32_t i = 0; i < n; i++)
				*filling->to++ = (uint8_t)filling->own->weight[(f + i) * filling->own->n_tap + tap];
			if (stop_after(filling->watch, n))
				return false;
		}
	}
	return true;
}

static bool put_weights(struct filling *filling, uint32_t first, uint32_t n)
{
	const struct dim_split *d = &filling->split->d;
	uint64_t from = 0;
	for (uint32_t part = 0; part < dim_n_part(d) && from < filling->depth; part++) {
		uint64_t end = from + (part < d->n_a ? d->size_a : d->size_b);
		end = end < filling->depth ? end : filling->depth;
		if (!put_run(filling, first, first + n, (uint32_t)from, (uint32_t)end))
			return false;
		from = end;
	}
	assert(from == filling->depth);
	return true;
}

static void put_biases(struct filling *filling, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = 0; k < sizeof(int32_t); k++)
			*filling->to++ = (uint8_t)((uint32_t)filling->own->bias[first + i] >> 8 * k);
}

/* The tiles that share a part of the filters have the same bytes, written again; false when it was stopped. */
static bool fill_layer(const struct octopus_graph *graph, uint32_t l, struct octopus_dram *dram,
                       struct filling *filling)
{
	const struct octopus_layer *layer = &graph->layer[l];
	bool is_linear = layer->type == OCTOPUS_LINEAR;
	uint64_t at = UINT64_MAX;
	for (uint32_t i = 0; i < layer->n_tile; i++) {
		const struct dram_tile *tile = &dram->layer[l].tile[i];
		struct octopus_tile part;
		if (tile->weights.address == at)
			continue;
		at = tile->weights.address;
		octopus_get_tile(graph, layer, i, &part);
		uint32_t first = is_linear ? part.x : part.c, n = is_linear ? part.w : part.n_c;
		filling->to = dram->constant + (tile->weights.address - dram->constants.address);
		if (!put_weights(filling, first, n))
			return false;
		assert(filling->to == dram->constant + (at + tile->weights.byte - dram->constants.address));
		filling->to = dram->constant + (tile->biases.address - dram->constants.address);
		put_biases(filling, first, n);
	}
	return true;
}

enum err_code octopus_fill(const struct octopus_graph *graph, const struct quantise_network *quant,
                           const struct machine *machine, struct octopus_dram *dram, struct err *err)
{
	assert(graph && quant && quant->network == graph->network && dram->n_layer == graph->n_layer);
	dram->constant = arena_array(&dram->arena, (size_t)dram->constants.byte + 1, 1);
	if (!dram->constant)
		return err_add(err, ERR_INTERNAL, "out of memory for the weights of %s", graph->network->name);
	struct stop_watch watch = stop_watch_for(NULL);
	for (uint32_t l = 0; l < graph->n_layer; l++) {
		const struct octopus_layer *layer = &graph->layer[l];
		const struct block *block = &graph->network->block[layer->block];
		const struct quantise_block *own = &quant->block[layer->block];
		struct dram_shape *shape = &dram->layer[l].shape;
		bool is_linear = layer->type == OCTOPUS_LINEAR;
		shape->lanes = own->n_filter == 0 ? 0 : is_linear ? machine->mla_cols : machine->mla_rows;
		shape->shift = own->shift;
		shape->added_shift = own->added_shift;
		struct filling filling = {.block = block, .own = own, .split = &layer->split, .lanes = shape->lanes};
		filling.watch = &watch;
		filling.n_kernel = is_linear ? 1 : (uint64_t)block->kernel_w * block->kernel_h;
		filling.depth = is_linear ? block->in_w : block_group_in_c(block);
		if (layer->weight_byte > 0 && !fill_layer(graph, l, dram, &filling))
			return err_add(err, ERR_INTERRUPTED, "interrupted while the weights of %s are written",
			               graph->network->name);
	}
	return ERR_OK;
}
