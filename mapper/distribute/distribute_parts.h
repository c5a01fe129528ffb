/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_DISTRIBUTE_PARTS_H
#define MAPPER_DISTRIBUTE_PARTS_H
/*
 * Functions of the distributors, grouped by source file. Each strategy writes the steps of its program from a tiling.
 * ARM operations follow the same rules in all of them; strategies differ in how much of them the busiest PE does.
 */
#include "mapper/distribute/distribute.h"

/* Whether a split's filters are those of all groups, or for a systolic array of one. */
bool distribute_covers_groups(const struct layer_context *context, const struct layer_design *design);

/* Append a step, zeroed, and return it. */
struct step *distribute_add_step(struct program *program, enum step_kind kind, enum phase phase);

/* Append n hops to a transfer's chain: packets that each passes through a port, a router and a link. */
void distribute_add_hops(struct transfer *transfer, double port, double router, double link, uint64_t n);

/* How often what n_has PEs have is copied by all that have it until n have it. */
uint64_t distribute_doublings(uint64_t n_has, uint64_t n);

/* What the ARM cores' clocks of a block of its own are reported under. */
enum phase distribute_arm_phase(const struct block *block);

/* No reuse (thesis section 4.3.1 i, ii): idle PEs take jobs from a DRAM's queue. */
void distribute_jobs(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program);

/* One task of parts of these sizes as a job: its traffic and clocks. */
void distribute_job_kind(const struct layer_context *context, const struct layer_design *design,
                         const struct tiling *tiling, const struct tiling_kind *kind, struct job_kind *job);

/* Reuse on one QPE (thesis section 4.3.1 iii and appendix C). */
void distribute_qpe_reuse(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, struct program *program);

/* Reuse on the chip (thesis section 4.4, appendices D to F). */
void distribute_chip_reuse(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, const struct chip_assignment *assignment,
                           struct program *program);

/* n_task tasks one after the other, of each run those of its busiest PE, and their write-outs, with their counts. */
void distribute_chip_computation(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling, const struct chip_assignment *assignment, uint64_t n_task,
                                 struct program *program);

/* Reuse of filters alone: grouped convolutions cut between groups, chip or QPE. */
void distribute_own(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                    const struct chip_assignment *assignment, struct program *program);

/* The next block's weights that are fetched meanwhile. */
void distribute_chip_fetch(const struct layer_context *context, const struct layer_design *design,
                           struct program *program);

/*
 * What so many first parts take together, over as many of the largest: bytes of n filter parts; bytes of the ifmap
 * parts in n_row rows, and those of them that n filter parts have of their own; rounds of tasks with n filter parts;
 * bytes of the results of these rows with n filter parts. 1 at most.
 */
double distribute_filter_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n);
double distribute_map_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n_row);
/* Rounds of the largest task of each wave for ifmap parts of two heights, over as many of the largest. */
double distribute_wave_frac(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, const struct chip_assignment *a);
/* Of a range with one number of parts: rows that the array computes for the first n ones, at least. */
double distribute_first_rows(const struct block *block, const struct dim_range *h, uint64_t n);
/* Of reuse with ifmap parts of its own: rounds of the largest task of each wave. */
double distribute_own_task_frac(const struct layer_context *context, const struct layer_design *design,
                                const struct tiling *tiling, const struct chip_assignment *a);
double distribute_own_map_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n_row,
                               uint64_t n_filter);
double distribute_task_frac(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, uint64_t n);

/* A block of the ARM cores (pooling and the rest of enum arm_kind): ARM cores only, with the traffic of its maps. */
void distribute_pool(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program);

#endif
