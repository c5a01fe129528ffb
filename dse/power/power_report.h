/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_POWER_REPORT_H
#define DSE_POWER_REPORT_H
/* Power management: what dse power found, and how it is printed, written and drawn. */
#include "dse/out/json.h"
#include "dse/space/left_out.h"
#include "dse/power/power_front.h"
#include "dse/power/power_work.h"
#include "dse/space/provenance.h"
#include "sim/base/unit.h"
#include <stdio.h>

/* Everything that a run has found. */
struct power_run {
	const char *network;
	const char *mapping;                   /* where its designs are from, as struct story has it; NULL: not told */
	const struct machine_sources *sources; /* of the machine's coefficients */
	bool per_loop, tasks_only;
	enum dvfs_domain domain;         /* what has one level at a time inside loops */
	bool is_search;                  /* work has the designs of a search to choose from */
	const struct left_out *left_out; /* of these */
	enum network_result network_result;
	double ratio; /* 0: none */
	enum detail detail;
	struct power_work work;
	struct power_goal goal;
	bool is_solved;                            /* best was looked for, found or not */
	struct power_schedule best, greedy, share; /* share: by ARADA's rule (power_by_share) */
	/* With a domain below the chip: the best whose loops have one level each, by work of its own; else not there.
	 */
	bool has_chip_wide;
	struct power_schedule chip_wide;
	size_t n_replayed; /* pieces of the best that power_replay_best has been through */
	/*
	 * The best schedule at one level under the same goal; where none keeps its budgets (alone_keeps: false) one
	 * that breaks them: time and energy are defined.
	 */
	struct power_schedule alone[POWER_MAX_LEVEL];
	bool is_alone[POWER_MAX_LEVEL]; /* it can run there */
	bool alone_keeps[POWER_MAX_LEVEL];
	uint32_t fast, slow; /* without budgets: the level with the least time alone, and that with the least energy */
	/* With a ratio: the same with the machine file's own energies. */
	bool has_own;
	struct power_schedule own_best, own_fast, own_slow;
	bool has_front;
	struct power_front front;
	const struct power_analysis *analysis; /* NULL: nobody asked (dse/power/power_question.h) */
};

/*
 * Which level is fastest alone, which thriftiest, each with the designs that are best for that, whatever the budgets:
 * sets run->fast and run->slow. fast_ns: the least time at the fastest level; slow_ns: the time of the least energy at
 * the thriftiest. ERR_INFEASIBLE: no level can run all of the work.
 */
enum err_code power_rank_levels(struct power_run *run, double *fast_ns, double *slow_ns, struct arena *arena,
                                struct err *err);

/*
 * The best schedule at one level alone; not found: none keeps the budgets, and modes, time and energy are those of the
 * fastest (of the thriftiest, where energy is wanted and there is no deadline) there, whatever the peak; n_stage 0:
 * some work has no mode there. Errors as power_solve.
 */
enum err_code power_level_alone(const struct power_problem *problem, const struct power_goal *goal, uint32_t level,
                                struct arena *arena, struct power_schedule *schedule, struct err *err);

/*
 * Every level alone under run->goal: sets alone, is_alone and alone_keeps. Where a piece of work has several designs at
 * a level they are chosen as for the best schedule. Errors as power_solve.
 */
enum err_code power_run_alone(struct power_run *run, struct arena *arena, struct err *err);

/* Pieces of work next to each other that are alike: one line of a schedule. */
struct power_row {
	size_t segment;
	uint32_t mode, n;                    /* n repeats in it */
	bool changes;                        /* the level changes before it */
	double start_ns, time_ns, energy_pj; /* of all n, without the change */
};

/*
 * Go through every piece of the best schedule with levels by PE event by event (pe_plan_replay). Returns how many
 * there are; ERR_INTERNAL: time, energy or peak are not those of the schedule.
 */
enum err_code power_replay_best(const struct power_run *run, size_t *n_piece, struct err *err);

/* The rows of a schedule, in the arena. */
struct power_row *power_rows(const struct power_problem *problem, const struct power_schedule *schedule,
                             struct arena *arena, size_t *n);

/* Tables: what was asked, the schedules beside each other, the best one row by row (without: is_quiet). */
void power_print(FILE *file, const struct power_run *run, bool is_quiet, struct arena *arena);

/* The same as one JSON document. */
void power_write_json(FILE *file, const struct power_run *run, struct arena *arena);

/*
 * A document for when there is no schedule: the budgets and the least that each must be (when run->best was looked
 * for), and the reasons, one a line of text. machine, network: NULL: not known.
 */
void power_write_none(FILE *file, const struct power_run *run, const char *machine, const char *network,
                      const char *reasons);

/* Among what the best schedule is best, for people. */
const char *power_exact_within(const struct power_run *run);

/* The best schedule, one line a row; and the front, one line a point. */
void power_write_csv(FILE *file, const struct power_run *run, struct arena *arena);
void power_write_front(FILE *file, const struct power_run *run);

/* Power over time as SVG: all at the thriftiest level, all at the fastest, the best schedule (DVFS paper, figures 4-5).
 */
void power_draw(FILE *file, const struct power_run *run, struct arena *arena);

/* How much less the work of one schedule takes than that of another, percent; with what is slept until the deadline. */
double power_saving_pct(const struct power_schedule *schedule, const struct power_schedule *than);
double power_saving_asleep_pct(const struct power_schedule *schedule, const struct power_schedule *than);

#endif
