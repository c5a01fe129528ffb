/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a search that is cut short says of the designs that it has not seen, on random spaces of several machines,
 * against the search that goes on to its end:
 *
 *   space ─┬─► to the end ──────────────────────────► the front ─┐
 *          └─► so many evaluations, or milliseconds ─► front, gap ┴─► is the first one within the gap?
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/space/space.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 4096 };

static void draw_space(struct rng *rng)
{
	static const char *const machine[] = {"thesis_chip", "dvfs_chip", "hdl_qpe", "dvfs_chip"};
	static const char *const objectives[] = {
	    "latency_ms", "latency_ms, energy_mj", "latency_ms, energy_mj, sram_byte",
	    "edp_mj_ms",  "energy_mj, mac_units",  "latency_ms, dram_byte, mac_units",
	};
	static const char *const axes[] = {"", "axes:\n  mla.array: [16x4, 8x4, 4x4]\n",
	                                   "axes:\n  mla.array: [8x4, 16x4]\n  pe.sram_byte: [32768, 65536, 98304]\n"};
	static const char *const limits[] = {"", "", "constraints: [latency_ms <= 0.05]\n",
	                                     "constraints: [sram_used_frac <= 0.5]\n"};
	char text[TEXT];
	(void)snprintf(text, sizeof(text),
	               "name: random\nmachine: %s\nnetwork: random.yaml\n%s%s"
	               "layers:\n  - match: '.*'\n    split: {width: {max_parts: %u}, height: {max_parts: 4}, "
	               "out_channels: {max_parts: %u}}\nobjectives: [%s]\n",
	               machine[rng_below(rng, 4)], axes[rng_below(rng, 3)], limits[rng_below(rng, 4)],
	               1 + rng_below(rng, 4), 2 + rng_below(rng, 10), objectives[rng_below(rng, 6)]);
	folder_write("space.yaml", text, "");
}

static void search(const struct space *space, uint64_t max_evaluation, uint64_t max_ms, double epsilon,
                   struct explore *explore)
{
	const struct explore_options options = {.engine = &engine_exact,
	                                        .n_thread = 2,
	                                        .max_evaluation = max_evaluation,
	                                        .max_ms = max_ms,
	                                        .epsilon = epsilon};
	struct err err = {0};
	if (explore_run(space, &options, explore, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* Whether some point of the front is nowhere more than so many times as large as the values. */
static bool is_within(const struct pareto *front, const double *value, double factor)
{
	for (size_t i = 0; i < front->n; i++) {
		unsigned k = 0;
		while (k < front->n_objective && front->objective[i * front->n_objective + k] <= value[k] * factor)
			k++;
		if (k == front->n_objective)
			return true;
	}
	return false;
}

struct tally {
	unsigned n_cut, n_stated, n_tight; /* searches that were cut short; with a gap; of less than 20 % */
};

static void judge(const struct explore *whole, const struct explore *part, struct tally *tally)
{
	bool is_cut = part->interrupted || part->truncated;
	tally->n_cut += is_cut;
	if (!is_cut || !(part->open_gap_frac < INFINITY))
		return;
	tally->n_stated++;
	tally->n_tight += part->open_gap_frac < 0.2;
	for (size_t i = 0; i < whole->front.n; i++)
		assert_true(is_within(&part->front, whole->front.objective + i * whole->front.n_objective,
		                      (1 + part->open_gap_frac) * (1 + 1e-9)));
}

static void try_space(uint32_t number, struct tally *by_evaluation, struct tally *by_time)
{
	struct rng rng = rng_stream(29, 1, number);
	struct space space;
	struct explore whole, part;
	struct err err = {0};
	char network[TEXT], path[FOLDER_PATH];
	unsigned n_layer;
	static const double epsilon[] = {0, 0, 0.05};
	random_network(&rng, 2, network, sizeof(network), &n_layer);
	folder_write("random.yaml", network, "");
	draw_space(&rng);
	if (space_read(folder_path("space.yaml", path), &space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	search(&space, 0, 0, 0, &whole);
	assert_false(whole.interrupted || whole.truncated);
	for (unsigned i = 0; i < 3; i++) {
		search(&space, UINT64_C(1) << rng_below(&rng, 16), 0, epsilon[i], &part);
		judge(&whole, &part, by_evaluation);
		explore_free(&part);
		search(&space, 0, 1 + rng_below(&rng, 60), epsilon[i], &part);
		judge(&whole, &part, by_time);
		explore_free(&part);
	}
	explore_free(&whole);
	space_free(&space);
}

static void test_gaps_of_searches_cut_short_hold(void **state)
{
	struct tally by_evaluation = {0}, by_time = {0};
	(void)state;
	const uint32_t n_space = draws(60, 7);
	for (uint32_t number = 0; number < n_space; number++)
		try_space(number, &by_evaluation, &by_time);
	print_message("cut short by evaluations %u, by time %u; with a gap %u, %u; of less than 20 %% %u, %u\n",
	              by_evaluation.n_cut, by_time.n_cut, by_evaluation.n_stated, by_time.n_stated,
	              by_evaluation.n_tight, by_time.n_tight);
	assert_true(by_evaluation.n_stated > 0 && by_evaluation.n_tight > 0);
	/* machines that were not begun are bounded, too */
	assert_true(5 * by_time.n_stated >= 3 * by_time.n_cut);
}

/* On layers so large that the epsilon grows. */
static void test_epsilons_of_coarse_searches_hold(void **state)
{
	static const char *const path[] = {"spaces/bench/vgg16_conv_8.yaml", "spaces/bench/resnet50_conv_1.yaml",
	                                   "spaces/bench/net_mlp.yaml"};
	uint64_t most_box = 0;
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct space space;
		struct explore whole, coarse;
		struct err err = {0};
		if (space_read(path[i], &space, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		search(&space, 0, 0, 0, &whole);
		search(&space, 0, 0, 0.0001, &coarse);
		assert_false(coarse.counts.is_limited);
		for (size_t k = 0; k < whole.front.n; k++)
			assert_true(is_within(&coarse.front, whole.front.objective + k * whole.front.n_objective,
			                      (1 + coarse.counts.epsilon) * (1 + 1e-9)));
		print_message("%s: %llu boxes, %llu to within %.3g %%\n", path[i],
		              (unsigned long long)whole.counts.n_box, (unsigned long long)coarse.counts.n_box,
		              100 * coarse.counts.epsilon);
		most_box = coarse.counts.n_box > most_box ? coarse.counts.n_box : most_box;
		explore_free(&coarse);
		explore_free(&whole);
		space_free(&space);
	}
	assert_true(most_box > 40000); /* it has grown */
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_gaps_of_searches_cut_short_hold),
	                                   cmocka_unit_test(test_epsilons_of_coarse_searches_hold)};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
