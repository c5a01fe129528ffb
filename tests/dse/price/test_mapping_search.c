/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best mapping of a network on a machine is what a space without rules finds: random machines and networks, each
 * goal, against dse explore's search of a space file over both objectives.
 */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/hunt.h"
#include "dse/price/mapping_search.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/evaluate_design.h"
#include "tests/support/near.h"
#include "tests/support/space_folder.h"
#include <math.h>

/* Convolutions of 1x1 and 3x3, strided or not, shortcuts left away; at its end a convolution or a matrix. */
static void write_network(struct rng *rng)
{
	char text[1024];
	unsigned n_layer = 1 + (unsigned)rng_below(rng, 3);
	int n = snprintf(text, sizeof(text), "name: drawn\ninput: [%u, %u, %u]\nlayers:\n", 4 + rng_below(rng, 10),
	                 4 + rng_below(rng, 10), 4 + rng_below(rng, 30));
	for (unsigned i = 0; i < n_layer; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
		              "  - conv: {kernel: %d, out_channels: %u, stride: %u}\n", rng_below(rng, 3) ? 1 : 3,
		              4 + rng_below(rng, 40), 1 + rng_below(rng, 2));
	if (rng_below(rng, 2))
		(void)snprintf(text + n, sizeof(text) - (size_t)n, "  - fc: {out: %u}\n", 2 + rng_below(rng, 60));
	folder_write("drawn.yaml", text, "");
}

static const struct {
	const char *machine, *key, *value[3];
} drawn_machine[] = {
    {"dvfs_chip", "mla.array", {"16x4", "8x4", "4x16"}},
    {"dvfs_chip", "pe.sram_byte", {"65536", "98304", "131072"}},
    {"dvfs_chip", "noc.clk_mhz", {"200", "400", "800"}},
    {"thesis_chip", "mla.array", {"16x4", "8x8", "32x2"}},
    {"thesis_qpe_dram", "pe.sram_byte", {"65536", "98304", "131072"}},
    {"edge_tpu", "systolic.array", {"8x8", "16x16", "64x64"}},
};

/* What a user would write to have all that the machine and the network can do. */
static void write_space(size_t machine, size_t value)
{
	char text[1024];
	bool is_systolic = strncmp(drawn_machine[machine].key, "systolic", 8) == 0;
	(void)snprintf(text, sizeof(text),
	               "name: best\nmachine: %s\naxes: {%s: ['%s']}\nnetwork: drawn.yaml\n%s"
	               "objectives: [latency_ms, energy_mj]\nsearch: {max_front: 100000}\n",
	               drawn_machine[machine].machine, drawn_machine[machine].key, drawn_machine[machine].value[value],
	               is_systolic ? ""
	                           : "network_result: dram\nlayers:\n"
	                             "  - {match: '.*', strategy: [no_fusion, fusion, fusion_reuse], "
	                             "conv_1x1: [matmul, packed, conv]}\n");
	folder_write("space.yaml", text, "");
}

static double goal_of(enum mapping_goal goal, const double *objective)
{
	return goal == MAPPING_LATENCY  ? objective[0]
	       : goal == MAPPING_ENERGY ? objective[1]
	                                : objective[0] * objective[1];
}

/* The best point, of equal ones that of the less other objective. */
static size_t best_of(const struct pareto *front, enum mapping_goal goal)
{
	size_t best = 0;
	for (size_t i = 1; i < front->n; i++) {
		const double *own = front->objective + 2 * i, *other = front->objective + 2 * best;
		double a = goal_of(goal, own), b = goal_of(goal, other);
		unsigned second = goal == MAPPING_LATENCY ? 1 : 0;
		if (a < b || (!(a > b) && own[second] < other[second]))
			best = i;
	}
	return best;
}

