/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans in which a PE stays at its level as long as it has tasks. For each end of the layer that so many tasks at one
 * of the levels lead to, and each number of units at the fast level, as many units run at the slow one as the peak
 * allows; these do all they can, the fast ones the rest. Under a low peak some sleep.
 */
#include "dse/spread/pe_plan_parts.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>

/* One of the two levels: what a unit there does by the end. */
struct level_side {
	uint32_t level, n_change; /* changes of a PE at its begin and its end */
	double over_mw;           /* of a PE that works, above waiting at the exit level */
	double task_pj;           /* of a task, above waiting */
	double change_pj;         /* of a PE's changes, above waiting */
	uint64_t n_most;          /* tasks of a PE by the end */
};

static struct level_side side_of(const struct pe_search *search, uint32_t level)
{
	const struct pe_plan_work *work = search->work;
	double idle_mw = work->pe_mw[level] - work->pe_mw[search->exit];
	bool begins = level != search->entry, ends = level != search->exit;
	struct level_side side = {.level = level, .n_change = (uint32_t)begins + ends};
	side.over_mw = idle_mw + work->task_pj[level] / work->task_ns[level];
	side.task_pj = work->task_pj[level] + idle_mw * work->task_ns[level];
	side.change_pj = side.n_change * work->switch_pj + (begins ? idle_mw * work->switch_ns : 0);
	return side;
}

/* The time of so many tasks, summed as a pattern's. */
static double side_ns(const struct pe_search *search, const struct level_side *side, uint64_t n_task)
{
	const struct pe_plan_group group = {
	    .n_pe = 1, .first = side->level, .second = side->level, .n_first = (uint32_t)n_task};
	struct pe_pattern pattern;
	assert(n_task < UINT32_MAX);
	pe_pattern_make(search->work, search->entry, search->exit, &group, &pattern);
	return pattern.ns;
}

/* The most tasks of a PE that end by a time. */
static uint64_t most_tasks(const struct pe_search *search, const struct level_side *side, double end_ns)
{
	double n = floor((end_ns - side->n_change * search->work->switch_ns) / search->work->task_ns[side->level]);
	uint64_t most = n > 0 ? (uint64_t)fmin(n, (double)search->work->n_task) : 0;
	if (most < search->work->n_task && side_ns(search, side, most + 1) <= end_ns)
		most++;
	while (most > 0 && side_ns(search, side, most) > end_ns)
		most--;
	return most;
}

/* Units that so many tasks take, rounds of a unit filled. */
static uint64_t units_for(const struct pe_search *search, const struct level_side *side, uint64_t n_task)
{
	return side->n_most > 0 ? ceil_div(ceil_div(n_task, search->work->n_unit_pe), side->n_most) : 0;
}

/* Full units, one with the rest of the rounds, and in the last round PEs that wait for their unit. */
static void put_side(const struct pe_search *search, const struct level_side *side, uint64_t n_task,
                     struct pe_plan *plan)
{
	uint32_t n_unit_pe = search->work->n_unit_pe, n_most = (uint32_t)side->n_most;
	if (n_task == 0)
		return;
	uint64_t n_round = ceil_div(n_task, n_unit_pe), n_full = n_round / n_most;
	uint32_t n_rest = (uint32_t)(n_round % n_most), n_wait = (uint32_t)(n_round * n_unit_pe - n_task);
	struct pe_plan_group group = {
	    .n_pe = (uint32_t)n_full * n_unit_pe, .first = side->level, .second = side->level, .n_first = n_most};
	struct pe_plan_group rest = group;
	rest.n_pe = n_rest > 0 ? n_unit_pe : 0;
	rest.n_first = n_rest;
	struct pe_plan_group *last = n_rest > 0 ? &rest : &group, wait = *last;
	wait.n_pe = n_wait;
	wait.n_first--;
	wait.n_wait_first = 1;
	last->n_pe -= n_wait;
	pe_plan_put(plan, group);
	pe_plan_put(plan, rest);
	pe_plan_put(plan, wait);
}

