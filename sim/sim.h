/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SIM_H
#define SIM_SIM_H
/*
 * The simulator: a machine, a program and an operating point in; clocks, counts
 * and energy out. The fast tier prices a program in closed form.
 */
#include "sim/machine.h"
#include "sim/program.h"

/* What bounds a phase or a program: where most of its time goes. */
enum bound { BOUND_MAC, BOUND_SRAM, BOUND_DRAM, BOUND_NOC, BOUND_ARM, N_BOUND };
extern const char *const bound_name[N_BOUND]; /* "MAC array", "SRAM port", ... */

struct sim_result {
	uint64_t phase_clk[N_PHASE]; /* PE clocks at the operating point */
	enum bound phase_bound[N_PHASE];
	uint64_t core_clk;  /* without the ARM operations' phases: what the thesis' tables call total clocks */
	uint64_t total_clk;
	enum bound bound;
	struct counts counts;
	uint64_t sram_byte; /* the fullest PE */
	double latency_ns;
	/* Energy by component; total_pj is their sum. */
	double mla_pj, sram_pj, noc_pj, dram_pj, arm_pj, static_pj, total_pj;
	double peak_power_mw; /* mean power of the most power-hungry phase */
	double mac_util_frac; /* multiply-accumulates wanted over MAC clocks of all MAC units in total_clk */
};

/* level < machine->n_level. No allocation. Asserts that the result is not under its roofline bound. */
void sim_run_fast(const struct machine *machine, const struct program *program, uint32_t level,
                  struct sim_result *result);

/* Lower bound on the PE clocks of a program from MAC units and DRAM rate alone. */
double sim_roofline_clk(const struct machine *machine, const struct program *program, uint32_t level);

#endif
