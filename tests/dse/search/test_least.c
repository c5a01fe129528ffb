/* SPDX-License-Identifier: Apache-2.0 */
/* The least of one metric by bounds: what the front of one objective holds, and what every machine has. */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/search/least.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include "tests/support/space_text.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "name: least\nmachine: dvfs_chip\naxes:\n  mla.array: [16x4, 8x4, 16x2]\n"
#define LAYERS                                                             \
	"layers:\n  - match: '.*'\n    level: all\n"                       \
	"    strategy: [no_fusion, fusion, fusion_reuse]\n"                \
	"    split: {width: whole, height: {max_parts: 8, choose: even}, " \
	"out_channels: {max_parts: 8, choose: even}, in_channels: {max_parts: 4, choose: even}}\n"

static const char *const space_text[] = {
    HEAD "network: tiny\n" LAYERS "objectives: [latency_ms, energy_mj]\n",
    HEAD "  pe.sram_byte: [4096, 65536]\nnetwork: tiny\n" LAYERS "objectives: [energy_mj, dram_byte]\n",
    HEAD "networks: [tiny, mlp_784_512_256_16]\naggregate: worst\n"
	 "layers:\n  - match: '.*'\n    split: {width: whole, height: {max_parts: 4, choose: even}, out_channels: "
	 "{max_parts: 8, choose: even}, "
	 "in_channels: {max_parts: 8, choose: even}}\n"
	 "objectives: [latency_ms, sram_used_frac]\n",
};
#define N_SPACE (sizeof(space_text) / sizeof(space_text[0]))

