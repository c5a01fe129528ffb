/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans in which the tasks are dealt evenly. Two classes of units: those whose PEs have a task in the last loop (in one
 * unit perhaps only some of them), and the others. For each end of the layer that a change of level can lead to, a PE
 * of a class runs as few tasks at the fast level as it must. When they run costs nothing, but decides the peak: so many
 * units of a class run the slow ones first, the others last.
 */
#include "dse/power/power_pe_parts.h"
#include "dse/base/memory.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { SLOW_FIRST, FAST_FIRST, N_ORDER };

/* Units whose PEs have as many tasks, and the PEs of one of them that have one less. */
struct deal_class {
	uint32_t n_unit, n_task, n_short;
};

/* What a class does for one end, by order of its levels. */
struct class_plan {
	const struct deal_class *class;
	bool is_possible[N_ORDER];
	struct power_pe_group group[N_ORDER], shorter[N_ORDER]; /* of one PE */
	struct pe_pattern pattern[N_ORDER], short_pattern[N_ORDER];
};

static struct power_pe_group group_of(const struct pe_search *search, int order, uint32_t n_task, uint32_t n_fast)
{
	assert(n_fast <= n_task);
	uint32_t n_slow = n_task - n_fast, fast = search->fast, slow = search->slow;
	if (n_fast == 0 || n_slow == 0)
		return (struct power_pe_group){
		    .n_pe = 1, .first = n_fast ? fast : slow, .second = n_fast ? fast : slow, .n_first = n_task};
	if (order == SLOW_FIRST)
		return (struct power_pe_group){
		    .n_pe = 1, .first = slow, .n_first = n_slow, .second = fast, .n_second = n_fast};
	return (struct power_pe_group){.n_pe = 1, .first = fast, .n_first = n_fast, .second = slow, .n_second = n_slow};
}

static double end_of(const struct pe_search *search, int order, uint32_t n_task, uint32_t n_fast)
{
	struct pe_pattern pattern;
	struct power_pe_group group = group_of(search, order, n_task, n_fast);
	pe_pattern_make(search->work, search->entry, search->exit, &group, &pattern);
	return pattern.ns;
}

/* Tasks between changes of level: 1 unless there are many. */
static uint32_t step_of(uint32_t n_task)
{
	return (uint32_t)ceil_div(n_task > 0 ? n_task : 1, POWER_PE_MAX_CHANGE);
}

/* The fewest tasks at the fast level with which a PE is done by end_ns; false: none. */
static bool fewest_fast(const struct pe_search *search, int order, uint32_t n_task, double end_ns, uint32_t *n_fast)
{
	uint32_t step = step_of(n_task);
	for (*n_fast = 0; *n_fast < n_task; *n_fast += step)
		if (end_of(search, order, n_task, *n_fast) <= end_ns)
			return true;
	*n_fast = n_task;
	return end_of(search, order, n_task, n_task) <= end_ns;
}

/* One task less, whose time the PE waits where its unit's others are. */
static struct power_pe_group shorten(struct power_pe_group group)
{
	if (group.second != group.first)
		group.n_second--;
	else
		group.n_first--;
	group.n_wait = 1;
	return group;
}

/* false: a PE of the class cannot be done by then. */
static bool plan_class(const struct pe_search *search, const struct deal_class *class, double end_ns,
                       struct class_plan *plan)
{
	bool is_possible = false;
	*plan = (struct class_plan){.class = class};
	for (int order = 0; order < N_ORDER; order++) {
		uint32_t n_fast;
		plan->is_possible[order] = fewest_fast(search, order, class->n_task, end_ns, &n_fast);
		if (!plan->is_possible[order])
			continue;
		is_possible = true;
		plan->group[order] = group_of(search, order, class->n_task, n_fast);
		plan->shorter[order] = shorten(plan->group[order]);
		pe_pattern_make(search->work, search->entry, search->exit, &plan->group[order], &plan->pattern[order]);
		pe_pattern_make(search->work, search->entry, search->exit, &plan->shorter[order],
		                &plan->short_pattern[order]);
	}
	return is_possible;
}

