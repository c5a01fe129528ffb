/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule followed operation by operation: what lies in each PE, and which
 * parts its tasks find there. Nothing is known here of how the schedule was
 * made; a part that is not where a task looks for it, or may not have arrived
 * yet, is a fault.
 *
 *   per PE   ifmap part | filter part | the next filter part | sums of the last task | sums kept for another PE
 *
 * The list's order is one that the waits (before) allow. What arrives replaces
 * what was there longest, so that a second buffer for filters takes the next
 * ones while those of the step before are still read; what it replaces must have
 * been read by then.
 */
#include "mapper/network/place.h"
#include "mapper/distribute/distribute.h"
#include "mapper/prove/prove_parts.h"
#include "sim/base/checked.h"
#include <stdlib.h>
#include <string.h>

struct held {
	uint32_t part, byte;
	uint32_t arrival; /* operation that brought it */
	uint32_t reader;  /* the last that read it */
};

/* A chain of tasks whose sums are one result's. */
struct sums {
	uint32_t first, last, result;
	uint32_t reader; /* operation that took away what was there; PROVE_NONE */
};

struct pe {
	struct held map, filter[2]; /* filter[0] is the latest */
	struct sums own, kept;
};

struct walk {
	struct prove_run *run;
	const struct schedule *schedule;
	struct pe *pe;
	bool *is_storage;      /* [n_pe] of a storage QPE */
	uint32_t n_filter;     /* buffers for them in a PE */
	bool sends_sums;       /* each task's are sent away; else the next task of the result adds to them */
	uint32_t first_op;     /* of the step */
	uint32_t step, at;     /* where the walk is */
	uint32_t *seen, epoch; /* [n_op] by waits_for */
};

static const struct held held_none = {PROVE_NONE, 0, PROVE_NONE, PROVE_NONE};
static const struct sums sums_none = {PROVE_NONE, PROVE_NONE, PROVE_NONE, PROVE_NONE};

/* Whether an operation of this step, or of one before, has completed when another of this step starts. */
static bool waits_for(struct walk *walk, uint32_t op, uint32_t other)
{
	uint32_t stack[64], n = 0;
	if (other == PROVE_NONE || other < walk->first_op)
		return true;
	walk->epoch++;
	stack[n++] = op;
	while (n > 0) {
		const struct op *at = &walk->schedule->op[stack[--n]];
		for (int i = 0; i < 2; i++) {
			uint32_t before = at->before[i];
			if (before == other)
				return true;
			if (before == SCHEDULE_NONE || before < other || walk->seen[before] == walk->epoch)
				continue;
			walk->seen[before] = walk->epoch;
			if (n < 64)
				stack[n++] = before;
		}
	}
	return false;
}

static void fault_here(struct walk *walk, const char *what, uint32_t pe, const char *found, const char *wanted)
{
	const struct schedule_step *step = &walk->schedule->step[walk->step];
	prove_fault(walk->run, "operation %u (%s, step %u) on PE %u: %s %s, not %s", walk->at, phase_name[step->phase],
	            walk->step, pe, what, found, wanted);
}

/* What lies there is about to be replaced: an operation of this step that reads it has to be over. */
static void check_reader(struct walk *walk, uint32_t pe, const char *what, uint32_t reader)
{
	if (!waits_for(walk, walk->at, reader))
		prove_fault(walk->run, "operation %u on PE %u replaces %s that operation %u may still read", walk->at,
		            pe, what, reader);
}

static bool is_there(struct walk *walk, const struct held *held)
{
	return held->part != PROVE_NONE && waits_for(walk, walk->at, held->arrival);
}

/* The filter part that is read in a PE: the latest, or that before it while the latest may still be on its way. */
static const struct held *read_filter(struct walk *walk, uint32_t pe)
{
	for (uint32_t i = 0; i < walk->n_filter; i++) {
		struct held *filter = &walk->pe[pe].filter[i];
		if (!is_there(walk, filter))
			continue;
		filter->reader = walk->at;
		return filter;
	}
	return &held_none;
}

