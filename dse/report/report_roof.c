/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/report/report_roof.h"
#include "dse/roofline/roofline.h"
#include <assert.h>

/* Accesses to SRAM are counted in words of 32 bits. */
#define SRAM_WORD_BYTE 4

const char *const report_memory_name[N_REPORT_MEMORY] = {
    [REPORT_DRAM] = "dram", [REPORT_NOC] = "noc", [REPORT_SRAM] = "sram"};

double report_memory_byte(const struct machine *machine, const struct sim_result *result, enum report_memory memory)
{
	const struct counts *counts = &result->counts;
	assert(machine && memory < N_REPORT_MEMORY);
	if (memory == REPORT_DRAM)
		return counts->dram_read_byte + counts->dram_write_byte;
	if (memory == REPORT_NOC)
		return counts->noc_packet * machine->noc_packet_byte;
	return (counts->sram_read_word + counts->sram_write_word) * SRAM_WORD_BYTE;
}

/* A router in every QPE. */
static double noc_gb_s(const struct machine *machine)
{
	double n_router = machine->target == MACHINE_CHIP ? machine->chip.n_qpe : 1;
	return n_router * machine->noc_router_packet * machine->noc_packet_byte * machine->noc_clk_mhz * 1e-3;
}

static double sram_gb_s(const struct machine *machine, double clk_mhz)
{
	double byte_clk;
	if (machine->target == MACHINE_SYSTOLIC)
		byte_clk =
		    ((double)machine->systolic.rows + 3.0 * machine->systolic.cols) * machine->systolic.word_byte;
	else
		byte_clk = (double)machine_n_pe(machine) * machine->pe_sram_port_byte / machine->pe_sram_access_clk;
	return byte_clk * clk_mhz * 1e-3;
}

double report_memory_gb_s(const struct machine *machine, uint32_t level, enum report_memory memory)
{
	assert(machine && level < machine->n_level && memory < N_REPORT_MEMORY);
	if (memory == REPORT_DRAM)
		return roofline_memory_gb_s(machine);
	if (memory == REPORT_NOC)
		return machine->target == MACHINE_SYSTOLIC ? 0.0 : noc_gb_s(machine);
	return sram_gb_s(machine, machine->level[level].clk_mhz);
}
