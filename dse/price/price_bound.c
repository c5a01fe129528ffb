/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no mapping beats, in any tier: every multiply-accumulate takes its share of the MAC units' clocks, every weight
 * that is no result comes from DRAM once, and static power is drawn for as long.
 */
#include "dse/bound/deadline.h"
#include "dse/price/price_parts.h"
#include "dse/space/space_machine.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_PER_BIT 0.125
/* Rounding in a different order can make a bound larger than what it bounds by less than this. */
#define SLACK (1 - 1e-9)

/* The narrowest operands that are offered. */
static double weight_byte(const struct block *block)
{
	enum { LEAST_BIT = 8 };
	return block->filters.n > 0 ? 0.0 : (double)block_n_weight(block) * LEAST_BIT * BYTE_PER_BIT;
}

/* Metric by metric the least over the machine's operating points; what is mixed of two lies between them. */
static void bound_layer(const struct space *space, const struct machine *machine, const struct block *block,
                        double *metric)
{
	struct counts counts = {.mac = (double)block_n_mac(block), .dram_read_byte = weight_byte(block)};
	double n_array = (double)machine_n_pe(machine) / (double)machine_n_mac(machine);
	counts.mla_clk = machine->target == MACHINE_SYSTOLIC ? 0.0 : counts.mac * n_array;
	memset(metric, 0, N_METRIC * sizeof(*metric));
	metric[METRIC_LATENCY] = metric[METRIC_ENERGY] = INFINITY;
	metric[METRIC_DRAM] = counts.dram_read_byte;
	for (uint32_t level = 0; level < machine->n_level; level++) {
		if (machine->level[level].n_share > 0)
			continue;
		double clk = fmax(0.0, result_roofline_clk(machine, &counts, level) - 1.0); /* runs are whole clocks */
		double ns = clk * 1e3 / machine->level[level].clk_mhz;
		double pj = energy_of_counts(machine, level, &counts).total_pj + energy_static_mw(machine, level) * ns;
		/* beyond what sleeping for as long takes: what is not worked is slept */
		double beyond_mj = pj * MJ_PER_PJ - deadline_asleep_mj(space, machine, ns * MS_PER_NS);
		metric[METRIC_LATENCY] = fmin(metric[METRIC_LATENCY], ns * MS_PER_NS * SLACK);
		metric[METRIC_ENERGY] = fmin(metric[METRIC_ENERGY], beyond_mj * SLACK);
	}
	metric[METRIC_ENERGY] += deadline_asleep_mj(space, machine, metric[METRIC_LATENCY]);
	metric[METRIC_RUN_TIME] = metric[METRIC_LATENCY] + metric_layer_overhead_ms(machine, 1) * SLACK;
}

bool price_bound(const struct explore *explore, uint32_t machine_index, double *objective)
{
	const struct layer_map *map = &explore->map;
	char why[EXPLORE_TEXT_SIZE];
	struct machine machine;
	struct unrolled point;
	enum metric broken;
	if (!space_machine(explore->space, machine_index, &machine, why, sizeof(why)) ||
	    unrolled_init(map, &point, NULL) != ERR_OK)
		return false;
	struct unrolled_design *design = calloc(map->n_distinct, sizeof(*design));
	for (size_t i = 0; design && i < map->n_distinct; i++)
		bound_layer(explore->space, &machine, map->block[map->first[i]], design[i].metric);
	for (size_t i = 0; design && i < map->n_block; i++)
		point.layer[i] = &design[map->distinct[i]];
	point.machine = &machine;
	point.machine_index = machine_index;
	bool keeps = false;
	if (design) {
		unroll_sum(explore->space, map, &point);
		keeps = candidate_objectives(explore->space, point.metric, objective, &broken);
	}
	free(design);
	unrolled_free(&point);
	return keeps;
}
