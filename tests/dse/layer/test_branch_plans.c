/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exact search of layers whose PEs have levels of their own against all plans of all designs: fronts, designs and
 * counts are equal, with and without limits, on any number of threads.
 */
#include "tests/support/unit_test.h"

#include "tests/support/branch_compare.h"
#include "tests/support/draws.h"
#include "tests/support/random_layer.h"
#include "dse/space/detail.h"

#define MAX_DESIGN 1500

/* A small layer on a machine with levels by PE, its objectives among time, energy and peak. */
static bool draw_layer(uint32_t trial, struct random_layer *f)
{
	static const enum metric objective[][3] = {{METRIC_LATENCY, METRIC_ENERGY, METRIC_PEAK_POWER},
	                                           {METRIC_LATENCY, METRIC_PEAK_POWER, METRIC_ENERGY},
	                                           {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM}};
	struct rng rng = rng_stream(71, 0, trial);
	random_layer_machine(&rng, &f->machine);
	f->machine.n_level = mixed_n_pure(&f->machine);
	random_layer_block(&rng, &f->block);
	random_layer_space(&rng, f);
	if (f->machine.n_level < 2)
		return false;
	f->machine.dvfs_domain = rng_below(&rng, 3) ? DVFS_PE : DVFS_QPE;
	f->machine.dvfs_switch_nj = rng_below(&rng, 2) ? 0.01 : 0;
	assert_int_equal(mixed_offer(&f->machine, 0, NULL), ERR_OK);
	f->space.n_objective = 2 + rng_below(&rng, 2);
	memcpy(f->space.objective, objective[rng_below(&rng, 3)], sizeof(objective[0]));
	if (!random_layer_build(f, rng_below(&rng, 3) ? 0 : rng_below(&rng, 8)))
		return false;
	if (problem_size(&f->layer.problem) <= MAX_DESIGN)
		return true;
	layer_problem_free(&f->layer);
	return false;
}

static void check_threads(const struct layer_problem *layer)
{
	struct pareto front[2];
	struct branch_counts counts[2];
	struct err err = {0};
	for (unsigned i = 0; i < 2; i++) {
		pareto_init(&front[i], layer->n_metric, N_LAYER_GENE);
		assert_int_equal(
		    branch_search(layer, NULL, 1 + 2 * i, &front[i], &counts[i], NULL, NULL, NULL, NULL, &err), ERR_OK);
	}
	assert_int_equal(front[0].n, front[1].n);
	assert_memory_equal(&counts[0], &counts[1], sizeof(counts[0]));
	assert_memory_equal(front[0].genome, front[1].genome, front[0].n * N_LAYER_GENE * sizeof(uint32_t));
	for (int i = 0; i < 2; i++)
		pareto_free(&front[i]);
}

/* Points of the front that are plans. */
static unsigned count_plans(const struct layer_problem *layer)
{
	struct pareto all;
	unsigned n = 0;
	pareto_init(&all, layer->n_metric, N_LAYER_GENE);
	(void)brute_force(layer, &all);
	for (size_t i = 0; i < all.n; i++)
		n += layer_gene_level(all.genome[i * N_LAYER_GENE + GENE_LEVEL]) >= layer_n_own_level(layer);
	pareto_free(&all);
	return n;
}

static void test_branch_plans_equal_brute_force(void **state)
{
	struct seen seen = {0};
	const uint32_t n_wanted = draws(200, 30);
	uint32_t n = 0, n_plan = 0;
	(void)state;
	for (uint32_t i = 0; n < n_wanted; i++) {
		struct random_layer f;
		double least = INFINITY, ignored;
		if (!draw_layer(i, &f))
			continue;
		n++;
		f.layer.problem.n_value = f.layer.n_value;
		f.layer.problem.context = &f.layer;
		n_plan += count_plans(&f.layer);
		compare_layer(&f.layer, &seen, &least);
		check_threads(&f.layer);
		if (isfinite(least)) {
			f.layer.limit[0] = least * 1.1;
			f.layer.layer_limit[METRIC_PEAK_POWER] = i % 2 ? 900 : INFINITY;
			compare_layer(&f.layer, &seen, &ignored);
		}
		layer_problem_free(&f.layer);
	}
	print_message("%llu layers, %llu points, %u of them plans, %llu of %llu designs evaluated\n",
	              (unsigned long long)seen.n_layer, (unsigned long long)seen.n_point, n_plan,
	              (unsigned long long)seen.n_evaluated, (unsigned long long)seen.n_design);
	assert_true(n_plan > n_wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_branch_plans_equal_brute_force)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
