/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_chip.h"
#include "sim/base/checked.h"

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

/* Rows of ifmap parts that a block has: first to end - 1. */
struct chip_rows {
	uint32_t first, end;
};

static struct chip_rows rows_of(const struct chip *chip, uint32_t block)
{
	const struct place *place = &chip->place;
	uint32_t n_row = chip->base->tiling->n_h, n_group = place->n_block / (uint32_t)chip->assignment.n_share;
	uint32_t n_each = (uint32_t)ceil_div(n_row, n_group), group = block;
	assert(block < place->n_block && place->n_block % chip->assignment.n_share == 0);
	if (chip->assignment.n_share > 1 && chip->is_source) {
		group = block % n_group; /* with two rows not as the thesis' text says: blocks 0, 2 and 1, 3 */
	} else if (chip->assignment.n_share > 1) {
		/* Opposite in the ring: with the least migration they see all filters between them. */
		group = place_ring_of(place, block) % n_group;
	}
	uint32_t first = group * n_each;
	if (first > n_row)
		first = n_row;
	return (struct chip_rows){first, first + n_each < n_row ? first + n_each : n_row};
}

/* ---- seats ---- */

/*
 * Appendix D: 3 or 4 sets from storage go to the storage QPE's quadrant, each
 * with a copy two QPEs further out; 5 to 8 fill the quadrant. Block 0's, which
 * the others' are turned from.
 */
static uint32_t quadrant_seat(const struct chip *chip, uint32_t block, uint32_t k)
{
	static const uint8_t four[8][2] = {{2, 5}, {2, 4}, {0, 3}, {1, 3}, {0, 5}, {0, 4}, {0, 1}, {1, 1}};
	static const uint8_t eight[8][2] = {{0, 5}, {1, 5}, {0, 4}, {1, 4}, {2, 5}, {2, 4}, {0, 3}, {1, 3}};
	bool turned_a_quarter = block == 1 || block == 2;
	if (chip->n_set == 4)
		return place_turned(&chip->place, block, four[k][0], four[k][1]);
	if (turned_a_quarter && (k == 1 || k == 2))
		k = 3 - k;
	return place_turned(&chip->place, block, eight[k][0], eight[k][1]);
}

uint32_t chip_seat(const struct chip *chip, uint32_t block, uint32_t k)
{
	const struct place *place = &chip->place;
	bool in_storage = chip->base->design->in_storage;
	assert(k < place->n_qpe);
	if (place->is_thesis && chip->n_set >= 4 && in_storage)
		return quadrant_seat(chip, block, k);
	if (place->is_thesis && chip->n_set == 8)
		return place_qpe(place, block, k);
	if (place->is_thesis && chip->n_set == 4) {
		/* the corner cell, then the inner one; block 2's list has two places swapped */
		uint32_t i = block == 2 && (k % 4 == 1 || k % 4 == 2) ? k - k % 4 + 3 - k % 4 : k;
		return place_qpe(place, block, (i + 4) % place->n_qpe);
	}
	uint32_t i = in_storage ? k : place->n_qpe - 1 - k;
	/* two sets from storage: the first on the outer of the two nearest QPEs */
	if (place->is_thesis && chip->n_set == 2 && in_storage)
		i ^= 1;
	return place_qpe(place, block, i);
}

/* Seats that have parts: with a number of sets that does not divide them some are left over. */
static uint32_t n_seat(const struct chip *chip)
{
	return chip->place.n_qpe / chip->n_set * chip->n_set;
}

/* The seat from which a seat's parts come; CHIP_NONE: from outside the block. */
static uint32_t seat_before(const struct chip *chip, uint32_t k)
{
	if (k < chip->n_set)
		return CHIP_NONE;
	return chip->n_set > 1 ? k - chip->n_set : k < 3 ? 0 : k - 2;
}

/* ---- parts of a block in a wave ---- */

struct wave {
	uint32_t first, n; /* of the block's own, counted from its first row's first */
};

static struct wave wave_of(const struct chip *chip, uint32_t block, uint32_t wave)
{
	struct chip_rows rows = rows_of(chip, block);
	uint32_t n_all = (rows.end - rows.first) * chip->base->tiling->n_w;
	uint32_t n_resident = (uint32_t)chip->assignment.n_resident, first = wave * n_resident;
	uint32_t n_left = n_all > first ? n_all - first : 0;
	return (struct wave){rows.first * chip->base->tiling->n_w + first, n_left < n_resident ? n_left : n_resident};
}

