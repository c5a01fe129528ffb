/* SPDX-License-Identifier: Apache-2.0 */
/* The least latency and energy of any program of a range. */
#include "sim/fast/fast_parts.h"
#include "sim/base/real.h"

/* The array's two phases are rounded up to whole clocks after some 1e-6 was taken off each (step_clk in fast.c). */
#define ROUNDED_OFF_CLK 4e-6
/* So are the steps of ARM cores. */
#define ARM_OFF_CLK 1e-5

/* At best all tiles overlap with the transfer of all words, but for the first load and the last store. */
static void bound_systolic(const struct machine *machine, const struct least_work *least, uint32_t level,
                           double *latency_ns, double *energy_pj)
{
	const struct systolic_least *own = &least->systolic;
	double ns_per_clk = 1e3 / machine->level[level].clk_mhz, byte_per_ns = machine->systolic.memory_gb_s;
	double all_byte = least->counts.dram_read_byte + least->counts.dram_write_byte - own->stream_byte;
	double core_ns = real_max(own->compute_clk * ns_per_clk + own->bare_byte / byte_per_ns, all_byte / byte_per_ns);
	assert(own->stream_byte >= 0 && all_byte >= own->bare_byte * (1 - 1e-12));
	*latency_ns = real_max(0, core_ns + own->stream_byte / byte_per_ns - ROUNDED_OFF_CLK * ns_per_clk);
	struct counts awake = least->counts;
	awake.awake_clk = core_ns / ns_per_clk * machine_n_pe(machine);
	double dynamic_pj =
	    energy_dynamic(machine, &machine->level[level], energy_array_frac(machine), &awake).total_pj;
	*energy_pj = dynamic_pj + energy_static_mw(machine, level) * *latency_ns;
}

void fast_bound_at(const struct machine *machine, const struct least_work *least, uint32_t level, double mla_clk_ns,
                   double *latency_ns, double *dynamic_pj)
{
	assert(level < machine->n_level && least->n_pe > 0 && machine->target != MACHINE_SYSTOLIC);
	const struct counts *counts = &least->counts;
	double ns_per_clk = 1e3 / machine->level[level].clk_mhz;
	double mla_ns = counts->mla_clk / least->n_pe * mla_clk_ns;
	double arm_ns = real_max(counts->arm_clk / least->n_pe, least->busiest.arm_clk - ARM_OFF_CLK) * ns_per_clk;
	double dram_byte_per_ns =
	    machine->dram_n * machine->dram_access_byte * machine->dram_clk_mhz * 1e-3 / machine->dram_access_clk;
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
	*dynamic_pj = energy_dynamic(machine, &machine->level[level], energy_array_frac(machine), &awake).total_pj;
}

void fast_bound(const struct machine *machine, const struct least_work *least, uint32_t level, double *latency_ns,
                double *energy_pj)
{
	assert(level < machine->n_level);
	if (machine->target == MACHINE_SYSTOLIC) {
		bound_systolic(machine, least, level, latency_ns, energy_pj);
		return;
	}
	double dynamic_pj;
	fast_bound_at(machine, least, level, 1e3 / machine->level[level].clk_mhz, latency_ns, &dynamic_pj);
	*energy_pj = dynamic_pj + energy_static_mw(machine, level) * *latency_ns;
}
