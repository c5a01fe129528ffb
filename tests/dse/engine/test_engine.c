/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/engine_run.h"
#include "dse/engine/nsga2_sort.h"
#include "sim/base/hash.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_GENE = 6, N_REASON = 4 };

/*
 * A random problem that is a function of its number: objectives are hashes of
 * the genome on a coarse grid (many ties), and candidates whose first n_cut
 * genes hash badly are infeasible as a whole, with or without saying so.
 */
struct toy {
	uint64_t number;
	uint32_t n_value[MAX_GENE];
	size_t n_gene;
	unsigned n_objective;
	uint32_t grid;       /* values per objective */
	unsigned infeasible; /* of 16 prefixes of one gene, how many are infeasible */
	bool tells_cuts, smooth;
	struct problem problem;
};

static bool prefix_is_bad(const struct toy *toy, const uint32_t *genome, size_t n)
{
	return hash_bytes(genome, n * sizeof(*genome), toy->number * 64 + n) % 16 < toy->infeasible;
}

static void toy_evaluate_one(const struct toy *toy, const uint32_t *genome, struct evaluation *out)
{
	*out = (struct evaluation){0};
	for (unsigned k = 0; k < toy->n_objective; k++) {
		double smooth = 0.0;
		for (size_t i = 0; i < toy->n_gene; i++) {
			double away =
			    (double)genome[i] - (k + 1.0) * (toy->n_value[i] - 1.0) / (toy->n_objective + 1.0);
			smooth += away * away;
		}
		uint64_t hash = hash_bytes(genome, toy->n_gene * sizeof(*genome), toy->number * 64 + 32 + k);
		out->objective[k] = toy->smooth ? smooth : (double)(hash % toy->grid);
	}
	for (size_t n = 1; n <= toy->n_gene; n++) {
		if (!prefix_is_bad(toy, genome, n))
			continue;
		out->violation = 1.0 + (double)(hash_bytes(genome, toy->n_gene * sizeof(*genome), 5) % 1000);
		out->reason = (uint32_t)n % N_REASON;
		out->n_cut = toy->tells_cuts ? (uint32_t)n : 0;
		return;
	}
}

static void toy_evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	const struct toy *toy = context;
	for (size_t i = 0; i < n; i++)
		toy_evaluate_one(toy, genome + i * toy->n_gene, &out[i]);
}

static void toy_init(struct toy *toy, uint64_t number, uint32_t max_value)
{
	struct rng rng = rng_stream(11, (uint32_t)number, 0);
	*toy = (struct toy){.number = number, .n_gene = 1 + rng_below(&rng, MAX_GENE)};
	for (size_t i = 0; i < toy->n_gene; i++)
		toy->n_value[i] = 1 + rng_below(&rng, max_value);
	toy->n_objective = 1 + (unsigned)number % 4;
	toy->grid = 2 + rng_below(&rng, 100);
	toy->infeasible = rng_below(&rng, 5);
	toy->tells_cuts = rng_below(&rng, 4) > 0;
	toy->problem = (struct problem){.n_gene = toy->n_gene,
	                                .n_value = toy->n_value,
	                                .n_objective = toy->n_objective,
	                                .evaluate = toy_evaluate,
	                                .context = toy};
}

static void genome_of_number(const struct problem *problem, uint64_t number, uint32_t *genome)
{
	for (size_t i = problem->n_gene; i-- > 0; number /= problem->n_value[i])
		genome[i] = (uint32_t)(number % problem->n_value[i]);
}

/* The front by looking at every candidate; also how many are feasible. */
static uint64_t brute_force(const struct toy *toy, struct pareto *front)
{
	uint64_t n_feasible = 0;
	uint32_t genome[MAX_GENE];
	struct evaluation result;
	pareto_init(front, toy->n_objective, toy->n_gene);
	for (uint64_t number = 0; number < problem_size(&toy->problem); number++) {
		genome_of_number(&toy->problem, number, genome);
		toy_evaluate_one(toy, genome, &result);
		if (result.violation > 0.0)
			continue;
		n_feasible++;
		pareto_insert(front, result.objective, genome, number);
	}
	pareto_sort(front);
	return n_feasible;
}

struct outcome {
	struct pareto front;
	struct engine_counts counts;
	uint64_t n_by_reason[N_REASON];
	struct engine_nearest near;
	uint32_t near_genome[MAX_GENE];
	enum err_code code;
};

