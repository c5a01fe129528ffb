/* SPDX-License-Identifier: Apache-2.0 */
/* Whether each tile's record is what its layer's shape asks for, so that the workers may believe it. */
#include "dse/base/memory.h"
#include "dse/emulate/emulate_parts.h"
#include "sim/base/checked.h"
#include "sim/base/text.h"
#include <inttypes.h>

#define MAX_SIDE 65536u                /* kernel, stride, dilation, pooling, padding */
#define MAX_NUMBER (UINT64_C(1) << 30) /* of what a tile has in its PE */

struct check {
	const char *name;
	struct emulator *emulator;
	uint32_t l, t;
	uint64_t address; /* of the tile's record */
	struct err *err;
	enum err_code code;
};

/* Field of the tile's record, or of the layer's shape, that cannot be. */
static bool __attribute__((format(printf, 3, 4))) wrong(struct check *check, uint64_t address, const char *format, ...)
{
	char text[160];
	TEXT_FILL(text, format);
	check->code = err_add(check->err, ERR_INPUT, "%s:%" PRIu64 ": layer %" PRIu32 ", %s", check->name, address,
	                      check->l, text);
	return false;
}

static bool expect(struct check *check, uint32_t offset, const char *field, uint64_t is, uint64_t expected)
{
	if (is == expected)
		return true;
	return wrong(check, check->address + offset, "tile %" PRIu32 ": %s is %" PRIu64 ", expected %" PRIu64, check->t,
	             field, is, expected);
}

/* ---- the layer ---- */

uint32_t emulate_depth(const struct dram_layer *layer)
{
	if (layer->type == OCTOPUS_LINEAR)
		return layer->shape.in_w;
	return layer->type == OCTOPUS_CONV ? layer->shape.in_c / layer->shape.groups : 1;
}

uint32_t emulate_n_lane(const struct dram_shape *shape, uint32_t first, uint32_t end)
{
	uint32_t n = end - first < shape->lanes ? end - first : shape->lanes;
	uint32_t n_each = shape->out_c / shape->groups, left = n_each - first % n_each;
	return shape->groups > 1 && left < n ? left : n;
}

static bool in_range(struct check *check, uint64_t address, const char *field, uint64_t value, uint64_t most)
{
	if (value >= 1 && value <= most)
		return true;
	return wrong(check, address, "shape: %s is %" PRIu64 ", allowed 1 to %" PRIu64, field, value, most);
}

/* Parts of the depth, which must be all of it; linear layers' last part may be less. */
static bool check_depth(struct check *check, const struct dram_layer *layer)
{
	uint64_t depth = emulate_depth(layer), extent = dim_extent(&layer->shape.split.d);
	const struct dim_split *d = &layer->shape.split.d;
	bool is_cut = layer->type == OCTOPUS_CONV || layer->type == OCTOPUS_LINEAR;
	if (!is_cut || (extent >= depth && extent <= MAX_NUMBER && extent - depth < d->size_a && d->n_a <= depth &&
	                d->n_b <= depth && (d->size_b > 0) == (d->n_b > 0)))
		return true;
	return wrong(check, layer->shape_address + 96, "shape: parts of the depth are %" PRIu64 ", expected %" PRIu64,
	             extent, depth);
}

