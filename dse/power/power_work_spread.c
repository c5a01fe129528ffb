/* SPDX-License-Identifier: Apache-2.0 */
/* A stretch of a layer's loops with levels by PE as a segment of the chain. */
#include "dse/power/power_work.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>

/* The plans of one kind of unit behind the modes so far; modes are moved where there is no room. */
static size_t add_plans(const struct pe_loops *loops, const struct pe_plan_work *work,
                        const struct power_work_options *options, struct arena *arena, struct power_mode **mode,
                        size_t n)
{
	struct pe_plan_option *option;
	/* no goal has another price of time: asleep at some level, or at the average */
	double slope_mw = options->max_average_mw;
	for (size_t i = 0; i < loops->n_level; i++)
		slope_mw = fmax(slope_mw, energy_static_mw(loops->machine, loops->level[i]));
	size_t n_option =
	    pe_plan_options(work, options->max_peak_mw > 0 ? options->max_peak_mw : INFINITY, slope_mw, arena, &option);
	struct power_mode *all = memory_must(arena_array(arena, n + n_option + 1, sizeof(*all)));
	for (size_t i = 0; i < n; i++)
		all[i] = (*mode)[i];
	for (size_t i = 0; i < n_option; i++)
		all[n + i] = (struct power_mode){option[i].plan.exit, 0, option[i].ns, option[i].pj, option[i].peak_mw,
		                                 &option[i].plan};
	*mode = all;
	return n + n_option;
}

bool power_spread_loops(const struct pe_loops *loops, const struct pe_stretch *stretch,
                        const struct power_work_options *options, struct arena *arena, struct power_piece *piece,
                        struct power_segment *segment)
{
	struct pe_plan_work *work = memory_must(arena_alloc(arena, sizeof(*work))), together;
	size_t n = loops->n_level;
	assert(n > 0 && n <= POWER_MAX_LEVEL);
	if (!pe_deal_work(loops, stretch, options->domain == DVFS_QPE, work))
		return false;
	struct power_mode *mode = memory_must(arena_array(arena, n, sizeof(*mode)));
	for (size_t i = 0; i < n; i++) {
		mode[i] = (struct power_mode){.level = loops->level[i]};
		pe_deal_alone(loops, stretch, i, &mode[i].time_ns, &mode[i].energy_pj, &mode[i].peak_mw);
	}
	n = add_plans(loops, work, options, arena, &mode, n);
	/* PEs that have few tasks may do better beside their QPE's: they wait at its level, not at the last one */
	if (options->domain == DVFS_PE && !loops->deal->is_free && pe_deal_work(loops, stretch, true, &together))
		n = add_plans(loops, &together, options, arena, &mode, n);
	piece->part = POWER_LOOPS;
	piece->spread = work;
	piece->n_task = work->n_task;
	piece->n_pe = stretch->n_busy[0];
	*segment = (struct power_segment){.n_mode = n, .mode = mode, .n_repeat = stretch->n_repeat};
	return true;
}
