/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_chip.h"
#include "sim/base/checked.h"

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
	uint32_t first, n_filter, n_set;
	struct spread spread;
};

static struct spread spread_of(const struct chip *chip, uint32_t n_filter)
{
	const struct place *place = &chip->place;
	uint64_t n_set = ceil_div(n_filter, chip->n_pe);
	uint32_t n_cell = (uint32_t)distribute_chip_n_dealt(&chip->base->context->hierarchy, n_set);
	return (struct spread){n_cell * place->n_cell_qpe, place->n_cell / n_cell - 1};
}

/* Thesis mesh, few sets: appendix E's starts. */
static uint32_t thesis_start(const struct chip *chip, const struct spread *spread, uint32_t i)
{
	static const uint8_t list[4][2] = {{1, 1}, {0, 0}, {0, 1}, {1, 0}};
	static const uint8_t corner[4][2] = {{0, 0}, {5, 1}, {0, 5}, {5, 4}};
	const struct place *place = &chip->place;
	uint32_t n_each = spread->n_start / place->n_block, block = i / n_each;
	if (n_each == 1)
		return mesh_qpe_at(&place->mesh, corner[i][0], corner[i][1]);
	uint32_t x = list[i % n_each][0], y = list[i % n_each][1];
	uint32_t qpe = place_turned(&chip->place, block, x, y);
	if (n_each == 4 || chip->is_source || block < 2)
		return qpe;
	/*
	 * Two sets a block: four would do with one of these in every second cell, but those of blocks 2 and 3 would
	 * come to where those of 0 and 1 are. So they start in the other cells, the inner ones.
	 */
	return block == 2 ? mesh_qpe_at(&place->mesh, mesh_x(&place->mesh, qpe) + 2, mesh_y(&place->mesh, qpe))
	                  : mesh_qpe_at(&place->mesh, mesh_x(&place->mesh, qpe), mesh_y(&place->mesh, qpe) - 2);
}

/* The QPE of the i-th start. */
static uint32_t start_qpe(const struct chip *chip, const struct spread *spread, uint32_t i)
{
	const struct place *place = &chip->place;
	assert(i < spread->n_start);
	if (place->is_thesis && spread->n_hop == 0)
		return place->qpe[i];
	if (place->is_thesis)
		return thesis_start(chip, spread, i);
	return place_cell_qpe(place, i / place->n_cell_qpe * (spread->n_hop + 1), i % place->n_cell_qpe);
}

/*
 * Cells from one QPE of a set to the next; in the ring's other direction all but
 * one. Which two of the 16 filters' four starts go which way was chosen by four
 * measured layers; two more, not looked at then, come out within 0.1 %.
 */
static uint32_t hop_cells(const struct chip *chip, const struct spread *spread, uint32_t i)
{
	const struct place *place = &chip->place;
	if (!place->is_thesis)
		return 1;
	if (spread->n_hop == 3 && !chip->is_source)
		return 2;
	return spread->n_hop == 7 && (i == 1 || i == 2) ? place->n_cell - 1 : 1;
}

static uint32_t n_hop_of(const struct chip *chip, const struct spread *spread)
{
	/* the thesis simulator passes 8 sets on to 8 QPEs each, though there are only 4 for each: the last that comes
	 * stays */
	return spread->n_hop == 3 && chip->place.is_thesis && chip->is_source ? 7 : spread->n_hop;
}

/*
 * Cells with the same filters have them turned against each other by so many
 * rotations, so that QPEs with the same ifmap parts see others in each: fewer
 * rotations are left, often none. On the thesis' mesh blocks are turned against
 * each other as they are, so that only the two halves of a block need it, and the
 * opposite blocks that share a row.
 */
static uint32_t n_turn_of(const struct chip *chip, const struct sets *sets, uint32_t cell)
{
	const struct place *place = &chip->place;
	uint32_t n_share = (uint32_t)chip->assignment.n_share, n_group = place->n_block / n_share;
	uint32_t n_alike = sets->spread.n_hop + 1, half = cell % 2, n_set = sets->n_set;
	if (chip->is_source || chip->n_set == 1)
		return 0;
	if (!place->is_thesis)
		return n_alike < n_group ? 0 : cell % n_alike / n_group * chip->n_set / (n_alike / n_group);
	if (n_alike < place->n_cell || chip->n_set > place->n_cell_qpe)
		return 0;
	if (chip->n_set == 2)
		return half;
	/* in the ring a block's inner cell comes before its corner cell */
	uint32_t member = (cell + 1) / 2 % place->n_block / n_group;
	return half * (n_set > 1 ? (n_set + 1) / 2 : 0) + (n_share == 2 && n_set > 2 ? member : 0);
}

