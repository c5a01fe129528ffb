/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of a layer: where each lies in result and input, and whose it is. */
#include "mapper/octopus/octopus.h"
#include "sim/base/checked.h"

void octopus_cut(struct octopus_layer *layer, const struct split *split, bool ifmap_first, uint32_t n_worker)
{
	uint64_t n_tile = (uint64_t)dim_n_part(&split->w) * dim_n_part(&split->h) * dim_n_part(&split->c);
	assert(n_worker > 0 && n_tile > 0 && n_tile < UINT32_MAX);
	layer->split = *split;
	layer->ifmap_first = ifmap_first;
	layer->n_tile = (uint32_t)n_tile;
	layer->tiles_per_worker = (uint32_t)ceil_div(n_tile, n_worker);
	/* Workers that no tile reaches are not started. */
	layer->n_worker = (uint32_t)ceil_div(n_tile, layer->tiles_per_worker);
}

struct octopus_range octopus_worker_tiles(const struct octopus_layer *layer, uint32_t p)
{
	uint32_t first = p * layer->tiles_per_worker, left = layer->n_tile - first;
	assert(p < layer->n_worker && first < layer->n_tile);
	return (struct octopus_range){first, left < layer->tiles_per_worker ? left : layer->tiles_per_worker};
}

/* Part i of a dimension of this extent: padding beyond the extent is no part of it. */
struct tile_side {
	uint32_t first, n;
};

static struct tile_side part_of(const struct dim_split *dim, uint32_t i, uint32_t extent)
{
	uint32_t in_b = i > dim->n_a ? i - dim->n_a : 0, in_a = i - in_b;
	uint64_t first = (uint64_t)in_a * dim->size_a + (uint64_t)in_b * dim->size_b;
	uint64_t size = i < dim->n_a ? dim->size_a : dim->size_b;
	assert(i < dim_n_part(dim) && first < extent);
	return (struct tile_side){(uint32_t)first, (uint32_t)(first + size < extent ? size : extent - first)};
}

/* What windows over outputs first to first + n - 1 need of a side of `in` pixels: pixels, and padding around them. */
struct reach {
	uint32_t first, n, before, after;
};

static struct reach reach_of(struct tile_side out, uint32_t stride, uint32_t kernel, uint32_t pad, uint32_t in)
{
	int64_t low = (int64_t)out.first * stride - pad;
	int64_t high = (int64_t)(out.first + out.n - 1) * stride + kernel - pad; /* exclusive */
	int64_t from = low < 0 ? 0 : low > in ? in : low, to = high > in ? in : high < from ? from : high;
	assert(out.n > 0 && high > low);
	return (struct reach){(uint32_t)from, (uint32_t)(to - from), (uint32_t)(from > low ? from - low : 0),
	                      (uint32_t)(high > to ? high - to : 0)};
}

static void place_map(const struct block *block, struct tile_side w, struct tile_side h, struct tile_side c,
                      struct octopus_tile *tile)
{
	const struct reach in_w = reach_of(w, block->stride, block_reach_w(block), block->pad_left, block->in_w);
	const struct reach in_h = reach_of(h, block->stride, block_reach_h(block), block->pad_top, block->in_h);
	*tile = (struct octopus_tile){.x = w.first / block->pool,
	                              .y = h.first / block->pool,
	                              .c = c.first,
	                              .w = w.n / block->pool,
	                              .h = h.n / block->pool,
	                              .n_c = c.n,
	                              .in_x = in_w.first,
	                              .in_y = in_h.first,
	                              .in_w = in_w.n,
	                              .in_h = in_h.n,
	                              .pad_left = in_w.before,
	                              .pad_right = in_w.after,
	                              .pad_top = in_h.before,
	                              .pad_bottom = in_h.after};
	if (block->kind == BLOCK_POOL) {
		tile->in_c = c.first;
		tile->n_in_c = c.n;
	} else {
		/* the groups that the filters are of */
		uint32_t in_c = block_group_in_c(block), out_c = block_group_out_c(block);
		uint32_t first = c.first / out_c, last = (c.first + c.n - 1) / out_c;
		tile->in_c = first * in_c;
		tile->n_in_c = (last - first + 1) * in_c;
	}
}

void octopus_get_tile(const struct octopus_graph *graph, const struct octopus_layer *layer, uint32_t index,
                      struct octopus_tile *tile)
{
	const struct block *block = &graph->network->block[layer->block];
	const struct split *split = &layer->split;
	uint32_t n_w = dim_n_part(&split->w), n_h = dim_n_part(&split->h), n_c = dim_n_part(&split->c);
	uint32_t at_c = layer->ifmap_first ? index % n_c : index / n_w / n_h;
	uint32_t at_map = layer->ifmap_first ? index / n_c : index % (n_w * n_h);
	const struct tile_side w = part_of(&split->w, at_map % n_w, block->out_w);
	const struct tile_side h = part_of(&split->h, at_map / n_w, block->out_h);
	const struct tile_side c = part_of(&split->c, at_c, block->out_c);
	assert(index < layer->n_tile && (uint64_t)n_w * n_h * n_c == layer->n_tile);
	if (block->kind == BLOCK_MATMUL) {
		*tile = (struct octopus_tile){.x = w.first, .y = h.first, .w = w.n, .h = h.n, .n_c = 1};
		tile->in_y = h.first;
		tile->in_w = block->in_w;
		tile->in_h = h.n;
		tile->n_in_c = 1;
	} else {
		place_map(block, w, h, c, tile);
	}
	uint64_t n_filter = block->kind == BLOCK_MATMUL ? w.n : c.n;
	tile->in_byte = (uint64_t)tile->in_w * tile->in_h * tile->n_in_c;
	tile->out_byte = (uint64_t)tile->w * tile->h * tile->n_c;
	if (block->has_mat_ele || block->operand == OPERAND_MAP)
		tile->added_byte = (uint64_t)w.n * h.n * c.n;
	else if (block->operand == OPERAND_CHANNEL)
		tile->added_byte = c.n;
	if (layer->weight_byte > 0) /* all filters are of one size */
		tile->weight_byte =
		    layer->weight_byte / (block->kind == BLOCK_MATMUL ? block->out_w : block->out_c) * n_filter;
	if (layer->bias_byte > 0)
		tile->bias_byte = sizeof(int32_t) * n_filter;
}
