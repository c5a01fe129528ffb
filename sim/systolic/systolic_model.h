/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SYSTOLIC_MODEL_H
#define SIM_SYSTOLIC_MODEL_H
/*
 * The physical memory model of systolic arrays in closed form: words that each
 * buffer and the memory interface move, clocks that the array computes and waits.
 *
 * Two halves of each buffer: while the array works on one tile, the interface,
 * which all operands share, brings the next tile's operands and then takes away
 * the last finished results. The first load and the last store are exposed.
 */
#include "sim/machine/counts.h"
#include "sim/systolic/systolic.h"
#include "sim/systolic/systolic_work.h"

/* Clocks of the array on all tiles, none of them stalled, and the time that they take with stalls, in clocks. */
struct systolic_time {
	uint64_t compute_clk;
	double clk;
};

/*
 * Of a valid work that systolic_place has been through; bandwidth_word > 0: words a clock of the interface. No
 * allocation and no loop over tiles: classes of equal tiles with equal neighbours are counted.
 */
struct systolic_time systolic_run_time(const struct machine *machine, const struct systolic_work *work,
                                       double bandwidth_word);

/* Clocks of a work that takes this time, stalls rounded up to whole ones, and utilisations; words stay as they are. */
void systolic_finish(const struct machine *machine, const struct systolic_work *work, const struct systolic_time *time,
                     struct systolic_result *result);

/* Clocks of stalls, rounded up; the first load and the last store are among them. */
uint64_t systolic_stall_clk(const struct systolic_time *time);

/* Of these the clocks of the first load and the last store, which no array can hide, however slow. */
double systolic_ends_clk(const struct systolic_work *work, double bandwidth_word);

/* Words a clock of the machine's interface at an operating point. */
double systolic_bandwidth_word(const struct machine *machine, uint32_t level);

/* Multiply-accumulates; and the share of PEs that have work, over the folds of all tiles. */
double systolic_n_mac(const struct systolic_work *work);
double systolic_mapping_eff(const struct machine *machine, const struct systolic_work *work);

/*
 * Words of a work, and what an energy is made of: idle PEs are gated, so the array's clocks count as far as its PEs
 * multiply (mla_clk: those of a full array).
 */
void systolic_words(const struct machine *machine, const struct systolic_work *work, struct systolic_result *result);
void systolic_counts(const struct machine *machine, const struct systolic_work *work, struct counts *counts);

/* The same of words that are known. */
void systolic_counts_of(const struct machine *machine, const struct systolic_result *words, double mac,
                        struct counts *counts);

#endif
