/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans of whole layers against brute force: each way to deal levels to classes of units, in each repeat of each
 * stretch by its own, gone through PE by PE (pe_plan_replay). And what plans take: in the fast tier, in the event tier,
 * and as amounts times coefficients.
 */
#include "tests/support/unit_test.h"

#include "dse/space/detail.h"
#include "dse/spread/layer_plan.h"
#include "sim/program/energy_use.h"
#include "sim/program/mixed.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/random_chip.h"
#include "tests/support/random_design.h"
#include "tests/support/shipped_machine.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHAIN 200000
#define MAX_OPTION 4000
#define SLOW 0
#define FAST 1

/* One way through some stretches. */
struct chain {
	double ns, pj, peak_mw;
	bool at_low;
};

struct brute {
	struct machine machine;
	struct layer_context context;
	struct layer_design design;
	struct program program;
	struct sim_result part[2];
	struct loop_groups groups[2];
	struct pe_deal deal;
	struct arena arena;
	size_t n_option, n_chain;
	struct chain *option; /* from the level all stand at: entry_low */
	bool *entry_low;
	struct chain *chain;
	bool is_too_large;
};

static void put_option(struct brute *brute, const struct pe_plan_work *work, const struct pe_plan *plan)
{
	struct chain *option = &brute->option[brute->n_option];
	if (brute->n_option == MAX_OPTION) {
		brute->is_too_large = true;
		return;
	}
	assert_true(pe_plan_replay(work, plan, &option->ns, &option->pj, &option->peak_mw));
	option->at_low = plan->exit == SLOW;
	brute->entry_low[brute->n_option++] = plan->entry == SLOW;
}

/* A PE of a unit that does n_first tasks at a level and n_second at another; its own are the first n_own of these. */
static struct pe_plan_group group_of(uint32_t n_pe, uint32_t n_own, uint32_t n_first, uint32_t n_second,
                                     bool slow_first)
{
	uint32_t own_first = n_own < n_first ? n_own : n_first;
	struct pe_plan_group group = {.n_pe = n_pe,
	                              .first = slow_first ? SLOW : FAST,
	                              .second = slow_first ? FAST : SLOW,
	                              .n_first = own_first,
	                              .n_wait_first = n_first - own_first,
	                              .n_second = n_own - own_first};
	group.n_wait_second = n_second - group.n_second;
	return group;
}

/* Classes from c on: all numbers of slow tasks, slow first or last. */
static void deal_levels(struct brute *brute, const struct pe_plan_work *work, uint32_t c, struct pe_plan *plan)
{
	if (c == work->n_class) {
		put_option(brute, work, plan);
		return;
	}
	const struct pe_plan_class *class = &work->class[c];
	uint32_t n_task = class->part[0].n_task, n_before = plan->n_group;
	for (uint32_t n_slow = 0; n_slow <= n_task; n_slow++)
		for (int order = 0; order < 2; order++) {
			uint32_t n_first = order == 0 ? n_slow : n_task - n_slow;
			plan->n_group = n_before;
			for (uint32_t i = 0; i < class->n_part; i++)
				plan->group[plan->n_group++] =
				    group_of(class->n_unit * class->part[i].n_pe, class->part[i].n_task, n_first,
				             n_task - n_first, order == 0);
			deal_levels(brute, work, c + 1, plan);
		}
	plan->n_group = n_before;
}

/* What a stretch can do; false: its PEs are in no classes. */
static bool list_options(struct brute *brute, const struct pe_stretch *stretch)
{
	const uint32_t level[2] = {SLOW, FAST};
	const struct pe_loops loops = {&brute->machine, brute->groups, level, 2, &brute->deal};
	brute->n_option = 0;
	for (int by_qpe = brute->machine.dvfs_domain == DVFS_QPE; by_qpe < 2; by_qpe++) {
		struct pe_plan_work work;
		if (!pe_deal_work(&loops, stretch, by_qpe, &work) || work.n_class == 0)
			continue;
		for (uint32_t ends = 0; ends < 4 && !brute->is_too_large; ends++) {
			struct pe_plan plan = {.entry = ends & 1 ? FAST : SLOW, .exit = ends & 2 ? FAST : SLOW};
			deal_levels(brute, &work, 0, &plan);
		}
	}
	return brute->n_option > 0;
}

