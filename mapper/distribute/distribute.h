/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_DISTRIBUTE_H
#define MAPPER_DISTRIBUTE_H
/*
 * What is known of a design besides its program: who does what, how many bytes it needs, and whether it can run. For
 * the bounds, and for the rooms that unfold and prove the same design. The programs: mapper_distribute
 * (mapper/split/design.h).
 */
#include "mapper/distribute/tiling.h"
#include "mapper/split/design.h"

struct systolic_misfit;

/* The next block's weights are fetched in pieces of so much. */
#define DISTRIBUTE_PIECE_BYTE 1024u

/* Whether a design reuses operands between the PEs of a chip, for which it needs who does what (below). */
bool distribute_is_chip_reuse(const struct layer_context *context, const struct layer_design *design);

/* PEs that compute where the result is cut into n_result parts. */
uint32_t distribute_n_worker(const struct layer_context *context, const struct layer_design *design, uint64_t n_result);

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
	/* From distribute_chip_count. */
	uint64_t n_rotation; /* of filters inside the blocks, each wave */
	uint64_t n_ring;     /* steps of filters round the ring of cells, each wave */
	uint64_t n_run;      /* of tasks between barriers, all waves */
	uint64_t n_lockstep; /* tasks one after the other: of each run those of its busiest PE; at least n_task */
	/* Grouped convolutions. Parts of a group: all of the above but totals are of one group, and one follows
	 * another. */
	uint64_t n_pass; /* groups so; else 1 */
	/* Parts of whole groups: each task has an ifmap part of its own (mapper/distribute/distribute_own.c). */
	bool is_own;
	/* Results of the meetings that it is known from, and routers that they pass, and that the host's commands for
	 * their tasks and reports of their arrival do; n_result 0: not known. From distribute_chip_count. */
	double n_result;
	struct noc_sums {
		double routed, told, reported;
	} result;
	uint64_t n_together, n_user; /* filter parts of a wave of a block, each in so many PEs */
	uint64_t n_turn;             /* waves with the same filters */
};

/* Work out what lies where; a sized tiling suffices (tiling_size). */
struct chip_assignment distribute_chip_assign(const struct layer_context *context, const struct tiling *tiling);

/* And what is run and migrates: from the numbers of parts on the thesis' mesh, for which that is exact, and for chips
 * that are too large for more; on others from the placement itself (mapper/placement/meeting.h). */
void distribute_chip_count(const struct layer_context *context, const struct layer_design *design,
                           const struct tiling *tiling, struct chip_assignment *assignment);

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

/*
 * Least work of the busiest PE and interface under fusion_reuse on a chip: rows that the blocks do not divide, and
 * parts that do not fill the extent, keep some waiting. In the fast tier only, which has all blocks do what the busiest
 * does. tiling: tiling_least of the range.
 */
void distribute_chip_busiest(const struct layer_context *context, const struct layer_design *design,
                             const struct split_range *range, const struct tiling *tiling,
                             struct busiest_work *busiest);

/* The same of reuse on a QPE, of a range's least tiling (tiling_least); all 0 for grouped convolutions. */
void distribute_qpe_busiest(const struct layer_context *context, const struct tiling *tiling,
                            struct busiest_work *busiest);

/* Clocks a pixel of the result that the ARM core takes for a block of its own. */
double distribute_arm_pixel_clk(const struct machine *machine, const struct block *block);

/* The operand that a QPE keeps: what the design says, or by equations 4.2 and 4.3. */
enum reuse_operand distribute_reuse_operand(const struct layer_design *design, const struct tiling *tiling);

/* ---- bytes and verdicts ---- */

/*
 * Bytes of the fullest PE's SRAM; n_filter: buffers for filters, a second one takes the next filters while this one's
 * are in use.
 */
uint64_t distribute_sram_byte(const struct layer_context *context, const struct layer_design *design,
                              const struct tiling *tiling, uint64_t n_filter);

/*
 * Whether a design can run, on machines with PEs: false with the first reason that applies, in the order of
 * distribute_judge.c. tiling: of the design's split, or the least of a range of splits (tiling_least), of which some
 * may run. sram_byte: of the fullest PE.
 */
bool distribute_judge(const struct layer_context *context, const struct layer_design *design,
                      const struct tiling *tiling, uint64_t sram_byte, struct verdict *verdict);

/* ---- systolic arrays: a split's parts are tiles, each operand's in a buffer of its own ---- */

/* Whether design and block are for this array at all, whatever the tiles; else verdict says why not. */
bool distribute_systolic_serves(const struct layer_context *context, const struct layer_design *design,
                                struct verdict *verdict);

/*
 * What the array has to do, order of the tiles and what the buffers keep included. Not of BLOCK_POOL. false: a tile
 * does not fit (verdict).
 */
bool distribute_systolic_work(const struct layer_context *context, const struct layer_design *design,
                              struct systolic_work *work, struct verdict *verdict);

/* The program of a design that serves. false: a tile does not fit (verdict). */
bool distribute_systolic(const struct layer_context *context, const struct layer_design *design,
                         struct program *program, struct verdict *verdict);

/*
 * Bytes of the buffers that the largest tiles need, both halves where there are several; mapper_sram_byte's. And those
 * that they need in any case, which grow with each part: mapper_sram_least_byte's.
 */
uint64_t distribute_systolic_sram_byte(const struct layer_context *context, const struct layer_design *design);
uint64_t distribute_systolic_least_byte(const struct layer_context *context, const struct layer_design *design);

/* The verdict on a tile that exceeds its buffer. */
struct verdict distribute_systolic_misfit(const struct systolic_misfit *misfit);

/* Whether smaller parts in no dimension may be left out: this one's tiles fit whole buffers, if not half of them. */
bool distribute_systolic_may_fit(const struct layer_context *context, const struct split *split);

/* Steps of a program that no array takes part in: what pooling and additions of a shortcut move. */
void distribute_systolic_streams(const struct layer_context *context, struct program *program);

#endif
