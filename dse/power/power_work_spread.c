/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layer's loops with levels by PE, from times and energies of the loops at each level: tasks take equal shares of
 * both. A PE at one level among PEs at another takes what it takes among its like: the units that they share serve each
 * in turn, so that it has its share of them whatever the others do with theirs.
 */
#include "dse/power/power_work.h"
#include "dse/base/memory.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>

/* PEs of a machine that have one level at a time; 1 where its PEs do not fill such units. */
static uint32_t unit_of(const struct machine *machine, bool by_qpe)
{
	uint32_t n_pe = machine_n_pe(machine);
	return by_qpe && machine->qpe_n_pe > 0 && n_pe % machine->qpe_n_pe == 0 ? machine->qpe_n_pe : 1;
}

/* What is spread over PEs, by QPE or by PE. */
struct spread {
	const struct machine *machine;
	const struct power_groups *groups; /* [n_level] at the levels */
	const uint32_t *level;
	size_t n_level;
	const struct power_deal *deal;
	const struct power_stretch *stretch;
	bool by_qpe;
};

/* false: PEs are not in classes, or those that are known are more than the machine has (queues that do not fill units).
 */
static bool make_work(const struct spread *spread, struct power_pe_work *work)
{
	const struct machine *machine = spread->machine;
	const struct power_groups *groups = spread->groups;
	const struct power_deal *deal = spread->deal;
	const struct power_classes *classes = spread->by_qpe ? &spread->stretch->by_qpe : &spread->stretch->by_pe;
	const uint32_t *level = spread->level;
	uint64_t n_class_pe = 0;
	*work = (struct power_pe_work){.n_task = spread->stretch->n_task,
	                               .n_pe = machine_n_pe(machine),
	                               .n_unit_pe = unit_of(machine, spread->by_qpe),
	                               .n_class = classes->n,
	                               .switch_ns = machine->dvfs_switch_ns,
	                               .switch_pj = machine->dvfs_switch_nj * 1e3};
	for (uint32_t c = 0; c < classes->n; c++) {
		work->class[c] = classes->class[c];
		n_class_pe += (uint64_t)classes->class[c].n_unit * work->n_unit_pe;
	}
	if ((classes->n == 0 && !deal->is_free) || n_class_pe > work->n_pe)
		return false;
	for (size_t i = 0; i < spread->n_level; i++) {
		if (groups[i].loop.ns <= 0)
			return false;
		work->levels |= UINT32_C(1) << level[i];
		work->task_ns[level[i]] = groups[i].loop.ns / (double)deal->n_loop;
		work->task_pj[level[i]] = groups[i].loop.dynamic_pj / (double)deal->n_task;
		work->pe_mw[level[i]] = machine->level[level[i]].pe_static_mw;
	}
	work->base_mw = groups[0].static_mw - machine->level[level[0]].pe_static_mw * work->n_pe;
	return true;
}

/* A level alone: every PE works, whatever the peak. */
static struct power_mode mode_alone(const struct power_pe_work *work, const struct power_groups *groups,
                                    const struct power_stretch *stretch, uint32_t level)
{
	double ns = work->task_ns[level] * stretch->n_loop;
	double peak_mw = groups->static_mw + stretch->n_busy[0] * work->task_pj[level] / work->task_ns[level];
	double pj = work->task_pj[level] * (double)stretch->n_task + groups->static_mw * ns;
	return (struct power_mode){level, 0, ns, pj, peak_mw, NULL};
}

/* The plans of one kind of unit behind the modes so far; modes are moved where there is no room. */
static size_t add_plans(const struct spread *spread, const struct power_pe_work *work,
                        const struct power_work_options *options, struct arena *arena, struct power_mode **mode,
                        size_t n)
{
	struct power_pe_option *option;
	/* no goal has another price of time: asleep at some level, or at the average */
	double slope_mw = options->max_average_mw;
	for (size_t i = 0; i < spread->n_level; i++)
		slope_mw = fmax(slope_mw, energy_static_mw(spread->machine, spread->level[i]));
	size_t n_option = power_pe_options(work, options->max_peak_mw > 0 ? options->max_peak_mw : INFINITY, slope_mw,
	                                   arena, &option);
	struct power_mode *all = memory_must(arena_array(arena, n + n_option + 1, sizeof(*all)));
	for (size_t i = 0; i < n; i++)
		all[i] = (*mode)[i];
	for (size_t i = 0; i < n_option; i++)
		all[n + i] = (struct power_mode){option[i].plan.exit, 0, option[i].ns, option[i].pj, option[i].peak_mw,
		                                 &option[i].plan};
	*mode = all;
	return n + n_option;
}

bool power_spread_loops(const struct machine *machine, const struct power_groups *groups, const uint32_t *level,
                        size_t n_level, const struct power_deal *deal, const struct power_stretch *stretch,
                        const struct power_work_options *options, struct arena *arena, struct power_piece *piece,
                        struct power_segment *segment)
{
	struct power_pe_work *work = memory_must(arena_alloc(arena, sizeof(*work))), together;
	struct spread spread = {.machine = machine,
	                        .groups = groups,
	                        .level = level,
	                        .n_level = n_level,
	                        .deal = deal,
	                        .stretch = stretch,
	                        .by_qpe = options->domain == DVFS_QPE};
	assert(n_level > 0 && n_level <= POWER_MAX_LEVEL);
	if (!make_work(&spread, work))
		return false;
	struct power_mode *mode = memory_must(arena_array(arena, n_level, sizeof(*mode)));
	for (size_t i = 0; i < n_level; i++)
		mode[i] = mode_alone(work, &groups[i], stretch, level[i]);
	size_t n = add_plans(&spread, work, options, arena, &mode, n_level);
	/* PEs that have few tasks may do better beside their QPE's: they wait at its level, not at the last one */
	spread.by_qpe = true;
	if (options->domain == DVFS_PE && !deal->is_free && make_work(&spread, &together))
		n = add_plans(&spread, &together, options, arena, &mode, n);
	piece->part = POWER_LOOPS;
	piece->spread = work;
	piece->n_task = work->n_task;
	piece->n_pe = stretch->n_busy[0];
	*segment = (struct power_segment){.n_mode = n, .mode = mode, .n_repeat = stretch->n_repeat};
	return true;
}
