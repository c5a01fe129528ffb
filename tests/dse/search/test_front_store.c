/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layer fronts of earlier runs under tighter limits, on random spaces: what a search takes from the store and filters
 * is what it finds without the store.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/front_store.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include <math.h>

enum { TEXT = 4096 };

static const char *draw_machine(struct rng *rng)
{
	static const char *const machine[] = {"thesis_chip", "dvfs_chip", "hdl_qpe"};
	return machine[rng_below(rng, 3)];
}

/* limit_ms: infinite for none. */
static void read_space(const char *machine, double limit_ms, struct space *space)
{
	char text[TEXT], path[FOLDER_PATH], limit[80] = "";
	struct err err = {0};
	if (isfinite(limit_ms))
		(void)snprintf(limit, sizeof(limit), "constraints: [latency_ms <= %.17g]\n", limit_ms);
	(void)snprintf(text, sizeof(text),
	               "name: random\nmachine: %s\nnetwork: random.yaml\naxes: {mla.array: [16x4, 8x4]}\n"
	               "layers:\n  - match: '.*'\n    split: {width: {max_parts: 2}, height: {max_parts: 4}, "
	               "out_channels: {max_parts: 6}}\n%sobjectives: [latency_ms, energy_mj]\n",
	               machine, limit);
	folder_write("space.yaml", text, "");
	if (space_read(folder_path("space.yaml", path), space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* with_store: what is found is written, and what is known is taken; returns how much that was. */
static uint64_t search(const char *machine, double limit_ms, bool with_store, struct pareto *front)
{
	char path[FOLDER_PATH];
	struct front_store *fronts = NULL;
	struct explore explore;
	struct space space;
	struct err err = {0};
	if (with_store)
		assert_int_equal(front_store_open(folder_path("dse.sqlite", path), &fronts, &err), ERR_OK);
	read_space(machine, limit_ms, &space);
	const struct explore_options options = {
	    .engine = &engine_exact, .n_thread = 1, .all_machines = true, .kept = front_store_keeper(fronts)};
	if (explore_run(&space, &options, &explore, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	uint64_t n_taken = front_store_n_taken(fronts);
	assert_int_equal(front_store_write(fronts, &err), ERR_OK);
	front_store_close(fronts);
	*front = explore.front;
	pareto_init(&explore.front, front->n_objective, front->n_gene);
	explore_free(&explore);
	space_free(&space);
	return n_taken;
}

static void assert_equal(const struct pareto *a, const struct pareto *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->objective, b->objective, a->n * a->n_objective * sizeof(*a->objective));
	assert_memory_equal(a->genome, b->genome, a->n * a->n_gene * sizeof(*a->genome));
}

/* A limit between the front's ends, then one that keeps all, which the first one's fronts do not serve, then tighter
 * ones that it serves. */
static uint64_t tighten(struct rng *rng, const char *machine, const struct pareto *all)
{
	double first = all->objective[0], last = all->objective[2 * (all->n - 1)];
	uint64_t n_taken = 0;
	for (int i = 0; i < 4; i++) {
		double limit = i == 1 ? 2 * last : first + rng_unit(rng) * (last - first);
		struct pareto front, expected;
		n_taken += search(machine, limit, true, &front);
		(void)search(machine, limit, false, &expected);
		assert_equal(&front, &expected);
		pareto_free(&front);
		pareto_free(&expected);
	}
	return n_taken;
}

static void test_fronts_under_tighter_limits_are_those_of_a_search(void **state)
{
	uint64_t n_taken = 0;
	(void)state;
	const uint32_t n_space = draws(24, 2);
	for (uint32_t number = 0; number < n_space; number++) {
		struct rng rng = rng_stream(31, 1, number);
		const char *machine = draw_machine(&rng);
		char network[TEXT];
		unsigned n_layer;
		struct pareto all;
		random_network(&rng, 2, network, sizeof(network), &n_layer);
		folder_write("random.yaml", network, "");
		(void)search(machine, INFINITY, false, &all);
		assert_true(all.n > 0);
		n_taken += tighten(&rng, machine, &all);
		pareto_free(&all);
	}
	print_message("%u spaces, %llu searches known\n", (unsigned)n_space, (unsigned long long)n_taken);
	assert_true(n_taken > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_fronts_under_tighter_limits_are_those_of_a_search)};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
