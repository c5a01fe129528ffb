/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_LATENCY_H
#define SIM_LATENCY_H
/*
 * Set-ups of transfers on machines whose NoC, DRAM interfaces or host answer
 * faster or slower than those that the set-ups were measured on.
 */
#include "sim/machine/machine.h"

/* What a set-up was measured of, and so which latencies it contains (sim/machine/latency.c). */
enum setup {
	SETUP_COPY,          /* SRAM to SRAM */
	SETUP_MIGRATE,       /* filters inside a block */
	SETUP_RING,          /* filters between blocks */
	SETUP_LOAD,          /* a phase of loads from DRAM */
	SETUP_SINGLE_LOAD,   /* one load from DRAM, host to host */
	SETUP_WRITE_STORAGE, /* a result to a storage QPE */
	SETUP_WRITE_DRAM,    /* a result to DRAM */
	SETUP_HANDSHAKE,     /* from a write's end to the PE's next request */
	SETUP_TASK,          /* a job's task, by the host's command: mla.init_clk */
	N_SETUP
};

/*
 * A set-up at an operating point, PE clocks: setup_clk, as measured with the
 * defaults of noc.hop_clk, dram.interface_clk and chip.chip.host_latency_clk at 250
 * MHz PEs, with the machine's own in their place; at least 0. Nothing is changed
 * for a machine and level with the defaults.
 */
double latency_setup_clk(const struct machine *machine, uint32_t level, enum setup setup, double setup_clk);

/* PE clocks of a hop of the NoC. */
double latency_hop_clk(const struct machine *machine, uint32_t level);
/* Hops between QPEs that a set-up has on a chip, the mean over the mesh; 0: a QPE alone. SETUP_SINGLE_LOAD or
 * SETUP_HANDSHAKE, as others do not tell theirs from those where they were measured. */
double latency_mean_hop(const struct machine *machine, enum setup setup);

#endif
