/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/moo_problems.h"
#include "dse/engine/nsga2_vary.h"
#include "tests/support/unit_test.h"
#include <string.h>

/* `make bench` does the same with all MOO_N_SEED seeds. */
static void test_nsga2_problems_median_hypervolume_is_in_window(void **state)
{
	enum { N_SEED = 11 };
	(void)state;
	for (size_t i = 0; i < MOO_N_PROBLEM; i++) {
		const struct moo_problem *row = &moo_problem_table[i];
		double volume[N_SEED];
		for (uint64_t seed = 1; seed <= N_SEED; seed++)
			assert_true(moo_run(row, seed, &volume[seed - 1]));
		qsort(volume, N_SEED, sizeof(*volume), moo_compare);
		assert_in_range((int64_t)(1e5 * volume[N_SEED / 2]), (int64_t)(1e5 * row->least_median),
		                (int64_t)(1e5 * row->largest_median));
	}
}

static void test_nsga2_problems_run_is_a_function_of_its_seed(void **state)
{
	double first, again, other;
	(void)state;
	assert_true(moo_run(&moo_problem_table[2], 5, &first));
	assert_true(moo_run(&moo_problem_table[2], 5, &again));
	assert_true(moo_run(&moo_problem_table[2], 6, &other));
	assert_true(first == again);
	assert_true(first != other);
}

/* Bounds of all kinds; objectives are the distances of all variables to 0.3 and to 0.6 of their ranges. */
enum { N_VARIABLE = 5 };
static const double lower[N_VARIABLE] = {0.0, -3.0, 5.0, 1e6, -1e-6};
static const double upper[N_VARIABLE] = {1.0, 2.0, 5.5, 2e6, 1e-6};

static void two_places(const void *context, const double *x, size_t n, struct evaluation *out)
{
	uint64_t *n_evaluated = *(uint64_t *const *)context;
	*n_evaluated += n;
	for (size_t i = 0; i < n; i++, x += N_VARIABLE) {
		out[i] = (struct evaluation){0};
		for (size_t k = 0; k < N_VARIABLE; k++) {
			assert_true(x[k] >= lower[k] && x[k] <= upper[k]);
			double at = (x[k] - lower[k]) / (upper[k] - lower[k]);
			out[i].objective[0] += fabs(at - 0.3);
			out[i].objective[1] += fabs(at - 0.6);
		}
		/* What is above a half in the first variable is forbidden. */
		out[i].violation = x[0] > 0.5 ? x[0] - 0.5 : 0.0;
	}
}

static void test_nsga2_problems_variables_keep_within_bounds_and_limits(void **state)
{
	/* Indices whose powers are squarings and others; few and many mutations; odd populations. */
	const struct nsga2_real_options options[] = {{1, 60, 80, 0.9, 15.0, 0.0, 20.0},
	                                             {2, 61, 80, 0.9, 10.5, 0.3, 5.0},
	                                             {3, 60, 80, 0.5, 0.0, 1.0, 20.0},
	                                             {4, 60, 80, 1.0, 1.0, 0.2, 0.0}};
	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		uint64_t n_evaluated = 0, *counter = &n_evaluated;
		const struct nsga2_real_problem problem = {N_VARIABLE, lower, upper, 2, two_places, &counter};
		double variable[61 * N_VARIABLE];
		struct evaluation result[61], again[61];
		double least = INFINITY;
		assert_true(nsga2_real_run(&problem, &options[i], variable, result));
		assert_int_equal(n_evaluated, options[i].population * options[i].generations);
		two_places(&counter, variable, options[i].population, again);
		for (size_t k = 0; k < options[i].population; k++) {
			assert_memory_equal(result[k].objective, again[k].objective, sizeof(result[k].objective));
			assert_true(result[k].violation == 0.0);
			least = fmin(least, result[k].objective[0] + result[k].objective[1]);
		}
		/* Between the places, the distances add up to 0.3 a variable but for the first, which stays below 0.5.
		 */
		assert_true(least >= 1.5 - 1e-9);
		assert_true(least < 1.8);
	}
}