/* One stretch more; what is worse in all three goes, or there would be millions. */
static void extend(struct brute *brute)
{
	struct chain *before = brute->chain, *made = calloc(MAX_CHAIN, sizeof(*made));
	size_t n = 0;
	assert_non_null(made);
	for (size_t i = 0; i < brute->n_chain; i++)
		for (size_t k = 0; k < brute->n_option && !brute->is_too_large; k++) {
			struct chain next = brute->option[k];
			bool is_beaten = false;
			if (brute->entry_low[k] != before[i].at_low)
				continue;
			next.ns += before[i].ns;
			next.pj += before[i].pj;
			next.peak_mw = fmax(next.peak_mw, before[i].peak_mw);
			for (size_t m = 0; m < n && !is_beaten; m++)
				is_beaten = made[m].at_low == next.at_low && made[m].ns <= next.ns &&
				            made[m].pj <= next.pj && made[m].peak_mw <= next.peak_mw;
			brute->is_too_large |= n + 1 == MAX_CHAIN;
			if (!is_beaten && !brute->is_too_large)
				made[n++] = next;
		}
	free(before);
	brute->chain = made;
	brute->n_chain = n;
}

/* false: nothing to compare, or too much. */
static bool find_chains(struct brute *brute)
{
	size_t n_stage = 0;
	for (size_t i = 0; i < brute->deal.n_stretch; i++)
		n_stage += brute->deal.stretch[i].n_repeat;
	if (n_stage > 3)
		return false;
	brute->chain = calloc(1, sizeof(*brute->chain));
	brute->n_chain = 1;
	for (size_t i = 0; i < brute->deal.n_stretch; i++) {
		if (!list_options(brute, &brute->deal.stretch[i]) || brute->is_too_large || brute->n_option > 300)
			return false;
		for (uint32_t k = 0; k < brute->deal.stretch[i].n_repeat; k++)
			extend(brute);
	}
	double mw = energy_static_mw(&brute->machine, FAST), ns = brute->machine.dvfs_switch_ns;
	for (size_t i = 0; i < brute->n_chain; i++)
		if (brute->chain[i].at_low) {
			brute->chain[i].ns += ns;
			brute->chain[i].pj += mw * ns + energy_switch_pj(&brute->machine, SLOW, FAST);
			brute->chain[i].peak_mw = fmax(brute->chain[i].peak_mw, mw);
		}
	return !brute->is_too_large;
}

static bool draw_design(uint32_t trial, struct block *block, struct brute *brute)
{
	struct rng rng = rng_stream(83, 0, trial);
	struct machine like = shipped_machine("spaces/machines/dvfs_chip.yaml");
	struct verdict verdict;
	memset(brute, 0, sizeof(*brute));
	brute->machine = random_chip(&rng, &like);
	brute->machine.dvfs_domain = rng_below(&rng, 3) ? DVFS_PE : DVFS_QPE;
	brute->machine.dvfs_switch_ns = rng_below(&rng, 2) ? (double)rng_below(&rng, 90) : 0;
	brute->machine.dvfs_switch_nj = rng_below(&rng, 2) ? 0.002 : 0;
	assert_int_equal(mixed_offer(&brute->machine, 0, NULL), ERR_OK);
	*block = random_block(&rng);
	brute->design = random_design(&rng, block, &brute->machine);
	brute->design.level = 2;
	mapper_prepare_form(block, &brute->machine, brute->design.operand_bit, brute->design.form, &brute->context);
	if (!mapper_distribute(&brute->context, &brute->design, &brute->program, &verdict))
		return false;
	for (uint32_t i = 0; i < 2; i++) {
		struct layer_design at = brute->design;
		at.level = i;
		fast_run(&brute->machine, &brute->program, i, &brute->part[i]);
		brute->groups[i] = loop_groups_of(&brute->context, &at, &brute->part[i]);
	}
	return result_is_counted(&brute->part[0]) && result_is_counted(&brute->part[1]);
}

