/* SPDX-License-Identifier: Apache-2.0 */
/* Verification of a front: sums, membership by hand, threads; the search in the event tier. */
#include "tests/support/unit_test.h"

#include "dse/engine/engine.h"
#include "dse/check/verify.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Designs that lie so close to each other that the tiers do not agree on all of them. */
static const char dense[] = "name: dense\n"
			    "machine: dvfs_chip\n"
			    "network: tiny\n"
			    "layers:\n"
			    "  - match: '.*'\n"
			    "    split: whole\n"
			    "    level: all\n"
			    "    strategy: [fusion, fusion_reuse]\n"
			    "  - match: '^CONV_'\n"
			    "    split:\n"
			    "      width: whole\n"
			    "      in_channels: whole\n"
			    "      out_channels: {max_parts: 8, choose: even}\n"
			    "      height: {max_parts: 12, choose: even}\n"
			    "  - match: '^FC_'\n"
			    "    split: {in_channels: {max_parts: 2, choose: even}}\n"
			    "    strategy: fusion\n"
			    "objectives: [latency_ms, energy_mj, dram_byte]\n";

/* Few enough designs to try all of the whole network, which takes the event tier a run a layer each. */
static const char few[] = "name: few\n"
			  "machine: dvfs_chip\n"
			  "network: tiny\n"
			  "layers:\n"
			  "  - match: '.*'\n"
			  "    split: whole\n"
			  "    level: PL2\n"
			  "    strategy: fusion\n"
			  "  - match: '^CONV_1$'\n"
			  "    split: {height: ['32*1', '16*2']}\n"
			  "    level: all\n"
			  "  - match: '^CONV_3$'\n"
			  "    split: {out_channels: [8*4, 4*8]}\n"
			  "    strategy: [fusion, fusion_reuse]\n"
			  "  - match: '^FC_'\n"
			  "    split: {in_channels: {max_parts: 2, choose: even}}\n"
			  "objectives: [latency_ms, energy_mj]\n";

/* The space, its front and the front's designs. */
struct fixture {
	struct space space;
	struct explore explore;
	struct unroller unroller;
	char path[TEMPORARY_SIZE];
};

