/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers that share a mesh: closed forms by hand on a row of three QPEs. */
#include "tests/support/unit_test.h"
#include "sim/machine/flow.h"
#include "sim/machine/machine_param.h"
#include <math.h>
#include <string.h>

#define N_PIECE 16

/* PE clocks an item at each; set-ups of 10 and 20. */
static const double cost[N_FLOW_COST] = {160, 80, 80, 320, 10, 20};

static struct mesh row_of_three(void)
{
	struct machine machine;
	struct mesh mesh;
	machine_init(&machine, MACHINE_CHIP);
	machine.chip.mesh_w = 3;
	machine.chip.mesh_h = 1;
	machine.chip.n_qpe = 3;
	machine.dram_n = 1;
	mesh_derive(&machine, &mesh);
	return mesh;
}

static double clk_of(const struct flow_op *op, uint32_t n_op, const double *clk)
{
	const struct mesh mesh = row_of_three();
	struct flow_path path;
	struct flow_case wanted = {.n_piece = N_PIECE};
	memcpy(wanted.clk, clk, sizeof(wanted.clk));
	assert_true(flow_find_paths(&mesh, 4, op, NULL, n_op, &wanted, 1, &path));
	return flow_clk(&path, clk);
}

/* A copy alone takes its set-up and the slowest of what it passes; one piece more where that is not its source. */
static void test_flow_copy_alone(void **state)
{
	(void)state;
	const struct flow_op op = {0, 4, FLOW_NONE, 0};
	assert_true(fabs(clk_of(&op, 1, cost) - (10 + 160)) < 1e-3);
	const double slow_link[N_FLOW_COST] = {160, 80, 400, 320, 10, 20};
	assert_true(fabs(clk_of(&op, 1, slow_link) - (10 + 400)) < 1e-3);
}

/* Loads are served in turn; the copy of the first waits for it alone. */
static void test_flow_loads_in_turn(void **state)
{
	(void)state;
	const struct flow_op op[] = {
	    {FLOW_DRAM, 0, FLOW_NONE, 0}, {FLOW_DRAM, 1, FLOW_NONE, 1}, {0, 4, 0, 0}, {1, 5, 1, 1}};
	assert_true(fabs(clk_of(op, 2, cost) - (20 + 2 * 320)) < 1e-3);
	double all = clk_of(op, 4, cost);
	assert_true(all >= 20 + 2 * 320 + 10 + 160 - 1e-3 && all < 20 + 2 * 320 + 10 + 160 + 160.0 / N_PIECE * 2);
}

/* Four PEs at once through one router: as long as it takes for all of them. */
static void test_flow_router_is_shared(void **state)
{
	(void)state;
	struct flow_op op[4];
	for (uint32_t z = 0; z < 4; z++)
		op[z] = (struct flow_op){z, 8 + z, FLOW_NONE, z};
	double clk = clk_of(op, 4, cost);
	assert_true(clk >= 10 + 4 * 80 - 1e-3 && clk <= 10 + 4 * 80 + 160.0 / N_PIECE * 3);
}

/* The second of two copies of one PE goes when the first has left; no time is less than any load or chain. */
static void test_flow_loads_are_least(void **state)
{
	(void)state;
	const struct flow_op op[] = {{0, 4, FLOW_NONE, 0}, {0, 8, FLOW_NONE, 0}, {4, 9, 0, 0}, {1, 10, FLOW_NONE, 1}};
	const struct mesh mesh = row_of_three();
	const struct flow_op into_one[] = {{0, 9, FLOW_NONE, 0}, {4, 9, FLOW_NONE, 1}, {1, 10, FLOW_NONE, 2}};
	struct flow_paths paths = {0}, gathered = {0};
	assert_true(flow_find_load(&mesh, 4, into_one, NULL, 3, &gathered));
	assert_true(gathered.port == 2.0F);
	/* an operation with a weight is as many alike */
	const struct flow_op twice[] = {into_one[0], into_one[0], into_one[1], into_one[2], into_one[2], into_one[2]};
	const uint32_t weight[] = {2, 1, 3};
	struct flow_paths weighted = {0}, listed = {0};
	assert_true(flow_find_load(&mesh, 4, into_one, weight, 3, &weighted) &&
	            flow_find_load(&mesh, 4, twice, NULL, 6, &listed));
	assert_true(weighted.port == 3.0F && weighted.port == listed.port && weighted.router == listed.router &&
	            weighted.link == listed.link && listed.router > gathered.router);
	assert_true(flow_find_load(&mesh, 4, op, NULL, 4, &paths));
	assert_true(paths.port == 1.0F);
	/* router 1: into it, through it twice, and out of it; the link from 0 to 1: three */
	assert_true(paths.router == 4.0F && paths.link == 3.0F && paths.dram == 0.0F);
	assert_true(paths.chain.n[FLOW_COST_COPY] == 2.0F && paths.chain.n[FLOW_COST_PORT] == 2.0F);
	double clk = clk_of(op, 4, cost);
	assert_true(clk >= flow_clk(&paths.chain, cost) - 1e-3 && clk >= 10 + 4 * 80 - 1e-3);
}

/* A small item after a large one: each holds a server for its own size, and the path is in sizes of the case. */
static void test_flow_items_of_two_sizes(void **state)
{
	(void)state;
	const struct flow_op op[] = {{FLOW_DRAM, 0, FLOW_NONE, 0}, {FLOW_DRAM, 1, FLOW_NONE, 1}, {0, 4, 0, 0}};
	const float size[] = {1, 0.25F, 1}, none[] = {1, 0.001F, 0.001F};
	const struct mesh mesh = row_of_three();
	struct flow_path path;
	struct flow_case wanted = {.n_piece = N_PIECE};
	memcpy(wanted.clk, cost, sizeof(wanted.clk));
	assert_true(flow_find_paths(&mesh, 4, op, size, 2, &wanted, 1, &path));
	assert_true(fabs(flow_clk(&path, cost) - (20 + 1.25 * 320)) < 1e-3);
	assert_true(flow_find_paths(&mesh, 4, op, size, 3, &wanted, 1, &path));
	/* the large one's copy ends after the small one's load */
	assert_true(fabs(flow_clk(&path, cost) - (20 + 320 + 10 + 160)) < 160.0 / N_PIECE * 2);
	assert_true(flow_find_paths(&mesh, 4, op, none, 3, &wanted, 1, &path));
	assert_true(fabs(flow_clk(&path, cost) - (20 + 320 + 10)) < 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_flow_copy_alone),         cmocka_unit_test(test_flow_loads_in_turn),
	    cmocka_unit_test(test_flow_router_is_shared),   cmocka_unit_test(test_flow_loads_are_least),
	    cmocka_unit_test(test_flow_items_of_two_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
