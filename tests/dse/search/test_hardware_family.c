/* SPDX-License-Identifier: Apache-2.0 */
/* Families of machines that differ in SRAM and clocks: who serves whom, and that no design takes longer on who serves.
 */
#include "tests/support/unit_test.h"

#include "dse/layer/layers.h"
#include "dse/search/hardware_parts.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/space_folder.h"
#include "sim/base/rng.h"

static bool go_on(void *context, double done)
{
	(void)context;
	(void)done;
	return true;
}

static void show_nobody(void *context, const struct pareto *archive)
{
	(void)context;
	(void)archive;
}

/* A drawn design on the machine of one member and of another: the first takes no longer. */
static void compare_members(struct rng *rng, const struct space *space, const struct layer_map *map,
                            const struct hardware_member *one, const struct hardware_member *other)
{
	const struct hardware_member *member[] = {one, other};
	uint32_t genome[N_LAYER_GENE];
	double latency_ns[2];
	bool runs[2];
	struct err err = {0};
	for (int i = 0; i < 2; i++) {
		struct layer_set *set;
		char why[160];
		struct layer_design design;
		struct sim_result result;
		struct verdict verdict;
		double metric[N_METRIC];
		assert_int_equal(layer_set_build(space, map, member[i]->index, &set, why, sizeof(why), &err), ERR_OK);
		const struct layer_problem *layer = &set->problem[0];
		for (size_t k = 0; k < N_LAYER_GENE && i == 0; k++)
			genome[k] = rng_below(rng, layer->n_value[k]);
		layer_problem_design(layer, genome, &design);
		runs[i] = evaluate_design(layer_context_of(layer, &design), &design, &result, metric, &verdict);
		latency_ns[i] = runs[i] ? result.latency_ns : 0;
		layer_set_free(set);
	}
	assert_true(runs[0] || !runs[1]);
	assert_true(!runs[1] || latency_ns[0] <= latency_ns[1]);
}

static void test_families_serve_slower_clocks(void **state)
{
	enum { N_CLOCK = 3, N_SRAM = 2 };
	struct space space;
	struct layer_map map = {0};
	struct arena arena = {0};
	struct hardware_family *family;
	size_t n_family;
	char path[FOLDER_PATH];
	struct err err = {0};
	struct rng rng = rng_stream(43, 0, 0);
	(void)state;
	folder_write("space.yaml",
	             "name: clocks\nmachine: dvfs_chip\nnetwork: small.yaml\n"
	             "axes: {noc.clk_mhz: [100, 200, 400], pe.sram_byte: [65536, 131072]}\n"
	             "layers: [{match: '.*', split: {width: {max_parts: 4}, height: {max_parts: 4}, out_channels: "
	             "{max_parts: 8}}}]\nobjectives: [latency_ms, dram_byte]\n",
	             "");
	assert_int_equal(space_read(folder_path("space.yaml", path), &space, &err), ERR_OK);
	assert_int_equal(layer_map_build(&space, &map, &err), ERR_OK);
	const struct hardware_options options = {
	    .space = &space, .map = &map, .n_thread = 1, .watch = go_on, .show = show_nobody};
	assert_int_equal(hardware_build_families(&options, &arena, &family, &n_family, &err), ERR_OK);
	size_t n_member = 0, n_served = 0;
	for (size_t f = 0; f < n_family; f++) {
		n_member += family[f].n;
		assert_int_equal(family[f].n_noc, N_CLOCK);
		for (size_t i = 0; i < family[f].n; i++)
			for (size_t k = 0; k < family[f].n; k++) {
				const struct hardware_member *one = &family[f].member[i], *other = &family[f].member[k];
				bool serves = hardware_serves(&family[f], one, other);
				assert_true(i != k || serves);
				n_served += i != k && serves;
				for (int draw = 0; draw < 10 && serves && i != k; draw++)
					compare_members(&rng, &space, &map, one, other);
			}
	}
	assert_int_equal(n_member, N_CLOCK * N_SRAM);
	/* of three clocks at least the fastest serves the others */
	assert_true(n_served >= 2);
	arena_free(&arena);
	layer_map_free(&map);
	space_free(&space);
}

int main(void)
{
	const struct CMUnitTest test[] = {cmocka_unit_test(test_families_serve_slower_clocks)};
	return cmocka_run_group_tests(test, folder_make_small, folder_remove);
}
