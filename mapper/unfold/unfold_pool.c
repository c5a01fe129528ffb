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
static void pool_on_pe(const struct unfolding *unfolding, uint32_t pe, uint64_t first)
{
	const struct machine *machine = unfolding->context->machine;
	const struct tiling *tiling = unfolding->tiling;
	struct mesh mesh;
	mesh_derive(machine, &mesh);
	uint32_t dram = mesh_near_dram(&mesh, pe / machine->qpe_n_pe), before = SCHEDULE_NONE;
	for (uint64_t i = first; i < tiling->n_task && !unfolding->schedule->failed; i += machine_n_pe(machine)) {
		struct unfolded_part part = unfold_result_part(unfolding, i / tiling->n_c, i % tiling->n_c, 0);
		struct op op = {.kind = OP_LOAD, .pe = pe, .peer = dram, .byte = part.map_byte, .part = part.number};
		before = unfold_add_op(unfolding, op, before, SCHEDULE_NONE);
		op.kind = OP_STORE;
		op.content = OP_OF_RESULT;
		op.byte = part.out_byte;
		before = unfold_add_op(unfolding, op, before, SCHEDULE_NONE);
	}
}

void unfold_pool(const struct unfolding *unfolding)
{
	const struct machine *machine = unfolding->context->machine;
	uint32_t n_pe = machine_n_pe(machine);
	struct mesh mesh;
	assert(unfolding->context->block->kind == BLOCK_POOL && unfolding->tiling->n_d == 1);
	uint32_t *order = calloc((size_t)n_pe + machine->dram_n, sizeof(*order));
	if (!order) {
		unfolding->schedule->failed = true;
		return;
	}
	mesh_derive(machine, &mesh);
	order_pes(machine, &mesh, order, order + n_pe);
	unfold_add_step(unfolding, PHASE_INPUT);
	for (uint32_t i = 0; i < n_pe; i++)
		pool_on_pe(unfolding, order[i], i);
	free(order);
}
