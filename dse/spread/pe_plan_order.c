/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who runs the slow tasks first. Under a peak, so many units of each class begin with their slow tasks, the others with
 * the fast ones. Power and energy are linear in these numbers; all but the largest class's are tried, from the
 * thriftier end, as long as the peak can still be kept and energy can still be less than the best so far; the largest
 * class's follow as an interval.
 */
#include "dse/spread/pe_plan_parts.h"
#include <assert.h>
#include <math.h>

/* The plan with so many units of each class slow first. */
static struct pe_plan plan_of(const struct pe_search *search, const struct pe_unit_plan *class, size_t n_class,
                              const uint32_t *n_slow_first)
{
	struct pe_plan plan = {.entry = search->entry, .exit = search->exit};
	for (size_t c = 0; c < n_class; c++) {
		uint32_t n_unit[N_ORDER] = {n_slow_first[c], class[c].class->n_unit - n_slow_first[c]};
		for (int order = 0; order < N_ORDER; order++)
			for (uint32_t i = 0; i < class[c].class->n_part; i++) {
				struct pe_plan_group group = class[c].group[order][i];
				group.n_pe = n_unit[order] * class[c].class->part[i].n_pe;
				pe_plan_put(&plan, group);
			}
	}
	return plan;
}

/* A time at which power may rise, and what a unit of each class takes then above waiting. */
struct instant {
	double mw[PE_PLAN_MAX_CLASS][N_ORDER];
};

#define MAX_INSTANT (PE_PLAN_MAX_GROUP * N_ORDER * PATTERN_MAX_STEP)

static double unit_mw(const struct pe_unit_plan *class, int order, double at_ns)
{
	double mw = 0;
	for (uint32_t i = 0; i < class->class->n_part; i++)
		mw += class->class->part[i].n_pe * pe_pattern_over_mw(&class->pattern[order][i], at_ns);
	return mw;
}

static size_t list_instants(const struct pe_unit_plan *class, size_t n_class, struct instant *instant)
{
	size_t n = 0;
	double at_ns[MAX_INSTANT];
	for (size_t c = 0; c < n_class; c++)
		for (int order = 0; order < N_ORDER; order++)
			for (uint32_t k = 0; k < class[c].class->n_part && class[c].is_possible[order]; k++)
				for (unsigned i = 0; i < class[c].pattern[order][k].n_step; i++) {
					assert(n < MAX_INSTANT);
					at_ns[n++] = i == 0 ? 0 : class[c].pattern[order][k].end_ns[i - 1];
				}
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < n_class; c++)
			for (int order = 0; order < N_ORDER; order++)
				instant[i].mw[c][order] = unit_mw(&class[c], order, at_ns[i]);
	return n;
}

/* Bounds of a class's units that can be slow first. */
static void bound_orders(const struct pe_unit_plan *class, uint32_t *least, uint32_t *most)
{
	*least = class->is_possible[FAST_FIRST] ? 0 : class->class->n_unit;
	*most = class->is_possible[SLOW_FIRST] ? class->class->n_unit : 0;
}

static double class_mw(const struct pe_unit_plan *class, size_t c, const struct instant *at, uint32_t n_slow_first)
{
	return n_slow_first * at->mw[c][SLOW_FIRST] + (class[c].class->n_unit - n_slow_first) * at->mw[c][FAST_FIRST];
}

static double class_pj(const struct pe_unit_plan *class, uint32_t n_slow_first)
{
	return n_slow_first * class->pj[SLOW_FIRST] + (class->class->n_unit - n_slow_first) * class->pj[FAST_FIRST];
}

/* The least or most that a class takes at an instant however its units begin. */
static double class_end_mw(const struct pe_unit_plan *class, size_t c, const struct instant *at, bool is_least)
{
	uint32_t least, most;
	bound_orders(&class[c], &least, &most);
	double one = class_mw(class, c, at, least), other = class_mw(class, c, at, most);
	return is_least ? fmin(one, other) : fmax(one, other);
}

/*
 * Leave out instants that keep the peak however the orders are chosen; returns how many stay, SIZE_MAX: some breaks it
 * however they are.
 */
static size_t drop_instants(const struct pe_search *search, const struct pe_unit_plan *class, size_t n_class,
                            struct instant *instant, size_t n)
{
	size_t n_kept = 0;
	for (size_t i = 0; i < n; i++) {
		double least_mw = search->wait_mw, most_mw = search->wait_mw;
		for (size_t c = 0; c < n_class; c++) {
			least_mw += class_end_mw(class, c, &instant[i], true);
			most_mw += class_end_mw(class, c, &instant[i], false);
		}
		if (!pe_keeps(least_mw, search->max_peak_mw))
			return SIZE_MAX;
		if (!pe_keeps(most_mw, search->max_peak_mw))
			instant[n_kept++] = instant[i];
	}
	return n_kept;
}

/* The search over numbers of units: those of classes before `at` are chosen. */
struct order_search {
	const struct pe_search *search;
	const struct pe_unit_plan *class;
	size_t n_class, n_instant;
	const struct instant *instant;
	size_t turn[PE_PLAN_MAX_CLASS];        /* classes in the order in which they are chosen, the largest last */
	double left_pj[PE_PLAN_MAX_CLASS + 1]; /* the least that the classes from a turn on take */
	uint32_t chosen[PE_PLAN_MAX_CLASS], best[PE_PLAN_MAX_CLASS];
	double best_pj;
};

