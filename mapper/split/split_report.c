/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/split_report.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const split_column_name[N_SPLIT_COLUMN] = {
    [SPLIT_IFMAP_W] = "ifmap_w",           [SPLIT_IFMAP_H] = "ifmap_h",   [SPLIT_IFMAP_C] = "ifmap_c",
    [SPLIT_KERNEL_W] = "kernel_w",         [SPLIT_KERNEL_H] = "kernel_h", [SPLIT_KERNEL_IN_C] = "kernel_in_c",
    [SPLIT_KERNEL_OUT_C] = "kernel_out_c", [SPLIT_STRIDE] = "stride",     [SPLIT_PAD] = "pad_left_right_top_bottom",
    [SPLIT_OVERLAP] = "overlap",           [SPLIT_OFMAP_W] = "ofmap_w",   [SPLIT_OFMAP_H] = "ofmap_h",
    [SPLIT_OFMAP_C] = "ofmap_c",           [SPLIT_PIECES] = "pieces",
};

/* What a cell is made from. */
struct report {
	const struct block *block;
	const struct split *split;
	uint32_t (*part_w)(const struct block *, uint32_t), (*part_h)(const struct block *, uint32_t);
	struct split_row *row;
};

static char *cell(struct report *report, enum split_column column)
{
	return report->row->cell[column];
}

static void put_number(struct report *report, enum split_column column, uint64_t value)
{
	(void)snprintf(cell(report, column), SPLIT_CELL_SIZE, "%" PRIu64, value);
}

static void put_dim(struct report *report, enum split_column column, const struct dim_split *dim)
{
	(void)dim_print(dim, cell(report, column), SPLIT_CELL_SIZE);
}

/* Parts of a dimension as they are stored in front of a window operation. */
static struct dim_split in_parts(const struct dim_split *dim, uint32_t (*in)(const struct block *, uint32_t),
                                 const struct block *block)
{
	struct dim_split parts = *dim;
	parts.size_a = in(block, dim->size_a);
	parts.size_b = dim->n_b > 0 ? in(block, dim->size_b) : 0;
	if (parts.size_a == parts.size_b) /* both cut at the ifmap's end */
		parts = (struct dim_split){.size_a = parts.size_a, .n_a = parts.n_a + parts.n_b};
	return parts;
}

/* Channels of the ifmap that the tasks read, part by part: those of the groups whose filters a task has. */
static struct dim_split in_channels(const struct block *block, const struct split *split)
{
	const struct dim_split *c = &split->c;
	if (block->kind == BLOCK_POOL)
		return *c;
	bool is_grouped = block_n_group(block) > 1 && dim_extent(c) == block->out_c && dim_n_part(&split->d) == 1;
	if (!is_grouped)
		return split->d;
	struct dim_split parts = {split_part_group(block, c->size_a) * split->d.size_a, c->n_a, 0, c->n_b};
	parts.size_b = c->n_b > 0 ? split_part_group(block, c->size_b) * split->d.size_a : 0;
	if (parts.size_a == parts.size_b)
		parts = (struct dim_split){.size_a = parts.size_a, .n_a = c->n_a + c->n_b};
	return parts;
}

/* Each of a dimension's sizes times or over a factor. */
static struct dim_split over(const struct dim_split *dim, uint32_t factor)
{
	return (struct dim_split){dim->size_a / factor, dim->n_a, dim->size_b / factor, dim->n_b};
}

/* One direction of a padded ifmap. */
struct report_side {
	const struct dim_split *out; /* parts of the ofmap */
	uint32_t in, pad, stride;
	uint32_t (*part)(const struct block *, uint32_t);
};

/* Pixels of the ifmap itself that an ofmap part's window positions cover, padding left out. */
static uint32_t unpadded(const struct block *block, const struct report_side *direction, uint64_t out_begin,
                         uint32_t out)
{
	uint64_t begin = out_begin * direction->stride, end = begin + direction->part(block, out);
	uint64_t first = begin > direction->pad ? begin - direction->pad : 0;
	uint64_t last = end > direction->pad ? end - direction->pad : 0;
	last = last < direction->in ? last : direction->in;
	return first < last ? (uint32_t)(last - first) : 0;
}

