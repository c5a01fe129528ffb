/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of reuse on the chip, followed part by part: every operand is where
 * it is taken from, every pair of parts meets once, and the work is what the
 * fast tier prices. Any mesh, any split; the thesis' rules with what they leave
 * out.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "dse/space.h"
#include "mapper/place.h"
#include "mapper/unfold_parts.h"
#include "sim/base/checked.h"
#include "tests/random_chip.h"
#include "tests/random_design.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define N_CASE 1500
#define MOST_TASK 20000
#define N_HELD 8 /* filter parts followed in a PE; ours has two buffers */

/* ---- what the PEs hold ---- */

struct held {
	uint32_t map, filter[N_HELD], n_filter; /* the latest filter first */
	uint32_t arrival; /* of this step: the operation that brought the latest, or wrote the last result */
	uint32_t n_task;
};

struct follower {
	const struct layer_context *context;
	const struct layer_design *design;
	struct tiling tiling;
	struct schedule schedule;
	struct place place;
	struct held *pe;
	uint32_t *n_met; /* [n_task of the tiling] */
	uint64_t n_task, weight_byte, map_byte, out_byte, n_weight, n_input, n_rotation, n_ring;
	bool at_barrier;    /* all PEs have been asked, and a migration may follow */
	uint32_t most_task; /* of the busiest PE */
	uint32_t n_buffer;  /* of filters in a PE */
};

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

static bool waits_for(const struct op *op, uint32_t before)
{
	return before == NONE || op->before[0] == before || op->before[1] == before;
}

static struct part part_of(struct follower *follower, uint32_t map, uint32_t filter)
{
	uint32_t n_w = follower->tiling.n_w;
	return unfold_part(follower->context, follower->design, &follower->tiling, map % n_w, map / n_w, filter, 0,
	                   &follower->schedule);
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
	if (!is_thesis(follower) && op->byte != part_of(follower, op->part, 0).map_byte)
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
	if (held->map != op->part / n_c || !has_filter(follower, op->peer, op->part % n_c))
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

static void follower_open(struct follower *follower, const struct layer_context *context,
                          const struct layer_design *design)
{
	struct err err = {0};
	*follower = (struct follower){.context = context, .design = design};
	tiling_build(context, &design->split, &follower->tiling);
	const struct unfold_fetch nothing = {0};
	unfold_chip_reuse(context, design, &follower->tiling, &nothing, &follower->schedule);
	if (schedule_check(&follower->schedule, context->machine, &err) != ERR_OK) {
		print_design(context, design);
		fail_msg("%s", err_text(&err));
	}
	assert_true(place_build(context->machine, &follower->place));
	follower->n_buffer = is_thesis(follower) ? N_HELD : 2;
	follower->pe = calloc(machine_n_pe(context->machine), sizeof(*follower->pe));
	follower->n_met = calloc(follower->tiling.n_task, sizeof(*follower->n_met));
	assert_true(follower->pe && follower->n_met);
	follow(follower);
}

static void follower_close(struct follower *follower)
{
	free(follower->pe);
	free(follower->n_met);
	place_free(&follower->place);
	schedule_free(&follower->schedule);
}

/* ---- what holds of ours ---- */

static void assert_equal(const struct follower *follower, const char *what, uint64_t found, uint64_t expected)
{
	if (found == expected)
		return;
	print_design(follower->context, follower->design);
	fail_msg("%s: %llu instead of %llu", what, (unsigned long long)found, (unsigned long long)expected);
}

static void check_met(const struct follower *follower)
{
	for (uint64_t i = 0; i < follower->tiling.n_task; i++)
		assert_equal(follower, "times a pair meets", follower->n_met[i], 1);
}

/* Every pair of parts once, and as many bytes as the parts have, for each load of them. */
static void check_complete(const struct follower *follower)
{
	const struct tiling *tiling = &follower->tiling;
	struct chip_assignment assignment = distribute_chip_assign(follower->context, tiling);
	check_met(follower);
	assert_equal(follower, "tasks", follower->n_task, tiling->n_task);
	assert_equal(follower, "weight bytes", follower->weight_byte, tiling->all_filter_byte * assignment.n_wave);
	assert_equal(follower, "ifmap bytes", follower->map_byte, tiling->all_map_byte * assignment.n_share);
	assert_equal(follower, "result bytes", follower->out_byte, tiling->all_out_byte);
	assert_equal(follower, "weight steps", follower->n_weight, assignment.n_wave * assignment.n_filter_load);
	assert_equal(follower, "input steps", follower->n_input, assignment.n_wave);
	if (follower->most_task < assignment.n_task)
		assert_equal(follower, "tasks of the busiest PE", follower->most_task, assignment.n_task);
}

/* What the fast tier prices, and never more; true: all of it. */
static bool check_migrations(const struct follower *follower)
{
	struct chip_assignment assignment = distribute_chip_assign(follower->context, &follower->tiling);
	uint64_t n_rotation = assignment.n_rotation * assignment.n_wave;
	uint64_t n_ring = assignment.n_ring * assignment.n_wave;
	if (follower->n_rotation > n_rotation)
		assert_equal(follower, "rotations", follower->n_rotation, n_rotation);
	if (follower->n_ring > n_ring)
		assert_equal(follower, "ring steps", follower->n_ring, n_ring);
	return follower->n_rotation == n_rotation && follower->n_ring == n_ring;
}

/* Filters on the move need a second buffer, which has to be reckoned with. */
static void check_sram(const struct follower *follower)
{
	const struct tiling *tiling = &follower->tiling;
	uint64_t n_filter = follower->n_rotation + follower->n_ring > 0 ? 2 : 1;
	uint64_t need = tiling->map_aligned_byte + n_filter * tiling->filter_byte + tiling->result_byte;
	uint64_t reserved = mapper_sram_byte(follower->context, follower->design);
	if (reserved < need)
		assert_equal(follower, "SRAM bytes", reserved, need);
}

/* ---- thesis' splits ---- */

struct thesis {
	struct split_scheme scheme;
	struct machine machine;
	struct network network[2]; /* VGG-16, ResNet-50 */
};

static void open_thesis(struct thesis *thesis)
{
	struct err err = {0};
	assert_int_equal(split_scheme_read("spaces/splits/thesis.csv", &thesis->scheme, &err), ERR_OK);
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &thesis->machine, &err), ERR_OK);
	assert_int_equal(network_read("spaces/networks/vgg16.yaml", &thesis->network[0], &err), ERR_OK);
	assert_int_equal(network_read("spaces/networks/resnet50.yaml", &thesis->network[1], &err), ERR_OK);
}

