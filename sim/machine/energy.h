/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_ENERGY_H
#define SIM_ENERGY_H
/*
 * Energy of counts (DVFS paper, equations 1 to 6): dynamic energy is counts times energy per action, static energy is
 * power times time. Voltage enters through the operating point's energies; SRAM and NoC have supplies of their own.
 */
#include "sim/machine/counts.h"
#include "sim/machine/machine.h"
#include <assert.h>

/*
 * Energy by component, pJ; total_pj is the sum of the others. awake_pj: of PEs that work besides what their actions
 * and their static power take; switch_pj: of changes of operating point; static_pj: of all supplies for all of the
 * time.
 */
struct energy {
	double mla_pj, sram_pj, noc_pj, dram_pj, arm_pj, awake_pj, switch_pj, static_pj, total_pj;
};

/* What is fed apart (DVFS paper section III: VDD04, VDD06, VDD08); SUPPLY_CHIP: all the rest, with all PEs off. */
enum supply { SUPPLY_PE, SUPPLY_NOC, SUPPLY_SRAM, SUPPLY_DRAM, SUPPLY_CHIP, N_SUPPLY };
extern const char *const supply_name[N_SUPPLY]; /* "PE logic", "NoC", ... */

/* One supply's share of an energy. */
struct supply_energy {
	double dynamic_pj, static_pj;
};

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

/* Energy of counts at an operating point, without static energy. */
struct energy energy_of_counts(const struct machine *machine, uint32_t level, const struct counts *counts);

/* Static power of the whole machine at an operating point, all PEs powered, none working, mW. */
double energy_static_mw(const struct machine *machine, uint32_t level);

/* Whether the power lanes supply an operating point (dvfs.lanes); both of a mixed one. */
bool energy_is_supplied(const struct machine *machine, uint32_t level);

/* The operating point at which the machine sleeps: of its own that are supplied the one of least static power, mW. */
uint32_t energy_sleep_level(const struct machine *machine);
double energy_sleep_mw(const struct machine *machine);

/* Which part of a result's energy is whose (DVFS paper equations 1 to 6); dynamic and static add up to total_pj. */
void energy_by_supply(const struct machine *machine, uint32_t level, const struct energy *energy, double latency_ns,
                      struct supply_energy supply[N_SUPPLY]);

/* A change of all PEs from one operating point to another: time in ns, and energy without static energy in pJ. */
double energy_switch_ns(const struct machine *machine, uint32_t from, uint32_t to);
double energy_switch_pj(const struct machine *machine, uint32_t from, uint32_t to);

/* Power lanes that a set of operating points needs (bit i: level i): one for each voltage. */
uint32_t energy_n_lane(const struct machine *machine, uint32_t levels);

/* Whether the machine has enough power lanes for the voltages of these operating points (bit i: level i). */
bool energy_lanes_suffice(const struct machine *machine, uint32_t levels);

#endif
