/* SPDX-License-Identifier: Apache-2.0 */
/* Routers that packets of a queue pass, against the mesh's own way from QPE to QPE. */
#include "sim/machine/mesh.h"
#include "sim/machine/queue_place.h"
#include "tests/support/default_machine.h"
#include "tests/support/unit_test.h"

static struct machine chip_of(uint32_t mesh_w, uint32_t mesh_h, uint32_t n_dram)
{
	struct machine machine = default_machine(MACHINE_CHIP, 250);
	machine.chip.mesh_w = mesh_w;
	machine.chip.mesh_h = mesh_h;
	machine.chip.n_qpe = mesh_w * mesh_h;
	machine.dram_n = n_dram;
	return machine;
}

/* A quadrant of 3 x 3: packets enter in a QPE's row, so each QPE is passed by those for the QPEs behind it in the row.
 */
static void test_queue_place_of_a_quadrant(void **state)
{
	const struct machine machine = chip_of(6, 6, 4);
	struct queue_place place;
	(void)state;
	queue_place_derive(&machine, &place);
	assert_int_equal(place.n_qpe, 9);
	assert_int_equal(place.n_router, 3);
	for (uint32_t y = 0; y < 3; y++)
		for (uint32_t x = 0; x < 3; x++)
			assert_int_equal(place.pass[3 * y + x], (uint64_t)((2u << x) - 1) << 3 * y);
}

static void test_queue_place_counts_the_way(void **state)
{
	(void)state;
	for (uint32_t w = 2; w <= 8; w++)
		for (uint32_t h = 2; h <= 8; h++)
			for (uint32_t n_dram = 1; n_dram <= 4; n_dram++) {
				const struct machine machine = chip_of(w, h, n_dram);
				struct queue_place place;
				struct mesh mesh;
				uint32_t n = 0, most = 1;
				mesh_derive(&machine, &mesh);
				queue_place_derive(&machine, &place);
				for (uint32_t qpe = 0; qpe < mesh.n_qpe; qpe++) {
					if (mesh_near_dram(&mesh, qpe) != 0)
						continue;
					uint32_t n_hop = mesh_n_hop(&mesh, mesh_dram_port(&mesh, 0, qpe), qpe);
					assert_true(n < place.n_qpe && place.pass[n] >> n & 1);
					/* some may be another queue's QPEs */
					uint32_t n_pass = (uint32_t)__builtin_popcountll(place.pass[n++]);
					assert_in_range(n_pass, 1, n_hop + 1);
					most = n_pass > most ? n_pass : most;
				}
				assert_int_equal(place.n_qpe, n);
				assert_int_equal(place.n_router, most);
			}
}

/* More QPEs than are told apart: none. */
static void test_queue_place_of_a_large_mesh(void **state)
{
	const struct machine machine = chip_of(16, 8, 1);
	struct queue_place place;
	(void)state;
	queue_place_derive(&machine, &place);
	assert_int_equal(place.n_qpe, 0);
	assert_int_equal(place.n_router, 16);
}

/* Idle QPEs beyond the mesh are no way of results. */
static void test_queue_place_routers_are_of_the_mesh(void **state)
{
	(void)state;
	for (uint32_t n_beyond = 0; n_beyond < 200; n_beyond += 7) {
		struct machine machine = chip_of(6, 6, 2);
		struct queue_place place;
		machine.chip.n_qpe += n_beyond;
		queue_place_derive(&machine, &place);
		assert_int_equal(place.n_router, 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_queue_place_of_a_quadrant),
	    cmocka_unit_test(test_queue_place_counts_the_way),
	    cmocka_unit_test(test_queue_place_of_a_large_mesh),
	    cmocka_unit_test(test_queue_place_routers_are_of_the_mesh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
