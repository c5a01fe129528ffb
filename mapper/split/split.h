/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_SPLIT_H
#define MAPPER_SPLIT_H
/*
 * Splits (tilings): how a block's core operation is cut into tasks, dimension by dimension (dim.h). And split schemes,
 * the splits of named operations as the thesis' appendices list them.
 */
#include "mapper/network/network.h"
#include "mapper/split/dim.h"

/*
 * BLOCK_CONV, BLOCK_POOL: w, h of the core operation's ofmap, c its channels
 * (filters), d the input channels (pooling: d is uncut, size 1).
 * BLOCK_MATMUL: w columns of B, h rows of A, d rows of B (= columns of A), c uncut, size 1.
 */
struct split {
	struct dim_split w, h, c, d;
};

/* The whole block in one task. */
struct split split_whole(const struct block *block);

/* The same of one group of a convolution: a systolic array has the groups one after the other, all cut alike. */
struct split split_whole_group(const struct block *block);

/*
 * Each dimension covers its extent, steps of fused pooling are kept, filters > 0; ERR_INPUT with a message
 * otherwise. w and d of a BLOCK_MATMUL may exceed the extent by less than their smallest part: the rest is
 * padded with zeros, as the thesis does with 1000 columns in parts of 256 (table G.1, FC_21). c of a grouped
 * convolution covers all filters, its parts are of whole groups or equal ones inside groups; or it covers one group's,
 * as for a systolic array. d covers the input channels of a group.
 */
enum err_code split_check(const struct block *block, const struct split *split, struct err *err);

/*
 * What a part of n_filter filters is of a grouped convolution: so many groups, 1 for a part of one; ungrouped 1. The
 * ifmap part of its task has the channels of these groups.
 */
uint32_t split_group_of_many(const struct block *block, uint32_t n_filter);
static inline uint32_t split_part_group(const struct block *block, uint32_t n_filter)
{
	return block->groups > 1 ? split_group_of_many(block, n_filter) : 1;
}

/* Groups of n_row rows of the MAC array that it takes: a round's filters are of one group of the convolution. */
uint64_t split_row_of_many(const struct block *block, uint32_t n_filter, uint32_t n_row);
static inline uint64_t split_part_row(const struct block *block, uint32_t n_filter, uint32_t n_row)
{
	return block->groups > 1 ? split_row_of_many(block, n_filter, n_row) : ((uint64_t)n_filter + n_row - 1) / n_row;
}

/* Tasks: product of the parts of all four dimensions. */
uint64_t split_n_task(const struct split *split);

/* Dimensions that are split in parts of two sizes, 0 to 4. */
unsigned split_n_uneven(const struct split *split);

/* Ifmap extent (stored, padded) that an ofmap part of this size needs: thesis equation 4.1, as the split tables give it
 * (stride 2: out*stride, kernel permitting). */
uint32_t split_in_extent(uint32_t out_part, uint32_t kernel, uint32_t stride);

/* The same for an ofmap part's width or height of a block, but never more than the padded ifmap has. */
uint32_t split_part_in_w(const struct block *block, uint32_t out_part);
uint32_t split_part_in_h(const struct block *block, uint32_t out_part);

/* The same of a tight part (FORM_TIGHT): nothing behind the last output's window, (out - 1) * stride + kernel. */
uint32_t split_tight_in_w(const struct block *block, uint32_t out_part);
uint32_t split_tight_in_h(const struct block *block, uint32_t out_part);

/* A split scheme: the splits of named operations, from a CSV with the columns network, target, operation, ofmap_w,
 * ofmap_h, ofmap_c, ifmap_w, ifmap_c (appendices G-J). */
struct split_scheme_row {
	char network[NETWORK_NAME_SIZE], target[8], operation[BLOCK_NAME_SIZE];
	struct split split;        /* as struct split says, by the operation's kind */
	uint32_t in_w[2], in_h[2]; /* ifmap part extents as listed, larger and smaller (0: none) */
	unsigned line;
};
struct split_scheme {
	size_t n;
	struct split_scheme_row *row;
	struct arena arena;
};
enum err_code split_scheme_read(const char *path, struct split_scheme *scheme, struct err *err);
void split_scheme_free(struct split_scheme *scheme);
/* NULL when the scheme has no such row. network NULL: any. */
const struct split_scheme_row *split_scheme_find(const struct split_scheme *scheme, const char *network,
                                                 const char *target, const char *operation);

#endif