static const struct held *read_map(struct walk *walk, uint32_t pe)
{
	struct held *map = &walk->pe[pe].map;
	if (!is_there(walk, map))
		return &held_none;
	map->reader = walk->at;
	return map;
}

/* ---- arrivals ---- */

static uint64_t sum_byte(const struct walk *walk, const struct sums *sums)
{
	return sums->first == PROVE_NONE ? 0 : prove_sum_byte(walk->run, sums->result);
}

/* What lies in a PE fits its SRAM. */
static void check_sram(struct walk *walk, uint32_t pe)
{
	const struct pe *at = &walk->pe[pe];
	uint64_t byte = (uint64_t)at->map.byte + at->filter[0].byte + at->filter[1].byte + sum_byte(walk, &at->own) +
	                sum_byte(walk, &at->kept);
	uint32_t available = walk->run->context->machine->pe_sram_byte;
	if (byte > available && !walk->is_storage[pe])
		prove_fault(walk->run, "operation %u on PE %u: %llu bytes lie in its SRAM of %u", walk->at, pe,
		            (unsigned long long)byte, available);
}

static void receive(struct walk *walk, uint32_t pe, enum op_content content, struct held held)
{
	struct pe *at = &walk->pe[pe];
	if (content == OP_OF_IFMAP) {
		check_reader(walk, pe, "an ifmap part", at->map.reader);
		at->map = held;
	} else if (walk->n_filter == 2 &&
	           (at->filter[0].arrival == PROVE_NONE || at->filter[0].arrival < walk->first_op)) {
		check_reader(walk, pe, "a filter part", at->filter[1].reader);
		at->filter[1] = at->filter[0];
		at->filter[0] = held;
	} else {
		check_reader(walk, pe, "a filter part", at->filter[0].reader);
		at->filter[0] = held;
	}
	check_sram(walk, pe);
}

/* The part that a transfer says it moves. */
static uint32_t part_of(const struct walk *walk, const struct op *op)
{
	const struct prove_core *core = &walk->run->core;
	return op->content == OP_OF_FILTER ? prove_filter_of(core, op->part) : op->part;
}

static struct prove_label label_of(enum op_content content, uint32_t part)
{
	return content == OP_OF_FILTER ? prove_label_filter(part) : prove_label_map(part);
}

/* A transfer moves at least the numbers of its part. */
static void check_bytes(struct walk *walk, const struct op *op)
{
	const struct prove_core *core = &walk->run->core;
	uint64_t size = 0, number_byte = walk->run->context->operand_bit / 8;
	if (op->content == OP_OF_IFMAP)
		size = prove_map_size(core, op->part);
	else if (op->content == OP_OF_FILTER)
		size = prove_filter_size(core, part_of(walk, op));
	else if (op->content == OP_OF_RESULT)
		size = prove_result_size(core, prove_result_of(core, op->part));
	else if (op->content == OP_OF_SUM)
		return; /* in words of 32 bit, rows aligned */
	if (op->byte < size * number_byte)
		prove_fault(walk->run, "operation %u on PE %u moves %u bytes of a part of %llu", walk->at, op->pe,
		            op->byte, (unsigned long long)(size * number_byte));
}

/* From DRAM, or from a storage QPE. */
static void load(struct walk *walk, const struct op *op, uint32_t pe, bool from_storage)
{
	const struct layer_design *design = walk->run->design;
	bool is_map = op->content == OP_OF_IFMAP;
	bool allowed =
	    is_map ? design->in_storage == from_storage : !from_storage || design->weight_ahead != AHEAD_NONE;
	if (!allowed)
		fault_here(walk, is_map ? "reads the ifmap from" : "reads filters from", pe,
		           from_storage ? "storage" : "DRAM", "where they lie");
	if (is_map && from_storage)
		walk->run->result->from_storage = true;
	receive(walk, pe, op->content, (struct held){part_of(walk, op), op->byte, walk->at, PROVE_NONE});
}

/* ---- sums and results ---- */

