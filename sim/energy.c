/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim.h"
#include <assert.h>

/*
 * DVFS paper, equations 1 to 6: dynamic energy is counts times energy per
 * action, static energy is power times time. Voltage enters through the
 * operating point's energies; SRAM and NoC hang on rails of their own.
 */

/* The MLA's energy per clock is given for the 16x4 array it was measured on; other arrays cost in proportion to their MAC units. */
#define MLA_MEASURED_MACS 64.0

struct energy energy_of_counts(const struct machine *machine, uint32_t level, const struct counts *counts)
{
	assert(level < machine->n_level);
	const struct operating_point *point = &machine->level[level];
	double array = (double)machine->mla_cols * machine->mla_rows / MLA_MEASURED_MACS;
	struct energy energy = {
	    .mla_pj = counts->mla_clk * point->mla_clk_pj * array,
	    .sram_pj = counts->sram_read_word * point->sram_read32_pj + counts->sram_write_word * point->sram_write32_pj,
	    .noc_pj = counts->noc_packet * point->noc_read128_pj,
	    .dram_pj = (counts->dram_read_byte + counts->dram_write_byte) * machine->dram_byte_pj,
	    .arm_pj = counts->arm_clk * point->arm_clk_pj,
	};
	energy.total_pj = energy.mla_pj + energy.sram_pj + energy.noc_pj + energy.dram_pj + energy.arm_pj;
	assert(energy.total_pj >= 0);
	return energy;
}

double energy_static_mw(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	return machine->chip_off_mw + machine->level[level].pe_static_mw * machine_n_pe(machine);
}
