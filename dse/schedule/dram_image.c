/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/schedule/dram_image.h"
#include "dse/base/memory.h"
#include "sim/base/checked.h"
#include "sim/base/hash.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char magic[8] = "octoDRAM";

#define VERSION 3
#define CHECKSUM_AT 16 /* u64 in the head; 0 while the sum is taken */
#define TYPE_FINISH 0  /* of the header that ends the list; layers have 1 + enum octopus_type */
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

/* An image being written or read, and the field last touched. Reading stops at the first mistake. */
struct image {
	struct pack pack;
	const char *name; /* of the file */
	struct err *err;
	enum err_code code;
	char record[48]; /* "layer 3, worker 7" */
	const char *field;
	uint64_t field_at;
};

static uint64_t position(const struct image *image)
{
	return image->pack.is_reading ? image->pack.at : image->pack.n;
}

static bool failed(const struct image *image)
{
	return image->pack.failed;
}

static void begin_record(struct image *image, const char *what, uint64_t i)
{
	(void)snprintf(image->record, sizeof(image->record), "%s %" PRIu64, what, i);
}

static void begin_field(struct image *image, const char *field)
{
	image->field = field;
	image->field_at = position(image);
}

/* Whether the file has all bytes of the field; it says so of the first that it has not. */
static void end_field(struct image *image)
{
	if (image->pack.is_reading && failed(image) && image->code == ERR_OK)
		image->code = err_add(image->err, ERR_INPUT, "%s:%" PRIu64 ": %s, %s: the file ends here", image->name,
		                      image->field_at, image->record, image->field);
}

static void u64(struct image *image, const char *field, uint64_t *value)
{
	begin_field(image, field);
	pack_u64(&image->pack, value);
	end_field(image);
}

static void u32(struct image *image, const char *field, uint32_t *value)
{
	begin_field(image, field);
	pack_u32(&image->pack, value);
	end_field(image);
}

/* The last field read is out of range. */
static void require(struct image *image, uint64_t value, uint64_t min, uint64_t max)
{
	assert(image->pack.is_reading || failed(image) || (value >= min && value <= max));
	if (failed(image) || (value >= min && value <= max))
		return;
	(void)pack_refuse(&image->pack, true);
	if (min == max)
		image->code = err_add(image->err, ERR_INPUT, "%s:%" PRIu64 ": %s, %s is %" PRIu64 ", expected %" PRIu64,
		                      image->name, image->field_at, image->record, image->field, value, min);
	else
		image->code = err_add(image->err, ERR_INPUT,
		                      "%s:%" PRIu64 ": %s, %s is %" PRIu64 ", allowed %" PRIu64 " to %" PRIu64,
		                      image->name, image->field_at, image->record, image->field, value, min, max);
}

static void u32_in(struct image *image, const char *field, uint32_t *value, uint32_t min, uint32_t max)
{
	u32(image, field, value);
	require(image, *value, min, max);
}

/* A field whose value follows from what was read before. */
static void u64_is(struct image *image, const char *field, uint64_t *value, uint64_t expected)
{
	u64(image, field, value);
	require(image, *value, expected, expected);
}

static void u32_is(struct image *image, const char *field, uint32_t expected)
{
	uint32_t value = expected;
	u32(image, field, &value);
	require(image, value, expected, expected);
}

/* An array of the plan; makes it when reading. */
static void *array(struct image *image, struct octopus_dram *dram, void *old, uint64_t n, size_t n_byte)
{
	if (!image->pack.is_reading || failed(image))
		return old;
	return memory_must(arena_array(&dram->arena, n, n_byte));
}

/* Bytes left of an image that is read; an array of so many records fits them. */
static uint64_t room(const struct image *image)
{
	return image->pack.is_reading ? image->pack.n - image->pack.at : UINT64_MAX;
}

/* ---- global configuration ---- */

static uint64_t end_of(struct dram_area area)
{
	return add_sat(area.address, area.byte);
}

