/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/octopus/octopus_dram.h"
#include "sim/base/checked.h"
#include "sim/machine/mesh.h"
#include <assert.h>
#include <string.h>

/* While the plan is made: the next free address. */
struct dram_planner {
	const struct octopus_graph *graph;
	const struct machine *machine;
	struct octopus_dram *dram;
	uint64_t at;
};

void octopus_dram_free(struct octopus_dram *dram)
{
	arena_free(&dram->arena);
	memset(dram, 0, sizeof(*dram));
}

uint64_t dram_tile_byte(const struct dram_tile *tile)
{
	return DRAM_TILE_BYTE + (1 + (uint64_t)tile->n_read) * DRAM_PATCH_BYTE;
}

/* The next bytes, aligned at both ends. */
static struct dram_area take_area(struct dram_planner *planner, uint64_t byte)
{
	struct dram_area area = {planner->at, byte};
	assert(planner->at % OCTOPUS_ALIGN_BYTE == 0);
	planner->at = add_sat(planner->at, mul_sat(ceil_div(byte, OCTOPUS_ALIGN_BYTE), OCTOPUS_ALIGN_BYTE));
	if (planner->at == UINT64_MAX)
		planner->at -= UINT64_MAX % OCTOPUS_ALIGN_BYTE;
	return area;
}

/* ---- PEs ---- */

/* PE `index` of the machine, counted QPE by QPE. */
static struct dram_pe place_pe(const struct machine *machine, const struct mesh *mesh, uint32_t index)
{
	uint32_t qpe = index / machine->qpe_n_pe;
	return (struct dram_pe){mesh_x(mesh, qpe), mesh_y(mesh, qpe), index % machine->qpe_n_pe};
}

/* Which of the chip's workers is a layer's worker p. */
static uint32_t row_of(const struct octopus_layer *layer, uint32_t p)
{
	return layer->seat ? layer->seat[p].worker : p;
}

/* The first PE is the scheduler, those that follow are the workers. */
static bool place_workers(struct dram_planner *planner)
{
	struct octopus_dram *dram = planner->dram;
	struct mesh mesh;
	mesh_derive(planner->machine, &mesh);
	dram->mesh_w = mesh.w;
	dram->mesh_h = mesh.h;
	dram->n_qpe = mesh.n_qpe;
	dram->n_pe = planner->machine->qpe_n_pe;
	dram->scheduler = place_pe(planner->machine, &mesh, 0);
	for (uint32_t l = 0; l < planner->graph->n_layer; l++)
		for (uint32_t p = 0; p < planner->graph->layer[l].n_worker; p++)
			if (row_of(&planner->graph->layer[l], p) >= dram->n_worker)
				dram->n_worker = row_of(&planner->graph->layer[l], p) + 1;
	assert((uint64_t)dram->n_qpe * dram->n_pe > dram->n_worker);
	dram->worker = arena_array(&dram->arena, dram->n_worker, sizeof(*dram->worker));
	for (uint32_t i = 0; dram->worker && i < dram->n_worker; i++)
		dram->worker[i] = place_pe(planner->machine, &mesh, 1 + i);
	return dram->worker != NULL;
}

/* ---- data memory ---- */

/* What the host writes is there from the start, what it reads stays to the end, as does what the next run finds. */
static bool list_tensors(struct dram_planner *planner)
{
	struct octopus_dram *dram = planner->dram;
	dram->n_tensor = planner->graph->n_tensor;
	dram->tensor = arena_array(&dram->arena, dram->n_tensor, sizeof(*dram->tensor));
	for (uint32_t t = 0; dram->tensor && t < dram->n_tensor; t++) {
		const struct octopus_tensor *tensor = &planner->graph->tensor[t];
		bool is_input = tensor->producer == OCTOPUS_NONE;
		uint32_t first = is_input ? 0 : tensor->producer, last = first;
		if (tensor->n_consumer > 0)
			last = tensor->consumer[tensor->n_consumer - 1];
		if (tensor->is_output || tensor->stays)
			last = dram->n_layer - 1;
		dram->tensor[t] = (struct dram_tensor){.byte = tensor->byte,
		                                       .w = tensor->w,
		                                       .h = tensor->h,
		                                       .c = tensor->c,
		                                       .first = first,
		                                       .last = last,
		                                       .is_input = is_input,
		                                       .is_output = tensor->is_output,
		                                       .in_sram = tensor->in_sram,
		                                       .from_chip = tensor->from_chip,
		                                       .to_chip = tensor->to_chip};
	}
	return dram->tensor != NULL;
}

