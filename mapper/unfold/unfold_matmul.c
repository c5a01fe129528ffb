/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/place.h"
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"
#include <stdlib.h>

/*
 * A fused matrix multiplication on the chip (thesis section 4.4; thesis
 * simulator, re-run). Blocks of columns are dealt over the double blocks and in
 * each over its PEs, first one a QPE; more than PEs are further turns. A PE takes
 * the blocks of rows of its column one after the other and loads nothing ahead:
 *
 *   DRAM ----B----> PE z             PE z --32-bit partial sums--> PE z + 2
 *   storage QPE,                                                     |
 *   PE 0, or DRAM --A----> PE z              8-bit result, last block of rows
 *                                                                    v
 *                                                       storage QPE, PE z, or DRAM
 */

#define PARTIAL_SHIFT 2 /* PEs from the one that computes to the one that keeps the sums */

struct matmul_unfolding {
	const struct unfolding *base;
	struct place place;
	uint32_t block;
};

/* The PE that keeps this one's partial sums. */
static uint32_t partial_pe(const struct matmul_unfolding *unfolding, uint32_t pe)
{
	uint32_t n_pe = unfolding->base->context->machine->qpe_n_pe;
	return pe / n_pe * n_pe + (pe + PARTIAL_SHIFT) % n_pe;
}

/* A PE of the block's storage QPE. */
static uint32_t storage_pe(const struct matmul_unfolding *unfolding, uint32_t z)
{
	return unfolding->place.storage_qpe[unfolding->block] * unfolding->base->context->machine->qpe_n_pe + z;
}

/* Loads and task; returns the task. */
static uint32_t add_task(const struct matmul_unfolding *unfolding, const struct unfolded_part *part, uint32_t pe,
                         uint32_t before)
{
	uint32_t dram = unfolding->place.dram[unfolding->block];
	uint32_t n_column = unfolding->base->tiling->n_w;
	struct op weight = {.kind = OP_LOAD, .content = OP_OF_FILTER, .pe = pe, .peer = dram};
	struct op input = {.kind = OP_LOAD, .pe = pe, .peer = dram, .byte = part->map_byte};
	struct op task = {.kind = OP_TASK, .pe = pe, .peer = pe, .shape = part->shape, .part = part->number};
	weight.byte = part->filter_byte;
	weight.part = part->number;
	input.part = part->number / n_column;
	if (unfolding->base->design->in_storage) {
		input.kind = OP_COPY;
		input.pe = storage_pe(unfolding, 0);
		input.peer = pe;
	}
	uint32_t weight_op = unfold_add_op(unfolding->base, weight, before, SCHEDULE_NONE);
	return unfold_add_op(unfolding->base, task, weight_op,
	                     unfold_add_op(unfolding->base, input, before, SCHEDULE_NONE));
}

/* All blocks of rows of a result; returns the operation after which the PE is free. */
static uint32_t add_result(const struct matmul_unfolding *unfolding, uint64_t row, uint64_t column, uint32_t pe,
                           uint32_t before)
{
	const struct tiling *tiling = unfolding->base->tiling;
	uint32_t n_pe = unfolding->base->context->machine->qpe_n_pe;
	uint32_t sum_pe = tiling->n_d > 1 ? partial_pe(unfolding, pe) : pe;
	struct unfolded_part part = {0};
	assert(tiling->n_d > 0);
	for (uint32_t d = 0; d < tiling->n_d; d++) {
		part = unfold_result_part(unfolding->base, row, column, d);
		before = add_task(unfolding, &part, pe, before);
		struct op partial = {
		    .kind = OP_COPY, .content = OP_OF_SUM, .pe = pe, .peer = sum_pe, .part = part.number};
		partial.byte = part.raw_out_byte;
		if (sum_pe != pe)
			before = unfold_add_op(unfolding->base, partial, before, SCHEDULE_NONE);
	}
	struct op result = {.kind = OP_STORE, .content = OP_OF_RESULT, .pe = sum_pe, .byte = part.out_byte};
	result.part = part.number;
	result.peer = unfolding->place.dram[unfolding->block];
	if (unfolding->base->design->out_storage) {
		result.kind = OP_COPY;
		result.peer = storage_pe(unfolding, pe % n_pe);
	}
	return unfold_add_op(unfolding->base, result, before, SCHEDULE_NONE);
}

/* before: [pe_per_block], of every PE the operation after which it is free; SCHEDULE_NONE all of them. */
static void unfold_block(const struct matmul_unfolding *unfolding, uint32_t *before)
{
	const struct hierarchy *hierarchy = &unfolding->base->context->hierarchy;
	const struct place *place = &unfolding->place;
	struct result_grid grid = unfold_grid(unfolding->base);
	assert(place->n_qpe == hierarchy->qpe_per_block);
	uint32_t n_qpe = hierarchy->qpe_per_block, slot = 0;
	for (uint64_t row = 0; row < grid.n_row && !unfolding->base->schedule->failed; row++) {
		struct result_range range = unfold_deal(&grid, place->n_block, unfolding->block, row);
		for (uint64_t column = range.first; column < range.end; column++) {
			uint32_t qpe = place_qpe(place, unfolding->block, slot % n_qpe);
			uint32_t pe = qpe * unfolding->base->context->machine->qpe_n_pe + slot / n_qpe;
			before[slot] = add_result(unfolding, row, column, pe, before[slot]);
			slot = (slot + 1) % hierarchy->pe_per_block;
		}
	}
}

void unfold_chip_matmul(const struct unfolding *base)
{
	const struct layer_context *context = base->context;
	uint32_t n_slot = context->hierarchy.pe_per_block;
	struct matmul_unfolding unfolding = {.base = base};
	assert(context->block->kind == BLOCK_MATMUL && context->hierarchy.storage_byte > 0);
	uint32_t *before = malloc(n_slot * sizeof(*before));
	if (!before || !place_build(context->machine, &unfolding.place)) {
		base->schedule->failed = true;
		free(before);
		return;
	}
	unfold_add_step(base, PHASE_TASKS);
	for (; unfolding.block < unfolding.place.n_block; unfolding.block++) {
		for (uint32_t i = 0; i < n_slot; i++)
			before[i] = SCHEDULE_NONE;
		unfold_block(&unfolding, before);
	}
	place_free(&unfolding.place);
	free(before);
}
