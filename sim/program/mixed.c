/* SPDX-License-Identifier: Apache-2.0 */
/* Mixed operating points: the points themselves, and results at them from those at the two levels. */
#include "sim/program/mixed.h"
#include "sim/machine/machine_param.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the points ---- */

/* The better of both, field by field: the faster clock, the least of everything else. */
static struct operating_point best_of(const struct operating_point *low, const struct operating_point *high)
{
	struct operating_point best = *high;
	for (size_t i = 0; i < machine_n_level_param; i++) {
		size_t offset = level_param[i].offset;
		double own = *(const double *)(const void *)((const char *)low + offset);
		double *value = (double *)(void *)((char *)&best + offset);
		*value = real_min(*value, own);
	}
	best.clk_mhz = high->clk_mhz;
	assert(low->clk_mhz < high->clk_mhz);
	return best;
}

enum err_code mixed_add(struct machine *machine, uint32_t n_share, struct err *err)
{
	assert(machine && n_share >= 2);
	uint32_t n_pure = machine->n_level, n_pair = 0;
	for (uint32_t low = 0; low < n_pure; low++)
		for (uint32_t high = 0; high < n_pure; high++)
			n_pair += machine->level[low].clk_mhz < machine->level[high].clk_mhz;
	bool by_pe = mixed_is_by_pe(machine);
	uint64_t n_level = n_pure + (uint64_t)n_pair * (by_pe ? 1 : n_share - 1);
	if (n_level > MACHINE_MAX_LEVEL && by_pe)
		return err_add(err, ERR_INPUT,
		               "levels by PE (dvfs.domain) of %s: %u pairs of its %u operating points, and themselves, "
		               "are %llu, allowed are %d; leave some out",
		               machine->name, n_pair, n_pure, (unsigned long long)n_level, MACHINE_MAX_LEVEL);
	if (n_level > MACHINE_MAX_LEVEL)
		return err_add(err, ERR_INPUT,
		               "%u shares of %u pairs of operating points of %s are %llu operating points, allowed "
		               "are %d",
		               n_share, n_pair, machine->name, (unsigned long long)n_level, MACHINE_MAX_LEVEL);
	for (uint32_t low = 0; low < n_pure; low++)
		for (uint32_t high = 0; high < n_pure; high++)
			for (uint32_t n = 1; n < (by_pe ? 2 : n_share); n++) {
				const struct operating_point *a = &machine->level[low], *b = &machine->level[high];
				if (!(a->clk_mhz < b->clk_mhz))
					continue;
				struct operating_point *point = &machine->level[machine->n_level++];
				*point = best_of(a, b);
				point->low = low;
				point->high = high;
				point->n_low = by_pe ? 0 : n;
				point->n_share = by_pe ? 1 : n_share;
				if (by_pe)
					(void)snprintf(point->name, sizeof(point->name), "%.15s+%.15s", a->name,
					               b->name);
				else
					(void)snprintf(point->name, sizeof(point->name), "%.15s*%u+%.15s*%u", a->name,
					               n, b->name, n_share - n);
			}
	assert(machine->n_level == n_level);
	return ERR_OK;
}

enum err_code mixed_offer(struct machine *machine, uint32_t n_share, struct err *err)
{
	machine->n_level = mixed_n_pure(machine);
	if (n_share == 0 && !mixed_is_by_pe(machine))
		return ERR_OK;
	return mixed_add(machine, n_share > 0 ? n_share : 2, err);
}

/* ---- results ---- */

uint64_t mixed_n_round(const struct program *program)
{
	for (uint32_t i = 0; i < program->n_step; i++) {
		const struct step *step = &program->step[i];
		if (step->kind == STEP_COMPUTE)
			return step->u.compute.n_task;
		if (step->kind == STEP_SYSTOLIC)
			return (uint64_t)systolic_dim_n(&step->u.systolic.w) * systolic_dim_n(&step->u.systolic.h) *
			       systolic_dim_n(&step->u.systolic.c) * step->u.systolic.n_group;
		if (step->kind == STEP_JOBS && step->u.jobs.n_job > 0)
			return ceil_div(step->u.jobs.n_job, step->u.jobs.n_pe);
	}
	return 0;
}

static double share_of(double low_frac, double low, double high)
{
	return low_frac * low + (1 - low_frac) * high;
}

/* Clocks of each phase at the point it runs at; ns of each of the two points. */
static void combine_phases(const struct machine *machine, const struct operating_point *point, double low_frac,
                           const struct sim_result *low, const struct sim_result *high, struct sim_result *result,
                           double *low_ns, double *high_ns)
{
	double low_clk = 0, high_clk = 0;
	for (int i = 0; i < N_PHASE; i++) {
		/* loads come first, ARM operations last */
		double frac = i < PHASE_COMPUTATION ? 1 : i < PHASE_PADD ? low_frac : 0;
		double at_low = frac * (double)low->phase_clk[i], at_high = (1 - frac) * (double)high->phase_clk[i];
		low_clk += at_low;
		high_clk += at_high;
		result->phase_clk[i] = (uint64_t)ceil(at_low + at_high - 1e-6);
		result->phase_bound[i] = frac >= 0.5 ? low->phase_bound[i] : high->phase_bound[i];
		result->total_clk += result->phase_clk[i];
		result->core_clk += i < PHASE_PADD ? result->phase_clk[i] : 0;
	}
	result_find_bound(result);
	*low_ns = low_clk * (1e3 / machine->level[point->low].clk_mhz);
	*high_ns = high_clk * (1e3 / machine->level[point->high].clk_mhz);
}

