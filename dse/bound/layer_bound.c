/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/bound/layer_bound.h"
#include "dse/bound/deadline.h"
#include "sim/base/checked.h"
#include "sim/base/unit.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Bounds that are no whole numbers have this much slack, so that rounding can never reject a point of the front. */
#define BOUND_SLACK (1 - 1e-9)

void bound_extents(const struct layer_context *context, uint32_t *extent, uint32_t *step)
{
	const struct block *block = context->block;
	const struct split whole = mapper_split_whole(block, context->machine);
	uint32_t group_c = split_whole_group(block).c.size_a;
	extent[BOUND_D] = whole.d.size_a;
	extent[BOUND_W] = whole.w.size_a;
	extent[BOUND_H] = whole.h.size_a;
	extent[BOUND_C] = whole.c.size_a;
	step[BOUND_D] = 1;
	step[BOUND_W] = step[BOUND_H] = block->pool;
	step[BOUND_C] = group_c < whole.c.size_a ? group_c : 1;
}

/* Choices of one number of parts are in the order of their largest parts; the last of several numbers has the smallest
 * ones. */
struct dim_range bound_range(const struct dim_split *choice, uint32_t first, uint32_t last, uint32_t extent,
                             uint32_t step)
{
	assert(first < last);
	uint32_t n_least = dim_n_part(&choice[first]), n_most = dim_n_part(&choice[last - 1]);
	struct dim_range range = {
	    .extent = extent,
	    .step = n_most > extent / step ? 1 : step, /* 1: parts of groups */
	    .n_least = n_least,
	    .n_most = n_most,
	    .split = last == first + 1 ? &choice[first] : NULL,
	    .choice = &choice[first],
	    .n_choice = last - first,
	};
	if (n_least == n_most)
		range.size = choice[first].size_a;
	else
		range.size = (uint32_t)(ceil_div(extent / range.step, n_most) * range.step);
	return range;
}

/* Sums of whole bytes are not rounded. */
static bool is_whole(double byte)
{
	return byte < 0x1p52 && byte == floor(byte);
}

/*
 * A program's clocks and
 * bytes are whole numbers, which need no slack: many designs are alike in one of them. Nor does its energy, which
 * comes from whole counts, or quotients of some, by the additions and products by which a design's does, so that
 * rounding keeps their order; but the clocks in which PEs are awake come about otherwise, so do fetches and
 * mixed operating points, and sleep is taken off.
 */
bool bound_metrics(const struct space *space, const struct layer_context *context, const struct range_bound *bound,
                   uint32_t level, bool with_slower, struct bound_runs *runs, double *value)
{
	const struct machine *machine = context->machine;
	const struct counts *counts = &bound->work.counts;
	bool is_exact = bound->has_program && machine->level[level].pe_awake_mw <= 0 &&
	                !(bound->program.fetch.dram_byte > 0) && !(space->deadline_ms > 0) &&
	                !mixed_is(&machine->level[level]);
	double latency_ns, energy_pj;
	struct sim_result result;
	bool is_counted;
	memset(value, 0, N_METRIC * sizeof(*value));
	if (bound->has_program) {
		(with_slower ? fast_run_least_slower : fast_run_least)(machine, &bound->program, level, &result);
		if (runs && !with_slower && level < MACHINE_FILE_LEVEL) {
			runs->result[level] = result;
			runs->known |= UINT32_C(1) << level;
		}
		latency_ns = result.latency_ns;
		energy_pj = result.energy.total_pj;
		counts = &result.counts;
		is_counted = result_is_counted(&result);
	} else {
		fast_bound(machine, &bound->work, level, &latency_ns, &energy_pj);
		double clk = latency_ns * machine->level[level].clk_mhz / 1e3;
		is_counted = mixed_is(&machine->level[level]) || clk * BOUND_SLACK <= (double)COUNTS_MAX;
	}
	value[METRIC_LATENCY] = latency_ns * MS_PER_NS * (bound->has_program ? 1 : BOUND_SLACK);
	value[METRIC_ENERGY] = energy_pj * (is_exact ? 1 : BOUND_SLACK) * MJ_PER_PJ;
	/* nor is a design's below 0 (deadline_of_layer) */
	value[METRIC_ENERGY] =
	    fmax(0, value[METRIC_ENERGY] - deadline_asleep_mj(space, machine, latency_ns * MS_PER_NS));
	value[METRIC_DRAM] = counts->dram_read_byte + counts->dram_write_byte;
	value[METRIC_DRAM] *= is_whole(value[METRIC_DRAM]) ? 1 : BOUND_SLACK;
	value[METRIC_SRAM_USED] = (double)bound->program.sram_byte / (double)mapper_available_byte(machine);
	/* A step's power is energy over time: a larger bound would need the most clocks that a step of the box may
	 * take. */
	value[METRIC_PEAK_POWER] = energy_static_mw(machine, level) * BOUND_SLACK;
	value[METRIC_RUN_TIME] = value[METRIC_LATENCY] + metric_layer_overhead_ms(machine, bound->n_worker);
	return is_counted;
}
