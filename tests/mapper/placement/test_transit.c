/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of phases on the thesis' chip, against its placement and the re-run of its simulator. */
#include "tests/support/unit_test.h"
#include "mapper/placement/transit_parts.h"
#include "sim/machine/machine_param.h"
#include "tests/support/default_machine.h"
#include <pthread.h>
#include <string.h>

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

/* What is worked out anew, once the last holder has let go, is as before; what somebody holds stays where it is. */
static void test_transit_table_is_held(void **state)
{
	(void)state;
	struct machine machine = default_machine(MACHINE_CHIP, 250);
	const struct transit transit = {.kind = TRANSIT_FILTERS, .n_filter = 20, .n_dealt = 2};
	transit_hold();
	transit_hold();
	const struct flow_paths *held = paths_of(&machine, &transit), before = *held;
	transit_release();
	assert_ptr_equal(held, paths_of(&machine, &transit));
	transit_release();
	const struct flow_paths *after = paths_of(&machine, &transit);
	assert_memory_equal(&before, after, sizeof(before));
	assert_true(after->n_point > 0 && !transit_is_out());
}

#define N_TRANSFER 300 /* more than a thread keeps of its own */

/* Transfers of ifmap parts to some PEs of some blocks, in an order of the thread's own. */
struct asker {
	const struct machine *machine;
	const struct flow_paths *expected; /* [N_TRANSFER] */
	uint32_t first;
	bool is_good;
};

static struct transit maps(uint32_t i)
{
	uint32_t k = i % N_TRANSFER;
	return (struct transit){
	    .kind = TRANSIT_OWN_MAPS, .n_set = k / 100, .n_block = k / 25 % 4 + 1, .n_resident = k % 25 + 1};
}

static void *ask_all(void *context)
{
	struct asker *asker = context;
	const struct flow_paths *last[TRANSIT_N_OWN];
	asker->is_good = true;
	for (uint32_t i = 0; i < 2 * N_TRANSFER; i++) {
		struct transit transit = maps(asker->first + i);
		last[i % TRANSIT_N_OWN] = paths_of(asker->machine, &transit);
		/* where the table is full, too, they outlast so many others */
		for (uint32_t k = i < TRANSIT_N_OWN ? 0 : i + 1 - TRANSIT_N_OWN; k <= i; k++)
			asker->is_good &=
			    memcmp(last[k % TRANSIT_N_OWN], &asker->expected[(asker->first + k) % N_TRANSFER],
			           sizeof(struct flow_paths)) == 0;
	}
	return NULL;
}

/* Two threads at once, on an empty table that has room for all, for three rows, or for none. */
static void test_transit_bound_changes_nothing(void **state)
{
	(void)state;
	static const size_t max_byte[] = {TRANSIT_MAX_BYTE, 2000, 0};
	static struct flow_paths expected[N_TRANSFER];
	struct machine machine = default_machine(MACHINE_CHIP, 250);
	for (uint32_t i = 0; i < N_TRANSFER; i++) {
		struct transit transit = maps(i);
		expected[i] = *paths_of(&machine, &transit);
	}
	for (int i = 0; i < 3; i++) {
		pthread_t thread[2];
		struct asker asker[2] = {{&machine, expected, 0, false}, {&machine, expected, N_TRANSFER / 2, false}};
		transit_hold();
		transit_release();
		transit_set_bound(max_byte[i]);
		for (int k = 0; k < 2; k++)
			assert_int_equal(pthread_create(&thread[k], NULL, ask_all, &asker[k]), 0);
		for (int k = 0; k < 2; k++)
			assert_int_equal(pthread_join(thread[k], NULL), 0);
		assert_true(asker[0].is_good && asker[1].is_good && !transit_is_out());
	}
	transit_set_bound(TRANSIT_MAX_BYTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_transit_results_cross_the_next_block),
	    cmocka_unit_test(test_transit_migrations),
	    cmocka_unit_test(test_transit_filters),
	    cmocka_unit_test(test_transit_table_is_held),
	    cmocka_unit_test(test_transit_bound_changes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
