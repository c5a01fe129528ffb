/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines: energy of the whole period, finishing early and sleeping against running slowly, late designs refused. */
#include "tests/support/unit_test.h"

#include "dse/bound/deadline.h"
#include "dse/engine/engine.h"
#include "dse/search/explore.h"
#include "dse/design/unroll.h"
#include "tests/support/space_text.h"
#include "tests/support/near.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE                                                      \
	"name: due\n"                                              \
	"machine: dvfs_chip\n"                                     \
	"network: tiny\n"                                          \
	"layers:\n"                                                \
	"  - match: '.*'\n"                                        \
	"    split: whole\n"                                       \
	"    level: all\n"                                         \
	"    strategy: [fusion, fusion_reuse]\n"                   \
	"  - match: '^CONV_'\n"                                    \
	"    split:\n"                                             \
	"      width: whole\n"                                     \
	"      in_channels: whole\n"                               \
	"      out_channels: {max_parts: 2, choose: even}\n"       \
	"      height: {max_parts: 8, choose: even}\n"             \
	"  - match: '^FC_'\n"                                      \
	"    split: {in_channels: {max_parts: 2, choose: even}}\n" \
	"    strategy: fusion\n"                                   \
	"objectives: [latency_ms, energy_mj]\n"

/* A space, its front and the front's designs. */
struct fixture {
	struct space space;
	struct explore explore;
	struct unroller unroller;
};

static void read_space(const char *text, struct fixture *fixture)
{
	*fixture = (struct fixture){0};
	space_read_text(text, &fixture->space);
}

static void search(struct fixture *fixture, const struct engine_kind *engine, bool flat)
{
	const struct explore_options options = {.engine = engine, .flat = flat, .n_thread = 2};
	struct err err = {0};
	assert_int_equal(explore_run(&fixture->space, &options, &fixture->explore, &err), ERR_OK);
	assert_int_equal(unroller_init(&fixture->unroller, &fixture->explore, 1, &err), ERR_OK);
}

static void free_fixture(struct fixture *fixture)
{
	unroller_free(&fixture->unroller);
	explore_free(&fixture->explore);
	space_free(&fixture->space);
}

static void assert_same_front(const struct pareto *left, const struct pareto *right)
{
	assert_int_equal(left->n, right->n);
	for (size_t i = 0; i < left->n * left->n_objective; i++)
		assert_close(left->objective[i], right->objective[i]);
}

/* Points of the space without a deadline, priced with one by hand: a front of the same points. */
static void test_deadline_layers_and_flat_find_the_same(void **state)
{
	static const struct engine_kind *const engine[] = {&engine_exhaustive, &engine_exact};
	(void)state;
	struct fixture flat;
	read_space(SPACE "deadline_ms: 1\n", &flat);
	search(&flat, &engine_exhaustive, true);
	assert_true(flat.explore.front.n > 1);
	for (size_t i = 0; i < 2; i++) {
		struct fixture layers;
		read_space(SPACE "deadline_ms: 1\n", &layers);
		search(&layers, engine[i], false);
		assert_same_front(&layers.explore.front, &flat.explore.front);
		free_fixture(&layers);
	}
	free_fixture(&flat);
}

/* Energies of the front: of the layers, and of sleep until the deadline. */
static void test_deadline_energy_is_layers_and_sleep(void **state)
{
	(void)state;
	struct fixture fixture;
	read_space(SPACE "deadline_ms: 1\n", &fixture);
	search(&fixture, &engine_exact, false);
	const struct explore *explore = &fixture.explore;
	struct unrolled point;
	assert_int_equal(unrolled_init(&explore->map, &point, NULL), ERR_OK);
	for (size_t i = 0; i < explore->front.n; i++) {
		double latency_ms = 0, energy_mj = 0;
		unroll_point(&fixture.unroller, i, &point);
		for (size_t k = 0; k < point.n_layer; k++) {
			latency_ms += point.layer[k]->metric[METRIC_LATENCY];
			energy_mj += point.layer[k]->metric[METRIC_ENERGY];
		}
		/* PL1 is the thriftier: 75.2 mW and 1.05 mW for each of 152 PEs */
		double sleep_mj = (75.2 + 152 * 1.05) * (1 - latency_ms) * 1e-3;
		assert_true(latency_ms <= 1);
		assert_close(point.metric[METRIC_ENERGY], energy_mj + sleep_mj);
		assert_close(explore->front.objective[2 * i], latency_ms);
		assert_close(explore->front.objective[2 * i + 1], energy_mj + sleep_mj);
	}
	unrolled_free(&point);
	free_fixture(&fixture);
}

