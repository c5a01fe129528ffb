/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/placement/placement.h"
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"
#include <stdlib.h>

/*
 * Reuse of grouped convolutions cut between groups, operation by operation
 * (mapper/distribute/distribute_own.c counts the same). A wave's tasks lie in slots of a
 * block's PEs, n_user of them for each filter part it has:
 *
 *   slot         0 .. n_user - 1      n_user .. 2 n_user - 1    ...
 *   filter part  c                    c + 1
 *   ifmap part   those of the block's rows, in order; in each of n_turn waves the next ones
 */

struct own_unfolding {
	const struct unfolding *base;
	struct chip_assignment assignment;
	struct own_rows rows;
	struct place place;
	uint64_t n_task, fetched_byte; /* so far */
	uint32_t *arrival;             /* [n_user] of one filter part: operations that brought it */
};

/* A slot's task in a wave; false: it has none. */
struct own_task {
	uint32_t pe, block, map, c;
};

static bool task_of(const struct own_unfolding *own, uint32_t wave, uint32_t block, uint32_t slot,
                    struct own_task *task)
{
	const struct chip_assignment *a = &own->assignment;
	const struct tiling *tiling = own->base->tiling;
	uint32_t n_pe = own->base->context->machine->qpe_n_pe, n_share = (uint32_t)a->n_share;
	uint32_t n_group = own->place.n_block / n_share, group = block, share = 0;
	if (n_share > 1) {
		/* as distribute_chip.c's blocks: opposite ones share a row */
		group = place_ring_of(&own->place, block) % n_group;
		share = place_ring_of(&own->place, block) / n_group;
	}
	uint64_t first_row = group * own->rows.n_each, end_row = first_row + own->rows.n_each;
	end_row = end_row < tiling->n_h ? end_row : tiling->n_h;
	uint64_t map = first_row * tiling->n_w + wave % a->n_turn * a->n_user + slot % a->n_user;
	uint64_t first_c = (uint64_t)tiling->n_c * share / n_share,
		 end_c = (uint64_t)tiling->n_c * (share + 1) / n_share;
	uint64_t c = first_c + wave / a->n_turn * a->n_together + slot / a->n_user;
	if (first_row >= tiling->n_h || map >= end_row * tiling->n_w || c >= end_c)
		return false;
	*task = (struct own_task){placement_own_pe(&own->place, n_pe, block, slot), block, (uint32_t)map, (uint32_t)c};
	return true;
}

static struct unfolded_part part_of(const struct own_unfolding *own, const struct own_task *task)
{
	const struct tiling *tiling = own->base->tiling;
	return unfold_part(own->base, task->map % tiling->n_w, task->map / tiling->n_w, task->c, 0);
}

static uint32_t add_op(const struct own_unfolding *own, struct op op, uint32_t before)
{
	return unfold_add_op(own->base, op, before, SCHEDULE_NONE);
}

/* The filter part of n_user slots from the first one on: loaded into its PE, from there to the others, doubling. */
static void load_filter(const struct own_unfolding *own, uint32_t wave, uint32_t block, uint32_t first)
{
	uint32_t n_user = (uint32_t)own->assignment.n_user;
	struct own_task task, from;
	for (uint32_t i = 0; i < n_user && task_of(own, wave, block, first + i, &task); i++) {
		struct op op = {.kind = OP_LOAD, .content = OP_OF_FILTER, .part = task.c};
		op.byte = part_of(own, &task).filter_byte;
		if (i == 0) {
			op.pe = task.pe;
			op.peer = own->place.dram[block];
			own->arrival[0] = add_op(own, op, SCHEDULE_NONE);
			continue;
		}
		uint32_t before = placement_own_before(i);
		(void)task_of(own, wave, block, first + before, &from);
		op.kind = OP_COPY;
		op.pe = from.pe;
		op.peer = task.pe;
		own->arrival[i] = add_op(own, op, own->arrival[before]);
	}
}

