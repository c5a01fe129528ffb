/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which voltages the lanes supply and at which level the chip sleeps are choices of their own. With both fixed the
 * objective is linear in the plane of time and energy. These parts are bounded first and solved in the order of their
 * bounds, so that the bound alone rules most of them out.
 */
#include "dse/power/power_parts.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Objectives that are closer than this are equal: sums of thousands of doubles tell no more. */
#define EXACT_FRAC 1e-12

/* The goal as lines in the plane of time and energy. Sleep's own power is a credit for every ns of work. */
static struct power_aim aim_of(const struct power_problem *problem, const struct power_goal *goal, uint32_t sleep_level)
{
	assert(sleep_level == UINT32_MAX || sleep_level < problem->n_level);
	struct power_aim aim = {.objective = {1, 0}, .tolerance = goal->tolerance};
	if (power_wants_energy(goal)) {
		double sleep_mw = sleep_level < problem->n_level ? problem->sleep_mw[sleep_level] : 0;
		aim.objective = (struct power_weight){-sleep_mw, 1};
		aim.slope_mw = sleep_mw;
	}
	if (isfinite(goal->max_ns)) {
		aim.limit[aim.n_limit] = (struct power_weight){1, 0};
		aim.most[aim.n_limit++] = goal->max_ns;
	}
	if (isfinite(goal->max_pj)) {
		aim.limit[aim.n_limit] = (struct power_weight){0, 1};
		aim.most[aim.n_limit++] = goal->max_pj;
	}
	if (isfinite(goal->max_average_mw)) {
		aim.limit[aim.n_limit] = (struct power_weight){-goal->max_average_mw, 1};
		aim.most[aim.n_limit++] = 0;
		aim.slope_mw = fmax(aim.slope_mw, goal->max_average_mw);
	}
	return aim;
}

/* What budgets must at least be, each for itself. */
static void find_least(const struct power_chain *chain, struct power_schedule *schedule)
{
	struct arena scratch = {0};
	struct power_bound time, energy;
	power_bound_build(chain, (struct power_weight){1, 0}, &scratch, &time);
	power_bound_build(chain, (struct power_weight){0, 1}, &scratch, &energy);
	schedule->least_ns = fmin(schedule->least_ns, time.root_ns);
	schedule->least_pj = fmin(schedule->least_pj, energy.root_pj);
	arena_free(&scratch);
}

/*
 * The least average power, energy over time, of any schedule of the chain. Each step takes the ratio just found as the
 * next price of time.
 */
static void find_least_average(const struct power_chain *chain, struct power_schedule *schedule)
{
	assert(chain->n_stage > 0);
	double *mw = &schedule->least_average_mw;
	for (int i = 0; i < 64; i++) {
		struct arena scratch = {0};
		struct power_bound bound;
		struct power_weight weight = {isfinite(*mw) ? -*mw : 0, 1};
		power_bound_build(chain, weight, &scratch, &bound);
		arena_free(&scratch);
		double next = bound.root_ns > 0 ? bound.root_pj / bound.root_ns : INFINITY;
		if (!(next < *mw * (1 - 1e-12)))
			break;
		*mw = next;
	}
}

static double least_peak(const struct power_problem *problem, uint32_t levels)
{
	double worst = 0;
	for (size_t i = 0; i < problem->n_segment; i++) {
		double least = INFINITY;
		for (size_t k = 0; k < problem->segment[i].n_mode; k++)
			if ((power_mode_levels(&problem->segment[i].mode[k]) & ~levels) == 0)
				least = fmin(least, problem->segment[i].mode[k].peak_mw);
		worst = fmax(worst, least);
	}
	return worst;
}

