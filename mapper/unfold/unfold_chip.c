/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_chip.h"
#include "sim/base/checked.h"

/*
 * Reuse on the chip, operation by operation (thesis section 4.4, appendices D
 * to F; mapper/distribute/distribute_chip.c counts the same). Ifmap parts stay, filter
 * parts move on:
 *
 *   for each wave of ifmap parts, for each load of filter parts
 *       weight, input
 *       for each position in the ring of cells
 *           for each rotation inside the blocks
 *               computation: each PE with the filters of its QPE
 *               migration inside the blocks
 *           migration round the ring, so many steps
 *
 * Ours runs a pair of an ifmap part and a filter part where it first meets, on
 * the PE that has least to do, and stops when all have met. The thesis' counts
 * its runs and tasks from the numbers of parts alone, and leaves some out.
 */

#define SHIFT_FIRST 1 /* the next PE's filter first, the own one last */

void chip_add_step(struct chip *chip, enum phase phase)
{
	unfold_add_step(chip->base, phase);
	for (uint32_t pe = 0; pe < chip->placement.place.mesh.n_qpe * chip->n_pe; pe++)
		chip->arrival[pe] = SCHEDULE_NONE;
}

uint32_t chip_add_transfer(struct chip *chip, enum op_kind kind, enum op_content content, uint32_t pe, uint32_t peer,
                           uint32_t part, uint32_t byte, uint32_t before)
{
	struct op op = {.kind = kind, .content = content, .pe = pe, .peer = peer, .byte = byte, .part = part};
	assert(byte > 0 && kind != OP_TASK && (kind != OP_COPY || pe != peer));
	return unfold_add_op(chip->base, op, before, SCHEDULE_NONE);
}

void chip_add_flow(struct chip *chip, const struct flow_op *flow, uint32_t index, enum op_content content,
                   uint32_t part, uint32_t byte)
{
	bool is_load = (flow->from & FLOW_DRAM) != 0;
	/* the operations of a list follow each other */
	uint32_t before = flow->before == FLOW_NONE ? SCHEDULE_NONE : chip->first_flow + flow->before;
	uint32_t op = chip_add_transfer(chip, is_load ? OP_LOAD : OP_COPY, content, is_load ? flow->to : flow->from,
	                                is_load ? flow->from - FLOW_DRAM : flow->to, part, byte, before);
	if (index == 0)
		chip->first_flow = op;
	assert(op == chip->first_flow + index || chip->base->schedule->failed);
}

/* ---- computation ---- */

static void write_result(struct chip *chip, uint32_t pe, const struct unfolded_part *part, uint32_t number)
{
	const struct place *place = &chip->placement.place;
	uint32_t qpe = pe / chip->n_pe, task = chip->arrival[pe];
	assert(chip->block_of[qpe] < place->n_block);
	if (chip->base->design->out_storage) {
		uint32_t to = chip_pe(chip, place->storage_qpe[chip->block_of[qpe]], pe % chip->n_pe);
		chip->arrival[pe] =
		    chip_add_transfer(chip, OP_COPY, OP_OF_RESULT, pe, to, number, part->out_byte, task);
	} else {
		uint32_t dram = mesh_near_dram(&place->mesh, qpe);
		chip->arrival[pe] =
		    chip_add_transfer(chip, OP_STORE, OP_OF_RESULT, pe, dram, number, part->out_byte, task);
	}
}

/* The PE's ifmap part with the filter part that the PE shift further has; the PE is free when the result is written. */
static void add_task(struct chip *chip, uint32_t pe, uint32_t shift)
{
	const struct tiling *tiling = chip->base->tiling;
	uint32_t qpe = pe / chip->n_pe, peer = chip_pe(chip, qpe, (pe + shift) % chip->n_pe);
	uint32_t map = chip->map[pe], filter = chip->filter[peer], number = map * tiling->n_c + filter;
	uint32_t w = map % tiling->n_w, h = map / tiling->n_w, c = filter;
	assert(map < tiling->n_map && filter < tiling->n_c);
	/* the thesis simulator gives every task the dimensions of the first part */
	if (chip->is_source)
		w = h = c = 0;
	struct unfolded_part part = unfold_part(chip->base, w, h, c, 0);
	struct op op = {.kind = OP_TASK, .pe = pe, .peer = peer, .shape = part.shape, .part = number};
	chip->arrival[pe] = unfold_add_op(chip->base, op, chip->arrival[pe], SCHEDULE_NONE);
	chip->done[number] = true;
	write_result(chip, pe, &part, number);
}

