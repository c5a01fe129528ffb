/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why nothing fits, on spaces small enough to try every design: what misfit says a limit would have to be is the least
 * of all whole designs, a limit just there lets something through, and one just below does not.
 */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/check/misfit.h"
#include "dse/out/words.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "name: none\n"
			   "machine: dvfs_chip\n"
			   "network: small.yaml\n"
			   "axes:\n"
			   "  mla.array: [16x4, 8x4]\n"
			   "layers:\n"
			   "  - match: '.*'\n"
			   "    split: whole\n"
			   "    strategy: [no_fusion, fusion]\n"
			   "  - match: '^CONV_'\n"
			   "    split: {out_channels: {max_parts: 4, choose: even}}\n"
			   "objectives: [latency_ms, energy_mj]\n";

/* The space with these conditions, one a line. */
static void read_space(const char *conditions, struct space *space)
{
	char text[512];
	(void)snprintf(text, sizeof(text), "%s%s", conditions[0] ? "constraints:\n" : "", conditions);
	folder_write("space.yaml", head, text);
	folder_read_space(space);
}

static size_t explore_space(const struct space *space, const struct engine_kind *engine, bool flat,
                            struct explore *explore)
{
	folder_explore(space, engine, flat, 1, explore);
	return explore->front.n;
}

/* Whether any design of the space keeps these conditions: every whole design is tried. */
static bool fits(const char *conditions)
{
	struct space space;
	struct explore explore;
	read_space(conditions, &space);
	bool found = explore_space(&space, &engine_exhaustive, true, &explore) > 0;
	explore_free(&explore);
	space_free(&space);
	return found;
}

static void find(const char *conditions, const struct engine_kind *engine, bool flat, struct misfit *misfit)
{
	struct space space;
	struct explore explore;
	struct err err = {0};
	const struct explore_options options = {.engine = engine, .flat = flat, .n_thread = 2, .seed = 1};
	read_space(conditions, &space);
	assert_int_equal(explore_space(&space, engine, flat, &explore), 0);
	assert_int_equal(misfit_find(&space, &options, &explore, misfit, &err), ERR_OK);
	assert_true(misfit->found);
	explore_free(&explore);
	space_free(&space);
}

static void condition(char text[256], const char *metric, double value, const char *more)
{
	(void)snprintf(text, 256, "  - %s <= %.17g\n%s", metric, value, more);
}

/* What is needed is enough, and a hair less is not: by trying every design. */
static void assert_least(const struct misfit_change *change, const char *metric, const char *more)
{
	char text[256];
	assert_true(change->helps);
	assert_true(change->proven);
	condition(text, metric, change->needed * (1.0 + 1e-9), more);
	assert_true(fits(text));
	condition(text, metric, change->needed * (1.0 - 1e-6), more);
	assert_false(fits(text));
}

