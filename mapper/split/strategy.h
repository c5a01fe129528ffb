/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_STRATEGY_H
#define MAPPER_STRATEGY_H
/* Strategies (dataflow and fusion): one row each in strategy.c, one distributor and one unfolder each in their rooms.
 */
#include "sim/machine/machine.h"
#include "sim/program/program.h"
#include <stdbool.h>

/* Distribution strategies (thesis sections 4.3, 4.4). One row of strategy_table each. */
enum strategy {
	STRATEGY_NO_FUSION,    /* every operation reads from and writes to DRAM; idle PEs take the next task */
	STRATEGY_FUSION,       /* ARM operations stay in the PE; no reuse between PEs */
	STRATEGY_FUSION_REUSE, /* ours: fusion, ifmap or filters kept, the other operand passed on; runs every task */
	STRATEGY_THESIS_REUSE, /* fusion with reuse exactly as the thesis simulator ran it, omissions included: for
	                          validation */
	/* Of a systolic array, by what its PEs keep: the parts of a split are its tiles (sim/systolic/systolic_work.h).
	 */
	N_PE_STRATEGY, /* those above are of machines with PEs */
	STRATEGY_OUTPUT_STATIONARY = N_PE_STRATEGY,
	STRATEGY_WEIGHT_STATIONARY,
	STRATEGY_INPUT_STATIONARY,
	N_STRATEGY
};
struct strategy_info {
	const char *name, *help;
	bool fused, reuses, for_search;
	bool is_systolic;                /* for target: systolic, the others for PEs with an MLA */
	enum systolic_dataflow dataflow; /* then */
};
extern const struct strategy_info strategy_table[N_STRATEGY];

/* Whether a machine's kind of hardware runs a strategy at all, and whether this machine's array can keep that operand.
 */
bool strategy_serves(enum strategy strategy, const struct machine *machine);

/*
 * Which operand a QPE keeps in reuse (equations 4.2 and 4.3); the chip always keeps ifmaps. Of a systolic array, whose
 * tile stays in its buffer while the other's go by; auto: the order that moves fewer words.
 */
enum reuse_operand { REUSE_AUTO, REUSE_IFMAP, REUSE_FILTER, N_REUSE_OPERAND };
extern const char *const reuse_operand_name[N_REUSE_OPERAND]; /* "auto", "ifmap", "filter" */

#endif
