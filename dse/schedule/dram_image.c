/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/dram_image.h"
#include "dse/schedule/image_field.h"
#include "dse/base/memory.h"
#include "sim/base/checked.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[8] = "octoDRAM";

#define VERSION 3
#define CHECKSUM_AT 16  /* u64 in the head; 0 while the sum is taken */
#define LAYER_SUM_AT 80 /* likewise in a layer's header */
#define FIRST_LAYER_AT 136
#define CONSTANTS_AT 56 /* in a layer's header: address, bytes, checksum of its constants */
#define TYPE_FINISH 0   /* of the header that ends the list; layers have 1 + enum octopus_type */
#define MAX_MESH UINT16_MAX
#define MAX_SHIFT 31     /* of a 32-bit sum, either way */
#define PATCH_WHOLE 256u /* flag beside the role of a patch */

/* Flags of a shape and of a tensor. */
enum {
	SHAPE_POOL_AVERAGE = 1,
	SHAPE_ADDED = 2,
	SHAPE_ACTI = 4,
	SHAPE_QUAN = 8,
	SHAPE_IFMAP_FIRST = 16,
	SHAPE_CHANNEL = 32,
	SHAPE_WHOLE = 64, /* times WHOLE_* bits */
	SHAPE_ALL = 511
};
enum {
	TENSOR_INPUT = 1,
	TENSOR_OUTPUT = 2,
	TENSOR_FROM_CHIP = 4,
	TENSOR_TO_CHIP = 8,
	TENSOR_IN_SRAM = 16,
	TENSOR_ALL = 31
};

/* Of all bytes, the 8 of the sum itself as 0. */
static uint64_t sum_without(const uint8_t *data, size_t n_byte, size_t at)
{
	static const uint8_t zero[8];
	const size_t behind = at + sizeof(zero);
	assert(n_byte >= behind);
	uint64_t sum = hash_bytes(data, at, 0);
	sum = hash_bytes(zero, sizeof(zero), sum);
	return hash_bytes(data + behind, n_byte - behind, sum);
}

static void store_sum(uint8_t *to, uint64_t sum)
{
	for (unsigned i = 0; i < sizeof(sum); i++)
		to[i] = (uint8_t)(sum >> 8 * i);
}

/* ---- global configuration ---- */

static uint64_t end_of(struct dram_area area)
{
	return add_sat(area.address, area.byte);
}

/* Where an area begins is where the one before it ends. */
static void area(struct image *image, const char *begin, const char *size, struct dram_area *now, uint64_t address)
{
	image_u64_is(image, begin, &now->address, address);
	image_u64(image, size, &now->byte);
	image_require(image, now->byte, 0, OCTOPUS_MAX_DRAM_BYTE);
	if (now->byte % OCTOPUS_ALIGN_BYTE != 0)
		image_require(image, now->byte, align_up(now->byte, OCTOPUS_ALIGN_BYTE),
		              align_up(now->byte, OCTOPUS_ALIGN_BYTE));
}

static void put_areas(struct image *image, struct octopus_dram *dram)
{
	area(image, "global address", "global bytes", &dram->global, 0);
	area(image, "times address", "times bytes", &dram->times, end_of(dram->global));
	area(image, "layers address", "layers bytes", &dram->layers, end_of(dram->times));
	area(image, "constants address", "constants bytes", &dram->constants, end_of(dram->layers));
	area(image, "data address", "data bytes", &dram->data, end_of(dram->constants));
	if (!image_failed(image) && end_of(dram->data) > dram->capacity_byte)
		image_require(image, dram->data.byte, 0,
		              dram->capacity_byte > dram->data.address ? dram->capacity_byte - dram->data.address : 0);
}

static void put_pe(struct image *image, const struct octopus_dram *dram, struct dram_pe *pe)
{
	image_u32_in(image, "x", &pe->x, 0, dram->mesh_w - 1);
	image_u32_in(image, "y", &pe->y, 0, (dram->n_qpe - 1) / dram->mesh_w);
	image_u32_in(image, "pe", &pe->pe, 0, dram->n_pe - 1);
	image_u32_is(image, "reserved", 0);
}