static void close_thesis(struct thesis *thesis)
{
	network_free(&thesis->network[0]);
	network_free(&thesis->network[1]);
	split_scheme_free(&thesis->scheme);
}

static struct layer_design thesis_design(const struct thesis *thesis, int network, const struct block *block,
                                         enum strategy strategy)
{
	static const char *const name[] = {"vgg16", "resnet50"};
	const struct split_scheme_row *row = split_scheme_find(&thesis->scheme, name[network], "chip", block->name);
	assert_non_null(row);
	return (struct layer_design){.split = row->split, .strategy = strategy, .operand_bit = 8};
}

/* All work is done, and it is what the fast tier prices. */
static void test_unfold_chip_meets_every_pair_with_the_thesis_splits(void **state)
{
	struct thesis thesis;
	uint32_t n_block = 0;
	(void)state;
	open_thesis(&thesis);
	for (size_t i = 0; i < 8 * thesis.network[0].n_block + 8 * thesis.network[1].n_block; i++) {
		int network = i / 8 >= thesis.network[0].n_block;
		size_t index = network ? i / 8 - thesis.network[0].n_block : i / 8;
		const struct block *block = &thesis.network[network].block[index];
		struct layer_context context;
		struct follower follower;
		if (block->kind != BLOCK_CONV)
			continue;
		struct layer_design design = thesis_design(&thesis, network, block, STRATEGY_FUSION_REUSE);
		thesis.machine.dram_n = i & 4 ? 2 : 4;
		design.in_storage = i & 1;
		design.out_storage = i & 2;
		mapper_prepare(block, &thesis.machine, 8, &context);
		follower_open(&follower, &context, &design);
		struct chip_assignment assignment = distribute_chip_assign(&context, &follower.tiling);
		check_complete(&follower);
		check_sram(&follower);
		assert_equal(&follower, "tasks of the busiest PE", follower.most_task, assignment.n_task);
		assert_equal(&follower, "rotations", follower.n_rotation, assignment.n_rotation);
		assert_equal(&follower, "ring steps", follower.n_ring, assignment.n_ring);
		follower_close(&follower);
		n_block++;
	}
	assert_int_equal(n_block, 8 * (13 + 53));
	close_thesis(&thesis);
}

