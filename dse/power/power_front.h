/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_FRONT_H
#define DSE_POWER_FRONT_H
/* Power management: all schedules between the fastest and the thriftiest that no other one dominates. */
#include "dse/power/power.h"

/* One point of a time-energy front. */
struct power_point {
	double time_ns, energy_pj, peak_mw;
	uint32_t levels;
	const uint32_t *mode; /* [n_stage] */
};

struct power_front {
	size_t n;
	struct power_point *point; /* [n] by time; owned by the arena */
	double epsilon;            /* 0: exact; else every missing point is within (1 + epsilon) of one here */
};

/*
 * All schedules that no other one beats in time and energy, over all sets of levels, within the goal's budgets (its
 * scenario and sleep do not matter); a partial front of more than max_front points is thinned, which epsilon tells.
 */
enum err_code power_solve_front(const struct power_problem *problem, const struct power_goal *goal, size_t max_front,
                                struct arena *arena, struct power_front *front, struct err *err);

#endif
