/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MIXED_H
#define SIM_MIXED_H
/*
 * Mixed operating points: a layer runs at two of the machine's levels, one after
 * the other (DVFS paper figure 4C). Loads and the first share of its rounds of
 * tasks run at the slower one, then all PEs change, and the other rounds and the
 * ARM operations run at the faster one.
 *
 *   low:  weights, inputs, n_low / n_share of the rounds | change | high: the other rounds, ARM operations
 *
 * Where PEs have levels of their own (dvfs.domain: pe, or qpe for those of a QPE together), a mixed point is a pair of
 * levels: which PEs run how many tasks at which is a plan (dse/spread/layer_plan.h).
 *
 * Each field of a mixed point has the better value of the two levels. So lower
 * bounds that are made from the fields of a level stay valid.
 */
#include "sim/base/err.h"
#include "sim/program/program.h"
#include "sim/program/result.h"

static inline bool mixed_is(const struct operating_point *point)
{
	return point->n_share > 0;
}

/* Operating points of a machine that are no mixtures: the first ones. */
static inline uint32_t mixed_n_pure(const struct machine *machine)
{
	uint32_t n = 0;
	while (n < machine->n_level && !mixed_is(&machine->level[n]))
		n++;
	return n;
}

/*
 * Add to a machine all mixtures of two of its operating points of different clocks, n_share >= 2 shares of rounds: 1 to
 * n_share - 1 of them at the slower one; where PEs have levels of their own each pair of points once. ERR_INPUT where
 * there is no room for so many; nothing is added then.
 */
enum err_code mixed_add(struct machine *machine, uint32_t n_share, struct err *err);

/*
 * The mixtures that a machine has where shares, or 0 for none, are asked for, in place of those it had: pairs of levels
 * by PE in any case. ERR_INPUT as with mixed_add; it has none then.
 */
enum err_code mixed_offer(struct machine *machine, uint32_t n_share, struct err *err);

/* Whether PEs, or QPEs, have levels of their own. */
static inline bool mixed_is_by_pe(const struct machine *machine)
{
	return machine->target != MACHINE_SYSTOLIC && machine->dvfs_domain != DVFS_CHIP;
}

/* Whether a machine has pairs of levels by PE. */
static inline bool mixed_has_pairs(const struct machine *machine)
{
	return mixed_is_by_pe(machine) && machine->n_level > 0 && mixed_is(&machine->level[machine->n_level - 1]);
}

/* The level at which a mixed point begins; it ends at the faster one. */
static inline uint32_t mixed_entry(const struct machine *machine, const struct operating_point *point)
{
	return mixed_is_by_pe(machine) ? point->high : point->low;
}

/* Rounds of tasks of a program's busiest PE; 0: there are none. */
uint64_t mixed_n_round(const struct program *program);

/*
 * The result at a mixed point from those at its two points. A share of the n_round rounds is rounded to whole ones; a
 * round is taken as its part of all. Without rounds: all of it at the faster one. result may not be low or high.
 */
void mixed_combine(const struct machine *machine, uint32_t level, uint64_t n_round, const struct sim_result *low,
                   const struct sim_result *high, struct sim_result *result);

/* A lower bound of all plans by PE at a pair of levels from lower bounds at both. */
void mixed_least(const struct machine *machine, uint32_t level, const struct sim_result *low,
                 const struct sim_result *high, struct sim_result *result);

#endif
