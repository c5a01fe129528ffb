/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"
#include "tests/mapper/unfold/chip_follower.h"
#include "dse/space/machine_read.h"
#include "sim/base/checked.h"
#include "tests/support/random_design.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

/* ---- what the PEs hold ---- */

static void fail_follow(const struct follower *follower, uint32_t op, const char *what)
{
	const struct op *found = &follower->schedule.op[op];
	print_design(follower->context, follower->design);
	fail_msg("operation %u, kind %d, PE %u, peer %u, part %u: %s", op, (int)found->kind, found->pe, found->peer,
	         found->part, what);
}

static bool has_filter(const struct follower *follower, uint32_t pe, uint32_t filter)
{
	const struct held *held = &follower->pe[pe];
	for (uint32_t i = 0; i < held->n_filter; i++)
		if (held->filter[i] == filter)
			return true;
	return false;
}

static void take_filter(struct follower *follower, uint32_t pe, uint32_t filter)
{
	struct held *held = &follower->pe[pe];
	if (held->n_filter < follower->n_buffer)
		held->n_filter++;
	for (uint32_t i = held->n_filter; i-- > 1;)
		held->filter[i] = held->filter[i - 1];
	held->filter[0] = filter;
}

/* The number under which the ifmap part of a task is moved: the groups' own where there are some. */
static uint32_t map_of(const struct follower *follower, uint32_t task)
{
	const struct tiling *tiling = &follower->tiling;
	return task / tiling->n_c * tiling->n_channel_part + task % tiling->n_c / tiling->n_meet;
}

static bool waits_for(const struct op *op, uint32_t before)
{
	return before == NONE || op->before[0] == before || op->before[1] == before;
}

static struct unfolded_part part_of(struct follower *follower, uint32_t map, uint32_t filter)
{
	uint32_t n_w = follower->tiling.n_w;
	const struct unfolding unfolding = {follower->context, follower->design, &follower->tiling, NULL,
	                                    &follower->schedule};
	return unfold_part(&unfolding, map % n_w, map / n_w, filter, 0);
}

static uint32_t map_byte_of(struct follower *follower, uint32_t number)
{
	const struct tiling *tiling = &follower->tiling;
	uint32_t filter = number % tiling->n_channel_part * tiling->n_meet;
	return part_of(follower, number / tiling->n_channel_part, filter).map_byte;
}

static bool is_storage(const struct follower *follower, uint32_t pe)
{
	uint32_t qpe = pe / follower->context->machine->qpe_n_pe;
	for (uint32_t b = 0; b < follower->place.n_block; b++)
		if (follower->place.storage_qpe[b] == qpe)
			return true;
	return false;
}

static bool is_thesis(const struct follower *follower)
{
	return follower->design->strategy == STRATEGY_THESIS_REUSE;
}

/* ---- steps ---- */

static void follow_weight(struct follower *follower, uint32_t index)
{
	const struct op *op = &follower->schedule.op[index];
	uint32_t to = op->kind == OP_LOAD ? op->pe : op->peer;
	bool there = op->kind == OP_LOAD || has_filter(follower, op->pe, op->part);
	/* of two sets that cross the thesis' rules pass each on when it comes, ours has one in a PE */
	if (!there || (op->kind == OP_COPY && !is_thesis(follower) && !waits_for(op, follower->pe[op->pe].arrival)))
		fail_follow(follower, index, "passes on a filter part before it is there");
	if (follower->pe[to].n_filter > 0 && !is_thesis(follower))
		fail_follow(follower, index, "a filter part to a PE that has one");
	if (!is_thesis(follower) && op->byte != part_of(follower, 0, op->part).filter_byte)
		fail_follow(follower, index, "another number of bytes");
	take_filter(follower, to, op->part);
	follower->pe[to].arrival = index;
	if (op->kind == OP_LOAD)
		follower->weight_byte += op->byte;
}

