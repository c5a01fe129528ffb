/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures schedules. What the solver, the greedy answer and ARADA's rule return is measured again here, from the
 * problem's own numbers, without their rounding and bounds.
 */
#include "dse/power/power_parts.h"
#include <assert.h>
#include <math.h>

const char *const power_scenario_name[N_POWER_SCENARIO] = {"speed", "energy", "time", "power", "energy-budget"};

/* Budgets hold to this part of their size: sums of hundreds of terms are no more exact. */
#define BUDGET_SLACK 1e-12

size_t power_n_stage(const struct power_problem *problem)
{
	size_t n = 0;
	assert(problem);
	for (size_t i = 0; i < problem->n_segment; i++) {
		assert(problem->segment[i].n_repeat > 0);
		n += problem->segment[i].n_repeat;
	}
	return n;
}

bool power_wants_energy(const struct power_goal *goal)
{
	return goal->scenario == POWER_ENERGY || goal->scenario == POWER_LIMITED_TIME;
}

uint32_t power_mode_at(const struct power_segment *segment, uint32_t level, bool by_energy, double max_peak_mw)
{
	assert(segment && level < POWER_MAX_LEVEL);
	uint32_t best = UINT32_MAX;
	for (uint32_t k = 0; k < segment->n_mode; k++) {
		const struct power_mode *mode = &segment->mode[k];
		if (power_mode_levels(mode) != UINT32_C(1) << level || mode->peak_mw > max_peak_mw)
			continue;
		if (best == UINT32_MAX || (by_energy ? mode->energy_pj < segment->mode[best].energy_pj
		                                     : mode->time_ns < segment->mode[best].time_ns))
			best = k;
	}
	return best;
}

/* How many distinct values there are among those of the levels in set. */
static uint32_t count_distinct(const double *value, uint32_t set)
{
	assert(value && set < UINT32_C(1) << POWER_MAX_LEVEL);
	uint32_t n = 0;
	for (uint32_t i = 0; i < POWER_MAX_LEVEL; i++) {
		bool is_new = set >> i & 1;
		for (uint32_t k = 0; k < i && is_new; k++)
			is_new = !(set >> k & 1) || value[k] < value[i] || value[k] > value[i];
		n += is_new;
	}
	return n;
}

static bool can_be_used(const struct power_problem *problem, uint32_t set)
{
	assert(problem->n_lane > 0 && set != 0);
	return (set & ~problem->levels) == 0 && count_distinct(problem->vdd_v, set) <= problem->n_lane &&
	       count_distinct(problem->clk_mhz, set) <= problem->n_divider;
}

size_t power_level_sets(const struct power_problem *problem, uint32_t *set)
{
	size_t n = 0;
	assert(problem->n_level >= 1 && problem->n_level <= POWER_MAX_LEVEL);
	assert(problem->n_lane > 0 && problem->n_divider > 0);
	for (uint32_t try = 1; try < UINT32_C(1) << problem->n_level; try++) {
		bool is_largest = can_be_used(problem, try);
		for (uint32_t i = 0; i < problem->n_level && is_largest; i++)
			is_largest = (try >> i & 1) || !can_be_used(problem, try | UINT32_C(1) << i);
		if (is_largest)
			set[n++] = try;
	}
	return n;
}

/* What a change of level takes. */
struct power_change {
	double ns, pj;
};

/* What the work itself takes. */
static void measure_work(const struct power_problem *problem, struct power_schedule *schedule)
{
	assert(problem && schedule && schedule->mode);
	const struct power_mode *before = NULL;
	size_t at = 0;
	schedule->time_ns = schedule->energy_pj = schedule->peak_mw = 0;
	schedule->n_switch = schedule->levels = 0;
	for (size_t i = 0; i < problem->n_segment; i++) {
		const struct power_segment *segment = &problem->segment[i];
		for (uint32_t k = 0; k < segment->n_repeat; k++) {
			assert(schedule->mode[at] < segment->n_mode);
			const struct power_mode *mode = &segment->mode[schedule->mode[at++]];
			uint32_t entry = power_mode_entry(mode);
			if (before && before->level != entry) {
				schedule->n_switch++;
				schedule->time_ns += problem->switch_ns[before->level][entry];
				schedule->energy_pj += problem->switch_pj[before->level][entry];
			}
			schedule->levels |= power_mode_levels(mode);
			schedule->time_ns += mode->time_ns;
			schedule->energy_pj += mode->energy_pj;
			schedule->peak_mw = fmax(schedule->peak_mw, mode->peak_mw);
			before = mode;
		}
	}
	schedule->n_stage = at;
}

/* The level of the last piece of work; UINT32_MAX: there is none. */
static uint32_t last_level(const struct power_problem *problem, const struct power_schedule *schedule)
{
	assert(schedule->n_stage == 0 || problem->n_segment > 0);
	if (schedule->n_stage == 0)
		return UINT32_MAX;
	return problem->segment[problem->n_segment - 1].mode[schedule->mode[schedule->n_stage - 1]].level;
}

/* From the end of the work to the deadline. Returns the change to the level of sleep, which counts in the budgets. */
static struct power_change measure_sleep(const struct power_problem *problem, const struct power_goal *goal,
                                         struct power_schedule *schedule)
{
	uint32_t from = last_level(problem, schedule), to = schedule->sleep_level;
	assert(to < problem->n_level && isfinite(goal->max_ns));
	struct power_change change = {0, 0};
	if (from < problem->n_level)
		change = (struct power_change){problem->switch_ns[from][to], problem->switch_pj[from][to]};
	schedule->idle_ns = fmax(0, goal->max_ns - schedule->time_ns);
	schedule->idle_pj = change.pj + problem->sleep_mw[to] * fmax(0, schedule->idle_ns - change.ns);
	return change;
}

bool power_measure(const struct power_problem *problem, const struct power_goal *goal, struct power_schedule *schedule)
{
	struct power_change change = {0, 0};
	const double slack = 1 + BUDGET_SLACK;
	measure_work(problem, schedule);
	schedule->idle_ns = schedule->idle_pj = 0;
	if (goal->sleeps)
		change = measure_sleep(problem, goal, schedule);
	schedule->objective = power_wants_energy(goal) ? schedule->energy_pj + schedule->idle_pj : schedule->time_ns;
	double ns = schedule->time_ns + change.ns, pj = schedule->energy_pj + change.pj;
	if (goal->sleeps && problem->sleep_mw[schedule->sleep_level] > goal->max_peak_mw)
		return false;
	return ns <= goal->max_ns * slack && pj <= goal->max_pj * slack && schedule->peak_mw <= goal->max_peak_mw &&
	       (isinf(goal->max_average_mw) || pj <= goal->max_average_mw * ns * slack);
}