/*
 * The part in a slot; CHIP_NONE. Where the thesis simulator's first block has a
 * part in a QPE, a block with fewer of them has one of its own again.
 */
static uint32_t slot_part(const struct chip *chip, const struct wave *wave, uint32_t slot)
{
	if (wave->n > 0 && chip->is_source && chip->n_set == 1 && slot < chip->assignment.n_resident)
		slot %= wave->n;
	return slot < wave->n ? wave->first + slot : CHIP_NONE;
}

/* What transfers of an ifmap part call it. */
static uint32_t number_of(const struct chip *chip, uint32_t part)
{
	return part * chip->base->tiling->n_channel_part + chip->pass;
}

static uint32_t map_byte(const struct chip *chip, uint32_t part)
{
	uint32_t n_w = chip->base->tiling->n_w, n = chip->is_source ? 0 : part;
	return unfold_part(chip->base, n % n_w, n / n_w, 0, 0).map_byte;
}

/* ---- operations ---- */

/* Slot s into the block. */
static void enter(struct chip *chip, uint32_t block, const struct wave *wave, uint32_t slot)
{
	const struct place *place = &chip->place;
	uint32_t part = slot_part(chip, wave, slot);
	if (part == CHIP_NONE)
		return;
	uint32_t pe = chip_pe(chip, chip_seat(chip, block, slot / chip->n_pe), slot % chip->n_pe);
	uint32_t byte = map_byte(chip, part);
	chip->map[pe] = part;
	if (chip->base->design->in_storage)
		chip->arrival[pe] = chip_add_transfer(chip, OP_COPY, OP_OF_IFMAP,
		                                      chip_pe(chip, place->storage_qpe[block], slot % chip->n_pe), pe,
		                                      number_of(chip, part), byte, SCHEDULE_NONE);
	else
		chip->arrival[pe] = chip_add_transfer(chip, OP_LOAD, OP_OF_IFMAP, pe, place->dram[block],
		                                      number_of(chip, part), byte, SCHEDULE_NONE);
}

static void pass_on(struct chip *chip, uint32_t from, uint32_t to)
{
	if (chip->map[from] == CHIP_NONE)
		return;
	assert(chip->map[to] == CHIP_NONE);
	chip->map[to] = chip->map[from];
	chip->arrival[to] = chip_add_transfer(chip, OP_COPY, OP_OF_IFMAP, from, to, number_of(chip, chip->map[from]),
	                                      map_byte(chip, chip->map[from]), chip->arrival[from]);
}

/* From seat k: one part alone to its neighbour PE first, then on to the next seats, then to the PEs of the QPE. */
static void leave_seat(struct chip *chip, uint32_t block, uint32_t k)
{
	uint32_t n_slot = chip->n_set > 1 ? chip->n_pe : chip->n_slot, qpe = chip_seat(chip, block, k);
	/* part 0 alone travels in two PEs, if there are two */
	uint32_t n_travel = n_slot == 1 && chip->n_pe > 1 ? 2 : n_slot, n_filled = chip->n_pe / n_slot * n_slot;
	assert(n_travel <= chip->n_pe && n_filled >= n_slot);
	for (uint32_t z = 0; z < n_travel; z++) {
		if (k == 0 && z == 0 && n_travel > n_slot)
			pass_on(chip, chip_pe(chip, qpe, 0), chip_pe(chip, qpe, 1));
		for (uint32_t next = k + 1; next < n_seat(chip); next++)
			if (seat_before(chip, next) == k)
				pass_on(chip, chip_pe(chip, qpe, z), chip_pe(chip, chip_seat(chip, block, next), z));
		for (uint32_t to = z + n_travel; to < n_filled; to += n_travel)
			pass_on(chip, chip_pe(chip, qpe, to - n_travel), chip_pe(chip, qpe, to));
	}
}

void chip_load_maps(struct chip *chip, uint32_t wave_number)
{
	const struct place *place = &chip->place;
	chip_add_step(chip, PHASE_INPUT);
	for (uint32_t pe = 0; pe < place->mesh.n_qpe * chip->n_pe; pe++)
		chip->map[pe] = CHIP_NONE;
	for (uint32_t slot = 0; slot < chip->n_slot; slot++)
		for (uint32_t b = 0; b < place->n_block; b++) {
			struct wave wave = wave_of(chip, b, wave_number);
			enter(chip, b, &wave, slot);
		}
	for (uint32_t k = 0; k < n_seat(chip); k++)
		for (uint32_t b = 0; b < place->n_block; b++)
			leave_seat(chip, b, k);
}
