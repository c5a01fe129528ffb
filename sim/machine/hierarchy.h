/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_HIERARCHY_H
#define SIM_HIERARCHY_H
/* Blocks, cells and DRAM queues: how a machine's PEs are grouped where data are reused and where they are not. */
#include "sim/machine/machine.h"

/* The PEs as the strategies see them, derived from the machine. */
struct hierarchy {
	uint32_t n_block;       /* double QPE blocks (thesis figure 4.16), one a storage QPE; 1 without storage QPEs */
	uint32_t qpe_per_block; /* that compute */
	uint32_t pe_per_block;
	uint32_t n_cell, qpe_per_cell; /* inside a cell filters rotate, round the ring of cells they go from block to
	                                  block: two a block on the thesis' mesh (figure 4.16), elsewhere one */
	uint32_t n_pe;                 /* that compute in reuse, all blocks */
	uint32_t block_per_dram;       /* blocks that the busiest DRAM interface serves */
	uint64_t storage_byte;         /* SRAM of the storage QPEs */
	uint32_t n_queue;              /* no reuse: DRAM queues, each with its own PEs */
	uint32_t pe_per_queue;         /* of the smallest queue */
};

/* Derive it. machine has passed machine_check. */
void hierarchy_derive(const struct machine *machine, struct hierarchy *hierarchy);

#endif
