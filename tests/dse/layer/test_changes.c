/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of operating point between layers: what they cost, exact composition against all whole designs, replayed
 * sums. */
#include "tests/support/unit_test.h"

#include "dse/layer/changes.h"
#include "dse/space/space_machine.h"
#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/design/unroll.h"
#include "sim/program/mixed.h"
#include "tests/support/temporary.h"
#include "tests/support/near.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Changes that take long enough to decide: about as long as a layer. */
static const char machine_text[] = "name: slow_lanes\n"
				   "target: chip\n"
				   "dvfs: {switch_ns: 20000, switch_nj: 2, n_lane: 3}\n"
				   "levels:\n"
				   "  - {name: PL1, vdd_v: 0.5, clk_mhz: 200}\n"
				   "  - {name: PL2, vdd_v: 0.6, clk_mhz: 400, mla_clk_pj: 12.2, pe_static_mw: 1.5}\n"
				   "  - {name: PL3, vdd_v: 0.7, clk_mhz: 500, mla_clk_pj: 16.7, pe_static_mw: 2.2}\n";

static const char space_text[] = "name: changes\n"
				 "machine: %s\n"
				 "network: tiny\n"
				 "layers:\n"
				 "  - match: '.*'\n"
				 "    split: whole\n"
				 "    strategy: [fusion, fusion_reuse]\n"
				 "  - match: '^CONV_'\n"
				 "    split: {height: {max_parts: 4, choose: even}}\n"
				 "  - match: '^FC_'\n"
				 "    split: {in_channels: {max_parts: 2, choose: even}}\n"
				 "objectives: [latency_ms, energy_mj]\n"
				 "level_changes: %s\n%s";

/* A space, its front and the front's designs. */
struct fixture {
	struct space space;
	struct explore explore;
	struct unroller unroller;
};

