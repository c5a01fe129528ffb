/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/bound/deadline.h"
#include "dse/space/space_goals.h"
#include <assert.h>
#include <math.h>

/* mW times ms are uJ. */
#define MJ_PER_MW_MS 1e-3

double deadline_asleep_mj(const struct space *space, const struct machine *machine, double latency_ms)
{
	assert(space && machine && latency_ms >= 0);
	return space->deadline_ms > 0 ? energy_sleep_mw(machine) * latency_ms * MJ_PER_MW_MS : 0;
}

double deadline_sleep_mj(const struct space *space, const struct machine *machine)
{
	return deadline_asleep_mj(space, machine, space->deadline_ms);
}

double deadline_beside(const struct space *space, const struct machine *machine, enum metric metric)
{
	if (metric == METRIC_RUN_TIME)
		return metric_network_overhead_ms(machine);
	return metric == METRIC_ENERGY ? deadline_sleep_mj(space, machine) : 0.0;
}

void deadline_of_layer(const struct space *space, const struct machine *machine, double *value)
{
	if (!(space->deadline_ms > 0))
		return;
	/* no operating point takes less than sleep does but for rounding */
	value[METRIC_ENERGY] =
	    fmax(0, value[METRIC_ENERGY] - deadline_asleep_mj(space, machine, value[METRIC_LATENCY]));
}

void deadline_of_network(const struct space *space, const struct machine *machine, double *value)
{
	if (space->deadline_ms > value[METRIC_LATENCY])
		value[METRIC_ENERGY] += deadline_asleep_mj(space, machine, space->deadline_ms - value[METRIC_LATENCY]);
	value[METRIC_RUN_TIME] += metric_network_overhead_ms(machine);
}

double deadline_limit(const struct space *space, const struct machine *machine, size_t network, enum metric metric)
{
	double limit = space_network_limit(space, network, metric);
	if (metric == METRIC_LATENCY && space->deadline_ms > 0)
		return fmin(limit, space->deadline_ms * (1.0 + SPACE_LIMIT_SLACK));
	return limit - deadline_beside(space, machine, metric);
}
