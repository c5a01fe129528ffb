/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan in time: every PE is a little machine that changes its level, works, waits; the next event is the earliest of
 * all PEs, and energy is power times the time between events. Slow and plain, as a check of the closed form.
 */
#include "dse/spread/pe_plan.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum pe_state { PE_CHANGES, PE_WORKS, PE_WAITS, PE_DONE };

struct one_pe {
	const struct pe_plan_group *group; /* NULL: it has no task */
	enum pe_state state;
	uint32_t level, n_left[4]; /* tasks at the first level, of waiting there, at the second, of waiting there */
	double until_ns;           /* of its state; infinite: for good */
};

static uint32_t wanted_level(const struct one_pe *pe, uint32_t exit)
{
	if (!pe->group)
		return exit;
	if (pe->n_left[0] > 0 || pe->n_left[1] > 0)
		return pe->group->first;
	return pe->n_left[2] > 0 || pe->n_left[3] > 0 ? pe->group->second : exit;
}

/* The next thing that a PE does; returns the energy that it takes at once. */
static double go_on(const struct pe_plan_work *work, uint32_t exit, double now_ns, struct one_pe *pe, uint64_t *n_done)
{
	uint32_t to = wanted_level(pe, exit);
	if (to != pe->level) {
		pe->level = to;
		pe->state = PE_CHANGES;
		pe->until_ns = now_ns + work->switch_ns;
		return work->switch_pj;
	}
	for (int i = 0; i < 4; i++)
		if (pe->n_left[i] > 0) {
			bool works = i % 2 == 0;
			pe->n_left[i]--;
			pe->state = works ? PE_WORKS : PE_WAITS;
			pe->until_ns = now_ns + work->task_ns[pe->level];
			*n_done += works;
			return 0;
		}
	pe->state = PE_DONE;
	pe->until_ns = INFINITY;
	return 0;
}

static struct one_pe *make_pes(const struct pe_plan_work *work, const struct pe_plan *plan)
{
	uint32_t n_pe = work->n_pe + work->n_idle_pe;
	struct one_pe *pe = memory_array(n_pe, sizeof(*pe));
	uint32_t n = 0;
	for (uint32_t g = 0; g < plan->n_group; g++)
		for (uint32_t i = 0; i < plan->group[g].n_pe; i++) {
			const struct pe_plan_group *group = &plan->group[g];
			if (n == work->n_pe) {
				free(pe);
				return NULL;
			}
			pe[n++] = (struct one_pe){
			    .group = group,
			    .level = plan->entry,
			    .n_left = {group->n_first, group->n_wait_first, group->n_second, group->n_wait_second}};
		}
	while (n < n_pe)
		pe[n++] = (struct one_pe){.level = plan->entry};
	return pe;
}

/* Of all PEs and all else, in their states. */
static double power_now(const struct pe_plan_work *work, const struct one_pe *pe, uint32_t n_pe)
{
	double mw = work->base_mw;
	for (uint32_t i = 0; i < n_pe; i++) {
		mw += work->pe_mw[pe[i].level];
		if (pe[i].state == PE_WORKS)
			mw += work->task_pj[pe[i].level] / work->task_ns[pe[i].level];
	}
	return mw;
}

bool pe_plan_replay(const struct pe_plan_work *work, const struct pe_plan *plan, double *ns, double *pj,
                    double *peak_mw)
{
	struct one_pe *pe = make_pes(work, plan);
	uint32_t n_pe = work->n_pe + work->n_idle_pe;
	uint64_t n_done = 0;
	double now_ns = 0;
	*ns = *pj = *peak_mw = 0;
	if (!pe)
		return false;
	for (uint32_t i = 0; i < n_pe; i++)
		*pj += go_on(work, plan->exit, 0, &pe[i], &n_done);
	for (;;) {
		double next_ns = INFINITY, mw = power_now(work, pe, n_pe);
		for (uint32_t i = 0; i < n_pe; i++)
			next_ns = fmin(next_ns, pe[i].until_ns);
		/* events that sums of doubles put a hair apart are one */
		if (isinf(next_ns) || next_ns > now_ns * (1 + 1e-12))
			*peak_mw = fmax(*peak_mw, mw);
		if (isinf(next_ns))
			break;
		*pj += mw * (next_ns - now_ns); /* mW times ns are pJ */
		now_ns = next_ns;
		for (uint32_t i = 0; i < n_pe; i++)
			if (pe[i].until_ns <= now_ns)
				*pj += go_on(work, plan->exit, now_ns, &pe[i], &n_done);
	}
	*ns = now_ns;
	free(pe);
	return n_done == work->n_task;
}
