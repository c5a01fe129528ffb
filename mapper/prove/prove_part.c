/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of tensors by number: which indices a part has, how many numbers, and its name in messages. */
#include "mapper/prove/prove_parts.h"
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

struct prove_core prove_core_of(const struct block *block, const struct split *split)
{
	struct prove_core core = {.block = block,
	                          .in_c = block->in_c,
	                          .out_c = block->out_c,
	                          .n_group = block_n_group(block),
	                          .out_w = block->out_w,
	                          .out_h = block->out_h,
	                          .padded_w = block_padded_w(block),
	                          .padded_h = block_padded_h(block),
	                          .split = *split};
	if (block->kind == BLOCK_MATMUL) {
		core.in_c = block->in_w;
		core.out_c = block->out_w;
		core.out_w = core.padded_w = 1;
		core.split = (struct split){.w = dim_whole(1), .h = split->h, .c = split->w, .d = split->d};
	} else if (block->kind == BLOCK_CONV) {
		core.in_c = block_group_in_c(block);
		if (core.n_group > 1 && dim_extent(&split->c) == block->out_c)
			core.n_group = 1;
		else
			core.out_c = block_group_out_c(block);
	}
	core.n_w = dim_n_part(&core.split.w);
	core.n_c = dim_n_part(&core.split.c);
	core.n_channel_part = 1;
	core.n_meet = core.n_c;
	if (block->kind == BLOCK_CONV && core.out_c > block_group_out_c(block)) {
		uint32_t n_each = block_group_out_c(block), size = core.split.c.size_a;
		core.n_meet = size < n_each ? n_each / size : 1;
		core.n_channel_part = core.n_c / core.n_meet;
	}
	core.n_d = block->kind == BLOCK_POOL ? 1 : dim_n_part(&core.split.d);
	core.n_h = dim_n_part(&core.split.h);
	core.n_map = (uint64_t)core.n_w * core.n_h * block_batch(block);
	return core;
}

bool prove_adds(const struct block *block)
{
	return block->has_mat_ele || (block->kind == BLOCK_POOL && block->operand != OPERAND_NONE);
}

struct prove_map prove_added_shape(const struct block *block)
{
	if (block->kind == BLOCK_POOL && block->operand == OPERAND_CHANNEL)
		return (struct prove_map){1, block_batch(block), block->out_c, NULL};
	return (struct prove_map){block->out_w, block->out_h * block_batch(block), block->out_c, NULL};
}

struct prove_span prove_span_of(const struct dim_split *dim, uint32_t part, uint32_t extent)
{
	assert(part < dim_n_part(dim));
	bool is_large = part < dim->n_a;
	uint64_t first = is_large ? (uint64_t)part * dim->size_a
	                          : (uint64_t)dim->n_a * dim->size_a + (uint64_t)(part - dim->n_a) * dim->size_b;
	uint64_t size = is_large ? dim->size_a : dim->size_b;
	assert(first < extent);
	return (struct prove_span){(uint32_t)first, (uint32_t)(size < extent - first ? size : extent - first)};
}

uint32_t prove_map_of(const struct prove_core *core, uint32_t number)
{
	if (core->block->kind == BLOCK_POOL)
		return number;
	return number / core->n_c * core->n_channel_part + number % core->n_c / core->n_meet;
}

struct prove_map_part prove_map_part_of(const struct prove_core *core, uint32_t map)
{
	uint32_t deep = map / core->n_channel_part;
	return (struct prove_map_part){deep / core->n_d, deep % core->n_d, map % core->n_channel_part};
}

uint32_t prove_filter_of(const struct prove_core *core, uint32_t number)
{
	return prove_depth_of(core, number) * core->n_c + number % core->n_c;
}

uint64_t prove_n_result(const struct prove_core *core)
{
	return core->n_map * core->n_c * core->n_group;
}

uint32_t prove_result_of(const struct prove_core *core, uint32_t number)
{
	return number / core->n_c / core->n_d * core->n_c + number % core->n_c;
}

uint32_t prove_depth_of(const struct prove_core *core, uint32_t number)
{
	return number / core->n_c % core->n_d;
}