static void put_counts(struct image *image, struct octopus_dram *dram)
{
	image_u64_is(image, "PEs address", &dram->pe_address, DRAM_HEAD_BYTE);
	image_u64(image, "tensors address", &dram->tensor_address);
	image_u64(image, "first layer", &dram->layers.address);
	image_require(image, dram->layers.address, end_of(dram->times), end_of(dram->times));
	image_u32_in(image, "layers", &dram->n_layer, 1, UINT32_MAX - 1);
	image_u32_in(image, "workers", &dram->n_worker, 1, UINT32_MAX - 1);
	image_u32_in(image, "tensors", &dram->n_tensor, 1, UINT32_MAX - 1);
	image_u32_in(image, "mesh columns", &dram->mesh_w, 1, MAX_MESH);
	image_u32_in(image, "mesh rows", &dram->mesh_h, 1, MAX_MESH);
	image_u32_in(image, "QPEs", &dram->n_qpe, 1, UINT32_MAX);
	image_u32_in(image, "PEs of a QPE", &dram->n_pe, 1, UINT32_MAX);
	image_u32_in(image, "tick", &dram->tick_ps, 1, UINT32_MAX);
}

/* The counts against the areas, so that no count is believed that the file has no bytes for. */
static void check_counts(struct image *image, const struct octopus_dram *dram)
{
	uint64_t pes = mul_sat(DRAM_PE_BYTE, dram->n_worker), tensors = mul_sat(DRAM_TENSOR_BYTE, dram->n_tensor);
	uint64_t global = DRAM_HEAD_BYTE + add_sat(pes, tensors);
	uint64_t times = mul_sat(mul_sat(DRAM_TIME_BYTE, dram->n_layer + UINT64_C(1)), dram->n_worker + UINT64_C(1));
	if (!image->pack.is_reading)
		return;
	image->field = "global bytes, by the numbers of workers and tensors,";
	image_require(image, dram->global.byte, global, global);
	image->field = "times bytes, by the numbers of layers and workers,";
	image_require(image, dram->times.byte, times, times);
	image->field = "tensors address";
	image_require(image, dram->tensor_address, DRAM_HEAD_BYTE + pes, DRAM_HEAD_BYTE + pes);
}

static void put_head(struct image *image, struct octopus_dram *dram, uint64_t n_byte, uint64_t *checksum)
{
	(void)snprintf(image->record, sizeof(image->record), "head");
	char found[sizeof(magic)];
	memcpy(found, magic, sizeof(found));
	image_begin_field(image, "magic");
	pack_bytes(&image->pack, found, sizeof(found));
	if (image->pack.is_reading && (image_failed(image) || memcmp(found, magic, sizeof(found)) != 0)) {
		(void)pack_refuse(&image->pack, true);
		image->code = err_add(image->err, ERR_INPUT, "%s:0: head, magic is no '%.8s': no image of a DRAM",
		                      image->name, magic);
	}
	image_u32_is(image, "version", VERSION);
	image_u32_is(image, "head bytes", DRAM_HEAD_BYTE);
	image_u64(image, "checksum", checksum);
	image_u64_is(image, "image bytes", &n_byte, n_byte);
	image_u64(image, "capacity", &dram->capacity_byte);
	image_require(image, dram->capacity_byte, 0, OCTOPUS_MAX_DRAM_BYTE);
	put_areas(image, dram);
	put_counts(image, dram);
	check_counts(image, dram);
	if (image_failed(image))
		return;
	assert(image_position(image) == DRAM_HEAD_BYTE - DRAM_PE_BYTE);
	(void)snprintf(image->record, sizeof(image->record), "scheduler");
	put_pe(image, dram, &dram->scheduler);
}

