/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_DIM_H
#define MAPPER_DIM_H
/*
 * How one dimension is cut: into parts of equal or two sizes, written a*m+b*n as in the thesis (appendix G), larger
 * size first. And lists of all cuts of a dimension that a search tries.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stdint.h>

/* n_a parts of size_a, then n_b parts of size_b < size_a (n_b and size_b 0: equal parts). */
struct dim_split {
	uint32_t size_a, n_a, size_b, n_b;
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

#endif
