/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each objective and each limit that sizing asks for, on random small spaces of several machines, against all designs:
 *
 *   space ─► flat exhaustive search over latency, energy, area, leakage ─► all nondominated designs ─┐
 *      └───► exact search for one objective or some, under one limit or none ─► front ───────────────┴─► equal?
 *
 * edp_mj_ms, tops_w and tops_mm2 grow or fall with these four, so that no other design can matter to them.
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
#include <string.h>

enum { N_BASE = 4, TEXT = 4096, CASES_A_SPACE = 24 };
static const enum metric base[N_BASE] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_AREA, METRIC_LEAKAGE};
#define BASE_OBJECTIVES "latency_ms, energy_mj, area_mm2, leakage_mw"

/* Objectives one by one and together; TOPS/W stands for energy, TOPS/mm2 for latency and area. */
static const char *const objectives[] = {"edp_mj_ms",
                                         "area_mm2",
                                         "leakage_mw",
                                         "tops_w",
                                         "tops_mm2",
                                         "edp_mj_ms, area_mm2",
                                         "latency_ms, edp_mj_ms",
                                         "latency_ms, energy_mj, area_mm2",
                                         "energy_mj, leakage_mw",
                                         "tops_w, tops_mm2",
                                         "edp_mj_ms, leakage_mw, area_mm2"};
#define N_OBJECTIVES (sizeof(objectives) / sizeof(objectives[0]))

enum limit { NONE, LATENCY, ENERGY, EDP, AREA, LEAKAGE, TOPS_W, TOPS_MM2, N_LIMIT };
static const char *const limit_name[N_LIMIT] = {
    "",           "latency_ms <= ", "energy_mj <= ", "edp_mj_ms <= ", "area_mm2 <= ", "leakage_mw <= ",
    "tops_w >= ", "tops_mm2 >= "};

static void draw_body(struct rng *rng, unsigned n_layer, char text[TEXT])
{
	static const char *const dimension[] = {"width", "height", "out_channels"};
	int n = snprintf(text, TEXT,
	                 "machine: dvfs_chip_22nm\nnetwork: random.yaml\naxes:\n  mla.array: [16x4, 8x4]\n  "
	                 "pe.sram_byte: [%s]\n",
	                 rng_below(rng, 2) ? "32768, 98304" : "98304, 229376");
	n += snprintf(text + n, TEXT - (size_t)n,
	              "layers:\n  - match: '.*'\n    split: whole\n    conv_1x1: conv\n    level: [PL1, PL2]\n"
	              "    strategy: [fusion%s]\n",
	              rng_below(rng, 2) ? ", fusion_reuse" : "");
	(void)snprintf(text + n, TEXT - (size_t)n,
	               "  - match: '_(SC_)?[1-%u]$'\n    split: {%s: {max_parts: %u, choose: even}}\n", n_layer,
	               dimension[rng_below(rng, 3)], 2 + rng_below(rng, 2));
}

static void write_space(const char *body, const char *wanted, const char *more)
{
	char text[4 * TEXT];
	(void)snprintf(text, sizeof(text), "name: random\n%sobjectives: [%s]\n%s", body, wanted, more);
	folder_write("space.yaml", text, "");
}

/* A design's value of a metric, from the four. */
static double value_of(const double *design, enum metric metric)
{
	for (int i = 0; i < N_BASE; i++)
		if (base[i] == metric)
			return design[i];
	assert_int_equal(metric, METRIC_EDP);
	return design[0] * design[1];
}

/* What a limit compares; of what is to be large its inverse, which n_op operations make TOPS of. */
static double limited_value(const double *design, enum limit limit)
{
	static const enum metric metric[N_LIMIT] = {
	    [LATENCY] = METRIC_LATENCY, [ENERGY] = METRIC_ENERGY,   [EDP] = METRIC_EDP,
	    [AREA] = METRIC_AREA,       [LEAKAGE] = METRIC_LEAKAGE, [TOPS_W] = METRIC_ENERGY};
	if (limit == NONE)
		return 0;
	return limit == TOPS_MM2 ? design[0] * design[2] : value_of(design, metric[limit]);
}

/* A limit that some design just keeps, by a part in 1e9. */
static double draw_limit(const double *design, enum limit limit, double n_op, char more[TEXT])
{
	double value = limited_value(design, limit) * (1 + 1e-9);
	bool is_least = limit == TOPS_W || limit == TOPS_MM2;
	more[0] = '\0';
	if (limit != NONE)
		(void)snprintf(more, TEXT, "constraints: ['%s%.17g']\n", limit_name[limit],
		               is_least ? n_op * 1e-9 / value : value);
	return value;
}