static void search(const char *changes, const char *more, const struct engine_kind *engine, bool flat,
                   struct fixture *fixture)
{
	char machine[TEMPORARY_SIZE], path[TEMPORARY_SIZE], text[2048];
	const struct explore_options options = {.engine = engine, .flat = flat, .n_thread = 2};
	struct err err = {0};
	*fixture = (struct fixture){0};
	temporary_write(machine, machine_text);
	snprintf(text, sizeof(text), space_text, machine, changes, more);
	temporary_write(path, text);
	if (space_read(path, &fixture->space, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	(void)remove(path);
	(void)remove(machine);
	assert_int_equal(explore_run(&fixture->space, &options, &fixture->explore, &err), ERR_OK);
	assert_int_equal(unroller_init(&fixture->unroller, &fixture->explore, 1, &err), ERR_OK);
	assert_true(fixture->explore.front.n > 0);
}

static void free_fixture(struct fixture *fixture)
{
	unroller_free(&fixture->unroller);
	explore_free(&fixture->explore);
	space_free(&fixture->space);
}

static void test_changes_cost_what_the_machine_says(void **state)
{
	(void)state;
	struct fixture fixture;
	double value[N_METRIC] = {0};
	search("true", "level_shares: 2\n", &engine_exact, false, &fixture);
	const struct machine *machine = &fixture.space.machine[0];
	assert_int_equal(machine->n_level, 6);
	assert_true(changes_count(&fixture.space, machine));
	assert_true(changes_entry(machine, 3) == 0 && changes_exit(machine, 3) == 1);
	changes_add(&fixture.space, machine, 1, 1, value);
	/* from PL1 to PL2 inside the layer, then PL2 again */
	changes_add(&fixture.space, machine, 3, 1, value);
	assert_true(value[METRIC_LATENCY] == 0 && value[METRIC_ENERGY] == 0);
	changes_add(&fixture.space, machine, 0, 1, value);
	double static_mw = 75.2 + 144 * 1.5;
	assert_close(value[METRIC_LATENCY], 20e-3);
	assert_close(value[METRIC_ENERGY], 144 * 2e-6 + static_mw * 20000 * 1e-9);
	fixture.space.level_changes = false;
	assert_false(changes_count(&fixture.space, machine));
	changes_add(&fixture.space, machine, 0, 1, value);
	assert_close(value[METRIC_LATENCY], 20e-3);
	free_fixture(&fixture);
}

/* The front of all whole designs, whose changes are added up one by one, is that of the composition over states. */
static void test_changes_composition_is_exact(void **state)
{
	static const char *const more[] = {"", "level_shares: 2\n", "deadline_ms: 1\n"};
	(void)state;
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		struct fixture flat, layers[2];
		search("true", more[i], &engine_exhaustive, true, &flat);
		search("true", more[i], &engine_exhaustive, false, &layers[0]);
		search("true", more[i], &engine_exact, false, &layers[1]);
		for (size_t k = 0; k < 2; k++) {
			const struct pareto *left = &layers[k].explore.front, *right = &flat.explore.front;
			assert_int_equal(left->n, right->n);
			for (size_t j = 0; j < left->n * 2; j++)
				assert_close(left->objective[j], right->objective[j]);
			free_fixture(&layers[k]);
		}
		free_fixture(&flat);
	}
}

/* What a point says is what its layers and their changes sum to; they matter: fewer designs change their level. */
static void test_changes_are_in_the_sums(void **state)
{
	(void)state;
	size_t n_change[2] = {0, 0}, n_point[2];
	for (int i = 0; i < 2; i++) {
		struct fixture fixture;
		struct unrolled point;
		search(i ? "true" : "false", "", &engine_exact, false, &fixture);
		const struct explore *explore = &fixture.explore;
		assert_int_equal(unrolled_init(&explore->map, &point, NULL), ERR_OK);
		n_point[i] = explore->front.n;
		for (size_t k = 0; k < explore->front.n; k++) {
			double sum[N_METRIC] = {0};
			unroll_point(&fixture.unroller, k, &point);
			for (size_t l = 0; l < point.n_layer; l++) {
				sum[METRIC_LATENCY] += point.layer[l]->metric[METRIC_LATENCY];
				sum[METRIC_ENERGY] += point.layer[l]->metric[METRIC_ENERGY];
				uint32_t level = point.layer[l]->design.level;
				if (l == 0 || level == point.layer[l - 1]->design.level)
					continue;
				n_change[i]++;
				changes_add(&fixture.space, point.machine, point.layer[l - 1]->design.level, level,
				            sum);
			}
			assert_close(point.metric[METRIC_LATENCY], sum[METRIC_LATENCY]);
			assert_close(point.metric[METRIC_ENERGY], sum[METRIC_ENERGY]);
			assert_close(explore->front.objective[2 * k], sum[METRIC_LATENCY]);
			assert_close(explore->front.objective[2 * k + 1], sum[METRIC_ENERGY]);
		}
		unrolled_free(&point);
		free_fixture(&fixture);
	}
	assert_true(n_change[0] > 0);
	assert_true((double)n_change[1] / (double)n_point[1] < (double)n_change[0] / (double)n_point[0]);
}

/* Which voltages a chip's lanes supply is an axis: the front is that of all choices, none uses more than were chosen.
 */
static void test_changes_lanes_are_chosen(void **state)
{
	static const char *const one[] = {"axes: {dvfs.lanes: 3}\n", "axes: {dvfs.lanes: 5}\n",
	                                  "axes: {dvfs.lanes: 6}\n"};
	(void)state;
	struct fixture all;
	struct pareto merged;
	search("false", "axes: {dvfs.lanes: [3, 5, 6]}\n", &engine_exact, false, &all);
	pareto_init(&merged, 2, all.explore.front.n_gene);
	for (size_t i = 0; i < 3; i++) {
		struct fixture lanes;
		search("false", one[i], &engine_exact, false, &lanes);
		for (size_t k = 0; k < lanes.unroller.n_design; k++)
			assert_true(energy_is_supplied(lanes.unroller.machine, lanes.unroller.design[k].design.level));
		pareto_merge(&merged, &lanes.explore.front);
		free_fixture(&lanes);
	}
	assert_int_equal(merged.n, all.explore.front.n);
	for (size_t i = 0; i < merged.n * 2; i++)
		assert_close(all.explore.front.objective[i], merged.objective[i]);
	pareto_free(&merged);
	free_fixture(&all);
}

/* Four voltages on two lanes are no space; with two of them allowed, or lanes chosen, it is one. */
static void test_changes_lanes_must_suffice(void **state)
{
	static const char head[] = "name: lanes\nmachine: dvfs_table\nnetwork: tiny\nobjectives: [energy_mj]\n";
	static const char *const more[] = {"", "layers: [{match: '.*', level: [V450, V600]}]\n",
	                                   "axes: {dvfs.lanes: [3, 9]}\n", "axes: {dvfs.lanes: 7}\n"};
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		char path[TEMPORARY_SIZE], text[512], why[256];
		struct space space;
		struct machine machine;
		struct err err = {0};
		snprintf(text, sizeof(text), "%s%s", head, more[i]);
		temporary_write(path, text);
		enum err_code code = space_read(path, &space, &err);
		assert_int_equal(code, i == 0 ? ERR_INPUT : ERR_OK);
		if (i == 0)
			assert_non_null(strstr(err_text(&err),
			                       "power lanes (dvfs.n_lane = 2): if it has more, say so in its "
			                       "file (dvfs: {n_lane: "));
		else
			assert_int_equal(space_machine(&space, 0, &machine, why, sizeof(why)), i < 3);
		if (i == 3)
			assert_non_null(strstr(why, "more voltages than dvfs.n_lane = 2"));
		if (i > 0)
			space_free(&space);
		err_clear(&err);
		(void)remove(path);
	}
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_changes_cost_what_the_machine_says),
	    cmocka_unit_test(test_changes_composition_is_exact),
	    cmocka_unit_test(test_changes_are_in_the_sums),
	    cmocka_unit_test(test_changes_lanes_are_chosen),
	    cmocka_unit_test(test_changes_lanes_must_suffice),
	};
	return cmocka_run_group_tests_name("changes", test, NULL, NULL);
}
