/* SPDX-License-Identifier: Apache-2.0 */
/* What plans can reach: no way to deal levels to PEs has more tasks at the slower one by its end, and steps are met. */
#include "tests/support/unit_test.h"

#include "dse/spread/plan_reach.h"
#include "sim/base/rng.h"
#include "tests/support/draws.h"
#include <math.h>
#include <string.h>

enum { MAX_STRETCH = 3, MAX_CLASS = 4, N_WAY = 300 };

struct drawn {
	struct pe_deal deal;
	struct pe_stretch stretch[MAX_STRETCH];
	double task_ns[2], switch_ns;
};

static void draw(struct rng *rng, uint32_t n_stretch, struct drawn *drawn)
{
	*drawn = (struct drawn){.switch_ns = rng_below(rng, 3) ? rng_below(rng, 40) : 0};
	drawn->task_ns[1] = 50 + rng_below(rng, 100);
	drawn->task_ns[0] = drawn->task_ns[1] * (0.9 + 0.1 * rng_below(rng, 8));
	drawn->deal.stretch = drawn->stretch;
	drawn->deal.n_stretch = n_stretch;
	for (uint32_t s = 0; s < n_stretch; s++) {
		struct pe_stretch *stretch = &drawn->stretch[s];
		stretch->n_repeat = n_stretch > 1 ? 1 + rng_below(rng, 3) : 1;
		stretch->by_pe.n = 1 + rng_below(rng, MAX_CLASS);
		for (uint32_t c = 0; c < stretch->by_pe.n; c++) {
			uint32_t n_task = 1 + rng_below(rng, rng_below(rng, 4) ? 9 : 90), n_pe = 1 + rng_below(rng, 5);
			stretch->by_pe.class[c] = (struct pe_plan_class){n_pe, 1, {{1, n_task}}};
			stretch->n_task += (uint64_t)n_pe * n_task;
			stretch->n_loop = n_task > stretch->n_loop ? n_task : stretch->n_loop;
		}
		drawn->deal.n_task += stretch->n_task * stretch->n_repeat;
		drawn->deal.n_loop += (uint64_t)stretch->n_loop * stretch->n_repeat;
	}
}

/* Each PE of a stretch runs a part of its tasks at the slower level; when the last one is done. */
static double deal_levels(struct rng *rng, const struct drawn *drawn, const struct pe_stretch *stretch, double part,
                          uint64_t *n_low)
{
	double ns = 0, switch_ns = drawn->deal.n_stretch == 1 ? 2 * drawn->switch_ns : 0;
	for (uint32_t c = 0; c < stretch->by_pe.n; c++) {
		const struct pe_plan_class *class = &stretch->by_pe.class[c];
		for (uint32_t pe = 0; pe < class->n_unit; pe++) {
			uint32_t n_task = class->part[0].n_task, most = (uint32_t)ceil(part * n_task);
			uint32_t own = rng_below(rng, 3) ? most : rng_below(rng, most + 1);
			*n_low += own;
			ns = fmax(ns, own * drawn->task_ns[0] + (n_task - own) * drawn->task_ns[1] +
			                  (own > 0 ? switch_ns : 0));
		}
	}
	return ns;
}

static void check_way(struct rng *rng, const struct drawn *drawn, const struct plan_reach_step *step, size_t n)
{
	double ns = 0;
	uint64_t n_low = 0;
	size_t at = 0;
	for (size_t s = 0; s < drawn->deal.n_stretch; s++)
		for (uint32_t i = 0; i < drawn->stretch[s].n_repeat; i++)
			ns += deal_levels(rng, drawn, &drawn->stretch[s], rng_below(rng, 11) / 10.0, &n_low);
	assert_true(step[0].ns <= ns * (1 + 1e-9));
	while (at + 1 < n && step[at + 1].ns <= ns * (1 + 1e-9))
		at++;
	assert_true((double)n_low <= step[at].low_frac * (double)drawn->deal.n_task * (1 + 1e-9));
}

/* Of one stretch all PEs that can have one task more there by a step's end have it. */
static void check_met(const struct drawn *drawn, const struct plan_reach_step *step, size_t n)
{
	const struct pe_classes *classes = &drawn->stretch[0].by_pe;
	for (size_t i = 0; i < n; i++) {
		double by_ns = step[i].ns * (1 + 1e-10), n_low = 0;
		for (uint32_t c = 0; c < classes->n; c++) {
			uint32_t n_task = classes->class[c].part[0].n_task, most = 0;
			for (uint32_t own = 1; own <= n_task; own++)
				most = own * drawn->task_ns[0] + (n_task - own) * drawn->task_ns[1] +
				                   2 * drawn->switch_ns <=
				               by_ns
				           ? own
				           : most;
			n_low += (double)most * classes->class[c].n_unit;
		}
		assert_true(fabs(n_low / (double)drawn->deal.n_task - step[i].low_frac) < 1e-9);
	}
}

static void test_plan_reach_bounds_all_ways(void **state)
{
	const uint32_t n = draws(5000, 500);
	uint32_t n_met = 0;
	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		struct rng rng = rng_stream(21, 7, i);
		struct drawn drawn;
		struct plan_reach_step step[PLAN_REACH_MAX_STEP];
		draw(&rng, 1 + i % MAX_STRETCH, &drawn);
		size_t n_step = plan_reach(&drawn.deal, drawn.task_ns, drawn.switch_ns, step);
		assert_true(n_step > 0 && n_step <= PLAN_REACH_MAX_STEP);
		for (size_t k = 1; k < n_step; k++)
			assert_true(step[k].ns >= step[k - 1].ns && step[k].low_frac >= step[k - 1].low_frac);
		for (int way = 0; way < N_WAY; way++)
			check_way(&rng, &drawn, step, n_step);
		if (drawn.deal.n_stretch > 1 || drawn.deal.n_loop > 9)
			continue;
		check_met(&drawn, step, n_step);
		n_met++;
	}
	print_message("%u deals, %u met to the task\n", n, n_met);
	assert_true(n_met > n / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_plan_reach_bounds_all_ways)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
