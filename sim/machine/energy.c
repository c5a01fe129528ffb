/* SPDX-License-Identifier: Apache-2.0 */
/* Static power, energy by supply, changes of operating point, power lanes. */
#include "sim/machine/energy.h"
#include "sim/base/real.h"
#include <math.h>

const char *const supply_name[N_SUPPLY] = {"PE logic", "NoC", "SRAM", "DRAM", "chip"};

struct energy energy_of_counts(const struct machine *machine, uint32_t level, const struct counts *counts)
{
	assert(level < machine->n_level);
	return energy_dynamic(machine, &machine->level[level], energy_array_frac(machine), counts);
}

double energy_static_mw(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	return machine->chip_off_mw + machine->level[level].pe_static_mw * machine_n_pe(machine) +
	       (machine->sram_static_mw + machine->noc_static_mw + machine->dram_static_mw);
}

bool energy_is_supplied(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	const struct operating_point *point = &machine->level[level];
	uint32_t needed =
	    point->n_share > 0 ? UINT32_C(1) << point->low | UINT32_C(1) << point->high : UINT32_C(1) << level;
	return machine->dvfs_lanes == 0 || (machine->dvfs_lanes & needed) == needed;
}

uint32_t energy_sleep_level(const struct machine *machine)
{
	uint32_t least = UINT32_MAX;
	for (uint32_t i = 0; i < machine->n_level; i++)
		if (machine->level[i].n_share == 0 && energy_is_supplied(machine, i) &&
		    (least == UINT32_MAX || energy_static_mw(machine, i) < energy_static_mw(machine, least)))
			least = i;
	assert(least != UINT32_MAX); /* machine_check */
	return least;
}

double energy_sleep_mw(const struct machine *machine)
{
	return energy_static_mw(machine, energy_sleep_level(machine));
}

void energy_by_supply(const struct machine *machine, uint32_t level, const struct energy *energy, double latency_ns,
                      struct supply_energy supply[N_SUPPLY])
{
	assert(level < machine->n_level && latency_ns >= 0);
	const double dynamic_pj[N_SUPPLY] = {
	    [SUPPLY_PE] = energy->mla_pj + energy->arm_pj + energy->awake_pj + energy->switch_pj,
	    [SUPPLY_NOC] = energy->noc_pj,
	    [SUPPLY_SRAM] = energy->sram_pj,
	    [SUPPLY_DRAM] = energy->dram_pj,
	};
	/* adds up to energy_static_mw */
	const double static_mw[N_SUPPLY] = {
	    [SUPPLY_PE] = machine->level[level].pe_static_mw * machine_n_pe(machine),
	    [SUPPLY_NOC] = machine->noc_static_mw,
	    [SUPPLY_SRAM] = machine->sram_static_mw,
	    [SUPPLY_DRAM] = machine->dram_static_mw,
	    [SUPPLY_CHIP] = machine->chip_off_mw,
	};
	for (int i = 0; i < N_SUPPLY; i++)
		supply[i] = (struct supply_energy){dynamic_pj[i], static_mw[i] * latency_ns};
	/* at a mixed point the PEs have two static powers in turn, all others one */
	if (machine->level[level].n_share > 0) {
		double rest_pj = energy->static_pj;
		for (int i = 0; i < N_SUPPLY; i++)
			rest_pj -= i == SUPPLY_PE ? 0 : supply[i].static_pj;
		supply[SUPPLY_PE].static_pj = real_max(0, rest_pj);
	}
}

double energy_switch_ns(const struct machine *machine, uint32_t from, uint32_t to)
{
	assert(from < machine->n_level && to < machine->n_level);
	return from == to ? 0 : machine->dvfs_switch_ns;
}

double energy_switch_pj(const struct machine *machine, uint32_t from, uint32_t to)
{
	assert(from < machine->n_level && to < machine->n_level);
	return from == to ? 0 : machine->dvfs_switch_nj * 1e3 * machine_n_pe(machine);
}

/* Levels that share a voltage share a lane. */
uint32_t energy_n_lane(const struct machine *machine, uint32_t levels)
{
	uint32_t n_lane = 0;
	for (uint32_t i = 0; i < machine->n_level; i++) {
		bool is_new = levels >> i & 1;
		for (uint32_t k = 0; k < i && is_new; k++)
			is_new = !(levels >> k & 1) || machine->level[k].vdd_v < machine->level[i].vdd_v ||
			         machine->level[k].vdd_v > machine->level[i].vdd_v;
		n_lane += is_new;
	}
	return n_lane;
}

bool energy_lanes_suffice(const struct machine *machine, uint32_t levels)
{
	return energy_n_lane(machine, levels) <= machine->dvfs_n_lane;
}