/* What the classes of the turns before `at` take at an instant, and the least that the others can. */
static double least_mw(const struct order_search *order, const struct instant *instant, size_t at)
{
	double mw = order->search->wait_mw;
	for (size_t i = 0; i < order->n_class; i++) {
		size_t c = order->turn[i];
		mw += i < at ? class_mw(order->class, c, instant, order->chosen[c])
		             : class_end_mw(order->class, c, instant, true);
	}
	return mw;
}

static bool can_keep(const struct order_search *order, size_t at)
{
	for (size_t i = 0; i < order->n_instant; i++)
		if (!pe_keeps(least_mw(order, &order->instant[i], at), order->search->max_peak_mw))
			return false;
	return true;
}

/* The units of the last class that can be slow first, beside the others' chosen ones; false: none. */
static bool bound_last(const struct order_search *order, uint32_t *least, uint32_t *most)
{
	size_t last = order->turn[order->n_class - 1];
	double low = *least, high = *most, max_mw = order->search->max_peak_mw;
	for (size_t i = 0; i < order->n_instant && low <= high; i++) {
		const struct instant *at = &order->instant[i];
		double mw = order->search->wait_mw + class_mw(order->class, last, at, 0);
		for (size_t c = 0; c < order->n_class; c++)
			mw += c == last ? 0 : class_mw(order->class, c, at, order->chosen[c]);
		double step_mw = at->mw[last][SLOW_FIRST] - at->mw[last][FAST_FIRST];
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

static void take(struct order_search *order, size_t c, uint32_t n, double pj)
{
	order->chosen[c] = n;
	pj += class_pj(&order->class[c], n);
	if (pj >= order->best_pj)
		return;
	order->best_pj = pj;
	for (size_t i = 0; i < order->n_class; i++)
		order->best[i] = order->chosen[i];
}

/* pj: of the classes chosen so far. */
static void choose(struct order_search *order, size_t at, double pj)
{
	size_t c = order->turn[at];
	const struct pe_unit_plan *class = &order->class[c];
	uint32_t least, most;
	bound_orders(class, &least, &most);
	if (at + 1 == order->n_class) {
		if (!bound_last(order, &least, &most))
			return;
		take(order, c, least, pj);
		take(order, c, most, pj);
		return;
	}
	bool from_most = class_pj(class, most) < class_pj(class, least);
	for (uint32_t i = 0; i <= most - least; i++) {
		order->chosen[c] = from_most ? most - i : least + i;
		double now_pj = pj + class_pj(class, order->chosen[c]);
		if (now_pj + order->left_pj[at + 1] >= order->best_pj)
			return;
		if (can_keep(order, at + 1))
			choose(order, at + 1, now_pj);
		/* without a peak the thriftier end is best */
		if (order->n_instant == 0)
			return;
	}
}

/* The thriftiest orders under a peak; false: none keeps it. */
static bool find_orders(const struct pe_search *search, const struct pe_unit_plan *class, size_t n_class,
                        struct pe_plan *plan)
{
	struct instant instant[MAX_INSTANT];
	struct order_search order = {
	    .search = search, .class = class, .n_class = n_class, .instant = instant, .best_pj = INFINITY};
	size_t n_turn = 0, largest = 0;
	assert(n_class > 0 && n_class <= PE_PLAN_MAX_CLASS);
	if (isfinite(search->max_peak_mw))
		order.n_instant =
		    drop_instants(search, class, n_class, instant, list_instants(class, n_class, instant));
	if (order.n_instant == SIZE_MAX)
		return false;
	for (size_t c = 1; c < n_class; c++)
		if (class[c].class->n_unit > class[largest].class->n_unit)
			largest = c;
	for (size_t c = 0; c < n_class; c++)
		if (c != largest)
			order.turn[n_turn++] = c;
	order.turn[n_turn] = largest;
	for (size_t i = n_class; i-- > 0;) {
		uint32_t least, most;
		bound_orders(&class[order.turn[i]], &least, &most);
		order.left_pj[i] = order.left_pj[i + 1] +
		                   fmin(class_pj(&class[order.turn[i]], least), class_pj(&class[order.turn[i]], most));
	}
	choose(&order, 0, 0);
	if (isinf(order.best_pj))
		return false;
	*plan = plan_of(search, class, n_class, order.best);
	return true;
}

/* Halvings of what is not known of the least peak. */
#define N_HALVING 40

/* The orders with the least peak, by halving; plan: those without a limit. */
static void flatten(const struct pe_search *search, const struct pe_unit_plan *class, size_t n_class,
                    struct pe_plan *plan)
{
	struct pe_search limited = *search;
	double least_mw = 0, most_mw = pe_search_peak_mw(search, plan);
	for (int i = 0; i < N_HALVING && least_mw < most_mw * (1 - 1e-9); i++) {
		struct pe_plan flatter;
		limited.max_peak_mw = (least_mw + most_mw) / 2;
		if (find_orders(&limited, class, n_class, &flatter)) {
			*plan = flatter;
			most_mw = fmin(limited.max_peak_mw, pe_search_peak_mw(search, plan));
		} else {
			least_mw = limited.max_peak_mw;
		}
	}
}

void pe_search_add_orders(struct pe_search *search, const struct pe_unit_plan *class, size_t n_class)
{
	struct pe_plan plan;
	if (!find_orders(search, class, n_class, &plan))
		return;
	pe_search_add(search, &plan);
	if (!search->weighs_peak)
		return;
	flatten(search, class, n_class, &plan);
	pe_search_add(search, &plan);
}