static void put_tensor(struct image *image, struct dram_tensor *tensor, uint32_t n_layer)
{
	uint32_t flags = (tensor->is_input ? TENSOR_INPUT : 0) | (tensor->is_output ? TENSOR_OUTPUT : 0) |
	                 (tensor->from_chip ? TENSOR_FROM_CHIP : 0) | (tensor->to_chip ? TENSOR_TO_CHIP : 0) |
	                 (tensor->in_sram ? TENSOR_IN_SRAM : 0);
	image_u64(image, "address", &tensor->address);
	image_u64(image, "bytes", &tensor->byte);
	image_u32(image, "width", &tensor->w);
	image_u32(image, "height", &tensor->h);
	image_u32(image, "channels", &tensor->c);
	image_u32_in(image, "first layer", &tensor->first, 0, n_layer - 1);
	image_u32_in(image, "last layer", &tensor->last, tensor->first, n_layer - 1);
	image_u32_in(image, "flags", &flags, 0, TENSOR_ALL);
	image_u32_is(image, "reserved", 0);
	image_u32_is(image, "reserved", 0);
	tensor->is_input = flags & TENSOR_INPUT;
	tensor->is_output = flags & TENSOR_OUTPUT;
	tensor->from_chip = flags & TENSOR_FROM_CHIP;
	tensor->to_chip = flags & TENSOR_TO_CHIP;
	tensor->in_sram = flags & TENSOR_IN_SRAM;
}

static void put_global(struct image *image, struct octopus_dram *dram)
{
	dram->worker = image_array(image, dram, dram->worker, dram->n_worker, sizeof(*dram->worker));
	for (uint32_t i = 0; i < dram->n_worker && !image_failed(image); i++) {
		image_begin_record(image, "PE of worker", i);
		put_pe(image, dram, &dram->worker[i]);
	}
	dram->tensor = image_array(image, dram, dram->tensor, dram->n_tensor, sizeof(*dram->tensor));
	for (uint32_t i = 0; i < dram->n_tensor && !image_failed(image); i++) {
		image_begin_record(image, "tensor", i);
		put_tensor(image, &dram->tensor[i], dram->n_layer);
	}
}

/* Zeros, which the run-time overwrites. */
static void put_times(struct image *image, const struct octopus_dram *dram)
{
	uint64_t zero = 0;
	(void)snprintf(image->record, sizeof(image->record), "time measurements");
	for (uint64_t at = 0; at < dram->times.byte && !image_failed(image); at += sizeof(zero))
		image_u64_is(image, "time", &zero, 0);
}

/* ---- layers ---- */

static void put_dim(struct image *image, struct dim_split *dim)
{
	image_u32_in(image, "larger part", &dim->size_a, 1, UINT32_MAX);
	image_u32_in(image, "larger parts", &dim->n_a, 1, UINT32_MAX);
	image_u32(image, "smaller part", &dim->size_b);
	image_u32(image, "smaller parts", &dim->n_b);
}

/* All 0 where the constants are not known. */
static void put_shifts(struct image *image, struct dram_shape *shape)
{
	uint32_t added = (uint32_t)shape->added_shift;
	image_u32(image, "lanes", &shape->lanes);
	image_u32_in(image, "shift", &shape->shift, 0, MAX_SHIFT);
	image_u32(image, "added shift", &added);
	uint32_t size = added >> 31 ? 0u - added : added;
	image_require(image, size, 0, MAX_SHIFT);
	if (size <= MAX_SHIFT) /* else the image is refused */
		shape->added_shift = added >> 31 ? -(int32_t)size : (int32_t)size;
}