/* Late designs are none; a deadline that nothing meets leaves nothing, and one limit explains it. */
static void test_deadline_refuses_late_designs(void **state)
{
	(void)state;
	struct fixture all, due, none;
	read_space(SPACE, &all);
	search(&all, &engine_exact, false);
	const struct pareto *front = &all.explore.front;
	assert_true(front->n > 2);
	/* between the fastest and the slowest point */
	double ms = (front->objective[0] + front->objective[2 * (front->n - 1)]) / 2;
	char text[1024];
	snprintf(text, sizeof(text), "%sdeadline_ms: %.6g\n", SPACE, ms);
	read_space(text, &due);
	assert_int_equal(due.space.n_limit, 1);
	assert_true(due.space.limit[0].metric == METRIC_LATENCY);
	search(&due, &engine_exact, false);
	assert_true(due.explore.front.n > 0);
	for (size_t i = 0; i < due.explore.front.n; i++)
		assert_true(due.explore.front.objective[2 * i] <= ms);
	snprintf(text, sizeof(text), "%sdeadline_ms: %.6g\n", SPACE, front->objective[0] * 0.9);
	read_space(text, &none);
	search(&none, &engine_exact, false);
	assert_int_equal(none.explore.front.n, 0);
	free_fixture(&none);
	free_fixture(&due);
	free_fixture(&all);
}

/*
 * Energy alone: the shorter a design runs the longer it sleeps. On a machine that takes nothing asleep the least
 * energy is that without a deadline; limits on energy are on that of the period.
 */
static void test_deadline_limits_the_energy_of_the_period(void **state)
{
	(void)state;
	struct fixture due, limited;
	char text[1024];
	read_space(SPACE "deadline_ms: 1\n", &due);
	search(&due, &engine_exact, false);
	const struct pareto *front = &due.explore.front;
	double least_mj = front->objective[2 * (front->n - 1) + 1], most_mj = front->objective[1];
	assert_true(least_mj < most_mj && least_mj > (75.2 + 152 * 1.05) * 1e-3 * 0.5);
	snprintf(text, sizeof(text), "%sdeadline_ms: 1\nconstraints: ['energy_mj <= %.9g']\n", SPACE,
	         (least_mj + most_mj) / 2);
	read_space(text, &limited);
	search(&limited, &engine_exact, false);
	assert_in_range(limited.explore.front.n, 1, front->n - 1);
	size_t n_within = 0;
	for (size_t i = 0; i < front->n; i++)
		n_within += front->objective[2 * i + 1] <= (least_mj + most_mj) / 2;
	assert_int_equal(limited.explore.front.n, n_within);
	free_fixture(&limited);
	free_fixture(&due);
}

/* A front that is thinned loses a part of the whole energy, sleep included: of a long sleep next to nothing. */
static void test_deadline_thinned_fronts_lose_of_the_whole(void **state)
{
	(void)state;
	double epsilon[2];
	for (size_t i = 0; i < 2; i++) {
		struct fixture thinned;
		read_space(i == 0 ? SPACE "search: {max_front: 6}\ndeadline_ms: 1\n"
		                  : SPACE "search: {max_front: 6}\ndeadline_ms: 1000\n",
		           &thinned);
		search(&thinned, &engine_exact, false);
		epsilon[i] = thinned.explore.counts.epsilon;
		free_fixture(&thinned);
	}
	assert_true(epsilon[0] > 0);
	assert_true(epsilon[1] < epsilon[0] / 2);
}

int main(void)
{
	const struct CMUnitTest test[] = {
	    cmocka_unit_test(test_deadline_layers_and_flat_find_the_same),
	    cmocka_unit_test(test_deadline_energy_is_layers_and_sleep),
	    cmocka_unit_test(test_deadline_refuses_late_designs),
	    cmocka_unit_test(test_deadline_limits_the_energy_of_the_period),
	    cmocka_unit_test(test_deadline_thinned_fronts_lose_of_the_whole),
	};
	return cmocka_run_group_tests_name("deadline", test, NULL, NULL);
}