static void search(const struct space *space, struct explore *explore)
{
	const struct explore_options options = {
	    .engine = &engine_exact, .n_thread = 2, .seed = 1, .all_machines = true};
	struct err err = {0};
	if (explore_run(space, &options, explore, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_true(explore->front.n > 0 && explore->least);
}

static struct least find(const struct space *space, double enough, const struct least_table *known, unsigned n_thread)
{
	const struct least_options options = {.space = space, .n_thread = n_thread, .enough = enough, .known = known};
	struct least least;
	struct err err = {0};
	assert_true(least_serves(space, space->objective[0]));
	if (least_find(&options, &least, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	return least;
}

static bool is_near(double left, double right)
{
	return fabs(left - right) <= 4 * LEAST_SLACK * fabs(right);
}

static const enum metric metric[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM, METRIC_PEAK_POWER, METRIC_SRAM_USED};
#define N_TRIED (sizeof(metric) / sizeof(metric[0]))

static void test_least_is_that_of_the_front(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SPACE; i++) {
		struct space space;
		struct explore both;
		space_read_text(space_text[i], &space);
		search(&space, &both);
		for (size_t k = 0; k < N_TRIED; k++) {
			struct explore one;
			space.n_objective = 1;
			space.objective[0] = metric[k];
			search(&space, &one);
			struct least least = find(&space, INFINITY, NULL, 2),
				     told = find(&space, INFINITY, both.least, 1);
			assert_true(least.found && is_near(least.value, one.front.objective[0]));
			assert_true(told.found && is_near(told.value, least.value));
			assert_int_equal(least.n_machine, one.counts.n_machine - one.counts.n_machine_rejected -
			                                      one.counts.n_machine_dead);
			assert_int_equal(told.n_machine, least.n_machine);
			assert_true(told.n_search <= least.n_search);
			/* threads change nothing */
			struct least again = find(&space, INFINITY, NULL, 1);
			assert_true(again.machine_index == least.machine_index && again.n_search == least.n_search);
			assert_memory_equal(&again.value, &least.value, sizeof(again.value));
			explore_free(&one);
		}
		explore_free(&both);
		space_free(&space);
	}
}

/* What the search of a front has found of the layers need not be searched again. */
static void test_least_takes_what_is_known(void **state)
{
	(void)state;
	struct space space;
	struct explore explore;
	space_read_text(space_text[0], &space);
	search(&space, &explore);
	double latency = explore.front.objective[0];
	space.n_objective = 1;
	struct least least = find(&space, INFINITY, explore.least, 1);
	assert_true(least.found && is_near(least.value, latency));
	assert_int_equal(least.n_search, 0);
	assert_true(isnan(least_table_find(explore.least, 0, 0, METRIC_SRAM_USED)));
	assert_true(isnan(least_table_find(explore.least, 99, 0, METRIC_LATENCY)));
	assert_true(isnan(least_table_find(NULL, 0, 0, METRIC_LATENCY)));
	assert_true(isfinite(least_table_find(explore.least, 0, 0, METRIC_LATENCY)));
	explore_free(&explore);
	space_free(&space);
}

/* A threshold a little above the least lets it through, one a little below nothing; machines are counted that reach it.
 */
static void test_least_asks_for_enough(void **state)
{
	(void)state;
	struct space space;
	space_read_text(space_text[0], &space);
	space.n_objective = 1;
	for (size_t k = 0; k < N_TRIED; k++) {
		space.objective[0] = metric[k];
		struct least least = find(&space, INFINITY, NULL, 2);
		struct least above = find(&space, least.value * (1 + 1e-6), NULL, 2);
		struct least below = find(&space, least.value * (1 - 1e-6), NULL, 2);
		assert_true(above.found && above.value <= least.value * (1 + 1e-6));
		assert_true(above.n_machine >= 1 && above.n_machine <= least.n_machine);
		assert_false(below.found);
		assert_int_equal(below.n_machine, 0);
		/* far off, bounds alone tell */
		assert_int_equal(find(&space, least.value * 1e-3, NULL, 2).n_search, 0);
	}
	space_free(&space);
}

/* Just as much as the least is enough, wherever bounds are as tight. */
static void test_least_is_enough_itself(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_SPACE; i++) {
		struct space space;
		space_read_text(space_text[i], &space);
		space.n_objective = 1;
		for (size_t k = 0; k < N_TRIED; k++) {
			space.objective[0] = metric[k];
			struct least least = find(&space, INFINITY, NULL, 1), same = find(&space, least.value, NULL, 1);
			assert_true(same.found && same.value <= least.value && same.n_machine >= 1);
		}
		space_free(&space);
	}
}

/* The same of random networks, where a bound may be just what is enough before its layer is searched. */
static void test_least_is_enough_itself_in_random_spaces(void **state)
{
	(void)state;
	folder_write("least.yaml",
	             "name: least\nmachine: dvfs_chip\naxes: {mla.array: [16x4, 8x4], pe.sram_byte: [4096, 65536]}\n"
	             "network: network.yaml\nobjectives: [latency_ms]\nlayers: [{match: '.*', split: {width: whole, "
	             "height: {max_parts: 4}, out_channels: {max_parts: 4}, in_channels: {max_parts: 4}}}]\n",
	             "");
	for (uint32_t i = 0, n = draws(300, 2); i < n; i++) {
		struct rng rng = rng_stream(7, 22, i);
		char text[2048], path[FOLDER_PATH];
		unsigned n_layer;
		struct space space;
		struct err err = {0};
		random_network(&rng, 2, text, sizeof(text), &n_layer);
		folder_write("network.yaml", text, "");
		if (space_read(folder_path("least.yaml", path), &space, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		for (size_t k = 0; k < N_TRIED; k++) {
			space.objective[0] = metric[k];
			struct least least = find(&space, INFINITY, NULL, 1), same = find(&space, least.value, NULL, 1);
			if (!same.found || same.value > least.value)
				fail_msg("network %u, metric %zu: %a is not enough", i, k, least.value);
		}
		space_free(&space);
	}
}

/* A space without any design, one with limits, one whose metric is not of layers. */
static void test_least_of_nothing(void **state)
{
	(void)state;
	struct space space;
	space_read_text(space_text[0], &space);
	space.n_objective = 1;
	for (size_t i = 0; i < space.n_machine; i++)
		space.machine[i].pe_sram_byte = 64;
	struct least least = find(&space, INFINITY, NULL, 2);
	assert_true(!least.found && least.n_machine == 0 && isinf(least.value));
	assert_false(least_serves(&space, METRIC_EDP));
	assert_false(least_serves(&space, METRIC_MAC_UNITS));
	space.deadline_ms = 1;
	assert_false(least_serves(&space, METRIC_LATENCY));
	space_free(&space);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_least_is_that_of_the_front),
	    cmocka_unit_test(test_least_takes_what_is_known),
	    cmocka_unit_test(test_least_asks_for_enough),
	    cmocka_unit_test(test_least_is_enough_itself),
	    cmocka_unit_test(test_least_is_enough_itself_in_random_spaces),
	    cmocka_unit_test(test_least_of_nothing),
	};
	return cmocka_run_group_tests(test, folder_make, folder_remove);
}