/* For messages: over one set of levels, no budget. */
static void add_least(const struct power_problem *problem, uint32_t levels, struct power_schedule *schedule)
{
	struct arena scratch = {0};
	struct power_chain chain;
	if (power_chain_build(problem, levels, INFINITY, UINT32_MAX, INFINITY, &scratch, &chain)) {
		schedule->least_peak_mw = fmin(schedule->least_peak_mw, least_peak(problem, levels));
		find_least(&chain, schedule);
		find_least_average(&chain, schedule);
	}
	arena_free(&scratch);
}

/* One set of levels and one level of sleep (UINT32_MAX: it does not sleep); no schedule of it is better than least. */
struct power_part_bound {
	uint32_t levels, sleep_level;
	double least;
	size_t order;
};

/* What sleeping costs whatever is done before: the rest is in the aim's objective. */
static double sleep_constant(const struct power_problem *problem, const struct power_goal *goal, uint32_t sleep_level)
{
	return power_wants_energy(goal) && sleep_level < problem->n_level
	           ? problem->sleep_mw[sleep_level] * goal->max_ns
	           : 0;
}

static void bound_part(const struct power_problem *problem, const struct power_goal *goal,
                       struct power_part_bound *part)
{
	struct arena scratch = {0};
	struct power_chain chain;
	struct power_aim aim = aim_of(problem, goal, part->sleep_level);
	part->least = INFINITY;
	if (power_chain_build(problem, part->levels, goal->max_peak_mw, part->sleep_level, aim.slope_mw, &scratch,
	                      &chain))
		part->least = power_label_bound(&chain, &aim) + sleep_constant(problem, goal, part->sleep_level);
	arena_free(&scratch);
}

/* The part's best, when it is better by the tolerance than what schedule has. */
static enum err_code solve_part(const struct power_problem *problem, const struct power_goal *goal,
                                const struct power_part_bound *part, size_t max_label, struct power_schedule *schedule,
                                struct err *err)
{
	assert(schedule->mode && part->levels != 0);
	struct arena scratch = {0};
	struct power_chain chain;
	struct chain_best best = {0};
	enum err_code code = ERR_OK;
	double constant = sleep_constant(problem, goal, part->sleep_level);
	struct power_aim aim = aim_of(problem, goal, part->sleep_level);
	double known = schedule->is_found ? schedule->objective - constant : INFINITY;
	if (power_chain_build(problem, part->levels, goal->max_peak_mw, part->sleep_level, aim.slope_mw, &scratch,
	                      &chain)) {
		code = power_label_solve(&chain, &aim, known, max_label, &scratch, &best, err);
		schedule->n_label += best.n_label;
		if (!best.is_exact)
			schedule->bound = fmin(schedule->bound, best.bound + constant);
	}
	if (code == ERR_OK && best.is_found && (!schedule->is_found || best.objective < known)) {
		schedule->is_found = true;
		schedule->objective = best.objective + constant;
		schedule->sleep_level = part->sleep_level;
		memcpy(schedule->mode, best.mode, chain.n_stage * sizeof(*schedule->mode));
	}
	arena_free(&scratch);
	return code;
}

static int compare_parts(const void *a, const void *b)
{
	const struct power_part_bound *one = a, *other = b;
	if (one->least < other->least || one->least > other->least)
		return one->least < other->least ? -1 : 1;
	return one->order < other->order ? -1 : 1;
}

/* Sets of levels, each with every level to sleep at that keeps the peak, the most promising first; returns how many. */
static size_t list_parts(const struct power_problem *problem, const struct power_goal *goal,
                         struct power_part_bound *part, struct power_schedule *schedule)
{
	uint32_t set[UINT32_C(1) << POWER_MAX_LEVEL];
	size_t n_set = power_level_sets(problem, set), n = 0;
	for (size_t i = 0; i < n_set; i++) {
		add_least(problem, set[i], schedule);
		for (uint32_t l = 0; l < (goal->sleeps ? problem->n_level : 1); l++) {
			bool can_sleep = (set[i] >> l & 1) && problem->sleep_mw[l] <= goal->max_peak_mw;
			if (goal->sleeps && !can_sleep)
				continue;
			part[n] = (struct power_part_bound){set[i], goal->sleeps ? l : UINT32_MAX, 0, n};
			bound_part(problem, goal, &part[n++]);
		}
	}
	qsort(part, n, sizeof(*part), compare_parts);
	return n;
}