static bool check_shape(struct check *check, const struct dram_layer *layer)
{
	const struct dram_shape *shape = &layer->shape;
	const struct {
		const char *field;
		uint32_t offset;
		uint64_t value, most;
	} side[] = {
	    {"input width", 0, shape->in_w, MAX_NUMBER},
	    {"input height", 4, shape->in_h, MAX_NUMBER},
	    {"input channels", 8, shape->in_c, MAX_NUMBER},
	    {"output width", 12, shape->out_w, MAX_NUMBER},
	    {"output height", 16, shape->out_h, MAX_NUMBER},
	    {"output channels", 20, shape->out_c, MAX_NUMBER},
	    {"kernel width", 24, shape->kernel_w, MAX_SIDE},
	    {"kernel height", 28, shape->kernel_h, MAX_SIDE},
	    {"stride", 32, shape->stride, MAX_SIDE},
	    {"groups", 36, shape->groups, shape->in_c},
	    {"pool", 40, shape->pool, MAX_SIDE},
	    {"dilation", 112, shape->dilation, MAX_SIDE},
	};
	bool good = true;
	for (size_t i = 0; i < sizeof(side) / sizeof(side[0]); i++)
		good = in_range(check, layer->shape_address + side[i].offset, side[i].field, side[i].value,
		                side[i].most) &&
		       good;
	if (!good)
		return false;
	if (shape->in_c % shape->groups != 0 || shape->out_c % shape->groups != 0)
		return wrong(check, layer->shape_address + 36, "shape: groups is %" PRIu32 ", no divisor of channels",
		             shape->groups);
	bool has_filters = layer->type == OCTOPUS_CONV || layer->type == OCTOPUS_LINEAR;
	if (has_filters != (shape->lanes > 0))
		return wrong(check, layer->shape_address + 116, "shape: lanes is %" PRIu32 ": %s", shape->lanes,
		             has_filters ? "the image has no weights" : "such layers have none");
	bool is_plain = shape->kernel_w == 1 && shape->kernel_h == 1 && shape->stride == 1 && shape->dilation == 1;
	if (layer->type == OCTOPUS_LINEAR && (!is_plain || shape->in_c > 1 || shape->out_c > 1))
		return wrong(check, layer->shape_address + 24,
		             "shape: a linear layer has a kernel, a stride or channels");
	if (layer->type == OCTOPUS_SOFTMAX && (shape->kernel_w > 1 || shape->kernel_h > 1 || shape->stride > 1))
		return wrong(check, layer->shape_address + 24, "shape: kernel or stride of a softmax is above 1");
	if (layer->type != OCTOPUS_CONV && (shape->pool > 1 || shape->groups > 1) && has_filters)
		return wrong(check, layer->shape_address + 40, "shape: pooling or groups of a linear layer");
	return check_depth(check, layer);
}

static bool check_type(struct check *check, const struct dram_layer *layer)
{
	if (layer->type == OCTOPUS_CONV || layer->type == OCTOPUS_LINEAR || layer->type == OCTOPUS_POOL ||
	    layer->type == OCTOPUS_SOFTMAX)
		return true;
	return wrong(check, layer->address, "type is %s, for which there is no integer arithmetic",
	             octopus_type_name[layer->type]);
}

/* ---- a tile ---- */

/* Patches of a role: channels one behind the other from 0, all of one size; *total: how many channels. */
static bool check_role(struct check *check, const struct dram_tile *tile, uint32_t role, uint32_t *w, uint32_t *h,
                       uint64_t *total)
{
	*total = 0;
	*w = *h = 0;
	for (uint32_t i = 0; i < tile->n_read; i++) {
		const struct dram_patch *patch = &tile->read[i];
		uint32_t at = DRAM_TILE_BYTE + (1 + i) * DRAM_PATCH_BYTE;
		if (patch->role != role)
			continue;
		if (patch->is_whole)
			return wrong(check, check->address + at + 28,
			             "tile %" PRIu32 ": role is whole: it reads a view that the image does not tell",
			             check->t);
		if (*total > 0 && (!expect(check, at + 32, "patch width", patch->w, *w) ||
		                   !expect(check, at + 36, "patch height", patch->h, *h)))
			return false;
		if (!expect(check, at + 44, "patch begin", patch->to, *total))
			return false;
		*w = patch->w;
		*h = patch->h;
		*total += patch->c;
	}
	return true;
}

/* Where its result begins in its tensor. */
static void place_result(const struct dram_tensor *tensor, const struct dram_layer *layer,
                         const struct dram_patch *patch, struct emulate_tile *own)
{
	uint64_t plane = (uint64_t)tensor->w * tensor->h, offset = patch->address - tensor->address;
	bool is_linear = layer->type == OCTOPUS_LINEAR;
	own->w = patch->w * layer->shape.pool;
	own->h = patch->h * layer->shape.pool;
	own->n_filter = is_linear ? patch->w : patch->c;
	own->first_filter = (uint32_t)(is_linear ? offset % tensor->w : offset / plane);
}

static bool check_window(struct check *check, const struct dram_layer *layer, const struct dram_tile *tile,
                         const struct emulate_tile *own)
{
	const struct dram_shape *shape = &layer->shape;
	uint64_t w = emulate_reach(own->w, shape->kernel_w, shape->stride, shape->dilation);
	uint64_t h = emulate_reach(own->h, shape->kernel_h, shape->stride, shape->dilation);
	if (layer->type == OCTOPUS_SOFTMAX && (tile->pad_left > 0 || tile->pad_top > 0))
		return wrong(check, check->address + 8, "tile %" PRIu32 ": padding of a softmax", check->t);
	if (tile->pad_left > MAX_SIDE || tile->pad_top > MAX_SIDE || tile->pad_right > MAX_SIDE ||
	    tile->pad_bottom > MAX_SIDE)
		return wrong(check, check->address + 8, "tile %" PRIu32 ": padding is above %u", check->t, MAX_SIDE);
	return expect(check, 8, "width with padding", (uint64_t)tile->pad_left + own->in_w + tile->pad_right, w) &&
	       expect(check, 16, "height with padding", (uint64_t)tile->pad_top + own->in_h + tile->pad_bottom, h);
}