/* What its own simulator ran, in tasks and in migrations. */
static void test_unfold_chip_leaves_out_what_the_thesis_did(void **state)
{
	static const struct {
		int network;
		const char *name;
		uint64_t n_task;
		uint32_t most_task;
		uint64_t n_rotation, n_ring;
	} row[] = {
	    {0, "CONV_2", 1568, 16, 3, 0}, {0, "CONV_4", 512, 4, 0, 0},  {0, "CONV_5", 1792, 16, 3, 0},
	    {0, "CONV_8", 1024, 8, 0, 4},  {0, "CONV_11", 512, 4, 0, 6}, {0, "CONV_12", 1536, 12, 0, 6},
	    {0, "CONV_16", 512, 4, 0, 6},  {1, "CONV_6", 256, 2, 0, 0},  {1, "CONV_12", 896, 8, 2, 0},
	    {1, "CONV_25", 128, 1, 0, 0},  {1, "CONV_42", 128, 1, 0, 0}, {1, "CONV_45", 256, 2, 0, 4},
	};
	struct thesis thesis;
	(void)state;
	open_thesis(&thesis);
	for (size_t i = 0; i < 2 * sizeof(row) / sizeof(row[0]); i++) {
		const struct block *block = network_find_block(&thesis.network[row[i / 2].network], row[i / 2].name);
		struct layer_context context;
		struct follower follower;
		assert_non_null(block);
		struct layer_design design = thesis_design(&thesis, row[i / 2].network, block, STRATEGY_THESIS_REUSE);
		design.in_storage = design.out_storage = i % 2;
		mapper_prepare(block, &thesis.machine, 8, &context);
		follower_open(&follower, &context, &design);
		assert_equal(&follower, "tasks", follower.n_task, row[i / 2].n_task);
		assert_equal(&follower, "tasks of the busiest PE", follower.most_task, row[i / 2].most_task);
		if (follower.tiling.n_c == 16)
			check_met(&follower);
		assert_equal(&follower, "rotations", follower.n_rotation, row[i / 2].n_rotation);
		assert_equal(&follower, "ring steps", follower.n_ring, row[i / 2].n_ring);
		follower_close(&follower);
	}
	close_thesis(&thesis);
}

/* ---- the thesis' chains ---- */

/* Where a part goes in the first step of a phase: "x,y.z" of each PE in the order in which it gets there. */
static void print_way(const struct follower *follower, enum phase phase, uint32_t part, char *text, size_t n_byte)
{
	uint32_t n_pe = follower->context->machine->qpe_n_pe, i = 0;
	size_t n = 0;
	while (follower->schedule.step[i].phase != phase)
		i++;
	const struct schedule_step *step = &follower->schedule.step[i];
	text[0] = '\0';
	for (uint32_t k = step->first_op; k < step->first_op + step->n_op; k++) {
		const struct op *op = &follower->schedule.op[k];
		uint32_t to = op->kind == OP_LOAD ? op->pe : op->peer;
		if (op->part != part || n >= n_byte)
			continue;
		n += (size_t)snprintf(text + n, n_byte - n, "%s%u,%u.%u", n ? " " : "",
		                      mesh_x(&follower->place.mesh, to / n_pe),
		                      mesh_y(&follower->place.mesh, to / n_pe), to % n_pe);
	}
}

