/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_NOC_WAY_H
#define SIM_NOC_WAY_H
/*
 * How many routers packets pass in the mean between PEs, the DRAM interfaces whose queues they serve, and the host's
 * agents: what they cost in energy.
 */
#include "sim/machine/machine.h"

/* Routers on the way, the first and the last one included. */
struct noc_way {
	double dram;  /* between a PE and its queue's interface */
	double tell;  /* of what the host tells that interface: from its agent to where the interface joins the mesh */
	double agent; /* between a PE and the host's agent for it */
};

/* QPEs of a queue that are told apart, on chips with so many queues at most. */
#define NOC_MAX_WAY 64
#define NOC_MAX_QUEUE 256

struct noc_ways {
	struct noc_way all; /* of all PEs */
	uint32_t n_pe, n;
	struct noc_way first[NOC_MAX_WAY]; /* [n] of the first i + 1 times n_pe PEs of each queue, as they take jobs */
};

/* Of a machine that has passed machine_check, and is no systolic array; on a QPE all are 1. */
void noc_ways_derive(const struct machine *machine, struct noc_ways *ways);

/* Of the first n_busy PEs of each queue, to the next whole QPE. */
static inline const struct noc_way *noc_ways_of(const struct noc_ways *ways, uint64_t n_busy)
{
	uint64_t n_qpe = n_busy == 0 ? 1 : (n_busy + ways->n_pe - 1) / ways->n_pe;
	return n_qpe <= ways->n ? &ways->first[n_qpe - 1] : &ways->all;
}

#endif
