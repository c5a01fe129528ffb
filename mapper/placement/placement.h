/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_PLACEMENT_H
#define MAPPER_PLACEMENT_H
/*
 * Reuse on a chip: which PE gets which part, from where, and after which other transfer (thesis section 4.4, appendices
 * D to F). The unfolder makes operations of these lists, transit.h the time of their phases.
 */
#include "mapper/network/place.h"
#include "sim/machine/flow.h"

/* Of a layer's assignment (mapper/distribute), what decides who gets what. */
struct placement_spec {
	uint32_t
	    n_set; /* QPEs of a block that hold different ifmap parts; each of the others has those of one of these */
	uint32_t n_slot;     /* parts of a block side by side; of one QPE or more a multiple of its PEs */
	uint32_t n_resident; /* of them that have a part at most */
	uint32_t n_share;    /* blocks that share a row of parts */
	bool in_storage;     /* ifmap parts come from storage QPEs, else from DRAM */
	bool is_source;      /* the thesis' own rules, for a layer that they serve; else ours */
};

struct placement {
	struct place place;
	struct placement_spec spec;
	uint32_t n_pe;         /* of a QPE */
	uint32_t *ring, *turn; /* by QPE: where its filters go in a ring step and in a rotation; itself: nowhere */
	uint32_t *cell_of;     /* by QPE: place in the ring of cells; PLACE_NONE */
	uint32_t *orbit;       /* by QPE: equal for those between which rotations pass filters */
	struct flow_op *op;    /* the list made last */
	uint32_t n_op;
	float *size;         /* [n_op] relative to the largest; for the caller */
	uint32_t *arrival;   /* by PE: the operation that brought what it has; FLOW_NONE: it has nothing */
	uint32_t *n_part;    /* by block, room for placement_list_maps */
	struct arena memory; /* that all of these lie in */
};

/*
 * Work out the places of a machine that has passed machine_check. The owner is the caller: placement_free. false: no
 * memory, nothing to free then. Followed by placement_plan_turns, which may be called again when the spec has changed.
 */
bool placement_open(const struct machine *machine, const struct placement_spec *spec, struct placement *placement);
void placement_free(struct placement *placement);
void placement_plan_turns(struct placement *placement);

static inline uint32_t placement_pe(const struct placement *placement, uint32_t qpe, uint32_t z)
{
	return qpe * placement->n_pe + z;
}

/* ---- lists of transfers; each replaces the one before ---- */

/* Ifmap parts: n_part[n_block] of each block, in its first slots. An operation's part is block * n_slot + slot. */
void placement_list_maps(struct placement *placement, const uint32_t *n_part);

/*
 * n_filter filter parts, at most as many as PEs compute, in sets of a QPE full each that recur after n_dealt cells of
 * the ring. Of each share's parts n_half halves come from storage QPEs (2: all), the others from DRAM. An operation's
 * part is 0..n_filter - 1.
 */
void placement_list_filters(struct placement *placement, uint32_t n_filter, uint32_t n_dealt, uint32_t n_half);

/*
 * Of a QPE with n filter parts, fewer than its PEs: the PE that PE z >= n has its copy from, and which part a PE has.
 */
uint32_t placement_filter_giver(uint32_t n, uint32_t z);
uint32_t placement_filter_held(uint32_t n, uint32_t z);

/* The filter parts of a load lie in QPEs in sets as even as can be: how many lie with the first one of a set. */
uint32_t placement_filter_together(uint32_t n_filter, uint32_t n_pe, uint32_t first);

/* Where every task has an ifmap part of its own: the PE of a block's slot. */
static inline uint32_t placement_own_pe(const struct place *place, uint32_t n_pe, uint32_t block, uint32_t slot)
{
	return place_qpe(place, block, slot / n_pe) * n_pe + slot % n_pe;
}

/* Then filters of the first of n_user slots, from where the others have them: the one that slot i < n_user has its
 * copy from. */
uint32_t placement_own_before(uint32_t i);

#endif
