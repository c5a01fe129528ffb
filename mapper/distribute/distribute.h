/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_DISTRIBUTE_H
#define MAPPER_DISTRIBUTE_H
/*
 * Inside the mapper: the distributors share these. Each strategy writes the
 * steps of its program from a tiling; the ARM operations of a block are the same
 * for all strategies but for who does how much of them.
 */
#include "mapper/distribute/bound.h"
#include "mapper/split/design.h"
#include "mapper/distribute/tiling.h"

/* Whether a design reuses operands between the PEs of a chip, for which it needs who does what (below). */
bool distribute_is_chip_reuse(const struct layer_context *context, const struct layer_design *design);

/* Append a step, zeroed, and return it. */
struct step *program_add_step(struct program *program, enum step_kind kind, enum phase phase);

/* What the busiest PE has to do in ARM operations. */
struct arm_share {
	double n_result;  /* results it holds after the core operation */
	double n_map;     /* ifmap parts it pads */
	double n_pad;     /* times each ifmap part is padded, by all PEs */
	double n_partial; /* partial sums it adds up, one an input-channel part after the first */
	bool in_pe;       /* operands stay in the PE (fusion); else every operation reads from and writes to DRAM */
	bool source;      /* as the thesis simulator counts: a shortcut's operand is in the PE already */
};

/* Append the block's ARM operations. */
void distribute_arm(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                    const struct arm_share *share, struct program *program);

/* No reuse (thesis section 4.3.1 i, ii): idle PEs take jobs from a DRAM's queue. */
void distribute_jobs(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program);

/* Reuse on one QPE (thesis section 4.3.1 iii and appendix C). */
void distribute_qpe_reuse(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, struct program *program);

/* Reuse on the chip: who does what. */
struct chip_assignment {
	uint64_t n_share;    /* blocks that share a row of parts */
	uint64_t n_part;     /* ifmap parts of a block, all waves */
	uint64_t n_resident; /* of them at once */
	uint64_t n_wave;
	uint64_t n_set;    /* QPEs of a block that hold different parts; each other one has those of one of these */
	uint64_t n_slot;   /* of parts side by side: below a QPE full a power of two, else n_set times its PEs */
	uint64_t n_copy;   /* PEs of a block that hold the same part */
	uint64_t n_filter; /* filter parts a row of parts needs from its block */
	uint64_t n_task;   /* of the busiest PE, all waves */
	uint64_t n_active; /* PEs of a block that have a part and a filter */
	uint64_t n_filter_load; /* times the PEs are filled with filters, each wave */
	uint64_t n_rotation;    /* of filters inside the blocks, each wave */
	uint64_t n_ring;        /* steps of filters round the ring of cells, each wave */
	uint64_t n_run;         /* of tasks between barriers, all waves */
	/* Grouped convolutions. Parts of a group: all of the above but totals are of one group, and one follows
	 * another. */
	uint64_t n_pass; /* groups so; else 1 */
	/* Parts of whole groups: each task has an ifmap part of its own (mapper/distribute/distribute_own.c). */
	bool is_own;
	uint64_t n_together, n_user; /* filter parts of a wave of a block, each in so many PEs */
	uint64_t n_turn;             /* waves with the same filters */
};

/* Work out the assignment; a sized tiling suffices (tiling_size). */
struct chip_assignment distribute_chip_assign(const struct layer_context *context, const struct tiling *tiling);

/* Cells of the ring over which sets of filters, a QPE full each, are dealt until they recur: a divisor of the cells. */
uint64_t distribute_chip_n_dealt(const struct hierarchy *hierarchy, uint64_t n_filter_set);

/* Steps round the ring after which each block sees filters that are all new to it; n_dealt as above. */
uint64_t distribute_chip_stride(const struct hierarchy *hierarchy, uint64_t n_map_set, uint64_t n_dealt);

/* The same where every task has an ifmap part of its own; a QPE machine is one block. */
struct chip_assignment distribute_own_assign(const struct layer_context *context, const struct tiling *tiling);

/* Rows of ifmap parts that a block of so many that do not share rows has, and how many blocks have any. */
struct own_rows {
	uint64_t n_each, n_group;
};
struct own_rows distribute_own_rows(const struct layer_context *context, const struct tiling *tiling,
                                    const struct chip_assignment *assignment);

/* Whether a grouped convolution's reuse is of that kind. */
static inline bool distribute_is_own(const struct layer_context *context, const struct tiling *tiling)
{
	return block_n_group(context->block) > 1 && tiling->n_meet == 1;
}

/* Whether filters migrate, so that a PE needs a second buffer for them (thesis section 4.4.1). */
bool distribute_chip_migrates(const struct chip_assignment *assignment);

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

/* The work of any design with this strategy and these places whose tiling is nowhere below this one. */
void mapper_bound_least(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, struct least_work *least);

/*
 * Least work of the busiest PE and interface under fusion_reuse on a chip: rows that the blocks do not divide, and
 * parts that do not fill the extent, keep some waiting. In the fast tier only, which has all blocks do what the busiest
 * does. tiling: tiling_least of the range.
 */
void distribute_chip_busiest(const struct layer_context *context, const struct layer_design *design,
                             const struct split_range *range, const struct tiling *tiling,
                             struct busiest_work *busiest);

/* Clocks a pixel of the result that the ARM core takes for a block of its own, and what they are reported under. */
double distribute_arm_pixel_clk(const struct machine *machine, const struct block *block);
enum phase distribute_arm_phase(const struct block *block);

/* A block of the ARM cores (pooling and the rest of enum arm_kind): ARM cores only, with the traffic of its maps. */
void distribute_pool(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program);

/* The operand that a QPE keeps: what the design says, or by equations 4.2 and 4.3. */
enum reuse_operand distribute_reuse_operand(const struct layer_design *design, const struct tiling *tiling);

#endif
