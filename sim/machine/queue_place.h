/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_QUEUE_PLACE_H
#define SIM_QUEUE_PLACE_H
/* Where the PEs of a DRAM interface's queue of jobs are, and which of their routers its packets pass. */
#include "sim/machine/machine.h"

/* QPEs of a queue that are told apart. */
#define QUEUE_MAX_QPE 64

/* QPEs of the first queue, in the order in which their PEs take the first jobs. */
struct queue_place {
	uint32_t n_qpe; /* 0: they are not told apart */
	/* Of packets between the interface and a QPE: the QPEs of the queue whose routers they pass, its own included;
	 * bit i: the i-th. */
	uint64_t pass[QUEUE_MAX_QPE];
	/* Of these, of the QPE of the mesh that is furthest; known however many QPEs there are, whatever lies beyond
	 * the mesh. */
	uint32_t n_router;
	/* Hops on the ways of a QPE's jobs: of a load from the host's command to the start of the task, of a write from
	 * the PE to the report. */
	uint8_t load_hop[QUEUE_MAX_QPE], write_hop[QUEUE_MAX_QPE];
};

/* Of a machine that has passed machine_check, and is no systolic array; a QPE machine has one QPE. */
void queue_place_derive(const struct machine *machine, struct queue_place *place);

#endif
