/* SPDX-License-Identifier: Apache-2.0 */
/* explore --compare on small spaces: verdicts, ids and epsilons against a look at every point; what does not fit. */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/result/front_file.h"
#include "tests/support/space_folder.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* %s: operating points */
static const char space_text[] = "name: compared\n"
				 "machine: dvfs_chip\n"
				 "network: small.yaml\n"
				 "axes:\n"
				 "  mla.array: [16x4, 8x4]\n"
				 "layers:\n"
				 "  - match: '.*'\n"
				 "    split: whole\n"
				 "    strategy: [no_fusion, fusion]\n"
				 "    level: %s\n"
				 "  - match: '^CONV_'\n"
				 "    split: {out_channels: {max_parts: 4, choose: even}}\n"
				 "objectives: [latency_ms, energy_mj, mac_units]\n"
				 "%s";

#define SCHEME_HEAD "network,target,operation,ofmap_w,ofmap_h,ofmap_c,ifmap_w,ifmap_c\n"
#define SCHEME_CONV "small,chip,CONV_1,8*1,8*1,16*1,8*1,4*1\n"

/* A search and all that comes of it. */
struct result {
	struct space space;
	struct explore_options options;
	struct explore explore;
	struct unroller unroller;
	struct mapping_compare compare;
};

static void search(struct result *result, const char *level, const char *more)
{
	char text[1024];
	struct err err = {0};
	memset(result, 0, sizeof(*result));
	(void)snprintf(text, sizeof(text), space_text, level, more);
	folder_write("space.yaml", text, "");
	folder_read_space(&result->space);
	result->options = (struct explore_options){.engine = &engine_exhaustive, .n_thread = 2, .seed = 1};
	assert_int_equal(explore_run(&result->space, &result->options, &result->explore, &err), ERR_OK);
	assert_true(result->explore.front.n > 0);
	assert_int_equal(unroller_init(&result->unroller, &result->explore, 1, &err), ERR_OK);
	assert_int_equal(err.n_message, 0);
}

static void write_front(struct result *result)
{
	struct front_run run = {.space = &result->space,
	                        .explore = &result->explore,
	                        .options = &result->options,
	                        .unroller = &result->unroller,
	                        .command = "dse explore"};
	FILE *file = folder_open("front.json");
	front_file_write_json(file, &run);
	assert_int_equal(fclose(file), 0);
}

static void finish(struct result *result)
{
	mapping_compare_free(&result->compare);
	unroller_free(&result->unroller);
	explore_free(&result->explore);
	space_free(&result->space);
}

/* Read and run; names without a slash are in the folder, but for the thesis. */
static void compare(struct result *result, const char *name)
{
	static char path[192];
	const char *given = path;
	struct err err = {0};
	(void)snprintf(path, sizeof(path), "%s%s%s", strncmp(name, "thesis", 6) ? folder : "",
	               strncmp(name, "thesis", 6) ? "/" : "", name);
	mapping_compare_free(&result->compare);
	if (mapping_compare_read(&given, 1, &result->space, &result->compare, &err) != ERR_OK ||
	    mapping_compare_run(&result->compare, &result->unroller, 2, &err) != ERR_OK)
		print_error("%s", err_text(&err));
	assert_int_equal(err.n_message, 0);
}