/* Actions cost what they do where most of them happen: the array's by rounds, the ARM's at the faster point. */
static void combine_energy(const struct machine *machine, const struct operating_point *point, double low_frac,
                           const struct sim_result *low, const struct sim_result *high, double low_ns, double high_ns,
                           struct energy *energy)
{
	const struct energy *a = &low->energy, *b = &high->energy;
	double change_ns = energy_switch_ns(machine, point->low, point->high);
	*energy = (struct energy){
	    .mla_pj = share_of(low_frac, a->mla_pj, b->mla_pj),
	    .sram_pj = share_of(low_frac, a->sram_pj, b->sram_pj),
	    .noc_pj = share_of(low_frac, a->noc_pj, b->noc_pj),
	    .dram_pj = share_of(low_frac, a->dram_pj, b->dram_pj),
	    .arm_pj = b->arm_pj,
	    .awake_pj = share_of(low_frac, a->awake_pj, b->awake_pj),
	    .switch_pj = energy_switch_pj(machine, point->low, point->high),
	    .static_pj = energy_static_mw(machine, point->low) * low_ns +
	                 energy_static_mw(machine, point->high) * (high_ns + change_ns),
	};
	energy->total_pj = energy->mla_pj + energy->sram_pj + energy->noc_pj + energy->dram_pj + energy->arm_pj +
	                   energy->awake_pj + energy->switch_pj + energy->static_pj;
}

void mixed_combine(const struct machine *machine, uint32_t level, uint64_t n_round, const struct sim_result *low,
                   const struct sim_result *high, struct sim_result *result)
{
	assert(level < machine->n_level && mixed_is(&machine->level[level]) && result != low && result != high);
	const struct operating_point *point = &machine->level[level];
	if (n_round == 0 || !result_is_counted(high) || !result_is_counted(low)) {
		*result = n_round > 0 && result_is_counted(high) ? *low : *high;
		result->mix = (struct result_mix){0};
		return;
	}
	assert(!mixed_is_by_pe(machine));
	double n_low = floor((double)n_round * point->n_low / point->n_share + 0.5), low_ns, high_ns;
	double low_frac = n_low / (double)n_round;
	assert(low_frac >= 0 && low_frac <= 1);
	*result = (struct sim_result){.counts = high->counts, .sram_byte = high->sram_byte};
	result->counts.awake_clk = share_of(low_frac, low->counts.awake_clk, high->counts.awake_clk);
	combine_phases(machine, point, low_frac, low, high, result, &low_ns, &high_ns);
	result->mix = (struct result_mix){
	    .is_mixed = true, .low_frac = low_frac, .low_ns = low_ns, .n_change = 1, .low = low->counts};
	result->latency_ns = low_ns + high_ns + energy_switch_ns(machine, point->low, point->high);
	combine_energy(machine, point, low_frac, low, high, low_ns, high_ns, &result->energy);
	result->peak_power_mw = real_max(low->peak_power_mw, high->peak_power_mw);
	result->apart_power_mw = real_max(low->apart_power_mw, high->apart_power_mw);
	double mac_clk = result->counts.mac / (double)machine_n_mac(machine);
	result->mac_util_frac = result->total_clk ? mac_clk / (double)result->total_clk : 0;
}

void mixed_least(const struct machine *machine, uint32_t level, const struct sim_result *low,
                 const struct sim_result *high, struct sim_result *result)
{
	const struct operating_point *point = &machine->level[level];
	double low_ns = 1e3 / machine->level[point->low].clk_mhz, high_ns = 1e3 / machine->level[point->high].clk_mhz;
	const struct energy *a = &low->energy, *b = &high->energy;
	assert(mixed_is(point) && mixed_is_by_pe(machine) && result != low && result != high);
	*result = *high;
	result->mix = (struct result_mix){0};
	if (!result_is_counted(high) || !result_is_counted(low))
		return;
	result->latency_ns = 0;
	for (int i = 0; i < N_PHASE; i++)
		result->latency_ns +=
		    real_min((double)low->phase_clk[i] * low_ns, (double)high->phase_clk[i] * high_ns);
	struct energy *energy = &result->energy;
	*energy = (struct energy){.mla_pj = real_min(a->mla_pj, b->mla_pj),
	                          .sram_pj = real_min(a->sram_pj, b->sram_pj),
	                          .noc_pj = real_min(a->noc_pj, b->noc_pj),
	                          .dram_pj = real_min(a->dram_pj, b->dram_pj),
	                          .arm_pj = real_min(a->arm_pj, b->arm_pj),
	                          .awake_pj = real_min(a->awake_pj, b->awake_pj)};
	energy->static_pj = result->latency_ns *
	                    real_min(energy_static_mw(machine, point->low), energy_static_mw(machine, point->high));
	energy->total_pj = energy->mla_pj + energy->sram_pj + energy->noc_pj + energy->dram_pj + energy->arm_pj +
	                   energy->awake_pj + energy->static_pj;
}
