/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse why on random small spaces against all of their designs: a space and a choice are drawn; all designs of the space
 * and of the space with the choice, written down as a space of its own, are evaluated as wholes. Each fact, and each
 * sentence that is printed, must hold of them:
 *
 *   space, choice ─► why_parse, why_make ─► facts, sentences ──────────┐
 *      ├──────────► flat exhaustive search of the space ───────────────┼─► contradicted?
 *      └──────────► flat exhaustive search with the choice, each step ─┘
 *
 * tests/dse/why/why_drawn.h draws, tests/dse/why/why_designs.h evaluates.
 */
#include "tests/support/unit_test.h"

#include "dse/why/why.h"
#include "tests/dse/why/why_designs.h"
#include "tests/support/draws.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_margin(const struct drawn *drawn, const struct pareto *front, const struct pareto *own, double margin)
{
	double each[SPACE_MAX_OBJECTIVE] = {0}, more[SPACE_MAX_OBJECTIVE] = {0};
	assert_true(margin >= 0.0);
	for (unsigned k = 0; k < drawn->n_objective; k++) {
		each[k] = drawn->is_scaled[k] ? margin : 0.0;
		more[k] = drawn->is_scaled[k] ? margin * 1.001 + 1e-6 : 0.0;
	}
	assert_true(all_beaten(drawn, front, own, each));
	assert_false(all_beaten(drawn, front, own, more)); /* and that is the most that can be said */
}

struct tally {
	unsigned n_on_front, n_beaten, n_margin, n_empty, n_step, n_step_wins, n_loss, n_nothing, n_better;
	unsigned n_machine, n_file, n_layer, n_mapping, n_mapping_beaten;
};

static void check_steps(const struct drawn *drawn, const struct pareto *front, const struct why *why,
                        struct tally *tally)
{
	double smallest = INFINITY;
	for (size_t i = 0; i < why->n_step; i++) {
		const struct why_step *step = &why->step[i];
		struct pareto own = own_designs(drawn, step->param->key, step->to);
		assert_int_equal(step->has_design, own.n > 0);
		bool wins = own.n > 0 && n_not_beaten(drawn, front, &own) > 0;
		assert_int_equal(step->is_on_front, wins);
		if (own.n > 0 && !wins)
			check_margin(drawn, front, &own, step->margin);
		if (wins)
			smallest = fmin(smallest, step->change_log);
		tally->n_step++;
		tally->n_step_wins += wins;
		pareto_free(&own);
	}
	if (why->best < why->n_step)
		assert_true(why->step[why->best].is_on_front && why->step[why->best].change_log <= smallest);
	else
		assert_true(isinf(smallest));
}

/* What is printed: the figure of the sentence, and the words. */
static void check_text(const struct drawn *drawn, const struct pareto *front, const struct pareto *own,
                       const struct why *why)
{
	char *text = NULL;
	size_t n_byte;
	FILE *file = open_memstream(&text, &n_byte);
	why_print(file, why);
	assert_int_equal(fclose(file), 0);
	for (char *at = text; *at; at++)
		*at = *at == '\n' ? ' ' : *at;
	bool wins = own->n > 0 && n_not_beaten(drawn, front, own) > 0;
	char words[3 * TEXT];
	size_t n = 0;
	for (char *at = text; *at && n + 1 < sizeof(words); at++) /* lines are broken anywhere between words */
		if (*at != ' ' || n == 0 || words[n - 1] != ' ')
			words[n++] = *at;
	words[n] = '\0';
	const char *by = strstr(words, "better by ");
	assert_int_equal(strstr(words, "no design runs") != NULL, own->n == 0);
	assert_int_equal(strstr(words, ": on the front:") != NULL, wins);
	assert_int_equal(strstr(words, ": beaten.") != NULL, own->n > 0 && !wins);
	if (by) {
		double each[SPACE_MAX_OBJECTIVE] = {0}, said = strtod(by + strlen("better by "), NULL) / 100.0;
		for (unsigned k = 0; k < drawn->n_objective; k++)
			each[k] = drawn->is_scaled[k] ? said : 0.0;
		assert_true(said > 0.0);
		assert_true(all_beaten(drawn, front, own, each));
	}
	if (!wins && why->n_step > 0)
		assert_true((strstr(words, "No single step") != NULL) == (why->best == why->n_step) &&
		            (strstr(words, "smallest step") != NULL) == (why->best < why->n_step));
	free(text);
}

/*
 * Sums of the same values in another order may differ in their last bits, and a point that is as good as another one is
 * then on one front and not on the other. Where counts differ, they are those of a front that covers all designs, and
 * that all designs cover, in place of *all.
 */
static void count_as(const struct drawn *drawn, bool with_choice, size_t n, struct pareto *all)
{
	if (n == all->n)
		return;
	struct pareto summed = search(drawn, with_choice, NULL, NULL, &engine_exact);
	assert_true(covers(drawn, &summed, all) && covers(drawn, all, &summed));
	pareto_free(all);
	*all = summed;
}