static bool is_open(const struct chip *chip, uint32_t pe, uint32_t filter_pe)
{
	uint32_t map = chip->map[pe], filter = chip->filter[filter_pe];
	return map != CHIP_NONE && filter != CHIP_NONE && !chip->done[map * chip->base->tiling->n_c + filter];
}

/* The next pair that a PE can run; its shift, or CHIP_NONE. */
static uint32_t next_shift(const struct chip *chip, uint32_t pe)
{
	for (uint32_t i = 0; i < chip->n_pe; i++) {
		uint32_t shift = (SHIFT_FIRST + i) % chip->n_pe;
		if (is_open(chip, pe, chip_pe(chip, pe / chip->n_pe, (pe + shift) % chip->n_pe)))
			return shift;
	}
	return CHIP_NONE;
}

static uint32_t count_qpe(const struct chip *chip)
{
	return chip->placement.place.n_block * chip->placement.place.n_qpe;
}

/* A task of every PE whose shift (chip->shift) is not CHIP_NONE, in the order in which the host starts them. */
static uint32_t add_tasks(struct chip *chip)
{
	uint32_t n_task = 0;
	for (uint32_t i = 0; i < count_qpe(chip) * chip->n_pe; i++) {
		uint32_t pe = chip_pe(chip, chip->start[i / chip->n_pe], i % chip->n_pe);
		if (chip->shift[pe] == CHIP_NONE)
			continue;
		add_task(chip, pe, chip->shift[pe]);
		n_task++;
	}
	return n_task;
}

/* The next pair that a PE can run is its own from now on. */
static void take_pair(struct chip *chip, uint32_t pe)
{
	uint32_t shift = chip->shift[pe] = next_shift(chip, pe);
	if (shift == CHIP_NONE)
		return;
	uint32_t peer = chip_pe(chip, pe / chip->n_pe, (pe + shift) % chip->n_pe);
	chip->done[chip->map[pe] * chip->base->tiling->n_c + chip->filter[peer]] = true;
}

/* All pairs that meet now: in turn each PE takes one, so that those with the same parts share them. */
static uint64_t run_open(struct chip *chip)
{
	uint64_t n_task = 0, n_before;
	chip_add_step(chip, PHASE_COMPUTATION);
	do {
		n_before = n_task;
		for (uint32_t i = 0; i < count_qpe(chip) * chip->n_pe; i++)
			take_pair(chip, chip_pe(chip, chip->placement.place.qpe[i / chip->n_pe], i % chip->n_pe));
		n_task += add_tasks(chip);
	} while (n_task > n_before && !chip->base->schedule->failed);
	chip->n_task += n_task;
	unfold_fetch_share(chip->base, &chip->placement.place, chip->n_task, &chip->fetched_byte);
	return n_task;
}

/* Whether rotations can bring together a pair that has not met. */
static bool turns_open(const struct chip *chip)
{
	const struct place *place = &chip->placement.place;
	uint32_t n_qpe = place->n_block * place->n_qpe;
	for (uint32_t i = 0; i < n_qpe; i++)
		for (uint32_t k = 0; k < n_qpe; k++) {
			if (chip->placement.orbit[place->qpe[i]] != chip->placement.orbit[place->qpe[k]])
				continue;
			for (uint32_t z = 0; z < chip->n_pe * chip->n_pe; z++)
				if (is_open(chip, chip_pe(chip, place->qpe[i], z / chip->n_pe),
				            chip_pe(chip, place->qpe[k], z % chip->n_pe)))
					return true;
		}
	return false;
}

/* Computation with rotations between; returns how many pairs were run. */
static uint64_t run_turns(struct chip *chip)
{
	uint64_t n_task = 0;
	for (uint32_t turn = 0; turns_open(chip) && !chip->base->schedule->failed; turn++) {
		assert(turn < chip->placement.place.n_qpe);
		if (turn > 0)
			chip_migrate(chip, chip->placement.turn, 1);
		n_task += run_open(chip);
	}
	return n_task;
}