/* Addresses from the start of the data memory; how much of it is used tells *memory. */
static bool place_tensors(struct dram_planner *planner, struct octopus_memory *memory)
{
	struct octopus_dram *dram = planner->dram;
	struct arena scratch = {0};
	struct octopus_buffer *buffer = arena_array(&scratch, dram->n_tensor, sizeof(*buffer));
	for (uint32_t t = 0; buffer && t < dram->n_tensor; t++)
		buffer[t] = (struct octopus_buffer){dram->tensor[t].in_sram ? 0 : dram->tensor[t].byte,
		                                    dram->tensor[t].first, dram->tensor[t].last, 0};
	bool good = buffer && octopus_memory_assign(buffer, dram->n_tensor, dram->capacity_byte, memory);
	for (uint32_t t = 0; good && t < dram->n_tensor; t++)
		dram->tensor[t].address = buffer[t].address;
	arena_free(&scratch);
	return good;
}

/* ---- layer configurations ---- */

/* Of a convolution, or of rows of the ARM cores' work that lie side by side. */
static uint32_t n_group_of(const struct block *block)
{
	return block->kind == BLOCK_POOL && block_row_c(block) > 1 ? block->out_c / block_row_c(block)
	                                                           : block_n_group(block);
}

static struct dram_shape shape_of(const struct octopus_graph *graph, const struct octopus_layer *layer)
{
	const struct block *block = &graph->network->block[layer->block];
	return (struct dram_shape){.in_w = block->in_w,
	                           .in_h = block->in_h,
	                           .in_c = block->in_c,
	                           .out_w = block->out_w,
	                           .out_h = block->out_h,
	                           .out_c = block->out_c,
	                           .kernel_w = block->kernel_w,
	                           .kernel_h = block->kernel_h,
	                           .stride = block->stride,
	                           .dilation = block_dilation(block),
	                           .groups = n_group_of(block),
	                           .pool = block->pool,
	                           .pool_average = block->pool_average,
	                           .has_added = block->has_mat_ele || block->operand != OPERAND_NONE,
	                           .is_channel = block->operand == OPERAND_CHANNEL,
	                           .whole = block->whole,
	                           .has_acti = block->has_acti,
	                           .has_quan = block->has_quan,
	                           .ifmap_first = layer->ifmap_first,
	                           .split = layer->split};
}

/* Room for each tile's reads; what they are is known once the tensors have their addresses. */
static bool plan_tiles(struct dram_planner *planner, const struct octopus_layer *from, struct dram_layer *layer)
{
	struct arena *arena = &planner->dram->arena;
	layer->n_tile = from->n_tile;
	layer->tile = arena_array(arena, from->n_tile, sizeof(*layer->tile));
	for (uint32_t i = 0; layer->tile && i < from->n_tile; i++) {
		struct dram_tile *tile = &layer->tile[i];
		tile->read = arena_array(arena, dram_n_read(from), sizeof(*tile->read));
		if (!tile->read)
			return false;
		dram_patch_tile(planner->graph, from, planner->dram->tensor, i, tile);
	}
	return layer->tile != NULL;
}

static bool plan_workers(struct dram_planner *planner, const struct octopus_layer *from, struct dram_layer *layer)
{
	layer->n_worker = from->n_worker;
	layer->worker = arena_array(&planner->dram->arena, from->n_worker, sizeof(*layer->worker));
	layer->worker_address = take_area(planner, (uint64_t)DRAM_WORKER_BYTE * from->n_worker).address;
	layer->tile_address = planner->at;
	for (uint32_t p = 0; layer->worker && p < from->n_worker; p++) {
		struct octopus_range range = octopus_worker_tiles(from, p);
		uint64_t byte = 0;
		for (uint32_t i = 0; i < range.n; i++)
			byte += dram_tile_byte(&layer->tile[range.first + i]);
		layer->worker[p] =
		    (struct dram_worker){.row = row_of(from, p), .first_tile = range.first, .n_tile = range.n};
		layer->worker[p].tiles = take_area(planner, byte);
	}
	return layer->worker != NULL;
}

static bool plan_layer(struct dram_planner *planner, uint32_t l)
{
	const struct octopus_layer *from = &planner->graph->layer[l];
	struct octopus_dram *dram = planner->dram;
	struct dram_layer *layer = &dram->layer[l];
	layer->type = from->type;
	layer->shape = shape_of(planner->graph, from);
	layer->time_address = dram->times.address + (uint64_t)l * (1 + dram->n_worker) * DRAM_TIME_BYTE;
	layer->address = take_area(planner, DRAM_HEADER_BYTE).address;
	layer->shape_address = take_area(planner, DRAM_SHAPE_BYTE).address;
	layer->scheduler_address = take_area(planner, DRAM_SCHEDULER_BYTE).address;
	bool good = plan_tiles(planner, from, layer) && plan_workers(planner, from, layer);
	layer->next = planner->at;
	return good;
}

/*
 * Weights and biases of a layer: those of each part of the filters together, weights, then biases, each at a multiple
 * of OCTOPUS_ALIGN_BYTE, so that a tile's are two runs of bytes. Tiles of the same part share them. Parts are met in
 * order of the tiles, each first where a tile has the first pixel (or row) of the result.
 */
