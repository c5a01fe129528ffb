/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BRANCH_COMPARE_H
#define TESTS_BRANCH_COMPARE_H
/* The exact search of a layer against brute force, and bounds of boxes against designs. */
#include "tests/support/unit_test.h"
#include "dse/layer/branch.h"
#include "dse/layer/layer_problem.h"
#include "dse/layer/near.h"
#include "mapper/distribute/bound.h"
#include "sim/base/checked.h"
#include "tests/support/random_block.h"
#include <math.h>
#include <string.h>

/* The genome of a design by its number. */
static inline void genome_of(const struct layer_problem *layer, uint64_t number, uint32_t genome[N_LAYER_GENE])
{
	for (size_t i = N_LAYER_GENE; i-- > 0;) {
		genome[i] = (uint32_t)(number % layer->n_value[i]);
		number /= layer->n_value[i];
	}
}

/* What no front says of all designs: how many are feasible, what the nearest miss lacks, and whether all lack SRAM. */
struct all_designs {
	uint64_t n_feasible;
	double least_violation;
	bool none_runs;
};

/* All plans of a design at a pair of levels by PE, without a filter; each as it is by itself, too. */
static inline void brute_force_plans(const struct layer_problem *layer, uint32_t *genome, struct pareto *front,
                                     struct all_designs *all)
{
	struct layer_plan_results plans = {0};
	layer_problem_plans(layer, genome, NULL, NULL, &plans);
	for (size_t i = plans.n; i-- > 0;) {
		struct evaluation alone;
		genome[GENE_LEVEL] = plans.gene[i];
		all->none_runs &= plans.result[i].violation > 0 && plans.result[i].reason < N_VERDICT;
		all->least_violation = fmin(all->least_violation, plans.result[i].violation);
		if (plans.result[i].violation > 0)
			continue;
		layer_problem_evaluate(layer, genome, 1, &alone);
		assert_memory_equal(alone.objective, plans.result[i].objective,
		                    layer->n_metric * sizeof(*alone.objective));
		all->n_feasible++;
		(void)pareto_insert(front, plans.result[i].objective, genome, 0);
	}
	layer_plan_results_free(&plans);
}

/* Every design, last first, so that the order of arrival is not that of the genomes. */
static inline struct all_designs brute_force(const struct layer_problem *layer, struct pareto *front)
{
	uint64_t n = problem_size(&layer->problem);
	struct all_designs all = {.least_violation = INFINITY, .none_runs = true};
	for (uint64_t number = n; number-- > 0;) {
		uint32_t genome[N_LAYER_GENE];
		struct evaluation result;
		genome_of(layer, number, genome);
		if (genome[GENE_LEVEL] >= layer_n_own_level(layer)) {
			brute_force_plans(layer, genome, front, &all);
			continue;
		}
		layer_problem_evaluate(layer, genome, 1, &result);
		all.none_runs &= result.violation > 0 && result.reason < N_VERDICT;
		all.least_violation = fmin(all.least_violation, result.violation);
		if (result.violation > 0)
			continue;
		all.n_feasible++;
		(void)pareto_insert(front, result.objective, genome, 0);
	}
	pareto_sort(front);
	return all;
}

static inline void check_counts(const struct layer_problem *layer, const struct branch_counts *counts)
{
	uint64_t n_cut = 0, n_infeasible = 0;
	for (uint32_t i = 0; i < LAYER_N_REASON; i++) {
		n_cut += counts->cut_by_reason[i];
		n_infeasible += counts->by_reason[i];
	}
	assert_int_equal(n_cut, counts->engine.n_skipped);
	assert_int_equal(n_infeasible, counts->engine.n_infeasible);
	assert_int_equal(counts->engine.n_feasible + n_infeasible, counts->engine.n_told);
	assert_int_equal(counts->engine.n_told + n_cut, problem_size(&layer->problem));
}