static void check_case(const struct explore *explore, struct mapping *mapping, enum mapping_goal goal)
{
	struct err err = {0};
	struct mapping_searched searched = {0};
	struct mapping_search_options options = {
	    .goal = goal, .strategy = N_STRATEGY, .split = SPLIT_ALL, .forms = CONV_FORM_USUAL, .n_thread = 2};
	options.levels = (UINT32_C(1) << mapping->machine.n_level) - 1;
	enum err_code code = mapping_search(mapping, &options, &searched, &err);
	if (explore->front.n == 0) {
		assert_int_equal(code, ERR_INFEASIBLE);
		err_clear(&err);
		return;
	}
	if (code != ERR_OK)
		fail_msg("%s", err_text(&err));
	size_t best = best_of(&explore->front, goal);
	const uint32_t *genome = explore->front.genome + best * explore->front.n_gene;
	double value = goal_of(goal, explore->front.objective + 2 * best);
	assert_memory_equal(&searched.value, &value, sizeof(value));
	assert_true(searched.epsilon == 0 && explore->counts.epsilon == 0);
	assert_int_equal(searched.n_design, explore->counts.n_legal);
	struct layer_set *set = NULL;
	char why[256];
	assert_int_equal(layer_set_build(explore->space, &explore->map, 0, &set, why, sizeof(why), &err), ERR_OK);
	for (size_t i = 0; i < explore->map.n_block; i++) {
		struct layer_design design;
		layer_problem_design(&set->problem[explore->map.distinct[i]], genome + 1 + i * N_LAYER_GENE, &design);
		const struct layer_design *own = &mapping->design[i];
		assert_memory_equal(&design.split, &own->split, sizeof(design.split));
		assert_true(design.strategy == own->strategy && design.level == own->level &&
		            design.form == own->form && design.in_storage == own->in_storage &&
		            design.out_storage == own->out_storage);
	}
	assert_false(mapping->design[explore->map.n_block - 1].out_storage);
	layer_set_free(set);
}