/* Channels that its filters read: of the groups that they are of, whole ones or a part of one. */
static uint64_t n_channel(const struct dram_layer *layer, const struct emulate_tile *own)
{
	const struct dram_shape *shape = &layer->shape;
	if (layer->type == OCTOPUS_POOL || layer->type == OCTOPUS_SOFTMAX)
		return own->n_filter;
	uint32_t in_c = shape->in_c / shape->groups, out_c = shape->out_c / shape->groups;
	uint32_t first = own->first_filter / out_c, last = (own->first_filter + own->n_filter - 1) / out_c;
	return (uint64_t)(last - first + 1) * in_c;
}

static bool check_ifmap(struct check *check, const struct dram_layer *layer, const struct dram_tile *tile,
                        struct emulate_tile *own)
{
	uint64_t total;
	uint32_t w, h;
	if (!check_role(check, tile, OCTOPUS_IFMAP, &w, &h, &total))
		return false;
	if (layer->type == OCTOPUS_LINEAR) {
		/* rows of numbers, or one row number by number */
		own->in_w = layer->shape.in_w;
		own->in_h = own->h;
		own->in_c = 1;
		if (tile->pad_left > 0 || tile->pad_top > 0 || tile->pad_right > 0 || tile->pad_bottom > 0)
			return wrong(check, check->address + 8, "tile %" PRIu32 ": padding of a linear layer",
			             check->t);
		return expect(check, DRAM_TILE_BYTE + DRAM_PATCH_BYTE + 32, "numbers of its input",
		              mul_sat((uint64_t)w * h, total), (uint64_t)own->in_w * own->in_h) &&
		       (w == 1 || h == 1 ||
		        expect(check, DRAM_TILE_BYTE + DRAM_PATCH_BYTE + 32, "patch width", w, own->in_w));
	}
	own->in_w = w;
	own->in_h = h;
	own->in_c = (uint32_t)total;
	if (mul_sat((tile->pad_left + (uint64_t)w + tile->pad_right) * (tile->pad_top + (uint64_t)h + tile->pad_bottom),
	            total) > MAX_NUMBER)
		return wrong(check, check->address, "tile %" PRIu32 ": its input is more than 2^30 numbers", check->t);
	return expect(check, DRAM_TILE_BYTE + DRAM_PATCH_BYTE + 40, "patch channels", total, n_channel(layer, own)) &&
	       check_window(check, layer, tile, own);
}

static bool check_added(struct check *check, const struct dram_layer *layer, const struct dram_tile *tile,
                        struct emulate_tile *own)
{
	uint64_t total;
	uint32_t w, h;
	if (!check_role(check, tile, OCTOPUS_ADDED, &w, &h, &total))
		return false;
	uint64_t n = (uint64_t)own->w * own->h * (layer->type == OCTOPUS_LINEAR ? 1 : own->n_filter);
	own->added_byte = layer->shape.has_added ? (uint32_t)n : 0;
	return expect(check, DRAM_TILE_BYTE, "numbers that it adds", mul_sat((uint64_t)w * h, total),
	              layer->shape.has_added ? n : 0);
}

static bool check_tile(struct check *check, const struct dram_layer *layer, const struct dram_tile *tile)
{
	struct emulator *emulator = check->emulator;
	const struct dram_tensor *tensor = &emulator->dram.tensor[tile->result.tensor];
	struct emulate_tile *own = &emulator->tile[check->l][check->t];
	bool is_linear = layer->type == OCTOPUS_LINEAR, has_filters = is_linear || layer->type == OCTOPUS_CONV;
	if (mul_sat(mul_sat((uint64_t)tile->result.w * layer->shape.pool, (uint64_t)tile->result.h * layer->shape.pool),
	            tile->result.c) > MAX_NUMBER)
		return wrong(check, check->address + DRAM_TILE_BYTE,
		             "tile %" PRIu32 ": its result is more than 2^30 numbers", check->t);
	place_result(tensor, layer, &tile->result, own);
	uint32_t n_all = is_linear ? layer->shape.out_w : layer->shape.out_c;
	if ((uint64_t)own->first_filter + own->n_filter > n_all || (is_linear && tile->result.c != 1))
		return wrong(check, check->address + DRAM_TILE_BYTE,
		             "tile %" PRIu32 ": its result has other channels than its layer", check->t);
	for (uint32_t i = 0; i < tile->n_read; i++)
		if (tile->read[i].role == OCTOPUS_FILTERS)
			return wrong(check, check->address,
			             "tile %" PRIu32
			             ": reads: its weights are results, which the emulator does not run",
			             check->t);
	uint64_t n_filter = has_filters ? own->n_filter : 0;
	uint64_t n_tap = mul_sat(emulate_depth(layer), (uint64_t)layer->shape.kernel_w * layer->shape.kernel_h);
	if (is_linear)
		n_tap = layer->shape.in_w;
	return check_ifmap(check, layer, tile, own) && check_added(check, layer, tile, own) &&
	       expect(check, 40, "weights bytes", tile->weights.byte, mul_sat(n_tap, n_filter)) &&
	       expect(check, 56, "biases bytes", tile->biases.byte, sizeof(int32_t) * n_filter);
}