static void load_filters(const struct own_unfolding *own, uint32_t wave)
{
	const struct chip_assignment *a = &own->assignment;
	unfold_add_step(own->base, PHASE_WEIGHT);
	for (uint32_t i = 0; i < a->n_together; i++)
		for (uint32_t block = 0; block < own->place.n_block; block++)
			load_filter(own, wave, block, i * (uint32_t)a->n_user);
}

static void load_maps(const struct own_unfolding *own, uint32_t wave)
{
	const struct place *place = &own->place;
	uint32_t n_pe = own->base->context->machine->qpe_n_pe;
	struct own_task task;
	unfold_add_step(own->base, PHASE_INPUT);
	for (uint32_t slot = 0; slot < own->assignment.n_resident; slot++)
		for (uint32_t block = 0; block < place->n_block; block++) {
			if (!task_of(own, wave, block, slot, &task))
				continue;
			const struct unfolded_part part = part_of(own, &task);
			struct op op = {.kind = OP_LOAD, .content = OP_OF_IFMAP, .pe = task.pe, .byte = part.map_byte};
			op.peer = place->dram[block];
			op.part = task.map * own->base->tiling->n_channel_part + task.c;
			if (own->base->design->in_storage) {
				op.kind = OP_COPY;
				op.pe = place->storage_qpe[block] * n_pe + slot % n_pe;
				op.peer = task.pe;
			}
			(void)add_op(own, op, SCHEDULE_NONE);
		}
}

static void run_task(struct own_unfolding *own, const struct own_task *task)
{
	const struct place *place = &own->place;
	uint32_t n_pe = own->base->context->machine->qpe_n_pe;
	const struct unfolded_part part = part_of(own, task);
	struct op op = {.kind = OP_TASK, .pe = task->pe, .peer = task->pe, .shape = part.shape, .part = part.number};
	uint32_t done = add_op(own, op, SCHEDULE_NONE);
	op = (struct op){.kind = OP_STORE,
	                 .content = OP_OF_RESULT,
	                 .pe = task->pe,
	                 .peer = mesh_near_dram(&place->mesh, task->pe / n_pe),
	                 .byte = part.out_byte,
	                 .part = part.number};
	if (own->base->design->out_storage) {
		op.kind = OP_COPY;
		op.peer = place->storage_qpe[task->block] * n_pe + task->pe % n_pe;
	}
	(void)add_op(own, op, done);
	own->n_task++;
}

/* With its share of what is fetched for the next block. */
static void run_tasks(struct own_unfolding *own, uint32_t wave)
{
	struct own_task task;
	unfold_add_step(own->base, PHASE_COMPUTATION);
	for (uint32_t slot = 0; slot < own->assignment.n_resident; slot++)
		for (uint32_t block = 0; block < own->place.n_block; block++)
			if (task_of(own, wave, block, slot, &task))
				run_task(own, &task);
	unfold_fetch_share(own->base, &own->place, own->n_task, &own->fetched_byte);
}

void unfold_own(const struct unfolding *base)
{
	const struct layer_context *context = base->context;
	const struct tiling *tiling = base->tiling;
	struct schedule *schedule = base->schedule;
	struct own_unfolding own = {.base = base};
	assert(distribute_is_own(context, tiling) && tiling->n_d == 1);
	own.assignment = distribute_own_assign(context, tiling);
	own.rows = distribute_own_rows(context, tiling, &own.assignment);
	if (!place_build(context->machine, &own.place)) {
		schedule->failed = true;
		return;
	}
	own.arrival = calloc((size_t)own.assignment.n_user, sizeof(*own.arrival));
	schedule->failed |= !own.arrival;
	for (uint32_t wave = 0; wave < own.assignment.n_wave && !schedule->failed; wave++) {
		if (wave % own.assignment.n_turn == 0)
			load_filters(&own, wave);
		load_maps(&own, wave);
		run_tasks(&own, wave);
	}
	assert(own.n_task == tiling->n_task || schedule->failed);
	unfold_fetch_rest(base, &own.place);
	free(own.arrival);
	place_free(&own.place);
}
