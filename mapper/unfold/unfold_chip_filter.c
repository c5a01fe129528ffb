/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_chip.h"
#include "sim/base/checked.h"

/* Filter parts: mapper/placement says who has them from where when they are loaded, and where they migrate. */

static uint32_t filter_byte(const struct chip *chip, uint32_t filter)
{
	uint32_t c = chip->is_source ? 0 : filter;
	return unfold_part(chip->base, 0, 0, c, 0).filter_byte;
}

void chip_load_filters(struct chip *chip, uint32_t first, uint32_t n)
{
	struct placement *placement = &chip->placement;
	uint32_t n_dealt = (uint32_t)distribute_chip_n_dealt(&chip->base->context->hierarchy, ceil_div(n, chip->n_pe));
	chip_add_step(chip, PHASE_WEIGHT);
	for (uint32_t pe = 0; pe < placement->place.mesh.n_qpe * chip->n_pe; pe++)
		chip->filter[pe] = CHIP_NONE;
	placement_list_filters(placement, n, n_dealt, chip->base->design->weight_ahead);
	for (uint32_t i = 0; i < placement->n_op; i++) {
		const struct flow_op *op = &placement->op[i];
		uint32_t filter = first + op->part;
		chip->filter[op->to] = filter;
		chip_add_flow(chip, op, i, OP_OF_FILTER, filter, filter_byte(chip, filter));
	}
}

/* ---- migration ---- */

/*
 * The barrier before a migration: every PE is told, and answers, that its spare
 * buffer is about to be written (thesis section 4.4.1; the published migrations
 * are longer than their copies by just such a round of messages).
 */
static void add_barrier(struct chip *chip)
{
	const struct place *place = &chip->placement.place;
	chip_add_step(chip, PHASE_MIGRATION);
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++)
		for (uint32_t z = 0; z < chip->n_pe; z++) {
			uint32_t pe = chip_pe(chip, place->qpe[i], z);
			struct op sync = {.kind = OP_SYNC, .pe = pe, .peer = pe, .part = CHIP_NONE};
			(void)unfold_add_op(chip->base, sync, SCHEDULE_NONE, SCHEDULE_NONE);
		}
}

/* The QPEs at every n-th place of a cell, from the first-th, send. */
static void send_filters(struct chip *chip, const uint32_t *to, uint32_t first, uint32_t n)
{
	const struct place *place = &chip->placement.place;
	add_barrier(chip);
	chip_add_step(chip, PHASE_MIGRATION);
	for (uint32_t i = 0; i < place->n_cell; i++)
		for (uint32_t r = first; r < place->n_cell_qpe; r += n)
			for (uint32_t z = 0; z < chip->n_pe; z++) {
				uint32_t qpe = place_cell_qpe(place, i, r), from = chip_pe(chip, qpe, z);
				uint32_t next = chip_pe(chip, to[qpe], z), filter = chip->filter[from];
				chip->moved[next] = filter;
				if (filter != CHIP_NONE && next != from)
					chip_add_transfer(chip, OP_COPY, OP_OF_FILTER, from, next, filter,
					                  filter_byte(chip, filter), SCHEDULE_NONE);
			}
}

void chip_migrate(struct chip *chip, const uint32_t *to, uint32_t n_step)
{
	uint32_t n_all = chip->placement.place.mesh.n_qpe * chip->n_pe;
	assert(n_step > 0 && n_step <= chip->placement.place.n_cell_qpe);
	for (uint32_t pe = 0; pe < n_all; pe++)
		chip->moved[pe] = chip->filter[pe];
	for (uint32_t i = 0; i < n_step; i++)
		send_filters(chip, to, i, n_step);
	for (uint32_t pe = 0; pe < n_all; pe++)
		chip->filter[pe] = chip->moved[pe];
}
