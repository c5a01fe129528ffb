/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_UNFOLD_PARTS_H
#define MAPPER_UNFOLD_PARTS_H
/* Inside the mapper: what the unfolders share. */
#include "mapper/distribute.h"
#include "mapper/unfold.h"

/*
 * One part of a block, by its place in each dimension: ofmap extents of the core
 * operation, the ifmap part it needs as stored and as bytes, and the shape of
 * its task. Where struct tiling knows the largest part and sums, this knows each.
 */
struct part {
	uint32_t in_w, in_h, in_c;
	uint32_t out_w, out_h, out_c;
	uint32_t map_byte, map_aligned_byte; /* as in struct tiling, of this part */
	uint32_t filter_byte;
	uint32_t out_byte, raw_out_byte;
	uint32_t shape; /* of schedule->shape */
};

/* The part at (w, h, c, d), each less than the tiling's parts of that dimension; adds its shape to the schedule. */
struct part unfold_part(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, uint32_t w, uint32_t h, uint32_t c, uint32_t d,
                        struct schedule *schedule);

/* The strategies, by the file that holds them; each adds its steps up to where ARM operations begin. */
void unfold_jobs(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                 struct schedule *schedule);
void unfold_qpe_reuse(const struct layer_context *context, const struct layer_design *design,
                      const struct tiling *tiling, struct schedule *schedule);
void unfold_chip_reuse(const struct layer_context *context, const struct layer_design *design,
                       const struct tiling *tiling, struct schedule *schedule);
/* A fused matrix multiplication on the chip (thesis section 4.4): one block of columns a PE. */
void unfold_chip_matmul(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, struct schedule *schedule);
void unfold_pool(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                 struct schedule *schedule);

#endif
