/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_SPLIT_H
#define MAPPER_SPLIT_H
/*
 * Splits: how a block's core operation is cut into tasks. Each dimension is cut
 * into parts of equal or two sizes, written a*m+b*n as in the thesis
 * (appendix G), larger size first.
 */
#include "mapper/network/network.h"
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stdint.h>

/* n_a parts of size_a, then n_b parts of size_b < size_a (n_b and size_b 0: equal parts). */
struct dim_split {
	uint32_t size_a, n_a, size_b, n_b;
};

/*
 * BLOCK_CONV, BLOCK_POOL: w, h of the core operation's ofmap, c its channels
 * (filters), d the input channels (pooling: d is uncut, size 1).
 * BLOCK_MATMUL: w columns of B, h rows of A, d rows of B (= columns of A), c uncut, size 1.
 */
struct split {
	struct dim_split w, h, c, d;
};

static inline uint32_t dim_n_part(const struct dim_split *dim)
{
	return dim->n_a + dim->n_b;
}

/* Extent covered. */
static inline uint64_t dim_extent(const struct dim_split *dim)
{
	return (uint64_t)dim->size_a * dim->n_a + (uint64_t)dim->size_b * dim->n_b;
}

struct dim_split dim_whole(uint32_t extent);

/* ceil(extent / n_part) rounded up to step, rest as even as two sizes and step allow; n_part 1..extent/step. */
struct dim_split dim_even(uint32_t extent, uint32_t n_part, uint32_t step);

/* "28*2", "21*4+20*7"; sizes in any order. ERR_INPUT saying what is wrong. */
enum err_code dim_parse(const char *text, struct dim_split *dim, struct err *err);
int dim_print(const struct dim_split *dim, char *text, size_t n_byte);

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

/*
 * Filter part c of a split that passed split_check and covers all filters: which filters, and which of the ifmap's
 * channels a task with them reads, of which each of the convolution's groups has its share. Parts are in the order of
 * the filters, so those inside of groups come group by group. Input channels that are split: part d of each group's.
 */
struct channel_part {
	uint32_t first_filter, n_filter;
	uint32_t first_group, n_group; /* 0 and 1 where there are none */
	uint32_t first_channel, n_channel;
};
struct channel_part split_channel_part(const struct block *block, const struct split *split, uint32_t c);

/* Tasks: product of the parts of all four dimensions. */
uint64_t split_n_task(const struct split *split);

/* Ifmap extent (stored, padded) that an ofmap part of this size needs: thesis equation 4.1, as the split tables give it
 * (stride 2: out*stride, kernel permitting). */
uint32_t split_in_extent(uint32_t out_part, uint32_t kernel, uint32_t stride);

/* The same for an ofmap part's width or height of a block, but never more than the padded ifmap has. */
uint32_t split_part_in_w(const struct block *block, uint32_t out_part);
uint32_t split_part_in_h(const struct block *block, uint32_t out_part);

/* One dimension's choices. */
enum split_choice {
	SPLIT_ALL,     /* every legal split */
	SPLIT_REDUCED, /* per number of parts only the splits no other one of equal count beats: see dim_axis_build */
	SPLIT_EVEN,    /* per number of parts the most even one */
	SPLIT_WHOLE    /* uncut */
};

struct dim_axis {
	size_t n;
	const struct dim_split *choice; /* [n], by number of parts, then size_a */
	uint64_t n_legal;               /* legal splits the choices stand for: every one, or 1 when uncut */
	/* Choices of equal numbers of parts: group g is choice[first[g]] to choice[first[g + 1] - 1]. 0: not grouped.
	 */
	uint32_t n_group;
	const uint32_t *first, *n_part; /* [n_group + 1], [n_group] parts, ascending */
};

/* Group the axis' choices. false when memory is out. */
bool dim_axis_group(struct dim_axis *axis, struct arena *arena);

/*
 * The splits of extent into at most max_part parts whose sizes are multiples of
 * step (extent is one). SPLIT_REDUCED keeps, per number of parts, those that are
 * nondominated in (largest part, sum of ceil(part / unit) over parts, sum of
 * ceil(part / 4)), which the fast tier's cost of a chip program grows with. What
 * it depends on besides (ifmap rows and results aligned to 16 bytes) makes the
 * front lose up to 1 % on small layers (tests/dse/layer/test_layer_problem.c measures it on layers
 * small enough to try all).
 * unit: MAC-array columns for width, rows for filters, 1 for height. Grouped.
 */
enum err_code dim_axis_build(uint32_t extent, uint32_t step, uint32_t unit, uint32_t max_part, enum split_choice which,
                             struct arena *arena, struct dim_axis *axis, struct err *err);

/*
 * The splits of n_group groups of so many filters each (of whole groups, or equal parts inside groups) into at most
 * max_part parts. Grouped.
 */
enum err_code dim_axis_build_groups(uint32_t n_group, uint32_t n_filter, uint32_t max_part, enum split_choice which,
                                    struct arena *arena, struct dim_axis *axis, struct err *err);

/*
 * dim_axis_build in parts that several threads may list: begin, list each part once, join, place each part once, end.
 * ERR_OK of dim_axis_begin alone makes a job, which dim_axis_end must end.
 */
struct dim_axis_job;
enum err_code dim_axis_begin(uint32_t extent, uint32_t step, uint32_t unit, uint32_t max_part, enum split_choice which,
                             struct dim_axis_job **job, struct err *err);
size_t dim_axis_n_part(const struct dim_axis_job *job);
void dim_axis_list(struct dim_axis_job *job, size_t part);
enum err_code dim_axis_join(struct dim_axis_job *job, struct arena *arena, struct dim_axis *axis, struct err *err);
void dim_axis_place(struct dim_axis_job *job, size_t part);
void dim_axis_end(struct dim_axis_job *job);

/* Number of legal splits without listing them: parts of equal or two sizes, sizes multiples of step, at most max_part
 * parts. */
uint64_t dim_n_legal(uint32_t extent, uint32_t step, uint32_t max_part);

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
