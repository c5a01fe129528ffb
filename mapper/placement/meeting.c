/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through the runs of a load: every PE takes the pairs of an ifmap part and a filter part that meet in its QPE,
 * in turn with the PEs that could take them as well; then filters migrate, until all have met.
 */
#include "mapper/placement/meeting.h"
#include "mapper/placement/placement_parts.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING UINT16_MAX
#define WORD_BIT 64
#define SHIFT_FIRST 1 /* as in mapper/unfold/unfold_chip.c */

struct walk {
	const struct meeting_spec *spec;
	struct placement placement;
	uint32_t n_pe, n_all;           /* PEs of a QPE, of the mesh */
	uint16_t *map, *filter, *moved; /* by PE: what it has; NOTHING */
	uint8_t *n_task;                /* by PE: of this run */
	uint16_t *busy;                 /* PEs that still take pairs in this run, by place */
	struct meeting_qpe *qpe;        /* by QPE: of this run */
	uint64_t *met;                  /* by ifmap part, n_word of bits by filter part */
	uint64_t *orbit;                /* by QPE: likewise, see gather_orbits */
	uint32_t n_word;
	struct flow_op *result; /* of this run, for add_results: */
	uint32_t *n_alike;      /* of each so many */
	uint64_t n_open;        /* pairs that have not met */
	/* what was found */
	struct meeting found;
	struct meeting_run *run;
	struct meeting_qpe *kept;
	size_t room_run, room_kept;
	bool has_storage; /* storage QPEs */
	bool failed;
};

bool meeting_serves(const struct machine *machine)
{
	return machine->target == MACHINE_CHIP && machine->qpe_n_pe <= MEETING_MAX_QPE_PE &&
	       (uint64_t)machine->chip.mesh_w * machine->chip.mesh_h * machine->qpe_n_pe <= MEETING_MAX_PE;
}

/* ---- what is in place ---- */

static void load_filters(struct walk *walk)
{
	struct placement *placement = &walk->placement;
	placement_list_filters(placement, walk->spec->n_filter, walk->spec->n_dealt, 0);
	for (uint32_t i = 0; i < placement->n_op; i++)
		walk->filter[placement->op[i].to] = (uint16_t)placement->op[i].part;
}

static uint32_t group_of(const struct walk *walk, uint32_t block)
{
	const struct place *place = &walk->placement.place;
	return walk->spec->n_share > 1 ? place_ring_of(place, block) % (place->n_block / walk->spec->n_share) : block;
}

/* Blocks that share rows have the same parts, so these are numbered by group and slot. */
static void load_maps(struct walk *walk)
{
	struct placement *placement = &walk->placement;
	uint32_t n_slot = walk->spec->n_slot;
	for (uint32_t b = 0; b < placement->place.n_block; b++)
		placement->n_part[b] = group_of(walk, b) < walk->spec->n_group ? walk->spec->n_resident : 0;
	placement_list_maps(placement, placement->n_part);
	for (uint32_t i = 0; i < placement->n_op; i++) {
		const struct flow_op *op = &placement->op[i];
		uint32_t group = group_of(walk, op->part / n_slot);
		walk->map[op->to] = (uint16_t)(group * n_slot + op->part % n_slot);
	}
}

/* ---- a run ---- */

/* All but the PEs' masks, which are empty. */
static void open_records(struct walk *walk)
{
	const struct place *place = &walk->placement.place;
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++) {
		struct meeting_qpe *qpe = &walk->qpe[i];
		uint32_t pe = place->qpe[i] * walk->n_pe, map = walk->map[pe];
		*qpe = (struct meeting_qpe){.first = NOTHING};
		for (uint32_t z = 0; z < walk->n_pe; z++)
			qpe->first = walk->filter[pe + z] < qpe->first ? walk->filter[pe + z] : qpe->first;
		if (map == NOTHING)
			continue;
		qpe->group = (uint16_t)(map / walk->spec->n_slot);
		qpe->set = (uint16_t)(map % walk->spec->n_slot / walk->n_pe);
	}
	memset(walk->n_task, 0, walk->n_all * sizeof(*walk->n_task));
}

/* The next pair that a PE can run is its own. */
static bool take_pair(struct walk *walk, uint32_t i, uint32_t z)
{
	uint32_t first = walk->placement.place.qpe[i] * walk->n_pe, map = walk->map[first + z];
	if (map == NOTHING)
		return false;
	uint64_t *met = walk->met + (size_t)map * walk->n_word;
	const uint16_t *here = walk->filter + first;
	for (uint32_t k = 0, peer = (z + SHIFT_FIRST) % walk->n_pe; k < walk->n_pe; k++) {
		uint32_t filter = here[peer];
		peer = peer + 1 < walk->n_pe ? peer + 1 : 0;
		if (filter == NOTHING || (met[filter / WORD_BIT] >> filter % WORD_BIT & 1))
			continue;
		assert(filter - walk->qpe[i].first < 8);
		met[filter / WORD_BIT] |= UINT64_C(1) << filter % WORD_BIT;
		walk->qpe[i].mask[z] |= (uint8_t)(1u << (filter - walk->qpe[i].first));
		walk->n_task[first + z]++;
		walk->n_open--;
		return true;
	}
	return false;
}

