/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of a chip: the thesis' lists (figure 4.16, appendices D to F), and what holds of every chip. */
#include "tests/support/unit_test.h"
#include "dse/space/space.h"
#include "dse/space/machine_read.h"
#include "mapper/network/place.h"
#include "sim/program/program.h"
#include "tests/support/random_chip.h"
#include <stdlib.h>

static struct place build(const char *path, struct machine *machine)
{
	struct err err = {0};
	struct place place;
	assert_int_equal(machine_read(path, machine, &err), ERR_OK);
	assert_true(place_build(machine, &place));
	return place;
}

static void assert_at(const struct place *place, uint32_t qpe, int x, int y)
{
	assert_int_equal(mesh_x(&place->mesh, qpe), x);
	assert_int_equal(mesh_y(&place->mesh, qpe), y);
}

static void test_place_has_the_lists_of_the_thesis(void **state)
{
	static const int list[4][8][2] = {
	    {{1, 3}, {0, 3}, {1, 2}, {0, 2}, {1, 1}, {0, 1}, {1, 0}, {0, 0}},
	    {{2, 1}, {2, 0}, {3, 1}, {3, 0}, {4, 1}, {4, 0}, {5, 1}, {5, 0}},
	    {{3, 4}, {3, 5}, {2, 4}, {2, 5}, {1, 4}, {1, 5}, {0, 4}, {0, 5}},
	    {{4, 2}, {5, 2}, {4, 3}, {5, 3}, {4, 4}, {5, 4}, {4, 5}, {5, 5}},
	};
	static const int storage[4][2] = {{2, 3}, {2, 2}, {3, 3}, {3, 2}}, ring[4] = {0, 1, 3, 2};
	struct machine machine;
	struct place place = build("spaces/machines/thesis_chip.yaml", &machine);
	(void)state;
	assert_true(place.is_thesis);
	for (uint32_t b = 0; b < 4; b++) {
		assert_at(&place, place.storage_qpe[b], storage[b][0], storage[b][1]);
		assert_int_equal(place.dram[b], b);
		assert_int_equal(place.ring[b], ring[b]);
		for (uint32_t i = 0; i < 8; i++)
			assert_at(&place, place_qpe(&place, b, i), list[b][i][0], list[b][i][1]);
	}
	/* a ring step goes two QPEs on, clockwise; a rotation one QPE */
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t r = 0; r < 4; r++) {
			uint32_t here = place_cell_qpe(&place, i, r), next = place_cell_qpe(&place, i + 1, r);
			assert_int_equal(mesh_n_hop(&place.mesh, here, next), 2);
			assert_int_equal(mesh_n_hop(&place.mesh, here, place_cell_qpe(&place, i, (r + 1) % 4)), 1);
		}
	assert_at(&place, place_cell_qpe(&place, 0, 0), 0, 1);
	assert_at(&place, place_cell_qpe(&place, 1, 1), 2, 0);
	place_free(&place);
	assert_null(place.memory.head);
}

/* Two interfaces on a mesh of the same kind: two blocks each, those at its side. */
static void test_place_deals_blocks_to_near_interfaces(void **state)
{
	static const uint32_t dram[4] = {0, 1, 0, 1};
	struct machine machine;
	struct place place = build("spaces/machines/dvfs_chip.yaml", &machine);
	(void)state;
	assert_true(place.is_thesis);
	for (uint32_t b = 0; b < 4; b++)
		assert_int_equal(place.dram[b], dram[b]);
	place_free(&place);
}

static void check_place(const struct machine *machine)
{
	struct place place;
	struct hierarchy hierarchy;
	uint32_t n_block_of_dram[64] = {0};
	hierarchy_derive(machine, &hierarchy);
	assert_true(place_build(machine, &place));
	uint8_t *use = calloc(place.mesh.n_qpe, 1);
	assert_non_null(use);
	assert_int_equal(place.n_block, hierarchy.n_block);
	assert_int_equal(place.n_qpe, hierarchy.qpe_per_block);
	assert_int_equal(place.n_cell * place.n_cell_qpe, place.n_block * place.n_qpe);
	for (uint32_t b = 0; b < place.n_block; b++) {
		assert_in_range(place.dram[b], 0, machine->dram_n - 1);
		n_block_of_dram[place.dram[b]]++;
		assert_int_equal(use[place.storage_qpe[b]], 0);
		use[place.storage_qpe[b]] = 1;
		for (uint32_t i = 0; i < place.n_qpe; i++) {
			assert_in_range(place_qpe(&place, b, i), 0, place.mesh.w * place.mesh.h - 1);
			assert_int_equal(use[place_qpe(&place, b, i)], 0);
			use[place_qpe(&place, b, i)] = 2;
		}
	}
	for (uint32_t d = 0; d < machine->dram_n; d++)
		assert_in_range(n_block_of_dram[d], 0, hierarchy.block_per_dram);
	for (uint32_t i = 0; i < place.n_cell; i++)
		for (uint32_t r = 0; r < place.n_cell_qpe; r++) {
			assert_int_equal(use[place_cell_qpe(&place, i, r)], 2);
			use[place_cell_qpe(&place, i, r)] = 3;
		}
	free(use);
	place_free(&place);
}

static void test_place_uses_every_qpe_once(void **state)
{
	struct err err = {0};
	struct machine chip;
	(void)state;
	assert_int_equal(machine_read("spaces/machines/thesis_chip.yaml", &chip, &err), ERR_OK);
	check_place(&chip);
	for (uint32_t i = 0; i < 300; i++) {
		struct rng rng = rng_stream(31, 0, i);
		struct machine machine = random_chip(&rng, &chip);
		check_place(&machine);
	}
}

/* A QPE alone, and a chip without storage QPEs: one block of all. */
static void test_place_without_storage_is_one_block(void **state)
{
	struct machine machine;
	struct place place = build("spaces/machines/thesis_qpe_dram.yaml", &machine);
	(void)state;
	assert_int_equal(place.n_block, 1);
	assert_int_equal(place.n_qpe, 1);
	assert_int_equal(place.storage_qpe[0], PLACE_NONE);
	place_free(&place);
	place = build("spaces/machines/thesis_chip.yaml", &machine);
	place_free(&place);
	machine.chip.n_storage_qpe = 0;
	assert_true(place_build(&machine, &place));
	assert_false(place.is_thesis);
	assert_int_equal(place.n_block, 1);
	assert_int_equal(place.n_qpe, 36);
	assert_int_equal(place.storage_qpe[0], PLACE_NONE);
	place_free(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_place_has_the_lists_of_the_thesis),
	    cmocka_unit_test(test_place_deals_blocks_to_near_interfaces),
	    cmocka_unit_test(test_place_uses_every_qpe_once),
	    cmocka_unit_test(test_place_without_storage_is_one_block),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
