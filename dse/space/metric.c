/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/metric.h"
#include "mapper/split/design.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define MS_PER_NS 1e-6
#define MJ_PER_PJ 1e-9
#define MM2_PER_UM2 1e-6

const struct metric_info metric_table[N_METRIC] = {
    [METRIC_LATENCY] = {"latency_ms", METRIC_OF_LAYER, COMPOSE_SUM, "latency", "ms", "run-time of one inference"},
    [METRIC_ENERGY] = {"energy_mj", METRIC_OF_LAYER, COMPOSE_SUM, "energy", "mJ",
                       "energy of one inference, static energy included"},
    [METRIC_EDP] = {"edp_mj_ms", METRIC_DERIVED, COMPOSE_SUM, "energy-delay product", "mJ ms", "energy times latency"},
    [METRIC_DRAM] = {"dram_byte", METRIC_OF_LAYER, COMPOSE_SUM, "DRAM traffic", "byte",
                     "bytes read from and written to DRAM"},
    [METRIC_PEAK_POWER] = {"peak_power_mw", METRIC_OF_LAYER, COMPOSE_MAX, "peak power", "mW",
                           "mean power of the most power-hungry step"},
    [METRIC_SRAM_USED] = {"sram_used_frac", METRIC_OF_LAYER, COMPOSE_MAX, "SRAM used", "frac",
                          "share of a PE's SRAM, or of an array's buffers, that the largest task needs"},
    [METRIC_MAC_UNITS] = {"mac_units", METRIC_OF_MACHINE, COMPOSE_MAX, "MAC units", "", "MAC units of the machine"},
    [METRIC_SRAM] = {"sram_byte", METRIC_OF_MACHINE, COMPOSE_MAX, "SRAM", "byte", "bytes of SRAM of all PEs"},
    [METRIC_AREA] = {"area_mm2", METRIC_OF_MACHINE, COMPOSE_MAX, "area", "mm2",
                     "area, when the machine gives coefficients"},
};

enum metric metric_find(const char *name)
{
	for (int i = 0; i < N_METRIC; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return (enum metric)i;
	return N_METRIC;
}

void metric_of_layer(const struct machine *machine, const struct sim_result *result, double *value)
{
	uint64_t available_byte = mapper_available_byte(machine);
	assert(available_byte > 0);
	memset(value, 0, N_METRIC * sizeof(*value));
	value[METRIC_LATENCY] = result->latency_ns * MS_PER_NS;
	value[METRIC_ENERGY] = result->energy.total_pj * MJ_PER_PJ;
	value[METRIC_DRAM] = result->counts.dram_read_byte + result->counts.dram_write_byte;
	value[METRIC_PEAK_POWER] = result->peak_power_mw;
	value[METRIC_SRAM_USED] = (double)result->sram_byte / (double)available_byte;
}

void metric_of_machine(const struct machine *machine, double *value)
{
	value[METRIC_MAC_UNITS] = (double)machine_n_mac(machine);
	value[METRIC_SRAM] = (double)machine_sram_byte(machine);
	value[METRIC_AREA] = machine_area_um2(machine) * MM2_PER_UM2;
}

void metric_derive(double *value)
{
	value[METRIC_EDP] = value[METRIC_ENERGY] * value[METRIC_LATENCY];
}

double metric_value(const struct machine *machine, const double *metric, enum metric which)
{
	assert(machine && metric && which < N_METRIC);
	return which == METRIC_AREA && !(machine_area_um2(machine) > 0.0) ? (double)NAN : metric[which];
}
