/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of transfers that share a mesh, from the paths that were worked out for them. */
#include "sim/fast/fast_parts.h"
#include "sim/base/real.h"

/* The point that was worked out at the NoC's clock nearest to this. */
static uint32_t nearest_point(const struct flow_paths *paths, double noc)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < paths->n_point; i++) {
		double own = (double)paths->noc[i], known = (double)paths->noc[best];
		if (real_max(own, noc) * real_min(known, noc) < real_max(known, noc) * real_min(own, noc))
			best = i;
	}
	return best;
}

/* A path's clocks were the items of so many packets; clk are those of items of item packets. */
static double clk_of_size(const struct flow_path *path, double packet, double item, const double clk[N_FLOW_COST])
{
	double setup = flow_setup_clk(path, clk);
	return setup + (flow_clk(path, clk) - setup) * packet / item;
}

/*
 * Clocks of the slowest path for items of so many packets, at noc NoC clocks a PE clock; clk: PE clocks an item at
 * each. Between two of the sizes that were worked out in proportion, below and above by the nearest one's path; never
 * less for larger items. There is at least one point.
 */
static double slowest_clk(const struct flow_paths *paths, double item, double noc, const double clk[N_FLOW_COST])
{
	const struct flow_path *path = paths->path[nearest_point(paths, noc)];
	int above = 0;
	double below_clk = 0;
	for (; above < FLOW_N_SIZE && flow_packet[above] < item; above++)
		below_clk = real_max(below_clk, clk_of_size(&path[above], flow_packet[above], item, clk));
	if (above == 0)
		return flow_clk(&path[0], clk);
	if (above == FLOW_N_SIZE)
		return real_max(below_clk, flow_clk(&path[above - 1], clk));
	double packet = flow_packet[above], above_clk = clk_of_size(&path[above], packet, item, clk);
	double frac = (item - flow_packet[above - 1]) / (packet - flow_packet[above - 1]);
	return below_clk + real_max(0, above_clk - below_clk) * frac;
}

/* Of items of several sizes, for so many of whose largest one's packets the paths were worked out; clk: as above. */
static double sized_clk(const struct transfer *transfer, double noc, const double clk[N_FLOW_COST])
{
	const struct flow_paths *paths = transfer->sized_paths;
	return clk_of_size(&paths->path[nearest_point(paths, noc)][0], transfer->sized_packet, transfer->item_packet,
	                   clk);
}

/* The path, the busiest router, link or interface, or the longest chain, whichever takes longest; items as large as the
 * mean, but for one that takes the chain. The path alone is of the machine's own clocks. */
struct step_time fast_time_paths(const struct transfer *transfer, const struct rates *rates)
{
	const struct flow_paths *paths = transfer->paths;
	double item = transfer->item_packet, packet_byte = rates->machine->noc_packet_byte;
	const double clk[N_FLOW_COST] = {
	    [FLOW_COST_PORT] = item / rates->port_packet,
	    [FLOW_COST_ROUTER] = item / rates->router_packet,
	    [FLOW_COST_LINK] = item / rates->link_packet,
	    [FLOW_COST_DRAM] = item * packet_byte / rates->dram_byte,
	    [FLOW_COST_COPY] = rates_setup_clk(rates, transfer->stage_setup, transfer->stage_setup_clk),
	    [FLOW_COST_LOAD] = rates_setup_clk(rates, SETUP_LOAD, transfer->setup_clk),
	};
	bool loads = paths->dram > 0;
	double dram_clk = real_max(transfer->dram_byte / rates->dram_byte, (double)paths->dram * clk[FLOW_COST_DRAM]);
	double load_clk =
	    real_max((double)paths->router * clk[FLOW_COST_ROUTER], (double)paths->link * clk[FLOW_COST_LINK]);
	double longest_clk = real_max(dram_clk, load_clk) + clk[loads ? FLOW_COST_LOAD : FLOW_COST_COPY];
	longest_clk =
	    real_max(longest_clk, clk_of_size(&paths->chain, real_max(item, transfer->chain_packet), item, clk));
	if (paths->n_point > 0 && !rates->with_slower)
		longest_clk = real_max(longest_clk, slowest_clk(paths, item, rates->link_packet, clk));
	if (transfer->sized_paths && !rates->with_slower)
		longest_clk = real_max(longest_clk, sized_clk(transfer, rates->link_packet, clk));
	return (struct step_time){
	    .clk = transfer->n_repeat * longest_clk,
	    .bound = 2 * dram_clk > longest_clk ? BOUND_DRAM : BOUND_NOC,
	};
}