static void plan_constants(struct dram_planner *planner, const struct octopus_layer *from, struct dram_layer *layer)
{
	uint32_t n_w = dim_n_part(&from->split.w), n_h = dim_n_part(&from->split.h), n_c = dim_n_part(&from->split.c);
	bool is_linear = from->type == OCTOPUS_LINEAR;
	uint32_t n_part = is_linear ? n_w : n_c, n_map = is_linear ? n_h : n_w * n_h;
	layer->constants.address = planner->at;
	for (uint32_t part = 0; part < n_part && from->weight_byte + from->bias_byte > 0; part++) {
		/* ifmap_first: c fastest; else w, then h; a linear layer has one c, so its columns come first always */
		bool is_fast = is_linear || from->ifmap_first;
		uint32_t first = is_fast ? part : part * n_map, step = is_fast ? n_part : 1;
		struct octopus_tile tile;
		octopus_get_tile(planner->graph, from, first, &tile);
		struct dram_area weights = take_area(planner, tile.weight_byte),
				 biases = take_area(planner, tile.bias_byte);
		for (uint32_t i = 0; i < n_map; i++) {
			layer->tile[first + i * step].weights = weights;
			layer->tile[first + i * step].biases = biases;
		}
	}
	layer->constants.byte = planner->at - layer->constants.address;
}

/* ---- areas ---- */

static bool plan_areas(struct dram_planner *planner, struct octopus_memory *memory)
{
	struct octopus_dram *dram = planner->dram;
	uint32_t n_layer = planner->graph->n_layer;
	dram->n_layer = n_layer;
	dram->layer = arena_array(&dram->arena, n_layer, sizeof(*dram->layer));
	if (!dram->layer || !place_workers(planner) || !list_tensors(planner))
		return false;
	(void)take_area(planner, DRAM_HEAD_BYTE);
	dram->pe_address = take_area(planner, (uint64_t)DRAM_PE_BYTE * dram->n_worker).address;
	dram->tensor_address = take_area(planner, (uint64_t)DRAM_TENSOR_BYTE * dram->n_tensor).address;
	dram->global.byte = planner->at;
	/* a row for each layer, and one for the model before and after all layers */
	dram->times = take_area(planner, (uint64_t)DRAM_TIME_BYTE * (n_layer + 1) * (1 + dram->n_worker));
	dram->layers.address = planner->at;
	for (uint32_t l = 0; l < n_layer; l++)
		if (!plan_layer(planner, l))
			return false;
	dram->finish_address = take_area(planner, DRAM_HEADER_BYTE).address;
	dram->layers.byte = planner->at - dram->layers.address;
	dram->constants.address = planner->at;
	for (uint32_t l = 0; l < n_layer; l++)
		plan_constants(planner, &planner->graph->layer[l], &dram->layer[l]);
	dram->constants.byte = planner->at - dram->constants.address;
	dram->data.address = planner->at;
	return place_tensors(planner, memory);
}

/* All addresses of tensors, and of what tiles read and write, behind what comes before the data memory. */
static void shift_data(struct octopus_dram *dram)
{
	for (uint32_t t = 0; t < dram->n_tensor; t++)
		if (!dram->tensor[t].in_sram)
			dram->tensor[t].address += dram->data.address;
}

static void patch_tiles(struct dram_planner *planner)
{
	for (uint32_t l = 0; l < planner->dram->n_layer; l++)
		for (uint32_t i = 0; i < planner->dram->layer[l].n_tile; i++)
			dram_patch_tile(planner->graph, &planner->graph->layer[l], planner->dram->tensor, i,
			                &planner->dram->layer[l].tile[i]);
}

enum err_code octopus_dram_plan(const struct octopus_graph *graph, const struct machine *machine,
                                uint64_t capacity_byte, struct octopus_dram *dram, struct octopus_memory *memory,
                                struct err *err)
{
	assert(graph && graph->n_layer > 0 && machine && dram && memory);
	assert(machine->target != MACHINE_SYSTOLIC && capacity_byte <= OCTOPUS_MAX_DRAM_BYTE);
	struct dram_planner planner = {.graph = graph, .machine = machine, .dram = dram};
	*dram = (struct octopus_dram){.capacity_byte = capacity_byte, .tick_ps = DRAM_TICK_PS};
	if (!plan_areas(&planner, memory)) {
		octopus_dram_free(dram);
		return err_add(err, ERR_INTERNAL, "out of memory for the DRAM plan of %s", graph->network->name);
	}
	uint64_t end = add_sat(dram->data.address, memory->peak_byte);
	if (end > capacity_byte) {
		memory->verdict = (struct verdict){VERDICT_DRAM, end, capacity_byte};
		octopus_dram_free(dram);
		return err_add(err, ERR_INFEASIBLE, "%s: %s: %llu bytes, available %llu", graph->network->name,
		               verdict_table[VERDICT_DRAM].help, (unsigned long long)end,
		               (unsigned long long)capacity_byte);
	}
	dram->data.byte = memory->peak_byte;
	shift_data(dram);
	patch_tiles(&planner);
	return ERR_OK;
}