static void test_misfit_finds_the_least_value_of_each_limit(void **state)
{
	static const struct {
		const char *conditions, *metric;
	} one[] = {
	    {"  - latency_ms <= 0.0001\n", "latency_ms"},
	    {"  - energy_mj <= 0.00001\n", "energy_mj"},
	    {"  - edp_mj_ms <= 1e-9\n", "edp_mj_ms"},
	    {"  - dram_byte <= 10\n", "dram_byte"},
	    {"  - sram_used_frac <= 0.001\n", "sram_used_frac"},
	    {"  - peak_power_mw <= 1\n", "peak_power_mw"},
	    {"  - mac_units <= 100\n", "mac_units"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(one) / sizeof(one[0]); i++) {
		struct misfit misfit;
		find(one[i].conditions, &engine_exhaustive, false, &misfit);
		assert_int_equal(misfit.n, 2); /* the limit and the SRAM */
		assert_int_equal(misfit.change[0].kind, MISFIT_LIMIT);
		assert_least(&misfit.change[0], one[i].metric, "");
		assert_true(misfit.best < misfit.n);
		misfit_free(&misfit);
	}
}

/* With a second limit the least value is that of the designs which keep it. */
static void test_misfit_keeps_all_other_limits(void **state)
{
	struct misfit alone, both;
	(void)state;
	find("  - latency_ms <= 0.0001\n", &engine_exhaustive, false, &alone);
	struct space space;
	struct explore explore;
	read_space("", &space);
	assert_true(explore_space(&space, &engine_exhaustive, true, &explore) > 1);
	/* sorted by latency: the last point has the least energy and the largest latency */
	const double *last = explore.front.objective + (explore.front.n - 1) * 2;
	char more[64], text[256];
	(void)snprintf(more, sizeof(more), "  - energy_mj <= %.17g\n", last[1] * (1.0 + 1e-9));
	condition(text, "latency_ms", 0.0001, more);
	find(text, &engine_exhaustive, false, &both);
	assert_int_equal(both.n, 3);
	assert_least(&both.change[0], "latency_ms", more);
	assert_true(both.change[0].needed > alone.change[0].needed);
	assert_true(fabs(both.change[0].needed / last[0] - 1.0) < 1e-12);
	/* no energy at all makes up for the clocks */
	assert_false(both.change[1].helps);
	assert_true(both.change[1].proven);
	explore_free(&explore);
	space_free(&space);
	misfit_free(&alone);
	misfit_free(&both);
}

/*
 * The designs that keep the limit on energy take long: whatever latency they are asked for below that, it takes just so
 * long. Where the limit on latency has cut a layer's design by itself, the fronts that the search left are no proof.
 */
static void test_misfit_looks_for_designs_that_the_limit_has_cut(void **state)
{
	static const struct engine_kind *const engine[] = {&engine_exhaustive, &engine_exact};
	struct space space;
	struct explore explore;
	(void)state;
	read_space("", &space);
	assert_true(explore_space(&space, &engine_exhaustive, true, &explore) > 1);
	const double *last = explore.front.objective + (explore.front.n - 1) * 2;
	double least_ms = last[0];
	char more[64], text[256];
	(void)snprintf(more, sizeof(more), "  - energy_mj <= %.17g\n", last[1] * (1.0 + 1e-9));
	for (size_t i = 0; i < sizeof(engine) / sizeof(engine[0]); i++)
		for (int twentieth = 1; twentieth < 20; twentieth++) {
			struct misfit misfit;
			condition(text, "latency_ms", least_ms * twentieth / 20, more);
			find(text, engine[i], false, &misfit);
			assert_true(misfit.change[0].helps && misfit.change[0].proven);
			assert_true(fabs(misfit.change[0].needed / least_ms - 1.0) < 1e-12);
			misfit_free(&misfit);
		}
	explore_free(&explore);
	space_free(&space);
}

static void test_misfit_knows_when_no_limit_alone_helps(void **state)
{
	struct misfit misfit;
	(void)state;
	find("  - latency_ms <= 0.0001\n  - energy_mj <= 0.00001\n", &engine_exhaustive, false, &misfit);
	assert_int_equal(misfit.n, 3);
	assert_int_equal(misfit.best, misfit.n);
	for (size_t i = 0; i < misfit.n; i++) {
		assert_false(misfit.change[i].helps);
		assert_true(misfit.change[i].proven);
	}
	misfit_free(&misfit);
}

/* The least SRAM of all splits: with so many bytes something fits, with one less nothing does. */
static void assert_least_sram(const char *conditions, double *needed)
{
	struct space space;
	struct explore explore;
	struct misfit misfit;
	struct err err = {0};
	const struct explore_options options = {.engine = &engine_exhaustive, .n_thread = 1, .seed = 1};
	read_space(conditions, &space);
	space.machine[0].pe_sram_byte = 1024;
	assert_int_equal(explore_space(&space, &engine_exhaustive, true, &explore), 0);
	assert_int_equal(misfit_find(&space, &options, &explore, &misfit, &err), ERR_OK);
	explore_free(&explore);
	assert_true(misfit.n > 0);
	assert_int_equal(misfit.best, misfit.n - 1);
	const struct misfit_change *change = &misfit.change[misfit.best];
	assert_int_equal(change->kind, MISFIT_SRAM);
	assert_true(change->helps && change->proven);
	assert_true(change->now <= 1024.0 && change->now >= 1024.0);
	assert_in_range(change->n_machine, 1, 2); /* the other array may need more */
	for (uint32_t less = 0; less < 2; less++) {
		space.machine[0].pe_sram_byte = (uint32_t)change->needed - less;
		assert_int_equal(explore_space(&space, &engine_exhaustive, true, &explore) > 0, less == 0);
		explore_free(&explore);
	}
	*needed = change->needed;
	misfit_free(&misfit);
	space_free(&space);
}

static void test_misfit_finds_the_least_sram(void **state)
{
	double alone, half;
	(void)state;
	assert_least_sram("", &alone);
	assert_least_sram("  - sram_used_frac <= 0.5\n", &half);
	assert_true(half <= 2.0 * alone && half >= 2.0 * alone);
}

/* The nearest machine breaks another constraint as well: it is not the one. */
static void test_misfit_passes_over_machines_that_break_two_constraints(void **state)
{
	struct misfit misfit;
	(void)state;
	find("  - mla.array <= 10\n  - mla.array >= 64\n", &engine_exhaustive, false, &misfit);
	assert_int_equal(misfit.n, 3);
	assert_true(misfit.change[0].helps && misfit.change[0].proven);
	assert_non_null(strstr(misfit.change[0].machine, "16x4"));
	assert_int_equal(misfit.change[0].n_machine, 2);
	assert_false(misfit.change[1].helps);
	assert_true(misfit.change[1].proven);
	assert_int_equal(misfit.change[1].n_machine, 1);
	misfit_free(&misfit);
}

/* Of the machines that break a rule the nearest one with a design, not the nearest of all. */
static void test_misfit_finds_the_nearest_machine_with_a_design(void **state)
{
	struct misfit misfit;
	(void)state;
	/* arrays of 16x4 have 64 MAC units each, those of 8x4 have 32 */
	find("  - mla.array <= 10\n", &engine_exhaustive, false, &misfit);
	assert_int_equal(misfit.change[0].kind, MISFIT_CONSTRAINT);
	assert_true(misfit.change[0].helps && misfit.change[0].proven);
	assert_int_equal(misfit.change[0].n_machine, 2);
	assert_non_null(strstr(misfit.change[0].machine, "8x4"));
	assert_true(fabs(misfit.change[0].needed - 32.0) < 0.5 && fabs(misfit.change[0].now - 10.0) < 0.5);
	assert_true(fabs(misfit.change[0].frac - 2.2) < 1e-12);
	misfit_free(&misfit);
	/* the smaller array is too slow for this limit: only the larger one comes through */
	struct space space;
	struct explore explore;
	read_space("  - mla.array <= 32\n", &space);
	assert_true(explore_space(&space, &engine_exhaustive, true, &explore) > 0);
	char text[256];
	condition(text, "latency_ms", explore.front.objective[0] * (1.0 - 1e-6), "  - mla.array <= 10\n");
	explore_free(&explore);
	space_free(&space);
	find(text, &engine_exhaustive, false, &misfit);
	assert_int_equal(misfit.n, 3);
	assert_true(misfit.change[1].helps && misfit.change[1].proven);
	assert_non_null(strstr(misfit.change[1].machine, "16x4"));
	assert_true(fabs(misfit.change[1].needed - 64.0) < 0.5);
	misfit_free(&misfit);
}

/* Whatever engine found nothing, the explanation is a proof, and the same one. */
static void test_misfit_is_proven_for_each_engine(void **state)
{
	struct misfit one, other;
	(void)state;
	find("  - latency_ms <= 0.0001\n", &engine_exhaustive, false, &one);
	for (size_t i = 0; i < engine_n; i++) {
		for (unsigned flat = 0; flat < 2; flat++) {
			find("  - latency_ms <= 0.0001\n", engine_table[i], flat > 0, &other);
			assert_true(other.change[0].proven);
			assert_true(fabs(other.change[0].needed / one.change[0].needed - 1.0) < 1e-12);
			misfit_free(&other);
		}
	}
	misfit_free(&one);
}

/* A search that stopped early has proven nothing: what it did not come to is found. */
static void test_misfit_finds_what_a_search_cut_short_has_missed(void **state)
{
	struct space space;
	struct explore explore;
	struct misfit misfit;
	struct err err = {0};
	struct explore_options options = {
	    .engine = &engine_exhaustive, .flat = true, .n_thread = 1, .seed = 1, .max_evaluation = 1};
	(void)state;
	read_space("", &space);
	assert_int_equal(explore_run(&space, &options, &explore, &err), ERR_OK);
	/* whatever that one design was */
	pareto_free(&explore.front);
	options.max_evaluation = 0;
	assert_int_equal(misfit_find(&space, &options, &explore, &misfit, &err), ERR_OK);
	assert_true(misfit.found && misfit.exists);
	assert_int_equal(misfit.n, 0);
	misfit_free(&misfit);
	explore_free(&explore);
	space_free(&space);
}

/* A network of real size: its advice took a hundred times the search's work, where more SRAM was asked for. */
static void test_misfit_takes_no_more_work_than_the_search(void **state)
{
	static const char vgg16[] = "name: vgg16\nmachine: dvfs_chip\nnetworks: [vgg16]\nlayers:\n  - match: '.*'\n"
				    "    split: even\n    conv_1x1: conv\nobjectives: [latency_ms, energy_mj]\n"
				    "constraints: [latency_ms <= 35.3, energy_mj <= 26.2]\n";
	const struct explore_options options = {.engine = &engine_exact, .n_thread = 2, .seed = 1};
	struct space space;
	struct explore explore;
	struct misfit misfit;
	struct err err = {0};
	(void)state;
	folder_write("space.yaml", vgg16, "");
	folder_read_space(&space);
	folder_explore(&space, &engine_exact, false, 2, &explore);
	assert_int_equal(explore.front.n, 0);
	assert_true(explore.counts.epsilon == 0.0 && !explore.counts.is_limited);
	assert_int_equal(misfit_find(&space, &options, &explore, &misfit, &err), ERR_OK);
	assert_int_equal(misfit.n, 3);
	for (size_t i = 0; i < misfit.n; i++)
		assert_true(misfit.change[i].helps);
	/* the limits by compositions, each proven; what is found of the SRAM does let something through */
	assert_true(misfit.change[0].proven && misfit.change[1].proven);
	assert_true(misfit.work > 0 && 2 * misfit.work <= 5 * explore_work(&explore.counts));
	misfit_free(&misfit);
	explore_free(&explore);
	space_free(&space);
}

/* What is printed is never less than what is needed. */
static void test_misfit_prints_numbers_that_suffice(void **state)
{
	char *text;
	size_t n_byte;
	struct misfit misfit;
	(void)state;
	find("  - latency_ms <= 0.0001\n", &engine_exhaustive, false, &misfit);
	FILE *file = open_memstream(&text, &n_byte);
	misfit_print(file, &misfit);
	assert_int_equal(fclose(file), 0);
	const char *at = strstr(text, "would have to be at least ");
	assert_non_null(at);
	double printed = strtod(at + strlen("would have to be at least "), NULL);
	assert_true(printed >= misfit.change[0].needed && printed <= misfit.change[0].needed * 1.0001);
	struct words_text *best = calloc(1, sizeof(*best));
	misfit_say_best(&misfit, best);
	at = strstr(best->text, "latency_ms <= 0.0001 would have to be at least ");
	assert_non_null(at);
	assert_true(strtod(strstr(at, "least ") + strlen("least "), NULL) >= misfit.change[0].needed);
	free(best);
	free(text);
	misfit_free(&misfit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_misfit_finds_the_least_value_of_each_limit),
	    cmocka_unit_test(test_misfit_keeps_all_other_limits),
	    cmocka_unit_test(test_misfit_looks_for_designs_that_the_limit_has_cut),
	    cmocka_unit_test(test_misfit_knows_when_no_limit_alone_helps),
	    cmocka_unit_test(test_misfit_finds_the_least_sram),
	    cmocka_unit_test(test_misfit_passes_over_machines_that_break_two_constraints),
	    cmocka_unit_test(test_misfit_finds_the_nearest_machine_with_a_design),
	    cmocka_unit_test(test_misfit_is_proven_for_each_engine),
	    cmocka_unit_test(test_misfit_finds_what_a_search_cut_short_has_missed),
	    cmocka_unit_test(test_misfit_takes_no_more_work_than_the_search),
	    cmocka_unit_test(test_misfit_prints_numbers_that_suffice),
	};
	return cmocka_run_group_tests(tests, folder_make_small, folder_remove);
}
