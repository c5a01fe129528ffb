/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/history.h"
#include "dse/engine/engine_run.h"
#include "dse/pareto/hypervolume.h"
#include "dse/pareto/quality.h"
#include "tests/support/unit_test.h"
#include <math.h>
#include <string.h>

/* A front on the line x + y = 1 that gets finer: n points, point i at i / (n - 1) + 0.1. */
static void fill_line(struct pareto *front, size_t n)
{
	pareto_init(front, 2, 0);
	for (size_t i = 0; i < n; i++) {
		double at = n > 1 ? (double)i / (double)(n - 1) : 0.5;
		assert_true(pareto_insert(front, (const double[]){0.1 + at, 1.1 - at}, NULL, 0));
	}
}

/* Marks after 1, 2, 3, ... times step evaluations, until `last`. */
static void note_to(struct history *history, uint64_t first, uint64_t last, uint64_t step)
{
	for (uint64_t n = first; n <= last; n += step) {
		struct pareto front;
		fill_line(&front, 1 + (size_t)(n / step) % 50);
		history_note(history, n, &front, false);
		pareto_free(&front);
	}
}

/* Always within bounds, never nearer than the factor, and the last note of a search is there. */
static void test_history_marks_stay_few(void **state)
{
	static struct history history;
	struct pareto front;
	(void)state;
	history_init(&history, 2);
	note_to(&history, 7, 400000, 7);
	assert_in_range(history.n_mark, HISTORY_MAX_MARK / 4, HISTORY_MAX_MARK);
	for (size_t i = 1; i < history.n_mark; i++)
		assert_true(history.mark[i].n_evaluation > history.mark[i - 1].n_evaluation);
	fill_line(&front, 3);
	history_note(&history, 400001, &front, true);
	history_note(&history, 400001, &front, true);
	assert_int_equal(history.mark[history.n_mark - 1].n_evaluation, 400001);
	assert_int_equal(history.mark[history.n_mark - 2].n_evaluation < 400001, 1);
	assert_int_equal(history.mark[history.n_mark - 1].n_point, 3);
	size_t n_number = 0;
	for (size_t i = 0; i < history.n_mark; i++)
		n_number += 2 * history.mark[i].n_point;
	assert_int_equal(history.n_number, n_number);
	pareto_free(&front);
	history_free(&history);
}

/* Three points at (1, 3), (2, 2), (3, 1), one after the other, up to (4, 4): volumes 3, 5, 6. */
static void test_history_volumes_are_the_closed_form(void **state)
{
	static const double point[3][2] = {{1, 3}, {2, 2}, {3, 1}}, reference[2] = {4, 4};
	static struct history history;
	uint64_t n_evaluation[HISTORY_N_SHARE];
	struct pareto front;
	(void)state;
	history_init(&history, 2);
	pareto_init(&front, 2, 0);
	for (uint64_t i = 0; i < 3; i++) {
		history_note(&history, 100 * i, &front, true);
		assert_true(pareto_insert(&front, point[i], NULL, 0));
	}
	history_note(&history, 300, &front, true);
	history_note(&history, 900, &front, true);
	assert_int_equal(history.n_mark, 5);
	assert_true(history_volume(&history, 0, reference) == 0.0);
	assert_true(history_volume(&history, 1, reference) == 3.0);
	assert_true(history_volume(&history, 2, reference) == 5.0);
	assert_true(history_volume(&history, 3, reference) == 6.0);
	history_reach(&history, reference, n_evaluation);
	assert_int_equal(n_evaluation[0], 100); /* 50 % are 3 */
	assert_int_equal(n_evaluation[1], 200); /* 75 % are 4.5 */
	assert_int_equal(n_evaluation[2], 300);
	assert_int_equal(n_evaluation[HISTORY_N_SHARE - 1], 300);
	pareto_free(&front);
	history_free(&history);
}

