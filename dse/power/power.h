/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_H
#define DSE_POWER_H
/*
 * Power management: at which operating point (level) each part of a network runs, so that time, power or energy keep a
 * budget (DVFS paper section IV).
 *
 *   machine, network -> power_work -> struct power_problem -> power_solve -> struct power_schedule -> report
 *
 * A problem is a chain of segments: layers, or loops of tasks inside layers. Each segment runs in one of several
 * modes: a level, or levels by PE (pe_plan.h), and the time, energy and peak power that the segment takes so. A change
 * of level between segments takes time and energy. The chip has few power lanes, set globally, so only so many voltages
 * can be used at all; which ones is part of the answer.
 */
#include "dse/spread/pe_plan.h"
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POWER_MAX_LEVEL PE_PLAN_MAX_LEVEL
/* Of schedules with levels by PE, which have so many choices that thousands lie nearer to each other. */
#define POWER_FINE_TOLERANCE 1e-7
#define POWER_FINE_LABEL ((size_t)2 << 20)
/* Segments and their repeats together: a chain longer than this is refused (memory of its bounds). */
#define POWER_MAX_STAGE 200000

/* One way to run a segment once. Times and energies are finite and not negative. */
struct power_mode {
	uint32_t level;  /* < problem->n_level; of all PEs, with a plan after the segment */
	uint32_t choice; /* the caller's name of the mode: which of several mappings */
	double time_ns;
	double energy_pj; /* static energy of that time included */
	double peak_mw;
	const struct pe_plan *plan; /* levels by PE; NULL: all PEs run at the level */
};

/* The level at which all PEs stand before a mode. */
static inline uint32_t power_mode_entry(const struct power_mode *mode)
{
	return mode->plan ? mode->plan->entry : mode->level;
}

/* Levels that a mode uses, bit i: level i. */
static inline uint32_t power_mode_levels(const struct power_mode *mode)
{
	return mode->plan ? mode->plan->levels : UINT32_C(1) << mode->level;
}

/* n_repeat identical pieces of work in a row, each of which chooses its own mode. */
struct power_segment {
	size_t n_mode;                 /* at most UINT16_MAX */
	const struct power_mode *mode; /* [n_mode] in any order */
	uint32_t n_repeat;             /* at least 1 */
};

/* The chain and what the hardware allows. */
struct power_problem {
	size_t n_segment;
	const struct power_segment *segment;
	uint32_t n_level;                 /* 1..POWER_MAX_LEVEL */
	uint32_t levels;                  /* bit i: level i may be used */
	double vdd_v[POWER_MAX_LEVEL];    /* levels of one voltage share a power lane */
	double clk_mhz[POWER_MAX_LEVEL];  /* levels of one clock share a divider */
	double sleep_mw[POWER_MAX_LEVEL]; /* of the whole machine, nobody working, at that level */
	uint32_t n_lane, n_divider;       /* distinct voltages, and distinct clocks, that a schedule can use */
	/* From level to level, when it changes between two pieces of work or before sleeping; 0 on the diagonal. */
	double switch_ns[POWER_MAX_LEVEL][POWER_MAX_LEVEL];
	double switch_pj[POWER_MAX_LEVEL][POWER_MAX_LEVEL];
};

/* What is wanted (DVFS paper section IV b); energy-budget and the average are ours. */
enum power_scenario {
	POWER_SPEED,          /* least time */
	POWER_ENERGY,         /* least energy */
	POWER_LIMITED_TIME,   /* least energy within max_ns */
	POWER_LIMITED_POWER,  /* least time within max_peak_mw, max_average_mw */
	POWER_LIMITED_ENERGY, /* least time within max_pj */
	N_POWER_SCENARIO
};
extern const char *const power_scenario_name[N_POWER_SCENARIO]; /* "speed", "energy", "time", "power", ... */

/*
 * A scenario and its budgets; those it does not need may be set all the same
 * (infinite: none) and hold as well, to 1e-12 of their size.
 */