/* The k-th filter part of a mask, counted from the first; the mask has more than k. */
static uint32_t nth_filter(const struct meeting_qpe *qpe, uint32_t z, uint32_t k)
{
	uint32_t mask = qpe->mask[z], bit = 0;
	for (;; bit++)
		if (mask >> bit & 1 && k-- == 0)
			return qpe->first + bit;
}

static uint32_t count_bits(uint32_t mask)
{
	uint32_t n = 0;
	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/*
 * Whether a has nothing that b has not as large or larger: parts with lower numbers are larger or equal, but rows of
 * different groups where these are apart.
 */
static bool is_covered(const struct meeting_qpe *a, const struct meeting_qpe *b, uint32_t n_pe, bool is_apart)
{
	if (a->set != b->set || b->group > a->group || (is_apart && b->group != a->group))
		return false;
	if (a->first == b->first && memcmp(a->mask, b->mask, sizeof(a->mask)) == 0)
		return true;
	for (uint32_t z = 0; z < n_pe; z++) {
		uint32_t n = count_bits(a->mask[z]);
		if (count_bits(b->mask[z]) < n)
			return false;
		for (uint32_t k = 0; k < n; k++)
			if (nth_filter(b, z, k) > nth_filter(a, z, k))
				return false;
	}
	return true;
}

/* Whether a filter part has copies, or more PEs take one than any PE takes. */
static bool is_crowded(const struct meeting_qpe *qpe, uint32_t n_pe)
{
	uint32_t n_most = 0, n_taken = 0;
	for (uint32_t z = 0; z < n_pe; z++) {
		uint32_t n = 0, n_own = count_bits(qpe->mask[z]);
		for (uint32_t i = 0; i < n_pe; i++)
			n += qpe->mask[i] >> z & 1;
		n_taken = n > n_taken ? n : n_taken;
		n_most = n_own > n_most ? n_own : n_most;
	}
	return qpe->n_together < n_pe || n_taken > n_most;
}

static bool make_room(void **list, size_t size, size_t n, size_t *room)
{
	if (n < *room)
		return true;
	size_t more = *room ? 2 * *room : 32;
	void *grown = realloc(*list, more * size);
	if (!grown)
		return false;
	*list = grown;
	*room = more;
	return true;
}

static void keep_record(struct walk *walk, const struct meeting_qpe *qpe)
{
	struct meeting_run *run = &walk->run[walk->found.n_run - 1];
	uint32_t n = 0;
	for (uint32_t k = 0; k < run->n; k++)
		if (is_covered(qpe, &walk->kept[run->first + k], walk->n_pe, walk->spec->is_apart))
			return;
	for (uint32_t k = 0; k < run->n; k++)
		if (!is_covered(&walk->kept[run->first + k], qpe, walk->n_pe, walk->spec->is_apart))
			walk->kept[run->first + n++] = walk->kept[run->first + k];
	run->n = n;
	walk->found.n_qpe = run->first + n;
	if (!make_room((void **)&walk->kept, sizeof(*walk->kept), walk->found.n_qpe, &walk->room_kept)) {
		walk->failed = true;
		return;
	}
	walk->kept[walk->found.n_qpe++] = *qpe;
	run->n++;
}

static void add_result(struct walk *walk, uint32_t from, uint32_t to, uint32_t n_alike, uint32_t *n)
{
	walk->n_alike[*n] = n_alike;
	walk->result[(*n)++] = (struct flow_op){from, to, FLOW_NONE, 0};
}

/* What this run's results pass. */
static void add_results(struct walk *walk, bool to_storage, struct meeting_results *sum)
{
	const struct place *place = &walk->placement.place;
	struct flow_paths load = {0};
	uint32_t n = 0, n_all = 0;
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++) {
		uint32_t first = place->qpe[i] * walk->n_pe, n_own = 0;
		for (uint32_t z = 0; z < walk->n_pe; z++) {
			uint32_t to = to_storage ? place->storage_qpe[i / place->n_qpe] * walk->n_pe + z : 0;
			n_own += walk->n_task[first + z];
			if (to_storage && walk->n_task[first + z] > 0)
				add_result(walk, first + z, to, walk->n_task[first + z], &n);
		}
		n_all += n_own;
		/* those of a QPE to DRAM go the same way */
		if (!to_storage && n_own > 0)
			add_result(walk, first, FLOW_DRAM + mesh_near_dram(&place->mesh, place->qpe[i]), n_own, &n);
	}
	if (!flow_find_load(&place->mesh, walk->n_pe, walk->result, walk->n_alike, n, &load))
		walk->failed = true;
	sum->router += (double)load.router;
	sum->link += (double)load.link;
	sum->port += (double)load.port;
	sum->dram += (double)load.dram;
	sum->routed += load.routed;
	sum->told += load.told;
	sum->reported += load.reported;
	sum->sender += (double)load.sender;
	walk->found.n_result += to_storage ? 0 : n_all;
}