/* Crowding keeps the ends of a front. */
static void test_nsga2_problems_population_selects_best_first(void **state)
{
	struct nsga2_population population;
	struct evaluation result[4];
	const uint32_t genome[4] = {10, 11, 12, 13};
	const double objective[4][2] = {{0, 3}, {1, 1}, {1.1, 1.05}, {3, 0}};
	(void)state;
	assert_true(nsga2_population_init(&population, 4, sizeof(*genome), 2));
	for (size_t i = 0; i < 4; i++)
		result[i] = (struct evaluation){.objective = {objective[i][0], objective[i][1]}};
	nsga2_population_add(&population, genome, result, 4);
	nsga2_population_select(&population);
	uint32_t kept[4];
	memcpy(kept, population.genome, sizeof(kept));
	assert_int_equal(population.n_parent, 4);
	assert_int_equal(kept[0], 10);
	assert_int_equal(kept[1], 13);
	assert_int_equal(kept[2], 11);
	assert_int_equal(kept[3], 12); /* dominated */
	/* Better ones win tournaments more often. */
	unsigned n_won[4] = {0};
	struct rng rng = rng_stream(1, 1, 1);
	for (unsigned i = 0; i < 4000; i++) {
		uint32_t winner;
		memcpy(&winner, nsga2_population_choose(&population, &rng), sizeof(winner));
		for (unsigned k = 0; k < 4; k++)
			n_won[k] += kept[k] == winner;
	}
	assert_in_range(n_won[0], 1600, 1900); /* 7/16 */
	assert_in_range(n_won[3], 180, 320);   /* 1/16 */
	nsga2_population_free(&population);
}

/* An operator that gains is drawn more often, the others still are, and genes stay in range. */
static void test_nsga2_problems_operators_follow_their_success(void **state)
{
	const uint32_t n_value[] = {1, 2, 3, 1000, 7};
	const struct problem problem = {.n_gene = 5, .n_value = n_value, .n_objective = 2};
	struct nsga2_vary vary;
	struct nsga2_population population;
	unsigned n_drawn[NSGA2_N_OPERATOR] = {0};
	uint32_t genome[5], parent[3][5] = {{0, 1, 2, 999, 6}, {0, 0, 0, 0, 0}, {0, 1, 1, 500, 3}};
	const struct evaluation result[3] = {{.objective = {1, 2}}, {.objective = {2, 1}}, {.objective = {3, 3}}};
	(void)state;
	assert_true(nsga2_vary_init(&vary, &problem));
	assert_true(nsga2_population_init(&population, 3, sizeof(genome), 2));
	nsga2_population_add(&population, parent, result, 3);
	nsga2_population_select(&population);
	for (unsigned i = 0; i < 100; i++)
		for (unsigned k = 0; k < NSGA2_N_OPERATOR; k++)
			nsga2_vary_note(&vary, (enum nsga2_operator)k, k == NSGA2_STEP);
	nsga2_vary_fade(&vary);
	for (uint32_t i = 0; i < 4000; i++) {
		struct rng rng = rng_stream(1, 2, i);
		enum nsga2_operator which = nsga2_vary_choose(&vary, &rng);
		n_drawn[which]++;
		nsga2_vary_make(&vary, &population, which, 1 + i % 4, &rng, genome);
		for (size_t k = 0; k < 5; k++)
			assert_true(genome[k] < n_value[k]);
	}
	for (unsigned k = 0; k < NSGA2_N_OPERATOR; k++)
		assert_true(k == NSGA2_STEP ? n_drawn[k] > 2400 : n_drawn[k] > 300 && n_drawn[k] < 800);
	nsga2_population_free(&population);
	nsga2_vary_free(&vary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nsga2_problems_median_hypervolume_is_in_window),
	    cmocka_unit_test(test_nsga2_problems_run_is_a_function_of_its_seed),
	    cmocka_unit_test(test_nsga2_problems_variables_keep_within_bounds_and_limits),
	    cmocka_unit_test(test_nsga2_problems_population_selects_best_first),
	    cmocka_unit_test(test_nsga2_problems_operators_follow_their_success),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
