/* SPDX-License-Identifier: Apache-2.0 */
/* Mesh: the thesis' chip as drawn in its figures 4.16 to 4.20, and what must hold of any. */
#include "tests/support/unit_test.h"
#include "sim/machine/mesh.h"
#include "sim/machine/machine_param.h"
#include <stdlib.h>

static struct mesh mesh_of(uint32_t w, uint32_t h, uint32_t n_qpe, uint32_t n_dram)
{
	struct machine machine;
	struct mesh mesh;
	machine_init(&machine, MACHINE_CHIP);
	machine.chip.mesh_w = w;
	machine.chip.mesh_h = h;
	machine.chip.n_qpe = n_qpe;
	machine.dram_n = n_dram;
	mesh_derive(&machine, &mesh);
	return mesh;
}

/* Three rows an interface, agents at the inner corners, packets along their own row first. */
static void test_mesh_thesis(void **state)
{
	(void)state;
	struct mesh mesh = mesh_of(6, 6, 36, 4);
	static const uint32_t side[] = {0, 5, 0, 5}, first_row[] = {0, 0, 3, 3};
	for (uint32_t d = 0; d < 4; d++)
		for (uint32_t q = 0; q < 36; q++) {
			uint32_t y = q / 6, last_row = first_row[d] + 2;
			uint32_t row = y < first_row[d] ? first_row[d] : y > last_row ? last_row : y;
			assert_int_equal(mesh_dram_port(&mesh, d, q), mesh_qpe_at(&mesh, side[d], row));
		}
	for (uint32_t q = 0; q < 36; q++) {
		uint32_t x = q % 6, y = q / 6;
		assert_int_equal(mesh_agent(&mesh, q), mesh_qpe_at(&mesh, x < 3 ? 2 : 3, y < 3 ? 2 : 3));
		assert_int_equal(mesh_near_dram(&mesh, q), (x >= 3) + 2 * (y >= 3));
	}
	uint32_t from = mesh_qpe_at(&mesh, 1, 4), to = mesh_qpe_at(&mesh, 3, 2);
	static const uint32_t way[] = {26, 27, 21, 15};
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		assert_int_equal(from = mesh_next(&mesh, from, to), way[i]);
	assert_int_equal(from, to);
}

/* 38 QPEs: the last two hang below the corners, one a side, so that both interfaces serve as many. */
static void test_mesh_beyond(void **state)
{
	(void)state;
	struct mesh mesh = mesh_of(6, 6, 38, 2);
	assert_int_equal(mesh_x(&mesh, 36), 0);
	assert_int_equal(mesh_x(&mesh, 37), 5);
	assert_int_equal(mesh_y(&mesh, 37), 6);
	uint32_t n[2] = {0, 0};
	for (uint32_t q = 0; q < 38; q++)
		n[mesh_near_dram(&mesh, q)]++;
	assert_int_equal(n[0], 19);
	assert_int_equal(n[1], 19);
	assert_int_equal(mesh_next(&mesh, 36, 37), 30);
	assert_int_equal(mesh_n_hop(&mesh, 36, 37), 7);
	assert_int_equal(mesh_agent(&mesh, 37), mesh_qpe_at(&mesh, 3, 3));
	assert_int_equal(mesh_dram_port(&mesh, 1, 37), mesh_qpe_at(&mesh, 5, 5));
}

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* Any mesh: every way ends, after as many hops as rows and columns lie between, and comes back as long. */
static void test_mesh_ways_end(void **state)
{
	(void)state;
	for (uint32_t w = 1; w <= 5; w++)
		for (uint32_t h = 1; h <= 5; h++)
			for (uint32_t extra = 0; extra <= 2 * w + 1; extra += 3) {
				struct mesh mesh = mesh_of(w, h, w * h + extra, 1 + (w + h) % 5);
				for (uint32_t a = 0; a < mesh.n_qpe; a++)
					for (uint32_t b = 0; b < mesh.n_qpe; b++) {
						uint32_t n = mesh_n_hop(&mesh, a, b);
						uint32_t across = apart(mesh_x(&mesh, a), mesh_x(&mesh, b));
						uint32_t down = apart(mesh_y(&mesh, a), mesh_y(&mesh, b));
						assert_true(n >= across + down);
						/* from one column beyond the mesh to another it is up and down again */
						if (a < w * h && b < w * h)
							assert_int_equal(n, across + down);
						assert_int_equal(n, mesh_n_hop(&mesh, b, a));
						for (uint32_t at = a; at != b; at = mesh_next(&mesh, at, b))
							n--;
						assert_int_equal(n, 0);
					}
			}
}

/* The interface of a QPE's rows and half, looked for row by row; interfaces without a QPE are dealt to. */
static void test_mesh_interfaces_by_rows(void **state)
{
	(void)state;
	for (uint32_t w = 1; w <= 5; w++)
		for (uint32_t h = 1; h <= 7; h++)
			for (uint32_t n_dram = 1; n_dram <= 2 * h + 3 && n_dram <= w * h; n_dram++) {
				struct mesh mesh = mesh_of(w, h, w * h + w + 1, n_dram);
				uint32_t n_group = (n_dram + 1) / 2 < h ? (n_dram + 1) / 2 : h;
				bool is_next_to_some = true;
				for (uint32_t qpe = 0; qpe < mesh.n_qpe; qpe++) {
					uint32_t group = 0, side = n_dram > 1 && 2 * mesh_x(&mesh, qpe) >= w;
					while (group + 1 < n_group && mesh_y(&mesh, qpe) >= h * (group + 1) / n_group)
						group++;
					uint32_t dram = 2 * group + side < n_dram ? 2 * group + side : n_dram - 1;
					assert_int_equal(mesh_near_dram(&mesh, qpe), dram);
				}
				for (uint32_t dram = 0; dram < n_dram; dram++) {
					uint32_t qpe = 0;
					while (qpe < mesh.n_qpe && mesh_near_dram(&mesh, qpe) != dram)
						qpe++;
					is_next_to_some &= qpe < mesh.n_qpe;
				}
				assert_int_equal(mesh.deals_near, is_next_to_some);
			}
}

/* A QPE alone is its own agent and at its own interface. */
static void test_mesh_of_one(void **state)
{
	(void)state;
	struct machine machine;
	struct mesh mesh;
	machine_init(&machine, MACHINE_QPE);
	machine.dram_n = 1;
	mesh_derive(&machine, &mesh);
	assert_int_equal(mesh.n_qpe, 1);
	assert_int_equal(mesh_agent(&mesh, 0), 0);
	assert_int_equal(mesh_near_dram(&mesh, 0), 0);
	assert_int_equal(mesh_dram_port(&mesh, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mesh_thesis),
	    cmocka_unit_test(test_mesh_beyond),
	    cmocka_unit_test(test_mesh_ways_end),
	    cmocka_unit_test(test_mesh_interfaces_by_rows),
	    cmocka_unit_test(test_mesh_of_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
