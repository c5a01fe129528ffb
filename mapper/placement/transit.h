/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_TRANSIT_H
#define MAPPER_TRANSIT_H
/*
 * Transfers of a phase of reuse as a few paths: the phase takes as long as the slowest of them, each of which grows
 * with the size of the items and with what a packet takes at ports, routers, links and DRAM interfaces. They depend on
 * the machine's geometry alone, so they are worked out once and kept: what is asked for again is looked up.
 */
#include "mapper/placement/meeting.h"
#include "sim/machine/flow.h"
#include "sim/program/program.h"

enum transit_kind {
	TRANSIT_MAPS,        /* ifmap parts into the blocks and along their chains */
	TRANSIT_FILTERS,     /* filter parts to all QPEs */
	TRANSIT_TURN,        /* one rotation of filters inside the blocks */
	TRANSIT_RING,        /* one step of filters round the ring */
	TRANSIT_RESULTS,     /* a packet of every PE to its storage QPE, or to the nearest DRAM interface */
	TRANSIT_OWN_MAPS,    /* ifmap parts of a task each */
	TRANSIT_OWN_FILTERS, /* filters of some tasks each */
	TRANSIT_FETCH,       /* as much from every interface into storage QPEs, each into its blocks' in turn */
	N_TRANSIT
};

/*
 * Ifmap parts of two widths and two heights, the larger ones first in each row and each image: n_large_w of n_w in a
 * row, n_large_h of an image's n_row rows, n_h rows in all, dealt in order to groups of n_share blocks; small_w and
 * small_h over the larger size in steps of it. packet: packets of the largest part, as transit_packet has them. Paths
 * are then for that size alone, the first of each point. n_w is 0 where all parts are alike.
 */
#define TRANSIT_SIZE_STEP 16
struct transit_sizes {
	uint32_t n_w, n_large_w, n_row, n_large_h, n_h, n_share;
	uint32_t small_w, small_h, packet;
};

/* The nearest of some sizes that are told apart, by a factor of 8. */
uint32_t transit_packet(double packet);

/* What is not of a kind is 0. */
struct transit {
	enum transit_kind kind;
	uint32_t n_set, n_slot, n_resident; /* MAPS; TURN: n_set; RESULTS, OWN_MAPS: n_resident of the block's slots */
	uint32_t n_block;                   /* MAPS, OWN: blocks that have any */
	uint32_t n_filter, n_dealt, n_half; /* FILTERS, as placement_list_filters */
	uint32_t n_user;                    /* OWN_FILTERS: PEs of each of n_filter parts of a block */
	bool in_storage;                    /* MAPS, OWN_MAPS, TURN, RESULTS */
	bool is_source;                     /* MAPS, FILTERS, TURN */
	struct transit_sizes sizes;         /* MAPS */
};

/* What of a machine they depend on, to be worked out once; clocks in steps of an eighth of an octave. */
struct transit_mesh {
	uint32_t mesh_w, mesh_h, n_qpe, n_storage, n_dram, n_pe, is_chip, router_packet;
	uint32_t n_point;
	int32_t noc[FLOW_MAX_POINT]; /* NoC clocks a PE clock, at its levels */
	int32_t dram;                /* packets at a DRAM interface a NoC clock */
};
void transit_mesh_derive(const struct machine *machine, struct transit_mesh *mesh);

/* Transits of which a thread can look at the paths at a time; a program has a dozen. */
#define TRANSIT_N_OWN 256

/*
 * The paths. They are kept in a table of the process for as long as somebody holds it. Where it is full, at 192 MiB,
 * they are the calling thread's, until it has asked for TRANSIT_N_OWN - 1 others. The first time it takes some
 * milliseconds, then a look-up; threads may ask at the same time. Where memory is out they take longer than can be
 * counted (VERDICT_CLOCKS), and transit_is_out says so from then on: a search has to fail then.
 */
const struct flow_paths *transit_paths(const struct machine *machine, const struct transit_mesh *mesh,
                                       const struct transit *transit);

bool transit_is_out(void);

/*
 * Who meets whom on a machine that is served (meeting_serves), kept likewise. Where memory is out there are more tasks
 * than can be counted.
 */
const struct meeting *transit_meeting(const struct machine *machine, const struct transit_mesh *mesh,
                                      const struct meeting_spec *spec);

/*
 * The table belongs to all who hold it: the program from its first to its last line, each handle of libdse. The last
 * one to let go gives its memory back; no program that has paths is in use then, and no thread asks. Who asks without
 * holding it leaves paths there until somebody else has held it.
 */
void transit_hold(void);
void transit_release(void);

#endif