/* Whether a design is nowhere above another in the objectives. */
static bool is_as_good(const struct space *asked, const double *value, const double *other, double factor)
{
	for (unsigned k = 0; k < asked->n_objective; k++)
		if (!(value[k] <= other[k] * factor))
			return false;
	return true;
}

/* Each design that keeps the limit has a point that is as good, and each point is a design that none beats. */
static void judge(const struct pareto *all, const struct space *asked, enum limit limit, double most,
                  const struct explore *found)
{
	const size_t n = asked->n_objective;
	bool *is_one = calloc(found->front.n + 1, sizeof(*is_one));
	assert_non_null(is_one);
	for (size_t i = 0; i < all->n; i++) {
		const double *design = all->objective + i * N_BASE;
		double value[PARETO_MAX_OBJECTIVE];
		bool is_matched = false;
		if (limited_value(design, limit) > most)
			continue;
		for (size_t k = 0; k < n; k++)
			value[k] = value_of(design, asked->objective[k]);
		for (size_t p = 0; p < found->front.n; p++) {
			const double *point = found->front.objective + p * n;
			is_matched |= is_as_good(asked, point, value, 1 + 1e-12);
			is_one[p] |= is_as_good(asked, value, point, 1 + 1e-12);
			assert_false(is_as_good(asked, value, point, 1 - 1e-12));
		}
		assert_true(is_matched);
	}
	for (size_t p = 0; p < found->front.n; p++)
		assert_true(is_one[p]);
	assert_false(found->counts.epsilon > 0);
	free(is_one);
}

/* Limits that can be asked for beside such objectives: TOPS/mm2 with what it stands for, once each. */
static bool goes_with(const char *wanted, enum limit limit)
{
	return limit != TOPS_MM2 || strstr(wanted, "tops_mm2") ||
	       (strstr(wanted, "latency_ms") && strstr(wanted, "area_mm2"));
}

struct tally {
	uint32_t n, n_point, n_several, by_limit[N_LIMIT];
};

static void try_case(struct rng *rng, const char *body, const struct pareto *all, double n_op, uint32_t number,
                     struct tally *tally)
{
	const char *wanted = objectives[number % N_OBJECTIVES];
	enum limit limit = (enum limit)(number / N_OBJECTIVES % N_LIMIT);
	char more[TEXT];
	struct space asked;
	struct explore found;
	if (!goes_with(wanted, limit))
		return;
	double most = draw_limit(all->objective + rng_below(rng, (uint32_t)all->n) * N_BASE, limit, n_op, more);
	write_space(body, wanted, more);
	folder_read_space(&asked);
	folder_explore(&asked, &engine_exact, false, 1, &found);
	assert_true(found.front.n > 0);
	judge(all, &asked, limit, most, &found);
	tally->n++;
	tally->n_point += (uint32_t)found.front.n;
	tally->n_several += found.front.n > 1;
	tally->by_limit[limit]++;
	explore_free(&found);
	space_free(&asked);
}

static void test_objectives_and_limits_agree_with_all_designs(void **state)
{
	struct tally tally = {0};
	const uint32_t n_wanted = draws(1000, 176);
	(void)state;
	for (uint32_t number = 0, n = 0; n < n_wanted; number++) {
		struct rng rng = rng_stream(21, 3, number);
		char network[TEXT], body[TEXT];
		struct space space;
		struct explore all;
		unsigned n_layer;
		random_network(&rng, 1, network, TEXT, &n_layer);
		draw_body(&rng, n_layer, body);
		folder_write("random.yaml", network, "");
		write_space(body, BASE_OBJECTIVES, "");
		folder_read_space(&space);
		folder_explore(&space, &engine_exhaustive, true, 2, &all);
		double n_op = 0;
		const struct network *network_read = &space.network[0].network;
		for (size_t b = 0; b < network_read->n_block; b++)
			n_op += 2 * (double)block_n_mac(&network_read->block[b]);
		for (uint32_t i = 0; all.front.n > 0 && i < CASES_A_SPACE && n < n_wanted; i++, n++)
			try_case(&rng, body, &all.front, n_op, n, &tally);
		explore_free(&all);
		space_free(&space);
	}
	print_message("%u cases, %u points, %u fronts of several\n", tally.n, tally.n_point, tally.n_several);
	/* the few cases of a sanitized sample need not have all limits */
	for (int i = 0; i < N_LIMIT; i++)
		assert_true(tally.by_limit[i] > 0 || tally.n < 100);
	assert_true(tally.n_several > tally.n / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_objectives_and_limits_agree_with_all_designs)};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