static void put_shape(struct image *image, struct dram_shape *shape)
{
	uint32_t flags = (shape->pool_average ? SHAPE_POOL_AVERAGE : 0) | (shape->has_added ? SHAPE_ADDED : 0) |
	                 (shape->has_acti ? SHAPE_ACTI : 0) | (shape->has_quan ? SHAPE_QUAN : 0) |
	                 (shape->ifmap_first ? SHAPE_IFMAP_FIRST : 0) | (shape->is_channel ? SHAPE_CHANNEL : 0) |
	                 SHAPE_WHOLE * shape->whole;
	image_u32(image, "input width", &shape->in_w);
	image_u32(image, "input height", &shape->in_h);
	image_u32(image, "input channels", &shape->in_c);
	image_u32(image, "output width", &shape->out_w);
	image_u32(image, "output height", &shape->out_h);
	image_u32(image, "output channels", &shape->out_c);
	image_u32(image, "kernel width", &shape->kernel_w);
	image_u32(image, "kernel height", &shape->kernel_h);
	image_u32(image, "stride", &shape->stride);
	image_u32(image, "groups", &shape->groups);
	image_u32(image, "pool", &shape->pool);
	image_u32_in(image, "flags", &flags, 0, SHAPE_ALL);
	put_dim(image, &shape->split.w);
	put_dim(image, &shape->split.h);
	put_dim(image, &shape->split.c);
	put_dim(image, &shape->split.d);
	image_u32_in(image, "dilation", &shape->dilation, 1, UINT32_MAX);
	put_shifts(image, shape);
	shape->pool_average = flags & SHAPE_POOL_AVERAGE;
	shape->has_added = flags & SHAPE_ADDED;
	shape->has_acti = flags & SHAPE_ACTI;
	shape->has_quan = flags & SHAPE_QUAN;
	shape->ifmap_first = flags & SHAPE_IFMAP_FIRST;
	shape->is_channel = flags & SHAPE_CHANNEL;
	shape->whole = flags / SHAPE_WHOLE;
}

static void put_patch(struct image *image, struct dram_patch *patch, uint32_t min_role, uint32_t max_role,
                      uint32_t n_tensor)
{
	uint32_t role = patch->role | (patch->is_whole ? PATCH_WHOLE : 0), plain;
	image_u64(image, "patch address", &patch->address);
	image_u64(image, "row stride", &patch->row_byte);
	image_u64(image, "plane stride", &patch->plane_byte);
	image_u32_in(image, "tensor", &patch->tensor, 0, n_tensor - 1);
	image_u32(image, "role", &role);
	plain = role & ~PATCH_WHOLE;
	image_require(image, plain, min_role, max_role);
	image_u32_in(image, "patch width", &patch->w, 1, UINT32_MAX);
	image_u32_in(image, "patch height", &patch->h, 1, UINT32_MAX);
	image_u32_in(image, "patch channels", &patch->c, 1, UINT32_MAX);
	image_u32(image, "patch begin", &patch->to);
	patch->role = plain;
	patch->is_whole = role & PATCH_WHOLE;
}

static void put_constants(struct image *image, const char *address, const char *size, struct dram_area *part)
{
	image_u64(image, address, &part->address);
	image_u64(image, size, &part->byte);
}

static void put_tile(struct image *image, struct octopus_dram *dram, uint32_t index, struct dram_tile *tile)
{
	uint64_t most = image_room(image) / DRAM_PATCH_BYTE;
	image_u32_is(image, "tile", index);
	image_u32_in(image, "reads", &tile->n_read, 0, most < UINT32_MAX ? (uint32_t)most : UINT32_MAX);
	image_u32(image, "left padding", &tile->pad_left);
	image_u32(image, "right padding", &tile->pad_right);
	image_u32(image, "top padding", &tile->pad_top);
	image_u32(image, "bottom padding", &tile->pad_bottom);
	image_u32_is(image, "reserved", 0);
	image_u32_is(image, "reserved", 0);
	put_constants(image, "weights address", "weights bytes", &tile->weights);
	put_constants(image, "biases address", "biases bytes", &tile->biases);
	put_patch(image, &tile->result, DRAM_RESULT, DRAM_RESULT, dram->n_tensor);
	tile->read = image_array(image, dram, tile->read, tile->n_read, sizeof(*tile->read));
	for (uint32_t i = 0; i < tile->n_read && !image_failed(image); i++)
		put_patch(image, &tile->read[i], 0, N_OCTOPUS_ROLE - 1, dram->n_tensor);
}

