/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/split.h"
#include "sim/base/checked.h"
#include "sim/base/reach.h"

struct split split_whole(const struct block *block)
{
	return (struct split){
	    .w = dim_whole(block->out_w),
	    .h = dim_whole(block->out_h),
	    .c = dim_whole(block->out_c),
	    .d = dim_whole(block->kind == BLOCK_MATMUL ? block->in_w
	                   : block->kind == BLOCK_CONV ? block_group_in_c(block)
	                                               : 1),
	};
}

struct split split_whole_group(const struct block *block)
{
	struct split split = split_whole(block);
	if (block->kind == BLOCK_CONV)
		split.c = dim_whole(block_group_out_c(block));
	return split;
}

/* What split_check asks of one dimension. */
struct dim_check {
	const char *name;
	uint32_t extent, step;
	bool may_exceed; /* by less than the smallest part, which is then padded with zeros */
};

static enum err_code check_dim(const struct block *block, const struct dim_split *dim, const struct dim_check *rule,
                               struct err *err)
{
	char text[64];
	uint64_t extent = dim_extent(dim);
	uint32_t smallest = dim->n_b > 0 ? dim->size_b : dim->size_a;
	dim_print(&(struct dim_split){dim->size_a, dim->n_a ? dim->n_a : 1, dim->size_b, dim->n_b}, text, sizeof(text));
	if (dim->size_a == 0 || dim->n_a == 0 || (dim->size_b == 0) != (dim->n_b == 0) || dim->size_b >= dim->size_a)
		return err_add(err, ERR_INPUT,
		               "%s: %s is split %u*%u+%u*%u, allowed are parts above 0, the larger first", block->name,
		               rule->name, dim->size_a, dim->n_a, dim->size_b, dim->n_b);
	if (extent < rule->extent || (extent > rule->extent && !(rule->may_exceed && extent - rule->extent < smallest)))
		return err_add(err, ERR_INPUT, "%s: %s is split %s, which covers %llu of %u", block->name, rule->name,
		               text, (unsigned long long)extent, rule->extent);
	if (dim->size_a % rule->step != 0 || dim->size_b % rule->step != 0)
		return err_add(err, ERR_INPUT,
		               "%s: %s is split %s, allowed are multiples of the fused pooling's stride %u",
		               block->name, rule->name, text, rule->step);
	return ERR_OK;
}

/* Filters of all groups of a convolution: no part has filters of a group that it does not have whole, but one. */
static enum err_code check_groups(const struct block *block, const struct dim_split *c, struct err *err)
{
	uint32_t size = block_group_out_c(block);
	char text[64];
	bool is_whole = c->size_a % size == 0 && c->size_b % size == 0, is_part = c->n_b == 0 && size % c->size_a == 0;
	if (is_whole || is_part)
		return ERR_OK;
	dim_print(c, text, sizeof(text));
	return err_add(
	    err, ERR_INPUT,
	    "%s: ofmap channels is split %s, allowed are parts of whole groups of %u, or equal parts of a group",
	    block->name, text, size);
}

enum err_code split_check(const struct block *block, const struct split *split, struct err *err)
{
	bool matmul = block->kind == BLOCK_MATMUL;
	bool is_grouped = block->kind == BLOCK_CONV && block_n_group(block) > 1;
	/* one group's filters stand for all */
	bool of_group = is_grouped && dim_extent(&split->c) == block_group_out_c(block);
	const struct split whole = of_group ? split_whole_group(block) : split_whole(block);
	const struct dim_split *dim[] = {&split->w, &split->h, &split->c, &split->d};
	const struct dim_check rule[] = {
	    {matmul ? "B's width" : "ofmap width", whole.w.size_a, block->pool, matmul},
	    {matmul ? "A's height" : "ofmap height", whole.h.size_a, block->pool, false},
	    {matmul ? "channels (always 1)" : "ofmap channels", whole.c.size_a, 1, false},
	    {matmul ? "B's height" : "ifmap channels", whole.d.size_a, 1, matmul},
	};
	enum err_code code = ERR_OK;
	assert(split && block->pool > 0);
	for (size_t i = 0; i < sizeof(rule) / sizeof(*rule); i++) {
		enum err_code dim_code = check_dim(block, dim[i], &rule[i], err);
		if (dim_code != ERR_OK)
			code = dim_code;
	}
	if (code == ERR_OK && is_grouped && !of_group)
		code = check_groups(block, &split->c, err);
	return code;
}

uint32_t split_group_of_many(const struct block *block, uint32_t n_filter)
{
	uint32_t size = block->kind == BLOCK_CONV ? block_group_out_c(block) : n_filter;
	return n_filter > size ? n_filter / size : 1;
}

uint64_t split_row_of_many(const struct block *block, uint32_t n_filter, uint32_t n_row)
{
	uint32_t n_group = split_group_of_many(block, n_filter);
	return n_group * ceil_div(n_filter / n_group, n_row);
}

uint64_t split_n_task(const struct split *split)
{
	return mul_sat(mul_sat(dim_n_part(&split->w), dim_n_part(&split->h)),
	               mul_sat(dim_n_part(&split->c), dim_n_part(&split->d)));
}

unsigned split_n_uneven(const struct split *split)
{
	const struct dim_split *dim[] = {&split->w, &split->h, &split->c, &split->d};
	unsigned n = 0;
	assert(split);
	for (size_t i = 0; i < sizeof(dim) / sizeof(dim[0]); i++)
		n += dim[i]->n_a > 0 && dim[i]->n_b > 0;
	return n;
}

/*
 * A window moves by its stride from one output to the next; what it skips is
 * stored with the part as well. So every output takes max(kernel, stride)
 * pixels, all but the last of them shared beyond the stride. This gives every
 * ifmap part of the split tables: 2 rows for one output of a 1x1 kernel with
 * stride 2 (equation 4.1 alone gives 1), 21 for eight of 7x7 with stride 2.
 */
uint32_t split_in_extent(uint32_t out_part, uint32_t kernel, uint32_t stride)
{
	uint64_t extent;
	assert(out_part > 0 && kernel > 0 && stride > 0);
	extent = (uint64_t)(out_part - 1) * stride + (kernel > stride ? kernel : stride);
	return extent > UINT32_MAX ? UINT32_MAX : (uint32_t)extent;
}

static uint32_t at_most(uint32_t value, uint32_t limit)
{
	return value < limit ? value : limit;
}

uint32_t split_part_in_w(const struct block *block, uint32_t out_part)
{
	return at_most(split_in_extent(out_part, kernel_reach(block->kernel_w, block->dilation), block->stride),
	               block_padded_w(block));
}

uint32_t split_part_in_h(const struct block *block, uint32_t out_part)
{
	return at_most(split_in_extent(out_part, kernel_reach(block->kernel_h, block->dilation), block->stride),
	               block_padded_h(block));
}

static uint32_t tight_extent(uint32_t out_part, uint32_t reach, uint32_t stride, uint32_t padded)
{
	assert(out_part > 0);
	uint64_t extent = (uint64_t)(out_part - 1) * stride + reach;
	return extent < padded ? (uint32_t)extent : padded;
}

uint32_t split_tight_in_w(const struct block *block, uint32_t out_part)
{
	return tight_extent(out_part, block_reach_w(block), block->stride, block_padded_w(block));
}

uint32_t split_tight_in_h(const struct block *block, uint32_t out_part)
{
	return tight_extent(out_part, block_reach_h(block), block->stride, block_padded_h(block));
}
