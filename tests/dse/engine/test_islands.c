/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/islands.h"
#include "dse/engine/engine_run.h"
#include "sim/base/hash.h"
#include "tests/support/temporary.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_GENE = 12, N_VALUE = 64, N_REASON = 3 };

/*
 * Two objectives that pull every gene to opposite ends, on a bumpy ground, and a tenth of the designs infeasible: 2^72
 * candidates of which no search sees more than a few.
 */
struct toy {
	uint32_t n_value[N_GENE];
	struct problem problem;
	atomic_uint_fast64_t n_evaluated;
};

static void evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	struct toy *toy = (struct toy *)(uintptr_t)context;
	atomic_fetch_add(&toy->n_evaluated, n);
	for (size_t i = 0; i < n; i++, genome += N_GENE) {
		double low = 0.0, high = 0.0, uneven = 0.0;
		uint64_t hash = hash_bytes(genome, N_GENE * sizeof(*genome), 3);
		for (unsigned k = 0; k < N_GENE; k++) {
			low += genome[k];
			high += N_VALUE - 1 - genome[k];
			uneven += k > 0 ? fabs((double)genome[k] - genome[k - 1]) : 0.0;
		}
		out[i] = (struct evaluation){.objective = {low + uneven, high + uneven + (double)(hash % 8)}};
		if (hash % 10 == 0)
			out[i] = (struct evaluation){.violation = 1.0 + (double)(hash % 1000),
			                             .reason = (uint32_t)(hash % 30 / 10)};
	}
}

static void init_toy(struct toy *toy)
{
	memset(toy, 0, sizeof(*toy));
	for (unsigned i = 0; i < N_GENE; i++)
		toy->n_value[i] = N_VALUE;
	toy->problem = (struct problem){
	    .n_gene = N_GENE, .n_value = toy->n_value, .n_objective = 2, .evaluate = evaluate, .context = toy};
}

struct outcome {
	struct pareto front;
	struct engine_counts counts;
	uint64_t n_by_reason[N_REASON];
	uint32_t genome[N_GENE];
	struct engine_nearest near;
	struct history history;
	enum err_code code;
};

static void run(const struct engine_options *options, unsigned n_thread, engine_watch watch, void *context,
                struct outcome *outcome)
{
	struct toy toy;
	struct err err = {0};
	struct engine_options own = *options;
	init_toy(&toy);
	memset(outcome, 0, sizeof(*outcome));
	outcome->near.genome = outcome->genome;
	pareto_init(&outcome->front, 2, N_GENE);
	history_init(&outcome->history, 2);
	own.history = &outcome->history;
	outcome->code = engine_run(&(struct engine_search){.kind = &engine_nsga2,
	                                                   .problem = &toy.problem,
	                                                   .options = &own,
	                                                   .n_thread = n_thread,
	                                                   .archive = &outcome->front,
	                                                   .counts = &outcome->counts,
	                                                   .n_by_reason = outcome->n_by_reason,
	                                                   .n_reason = N_REASON,
	                                                   .near = &outcome->near,
	                                                   .watch = watch,
	                                                   .watch_context = context},
	                           &err);
	if (!options->checkpoint)
		assert_int_equal(outcome->counts.n_told, atomic_load(&toy.n_evaluated));
	err_clear(&err);
}

static void drop(struct outcome *outcome)
{
	pareto_free(&outcome->front);
	history_free(&outcome->history);
}

static void assert_same(const struct outcome *a, const struct outcome *b)
{
	assert_int_equal(a->front.n, b->front.n);
	assert_true(a->front.n > 0);
	assert_memory_equal(a->front.objective, b->front.objective, a->front.n * 2 * sizeof(double));
	assert_memory_equal(a->front.genome, b->front.genome, a->front.n * N_GENE * sizeof(uint32_t));
	assert_memory_equal(&a->counts, &b->counts, sizeof(a->counts));
	assert_memory_equal(a->n_by_reason, b->n_by_reason, sizeof(a->n_by_reason));
	assert_memory_equal(a->genome, b->genome, sizeof(a->genome));
	assert_true(a->near.violation == b->near.violation);
	assert_int_equal(a->history.n_mark, b->history.n_mark);
	for (size_t i = 0; i < a->history.n_mark; i++) {
		assert_int_equal(a->history.mark[i].n_evaluation, b->history.mark[i].n_evaluation);
		assert_int_equal(a->history.mark[i].n_point, b->history.mark[i].n_point);
	}
}

/* Islands are the search's, threads the machine's. */
static void test_islands_same_result_for_any_threads(void **state)
{
	(void)state;
	for (uint32_t n_island = 2; n_island <= 5; n_island++) {
		const struct engine_options options = {
		    .seed = n_island, .max_evaluation = 6001, .n_island = n_island, .migrate_every = n_island};
		struct outcome one, other;
		run(&options, 1, NULL, NULL, &one);
		assert_int_equal(one.counts.n_told, 6001);
		assert_int_equal(one.counts.n_feasible + one.counts.n_infeasible, 6001);
		assert_int_equal(one.n_by_reason[0] + one.n_by_reason[1] + one.n_by_reason[2], one.counts.n_infeasible);
		assert_int_equal(one.counts.n_stop[ENGINE_STOP_EVALUATIONS], 1);
		assert_int_equal(one.history.mark[one.history.n_mark - 1].n_evaluation, 6001);
		for (unsigned n_thread = 2; n_thread <= 4; n_thread++) {
			run(&options, n_thread, NULL, NULL, &other);
			assert_same(&one, &other);
			drop(&other);
		}
		drop(&one);
	}
}