static void put_workers(struct image *image, struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	uint64_t tiles = layer->tile_address;
	uint32_t first = 0;
	layer->worker = image_array(image, dram, layer->worker, layer->n_worker, sizeof(*layer->worker));
	for (uint32_t p = 0; p < layer->n_worker && !image_failed(image); p++) {
		struct dram_worker *worker = &layer->worker[p];
		(void)snprintf(image->record, sizeof(image->record), "layer %u, worker %u", l, p);
		image_u32_in(image, "worker", &worker->row, 0, dram->n_worker - 1);
		image_u32(image, "first tile", &worker->first_tile);
		image_require(image, worker->first_tile, first, first);
		image_u32_in(image, "tiles", &worker->n_tile, 0, layer->n_tile - first);
		image_u32_is(image, "reserved", 0);
		image_u64_is(image, "tiles address", &worker->tiles.address, tiles);
		image_u64(image, "tiles bytes", &worker->tiles.byte);
		image_require(image, worker->tiles.byte, 0, end_of(dram->layers) - tiles);
		first += worker->n_tile;
		tiles += worker->tiles.byte;
	}
}

/* Every worker's tiles, which end where its block says. */
static void put_tiles(struct image *image, struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	layer->tile = image_array(image, dram, layer->tile, layer->n_tile, sizeof(*layer->tile));
	for (uint32_t p = 0; p < layer->n_worker && !image_failed(image); p++) {
		const struct dram_worker *worker = &layer->worker[p];
		for (uint32_t i = 0; i < worker->n_tile && !image_failed(image); i++) {
			uint32_t index = worker->first_tile + i;
			(void)snprintf(image->record, sizeof(image->record), "layer %u, tile %u", l, index);
			put_tile(image, dram, index, &layer->tile[index]);
		}
		(void)snprintf(image->record, sizeof(image->record), "layer %u, worker %u", l, p);
		image_begin_field(image, "end of the tiles");
		image_require(image, image_position(image), end_of(worker->tiles), end_of(worker->tiles));
	}
}

/* Of a layer's weights and biases; 0 where they are not known or lie elsewhere. */
static uint64_t sum_constants(const struct octopus_dram *dram, const struct dram_layer *layer)
{
	uint64_t at = layer->constants.address - dram->constants.address;
	bool is_inside =
	    layer->constants.address >= dram->constants.address && end_of(layer->constants) <= end_of(dram->constants);
	if (!dram->constant || !is_inside || layer->constants.byte == 0)
		return 0;
	return hash_bytes(dram->constant + at, (size_t)layer->constants.byte, 0);
}

/* A header; a finish header has all else 0. */
static void put_header(struct image *image, struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	uint32_t type = (uint32_t)layer->type + 1;
	uint64_t at = layer->address, shape = at + DRAM_HEADER_BYTE, scheduler = shape + DRAM_SHAPE_BYTE;
	uint64_t worker = scheduler + DRAM_SCHEDULER_BYTE, last = end_of(dram->layers) - DRAM_HEADER_BYTE, none = 0;
	image_u32_in(image, "type", &type, 1, N_OCTOPUS_TYPE);
	layer->type = (enum octopus_type)(type - 1);
	image_u32_in(image, "workers", &layer->n_worker, 1, dram->n_worker);
	image_u64(image, "next layer", &layer->next);
	image_require(image, layer->next, at + DRAM_HEADER_BYTE, last);
	image_u32_is(image, "layer", l);
	image_u32(image, "tiles", &layer->n_tile);
	uint64_t most = image_room(image) / (DRAM_TILE_BYTE + DRAM_PATCH_BYTE);
	image_require(image, layer->n_tile, layer->n_worker, most);
	image_u64_is(image, "shape address", &layer->shape_address, shape);
	image_u64_is(image, "scheduler address", &layer->scheduler_address, scheduler);
	image_u64_is(image, "workers address", &layer->worker_address, worker);
	image_u64_is(image, "tiles address", &layer->tile_address,
	             worker + (uint64_t)DRAM_WORKER_BYTE * layer->n_worker);
	image_u64(image, "constants address", &layer->constants.address);
	image_u64(image, "constants bytes", &layer->constants.byte);
	if (!image->pack.is_reading)
		layer->constants_sum = sum_constants(dram, layer);
	image_u64(image, "constants checksum", &layer->constants_sum);
	if (!dram->constant)
		image_require(image, layer->constants_sum, 0, 0);
	image_u64(image, "checksum", &layer->sum);
	image_u64_is(image, "reserved", &none, 0);
}

