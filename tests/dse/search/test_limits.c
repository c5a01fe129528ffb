/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits on random small spaces, where composition is thinned to a few points: the front and the verdict that nothing
 * fits, against all designs. A space is drawn, all of its designs are evaluated once as wholes, and then asked with
 * many limits, drawn around designs that exist:
 *
 *   space ─► flat exhaustive search without limits ─► all nondominated designs ─┐
 *      └───► exact search, limits, max_front 2 to 50 ─► front, epsilon ─────────┴─► agree?
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/random_network.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES_A_SPACE = 25, N_METRIC_NAME = 4, TEXT = 4096 };

/* The first three add up over layers, the last is the worst layer's. */
static const char *const metric_name[N_METRIC_NAME] = {"latency_ms", "energy_mj", "dram_byte", "peak_power_mw"};

/* Everything but objectives, limits and max_front. */
static void draw_body(struct rng *rng, unsigned n_layer, char text[TEXT])
{
	static const char *const machine[] = {"dvfs_chip", "final_chip", "thesis_qpe_dram"};
	static const char *const dimension[] = {"width", "height", "out_channels"};
	bool two_machines = rng_below(rng, 3) == 0;
	int n = snprintf(text, TEXT, "machine: %s\nnetwork: random.yaml\n%s", machine[rng_below(rng, 3)],
	                 two_machines ? "axes:\n  mla.array: [16x4, 8x4]\n" : "");
	n += snprintf(text + n, TEXT - (size_t)n,
	              "layers:\n  - match: '.*'\n    split: whole\n    conv_1x1: conv\n    strategy: [fusion%s]\n",
	              rng_below(rng, 2) ? ", fusion_reuse" : "");
	(void)snprintf(text + n, TEXT - (size_t)n,
	               "  - match: '_(SC_)?[1-%u]$'\n    split: {%s: {max_parts: %u, choose: even}}\n",
	               n_layer > 4 ? 2 : n_layer, dimension[rng_below(rng, 3)], 2 + rng_below(rng, 2));
}

static void write_space(const char *body, const char *objectives, const char *more)
{
	char text[4 * TEXT];
	(void)snprintf(text, sizeof(text), "name: random\n%sobjectives: [%s]\n%s", body, objectives, more);
	folder_write("space.yaml", text, "");
}

/* A case: objectives and limits, each by number of metric_name. */
struct limits {
	unsigned n_objective, objective[N_METRIC_NAME];
	double max[N_METRIC_NAME]; /* infinite: none */
	unsigned max_front;
};

/* Limits near the values of a design that exists: its own, a little more, or less. */
static void draw_limits(struct rng *rng, const struct pareto *all, struct limits *limits, char objectives[TEXT],
                        char more[TEXT])
{
	const double *design = all->objective + rng_below(rng, (uint32_t)all->n) * N_METRIC_NAME;
	int n = 0, n_text = 0;
	limits->max_front = 2 + rng_below(rng, 49);
	limits->n_objective = 1 + rng_below(rng, 3);
	unsigned first = rng_below(rng, 3);
	for (unsigned i = 0; i < limits->n_objective; i++) {
		limits->objective[i] = (first + i) % 3;
		n += snprintf(objectives + n, TEXT - (size_t)n, "%s%s", i ? ", " : "",
		              metric_name[limits->objective[i]]);
	}
	for (unsigned m = 0; m < N_METRIC_NAME; m++) {
		static const double change[] = {0, 0, 1e-4, 0.01, 0.1, -1e-4, -0.01};
		limits->max[m] = INFINITY;
		if (rng_below(rng, m == 3 ? 4 : 3) == 0)
			continue;
		limits->max[m] = design[m] * (1.0 + change[rng_below(rng, 7)]);
		n_text += snprintf(more + n_text, TEXT - (size_t)n_text, "%s%s <= %.17g",
		                   n_text ? ", " : "constraints: [", metric_name[m], limits->max[m]);
	}
	(void)snprintf(more + n_text, TEXT - (size_t)n_text, "%ssearch: {max_front: %u}\n", n_text ? "]\n" : "",
	               limits->max_front);
}

static bool keeps(const struct limits *limits, const double *value)
{
	for (unsigned m = 0; m < N_METRIC_NAME; m++)
		if (value[m] > limits->max[m] * (1.0 + 1e-9))
			return false;
	return true;
}

/* Whether some point of the front is nowhere above a design made so many times as large. */
static bool is_matched(const struct pareto *front, const struct limits *limits, const double *value, double factor)
{
	for (size_t i = 0; i < front->n; i++) {
		bool matches = true;
		for (unsigned k = 0; k < limits->n_objective && matches; k++)
			matches = front->objective[i * front->n_objective + k] <=
			          value[limits->objective[k]] * factor * (1.0 + 1e-12);
		if (matches)
			return true;
	}
	return false;
}

/* Whether a design is nowhere above a point made so many times as large. */
static bool is_below(const struct limits *limits, const double *value, const double *point, double factor)
{
	for (unsigned k = 0; k < limits->n_objective; k++)
		if (!(value[limits->objective[k]] <= point[k] * factor))
			return false;
	return true;
}

/*
 * Whether a point of the front is no better than some design that keeps the limits and, where nothing is thinned, no
 * worse in all objectives at once; sums in another order differ in their last digits.
 */