static void follow_input(struct follower *follower, uint32_t index)
{
	const struct op *op = &follower->schedule.op[index];
	uint32_t to = op->kind == OP_LOAD ? op->pe : op->peer;
	bool enters = op->kind == OP_LOAD || is_storage(follower, op->pe);
	if (enters && (op->kind == OP_COPY) != follower->design->in_storage)
		fail_follow(follower, index, "comes from the wrong place");
	if (enters && op->kind == OP_COPY && is_storage(follower, to))
		fail_follow(follower, index, "an ifmap part to a storage QPE");
	if (!enters && (follower->pe[op->pe].map != op->part || !waits_for(op, follower->pe[op->pe].arrival)))
		fail_follow(follower, index, "passes on an ifmap part before it is there");
	if (follower->pe[to].map != NONE)
		fail_follow(follower, index, "an ifmap part to a PE that has one");
	if (!is_thesis(follower) && op->byte != map_byte_of(follower, op->part))
		fail_follow(follower, index, "another number of bytes");
	follower->pe[to].map = op->part;
	follower->pe[to].arrival = index;
	if (enters)
		follower->map_byte += op->byte;
}

static void follow_computation(struct follower *follower, uint32_t index)
{
	const struct op *op = &follower->schedule.op[index];
	struct held *held = &follower->pe[op->pe];
	uint32_t n_c = follower->tiling.n_c;
	if (op->kind != OP_TASK) {
		const struct op *task = &follower->schedule.op[held->arrival];
		if (held->arrival == NONE || task->kind != OP_TASK || task->part != op->part ||
		    !waits_for(op, held->arrival))
			fail_follow(follower, index, "writes a result that is not there");
		if ((op->kind == OP_COPY) != follower->design->out_storage ||
		    (op->kind == OP_COPY && !is_storage(follower, op->peer)))
			fail_follow(follower, index, "writes to the wrong place");
		held->arrival = index;
		follower->out_byte += op->byte;
		return;
	}
	if (held->map != map_of(follower, op->part) || !has_filter(follower, op->peer, op->part % n_c))
		fail_follow(follower, index, "a task without its operands");
	if (!waits_for(op, held->arrival) ||
	    (held->arrival != NONE && follower->schedule.op[held->arrival].kind == OP_TASK))
		fail_follow(follower, index, "starts before the result before is written");
	if (!is_thesis(follower) && op->shape != part_of(follower, op->part / n_c, op->part % n_c).shape)
		fail_follow(follower, index, "another shape");
	held->arrival = index;
	held->n_task++;
	follower->n_task++;
	follower->n_met[op->part]++;
	if (held->n_task > follower->most_task)
		follower->most_task = held->n_task;
}

static uint32_t cell_of(const struct follower *follower, uint32_t pe)
{
	const struct place *place = &follower->place;
	uint32_t i = 0;
	while (place->cell[i] != pe / follower->context->machine->qpe_n_pe)
		i++;
	return i / place->n_cell_qpe;
}

/* Every computing PE is asked once. */
static void follow_barrier(struct follower *follower, const struct schedule_step *step)
{
	const struct place *place = &follower->place;
	assert_int_equal(step->n_op, place->n_block * place->n_qpe * follower->context->machine->qpe_n_pe);
	for (uint32_t i = step->first_op; i < step->first_op + step->n_op; i++)
		if (follower->schedule.op[i].kind != OP_SYNC ||
		    (i > step->first_op && follower->schedule.op[i].pe == follower->schedule.op[i - 1].pe))
			fail_follow(follower, i, "a barrier of another kind");
	follower->at_barrier = true;
}

/* All send what they had when the step began, so that none waits. */
static void follow_migration(struct follower *follower, const struct schedule_step *step)
{
	uint32_t n_pe = follower->context->machine->qpe_n_pe;
	bool across = false;
	if (step->n_op > 0 && follower->schedule.op[step->first_op].kind == OP_SYNC) {
		follow_barrier(follower, step);
		return;
	}
	assert_true(follower->at_barrier);
	follower->at_barrier = false;
	for (uint32_t i = step->first_op; i < step->first_op + step->n_op; i++) {
		const struct op *op = &follower->schedule.op[i];
		if (op->kind != OP_COPY || op->pe % n_pe != op->peer % n_pe || !has_filter(follower, op->pe, op->part))
			fail_follow(follower, i, "migrates what is not there");
		across = across || cell_of(follower, op->pe) != cell_of(follower, op->peer);
	}
	for (uint32_t i = step->first_op; i < step->first_op + step->n_op; i++)
		take_filter(follower, follower->schedule.op[i].peer, follower->schedule.op[i].part);
	follower->n_ring += across;
	follower->n_rotation += !across;
}