/* ---- who runs the slow tasks first ---- */

/* The plan with so many units of each class slow first. */
static struct power_pe_plan plan_of(const struct pe_search *search, const struct class_plan *class, size_t n_class,
                                    const uint32_t *n_slow_first)
{
	uint32_t n_unit_pe = search->work->n_unit_pe;
	struct power_pe_plan plan = {.entry = search->entry, .exit = search->exit};
	for (size_t c = 0; c < n_class; c++) {
		uint32_t n_unit[N_ORDER] = {n_slow_first[c], class[c].class->n_unit - n_slow_first[c]};
		int of_short = n_unit[SLOW_FIRST] > 0 ? SLOW_FIRST : FAST_FIRST;
		for (int order = 0; order < N_ORDER; order++) {
			struct power_pe_group group = class[c].group[order], shorter = class[c].shorter[order];
			shorter.n_pe = order == of_short ? class[c].class->n_short : 0;
			group.n_pe = n_unit[order] * n_unit_pe - shorter.n_pe;
			pe_plan_put(&plan, group);
			pe_plan_put(&plan, shorter);
		}
	}
	return plan;
}

/* A time at which power may rise, and what one unit of a class takes then. */
struct instant {
	double mw[2][N_ORDER], short_mw[2][N_ORDER]; /* of one PE, by class */
};

#define MAX_INSTANT (2 * N_ORDER * 2 * PATTERN_MAX_STEP)

static size_t list_instants(const struct class_plan *class, size_t n_class, struct instant *instant)
{
	size_t n = 0;
	double at_ns[MAX_INSTANT];
	for (size_t c = 0; c < n_class; c++)
		for (int order = 0; order < N_ORDER; order++)
			for (int k = 0; k < 2 && class[c].is_possible[order]; k++) {
				const struct pe_pattern *pattern =
				    k ? &class[c].short_pattern[order] : &class[c].pattern[order];
				if (k && class[c].class->n_short == 0)
					continue;
				for (unsigned i = 0; i < pattern->n_step; i++)
					at_ns[n++] = i == 0 ? 0 : pattern->end_ns[i - 1];
			}
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < n_class; c++)
			for (int order = 0; order < N_ORDER; order++) {
				instant[i].mw[c][order] = pe_pattern_over_mw(&class[c].pattern[order], at_ns[i]);
				instant[i].short_mw[c][order] =
				    pe_pattern_over_mw(&class[c].short_pattern[order], at_ns[i]);
			}
	return n;
}

/*
 * Leave out instants that keep the peak however the orders are chosen; returns how many stay, SIZE_MAX: some breaks it
 * however they are.
 */
static size_t drop_instants(const struct pe_search *search, const struct class_plan *class, size_t n_class,
                            struct instant *instant, size_t n)
{
	size_t n_kept = 0;
	for (size_t i = 0; i < n; i++) {
		double least_mw = search->wait_mw, most_mw = search->wait_mw;
		for (size_t c = 0; c < n_class; c++) {
			const double *mw = instant[i].mw[c], *short_mw = instant[i].short_mw[c];
			double n_pe = (double)class[c].class->n_unit * search->work->n_unit_pe;
			double n_short = class[c].class->n_short;
			int low = mw[SLOW_FIRST] <= mw[FAST_FIRST] ? SLOW_FIRST : FAST_FIRST;
			if (!class[c].is_possible[SLOW_FIRST] || !class[c].is_possible[FAST_FIRST])
				low = class[c].is_possible[SLOW_FIRST] ? SLOW_FIRST : FAST_FIRST;
			int high = class[c].is_possible[N_ORDER - 1 - low] ? N_ORDER - 1 - low : low;
			double over_mw[N_ORDER] = {short_mw[0] - mw[0], short_mw[1] - mw[1]};
			least_mw += n_pe * mw[low] + n_short * fmin(0, fmin(over_mw[low], over_mw[high]));
			most_mw += n_pe * mw[high] + n_short * fmax(0, fmax(over_mw[low], over_mw[high]));
		}
		if (!pe_keeps(least_mw, search->max_peak_mw))
			return SIZE_MAX;
		if (!pe_keeps(most_mw, search->max_peak_mw))
			instant[n_kept++] = instant[i];
	}
	return n_kept;
}

