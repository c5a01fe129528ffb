/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_TILING_H
#define MAPPER_TILING_H
/*
 * Tiling: a block cut by a split, in the numbers that programs are made of: the
 * largest tile, and sums over all tasks. The sums are products of sums over one
 * dimension each, so that no loop over tasks is needed.
 */
#include "mapper/split/design.h"
#include "mapper/split/split_range.h"

/* Splits of a range that are looked at one by one. */
#define MAX_RANGE_CHOICE 32

struct tiling {
	uint32_t n_w, n_h, n_c, n_d; /* parts; of h those of all images, one image's after the other's */
	uint64_t n_map;              /* ifmap parts: n_w * n_h */
	uint64_t n_task;             /* n_map * n_c * n_d */
	/*
	 * Of a grouped convolution the ifmap is cut between groups, too: into so many parts beside w, h and d, each of
	 * which n_meet filter parts need. Else 1 and n_c.
	 */
	uint32_t n_channel_part, n_meet;
	uint32_t n_group, group_c; /* of the largest task: groups, and input channels of each; else 1 and in_c */

	/* Largest tile: ifmap as stored, ofmap of the core operation, filters, input channels. */
	uint32_t in_w, in_h, out_w, out_h, out_c, in_c;
	uint32_t small_in_w, small_in_h;     /* stored ifmap of the smaller parts of w and h; 0: there are none */
	uint64_t map_byte, map_aligned_byte; /* one ifmap tile, valid and aligned (thesis equation 2.5); with the second
	                                        operand, where the ARM cores read one */
	uint64_t filter_byte;                /* one filter tile, aligned */
	uint64_t result_byte;                /* one result as the MLA leaves it in SRAM, aligned */
	uint64_t out_byte;                   /* one result as it leaves the PE: pooled, quantised, 16-byte aligned */
	uint64_t raw_out_byte;               /* the same without fusion: 32 bit, rows aligned to 4 */
	uint64_t row_word; /* widths of all parts of w, each rounded up to 4: a row as the storage QPEs hold it */

	/* Sums over parts. */
	bool is_summed;                  /* tiling_sum has filled them */
	bool is_least;                   /* of a range of splits, from tiling_least */
	uint8_t open;                    /* then: the dimensions with several splits, of enum bound_open; else 0 */
	const struct split_range *range; /* then; else NULL */
	double least_task_clk;           /* then: MLA clocks of all tasks, SRAM free; see tiling_all_task_clk */
	uint64_t all_map_byte, all_map_aligned_byte; /* over all ifmap parts, all input channels */
	uint64_t all_filter_byte;                    /* over all filters, all input channels */
	uint64_t all_out_byte, all_raw_out_byte;     /* over all results */
	uint64_t n_out_pixel;                        /* ofmap pixels times channels */

	struct mla_cost task;                                     /* of the largest tile on the MLA */
	struct mla_conv_channels channels;                        /* BLOCK_CONV: prepared for in_c */
	double all_mac_clk, all_a_word, all_b_word, all_out_word; /* of all tasks */
};

/* Work out a tiling. split has passed split_check. */
void tiling_build(const struct layer_context *context, const struct split *split, struct tiling *tiling);

/*
 * The same in three steps, each of which needs those before it, because most
 * candidates of a search are rejected before the last one: parts and largest
 * tile; sums over parts and words of the MLA; clocks of the largest task (a
 * matrix multiplication's come with its words; pooling has none).
 */
void tiling_size(const struct layer_context *context, const struct split *split, struct tiling *tiling);
void tiling_sum(const struct layer_context *context, const struct split *split, struct tiling *tiling);
void tiling_time(const struct layer_context *context, struct tiling *tiling);

/*
 * The least tiling of a range of splits: numbers of parts are the range's fewest, and no split of the range is below
 * it in any other field; small_in_w and small_in_h are 0. Sums included, clocks not (tiling_time). Input channels are
 * either whole in all of the range or split in all of it.
 */
void tiling_least(const struct layer_context *context, const struct split_range *range, struct tiling *tiling);

/* MLA clocks of all tasks together, SRAM free and shared; within a few % of adding them up, exact for equal parts. */
struct task_clk {
	double clk, shared_clk;
};
struct task_clk tiling_all_task_clk(const struct layer_context *context, const struct split *split,
                                    const struct tiling *tiling);

/* Sizes of a part: of each dimension's two (tiling_parts_of) the larger one, 0, or the smaller, 1. */
struct tiling_kind {
	uint32_t h, w, c, d;
};
/* A task of parts of these sizes: its clocks, n_round, mac_clk and a_word. */
void tiling_kind_cost(const struct layer_context *context, const struct split *split, const struct tiling *tiling,
                      const struct tiling_kind *kind, struct mla_cost *cost);

/*
 * Clocks, SRAM free, that a task of the largest parts takes at least; is_chain: its tasks with all parts of d, one
 * after the other. Of a range, of parts nowhere smaller than its largest.
 */
double tiling_least_task_clk(const struct layer_context *context, const struct split *split,
                             const struct tiling *tiling, bool is_chain);

/* Operand A of tasks of this tiling that read so many words of it and multiply for so many clocks. */
struct mla_fetch tiling_fetch(const struct layer_context *context, const struct tiling *tiling, double a_word,
                              double mac_clk);

/* Counts of the MLA over all tasks; the others are 0. */
void tiling_mla_counts(const struct layer_context *context, const struct tiling *tiling, struct counts *counts);

#endif
