/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a plan that was read is sound: what each record says by itself is checked by its reader. */
#include "dse/base/memory.h"
#include "dse/schedule/dram_image.h"
#include "sim/base/checked.h"
#include "sim/machine/mesh.h"
#include "sim/base/text.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct check {
	const char *name; /* of the file */
	const struct octopus_dram *dram;
	struct err *err;
	enum err_code code;
};

#define WRONG(check, address, ...) ((check)->code = wrong(check, address, __VA_ARGS__))

static enum err_code __attribute__((format(printf, 3, 4)))
wrong(const struct check *check, uint64_t address, const char *format, ...)
{
	char text[200];
	TEXT_FILL(text, format);
	return err_add(check->err, ERR_INPUT, "%s:%" PRIu64 ": %s", check->name, address, text);
}

static uint64_t end_of(struct dram_area area)
{
	return add_sat(area.address, area.byte);
}

static bool is_inside(struct dram_area inner, struct dram_area outer)
{
	return inner.address >= outer.address && end_of(inner) <= end_of(outer);
}

/* Where a tile's record begins. Linear in the number of tiles. */
static uint64_t tile_address(const struct dram_layer *layer, uint32_t tile)
{
	uint64_t address = layer->tile_address;
	assert(tile < layer->n_tile);
	for (uint32_t i = 0; i < tile; i++)
		address += dram_tile_byte(&layer->tile[i]);
	return address;
}

