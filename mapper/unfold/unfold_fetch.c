/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/network/place.h"
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"
#include "sim/fast/fast.h"

/*
 * The next block's weights, fetched while this one computes. The host's plan is
 * made beforehand, from the fast tier's times: so much in each computation step
 * and during each ARM operation, in what time they leave the interfaces idle, and
 * what is left in a step of its own. Every interface loads pieces for the
 * storage QPEs of its blocks, two of them under way, so that one is read from
 * DRAM while the other is asked for; they are small, because results that go to
 * DRAM queue behind them.
 */

/* The number that operations of a fetch have instead of a part of this block. */
#define FETCHED UINT32_MAX
#define LINE_BYTE 16u

static uint64_t whole_lines(double byte)
{
	return (uint64_t)(byte / LINE_BYTE) * LINE_BYTE;
}

void unfold_plan_fetch(const struct layer_context *context, const struct layer_design *design,
                       const struct program *program, struct unfold_fetch *fetch)
{
	struct fetch_plan plan;
	const uint64_t all_byte = context->next_byte[design->fetch_next];
	uint64_t left_byte = all_byte;
	*fetch = (struct unfold_fetch){0};
	if (design->fetch_next == AHEAD_NONE)
		return;
	fast_plan_fetch(context->machine, program, design->level, &plan);
	for (uint32_t i = 0; i < program->n_step; i++) {
		const struct step *step = &program->step[i];
		uint64_t byte = whole_lines(plan.step_frac[i] * (double)all_byte);
		assert(byte <= left_byte && (byte == 0 || step->kind == STEP_COMPUTE || step->kind == STEP_ARM));
		left_byte -= byte;
		if (step->kind == STEP_ARM)
			fetch->arm_byte[i] = byte;
		else
			fetch->compute_byte += byte;
	}
	/* what rounding to lines leaves needs no step of its own */
	if (plan.rest_clk > 0)
		fetch->rest_byte = left_byte;
	else
		fetch->compute_byte += left_byte;
}

/* Loads of so many bytes, evenly from all interfaces. */
static void add_loads(const struct unfolding *unfolding, const struct place *place, uint64_t byte)
{
	const struct machine *machine = unfolding->context->machine;
	uint64_t n_line = ceil_div(byte, LINE_BYTE);
	for (uint32_t dram = 0; dram < machine->dram_n; dram++) {
		uint64_t left_byte =
		    (n_line * (dram + 1) / machine->dram_n - n_line * dram / machine->dram_n) * LINE_BYTE;
		uint32_t before[2] = {SCHEDULE_NONE, SCHEDULE_NONE}, block = place->n_block - 1, z = 0;
		for (uint32_t i = 0; left_byte > 0 && !unfolding->schedule->failed; i++) {
			uint32_t piece_byte =
			    left_byte < DISTRIBUTE_PIECE_BYTE ? (uint32_t)left_byte : DISTRIBUTE_PIECE_BYTE;
			uint32_t last = block;
			block = place_next_filled(place, dram, last);
			z += block <= last; /* round again: the next PE of each */
			assert(place->storage_qpe[block] != PLACE_NONE);
			struct op op = {.kind = OP_LOAD, .peer = dram, .byte = piece_byte, .part = FETCHED};
			op.content = OP_OF_NEXT;
			op.pe = place->storage_qpe[block] * machine->qpe_n_pe + z % machine->qpe_n_pe;
			before[i % 2] = unfold_add_op(unfolding, op, before[i % 2], SCHEDULE_NONE);
			left_byte -= piece_byte;
		}
	}
}

void unfold_fetch_share(const struct unfolding *unfolding, const struct place *place, uint64_t n_task,
                        uint64_t *fetched_byte)
{
	uint64_t n_all = unfolding->tiling->n_task, due_byte = unfolding->fetch->compute_byte;
	assert(n_task <= n_all);
	if (n_task < n_all)
		due_byte = whole_lines((double)due_byte * (double)n_task / (double)n_all);
	if (due_byte > *fetched_byte)
		add_loads(unfolding, place, due_byte - *fetched_byte);
	*fetched_byte = due_byte;
}

void unfold_fetch_rest(const struct unfolding *unfolding, const struct place *place)
{
	if (unfolding->fetch->rest_byte == 0 || unfolding->schedule->failed)
		return;
	unfold_add_step(unfolding, PHASE_FETCH);
	add_loads(unfolding, place, unfolding->fetch->rest_byte);
}