/* A relaxed search leaves to each point of the true front one within the epsilon, and none above its design. */
static inline void check_relaxed(const struct layer_problem *layer, const struct pareto *all, double epsilon)
{
	struct pareto found;
	struct branch_counts counts;
	struct err err = {0};
	pareto_init(&found, layer->n_metric, N_LAYER_GENE);
	assert_int_equal(branch_relax(layer, epsilon, 1, &found, &counts, NULL, NULL, &err), ERR_OK);
	for (size_t i = 0; i < all->n; i++) {
		const double *truth = all->objective + i * all->n_objective;
		bool is_near = false;
		for (size_t k = 0; k < found.n && !is_near; k++) {
			is_near = true;
			for (unsigned j = 0; j < all->n_objective; j++)
				is_near &= found.objective[k * all->n_objective + j] <= truth[j] * (1 + epsilon);
		}
		assert_true(is_near);
	}
	for (size_t k = 0; k < found.n; k++) {
		struct evaluation result;
		layer_problem_evaluate(layer, found.genome + k * N_LAYER_GENE, 1, &result);
		for (unsigned j = 0; j < found.n_objective; j++)
			assert_true(found.objective[k * found.n_objective + j] <= result.objective[j] * (1 + epsilon));
	}
	pareto_free(&found);
}

static inline bool has_design(const struct near_list *list, const uint32_t *genome)
{
	for (size_t i = 0; i < list->n; i++)
		if (memcmp(list->design[i].gene, genome, sizeof(list->design[i].gene)) == 0)
			return true;
	return false;
}

static inline bool is_own_design(const struct pareto *front, const uint32_t *genome)
{
	for (size_t i = 0; i < front->n; i++)
		if (memcmp(front->genome + i * N_LAYER_GENE, genome, N_LAYER_GENE * sizeof(*genome)) == 0)
			return true;
	return false;
}

/* Whatever is not among the designs near the front, nor on it, is at least as far as is said. Returns their number. */
static inline size_t check_near(const struct layer_problem *layer, const struct pareto *all,
                                const struct near_limit *limit)
{
	struct near_list list;
	struct err err = {0};
	assert_int_equal(near_find(layer, all, limit, &list, &err), ERR_OK);
	assert_true(list.n <= limit->max_design && list.n_box <= limit->max_box + 2 * (uint64_t)N_STRATEGY * 64);
	for (size_t i = 0; i < list.n; i++) {
		assert_true(list.design[i].distance < limit->max_distance);
		assert_true(i == 0 || list.design[i - 1].distance <= list.design[i].distance);
		assert_false(is_own_design(all, list.design[i].gene));
	}
	for (uint64_t number = problem_size(&layer->problem); number-- > 0 && all->n > 0;) {
		uint32_t genome[N_LAYER_GENE];
		struct evaluation result;
		genome_of(layer, number, genome);
		/* plans are in the list, or not, by the same distance */
		if (genome[GENE_LEVEL] >= layer_n_own_level(layer))
			continue;
		layer_problem_evaluate(layer, genome, 1, &result);
		if (result.violation > 0 || (limit->strategies >> layer->strategy[genome[GENE_STRATEGY]] & 1) == 0 ||
		    is_own_design(all, genome) || has_design(&list, genome))
			continue;
		/* bounds that are no whole numbers have some slack */
		assert_true(near_distance(all, result.objective) >= list.reach * (1 - 1e-9));
	}
	size_t n = list.n;
	near_free(&list);
	return n;
}

/* What the comparisons saw, so that they cannot pass by seeing nothing. */
struct seen {
	uint64_t n_layer, n_point, n_design, n_evaluated, n_empty, n_near;
};

static inline void compare_layer(const struct layer_problem *layer, struct seen *seen, double *least)
{
	struct pareto all, found;
	struct branch_counts counts;
	uint32_t genome[N_LAYER_GENE];
	struct engine_nearest nearest = {.violation = INFINITY, .genome = genome};
	struct layer_problem sampled = *layer;
	struct err err = {0};
	pareto_init(&all, layer->n_metric, N_LAYER_GENE);
	pareto_init(&found, layer->n_metric, N_LAYER_GENE);
	const struct all_designs designs = brute_force(layer, &all);
	sampled.problem.context = &sampled;
	sampled.problem.n_value = sampled.n_value;
	/* with and without designs that are known before */
	if (seen->n_layer % 2)
		assert_int_equal(layer_problem_sample(&sampled, 2, &found, &nearest, &err), ERR_OK);
	assert_int_equal(branch_search(&sampled, NULL, 1, &found, &counts, &nearest, NULL, NULL, NULL, &err), ERR_OK);
	check_counts(layer, &counts);
	assert_int_equal(found.n, all.n);
	if (all.n > 0) {
		assert_memory_equal(found.objective, all.objective, all.n * all.n_objective * sizeof(double));
		assert_memory_equal(found.genome, all.genome, all.n * N_LAYER_GENE * sizeof(uint32_t));
		*least = all.objective[0];
	} else if (seen->n_layer % 2) {
		assert_true(nearest.violation > 0 && isfinite(nearest.violation));
	}
	assert_true(counts.engine.n_feasible <= designs.n_feasible);
	check_relaxed(layer, &all, 0.02 * (double)(seen->n_layer % 11) + 1e-6);
	if (seen->n_layer % 3 == 0)
		seen->n_near += check_near(layer, &all,
		                           &(struct near_limit){.strategies = seen->n_layer % 2 ? ~UINT32_C(0) : 4,
		                                                .max_design = 1 + (size_t)seen->n_layer % 40,
		                                                .max_distance = 1 + 0.05 * (double)(seen->n_layer % 9),
		                                                .max_box = seen->n_layer % 5 ? 100000 : 60});
	seen->n_layer++;
	seen->n_point += all.n;
	seen->n_empty += all.n == 0;
	seen->n_design += problem_size(&layer->problem);
	seen->n_evaluated += counts.engine.n_told;
	pareto_free(&all);
	pareto_free(&found);
}

