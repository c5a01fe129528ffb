/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts on fronts that the event tier priced, on random small spaces, against all designs of each machine in the
 * event tier:
 *
 *   space ─► for each machine: exhaustive search in both tiers ─► all nondominated designs ─┐
 *      └───► exact search, fast ─► pricing ─► verdict: facts, claims, sentences ────────────┴─► contradicted?
 *
 * What a sentence says of the event tier must be so there, what it says of the fast tier in that; machines that it
 * calls too close to call may be better than it says, and no others. VERDICTS_SHOW in the environment prints the
 * verdicts.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/price/price.h"
#include "tests/dse/verdict/sentence_planted.h"
#include "tests/dse/verdict/verdict_claims.h"
#include "tests/dse/verdict/verdict_draw.h"
#include "tests/support/draws.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All designs of each machine in a tier. */
static void list_designs(const struct drawn *drawn, enum detail detail, struct truth *truth)
{
	*truth = (struct truth){.drawn = drawn, .n_machine = drawn->n_machine, .limit = INFINITY};
	for (unsigned i = 0; i < drawn->n_machine; i++) {
		struct space space;
		struct explore explore;
		write_space(drawn, (int)i, "");
		folder_read_space_for(detail, &space);
		folder_explore(&space, &engine_exhaustive, false, 2, &explore);
		assert_true(explore.counts.epsilon <= 0);
		truth->all[i] = explore.front;
		explore.front = (struct pareto){0};
		explore_free(&explore);
		space_free(&space);
	}
}

/* One search, and its verdict where the designs have prices. */
struct run {
	struct space space;
	struct explore found;
	struct price price;
	struct unroller unroller;
};