static void free_brute(struct brute *brute)
{
	arena_free(&brute->arena);
	free(brute->chain);
	free(brute->option);
	free(brute->entry_low);
}

/* Loads and ARM work at the faster level. */
static double apart_ns(const struct brute *brute)
{
	return brute->groups[FAST].load.ns + brute->groups[FAST].arm.ns;
}

static double apart_pj(const struct brute *brute)
{
	const struct loop_groups *groups = &brute->groups[FAST];
	return groups->load.dynamic_pj + groups->arm.dynamic_pj + groups->static_mw * apart_ns(brute);
}

/* Each plan is one of the chains, or as good, and none is better than all plans in time and energy, sleep counted. */
static void compare(const struct brute *brute, const struct layer_plans *plans)
{
	double slope_mw = energy_sleep_mw(&brute->machine);
	double *ns = calloc(plans->n + 1, sizeof(*ns)), *pj = calloc(plans->n + 1, sizeof(*pj));
	assert_true(ns && pj);
	/* all at the faster level is no plan, but a way, too */
	ns[0] = brute->part[FAST].latency_ns;
	pj[0] = brute->part[FAST].energy.total_pj;
	for (size_t i = 0; i < plans->n; i++) {
		struct sim_result result;
		struct energy_use use, value;
		layer_plan_price(plans, i, &plans->fast, &result);
		ns[1 + i] = result.latency_ns;
		pj[1 + i] = result.energy.total_pj;
		energy_use_of(&brute->machine, 2, &result, &use);
		energy_use_values(&brute->machine, &value);
		assert_near(energy_use_pj(&use, &value), result.energy.total_pj, 1e-9);
		bool is_chain = false;
		for (size_t k = 0; k < brute->n_chain && !is_chain; k++)
			is_chain = brute->chain[k].ns + apart_ns(brute) <= ns[1 + i] * (1 + 1e-9) &&
			           brute->chain[k].pj + apart_pj(brute) <= pj[1 + i] * (1 + 1e-9);
		assert_true(is_chain);
	}
	for (size_t k = 0; k < brute->n_chain; k++) {
		double own_ns = brute->chain[k].ns + apart_ns(brute), own_pj = brute->chain[k].pj + apart_pj(brute);
		bool is_met = false;
		for (size_t i = 0; i <= plans->n && !is_met; i++)
			is_met = ns[i] <= own_ns * (1 + 1e-9) &&
			         pj[i] - slope_mw * ns[i] <= own_pj - slope_mw * own_ns + 1e-9 * own_pj;
		if (!is_met)
			print_error("chain of %.9g ns, %.9g pJ: none of %zu plans is as good\n", own_ns, own_pj,
			            plans->n);
		assert_true(is_met);
	}
	free(ns);
	free(pj);
}

/* Peaks: none above that of a plan that counts it for less; and as flat as any chain that is no slower and no dearer
 * than a change of all PEs. */
static void compare_peaks(const struct brute *brute, const struct layer_plans *plans)
{
	double flattest = INFINITY, least = INFINITY;
	for (size_t i = 0; i < plans->n; i++) {
		struct sim_result result;
		layer_plan_price(plans, i, &plans->fast, &result);
		flattest = fmin(flattest, result.peak_power_mw);
	}
	for (size_t k = 0; k < brute->n_chain; k++)
		least = fmin(least, brute->chain[k].peak_mw);
	/* loads have a peak of their own */
	assert_true(fmax(least, brute->part[FAST].apart_power_mw) <= flattest * (1 + 1e-9));
}