/* Where an area begins is where the one before it ends. */
static void area(struct image *image, const char *begin, const char *size, struct dram_area *now, uint64_t address)
{
	u64_is(image, begin, &now->address, address);
	u64(image, size, &now->byte);
	require(image, now->byte, 0, OCTOPUS_MAX_DRAM_BYTE);
	if (now->byte % OCTOPUS_ALIGN_BYTE != 0)
		require(image, now->byte, align_up(now->byte, OCTOPUS_ALIGN_BYTE),
		        align_up(now->byte, OCTOPUS_ALIGN_BYTE));
}

static void put_areas(struct image *image, struct octopus_dram *dram)
{
	area(image, "global address", "global bytes", &dram->global, 0);
	area(image, "times address", "times bytes", &dram->times, end_of(dram->global));
	area(image, "layers address", "layers bytes", &dram->layers, end_of(dram->times));
	area(image, "constants address", "constants bytes", &dram->constants, end_of(dram->layers));
	area(image, "data address", "data bytes", &dram->data, end_of(dram->constants));
	if (!failed(image) && end_of(dram->data) > dram->capacity_byte)
		require(image, dram->data.byte, 0,
		        dram->capacity_byte > dram->data.address ? dram->capacity_byte - dram->data.address : 0);
}

static void put_pe(struct image *image, const struct octopus_dram *dram, struct dram_pe *pe)
{
	u32_in(image, "x", &pe->x, 0, dram->mesh_w - 1);
	u32_in(image, "y", &pe->y, 0, (dram->n_qpe - 1) / dram->mesh_w);
	u32_in(image, "pe", &pe->pe, 0, dram->n_pe - 1);
	u32_is(image, "reserved", 0);
}

static void put_counts(struct image *image, struct octopus_dram *dram)
{
	u64_is(image, "PEs address", &dram->pe_address, DRAM_HEAD_BYTE);
	u64(image, "tensors address", &dram->tensor_address);
	u64(image, "first layer", &dram->layers.address);
	require(image, dram->layers.address, end_of(dram->times), end_of(dram->times));
	u32_in(image, "layers", &dram->n_layer, 1, UINT32_MAX - 1);
	u32_in(image, "workers", &dram->n_worker, 1, UINT32_MAX - 1);
	u32_in(image, "tensors", &dram->n_tensor, 1, UINT32_MAX - 1);
	u32_in(image, "mesh columns", &dram->mesh_w, 1, MAX_MESH);
	u32_in(image, "mesh rows", &dram->mesh_h, 1, MAX_MESH);
	u32_in(image, "QPEs", &dram->n_qpe, 1, UINT32_MAX);
	u32_in(image, "PEs of a QPE", &dram->n_pe, 1, UINT32_MAX);
	u32_in(image, "tick", &dram->tick_ps, 1, UINT32_MAX);
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
	require(image, dram->global.byte, global, global);
	image->field = "times bytes, by the numbers of layers and workers,";
	require(image, dram->times.byte, times, times);
	image->field = "tensors address";
	require(image, dram->tensor_address, DRAM_HEAD_BYTE + pes, DRAM_HEAD_BYTE + pes);
}

static void put_head(struct image *image, struct octopus_dram *dram, uint64_t n_byte, uint64_t *checksum)
{
	(void)snprintf(image->record, sizeof(image->record), "head");
	char found[sizeof(magic)];
	memcpy(found, magic, sizeof(found));
	begin_field(image, "magic");
	pack_bytes(&image->pack, found, sizeof(found));
	if (image->pack.is_reading && (failed(image) || memcmp(found, magic, sizeof(found)) != 0)) {
		(void)pack_refuse(&image->pack, true);
		image->code = err_add(image->err, ERR_INPUT, "%s:0: head, magic is no '%.8s': no image of a DRAM",
		                      image->name, magic);
	}
	u32_is(image, "version", VERSION);
	u32_is(image, "head bytes", DRAM_HEAD_BYTE);
	u64(image, "checksum", checksum);
	u64_is(image, "image bytes", &n_byte, n_byte);
	u64(image, "capacity", &dram->capacity_byte);
	require(image, dram->capacity_byte, 0, OCTOPUS_MAX_DRAM_BYTE);
	put_areas(image, dram);
	put_counts(image, dram);
	check_counts(image, dram);
	if (failed(image))
		return;
	assert(position(image) == DRAM_HEAD_BYTE - DRAM_PE_BYTE);
	(void)snprintf(image->record, sizeof(image->record), "scheduler");
	put_pe(image, dram, &dram->scheduler);
}