/* They find another front than one population does, and than when they never meet. */
static void test_islands_evolve_apart_and_meet(void **state)
{
	struct outcome one, apart, met, none;
	struct engine_options options = {.seed = 5, .max_evaluation = 8000};
	(void)state;
	run(&options, 1, NULL, NULL, &one);
	options.n_island = 1;
	options.migrate_every = 3;
	run(&options, 1, NULL, NULL, &none); /* one island is the search as it was */
	assert_same(&one, &none);
	options.n_island = 4;
	run(&options, 1, NULL, NULL, &met);
	options.migrate_every = 1000000;
	run(&options, 1, NULL, NULL, &apart);
	assert_true(met.front.n != one.front.n ||
	            memcmp(met.front.objective, one.front.objective, 2 * sizeof(double) * one.front.n) != 0);
	assert_true(met.front.n != apart.front.n ||
	            memcmp(met.front.objective, apart.front.objective, 2 * sizeof(double) * apart.front.n) != 0);
	drop(&one);
	drop(&none);
	drop(&met);
	drop(&apart);
}

/* Generations are each island's, and so is its population; a search that gains nothing ends by itself. */
static void test_islands_keep_to_their_limits(void **state)
{
	struct outcome outcome;
	struct engine_options options = {
	    .seed = 5, .population = 30, .generations = 17, .n_island = 3, .migrate_every = 4};
	(void)state;
	run(&options, 2, NULL, NULL, &outcome);
	assert_int_equal(outcome.counts.n_told, 3 * 17 * 30);
	assert_int_equal(outcome.counts.n_stop[ENGINE_STOP_GENERATIONS], 1);
	drop(&outcome);
	options.generations = 0;
	options.population = 8;
	run(&options, 2, NULL, NULL, &outcome);
	assert_int_equal(outcome.counts.n_stop[ENGINE_STOP_STAGNATION], 1);
	drop(&outcome);
	/* So few evaluations are not worth islands. */
	struct toy toy;
	init_toy(&toy);
	options.max_evaluation = 500;
	assert_false(islands_apply(&engine_nsga2, &toy.problem, &options));
	options.max_evaluation = 5000;
	assert_true(islands_apply(&engine_nsga2, &toy.problem, &options));
	assert_false(islands_apply(&engine_exhaustive, &toy.problem, &options));
	toy.problem.n_gene = 2;
	assert_false(islands_apply(&engine_nsga2, &toy.problem, &options)); /* 4096 candidates */
}

/* Stops after so many calls. */
static bool count_down(void *context, double progress, const struct engine_counts *counts)
{
	unsigned *left = context;
	assert_true(progress >= 0.0 && progress <= 1.0 && counts->n_told > 0);
	return --*left > 0;
}

/* Stopped again and again, at any generation, and taken up with other threads: the same end. */
static void test_islands_go_on_from_a_checkpoint(void **state)
{
	const struct engine_options options = {.seed = 8, .max_evaluation = 6000, .n_island = 3, .migrate_every = 3};
	struct outcome whole, part;
	char path[TEMPORARY_SIZE];
	unsigned n_run = 0;
	(void)state;
	temporary_write(path, "");
	run(&options, 1, NULL, NULL, &whole);
	for (bool is_over = false; !is_over; n_run++) {
		struct checkpoint checkpoint = {.path = path, .question = "which?"};
		struct engine_options own = options;
		struct ledger ledger = {0};
		struct ledger_info info = {0};
		struct err err = {0};
		unsigned left = 3 + n_run % 5;
		if (n_run > 0) {
			assert_int_equal(ledger_read(&ledger, path, &info, &err), ERR_OK);
			checkpoint.state = info.state;
			checkpoint.n_state = info.n_state;
			assert_non_null(checkpoint.state);
		}
		own.checkpoint = &checkpoint;
		run(&own, 1 + n_run % 3, count_down, &left, &part);
		is_over = part.code == ERR_OK;
		assert_true(is_over || part.code == ERR_INTERRUPTED);
		if (is_over)
			assert_same(&whole, &part);
		else
			assert_int_equal(part.counts.n_stop[ENGINE_STOP_WATCH], 1);
		drop(&part);
		free(info.identity);
		ledger_free(&ledger);
		assert_true(n_run < 100);
	}
	assert_true(n_run > 3);
	drop(&whole);
	(void)remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_islands_same_result_for_any_threads),
	    cmocka_unit_test(test_islands_evolve_apart_and_meet),
	    cmocka_unit_test(test_islands_keep_to_their_limits),
	    cmocka_unit_test(test_islands_go_on_from_a_checkpoint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
