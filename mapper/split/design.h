/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_DESIGN_H
#define MAPPER_DESIGN_H
/*
 * A design (mapping) of one block: split, strategy, operand kept, operating point, and where input and result lie.
 * mapper_distribute turns it into a program for the machine, or says why it cannot run. What is asked of designs here
 * is answered in mapper/distribute; it is declared in this room because splitters ask it, too.
 */
#include "mapper/split/ahead.h"
#include "mapper/network/form.h"
#include "mapper/network/network.h"
#include "mapper/placement/transit.h"
#include "mapper/split/split.h"
#include "mapper/split/strategy.h"
#include "mapper/split/verdict.h"
#include "sim/machine/machine.h"
#include "sim/mla/mla.h"
#include "sim/machine/hierarchy.h"
#include "sim/machine/noc_way.h"
#include "sim/machine/queue_place.h"
#include "sim/program/program.h"
#include "sim/fast/fast.h"

/* A matrix multiplication has both operands in the PE that computes: its totals in the thesis' tables are of that. */
#define TILING_A_SHIFT 0

struct layer_design {
	struct split split;
	enum strategy strategy;
	enum reuse_operand reuse;
	uint32_t level;       /* index of the operating point */
	uint32_t plan;        /* at a pair of levels by PE: a plan's number (dse/spread/layer_plan.h), else 0 */
	uint32_t operand_bit; /* 8 or 16 */
	enum conv_form form;  /* that the block has; else FORM_CONV */
	bool in_storage;      /* ifmap lies in the storage QPEs (chip, reuse), else in DRAM */
	bool out_storage;     /* result is kept in the storage QPEs, if it fits */
	bool add_storage;     /* what a shortcut adds lies in the storage QPEs, else in DRAM */
	/* Fetching ahead (mapper/split/ahead.h): chip, fusion_reuse, convolutions. */
	enum ahead_portion weight_ahead; /* of its weights: they lie in the storage QPEs, fetched by the block before */
	enum ahead_portion fetch_next;   /* of the next block's, which are loaded into the storage QPEs meanwhile */
	bool held_storage; /* a held result that it neither reads nor adds lies there, too; asked with these two only */
};

/* What depends on block, machine and operand width but not on the design; prepared once, then read by many threads. */
struct layer_context {
	const struct block *block;
	const struct machine *machine;
	uint32_t operand_bit;
	enum conv_form form;               /* of the designs */
	bool is_packed;                    /* pixels of a part as one row: FORM_PACKED, FORM_MATMUL */
	bool is_tight;                     /* nothing in a part behind its last output: FORM_TIGHT */
	struct mla_conv_round round;       /* BLOCK_CONV */
	struct mla_conv_channels channels; /* BLOCK_CONV: of uncut input channels */
	/* The same for tasks with a part of the input channels: their partial sums leave the array in 32 bit. */
	struct machine partial_machine;
	struct mla_conv_round partial_round;
	struct mla_matmul matmul,
	    partial_matmul; /* matrix multiplications, operand A from the own SRAM; as the rounds */
	struct hierarchy hierarchy;
	struct queue_place queue_place;
	struct noc_ways noc_ways;
	struct transit_mesh mesh;
	struct ahead ahead;
	uint64_t next_byte[AHEAD_N]; /* of the weights that may be fetched for the next block; 0: none */
};

/* The whole block in one task; of a systolic array, which has the groups of a convolution one by one, of one group. */
struct split mapper_split_whole(const struct block *block, const struct machine *machine);

/* machine and block must outlive the context, which is for designs of FORM_CONV, or of another form. */
void mapper_prepare(const struct block *block, const struct machine *machine, uint32_t operand_bit,
                    struct layer_context *context);
void mapper_prepare_form(const struct block *block, const struct machine *machine, uint32_t operand_bit,
                         enum conv_form form, struct layer_context *context);

/* Ifmap extents, stored and padded, of a part of so many outputs of a convolution or pooling; not of packed ones. */
static inline uint32_t mapper_part_in_w(const struct layer_context *context, uint32_t out_part)
{
	return context->is_tight ? split_tight_in_w(context->block, out_part)
	                         : split_part_in_w(context->block, out_part);
}
static inline uint32_t mapper_part_in_h(const struct layer_context *context, uint32_t out_part)
{
	return context->is_tight ? split_tight_in_h(context->block, out_part)
	                         : split_part_in_h(context->block, out_part);
}

/*
 * Whether tasks of one context take no longer than those of the other one, of the same block and form on a machine that
 * differs in no more than NoC and DRAM clocks.
 */
bool mapper_kernels_serve(const struct layer_context *one, const struct layer_context *other);

/* Let a prepared context know what may be fetched ahead; without this nothing may. */
void mapper_set_ahead(struct layer_context *context, const struct ahead *ahead);

/*
 * The program of a design, or the reason why there is none (verdict->reason !=
 * VERDICT_OK; program undefined then). design->operand_bit and form equal the
 * context's. No allocation; a fraction of a microsecond.
 */
bool mapper_distribute(const struct layer_context *context, const struct layer_design *design, struct program *program,
                       struct verdict *verdict);

/*
 * The same for a search that has looked at the design's bound before:
 * tiling comes from tiling_size, whatever mapper_bound_tiled did with it.
 */
struct tiling;
bool mapper_distribute_tiled(const struct layer_context *context, const struct layer_design *design,
                             struct tiling *tiling, struct program *program, struct verdict *verdict);

/* Whether a design's run could be counted (result_is_counted); if not, *verdict says so. */
bool mapper_judge_run(const struct sim_result *result, struct verdict *verdict);

/*
 * PEs that compute when a design runs: as many as results are cut into parts (w, h of all images, c), of those that
 * take part under its strategy.
 */
uint32_t mapper_n_worker(const struct layer_context *context, const struct layer_design *design);

/* Bytes that tasks have at their disposal: the SRAM of a PE, or the three buffers of a systolic array. */
uint64_t mapper_available_byte(const struct machine *machine);

/* Bytes of a PE's SRAM that the largest task needs under the strategy (operands, result, migration buffer). */
uint64_t mapper_sram_byte(const struct layer_context *context, const struct layer_design *design);

/*
 * Bytes that any strategy needs at least for a task of this split: one ifmap
 * tile, one filter tile, one result. Grows with the size of every largest part,
 * so that it proves a whole range of splits infeasible.
 */
uint64_t mapper_sram_least_byte(const struct layer_context *context, const struct layer_design *design);

/*
 * Whether a systolic array's buffers, both halves of each, hold tiles of this split; they need not suffice. As above
 * for a range of splits. On other machines true.
 */
bool mapper_tiles_may_fit(const struct layer_context *context, const struct layer_design *design);

/* Whether strategy and machine can read this block's ifmap from storage QPEs, and keep its result there. */
bool mapper_serves_storage(const struct layer_context *context, const struct layer_design *design);

/* Whether strategy and machine can fetch the next block's weights meanwhile, or find their own in storage QPEs. */
bool mapper_serves_ahead(const struct layer_context *context, const struct layer_design *design);

/*
 * Bytes that at least lie in the storage QPEs while a design with weights
 * fetched ahead runs: ifmap, what is added and the held result, as far as they lie
 * there; and its own weights or, once these are in the PEs, its result and the next
 * block's weights. A split whose PEs are filled with filters more than once needs
 * room for all of it together.
 */
uint64_t mapper_storage_byte(const struct layer_context *context, const struct layer_design *design);

/* Whether the block's result, split so, fits the storage QPEs of the machine. */
bool mapper_result_fits_storage(const struct layer_context *context, const struct split *split);

#endif