static void put_tensor(struct image *image, struct dram_tensor *tensor, uint32_t n_layer)
{
	uint32_t flags = (tensor->is_input ? TENSOR_INPUT : 0) | (tensor->is_output ? TENSOR_OUTPUT : 0) |
	                 (tensor->from_chip ? TENSOR_FROM_CHIP : 0) | (tensor->to_chip ? TENSOR_TO_CHIP : 0) |
	                 (tensor->in_sram ? TENSOR_IN_SRAM : 0);
	u64(image, "address", &tensor->address);
	u64(image, "bytes", &tensor->byte);
	u32(image, "width", &tensor->w);
	u32(image, "height", &tensor->h);
	u32(image, "channels", &tensor->c);
	u32_in(image, "first layer", &tensor->first, 0, n_layer - 1);
	u32_in(image, "last layer", &tensor->last, tensor->first, n_layer - 1);
	u32_in(image, "flags", &flags, 0, TENSOR_ALL);
	u32_is(image, "reserved", 0);
	u32_is(image, "reserved", 0);
	tensor->is_input = flags & TENSOR_INPUT;
	tensor->is_output = flags & TENSOR_OUTPUT;
	tensor->from_chip = flags & TENSOR_FROM_CHIP;
	tensor->to_chip = flags & TENSOR_TO_CHIP;
	tensor->in_sram = flags & TENSOR_IN_SRAM;
}

static void put_global(struct image *image, struct octopus_dram *dram)
{
	dram->worker = array(image, dram, dram->worker, dram->n_worker, sizeof(*dram->worker));
	for (uint32_t i = 0; i < dram->n_worker && !failed(image); i++) {
		begin_record(image, "PE of worker", i);
		put_pe(image, dram, &dram->worker[i]);
	}
	dram->tensor = array(image, dram, dram->tensor, dram->n_tensor, sizeof(*dram->tensor));
	for (uint32_t i = 0; i < dram->n_tensor && !failed(image); i++) {
		begin_record(image, "tensor", i);
		put_tensor(image, &dram->tensor[i], dram->n_layer);
	}
}

/* Zeros, which the run-time overwrites. */
static void put_times(struct image *image, const struct octopus_dram *dram)
{
	uint64_t zero = 0;
	(void)snprintf(image->record, sizeof(image->record), "time measurements");
	for (uint64_t at = 0; at < dram->times.byte && !failed(image); at += sizeof(zero))
		u64_is(image, "time", &zero, 0);
}

/* ---- layers ---- */

static void put_dim(struct image *image, struct dim_split *dim)
{
	u32_in(image, "larger part", &dim->size_a, 1, UINT32_MAX);
	u32_in(image, "larger parts", &dim->n_a, 1, UINT32_MAX);
	u32(image, "smaller part", &dim->size_b);
	u32(image, "smaller parts", &dim->n_b);
}

/* All 0 where the constants are not known. */
static void put_shifts(struct image *image, struct dram_shape *shape)
{
	uint32_t added = (uint32_t)shape->added_shift;
	u32(image, "lanes", &shape->lanes);
	u32_in(image, "shift", &shape->shift, 0, MAX_SHIFT);
	u32(image, "added shift", &added);
	uint32_t size = added >> 31 ? 0u - added : added;
	require(image, size, 0, MAX_SHIFT);
	shape->added_shift = added >> 31 ? -(int32_t)size : (int32_t)size;
}