static void keep_run(struct walk *walk)
{
	const struct place *place = &walk->placement.place;
	uint32_t n_most = 0;
	if (!make_room((void **)&walk->run, sizeof(*walk->run), walk->found.n_run, &walk->room_run)) {
		walk->failed = true;
		return;
	}
	walk->run[walk->found.n_run++] = (struct meeting_run){walk->found.n_qpe, 0};
	for (uint32_t i = 0; i < place->n_block * place->n_qpe && !walk->failed; i++) {
		uint32_t n_own = 0, first = place->qpe[i] * walk->n_pe;
		for (uint32_t z = 0; z < walk->n_pe; z++) {
			n_own = walk->n_task[first + z] > n_own ? walk->n_task[first + z] : n_own;
			walk->found.n_start += walk->n_task[first + z] > 0;
		}
		n_most = n_own > n_most ? n_own : n_most;
		if (n_own == 0)
			continue;
		struct meeting_qpe *qpe = &walk->qpe[i];
		qpe->n_together = (uint8_t)placement_filter_together(walk->spec->n_filter, walk->n_pe, qpe->first);
		qpe->is_crowded = is_crowded(qpe, walk->n_pe);
		keep_record(walk, qpe);
	}
	walk->found.n_lockstep += n_most;
	add_results(walk, false, &walk->found.to_dram);
	if (walk->has_storage)
		add_results(walk, true, &walk->found.to_storage);
}

/* All pairs that meet now: in turn each PE takes one, until it finds none. */
static void run_open(struct walk *walk)
{
	const struct place *place = &walk->placement.place;
	uint64_t n_before = walk->n_open;
	uint32_t n_busy = place->n_block * place->n_qpe * walk->n_pe;
	open_records(walk);
	for (uint32_t k = 0; k < n_busy; k++)
		walk->busy[k] = (uint16_t)k;
	while (n_busy > 0) {
		uint32_t n = 0;
		for (uint32_t k = 0; k < n_busy; k++)
			if (take_pair(walk, walk->busy[k] / walk->n_pe, walk->busy[k] % walk->n_pe))
				walk->busy[n++] = walk->busy[k];
		n_busy = n;
	}
	if (walk->n_open < n_before)
		keep_run(walk);
}

/* ---- migrations ---- */

static void migrate(struct walk *walk, const uint32_t *to)
{
	const struct place *place = &walk->placement.place;
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++) {
		uint32_t qpe = place->qpe[i];
		memcpy(&walk->moved[to[qpe] * walk->n_pe], &walk->filter[qpe * walk->n_pe],
		       walk->n_pe * sizeof(*walk->moved));
	}
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++) {
		uint32_t first = place->qpe[i] * walk->n_pe;
		memcpy(&walk->filter[first], &walk->moved[first], walk->n_pe * sizeof(*walk->moved));
	}
}

/* The filter parts between which rotations choose, by the QPE that stands for those it passes between. */
static void gather_orbits(struct walk *walk)
{
	const struct place *place = &walk->placement.place;
	memset(walk->orbit, 0, (size_t)place->mesh.n_qpe * walk->n_word * sizeof(*walk->orbit));
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++)
		for (uint32_t z = 0; z < walk->n_pe; z++) {
			uint32_t qpe = place->qpe[i], filter = walk->filter[qpe * walk->n_pe + z];
			if (filter != NOTHING)
				walk->orbit[walk->placement.orbit[qpe] * walk->n_word + filter / WORD_BIT] |=
				    UINT64_C(1) << filter % WORD_BIT;
		}
}

/* Whether rotations can bring together a pair that has not met. */
static bool turns_open(struct walk *walk)
{
	const struct place *place = &walk->placement.place;
	gather_orbits(walk);
	for (uint32_t i = 0; i < place->n_block * place->n_qpe * walk->n_pe; i++) {
		uint32_t qpe = place->qpe[i / walk->n_pe], map = walk->map[qpe * walk->n_pe + i % walk->n_pe];
		const uint64_t *seen = &walk->orbit[walk->placement.orbit[qpe] * walk->n_word];
		for (uint32_t k = 0; map != NOTHING && k < walk->n_word; k++)
			if (seen[k] & ~walk->met[map * walk->n_word + k])
				return true;
	}
	return false;
}

