/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/changes.h"
#include "sim/base/unit.h"
#include "sim/program/mixed.h"
#include <assert.h>

bool changes_count(const struct space *space, const struct machine *machine)
{
	return space->level_changes && (machine->dvfs_switch_ns > 0 || machine->dvfs_switch_nj > 0);
}

uint32_t changes_entry(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	const struct operating_point *point = &machine->level[level];
	return mixed_is(point) ? mixed_entry(machine, point) : level;
}

uint32_t changes_exit(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	const struct operating_point *point = &machine->level[level];
	return mixed_is(point) ? point->high : level;
}

void changes_add(const struct space *space, const struct machine *machine, uint32_t from, uint32_t to, double *value)
{
	uint32_t before = changes_exit(machine, from), after = changes_entry(machine, to);
	if (!changes_count(space, machine) || before == after)
		return;
	double ns = energy_switch_ns(machine, before, after);
	double pj = energy_switch_pj(machine, before, after) + energy_static_mw(machine, after) * ns;
	value[METRIC_LATENCY] += ns * MS_PER_NS;
	value[METRIC_RUN_TIME] += ns * MS_PER_NS;
	value[METRIC_ENERGY] += pj * MJ_PER_PJ;
}
