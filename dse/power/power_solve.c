/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lanes' voltages and the level to sleep at are a choice of their own: for
 * each of them the aim is a plain line in the plane of time and energy. Parts
 * are bounded first and solved in the order of their bounds, so that most of
 * them are settled by the bound alone.
 */
#include "dse/power/power_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Objectives that are closer than this are equal: sums of thousands of doubles tell no more. */
#define EXACT_FRAC 1e-12

static bool wants_energy(const struct power_goal *goal)
{
	return goal->scenario == POWER_ENERGY || goal->scenario == POWER_LIMITED_TIME;
}

/* The goal as lines in the plane of time and energy. Sleep's own power is a credit for every ns of work. */
static struct power_aim aim_of(const struct power_problem *problem, const struct power_goal *goal, uint32_t sleep_level)
{
	assert(sleep_level == UINT32_MAX || sleep_level < problem->n_level);
	struct power_aim aim = {.objective = {1, 0}};
	if (wants_energy(goal)) {
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
static enum err_code find_least(const struct power_chain *chain, struct power_schedule *schedule, struct err *err)
{
	struct arena scratch = {0};
	struct power_bound time, energy;
	enum err_code code = power_bound_build(chain, (struct power_weight){1, 0}, &scratch, &time, err);
	if (code == ERR_OK)
		code = power_bound_build(chain, (struct power_weight){0, 1}, &scratch, &energy, err);
	if (code == ERR_OK) {
		schedule->least_ns = fmin(schedule->least_ns, time.root_ns);
		schedule->least_pj = fmin(schedule->least_pj, energy.root_pj);
	}
	arena_free(&scratch);
	return code;
}

/* Of the chain's average power: energy over time, least. Each step takes the ratio just found as the next price of
 * time. */
static enum err_code find_least_average(const struct power_chain *chain, struct power_schedule *schedule,
                                        struct err *err)
{
	assert(chain->n_stage > 0);
	double mw = schedule->least_average_mw;
	enum err_code code = ERR_OK;
	for (int i = 0; i < 64 && code == ERR_OK; i++) {
		struct arena scratch = {0};
		struct power_bound bound;
		struct power_weight weight = {isfinite(mw) ? -mw : 0, 1};
		code = power_bound_build(chain, weight, &scratch, &bound, err);
		arena_free(&scratch);
		double next = bound.root_ns > 0 ? bound.root_pj / bound.root_ns : INFINITY;
		if (code != ERR_OK || !(next < mw * (1 - 1e-12)))
			break;
		mw = next;
	}
	schedule->least_average_mw = mw;
	return code;
}

/* The least peak of any mode, worst segment. */
static double least_peak(const struct power_problem *problem, uint32_t levels)
{
	double worst = 0;
	for (size_t i = 0; i < problem->n_segment; i++) {
		double least = INFINITY;
		for (size_t k = 0; k < problem->segment[i].n_mode; k++)
			if (levels >> problem->segment[i].mode[k].level & 1)
				least = fmin(least, problem->segment[i].mode[k].peak_mw);
		worst = fmax(worst, least);
	}
	return worst;
}

/* For messages: over one set of levels, no budget. */
static enum err_code add_least(const struct power_problem *problem, uint32_t levels, struct power_schedule *schedule,
                               struct err *err)
{
	struct arena scratch = {0};
	struct power_chain chain;
	bool is_possible;
	enum err_code code =
	    power_chain_build(problem, levels, INFINITY, UINT32_MAX, &scratch, &chain, &is_possible, err);
	if (code == ERR_OK && is_possible) {
		schedule->least_peak_mw = fmin(schedule->least_peak_mw, least_peak(problem, levels));
		code = find_least(&chain, schedule, err);
		if (code == ERR_OK)
			code = find_least_average(&chain, schedule, err);
	}
	arena_free(&scratch);
	return code;
}

/* One set of levels and one level of sleep (UINT32_MAX: it does not sleep); no schedule of it is better than least. */
struct part {
	uint32_t levels, sleep_level;
	double least;
	size_t order;
};

/* What sleeping costs whatever is done before: the rest is in the aim's objective. */
static double sleep_constant(const struct power_problem *problem, const struct power_goal *goal, uint32_t sleep_level)
{
	return wants_energy(goal) && sleep_level < problem->n_level ? problem->sleep_mw[sleep_level] * goal->max_ns : 0;
}

static enum err_code bound_part(const struct power_problem *problem, const struct power_goal *goal, struct part *part,
                                struct err *err)
{
	struct arena scratch = {0};
	struct power_chain chain;
	bool is_possible = false;
	struct power_aim aim = aim_of(problem, goal, part->sleep_level);
	part->least = INFINITY;
	enum err_code code = power_chain_build(problem, part->levels, goal->max_peak_mw, part->sleep_level, &scratch,
	                                       &chain, &is_possible, err);
	if (code == ERR_OK && is_possible)
		code = power_label_bound(&chain, &aim, &part->least, err);
	part->least += sleep_constant(problem, goal, part->sleep_level);
	arena_free(&scratch);
	return code;
}

/* The part's best, when it is better than what schedule has. */
static enum err_code solve_part(const struct power_problem *problem, const struct power_goal *goal,
                                const struct part *part, size_t max_label, struct power_schedule *schedule,
                                struct err *err)
{
	assert(schedule->mode && part->levels != 0);
	struct arena scratch = {0};
	struct power_chain chain;
	struct chain_best best = {0};
	bool is_possible;
	double constant = sleep_constant(problem, goal, part->sleep_level);
	struct power_aim aim = aim_of(problem, goal, part->sleep_level);
	double known = schedule->is_found ? schedule->objective - constant : INFINITY;
	enum err_code code = power_chain_build(problem, part->levels, goal->max_peak_mw, part->sleep_level, &scratch,
	                                       &chain, &is_possible, err);
	if (code == ERR_OK && is_possible)
		code = power_label_solve(&chain, &aim, known, max_label, &scratch, &best, err);
	if (code == ERR_OK && is_possible) {
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
	const struct part *one = a, *other = b;
	if (one->least < other->least || one->least > other->least)
		return one->least < other->least ? -1 : 1;
	return one->order < other->order ? -1 : 1;
}

/* Sets of levels, each with every level to sleep at that keeps the peak, the most promising first. */
static enum err_code list_parts(const struct power_problem *problem, const struct power_goal *goal, struct part *part,
                                size_t *n_part, struct power_schedule *schedule, struct err *err)
{
	uint32_t set[UINT32_C(1) << POWER_MAX_LEVEL];
	size_t n_set = power_level_sets(problem, set);
	enum err_code code = ERR_OK;
	*n_part = 0;
	for (size_t i = 0; i < n_set && code == ERR_OK; i++) {
		code = add_least(problem, set[i], schedule, err);
		for (uint32_t l = 0; l < (goal->sleeps ? problem->n_level : 1) && code == ERR_OK; l++) {
			bool can_sleep = (set[i] >> l & 1) && problem->sleep_mw[l] <= goal->max_peak_mw;
			if (goal->sleeps && !can_sleep)
				continue;
			struct part *new = &part[*n_part];
			*new = (struct part){set[i], goal->sleeps ? l : UINT32_MAX, 0, *n_part};
			code = bound_part(problem, goal, new, err);
			(*n_part)++;
		}
	}
	qsort(part, *n_part, sizeof(*part), compare_parts);
	return code;
}

/* Parts whose bound is not below the best known need not be looked at. */
static enum err_code solve_parts(const struct power_problem *problem, const struct power_goal *goal, size_t max_label,
                                 struct arena *arena, struct power_schedule *schedule, struct err *err)
{
	struct arena scratch = {0};
	size_t n = 0, n_most = (size_t)POWER_MAX_LEVEL << POWER_MAX_LEVEL;
	struct part *part = arena_array(&scratch, n_most, sizeof(*part));
	schedule->mode = arena_array(arena, power_n_stage(problem), sizeof(*schedule->mode));
	enum err_code code = ERR_OK;
	if (!part || !schedule->mode)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK)
		code = list_parts(problem, goal, part, &n, schedule, err);
	for (size_t i = 0; i < n && code == ERR_OK; i++) {
		if (isinf(part[i].least) ||
		    (schedule->is_found && part[i].least > schedule->objective * (1 + EXACT_FRAC)))
			break;
		code = solve_part(problem, goal, &part[i], max_label, schedule, err);
	}
	arena_free(&scratch);
	return code;
}

enum err_code power_solve(const struct power_problem *problem, const struct power_goal *goal, size_t max_label,
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
	schedule->is_exact = !(schedule->bound < schedule->objective * (1 - EXACT_FRAC));
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
