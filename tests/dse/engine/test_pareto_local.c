/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/engine_run.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_GENE = 8, N_VALUE = 40, MAX_ASKED = 40000 };

/* Distances, gene by gene, to two corners, and a third gene in a hundred designs wrong: smooth, 6.5e12 candidates. */
static void evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t i = 0; i < n; i++, genome += N_GENE) {
		double low = 0.0, high = 0.0;
		for (unsigned k = 0; k < N_GENE; k++) {
			low += genome[k];
			high += N_VALUE - 1 - genome[k];
		}
		out[i] = (struct evaluation){.objective = {low, high * high}};
		if (genome[2] % 13 == 5)
			out[i] = (struct evaluation){.violation = 1.0 + low};
	}
}

static const uint32_t n_value[N_GENE] = {N_VALUE, N_VALUE, N_VALUE, N_VALUE, N_VALUE, N_VALUE, N_VALUE, N_VALUE};

static struct problem smooth_problem(void)
{
	return (struct problem){.n_gene = N_GENE, .n_value = n_value, .n_objective = 2, .evaluate = evaluate};
}

/* Ask and tell until the engine is done; genome [MAX_ASKED][N_GENE]. Returns how many were asked for. */
static size_t ask_all(const struct problem *problem, const struct engine_options *options, size_t batch,
                      uint32_t *genome, enum engine_stop *stop)
{
	struct engine *engine = engine_pls.create(problem, options, NULL);
	struct evaluation *result = calloc(batch, sizeof(*result));
	size_t n_asked = 0, n;
	assert_true(engine && result);
	while ((n = engine_pls.ask(engine, genome + n_asked * N_GENE, batch)) > 0) {
		assert_true(n <= batch && n_asked + n + batch <= MAX_ASKED);
		problem->evaluate(problem->context, genome + n_asked * N_GENE, n, result);
		engine_pls.tell(engine, genome + n_asked * N_GENE, result, n);
		n_asked += n;
		assert_true(engine_pls.progress(engine) >= 0.0 && engine_pls.progress(engine) <= 1.0);
	}
	struct engine_counts counts = engine_pls.counts(engine);
	assert_int_equal(counts.n_asked, n_asked);
	assert_int_equal(counts.n_feasible + counts.n_infeasible, n_asked);
	*stop = engine_pls.stop(engine);
	engine_pls.destroy(engine);
	free(result);
	return n_asked;
}

static int compare_row(const void *a, const void *b)
{
	return memcmp(a, b, N_GENE * sizeof(uint32_t));
}

/* Within bounds, never twice, up to its limit; the seed decides. */
static void test_pareto_local_asks_for_nothing_twice(void **state)
{
	uint32_t *genome = calloc(MAX_ASKED * N_GENE, sizeof(*genome)),
		 *again = calloc(MAX_ASKED * N_GENE, sizeof(*again));
	const struct problem problem = smooth_problem();
	enum engine_stop stop;
	(void)state;
	assert_true(genome && again);
	for (unsigned seed = 1; seed < 5; seed++) {
		const struct engine_options options = {.seed = seed, .max_evaluation = 5000 + seed};
		struct engine_options other = options;
		assert_int_equal(ask_all(&problem, &options, 64, genome, &stop), 5000 + seed);
		assert_int_equal(stop, ENGINE_STOP_EVALUATIONS);
		assert_int_equal(ask_all(&problem, &options, 64, again, &stop), 5000 + seed);
		assert_memory_equal(genome, again, (5000 + seed) * N_GENE * sizeof(*genome));
		other.seed += 100;
		assert_int_equal(ask_all(&problem, &other, 64, again, &stop), 5000 + seed);
		assert_memory_not_equal(genome, again, (5000 + seed) * N_GENE * sizeof(*genome));
		for (size_t i = 0; i < (5000 + seed) * N_GENE; i++)
			assert_true(genome[i] < N_VALUE);
		qsort(genome, 5000 + seed, N_GENE * sizeof(*genome), compare_row);
		for (size_t i = 1; i < 5000 + seed; i++)
			assert_true(compare_row(genome + (i - 1) * N_GENE, genome + i * N_GENE) != 0);
	}
	free(genome);
	free(again);
}