static void run_engine(const char *name, const struct problem *problem, const struct engine_options *options,
                       unsigned n_thread, struct outcome *outcome)
{
	struct err err = {0};
	memset(outcome, 0, sizeof(*outcome));
	outcome->near.genome = outcome->near_genome;
	pareto_init(&outcome->front, problem->n_objective, problem->n_gene);
	outcome->code = engine_run(&(struct engine_search){.kind = engine_find(name),
	                                                   .problem = problem,
	                                                   .options = options,
	                                                   .n_thread = n_thread,
	                                                   .archive = &outcome->front,
	                                                   .counts = &outcome->counts,
	                                                   .n_by_reason = outcome->n_by_reason,
	                                                   .n_reason = N_REASON,
	                                                   .near = problem->n_gene <= MAX_GENE ? &outcome->near : NULL},
	                           &err);
	assert_int_equal(err.n_message, 0);
	err_clear(&err);
}

static void assert_same_front(const struct pareto *a, const struct pareto *b)
{
	assert_int_equal(a->n, b->n);
	if (a->n == 0)
		return;
	assert_memory_equal(a->objective, b->objective, a->n * a->n_objective * sizeof(*a->objective));
	assert_memory_equal(a->genome, b->genome, a->n * a->n_gene * sizeof(*a->genome));
}

static void assert_counts_add_up(const struct outcome *outcome)
{
	const struct engine_counts *counts = &outcome->counts;
	uint64_t n_by_reason = 0;
	for (size_t i = 0; i < N_REASON; i++)
		n_by_reason += outcome->n_by_reason[i];
	assert_int_equal(counts->n_asked, counts->n_told);
	assert_int_equal(counts->n_told, counts->n_feasible + counts->n_infeasible);
	assert_int_equal(n_by_reason, counts->n_infeasible);
}

static void test_engine_finds_names(void **state)
{
	(void)state;
	assert_ptr_equal(engine_find("exhaustive"), &engine_exhaustive);
	assert_ptr_equal(engine_find("nsga2"), &engine_nsga2);
	assert_null(engine_find("nsga"));
	assert_ptr_equal(engine_find("exact"), &engine_exact);
	assert_ptr_equal(engine_find("pls"), &engine_pls);
	assert_int_equal(engine_n, 4);
}

static void test_engine_exhaustive_finds_brute_force_front(void **state)
{
	const struct engine_options options = {0};
	(void)state;
	for (uint64_t number = 0; number < 250; number++) {
		struct toy toy;
		struct pareto front;
		struct outcome outcome;
		toy_init(&toy, number, 7);
		uint64_t n_feasible = brute_force(&toy, &front);
		run_engine("exhaustive", &toy.problem, &options, 1 + number % 2, &outcome);
		assert_int_equal(outcome.code, ERR_OK);
		assert_same_front(&outcome.front, &front);
		assert_counts_add_up(&outcome);
		assert_int_equal(outcome.counts.n_asked + outcome.counts.n_skipped, problem_size(&toy.problem));
		assert_int_equal(outcome.counts.n_feasible, n_feasible);
		assert_true(toy.tells_cuts || outcome.counts.n_skipped == 0);
		pareto_free(&front);
		pareto_free(&outcome.front);
	}
}