/* What a class takes at an instant with so many of its units slow first. */
static double class_mw(const struct pe_search *search, const struct class_plan *class, size_t c,
                       const struct instant *at, uint32_t n_slow_first)
{
	const struct deal_class *of = class[c].class;
	int of_short = n_slow_first > 0 ? SLOW_FIRST : FAST_FIRST;
	double n_unit_pe = search->work->n_unit_pe;
	return n_unit_pe *
	           (n_slow_first * at->mw[c][SLOW_FIRST] + (of->n_unit - n_slow_first) * at->mw[c][FAST_FIRST]) +
	       of->n_short * (at->short_mw[c][of_short] - at->mw[c][of_short]);
}

/* Bounds of a class's units that can be slow first. */
static void bound_orders(const struct class_plan *class, uint32_t *least, uint32_t *most)
{
	*least = class->is_possible[FAST_FIRST] ? 0 : class->class->n_unit;
	*most = class->is_possible[SLOW_FIRST] ? class->class->n_unit : 0;
}

/* What a class takes above waiting. */
static double class_pj(const struct pe_search *search, const struct class_plan *class, uint32_t n_slow_first)
{
	uint32_t n_unit[N_ORDER] = {n_slow_first, class->class->n_unit - n_slow_first};
	int of_short = n_slow_first > 0 ? SLOW_FIRST : FAST_FIRST;
	double pj = class->class->n_short * (class->short_pattern[of_short].pj - class->pattern[of_short].pj);
	for (int order = 0; order < N_ORDER; order++)
		pj += (double)n_unit[order] * search->work->n_unit_pe * class->pattern[order].pj;
	return pj;
}

/* The units of the second class that can be slow first, beside x of the first one, under the peak; false: none. */
static bool bound_second(const struct pe_search *search, const struct class_plan *class, const struct instant *instant,
                         size_t n_instant, uint32_t x, uint32_t *least, uint32_t *most)
{
	double low = *least, high = *most, max_mw = search->max_peak_mw;
	for (size_t i = 0; i < n_instant && low <= high; i++) {
		double mw = search->wait_mw + class_mw(search, class, 0, &instant[i], x);
		mw += class_mw(search, class, 1, &instant[i], 0);
		double step_mw =
		    search->work->n_unit_pe * (instant[i].mw[1][SLOW_FIRST] - instant[i].mw[1][FAST_FIRST]);
		if (!(step_mw > 0 || step_mw < 0)) {
			if (!pe_keeps(mw, max_mw))
				return false;
			continue;
		}
		/* sums of doubles: one unit more may keep it, too */
		double edge = fmin(fmax((max_mw - mw) / step_mw, -1), (double)*most + 1);
		if (step_mw > 0)
			high = fmin(high, floor(edge) + pe_keeps(mw + (floor(edge) + 1) * step_mw, max_mw));
		else
			low = fmax(low, ceil(edge) - pe_keeps(mw + (ceil(edge) - 1) * step_mw, max_mw));
	}
	if (low > high)
		return false;
	*least = (uint32_t)low;
	*most = (uint32_t)high;
	return true;
}

/* Without a second class. */
static bool keeps_alone(const struct pe_search *search, const struct class_plan *class, const struct instant *instant,
                        size_t n_instant, uint32_t x)
{
	for (size_t i = 0; i < n_instant; i++)
		if (!pe_keeps(search->wait_mw + class_mw(search, class, 0, &instant[i], x), search->max_peak_mw))
			return false;
	return true;
}

