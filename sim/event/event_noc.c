/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Router of a QPE: one FIFO over all ports, a few packets a NoC clock, and a
 * fixed latency behind it. It shares no clock with the PEs: packets are put in
 * at PE clocks and taken out in the PE clock in which they are ready.
 */
#include "sim/event/event_noc.h"
#include "sim/base/checked.h"
#include <assert.h>

void event_noc_init(struct event_noc *noc, const struct machine *machine, uint32_t level)
{
	double pe_mhz = machine->n_level > level ? machine->level[level].clk_mhz : machine->noc_clk_mhz / 2;
	noc->noc_khz = (uint64_t)(machine->noc_clk_mhz * 1000 + 0.5);
	noc->pe_khz = (uint64_t)(pe_mhz * 1000 + 0.5);
	assert(noc->noc_khz > 0 && noc->pe_khz > 0);
	noc->hop_clk = machine->noc_hop_clk;
	noc->sync_clk = machine->noc_sync_clk;
	noc->n_per_clk = machine->noc_router_packet;
	noc->n_port = machine->qpe_n_pe;
	assert(noc->n_per_clk > 0 && noc->n_port <= EVENT_MAX_PE);
}

uint64_t event_noc_enter(const struct event_noc *noc, uint64_t clk)
{
	return ceil_div(clk * noc->noc_khz, noc->pe_khz);
}

uint64_t event_noc_pass(struct event_noc *noc, uint64_t noc_clk)
{
	if (noc->slot < noc_clk) {
		noc->slot = noc_clk;
		noc->n_in_slot = 0;
	}
	uint64_t slot = noc->slot;
	if (++noc->n_in_slot == noc->n_per_clk) {
		noc->slot++;
		noc->n_in_slot = 0;
	}
	noc->n_packet++;
	return slot;
}

void event_noc_eject(struct event_noc *noc, uint64_t noc_clk, uint32_t to, struct event_message message)
{
	assert(to < noc->n_port);
	noc_clk = noc_clk > noc->free_clk[to] ? noc_clk : noc->free_clk[to];
	noc->free_clk[to] = noc_clk + 1;
	uint64_t arrive_clk = event_noc_arrive(noc, noc_clk);
	if (arrive_clk <= noc->last_clk[to])
		arrive_clk = noc->last_clk[to] + 1;
	noc->last_clk[to] = arrive_clk;
	message.clk = arrive_clk;
	event_fifo_push(&noc->port[to], message);
}

void event_noc_save(const struct event_noc *noc, uint64_t clk, struct event_state *state)
{
	uint64_t first_slot = ceil_div(clk * noc->noc_khz, noc->pe_khz);
	bool is_busy = noc->slot >= first_slot;
	event_state_add(state, clk * noc->noc_khz % noc->pe_khz);
	event_state_add(state, is_busy ? noc->slot - first_slot : 0);
	event_state_add(state, is_busy ? noc->n_in_slot : 0);
	for (uint32_t i = 0; i < noc->n_port; i++) {
		/* the next packet may come in this very clock */
		event_state_add(state, noc->last_clk[i] >= clk ? noc->last_clk[i] - clk + 1 : 0);
		event_state_add(state, noc->free_clk[i] > first_slot ? noc->free_clk[i] - first_slot : 0);
		event_fifo_save(&noc->port[i], clk, state);
	}
}