static void test_unfold_chip_follows_the_thesis_chains(void **state)
{
	static const struct {
		int network;
		const char *name;
		bool in_storage;
		enum phase phase;
		uint32_t part;
		const char *way;
	} row[] = {
	    /* four parts a block */
	    {0, "CONV_8", true, PHASE_INPUT, 1, "1,3.1 0,3.1 1,2.1 0,2.1 1,1.1 0,1.1 1,0.1 0,0.1"},
	    {0, "CONV_8", false, PHASE_INPUT, 4, "5,0.0 5,1.0 4,0.0 4,1.0 3,0.0 3,1.0 2,0.0 2,1.0"},
	    /* two, and one */
	    {1, "CONV_15", true, PHASE_INPUT, 3,
	     "2,1.1 2,0.1 3,1.1 2,1.3 3,0.1 2,0.3 4,1.1 3,1.3 4,0.1 3,0.3 5,1.1 4,1.3 5,0.1 4,0.3 5,1.3 5,0.3"},
	    {0, "CONV_11", true, PHASE_INPUT, 0,
	     "1,3.0 1,3.1 0,3.0 1,2.0 1,3.2 0,3.1 1,2.1 1,3.3 0,2.0 0,3.2 0,2.1 0,3.3 1,1.0 1,2.2 1,1.1 1,2.3 0,1.0 "
	     "0,2.2 "
	     "0,1.1 0,2.3 1,0.0 1,1.2 1,0.1 1,1.3 0,0.0 0,1.2 0,0.1 0,1.3 1,0.2 1,0.3 0,0.2 0,0.3"},
	    /* 7 in 8 places */
	    {1, "CONV_12", true, PHASE_INPUT, 0, "0,3.0 0,2.0 0,1.0 0,0.0"},
	    {1, "CONV_12", true, PHASE_INPUT, 5, "1,3.1 1,2.1 1,1.1 1,0.1"},
	    /* 14 in 16 */
	    {0, "CONV_5", true, PHASE_INPUT, 0, "2,5.0 0,5.0"},
	    {0, "CONV_5", true, PHASE_INPUT, 18, "1,2.0 1,0.0"},
	    {0, "CONV_5", false, PHASE_INPUT, 5, "0,1.1 0,3.1"},
	    {0, "CONV_5", false, PHASE_INPUT, 32, "0,4.0 2,4.0"},
	    /* 28 in 32 */
	    {0, "CONV_2", false, PHASE_INPUT, 27, "1,0.3"},
	    {0, "CONV_2", true, PHASE_INPUT, 33, "1,0.1"},
	    /* filters: 128, 64, 16 */
	    {0, "CONV_12", false, PHASE_WEIGHT, 36, "2,0.0"},
	    {0, "CONV_8", false, PHASE_WEIGHT, 33, "1,4.1 1,2.1"},
	    {0, "CONV_1", false, PHASE_WEIGHT, 0, "0,0.0 2,0.0 4,0.0 4,2.0 4,4.0 2,4.0 0,4.0 0,2.0"},
	    {0, "CONV_1", false, PHASE_WEIGHT, 7, "5,1.3 3,1.3 1,1.3 1,3.3 1,5.3 3,5.3 5,5.3 5,3.3"},
	    /* 32: the thesis' eight QPEs */
	    {0, "CONV_5", false, PHASE_WEIGHT, 0, "1,1.0 3,1.0 5,1.0 5,3.0 5,5.0 3,5.0 1,5.0 1,3.0"},
	};
	struct thesis thesis;
	(void)state;
	open_thesis(&thesis);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct block *block = network_find_block(&thesis.network[row[i].network], row[i].name);
		struct layer_context context;
		struct follower follower;
		char text[512];
		assert_non_null(block);
		struct layer_design design = thesis_design(&thesis, row[i].network, block, STRATEGY_THESIS_REUSE);
		design.in_storage = row[i].in_storage;
		mapper_prepare(block, &thesis.machine, 8, &context);
		follower_open(&follower, &context, &design);
		print_way(&follower, row[i].phase, row[i].part, text, sizeof(text));
		assert_string_equal(text, row[i].way);
		follower_close(&follower);
	}
	close_thesis(&thesis);
}

/* Ours passes 32 filters on to one QPE of each block. */
static void test_unfold_chip_gives_each_block_one_copy_of_32_filters(void **state)
{
	struct thesis thesis;
	struct layer_context context;
	struct follower follower;
	char text[512];
	(void)state;
	open_thesis(&thesis);
	const struct block *block = network_find_block(&thesis.network[0], "CONV_5");
	struct layer_design design = thesis_design(&thesis, 0, block, STRATEGY_FUSION_REUSE);
	mapper_prepare(block, &thesis.machine, 8, &context);
	follower_open(&follower, &context, &design);
	print_way(&follower, PHASE_WEIGHT, 0, text, sizeof(text));
	assert_string_equal(text, "1,1.0 5,1.0 5,5.0 1,5.0");
	print_way(&follower, PHASE_WEIGHT, 17, text, sizeof(text));
	assert_string_equal(text, "3,4.1 1,2.1 3,0.1 5,2.1");
	follower_close(&follower);
	close_thesis(&thesis);
}