static void test_layer_plans_equal_brute_force(void **state)
{
	const uint32_t n_wanted = draws(500, 60);
	uint32_t n = 0, n_several = 0, n_plan = 0, n_odd = 0;
	(void)state;
	for (uint32_t trial = 0; n < n_wanted; trial++) {
		static struct brute brute;
		struct block block;
		struct layer_plans plans[2];
		if (!draw_design(trial, &block, &brute))
			continue;
		brute.option = calloc(MAX_OPTION, sizeof(*brute.option));
		brute.entry_low = calloc(MAX_OPTION, sizeof(*brute.entry_low));
		if (brute.groups[0].loop.ns > 0 &&
		    pe_deal_of(&brute.context, &brute.design, &brute.arena, &brute.deal) && find_chains(&brute)) {
			for (int i = 0; i < 2; i++)
				layer_plans_make(&brute.context, &brute.design, &brute.program, i == 1, &brute.part[0],
				                 &brute.part[1], &plans[i]);
			n_odd += plans[0].deal.n_stretch > 0 && !plans[0].stretch;
			if (plans[0].stretch) {
				assert_false(plans[0].is_thinned);
				compare(&brute, &plans[0]);
				compare_peaks(&brute, &plans[1]);
				n++;
				n_several += plans[0].n > 1;
				n_plan += (uint32_t)plans[0].n;
			}
			layer_plans_free(&plans[0]);
			layer_plans_free(&plans[1]);
		}
		free_brute(&brute);
	}
	print_message("%u designs, %u with several of %u plans; of %u loops are not as equal as plans take them\n", n,
	              n_several, n_plan, n_odd);
	assert_true(n_several > n_wanted / 4 && n_odd < n_wanted / 4);
}

/* In the event tier, where slow PEs wait for the NoC as if all asked at the faster clock, a plan is nearly as long. */
static void test_layer_plans_in_the_event_tier(void **state)
{
	const uint32_t n_wanted = draws(100, 10);
	double most = 0, sum = 0;
	uint32_t n = 0;
	(void)state;
	for (uint32_t trial = 100000; n < n_wanted; trial++) {
		static struct brute brute;
		struct block block;
		const struct detail_options events = {.detail = DETAIL_EVENT}, fast = {.detail = DETAIL_FAST};
		struct sim_result event, quick, high;
		struct layer_plans plans = {0};
		if (!draw_design(trial, &block, &brute))
			continue;
		layer_plans_make(&brute.context, &brute.design, &brute.program, false, &brute.part[0], &brute.part[1],
		                 &plans);
		if (plans.n > 0) {
			struct layer_design at = brute.design;
			brute.design.plan = layer_plan_number((uint32_t)(plans.n / 2), false);
			at.level = FAST;
			assert_int_equal(
			    detail_simulate(&brute.context, &brute.design, &brute.program, &fast, &quick, NULL, NULL),
			    ERR_OK);
			assert_int_equal(
			    detail_simulate(&brute.context, &brute.design, &brute.program, &events, &event, NULL, NULL),
			    ERR_OK);
			assert_int_equal(
			    detail_simulate(&brute.context, &at, &brute.program, &events, &high, NULL, NULL), ERR_OK);
			/* no faster than all PEs at the faster level, of which the plan's are some */
			assert_true(event.latency_ns >= high.latency_ns * (1 - 1e-9));
			assert_true(event.mix.low_frac >= 0 && event.mix.high_frac <= 1 && event.mix.low_ns >= 0);
			double off = fabs(event.latency_ns / quick.latency_ns - 1) -
			             fabs(high.latency_ns / brute.part[FAST].latency_ns - 1);
			most = fmax(most, off);
			sum += fmax(off, 0);
			n++;
		}
		layer_plans_free(&plans);
		free_brute(&brute);
	}
	print_message("plans are off by at most %.2f %% more than one level is, mean %.2f %%\n", 100 * most,
	              100 * sum / n);
	assert_true(sum / n < 0.02 && most < 0.15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_layer_plans_equal_brute_force),
	                                   cmocka_unit_test(test_layer_plans_in_the_event_tier)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
