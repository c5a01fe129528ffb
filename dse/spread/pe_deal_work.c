/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer's loops with levels by PE, from times and energies of the loops at each level: tasks take equal shares of
 * both. A PE at one level among PEs at another takes what it takes among its like: the units that they share serve each
 * in turn, so that it has its share of them whatever the others do with theirs.
 */
#include "dse/spread/pe_deal.h"
#include <assert.h>

/* PEs of a machine that have one level at a time; 1 where its PEs do not fill such units. */
static uint32_t unit_of(const struct machine *machine, bool by_qpe)
{
	uint32_t n_pe = machine_n_pe(machine);
	return by_qpe && machine->qpe_n_pe > 0 && n_pe % machine->qpe_n_pe == 0 ? machine->qpe_n_pe : 1;
}

bool pe_deal_work(const struct pe_loops *loops, const struct pe_stretch *stretch, bool by_qpe,
                  struct pe_plan_work *work)
{
	const struct machine *machine = loops->machine;
	const struct loop_groups *groups = loops->groups;
	const struct pe_deal *deal = loops->deal;
	const struct pe_classes *classes = by_qpe ? &stretch->by_qpe : &stretch->by_pe;
	uint64_t n_class_pe = 0;
	assert(loops->n_level > 0 && loops->n_level <= PE_PLAN_MAX_LEVEL);
	*work = (struct pe_plan_work){.n_task = stretch->n_task,
	                              .n_pe = machine_n_pe(machine),
	                              .n_unit_pe = unit_of(machine, by_qpe),
	                              .n_class = classes->n,
	                              .switch_ns = machine->dvfs_switch_ns,
	                              .switch_pj = machine->dvfs_switch_nj * 1e3};
	for (uint32_t c = 0; c < classes->n; c++) {
		work->class[c] = classes->class[c];
		n_class_pe += (uint64_t)classes->class[c].n_unit * work->n_unit_pe;
	}
	if ((classes->n == 0 && !deal->is_free) || n_class_pe > work->n_pe)
		return false;
	for (size_t i = 0; i < loops->n_level; i++) {
		uint32_t level = loops->level[i];
		if (groups[i].loop.ns <= 0)
			return false;
		work->levels |= UINT32_C(1) << level;
		work->task_ns[level] = groups[i].loop.ns / (double)deal->n_loop;
		work->task_pj[level] = groups[i].loop.dynamic_pj / (double)deal->n_task;
		work->pe_mw[level] = machine->level[level].pe_static_mw;
	}
	work->base_mw = groups[0].static_mw - machine->level[loops->level[0]].pe_static_mw * work->n_pe;
	return true;
}

void pe_deal_alone(const struct pe_loops *loops, const struct pe_stretch *stretch, size_t i, double *ns, double *pj,
                   double *peak_mw)
{
	const struct loop_groups *groups = &loops->groups[i];
	double task_ns = groups->loop.ns / (double)loops->deal->n_loop,
	       task_pj = groups->loop.dynamic_pj / (double)loops->deal->n_task;
	assert(i < loops->n_level && task_ns > 0);
	*ns = task_ns * stretch->n_loop;
	*peak_mw = groups->static_mw + stretch->n_busy[0] * task_pj / task_ns;
	*pj = task_pj * (double)stretch->n_task + groups->static_mw * *ns;
}
