/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_RESULT_H
#define SIM_RESULT_H
/*
 * What comes of running a program on a machine at an operating point, in either tier: clocks by phase, counts, energy.
 */
#include "sim/machine/energy.h"
#include "sim/program/program.h"

/* What bounds a phase or a program: where most of its time goes. */
enum bound { BOUND_MAC, BOUND_SRAM, BOUND_DRAM, BOUND_NOC, BOUND_ARM, N_BOUND };
extern const char *const bound_name[N_BOUND]; /* "MAC array", "SRAM port", ... */

/* Of a result at a mixed operating point what runs at its slower level, for sim/program/energy_use.h. */
struct result_mix {
	bool is_mixed;     /* false: all of it runs at the faster level, without a change */
	bool is_by_pe;     /* PEs have levels of their own (dse/spread/layer_plan.h), else all change together */
	double low_frac;   /* of the actions of its rounds; by PE of all actions at that level ... */
	double high_frac;  /* ... and of those at the faster one; else one less low_frac */
	double low_ns;     /* of the time, by PE the mean of all PEs */
	double n_change;   /* changes of all PEs */
	struct counts low; /* all of it at that level; counts are those of all of it at the faster one, but awake_clk
	                      where all change together */
};

struct sim_result {
	uint64_t phase_clk[N_PHASE]; /* PE clocks at the operating point, each rounded up */
	enum bound phase_bound[N_PHASE];
	uint64_t core_clk;  /* without the ARM operations' phases: what the thesis' tables call total clocks */
	uint64_t total_clk; /* sum of all phases */
	enum bound bound;   /* of the phases that take most clocks together; see result_find_bound */
	struct counts counts;
	uint64_t sram_byte; /* the fullest PE */
	double latency_ns;
	struct energy energy;
	double peak_power_mw;  /* mean power of the most power-hungry step */
	double apart_power_mw; /* of those that are no loops of tasks: loads, ARM work, fetches by themselves; 0: there
	                          are none */
	/* Multiply-accumulates wanted over what all MAC units could do in total_clk. Of the array while it computes,
	   see mapper/split/utilisation.h. */
	double mac_util_frac;
	struct result_mix mix; /* means nothing at other operating points */
};

/*
 * Whether clocks and DRAM bytes of a run are within COUNTS_MAX. If not, they are too few, and so is what follows
 * from them: a bound, but no result.
 */
bool result_is_counted(const struct sim_result *result);

/* Of the counts alone: total_clk is at least this whatever is run. */
static inline double result_roofline_clk(const struct machine *machine, const struct counts *counts, uint32_t level)
{
	double mac_clk = counts->mac / (double)machine_n_mac(machine);
	double dram_clk =
	    (counts->dram_read_byte + counts->dram_write_byte) / (machine->dram_n * machine_dram_byte(machine, level));
	return mac_clk > dram_clk ? mac_clk : dram_clk;
}

/* What bounds the phases that take most clocks together: bound, of phase_clk and phase_bound; the first of equals. */
void result_find_bound(struct sim_result *result);

/* Fill in what follows from phase_clk, phase_bound and counts: sums, bound, latency, energy, utilisation. */
void result_finish(const struct machine *machine, uint32_t level, struct sim_result *result);

/* Mean power while a step's counts are done in clk > 0 PE clocks, mW. */
double result_power_mw(const struct machine *machine, uint32_t level, const struct counts *counts, double clk);

#endif
