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
 * Where PEs have levels of their own (dvfs.domain: pe, or qpe for those of a QPE together), they take turns instead:
 * each has n_low / n_share of its work in the loops at the slower level, in a stretch of time that begins elsewhere for
 * each PE, so that at any time as many PEs are slow, to within one. PEs that have a task less than others in the last
 * loop do as much more at the slower level as ends with it; PEs without tasks wait there. Loads and ARM operations run
 * at the faster one, where all PEs stand before and after.
 *
 *   PE 0   low low  high high high high |     n_low 0: only PEs that would wait are slow
 *   PE 1   high high low low  high high |
 *   PE 2   high high high high low low  |
 *
 * Each field of a mixed point has the better value of the two levels. So lower
 * bounds that are made from the fields of a level stay valid.
 */
#include "sim/base/err.h"
#include "sim/program/mixed_work.h"
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
 * Add to a machine all mixtures of two of its operating points of different clocks, n_share >= 2 shares of rounds:
 * 1 (where PEs take turns 0) to n_share - 1 of them at the slower one. ERR_INPUT where there is no room for so many;
 * nothing is added then.
 */
enum err_code mixed_add(struct machine *machine, uint32_t n_share, struct err *err);

/* Whether PEs, or QPEs, have levels of their own. */
static inline bool mixed_is_by_pe(const struct machine *machine)
{
	return machine->target != MACHINE_SYSTOLIC && machine->dvfs_domain != DVFS_CHIP;
}

/* The level at which a mixed point begins; it ends at the faster one. */
static inline uint32_t mixed_entry(const struct machine *machine, const struct operating_point *point)
{
	return mixed_is_by_pe(machine) ? point->high : point->low;
}

struct mixed_work mixed_work_of(const struct machine *machine, const struct program *program);

/*
 * The result at a mixed point from those at its two points. A share of the rounds is rounded to whole ones unless PEs
 * take turns, which change in the middle of a task, too; a round is taken as its part of all. Without rounds: all of it
 * at the faster one. Of PEs that take turns four changes in each stretch between barriers are counted, the most that
 * one makes; with n_low 0 two of those that would wait, within that time. result may not be low or high.
 */
void mixed_combine(const struct machine *machine, uint32_t level, const struct mixed_work *work,
                   const struct sim_result *low, const struct sim_result *high, struct sim_result *result);

#endif
