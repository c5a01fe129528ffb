/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H
/*
 * Transfers of items that run at the same time and wait for each other at ports, routers, links and DRAM
 * interfaces. A pattern of them, of equal items or of items of certain
 * relative sizes, is worked out once for a machine; its time is then linear in the size of the item.
 */
#include "sim/machine/mesh.h"

#define FLOW_NONE UINT32_MAX
#define FLOW_DRAM 0x40000000u /* plus the number of an interface: that end of an operation; else a PE */

/* One item from one end to another, after an earlier operation or none (FLOW_NONE). */
struct flow_op {
	uint32_t from, to, before;
	uint32_t part; /* what is moved, for the caller */
};

/* What time passes at. */
enum flow_cost {
	FLOW_COST_PORT,   /* a packet through a port of a PE */
	FLOW_COST_ROUTER, /* ... through a router */
	FLOW_COST_LINK,   /* ... over a link */
	FLOW_COST_DRAM,   /* ... at a DRAM interface */
	FLOW_COST_COPY,   /* set-up of a copy */
	FLOW_COST_LOAD,   /* ... of a load */
	N_FLOW_COST
};

/* Along the path that the last operation's end is due to: items through ports, routers, links and interfaces, and
 * set-ups. */
struct flow_path {
	float n[N_FLOW_COST];
};

/*
 * A pattern of operations, worked out at some clocks of the NoC for items of some sizes: of small ones set-ups matter
 * most, of large ones queues.
 */
#define FLOW_MAX_POINT 4
#define FLOW_N_SIZE 3
static const double flow_packet[FLOW_N_SIZE] = {6, 48, 512};
struct flow_paths {
	uint32_t n_point;
	float noc[FLOW_MAX_POINT]; /* NoC clocks a PE clock */
	struct flow_path path[FLOW_MAX_POINT][FLOW_N_SIZE];
	struct flow_path chain; /* the longest chain of operations, none of which waits for another's packets */
	/* items through the busiest router, link and DRAM interface; into the PE that gets most */
	float router, link, dram, port;
	/* operations, and routers that an item of each passes, in all; those that the host's commands pass, and the
	 * reports to it, where each operation has one of either */
	double n_op, routed, told, reported;
	float sender; /* items through the busiest router of a QPE that sends any */
	float way;    /* routers of QPEs that send any, the most on an item's way; flow_find_way */
};

/* Items of one size on one machine. */
struct flow_case {
	uint32_t n_piece;        /* an item goes in so many: of more of them the result is nearer to that of packets */
	double clk[N_FLOW_COST]; /* PE clocks an item at each, all above 0 */
};

/*
 * The paths of [n_op] operations in each of [n_case] cases; PEs are numbered QPE by QPE, n_pe each. size[n_op]: of each
 * operation's item over that of the cases, above 0; NULL: all are 1. Operations start in their order. Cost: the pieces
 * times the routers that they pass. false: no memory.
 */
bool flow_find_paths(const struct mesh *mesh, uint32_t n_pe, const struct flow_op *op, const float *size, uint32_t n_op,
                     const struct flow_case *wanted, uint32_t n_case, struct flow_path *path);

/* Of a path's clocks those of set-ups. */
static inline double flow_setup_clk(const struct flow_path *path, const double clk[N_FLOW_COST])
{
	return (double)path->n[FLOW_COST_COPY] * clk[FLOW_COST_COPY] +
	       (double)path->n[FLOW_COST_LOAD] * clk[FLOW_COST_LOAD];
}

/* The clocks of a path with so many PE clocks an item at each. */
static inline double flow_clk(const struct flow_path *path, const double clk[N_FLOW_COST])
{
	double sum = 0;
	for (int i = 0; i < N_FLOW_COST; i++)
		sum += (double)path->n[i] * clk[i];
	return sum;
}

/* Fill in the chain, the busiest router, link, interface and PE, and the sums of [n_op] operations, each as often as
 * weight [n_op] says; NULL: once. false: no memory. */
bool flow_find_load(const struct mesh *mesh, uint32_t n_pe, const struct flow_op *op, const uint32_t *weight,
                    uint32_t n_op, struct flow_paths *paths);

/* Fill in the longest way of operations that start at PEs. false: no memory. */
bool flow_find_way(const struct mesh *mesh, uint32_t n_pe, const struct flow_op *op, uint32_t n_op,
                   struct flow_paths *paths);

#endif
