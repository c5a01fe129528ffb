/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_UNCERTAINTY_H
#define SIM_UNCERTAINTY_H
/*
 * How far predicted clocks were from what they could be compared with:
 *
 *   fast tier ──► event tier     random layers on random machines, drawn and found designs (make tiers)
 *                 event tier ──► references     layers in tests/reference
 *
 * Of each class of phases it is the 90th percentile of the distances: nine of ten were nearer. Of designs that a search
 * found it is taken by itself, too, and the larger one counts, as a search goes where the fast tier is too fast. "make
 * tiers-table" measures all anew (uncertainty_table.c), and "make tiers" checks them on other draws.
 */
#include "sim/fast/uncertainty_table.h"
#include "sim/program/result.h"
#include <stddef.h>

enum uncertainty_tier { UNCERTAINTY_FAST, UNCERTAINTY_EVENT };

/* Shares of the clocks, up or down; NAN: not known. */
struct uncertainty {
	double event_frac;     /* of the fast tier, to the event tier; of the event tier NAN */
	double reference_frac; /* of the event tier, to references; of the fast tier beside the former */
};

/*
 * Of a result's total clocks. n_uneven: dimensions that its design splits in parts of two sizes. Distances of phases
 * add up as if all were off the same way, so that of results of several phases more than nine of ten are nearer; ARM
 * operations, priced by published rules, add nothing. Systolic arrays: not known, their fast tier is exact (physical
 * memory) or a replay of SCALE-Sim.
 */
struct uncertainty uncertainty_of(const struct machine *machine, const struct sim_result *result, unsigned n_uneven,
                                  enum uncertainty_tier tier);

/* Of several results together, each off the same way: begin with {0}, add each with its time, divide by all time. */
void uncertainty_add(struct uncertainty *sum, double time, const struct uncertainty *part);
void uncertainty_divide(struct uncertainty *sum, double time);

/* The distance to what the tier is compared with: the event tier, or of the event tier itself references. */
double uncertainty_frac(const struct uncertainty *uncertainty);

/* Between which values of a parameter machines have been compared. */
struct uncertainty_range {
	const char *key, *unit; /* as in machine files */
	double min, max;
};
extern const struct uncertainty_range uncertainty_range[];
extern const size_t uncertainty_n_range;

/* Value of a range's parameter in a machine, of an array its MAC units, of an operating point its clock. */
double uncertainty_value(const struct machine *machine, uint32_t level, const struct uncertainty_range *range);
/* The first range that a machine at an operating point is outside of, NULL: none. Not for systolic arrays: NULL. */
const struct uncertainty_range *uncertainty_find_far(const struct machine *machine, uint32_t level);

/* The class of a phase; UNCERTAINTY_N_CLASS for phases that are exact, as ARM operations are. */
unsigned uncertainty_class(const struct machine *machine, enum phase phase, uint64_t phase_clk, unsigned n_uneven);

#endif