static void put_scheduler(struct image *image, const struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	uint64_t row = mul_sat((uint64_t)l * DRAM_TIME_BYTE, 1 + (uint64_t)dram->n_worker);
	(void)snprintf(image->record, sizeof(image->record), "layer %u, scheduler", l);
	image_u64_is(image, "times address", &layer->time_address, dram->times.address + row);
	image_u32_is(image, "first worker", 0);
	image_u32_is(image, "workers", layer->n_worker);
}

/* The sum of a layer's bytes, which is known when all of them are written or read. */
static void end_layer(struct image *image, uint32_t l, struct dram_layer *layer)
{
	if (image_failed(image))
		return;
	const uint8_t *data = image->pack.is_reading ? image->pack.from : image->pack.data;
	uint64_t sum = sum_without(data + layer->address, (size_t)(layer->next - layer->address), LAYER_SUM_AT);
	if (!image->pack.is_reading) {
		store_sum(image->pack.data + layer->address + LAYER_SUM_AT, sum);
		return;
	}
	image_begin_record(image, "header of layer", l);
	image->field = "checksum";
	image->field_at = layer->address + LAYER_SUM_AT;
	image_require(image, layer->sum, sum, sum);
}

static void put_layer(struct image *image, struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	image_begin_record(image, "header of layer", l);
	put_header(image, dram, l, layer);
	image_begin_record(image, "shape of layer", l);
	put_shape(image, &layer->shape);
	put_scheduler(image, dram, l, layer);
	put_workers(image, dram, l, layer);
	put_tiles(image, dram, l, layer);
	image_begin_record(image, "layer", l);
	image_begin_field(image, "end, where the next layer begins,");
	image_require(image, image_position(image), layer->next, layer->next);
	end_layer(image, l, layer);
}

static void put_layers(struct image *image, struct octopus_dram *dram)
{
	uint64_t next = dram->layers.address, zero = 0;
	image->field = "layers";
	(void)snprintf(image->record, sizeof(image->record), "head");
	if (image->pack.is_reading)
		image_require(image, dram->n_layer, 1, image_room(image) / (DRAM_HEADER_BYTE + DRAM_SHAPE_BYTE));
	dram->layer = image_array(image, dram, dram->layer, dram->n_layer, sizeof(*dram->layer));
	for (uint32_t l = 0; l < dram->n_layer && !image_failed(image); l++) {
		assert(image_position(image) == next);
		dram->layer[l].address = next;
		put_layer(image, dram, l, &dram->layer[l]);
		next = dram->layer[l].next;
	}
	(void)snprintf(image->record, sizeof(image->record), "finish header");
	dram->finish_address = next;
	image_u32_is(image, "type", TYPE_FINISH);
	image_u32_is(image, "workers", dram->n_worker);
	for (unsigned i = 0; i < DRAM_HEADER_BYTE / sizeof(zero) - 1; i++)
		image_u64_is(image, i == 0 ? "next layer" : "reserved", &zero, 0);
}

/* ---- constants ---- */

/* All of them, byte by byte; each layer's have the sum that its header says. */
static void put_weights(struct image *image, struct octopus_dram *dram)
{
	(void)snprintf(image->record, sizeof(image->record), "constants");
	image_begin_field(image, "bytes");
	pack_bytes(&image->pack, dram->constant, (size_t)dram->constants.byte);
	image_end_field(image);
	for (uint32_t l = 0; l < dram->n_layer && !image_failed(image) && image->pack.is_reading; l++) {
		struct dram_layer *layer = &dram->layer[l];
		image_begin_record(image, "header of layer", l);
		image->field = "constants checksum";
		image->field_at = layer->address + CONSTANTS_AT + 16;
		uint64_t sum = sum_constants(dram, layer);
		image_require(image, layer->constants_sum, sum, sum);
	}
}

/* ---- whole images ---- */

static void put_body(struct image *image, struct octopus_dram *dram)
{
	if (!image_failed(image))
		put_global(image, dram);
	if (!image_failed(image))
		put_times(image, dram);
	if (!image_failed(image))
		put_layers(image, dram);
	if (!image_failed(image) && dram->constant)
		put_weights(image, dram);
}

static uint64_t load_u64(const uint8_t *from)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < sizeof(value); i++)
		value |= (uint64_t)from[i] << 8 * i;
	return value;
}

