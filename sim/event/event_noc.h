/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_NOC_H
#define SIM_EVENT_NOC_H
/*
 * A QPE's router in the event tier: one FIFO over all ports. It knows when a packet will pass the moment it comes. All
 * clocks are PE clocks unless named otherwise; clk is the present one.
 */
#include "sim/event/event_count.h"
#include "sim/event/event_fifo.h"
#include "sim/machine/machine.h"

struct event_noc {
	uint64_t noc_khz, pe_khz;
	uint32_t hop_clk, n_per_clk; /* NoC clocks; packets a NoC clock */
	uint32_t sync_clk;           /* NoC clocks into the router, PE clocks out of it */
	uint64_t slot;               /* NoC clock of the next packet ... */
	uint32_t n_in_slot;          /* ... and packets already in it */
	uint64_t n_packet;
	uint32_t n_port;
	uint64_t last_clk[EVENT_MAX_PE];      /* a port receives one packet a PE clock ... */
	uint64_t free_clk[EVENT_MAX_PE];      /* ... and passes one a NoC clock, from this one on */
	struct event_fifo port[EVENT_MAX_PE]; /* packets on their way to it */
};

/* Clocks and rates of a machine; the FIFOs of the ports are the caller's to set up. */
void event_noc_init(struct event_noc *noc, const struct machine *machine, uint32_t level);
/* The NoC clock of the packet that comes to the router at a PE clock. */
uint64_t event_noc_enter(const struct event_noc *noc, uint64_t clk);
/* Pass a packet that comes at a NoC clock, not before one that came earlier; returns the NoC clock in which it passes.
 */
uint64_t event_noc_pass(struct event_noc *noc, uint64_t noc_clk);
/* PE clock in which a packet that passes at a NoC clock is behind the router. */
static inline uint64_t event_noc_arrive(const struct event_noc *noc, uint64_t noc_clk)
{
	return (noc_clk + noc->hop_clk) * noc->pe_khz / noc->noc_khz + noc->sync_clk;
}
/* Put a packet that passes at a NoC clock into port `to`: noc->port[to] has it by its arrival. */
void event_noc_eject(struct event_noc *noc, uint64_t noc_clk, uint32_t to, struct event_message message);
void event_noc_save(const struct event_noc *noc, uint64_t clk, struct event_state *state);

#endif
