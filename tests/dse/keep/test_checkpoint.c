/* SPDX-License-Identifier: Apache-2.0 */
/* A search that is stopped after any batch and goes on from its checkpoint ends as one that was never stopped. */
#include "tests/support/unit_test.h"

#include "dse/engine/engine_run.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_GENE = 6, N_REASON = 2 };

/* Two opposed objectives with many ties, a limit, and a cut, so that every field of the engines' states matters. */
static void evaluate(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t at = 0; at < n; at++, genome += N_GENE) {
		uint32_t sum = 0, mix = 0;
		for (size_t i = 0; i < N_GENE; i++) {
			sum += genome[i];
			mix = (mix * 7 + genome[i] * 5) % 97;
		}
		out[at] = (struct evaluation){.objective = {sum, (double)mix + 60.0 / (1.0 + sum)}};
		if (genome[0] == 3)
			out[at] = (struct evaluation){.violation = 9.0 + mix, .reason = 1, .n_cut = 1};
		else if (mix % 11 == 0)
			out[at].violation = 1.0 + sum;
	}
}

static const uint32_t n_value[N_GENE] = {5, 6, 4, 7, 5, 6};
static const struct problem problem = {.n_gene = N_GENE, .n_value = n_value, .n_objective = 2, .evaluate = evaluate};

struct outcome {
	struct pareto front;
	struct engine_counts counts;
	uint64_t by_reason[N_REASON];
	struct engine_nearest near;
	uint32_t near_genome[N_GENE];
};

static bool stop_after(void *context, double progress, const struct engine_counts *counts)
{
	size_t *n_left = context;
	assert_true(progress >= 0.0 && counts->n_told > 0);
	return (*n_left)-- > 1;
}

static enum err_code run(const struct engine_kind *kind, struct checkpoint *checkpoint, uint32_t population,
                         size_t n_batch, struct outcome *outcome, struct err *err)
{
	/* Local search has no generations; 400 candidates are some fifty batches of it. */
	const struct engine_options options = {.seed = 5,
	                                       .max_evaluation = kind == &engine_pls ? 400 : 0,
	                                       .population = population,
	                                       .generations = 30,
	                                       .checkpoint = checkpoint};
	memset(outcome, 0, sizeof(*outcome));
	outcome->near.genome = outcome->near_genome;
	pareto_init(&outcome->front, problem.n_objective, problem.n_gene);
	return engine_run(&(struct engine_search){.kind = kind,
	                                          .problem = &problem,
	                                          .options = &options,
	                                          .n_thread = 1,
	                                          .archive = &outcome->front,
	                                          .counts = &outcome->counts,
	                                          .n_by_reason = outcome->by_reason,
	                                          .n_reason = N_REASON,
	                                          .near = &outcome->near,
	                                          .watch = n_batch > 0 ? stop_after : NULL,
	                                          .watch_context = &n_batch},
	                  err);
}

static void assert_equal(const struct outcome *left, const struct outcome *right)
{
	assert_int_equal(left->front.n, right->front.n);
	assert_memory_equal(left->front.objective, right->front.objective,
	                    left->front.n * 2 * sizeof(*left->front.objective));
	assert_memory_equal(left->front.genome, right->front.genome,
	                    left->front.n * N_GENE * sizeof(*left->front.genome));
	assert_memory_equal(left->front.tag, right->front.tag, left->front.n * sizeof(*left->front.tag));
	assert_memory_equal(&left->counts, &right->counts, sizeof(left->counts));
	assert_memory_equal(left->by_reason, right->by_reason, sizeof(left->by_reason));
	assert_true(left->near.violation == right->near.violation && left->near.reason == right->near.reason);
	assert_memory_equal(left->near_genome, right->near_genome, sizeof(left->near_genome));
}

/* The state in the checkpoint's file, in the ledger's memory. */
static void read_state(struct checkpoint *checkpoint, struct ledger *ledger)
{
	struct ledger_info info;
	ledger_free(ledger);
	assert_int_equal(ledger_read(ledger, checkpoint->path, &info, NULL), ERR_OK);
	assert_string_equal(info.identity, checkpoint->question);
	assert_non_null(info.state);
	checkpoint->state = info.state;
	checkpoint->n_state = info.n_state;
	free(info.identity);
}

static void test_checkpoint_searches_go_on_as_if_never_stopped(void **state)
{
	char path[TEMPORARY_SIZE];
	(void)state;
	temporary_write(path, "");
	for (size_t i = 0; i < engine_n; i++) {
		struct outcome whole, parts;
		assert_int_equal(run(engine_table[i], NULL, 12, 0, &whole, NULL), ERR_OK);
		assert_true(whole.front.n > 3 && whole.by_reason[1] > 0);
		for (size_t n_batch = 1; n_batch <= 5; n_batch++) {
			struct checkpoint checkpoint = {.path = path, .question = "toy\n"};
			struct ledger ledger = {0};
			size_t n_stop = 0;
			while (run(engine_table[i], &checkpoint, 12, n_batch, &parts, NULL) == ERR_INTERRUPTED) {
				pareto_free(&parts.front);
				read_state(&checkpoint, &ledger);
				n_stop++;
			}
			assert_true(n_stop >= 1 && !checkpoint.failed);
			assert_equal(&whole, &parts);
			pareto_free(&parts.front);
			ledger_free(&ledger);
		}
		pareto_free(&whole.front);
	}
	assert_int_equal(remove(path), 0);
}

/* A state that ends too soon, or of a search of another shape, is refused with a message. */
static void test_checkpoint_of_another_search_is_refused(void **state)
{
	char path[TEMPORARY_SIZE];
	(void)state;
	temporary_write(path, "");
	for (size_t i = 0; i < engine_n; i++) {
		struct checkpoint checkpoint = {.path = path, .question = "toy\n"};
		struct ledger ledger = {0};
		struct outcome outcome;
		struct err err = {0};
		assert_int_equal(run(engine_table[i], &checkpoint, 12, 2, &outcome, NULL), ERR_INTERRUPTED);
		pareto_free(&outcome.front);
		read_state(&checkpoint, &ledger);
		size_t n_state = checkpoint.n_state;
		for (checkpoint.n_state = 0; checkpoint.n_state < n_state; checkpoint.n_state += 5) {
			assert_int_equal(run(engine_table[i], &checkpoint, 12, 0, &outcome, NULL), ERR_INPUT);
			pareto_free(&outcome.front);
		}
		checkpoint.n_state = n_state;
		const struct engine_kind *other = engine_table[i]->is_random ? &engine_exact : &engine_nsga2;
		assert_int_equal(run(other, &checkpoint, 12, 0, &outcome, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), "does not fit this search"));
		pareto_free(&outcome.front);
		err_clear(&err);
		ledger_free(&ledger);
	}
	assert_int_equal(remove(path), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_checkpoint_searches_go_on_as_if_never_stopped),
	    cmocka_unit_test(test_checkpoint_of_another_search_is_refused),
	};
	return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