/* Whether the layer is as large as the tensor that it writes, and reads as much as its windows reach. */
static bool check_extents(struct check *check, const struct dram_layer *layer)
{
	const struct dram_shape *shape = &layer->shape;
	const struct dram_tensor *tensor = &check->emulator->dram.tensor[layer->tile[0].result.tensor];
	uint64_t before_x = 0, behind_x = 0, before_y = 0, behind_y = 0;
	if (shape->out_w / shape->pool != tensor->w || shape->out_h / shape->pool != tensor->h ||
	    (layer->type != OCTOPUS_LINEAR && shape->out_c != tensor->c))
		return wrong(check, layer->shape_address + 12,
		             "shape: output is %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", tensor %" PRIu32 " is another",
		             shape->out_w, shape->out_h, shape->out_c, layer->tile[0].result.tensor);
	for (uint32_t t = 0; t < layer->n_tile; t++) {
		const struct dram_tile *tile = &layer->tile[t];
		before_x = tile->pad_left > before_x ? tile->pad_left : before_x;
		behind_x = tile->pad_right > behind_x ? tile->pad_right : behind_x;
		before_y = tile->pad_top > before_y ? tile->pad_top : before_y;
		behind_y = tile->pad_bottom > behind_y ? tile->pad_bottom : behind_y;
	}
	bool is_linear = layer->type == OCTOPUS_LINEAR;
	uint64_t w = is_linear ? 1 : emulate_reach(shape->out_w, shape->kernel_w, shape->stride, shape->dilation);
	uint64_t h =
	    is_linear ? shape->in_h : emulate_reach(shape->out_h, shape->kernel_h, shape->stride, shape->dilation);
	if (before_x + shape->in_w + behind_x < w || before_y + shape->in_h + behind_y < h ||
	    (is_linear && shape->in_h != shape->out_h))
		return wrong(check, layer->shape_address,
		             "shape: input is %" PRIu32 " x %" PRIu32 ", its windows reach %" PRIu64 " x %" PRIu64,
		             shape->in_w, shape->in_h, w, h);
	return true;
}

static void check_layer(struct check *check)
{
	struct emulator *emulator = check->emulator;
	const struct dram_layer *layer = &emulator->dram.layer[check->l];
	emulator->tile[check->l] =
	    memory_must(arena_array(&emulator->arena, layer->n_tile, sizeof(*emulator->tile[check->l])));
	check->address = layer->tile_address;
	if (!check_type(check, layer) || !check_shape(check, layer) || !check_extents(check, layer))
		return;
	for (check->t = 0; check->t < layer->n_tile; check->t++) {
		const struct dram_tile *tile = &layer->tile[check->t];
		if (!check_tile(check, layer, tile))
			return; /* the first of a layer is enough */
		check->address += dram_tile_byte(tile);
	}
}

enum err_code emulate_check(const char *name, struct emulator *emulator, struct err *err)
{
	const struct octopus_dram *dram = &emulator->dram;
	struct check check = {.name = name, .emulator = emulator, .err = err};
	if (!dram->constant && dram->constants.byte > 0)
		return err_add(err, ERR_INPUT,
		               "%s:24: head, image bytes is %" PRIu64
		               ": it ends where the weights begin; write it with dse schedule --weights",
		               name, dram->constants.address);
	emulator->tile = memory_must(arena_array(&emulator->arena, dram->n_layer, sizeof(struct emulate_tile *)));
	for (check.l = 0; check.l < dram->n_layer; check.l++)
		check_layer(&check);
	return check.code;
}
