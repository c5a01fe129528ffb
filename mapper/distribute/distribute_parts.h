/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_DISTRIBUTE_PARTS_H
#define MAPPER_DISTRIBUTE_PARTS_H
/*
 * Functions of the distributors, grouped by source file. Each strategy writes the steps of its program from a tiling.
 * ARM operations follow the same rules in all of them; strategies differ in how much of them the busiest PE does.
 */
#include "mapper/distribute/distribute.h"
#include "mapper/placement/meeting.h"

/* Whether a split's filters are those of all groups, or for a systolic array of one. */
bool distribute_covers_groups(const struct layer_context *context, const struct layer_design *design);

/* Append a step, zeroed, and return it. */
struct step *distribute_add_step(struct program *program, enum step_kind kind, enum phase phase);

/* Append n hops to a transfer's chain: packets that each passes through a port, a router and a link. */
void distribute_add_hops(struct transfer *transfer, double port, double router, double link, uint64_t n);

/* Packets through routers, and those of the host's commands and reports: n_move operations that move so many bytes
 * together, along the ways of paths. */
double distribute_packets(const struct layer_context *context, const struct flow_paths *paths, double moved_byte,
                          double n_move);

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

/* Who meets whom in a load of n_filter filter parts; NULL: not known, as the chip is too large. */
struct meeting;
const struct meeting *distribute_chip_meeting(const struct layer_context *context, const struct layer_design *design,
                                              const struct tiling *tiling, const struct chip_assignment *assignment,
                                              uint64_t n_filter);

/* Tasks one after the other, of each run those of its slowest PE: PE clocks, of these multiplying, and words of operand
 * A that a PE of its QPE reads in the mean; PEs that are started, of all runs, 0: not known. Results, and those of them
 * that pass what is busiest on their way; n_result 0: not known. */
struct meet_sum {
	double clk, mac_clk, a_word, n_start;
	double n_result;
	struct meeting_results busiest;
};
/* Run by run, from the assignment's meetings; false: these are not known, or too many. Not of ranges. */
bool distribute_meet(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, const struct chip_assignment *assignment, struct meet_sum *sum);

/*
 * What of compute follows from its PEs' tasks one by one: writers and n_message. n_pe: PEs whose results pass what most
 * share; done_frac: of all tasks those that are run. Not of ranges, whose fields say that nothing is known.
 */
void distribute_writers(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, const struct chip_assignment *assignment, double n_pe,
                        double done_frac, struct compute *compute);

/* Reuse of filters alone: grouped convolutions cut between groups, chip or QPE. */
void distribute_own(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                    const struct chip_assignment *assignment, struct program *program);

/* The next block's weights that are fetched meanwhile. */
void distribute_chip_fetch(const struct layer_context *context, const struct layer_design *design,
                           struct program *program);

/*
 * Parts of two sizes: what so many first parts take together, over as many of the largest. 1 at most. Of a range no
 * more than any of its splits.
 */
/* Bytes of n filter parts. */
double distribute_filter_frac(const struct layer_design *design, const struct tiling *tiling, uint64_t n);
/* Of all ifmap parts. */
double distribute_mean_map_frac(const struct tiling *tiling);
/* Bytes of the ifmap parts in n_row rows; of a grouped convolution's, whose parts are n filter parts' own. Else n is 0.
 */
double distribute_map_frac(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, uint64_t n_row, uint64_t n_filter);
/* Rounds of a task with n filter parts, one after the other. */
double distribute_task_frac(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, uint64_t n);
/* Of all filter parts, if they filled the array. */
double distribute_mean_frac(const struct layer_context *context, const struct tiling *tiling);
/* Rounds of the largest task of each wave: for ifmap parts of two heights; for filter parts of two sizes, each with
 * ifmap parts of its own. */
double distribute_wave_frac(const struct layer_context *context, const struct layer_design *design,
                            const struct tiling *tiling, const struct chip_assignment *a);
double distribute_own_task_frac(const struct layer_context *context, const struct layer_design *design,
                                const struct tiling *tiling, const struct chip_assignment *a);

/* Of a range with one number of parts: rows that the array computes for the first n ones, at least. */
double distribute_first_rows(const struct block *block, const struct dim_range *h, uint64_t n);

/* A block of the ARM cores (pooling and the rest of enum arm_kind): ARM cores only, with the traffic of its maps. */
void distribute_pool(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program);

/* How the results of a layer without reuse are dealt over the queues of the DRAM interfaces. */

/* Results as rows x columns, the queues that they are dealt over, and the jobs of a result. */
struct deal {
	uint64_t n_row, n_column, n_queue, n_pass;
	uint32_t n_pe;   /* of a queue */
	uint32_t n_load; /* of a job */
	bool is_chain;   /* a result's jobs are one PE's */
	bool is_blocks;  /* queues are double blocks, whose PEs have their jobs in turn without the host's queue */
};
struct deal distribute_deal_of(const struct layer_context *context, const struct layer_design *design,
                               const struct tiling *tiling);

/* Columns are dealt while there is one for each queue, else results. */
bool distribute_deals_columns(const struct deal *deal);
const struct dim_split *distribute_column_split(const struct layer_context *context, const struct split *split);
/* A column's size in steps of the array, at least one each; n: columns by size. */
double distribute_column_sum(const struct dim_split *column, const uint32_t n[2], uint32_t step);

/*
 * The queues one of which is the busiest: columns, or results, are dealt in order and the largest come first, so it is
 * the first, or if others have one more the first of these. Of equal ones the last, which the host starts last. Returns
 * how many, 1 or 2.
 */
uint32_t distribute_busiest_queues(const struct layer_context *context, const struct split *split,
                                   const struct deal *deal, struct job_order order[2]);

/* The queue whose first jobs the host starts last. */
struct job_order distribute_last_queue(const struct layer_context *context, const struct split *split,
                                       const struct deal *deal);

/* A queue's share: of results, of them by size, and of the rounds of the array, for which filters are stored, too. */
struct share {
	double n_frac, size_frac, round_frac;
};
struct share distribute_share_of(const struct layer_context *context, const struct split *split,
                                 const struct deal *deal, const struct job_order *order);

/* Whether operand A is in the PE itself. */
bool distribute_is_local(const struct layer_context *context);

#endif
