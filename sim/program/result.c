/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over phases, latency, energy and utilisation of a run. */
#include "sim/program/result.h"
#include <assert.h>

const char *const bound_name[N_BOUND] = {"MAC array", "SRAM port", "DRAM", "NoC", "ARM core"};

void result_find_bound(struct sim_result *result)
{
	uint64_t clk[N_BOUND] = {0};
	for (int i = 0; i < N_PHASE; i++)
		clk[result->phase_bound[i]] += result->phase_clk[i];
	result->bound = BOUND_MAC;
	for (enum bound bound = BOUND_MAC; bound < N_BOUND; bound++)
		if (clk[bound] > clk[result->bound])
			result->bound = bound;
}

static void sum_phases(struct sim_result *result)
{
	for (int i = 0; i < N_PHASE; i++) {
		result->total_clk += result->phase_clk[i];
		if (i < PHASE_PADD)
			result->core_clk += result->phase_clk[i];
	}
	result_find_bound(result);
}

bool result_is_counted(const struct sim_result *result)
{
	double byte = result->counts.dram_read_byte + result->counts.dram_write_byte;
	return result->total_clk <= COUNTS_MAX && byte <= (double)COUNTS_MAX;
}

void result_finish(const struct machine *machine, uint32_t level, struct sim_result *result)
{
	assert(level < machine->n_level);
	const struct operating_point *point = &machine->level[level];
	sum_phases(result);
	result->latency_ns = (double)result->total_clk * (1e3 / point->clk_mhz);
	result->energy = energy_dynamic(machine, point, energy_array_frac(machine), &result->counts);
	result->energy.static_pj = energy_static_mw(machine, level) * result->latency_ns;
	result->energy.total_pj += result->energy.static_pj;
	double mac_clk = result->counts.mac / (double)machine_n_mac(machine);
	result->mac_util_frac = result->total_clk ? mac_clk / (double)result->total_clk : 0;
}

double result_power_mw(const struct machine *machine, uint32_t level, const struct counts *counts, double clk)
{
	const struct operating_point *point = &machine->level[level];
	double step_pj = energy_dynamic(machine, point, energy_array_frac(machine), counts).total_pj;
	assert(clk > 0);
	/* pJ per ns is mW */
	return energy_static_mw(machine, level) + step_pj / (clk * (1e3 / point->clk_mhz));
}
