/* SPDX-License-Identifier: Apache-2.0 */
/* Levels by PE: all pairs of levels, with the PEs at either before and after, and what is worth keeping of them. */
#include "dse/spread/pe_plan_parts.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pe_plan_put(struct pe_plan *plan, struct pe_plan_group group)
{
	if (group.n_pe == 0)
		return;
	for (uint32_t i = 0; i < plan->n_group; i++) {
		struct pe_plan_group alike = plan->group[i];
		alike.n_pe = group.n_pe;
		if (memcmp(&alike, &group, sizeof(group)) == 0) {
			plan->group[i].n_pe += group.n_pe;
			return;
		}
	}
	assert(plan->n_group < PE_PLAN_MAX_GROUP);
	plan->group[plan->n_group++] = group;
}

static uint32_t levels_of(const struct pe_plan *plan)
{
	uint32_t levels = UINT32_C(1) << plan->entry | UINT32_C(1) << plan->exit;
	for (uint32_t i = 0; i < plan->n_group; i++)
		levels |= UINT32_C(1) << plan->group[i].first | UINT32_C(1) << plan->group[i].second;
	return levels;
}

double pe_search_peak_mw(const struct pe_search *search, const struct pe_plan *plan)
{
	struct pe_plan_option option = {.plan = *plan};
	pe_plan_measure(search->work, &option);
	return option.peak_mw;
}

void pe_search_add(struct pe_search *search, const struct pe_plan *plan)
{
	struct pe_plan_option option = {.plan = *plan};
	option.plan.levels = levels_of(plan);
	pe_plan_measure(search->work, &option);
	if (!pe_keeps(option.peak_mw, search->max_peak_mw))
		return;
	if (search->n == search->n_room) {
		search->n_room = search->n_room ? 2 * search->n_room : 256;
		search->option = memory_resize(search->option, search->n_room, sizeof(*search->option));
	}
	search->option[search->n++] = option;
}

/* By levels, entry and exit; then time; then energy, and peak. */
static int compare_options(const void *a, const void *b)
{
	const struct pe_plan_option *one = a, *other = b;
	const uint32_t key[2][3] = {{one->plan.levels, one->plan.entry, one->plan.exit},
	                            {other->plan.levels, other->plan.entry, other->plan.exit}};
	for (int i = 0; i < 3; i++)
		if (key[0][i] != key[1][i])
			return key[0][i] < key[1][i] ? -1 : 1;
	const double value[2][3] = {{one->ns, one->pj, one->peak_mw}, {other->ns, other->pj, other->peak_mw}};
	for (int i = 0; i < 3; i++)
		if (value[0][i] < value[1][i] || value[0][i] > value[1][i])
			return value[0][i] < value[1][i] ? -1 : 1;
	return memcmp(&one->plan, &other->plan, sizeof(one->plan));
}

static bool is_alike(const struct pe_plan *one, const struct pe_plan *other)
{
	return one->levels == other->levels && one->entry == other->entry && one->exit == other->exit;
}

static double value_of(const struct pe_search *search, const struct pe_plan_option *option)
{
	return option->pj - search->slope_mw * option->ns;
}

/* Whether one of the options from first on is as good in all that counts. */
static bool is_beaten(const struct pe_search *search, size_t first, size_t n, const struct pe_plan_option *option)
{
	for (size_t i = first; i < n; i++)
		if (value_of(search, &search->option[i]) <= value_of(search, option) &&
		    search->option[i].peak_mw <= option->peak_mw)
			return true;
	return false;
}

/* The same where the peak counts: options come by time. */
static void keep_flat_front(struct pe_search *search)
{
	size_t n = 0, first = 0;
	for (size_t i = 0; i < search->n; i++) {
		if (n == 0 || !is_alike(&search->option[n - 1].plan, &search->option[i].plan))
			first = n;
		if (!is_beaten(search, first, n, &search->option[i]))
			search->option[n++] = search->option[i];
	}
	search->n = n;
}

