/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks of layers with levels by PE against all combinations of all designs and plans of their layers, one by one,
 * with what changes of level between layers cost:
 *
 *   space ─► layers' problems ─► every design, every plan ─► every combination ─► front ─┐
 *      └───► exact search ───────────────────────────────────────────────────────────────┴─► equal
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/layer/changes.h"
#include "dse/layer/layers.h"
#include "dse/search/explore.h"
#include "dse/space/space_machine.h"
#include "sim/base/rng.h"
#include "tests/support/branch_compare.h"
#include "tests/support/draws.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LAYER = 4, MAX_WAY = 4000, TEXT = 4096 };
#define MAX_COMBINATION 3e6

/* One way to run a layer. */
struct way {
	double objective[2];
	uint32_t level; /* of the machine's, pairs included */
	bool is_plan;
};

struct layer_ways {
	size_t n;
	struct way way[MAX_WAY];
};

static bool put_way(const struct layer_problem *layer, const uint32_t *genome, const struct evaluation *result,
                    struct layer_ways *ways)
{
	uint32_t at = layer_gene_level(genome[GENE_LEVEL]);
	if (result->violation > 0)
		return true;
	if (ways->n == MAX_WAY)
		return false;
	ways->way[ways->n++] = (struct way){
	    {result->objective[0], result->objective[1]}, layer->level[at], at >= layer_n_own_level(layer)};
	return true;
}

/* All of a layer; false: too many. */
static bool list_ways(const struct layer_problem *layer, struct layer_ways *ways)
{
	uint64_t n = problem_size(&layer->problem);
	bool has_room = n <= MAX_WAY;
	ways->n = 0;
	for (uint64_t number = 0; number < n && has_room; number++) {
		uint32_t genome[N_LAYER_GENE];
		struct evaluation result;
		struct layer_plan_results plans = {0};
		genome_of(layer, number, genome);
		if (genome[GENE_LEVEL] < layer_n_own_level(layer)) {
			layer_problem_evaluate(layer, genome, 1, &result);
			has_room = put_way(layer, genome, &result, ways);
			continue;
		}
		layer_problem_plans(layer, genome, NULL, NULL, &plans);
		for (size_t i = 0; i < plans.n && has_room; i++) {
			genome[GENE_LEVEL] = plans.gene[i];
			has_room = put_way(layer, genome, &plans.result[i], ways);
		}
		layer_plan_results_free(&plans);
	}
	return has_room;
}

struct combining {
	const struct space *space;
	const struct machine *machine;
	const struct layer_ways *ways;
	size_t n_layer;
	struct pareto front;
};

/* Layers from `at` on, behind one that ends at a level. */
static void combine(struct combining *combining, size_t at, uint32_t level, const double *sum)
{
	static const uint32_t genome[1];
	if (at == combining->n_layer) {
		(void)pareto_insert(&combining->front, sum, genome, 0);
		return;
	}
	for (size_t i = 0; i < combining->ways[at].n; i++) {
		const struct way *way = &combining->ways[at].way[i];
		double value[N_METRIC] = {0};
		if (at > 0)
			changes_add(combining->space, combining->machine, level, way->level, value);
		const double own[2] = {sum[0] + way->objective[0] + value[METRIC_LATENCY],
		                       sum[1] + way->objective[1] + value[METRIC_ENERGY]};
		combine(combining, at + 1, way->level, own);
	}
}

/* Each point of one front has one of the other that is as good. */
static void assert_covered(const struct pareto *front, const struct pareto *by)
{
	for (size_t i = 0; i < front->n; i++) {
		const double *point = front->objective + 2 * i;
		bool is_covered = false;
		for (size_t k = 0; k < by->n && !is_covered; k++)
			is_covered = by->objective[2 * k] <= point[0] * (1 + 1e-11) &&
			             by->objective[2 * k + 1] <= point[1] * (1 + 1e-11);
		assert_true(is_covered);
	}
}

/* Convolutions whose results lie in DRAM, so that layers depend on each other by their levels alone. */
static void write_network(struct rng *rng)
{
	char text[TEXT];
	int n = snprintf(text, TEXT, "name: random\ninput: [%u, %u, %u]\nlayers:\n", 6 + rng_below(rng, 10),
	                 6 + rng_below(rng, 10), 1 + rng_below(rng, 12));
	for (uint32_t i = 2 + rng_below(rng, 2); i > 0; i--)
		n += snprintf(text + n, TEXT - (size_t)n, "  - conv: {kernel: %u, out_channels: %u}\n",
		              1 + 2 * rng_below(rng, 2), 8 + 4 * rng_below(rng, 8));
	folder_write("random.yaml", text, "");
}

static void write_space(struct rng *rng)
{
	static const char *const dimension[] = {"width", "height", "out_channels"};
	static const char *const domain[] = {"pe", "pe", "qpe", "chip, pe", "pe, chip", "chip, qpe, pe"};
	char text[TEXT];
	write_network(rng);
	(void)snprintf(
	    text, TEXT,
	    "name: random\nmachine: small_machine.yaml\nnetwork: random.yaml\nobjectives: [latency_ms, energy_mj]\n"
	    "axes: {dvfs.domain: [%s], dvfs.switch_nj: [%s]}\nlevel_changes: %s\n"
	    "layers:\n  - match: '.*'\n    split: whole\n    conv_1x1: conv\n    level: [PL1, PL2]\n"
	    "    strategy: [fusion]\n"
	    "  - match: '_(SC_)?[1-4]$'\n    split: {%s: {max_parts: 4, choose: even}, "
	    "out_channels: {max_parts: 4, choose: even}}\n",
	    domain[rng_below(rng, 6)], rng_below(rng, 2) ? "0" : "0.5", rng_below(rng, 3) ? "true" : "false",
	    dimension[rng_below(rng, 2)]);
	folder_write("space.yaml", text, "");
}

