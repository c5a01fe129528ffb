/* SPDX-License-Identifier: Apache-2.0 */
/* The chip's fused matrix multiplication: which PE does what, with operands from where (its work: test_unfold.c). */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "dse/space/machine_read.h"
#include "mapper/network/place.h"
#include "mapper/unfold/unfold.h"
#include "tests/support/plain_block.h"

static struct layer_design matmul_design(const struct block *block, uint32_t n_column, uint32_t n_d)
{
	struct layer_design design = {.split = split_whole(block), .strategy = STRATEGY_FUSION, .operand_bit = 8};
	design.split.w = equal_parts(block->out_w, n_column);
	design.split.d = equal_parts(block->in_w, n_d);
	return design;
}

/* The block whose storage QPE this PE is of; PLACE_NONE: of none. */
static uint32_t block_of_storage(const struct place *place, uint32_t pe)
{
	for (uint32_t block = 0; block < place->n_block; block++)
		if (place->storage_qpe[block] == pe / 4)
			return block;
	return PLACE_NONE;
}

/*
 * Operands come from the block's interface and storage QPE, sums lie two PEs
 * further, results go to the PE of the same place. free_after: of every PE what
 * its next loads wait for.
 */
static void check_places(const struct schedule *schedule, const struct place *place, uint32_t *n_task)
{
	uint32_t free_after[144], block = PLACE_NONE;
	for (uint32_t i = 0; i < 144; i++)
		free_after[i] = SCHEDULE_NONE;
	for (uint32_t i = 0; i < schedule->n_op; i++) {
		const struct op *op = &schedule->op[i];
		if (op->kind == OP_TASK) {
			const struct op *weight = &schedule->op[op->before[0]], *input = &schedule->op[op->before[1]];
			block = block_of_storage(place, input->pe);
			assert_true(block != PLACE_NONE && input->pe % 4 == 0);
			assert_int_equal(weight->peer, place->dram[block]);
			assert_int_equal(op->peer, op->pe);
			assert_int_equal(weight->before[0], free_after[op->pe]);
			free_after[op->pe] = i;
			n_task[op->pe]++;
		} else if (op->kind == OP_COPY && block_of_storage(place, op->peer) != PLACE_NONE) {
			uint32_t pe = op->pe / 4 * 4 + (op->pe + 2) % 4;
			assert_int_equal(op->peer, place->storage_qpe[block] * 4 + pe % 4);
			assert_int_equal(op->before[0], free_after[pe]);
			free_after[pe] = i;
		} else if (op->kind == OP_COPY && block_of_storage(place, op->pe) == PLACE_NONE) {
			assert_int_equal(op->peer, op->pe / 4 * 4 + (op->pe + 2) % 4);
			assert_int_equal(op->before[0], free_after[op->pe]);
			free_after[op->pe] = i;
		}
	}
}

/* One block of columns a PE, first one a QPE; more than PEs: further turns. */
static void test_unfold_matmul_places(void **state)
{
	(void)state;
	struct machine machine;
	struct place place;
	struct err err = {0};
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &machine, &err), ERR_OK);
	assert_true(place_build(&machine, &place));
	for (uint32_t n_column = 32; n_column <= 256; n_column *= 2) {
		struct schedule schedule;
		struct layer_context context;
		uint32_t n_task[144] = {0}, n_busy = 0;
		struct block block = block_matmul(1, 2048, 4096);
		struct layer_design design = matmul_design(&block, n_column, 8);
		design.in_storage = design.out_storage = true;
		mapper_prepare(&block, &machine, 8, &context);
		assert_int_equal(mapper_unfold(&context, &design, &schedule, &err), ERR_OK);
		check_places(&schedule, &place, n_task);
		for (uint32_t pe = 0; pe < 144; pe++) {
			n_busy += n_task[pe] > 0;
			assert_true(n_task[pe] == 0 || n_task[pe] == (n_column > 128 ? 16 : 8));
			assert_true(n_task[pe] == 0 || n_column > 128 || pe % 4 < n_column / 32);
		}
		assert_int_equal(n_busy, n_column > 128 ? 128 : n_column);
		schedule_free(&schedule);
	}
	place_free(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unfold_matmul_places),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