static void put_shape(struct image *image, struct dram_shape *shape)
{
	uint32_t flags = (shape->pool_average ? SHAPE_POOL_AVERAGE : 0) | (shape->has_added ? SHAPE_ADDED : 0) |
	                 (shape->has_acti ? SHAPE_ACTI : 0) | (shape->has_quan ? SHAPE_QUAN : 0) |
	                 (shape->ifmap_first ? SHAPE_IFMAP_FIRST : 0) | (shape->is_channel ? SHAPE_CHANNEL : 0) |
	                 SHAPE_WHOLE * shape->whole;
	u32(image, "input width", &shape->in_w);
	u32(image, "input height", &shape->in_h);
	u32(image, "input channels", &shape->in_c);
	u32(image, "output width", &shape->out_w);
	u32(image, "output height", &shape->out_h);
	u32(image, "output channels", &shape->out_c);
	u32(image, "kernel width", &shape->kernel_w);
	u32(image, "kernel height", &shape->kernel_h);
	u32(image, "stride", &shape->stride);
	u32(image, "groups", &shape->groups);
	u32(image, "pool", &shape->pool);
	u32_in(image, "flags", &flags, 0, SHAPE_ALL);
	put_dim(image, &shape->split.w);
	put_dim(image, &shape->split.h);
	put_dim(image, &shape->split.c);
	put_dim(image, &shape->split.d);
	u32_in(image, "dilation", &shape->dilation, 1, UINT32_MAX);
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
	u64(image, "patch address", &patch->address);
	u64(image, "row stride", &patch->row_byte);
	u64(image, "plane stride", &patch->plane_byte);
	u32_in(image, "tensor", &patch->tensor, 0, n_tensor - 1);
	u32(image, "role", &role);
	plain = role & ~PATCH_WHOLE;
	require(image, plain, min_role, max_role);
	u32_in(image, "patch width", &patch->w, 1, UINT32_MAX);
	u32_in(image, "patch height", &patch->h, 1, UINT32_MAX);
	u32_in(image, "patch channels", &patch->c, 1, UINT32_MAX);
	u32(image, "patch begin", &patch->to);
	patch->role = plain;
	patch->is_whole = role & PATCH_WHOLE;
}

static void put_constants(struct image *image, const char *address, const char *size, struct dram_area *part)
{
	u64(image, address, &part->address);
	u64(image, size, &part->byte);
}

static void put_tile(struct image *image, struct octopus_dram *dram, uint32_t index, struct dram_tile *tile)
{
	uint64_t most = room(image) / DRAM_PATCH_BYTE;
	u32_is(image, "tile", index);
	u32_in(image, "reads", &tile->n_read, 0, most < UINT32_MAX ? (uint32_t)most : UINT32_MAX);
	u32(image, "left padding", &tile->pad_left);
	u32(image, "right padding", &tile->pad_right);
	u32(image, "top padding", &tile->pad_top);
	u32(image, "bottom padding", &tile->pad_bottom);
	u32_is(image, "reserved", 0);
	u32_is(image, "reserved", 0);
	put_constants(image, "weights address", "weights bytes", &tile->weights);
	put_constants(image, "biases address", "biases bytes", &tile->biases);
	put_patch(image, &tile->result, DRAM_RESULT, DRAM_RESULT, dram->n_tensor);
	tile->read = array(image, dram, tile->read, tile->n_read, sizeof(*tile->read));
	for (uint32_t i = 0; i < tile->n_read && !failed(image); i++)
		put_patch(image, &tile->read[i], 0, N_OCTOPUS_ROLE - 1, dram->n_tensor);
}

static void put_workers(struct image *image, struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	uint64_t tiles = layer->tile_address;
	uint32_t first = 0;
	layer->worker = array(image, dram, layer->worker, layer->n_worker, sizeof(*layer->worker));
	for (uint32_t p = 0; p < layer->n_worker && !failed(image); p++) {
		struct dram_worker *worker = &layer->worker[p];
		(void)snprintf(image->record, sizeof(image->record), "layer %u, worker %u", l, p);
		u32_in(image, "worker", &worker->row, 0, dram->n_worker - 1);
		u32(image, "first tile", &worker->first_tile);
		require(image, worker->first_tile, first, first);
		u32_in(image, "tiles", &worker->n_tile, 0, layer->n_tile - first);
		u32_is(image, "reserved", 0);
		u64_is(image, "tiles address", &worker->tiles.address, tiles);
		u64(image, "tiles bytes", &worker->tiles.byte);
		require(image, worker->tiles.byte, 0, end_of(dram->layers) - tiles);
		first += worker->n_tile;
		tiles += worker->tiles.byte;
	}
}