static bool is_of_a_design(const struct pareto *all, const struct limits *limits, const double *point, bool is_exact)
{
	bool exists = false, is_beaten = false;
	for (size_t i = 0; i < all->n; i++) {
		const double *value = all->objective + i * N_METRIC_NAME;
		if (!keeps(limits, value))
			continue;
		exists |= is_below(limits, value, point, 1.0 + 1e-12);
		is_beaten |= is_below(limits, value, point, 1.0 - 1e-12);
	}
	return exists && !(is_exact && is_beaten);
}

struct tally {
	uint32_t n_feasible, n_infeasible, n_thinned;
	uint32_t n_coarse, n_limited; /* of searches to within an epsilon */
};

static void judge(const struct pareto *all, const struct limits *limits, const struct explore *found,
                  struct tally *tally)
{
	double factor = 1.0 + found->counts.epsilon;
	uint32_t n_feasible = 0;
	for (size_t i = 0; i < all->n; i++) {
		const double *value = all->objective + i * N_METRIC_NAME;
		if (!keeps(limits, value))
			continue;
		n_feasible++;
		assert_true(is_matched(&found->front, limits, value, factor));
	}
	assert_int_equal(found->front.n > 0, n_feasible > 0);
	assert_false(found->counts.is_limited);
	for (size_t i = 0; i < found->front.n; i++)
		assert_true(is_of_a_design(all, limits, found->front.objective + i * limits->n_objective,
		                           !(found->counts.epsilon > 0)));
	tally->n_feasible += n_feasible > 0;
	tally->n_infeasible += n_feasible == 0;
	tally->n_thinned += found->counts.epsilon > 0;
}

/* A design that keeps limits when it is made so many times as large. */
static bool keeps_by(const struct limits *limits, const double *value, double factor)
{
	double larger[N_METRIC_NAME];
	for (unsigned m = 0; m < N_METRIC_NAME; m++)
		larger[m] = value[m] * factor;
	return keeps(limits, larger);
}

/* What the certificate of a search to within an epsilon says holds for every design. */
static void judge_coarse(const struct pareto *all, const struct limits *limits, const struct space *asked,
                         double epsilon, struct tally *tally)
{
	const struct explore_options options = {.engine = &engine_exact, .n_thread = 1, .epsilon = epsilon};
	struct explore found;
	struct err err = {0};
	assert_int_equal(explore_run(asked, &options, &found, &err), ERR_OK);
	double factor = 1.0 + found.counts.epsilon;
	for (size_t i = 0; i < all->n; i++) {
		const double *value = all->objective + i * N_METRIC_NAME;
		if (keeps_by(limits, value, found.counts.is_limited ? factor : 1.0))
			assert_true(is_matched(&found.front, limits, value, factor));
	}
	for (size_t i = 0; i < found.front.n; i++)
		assert_true(is_of_a_design(all, limits, found.front.objective + i * limits->n_objective, false));
	tally->n_coarse += found.counts.epsilon > 0;
	tally->n_limited += found.counts.is_limited;
	explore_free(&found);
}

/* Up to n cases; returns how many. */
static uint32_t try_space(uint32_t number, uint32_t n, struct tally *tally)
{
	struct rng rng = rng_stream(16, 1, number);
	char network[TEXT], body[TEXT], objectives[TEXT], more[TEXT];
	struct space space;
	struct explore all, found;
	unsigned n_layer;
	random_network(&rng, 4, network, TEXT, &n_layer);
	draw_body(&rng, n_layer, body);
	folder_write("random.yaml", network, "");
	write_space(body, "latency_ms, energy_mj, dram_byte, peak_power_mw", "");
	folder_read_space(&space);
	folder_explore(&space, &engine_exhaustive, true, 2, &all);
	/* of a layer that does not fit there is nothing to ask */
	n = all.front.n > 0 ? n : 0;
	for (uint32_t i = 0; i < n; i++) {
		struct space asked;
		struct limits limits;
		draw_limits(&rng, &all.front, &limits, objectives, more);
		write_space(body, objectives, more);
		folder_read_space(&asked);
		folder_explore(&asked, &engine_exact, false, 1, &found);
		judge(&all.front, &limits, &found, tally);
		judge_coarse(&all.front, &limits, &asked, i % 2 ? 0.02 : 0.5, tally);
		explore_free(&found);
		space_free(&asked);
	}
	if (getenv("LIMITS_SHOW"))
		print_message("space %u: %zu nondominated of %llu designs\n", number, all.front.n,
		              (unsigned long long)all.counts.engine.n_told);
	explore_free(&all);
	space_free(&space);
	return n;
}

static void test_limits_on_random_spaces_agree_with_all_designs(void **state)
{
	struct tally tally = {0};
	(void)state;
	const uint32_t n_case = draws(10000, 120);
	for (uint32_t number = 0, n = 0; n < n_case; number++)
		n += try_space(number, n_case - n < CASES_A_SPACE ? n_case - n : CASES_A_SPACE, &tally);
	print_message("%u cases: %u with designs, %u without, %u thinned\n", tally.n_feasible + tally.n_infeasible,
	              tally.n_feasible, tally.n_infeasible, tally.n_thinned);
	print_message("to within an epsilon: %u that lose something, %u to limits\n", tally.n_coarse, tally.n_limited);
	assert_true(tally.n_coarse > 0 && tally.n_limited > 0);
	assert_true(tally.n_infeasible > 0 && tally.n_feasible > 0 && (tally.n_thinned > 0 || n_case < 200));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_limits_on_random_spaces_agree_with_all_designs)};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