/* Where the i-th start's set is after so many hops, one round at most. */
static uint32_t stop_qpe(const struct chip *chip, const struct sets *sets, uint32_t i, uint32_t hop)
{
	const struct place *place = &chip->place;
	uint32_t qpe = start_qpe(chip, &sets->spread, i);
	for (uint32_t n = hop_cells(chip, &sets->spread, i) * hop % place->n_cell; n > 0; n--)
		qpe = chip->ring[qpe];
	for (uint32_t n = n_turn_of(chip, sets, chip->cell_of[qpe]); n > 0; n--)
		qpe = chip->turn[qpe];
	return qpe;
}

/* ---- operations ---- */

static uint32_t filter_byte(const struct chip *chip, uint32_t filter)
{
	uint32_t c = chip->is_source ? 0 : filter;
	return unfold_part(chip->base, 0, 0, c, 0).filter_byte;
}

static void copy(struct chip *chip, uint32_t from, uint32_t to)
{
	uint32_t filter = chip->filter[from];
	if (filter == CHIP_NONE)
		return;
	chip->filter[to] = filter;
	chip->arrival[to] = chip_add_transfer(chip, OP_COPY, OP_OF_FILTER, from, to, filter, filter_byte(chip, filter),
	                                      chip->arrival[from]);
}

static uint32_t set_of_start(const struct sets *sets, uint32_t i)
{
	return i * sets->n_set / sets->spread.n_start;
}

static bool loads(const struct sets *sets, uint32_t i)
{
	return i == 0 || set_of_start(sets, i) != set_of_start(sets, i - 1);
}

/* The k-th filter part, of so many shares of all: from its DRAM interface, or from the storage QPE of its block. */
static void load(struct chip *chip, const struct sets *sets, uint32_t k, uint32_t share, uint32_t n_share,
                 bool from_storage)
{
	const struct place *place = &chip->place;
	uint32_t set = ((k + 1) * sets->n_set - 1) / sets->n_filter, before = set * sets->n_filter / sets->n_set;
	uint32_t start = (uint32_t)ceil_div(set * sets->spread.n_start, sets->n_set), filter = sets->first + k;
	assert(k >= before && k - before < chip->n_pe && set_of_start(sets, start) == set && loads(sets, start));
	uint32_t pe = chip_pe(chip, stop_qpe(chip, sets, start, 0), k - before);
	chip->filter[pe] = filter;
	uint32_t byte = filter_byte(chip, filter), block = share % place->n_block;
	uint32_t dram = n_share > place->n_block ? share : place->dram[share];
	if (from_storage) {
		uint32_t from = chip_pe(chip, place->storage_qpe[block], k % chip->n_pe);
		chip->arrival[pe] =
		    chip_add_transfer(chip, OP_COPY, OP_OF_FILTER, from, pe, filter, byte, SCHEDULE_NONE);
	} else {
		chip->arrival[pe] =
		    chip_add_transfer(chip, OP_LOAD, OP_OF_FILTER, pe, dram, filter, byte, SCHEDULE_NONE);
	}
}

/* Filter parts dealt in order over blocks, or interfaces if there are more of these; each in turn loads one. Of half
 * the filters fetched ahead each share has the first half. */
static void load_all(struct chip *chip, const struct sets *sets)
{
	const struct place *place = &chip->place;
	uint32_t n_dram = chip->base->context->machine->dram_n, n = sets->n_filter;
	uint32_t n_share = n_dram > place->n_block ? n_dram : place->n_block, n_most = (uint32_t)ceil_div(n, n_share);
	enum ahead_portion portion = chip->base->design->weight_ahead;
	for (uint32_t i = 0; i < n_most; i++)
		for (uint32_t share = 0; share < n_share; share++) {
			uint32_t k = (uint32_t)ceil_div(share * n, n_share) + i;
			uint32_t n_ahead = portion == AHEAD_ALL ? n : portion == AHEAD_HALF ? n / n_share / 2 : 0;
			if (k < ceil_div((share + 1) * n, n_share))
				load(chip, sets, k, share, n_share, i < n_ahead);
		}
}

/* A set is loaded into one of its starts; the others have it from there, doubling those that have it. */
static void fill_starts(struct chip *chip, const struct sets *sets)
{
	for (uint32_t i = 0, first = 0; i < sets->spread.n_start; i++) {
		if (loads(sets, i)) {
			first = i;
			continue;
		}
		uint32_t from = stop_qpe(chip, sets, first + (i - first - 1) / 2, 0), to = stop_qpe(chip, sets, i, 0);
		for (uint32_t z = 0; z < chip->n_pe; z++)
			copy(chip, chip_pe(chip, from, z), chip_pe(chip, to, z));
	}
}

