/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_TILING_SYSTOLIC_H
#define MAPPER_TILING_SYSTOLIC_H
/*
 * Inside the mapper: blocks on systolic arrays. A split's parts are tiles, each
 * operand's in a buffer of its own; the array's own words for all of it are in
 * sim/systolic/systolic_work.h.
 */
#include "mapper/distribute/bound.h"
#include "mapper/split/design.h"

/* Whether design and block are for this array at all, whatever the tiles; else verdict says why not. */
bool systolic_serves(const struct layer_context *context, const struct layer_design *design, struct verdict *verdict);

/*
 * What the array has to do, order of the tiles and what the buffers keep included. Not of BLOCK_POOL. false: a tile
 * does not fit (verdict).
 */
bool systolic_work_of(const struct layer_context *context, const struct layer_design *design,
                      struct systolic_work *work, struct verdict *verdict);

/* The program of a design that serves. false: a tile does not fit (verdict). */
bool distribute_systolic(const struct layer_context *context, const struct layer_design *design,
                         struct program *program, struct verdict *verdict);

/*
 * Bytes of the buffers that the largest tiles need, both halves where there are several; mapper_sram_byte's. And those
 * that they need in any case, which grow with each part: mapper_sram_least_byte's.
 */
uint64_t systolic_demand_byte(const struct layer_context *context, const struct layer_design *design);
uint64_t systolic_least_byte(const struct layer_context *context, const struct layer_design *design);

/* Whether smaller parts in no dimension may be left out: this one's tiles fit whole buffers, if not half of them. */
bool systolic_may_fit(const struct layer_context *context, const struct split *split);

/*
 * What no design of a range does less of, feasible or not; see mapper_bound_range. With design->reuse auto of either
 * order. false: no tiles of the range fit (verdict's bytes are then the least that any asks for); *work is set all the
 * same. sram_byte: what their largest tiles take of the buffers at least.
 */
bool systolic_bound(const struct layer_context *context, const struct layer_design *design,
                    const struct split_range *range, struct least_work *work, uint64_t *sram_byte,
                    struct verdict *verdict);

/* Steps of a program that no array takes part in: what pooling and additions of a shortcut move. */
void systolic_add_streams(const struct layer_context *context, struct program *program);

#endif
