/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The DVFS paper's answer (section IV c and d): two levels only. All work starts at one of them and moves to the other
 * piece by piece while the budget lasts. The paper moves loops of a layer and layers; this code moves first what gains
 * most for what it costs.
 */
#include "dse/power/power_parts.h"
#include "dse/base/memory.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* A segment whose repeats could move from one mode to another; UINT32_MAX: there is none at that level. */
struct power_move {
	double worth;          /* gained for each unit paid */
	size_t segment, stage; /* stage: of its first repeat */
	uint32_t mode[2];
};

/* All at one level; the level to sleep at is the same. */
static bool fill(const struct power_problem *problem, const struct power_goal *goal, uint32_t level,
                 struct power_schedule *schedule)
{
	assert(level < problem->n_level && schedule->mode);
	size_t at = 0;
	bool by_energy = power_wants_energy(goal) && !isfinite(goal->max_ns);
	for (size_t i = 0; i < problem->n_segment; i++) {
		uint32_t mode = power_mode_at(&problem->segment[i], level, by_energy, goal->max_peak_mw);
		if (mode == UINT32_MAX)
			return false;
		for (uint32_t k = 0; k < problem->segment[i].n_repeat; k++)
			schedule->mode[at++] = mode;
	}
	schedule->sleep_level = level;
	return true;
}

static void begin(const struct power_problem *problem, struct arena *arena, struct power_schedule *schedule)
{
	*schedule = (struct power_schedule){.sleep_level = UINT32_MAX, .bound = -INFINITY};
	schedule->mode = memory_must(arena_array(arena, power_n_stage(problem), sizeof(*schedule->mode)));
}

void power_uniform(const struct power_problem *problem, const struct power_goal *goal, uint32_t level,
                   struct arena *arena, struct power_schedule *schedule)
{
	assert(level < problem->n_level);
	begin(problem, arena, schedule);
	if (fill(problem, goal, level, schedule))
		schedule->is_found = power_measure(problem, goal, schedule);
}

/* The fastest and the thriftiest level that can be used together: the best sum of ranks is the paper's choice. */
static bool choose_levels(const struct power_problem *problem, struct power_schedule *trial, uint32_t level[2])
{
	assert(problem->levels != 0);
	const struct power_goal free_goal = {.scenario = POWER_SPEED,
	                                     .max_ns = INFINITY,
	                                     .max_pj = INFINITY,
	                                     .max_peak_mw = INFINITY,
	                                     .max_average_mw = INFINITY};
	double least_ns = INFINITY, least_pj = INFINITY;
	uint32_t set[UINT32_C(1) << POWER_MAX_LEVEL], together = 0;
	size_t n_set = power_level_sets(problem, set);
	for (uint32_t l = 0; l < problem->n_level; l++) {
		if (!(problem->levels >> l & 1) || !fill(problem, &free_goal, l, trial))
			continue;
		(void)power_measure(problem, &free_goal, trial);
		if (trial->time_ns < least_ns) {
			least_ns = trial->time_ns;
			level[0] = l;
		}
	}
	for (size_t i = 0; i < n_set && isfinite(least_ns); i++)
		if (set[i] >> level[0] & 1)
			together |= set[i];
	for (uint32_t l = 0; l < problem->n_level; l++) {
		if (!(together >> l & 1) || !fill(problem, &free_goal, l, trial))
			continue;
		(void)power_measure(problem, &free_goal, trial);
		if (trial->energy_pj < least_pj) {
			least_pj = trial->energy_pj;
			level[1] = l;
		}
	}
	return isfinite(least_pj);
}

static int compare_moves(const void *a, const void *b)
{
	const struct power_move *one = a, *other = b;
	if (one->worth < other->worth || one->worth > other->worth)
		return one->worth > other->worth ? -1 : 1;
	return one->segment < other->segment ? -1 : one->segment > other->segment;
}

