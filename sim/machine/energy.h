/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_ENERGY_H
#define SIM_ENERGY_H
/*
 * Inside the simulator: energy of counts, inline because every step of every
 * evaluation needs it and mostly its total only. sim.h has the public functions.
 *
 * DVFS paper, equations 1 to 6: dynamic energy is counts times energy per
 * action, static energy is power times time. Voltage enters through the
 * operating point's energies; SRAM and NoC hang on rails of their own.
 */
#include "sim/machine/sim.h"
#include <assert.h>

/*
 * The MLA's energy per clock is given for the 16x4 array it was measured on;
 * other arrays cost in proportion to their MAC units.
 */
#define MLA_MEASURED_MACS 64.0

/* MAC units of the machine's array over those of the measured one. */
static inline double energy_array_frac(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return (double)machine->systolic.rows * machine->systolic.cols / MLA_MEASURED_MACS;
	return (double)machine->mla_cols * machine->mla_rows / MLA_MEASURED_MACS;
}

/* Without static energy, of PEs that work with it; array_frac: energy_array_frac of the machine. */
static inline struct energy energy_dynamic(const struct machine *machine, const struct operating_point *point,
                                           double array_frac, const struct counts *counts)
{
	struct energy energy = {
	    .mla_pj = counts->mla_clk * point->mla_clk_pj * array_frac,
	    .sram_pj =
		counts->sram_read_word * point->sram_read32_pj + counts->sram_write_word * point->sram_write32_pj,
	    .noc_pj = counts->noc_packet * point->noc_read128_pj,
	    .dram_pj = (counts->dram_read_byte + counts->dram_write_byte) * machine->dram_byte_pj,
	    .arm_pj = counts->arm_clk * point->arm_clk_pj,
	    /* mW times ns are pJ */
	    .awake_pj = counts->awake_clk * point->pe_awake_mw * (1e3 / point->clk_mhz),
	};
	energy.total_pj =
	    energy.mla_pj + energy.sram_pj + energy.noc_pj + energy.dram_pj + energy.arm_pj + energy.awake_pj;
	assert(energy.total_pj >= 0);
	return energy;
}

#endif
