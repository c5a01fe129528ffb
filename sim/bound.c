/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/energy.h"
#include "sim/fast.h"
#include "sim/base/real.h"

void sim_bound(const struct machine *machine, const struct least_work *least, uint32_t level, double *latency_ns,
               double *energy_pj)
{
	assert(level < machine->n_level && least->n_pe > 0);
	const struct counts *counts = &least->counts;
	double ns_per_clk = 1e3 / machine->level[level].clk_mhz;
	double mla_ns = counts->mla_clk / least->n_pe * ns_per_clk, arm_ns = counts->arm_clk / least->n_pe * ns_per_clk;
	double dram_byte_per_ns =
	    machine->dram_n * machine->dram_access_byte * machine->dram_clk_mhz * 1e-3 / machine->dram_access_clk;
	if (machine->target == MACHINE_SYSTOLIC)
		dram_byte_per_ns = machine->systolic_memory_gb_s;
	double read_ns = (counts->dram_read_byte - least->fetch_byte) / dram_byte_per_ns,
	       write_ns = counts->dram_write_byte / dram_byte_per_ns;
	double busiest_ns = fast_busiest_clk(machine, &least->busiest, level) * ns_per_clk;
	assert(busiest_ns <= 0 || least->phased);
	double core_ns = real_max(mla_ns, read_ns + write_ns);
	if (least->phased)
		core_ns = read_ns + real_max(busiest_ns, real_max(mla_ns, write_ns));
	*latency_ns = real_max(core_ns + arm_ns, read_ns + least->fetch_byte / dram_byte_per_ns + write_ns);
	struct counts awake = *counts;
	awake.awake_clk = counts->mla_clk + counts->arm_clk;
	double dynamic_pj =
	    energy_dynamic(machine, &machine->level[level], energy_array_frac(machine), &awake).total_pj;
	*energy_pj = dynamic_pj + energy_static_mw(machine, level) * *latency_ns;
}