static void begin_step(struct follower *follower, const struct schedule_step *step)
{
	for (uint32_t pe = 0; pe < machine_n_pe(follower->context->machine); pe++) {
		follower->pe[pe].arrival = NONE;
		if (step->phase == PHASE_WEIGHT)
			follower->pe[pe].n_filter = 0;
		if (step->phase == PHASE_INPUT)
			follower->pe[pe].map = NONE;
	}
	follower->n_weight += step->phase == PHASE_WEIGHT;
	follower->n_input += step->phase == PHASE_INPUT;
}

static void follow(struct follower *follower)
{
	for (uint32_t i = 0; i < follower->schedule.n_step; i++) {
		struct schedule_step step = follower->schedule.step[i];
		begin_step(follower, &step);
		if (step.phase == PHASE_MIGRATION)
			follow_migration(follower, &step);
		for (uint32_t k = step.first_op; k < step.first_op + step.n_op; k++) {
			if (step.phase == PHASE_WEIGHT)
				follow_weight(follower, k);
			else if (step.phase == PHASE_INPUT)
				follow_input(follower, k);
			else if (step.phase == PHASE_COMPUTATION)
				follow_computation(follower, k);
		}
	}
}

/* ---- one design ---- */

void follower_open(struct follower *follower, const struct layer_context *context, const struct layer_design *design)
{
	struct err err = {0};
	*follower = (struct follower){.context = context, .design = design};
	tiling_build(context, &design->split, &follower->tiling);
	const struct unfold_fetch nothing = {0};
	const struct unfolding unfolding = {context, design, &follower->tiling, &nothing, &follower->schedule};
	(distribute_is_own(context, &follower->tiling) ? unfold_own : unfold_chip_reuse)(&unfolding);
	if (schedule_check(&follower->schedule, context->machine, &err) != ERR_OK) {
		print_design(context, design);
		fail_msg("%s", err_text(&err));
	}
	assert_true(place_build(context->machine, &follower->place));
	follower->n_buffer = is_thesis(follower) ? FOLLOWER_N_HELD : 2;
	follower->pe = calloc(machine_n_pe(context->machine), sizeof(*follower->pe));
	follower->n_met = calloc(follower->tiling.n_task, sizeof(*follower->n_met));
	assert_true(follower->pe && follower->n_met);
	follow(follower);
}

void follower_close(struct follower *follower)
{
	free(follower->pe);
	free(follower->n_met);
	place_free(&follower->place);
	schedule_free(&follower->schedule);
}

/* ---- the thesis' designs ---- */

void thesis_open(struct thesis *thesis)
{
	struct err err = {0};
	assert_int_equal(split_scheme_read("spaces/splits/thesis.csv", &thesis->scheme, &err), ERR_OK);
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &thesis->machine, &err), ERR_OK);
	assert_int_equal(network_read("spaces/networks/vgg16.yaml", &thesis->network[0], &err), ERR_OK);
	assert_int_equal(network_read("spaces/networks/resnet50.yaml", &thesis->network[1], &err), ERR_OK);
}

void thesis_close(struct thesis *thesis)
{
	network_free(&thesis->network[0]);
	network_free(&thesis->network[1]);
	split_scheme_free(&thesis->scheme);
}

struct layer_design thesis_design(const struct thesis *thesis, int network, const struct block *block,
                                  enum strategy strategy)
{
	static const char *const name[] = {"vgg16", "resnet50"};
	const struct split_scheme_row *row = split_scheme_find(&thesis->scheme, name[network], "chip", block->name);
	assert_non_null(row);
	return (struct layer_design){.split = row->split, .strategy = strategy, .operand_bit = 8};
}
