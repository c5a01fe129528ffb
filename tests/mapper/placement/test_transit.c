/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of phases on the thesis' chip, against its placement and the re-run of its simulator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "mapper/placement/transit.h"
#include "sim/machine/machine_param.h"

static const struct flow_paths *paths_of(const struct machine *machine, const struct transit *transit)
{
	struct transit_mesh mesh;
	transit_mesh_derive(machine, &mesh);
	return transit_paths(machine, &mesh, transit);
}

/* Write-out: 28 PE clocks a packet of each of 32 PEs at two packets a clock; the busiest link has half as many again.
 */
static void test_transit_results_cross_the_next_block(void **state)
{
	(void)state;
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	const struct transit transit = {.kind = TRANSIT_RESULTS, .n_resident = 32, .n_block = 4, .in_storage = true};
	const struct flow_paths *paths = paths_of(&machine, &transit);
	assert_true(paths->router == 56.0F && paths->link == 48.0F && paths->n_point == 0);
}

/* All filters of a QPE go to the next one, and as many come; at distance two twice as many pass through. */
static void test_transit_migrations(void **state)
{
	(void)state;
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	const struct transit turn = {.kind = TRANSIT_TURN, .n_set = 4}, ring = {.kind = TRANSIT_RING};
	assert_true(paths_of(&machine, &turn)->router == 8.0F);
	assert_true(paths_of(&machine, &ring)->router == 16.0F);
}

/* What was asked for before is the same; 128 filter parts are loaded, 32 by each interface, and nothing else. */
static void test_transit_filters(void **state)
{
	(void)state;
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	struct transit transit = {.kind = TRANSIT_FILTERS, .n_filter = 128, .n_dealt = 8};
	const struct flow_paths *all = paths_of(&machine, &transit);
	assert_ptr_equal(all, paths_of(&machine, &transit));
	assert_true(all->dram == 32.0F && all->chain.n[FLOW_COST_COPY] == 0.0F);
	transit.n_filter = 64;
	transit.n_dealt = 4;
	const struct flow_paths *half = paths_of(&machine, &transit);
	assert_true(half != all && half->dram == 16.0F && half->chain.n[FLOW_COST_COPY] == 1.0F);
}

/* What is worked out anew is as before. */
static void test_transit_forget(void **state)
{
	(void)state;
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	machine.n_level = 1;
	machine.level[0].clk_mhz = 250;
	const struct transit transit = {.kind = TRANSIT_FILTERS, .n_filter = 20, .n_dealt = 2};
	const struct flow_paths before = *paths_of(&machine, &transit);
	transit_forget();
	const struct flow_paths *after = paths_of(&machine, &transit);
	assert_memory_equal(&before, after, sizeof(before));
	assert_true(after->n_point > 0 && !transit_is_out());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_transit_results_cross_the_next_block),
	    cmocka_unit_test(test_transit_migrations),
	    cmocka_unit_test(test_transit_filters),
	    cmocka_unit_test(test_transit_forget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