/* Units at the slow level beside some at the fast one that the peak allows. */
static uint64_t units_beside(const struct pe_search *search, const struct level_side *fast,
                             const struct level_side *slow, uint64_t n_fast)
{
	double n_unit_pe = search->work->n_unit_pe,
	       n_left = search->work->n_pe / search->work->n_unit_pe - (double)n_fast;
	double mw = search->wait_mw + (double)n_fast * n_unit_pe * fast->over_mw, step_mw = n_unit_pe * slow->over_mw;
	if (isinf(search->max_peak_mw) || step_mw <= 0)
		return (uint64_t)n_left;
	double n = fmin(floor((search->max_peak_mw - mw) / step_mw), n_left);
	n += n < n_left && pe_keeps(mw + (n + 1) * step_mw, search->max_peak_mw);
	return n > 0 ? (uint64_t)n : 0;
}

/* For one end: the thriftiest number of units at the fast level. */
static void add_for_end(struct pe_search *search, struct level_side *fast, struct level_side *slow, double end_ns)
{
	const struct pe_plan_work *work = search->work;
	uint64_t n_unit = work->n_pe / work->n_unit_pe, best_fast = 0, n_none = 0;
	double best_pj = INFINITY, n_unit_pe = work->n_unit_pe;
	fast->n_most = most_tasks(search, fast, end_ns);
	slow->n_most = most_tasks(search, slow, end_ns);
	for (uint64_t n = 0; n <= n_unit; n++) {
		double mw = search->wait_mw + (double)n * n_unit_pe * fast->over_mw;
		if (n > 0 && !pe_keeps(mw, search->max_peak_mw))
			break;
		uint64_t can_fast = n * work->n_unit_pe * fast->n_most;
		uint64_t can_slow = units_beside(search, fast, slow, n) * work->n_unit_pe * slow->n_most;
		if (can_fast + can_slow < work->n_task)
			continue;
		uint64_t n_slow = can_slow < work->n_task ? can_slow : work->n_task;
		uint64_t n_fast = work->n_task - n_slow;
		double pj = (double)n_slow * slow->task_pj + (double)n_fast * fast->task_pj +
		            n_unit_pe * ((double)units_for(search, slow, n_slow) * slow->change_pj +
		                         (double)units_for(search, fast, n_fast) * fast->change_pj);
		if (pj < best_pj) {
			best_pj = pj;
			best_fast = n_fast;
		}
		/* from here on more units would only do nothing */
		n_none += n_fast == 0;
		if (n_none > 1)
			break;
	}
	if (isinf(best_pj))
		return;
	struct pe_plan plan = {.entry = search->entry, .exit = search->exit};
	put_side(search, fast, best_fast, &plan);
	put_side(search, slow, work->n_task - best_fast, &plan);
	pe_search_add(search, &plan);
}

/* The last end that can be of use: as many units as the peak allows, all of them slow. 0: it allows none. */
static double last_end(const struct pe_search *search, const struct level_side *fast, const struct level_side *slow)
{
	uint64_t n_unit = units_beside(search, fast, slow, 0);
	if (n_unit == 0)
		return 0;
	return side_ns(search, slow, ceil_div(ceil_div(search->work->n_task, search->work->n_unit_pe), n_unit));
}

void pe_search_fixed(struct pe_search *search)
{
	struct level_side side[2] = {side_of(search, search->fast), side_of(search, search->slow)};
	double last_ns = last_end(search, &side[0], &side[1]), capacity = search->work->n_pe;
	for (int i = 0; i < 2; i++) {
		/* no PE alone has less to do than all of them would have, all fast */
		double most = last_ns / search->work->task_ns[side[i].level];
		double least = (double)search->work->n_task / capacity *
		               (search->work->task_ns[search->fast] / search->work->task_ns[side[i].level]);
		uint64_t n = least > 2 ? (uint64_t)least - 1 : 1;
		uint64_t step = ceil_div((uint64_t)fmax(1, most - (double)n), PE_PLAN_MAX_CHANGE * 2);
		for (; (double)n <= most + 1 && n <= search->work->n_task; n += step) {
			double end_ns = side_ns(search, &side[i], n);
			if (end_ns <= last_ns)
				add_for_end(search, &side[0], &side[1], end_ns);
		}
	}
}
