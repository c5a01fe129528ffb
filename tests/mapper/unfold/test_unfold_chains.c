/* SPDX-License-Identifier: Apache-2.0 */
/* The ways that ifmaps and filters take on the chip: the thesis' chains, part by part, and what ours passes on. */
#include "tests/support/unit_test.h"
#include "tests/mapper/unfold/chip_follower.h"
#include <stdio.h>
#include <string.h>

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

static void test_unfold_chains_follows_the_thesis_chains(void **state)
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
	thesis_open(&thesis);
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
	thesis_close(&thesis);
}

/* Ours passes 32 filters on to one QPE of each block. */
static void test_unfold_chains_gives_each_block_one_copy_of_32_filters(void **state)
{
	struct thesis thesis;
	struct layer_context context;
	struct follower follower;
	char text[512];
	(void)state;
	thesis_open(&thesis);
	const struct block *block = network_find_block(&thesis.network[0], "CONV_5");
	struct layer_design design = thesis_design(&thesis, 0, block, STRATEGY_FUSION_REUSE);
	mapper_prepare(block, &thesis.machine, 8, &context);
	follower_open(&follower, &context, &design);
	print_way(&follower, PHASE_WEIGHT, 0, text, sizeof(text));
	assert_string_equal(text, "1,1.0 5,1.0 5,5.0 1,5.0");
	print_way(&follower, PHASE_WEIGHT, 17, text, sizeof(text));
	assert_string_equal(text, "3,4.1 1,2.1 3,0.1 5,2.1");
	follower_close(&follower);
	thesis_close(&thesis);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_unfold_chains_follows_the_thesis_chains),
	    cmocka_unit_test(test_unfold_chains_gives_each_block_one_copy_of_32_filters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