struct power_goal {
	enum power_scenario scenario;
	double max_ns, max_pj, max_peak_mw;
	double max_average_mw; /* energy over time of the work, from its start to its end */
	/*
	 * The chip sleeps from the end of the work until max_ns (then finite), at the best level for it, and the
	 * energy of that counts where energy is minimised: finish early and sleep, or run slow.
	 */
	bool sleeps;
	/*
	 * The best schedule is one that no other betters by more than this part of its objective; 0: by nothing. Chains
	 * of many fine choices have millions of schedules within 1e-10 of the best.
	 */
	double tolerance;
};

/* The best, or best known, schedule. Its arrays are owned by the arena it was made in. */
struct power_schedule {
	bool is_found;   /* false: no schedule keeps the budgets; nothing else is defined but least_ns ... */
	size_t n_stage;  /* sum of repeats */
	uint32_t *mode;  /* [n_stage] index of a mode of its segment */
	uint32_t levels; /* bit i: level i is used */
	uint32_t n_switch;
	double time_ns, energy_pj, peak_mw; /* of the work, changes of level included */
	double idle_ns, idle_pj;            /* asleep until max_ns, change to the level of sleep included */
	uint32_t sleep_level;
	double objective; /* ns, or pJ with idle_pj */
	bool is_exact;    /* else the best possible objective is at least bound */
	double bound;
	uint64_t n_label; /* partial schedules that were kept */
	/* The least that any schedule could have, each for itself: what a budget must at least be. */
	double least_ns, least_pj, least_peak_mw, least_average_mw;
};

/*
 * The best schedule over every choice of voltages for the lanes, proven best: a label-setting dynamic program over
 * (segment, level) whose labels are cut by dominance and by Lagrangian bounds on the rest of the chain. Ties go to the
 * other of time and energy, then to fewer changes of level, then to earlier levels first. At most max_label labels (0:
 * 32 million, 24 bytes each) are kept; where that does not do, is_exact says so and bound by how much. Deterministic,
 * single-threaded. ERR_INTERRUPTED: Ctrl-C.
 */
enum err_code power_solve(const struct power_problem *problem, const struct power_goal *goal, size_t max_label,
                          struct arena *arena, struct power_schedule *schedule, struct err *err);

/*
 * The DVFS paper's greedy answer: two levels, the fastest and the thriftiest that may be used together. Everything
 * starts at the one that keeps the budgets; pieces of work move to the other, the most gained for what it costs first,
 * as long as the budgets hold. Not found: neither level alone keeps the budgets.
 */
void power_greedy(const struct power_problem *problem, const struct power_goal *goal, struct arena *arena,
                  struct power_schedule *schedule);

/*
 * The answer of a rule that looks at one piece of work at a time, ARADA's (dse/arada/arada.h) for levels of a chip:
 * each runs at the thriftiest level at which it takes no more than its share of the deadline, which by the race-to-idle
 * time is as long as at the fastest level; changes of level there and back are charged to it. Not found: energy is not
 * minimised, there is no deadline, or it is before race to idle.
 */
void power_by_share(const struct power_problem *problem, const struct power_goal *goal, struct arena *arena,
                    struct power_schedule *schedule);

/* All of it at one level; not found: some segment has no mode there, or a budget is broken. */
void power_uniform(const struct power_problem *problem, const struct power_goal *goal, uint32_t level,
                   struct arena *arena, struct power_schedule *schedule);

/* Whether the goal minimises energy; else time. */
bool power_wants_energy(const struct power_goal *goal);

/* Fill in everything of a schedule that follows from mode[] and sleep_level; returns whether it keeps the budgets. */
bool power_measure(const struct power_problem *problem, const struct power_goal *goal, struct power_schedule *schedule);

/* Sum of repeats. */
size_t power_n_stage(const struct power_problem *problem);

/*
 * Sets of levels (bits) that can be used together and are not contained in
 * another such set, into set[1 << POWER_MAX_LEVEL]; returns how many.
 */
size_t power_level_sets(const struct power_problem *problem, uint32_t *set);

#endif