/* Ours: until all n_pair pairs of the ifmap and filter parts in place have met. */
static void run_all(struct chip *chip, uint32_t n_filter, uint64_t n_pair)
{
	const struct hierarchy *hierarchy = &chip->base->context->hierarchy;
	uint64_t n_dealt = distribute_chip_n_dealt(hierarchy, ceil_div(n_filter, chip->n_pe));
	uint32_t stride = (uint32_t)distribute_chip_stride(hierarchy, chip->n_set, n_dealt);
	uint32_t n_cell = chip->placement.place.n_cell, n_step = 0;
	uint64_t n_task = run_turns(chip);
	/* in the strides that show every block new filters each time, then every position */
	while (n_task < n_pair && !chip->base->schedule->failed) {
		uint32_t n = n_step + stride < n_cell ? stride : 1;
		assert(n_step < 2 * n_cell);
		for (uint32_t i = 0; i < n; i++)
			chip_migrate(chip, chip->placement.ring, 1);
		n_step += n;
		n_task += run_turns(chip);
	}
	assert(n_task == n_pair || chip->base->schedule->failed);
}

/* ---- the thesis' rules ---- */

struct source_rule {
	uint32_t n_outer, n_ring; /* times round the ring, steps between */
	uint32_t n_run;           /* with rotations between */
	uint32_t n_shift;         /* tasks of a PE in a run */
};

/* Tasks run by the numbers of parts; false: a layer it does not serve. */
static bool source_rule(const struct chip *chip, struct source_rule *rule)
{
	uint64_t n_map = chip->base->tiling->n_map, n_filter = chip->base->tiling->n_c, n_round = 1;
	bool serves = chip->placement.place.is_thesis && chip->n_pe == 4 && chip->assignment.n_wave == 1;
	if (!serves || (n_filter != 16 && n_filter != 32 && n_filter != 64 && n_filter != 128))
		return false;
	while (n_round < n_map)
		n_round *= 2;
	*rule = (struct source_rule){.n_outer = n_filter > 32 ? (uint32_t)n_filter / 32 : 1, .n_run = 1, .n_shift = 4};
	rule->n_ring = n_filter == 64 ? 4 : 2;
	if (n_map > 16) {
		rule->n_run = chip->n_set > 2 ? 4 : chip->n_set;
	} else if (n_round * n_filter == 128) {
		rule->n_outer = rule->n_shift = 1;
	} else if (n_map >= 4 && n_filter >= 32) {
		rule->n_shift = (uint32_t)n_map / 4;
	} else if (n_round * n_filter == 256 && n_filter == 16) {
		rule->n_shift = 2;
	} else {
		return false;
	}
	return true;
}

/* Every PE that has an ifmap part runs n_shift tasks. */
static void run_shifts(struct chip *chip, uint32_t n_shift)
{
	const struct place *place = &chip->placement.place;
	chip_add_step(chip, PHASE_COMPUTATION);
	for (uint32_t i = 0; i < n_shift; i++) {
		for (uint32_t k = 0; k < count_qpe(chip) * chip->n_pe; k++) {
			/* 16 filters are in both cells of a block: each takes its share */
			uint32_t other =
			    chip->base->tiling->n_c == 16 && k / chip->n_pe % place->n_qpe >= place->n_cell_qpe;
			uint32_t shift = (SHIFT_FIRST + i + other * n_shift) % chip->n_pe;
			uint32_t pe = chip_pe(chip, place->qpe[k / chip->n_pe], k % chip->n_pe);
			chip->shift[pe] = chip->map[pe] != CHIP_NONE ? shift : CHIP_NONE;
		}
		(void)add_tasks(chip);
	}
}

static void run_source(struct chip *chip, const struct source_rule *rule)
{
	assert(rule->n_outer > 0 && rule->n_run > 0 && rule->n_shift > 0 && rule->n_shift <= chip->n_pe);
	for (uint32_t outer = 0; outer < rule->n_outer; outer++) {
		for (uint32_t i = 0; outer > 0 && i < rule->n_ring; i++)
			chip_migrate(chip, chip->placement.ring, 1);
		for (uint32_t run = 0; run < rule->n_run; run++) {
			if (run > 0)
				chip_migrate(chip, chip->placement.turn, rule->n_run == 2 ? 2 : 1);
			run_shifts(chip, rule->n_shift);
		}
	}
}

/* ---- all steps ---- */

/* The host starts the QPEs of one agent after those of the other, each as they are numbered. */
static void order_starts(struct chip *chip)
{
	const struct place *place = &chip->placement.place;
	uint32_t n_qpe = place->mesh.n_qpe, n = 0;
	for (uint32_t agent = 0; agent < n_qpe; agent++) {
		if (mesh_agent(&place->mesh, agent) != agent)
			continue;
		for (uint32_t q = 0; q < n_qpe; q++)
			if (mesh_agent(&place->mesh, q) == agent && chip->block_of[q] != CHIP_NONE)
				chip->start[n++] = q;
	}
	assert(n == count_qpe(chip));
}