static void run_turns(struct walk *walk)
{
	for (uint32_t turn = 0; walk->n_open > 0 && !walk->failed && turns_open(walk); turn++) {
		if (turn > 0) {
			migrate(walk, walk->placement.turn);
			walk->found.n_rotation++;
		}
		run_open(walk);
	}
}

static void run_all(struct walk *walk)
{
	uint32_t n_cell = walk->placement.place.n_cell, n_step = 0;
	run_turns(walk);
	/* in the strides that show every block new filters each time, then every position */
	while (walk->n_open > 0 && !walk->failed) {
		uint32_t n = n_step + walk->spec->n_stride < n_cell ? walk->spec->n_stride : 1;
		assert(n_step < 2 * n_cell);
		for (uint32_t i = 0; i < n; i++)
			migrate(walk, walk->placement.ring);
		n_step += n;
		walk->found.n_ring += n;
		run_turns(walk);
	}
}

/* ---- the whole ---- */

static bool open_walk(struct walk *walk, const struct machine *machine)
{
	const struct meeting_spec *spec = walk->spec;
	const struct placement_spec layout = {.n_set = spec->n_set,
	                                      .n_slot = spec->n_slot,
	                                      .n_resident = spec->n_resident,
	                                      .n_share = spec->n_share,
	                                      .in_storage = spec->in_storage};
	if (!placement_open(machine, &layout, &walk->placement))
		return false;
	const struct place *place = &walk->placement.place;
	struct arena *memory = &walk->placement.memory;
	walk->n_pe = walk->placement.n_pe;
	walk->has_storage = machine->chip.n_storage_qpe > 0;
	walk->n_all = place->mesh.n_qpe * walk->n_pe;
	walk->n_word = (uint32_t)ceil_div(spec->n_filter, WORD_BIT);
	walk->map = arena_array(memory, walk->n_all, sizeof(*walk->map));
	walk->filter = arena_array(memory, walk->n_all, sizeof(*walk->filter));
	walk->moved = arena_array(memory, walk->n_all, sizeof(*walk->moved));
	walk->n_task = arena_array(memory, walk->n_all, sizeof(*walk->n_task));
	walk->busy = arena_array(memory, walk->n_all, sizeof(*walk->busy));
	walk->qpe = arena_array(memory, (size_t)place->n_block * place->n_qpe, sizeof(*walk->qpe));
	walk->result = arena_array(memory, walk->n_all, sizeof(*walk->result));
	walk->n_alike = arena_array(memory, walk->n_all, sizeof(*walk->n_alike));
	walk->met = arena_array(memory, (size_t)place->n_block * spec->n_slot * walk->n_word, sizeof(*walk->met));
	walk->orbit = arena_array(memory, (size_t)place->mesh.n_qpe * walk->n_word, sizeof(*walk->orbit));
	if (memory->is_out) {
		placement_free(&walk->placement);
		return false;
	}
	memset(walk->map, 0xff, walk->n_all * sizeof(*walk->map));
	memset(walk->filter, 0xff, walk->n_all * sizeof(*walk->filter));
	walk->n_open = (uint64_t)spec->n_group * spec->n_resident * spec->n_filter;
	placement_plan_turns(&walk->placement);
	return true;
}

/* One block: the meeting, its runs, their records. */
static struct meeting *pack(const struct walk *walk)
{
	size_t run_byte = walk->found.n_run * sizeof(*walk->run), qpe_byte = walk->found.n_qpe * sizeof(*walk->kept);
	struct meeting *meeting = walk->failed ? NULL : malloc(sizeof(*meeting) + run_byte + qpe_byte);
	if (!meeting)
		return NULL;
	struct meeting_run *run = (struct meeting_run *)(meeting + 1);
	struct meeting_qpe *qpe = (struct meeting_qpe *)(run + walk->found.n_run);
	memcpy(run, walk->run, run_byte);
	memcpy(qpe, walk->kept, qpe_byte);
	*meeting = walk->found;
	meeting->run = run;
	meeting->qpe = qpe;
	return meeting;
}

struct meeting *meeting_build(const struct machine *machine, const struct meeting_spec *spec)
{
	struct walk walk = {.spec = spec};
	assert(spec->n_filter > 0 && spec->n_resident > 0 && spec->n_group > 0 && spec->n_stride > 0);
	if (!open_walk(&walk, machine))
		return NULL;
	load_filters(&walk);
	load_maps(&walk);
	run_all(&walk);
	struct meeting *meeting = pack(&walk);
	free(walk.run);
	free(walk.kept);
	placement_free(&walk.placement);
	return meeting;
}

size_t meeting_byte(const struct meeting *meeting)
{
	return sizeof(*meeting) + meeting->n_run * sizeof(*meeting->run) + meeting->n_qpe * sizeof(*meeting->qpe);
}
