/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of a machine. */
#include "sim/machine/machine.h"
#include <assert.h>

const char *const dvfs_domain_name[N_DVFS_DOMAIN] = {[DVFS_CHIP] = "chip", [DVFS_QPE] = "qpe", [DVFS_PE] = "pe"};
const char *const machine_target_name[N_MACHINE_TARGET] = {
    [MACHINE_QPE] = "qpe",
    [MACHINE_CHIP] = "chip",
    [MACHINE_SYSTOLIC] = "systolic",
};

uint32_t machine_n_pe(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return machine->systolic.rows * machine->systolic.cols;
	assert(machine->chip.n_qpe == 0 || machine->qpe_n_pe <= UINT32_MAX / machine->chip.n_qpe);
	return machine->chip.n_qpe * machine->qpe_n_pe;
}

uint64_t machine_n_mac(const struct machine *machine)
{
	uint64_t of_pe = machine->target == MACHINE_SYSTOLIC ? 1 : (uint64_t)machine->mla_cols * machine->mla_rows;
	return machine_n_pe(machine) * of_pe;
}

uint64_t machine_sram_byte(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return (uint64_t)machine->systolic.ifmap_byte + machine->systolic.filter_byte +
		       machine->systolic.ofmap_byte;
	return (uint64_t)machine_n_pe(machine) * machine->pe_sram_byte;
}

/* Linear in what is there, as the coefficients are all the user can be asked for; no wiring, no overlap. */
double machine_area_um2(const struct machine *machine)
{
	return (double)machine_n_mac(machine) * machine->area_mac_um2 +
	       (double)machine_sram_byte(machine) * machine->area_sram_byte_um2 +
	       (double)machine_n_pe(machine) * machine->area_pe_um2 + machine->area_chip_um2;
}
