/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LOOP_GROUPS_H
#define DSE_LOOP_GROUPS_H
/*
 * A layer's design at one level in three groups of phases: what is loaded before, what is done loop by loop, and ARM
 * operations. What the simulator says of the whole layer is divided, nothing is added.
 */
#include "mapper/split/design.h"
#include "sim/program/result.h"

struct loop_group {
	double ns, dynamic_pj;
};
/* Times and dynamic energies of loads, loops and ARM operations at one level. */
struct loop_groups {
	struct loop_group load, loop, arm;
	uint64_t n_loop, n_task; /* of the busiest PE, and in all */
	double static_mw;
};
/* Which of them a phase belongs to. */
enum loop_part { LOOP_LOAD, LOOP_LOOP, LOOP_ARM, N_LOOP_PART };
enum loop_part loop_part_of(enum phase phase);

/* Of a design that runs, at its level; program: what mapper_distribute makes of it, at any level. */
struct loop_groups loop_groups_of_program(const struct layer_context *context, const struct layer_design *design,
                                          const struct program *program, const struct sim_result *result);
struct loop_groups loop_groups_of(const struct layer_context *context, const struct layer_design *design,
                                  const struct sim_result *result);

#endif