/* "22*1+23*3+22*6+21*1": the first and the last part stand alone, the others in runs of equal sizes. */
static void put_unpadded(struct report *report, enum split_column column, const struct report_side *direction)
{
	const struct dim_split *out = direction->out;
	uint32_t n = dim_n_part(out), run = 0, size = 0;
	uint64_t at = 0;
	size_t n_byte = 0;
	char *text = cell(report, column);
	for (uint32_t i = 0; i <= n; i++) {
		uint32_t own = i < out->n_a ? out->size_a : out->size_b;
		uint32_t found = i < n ? unpadded(report->block, direction, at, own) : 0;
		at += own;
		bool is_edge = i <= 1 || i + 1 >= n;
		if (run > 0 && (is_edge || found != size)) {
			if (n_byte + 24 < SPLIT_CELL_SIZE)
				n_byte += (size_t)snprintf(text + n_byte, SPLIT_CELL_SIZE - n_byte,
				                           "%s%" PRIu32 "*%" PRIu32, n_byte ? "+" : "", size, run);
			run = 0;
		}
		size = found;
		run++;
	}
}

static void put_padding(struct report *report)
{
	const struct block *block = report->block;
	const struct split *split = report->split;
	const struct report_side w = {&split->w, block->in_w, block->pad_left, block->stride, report->part_w};
	const struct report_side h = {&split->h, block->in_h, block->pad_top, block->stride, report->part_h};
	const struct dim_split padded_w = in_parts(&split->w, report->part_w, block);
	const struct dim_split padded_h = in_parts(&split->h, report->part_h, block);
	const struct dim_split channels = in_channels(block, split);
	put_unpadded(report, SPLIT_IFMAP_W, &w);
	put_unpadded(report, SPLIT_IFMAP_H, &h);
	put_dim(report, SPLIT_IFMAP_C, &channels);
	put_dim(report, SPLIT_OFMAP_W, &padded_w);
	put_dim(report, SPLIT_OFMAP_H, &padded_h);
	put_dim(report, SPLIT_OFMAP_C, &channels);
	(void)snprintf(cell(report, SPLIT_PAD), SPLIT_CELL_SIZE, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32,
	               block->pad_left, block->pad_right, block->pad_top, block->pad_bottom);
	/* of the larger side of the window; none where it moves by more than its size */
	uint32_t reach = block->kernel_w > block->kernel_h ? block_reach_w(block) : block_reach_h(block);
	put_number(report, SPLIT_OVERLAP, reach > block->stride ? reach - block->stride : 0);
}

/* A convolution, or a pooling of its own. */
static void put_window(struct report *report)
{
	const struct block *block = report->block;
	const struct split *split = report->split;
	const struct dim_split in_w = in_parts(&split->w, report->part_w, block);
	const struct dim_split in_h = in_parts(&split->h, report->part_h, block);
	bool is_pool = block->kind == BLOCK_POOL;
	put_dim(report, SPLIT_IFMAP_W, &in_w);
	put_dim(report, SPLIT_IFMAP_H, &in_h);
	const struct dim_split channels = in_channels(block, split);
	put_dim(report, SPLIT_IFMAP_C, &channels);
	put_number(report, SPLIT_KERNEL_W, block->kernel_w);
	put_number(report, SPLIT_KERNEL_H, block->kernel_h);
	if (!is_pool && dim_n_part(&split->d) == 1)
		put_number(report, SPLIT_KERNEL_IN_C, split->d.size_a);
	else if (!is_pool)
		put_dim(report, SPLIT_KERNEL_IN_C, &split->d);
	if (!is_pool)
		put_dim(report, SPLIT_KERNEL_OUT_C, &split->c);
	put_number(report, SPLIT_STRIDE, block->stride);
	put_dim(report, SPLIT_OFMAP_W, &split->w);
	put_dim(report, SPLIT_OFMAP_H, &split->h);
	put_dim(report, SPLIT_OFMAP_C, &split->c);
	put_number(report, SPLIT_PIECES, split_n_task(split) * block_batch(block));
}