/* Of all numbers of units that keep the peak at all instants the thriftiest is kept. */
static void add_best_orders(struct pe_search *search, const struct class_plan *class, size_t n_class)
{
	struct instant instant[MAX_INSTANT];
	size_t n_instant = 0;
	if (isfinite(search->max_peak_mw))
		n_instant = drop_instants(search, class, n_class, instant, list_instants(class, n_class, instant));
	if (n_instant == SIZE_MAX)
		return;
	uint32_t least[2] = {0, 0}, most[2] = {0, 0}, best[2] = {0, 0};
	double best_pj = INFINITY;
	for (size_t c = 0; c < n_class; c++)
		bound_orders(&class[c], &least[c], &most[c]);
	for (uint32_t x = least[0]; x <= most[0]; x++) {
		uint32_t low = least[1], high = most[1];
		/* energy is linear from the second one on: without a peak the ends will do */
		if (n_instant == 0 && x > least[0] + 1)
			x = most[0];
		bool keeps = n_class > 1 ? bound_second(search, class, instant, n_instant, x, &low, &high)
		                         : keeps_alone(search, class, instant, n_instant, x);
		if (!keeps)
			continue;
		uint32_t y = low;
		double pj = class_pj(search, &class[0], x);
		if (n_class > 1) {
			double low_pj = class_pj(search, &class[1], low), high_pj = class_pj(search, &class[1], high);
			y = high_pj < low_pj ? high : low;
			pj += fmin(low_pj, high_pj);
		}
		if (pj < best_pj) {
			best_pj = pj;
			best[0] = x;
			best[1] = y;
		}
	}
	if (isinf(best_pj))
		return;
	struct power_pe_plan plan = plan_of(search, class, n_class, best);
	pe_search_add(search, &plan);
}

/* ---- over all ends ---- */

static int compare_reals(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

/* Ends of the layer that some number of fast tasks of some class leads to, each once, the earliest first. */
static size_t list_ends(const struct pe_search *search, const struct deal_class *class, size_t n_class, double *end_ns)
{
	size_t n = 0, n_distinct = 0;
	for (size_t c = 0; c < n_class; c++) {
		uint32_t step = step_of(class[c].n_task);
		for (int order = 0; order < N_ORDER; order++) {
			for (uint32_t k = 0; k < class[c].n_task; k += step)
				end_ns[n++] = end_of(search, order, class[c].n_task, k);
			end_ns[n++] = end_of(search, order, class[c].n_task, class[c].n_task);
		}
	}
	qsort(end_ns, n, sizeof(*end_ns), compare_reals);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || end_ns[i] > end_ns[n_distinct - 1])
			end_ns[n_distinct++] = end_ns[i];
	return n_distinct;
}

#define MAX_END (2 * N_ORDER * (POWER_PE_MAX_CHANGE + 2))

void pe_search_dealt(struct pe_search *search)
{
	const struct power_pe_work *work = search->work;
	uint64_t n_each = work->n_task / work->n_pe;
	uint32_t n_last = (uint32_t)(work->n_task % work->n_pe), n_unit = work->n_pe / work->n_unit_pe;
	uint32_t n_long = (uint32_t)ceil_div(n_last, work->n_unit_pe);
	struct deal_class class[2];
	size_t n_class = 0;
	double end_ns[MAX_END];
	assert(n_each < UINT32_MAX && work->n_pe % work->n_unit_pe == 0);
	if (n_long > 0)
		class[n_class++] = (struct deal_class){n_long, (uint32_t)n_each + 1, n_long * work->n_unit_pe - n_last};
	if (n_long < n_unit && n_each > 0)
		class[n_class++] = (struct deal_class){n_unit - n_long, (uint32_t)n_each, 0};
	size_t n_end = list_ends(search, class, n_class, end_ns);
	for (size_t i = 0; i < n_end; i++) {
		struct class_plan plan[2];
		bool is_possible = true;
		for (size_t c = 0; c < n_class && is_possible; c++)
			is_possible = plan_class(search, &class[c], end_ns[i], &plan[c]);
		if (is_possible)
			add_best_orders(search, plan, n_class);
	}
}
