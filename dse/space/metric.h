/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_METRIC_H
#define DSE_METRIC_H
/*
 * Metrics: what a design is judged by. One row each; objectives, limits, CSV
 * headers and help come from metric_table. All are minimised.
 */
#include "dse/pareto/compose_op.h"
#include "mapper/split/design.h"
#include "sim/fast/fast.h"

enum metric {
	METRIC_LATENCY,    /* ms, summed over layers */
	METRIC_ENERGY,     /* mJ, summed */
	METRIC_EDP,        /* mJ*ms, energy times latency of the whole network */
	METRIC_DRAM,       /* bytes read and written, summed */
	METRIC_PEAK_POWER, /* mW, worst phase of any layer */
	METRIC_SRAM_USED,  /* fraction of a PE's SRAM, worst layer */
	METRIC_MAC_UNITS,  /* MAC units of the machine */
	METRIC_SRAM,       /* bytes of SRAM of the machine */
	METRIC_AREA,       /* mm2 of the machine */
	METRIC_RUN_TIME,   /* ms, summed: latency and the run-time system's overhead */
	METRIC_LEAKAGE,    /* mW, static power of the machine */
	N_METRIC
};

enum metric_scope {
	METRIC_OF_LAYER,  /* composed over layers by op */
	METRIC_DERIVED,   /* computed from composed ones (EDP) */
	METRIC_OF_MACHINE /* equal for all mappings on one machine */
};

struct metric_info {
	const char *name; /* with unit, as in CSV headers and space files: "latency_ms" */
	enum metric_scope scope;
	enum compose_op op;
	const char *label, *unit; /* the name as figures have it: "latency", "ms" */
	const char *help;
};
extern const struct metric_info metric_table[N_METRIC];

/* N_METRIC when there is no such metric. */
enum metric metric_find(const char *name);

/*
 * The METRIC_OF_LAYER values of one simulated layer's design into value [N_METRIC]; the others are set to 0. Run time
 * is latency and what OctopuScheduler takes to start the layer (mapper/octopus/octopus_time.h); latency alone on a
 * machine without an octopus section.
 */
void metric_of_layer(const struct layer_context *context, const struct layer_design *design,
                     const struct sim_result *result, double *value);

/* Of METRIC_RUN_TIME what a layer of n_worker workers, and a network beside its layers, adds to latency; ms. */
double metric_layer_overhead_ms(const struct machine *machine, uint32_t n_worker);
double metric_network_overhead_ms(const struct machine *machine);

/* The METRIC_OF_MACHINE values into value [N_METRIC]; the others are untouched. */
void metric_of_machine(const struct machine *machine, double *value);

/* Fill the METRIC_DERIVED values from the others. */
void metric_derive(double *value);

/*
 * A metric, or NaN (an empty cell, null in JSON) where the machine does not tell: area without coefficients, run time
 * without an octopus section.
 */
double metric_value(const struct machine *machine, const double *metric, enum metric which);

#endif
