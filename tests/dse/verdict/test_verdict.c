/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts on random small spaces against all designs of each of their machines. A space is drawn with a few machines;
 * of each machine all designs are evaluated as wholes, in a space of its own, and the exact search's verdict on all of
 * them together must say nothing that these contradict:
 *
 *   space ─► for each machine: flat exhaustive search ─► all nondominated designs ─┐
 *      └───► exact search of all machines ─► verdict: facts, claims ───────────────┴─► contradicted?
 *
 * Sentences are checked twice: each figure has a claim (sentence_figures.h), and names, counts, sizes, margins, layers
 * and operating points are read out of the words and compared (sentence_truth.h). VERDICTS_SHOW in the environment
 * prints the verdicts.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/verdict/verdict.h"
#include "tests/dse/verdict/verdict_claims.h"
#include "tests/dse/verdict/verdict_draw.h"
#include "tests/support/draws.h"
#include "tests/support/slow_build.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void list_designs(const struct drawn *drawn, struct truth *truth)
{
	*truth = (struct truth){.drawn = drawn, .n_machine = drawn->n_machine, .limit = INFINITY};
	for (unsigned i = 0; i < drawn->n_machine; i++) {
		struct space space;
		struct explore explore;
		write_space(drawn, (int)i, "");
		folder_read_space(&space);
		folder_explore(&space, &engine_exhaustive, true, 2, &explore);
		truth->all[i] = explore.front;
		explore.front = (struct pareto){0};
		explore_free(&explore);
		space_free(&space);
	}
}

/* A limit near a design of some machine, on the first objective. */
static void draw_limit(struct rng *rng, struct truth *truth, char *more, size_t n_byte)
{
	unsigned machine = rng_below(rng, truth->n_machine);
	static const double change[] = {0.0, 0.0, 0.1, -0.01, -0.5};
	const char *objectives = truth->drawn->objectives;
	more[0] = '\0';
	if (rng_below(rng, 2) || truth->all[machine].n == 0)
		return;
	size_t i = rng_below(rng, (uint32_t)truth->all[machine].n);
	truth->limit = design(truth, machine, i)[0] * (1.0 + change[rng_below(rng, 5)]);
	(void)snprintf(more, n_byte, "constraints: [%.*s <= %.17g]\n", (int)strcspn(objectives, ","), objectives,
	               truth->limit);
}

static void show(const struct truth *truth, uint32_t number)
{
	if (!getenv("VERDICTS_SHOW"))
		return;
	(void)fprintf(stdout, "space %u:\n", number);
	run_verdict_print(stdout, &truth->verdict, false);
}

static void try_space(uint32_t number, struct tally *tally)
{
	struct rng rng = rng_stream(20, 1, number);
	struct drawn drawn;
	struct truth *truth = calloc(1, sizeof(*truth));
	struct space space;
	struct explore found;
	struct unroller unroller = {0};
	struct err err = {0};
	char more[512];
	draw(&rng, false, &drawn);
	list_designs(&drawn, truth);
	draw_limit(&rng, truth, more, sizeof(more));
	(void)snprintf(more + strlen(more), sizeof(more) - strlen(more), "%s", drawn.more);
	write_space(&drawn, -1, more);
	folder_read_space(&space);
	folder_explore(&space, &engine_exact, false, 2, &found);
	assert_int_equal(unroller_init(&unroller, &found, 1, &err), ERR_OK);
	truth->found = &found;
	truth->unroller = &unroller;
	const struct run_verdict_of of = {.space = &space, .explore = &found, .unroller = &unroller};
	run_verdict_make(&of, &truth->verdict);
	show(truth, number);
	assert_int_equal(truth->verdict.n_machine, truth->n_machine);
	for (unsigned i = 0; i < truth->n_machine; i++) {
		check_machine(truth, i, tally);
		check_designs(truth, i);
	}
	for (size_t i = 0; i < truth->verdict.n_claim; i++) {
		check_claim(truth, &truth->verdict.claim[i]);
		tally->n_claim[truth->verdict.claim[i].kind]++;
	}
	memset(tally->said.is_beaten, 0, sizeof(tally->said.is_beaten));
	check_sentences(truth, tally);
	check_rows(truth);
	run_verdict_free(&truth->verdict);
	unroller_free(&unroller);
	explore_free(&found);
	space_free(&space);
	for (unsigned i = 0; i < truth->n_machine; i++)
		pareto_free(&truth->all[i]);
	free(truth);
}

static void test_verdict_on_random_spaces_is_not_contradicted_by_any_design(void **state)
{
	struct tally tally = {0};
	(void)state;
	const uint32_t n_space = draws(1000, 12);
	for (uint32_t number = 0; number < n_space; number++)
		try_space(number, &tally);
	print_message("%u machines on fronts, %u beaten (%u of them cut by bounds, %u by a margin, %u by several "
	              "together), %u without a design\n",
	              tally.n_on_front, tally.n_beaten, tally.n_bound, tally.n_margin, tally.n_together, tally.n_empty);
	for (unsigned i = 0; i < RUN_VERDICT_N_CLAIM; i++)
		print_message("%s%u %s", i > 0 ? ", " : "claims: ", tally.n_claim[i], run_verdict_claim_name[i]);
	print_message("; %u figures, %u names, %u counts, %u sizes, %u designs in sentences\n", tally.n_figure,
	              tally.said.n_name, tally.said.n_count, tally.said.n_size, tally.said.n_design);
	assert_true(SLOW_BUILD || (tally.said.n_name > 0 && tally.said.n_count > 0 && tally.said.n_size > 0 &&
	                           tally.said.n_design > 0));
	assert_true(tally.n_on_front > 0 && tally.n_beaten > 0);
	assert_true(SLOW_BUILD || (tally.n_margin > 0 && tally.n_bound > 0 && tally.n_empty > 0 &&
	                           tally.n_claim[RUN_VERDICT_TIME] > 0 && tally.n_claim[RUN_VERDICT_STATIC] > 0 &&
	                           tally.n_claim[RUN_VERDICT_NONE] > 0));
	assert_true(SLOW_BUILD || (tally.n_claim[RUN_VERDICT_GROUP] > 0 && tally.n_claim[RUN_VERDICT_MOST] > 0));
	for (unsigned i = 0; i < RUN_VERDICT_CHANGE && n_space >= 100; i++)
		assert_true(tally.n_claim[i] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_verdict_on_random_spaces_is_not_contradicted_by_any_design)};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
