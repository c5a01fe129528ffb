/* SPDX-License-Identifier: Apache-2.0 */
/* Set-ups of transfers: what was measured, with other latencies in place of those of the thesis simulator. */
#include "sim/machine/latency.h"
#include "sim/base/real.h"
#include <assert.h>

/*
 * What the thesis simulator had while its set-ups were measured, in its PE clocks of 250 MHz: 4 NoC clocks at 500 MHz
 * a router, 7 clocks at 250 MHz an interface, 10 clocks the host (thesis table 5.1).
 */
#define MEASURED_ROUTER_CLK 2.0
#define MEASURED_INTERFACE_CLK 7.0
#define MEASURED_HOST_CLK 10.0

/* How often one after the other. A packet inside a QPE passes its router, too, so h hops are h + 1 routers. */
struct latency_share {
	double n_host, n_interface, n_router;
	double n_beyond; /* routers that were not on the way where the set-up was measured */
	double n_hop;    /* of all these routers, those between QPEs on the thesis' mesh */
	double n_round;  /* of messages to all PEs, one after the other, of each agent */
};

/* PEs of an agent that compute in reuse on the thesis' chip, a message a clock. */
#define MEASURED_ROUND_CLK 32.0

/* Hops from an agent to the QPEs of its quadrant on the thesis' mesh of 6x6, the mean. */
#define MEASURED_AGENT_HOP 2.0

/*
 * Each transfer begins with the host's command and ends with the report to it.
 * On the chip they go between a PE and its quadrant's agent, the inner corner of
 * 3x3 QPEs: 2 hops, 3 routers on average. A barrier is another report and
 * command. Data, by the placement of thesis figures 4.16 to 4.20:
 *
 *   copy     a neighbour, or at distance 2, as many chains of one as of the other
 *   migrate  a neighbour in the block
 *   ring     at distance 2
 *   load     command from the agent to the edge 2 hops, data from there to a
 *            block's QPEs 1.125 hops on average
 *   storage  a block's QPEs to its storage QPE: 3 hops on average
 *   DRAM     a quadrant's QPEs to the edge, and the answer back: 1 hop on average
 *
 * A QPE beside its DRAM has one router. A single load was measured there, and
 * the hand-shake after a write is one way from the DRAM to the host. On the chip
 * a job's ways have routers beyond these, which take their clocks in addition:
 *
 *   load   command from the agent +2, data +1.125, report +2, the task's command +2
 *   write  data to the edge +1, the answer +1, report to the agent +2
 *
 * Most of a task's start is the host's latency with its command. The routers that it and the result's first packet
 * pass in their own QPE stay as they were measured: with them random layers at other NoC clocks were 0.1 % further
 * from the event tier, in the mean.
 *
 * These counts are derived, not measured; every sum of latencies stays within its
 * set-up. On other meshes all ways are as much longer or shorter as those between agents and QPEs.
 */