/* ---- PEs ---- */

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_key(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The number of a PE on the machine; UINT64_MAX: there is none at its coordinates. Each row has its QPEs together. */
static uint64_t pe_key(const struct octopus_dram *dram, const struct dram_pe *pe)
{
	struct mesh mesh = {.w = dram->mesh_w, .h = dram->mesh_h, .n_qpe = dram->n_qpe};
	uint64_t row = (uint64_t)pe->y * dram->mesh_w;
	for (uint64_t qpe = row; qpe < row + dram->mesh_w && qpe < dram->n_qpe; qpe++)
		if (mesh_x(&mesh, (uint32_t)qpe) == pe->x)
			return qpe * dram->n_pe + pe->pe;
	return UINT64_MAX;
}

static void check_pes(struct check *check)
{
	const struct octopus_dram *dram = check->dram;
	uint64_t *key = memory_array(dram->n_worker + (size_t)1, sizeof(*key));
	key[0] = pe_key(dram, &dram->scheduler);
	for (uint32_t i = 0; i < dram->n_worker; i++)
		key[1 + i] = pe_key(dram, &dram->worker[i]);
	for (uint32_t i = 0; i <= dram->n_worker; i++)
		if (key[i] == UINT64_MAX)
			WRONG(check, i == 0 ? DRAM_HEAD_BYTE - DRAM_PE_BYTE : dram->pe_address + DRAM_PE_BYTE * (i - 1),
			      "%s: the mesh has no QPE at its coordinates", i == 0 ? "scheduler" : "PE of a worker");
	qsort(key, dram->n_worker + (size_t)1, sizeof(*key), compare_key);
	for (uint32_t i = 1; i <= dram->n_worker; i++)
		if (key[i] == key[i - 1] && key[i] != UINT64_MAX)
			WRONG(check, dram->pe_address, "PEs: two of scheduler and workers are the same PE");
	free(key);
}

/* ---- tensors ---- */

/* A tensor that comes or goes. */
struct event {
	uint64_t layer; /* of its first use; the one after its last */
	bool comes;
	uint32_t tensor;
};

static int compare_event(const void *a, const void *b)
{
	const struct event *x = a, *y = b;
	int layer = compare_u64(x->layer, y->layer), comes = (int)x->comes - (int)y->comes;
	return layer ? layer : comes ? comes : compare_u64(x->tensor, y->tensor);
}

/* Of the tensors alive, by address, the first at or behind an address. */
static size_t find_alive(const struct dram_tensor *tensor, const uint32_t *alive, size_t n, uint64_t address)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tensor[alive[middle]].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A tensor comes among those alive; its neighbours by address are all that it can overlap with first. */
static void come_alive(struct check *check, uint32_t *alive, size_t *n, uint32_t t)
{
	const struct dram_tensor *tensor = check->dram->tensor;
	size_t at = find_alive(tensor, alive, *n, tensor[t].address);
	uint32_t other = t;
	if (at < *n && tensor[alive[at]].address < tensor[t].address + tensor[t].byte)
		other = alive[at];
	if (at > 0 && tensor[alive[at - 1]].address + tensor[alive[at - 1]].byte > tensor[t].address)
		other = alive[at - 1];
	if (other != t)
		WRONG(check, check->dram->tensor_address + (uint64_t)DRAM_TENSOR_BYTE * t,
		      "tensor %u: overlaps tensor %u, and both are alive in layer %u", t, other, tensor[t].first);
	memmove(alive + at + 1, alive + at, (*n - at) * sizeof(*alive));
	alive[at] = t;
	++*n;
}

static void go(const struct dram_tensor *tensor, uint32_t *alive, size_t *n, uint32_t t)
{
	size_t at = find_alive(tensor, alive, *n, tensor[t].address);
	while (at < *n && alive[at] != t)
		at++;
	assert(at < *n);
	memmove(alive + at, alive + at + 1, (*n - at - 1) * sizeof(*alive));
	--*n;
}

static void check_apart(struct check *check)
{
	const struct octopus_dram *dram = check->dram;
	struct event *event = memory_array(2 * (size_t)dram->n_tensor, sizeof(*event));
	uint32_t *alive = memory_array(dram->n_tensor, sizeof(*alive));
	size_t n_event = 0, n_alive = 0;
	for (uint32_t t = 0; t < dram->n_tensor; t++) {
		if (dram->tensor[t].byte == 0 || dram->tensor[t].in_sram)
			continue;
		event[n_event++] = (struct event){dram->tensor[t].first, true, t};
		event[n_event++] = (struct event){dram->tensor[t].last + UINT64_C(1), false, t};
	}
	qsort(event, n_event, sizeof(*event), compare_event);
	for (size_t i = 0; i < n_event; i++) {
		if (event[i].comes)
			come_alive(check, alive, &n_alive, event[i].tensor);
		else
			go(dram->tensor, alive, &n_alive, event[i].tensor);
	}
	free(alive);
	free(event);
}

static void check_tensors(struct check *check)
{
	const struct octopus_dram *dram = check->dram;
	bool good = true;
	for (uint32_t t = 0; t < dram->n_tensor; t++) {
		const struct dram_tensor *tensor = &dram->tensor[t];
		uint64_t at = dram->tensor_address + (uint64_t)DRAM_TENSOR_BYTE * t;
		struct dram_area area = {tensor->address, tensor->byte};
		if (tensor->address % OCTOPUS_ALIGN_BYTE != 0)
			WRONG(check, at, "tensor %u: address is %" PRIu64 ", no multiple of %d", t, tensor->address,
			      OCTOPUS_ALIGN_BYTE);
		if (tensor->in_sram &&
		    (tensor->is_input || tensor->address != 0 || (tensor->is_output && !tensor->to_chip)))
			WRONG(check, at, "tensor %u: it stays in SRAM, but has an address here or the host uses it", t);
		if (!tensor->in_sram && !is_inside(area, dram->data)) {
			good = false;
			WRONG(check, at,
			      "tensor %u: %" PRIu64 " bytes from %" PRIu64 ", allowed from %" PRIu64 " to %" PRIu64, t,
			      tensor->byte, tensor->address, dram->data.address, end_of(dram->data));
		}
		if (tensor->byte != mul_sat((uint64_t)tensor->w * tensor->h, tensor->c))
			WRONG(check, at + 8, "tensor %u: bytes is %" PRIu64 ", expected %u x %u x %u", t, tensor->byte,
			      tensor->w, tensor->h, tensor->c);
		if ((tensor->from_chip && !tensor->is_input) || (tensor->to_chip && !tensor->is_output))
			WRONG(check, at + 36, "tensor %u: it is from or to a chip, but no input or output", t);
		if (tensor->is_input && tensor->first != 0)
			WRONG(check, at + 28, "tensor %u: first layer is %u, expected 0 as the host writes it", t,
			      tensor->first);
		if (tensor->is_output && tensor->last != dram->n_layer - 1)
			WRONG(check, at + 32, "tensor %u: last layer is %u, expected %u as the host reads it", t,
			      tensor->last, dram->n_layer - 1);
	}
	if (good)
		check_apart(check);
}

/* ---- tiles ---- */

/* From the first byte of a patch to the end of its last. */
static uint64_t reach_byte(const struct dram_patch *patch)
{
	uint64_t planes = mul_sat(patch->c - UINT64_C(1), patch->plane_byte);
	return add_sat(add_sat(planes, mul_sat(patch->h - UINT64_C(1), patch->row_byte)), patch->w);
}

/* Of a layer that is running: its tensor is alive, and it stays inside. */
static void check_patch(struct check *check, uint32_t l, uint32_t tile, const struct dram_patch *patch)
{
	const struct octopus_dram *dram = check->dram;
	const struct dram_tensor *tensor = &dram->tensor[patch->tensor];
	const struct dram_layer *layer = &dram->layer[l];
	struct dram_area reach = {patch->address, reach_byte(patch)}, all = {tensor->address, tensor->byte};
	if (!is_inside(reach, all))
		WRONG(check, tile_address(layer, tile),
		      "layer %u, tile %u: a patch goes from %" PRIu64 " to %" PRIu64 ", its tensor %u from %" PRIu64
		      " to %" PRIu64,
		      l, tile, reach.address, end_of(reach), patch->tensor, all.address, end_of(all));
	if ((patch->h > 1 && patch->row_byte < patch->w) ||
	    (patch->c > 1 && patch->plane_byte < (patch->h - UINT64_C(1)) * patch->row_byte + patch->w))
		WRONG(check, tile_address(layer, tile), "layer %u, tile %u: rows or planes of a patch overlap", l,
		      tile);
	if (l < tensor->first || l > tensor->last)
		WRONG(check, tile_address(layer, tile), "layer %u, tile %u: tensor %u is alive in layers %u to %u only",
		      l, tile, patch->tensor, tensor->first, tensor->last);
}

static void check_constants(struct check *check, uint32_t l, uint32_t t, const char *what, struct dram_area part)
{
	const struct dram_layer *layer = &check->dram->layer[l];
	if (part.byte > 0 && (!is_inside(part, layer->constants) || part.address % OCTOPUS_ALIGN_BYTE != 0))
		WRONG(check, tile_address(layer, t),
		      "layer %u, tile %u: %s at %" PRIu64 ", %" PRIu64
		      " bytes; allowed are multiples of %d from %" PRIu64 " to %" PRIu64,
		      l, t, what, part.address, part.byte, OCTOPUS_ALIGN_BYTE, layer->constants.address,
		      end_of(layer->constants));
}

/* One side of a tile in its tensor. */
struct side {
	uint32_t from, n;
};

static int compare_side(const void *a, const void *b)
{
	const struct side *x = a, *y = b;
	return compare_u64((uint64_t)x->from << 32 | x->n, (uint64_t)y->from << 32 | y->n);
}

/* Sort sides and keep each once; whether they follow each other from 0 to extent. */
static bool cover_side(struct side *side, uint32_t *n, uint32_t extent)
{
	uint32_t kept = 0;
	uint64_t at = 0;
	qsort(side, *n, sizeof(*side), compare_side);
	for (uint32_t i = 0; i < *n; i++)
		if (kept == 0 || compare_side(&side[i], &side[kept - 1]) != 0)
			side[kept++] = side[i];
	*n = kept;
	for (uint32_t i = 0; i < kept; i++) {
		if (side[i].from != at)
			return false;
		at += side[i].n;
	}
	return at == extent;
}

static uint32_t find_side(const struct side *side, uint32_t n, uint32_t from)
{
	uint32_t low = 0, high = n;
	while (low + 1 < high) {
		uint32_t middle = low + (high - low) / 2;
		if (side[middle].from <= from)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Where a result lies in its tensor. */
struct corner {
	struct side x, y, c;
};

static struct corner corner_of(const struct dram_tensor *tensor, const struct dram_patch *patch)
{
	uint64_t offset = patch->address - tensor->address, plane = (uint64_t)tensor->w * tensor->h;
	return (struct corner){.x = {(uint32_t)(offset % plane % tensor->w), patch->w},
	                       .y = {(uint32_t)(offset % plane / tensor->w), patch->h},
	                       .c = {(uint32_t)(offset / plane), patch->c}};
}

/*
 * Whether the tiles are a grid, each cell once: then they cover the result exactly. side is for 3 * n_tile of them, key
 * for n_tile.
 */
static bool covers(const struct octopus_dram *dram, const struct dram_layer *layer, struct side *side, uint64_t *key)
{
	const struct dram_tensor *tensor = &dram->tensor[layer->tile[0].result.tensor];
	uint32_t n = layer->n_tile, n_x = n, n_y = n, n_c = n;
	struct side *x = side, *y = side + n, *c = side + 2 * (size_t)n;
	for (uint32_t i = 0; i < n; i++) {
		const struct dram_patch *patch = &layer->tile[i].result;
		struct corner corner = corner_of(tensor, patch);
		if (patch->tensor != layer->tile[0].result.tensor || patch->row_byte != tensor->w ||
		    patch->plane_byte != (uint64_t)tensor->w * tensor->h)
			return false;
		x[i] = corner.x;
		y[i] = corner.y;
		c[i] = corner.c;
	}
	if (!cover_side(x, &n_x, tensor->w) || !cover_side(y, &n_y, tensor->h) || !cover_side(c, &n_c, tensor->c) ||
	    mul_sat((uint64_t)n_x * n_y, n_c) != n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		struct corner corner = corner_of(tensor, &layer->tile[i].result);
		key[i] = ((uint64_t)find_side(c, n_c, corner.c.from) * n_y + find_side(y, n_y, corner.y.from)) * n_x +
		         find_side(x, n_x, corner.x.from);
	}
	qsort(key, n, sizeof(*key), compare_key);
	for (uint32_t i = 0; i < n; i++)
		if (key[i] != i)
			return false;
	return true;
}

static void check_result(struct check *check, uint32_t l, bool *is_written)
{
	const struct dram_layer *layer = &check->dram->layer[l];
	uint32_t t = layer->tile[0].result.tensor;
	const struct dram_tensor *tensor = &check->dram->tensor[t];
	struct side *side = memory_array(3 * (size_t)layer->n_tile, sizeof(*side));
	uint64_t *key = memory_array(layer->n_tile, sizeof(*key));
	if (!covers(check->dram, layer, side, key))
		WRONG(check, layer->tile_address, "layer %u: its tiles do not cover tensor %u exactly", l, t);
	if (tensor->is_input || is_written[t] || tensor->first != l)
		WRONG(check, layer->tile_address,
		      "layer %u: writes tensor %u, which the host, another layer or a later one does", l, t);
	is_written[t] = true;
	free(key);
	free(side);
}

/* A layer's workers are different rows of the table. taken: of each row 1 + the last layer that has it. */
static void check_workers(struct check *check, uint32_t l, uint32_t *taken)
{
	const struct dram_layer *layer = &check->dram->layer[l];
	for (uint32_t p = 0; p < layer->n_worker; p++) {
		uint32_t row = layer->worker[p].row;
		if (taken[row] == l + 1)
			WRONG(check, layer->worker_address + (uint64_t)DRAM_WORKER_BYTE * p,
			      "layer %u, worker %u: worker is %u, which another one of the layer is", l, p, row);
		taken[row] = l + 1;
	}
}

static void check_layers(struct check *check)
{
	const struct octopus_dram *dram = check->dram;
	bool *is_written = memory_array(dram->n_tensor, sizeof(*is_written));
	uint64_t constants = dram->constants.address;
	uint32_t *taken = memory_array(dram->n_worker, sizeof(*taken));
	for (uint32_t l = 0; l < dram->n_layer; l++) {
		const struct dram_layer *layer = &dram->layer[l];
		check_workers(check, l, taken);
		size_t n_before = check->err ? check->err->n_message : 0;
		if (layer->constants.address != constants)
			WRONG(check, layer->address, "layer %u: constants address is %" PRIu64 ", expected %" PRIu64, l,
			      layer->constants.address, constants);
		constants = end_of(layer->constants);
		for (uint32_t t = 0; t < layer->n_tile; t++) {
			const struct dram_tile *tile = &layer->tile[t];
			check_constants(check, l, t, "weights", tile->weights);
			check_constants(check, l, t, "biases", tile->biases);
			check_patch(check, l, t, &tile->result);
			for (uint32_t i = 0; i < tile->n_read; i++)
				check_patch(check, l, t, &tile->read[i]);
		}
		if (!check->err || check->err->n_message == n_before) /* else where tiles are is not known */
			check_result(check, l, is_written);
	}
	if (constants != end_of(dram->constants))
		WRONG(check, dram->layers.address, "constants: the layers' end at %" PRIu64 ", expected %" PRIu64,
		      constants, end_of(dram->constants));
	for (uint32_t t = 0; t < dram->n_tensor && check->code == ERR_OK; t++)
		if (!dram->tensor[t].is_input && !is_written[t])
			WRONG(check, dram->tensor_address + (uint64_t)DRAM_TENSOR_BYTE * t,
			      "tensor %u: nobody writes it", t);
	free(taken);
	free(is_written);
}

enum err_code dram_check(const char *name, const struct octopus_dram *dram, struct err *err)
{
	assert(name && dram && dram->n_layer > 0 && err);
	struct check check = {.name = name, .dram = dram, .err = err};
	check_pes(&check);
	check_tensors(&check);
	if (check.code == ERR_OK) /* else tiles have nothing to be compared with */
		check_layers(&check);
	return check.code;
}