/* A times B: A's width is B's height. */
static void put_matmul(struct report *report)
{
	const struct split *split = report->split;
	put_dim(report, SPLIT_IFMAP_W, &split->d);
	put_dim(report, SPLIT_IFMAP_H, &split->h);
	put_dim(report, SPLIT_KERNEL_W, &split->w);
	put_dim(report, SPLIT_KERNEL_H, &split->d);
	put_dim(report, SPLIT_OFMAP_W, &split->w);
	put_dim(report, SPLIT_OFMAP_H, &split->h);
	put_number(report, SPLIT_PIECES, split_n_task(split));
}

/* Tasks whose results are no partial sums, or that are sums of them. */
static uint64_t n_result(const struct report *report)
{
	const struct split *split = report->split;
	return split_n_task(split) / dim_n_part(&split->d) * block_batch(report->block);
}

/* Partial sums of each result part, added up one after the other. */
static void put_partial_sums(struct report *report)
{
	const struct split *split = report->split;
	uint32_t n_sum = dim_n_part(&split->d);
	put_dim(report, SPLIT_IFMAP_W, &split->w);
	(void)snprintf(cell(report, SPLIT_IFMAP_H), SPLIT_CELL_SIZE, "%" PRIu32 "*1", n_sum * dim_n_part(&split->h));
	put_dim(report, SPLIT_OFMAP_W, &split->w);
	put_dim(report, SPLIT_OFMAP_H, &split->h);
	put_number(report, SPLIT_PIECES, n_result(report) * (n_sum - 1));
}

/* An ARM operation on the result, pixel by pixel, or the fused pooling, which makes fewer of them. */
static void put_result(struct report *report, uint32_t pool)
{
	const struct split *split = report->split;
	const struct dim_split w = over(&split->w, pool), h = over(&split->h, pool);
	put_dim(report, SPLIT_IFMAP_W, &split->w);
	put_dim(report, SPLIT_IFMAP_H, &split->h);
	put_dim(report, SPLIT_OFMAP_W, &w);
	put_dim(report, SPLIT_OFMAP_H, &h);
	if (report->block->kind != BLOCK_MATMUL) {
		put_dim(report, SPLIT_IFMAP_C, &split->c);
		put_dim(report, SPLIT_OFMAP_C, &split->c);
	}
	if (pool > 1) {
		put_number(report, SPLIT_KERNEL_W, pool);
		put_number(report, SPLIT_KERNEL_H, pool);
		put_number(report, SPLIT_STRIDE, pool);
	}
	put_number(report, SPLIT_PIECES, n_result(report));
}

static void put_row(struct report *report, enum operation_kind kind, bool is_core)
{
	const struct block *block = report->block;
	if (kind == OPERATION_PADD)
		put_padding(report);
	else if (is_core && block->kind == BLOCK_MATMUL)
		put_matmul(report);
	else if (is_core && (block->kind == BLOCK_CONV || block->arm == ARM_POOL))
		put_window(report);
	else if (kind == OPERATION_FCE)
		put_partial_sums(report);
	else
		put_result(report, kind == OPERATION_POOL ? block->pool : 1);
}

size_t split_report(const struct block *block, const struct split *split, enum conv_form form, struct split_row *out,
                    size_t max)
{
	bool is_tight = form == FORM_TIGHT && block_skips_pixels(block);
	struct operation operation[BLOCK_MAX_OPERATION];
	size_t n = block_operations(block, operation, BLOCK_MAX_OPERATION), n_row = 0;
	assert(block && split && (out || max == 0));
	for (size_t i = 0; i < n; i++) {
		if (operation[i].kind == OPERATION_FCE && dim_n_part(&split->d) == 1)
			continue;
		if (n_row < max) {
			struct report report = {block, split, is_tight ? split_tight_in_w : split_part_in_w,
			                        is_tight ? split_tight_in_h : split_part_in_h, &out[n_row]};
			out[n_row] = (struct split_row){.operation = operation[i]};
			put_row(&report, operation[i].kind, i == (block->has_padd ? 1 : 0));
		}
		n_row++;
	}
	return n_row;
}