/* What each segment gains and pays by itself: changes of level are found out when it moves. */
static void rank_moves(const struct power_problem *problem, const struct power_goal *goal, struct power_move *move)
{
	for (size_t i = 0; i < problem->n_segment; i++) {
		const struct power_mode *mode = problem->segment[i].mode;
		move[i].worth = -INFINITY;
		if (move[i].mode[0] == UINT32_MAX || move[i].mode[1] == UINT32_MAX)
			continue;
		const struct power_mode *now = &mode[move[i].mode[0]], *then = &mode[move[i].mode[1]];
		double gained_pj = now->energy_pj - then->energy_pj, gained_ns = now->time_ns - then->time_ns;
		double gained = power_wants_energy(goal) ? gained_pj : gained_ns;
		double paid = power_wants_energy(goal) ? -gained_ns : -gained_pj;
		move[i].worth = gained <= 0 ? -INFINITY : paid <= 0 ? INFINITY : gained / paid;
	}
	qsort(move, problem->n_segment, sizeof(*move), compare_moves);
}

/* The first n repeats of a segment at the other level, the rest where they are; whether that keeps the budgets. */
static bool try_move(const struct power_problem *problem, const struct power_goal *goal, const struct power_move *move,
                     uint32_t n, struct power_schedule *schedule)
{
	assert(n <= problem->segment[move->segment].n_repeat);
	uint32_t n_repeat = problem->segment[move->segment].n_repeat;
	for (uint32_t k = 0; k < n_repeat; k++)
		schedule->mode[move->stage + k] = move->mode[k < n];
	return power_measure(problem, goal, schedule);
}

/* Segments in order of worth, as many repeats of each as the budgets bear; nothing that gains nothing. */
static void move_all(const struct power_problem *problem, const struct power_goal *goal, const struct power_move *move,
                     struct power_schedule *schedule)
{
	assert(schedule->objective >= 0);
	double best = schedule->objective;
	for (size_t i = 0; i < problem->n_segment && move[i].worth > 0 && !stop_requested(NULL); i++) {
		uint32_t least = 0, most = problem->segment[move[i].segment].n_repeat;
		while (least < most) {
			uint32_t middle = least + (most - least + 1) / 2;
			if (try_move(problem, goal, &move[i], middle, schedule))
				least = middle;
			else
				most = middle - 1;
		}
		bool keeps = try_move(problem, goal, &move[i], least, schedule);
		if (keeps && schedule->objective < best)
			best = schedule->objective;
		else
			(void)try_move(problem, goal, &move[i], 0, schedule);
	}
	schedule->is_found = power_measure(problem, goal, schedule);
}

/* Asleep at the better of the two levels. */
static void choose_sleep(const struct power_problem *problem, const struct power_goal *goal, const uint32_t level[2],
                         struct power_schedule *schedule)
{
	uint32_t best = schedule->sleep_level;
	double least = INFINITY;
	for (int i = 0; i < 2 && goal->sleeps; i++) {
		schedule->sleep_level = level[i];
		if (power_measure(problem, goal, schedule) && schedule->objective < least) {
			least = schedule->objective;
			best = level[i];
		}
	}
	schedule->sleep_level = best;
	schedule->is_found = power_measure(problem, goal, schedule);
}

/* From a start at the first of two levels. */
static void move_from(const struct power_problem *problem, const struct power_goal *goal, const uint32_t level[2],
                      struct power_schedule *schedule)
{
	size_t at = 0;
	struct power_move *move = memory_array(problem->n_segment, sizeof(*move));
	for (size_t i = 0; i < problem->n_segment; i++) {
		move[i].segment = i;
		move[i].stage = at;
		move[i].mode[0] = schedule->mode[at];
		move[i].mode[1] =
		    power_mode_at(&problem->segment[i], level[1], power_wants_energy(goal), goal->max_peak_mw);
		at += problem->segment[i].n_repeat;
	}
	rank_moves(problem, goal, move);
	move_all(problem, goal, move, schedule);
	choose_sleep(problem, goal, level, schedule);
	free(move);
}

void power_greedy(const struct power_problem *problem, const struct power_goal *goal, struct arena *arena,
                  struct power_schedule *schedule)
{
	uint32_t level[2] = {0, 0}; /* the fastest, the thriftiest */
	begin(problem, arena, schedule);
	if (!choose_levels(problem, schedule, level))
		return;
	/* Least energy starts where it is fast, least time where it is thrifty. */
	uint32_t way[2] = {level[power_wants_energy(goal) ? 0 : 1], level[power_wants_energy(goal) ? 1 : 0]};
	for (int i = 0; i < 2; i++) {
		if (fill(problem, goal, way[0], schedule) && power_measure(problem, goal, schedule)) {
			move_from(problem, goal, way, schedule);
			return;
		}
		uint32_t other = way[0];
		way[0] = way[1];
		way[1] = other;
	}
}