struct prove_region prove_region_of(const struct prove_core *core, uint32_t result)
{
	uint32_t place = result / core->n_c, map = (uint32_t)(place % core->n_map);
	assert(result < prove_n_result(core));
	return (struct prove_region){
	    .w = prove_span_of(&core->split.w, map % core->n_w, core->out_w),
	    .h = prove_span_of(&core->split.h, map / core->n_w % core->n_h, core->out_h),
	    .c = prove_span_of(&core->split.c, result % core->n_c, core->out_c),
	    .group = (uint32_t)(place / core->n_map),
	    .image = map / core->n_w / core->n_h,
	};
}

/* ---- sizes ---- */

/* Groups of a filter part of so many filters. */
static uint32_t n_group_of(const struct prove_core *core, uint32_t n_filter)
{
	uint32_t n_each = block_group_out_c(core->block);
	return core->out_c > n_each && n_filter > n_each ? n_filter / n_each : 1;
}

uint64_t prove_map_size(const struct prove_core *core, uint32_t map)
{
	const struct block *block = core->block;
	bool is_pool = block->kind == BLOCK_POOL;
	const struct prove_map_part part = prove_map_part_of(core, map);
	const struct prove_region region = prove_region_of(core, is_pool ? map : part.map * core->n_c);
	uint32_t depth = is_pool ? region.c.size : prove_span_of(&core->split.d, part.depth, core->in_c).size;
	if (block->kind == BLOCK_MATMUL)
		return (uint64_t)region.h.size * depth;
	uint32_t in_h = core->is_packed ? region.h.size : prove_part_in_h(core, region.h.size);
	uint64_t size = (uint64_t)prove_part_in_w(core, region.w.size) * in_h * depth;
	if (block->kind == BLOCK_CONV)
		size *=
		    n_group_of(core, prove_span_of(&core->split.c, part.channel_part * core->n_meet, core->out_c).size);
	return is_pool && block->operand != OPERAND_NONE ? size + (block->operand == OPERAND_MAP ? size : depth) : size;
}

uint64_t prove_filter_size(const struct prove_core *core, uint32_t filter)
{
	uint64_t n_kernel = (uint64_t)core->block->kernel_w * core->block->kernel_h;
	return n_kernel * prove_span_of(&core->split.c, filter % core->n_c, core->out_c).size *
	       prove_span_of(&core->split.d, filter / core->n_c % core->n_d, core->in_c).size;
}

uint64_t prove_result_size(const struct prove_core *core, uint32_t result)
{
	const struct prove_region region = prove_region_of(core, result);
	uint64_t area = (uint64_t)core->block->pool * core->block->pool;
	return (uint64_t)region.w.size * region.h.size * region.c.size / area;
}

/* ---- names ---- */

static struct prove_label label_part(const char *operand, uint32_t part)
{
	struct prove_label label;
	if (part == PROVE_NONE)
		(void)snprintf(label.text, sizeof(label.text), "no %s part", operand);
	else
		(void)snprintf(label.text, sizeof(label.text), "%s part %u", operand, part);
	return label;
}

struct prove_label prove_label_map(uint32_t map)
{
	return label_part("ifmap", map);
}

struct prove_label prove_label_filter(uint32_t filter)
{
	return label_part("filter", filter);
}

struct prove_label prove_label_result(const struct prove_core *core, uint32_t result)
{
	const struct prove_region region = prove_region_of(core, result);
	uint32_t first_c = region.group * core->out_c + region.c.first;
	struct prove_label label;
	char image[24] = "";
	if (block_batch(core->block) > 1)
		(void)snprintf(image, sizeof(image), "image %u, ", region.image);
	(void)snprintf(label.text, sizeof(label.text), "result %u (%sx %u-%u, y %u-%u, channels %u-%u)", result, image,
	               region.w.first, region.w.first + region.w.size - 1, region.h.first,
	               region.h.first + region.h.size - 1, first_c, first_c + region.c.size - 1);
	return label;
}

void prove_fault(struct prove_run *run, const char *format, ...)
{
	struct prove_result *result = run->result;
	unsigned at = result->n_fault++;
	if (at >= PROVE_MAX_FAULT)
		return;
	va_list list;
	va_start(list, format);
	(void)vsnprintf(result->fault[at], PROVE_FAULT_SIZE, format, list);
	va_end(list);
}
