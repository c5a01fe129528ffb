/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/energy.h"

struct energy energy_of_counts(const struct machine *machine, uint32_t level, const struct counts *counts)
{
	assert(level < machine->n_level);
	return energy_dynamic(machine, &machine->level[level], energy_array_frac(machine), counts);
}

double energy_static_mw(const struct machine *machine, uint32_t level)
{
	assert(level < machine->n_level);
	return machine->chip_off_mw + machine->level[level].pe_static_mw * machine_n_pe(machine);
}