static bool same(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* Verdict, ids and epsilon of a place, by a look at every point of the front. */
static void assert_placed(const struct result *result, const struct compared_place *place)
{
	const struct pareto *front = &result->explore.front;
	double epsilon = INFINITY;
	size_t n_dominating = 0;
	bool is_equal = false;
	for (size_t i = 0; i < front->n; i++) {
		bool is_worse = false, is_better = false;
		double lag = -INFINITY;
		for (unsigned k = 0; k < front->n_objective; k++) {
			double own = place->metric[result->space.objective[k]], least = INFINITY, most = -INFINITY;
			double theirs = front->objective[i * front->n_objective + k];
			for (size_t at = 0; at < front->n; at++) {
				least = fmin(least, front->objective[at * front->n_objective + k]);
				most = fmax(most, front->objective[at * front->n_objective + k]);
			}
			is_worse = is_worse || (theirs > own && !same(theirs, own));
			is_better = is_better || (theirs < own && !same(theirs, own));
			lag = fmax(lag, (theirs - own) / (same(least, most) ? most : most - least));
		}
		epsilon = fmin(epsilon, lag);
		is_equal = is_equal || (!is_worse && !is_better);
		if (!is_worse && is_better) {
			assert_true(n_dominating < place->n_dominating);
			assert_int_equal(place->dominating[n_dominating++], i);
		}
	}
	assert_int_equal(place->n_dominating, n_dominating);
	assert_true(fabs(place->epsilon - epsilon) < 1e-9);
	assert_int_equal(place->verdict, n_dominating > 0 ? COMPARE_DOMINATED
	                                 : is_equal       ? COMPARE_ON_FRONT
	                                                  : COMPARE_NONDOMINATED);
}

static void test_compare_finds_each_point_on_its_own_front(void **state)
{
	struct result result;
	(void)state;
	search(&result, "[PL1, PL2]", "");
	write_front(&result);
	assert_true(result.explore.front.n > 2);
	for (size_t i = 0; i < result.explore.front.n; i++) {
		char name[64];
		(void)snprintf(name, sizeof(name), "front.json:%zu", i);
		compare(&result, name);
		size_t n_on_front = 0;
		assert_int_equal(result.compare.n_place, 2); /* machines */
		for (size_t k = 0; k < 2; k++) {
			const struct compared_place *place = &result.compare.place[k];
			assert_placed(&result, place);
			if (place->machine_index != result.explore.front.genome[i * result.explore.front.n_gene])
				continue;
			n_on_front++;
			assert_int_equal(place->verdict, COMPARE_ON_FRONT);
			assert_int_equal(place->nearest, i);
			assert_true(fabs(place->epsilon) < 1e-9);
		}
		assert_int_equal(n_on_front, 1);
	}
	finish(&result);
}

/* Against the front of a smaller space: points that it has not, and points that are still on it. */
static void test_compare_places_points_of_another_front(void **state)
{
	struct result wide, narrow;
	size_t n_ahead = 0;
	(void)state;
	search(&wide, "[PL1, PL2]", "");
	write_front(&wide);
	search(&narrow, "PL1", "");
	for (size_t i = 0; i < wide.explore.front.n; i++) {
		char name[64];
		(void)snprintf(name, sizeof(name), "front.json:%zu", i);
		compare(&narrow, name);
		for (size_t k = 0; k < narrow.compare.n_place; k++) {
			assert_placed(&narrow, &narrow.compare.place[k]);
			n_ahead += narrow.compare.place[k].verdict == COMPARE_NONDOMINATED;
		}
	}
	assert_true(n_ahead > 0);
	finish(&wide);
	finish(&narrow);
}

/* The thesis' splits at each operating point on each machine; a network it does not have is split by its rules. */
static void test_compare_places_the_thesis_splits(void **state)
{
	static const char *const name[] = {"thesis", "thesis:no_fusion", "thesis:fusion"};
	struct result result;
	(void)state;
	search(&result, "[PL1, PL2]", "");
	for (size_t i = 0; i < 3; i++) {
		compare(&result, name[i]);
		assert_int_equal(result.compare.n_place, 4);
		for (size_t k = 0; k < 4; k++) {
			const struct compared_place *place = &result.compare.place[k];
			assert_string_equal(place->level, k % 2 ? "PL2" : "PL1");
			assert_int_equal(place->n_own, 2);
			assert_placed(&result, place);
		}
	}
	finish(&result);
}

/* The same scheme as the only design of a space: on its front. */
static void test_compare_runs_a_scheme_as_the_space_would(void **state)
{
	struct result result;
	(void)state;
	folder_write("scheme.csv", SCHEME_HEAD SCHEME_CONV "small,chip,FC_2,8*1,1*1,,1024*1,\n", "");
	search(&result, "PL1", "");
	compare(&result, "scheme.csv:fusion");
	for (size_t k = 0; k < result.compare.n_place; k++) {
		assert_int_not_equal(result.compare.place[k].verdict, COMPARE_NO_FIT);
		assert_int_equal(result.compare.place[k].n_own, 0);
		assert_placed(&result, &result.compare.place[k]);
	}
	struct err err = {0};
	assert_int_equal(mapping_compare_judge(&result.compare, &err), ERR_OK);
	finish(&result);
}

static void test_compare_names_limits_that_are_broken(void **state)
{
	struct result result;
	char more[128];
	(void)state;
	search(&result, "[PL1, PL2]", "");
	const struct pareto *front = &result.explore.front;
	double most = front->objective[(front->n - 1) * front->n_objective];
	write_front(&result);
	finish(&result);
	(void)snprintf(more, sizeof(more), "constraints: ['latency_ms <= %.17g']\n", most * (1.0 - 1e-6));
	search(&result, "[PL1, PL2]", more);
	compare(&result, "front.json:0");
	assert_string_equal(result.compare.place[0].why, "");
	char last[64];
	(void)snprintf(last, sizeof(last), "front.json:%zu", result.explore.front.n);
	compare(&result, last);
	size_t n_broken = 0;
	for (size_t k = 0; k < result.compare.n_place; k++)
		n_broken += strncmp(result.compare.place[k].why, "latency_ms <= ", 14) == 0;
	assert_true(n_broken > 0);
	finish(&result);
}

/* A reason for each machine, and an error only after the results are there. */
static void test_compare_says_what_does_not_fit(void **state)
{
	static const struct {
		const char *scheme, *why;
	} bad[] = {
	    {SCHEME_HEAD SCHEME_CONV "small,qpe,FC_2,8*1,1*1,,1024*1,\n", "no split of layer FC_2 of small on a chip"},
	    {SCHEME_HEAD "small,chip,CONV_1,7*1,8*1,16*1,8*1,4*1\nsmall,chip,FC_2,8*1,1*1,,1024*1,\n",
	     "split scheme, line 2: "},
	};
	struct result result;
	(void)state;
	search(&result, "PL1", "");
	for (size_t i = 0; i < 2; i++) {
		struct err err = {0};
		folder_write("scheme.csv", bad[i].scheme, "");
		compare(&result, "scheme.csv:fusion");
		for (size_t k = 0; k < result.compare.n_place; k++) {
			assert_int_equal(result.compare.place[k].verdict, COMPARE_NO_FIT);
			assert_non_null(strstr(result.compare.place[k].why, bad[i].why));
		}
		assert_int_equal(mapping_compare_judge(&result.compare, &err), ERR_INPUT);
		assert_non_null(strstr(err_text(&err), "fits no machine of the space"));
		err_clear(&err);
	}
	finish(&result);
}

static void test_compare_refuses_what_it_cannot_read(void **state)
{
	static const struct {
		const char *name;
		enum err_code code;
		const char *message;
	} bad[] = {
	    {"nothing", ERR_USAGE, "allowed are FRONT.json:ID, FILE.yaml, FILE.csv or thesis"},
	    {"thesis:fuson", ERR_USAGE, "did you mean 'fusion'?"},
	    {"/nowhere/front.json:3", ERR_IO, "cannot read"},
	    {"/nowhere/splits.csv", ERR_IO, "no such file"},
	    {"front.json:3x", ERR_USAGE, "is no number of a point"},
	    {"spaces/splits/thesis.csv", ERR_INPUT, "no split of layer CONV_1 of network small"},
	};
	struct result result;
	(void)state;
	search(&result, "PL1", "");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mapping_compare own;
		struct err err = {0};
		assert_int_equal(mapping_compare_read(&bad[i].name, 1, &result.space, &own, &err), bad[i].code);
		if (!strstr(err_text(&err), bad[i].message))
			print_error("%s", err_text(&err));
		assert_non_null(strstr(err_text(&err), bad[i].message));
		err_clear(&err);
		mapping_compare_free(&own);
	}
	finish(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_compare_finds_each_point_on_its_own_front),
	    cmocka_unit_test(test_compare_places_points_of_another_front),
	    cmocka_unit_test(test_compare_places_the_thesis_splits),
	    cmocka_unit_test(test_compare_runs_a_scheme_as_the_space_would),
	    cmocka_unit_test(test_compare_names_limits_that_are_broken),
	    cmocka_unit_test(test_compare_says_what_does_not_fit),
	    cmocka_unit_test(test_compare_refuses_what_it_cannot_read),
	};
	return cmocka_run_group_tests(tests, folder_make_small, folder_remove);
}
