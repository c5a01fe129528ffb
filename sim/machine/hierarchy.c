/* SPDX-License-Identifier: Apache-2.0 */
/* How PEs are grouped: double QPE blocks of the thesis, cells, queues of DRAM interfaces. */
#include "sim/machine/hierarchy.h"
#include "sim/base/checked.h"
#include <assert.h>

/*
 * Thesis section 4.4: in reuse each storage QPE heads a double QPE block, and
 * the computing QPEs of the mesh are dealt evenly over the blocks. A machine
 * without storage QPEs is one block.
 */

/* The mesh whose blocks the thesis halves, and for which it lists its chains. */
#define THESIS_SIDE 6
#define THESIS_N_STORAGE 4

void hierarchy_derive(const struct machine *machine, struct hierarchy *hierarchy)
{
	uint32_t mesh_qpe = machine->target != MACHINE_CHIP ? 1 : machine->chip.mesh_w * machine->chip.mesh_h;
	uint32_t n_storage = machine->target != MACHINE_CHIP ? 0 : machine->chip.n_storage_qpe;
	assert(n_storage < mesh_qpe && machine->dram_n > 0 && machine->qpe_n_pe > 0);
	uint32_t n_block = n_storage ? n_storage : 1;
	uint32_t qpe_per_block = (mesh_qpe - n_storage) / n_block;
	uint32_t n_all_pe = machine_n_pe(machine);
	uint32_t n_queue = machine->dram_n < n_all_pe ? machine->dram_n : n_all_pe;

	bool is_thesis = machine->target == MACHINE_CHIP && machine->chip.mesh_w == THESIS_SIDE &&
	                 machine->chip.mesh_h == THESIS_SIDE && n_storage == THESIS_N_STORAGE;
	uint32_t n_half = is_thesis ? 2 : 1;
	*hierarchy = (struct hierarchy){
	    .n_block = n_block,
	    .n_cell = n_block * n_half,
	    .qpe_per_cell = qpe_per_block / n_half,
	    .qpe_per_block = qpe_per_block,
	    .pe_per_block = qpe_per_block * machine->qpe_n_pe,
	    .n_pe = qpe_per_block * machine->qpe_n_pe * n_block,
	    .block_per_dram = (uint32_t)ceil_div(n_block, machine->dram_n),
	    .storage_byte = (uint64_t)n_storage * machine->qpe_n_pe * machine->chip.storage_pe_byte,
	    .n_queue = n_queue,
	    .pe_per_queue = n_all_pe / n_queue,
	};
	assert(hierarchy->n_pe > 0 && hierarchy->pe_per_queue > 0);
}