/* A task's sums, or those that arrive, beside those of the same result; PROVE_NONE: in their place. */
static void append(struct walk *walk, uint32_t pe, struct sums *to, const struct sums *from)
{
	if (to->result == from->result && to->first != PROVE_NONE && from->first != PROVE_NONE) {
		walk->run->task[to->last].next = from->first;
		to->last = from->last;
	} else {
		check_reader(walk, pe, "sums", to->reader);
		*to = *from;
		to->reader = PROVE_NONE;
	}
}

/* Sums leave a PE's place for them. */
static void take_sums(const struct walk *walk, struct sums *sums)
{
	*sums = sums_none;
	sums->reader = walk->at;
}

static void send_sums(struct walk *walk, const struct op *op)
{
	struct pe *from = &walk->pe[op->pe], *to = &walk->pe[op->peer];
	uint32_t result = prove_result_of(&walk->run->core, op->part);
	if (from->own.first == PROVE_NONE || from->own.result != result)
		fault_here(walk, "sends sums, but has", op->pe, "others", "those of the result");
	if (to->kept.first != PROVE_NONE && to->kept.result != result)
		fault_here(walk, "receives sums while it keeps", op->peer, "those of another result", "of this one");
	append(walk, op->peer, &to->kept, &from->own);
	take_sums(walk, &from->own);
	check_sram(walk, op->peer);
}

static void store(struct walk *walk, const struct op *op)
{
	struct pe *from = &walk->pe[op->pe];
	const struct prove_core *core = &walk->run->core;
	uint32_t result = prove_result_of(core, op->part);
	struct prove_store done = {PROVE_NONE, op->pe, walk->at};
	if (core->block->kind == BLOCK_POOL) {
		done.first = read_map(walk, op->pe)->part;
		if (done.first != result)
			fault_here(walk, "stores a result of", op->pe, prove_label_map(done.first).text,
			           prove_label_map(result).text);
	} else {
		struct sums *sums =
		    from->kept.first != PROVE_NONE && from->kept.result == result ? &from->kept : &from->own;
		if (sums->first == PROVE_NONE || !waits_for(walk, walk->at, walk->run->task[sums->last].index))
			fault_here(walk, "stores a result of", op->pe, "no task", "one that has run");
		else if (sums->result != result)
			fault_here(walk, "stores", op->pe, prove_label_result(core, sums->result).text,
			           prove_label_result(core, result).text);
		done.first = sums->first;
		take_sums(walk, sums);
	}
	bool to_storage = op->kind == OP_COPY;
	if (to_storage != walk->run->design->out_storage || (to_storage && !walk->is_storage[op->peer]))
		fault_here(walk, "stores its result", op->pe, to_storage ? "in an SRAM" : "in DRAM",
		           "where the design says");
	walk->run->result->to_storage |= to_storage;
	prove_add_store(walk->run, result, done);
}

/* ---- operations ---- */

static void copy(struct walk *walk, const struct op *op)
{
	if (op->content == OP_OF_SUM) {
		send_sums(walk, op);
		return;
	}
	if (op->content == OP_OF_RESULT) {
		store(walk, op);
		return;
	}
	if (walk->is_storage[op->pe]) {
		load(walk, op, op->peer, true);
		return;
	}
	bool is_map = op->content == OP_OF_IFMAP;
	const struct held *held = is_map ? read_map(walk, op->pe) : read_filter(walk, op->pe);
	if (held->part != part_of(walk, op))
		fault_here(walk, "passes on", op->pe, label_of(op->content, held->part).text,
		           label_of(op->content, part_of(walk, op)).text);
	receive(walk, op->peer, op->content, (struct held){held->part, op->byte, walk->at, PROVE_NONE});
}

