/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/placement/placement_parts.h"
#include <assert.h>

/*
 * Ifmap parts: each enters a block once, from its storage QPE or its DRAM
 * interface, and goes on from QPE to QPE. A block's QPEs are numbered as seats in
 * the order in which a part comes by:
 *
 *   up to a QPE full    0 -> 1 -> 3 -> 5 ...    all hold the same parts
 *                       0 -> 2 -> 4 -> 6 ...
 *   n_set QPEs full     k -> k + n_set -> k + 2 n_set ...
 *
 * Inside a QPE, what is in two PEs or one is copied on to the others.
 */

/* ---- seats ---- */

/*
 * Appendix D: 3 or 4 sets from storage go to the storage QPE's quadrant, each
 * with a copy two QPEs further out; 5 to 8 fill the quadrant. Block 0's, which
 * the others' are turned from.
 */
static uint32_t quadrant_seat(const struct placement *placement, uint32_t block, uint32_t k)
{
	static const uint8_t four[8][2] = {{2, 5}, {2, 4}, {0, 3}, {1, 3}, {0, 5}, {0, 4}, {0, 1}, {1, 1}};
	static const uint8_t eight[8][2] = {{0, 5}, {1, 5}, {0, 4}, {1, 4}, {2, 5}, {2, 4}, {0, 3}, {1, 3}};
	bool turned_a_quarter = block == 1 || block == 2;
	if (placement->spec.n_set == 4)
		return place_turned(&placement->place, block, four[k][0], four[k][1]);
	if (turned_a_quarter && (k == 1 || k == 2))
		k = 3 - k;
	return place_turned(&placement->place, block, eight[k][0], eight[k][1]);
}

uint32_t placement_seat(const struct placement *placement, uint32_t block, uint32_t k)
{
	const struct place *place = &placement->place;
	bool in_storage = placement->spec.in_storage;
	assert(k < place->n_qpe);
	if (place->is_thesis && placement->spec.n_set >= 4 && in_storage)
		return quadrant_seat(placement, block, k);
	if (place->is_thesis && placement->spec.n_set == 8)
		return place_qpe(place, block, k);
	if (place->is_thesis && placement->spec.n_set == 4) {
		/* the corner cell, then the inner one; block 2's list has two places swapped */
		uint32_t i = block == 2 && (k % 4 == 1 || k % 4 == 2) ? k - k % 4 + 3 - k % 4 : k;
		return place_qpe(place, block, (i + 4) % place->n_qpe);
	}
	uint32_t i = in_storage ? k : place->n_qpe - 1 - k;
	/* two sets from storage: the first on the outer of the two nearest QPEs */
	if (place->is_thesis && placement->spec.n_set == 2 && in_storage)
		i ^= 1;
	return place_qpe(place, block, i);
}

/* Seats that have parts: with a number of sets that does not divide them some are left over. */
static uint32_t n_seat(const struct placement *placement)
{
	return placement->place.n_qpe / placement->spec.n_set * placement->spec.n_set;
}

/* The seat from which a seat's parts come; PLACE_NONE: from outside the block. */
static uint32_t seat_before(const struct placement *placement, uint32_t k)
{
	if (k < placement->spec.n_set)
		return PLACE_NONE;
	return placement->spec.n_set > 1 ? k - placement->spec.n_set : k < 3 ? 0 : k - 2;
}

/* ---- transfers ---- */

/* Slot s into the block. */
static void enter(struct placement *placement, uint32_t block, uint32_t slot)
{
	const struct place *place = &placement->place;
	uint32_t n_pe = placement->n_pe, z = slot % n_pe, part = block * placement->spec.n_slot + slot;
	uint32_t pe = placement_pe(placement, placement_seat(placement, block, slot / n_pe), z);
	uint32_t from = placement->spec.in_storage ? placement_pe(placement, place->storage_qpe[block], z)
	                                           : FLOW_DRAM + place->dram[block];
	placement_add(placement, from, pe, FLOW_NONE, part);
}

/* From seat k: one part alone to its neighbour PE first, then on to the next seats, then to the PEs of the QPE. */
static void leave_seat(struct placement *placement, uint32_t block, uint32_t k)
{
	uint32_t n_pe = placement->n_pe, n_slot = placement->spec.n_set > 1 ? n_pe : placement->spec.n_slot;
	uint32_t qpe = placement_seat(placement, block, k);
	/* part 0 alone travels in two PEs, if there are two */
	uint32_t n_travel = n_slot == 1 && n_pe > 1 ? 2 : n_slot, n_filled = n_pe / n_slot * n_slot;
	assert(n_travel <= n_pe && n_filled >= n_slot);
	for (uint32_t z = 0; z < n_travel; z++) {
		if (k == 0 && z == 0 && n_travel > n_slot)
			placement_pass(placement, placement_pe(placement, qpe, 0), placement_pe(placement, qpe, 1));
		for (uint32_t next = k + 1; next < n_seat(placement); next++)
			if (seat_before(placement, next) == k)
				placement_pass(placement, placement_pe(placement, qpe, z),
				               placement_pe(placement, placement_seat(placement, block, next), z));
		for (uint32_t to = z + n_travel; to < n_filled; to += n_travel)
			placement_pass(placement, placement_pe(placement, qpe, to - n_travel),
			               placement_pe(placement, qpe, to));
	}
}

/*
 * Whether a slot of a block has a part. Where the thesis simulator's first block has a
 * part in a QPE, a block with fewer of them has one of its own again.
 */
static bool has_part(const struct placement *placement, uint32_t n_part, uint32_t slot)
{
	const struct placement_spec *spec = &placement->spec;
	bool recurs = n_part > 0 && spec->is_source && spec->n_set == 1 && slot < spec->n_resident;
	return recurs || slot < n_part;
}

void placement_list_maps(struct placement *placement, const uint32_t *n_part)
{
	const struct place *place = &placement->place;
	placement_clear(placement);
	for (uint32_t slot = 0; slot < placement->spec.n_slot; slot++)
		for (uint32_t b = 0; b < place->n_block; b++)
			if (has_part(placement, n_part[b], slot))
				enter(placement, b, slot);
	for (uint32_t k = 0; k < n_seat(placement); k++)
		for (uint32_t b = 0; b < place->n_block; b++)
			leave_seat(placement, b, k);
}