static void read_space(const char *text, struct fixture *fixture)
{
	struct err err = {0};
	*fixture = (struct fixture){0};
	temporary_write(fixture->path, text);
	if (space_read(fixture->path, &fixture->space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void search(struct fixture *fixture, bool flat, unsigned n_thread)
{
	const struct explore_options options = {.engine = &engine_exhaustive, .flat = flat, .n_thread = n_thread};
	struct err err = {0};
	assert_int_equal(explore_run(&fixture->space, &options, &fixture->explore, &err), ERR_OK);
	assert_int_equal(unroller_init(&fixture->unroller, &fixture->explore, n_thread, &err), ERR_OK);
	assert_true(fixture->explore.front.n > 1);
}

static void free_fixture(struct fixture *fixture)
{
	unroller_free(&fixture->unroller);
	explore_free(&fixture->explore);
	space_free(&fixture->space);
	(void)remove(fixture->path);
}

static void verify(const struct fixture *fixture, unsigned n_thread, bool audit, struct verify *verify)
{
	const struct verify_options options = {.n_thread = n_thread, .audit = audit};
	struct err err = {0};
	if (verify_run(&fixture->unroller, &options, verify, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_false(verify->interrupted);
	assert_int_equal(verify->n_point, fixture->explore.front.n);
	assert_int_equal(verify->n_design, fixture->unroller.n_design);
}

/* Of points and of designs, by hand: sums over the layers, and the largest relative difference. */
static void test_verify_sums_up_layers(void **state)
{
	(void)state;
	struct fixture fixture;
	struct verify verified;
	struct unrolled point;
	double largest_frac = 0.0;
	read_space(dense, &fixture);
	search(&fixture, false, 2);
	verify(&fixture, 2, false, &verified);
	assert_int_equal(unrolled_init(&fixture.explore.map, &point, NULL), ERR_OK);
	for (size_t i = 0; i < verified.n_point; i++) {
		double latency_ms = 0.0, energy_mj = 0.0;
		unroll_point(&fixture.unroller, i, &point);
		for (size_t k = 0; k < point.n_layer; k++) {
			const struct unrolled_design *design =
			    &verified.design[point.layer[k] - fixture.unroller.design];
			latency_ms += design->metric[METRIC_LATENCY];
			energy_mj += design->metric[METRIC_ENERGY];
		}
		assert_true(verified.point[i].metric[METRIC_LATENCY] == latency_ms);
		assert_true(verified.point[i].metric[METRIC_ENERGY] == energy_mj);
		/* the same bytes in either tier */
		assert_true(verified.point[i].metric[METRIC_DRAM] == point.metric[METRIC_DRAM]);
		double frac = fabs(latency_ms / point.metric[METRIC_LATENCY] - 1.0);
		assert_true(verified.point[i].error_frac >= frac);
		largest_frac = fmax(largest_frac, frac);
	}
	assert_true(verified.objective[0].max_frac == largest_frac && largest_frac > 0.0);
	assert_true(verified.objective[2].max_frac == 0.0);
	assert_true(verified.clk.max_frac >= verified.clk.mean_frac && verified.clk.mean_frac > 0.0);
	unrolled_free(&point);
	verify_free(&verified);
	free_fixture(&fixture);
}

/* Whether a is nowhere worse than b made worse by so much; somewhere better if strictly. */
static bool beats(const double *a, const double *b, double margin_frac, bool strictly)
{
	static const enum metric objective[] = {METRIC_LATENCY, METRIC_ENERGY, METRIC_DRAM};
	bool is_better = false;
	for (size_t k = 0; k < 3; k++) {
		if (a[objective[k]] > b[objective[k]] * (1.0 + margin_frac))
			return false;
		is_better = is_better || a[objective[k]] < b[objective[k]];
	}
	return is_better || !strictly;
}

static void test_verify_marks_points_that_others_beat(void **state)
{
	(void)state;
	struct fixture fixture;
	struct verify verified;
	size_t n_certain = 0;
	read_space(dense, &fixture);
	search(&fixture, false, 1);
	verify(&fixture, 2, false, &verified);
	for (size_t i = 0; i < verified.n_point; i++) {
		const struct verify_point *point = &verified.point[i];
		size_t n_beat = 0, n_below = 0, n_above = 0;
		for (size_t k = 0; k < verified.n_point; k++) {
			const double *other = verified.point[k].metric;
			if (k == i)
				continue;
			n_beat += beats(other, point->metric, 0.0, true);
			n_below += beats(other, point->metric, point->margin_frac - 1e-9, false);
			n_above += beats(other, point->metric, point->margin_frac + 1e-9, false);
		}
		assert_int_equal(point->certain, n_beat == 0);
		/* the margin is where another point becomes nowhere worse */
		assert_true(n_below == 0 && n_above > 0);
		n_certain += point->certain;
	}
	assert_int_equal(verified.n_certain, n_certain);
	assert_true(n_certain > 0 && n_certain < verified.n_point);
	verify_free(&verified);
	free_fixture(&fixture);
}

static void test_verify_does_not_depend_on_threads_or_audit(void **state)
{
	(void)state;
	struct fixture fixture;
	struct verify one, other;
	read_space(dense, &fixture);
	search(&fixture, false, 2);
	verify(&fixture, 1, false, &one);
	for (unsigned i = 0; i < 2; i++) {
		verify(&fixture, 3, i == 1, &other);
		for (size_t k = 0; k < one.n_point; k++) {
			assert_memory_equal(one.point[k].metric, other.point[k].metric, sizeof(one.point[k].metric));
			assert_true(one.point[k].margin_frac == other.point[k].margin_frac &&
			            one.point[k].certain == other.point[k].certain);
		}
		assert_true(one.clk.worst == other.clk.worst && one.clk.mean_frac == other.clk.mean_frac);
		verify_free(&other);
	}
	verify_free(&one);
	free_fixture(&fixture);
}

/*
 * A front of the event tier has nothing to verify. It is that of all designs: the flat search, which knows no bounds,
 * finds the same.
 */
static void test_verify_event_search_needs_no_verification(void **state)
{
	(void)state;
	struct fixture layers, flat;
	struct verify verified;
	read_space(few, &layers);
	layers.space.detail = DETAIL_EVENT;
	search(&layers, false, 2);
	verify(&layers, 2, false, &verified);
	assert_true(verified.clk.max_frac == 0.0 && verified.objective[0].max_frac == 0.0);
	assert_int_equal(verified.n_certain, verified.n_point);
	verify_free(&verified);

	read_space(few, &flat);
	flat.space.detail = DETAIL_EVENT;
	search(&flat, true, 2);
	const struct pareto *left = &layers.explore.front, *right = &flat.explore.front;
	assert_int_equal(left->n, right->n);
	for (size_t i = 0; i < left->n * left->n_objective; i++)
		assert_true(fabs(left->objective[i] - right->objective[i]) <= 1e-12 * fabs(left->objective[i]));
	free_fixture(&flat);
	free_fixture(&layers);
}

/* The grey-box model has no bounds but what the array needs; the layered search finds what the flat one does. */
static void test_verify_greybox_search_is_exact(void **state)
{
	(void)state;
	struct fixture layers, flat;
	read_space(few, &layers);
	layers.space.detail = DETAIL_GREYBOX;
	search(&layers, false, 2);
	read_space(few, &flat);
	flat.space.detail = DETAIL_GREYBOX;
	search(&flat, true, 2);
	const struct pareto *left = &layers.explore.front, *right = &flat.explore.front;
	assert_true(left->n > 0);
	assert_int_equal(left->n, right->n);
	for (size_t i = 0; i < left->n * left->n_objective; i++)
		assert_true(fabs(left->objective[i] - right->objective[i]) <= 1e-12 * fabs(left->objective[i]));
	free_fixture(&flat);
	free_fixture(&layers);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_verify_sums_up_layers),
	    cmocka_unit_test(test_verify_marks_points_that_others_beat),
	    cmocka_unit_test(test_verify_does_not_depend_on_threads_or_audit),
	    cmocka_unit_test(test_verify_event_search_needs_no_verification),
	    cmocka_unit_test(test_verify_greybox_search_is_exact),
	};
	return cmocka_run_group_tests(test, NULL, NULL);
}
