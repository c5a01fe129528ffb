/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"
#include "sim/machine/mesh.h"
#include <stdlib.h>

/*
 * Pooling (mapper/distribute/distribute_arm.c): every part to a PE and its result back.
 * The pooling itself, ARM work, is a step of its own after that, as in the
 * program, so that only the traffic is unfolded here. PEs take parts in turn,
 * the quadrants' by turns so that the interfaces are loaded evenly.
 */

/* PEs in the order in which they take parts: the first of every interface's, then the second, ... cursor: zeros. */
static void order_pes(const struct machine *machine, const struct mesh *mesh, uint32_t *order, uint32_t *cursor)
{
	uint32_t n_pe = machine_n_pe(machine);
	for (uint32_t n = 0; n < n_pe;)
		for (uint32_t dram = 0; dram < mesh->n_dram; dram++) {
			uint32_t *pe = &cursor[dram];
			while (*pe < n_pe && mesh_near_dram(mesh, *pe / machine->qpe_n_pe) != dram)
				++*pe;
			if (*pe < n_pe)
				order[n++] = (*pe)++;
		}
}

/* All parts of one PE, each when the one before has left: there is room for one. */
static void pool_on_pe(const struct layer_context *context, const struct layer_design *design,
                       const struct tiling *tiling, uint32_t pe, uint64_t first, struct schedule *schedule)
{
	const struct machine *machine = context->machine;
	struct mesh mesh;
	mesh_derive(machine, &mesh);
	uint32_t dram = mesh_near_dram(&mesh, pe / machine->qpe_n_pe), before = SCHEDULE_NONE;
	for (uint64_t i = first; i < tiling->n_task && !schedule->failed; i += machine_n_pe(machine)) {
		struct part part =
		    unfold_result_part(context, design, tiling, i / tiling->n_c, i % tiling->n_c, 0, schedule);
		struct op op = {.kind = OP_LOAD, .pe = pe, .peer = dram, .byte = part.map_byte, .part = part.number};
		op.before[0] = before;
		op.before[1] = SCHEDULE_NONE;
		before = schedule_add_op(schedule, op);
		op.kind = OP_STORE;
		op.content = OP_OF_RESULT;
		op.byte = part.out_byte;
		op.before[0] = before;
		before = schedule_add_op(schedule, op);
	}
}

void unfold_pool(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                 struct schedule *schedule)
{
	const struct machine *machine = context->machine;
	uint32_t n_pe = machine_n_pe(machine);
	struct mesh mesh;
	assert(context->block->kind == BLOCK_POOL && tiling->n_d == 1);
	uint32_t *order = calloc((size_t)n_pe + machine->dram_n, sizeof(*order));
	if (!order) {
		schedule->failed = true;
		return;
	}
	mesh_derive(machine, &mesh);
	order_pes(machine, &mesh, order, order + n_pe);
	schedule_add_step(schedule, (struct schedule_step){.phase = PHASE_INPUT});
	for (uint32_t i = 0; i < n_pe; i++)
		pool_on_pe(context, design, tiling, order[i], i, schedule);
	free(order);
}