/* A range of the axis around one of its choices: numbers of parts, one number of parts, or the choice alone. */
static inline struct dim_range random_range(struct rng *rng, const struct dim_axis *axis, size_t at, uint32_t extent,
                                            uint32_t step)
{
	size_t first = at, last = at;
	const struct dim_split *choice = &axis->choice[at];
	uint32_t kind = rng_below(rng, 3);
	struct dim_range range = {extent, step, dim_n_part(choice), dim_n_part(choice), choice->size_a, NULL, NULL, 0};
	if (kind == 0) {
		range.split = choice;
		return range;
	}
	if (kind == 1) {
		/* some splits of a number of parts, the one with the smallest largest part first */
		while (first > 0 && dim_n_part(&axis->choice[first - 1]) == range.n_least && rng_below(rng, 10))
			first--;
		while (last + 1 < axis->n && dim_n_part(&axis->choice[last + 1]) == range.n_least && rng_below(rng, 10))
			last++;
		range.choice = &axis->choice[first];
		range.n_choice = last + 1 - first;
		range.size = axis->choice[first].size_a;
		return range;
	}
	if (kind == 2) {
		/* input channels are whole in all of a range or split in all of it */
		while (first > 0 && dim_n_part(&axis->choice[first - 1]) > (range.n_least > 1) && rng_below(rng, 20))
			first--;
		while (last + 1 < axis->n && range.n_least > 1 && rng_below(rng, 20))
			last++;
	}
	range.n_least = dim_n_part(&axis->choice[first]);
	range.n_most = dim_n_part(&axis->choice[last]);
	range.size = (uint32_t)(ceil_div(extent / step, range.n_most) * step);
	return range;
}

/* Values of one design and of a bound at an operating point. */
static inline void assert_under(const struct layer_context *context, const struct layer_design *design,
                                const struct range_bound *bound, const struct sim_result *result, const char *what)
{
	double latency_ns, energy_pj, dram_byte;
	struct sim_result least;
	if (bound->has_program) {
		fast_run_least(context->machine, &bound->program, design->level, &least);
		latency_ns = least.latency_ns;
		energy_pj = least.energy.total_pj;
		dram_byte = least.counts.dram_read_byte + least.counts.dram_write_byte;
	} else {
		fast_bound(context->machine, &bound->work, design->level, &latency_ns, &energy_pj);
		dram_byte = bound->work.counts.dram_read_byte + bound->work.counts.dram_write_byte;
	}
	double own_byte = result->counts.dram_read_byte + result->counts.dram_write_byte;
	/* a program's latency and energy are compared as they are */
	double slack = 1 + (bound->has_program ? 0 : 1e-9);
	if (latency_ns > result->latency_ns * slack || energy_pj > result->energy.total_pj * slack ||
	    dram_byte > own_byte * slack || bound->program.sram_byte > result->sram_byte)
		fail_msg("%s, %s %s: bound %.17g ns %.17g pJ %.17g byte, design %.17g ns %.17g pJ %.17g byte", what,
		         context->block->name, strategy_table[design->strategy].name, latency_ns, energy_pj, dram_byte,
		         result->latency_ns, result->energy.total_pj, own_byte);
}

static inline size_t pick_split(struct rng *rng, const struct dim_axis *axis)
{
	return rng_below(rng, (uint32_t)axis->n);
}

#endif
