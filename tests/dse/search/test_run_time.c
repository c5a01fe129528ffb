/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Run time as an objective and a limit: the exact search of random small spaces against all of their designs, on
 * machines whose overhead a worker makes it worth to start fewer of them.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/space/metric.h"
#include "sim/machine/machine_param.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/random_design.h"
#include "tests/support/random_network.h"
#include "tests/support/shipped_machine.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 8192 };

/* final_chip with another share of a worker in a layer's overhead. */
static void write_machine(double layer_worker_us)
{
	static const char key[] = "  layer_worker_us:";
	char line[512], path[FOLDER_PATH];
	FILE *in = fopen("spaces/machines/final_chip.yaml", "r"), *out = fopen(folder_path("chip.yaml", path), "w");
	bool found = false;
	assert_non_null(in);
	assert_non_null(out);
	while (fgets(line, sizeof(line), in)) {
		bool is_it = strncmp(line, key, sizeof(key) - 1) == 0;
		found |= is_it;
		if (is_it)
			(void)fprintf(out, "%s %.17g\n", key, layer_worker_us);
		else
			(void)fputs(line, out);
	}
	assert_true(found);
	assert_int_equal(fclose(in), 0);
	assert_int_equal(fclose(out), 0);
}

static void write_space(struct rng *rng, unsigned n_layer, const char *more)
{
	static const char *const dimension[] = {"width", "height", "out_channels"};
	char text[TEXT];
	(void)snprintf(text, sizeof(text),
	               "name: random\nmachine: ./chip.yaml\nnetwork: random.yaml\n"
	               "layers:\n  - match: '.*'\n    split: whole\n    conv_1x1: conv\n"
	               "    strategy: [fusion, fusion_reuse]\n"
	               "  - match: '_(SC_)?[1-%u]$'\n    split: {%s: {max_parts: %u, choose: even}}\n"
	               "objectives: [run_time_ms, energy_mj]\n",
	               n_layer > 4 ? 2 : n_layer, dimension[rng_below(rng, 3)], 2 + rng_below(rng, 3));
	folder_write("space.yaml", text, more);
}

static bool is_on(const struct pareto *front, const double *point)
{
	for (size_t i = 0; i < front->n; i++)
		if (is_near(front->objective[2 * i], point[0], 1e-12) &&
		    is_near(front->objective[2 * i + 1], point[1], 1e-12))
			return true;
	return false;
}

/* Points of one within a limit on run time that are not on the other. */
static size_t n_missing(const struct pareto *front, const struct pareto *other, double most_ms)
{
	size_t n = 0;
	for (size_t i = 0; i < front->n; i++)
		n += front->objective[2 * i] <= most_ms && !is_on(other, &front->objective[2 * i]);
	return n;
}

static void explore_space(const struct engine_kind *engine, bool flat, struct explore *found)
{
	struct space space;
	folder_read_space(&space);
	folder_explore(&space, engine, flat, 1, found);
	space_free(&space);
}

static void test_run_time_fronts_are_those_of_all_designs(void **state)
{
	static const double worker_us[] = {0, 0.1888, 4, 40};
	const uint32_t n_space = draws(16, 7);
	uint32_t n_point = 0, n_limited = 0, n_few = 0;
	(void)state;
	for (uint32_t number = 0; number < n_space; number++) {
		struct rng rng = rng_stream(20, 7, number);
		char network[TEXT], limit[64];
		struct explore all, exact, limited;
		unsigned n_layer;
		write_machine(worker_us[number % 4]);
		random_network(&rng, 3, network, TEXT, &n_layer);
		folder_write("random.yaml", network, "");
		struct rng same = rng;
		write_space(&rng, n_layer, "");
		explore_space(&engine_exhaustive, true, &all);
		explore_space(&engine_exact, false, &exact);
		assert_true(all.front.n > 0);
		assert_int_equal(n_missing(&all.front, &exact.front, INFINITY), 0);
		assert_int_equal(n_missing(&exact.front, &all.front, INFINITY), 0);
		double most_ms = all.front.objective[all.front.n / 2 * 2];
		(void)snprintf(limit, sizeof(limit), "constraints: [run_time_ms <= %.17g]\n", most_ms);
		write_space(&same, n_layer, limit);
		explore_space(&engine_exact, false, &limited);
		assert_int_equal(n_missing(&all.front, &limited.front, most_ms), 0);
		assert_int_equal(n_missing(&limited.front, &all.front, most_ms), 0);
		n_point += (uint32_t)all.front.n;
		n_limited += limited.front.n < all.front.n;
		n_few += number % 4 == 3 && all.front.n > 0;
		explore_free(&all);
		explore_free(&exact);
		explore_free(&limited);
	}
	assert_true(n_point > n_space && n_limited > 0 && n_few > 0);
}

