/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PE_PLAN_PARTS_H
#define DSE_PE_PLAN_PARTS_H
/*
 * Inside pe_plan: what one PE of a group does over time, and lists of options.
 *
 *   pe_plan_pattern.c  a group's PE over time; what a plan takes
 *   pe_plan_dealt.c    plans in which PEs have the tasks that they are dealt: as many each but one, or those placed
 * there pe_plan_order.c    in such a plan, which units run their slow tasks first pe_plan_fixed.c    plans in which
 * no PE changes while it has tasks pe_plan.c          over all pairs of levels; keeps the best pe_plan_replay.c   a
 * plan in time, PE by PE
 */
#include "dse/spread/pe_plan.h"

#define PATTERN_MAX_STEP 7

/* One PE from the beginning of the loops to where it stands at the exit level: power by step, less waiting there. */
struct pe_pattern {
	unsigned n_step;
	double end_ns[PATTERN_MAX_STEP], over_mw[PATTERN_MAX_STEP];
	double ns; /* at the exit level, done */
	double pj; /* above waiting at the exit level all the time; static energy included */
};

void pe_pattern_make(const struct pe_plan_work *work, uint32_t entry, uint32_t exit, const struct pe_plan_group *group,
                     struct pe_pattern *pattern);

/* Above waiting at the exit level, in the step that begins at or contains a time. */
double pe_pattern_over_mw(const struct pe_pattern *pattern, double ns);

/* Whether a sum of powers keeps a limit, as far as sums of doubles tell. */
static inline bool pe_keeps(double mw, double max_mw)
{
	return mw <= max_mw * (1 + 1e-12);
}

/* What is searched for: plans with these two levels, the slower one second, and these ends. */
struct pe_search {
	const struct pe_plan_work *work;
	double max_peak_mw, slope_mw;
	bool weighs_peak; /* of plans that end together the flattest is wanted, too */
	uint32_t fast, slow, entry, exit;
	double wait_mw; /* all PEs at the exit level, and all else */
	struct arena *arena;
	size_t n, n_room;
	struct pe_plan_option *option;
};

/* Measure a plan whose groups are filled in, and keep it if it keeps the peak. */
void pe_search_add(struct pe_search *search, const struct pe_plan *plan);
/* The peak of a plan whose groups are filled in. */
double pe_search_peak_mw(const struct pe_search *search, const struct pe_plan *plan);

/* Add a group, to one whose PEs do the same if there is one; not if it has no PEs. */
void pe_plan_put(struct pe_plan *plan, struct pe_plan_group group);

enum { SLOW_FIRST, FAST_FIRST, N_ORDER };

/* What a class's unit does for one end, by order of its levels: of each part's PEs one. */
struct pe_unit_plan {
	const struct pe_plan_class *class;
	bool is_possible[N_ORDER];
	struct pe_plan_group group[N_ORDER][PE_PLAN_MAX_PART];
	struct pe_pattern pattern[N_ORDER][PE_PLAN_MAX_PART];
	double pj[N_ORDER]; /* of a unit, above waiting */
};

/* Keep the thriftiest of all numbers of units of each class that are slow first, the others last, under the peak. */
void pe_search_add_orders(struct pe_search *search, const struct pe_unit_plan *class, size_t n_class);

void pe_search_dealt(struct pe_search *search);
void pe_search_fixed(struct pe_search *search);

#endif
