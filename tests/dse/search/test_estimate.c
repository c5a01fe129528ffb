/* SPDX-License-Identifier: Apache-2.0 */
/* What `dse check` expects of a search, beside the search itself: on random small spaces and on shipped ones. */
#include "tests/support/unit_test.h"

#include "dse/search/estimate.h"
#include "dse/search/explore.h"
#include "dse/engine/engine.h"
#include "dse/layer/layers.h"
#include "dse/space/space.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>

enum { TEXT = 4096 };

/* A space of small layers and one to three machines, for an engine. */
static void read_random(uint32_t number, const char *engine, struct space *space)
{
	static const char *const axes[] = {"", "axes: {mla.array: [16x4, 8x4]}\n",
	                                   "axes: {pe.sram_byte: [16384, 32768, 98304]}\n"};
	struct rng rng = rng_stream(31, 2, number);
	struct err err = {0};
	char network[TEXT], text[TEXT], path[FOLDER_PATH];
	unsigned n_layer;
	random_network(&rng, 1, network, sizeof(network), &n_layer);
	folder_write("random.yaml", network, "");
	(void)snprintf(text, sizeof(text),
	               "name: random\nmachine: %s\nnetwork: random.yaml\nsearch: {engine: %s}\n%s"
	               "layers:\n  - match: '.*'\n    split: {width: whole, height: {max_parts: 2}, "
	               "in_channels: whole, out_channels: {max_parts: %u}}\nobjectives: [latency_ms, energy_mj]\n",
	               rng_below(&rng, 2) ? "dvfs_chip" : "hdl_qpe", engine,
	               axes[strcmp(engine, "exact") == 0 ? rng_below(&rng, 3) : 0], 1 + rng_below(&rng, 3));
	folder_write("space.yaml", text, "");
	if (space_read(folder_path("space.yaml", path), space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void expect(const struct space *space, unsigned n_thread, struct layer_map *map, struct estimate *estimate)
{
	struct err err = {0};
	*map = (struct layer_map){0};
	if (layer_map_build(space, map, &err) != ERR_OK ||
	    estimate_space(space, map, n_thread, estimate, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_true(estimate->least_evaluation <= estimate->n_evaluation &&
	            estimate->n_evaluation <= estimate->most_evaluation);
	assert_true(estimate->least_seconds <= estimate->seconds && estimate->seconds <= estimate->most_seconds);
	assert_true(estimate->n_candidate <= estimate->n_legal * (1 + 1e-12));
	assert_true(estimate->n_evaluation <= estimate->n_candidate);
}

static void forget(struct layer_map *map, struct estimate *estimate)
{
	if (estimate->has_candidate)
		candidate_free(&estimate->candidate);
	layer_map_free(map);
}

static uint64_t evaluations(const struct space *space, const struct engine_kind *engine)
{
	const struct explore_options options = {.engine = engine, .n_thread = 1};
	struct explore explore;
	struct err err = {0};
	if (explore_run(space, &options, &explore, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	uint64_t n = explore.counts.engine.n_told;
	explore_free(&explore);
	return n;
}

/*
 * A small branch and bound is done to its end. An exhaustive search is told from a sample of its designs, which knows
 * neither what cuts of a batch save together nor what they come too late for: a few times too many, or too few.
 */
static void test_estimates_are_what_searches_evaluate(void **state)
{
	static const struct engine_kind *const engine[] = {&engine_exact, &engine_exhaustive};
	const uint32_t n_space = draws(100, 10);
	uint32_t n_near = 0;
	(void)state;
	for (uint32_t number = 0; number < n_space; number++)
		for (int i = 0; i < 2; i++) {
			struct space space;
			struct layer_map map;
			struct estimate estimate;
			read_random(number, engine[i]->name, &space);
			expect(&space, 1, &map, &estimate);
			if (estimate.has_candidate) {
				double n = (double)evaluations(&space, engine[i]);
				assert_true(!estimate.is_measured || estimate.n_evaluation == n);
				assert_int_equal(estimate.is_exact, i == 0);
				print_message("space %u, %s: %g evaluations, expected were %g to %g\n", number,
				              engine[i]->name, n, estimate.least_evaluation, estimate.most_evaluation);
				assert_true(n <= 5 * estimate.most_evaluation && estimate.least_evaluation <= 5 * n);
				n_near += n <= 2 * estimate.most_evaluation && estimate.least_evaluation <= 2 * n;
				assert_true(estimate.evaluation_per_s > 1);
			}
			forget(&map, &estimate);
			space_free(&space);
		}
	assert_true(n_near > n_space * 3 / 2);
}

/* More memory than the program takes; a front takes its points, and each thread a machine. */
static void test_estimates_of_memory_grow_with_fronts_and_threads(void **state)
{
	static const uint64_t max_front[] = {1000, 100000, 100000};
	static const unsigned n_thread[] = {1, 1, 3};
	double mb[3];
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct space space;
		struct layer_map map;
		struct estimate estimate;
		read_random(1, "exact", &space);
		space.max_front = max_front[i];
		expect(&space, n_thread[i], &map, &estimate);
		mb[i] = estimate.memory_mb;
		forget(&map, &estimate);
		space_free(&space);
	}
	/* for a layer of at least one network a choice of four bytes a point, twice */
	assert_true(mb[0] > 1 && mb[1] > mb[0] + 99000 * 8 / 1e6 && mb[2] > mb[1] + 99000 * 8 / 1e6);
}

/* In the event tier as many designs are priced at its own speed. */
static void test_estimates_of_the_event_tier_are_by_its_speed(void **state)
{
	struct space space;
	struct layer_map map;
	struct estimate estimate;
	struct err err = {0};
	(void)state;
	assert_int_equal(space_read("spaces/smoke.yaml", &space, &err), ERR_OK);
	expect(&space, 2, &map, &estimate);
	assert_true(estimate.has_candidate && estimate.is_measured);
	double n = estimate.n_evaluation, fast_per_s = estimate.evaluation_per_s;
	assert_int_equal(estimate_event(&estimate, 0.05, &err), ERR_OK);
	assert_true(estimate.n_evaluation == n && estimate.evaluation_per_s > 0 &&
	            estimate.evaluation_per_s < fast_per_s);
	assert_true(fabs(estimate.seconds * estimate.evaluation_per_s * 2 / n - 1) < 1e-9);
	assert_true(fabs(estimate.most_seconds * estimate.evaluation_per_s * 2 / estimate.most_evaluation - 1) < 1e-9);
	forget(&map, &estimate);
	space_free(&space);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_estimates_are_what_searches_evaluate),
	    cmocka_unit_test(test_estimates_of_memory_grow_with_fronts_and_threads),
	    cmocka_unit_test(test_estimates_of_the_event_tier_are_by_its_speed),
	};
	return cmocka_run_group_tests(test, folder_make, folder_remove);
}
