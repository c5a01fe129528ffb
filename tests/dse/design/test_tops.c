/* SPDX-License-Identifier: Apache-2.0 */
/* TOPS/W and TOPS/mm2 as objectives: what they stand for, their values by hand, and that the front has the best ones.
 */
#include "tests/support/unit_test.h"

#include "tests/support/draws.h"
#include "tests/support/each_point.h"
#include "tests/support/near.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SPACE                                                                        \
	"name: tops\nmachine: dvfs_chip_22nm\naxes: {mla.array: [16x4, 8x4, 8x2]}\n" \
	"layers: [{match: '.*', split: even, level: [PL1, PL2], strategy: [fusion, fusion_reuse]}]\n"

/* Multiply-accumulates of spaces/networks/tiny.yaml: 32x32x3 by 3x3 to 16, pooled; by 3x3 to 32; 16x16x32 to 16. */
#define N_MAC (32.0 * 32 * 16 * 9 * 3 + 16 * 16 * 32 * 9 * 16 + 16 * 16 * 32 * 16)

struct best {
	double least_mj, least_ms_mm2, most_tops_w, most_tops_mm2;
};

/* Each point's figures are operations over its energy, and over time and area. */
static void look(const struct unroller *unroller, const struct unrolled *point, void *context)
{
	struct best *best = context;
	double tops_w = unroll_tops_w(unroller->explore->space, point);
	double tops_mm2 = unroll_tops_mm2(unroller->explore->space, point);
	double seconds = point->metric[METRIC_LATENCY] * 1e-3, joule = point->metric[METRIC_ENERGY] * 1e-3;
	assert_near(tops_w, 2 * N_MAC / joule / 1e12, 1e-9);
	assert_near(tops_mm2, 2 * N_MAC / seconds / 1e12 / point->metric[METRIC_AREA], 1e-9);
	best->least_mj = fmin(best->least_mj, point->metric[METRIC_ENERGY]);
	best->least_ms_mm2 = fmin(best->least_ms_mm2, point->metric[METRIC_LATENCY] * point->metric[METRIC_AREA]);
	best->most_tops_w = fmax(best->most_tops_w, tops_w);
	best->most_tops_mm2 = fmax(best->most_tops_mm2, tops_mm2);
}

/* Of the front. */
static void search(const char *text, struct best *best)
{
	*best = (struct best){INFINITY, INFINITY, 0, 0};
	each_point(text, look, best);
}

static void test_tops_front_has_the_best(void **state)
{
	(void)state;
	struct space space;
	struct best both, energy, one;
	double least_ms_mm2 = INFINITY;
	space_read_text(SPACE "network: tiny\nobjectives: [tops_w, tops_mm2, latency_ms]\n", &space);
	assert_true(space.n_objective == 3 && space.objective[0] == METRIC_ENERGY &&
	            space.objective[1] == METRIC_LATENCY && space.objective[2] == METRIC_AREA);
	space_free(&space);
	search(SPACE "network: tiny\nobjectives: [tops_w, tops_mm2]\n", &both);
	search(SPACE "network: tiny\nobjectives: [energy_mj]\n", &energy);
	assert_close(both.least_mj, energy.least_mj);
	/* the fastest design of each machine alone */
	static const int array[] = {64, 32, 16};
	for (int i = 0; i < 3; i++) {
		char text[512];
		(void)snprintf(text, sizeof(text),
		               SPACE "network: tiny\nobjectives: [latency_ms]\nconstraints: [mla.array == %d]\n",
		               array[i]);
		search(text, &one);
		least_ms_mm2 = fmin(least_ms_mm2, one.least_ms_mm2);
	}
	assert_close(both.least_ms_mm2, least_ms_mm2);
	assert_near(both.most_tops_mm2, 2 * N_MAC * 1e-9 / least_ms_mm2, 1e-9);
	assert_near(both.most_tops_w, 2 * N_MAC * 1e-9 / energy.least_mj, 1e-9);
}

/* Designs that a limit lets through, and how the search without it has them. */
struct limited {
	double least_tops_w, least_tops_mm2;
	unsigned n, n_over;
};

static void count_limited_mm2(const struct unroller *unroller, const struct unrolled *point, void *context)
{
	struct limited *limited = context;
	limited->n++;
	limited->n_over += unroll_tops_mm2(unroller->explore->space, point) >= limited->least_tops_mm2 * (1 - 1e-12);
}

static void count_limited(const struct unroller *unroller, const struct unrolled *point, void *context)
{
	struct limited *limited = context;
	double tops_w = unroll_tops_w(unroller->explore->space, point);
	limited->n++;
	limited->n_over += tops_w >= limited->least_tops_w * (1 - 1e-12);
}