/* The layers' sums, as far as the list of their headers goes; then that of all. */
void dram_image_seal(uint8_t *data, size_t n_byte)
{
	assert(n_byte >= DRAM_HEAD_BYTE);
	uint64_t at = load_u64(data + FIRST_LAYER_AT), next;
	for (; at < n_byte && n_byte - at > DRAM_HEADER_BYTE && data[at] != TYPE_FINISH; at = next) {
		uint64_t from = load_u64(data + at + CONSTANTS_AT), byte = load_u64(data + at + CONSTANTS_AT + 8);
		next = load_u64(data + at + 8);
		if (next <= at + DRAM_HEADER_BYTE || next > n_byte)
			break;
		if (load_u64(data + at + CONSTANTS_AT + 16) != 0 && from <= n_byte && byte <= n_byte - from)
			store_sum(data + at + CONSTANTS_AT + 16, hash_bytes(data + from, (size_t)byte, 0));
		store_sum(data + at + LAYER_SUM_AT, sum_without(data + at, (size_t)(next - at), LAYER_SUM_AT));
	}
	store_sum(data + CHECKSUM_AT, sum_without(data, n_byte, CHECKSUM_AT));
}

void dram_image_write(const struct octopus_dram *dram, struct pack *pack)
{
	assert(!pack->is_reading && pack->n == 0);
	struct image image = {.pack = *pack, .name = "image"};
	struct octopus_dram same = *dram; /* the fields are written from where they would be read to */
	uint64_t checksum = 0;
	uint64_t n_byte = dram->constant ? end_of(dram->constants) : dram->constants.address;
	put_head(&image, &same, n_byte, &checksum);
	put_body(&image, &same);
	*pack = image.pack;
	memory_check(!pack->failed);
	assert(pack->n == n_byte);
	dram_image_seal(pack->data, pack->n);
}

/*
 * The sum of all bytes, looked at last: records that cannot be were named before, and layers have sums of their own, so
 * what else is wrong is in the global configuration.
 */
static void check_sum(struct image *image, const uint8_t *data, size_t n_byte, uint64_t checksum)
{
	uint64_t expected = sum_without(data, n_byte, CHECKSUM_AT);
	if (checksum == expected)
		return;
	const char *where =
	    image->code == ERR_OK ? "bytes of the global configuration were changed" : "bytes were changed";
	image->code =
	    err_add(image->err, ERR_INPUT, "%s:%d: head, checksum is %016" PRIx64 ", expected %016" PRIx64 ": %s",
	            image->name, CHECKSUM_AT, checksum, expected, where);
}

enum err_code dram_image_read(const char *name, const uint8_t *data, size_t n_byte, struct octopus_dram *dram,
                              struct err *err)
{
	assert(name && (data || n_byte == 0) && dram);
	struct image image = {.pack = pack_reader(data, n_byte), .name = name, .err = err};
	uint64_t checksum = 0;
	*dram = (struct octopus_dram){0};
	put_head(&image, dram, n_byte, &checksum);
	(void)snprintf(image.record, sizeof(image.record), "head");
	image.field = "layers bytes, up to the end of the file,";
	image.field_at = 0;
	if (!image_failed(&image) && n_byte > dram->constants.address && n_byte == end_of(dram->constants))
		dram->constant = memory_must(arena_array(&dram->arena, (size_t)dram->constants.byte, 1));
	else if (!image_failed(&image))
		image_require(&image, end_of(dram->layers), n_byte, n_byte);
	bool is_ours = !image_failed(&image); /* a short or foreign file is called that, and has no sum */
	put_body(&image, dram);
	assert(image_failed(&image) ? image.code != ERR_OK : image.pack.at <= n_byte);
	if (!image_failed(&image) && image.pack.at != n_byte)
		image.code = err_add(err, ERR_INPUT, "%s:%zu: finish header: bytes follow it", name, image.pack.at);
	if (is_ours)
		check_sum(&image, data, n_byte, checksum);
	if (image.code != ERR_OK)
		octopus_dram_free(dram);
	return image.code;
}