/* Written, read and continued is what it would have been without; whatever is damaged is refused. */
static void test_history_goes_on_from_its_bytes(void **state)
{
	static struct history whole, half, rest;
	struct pack pack = {0};
	(void)state;
	history_init(&whole, 2);
	note_to(&whole, 3, 90000, 3);
	history_init(&half, 2);
	note_to(&half, 3, 4500, 3);
	history_pack(&half, &pack);
	assert_true(pack_done(&pack));
	history_init(&rest, 2);
	struct pack reader = pack_reader(pack.data, pack.n);
	history_pack(&rest, &reader);
	assert_true(pack_done(&reader));
	note_to(&rest, 4503, 90000, 3);
	assert_int_equal(rest.n_mark, whole.n_mark);
	for (size_t i = 0; i < whole.n_mark; i++) {
		assert_int_equal(rest.mark[i].n_evaluation, whole.mark[i].n_evaluation);
		assert_int_equal(rest.mark[i].n_point, whole.mark[i].n_point);
		assert_memory_equal(rest.mark[i].objective, whole.mark[i].objective,
		                    2 * sizeof(double) * whole.mark[i].n_point);
	}
	for (size_t n = 0; n < pack.n; n += 1 + pack.n / 97) {
		static struct history cut;
		history_init(&cut, 2);
		reader = pack_reader(pack.data, n);
		history_pack(&cut, &reader);
		assert_false(pack_done(&reader));
		history_free(&cut);
	}
	pack_free(&pack);
	history_free(&whole);
	history_free(&half);
	history_free(&rest);
}

/* 30 times 30 candidates at distance from a diagonal; nothing of machines. */
static void evaluate_grid(const void *context, const uint32_t *genome, size_t n, struct evaluation *out)
{
	(void)context;
	for (size_t i = 0; i < n; i++, genome += 2)
		out[i] = (struct evaluation){.objective = {1.0 + genome[0], 1.0 + fabs(29.0 - genome[0]) + genome[1]}};
}

/* The last mark is the archive, the counts say what ended the search, and threads change nothing. */
static void test_history_of_an_engine_ends_with_its_archive(void **state)
{
	static const uint32_t n_value[2] = {30, 30};
	const struct problem problem = {.n_gene = 2, .n_value = n_value, .n_objective = 2, .evaluate = evaluate_grid};
	static struct history history[2];
	static const char *const name[] = {"nsga2", "exhaustive"};
	(void)state;
	for (unsigned which = 0; which < 4; which++) {
		bool is_limited = which >= 2;
		for (unsigned i = 0; i < 2; i++) {
			struct engine_options options = {
			    .population = 20, .max_evaluation = is_limited ? 95 : 0, .history = &history[i]};
			struct engine_counts counts;
			struct pareto archive;
			struct err err = {0};
			history_init(&history[i], 2);
			pareto_init(&archive, 2, 2);
			assert_int_equal(engine_run(&(struct engine_search){.kind = engine_find(name[which % 2]),
			                                                    .problem = &problem,
			                                                    .options = &options,
			                                                    .n_thread = 1 + i,
			                                                    .archive = &archive,
			                                                    .counts = &counts},
			                            &err),
			                 ERR_OK);
			const struct history_mark *last = &history[i].mark[history[i].n_mark - 1];
			assert_int_equal(last->n_evaluation, is_limited ? 95 : 900);
			assert_int_equal(last->n_point, archive.n);
			assert_int_equal(counts.n_stop[is_limited ? ENGINE_STOP_EVALUATIONS : ENGINE_STOP_EXHAUSTED],
			                 1);
			struct quality quality;
			assert_true(quality_of_front(&archive, &quality));
			assert_true(history_volume(&history[i], history[i].n_mark - 1, quality.reference) ==
			            quality.hypervolume);
			pareto_free(&archive);
		}
		assert_int_equal(history[0].n_mark, history[1].n_mark);
		for (size_t k = 0; k < history[0].n_mark; k++) {
			assert_int_equal(history[0].mark[k].n_evaluation, history[1].mark[k].n_evaluation);
			assert_int_equal(history[0].mark[k].n_point, history[1].mark[k].n_point);
		}
		history_free(&history[0]);
		history_free(&history[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_history_marks_stay_few),
	    cmocka_unit_test(test_history_volumes_are_the_closed_form),
	    cmocka_unit_test(test_history_goes_on_from_its_bytes),
	    cmocka_unit_test(test_history_of_an_engine_ends_with_its_archive),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
