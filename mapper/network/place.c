/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/place.h"
#include "sim/base/checked.h"
#include "sim/program/program.h"
#include "sim/machine/hierarchy.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define THESIS_SIDE 6
#define THESIS_N_BLOCK 4

void place_free(struct place *place)
{
	arena_free(&place->memory);
	*place = (struct place){0};
}

uint32_t place_turned(const struct place *place, uint32_t block, uint32_t x, uint32_t y)
{
	const uint32_t last = THESIS_SIDE - 1;
	assert(place->is_thesis && block < THESIS_N_BLOCK && x <= last && y <= last);
	switch (block) {
	case 1:
		return mesh_qpe_at(&place->mesh, last - y, x);
	case 2:
		return mesh_qpe_at(&place->mesh, y, last - x);
	case 3:
		return mesh_qpe_at(&place->mesh, last - x, last - y);
	default:
		return mesh_qpe_at(&place->mesh, x, y);
	}
}

/*
 * Thesis figure 4.16: block 0 is the two left columns of the upper four rows,
 * storage QPE (2,3); the others are the same, turned. QPEs two by two from the
 * storage QPE to the corner; cells clockwise round the edge, their QPEs in the
 * order in which filters rotate: (x0,y1) (x0,y0) (x1,y0) (x1,y1).
 */
static void place_thesis(struct place *place)
{
	static const uint32_t ring[THESIS_N_BLOCK] = {0, 1, 3, 2};
	static const uint32_t cell_x[] = {0, 2, 4, 4, 4, 2, 0, 0}, cell_y[] = {0, 0, 0, 2, 4, 4, 4, 2};
	for (uint32_t b = 0; b < place->n_block; b++) {
		place->storage_qpe[b] = place_turned(place, b, 2, 3);
		place->ring[b] = ring[b];
		for (uint32_t i = 0; i < place->n_qpe; i++)
			place->qpe[b * place->n_qpe + i] = place_turned(place, b, 1 - i % 2, 3 - i / 2);
	}
	for (uint32_t i = 0; i < place->n_cell; i++) {
		uint32_t *cell = &place->cell[i * place->n_cell_qpe], x = cell_x[i], y = cell_y[i];
		cell[0] = mesh_qpe_at(&place->mesh, x, y + 1);
		cell[1] = mesh_qpe_at(&place->mesh, x, y);
		cell[2] = mesh_qpe_at(&place->mesh, x + 1, y);
		cell[3] = mesh_qpe_at(&place->mesh, x + 1, y + 1);
	}
}

static uint32_t distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Of the QPEs not taken the one nearest to a point, given in half QPEs; the first of equally near ones. */
static uint32_t nearest(const struct mesh *mesh, const bool *taken, uint32_t x2, uint32_t y2)
{
	uint32_t best = PLACE_NONE, best_distance = 0;
	for (uint32_t q = 0; q < mesh->w * mesh->h; q++) {
		uint32_t d = distance(2 * mesh_x(mesh, q), x2) + distance(2 * mesh_y(mesh, q), y2);
		if (!taken[q] && (best == PLACE_NONE || d < best_distance)) {
			best = q;
			best_distance = d;
		}
	}
	return best;
}

/* Any other mesh; without storage QPEs the block is centred on the first QPE, where interface 0 is. */
static bool place_nearest(struct place *place, bool has_storage)
{
	const struct mesh *mesh = &place->mesh;
	bool *taken = calloc((size_t)mesh->w * mesh->h, sizeof(*taken));
	if (!taken)
		return false;
	for (uint32_t b = 0; b < place->n_block; b++) {
		place->ring[b] = b;
		place->storage_qpe[b] = has_storage ? nearest(mesh, taken, mesh->w - 1, mesh->h - 1) : PLACE_NONE;
		if (has_storage)
			taken[place->storage_qpe[b]] = true;
	}
	for (uint32_t i = 0; i < place->n_qpe; i++)
		for (uint32_t b = 0; b < place->n_block; b++) {
			uint32_t centre = has_storage ? place->storage_qpe[b] : 0;
			uint32_t q = nearest(mesh, taken, 2 * mesh_x(mesh, centre), 2 * mesh_y(mesh, centre));
			assert(q != PLACE_NONE);
			taken[q] = true;
			place->qpe[b * place->n_qpe + i] = place->cell[b * place->n_qpe + i] = q;
		}
	free(taken);
	return true;
}

/* An interface for every block: the nearest to the QPE furthest out that has not its share of blocks yet. */
static void place_dram(struct place *place)
{
	const struct mesh *mesh = &place->mesh;
	uint32_t most = (uint32_t)ceil_div(place->n_block, mesh->n_dram);
	for (uint32_t b = 0; b < place->n_block; b++) {
		uint32_t out = place_qpe(place, b, place->n_qpe - 1), best = PLACE_NONE, best_hop = 0;
		for (uint32_t d = 0; d < mesh->n_dram; d++) {
			uint32_t n_served = 0, n_hop = mesh_n_hop(mesh, mesh_dram_port(mesh, d, out), out);
			for (uint32_t i = 0; i < b; i++)
				n_served += place->dram[i] == d;
			if (n_served < most && (best == PLACE_NONE || n_hop < best_hop)) {
				best = d;
				best_hop = n_hop;
			}
		}
		assert(best != PLACE_NONE);
		place->dram[b] = best;
	}
}

bool place_build(const struct machine *machine, struct place *place)
{
	struct hierarchy hierarchy;
	hierarchy_derive(machine, &hierarchy);
	bool has_storage = machine->target == MACHINE_CHIP && machine->chip.n_storage_qpe > 0;
	*place = (struct place){.n_block = hierarchy.n_block, .n_qpe = hierarchy.qpe_per_block};
	mesh_derive(machine, &place->mesh);
	place->n_cell = hierarchy.n_cell;
	place->n_cell_qpe = hierarchy.qpe_per_cell;
	place->is_thesis = place->n_cell > place->n_block;
	assert(!place->is_thesis || (place->mesh.w == THESIS_SIDE && place->n_block == THESIS_N_BLOCK));

	size_t n_list = (size_t)place->n_block * place->n_qpe;
	assert(n_list > 0 && (size_t)place->n_cell * place->n_cell_qpe == n_list);
	place->storage_qpe = arena_array(&place->memory, place->n_block, sizeof(*place->storage_qpe));
	place->dram = arena_array(&place->memory, place->n_block, sizeof(*place->dram));
	place->ring = arena_array(&place->memory, place->n_block, sizeof(*place->ring));
	place->qpe = arena_array(&place->memory, n_list, sizeof(*place->qpe));
	place->cell = arena_array(&place->memory, n_list, sizeof(*place->cell));
	if (place->memory.is_out || (!place->is_thesis && !place_nearest(place, has_storage))) {
		place_free(place);
		return false;
	}
	if (place->is_thesis)
		place_thesis(place);
	place_dram(place);
	return true;
}
