/* SPDX-License-Identifier: Apache-2.0 */
/* Routers on the ways between PEs, interfaces and agents in the mean, against distances in the plane. */
#include "sim/base/rng.h"
#include "sim/machine/flow.h"
#include "sim/machine/noc_way.h"
#include "tests/support/default_machine.h"
#include "tests/support/unit_test.h"
#include <math.h>

static struct machine chip_of(uint32_t mesh_w, uint32_t mesh_h, uint32_t n_dram)
{
	struct machine machine = default_machine(MACHINE_CHIP, 250);
	machine.chip.mesh_w = mesh_w;
	machine.chip.mesh_h = mesh_h;
	machine.chip.n_qpe = mesh_w * mesh_h;
	machine.dram_n = n_dram;
	return machine;
}

static double n_apart(uint32_t a, uint32_t b)
{
	return fabs((double)a - (double)b);
}

/* Packets go along a row and a column, so they pass as many routers as QPEs are apart, and one. */
static double n_router(const struct mesh *mesh, uint32_t from, uint32_t to)
{
	return 1 + n_apart(from % mesh->w, to % mesh->w) + n_apart(from / mesh->w, to / mesh->w);
}

/* A quadrant's columns are 1, 2 and 3 routers from its interface; its agent is in its inner corner. */
static void test_noc_way_of_quadrants(void **state)
{
	const struct machine machine = chip_of(6, 6, 4);
	struct noc_ways ways;
	(void)state;
	noc_ways_derive(&machine, &ways);
	assert_int_equal(ways.n, 9);
	assert_true(fabs(ways.all.dram - 2) < 1e-12);
	assert_true(fabs(ways.all.agent - 3) < 1e-12);
	assert_true(fabs(ways.all.tell - 4) < 1e-12);
	assert_true(noc_ways_of(&ways, 1) == &ways.first[0] && noc_ways_of(&ways, 5) == &ways.first[1]);
	assert_true(noc_ways_of(&ways, 37) == &ways.all);
}

static void test_noc_way_is_the_mean(void **state)
{
	(void)state;
	for (uint32_t w = 2; w <= 9; w++)
		for (uint32_t h = 1; h <= 9; h++)
			for (uint32_t n_dram = 1; n_dram <= 4; n_dram++) {
				const struct machine machine = chip_of(w, h, n_dram);
				struct mesh mesh;
				struct noc_ways ways;
				double dram = 0, agent = 0, n = machine.chip.n_qpe;
				mesh_derive(&machine, &mesh);
				noc_ways_derive(&machine, &ways);
				if (!mesh.deals_near)
					continue;
				for (uint32_t qpe = 0; qpe < mesh.n_qpe; qpe++) {
					uint32_t near = mesh_near_dram(&mesh, qpe);
					dram += n_router(&mesh, mesh_dram_port(&mesh, near, qpe), qpe) / n;
					agent += n_router(&mesh, mesh_agent(&mesh, qpe), qpe) / n;
				}
				assert_true(fabs(ways.all.dram - dram) < 1e-9 && fabs(ways.all.agent - agent) < 1e-9);
			}
}

/* What is one QPE's passes its router alone. */
static void test_noc_way_of_a_qpe(void **state)
{
	const struct machine machine = default_machine(MACHINE_QPE, 250);
	struct noc_ways ways;
	(void)state;
	noc_ways_derive(&machine, &ways);
	assert_true(ways.all.dram == 1 && ways.all.tell == 1 && ways.all.agent == 1);
}

/* Sums of operations on random meshes: routers of their items, and of the host's messages for them. */
static void test_noc_way_of_operations(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 200; i++) {
		struct rng rng = rng_stream(21, 0, i);
		const struct machine machine =
		    chip_of(2 + rng_below(&rng, 7), 2 + rng_below(&rng, 7), 1 + rng_below(&rng, 4));
		struct mesh mesh;
		struct flow_op op[20];
		uint32_t weight[20], n_all = machine.chip.n_qpe * 4;
		double n = 0, routed = 0, told = 0, reported = 0;
		mesh_derive(&machine, &mesh);
		for (uint32_t k = 0; k < 20; k++) {
			uint32_t from = rng_below(&rng, n_all), to = rng_below(&rng, n_all),
				 dram = rng_below(&rng, mesh.n_dram);
			bool is_load = rng_below(&rng, 2);
			op[k] = (struct flow_op){is_load ? FLOW_DRAM + dram : from, to, FLOW_NONE, 0};
			weight[k] = rng_below(&rng, 5);
			uint32_t first = is_load ? mesh_dram_port(&mesh, dram, to / 4) : from / 4, last = to / 4;
			n += weight[k];
			routed += weight[k] * n_router(&mesh, first, last);
			told += weight[k] * n_router(&mesh, mesh_agent(&mesh, first), first);
			reported += weight[k] * n_router(&mesh, mesh_agent(&mesh, last), last);
		}
		struct flow_paths paths = {0};
		assert_true(flow_find_load(&mesh, 4, op, weight, 20, &paths));
		assert_true(paths.n_op == n && paths.routed == routed && paths.told == told &&
		            paths.reported == reported);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_noc_way_of_quadrants),
	    cmocka_unit_test(test_noc_way_is_the_mean),
	    cmocka_unit_test(test_noc_way_of_a_qpe),
	    cmocka_unit_test(test_noc_way_of_operations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
