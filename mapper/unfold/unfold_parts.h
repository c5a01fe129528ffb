/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_UNFOLD_PARTS_H
#define MAPPER_UNFOLD_PARTS_H
/* What the unfolders share: parts one by one, steps and operations, and weights that are fetched meanwhile. */
#include "mapper/distribute/distribute.h"
#include "mapper/unfold/unfold.h"

/*
 * One part of a block, by its place in each dimension: ofmap extents of the core
 * operation, the ifmap part it needs as stored and as bytes, and the shape of
 * its task. Where struct tiling knows the largest part and sums, this knows each.
 */
struct unfolded_part {
	uint32_t number; /* see part_number in unfold.c */
	uint32_t in_w, in_h, in_c;
	uint32_t out_w, out_h, out_c;
	uint32_t n_group; /* of a convolution, each with its share of in_c and out_c; else 1 */
	/* As they are loaded: fused as stored, in whole lines but for a matrix multiplication; else rows aligned. */
	uint32_t map_byte, map_aligned_byte;
	uint32_t filter_byte;
	uint32_t out_byte, raw_out_byte;
	uint32_t shape; /* of schedule->shape; SCHEDULE_NONE: pooling, which the MLA has no part in */
};

/* A design that is being unfolded. */
struct unfolding {
	const struct layer_context *context;
	const struct layer_design *design;
	const struct tiling *tiling;
	const struct unfold_fetch *fetch;
	struct schedule *schedule;
};

/* The part at (w, h, c, d), each less than the tiling's parts of that dimension; adds its shape to the schedule. */
struct unfolded_part unfold_part(const struct unfolding *unfolding, uint32_t w, uint32_t h, uint32_t c, uint32_t d);

/* Results of a block as rows x columns: ifmap parts x filter parts, of a matrix multiplication A's by B's blocks. */
struct result_grid {
	uint64_t n_row, n_column;
};
struct result_grid unfold_grid(const struct unfolding *unfolding);

/* The part of a result, input channels d. */
struct unfolded_part unfold_result_part(const struct unfolding *unfolding, uint64_t row, uint64_t column, uint32_t d);

/*
 * Results dealt over n DRAM interfaces or blocks: the columns of this row that
 * are share's, first to end - 1. Columns are dealt in order while there is one
 * for each, else results.
 */
struct result_range {
	uint64_t first, end;
};
struct result_range unfold_deal(const struct result_grid *grid, uint64_t n_share, uint64_t share, uint64_t row);

/* Start a step; add an operation that waits for these two of it (SCHEDULE_NONE: for none), and return it. */
void unfold_add_step(const struct unfolding *unfolding, enum phase phase);
uint32_t unfold_add_op(const struct unfolding *unfolding, struct op op, uint32_t before, uint32_t also_before);

/* ---- weights of the next block, fetched meanwhile (unfold_fetch.c) ---- */

/* Bytes by when they are fetched; all 0: nothing is. */
struct unfold_fetch {
	uint64_t arm_byte[PROGRAM_MAX_STEP]; /* during an ARM step of the program */
	uint64_t compute_byte, rest_byte;    /* while MLAs work; at the end */
};
void unfold_plan_fetch(const struct layer_context *context, const struct layer_design *design,
                       const struct program *program, struct unfold_fetch *fetch);

/*
 * Add loads to the schedule's last step, evenly from all interfaces: what is due when n_task of the design's tasks have
 * run, less the *fetched_byte so far. And what is left, in a step of its own.
 */
struct place;
void unfold_fetch_share(const struct unfolding *unfolding, const struct place *place, uint64_t n_task,
                        uint64_t *fetched_byte);
void unfold_fetch_rest(const struct unfolding *unfolding, const struct place *place);

/* ---- strategies, by the file that holds them; each adds its steps up to where ARM operations begin ---- */

void unfold_jobs(const struct unfolding *unfolding);
void unfold_qpe_reuse(const struct unfolding *unfolding);
void unfold_chip_reuse(const struct unfolding *unfolding);
/* A fused matrix multiplication on the chip (thesis section 4.4): one block of columns a PE. */
void unfold_chip_matmul(const struct unfolding *unfolding);
/* Reuse of filters alone (mapper/distribute/distribute_own.c). */
void unfold_own(const struct unfolding *unfolding);
void unfold_pool(const struct unfolding *unfolding);

#endif