/* PEs that a design needs, counted by parts, and what the run-time system takes for them. */
static double expected_ms(const struct layer_design *design, const struct block *block, double latency_ms)
{
	double n = dim_n_part(&design->split.w) * (double)dim_n_part(&design->split.h) * block_batch(block) *
	           dim_n_part(&design->split.c);
	double most = strategy_table[design->strategy].reuses && block->kind == BLOCK_CONV ? 128 : 152;
	return latency_ms + (12.34 + 33.8 + 0.1888 * fmin(n, most)) / 1e3;
}

static void test_run_time_of_a_layer_is_its_latency_and_its_start(void **state)
{
	const struct machine machine = shipped_machine("spaces/machines/final_chip.yaml");
	uint32_t n_run = 0;
	(void)state;
	assert_true(machine.has_octopus);
	assert_near(metric_network_overhead_ms(&machine), (10.49 + 4.301 + 151 * (0.1888 + 0.5874)) / 1e3, 1e-12);
	for (uint32_t number = 0; number < 400; number++) {
		struct rng rng = rng_stream(21, 7, number);
		struct block block;
		struct layer_context context;
		struct layer_design design;
		struct program program;
		struct sim_result result;
		struct verdict verdict;
		double metric[N_METRIC];
		block = random_block(&rng);
		mapper_prepare(&block, &machine, 8, &context);
		design = random_design(&rng, &block, &machine);
		design.level = rng_below(&rng, machine.n_level);
		design.operand_bit = 8;
		design.form = FORM_CONV;
		if (!mapper_distribute(&context, &design, &program, &verdict))
			continue;
		fast_run(&machine, &program, design.level, &result);
		metric_of_layer(&context, &design, &result, metric);
		assert_near(metric[METRIC_RUN_TIME], expected_ms(&design, &block, metric[METRIC_LATENCY]), 1e-9);
		n_run++;
	}
	assert_true(n_run > 50);
}

static bool is_unknown(const struct machine *machine)
{
	const double metric[N_METRIC] = {0};
	double value = metric_value(machine, metric, METRIC_RUN_TIME);
	return isnan(value);
}

/* Without the constants there is no run time, whatever the defaults are. */
static void test_run_time_is_unknown_without_a_run_time_system(void **state)
{
	struct machine machine = shipped_machine("spaces/machines/thesis_chip.yaml");
	(void)state;
	assert_false(machine.has_octopus);
	assert_true(is_unknown(&machine));
	assert_true(metric_network_overhead_ms(&machine) <= 0 && metric_layer_overhead_ms(&machine, 9) <= 0);
	assert_int_equal(machine_set_param(&machine, machine_find_param("octopus.setup_us"), "20", &(struct err){0}),
	                 ERR_OK);
	assert_false(is_unknown(&machine));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_run_time_fronts_are_those_of_all_designs),
	    cmocka_unit_test(test_run_time_of_a_layer_is_its_latency_and_its_start),
	    cmocka_unit_test(test_run_time_is_unknown_without_a_run_time_system),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
