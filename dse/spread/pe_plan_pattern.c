/* SPDX-License-Identifier: Apache-2.0 */
/* One PE over time as a handful of steps of constant power, and sums over the PEs of a plan. */
#include "dse/spread/pe_plan_parts.h"
#include <assert.h>
#include <math.h>

static void put_step(struct pe_pattern *pattern, double ns, double over_mw)
{
	assert(pattern->n_step < PATTERN_MAX_STEP && ns >= 0);
	pattern->ns += ns;
	pattern->pj += over_mw * ns; /* mW times ns are pJ */
	pattern->end_ns[pattern->n_step] = pattern->ns;
	pattern->over_mw[pattern->n_step++] = over_mw;
}

/* Tasks at a level and the time of some that it waits, with the change to it. */
static void put_tasks(const struct pe_plan_work *work, uint32_t exit, uint32_t level, uint32_t n, uint32_t n_wait,
                      uint32_t *now, struct pe_pattern *pattern)
{
	double over_mw = work->pe_mw[level] - work->pe_mw[exit];
	if (n == 0 && n_wait == 0)
		return;
	if (*now != level) {
		put_step(pattern, work->switch_ns, over_mw);
		pattern->pj += work->switch_pj;
	}
	*now = level;
	if (n > 0)
		put_step(pattern, n * work->task_ns[level], over_mw + work->task_pj[level] / work->task_ns[level]);
	if (n_wait > 0)
		put_step(pattern, n_wait * work->task_ns[level], over_mw);
}

void pe_pattern_make(const struct pe_plan_work *work, uint32_t entry, uint32_t exit, const struct pe_plan_group *group,
                     struct pe_pattern *pattern)
{
	uint32_t now = entry;
	*pattern = (struct pe_pattern){0};
	put_tasks(work, exit, group->first, group->n_first, group->n_wait_first, &now, pattern);
	put_tasks(work, exit, group->second, group->n_second, group->n_wait_second, &now, pattern);
	if (now != exit) {
		put_step(pattern, work->switch_ns, 0);
		pattern->pj += work->switch_pj;
	}
}

double pe_pattern_over_mw(const struct pe_pattern *pattern, double ns)
{
	for (unsigned i = 0; i < pattern->n_step; i++)
		if (ns < pattern->end_ns[i])
			return pattern->over_mw[i];
	return 0;
}

void pe_plan_measure(const struct pe_plan_work *work, struct pe_plan_option *option)
{
	const struct pe_plan *plan = &option->plan;
	struct pe_pattern pattern[PE_PLAN_MAX_GROUP];
	double idle_mw = work->pe_mw[plan->exit], over_pj = 0;
	double wait_mw = work->base_mw + (work->n_pe + work->n_idle_pe) * idle_mw;
	uint32_t n_busy = 0;
	option->ns = plan->entry != plan->exit ? work->switch_ns : 0;
	for (uint32_t g = 0; g < plan->n_group; g++) {
		pe_pattern_make(work, plan->entry, plan->exit, &plan->group[g], &pattern[g]);
		option->ns = fmax(option->ns, pattern[g].ns);
		over_pj += plan->group[g].n_pe * pattern[g].pj;
		n_busy += plan->group[g].n_pe;
	}
	assert(n_busy <= work->n_pe);
	if (plan->entry != plan->exit)
		over_pj += (work->n_pe + work->n_idle_pe - n_busy) * work->switch_pj;
	option->pj = wait_mw * option->ns + over_pj;
	/* power changes where a step of some PE begins, of which the last one's end is none */
	option->peak_mw = wait_mw;
	for (uint32_t g = 0; g < plan->n_group; g++)
		for (unsigned i = 0; i < pattern[g].n_step; i++) {
			double at_ns = i == 0 ? 0 : pattern[g].end_ns[i - 1], mw = wait_mw;
			for (uint32_t k = 0; k < plan->n_group; k++)
				mw += plan->group[k].n_pe * pe_pattern_over_mw(&pattern[k], at_ns);
			option->peak_mw = fmax(option->peak_mw, mw);
		}
}
