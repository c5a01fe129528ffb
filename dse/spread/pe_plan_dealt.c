/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans in which PEs have the tasks that they are dealt: those that are placed there, or as many each but for one.
 * Units whose PEs have as many tasks are a class. For each end of the layer that a change of level of some class can
 * lead to, a unit runs as few tasks at the fast level as it must. When they run costs nothing, but decides the peak
 * (pe_plan_order.c).
 */
#include "dse/spread/pe_plan_parts.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Units that one PE more or less makes of tasks that any PE can have: all long, one of both kinds, all short. */
#define MAX_EVEN_CLASS 3

static struct pe_plan_group group_of(const struct pe_search *search, int order, uint32_t n_task, uint32_t n_fast)
{
	assert(n_fast <= n_task);
	uint32_t n_slow = n_task - n_fast, fast = search->fast, slow = search->slow;
	if (n_fast == 0 || n_slow == 0)
		return (struct pe_plan_group){
		    .n_pe = 1, .first = n_fast ? fast : slow, .second = n_fast ? fast : slow, .n_first = n_task};
	if (order == SLOW_FIRST)
		return (struct pe_plan_group){
		    .n_pe = 1, .first = slow, .n_first = n_slow, .second = fast, .n_second = n_fast};
	return (struct pe_plan_group){.n_pe = 1, .first = fast, .n_first = n_fast, .second = slow, .n_second = n_slow};
}

static double end_of(const struct pe_search *search, int order, uint32_t n_task, uint32_t n_fast)
{
	struct pe_pattern pattern;
	struct pe_plan_group group = group_of(search, order, n_task, n_fast);
	pe_pattern_make(search->work, search->entry, search->exit, &group, &pattern);
	return pattern.ns;
}

/* Tasks between changes of level: 1 unless there are many. */
static uint32_t step_of(uint32_t n_task)
{
	return (uint32_t)ceil_div(n_task > 0 ? n_task : 1, PE_PLAN_MAX_CHANGE);
}

/* More than roundings of sums are. */
#define CLEARLY_SLOWER (1 + 1e-9)

/* The fewest tasks at the fast level with which a PE is done by end_ns; false: none. */
static bool fewest_fast(const struct pe_search *search, int order, uint32_t n_task, double end_ns, uint32_t *n_fast)
{
	uint32_t step = step_of(n_task);
	const double *task_ns = search->work->task_ns;
	*n_fast = 0;
	if (n_task > 0 && end_of(search, order, n_task, 0) > end_ns &&
	    task_ns[search->slow] > task_ns[search->fast] * CLEARLY_SLOWER) {
		/* each fast task more ends sooner: none of fewer than half of the rest will do, or some of them does */
		uint32_t low = 0, high = (n_task - 1) / step + 1;
		while (low + 1 < high) {
			uint32_t middle = (low + high) / 2;
			*(end_of(search, order, n_task, middle * step) <= end_ns ? &high : &low) = middle;
		}
		*n_fast = high * step;
	}
	for (; *n_fast < n_task; *n_fast += step)
		if (end_of(search, order, n_task, *n_fast) <= end_ns)
			return true;
	*n_fast = n_task;
	return end_of(search, order, n_task, n_task) <= end_ns;
}

/* A PE with fewer tasks than its unit's busiest one: it lacks the last ones, whose time it waits where the others are.
 */
static struct pe_plan_group shorten(struct pe_plan_group group, uint32_t n_less)
{
	uint32_t n_second = n_less < group.n_second ? n_less : group.n_second;
	group.n_second -= n_second;
	group.n_wait_second = n_second;
	group.n_wait_first = n_less - n_second;
	group.n_first -= group.n_wait_first;
	return group;
}