/* Ask and tell by hand with small batches, where cuts reach far beyond a batch. */
static void test_engine_exhaustive_skips_exactly_what_cuts_cover(void **state)
{
	(void)state;
	for (uint64_t number = 0; number < 200; number++) {
		struct toy toy;
		const struct engine_options options = {0};
		struct evaluation result[8];
		uint32_t genome[8 * MAX_GENE] = {0}, expected[MAX_GENE], cut[MAX_GENE] = {0};
		size_t n_cut = 0;
		toy_init(&toy, number, 5);
		size_t max = 1 + number % 8, n;
		struct engine *engine = engine_exhaustive.create(&toy.problem, &options, NULL);
		uint64_t candidate = 0, n_feasible = 0;
		while ((n = engine_exhaustive.ask(engine, genome, max)) > 0) {
			toy_evaluate(&toy, genome, n, result);
			assert_true(n_cut == 0 || memcmp(cut, genome, n_cut * sizeof(*genome)) != 0);
			for (size_t i = 0; i < n; i++, candidate++) {
				genome_of_number(&toy.problem, candidate, expected);
				/* Between two candidates asked for, all that was skipped is infeasible. */
				while (memcmp(expected, genome + i * toy.n_gene, toy.n_gene * sizeof(*genome)) != 0) {
					struct evaluation skipped;
					assert_int_equal(i, 0);
					toy_evaluate_one(&toy, expected, &skipped);
					assert_true(skipped.violation > 0.0);
					genome_of_number(&toy.problem, ++candidate, expected);
				}
				n_feasible += result[i].violation == 0.0;
			}
			engine_exhaustive.tell(engine, genome, result, n);
			/* The count goes on behind the shortest prefix that is known to be bad. */
			if (n == 1 && result[0].n_cut > 0)
				memcpy(cut, genome, sizeof(cut));
			n_cut = n == 1 ? result[0].n_cut : 0;
		}
		struct engine_counts counts = engine_exhaustive.counts(engine);
		assert_int_equal(counts.n_asked + counts.n_skipped, problem_size(&toy.problem));
		assert_int_equal(counts.n_feasible, n_feasible);
		assert_float_equal(engine_exhaustive.progress(engine), 1.0, 1e-12);
		engine_exhaustive.destroy(engine);
	}
}

static void half_is_cut(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	const struct problem *problem = context;
	for (size_t i = 0; i < n; i++, genome += problem->n_gene) {
		out[i] = (struct evaluation){.violation = 1.0, .n_cut = 1};
		if (genome[0] == 3)
			out[i] = (struct evaluation){.objective = {genome[1], -(double)genome[1]}, .n_cut = 0};
	}
}

static void test_engine_exhaustive_jumps_over_huge_subspaces(void **state)
{
	const uint32_t n_value[] = {4000000000u, 4096, 2, 65536};
	struct problem problem = {.n_gene = 4, .n_value = n_value, .n_objective = 2, .evaluate = half_is_cut};
	const struct engine_options options = {0};
	uint32_t genome[4 * 16];
	struct evaluation result[16];
	(void)state;
	problem.context = &problem;
	struct engine *engine = engine_exhaustive.create(&problem, &options, NULL);
	for (uint32_t first = 0; first < 3; first++) {
		assert_int_equal(engine_exhaustive.ask(engine, genome, 16), 16);
		assert_int_equal(genome[0], first);
		half_is_cut(&problem, genome, 16, result);
		engine_exhaustive.tell(engine, genome, result, 16);
	}
	assert_int_equal(engine_exhaustive.ask(engine, genome, 16), 16);
	assert_int_equal(genome[0], 3);
	assert_int_equal(engine_exhaustive.counts(engine).n_skipped, 3 * ((uint64_t)4096 * 2 * 65536 - 16));
	engine_exhaustive.destroy(engine);
}

static void test_engine_exhaustive_keeps_to_max_evaluation(void **state)
{
	struct toy toy;
	struct outcome outcome;
	const struct engine_options options = {.max_evaluation = 5001};
	(void)state;
	toy_init(&toy, 3, 5);
	toy.n_gene = toy.problem.n_gene = 2;
	toy.n_value[0] = toy.n_value[1] = 100;
	toy.infeasible = 0;
	run_engine("exhaustive", &toy.problem, &options, 2, &outcome);
	assert_int_equal(outcome.counts.n_asked, 5001);
	pareto_free(&outcome.front);
}

static void test_engine_problem_without_genes_has_one_candidate(void **state)
{
	struct toy toy;
	const struct engine_options options = {0};
	(void)state;
	toy_init(&toy, 1, 5);
	toy.n_gene = toy.problem.n_gene = 0;
	toy.infeasible = 0;
	for (size_t i = 0; i < engine_n; i++) {
		struct outcome outcome;
		run_engine(engine_table[i]->name, &toy.problem, &options, 1, &outcome);
		assert_int_equal(outcome.counts.n_asked, 1);
		assert_int_equal(outcome.front.n, 1);
		pareto_free(&outcome.front);
	}
}

