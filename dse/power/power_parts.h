/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_PARTS_H
#define DSE_POWER_PARTS_H
/*
 * Inside power management: a problem made ready for one set of levels, and bounds on what remains of it.
 *
 *   power.c        problems, measuring a schedule, sets of levels
 *   power_chain.c  the problem as a chain of stages, its numbers rounded
 *   power_bound.c  the cheapest rest of the chain after each stage, in one direction
 *   power_meet.c   for one limit and a tolerance: schedules from both ends of the chain
 *   power_label.c  else: the dynamic program over stages
 *   power_solve.c  over all sets of levels and levels of sleep
 *
 * Every budget and every objective is linear in (time, energy): time, energy, energy less sleeping power times time,
 * energy less average power times time. So a partial schedule is a point in a plane, and every bound is a line in it.
 */
#include "dse/power/power.h"
#include "dse/power/power_plane.h"

/*
 * Of a segment's modes at a level under the peak the one with least energy (by_energy) or least time, the first of
 * equals; UINT32_MAX: there is none.
 */
uint32_t power_mode_at(const struct power_segment *segment, uint32_t level, bool by_energy, double max_peak_mw);

/* A mode that the set of levels and the peak allow; times and energies rounded. */
struct chain_mode {
	double ns, pj;
	uint32_t entry, level, mode; /* levels before and after; mode: its index in the segment */
};

/* A problem with one set of levels: its stages one by one, what may be chosen in each, what changes cost. */
struct power_chain {
	const struct power_problem *problem;
	uint32_t levels; /* bit i: level i may be used */
	uint32_t n_level;
	size_t n_stage;
	uint32_t *segment; /* [n_stage] */
	size_t *begin;     /* [n_segment + 1] a segment's modes in mode */
	struct chain_mode *mode;
	/*
	 * Rounded as the modes: all are multiples of 2^-52 of more than the whole chain can come to, so that sums are
	 * exact and do not depend on their order.
	 */
	double switch_ns[POWER_MAX_LEVEL][POWER_MAX_LEVEL], switch_pj[POWER_MAX_LEVEL][POWER_MAX_LEVEL];
	double end_ns[POWER_MAX_LEVEL],
	    end_pj[POWER_MAX_LEVEL]; /* after the last stage: change to the level of sleep */
	double most_ns, most_pj;     /* no schedule has more */
};

/*
 * Make a chain; false: some segment has no mode at these levels under this peak. sleep_level: UINT32_MAX: it does not
 * sleep. slope_mw: of the aim, by which modes with levels by PE beat each other; infinite: none is beaten.
 */
bool power_chain_build(const struct power_problem *problem, uint32_t levels, double max_peak_mw, uint32_t sleep_level,
                       double slope_mw, struct arena *arena, struct power_chain *chain);

/* The least completion in one direction: from level `from` after `stage` stages to the end of the chain. */
struct power_bound {
	struct power_weight weight;
	uint32_t n_level;
	double *ns, *pj;         /* [(n_stage + 1) * n_level] of that completion; infinite: there is none */
	double root_ns, root_pj; /* of the whole chain */
};

void power_bound_build(const struct power_chain *chain, struct power_weight weight, struct arena *arena,
                       struct power_bound *bound);

/* The mode (index in chain->mode) with which the completion of a bound goes on; from: UINT32_MAX at the start. */
size_t power_bound_next(const struct power_chain *chain, const struct power_bound *bound, size_t stage, uint32_t from);

/* What is minimised, and what must not exceed most[i]. */
#define POWER_MAX_LIMIT 3
struct power_aim {
	struct power_weight objective;
	unsigned n_limit;
	struct power_weight limit[POWER_MAX_LIMIT];
	double most[POWER_MAX_LIMIT];
	double tolerance; /* part of the objective by which a better one does not matter */
	double
	    slope_mw; /* of two partial schedules with time and energy - slope * time both less, that one is better */
};

/* The best schedule of a chain; not found: none better than `least_known` (of the objective) keeps the limits. */
struct chain_best {
	bool is_found, is_exact;
	double ns, pj, objective, bound;
	uint32_t *mode; /* [n_stage] of the segment; owned by the arena given */
	uint64_t n_label;
};
/* ERR_INTERRUPTED. */
enum err_code power_label_solve(const struct power_chain *chain, const struct power_aim *aim, double least_known,
                                size_t max_label, struct arena *arena, struct chain_best *best, struct err *err);

/* Its objective is what is to be beaten at first; infinite: none is known. */
struct meet_best {
	bool is_found, is_exact;
	double objective, bound; /* bound: of all schedules */
	size_t *mode;            /* [n_stage] indices in chain->mode, of one that is found; the caller's */
	uint64_t n_label;
};

/*
 * The best schedule for one limit, within the aim's tolerance. relaxed: the chain's bound in the direction objective +
 * multiplier * limit in which it just keeps the limit; constant: what the limit's most takes off there. Not exact: with
 * max_label labels not all that may be better could be looked at. ERR_INTERRUPTED.
 */
enum err_code power_meet(const struct power_chain *chain, const struct power_aim *aim,
                         const struct power_bound *relaxed, double constant, size_t max_label, struct meet_best *best,
                         struct err *err);

/* A bound on the objective of every schedule of a chain that keeps the limits; infinite: there is none. */
double power_label_bound(const struct power_chain *chain, const struct power_aim *aim);

#endif