static void test_mapping_search_is_an_explore_of_one_point(void **state)
{
	struct rng rng = rng_stream(16, 2, 0);
	char network[FOLDER_PATH];
	const unsigned n_case = draws(100, 24);
	unsigned n_feasible = 0, n_other_form = 0;
	(void)state;
	for (unsigned i = 0; i < n_case; i++) {
		size_t machine = rng_below(&rng, sizeof(drawn_machine) / sizeof(drawn_machine[0])),
		       value = rng_below(&rng, 3);
		struct err err = {0};
		struct space space;
		struct explore explore = {0};
		struct mapping mapping = {0};
		const struct explore_options options = {.engine = &engine_exact, .n_thread = 2};
		write_network(&rng);
		write_space(machine, value);
		folder_read_space(&space);
		assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
		if (mapping_open(drawn_machine[machine].machine, folder_path("drawn.yaml", network), &mapping, &err) !=
		        ERR_OK ||
		    mapping_set_axis(&mapping, machine_find_param(drawn_machine[machine].key),
		                     drawn_machine[machine].value[value], &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		check_case(&explore, &mapping, (enum mapping_goal)(i % N_MAPPING_GOAL));
		n_feasible += explore.front.n > 0;
		for (size_t k = 0; k < mapping.network.n_block && explore.front.n > 0; k++)
			n_other_form += mapping.design[k].form != FORM_CONV;
		mapping_free(&mapping);
		explore_free(&explore);
		space_free(&space);
	}
	/* all of it is looked at */
	assert_true(n_feasible > n_case / 2 && n_other_form > n_case / 4);
}

/*
 * All designs of the only layer, one after the other: the least of a goal, of those that have it the least of the other
 * metric, and whether one of them has more of it.
 */
#define SAME (1 + 1e-12)
struct brute {
	double least[2], other[2];
	bool is_tie[2];
};

static void try_all_designs(const struct layer_problem *layer, struct brute *brute)
{
	uint64_t n = problem_size(&layer->problem);
	double(*value)[2] = malloc((size_t)n * sizeof(*value));
	size_t n_run = 0;
	assert_non_null(value);
	for (uint64_t i = 0; i < n; i++) {
		uint32_t genome[N_LAYER_GENE];
		uint64_t rest = i;
		struct layer_design design;
		struct sim_result result;
		struct verdict verdict;
		double metric[N_METRIC];
		for (unsigned g = 0; g < N_LAYER_GENE; rest /= layer->problem.n_value[g++])
			genome[g] = (uint32_t)(rest % layer->problem.n_value[g]);
		layer_problem_design(layer, genome, &design);
		if (design.in_storage || design.out_storage ||
		    !evaluate_design(layer_context_of(layer, &design), &design, &result, metric, &verdict))
			continue;
		value[n_run][0] = metric[METRIC_LATENCY];
		value[n_run++][1] = metric[METRIC_ENERGY];
	}
	for (unsigned goal = 0; goal < 2; goal++) {
		double least = INFINITY, other = INFINITY;
		for (size_t i = 0; i < n_run; i++)
			least = fmin(least, value[i][goal]);
		for (size_t i = 0; i < n_run; i++)
			other = value[i][goal] <= least * SAME ? fmin(other, value[i][1 - goal]) : other;
		brute->is_tie[goal] = false;
		for (size_t i = 0; i < n_run; i++)
			brute->is_tie[goal] |=
			    value[i][goal] <= least * SAME && value[i][1 - goal] > other * (1 + 1e-9);
		brute->least[goal] = least;
		brute->other[goal] = other;
	}
	free(value);
}

/* Of mappings that are as fast as each other the one with the least energy is taken, and the other way round. */
static void test_mapping_search_breaks_ties_by_the_other_metric(void **state)
{
	static const char *const machine[] = {"thesis_chip", "dvfs_chip", "thesis_qpe_dram", "final_chip"};
	struct rng rng = rng_stream(16, 3, 0);
	uint32_t n_case = draws(300, 15), n_tie[2] = {0, 0};
	(void)state;
	for (uint32_t i = 0; i < n_case; i++) {
		const char *own = machine[rng_below(&rng, 4)];
		struct mapping mapping = {0};
		struct mapping_searched searched = {0};
		struct err err = {0};
		struct space space;
		struct explore explore = {0};
		struct layer_set *set = NULL;
		struct brute brute;
		char text[512], network[FOLDER_PATH], why[256];
		(void)snprintf(text, sizeof(text),
		               "name: drawn\ninput: [%u, %u, %u]\nlayers:\n  - conv: {kernel: %u, out_channels: %u}\n",
		               2 + rng_below(&rng, 8), 2 + rng_below(&rng, 8), 1 + rng_below(&rng, 12),
		               1 + 2 * rng_below(&rng, 2), 1 + rng_below(&rng, 12));
		folder_write("drawn.yaml", text, "");
		(void)snprintf(text, sizeof(text),
		               "name: all\nmachine: %s\nnetwork: drawn.yaml\nnetwork_result: dram\nlayers:\n"
		               "  - {match: '.*', split: even, conv_1x1: conv, "
		               "strategy: [no_fusion, fusion, fusion_reuse]}\n"
		               "objectives: [latency_ms, energy_mj]\n",
		               own);
		folder_write("space.yaml", text, "");
		folder_read_space(&space);
		folder_explore(&space, &engine_exact, false, 1, &explore);
		assert_int_equal(layer_set_build(&space, &explore.map, 0, &set, why, sizeof(why), &err), ERR_OK);
		assert_int_equal(set->n_problem, 1);
		try_all_designs(&set->problem[0], &brute);
		if (mapping_open(own, folder_path("drawn.yaml", network), &mapping, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		for (unsigned goal = 0; goal < 2 && isfinite(brute.least[0]); goal++) {
			const struct mapping_search_options options = {.goal = goal ? MAPPING_ENERGY : MAPPING_LATENCY,
			                                               .strategy = N_STRATEGY,
			                                               .split = SPLIT_EVEN,
			                                               .levels =
			                                                   (UINT32_C(1) << mapping.machine.n_level) - 1,
			                                               .forms = 1U << FORM_CONV,
			                                               .n_thread = 1};
			struct sim_result result;
			struct verdict verdict;
			double metric[N_METRIC];
			assert_int_equal(mapping_search(&mapping, &options, &searched, &err), ERR_OK);
			assert_true(evaluate_design(layer_context_of(&set->problem[0], &mapping.design[0]),
			                            &mapping.design[0], &result, metric, &verdict));
			assert_near(searched.value, brute.least[goal], 1e-12);
			assert_near(metric[goal ? METRIC_ENERGY : METRIC_LATENCY], brute.least[goal], 1e-12);
			assert_near(metric[goal ? METRIC_LATENCY : METRIC_ENERGY], brute.other[goal], 1e-12);
			n_tie[goal] += brute.is_tie[goal];
		}
		layer_set_free(set);
		mapping_free(&mapping);
		explore_free(&explore);
		space_free(&space);
	}
	/* there is something to break */
	assert_true(n_tie[0] >= n_case / 40);
}

/* What a narrower question leaves out is named, and nothing else. */
static void test_mapping_search_says_what_it_left_out(void **state)
{
	static const struct {
		const char *machine;
		uint32_t forms, levels;
		enum split_choice split;
		enum strategy strategy;
		bool fetches_ahead;
		const char *text;
	} asked[] = {
	    {"dvfs_chip", CONV_FORM_USUAL, 3, SPLIT_ALL, N_STRATEGY, false, "fetch_ahead half, all; level_shares"},
	    {"dvfs_chip", CONV_FORM_USUAL, 2, SPLIT_ALL, N_STRATEGY, true, "level PL1"},
	    {"dvfs_chip", 1U << FORM_CONV, 3, SPLIT_EVEN, N_STRATEGY, true,
	     "some splits; conv_1x1 packed, matmul; level_shares"},
	    {"thesis_chip", CONV_FORM_USUAL, 1, SPLIT_ALL, N_STRATEGY, true, ""},
	    {"thesis_chip", 1U << FORM_MATMUL, 1, SPLIT_ALL, STRATEGY_FUSION, true,
	     "strategy no_fusion, fusion_reuse; conv_1x1 conv, packed"},
	    {"thesis_qpe_dram", CONV_FORM_USUAL, 1, SPLIT_ALL, N_STRATEGY, false, "reuse ifmap, filter"},
	};
	char network[FOLDER_PATH], text[LEFT_OUT_TEXT_SIZE];
	(void)state;
	folder_write("drawn.yaml",
	             "name: drawn\ninput: [6, 6, 8]\nlayers:\n  - conv: {kernel: 1, out_channels: 8}\n"
	             "  - conv: {kernel: 1, out_channels: 8}\n",
	             "");
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		struct mapping mapping = {0};
		struct mapping_searched searched = {0};
		const struct mapping_search_options options = {.strategy = asked[i].strategy,
		                                               .split = asked[i].split,
		                                               .levels = asked[i].levels,
		                                               .forms = asked[i].forms,
		                                               .fetches_ahead = asked[i].fetches_ahead,
		                                               .n_thread = 1};
		assert_int_equal(mapping_open(asked[i].machine, folder_path("drawn.yaml", network), &mapping, NULL),
		                 ERR_OK);
		assert_int_equal(mapping_search(&mapping, &options, &searched, NULL), ERR_OK);
		left_out_print(&searched.left_out, text);
		assert_string_equal(text, asked[i].text);
		mapping_free(&mapping);
	}
}

/* Whether another block reads, adds or multiplies with the result of block at, by the network's dataflow. */
static bool is_used(const struct network *network, size_t at)
{
	for (size_t i = at + 1; i < network->n_block; i++) {
		const struct block *block = &network->block[i];
		const struct block_sources *const source[] = {&block->reads, &block->adds, &block->filters};
		for (size_t k = 0; k < 3; k++)
			for (size_t p = 0; p < source[k]->n; p++)
				if (source[k]->producer[p] == at + 1)
					return true;
	}
	return false;
}

/* A network's results are what nobody uses: they, and no others, must be written to DRAM by the rule. */
static void test_network_results_are_what_nobody_uses(void **state)
{
	static const char *const name[] = {"tiny",         "vgg16",     "resnet18", "resnet50",
	                                   "mobilenet_v2", "googlenet", "encoder"};
	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct space_network own = {.weight = 1};
		size_t n_result = 0;
		own.network = shipped_network(name[i]);
		own.choice = calloc(own.network.n_block, sizeof(*own.choice));
		assert_non_null(own.choice);
		assert_int_equal(space_end_results(&own, NETWORK_RESULT_DRAM, NULL), ERR_OK);
		for (size_t b = 0; b < own.network.n_block; b++) {
			bool is_result = !is_used(&own.network, b), in_dram = own.network.block[b].result_to_dram;
			assert_true(!is_result || own.choice[b].to_dram);
			assert_true(is_result || in_dram || !own.choice[b].to_dram);
			n_result += is_result;
		}
		assert_true(n_result > 0 && own.choice[own.network.n_block - 1].to_dram);
		assert_int_equal(space_end_results(&own, NETWORK_RESULT_ANY, NULL), ERR_OK);
		for (size_t b = 0; b < own.network.n_block; b++)
			assert_false(own.choice[b].to_dram);
		free(own.choice);
		network_free(&own.network);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_mapping_search_is_an_explore_of_one_point),
	    cmocka_unit_test(test_mapping_search_breaks_ties_by_the_other_metric),
	    cmocka_unit_test(test_mapping_search_says_what_it_left_out),
	    cmocka_unit_test(test_network_results_are_what_nobody_uses),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
