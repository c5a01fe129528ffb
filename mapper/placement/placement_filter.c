/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/placement/placement_parts.h"
#include "sim/base/checked.h"
#include <assert.h>

/*
 * Filter parts: every computing QPE gets a set of them, one a PE. With fewer sets
 * than QPEs, sets start at some QPEs, the starts, and are passed on from cell to
 * cell of the ring until every QPE has one, so that the cells hold, in ring order
 * of the thesis' mesh,
 *
 *   n starts   cells           what a start does
 *   32         ABCDEFGH
 *   16         AABBCCDD        one copy, one cell on
 *   8          ABABABAB        three copies, two cells on each
 *   4          AAAAAAAA        seven copies, one cell on each, half of the sets the other way round
 *
 * Two neighbouring cells are a block's: up to 8 sets it has all of them.
 */

struct spread {
	uint32_t n_start;
	uint32_t n_hop; /* copies of each */
};

/* Sets of even size, dealt over the starts. */
struct sets {
	uint32_t n_filter, n_set;
	struct spread spread;
};

static struct spread spread_of(const struct place *place, uint32_t n_dealt)
{
	return (struct spread){n_dealt * place->n_cell_qpe, place->n_cell / n_dealt - 1};
}

/* Thesis mesh, few sets: appendix E's starts. */
static uint32_t thesis_start(const struct placement *placement, const struct spread *spread, uint32_t i)
{
	static const uint8_t list[4][2] = {{1, 1}, {0, 0}, {0, 1}, {1, 0}};
	static const uint8_t corner[4][2] = {{0, 0}, {5, 1}, {0, 5}, {5, 4}};
	const struct place *place = &placement->place;
	uint32_t n_each = spread->n_start / place->n_block, block = i / n_each;
	if (n_each == 1)
		return mesh_qpe_at(&place->mesh, corner[i][0], corner[i][1]);
	uint32_t x = list[i % n_each][0], y = list[i % n_each][1];
	uint32_t qpe = place_turned(&placement->place, block, x, y);
	if (n_each == 4 || placement->spec.is_source || block < 2)
		return qpe;
	/*
	 * Two sets a block: four would do with one of these in every second cell, but those of blocks 2 and 3 would
	 * come to where those of 0 and 1 are. So they start in the other cells, the inner ones.
	 */
	return block == 2 ? mesh_qpe_at(&place->mesh, mesh_x(&place->mesh, qpe) + 2, mesh_y(&place->mesh, qpe))
	                  : mesh_qpe_at(&place->mesh, mesh_x(&place->mesh, qpe), mesh_y(&place->mesh, qpe) - 2);
}

/* The QPE of the i-th start. */
static uint32_t start_qpe(const struct placement *placement, const struct spread *spread, uint32_t i)
{
	const struct place *place = &placement->place;
	assert(i < spread->n_start);
	if (place->is_thesis && spread->n_hop == 0)
		return place->qpe[i];
	if (place->is_thesis)
		return thesis_start(placement, spread, i);
	return place_cell_qpe(place, i / place->n_cell_qpe * (spread->n_hop + 1), i % place->n_cell_qpe);
}

/*
 * Cells from one QPE of a set to the next; in the ring's other direction all but
 * one. Which two of the 16 filters' four starts go which way was chosen by four
 * measured layers; two more, not looked at then, come out within 0.1 %.
 */
static uint32_t hop_cells(const struct placement *placement, const struct spread *spread, uint32_t i)
{
	const struct place *place = &placement->place;
	if (!place->is_thesis)
		return 1;
	if (spread->n_hop == 3 && !placement->spec.is_source)
		return 2;
	return spread->n_hop == 7 && (i == 1 || i == 2) ? place->n_cell - 1 : 1;
}

static uint32_t n_hop_of(const struct placement *placement, const struct spread *spread)
{
	/* the thesis simulator passes 8 sets on to 8 QPEs each, though there are only 4 for each: the last that comes
	 * stays */
	return spread->n_hop == 3 && placement->place.is_thesis && placement->spec.is_source ? 7 : spread->n_hop;
}

/*
 * Cells with the same filters have them turned against each other by so many
 * rotations, so that QPEs with the same ifmap parts see others in each: fewer
 * rotations are left, often none. On the thesis' mesh blocks are turned against
 * each other as they are, so that only the two halves of a block need it, and the
 * opposite blocks that share a row.
 */
static uint32_t n_turn_of(const struct placement *placement, const struct sets *sets, uint32_t cell)
{
	const struct place *place = &placement->place;
	uint32_t n_share = placement->spec.n_share, n_group = place->n_block / n_share;
	uint32_t n_alike = sets->spread.n_hop + 1, half = cell % 2, n_set = sets->n_set;
	if (placement->spec.is_source || placement->spec.n_set == 1)
		return 0;
	if (!place->is_thesis)
		return n_alike < n_group ? 0 : cell % n_alike / n_group * placement->spec.n_set / (n_alike / n_group);
	if (n_alike < place->n_cell || placement->spec.n_set > place->n_cell_qpe)
		return 0;
	if (placement->spec.n_set == 2)
		return half;
	/* in the ring a block's inner cell comes before its corner cell */
	uint32_t member = (cell + 1) / 2 % place->n_block / n_group;
	return half * (n_set > 1 ? (n_set + 1) / 2 : 0) + (n_share == 2 && n_set > 2 ? member : 0);
}