/* ---- any chip, any split ---- */

/* [0] other meshes, [1] the thesis' */
struct tally {
	uint32_t n_design[2], n_exact[2]; /* those whose migrations are exactly what the fast tier prices */
};

static void check_random(struct rng *rng, const struct machine *thesis_chip, struct tally *tally)
{
	struct machine machine = rng_below(rng, 3) ? random_chip(rng, thesis_chip) : *thesis_chip;
	struct block block = random_conv(rng, 60, rng_below(rng, 2) ? 600 : 40);
	struct layer_design design = {.split = split_whole(&block), .strategy = STRATEGY_FUSION_REUSE};
	struct layer_context context;
	struct follower follower;
	design.split.w = random_dim(rng, block.out_w, block.pool, random_from(rng, 1, 12));
	design.split.h = random_dim(rng, block.out_h, block.pool, random_from(rng, 1, 60));
	design.split.c = random_dim(rng, block.out_c, 1, rng_below(rng, 2) ? 16 : 300);
	design.operand_bit = rng_below(rng, 4) ? 8 : 16;
	design.in_storage = rng_below(rng, 2);
	design.out_storage = rng_below(rng, 2);
	/* followed one by one */
	if (split_n_task(&design.split) > MOST_TASK)
		return;
	mapper_prepare(&block, &machine, design.operand_bit, &context);
	follower_open(&follower, &context, &design);
	check_complete(&follower);
	check_sram(&follower);
	tally->n_design[follower.place.is_thesis]++;
	tally->n_exact[follower.place.is_thesis] += check_migrations(&follower);
	follower_close(&follower);
}

static void test_unfold_chip_meets_every_pair_on_any_mesh(void **state)
{
	struct err err = {0};
	struct machine thesis_chip;
	struct tally tally = {{0}, {0}};
	(void)state;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &thesis_chip, &err), ERR_OK);
	for (uint32_t i = 0; i < N_CASE; i++) {
		struct rng rng = rng_stream(7, 0, i);
		check_random(&rng, &thesis_chip, &tally);
	}
	print_message("migrations as priced: %u of %u designs on the thesis' mesh, %u of %u on others\n",
	              tally.n_exact[1], tally.n_design[1], tally.n_exact[0], tally.n_design[0]);
	assert_true(tally.n_design[1] > 300 && tally.n_exact[1] * 100 >= tally.n_design[1] * 99);
	assert_true(tally.n_design[0] > 300 && tally.n_exact[0] * 100 >= tally.n_design[0] * 85);
}

/* Without storage QPEs, which only a machine made by hand has: one block, ifmaps and results in DRAM. */
static void test_unfold_chip_without_storage(void **state)
{
	struct err err = {0};
	struct machine machine;
	struct rng rng = rng_stream(8, 0, 0);
	(void)state;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err), ERR_OK);
	machine.chip_n_storage_qpe = 0;
	for (uint32_t i = 0; i < 50; i++) {
		struct block block = random_conv(&rng, 30, 100);
		struct layer_design design = {.split = random_split(&rng, &block, 40), .operand_bit = 8};
		struct layer_context context;
		struct follower follower;
		design.split.d = split_whole(&block).d;
		design.strategy = STRATEGY_FUSION_REUSE;
		mapper_prepare(&block, &machine, 8, &context);
		follower_open(&follower, &context, &design);
		check_complete(&follower);
		check_sram(&follower);
		follower_close(&follower);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unfold_chip_meets_every_pair_with_the_thesis_splits),
	    cmocka_unit_test(test_unfold_chip_leaves_out_what_the_thesis_did),
	    cmocka_unit_test(test_unfold_chip_follows_the_thesis_chains),
	    cmocka_unit_test(test_unfold_chip_gives_each_block_one_copy_of_32_filters),
	    cmocka_unit_test(test_unfold_chip_meets_every_pair_on_any_mesh),
	    cmocka_unit_test(test_unfold_chip_without_storage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
