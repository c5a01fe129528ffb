/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_MEETING_H
#define MAPPER_MEETING_H
/*
 * Reuse on a chip, one load of filter parts: which PE meets which of them in which run between two migrations. Counted
 * from the placement itself, by the same rules as mapper/unfold, and kept with the transits (transit_meeting).
 */
#include "sim/machine/machine.h"
#include <stdbool.h>
#include <stddef.h>

/* PEs of a QPE, and of a chip, whose meetings are followed. */
#define MEETING_MAX_QPE_PE 8
#define MEETING_MAX_PE 512

/* What a QPE runs between two barriers. */
struct meeting_qpe {
	uint16_t group; /* of blocks that share rows; in the order of the rows */
	uint16_t set;   /* its ifmap parts: slots set * n_pe + z; of less than a QPE full z % n_slot */
	uint16_t first; /* bit k of mask: filter part first + k of the load */
	uint8_t mask[MEETING_MAX_QPE_PE]; /* the filter parts that PE z meets */
	uint8_t n_together;               /* the QPE's filter parts: first .. first + n_together - 1 */
	bool is_crowded; /* more PEs may fetch from one than where each filter part is in one PE and each PE takes as
	                    many as take it */
};

/* Between two barriers. */
struct meeting_run {
	uint32_t first, n; /* in meeting.qpe; those left out have nowhere more or larger parts than one of these */
};

/* Results, each counted as one, that pass the busiest router, link, PE of a storage QPE and interface; routers that all
 * of them pass, that the host's commands for their tasks do, and the reports of their arrival: sums over runs. */
struct meeting_results {
	double router, link, port, dram, sender; /* sender: the busiest router of a QPE that has any itself */
	double routed, told, reported;
};

/* The table's; not to be changed. */
struct meeting {
	uint32_t n_rotation, n_ring; /* migrations inside the blocks, and steps round the ring */
	uint32_t n_run;
	uint64_t n_start;    /* PEs that run anything, of all runs */
	uint64_t n_lockstep; /* tasks one after the other: of each run those of its busiest PE */
	uint64_t n_result;   /* of all runs; on their way to the storage QPEs, which there may be none of, or to DRAM */
	struct meeting_results to_storage, to_dram;
	uint32_t n_qpe;
	const struct meeting_run *run; /* [n_run] */
	const struct meeting_qpe *qpe; /* [n_qpe] */
};

/* What they depend on besides the mesh; parts lie as in struct placement_spec, filters as in placement_list_filters. */
struct meeting_spec {
	uint32_t n_set, n_slot, n_resident, n_share;
	uint32_t n_group; /* of blocks that share rows and have any ifmap parts */
	uint32_t n_filter, n_dealt;
	uint32_t n_stride; /* steps round the ring until a block sees filters that it has not met */
	bool in_storage;
	bool is_apart; /* rows of later groups may be larger, as those of other images */
};

/* Whether a machine's meetings are followed. */
bool meeting_serves(const struct machine *machine);

/* Work them out, apart from keeping them: one block of memory, which the caller frees; NULL: none. */
struct meeting *meeting_build(const struct machine *machine, const struct meeting_spec *spec);
size_t meeting_byte(const struct meeting *meeting);

#endif
