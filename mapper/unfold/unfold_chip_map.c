/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_chip.h"
#include "sim/base/checked.h"

/* Ifmap parts: mapper/placement says which slot of a block goes where, here is which part lies in it. */

/* Rows of ifmap parts that a block has: first to end - 1. */
struct chip_rows {
	uint32_t first, end;
};

static struct chip_rows rows_of(const struct chip *chip, uint32_t block)
{
	const struct place *place = &chip->placement.place;
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

void chip_load_maps(struct chip *chip, uint32_t wave_number)
{
	struct placement *placement = &chip->placement;
	const struct place *place = &placement->place;
	uint32_t n_slot = placement->spec.n_slot;
	chip_add_step(chip, PHASE_INPUT);
	for (uint32_t pe = 0; pe < place->mesh.n_qpe * chip->n_pe; pe++)
		chip->map[pe] = CHIP_NONE;
	for (uint32_t b = 0; b < place->n_block; b++)
		placement->n_part[b] = wave_of(chip, b, wave_number).n;
	placement_list_maps(placement, placement->n_part);
	for (uint32_t i = 0; i < placement->n_op; i++) {
		const struct flow_op *op = &placement->op[i];
		struct wave wave = wave_of(chip, op->part / n_slot, wave_number);
		uint32_t part = slot_part(chip, &wave, op->part % n_slot);
		assert(part != CHIP_NONE && chip->map[op->to] == CHIP_NONE);
		chip->map[op->to] = part;
		chip_add_flow(chip, op, i, OP_OF_IFMAP, number_of(chip, part), map_byte(chip, part));
	}
}
