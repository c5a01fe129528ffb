/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MESH_H
#define SIM_MESH_H
/*
 * Where QPEs, DRAM interfaces and the host's agents are, and which way packets
 * go. QPE q of the mesh is at x = q % w, y = q / w; row 0 is that of DRAM
 * interfaces 0 and 1. QPEs that the mesh has no place for (a chip of 38 with a
 * mesh of 6x6) hang on its last row, left and right in turn:
 *
 *          0 1 2 3 4 5
 *   dram 0 . . . . . . dram 1        interface d: column 0 if d is even, else the last,
 *          . . . . . .               rows dealt over the pairs of interfaces
 *          . . A A . .               A: agents of the host, each for its quadrant
 *          . . A A . .
 *   dram 2 . . . . . . dram 3
 *          . . . . . .
 *          36        37
 */
#include "sim/machine/machine.h"

struct mesh {
	uint32_t w, h;                /* of the full rows */
	uint32_t n_qpe;               /* those beyond w * h included */
	uint32_t n_dram, n_row_group; /* rows in so many groups, one a pair of interfaces */
	bool deals_near;              /* each interface is next to some QPE (mesh_queue) */
};

/* Of a machine that has passed machine_check; a QPE machine is a mesh of one. */
void mesh_derive(const struct machine *machine, struct mesh *mesh);

/* Place of a QPE; y may be h for those beyond the mesh. */
uint32_t mesh_x(const struct mesh *mesh, uint32_t qpe);
uint32_t mesh_y(const struct mesh *mesh, uint32_t qpe);
/* x < w, y < h. */
uint32_t mesh_qpe_at(const struct mesh *mesh, uint32_t x, uint32_t y);

/* The next QPE on the way from one to another, X first, then Y; from != to. */
uint32_t mesh_next(const struct mesh *mesh, uint32_t from, uint32_t to);
/* Routers between, the last one included. */
uint32_t mesh_n_hop(const struct mesh *mesh, uint32_t from, uint32_t to);

/*
 * The QPE at which packets between a QPE and a DRAM interface enter or leave the
 * mesh: in the QPE's row if the interface reaches it, else the nearest it does.
 */
uint32_t mesh_dram_port(const struct mesh *mesh, uint32_t dram, uint32_t qpe);

/* The interface that serves a QPE's quadrant, where no schedule says another. */
uint32_t mesh_near_dram(const struct mesh *mesh, uint32_t qpe);

/*
 * The interface whose queue of jobs a PE serves: the one next to it; where one is next to no QPE, PEs are dealt to all in
 * turn as they are numbered. PEs are numbered QPE by QPE, n_pe each.
 */
uint32_t mesh_queue(const struct mesh *mesh, uint32_t n_pe, uint32_t pe);

/* The QPE where the host's agent for a QPE sits. */
uint32_t mesh_agent(const struct mesh *mesh, uint32_t qpe);

#endif
