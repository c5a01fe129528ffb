/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_RESULT_H
#define SIM_RESULT_H
/* Inside the simulator: what both tiers do with the clocks of phases and the counts that they have found. */
#include "sim/machine/sim.h"
#include <assert.h>

static inline void counts_add(struct counts *sum, const struct counts *part)
{
	sum->mac += part->mac;
	sum->mla_clk += part->mla_clk;
	sum->sram_read_word += part->sram_read_word;
	sum->sram_write_word += part->sram_write_word;
	sum->noc_packet += part->noc_packet;
	sum->dram_read_byte += part->dram_read_byte;
	sum->dram_write_byte += part->dram_write_byte;
	sum->arm_clk += part->arm_clk;
	sum->awake_clk += part->awake_clk;
}

/* Bytes that a DRAM interface moves in a PE clock. */
static inline double result_dram_byte(const struct machine *machine, uint32_t level)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return machine->systolic.memory_gb_s * 1e3 / machine->level[level].clk_mhz;
	return machine->dram_access_byte * machine->dram_clk_mhz /
	       (machine->dram_access_clk * machine->level[level].clk_mhz);
}

/* Of the counts alone: total_clk is at least this whatever is run. */
static inline double result_roofline_clk(const struct machine *machine, const struct counts *counts, uint32_t level)
{
	double mac_clk = counts->mac / (double)machine_n_mac(machine);
	double dram_clk =
	    (counts->dram_read_byte + counts->dram_write_byte) / (machine->dram_n * result_dram_byte(machine, level));
	return mac_clk > dram_clk ? mac_clk : dram_clk;
}

/* Clocks of a step, clk > -1, rounded up; one more than SIM_MAX_COUNT stands for all that cannot be counted. */
static inline uint64_t result_whole_clk(double clk)
{
	assert(!(clk <= -1));
	if (!(clk <= (double)SIM_MAX_COUNT))
		return SIM_MAX_COUNT + 1;
	/* ceil() without a call into the mathematics library */
	int64_t below = (int64_t)clk;
	return (uint64_t)below + ((double)below < clk);
}

/* Fill in what follows from phase_clk, phase_bound and counts: sums, bound, latency, energy, utilisation. */
void result_finish(const struct machine *machine, uint32_t level, struct sim_result *result);

/* Mean power while a step's counts are done in clk > 0 PE clocks, mW. */
double result_power_mw(const struct machine *machine, uint32_t level, const struct counts *counts, double clk);

#endif