/* Where the i-th start's set is after so many hops, one round at most. */
static uint32_t stop_qpe(const struct placement *placement, const struct sets *sets, uint32_t i, uint32_t hop)
{
	const struct place *place = &placement->place;
	uint32_t qpe = start_qpe(placement, &sets->spread, i);
	for (uint32_t n = hop_cells(placement, &sets->spread, i) * hop % place->n_cell; n > 0; n--)
		qpe = placement->ring[qpe];
	for (uint32_t n = n_turn_of(placement, sets, placement->cell_of[qpe]); n > 0; n--)
		qpe = placement->turn[qpe];
	return qpe;
}

/* ---- transfers ---- */

static uint32_t set_of_start(const struct sets *sets, uint32_t i)
{
	return i * sets->n_set / sets->spread.n_start;
}

static bool loads(const struct sets *sets, uint32_t i)
{
	return i == 0 || set_of_start(sets, i) != set_of_start(sets, i - 1);
}

/* The k-th filter part, of so many shares of all: from its DRAM interface, or from the storage QPE of its block. */
static void load(struct placement *placement, const struct sets *sets, uint32_t k, uint32_t share, uint32_t n_share,
                 bool from_storage)
{
	const struct place *place = &placement->place;
	uint32_t set = ((k + 1) * sets->n_set - 1) / sets->n_filter, before = set * sets->n_filter / sets->n_set;
	uint32_t start = (uint32_t)ceil_div(set * sets->spread.n_start, sets->n_set), n_pe = placement->n_pe;
	assert(k >= before && k - before < n_pe && set_of_start(sets, start) == set && loads(sets, start));
	uint32_t pe = placement_pe(placement, stop_qpe(placement, sets, start, 0), k - before);
	uint32_t block = share % place->n_block, dram = n_share > place->n_block ? share : place->dram[share];
	uint32_t from = from_storage ? placement_pe(placement, place->storage_qpe[block], k % n_pe) : FLOW_DRAM + dram;
	placement_add(placement, from, pe, FLOW_NONE, k);
}

/* Filter parts dealt in order over blocks, or interfaces if there are more of these; each in turn loads one. Of half
 * the filters fetched ahead each share has the first half. */
static void load_all(struct placement *placement, const struct sets *sets, uint32_t n_half)
{
	const struct place *place = &placement->place;
	uint32_t n_dram = place->mesh.n_dram, n = sets->n_filter;
	uint32_t n_share = n_dram > place->n_block ? n_dram : place->n_block, n_most = (uint32_t)ceil_div(n, n_share);
	uint32_t n_ahead = n_half == 2 ? n : n_half == 1 ? n / n_share / 2 : 0;
	for (uint32_t i = 0; i < n_most; i++)
		for (uint32_t share = 0; share < n_share; share++) {
			uint32_t k = (uint32_t)ceil_div(share * n, n_share) + i;
			if (k < ceil_div((share + 1) * n, n_share))
				load(placement, sets, k, share, n_share, i < n_ahead);
		}
}

/* All that a QPE has to another. */
static void pass_all(struct placement *placement, uint32_t from, uint32_t to)
{
	for (uint32_t z = 0; z < placement->n_pe; z++)
		placement_pass(placement, placement_pe(placement, from, z), placement_pe(placement, to, z));
}

/* A set is loaded into one of its starts; the others have it from there, doubling those that have it. */
static void fill_starts(struct placement *placement, const struct sets *sets)
{
	for (uint32_t i = 0, first = 0; i < sets->spread.n_start; i++) {
		if (loads(sets, i))
			first = i;
		else
			pass_all(placement, stop_qpe(placement, sets, first + (i - first - 1) / 2, 0),
			         stop_qpe(placement, sets, i, 0));
	}
}

uint32_t placement_filter_giver(uint32_t n, uint32_t z)
{
	assert(n > 0 && z >= n);
	uint32_t n_all = n;
	while (z >= 2 * n_all)
		n_all *= 2;
	return z - n_all;
}

uint32_t placement_filter_held(uint32_t n, uint32_t z)
{
	while (z >= n)
		z = placement_filter_giver(n, z);
	return z;
}

uint32_t placement_filter_together(uint32_t n_filter, uint32_t n_pe, uint32_t first)
{
	uint64_t n_set = ceil_div(n_filter, n_pe), set = ((first + 1) * n_set - 1) / n_filter;
	assert(first == set * n_filter / n_set);
	return (uint32_t)((set + 1) * n_filter / n_set) - first;
}

/* PEs without a filter take one from the QPE's others, doubling those that have one. */
static void fill_qpe(struct placement *placement, uint32_t qpe)
{
	uint32_t n = 0;
	while (n < placement->n_pe && placement->arrival[placement_pe(placement, qpe, n)] != FLOW_NONE)
		n++;
	if (n == 0)
		return;
	for (uint32_t z = n; z < placement->n_pe; z++)
		placement_pass(placement, placement_pe(placement, qpe, placement_filter_giver(n, z)),
		               placement_pe(placement, qpe, z));
}

void placement_list_filters(struct placement *placement, uint32_t n_filter, uint32_t n_dealt, uint32_t n_half)
{
	const struct place *place = &placement->place;
	struct sets sets = {n_filter, (uint32_t)ceil_div(n_filter, placement->n_pe), spread_of(place, n_dealt)};
	assert(n_filter > 0 && sets.n_set <= sets.spread.n_start);
	placement_clear(placement);
	load_all(placement, &sets, n_half);
	fill_starts(placement, &sets);
	for (uint32_t hop = 0; hop < n_hop_of(placement, &sets.spread); hop++)
		for (uint32_t i = 0; i < sets.spread.n_start; i++)
			pass_all(placement, stop_qpe(placement, &sets, i, hop), stop_qpe(placement, &sets, i, hop + 1));
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++)
		fill_qpe(placement, place->qpe[i]);
}