/* Room for the state; nobody has anything. */
static bool open_state(struct chip *chip)
{
	const struct place *place = &chip->placement.place;
	uint32_t n_qpe = place->mesh.n_qpe, n_all = n_qpe * chip->n_pe;
	chip->map = arena_array(&chip->memory, n_all, sizeof(uint32_t));
	chip->filter = arena_array(&chip->memory, n_all, sizeof(uint32_t));
	chip->arrival = arena_array(&chip->memory, n_all, sizeof(uint32_t));
	chip->moved = arena_array(&chip->memory, n_all, sizeof(uint32_t));
	chip->shift = arena_array(&chip->memory, n_all, sizeof(uint32_t));
	chip->block_of = arena_array(&chip->memory, n_qpe, sizeof(uint32_t));
	chip->start = arena_array(&chip->memory, n_qpe, sizeof(uint32_t));
	chip->done = arena_array(&chip->memory, chip->base->tiling->n_task, sizeof(bool));
	if (chip->memory.is_out)
		return false;
	for (uint32_t pe = 0; pe < n_all; pe++)
		chip->map[pe] = chip->filter[pe] = CHIP_NONE;
	for (uint32_t q = 0; q < n_qpe; q++)
		chip->block_of[q] = CHIP_NONE;
	for (uint32_t i = 0; i < place->n_block * place->n_qpe; i++)
		chip->block_of[place->qpe[i]] = i / place->n_qpe;
	order_starts(chip);
	return true;
}

/* Ifmap parts that are in place; one in several PEs counts once. */
static uint64_t count_maps(const struct chip *chip)
{
	uint64_t n_map = 0;
	for (uint32_t pe = 0; pe < chip->placement.place.mesh.n_qpe * chip->n_pe; pe++) {
		uint32_t first = 0;
		while (chip->map[first] != chip->map[pe])
			first++;
		n_map += chip->map[pe] != CHIP_NONE && first == pe;
	}
	return n_map;
}

/* Of the filter parts of a group; of a convolution without groups all. */
static void unfold_waves(struct chip *chip, const struct source_rule *rule)
{
	uint32_t n_all = chip->base->tiling->n_meet,
		 n_most = chip->placement.place.n_block * chip->placement.place.n_qpe * chip->n_pe;
	assert(n_all > 0 && n_most > 0);
	for (uint32_t wave = 0; wave < chip->assignment.n_wave; wave++)
		for (uint32_t first = 0; first < n_all; first += n_most) {
			uint32_t n = n_all - first < n_most ? n_all - first : n_most;
			chip_load_filters(chip, chip->pass * n_all + first, n);
			if (first == 0)
				chip_load_maps(chip, wave);
			if (chip->is_source)
				run_source(chip, rule);
			else
				run_all(chip, n, n * count_maps(chip));
			if (chip->base->schedule->failed)
				return;
		}
}

void unfold_chip_reuse(const struct unfolding *base)
{
	const struct layer_context *context = base->context;
	const struct tiling *tiling = base->tiling;
	struct schedule *schedule = base->schedule;
	struct chip chip = {.base = base};
	struct source_rule rule = {0};
	assert(context->block->kind == BLOCK_CONV && tiling->n_d == 1);
	chip.n_pe = context->machine->qpe_n_pe;
	chip.assignment = distribute_chip_assign(context, tiling);
	chip.n_set = (uint32_t)chip.assignment.n_set;
	struct placement_spec spec = {.n_set = chip.n_set,
	                              .n_slot = (uint32_t)chip.assignment.n_slot,
	                              .n_resident = (uint32_t)chip.assignment.n_resident,
	                              .n_share = (uint32_t)chip.assignment.n_share,
	                              .in_storage = base->design->in_storage};
	if (tiling->n_task > SCHEDULE_MAX_OP || !placement_open(context->machine, &spec, &chip.placement)) {
		schedule->failed = true;
		return;
	}
	assert(chip.n_set <= chip.placement.place.n_qpe && spec.n_slot >= spec.n_resident);
	chip.is_source = base->design->strategy == STRATEGY_THESIS_REUSE && source_rule(&chip, &rule);
	if (open_state(&chip)) {
		chip.placement.spec.is_source = chip.is_source;
		placement_plan_turns(&chip.placement);
		for (; chip.pass < tiling->n_channel_part && !schedule->failed; chip.pass++)
			unfold_waves(&chip, &rule);
		unfold_fetch_rest(base, &chip.placement.place);
	} else {
		schedule->failed = true;
	}
	arena_free(&chip.memory);
	placement_free(&chip.placement);
}
