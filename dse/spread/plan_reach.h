/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PLAN_REACH_H
#define DSE_PLAN_REACH_H
/*
 * How many of a layer's tasks plans (layer_plan.h) can have at the slower level by the time at which their loops are
 * done, from who has how many tasks, before any plan is made. Bounds rest on it (dse/bound/plan_bound.c).
 */
#include "dse/spread/pe_deal.h"

#define PLAN_REACH_MAX_STEP 64

/* Plans whose loops take at least ns, and less than the next step's, have at most this share of the tasks there. */
struct plan_reach_step {
	double ns, low_frac;
};

/*
 * task_ns: of a task at the slower and the faster level of a pair, which need not differ that way. Returns how many
 * steps there are, at least one, by time; each plan belongs to one.
 */
size_t plan_reach(const struct pe_deal *deal, const double task_ns[2], double switch_ns,
                  struct plan_reach_step step[PLAN_REACH_MAX_STEP]);

#endif
