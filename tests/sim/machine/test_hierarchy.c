/* SPDX-License-Identifier: Apache-2.0 */
/* How the PEs of a machine are dealt to blocks, DRAM interfaces and storage QPEs. */
#include "tests/support/unit_test.h"
#include "sim/program/program.h"
#include "sim/machine/hierarchy.h"
#include "sim/machine/machine_param.h"

static struct hierarchy hierarchy_of(enum machine_target target)
{
	struct machine machine;
	struct hierarchy hierarchy;
	machine_init(&machine, target);
	hierarchy_derive(&machine, &hierarchy);
	return hierarchy;
}

/* Thesis section 4.4: four double QPE blocks of 9 QPEs, one of which stores. */
static void test_hierarchy_of_the_thesis_chip(void **state)
{
	(void)state;
	struct hierarchy hierarchy = hierarchy_of(MACHINE_CHIP);
	assert_int_equal(hierarchy.n_block, 4);
	assert_int_equal(hierarchy.qpe_per_block, 8);
	assert_int_equal(hierarchy.pe_per_block, 32);
	assert_int_equal(hierarchy.n_pe, 128);
	assert_int_equal(hierarchy.n_cell, 8); /* figure 4.16: half blocks */
	assert_int_equal(hierarchy.qpe_per_cell, 4);
	assert_int_equal(hierarchy.block_per_dram, 1);
	assert_int_equal(hierarchy.storage_byte, 4 * 4 * 131072);
	assert_int_equal(hierarchy.n_queue, 4);
	assert_int_equal(hierarchy.pe_per_queue, 36);
}

static void test_hierarchy_of_a_qpe(void **state)
{
	(void)state;
	struct hierarchy hierarchy = hierarchy_of(MACHINE_QPE);
	assert_int_equal(hierarchy.n_block, 1);
	assert_int_equal(hierarchy.n_pe, 4);
	assert_int_equal(hierarchy.n_cell, 1);
	assert_int_equal(hierarchy.qpe_per_cell, 1);
	assert_int_equal(hierarchy.storage_byte, 0);
	assert_int_equal(hierarchy.n_queue, 1);
	assert_int_equal(hierarchy.pe_per_queue, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_hierarchy_of_the_thesis_chip),
	    cmocka_unit_test(test_hierarchy_of_a_qpe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
