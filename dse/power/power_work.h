/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_WORK_H
#define DSE_POWER_WORK_H
/*
 * Power management: the work of a network on a machine as a problem
 * (dse/power/power.h), from designs of its blocks run at every operating point.
 *
 *   whole layers          CONV_1 | CONV_2 | ...
 *   loops inside layers   load, loop, loop, ..., last loop, ARM operations | load, ...
 *   levels by PE          load, loops, ARM operations | load, ...
 *
 * A loop is one task on each PE; in a layer's last loop the PEs that have no
 * task left sleep, as they do in loads (DVFS paper section IV a).
 */
#include "dse/space/detail.h"
#include "dse/power/power.h"
#include "dse/spread/loop_groups.h"
#include "dse/spread/pe_deal.h"

/* What a segment is of its layer. */
enum power_part { POWER_LAYER, POWER_LOAD, POWER_LOOP, POWER_LAST_LOOP, POWER_LOOPS, POWER_ARM, N_POWER_PART };
extern const char *const power_part_name[N_POWER_PART]; /* "layer", "load", "loop", "last loop", "loops", "ARM" */

/* What stands behind a segment. */
struct power_piece {
	const struct block *block;
	enum power_part part;
	uint64_t n_task;                   /* MLA tasks of one repeat; of a layer all of them */
	uint32_t n_pe;                     /* PEs that have a task in it; 0: none, or not known */
	uint32_t n_choice;                 /* designs to choose from */
	const struct layer_design *choice; /* [n_choice] by the modes' choice; level is the first mode's */
	const struct pe_plan_work *spread; /* what is spread over PEs, of POWER_LOOPS; else NULL */
};

struct power_work {
	const struct machine *machine;
	struct power_problem problem;
	struct power_piece *piece; /* [problem.n_segment] */
	struct arena arena;
};

struct power_work_options {
	bool per_loop;           /* levels by loop; with a domain below the chip they are by PE or QPE */
	enum dvfs_domain domain; /* what has one level at a time */
	double max_peak_mw;      /* of levels by PE, the others are offered whatever they take; 0: none */
	double max_average_mw;   /* of the goal; 0: none */
	double
	    ratio; /* 0: none; else every piece takes at the lower of two levels so much of its energy at the higher */
	uint32_t levels; /* bit i: may be used; 0: all */
	struct detail_options detail;
};

/* A block with the designs that it may have; their level is not looked at unless is_at_level. */
struct power_item {
	struct layer_context *context; /* of a design of any form; others get theirs when they are run */
	size_t n_design;
	const struct layer_design *design; /* [n_design] */
	bool is_at_level;                  /* each design at its own level only (--search), else each at every level */
};

/*
 * Run all designs in the tier of options and make segments of them. machine and items must outlive work; the caller
 * frees it with power_work_free, also after an error. ERR_INFEASIBLE: a block that no design of it can run, with the
 * reason; ERR_USAGE: a ratio for other than two levels; errors as detail_run_all.
 */
enum err_code power_work_build(const struct machine *machine, const struct power_item *item, size_t n_item,
                               const struct power_work_options *options, struct power_work *work, struct err *err);

/*
 * The DVFS paper's view: MLA tasks alone, their operands in place, on all PEs of the machine; loops of them, or whole
 * layers. split[i] of block i; blocks without MLA tasks (pooling) are left out.
 */
enum err_code power_work_build_tasks(const struct machine *machine, const struct power_item *item, size_t n_item,
                                     const struct power_work_options *options, struct power_work *work,
                                     struct err *err);
void power_work_free(struct power_work *work);

/*
 * Of the even splits into exactly n_part tasks that fit the SRAM the one whose task is fastest. ERR_INFEASIBLE: there
 * is none; the message names the nearest numbers of parts that there are.
 */
enum err_code power_split_into(const struct layer_context *context, uint64_t n_part, struct split *split,
                               struct err *err);

/* Inside: segments of a layer by its loops (power_work_loops.c, power_work_spread.c). */

/*
 * A stretch with levels by PE as a segment (power_work_spread.c): work at the levels of the loops, and its modes
 * in the arena, first the levels alone. false: its PEs are not in classes, so that all have one level.
 */
bool power_spread_loops(const struct pe_loops *loops, const struct pe_stretch *stretch,
                        const struct power_work_options *options, struct arena *arena, struct power_piece *piece,
                        struct power_segment *segment);

struct loop_groups power_groups_of_tasks(const struct layer_context *context, const struct split *split, uint32_t level,
                                         enum detail detail);

#endif