static void task(struct walk *walk, const struct op *op)
{
	struct prove_run *run = walk->run;
	const struct prove_core *core = &run->core;
	uint32_t map = read_map(walk, op->pe)->part, filter = read_filter(walk, op->peer)->part;
	uint32_t own_map = prove_map_of(core, op->part), own_filter = prove_filter_of(core, op->part);
	if (map != own_map)
		fault_here(walk, "task finds", op->pe, prove_label_map(map).text, prove_label_map(own_map).text);
	if (filter != own_filter)
		fault_here(walk, "task finds, for operand A,", op->peer, prove_label_filter(filter).text,
		           prove_label_filter(own_filter).text);
	prove_check_shape(run, walk->at, op->shape, op->part);
	uint32_t index = prove_add_task(run, (struct prove_task){map, filter, walk->at, PROVE_NONE});
	const struct sums sums = {index, index, prove_result_of(core, op->part), PROVE_NONE};
	struct pe *at = &walk->pe[op->pe];
	if (index == PROVE_NONE)
		return;
	if (walk->sends_sums)
		at->own.first = PROVE_NONE;
	append(walk, op->pe, &at->own, &sums);
	check_sram(walk, op->pe);
}

static void follow(struct walk *walk, const struct op *op)
{
	if (op->kind != OP_TASK && op->kind != OP_SYNC && op->content != OP_OF_NEXT)
		check_bytes(walk, op);
	switch (op->kind) {
	case OP_LOAD:
		if (op->content != OP_OF_NEXT)
			load(walk, op, op->pe, false);
		break;
	case OP_COPY:
		copy(walk, op);
		break;
	case OP_STORE:
		store(walk, op);
		break;
	case OP_TASK:
		task(walk, op);
		break;
	case OP_SYNC:
		break;
	}
}

/* ---- the whole ---- */

static uint32_t n_filter_buffer(const struct prove_run *run)
{
	struct tiling tiling;
	if (!distribute_is_chip_reuse(run->context, run->design))
		return 1;
	tiling_size(run->context, &run->design->split, &tiling);
	struct chip_assignment assignment = distribute_chip_assign(run->context, &tiling);
	distribute_chip_count(run->context, run->design, &tiling, &assignment);
	return distribute_chip_migrates(&assignment) ? 2 : 1;
}

static bool open_walk(struct walk *walk)
{
	const struct machine *machine = walk->run->context->machine;
	uint32_t n_pe = machine_n_pe(machine), n_op = walk->schedule->n_op;
	struct place place;
	walk->pe = malloc(n_pe * sizeof(*walk->pe));
	walk->is_storage = calloc(n_pe, sizeof(*walk->is_storage));
	walk->seen = calloc((size_t)n_op + 1, sizeof(*walk->seen));
	if (!walk->pe || !walk->is_storage || !walk->seen || !place_build(machine, &place))
		return false;
	for (uint32_t pe = 0; pe < n_pe; pe++)
		walk->pe[pe] = (struct pe){held_none, {held_none, held_none}, sums_none, sums_none};
	for (uint32_t b = 0; b < place.n_block; b++)
		for (uint32_t z = 0; z < machine->qpe_n_pe && place.storage_qpe[b] != PLACE_NONE; z++)
			walk->is_storage[place.storage_qpe[b] * machine->qpe_n_pe + z] = true;
	place_free(&place);
	for (uint32_t i = 0; i < n_op; i++)
		walk->sends_sums |= walk->schedule->op[i].kind == OP_COPY && walk->schedule->op[i].content == OP_OF_SUM;
	walk->n_filter = n_filter_buffer(walk->run);
	return true;
}

void prove_walk(struct prove_run *run)
{
	const struct schedule *schedule = run->schedule;
	struct walk walk = {.run = run, .schedule = schedule};
	run->no_memory |= !open_walk(&walk);
	for (; walk.step < schedule->n_step && !run->no_memory; walk.step++) {
		const struct schedule_step *step = &schedule->step[walk.step];
		walk.first_op = step->first_op;
		for (uint32_t i = 0; i < step->n_op; i++) {
			walk.at = step->first_op + i;
			follow(&walk, &schedule->op[walk.at]);
		}
		if (step->n_job > 0)
			prove_walk_jobs(run, step);
	}
	free(walk.pe);
	free(walk.is_storage);
	free(walk.seen);
}
