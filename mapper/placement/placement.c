/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a placement, and where filters go from QPE to QPE. */
#include "mapper/placement/placement_parts.h"
#include <assert.h>

bool placement_open(const struct machine *machine, const struct placement_spec *spec, struct placement *placement)
{
	*placement = (struct placement){.spec = *spec, .n_pe = machine->qpe_n_pe};
	if (!place_build(machine, &placement->place))
		return false;
	const struct place *place = &placement->place;
	size_t n_qpe = place->mesh.n_qpe;
	/* the thesis' rule for 8 sets of filters brings each PE two parts */
	size_t n_op = (2 * (size_t)place->n_block * place->n_qpe + 1) * placement->n_pe;
	placement->ring = arena_array(&placement->memory, n_qpe, sizeof(uint32_t));
	placement->turn = arena_array(&placement->memory, n_qpe, sizeof(uint32_t));
	placement->orbit = arena_array(&placement->memory, n_qpe, sizeof(uint32_t));
	placement->cell_of = arena_array(&placement->memory, n_qpe, sizeof(uint32_t));
	placement->arrival = arena_array(&placement->memory, n_qpe * placement->n_pe, sizeof(uint32_t));
	placement->n_part = arena_array(&placement->memory, place->n_block, sizeof(uint32_t));
	placement->size = arena_array(&placement->memory, n_op, sizeof(float));
	placement->op = arena_array(&placement->memory, n_op, sizeof(struct flow_op));
	bool is_good = !placement->memory.is_out;
	if (!is_good)
		placement_free(placement);
	return is_good;
}

void placement_free(struct placement *placement)
{
	arena_free(&placement->memory);
	place_free(&placement->place);
	*placement = (struct placement){0};
}

void placement_clear(struct placement *placement)
{
	placement->n_op = 0;
	for (uint32_t pe = 0; pe < placement->place.mesh.n_qpe * placement->n_pe; pe++)
		placement->arrival[pe] = FLOW_NONE;
}

void placement_add(struct placement *placement, uint32_t from, uint32_t to, uint32_t before, uint32_t part)
{
	placement->op[placement->n_op] = (struct flow_op){from, to, before, part};
	if (!(to & FLOW_DRAM))
		placement->arrival[to] = placement->n_op;
	placement->n_op++;
}

void placement_pass(struct placement *placement, uint32_t from, uint32_t to)
{
	uint32_t before = placement->arrival[from];
	if (before != FLOW_NONE)
		placement_add(placement, from, to, before, placement->op[before].part);
}

uint32_t placement_own_before(uint32_t i)
{
	uint32_t n_has = 1;
	assert(i > 0);
	while (2 * n_has <= i)
		n_has *= 2;
	return i - n_has;
}

/* ---- rotations and the ring ---- */

/* A ring of n seats of a block from the k-th; or of two, an exchange. */
static void turn_seats(struct placement *placement, uint32_t block, uint32_t k, uint32_t n)
{
	assert(k + n <= placement->place.n_qpe);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t qpe = placement_seat(placement, block, k + i);
		placement->turn[qpe] = placement_seat(placement, block, k + (i + 1) % n);
		placement->orbit[qpe] = placement_seat(placement, block, k);
	}
}

/*
 * Inside a block filters rotate between QPEs that together have all its sets of
 * ifmap parts: in a cell of the thesis' mesh its four QPEs, and with two sets its
 * pairs, if not as the thesis did. Elsewhere n_set neighbouring seats, or all of
 * a block's where n_set does not divide them.
 */
void placement_plan_turns(struct placement *placement)
{
	const struct place *place = &placement->place;
	uint32_t n_set = placement->spec.n_set;
	for (uint32_t q = 0; q < place->mesh.n_qpe; q++) {
		placement->ring[q] = placement->turn[q] = placement->orbit[q] = q;
		placement->cell_of[q] = PLACE_NONE;
	}
	for (uint32_t i = 0; i < place->n_cell; i++)
		for (uint32_t r = 0; r < place->n_cell_qpe; r++) {
			placement->ring[place_cell_qpe(place, i, r)] = place_cell_qpe(place, i + 1, r);
			placement->cell_of[place_cell_qpe(place, i, r)] = i;
		}
	bool in_cells = place->is_thesis && (n_set > 2 || (n_set == 2 && placement->spec.is_source));
	for (uint32_t i = 0; in_cells && i < place->n_cell; i++)
		for (uint32_t r = 0; r < place->n_cell_qpe; r++) {
			uint32_t qpe = place_cell_qpe(place, i, r);
			placement->turn[qpe] = place_cell_qpe(place, i, (r + 1) % place->n_cell_qpe);
			placement->orbit[qpe] = place_cell_qpe(place, i, 0);
		}
	if (in_cells || n_set == 1)
		return;
	uint32_t n_ring = place->n_qpe % n_set ? place->n_qpe : n_set;
	for (uint32_t b = 0; b < place->n_block; b++)
		for (uint32_t k = 0; k < place->n_qpe; k += n_ring)
			turn_seats(placement, b, k, n_ring);
}
