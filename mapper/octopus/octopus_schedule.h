/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_SCHEDULE_H
#define MAPPER_OCTOPUS_SCHEDULE_H
/*
 * A multi-layer schedule: how every layer of a graph is cut, how many workers
 * it has, and how long it all takes.
 *
 * octopus_build -> graph -> octopus_plan: cuts every layer of the graph -> DRAM plan, files
 */
#include "mapper/octopus/octopus_search.h"

/* How layers follow each other. One row of octopus_strategy_table each. */
enum octopus_strategy {
	OCTOPUS_DRAM, /* layer by layer, everything from and to DRAM, as the paper does */
	OCTOPUS_HIDE, /* weights are fetched while the tile or layer before is computed, where SRAM has room */
	OCTOPUS_SRAM, /* weights stay in the workers' SRAM, results go over the NoC */
	N_OCTOPUS_STRATEGY
};
struct octopus_strategy_info {
	const char *name, *help;
};
extern const struct octopus_strategy_info octopus_strategy_table[N_OCTOPUS_STRATEGY];

struct octopus_options {
	enum octopus_strategy strategy;
	enum octopus_goal goal;
	uint32_t level;
	uint32_t
	    n_worker;    /* enabled on each chip, of which a layer has the best number; 0: the best number is enabled */
	bool as_paper;   /* cut what the paper says how to cut as it does */
	uint32_t n_chip; /* a pipeline of so many chips, layers in turn; 0: 1 */
};

/* What a layer takes. */
struct octopus_layer_cost {
	struct octopus_time time;
	double hidden_us; /* of fetching weights: behind computation, and in no part of time */
	uint64_t sram_byte;
	double energy_pj; /* with the machine's static energy for the layer's time */
	uint32_t chip;
};

/* One chip's share. */
struct octopus_chip_cost {
	uint32_t first, n_layer; /* layers first to first + n_layer - 1 */
	uint32_t n_worker;       /* that it enables: as told, or the most that a layer of it has */
	double link_us;          /* receiving what earlier chips computed; the first chip: 0 */
	double setup_us, layers_us, cleanup_us;
	uint64_t sram_byte; /* OCTOPUS_SRAM: of its fullest PE */
};

struct octopus_schedule {
	struct octopus_layer_cost *layer; /* [n_layer] */
	uint32_t n_chip;
	struct octopus_chip_cost *chip; /* [n_chip] */
	double total_us;                /* one input, from setup to cleanup, chips one after another */
	double interval_us; /* between inputs once the pipeline is full: the slowest chip's layers and link */
	double energy_pj;
	struct arena arena;
};

/*
 * Cut every layer of the graph and price the schedule. Of one chip without fetching ahead the cuts are the best there
 * are: all numbers of workers that could be enabled are tried, and for each the best of every layer. Fetching ahead
 * finds the best sequence of the cuts that octopus_search_layer keeps, which is never slower than without. With SRAM
 * only, cuts that need less memory are tried as well, and the best that finds PEs for all layers is taken: not proven
 * best.
 *
 * machine: QPE or chip. ERR_INFEASIBLE naming the layer that no worker's SRAM holds, or what the model needs where it
 * does not stay in SRAM; ERR_INTERNAL without memory; ERR_INTERRUPTED (a signal). schedule is empty then.
 */
enum err_code octopus_plan(const struct machine *machine, struct octopus_graph *graph,
                           const struct octopus_options *options, struct octopus_schedule *schedule, struct err *err);
void octopus_schedule_free(struct octopus_schedule *schedule);

#endif