static void check_facts(const struct drawn *drawn, const struct pareto *front, const struct pareto *own,
                        const struct why *why, struct tally *tally)
{
	unsigned n_on_front = n_not_beaten(drawn, front, own);
	assert_true(why->epsilon <= 0.0);
	assert_int_equal(why->n_own, own->n);
	assert_int_equal(why->n_front, front->n);
	assert_int_equal(why->is_on_front, n_on_front > 0);
	assert_int_equal(why->n_on_front, n_on_front);
	assert_int_equal(why->n_front_beaten, front->n - n_not_beaten(drawn, own, front));
	tally->n_better += why->n_front_beaten > 0;
	tally->n_empty += own->n == 0;
	tally->n_on_front += n_on_front > 0;
	for (unsigned k = 0; k < drawn->n_objective && own->n > 0; k++) {
		assert_true(fabs(why->least[k] / least_of(own, k) - 1.0) < 1e-9);
		assert_true(fabs(why->front_least[k] / least_of(front, k) - 1.0) < 1e-9);
	}
	if (own->n > 0)
		assert_true(fabs(why->lost_ms - (least_of(own, 0) - least_of(front, 0))) < 1e-9 * least_of(own, 0));
	for (size_t i = 0; i < why->n_loss; i++)
		assert_true(why->loss[i].own_ms > why->loss[i].front_ms &&
		            (i == 0 || why->loss[i].own_ms - why->loss[i].front_ms <=
		                           why->loss[i - 1].own_ms - why->loss[i - 1].front_ms));
	tally->n_loss += why->n_loss > 0;
	if (own->n == 0 || n_on_front > 0)
		return;
	tally->n_beaten++;
	tally->n_mapping_beaten += drawn->has_mapping;
	tally->n_margin += why->margin > 1e-3;
	check_margin(drawn, front, own, why->margin);
	for (unsigned k = 0; k < drawn->n_objective; k++) {
		double each[SPACE_MAX_OBJECTIVE] = {0};
		each[k] = why->own_margin[k];
		assert_true(all_beaten(drawn, front, own, each));
		each[k] = each[k] * 1.001 + 1e-6;
		assert_false(all_beaten(drawn, front, own, each));
	}
}

static void try_space(uint32_t number, struct tally *tally)
{
	struct rng rng = rng_stream(20, 4, number);
	struct drawn drawn;
	struct space space;
	struct why_choice choice;
	struct why *why = calloc(1, sizeof(*why));
	struct err err = {0};
	const char *word[N_AXIS + 2];
	draw(&rng, &drawn);
	draw_choice(&rng, &drawn);
	struct pareto unlimited = all_designs(&drawn, false, NULL, NULL);
	draw_limit(&rng, &drawn, &unlimited);
	pareto_free(&unlimited);
	struct pareto own = own_designs(&drawn, NULL, NULL), front = all_designs(&drawn, false, NULL, NULL);
	folder_read_space(&space);
	for (size_t i = 0; i < drawn.n_word; i++)
		word[i] = drawn.word[i];
	if (why_parse(&space, word, drawn.n_word, &choice, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	enum err_code code = why_make(&space, &choice, 2, NULL, why, &err);
	assert_int_equal(code, front.n > 0 ? ERR_OK : ERR_INFEASIBLE);
	tally->n_nothing += front.n == 0;
	tally->n_machine += drawn.chosen_machine && !drawn.is_file;
	tally->n_file += drawn.is_file;
	tally->n_layer += drawn.layer_rule[0] != '\0';
	tally->n_mapping += drawn.has_mapping;
	if (code == ERR_OK) {
		if (!drawn.has_mapping)
			count_as(&drawn, true, why->n_own, &own);
		count_as(&drawn, false, why->n_front, &front);
		check_facts(&drawn, &front, &own, why, tally);
		check_text(&drawn, &front, &own, why);
		check_steps(&drawn, &front, why, tally);
	}
	err_clear(&err);
	why_choice_free(&choice);
	space_free(&space);
	pareto_free(&front);
	pareto_free(&own);
	free(why);
}

static void test_why_says_nothing_that_brute_force_contradicts(void **state)
{
	struct tally tally = {0};
	(void)state;
	const uint32_t n_case = draws(1000, 24);
	for (uint32_t i = 0; i < n_case; i++)
		try_space(i, &tally);
	(void)printf(
	    "%u spaces: %u choices on the front, %u beaten, %u by a margin, %u without a design, %u steps, %u of them "
	    "win, %u with layers that lose; %u spaces without a design\n"
	    "%u choose a machine, %u a machine's file, %u of layers, %u a mapping (%u of them beaten); %u beat some of "
	    "the "
	    "front\n",
	    n_case, tally.n_on_front, tally.n_beaten, tally.n_margin, tally.n_empty, tally.n_step, tally.n_step_wins,
	    tally.n_loss, tally.n_nothing, tally.n_machine, tally.n_file, tally.n_layer, tally.n_mapping,
	    tally.n_mapping_beaten, tally.n_better);
	if (n_case >= 24)
		assert_true(tally.n_on_front > 0 && tally.n_beaten > 0 && tally.n_margin > 0 && tally.n_step > 0 &&
		            tally.n_step_wins > 0 && tally.n_loss > 0 && tally.n_machine > 0 && tally.n_file > 0 &&
		            tally.n_layer > 0 && tally.n_mapping_beaten > 0 && tally.n_better > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_why_says_nothing_that_brute_force_contradicts),
	};
	return cmocka_run_group_tests(tests, make_folder, folder_remove);
}
