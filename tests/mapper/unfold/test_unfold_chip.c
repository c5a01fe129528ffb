/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules of reuse on the chip, followed part by part: every operand is where
 * it is taken from, every pair of parts meets once, and the work is what the
 * fast tier prices. Any mesh, any split; the thesis' rules with what they leave
 * out.
 */
#include "tests/support/unit_test.h"
#include "sim/base/checked.h"
#include "dse/space/machine_read.h"
#include "tests/support/random_chip.h"
#include "tests/support/random_design.h"
#include "tests/mapper/unfold/chip_follower.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_CASE 1500
#define MOST_TASK 20000
/* [0] other meshes, [1] the thesis' */
struct tally {
	uint32_t n_design[2], n_exact[2]; /* those whose migrations are exactly what the fast tier prices */
	uint32_t n_lockstep, n_below;     /* likewise of tasks in lock step, any mesh; fewer than run */
};

/* ---- what holds of ours ---- */

static struct chip_assignment counted(const struct follower *follower)
{
	struct chip_assignment assignment = distribute_chip_assign(follower->context, &follower->tiling);
	distribute_chip_count(follower->context, follower->design, &follower->tiling, &assignment);
	return assignment;
}

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
	struct chip_assignment assignment = counted(follower);
	check_met(follower);
	assert_equal(follower, "tasks", follower->n_task, tiling->n_task);
	uint64_t n_weight = assignment.n_wave, n_map = assignment.n_share;
	uint64_t n_weight_step = assignment.n_wave * assignment.n_filter_load * assignment.n_pass;
	if (assignment.is_own) {
		/* an ifmap part once, a filter part once for each block that has rows and does not share them */
		n_map = 1;
		n_weight = distribute_own_rows(follower->context, tiling, &assignment).n_group;
		n_weight_step = assignment.n_wave / assignment.n_turn;
	}
	assert_equal(follower, "weight bytes", follower->weight_byte, tiling->all_filter_byte * n_weight);
	assert_equal(follower, "ifmap bytes", follower->map_byte, tiling->all_map_byte * n_map);
	assert_equal(follower, "result bytes", follower->out_byte, tiling->all_out_byte);
	assert_equal(follower, "weight steps", follower->n_weight, n_weight_step);
	assert_equal(follower, "input steps", follower->n_input, assignment.n_wave * assignment.n_pass);
	if (follower->most_task < assignment.n_task)
		assert_equal(follower, "tasks of the busiest PE", follower->most_task, assignment.n_task);
}

/* Tasks one after the other: of each step of computation those of its busiest PE. */
static uint64_t count_lockstep(const struct follower *follower)
{
	const struct schedule *schedule = &follower->schedule;
	uint64_t n_all = 0;
	uint32_t n_pe = machine_n_pe(follower->context->machine);
	uint32_t *n_task = calloc(n_pe, sizeof(*n_task));
	assert_non_null(n_task);
	for (uint32_t s = 0; s < schedule->n_step; s++) {
		const struct schedule_step *step = &schedule->step[s];
		uint32_t n_most = 0;
		memset(n_task, 0, n_pe * sizeof(*n_task));
		for (uint32_t i = step->first_op; i < step->first_op + step->n_op; i++)
			if (schedule->op[i].kind == OP_TASK && ++n_task[schedule->op[i].pe] > n_most)
				n_most++;
		n_all += n_most;
	}
	free(n_task);
	return n_all;
}

/* Tasks in lock step are priced as they run on the thesis' mesh; elsewhere mostly, and hardly ever below. */
static void check_lockstep(const struct follower *follower, struct tally *tally)
{
	struct chip_assignment assignment = counted(follower);
	uint64_t n_task = count_lockstep(follower);
	if (follower->place.is_thesis)
		assert_equal(follower, "tasks in lock step", n_task, assignment.n_lockstep);
	tally->n_lockstep += n_task == assignment.n_lockstep;
	tally->n_below += assignment.n_lockstep < n_task;
}