/*
 * The front is one point for each sum of genes, 313 of them: steps from any of them lead to all, long before random
 * draws would. Then nothing more is gained, and the search ends by itself.
 */
static void test_pareto_local_walks_along_the_front_and_ends(void **state)
{
	const struct problem problem = smooth_problem();
	const struct engine_options options = {.seed = 3};
	struct engine_counts counts;
	struct pareto front;
	struct err err = {0};
	(void)state;
	pareto_init(&front, 2, N_GENE);
	assert_int_equal(engine_run(&(struct engine_search){.kind = &engine_pls,
	                                                    .problem = &problem,
	                                                    .options = &options,
	                                                    .n_thread = 2,
	                                                    .archive = &front,
	                                                    .counts = &counts},
	                            &err),
	                 ERR_OK);
	assert_int_equal(front.n, N_GENE * (N_VALUE - 1) + 1);
	assert_true(counts.n_told < 60000);
	assert_int_equal(counts.n_stop[ENGINE_STOP_STAGNATION], 1);
	pareto_free(&front);
}

/* Only the corner where all genes are 0 is feasible, and violations lead there. */
static void evaluate_corner(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t i = 0; i < n; i++, genome += N_GENE) {
		double away = 0.0;
		for (unsigned k = 0; k < N_GENE; k++)
			away += genome[k];
		out[i] = (struct evaluation){.objective = {1.0, 1.0}, .violation = away};
	}
}

static void test_pareto_local_goes_down_to_what_is_feasible(void **state)
{
	struct problem problem = smooth_problem();
	const struct engine_options options = {.seed = 3, .max_evaluation = 3000};
	struct engine_counts counts;
	struct pareto front;
	struct err err = {0};
	(void)state;
	problem.evaluate = evaluate_corner;
	pareto_init(&front, 2, N_GENE);
	assert_int_equal(engine_run(&(struct engine_search){.kind = &engine_pls,
	                                                    .problem = &problem,
	                                                    .options = &options,
	                                                    .n_thread = 1,
	                                                    .archive = &front,
	                                                    .counts = &counts},
	                            &err),
	                 ERR_OK);
	assert_int_equal(front.n, 1);
	assert_int_equal(counts.n_feasible, 1);
	pareto_free(&front);
}

/* Values without an order: 64 of them are tried one by one, millions in steps. */
static void test_pareto_local_takes_genes_of_any_size(void **state)
{
	static const uint32_t size[N_GENE] = {1, 2, 3, 64, 65, UINT32_MAX, 7, 1};
	static const bool is_ordered[N_GENE] = {false, false, false, false, false, false, true, true};
	struct problem problem = smooth_problem();
	const struct engine_options options = {.seed = 3, .max_evaluation = 3000};
	uint32_t *genome = calloc(MAX_ASKED * N_GENE, sizeof(*genome));
	enum engine_stop stop;
	(void)state;
	assert_non_null(genome);
	problem.n_value = size;
	problem.is_ordered = is_ordered;
	size_t n = ask_all(&problem, &options, 100, genome, &stop);
	assert_int_equal(n, 3000);
	for (size_t i = 0; i < n * N_GENE; i++)
		assert_true(genome[i] < size[i % N_GENE]);
	free(genome);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pareto_local_asks_for_nothing_twice),
	    cmocka_unit_test(test_pareto_local_walks_along_the_front_and_ends),
	    cmocka_unit_test(test_pareto_local_goes_down_to_what_is_feasible),
	    cmocka_unit_test(test_pareto_local_takes_genes_of_any_size),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
