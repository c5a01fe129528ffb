/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/metric.h"
#include "mapper/octopus/octopus_time.h"
#include "sim/base/unit.h"
#include "sim/machine/energy.h"
#include <assert.h>
#include <math.h>
#include <string.h>

#define MS_PER_US 1e-3

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
                     "area, when the machine gives coefficients or a technology"},
    [METRIC_RUN_TIME] = {"run_time_ms", METRIC_OF_LAYER, COMPOSE_SUM, "run time", "ms",
                         "latency and OctopuScheduler's overhead: setup and cleanup, and of each layer scheduling and "
                         "configuration, when the machine has an octopus section"},
    [METRIC_LEAKAGE] = {"leakage_mw", METRIC_OF_MACHINE, COMPOSE_MAX, "static power", "mW",
                        "static power with all PEs on and none working, at the first operating point"},
};

enum metric metric_find(const char *name)
{
	for (int i = 0; i < N_METRIC; i++)
		if (strcmp(metric_table[i].name, name) == 0)
			return (enum metric)i;
	return N_METRIC;
}

double metric_layer_overhead_ms(const struct machine *machine, uint32_t n_worker)
{
	return machine->has_octopus ? octopus_layer_us(machine, n_worker) * MS_PER_US : 0.0;
}

/* All of the machine's workers are enabled: which of them a layer needs differs from layer to layer. */
double metric_network_overhead_ms(const struct machine *machine)
{
	uint32_t n = octopus_max_worker(machine);
	return machine->has_octopus ? (octopus_setup_us(machine, n) + octopus_cleanup_us(machine, n)) * MS_PER_US : 0.0;
}

void metric_of_layer(const struct layer_context *context, const struct layer_design *design,
                     const struct sim_result *result, double *value)
{
	const struct machine *machine = context->machine;
	uint64_t available_byte = mapper_available_byte(machine);
	assert(available_byte > 0);
	memset(value, 0, N_METRIC * sizeof(*value));
	value[METRIC_LATENCY] = result->latency_ns * MS_PER_NS;
	value[METRIC_ENERGY] = result->energy.total_pj * MJ_PER_PJ;
	value[METRIC_DRAM] = result->counts.dram_read_byte + result->counts.dram_write_byte;
	value[METRIC_PEAK_POWER] = result->peak_power_mw;
	value[METRIC_SRAM_USED] = (double)result->sram_byte / (double)available_byte;
	value[METRIC_RUN_TIME] = value[METRIC_LATENCY];
	if (machine->has_octopus)
		value[METRIC_RUN_TIME] += metric_layer_overhead_ms(machine, mapper_n_worker(context, design));
}

void metric_of_machine(const struct machine *machine, double *value)
{
	value[METRIC_MAC_UNITS] = (double)machine_n_mac(machine);
	value[METRIC_SRAM] = (double)machine_sram_byte(machine);
	value[METRIC_AREA] = machine_area_um2(machine) * MM2_PER_UM2;
	value[METRIC_LEAKAGE] = machine->n_level > 0 ? energy_static_mw(machine, 0) : 0;
}

void metric_derive(double *value)
{
	value[METRIC_EDP] = value[METRIC_ENERGY] * value[METRIC_LATENCY];
}

double metric_value(const struct machine *machine, const double *metric, enum metric which)
{
	assert(machine && metric && which < N_METRIC);
	bool is_unknown = (which == METRIC_AREA && !(machine_area_um2(machine) > 0.0)) ||
	                  (which == METRIC_RUN_TIME && !machine->has_octopus);
	return is_unknown ? (double)NAN : metric[which];
}