/* From every start's hop-th QPE to the next. */
static void pass_on(struct chip *chip, const struct sets *sets, uint32_t hop)
{
	for (uint32_t i = 0; i < sets->spread.n_start; i++) {
		uint32_t from = stop_qpe(chip, sets, i, hop), to = stop_qpe(chip, sets, i, hop + 1);
		for (uint32_t z = 0; z < chip->n_pe; z++)
			copy(chip, chip_pe(chip, from, z), chip_pe(chip, to, z));
	}
}

/* PEs without a filter take one from the QPE's others, doubling those that have one. */
static void fill_qpe(struct chip *chip, uint32_t qpe)
{
	uint32_t n = 0;
	while (n < chip->n_pe && chip->filter[chip_pe(chip, qpe, n)] != CHIP_NONE)
		n++;
	if (n == 0)
		return;
	for (uint32_t z = n, n_all = n; z < chip->n_pe; z++) {
		if (z == 2 * n_all)
			n_all = z;
		copy(chip, chip_pe(chip, qpe, z - n_all), chip_pe(chip, qpe, z));
	}
}

void chip_load_filters(struct chip *chip, uint32_t first, uint32_t n)
{
	const struct place *place = &chip->place;
	struct sets sets = {first, n, (uint32_t)ceil_div(n, chip->n_pe), spread_of(chip, n)};
	assert(n > 0 && sets.n_set <= sets.spread.n_start);
	chip_add_step(chip, PHASE_WEIGHT);
	for (uint32_t pe = 0; pe < place->mesh.n_qpe * chip->n_pe; pe++)
		chip->filter[pe] = CHIP_NONE;
	load_all(chip, &sets);
	fill_starts(chip, &sets);
	for (uint32_t hop = 0; hop < n_hop_of(chip, &sets.spread); hop++)
		pass_on(chip, &sets, hop);
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++)
		fill_qpe(chip, place->qpe[i]);
}

/* ---- migration ---- */

/* A ring of n seats of a block from the k-th; or of two, an exchange. */
static void turn_seats(struct chip *chip, uint32_t block, uint32_t k, uint32_t n)
{
	assert(k + n <= chip->place.n_qpe);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t qpe = chip_seat(chip, block, k + i);
		chip->turn[qpe] = chip_seat(chip, block, k + (i + 1) % n);
		chip->orbit[qpe] = chip_seat(chip, block, k);
	}
}

/*
 * Inside a block filters rotate between QPEs that together have all its sets of
 * ifmap parts: in a cell of the thesis' mesh its four QPEs, and with two sets its
 * pairs, if not as the thesis did. Elsewhere n_set neighbouring seats, or all of
 * a block's where n_set does not divide them.
 */
void chip_plan_migration(struct chip *chip)
{
	const struct place *place = &chip->place;
	for (uint32_t q = 0; q < place->mesh.n_qpe; q++)
		chip->ring[q] = chip->turn[q] = chip->orbit[q] = q;
	for (uint32_t i = 0; i < place->n_cell; i++)
		for (uint32_t r = 0; r < place->n_cell_qpe; r++) {
			chip->ring[place_cell_qpe(place, i, r)] = place_cell_qpe(place, i + 1, r);
			chip->cell_of[place_cell_qpe(place, i, r)] = i;
		}
	bool in_cells = place->is_thesis && (chip->n_set > 2 || (chip->n_set == 2 && chip->is_source));
	for (uint32_t i = 0; in_cells && i < place->n_cell; i++)
		for (uint32_t r = 0; r < place->n_cell_qpe; r++) {
			uint32_t qpe = place_cell_qpe(place, i, r);
			chip->turn[qpe] = place_cell_qpe(place, i, (r + 1) % place->n_cell_qpe);
			chip->orbit[qpe] = place_cell_qpe(place, i, 0);
		}
	if (in_cells || chip->n_set == 1)
		return;
	uint32_t n_ring = place->n_qpe % chip->n_set ? place->n_qpe : chip->n_set;
	for (uint32_t b = 0; b < place->n_block; b++)
		for (uint32_t k = 0; k < place->n_qpe; k += n_ring)
			turn_seats(chip, b, k, n_ring);
}

/*
 * The barrier before a migration: every PE is told, and answers, that its spare
 * buffer is about to be written (thesis section 4.4.1; the published migrations
 * are longer than their copies by just such a round of messages).
 */
static void add_barrier(struct chip *chip)
{
	const struct place *place = &chip->place;
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
	const struct place *place = &chip->place;
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
	uint32_t n_all = chip->place.mesh.n_qpe * chip->n_pe;
	assert(n_step > 0 && n_step <= chip->place.n_cell_qpe);
	for (uint32_t pe = 0; pe < n_all; pe++)
		chip->moved[pe] = chip->filter[pe];
	for (uint32_t i = 0; i < n_step; i++)
		send_filters(chip, to, i, n_step);
	for (uint32_t pe = 0; pe < n_all; pe++)
		chip->filter[pe] = chip->moved[pe];
}
