/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fast/uncertainty.h"
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* Longer phases are long, PE clocks. */
#define LONG_CLK 5000
/* From which machines are in the next class: packets of all DRAM interfaces over those that a router passes, in the
   same time. tests/tiers_table.sh has them, too. */
static const double dram_router_ratio[UNCERTAINTY_N_POINT - 1] = {0.25, 0.5, 1};

/* What "make tiers" draws machines from: tests/across/test_random_tiers.c. */
const struct uncertainty_range uncertainty_range[] = {
    {"noc.clk_mhz", "MHz", 125, 1000},
    {"noc.router_packet", "packets", 1, 4},
    {"clk_mhz", "MHz", 150, 400},
    {"dram.clk_mhz", "MHz", 250, 400},
    {"chip.n_dram", "interfaces", 1, 4},
    {"pe.sram_byte", "bytes", 65536, 262144},
    {"chip.mesh_w", "QPEs", 2, 8},
    {"chip.mesh_h", "QPEs", 2, 8},
    {"chip.n_storage_qpe", "QPEs", 1, 4},
    {"mla.array", "MAC units", 32, 128},
    {"qpe.n_pe", "PEs", 4, 4},
    {"noc.packet_byte", "bytes", 16, 16},
    {"noc.hop_clk", "NoC clocks", 4, 5},
    {"pe.sram_port_byte", "bytes", 16, 16},
    {"pe.sram_access_clk", "PE clocks", 1, 1},
    {"dram.access_byte", "bytes", 16, 16},
    {"dram.access_clk", "DRAM clocks", 2, 2},
};
const size_t uncertainty_n_range = sizeof(uncertainty_range) / sizeof(uncertainty_range[0]);

static enum uncertainty_kind kind_of(const struct machine *machine, enum phase phase)
{
	bool on_qpe = machine->target == MACHINE_QPE;
	if (phase == PHASE_WEIGHT || phase == PHASE_FETCH)
		return on_qpe ? UNCERTAINTY_QPE_WEIGHT : UNCERTAINTY_WEIGHT;
	if (phase == PHASE_INPUT)
		return on_qpe ? UNCERTAINTY_QPE_INPUT : UNCERTAINTY_INPUT;
	if (phase == PHASE_COMPUTATION)
		return on_qpe ? UNCERTAINTY_QPE_COMPUTE : UNCERTAINTY_COMPUTE;
	if (phase == PHASE_TASKS)
		return on_qpe ? UNCERTAINTY_QPE_JOBS : UNCERTAINTY_JOBS;
	return phase == PHASE_MIGRATION ? UNCERTAINTY_MIGRATION : N_UNCERTAINTY_KIND;
}

static unsigned point_of(const struct machine *machine)
{
	double dram_mhz = machine->dram_n * machine->dram_clk_mhz / machine->dram_access_clk;
	double ratio = dram_mhz / (machine->noc_clk_mhz * machine->noc_router_packet);
	unsigned point = 0;
	while (point < UNCERTAINTY_N_POINT - 1 && ratio > dram_router_ratio[point])
		point++;
	return point;
}

static unsigned split_of(unsigned n_uneven)
{
	return n_uneven < UNCERTAINTY_N_SPLIT ? n_uneven : UNCERTAINTY_N_SPLIT - 1;
}

unsigned uncertainty_class(const struct machine *machine, enum phase phase, uint64_t phase_clk, unsigned n_uneven)
{
	assert(machine && phase < N_PHASE);
	enum uncertainty_kind kind = kind_of(machine, phase);
	if (kind == N_UNCERTAINTY_KIND)
		return UNCERTAINTY_N_CLASS;
	unsigned row = (kind * UNCERTAINTY_N_SPLIT + split_of(n_uneven)) * UNCERTAINTY_N_POINT + point_of(machine);
	return row * UNCERTAINTY_N_SIZE + (phase_clk > LONG_CLK);
}

struct uncertainty uncertainty_of(const struct machine *machine, const struct sim_result *result, unsigned n_uneven,
                                  enum uncertainty_tier tier)
{
	assert(machine && result);
	struct uncertainty all = {0};
	if (machine->target == MACHINE_SYSTOLIC)
		return (struct uncertainty){NAN, NAN};
	unsigned split = split_of(n_uneven), point = point_of(machine);
	for (int i = 0; i < N_PHASE; i++) {
		uint64_t clk = result->phase_clk[i];
		enum uncertainty_kind kind = kind_of(machine, (enum phase)i);
		if (kind == N_UNCERTAINTY_KIND || clk == 0)
			continue;
		all.event_frac += (double)clk * (double)uncertainty_fast_pct[kind][split][point][clk > LONG_CLK] / 100;
		all.reference_frac += (double)clk * (double)uncertainty_event_pct[kind][point] / 100;
	}
	uncertainty_divide(&all, (double)result->total_clk);
	if (tier == UNCERTAINTY_EVENT)
		all.event_frac = NAN;
	return all;
}

void uncertainty_add(struct uncertainty *sum, double time, const struct uncertainty *part)
{
	assert(sum && part && time >= 0);
	sum->event_frac += time * part->event_frac;
	sum->reference_frac += time * part->reference_frac;
}

void uncertainty_divide(struct uncertainty *sum, double time)
{
	assert(sum);
	if (time > 0) {
		sum->event_frac /= time;
		sum->reference_frac /= time;
	}
}

double uncertainty_frac(const struct uncertainty *uncertainty)
{
	assert(uncertainty);
	return isfinite(uncertainty->event_frac) ? uncertainty->event_frac : uncertainty->reference_frac;
}

double uncertainty_value(const struct machine *machine, uint32_t level, const struct uncertainty_range *range)
{
	assert(machine && level < machine->n_level && range);
	if (strcmp(range->key, "clk_mhz") == 0)
		return machine->level[level].clk_mhz;
	const struct machine_param *param = machine_find_param(range->key);
	assert(param);
	return machine_get_param(machine, param);
}

const struct uncertainty_range *uncertainty_find_far(const struct machine *machine, uint32_t level)
{
	assert(machine);
	if (machine->target == MACHINE_SYSTOLIC)
		return NULL;
	for (size_t i = 0; i < uncertainty_n_range; i++) {
		const struct uncertainty_range *range = &uncertainty_range[i];
		if (machine->target != MACHINE_CHIP && strncmp(range->key, "chip.", 5) == 0)
			continue;
		double value = uncertainty_value(machine, level, range);
		if (value < range->min || value > range->max)
			return range;
	}
	return NULL;
}
