/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ARADA's rule (Azhar et al., CF '23) for levels of a chip. Every piece of work looks at itself alone and runs as
 * thriftily as it can within its time. With the race-to-idle time as deadline that is its time at the fastest level,
 * so only work that waits for something else slows down. With a later deadline it is its share of that. Changes of
 * level there and back are charged to the piece.
 */
#include "dse/power/power_parts.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>

/* All work at one level as fast as it can be; infinite: some of it cannot run there. */
static double time_at(const struct power_problem *problem, uint32_t level, double max_peak_mw)
{
	double ns = 0;
	assert(level < problem->n_level);
	for (size_t i = 0; i < problem->n_segment; i++) {
		const struct power_segment *segment = &problem->segment[i];
		uint32_t mode = power_mode_at(segment, level, false, max_peak_mw);
		if (mode == UINT32_MAX)
			return INFINITY;
		ns += segment->mode[mode].time_ns * segment->n_repeat;
	}
	return ns;
}

/* The thriftiest mode at a set's levels that fits a share of the fastest level's time, with changes there and back. */
static uint32_t choose_mode(const struct power_problem *problem, const struct power_goal *goal, size_t i,
                            uint32_t levels, uint32_t fast, double share)
{
	const struct power_segment *segment = &problem->segment[i];
	uint32_t best = power_mode_at(segment, fast, false, goal->max_peak_mw);
	assert(best != UINT32_MAX && share >= 1);
	double may_ns = segment->mode[best].time_ns * share, least_pj = segment->mode[best].energy_pj;
	for (uint32_t k = 0; k < segment->n_mode; k++) {
		const struct power_mode *mode = &segment->mode[k];
		uint32_t entry = power_mode_entry(mode), exit = mode->level;
		double ns = mode->time_ns + problem->switch_ns[fast][entry] + problem->switch_ns[exit][fast];
		double pj = mode->energy_pj + problem->switch_pj[fast][entry] + problem->switch_pj[exit][fast];
		if ((power_mode_levels(mode) & ~levels) != 0 || mode->peak_mw > goal->max_peak_mw || ns > may_ns ||
		    !(pj < least_pj))
			continue;
		best = k;
		least_pj = pj;
	}
	return best;
}

/* Among the levels of one set; keeps what is better than schedule has. */
static void try_set(const struct power_problem *problem, const struct power_goal *goal, uint32_t levels,
                    struct power_schedule *trial, struct power_schedule *schedule)
{
	double least_ns = INFINITY;
	uint32_t fast = 0;
	size_t at = 0;
	for (uint32_t l = 0; l < problem->n_level; l++) {
		double ns = levels >> l & 1 ? time_at(problem, l, goal->max_peak_mw) : INFINITY;
		if (ns < least_ns) {
			least_ns = ns;
			fast = l;
		}
	}
	if (!(least_ns > 0) || !(least_ns <= goal->max_ns))
		return;
	for (size_t i = 0; i < problem->n_segment; i++) {
		uint32_t mode = choose_mode(problem, goal, i, levels, fast, goal->max_ns / least_ns);
		for (uint32_t k = 0; k < problem->segment[i].n_repeat; k++)
			trial->mode[at++] = mode;
	}
	for (uint32_t l = 0; l < problem->n_level; l++) {
		trial->sleep_level = l;
		if (!(levels >> l & 1) || !power_measure(problem, goal, trial) ||
		    (schedule->is_found && !(trial->objective < schedule->objective)))
			continue;
		uint32_t *own = schedule->mode;
		*schedule = *trial;
		schedule->mode = own;
		schedule->is_found = true;
		for (size_t i = 0; i < at; i++)
			own[i] = trial->mode[i];
	}
}

void power_by_share(const struct power_problem *problem, const struct power_goal *goal, struct arena *arena,
                    struct power_schedule *schedule)
{
	uint32_t set[UINT32_C(1) << POWER_MAX_LEVEL];
	struct power_schedule trial = {.bound = -INFINITY};
	*schedule = (struct power_schedule){.sleep_level = UINT32_MAX, .bound = -INFINITY};
	schedule->mode = memory_must(arena_array(arena, power_n_stage(problem), sizeof(*schedule->mode)));
	trial.mode = memory_must(arena_array(arena, power_n_stage(problem), sizeof(*trial.mode)));
	if (!power_wants_energy(goal) || isinf(goal->max_ns))
		return;
	size_t n_set = power_level_sets(problem, set);
	for (size_t i = 0; i < n_set; i++)
		try_set(problem, goal, set[i], &trial, schedule);
}