/* false: a unit of the class cannot be done by then. */
static bool plan_class(const struct pe_search *search, const struct pe_plan_class *class, double end_ns,
                       struct pe_unit_plan *plan)
{
	uint32_t n_task = class->part[0].n_task;
	*plan = (struct pe_unit_plan){.class = class};
	for (int order = 0; order < N_ORDER; order++) {
		uint32_t n_fast;
		plan->is_possible[order] = fewest_fast(search, order, n_task, end_ns, &n_fast);
		if (!plan->is_possible[order])
			continue;
		struct pe_plan_group group = group_of(search, order, n_task, n_fast);
		for (uint32_t i = 0; i < class->n_part; i++) {
			plan->group[order][i] = shorten(group, n_task - class->part[i].n_task);
			pe_pattern_make(search->work, search->entry, search->exit, &plan->group[order][i],
			                &plan->pattern[order][i]);
			plan->pj[order] += class->part[i].n_pe * plan->pattern[order][i].pj;
		}
	}
	return plan->is_possible[SLOW_FIRST] || plan->is_possible[FAST_FIRST];
}

static int compare_reals(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

/* Ends of the layer that some number of fast tasks of some class leads to, each once, the earliest first. */
static size_t list_ends(const struct pe_search *search, const struct pe_plan_class *class, size_t n_class,
                        double *end_ns)
{
	size_t n = 0, n_distinct = 0;
	for (size_t c = 0; c < n_class; c++) {
		uint32_t n_task = class[c].part[0].n_task, step = step_of(n_task);
		for (int order = 0; order < N_ORDER; order++) {
			for (uint32_t k = 0; k < n_task; k += step)
				end_ns[n++] = end_of(search, order, n_task, k);
			end_ns[n++] = end_of(search, order, n_task, n_task);
		}
	}
	qsort(end_ns, n, sizeof(*end_ns), compare_reals);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || end_ns[i] > end_ns[n_distinct - 1])
			end_ns[n_distinct++] = end_ns[i];
	return n_distinct;
}

/* Tasks that any PE can have: as many each, but for the last loop's. */
static size_t deal_evenly(const struct pe_plan_work *work, struct pe_plan_class class[MAX_EVEN_CLASS])
{
	uint64_t n_each = work->n_task / work->n_pe;
	uint32_t n_last = (uint32_t)(work->n_task % work->n_pe), n_unit_pe = work->n_unit_pe;
	uint32_t n_long = n_last / n_unit_pe, n_more = n_last % n_unit_pe, n_unit = work->n_pe / n_unit_pe;
	uint32_t few = (uint32_t)n_each, many = few + 1;
	size_t n = 0;
	assert(n_each < UINT32_MAX);
	if (n_long > 0)
		class[n++] = (struct pe_plan_class){n_long, 1, {{n_unit_pe, many}}};
	if (n_more > 0)
		class[n++] = (struct pe_plan_class){1, 2, {{n_more, many}, {n_unit_pe - n_more, few}}};
	n_unit -= n_long + (n_more > 0);
	if (n_unit > 0 && n_each > 0)
		class[n++] = (struct pe_plan_class){n_unit, 1, {{n_unit_pe, few}}};
	return n;
}

#define MAX_END (PE_PLAN_MAX_CLASS * N_ORDER * (PE_PLAN_MAX_CHANGE + 2))

void pe_search_dealt(struct pe_search *search)
{
	const struct pe_plan_work *work = search->work;
	struct pe_plan_class even[MAX_EVEN_CLASS];
	const struct pe_plan_class *class = work->n_class > 0 ? work->class : even;
	size_t n_class = work->n_class > 0 ? work->n_class : deal_evenly(work, even);
	double end_ns[MAX_END];
	size_t n_end = list_ends(search, class, n_class, end_ns);
	for (size_t i = 0; i < n_end; i++) {
		struct pe_unit_plan plan[PE_PLAN_MAX_CLASS];
		bool is_possible = true;
		for (size_t c = 0; c < n_class && is_possible; c++)
			is_possible = plan_class(search, &class[c], end_ns[i], &plan[c]);
		if (is_possible)
			pe_search_add_orders(search, plan, n_class);
	}
}
