/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a schedule is compared with: all work at one level. Savings mean
 * something only when that has the freedom of the best schedule in everything
 * but the level, so it is solved as that one is, with the other levels barred.
 */
#include "dse/power/power_report.h"
#include <assert.h>
#include <math.h>

static const struct power_goal no_budget = {
    .max_ns = INFINITY, .max_pj = INFINITY, .max_peak_mw = INFINITY, .max_average_mw = INFINITY};

enum err_code power_rank_levels(struct power_run *run, double *fast_ns, double *slow_ns, struct arena *arena,
                                struct err *err)
{
	const struct power_problem *problem = &run->work.problem;
	struct power_goal speed = no_budget, energy = no_budget;
	double least_pj = INFINITY;
	assert(problem->n_level <= POWER_MAX_LEVEL);
	speed.scenario = POWER_SPEED;
	energy.scenario = POWER_ENERGY;
	*fast_ns = INFINITY;
	for (uint32_t i = 0; i < problem->n_level; i++) {
		struct power_schedule fast, slow;
		if (!(problem->levels >> i & 1))
			continue;
		power_uniform(problem, &speed, i, arena, &fast);
		power_uniform(problem, &energy, i, arena, &slow);
		if (fast.is_found && fast.time_ns < *fast_ns) {
			run->fast = i;
			*fast_ns = fast.time_ns;
		}
		if (slow.is_found && slow.energy_pj < least_pj) {
			run->slow = i;
			least_pj = slow.energy_pj;
			*slow_ns = slow.time_ns;
		}
	}
	if (isinf(*fast_ns))
		return err_add(err, ERR_INFEASIBLE, "no operating point can run all of the layers by itself");
	assert(*slow_ns >= *fast_ns);
	return ERR_OK;
}

enum err_code power_level_alone(const struct power_problem *problem, const struct power_goal *goal, uint32_t level,
                                struct arena *arena, struct power_schedule *schedule, struct err *err)
{
	assert(problem->levels >> level & 1);
	struct power_problem only = *problem;
	struct power_goal open = *goal;
	only.levels = UINT32_C(1) << level;
	enum err_code code = power_solve(&only, goal, 0, arena, schedule, err);
	if (code != ERR_OK || schedule->is_found)
		return code;
	open.max_peak_mw = INFINITY;
	power_uniform(&only, &open, level, arena, schedule);
	schedule->is_found = false;
	return ERR_OK;
}

enum err_code power_run_alone(struct power_run *run, struct arena *arena, struct err *err)
{
	const struct power_problem *problem = &run->work.problem;
	enum err_code code = ERR_OK;
	for (uint32_t i = 0; i < problem->n_level && code == ERR_OK; i++) {
		run->is_alone[i] = run->alone_keeps[i] = false;
		if (!(problem->levels >> i & 1))
			continue;
		code = power_level_alone(problem, &run->goal, i, arena, &run->alone[i], err);
		run->alone_keeps[i] = code == ERR_OK && run->alone[i].is_found;
		run->is_alone[i] = code == ERR_OK && run->alone[i].n_stage > 0;
	}
	return code;
}
