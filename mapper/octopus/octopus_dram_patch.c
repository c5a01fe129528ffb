/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bytes of which tensors a tile reads and writes. A role's tensors follow
 * each other: maps plane by plane, so that a tile has a box of each tensor whose
 * channels it reads; a vector's columns likewise.
 */
#include "mapper/octopus/octopus_dram.h"
#include <assert.h>

/* What a tile wants of a role: a box of an array of planes, before it is known which tensors that lies in. */
struct box {
	uint32_t plane_w, plane_h; /* of the array */
	uint32_t x, y, c, w, h, n_c;
};

uint32_t dram_n_read(const struct octopus_layer *layer)
{
	return layer->n_input;
}

static struct dram_patch whole_patch(const struct dram_tensor *tensor, uint32_t index, uint32_t role)
{
	uint64_t plane_byte = (uint64_t)tensor->w * tensor->h;
	return (struct dram_patch){.address = tensor->address,
	                           .row_byte = tensor->w,
	                           .plane_byte = plane_byte,
	                           .tensor = index,
	                           .role = role,
	                           .w = tensor->w,
	                           .h = tensor->h,
	                           .c = tensor->c,
	                           .is_whole = true};
}

/* The part of a box in a tensor whose first plane is plane `from` of the array; c 0: it has none. */
static struct dram_patch box_patch(const struct dram_tensor *tensor, uint32_t index, uint32_t role,
                                   const struct box *box, uint64_t from)
{
	uint64_t plane_byte = (uint64_t)box->plane_w * box->plane_h;
	uint64_t end = from + tensor->byte / plane_byte, box_end = (uint64_t)box->c + box->n_c;
	uint64_t low = box->c > from ? box->c : from, high = box_end < end ? box_end : end;
	struct dram_patch patch = {.row_byte = box->plane_w, .plane_byte = plane_byte, .tensor = index, .role = role};
	if (high <= low)
		return patch;
	patch.address = tensor->address + (low - from) * plane_byte + (uint64_t)box->y * box->plane_w + box->x;
	patch.w = box->w;
	patch.h = box->h;
	patch.c = (uint32_t)(high - low);
	patch.to = (uint32_t)(low - box->c);
	return patch;
}

/* Whether a role's tensors, one behind the other, are the array that the box is of. */
static bool is_array(const struct octopus_graph *graph, const struct octopus_layer *layer, enum octopus_role role,
                     const struct box *box, uint64_t n_plane)
{
	uint64_t plane_byte = (uint64_t)box->plane_w * box->plane_h, byte = 0;
	for (uint32_t i = 0; i < layer->n_input; i++) {
		if (layer->input[i].role != role)
			continue;
		byte += graph->tensor[layer->input[i].tensor].byte;
		if (graph->tensor[layer->input[i].tensor].byte % plane_byte != 0)
			return false;
	}
	return byte == n_plane * plane_byte;
}

/* Add the patches of a role: boxes where its tensors are the array, else all of them. */
static void add_role(const struct octopus_layer *layer, const struct dram_tensor *tensor, enum octopus_role role,
                     const struct box *box, bool is_known, struct dram_tile *tile)
{
	uint64_t from = 0, plane_byte = (uint64_t)box->plane_w * box->plane_h;
	for (uint32_t i = 0; i < layer->n_input; i++) {
		uint32_t t = layer->input[i].tensor;
		if (layer->input[i].role != role)
			continue;
		struct dram_patch patch =
		    is_known ? box_patch(&tensor[t], t, role, box, from) : whole_patch(&tensor[t], t, role);
		if (patch.c > 0 && patch.w > 0 && patch.h > 0)
			tile->read[tile->n_read++] = patch;
		from += tensor[t].byte / plane_byte;
	}
}

/* A view of more than tensors one behind the other cannot be told in boxes. */
static bool is_plain(const struct block_sources *sources)
{
	return !sources->is_view || sources->is_concat;
}