static void test_engine_same_archive_for_any_threads(void **state)
{
	(void)state;
	for (uint64_t number = 0; number < 24; number++) {
		struct toy toy;
		struct outcome one, two;
		const struct engine_options options = {.seed = number, .max_evaluation = 8000};
		toy_init(&toy, number, 7);
		toy.n_gene = toy.problem.n_gene = 5;
		for (size_t i = 0; i < 5; i++)
			toy.n_value[i] = 9;
		toy.grid = number % 3 ? 50 : 1000;
		const char *name = engine_table[number % engine_n]->name;
		run_engine(name, &toy.problem, &options, 1, &one);
		run_engine(name, &toy.problem, &options, 2 + (unsigned)number % 2, &two);
		assert_same_front(&one.front, &two.front);
		assert_true(one.front.n == 0 ||
		            memcmp(one.front.tag, two.front.tag, one.front.n * sizeof(*one.front.tag)) == 0);
		assert_memory_equal(&one.counts, &two.counts, sizeof(one.counts));
		assert_memory_equal(one.n_by_reason, two.n_by_reason, sizeof(one.n_by_reason));
		assert_memory_equal(one.near_genome, two.near_genome, sizeof(one.near_genome));
		pareto_free(&one.front);
		pareto_free(&two.front);
	}
}

static void test_engine_reports_nearest_infeasible(void **state)
{
	const struct engine_options options = {0};
	(void)state;
	for (uint64_t number = 0; number < 100; number++) {
		struct toy toy;
		struct outcome outcome;
		double least = INFINITY;
		uint32_t genome[MAX_GENE] = {0}, nearest[MAX_GENE] = {0};
		struct evaluation result;
		toy_init(&toy, number, 5);
		toy.tells_cuts = false;
		run_engine("exhaustive", &toy.problem, &options, 2, &outcome);
		for (uint64_t i = 0; i < problem_size(&toy.problem); i++) {
			genome_of_number(&toy.problem, i, genome);
			toy_evaluate_one(&toy, genome, &result);
			if (result.violation > 0.0 && result.violation < least) {
				least = result.violation;
				memcpy(nearest, genome, sizeof(nearest));
			}
		}
		assert_true(outcome.near.violation == least);
		assert_memory_equal(outcome.near_genome, nearest, sizeof(nearest));
		pareto_free(&outcome.front);
	}
}

static bool stop_at_second(void *context, double progress, const struct engine_counts *counts)
{
	unsigned *n_call = context;
	assert_true(progress > 0.0 && progress <= 1.0);
	assert_int_equal(counts->n_asked, counts->n_told);
	return ++*n_call < 2;
}

static void test_engine_watch_stops_the_run(void **state)
{
	struct toy toy;
	struct pareto front;
	struct engine_counts counts;
	const struct engine_options options = {0};
	unsigned n_call = 0;
	(void)state;
	toy_init(&toy, 2, 5);
	toy.n_gene = toy.problem.n_gene = 3;
	toy.n_value[0] = toy.n_value[1] = toy.n_value[2] = 60;
	toy.tells_cuts = false;
	pareto_init(&front, toy.n_objective, toy.n_gene);
	assert_int_equal(engine_run(&(struct engine_search){.kind = &engine_exhaustive,
	                                                    .problem = &toy.problem,
	                                                    .options = &options,
	                                                    .n_thread = 1,
	                                                    .archive = &front,
	                                                    .counts = &counts,
	                                                    .watch = stop_at_second,
	                                                    .watch_context = &n_call},
	                            NULL),
	                 ERR_INTERRUPTED);
	assert_int_equal(n_call, 2);
	assert_true(counts.n_told > 0 && counts.n_told < problem_size(&toy.problem));
	pareto_free(&front);
}

static void test_engine_genetic_exhausts_small_spaces(void **state)
{
	(void)state;
	for (uint64_t number = 0; number < 120; number++) {
		struct toy toy;
		struct pareto front;
		struct outcome outcome;
		toy_init(&toy, number, 6);
		uint64_t size = problem_size(&toy.problem);
		struct engine_options options = {.seed = number, .population = number % 3 ? 0 : 7};
		if (number % 4 == 1)
			options.max_evaluation = size;
		if (number % 4 == 2) {
			options.population = 10;
			options.generations = (uint32_t)(size / 10 + 1);
		}
		uint64_t n_feasible = brute_force(&toy, &front);
		run_engine(number % 5 < 3 ? "nsga2" : "pls", &toy.problem, &options, 1 + number % 2, &outcome);
		assert_int_equal(outcome.code, ERR_OK);
		assert_same_front(&outcome.front, &front);
		assert_counts_add_up(&outcome);
		assert_int_equal(outcome.counts.n_asked, size);
		assert_int_equal(outcome.counts.n_feasible, n_feasible);
		pareto_free(&front);
		pareto_free(&outcome.front);
	}
}

