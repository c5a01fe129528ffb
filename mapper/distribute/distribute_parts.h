/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_DISTRIBUTE_PARTS_H
#define MAPPER_DISTRIBUTE_PARTS_H
/*
 * The distributors, by the file that holds them: each strategy writes the steps of its program from a tiling. The ARM
 * operations of a block are the same for all strategies but for who does how much of them.
 */
#include "mapper/distribute/distribute.h"

/* Whether a split's filters are those of all groups, or for a systolic array of one. */
bool distribute_covers_groups(const struct layer_context *context, const struct layer_design *design);

/* Append a step, zeroed, and return it. */
struct step *distribute_add_step(struct program *program, enum step_kind kind, enum phase phase);

/* What the ARM cores' clocks of a block of its own are reported under. */
enum phase distribute_arm_phase(const struct block *block);

/* No reuse (thesis section 4.3.1 i, ii): idle PEs take jobs from a DRAM's queue. */
void distribute_jobs(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program);

/* Reuse on one QPE (thesis section 4.3.1 iii and appendix C). */
void distribute_qpe_reuse(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, struct program *program);

/* Reuse on the chip (thesis section 4.4, appendices D to F). */
void distribute_chip_reuse(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, const struct chip_assignment *assignment,
                           struct program *program);

/* Computation of the busiest PE's n_task tasks, each followed by its write-out, with their counts. */
void distribute_chip_computation(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling, const struct chip_assignment *assignment, uint64_t n_task,
                                 struct program *program);

/* Reuse of filters alone: grouped convolutions cut between groups, chip or QPE. */
void distribute_own(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                    const struct chip_assignment *assignment, struct program *program);

/* The next block's weights that are fetched meanwhile. */
void distribute_chip_fetch(const struct layer_context *context, const struct layer_design *design,
                           struct program *program);

/* A block of the ARM cores (pooling and the rest of enum arm_kind): ARM cores only, with the traffic of its maps. */
void distribute_pool(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program);

#endif