/* tops_w >= number lets through the points of the front that have as much, whichever way around it is written. */
static void test_tops_limits(void **state)
{
	(void)state;
	struct best best;
	search(SPACE "network: tiny\nobjectives: [latency_ms, energy_mj]\n", &best);
	for (int i = 1; i < 6; i += draws_all() ? 1 : 2) {
		double least = best.most_tops_w * (1 - 0.04 * i);
		struct limited all = {.least_tops_w = least}, some[2] = {all, all};
		char text[512];
		each_point(SPACE "network: tiny\nobjectives: [latency_ms, energy_mj]\n", count_limited, &all);
		for (int mirrored = 0; mirrored < 2; mirrored++) {
			(void)snprintf(text, sizeof(text),
			               mirrored ? SPACE "network: tiny\nobjectives: [latency_ms, energy_mj]\n"
			                                "constraints: ['%.17g <= tops_w']\n"
			                        : SPACE "network: tiny\nobjectives: [latency_ms, energy_mj]\n"
			                                "constraints: [tops_w >= %.17g]\n",
			               least);
			each_point(text, count_limited, &some[mirrored]);
			assert_int_equal(some[mirrored].n, all.n_over);
			assert_int_equal(some[mirrored].n_over, all.n_over);
		}
		assert_true(all.n_over > 0 && (all.n_over < all.n || i > 1));
	}
}

/* tops_mm2 >= number likewise, on machines of different areas, beside energy and in a flat search, too. */
static void test_tops_mm2_limits(void **state)
{
	static const char *const objectives[] = {"[tops_mm2]", "[latency_ms, energy_mj, area_mm2]"};
	unsigned n_left_out = 0;
	(void)state;
	for (int k = 0; k < 2; k++) {
		struct best best;
		char text[512];
		(void)snprintf(text, sizeof(text), SPACE "network: tiny\nobjectives: %s\n", objectives[k]);
		search(text, &best);
		for (int i = 1; i < 6; i += draws_all() ? 1 : 2) {
			double least = best.most_tops_mm2 * (1 - 0.05 * i);
			struct limited all = {.least_tops_mm2 = least}, some = all;
			each_point(text, count_limited_mm2, &all);
			char limited[1024];
			(void)snprintf(limited, sizeof(limited), "%sconstraints: [tops_mm2 >= %.17g]\n", text, least);
			each_point(limited, count_limited_mm2, &some);
			assert_true(all.n_over > 0);
			assert_int_equal(some.n, all.n_over);
			assert_int_equal(some.n_over, all.n_over);
			n_left_out += all.n - all.n_over;
		}
	}
	assert_true(n_left_out > 0);
}

static void test_tops_refuses(void **state)
{
	(void)state;
	static const char *const wrong[] = {
	    "objectives: [tops_w, tops_w, latency_ms, latency_ms]\n",
	    "found latency_ms again",
	    "objectives: [dram_byte, sram_byte, mac_units, tops_mm2]\n",
	    "tops_mm2 stands for area_mm2",
	    "objectives: [tops_w, latency_ms]\nconstraints: [tops_w <= 3]\n",
	    "only a lower limit 'tops_w >= number'",
	    "objectives: [tops_w, latency_ms]\nconstraints: [tops_w * 2 >= 3]\n",
	    "only a lower limit",
	    "objectives: [tops_w, latency_ms]\nconstraints: [tops_w >= 3, energy_mj <= 1]\n",
	    "a second limit on energy_mj",
	    "objectives: [tops_w, latency_ms]\naggregate: worst\nconstraints: [tops_w >= 3]\n",
	    "limit energy_mj",
	    "objectives: [tops_mm2]\nconstraints: [tops_mm2 <= 3]\n",
	    "only a lower limit 'tops_mm2 >= number'",
	    "objectives: [tops_mm2]\nconstraints: [tops_mm2 >= 3, 4 <= tops_mm2]\n",
	    "a second limit on tops_mm2",
	    "objectives: [latency_ms, energy_mj]\nconstraints: [tops_mm2 >= 3]\n",
	    "without latency_ms and area_mm2 among the objectives",
	    "objectives: [tops_mm2]\naggregate: worst\nconstraints: [tops_mm2 >= 3]\n",
	    "limit latency_ms and area_mm2"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i += 2) {
		char path[TEMPORARY_SIZE], text[512];
		struct space space;
		struct err err = {0};
		(void)snprintf(text, sizeof(text), SPACE "network: tiny\n%s", wrong[i]);
		temporary_write(path, text);
		assert_int_equal(space_read(path, &space, &err), ERR_INPUT);
		if (!strstr(err_text(&err), wrong[i + 1]))
			fail_msg("%s", err_text(&err));
		err_clear(&err);
		(void)remove(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_tops_front_has_the_best),
	    cmocka_unit_test(test_tops_limits),
	    cmocka_unit_test(test_tops_mm2_limits),
	    cmocka_unit_test(test_tops_refuses),
	};
	return cmocka_run_group_tests_name("tops", tests, NULL, NULL);
}