static int compare_row(const void *a, const void *b)
{
	return memcmp(a, b, MAX_GENE * sizeof(uint32_t));
}

/* All genomes an NSGA-II run asks for, batch by batch; returns how many. */
static size_t ask_all(const struct toy *toy, const struct engine_options *options, size_t batch, uint32_t *genome,
                      size_t max)
{
	struct engine *engine = engine_nsga2.create(&toy->problem, options, NULL);
	struct evaluation *result = calloc(batch, sizeof(*result));
	size_t n_asked = 0, n;
	while ((n = engine_nsga2.ask(engine, genome + n_asked * toy->n_gene, batch)) > 0) {
		assert_true(n_asked + n + batch <= max);
		for (size_t i = 0; i < n * toy->n_gene; i++)
			assert_true(genome[n_asked * toy->n_gene + i] < toy->n_value[i % toy->n_gene]);
		toy_evaluate(toy, genome + n_asked * toy->n_gene, n, result);
		engine_nsga2.tell(engine, genome + n_asked * toy->n_gene, result, n);
		n_asked += n;
	}
	assert_int_equal(engine_nsga2.counts(engine).n_asked, n_asked);
	engine_nsga2.destroy(engine);
	free(result);
	return n_asked;
}

static void test_engine_nsga2_asks_for_nothing_twice(void **state)
{
	enum { MAX = 20000 };
	uint32_t *genome = calloc(MAX * MAX_GENE, sizeof(*genome)), *again = calloc(MAX * MAX_GENE, sizeof(*again));
	(void)state;
	for (uint64_t number = 0; number < 12; number++) {
		struct toy toy;
		/* 9^6 is numbered; 2^32 x ... does not fit 64 bits, so genomes are hashed. */
		bool huge = number % 2;
		const struct engine_options options = {.seed = number, .population = 50, .generations = 120};
		toy_init(&toy, number, 5);
		toy.n_gene = toy.problem.n_gene = MAX_GENE;
		for (size_t i = 0; i < MAX_GENE; i++)
			toy.n_value[i] = huge ? UINT32_MAX : 9;
		toy.smooth = number % 3 == 0;
		size_t n = ask_all(&toy, &options, 50, genome, MAX);
		assert_true(n >= 50 && n <= 50 * 120);
		/* The same seed asks for the same, however the generations are cut into batches. */
		assert_int_equal(ask_all(&toy, &options, 17, again, MAX), n);
		assert_memory_equal(genome, again, n * MAX_GENE * sizeof(*genome));
		qsort(genome, n, MAX_GENE * sizeof(*genome), compare_row);
		for (size_t i = 1; i < n; i++)
			assert_true(compare_row(genome + (i - 1) * MAX_GENE, genome + i * MAX_GENE) != 0);
		/* Another seed asks for something else. */
		struct engine_options other = options;
		other.seed++;
		size_t n_other = ask_all(&toy, &other, 50, genome, MAX);
		assert_true(n_other != n || memcmp(genome, again, n * MAX_GENE * sizeof(*genome)) != 0);
	}
	free(genome);
	free(again);
}

static void test_engine_nsga2_keeps_to_its_limits(void **state)
{
	struct toy toy;
	struct outcome outcome;
	(void)state;
	toy_init(&toy, 5, 5);
	toy.n_gene = toy.problem.n_gene = 6;
	for (size_t i = 0; i < 6; i++)
		toy.n_value[i] = 30;
	run_engine("nsga2", &toy.problem, &(struct engine_options){.population = 40, .generations = 9}, 1, &outcome);
	assert_int_equal(outcome.counts.n_asked, 40 * 9);
	pareto_free(&outcome.front);
	run_engine("nsga2", &toy.problem, &(struct engine_options){.population = 40, .max_evaluation = 333}, 1,
	           &outcome);
	assert_int_equal(outcome.counts.n_asked, 333);
	pareto_free(&outcome.front);
}