static void run_open(uint64_t max_work, struct truth *truth, struct run *run)
{
	const struct explore_options options = {.engine = &engine_exact, .n_thread = 2, .prices = max_work > 0};
	const struct price_options how = {.n_thread = 2, .max_work = max_work};
	struct err err = {0};
	*run = (struct run){0};
	folder_read_space_for(DETAIL_FAST, &run->space);
	if (explore_run(&run->space, &options, &run->found, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	if (max_work > 0 && run->found.front.n > 0 && price_front(&run->found, &how, &run->price, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	if (run->price.is_priced)
		run->space.detail = DETAIL_EVENT;
	assert_int_equal(unroller_init(&run->unroller, &run->found, 1, &err), ERR_OK);
	truth->found = &run->found;
	truth->unroller = &run->unroller;
	truth->price = run->price.is_priced ? &run->price : NULL;
}

static void run_close(struct run *run)
{
	unroller_free(&run->unroller);
	price_free(&run->price);
	explore_free(&run->found);
	space_free(&run->space);
}

struct sums {
	struct tally tally;
	unsigned n_space, n_basis[3], n_close, n_lost;
	struct planted planted;
};

static void count_machines(const struct truth *truth, struct sums *sums)
{
	for (unsigned i = 0; i < truth->n_machine; i++) {
		const struct run_verdict_machine *machine = &truth->verdict.machine[i];
		if (machine->place != RUN_VERDICT_BEATEN)
			continue;
		sums->n_basis[machine->basis]++;
		sums->n_close += machine->doubt_frac > 0.0;
		sums->n_lost++;
	}
	sums->n_space++;
}

/* What each sentence follows is what those before it said. */
static void plant_sentences(struct truth *truth, struct sums *sums)
{
	struct said said = {0};
	for (unsigned i = 0; i < truth->verdict.n_sentence; i++) {
		unsigned n = sums->planted.n - sums->planted.n_noticed;
		plant_all(truth, i, &said, &sums->planted);
		if (sums->planted.n - sums->planted.n_noticed != n)
			fail_msg("nobody notices \"%s\", made of \"%s\"", sums->planted.unnoticed,
			         truth->verdict.sentence[i]);
		check_sentence(truth, truth->verdict.sentence[i], &said);
	}
}

static void check_verdict(struct truth *truth, struct sums *sums)
{
	assert_int_equal(truth->verdict.n_machine, truth->n_machine);
	for (unsigned i = 0; i < truth->n_machine; i++) {
		check_machine(truth, i, &sums->tally);
		check_designs(truth, i);
	}
	for (size_t i = 0; i < truth->verdict.n_claim; i++) {
		check_claim(truth, &truth->verdict.claim[i]);
		sums->tally.n_claim[truth->verdict.claim[i].kind]++;
	}
	memset(sums->tally.said.is_beaten, 0, sizeof(sums->tally.said.is_beaten));
	check_sentences(truth, &sums->tally);
	check_rows(truth);
	plant_sentences(truth, sums);
	count_machines(truth, sums);
}

static void try_space(uint32_t number, struct sums *sums)
{
	static const uint64_t budget[] = {PRICE_USUAL_WORK, PRICE_USUAL_WORK, 20000, 300000};
	static const char *const resolution[] = {"", "", "resolution: 0\n", "resolution: 2 %\n"};
	struct rng rng = rng_stream(20, 2, number);
	struct drawn drawn;
	struct truth *truth = calloc(2, sizeof(*truth)), *fast = truth + 1;
	struct run run, fast_run;
	char more[512];
	draw(&rng, true, &drawn);
	list_designs(&drawn, DETAIL_EVENT, truth);
	list_designs(&drawn, DETAIL_FAST, fast);
	(void)snprintf(more, sizeof(more), "%s%s", drawn.more, resolution[rng_below(&rng, 4)]);
	write_space(&drawn, -1, more);
	run_open(0, fast, &fast_run);
	run_open(budget[rng_below(&rng, 4)], truth, &run);
	truth->fast = fast;
	const struct run_verdict_of of = {
	    .space = &run.space, .explore = &run.found, .unroller = &run.unroller, .price = truth->price};
	if (truth->price) {
		run_verdict_make(&of, &truth->verdict);
		if (getenv("VERDICTS_SHOW")) {
			(void)fprintf(stdout, "space %u:\n", number);
			run_verdict_print(stdout, &truth->verdict, false);
			price_print(stdout, &run.price, run.found.front.n);
			(void)fflush(stdout);
		}
		check_verdict(truth, sums);
		run_verdict_free(&truth->verdict);
	}
	run_close(&run);
	run_close(&fast_run);
	for (unsigned i = 0; i < 2 * drawn.n_machine; i++)
		pareto_free(&truth[i % 2].all[i / 2]);
	free(truth);
}

static void test_verdict_with_prices_is_not_contradicted_by_any_design(void **state)
{
	struct sums sums = {0};
	(void)state;
	const uint32_t n_space = draws(1000, 9);
	const char *first = getenv("FIRST_DRAW");
	for (uint32_t i = 0, number = first ? (uint32_t)strtoul(first, NULL, 10) : 0; i < n_space; i++)
		try_space(number + i, &sums);
	print_message(
	    "%u spaces: %u machines on fronts, %u beaten: %u in all designs, %u in the fast tier, %u in designs "
	    "with a price; %u of them too close to call\n",
	    sums.n_space, sums.tally.n_on_front, sums.n_lost, sums.n_basis[RUN_VERDICT_ALL_DESIGNS],
	    sums.n_basis[RUN_VERDICT_FAST_TIER], sums.n_basis[RUN_VERDICT_PRICED_DESIGNS], sums.n_close);
	for (unsigned i = 0; i < RUN_VERDICT_N_CLAIM; i++)
		print_message("%s%u %s", i > 0 ? ", " : "claims: ", sums.tally.n_claim[i], run_verdict_claim_name[i]);
	print_message("; %u figures, %u names, %u counts, %u sizes, %u designs in sentences\n", sums.tally.n_figure,
	              sums.tally.said.n_name, sums.tally.said.n_count, sums.tally.said.n_size,
	              sums.tally.said.n_design);
	print_message("%u sentences with a planted mistake, all noticed\n", sums.planted.n);
	assert_true(SLOW_BUILD || sums.planted.n > 0);
	assert_true(SLOW_BUILD || (sums.tally.n_on_front > 0 && sums.n_basis[RUN_VERDICT_ALL_DESIGNS] > 0 &&
	                           sums.n_close > 0 && sums.n_close < sums.n_lost));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_verdict_with_prices_is_not_contradicted_by_any_design)};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