/* Every worker's tiles, which end where its block says. */
static void put_tiles(struct image *image, struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	layer->tile = array(image, dram, layer->tile, layer->n_tile, sizeof(*layer->tile));
	for (uint32_t p = 0; p < layer->n_worker && !failed(image); p++) {
		const struct dram_worker *worker = &layer->worker[p];
		for (uint32_t i = 0; i < worker->n_tile && !failed(image); i++) {
			uint32_t index = worker->first_tile + i;
			(void)snprintf(image->record, sizeof(image->record), "layer %u, tile %u", l, index);
			put_tile(image, dram, index, &layer->tile[index]);
		}
		(void)snprintf(image->record, sizeof(image->record), "layer %u, worker %u", l, p);
		begin_field(image, "end of the tiles");
		require(image, position(image), end_of(worker->tiles), end_of(worker->tiles));
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
	uint64_t worker = scheduler + DRAM_SCHEDULER_BYTE, last = end_of(dram->layers) - DRAM_HEADER_BYTE;
	u32_in(image, "type", &type, 1, N_OCTOPUS_TYPE);
	layer->type = (enum octopus_type)(type - 1);
	u32_in(image, "workers", &layer->n_worker, 1, dram->n_worker);
	u64(image, "next layer", &layer->next);
	require(image, layer->next, at + DRAM_HEADER_BYTE, last);
	u32_is(image, "layer", l);
	u32(image, "tiles", &layer->n_tile);
	uint64_t most = room(image) / (DRAM_TILE_BYTE + DRAM_PATCH_BYTE);
	require(image, layer->n_tile, layer->n_worker, most);
	u64_is(image, "shape address", &layer->shape_address, shape);
	u64_is(image, "scheduler address", &layer->scheduler_address, scheduler);
	u64_is(image, "workers address", &layer->worker_address, worker);
	u64_is(image, "tiles address", &layer->tile_address, worker + (uint64_t)DRAM_WORKER_BYTE * layer->n_worker);
	u64(image, "constants address", &layer->constants.address);
	u64(image, "constants bytes", &layer->constants.byte);
	if (!image->pack.is_reading)
		layer->constants_sum = sum_constants(dram, layer);
	u64(image, "constants checksum", &layer->constants_sum);
	if (!dram->constant)
		require(image, layer->constants_sum, 0, 0);
}

static void put_scheduler(struct image *image, const struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	uint64_t row = mul_sat((uint64_t)l * DRAM_TIME_BYTE, 1 + (uint64_t)dram->n_worker);
	(void)snprintf(image->record, sizeof(image->record), "layer %u, scheduler", l);
	u64_is(image, "times address", &layer->time_address, dram->times.address + row);
	u32_is(image, "first worker", 0);
	u32_is(image, "workers", layer->n_worker);
}

static void put_layer(struct image *image, struct octopus_dram *dram, uint32_t l, struct dram_layer *layer)
{
	begin_record(image, "header of layer", l);
	put_header(image, dram, l, layer);
	begin_record(image, "shape of layer", l);
	put_shape(image, &layer->shape);
	put_scheduler(image, dram, l, layer);
	put_workers(image, dram, l, layer);
	put_tiles(image, dram, l, layer);
	begin_record(image, "layer", l);
	begin_field(image, "end, where the next layer begins,");
	require(image, position(image), layer->next, layer->next);
}

static void put_layers(struct image *image, struct octopus_dram *dram)
{
	uint64_t next = dram->layers.address, zero = 0;
	image->field = "layers";
	(void)snprintf(image->record, sizeof(image->record), "head");
	if (image->pack.is_reading)
		require(image, dram->n_layer, 1, room(image) / (DRAM_HEADER_BYTE + DRAM_SHAPE_BYTE));
	dram->layer = array(image, dram, dram->layer, dram->n_layer, sizeof(*dram->layer));
	for (uint32_t l = 0; l < dram->n_layer && !failed(image); l++) {
		assert(position(image) == next);
		dram->layer[l].address = next;
		put_layer(image, dram, l, &dram->layer[l]);
		next = dram->layer[l].next;
	}
	(void)snprintf(image->record, sizeof(image->record), "finish header");
	dram->finish_address = next;
	u32_is(image, "type", TYPE_FINISH);
	u32_is(image, "workers", dram->n_worker);
	for (unsigned i = 0; i < DRAM_HEADER_BYTE / sizeof(zero) - 1; i++)
		u64_is(image, i == 0 ? "next layer" : "reserved", &zero, 0);
}

/* ---- constants ---- */

/* All of them, byte by byte; each layer's have the sum that its header says. */
static void put_weights(struct image *image, struct octopus_dram *dram)
{
	(void)snprintf(image->record, sizeof(image->record), "constants");
	begin_field(image, "bytes");
	pack_bytes(&image->pack, dram->constant, (size_t)dram->constants.byte);
	end_field(image);
	for (uint32_t l = 0; l < dram->n_layer && !failed(image) && image->pack.is_reading; l++) {
		struct dram_layer *layer = &dram->layer[l];
		begin_record(image, "header of layer", l);
		image->field = "constants checksum";
		image->field_at = layer->address + DRAM_HEADER_BYTE - sizeof(layer->constants_sum);
		uint64_t sum = sum_constants(dram, layer);
		require(image, layer->constants_sum, sum, sum);
	}
}

/* ---- whole images ---- */

static void put_body(struct image *image, struct octopus_dram *dram)
{
	if (!failed(image))
		put_global(image, dram);
	if (!failed(image))
		put_times(image, dram);
	if (!failed(image))
		put_layers(image, dram);
	if (!failed(image) && dram->constant)
		put_weights(image, dram);
}

/* Of all bytes, those of the sum itself as 0. */
static uint64_t checksum_of(const uint8_t *data, size_t n_byte)
{
	static const uint8_t zero[8];
	const size_t behind = CHECKSUM_AT + sizeof(zero);
	assert(n_byte >= behind);
	uint64_t sum = hash_bytes(data, CHECKSUM_AT, 0);
	sum = hash_bytes(zero, sizeof(zero), sum);
	return hash_bytes(data + behind, n_byte - behind, sum);
}

void dram_image_seal(uint8_t *data, size_t n_byte)
{
	uint64_t checksum = checksum_of(data, n_byte);
	for (unsigned i = 0; i < sizeof(checksum); i++)
		data[CHECKSUM_AT + i] = (uint8_t)(checksum >> 8 * i);
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
 * Whether the sum is right, once the head is: so that a short or foreign file is called that. What was changed is
 * looked for all the same, so that its record is named where it can be.
 */
static void check_sum(struct image *image, const uint8_t *data, size_t n_byte, uint64_t checksum)
{
	if (failed(image) || checksum == checksum_of(data, n_byte))
		return;
	image->code = err_add(image->err, ERR_INPUT,
	                      "%s:%d: head, checksum is %016" PRIx64 ", expected %016" PRIx64 ": bytes were changed",
	                      image->name, CHECKSUM_AT, checksum, checksum_of(data, n_byte));
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
	if (!failed(&image) && n_byte > dram->constants.address && n_byte == end_of(dram->constants))
		dram->constant = memory_must(arena_array(&dram->arena, (size_t)dram->constants.byte, 1));
	else if (!failed(&image))
		require(&image, end_of(dram->layers), n_byte, n_byte);
	check_sum(&image, data, n_byte, checksum);
	put_body(&image, dram);
	assert(failed(&image) ? image.code != ERR_OK : image.pack.at <= n_byte);
	if (!failed(&image) && image.pack.at != n_byte)
		image.code = err_add(err, ERR_INPUT, "%s:%zu: finish header: bytes follow it", name, image.pack.at);
	if (image.code != ERR_OK)
		octopus_dram_free(dram);
	return image.code;
}