/* Objectives are distances to two corners of a hypercube of 200 genes; the front is known in closed form. */
static void two_corners(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	const struct problem *problem = context;
	for (size_t i = 0; i < n; i++, genome += problem->n_gene) {
		out[i] = (struct evaluation){0};
		for (size_t k = 0; k < problem->n_gene; k++) {
			out[i].objective[0] += genome[k] != 0;
			out[i].objective[1] += genome[k] != 3;
		}
	}
}

static void test_engine_nsga2_approaches_front_of_large_space(void **state)
{
	enum { N_GENE = 200 };
	uint32_t n_value[N_GENE];
	struct problem problem = {
	    .n_gene = N_GENE, .n_value = n_value, .n_objective = 2, .evaluate = two_corners, .context = &problem};
	struct outcome outcome;
	(void)state;
	for (size_t i = 0; i < N_GENE; i++)
		n_value[i] = 4;
	run_engine("nsga2", &problem, &(struct engine_options){.seed = 1, .max_evaluation = 60000}, 1, &outcome);
	/* A random genome is 150 away from each corner; on the front the distances add up to 200. */
	double least = INFINITY;
	for (size_t i = 0; i < outcome.front.n; i++) {
		double sum = outcome.front.objective[2 * i] + outcome.front.objective[2 * i + 1];
		least = sum < least ? sum : least;
		assert_true(sum >= 200.0);
	}
	assert_true(outcome.front.n > 20);
	assert_true(least < 205.0);
	pareto_free(&outcome.front);
}

static void test_engine_nsga2_sort_ranks_by_definition(void **state)
{
	enum { N = 90 };
	(void)state;
	for (uint32_t number = 0; number < 100; number++) {
		struct rng rng = rng_stream(3, 0, number);
		struct evaluation result[N] = {0};
		struct nsga2_sort sort;
		unsigned n_objective = 1 + number % 4;
		for (size_t i = 0; i < N; i++) {
			for (unsigned k = 0; k < n_objective; k++)
				result[i].objective[k] = rng_below(&rng, 40);
			result[i].violation = rng_below(&rng, 3) ? 0.0 : rng_below(&rng, 5);
		}
		assert_true(nsga2_sort_init(&sort, N, n_objective));
		const uint32_t *order = nsga2_sort_run(&sort, result, N);
		for (size_t i = 0; i < N; i++) {
			/* Feasible: one more than the worst rank of what is at or below it, ties by index. */
			uint32_t expected = 0;
			for (size_t k = 0; k < N && result[i].violation == 0.0; k++) {
				bool equal =
				    !memcmp(result[k].objective, result[i].objective, sizeof(result->objective));
				if (result[k].violation == 0.0 &&
				    (pareto_dominates(result[k].objective, result[i].objective, n_objective) ||
				     (equal && k < i)) &&
				    expected < sort.rank[k] + 1)
					expected = sort.rank[k] + 1;
			}
			assert_true(result[i].violation > 0.0 || sort.rank[i] == expected);
			if (i == 0)
				continue;
			uint32_t a = order[i - 1], b = order[i];
			assert_true(result[a].violation <= result[b].violation);
			assert_true(sort.rank[a] < sort.rank[b] ||
			            (sort.rank[a] == sort.rank[b] && sort.crowding[a] >= sort.crowding[b]));
		}
		nsga2_sort_free(&sort);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_engine_finds_names),
	    cmocka_unit_test(test_engine_exhaustive_finds_brute_force_front),
	    cmocka_unit_test(test_engine_exhaustive_skips_exactly_what_cuts_cover),
	    cmocka_unit_test(test_engine_exhaustive_jumps_over_huge_subspaces),
	    cmocka_unit_test(test_engine_exhaustive_keeps_to_max_evaluation),
	    cmocka_unit_test(test_engine_problem_without_genes_has_one_candidate),
	    cmocka_unit_test(test_engine_same_archive_for_any_threads),
	    cmocka_unit_test(test_engine_reports_nearest_infeasible),
	    cmocka_unit_test(test_engine_watch_stops_the_run),
	    cmocka_unit_test(test_engine_genetic_exhausts_small_spaces),
	    cmocka_unit_test(test_engine_nsga2_asks_for_nothing_twice),
	    cmocka_unit_test(test_engine_nsga2_keeps_to_its_limits),
	    cmocka_unit_test(test_engine_nsga2_approaches_front_of_large_space),
	    cmocka_unit_test(test_engine_nsga2_sort_ranks_by_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