static const struct latency_share latency_share[2][N_SETUP] =
    {
	[MACHINE_QPE] =
	    {
		[SETUP_COPY] = {2, 0, 3, 0, 0, 0},
		[SETUP_MIGRATE] = {4, 0, 5, 0, 0, 0},
		[SETUP_RING] = {4, 0, 5, 0, 0, 0},
		[SETUP_LOAD] = {2, 2, 3, 0, 0, 0},
		[SETUP_SINGLE_LOAD] = {2, 2, 3, 0, 0, 0},
		[SETUP_WRITE_STORAGE] = {2, 0, 3, 0, 0, 0},
		[SETUP_WRITE_DRAM] = {2, 2, 4, 0, 0, 0},
		[SETUP_HANDSHAKE] = {1, 1, 1, 0, 0, 0},
		[SETUP_TASK] = {1, 0, 0, 0, 0, 0},
	    },
	[MACHINE_CHIP] =
	    {
		[SETUP_COPY] = {2, 0, 3 + 2.5 + 3, 0, 2 + 2, 0},
		[SETUP_MIGRATE] = {4, 0, 3 + 2 + 3 + 6, 0, 2 + 2 + 4, 2},
		[SETUP_RING] = {4, 0, 3 + 3 + 3 + 6, 0, 2 + 2 + 4, 2},
		[SETUP_LOAD] = {2, 2, 3 + 2.125 + 3, 0, 2 + 1.125 + 2, 0},
		[SETUP_SINGLE_LOAD] = {2, 2, 3, 2 + 1.125 + 2 + 2, 2 + 1.125 + 2 + 2, 0},
		[SETUP_WRITE_STORAGE] = {2, 0, 3 + 4 + 3, 0, 2 + 3 + 2, 0},
		[SETUP_WRITE_DRAM] = {2, 2, 3 + 2 + 2 + 3, 0, 2 + 1 + 1 + 2, 0},
		[SETUP_HANDSHAKE] = {1, 1, 1, 1 + 1 + 2, 1 + 1 + 2, 0},
		[SETUP_TASK] = {1, 0, 0, 0, 0, 0},
	    },
};

/* Mean distance of n places in a row from the one or two agents in its middle. */
static double agent_hop(uint32_t n)
{
	double left = n / 2, right = n - left;
	return (left * (left - 1) + right * (right - 1)) / (2 * (left + right));
}

/* A message to each PE that computes in reuse, of each agent; one a clock of the host and of the NoC. */
static double round_clk(const struct machine *machine, double pe_mhz)
{
	const struct mesh_chip *chip = &machine->chip;
	uint32_t n_agent = (chip->mesh_w > 1 ? 2u : 1u) * (chip->mesh_h > 1 ? 2u : 1u);
	double n_qpe = (double)chip->mesh_w * chip->mesh_h - chip->n_storage_qpe;
	return n_qpe * machine->qpe_n_pe / n_agent * real_max(1, pe_mhz / machine->noc_clk_mhz);
}

static double mean_hop(const struct machine *machine)
{
	return agent_hop(machine->chip.mesh_w) + agent_hop(machine->chip.mesh_h);
}

double latency_hop_clk(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	return machine->noc_hop_clk * machine->level[level].clk_mhz / machine->noc_clk_mhz;
}

double latency_mean_hop(const struct machine *machine, enum setup setup)
{
	const struct latency_share *share = &latency_share[machine->target][setup];
	assert(setup < N_SETUP && share->n_beyond == share->n_hop);
	return share->n_hop > 0 ? share->n_hop * mean_hop(machine) / MEASURED_AGENT_HOP : 0;
}

double latency_setup_clk(const struct machine *machine, uint32_t level, enum setup setup, double setup_clk)
{
	assert(level < machine->n_level && setup < N_SETUP && setup_clk >= 0);
	assert(machine->target <= MACHINE_CHIP); /* a systolic array has no such transfers */
	const struct latency_share *share = &latency_share[machine->target][setup];
	double pe_mhz = machine->level[level].clk_mhz;
	double router_clk = latency_hop_clk(machine, level);
	double interface_clk = machine->dram_interface_clk * pe_mhz / machine->dram_clk_mhz;
	double extra_clk = share->n_router * (router_clk - MEASURED_ROUTER_CLK) +
	                   share->n_interface * (interface_clk - MEASURED_INTERFACE_CLK) +
	                   share->n_host * (machine->chip.host_latency_clk - MEASURED_HOST_CLK);
	extra_clk += share->n_beyond * router_clk;
	if (share->n_hop > 0)
		extra_clk += share->n_hop * (mean_hop(machine) / MEASURED_AGENT_HOP - 1) * router_clk;
	if (share->n_round > 0)
		extra_clk += share->n_round * (round_clk(machine, pe_mhz) - MEASURED_ROUND_CLK);
	return real_max(0, setup_clk + extra_clk);
}