struct tally {
	uint32_t n, n_point, n_plan, n_domain; /* n_domain: spaces of several domains */
	double n_combination;
};

/* Points of the exact front that have a plan in some layer. */
static uint32_t count_plans(const struct explore *found)
{
	uint32_t n = 0;
	for (size_t i = 0; i < found->front.n; i++) {
		const uint32_t *genome = found->front.genome + i * found->front.n_gene + 1;
		bool has_plan = false;
		for (size_t b = 0; b < found->map.n_block; b++)
			has_plan |= layer_gene_plan(genome[b * N_LAYER_GENE + GENE_LEVEL]) > 0;
		n += has_plan;
	}
	return n;
}

/* All combinations of a machine's layers into the front; false: too many, or none runs. */
static bool combine_machine(const struct space *space, const struct explore *found, uint32_t machine,
                            struct combining *combining, double *n_combination)
{
	static struct layer_ways ways[MAX_LAYER];
	struct layer_set *set = NULL;
	struct err err = {0};
	char why[256];
	const double none[2] = {0, 0};
	double n = 1;
	bool is_fit = true;
	assert_int_equal(layer_set_build(space, &found->map, machine, &set, why, sizeof(why), &err), ERR_OK);
	for (size_t b = 0; b < found->map.n_block && is_fit; b++) {
		struct layer_problem *layer = &set->problem[found->map.distinct[b]];
		is_fit = layer->n_value[GENE_PLACE] == 1 && list_ways(layer, &ways[b]);
		n *= (double)ways[b].n;
	}
	is_fit = is_fit && n > 0 && n <= MAX_COMBINATION;
	if (is_fit) {
		combining->space = space;
		combining->machine = layer_any_context(&set->problem[0])->machine;
		combining->ways = ways;
		combining->n_layer = found->map.n_block;
		combine(combining, 0, 0, none);
	}
	*n_combination += n;
	layer_set_free(set);
	return is_fit;
}

/* false: too large, or nothing runs. */
static bool try_space(struct rng *rng, struct tally *tally)
{
	struct space space;
	struct explore found;
	struct combining combining = {0};
	double n_combination = 0;
	write_space(rng);
	folder_read_space(&space);
	folder_explore(&space, &engine_exact, false, 1, &found);
	bool is_fit = found.front.n > 0 && found.map.n_block <= MAX_LAYER;
	pareto_init(&combining.front, 2, 1);
	for (uint32_t i = 0; i < space_n_machine(&space) && is_fit; i++)
		is_fit = combine_machine(&space, &found, i, &combining, &n_combination);
	if (is_fit) {
		assert_covered(&combining.front, &found.front);
		assert_covered(&found.front, &combining.front);
		tally->n++;
		tally->n_point += (uint32_t)found.front.n;
		tally->n_plan += count_plans(&found);
		tally->n_domain += space_n_machine(&space) > 1;
		tally->n_combination += n_combination;
	}
	pareto_free(&combining.front);
	explore_free(&found);
	space_free(&space);
	return is_fit;
}

static void test_composition_with_plans_equals_all_combinations(void **state)
{
	struct tally tally = {0};
	const uint32_t n_wanted = draws(200, 12);
	(void)state;
	for (uint32_t number = 0; tally.n < n_wanted && number < 20 * n_wanted; number++) {
		struct rng rng = rng_stream(21, 2, number);
		(void)try_space(&rng, &tally);
	}
	print_message("%u networks, %u with several domains, %.3g combinations, %u points, %u of them with plans\n",
	              tally.n, tally.n_domain, tally.n_combination, tally.n_point, tally.n_plan);
	assert_int_equal(tally.n, n_wanted);
	assert_true(tally.n_plan > n_wanted / 4 && tally.n_domain > n_wanted / 6);
}

/* Four PEs with the levels of the DVFS paper, near what they take on shipped machines. */
static int make_folder(void **state)
{
	if (folder_make(state) != 0)
		return -1;
	folder_write("small_machine.yaml",
	             "name: small_machine\ntarget: qpe\nmla: {array: 16x4, postprocess: true}\n"
	             "dram: {access_byte: 16, access_clk: 2, clk_mhz: 400}\n"
	             "energy: {dram_byte_pj: 64, chip_off_mw: 2}\n"
	             "dvfs: {switch_ns: 50, n_lane: 2, n_divider: 4}\nlevels:\n",
	             "  - {name: PL1, vdd_v: 0.5, clk_mhz: 320, mla_clk_pj: 8.5, sram_read32_pj: 2.94, "
	             "sram_write32_pj: 2.94, noc_read128_pj: 10, arm_clk_pj: 6, pe_static_mw: 1.05}\n"
	             "  - {name: PL2, vdd_v: 0.6, clk_mhz: 400, mla_clk_pj: 12.3, sram_read32_pj: 2.94, "
	             "sram_write32_pj: 2.94, noc_read128_pj: 10, arm_clk_pj: 7.1, pe_static_mw: 1.5}\n");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_composition_with_plans_equals_all_combinations)};
	return cmocka_run_group_tests(tests, make_folder, folder_remove);
}
