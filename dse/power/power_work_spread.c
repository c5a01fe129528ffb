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

/* PEs that have one level at a time; 1 where a machine's PEs do not fill such units. */
static uint32_t unit_of(const struct machine *machine, enum dvfs_domain domain, uint32_t n_pe)
{
	uint32_t n_unit_pe = domain == DVFS_QPE ? machine->qpe_n_pe : domain == DVFS_CHIP ? n_pe : 1;
	return n_unit_pe > 0 && n_pe % n_unit_pe == 0 ? n_unit_pe : 1;
}

/* false: every loop has its share of tasks that are not one for each PE, or barriers lie inside loops. */
static bool make_work(const struct machine *machine, const struct power_groups *groups, const uint32_t *level,
                      size_t n_level, enum dvfs_domain domain, struct power_pe_work *work)
{
	uint64_t n_barrier = groups->n_barrier > 0 ? groups->n_barrier : 1;
	*work = (struct power_pe_work){.n_task = groups->n_task / n_barrier,
	                               .n_pe = groups->n_pe,
	                               .is_placed = groups->is_placed,
	                               .switch_ns = machine->dvfs_switch_ns,
	                               .switch_pj = machine->dvfs_switch_nj * 1e3};
	if (groups->n_pe == 0 || machine_n_pe(machine) < groups->n_pe || work->n_task == 0 ||
	    groups->n_task % n_barrier != 0 || groups->n_loop % n_barrier != 0 ||
	    ceil_div(work->n_task, groups->n_pe) != groups->n_loop / n_barrier)
		return false;
	work->n_unit_pe = unit_of(machine, domain, groups->n_pe);
	for (size_t i = 0; i < n_level; i++) {
		if (groups[i].loop.ns <= 0)
			return false;
		work->levels |= UINT32_C(1) << level[i];
		work->task_ns[level[i]] = groups[i].loop.ns / (double)groups->n_loop;
		work->task_pj[level[i]] = groups[i].loop.dynamic_pj / (double)groups->n_task;
		work->pe_mw[level[i]] = machine->level[level[i]].pe_static_mw;
	}
	work->n_idle_pe = machine_n_pe(machine) - groups->n_pe;
	work->base_mw = groups[0].static_mw - machine->level[level[0]].pe_static_mw * machine_n_pe(machine);
	return true;
}

/* A level alone: every PE works, whatever the peak. */
static struct power_mode mode_alone(const struct power_pe_work *work, const struct power_groups *groups, uint32_t level)
{
	double n_barrier = groups->n_barrier > 0 ? (double)groups->n_barrier : 1;
	double ns = groups->loop.ns / n_barrier;
	double peak_mw = groups->static_mw;
	uint64_t n_busy = work->n_task < work->n_pe ? work->n_task : work->n_pe;
	peak_mw += (double)n_busy * work->task_pj[level] / work->task_ns[level];
	return (struct power_mode){level,   0,   ns, groups->loop.dynamic_pj / n_barrier + groups->static_mw * ns,
	                           peak_mw, NULL};
}

bool power_spread_loops(const struct machine *machine, const struct power_groups *groups, const uint32_t *level,
                        size_t n_level, const struct power_work_options *options, struct arena *arena,
                        struct power_piece *piece, struct power_segment *segment)
{
	struct power_pe_work *work = memory_must(arena_alloc(arena, sizeof(*work)));
	struct power_pe_option *option;
	assert(n_level > 0 && n_level <= POWER_MAX_LEVEL);
	if (!make_work(machine, groups, level, n_level, options->domain, work))
		return false;
	/* no goal has another price of time: asleep at some level, or at the average */
	double slope_mw = options->max_average_mw;
	for (size_t i = 0; i < n_level; i++)
		slope_mw = fmax(slope_mw, energy_static_mw(machine, level[i]));
	size_t n = power_pe_options(work, options->max_peak_mw > 0 ? options->max_peak_mw : INFINITY, slope_mw, arena,
	                            &option);
	struct power_mode *mode = memory_must(arena_array(arena, n + n_level, sizeof(*mode)));
	for (size_t i = 0; i < n_level; i++)
		mode[i] = mode_alone(work, &groups[i], level[i]);
	for (size_t i = 0; i < n; i++)
		mode[n_level + i] = (struct power_mode){
		    option[i].plan.exit, 0, option[i].ns, option[i].pj, option[i].peak_mw, &option[i].plan};
	piece->part = POWER_LOOPS;
	piece->spread = work;
	piece->n_task = work->n_task;
	piece->n_pe = (uint32_t)(work->n_task < work->n_pe ? work->n_task : work->n_pe);
	*segment = (struct power_segment){
	    .n_mode = n + n_level, .mode = mode, .n_repeat = (uint32_t)(groups->n_barrier > 0 ? groups->n_barrier : 1)};
	return true;
}