static void add_ifmap(const struct octopus_graph *graph, const struct octopus_layer *layer,
                      const struct dram_tensor *tensor, const struct octopus_tile *part, struct dram_tile *tile)
{
	const struct block *block = &graph->network->block[layer->block];
	struct box box = {block->in_w, block->in_h, part->in_x, part->in_y,
	                  part->in_c,  part->in_w,  part->in_h, part->n_in_c};
	uint64_t n_plane = block->in_c;
	/* a vector's columns may be of several tensors: a plane is a number then */
	if (block->kind == BLOCK_MATMUL && block->in_h == 1) {
		box = (struct box){1, 1, 0, 0, part->in_x, 1, 1, part->in_w};
		n_plane = block->in_w;
	}
	bool is_known = is_plain(&block->reads) && is_array(graph, layer, OCTOPUS_IFMAP, &box, n_plane);
	add_role(layer, tensor, OCTOPUS_IFMAP, &box, is_known, tile);
}

/* What is added or multiplied with has the shape of the result before pooling, or one number a channel. */
static void add_added(const struct octopus_graph *graph, const struct octopus_layer *layer,
                      const struct dram_tensor *tensor, const struct octopus_tile *part, struct dram_tile *tile)
{
	const struct block *block = &graph->network->block[layer->block];
	uint32_t pool = block->pool;
	struct box box = {block->out_w, block->out_h,   part->x * pool, part->y * pool,
	                  part->c,      part->w * pool, part->h * pool, part->n_c};
	if (block->operand == OPERAND_CHANNEL)
		box = (struct box){1, 1, 0, 0, part->c, 1, 1, part->n_c};
	bool is_known = is_plain(&block->adds) && is_array(graph, layer, OCTOPUS_ADDED, &box, block->out_c);
	add_role(layer, tensor, OCTOPUS_ADDED, &box, is_known, tile);
}

/* Weights that are results: a filter is a plane of one row. */
static void add_filters(const struct octopus_graph *graph, const struct octopus_layer *layer,
                        const struct dram_tensor *tensor, const struct octopus_tile *part, struct dram_tile *tile)
{
	const struct block *block = &graph->network->block[layer->block];
	bool is_matmul = block->kind == BLOCK_MATMUL;
	uint32_t n_filter = is_matmul ? block->out_w : block->out_c;
	uint64_t filter_byte = block_n_weight(block) / n_filter;
	struct box box = {1, 1, 0, 0, is_matmul ? part->x : part->c, 1, 1, is_matmul ? part->w : part->n_c};
	bool is_known = filter_byte <= UINT32_MAX && is_plain(&block->filters);
	box.plane_w = box.w = is_known ? (uint32_t)filter_byte : 1;
	is_known = is_known && filter_byte > 0 && is_array(graph, layer, OCTOPUS_FILTERS, &box, n_filter);
	add_role(layer, tensor, OCTOPUS_FILTERS, &box, is_known, tile);
}

void dram_patch_tile(const struct octopus_graph *graph, const struct octopus_layer *layer,
                     const struct dram_tensor *tensor, uint32_t index, struct dram_tile *tile)
{
	const struct dram_tensor *result = &tensor[layer->output];
	struct octopus_tile part;
	octopus_get_tile(graph, layer, index, &part);
	struct box box = {result->w, result->h, part.x, part.y, part.c, part.w, part.h, part.n_c};
	tile->pad_left = part.pad_left;
	tile->pad_right = part.pad_right;
	tile->pad_top = part.pad_top;
	tile->pad_bottom = part.pad_bottom;
	tile->result = box_patch(result, layer->output, DRAM_RESULT, &box, 0);
	assert(tile->result.c == part.n_c);
	tile->n_read = 0;
	add_ifmap(graph, layer, tensor, &part, tile);
	add_added(graph, layer, tensor, &part, tile);
	add_filters(graph, layer, tensor, &part, tile);
	assert(tile->n_read <= dram_n_read(layer));
}