/* What the fast tier prices, and never more; true: all of it. */
static bool check_migrations(const struct follower *follower)
{
	struct chip_assignment assignment = counted(follower);
	uint64_t n_rotation = assignment.n_rotation * assignment.n_wave * assignment.n_pass;
	uint64_t n_ring = assignment.n_ring * assignment.n_wave * assignment.n_pass;
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

/* All work is done, and it is what the fast tier prices. */
static void test_unfold_chip_meets_every_pair_with_the_thesis_splits(void **state)
{
	struct thesis thesis;
	uint32_t n_block = 0;
	(void)state;
	thesis_open(&thesis);
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
		struct chip_assignment assignment = counted(&follower);
		check_complete(&follower);
		check_sram(&follower);
		assert_equal(&follower, "tasks of the busiest PE", follower.most_task, assignment.n_task);
		assert_equal(&follower, "rotations", follower.n_rotation, assignment.n_rotation);
		assert_equal(&follower, "ring steps", follower.n_ring, assignment.n_ring);
		follower_close(&follower);
		n_block++;
	}
	assert_int_equal(n_block, 8 * (13 + 53));
	thesis_close(&thesis);
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
	thesis_open(&thesis);
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
	thesis_close(&thesis);
}

/* ---- any chip, any split ---- */

static void check_random(struct rng *rng, const struct machine *thesis_chip, struct tally *tally)
{
	struct machine machine = rng_below(rng, 3) ? random_chip(rng, thesis_chip) : *thesis_chip;
	struct block block = random_conv(rng, 60, rng_below(rng, 2) ? 600 : 40);
	struct layer_design design = {.split = split_whole(&block), .strategy = STRATEGY_FUSION_REUSE};
	struct layer_context context;
	struct follower follower;
	design.split.w = random_dim(rng, block.out_w, block.pool, random_from(rng, 1, 12));
	design.split.h = random_dim(rng, block.out_h, block.pool, random_from(rng, 1, 60));
	design.split.c = random_filters(rng, &block, rng_below(rng, 2) ? 16 : 300);
	design.operand_bit = rng_below(rng, 4) ? 8 : 16;
	design.in_storage = rng_below(rng, 2);
	design.out_storage = rng_below(rng, 2);
	/* followed one by one */
	if (split_n_task(&design.split) > MOST_TASK)
		return;
	if (block_has_forms(&block) && rng_below(rng, 2))
		design.form = FORM_PACKED;
	mapper_prepare_form(&block, &machine, design.operand_bit, design.form, &context);
	follower_open(&follower, &context, &design);
	check_complete(&follower);
	check_sram(&follower);
	check_lockstep(&follower, tally);
	tally->n_design[follower.place.is_thesis]++;
	tally->n_exact[follower.place.is_thesis] += check_migrations(&follower);
	follower_close(&follower);
}

static void test_unfold_chip_meets_every_pair_on_any_mesh(void **state)
{
	struct err err = {0};
	struct machine thesis_chip;
	struct tally tally = {0};
	(void)state;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &thesis_chip, &err), ERR_OK);
	for (uint32_t i = 0; i < N_CASE; i++) {
		struct rng rng = rng_stream(7, 0, i);
		check_random(&rng, &thesis_chip, &tally);
	}
	print_message("migrations as priced: %u of %u designs on the thesis' mesh, %u of %u on others\n",
	              tally.n_exact[1], tally.n_design[1], tally.n_exact[0], tally.n_design[0]);
	uint32_t n_all = tally.n_design[0] + tally.n_design[1];
	print_message("tasks in lock step as priced: %u of %u designs, priced below: %u\n", tally.n_lockstep, n_all,
	              tally.n_below);
	assert_true(tally.n_lockstep * 100 >= n_all * 99 && tally.n_below * 100 <= n_all);
	assert_true(tally.n_design[1] > 300 && tally.n_exact[1] * 100 >= tally.n_design[1] * 99);
	assert_true(tally.n_design[0] > 300 && tally.n_exact[0] * 100 >= tally.n_design[0] * 99);
}

/* Without storage QPEs, which only a machine made by hand has: one block, ifmaps and results in DRAM. */
static void test_unfold_chip_without_storage(void **state)
{
	struct err err = {0};
	struct machine machine;
	struct rng rng = rng_stream(8, 0, 0);
	(void)state;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err), ERR_OK);
	machine.chip.n_storage_qpe = 0;
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
	    cmocka_unit_test(test_unfold_chip_meets_every_pair_on_any_mesh),
	    cmocka_unit_test(test_unfold_chip_without_storage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