/* Keep what nothing alike beats. */
static void keep_front(struct pe_search *search)
{
	size_t n = 0;
	if (search->n > 1)
		qsort(search->option, search->n, sizeof(*search->option), compare_options);
	if (search->weighs_peak) {
		keep_flat_front(search);
		return;
	}
	for (size_t i = 0; i < search->n; i++)
		if (n == 0 || !is_alike(&search->option[n - 1].plan, &search->option[i].plan) ||
		    value_of(search, &search->option[i]) < value_of(search, &search->option[n - 1]))
			search->option[n++] = search->option[i];
	search->n = n;
}

/* A pair of levels, or one level alone (twice). */
static void search_pair(struct pe_search *search, uint32_t a, uint32_t b)
{
	const struct pe_plan_work *work = search->work;
	const uint32_t end[2] = {a, b};
	bool a_is_slow = work->task_ns[a] > work->task_ns[b];
	search->fast = a_is_slow ? b : a;
	search->slow = a_is_slow ? a : b;
	for (int i = 0; i < (a == b ? 1 : 2); i++)
		for (int k = 0; k < (a == b ? 1 : 2); k++) {
			search->entry = end[i];
			search->exit = end[k];
			search->wait_mw = work->base_mw + (work->n_pe + work->n_idle_pe) * work->pe_mw[search->exit];
			pe_search_dealt(search);
			if (work->n_class == 0)
				pe_search_fixed(search);
		}
}

/* One unit does everything, whatever the peak: no schedule of tasks that can be dealt has a lower one. */
static void add_flattest(struct pe_search *search, uint32_t level)
{
	const struct pe_plan_work *work = search->work;
	uint64_t n_each = work->n_task / work->n_unit_pe;
	struct pe_plan_group group = {.first = level, .second = level, .n_first = (uint32_t)n_each}, more = group;
	struct pe_plan plan = {.entry = level, .exit = level};
	if (n_each >= UINT32_MAX)
		return;
	more.n_pe = (uint32_t)(work->n_task % work->n_unit_pe);
	more.n_first++;
	group.n_pe = work->n_unit_pe - more.n_pe;
	group.n_wait_first = more.n_pe > 0;
	pe_plan_put(&plan, group);
	pe_plan_put(&plan, more);
	search->max_peak_mw = INFINITY;
	pe_search_add(search, &plan);
}

/* All pairs of levels; what is kept. */
static void search_pairs(struct pe_search *search)
{
	const struct pe_plan_work *work = search->work;
	assert(work->n_task > 0 && work->n_pe > 0 && work->n_unit_pe > 0 && work->n_pe % work->n_unit_pe == 0);
	for (uint32_t a = 0; a < PE_PLAN_MAX_LEVEL; a++)
		for (uint32_t b = a; b < PE_PLAN_MAX_LEVEL; b++)
			if ((work->levels >> a & 1) && (work->levels >> b & 1))
				search_pair(search, a, b);
	keep_front(search);
}

static size_t hand_over(struct pe_search *search, struct arena *arena, struct pe_plan_option **option)
{
	*option = memory_must(arena_array(arena, search->n + 1, sizeof(**option)));
	if (search->n > 0)
		memcpy(*option, search->option, search->n * sizeof(**option));
	free(search->option);
	return search->n;
}

size_t pe_plan_options(const struct pe_plan_work *work, double max_peak_mw, double slope_mw, struct arena *arena,
                       struct pe_plan_option **option)
{
	struct pe_search search = {.work = work, .max_peak_mw = max_peak_mw, .slope_mw = slope_mw};
	search_pairs(&search);
	for (uint32_t l = 0; l < PE_PLAN_MAX_LEVEL && work->n_class == 0; l++)
		if (work->levels >> l & 1)
			add_flattest(&search, l);
	return hand_over(&search, arena, option);
}

size_t pe_plan_front(const struct pe_plan_work *work, double slope_mw, bool weighs_peak, struct arena *arena,
                     struct pe_plan_option **option)
{
	struct pe_search search = {
	    .work = work, .max_peak_mw = INFINITY, .slope_mw = slope_mw, .weighs_peak = weighs_peak};
	assert(work->n_class > 0);
	search_pairs(&search);
	return hand_over(&search, arena, option);
}