/* Parts whose bound is not below the best known need not be looked at. */
static enum err_code solve_parts(const struct power_problem *problem, const struct power_goal *goal, size_t max_label,
                                 struct arena *arena, struct power_schedule *schedule, struct err *err)
{
	struct power_part_bound *part = memory_array((size_t)POWER_MAX_LEVEL << POWER_MAX_LEVEL, sizeof(*part));
	schedule->mode = memory_must(arena_array(arena, power_n_stage(problem), sizeof(*schedule->mode)));
	enum err_code code = ERR_OK;
	size_t n = list_parts(problem, goal, part, schedule);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		if (isinf(part[i].least) ||
		    (schedule->is_found && part[i].least > schedule->objective * (1 + EXACT_FRAC - goal->tolerance)))
			break;
		code = solve_part(problem, goal, &part[i], max_label, schedule, err);
	}
	free(part);
	return code;
}

static enum err_code solve_first(const struct power_problem *problem, const struct power_goal *goal, size_t max_label,
                                 struct arena *arena, struct power_schedule *schedule, struct err *err)
{
	assert(problem->n_segment > 0 && goal->scenario < N_POWER_SCENARIO);
	assert(!goal->sleeps || isfinite(goal->max_ns));
	*schedule = (struct power_schedule){.bound = INFINITY,
	                                    .sleep_level = UINT32_MAX,
	                                    .least_ns = INFINITY,
	                                    .least_pj = INFINITY,
	                                    .least_peak_mw = INFINITY,
	                                    .least_average_mw = INFINITY};
	enum err_code code = solve_parts(problem, goal, max_label, arena, schedule, err);
	if (code != ERR_OK)
		return code;
	/* what was cut short matters where it could have been better */
	schedule->is_exact = !(schedule->bound < schedule->objective * (1 - EXACT_FRAC - goal->tolerance));
	if (!schedule->is_found) {
		schedule->is_exact = isinf(schedule->bound);
		return ERR_OK;
	}
	if (schedule->is_exact)
		schedule->bound = schedule->objective;
	bool keeps = power_measure(problem, goal, schedule);
	assert(keeps);
	(void)keeps;
	return ERR_OK;
}

/*
 * Where time is the objective and a tolerance lets many schedules be best: the thriftiest of them. It is of use only if
 * it is thriftier; what was found first stays otherwise.
 */
static enum err_code take_thriftiest(const struct power_problem *problem, const struct power_goal *goal,
                                     size_t max_label, struct arena *arena, struct power_schedule *schedule,
                                     struct err *err)
{
	struct power_goal thrifty = *goal;
	struct power_schedule other;
	thrifty.scenario = POWER_LIMITED_TIME;
	thrifty.max_ns = fmin(goal->max_ns, schedule->time_ns * (1 + goal->tolerance));
	enum err_code code = solve_first(problem, &thrifty, max_label, arena, &other, err);
	if (code != ERR_OK || !other.is_found || !(other.energy_pj < schedule->energy_pj))
		return code;
	schedule->mode = other.mode;
	schedule->n_label += other.n_label;
	bool keeps = power_measure(problem, goal, schedule);
	assert(keeps);
	(void)keeps;
	return ERR_OK;
}

enum err_code power_solve(const struct power_problem *problem, const struct power_goal *goal, size_t max_label,
                          struct arena *arena, struct power_schedule *schedule, struct err *err)
{
	enum err_code code = solve_first(problem, goal, max_label, arena, schedule, err);
	if (code == ERR_OK && schedule->is_found && goal->tolerance > 0 && !power_wants_energy(goal))
		code = take_thriftiest(problem, goal, max_label, arena, schedule, err);
	return code;
}
