/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/program/energy_use.h"
#include "sim/program/mixed.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <string.h>

const char *const use_of_level_key[N_USE_OF_LEVEL] = {
    [USE_MLA] = "mla_clk_pj",      [USE_READ] = "sram_read32_pj", [USE_WRITE] = "sram_write32_pj",
    [USE_NOC] = "noc_read128_pj",  [USE_ARM] = "arm_clk_pj",      [USE_AWAKE] = "pe_awake_mw",
    [USE_STATIC] = "pe_static_mw",
};
const char *const use_of_machine_key[N_USE_OF_MACHINE] = {
    [USE_DRAM_BYTE] = "energy.dram_byte_pj",   [USE_SWITCH] = "dvfs.switch_nj",
    [USE_CHIP_OFF] = "energy.chip_off_mw",     [USE_SRAM_STATIC] = "energy.sram_static_mw",
    [USE_NOC_STATIC] = "energy.noc_static_mw", [USE_DRAM_STATIC] = "energy.dram_static_mw",
};

/* The struct is nothing but doubles, so sums go over all of it. */
#define N_USE (sizeof(struct energy_use) / sizeof(double))

/* A share of actions at one of the machine's own operating points; the ARM core's and working PEs' by themselves. */
static void add_actions(const struct machine *machine, uint32_t level, const struct counts *counts, double frac,
                        double arm_clk, double awake_clk, struct energy_use *use)
{
	double *own = use->level[level];
	own[USE_MLA] += frac * counts->mla_clk * energy_array_frac(machine);
	own[USE_READ] += frac * counts->sram_read_word;
	own[USE_WRITE] += frac * counts->sram_write_word;
	own[USE_NOC] += frac * counts->noc_packet;
	own[USE_ARM] += arm_clk;
	own[USE_AWAKE] += awake_clk * (1e3 / machine->level[level].clk_mhz);
	use->machine[USE_DRAM_BYTE] += frac * (counts->dram_read_byte + counts->dram_write_byte);
}

void energy_use_of(const struct machine *machine, uint32_t level, const struct sim_result *result,
                   struct energy_use *use)
{
	assert(machine && level < machine->n_level && result && use);
	const struct operating_point *point = &machine->level[level];
	const struct counts *counts = &result->counts;
	*use = (struct energy_use){0};
	if (!mixed_is(point) || !result->mix.is_mixed) {
		uint32_t own = mixed_is(point) ? point->high : level;
		add_actions(machine, own, counts, 1, counts->arm_clk, counts->awake_clk, use);
		energy_use_add_static(machine, own, result->latency_ns, use);
		return;
	}
	const struct result_mix *mix = &result->mix;
	double low_awake_clk = mix->low_frac * mix->low.awake_clk;
	if (mix->is_by_pe) {
		add_actions(machine, point->low, &mix->low, mix->low_frac, mix->low_frac * mix->low.arm_clk,
		            low_awake_clk, use);
		add_actions(machine, point->high, counts, mix->high_frac, mix->high_frac * counts->arm_clk,
		            mix->high_frac * counts->awake_clk, use);
	} else {
		add_actions(machine, point->low, &mix->low, mix->low_frac, 0, low_awake_clk, use);
		add_actions(machine, point->high, counts, 1 - mix->low_frac, counts->arm_clk,
		            counts->awake_clk - low_awake_clk, use);
	}
	energy_use_add_static(machine, point->low, mix->low_ns, use);
	energy_use_add_static(machine, point->high, result->latency_ns - mix->low_ns, use);
	use->machine[USE_SWITCH] += PJ_PER_NJ * machine_n_pe(machine) * mix->n_change;
}

void energy_use_add(struct energy_use *sum, const struct energy_use *part, double factor)
{
	double *to = (double *)sum;
	const double *from = (const double *)part;
	for (size_t i = 0; i < N_USE; i++)
		to[i] += factor * from[i];
}

void energy_use_add_static(const struct machine *machine, uint32_t level, double ns, struct energy_use *use)
{
	assert(level < MACHINE_FILE_LEVEL && !mixed_is(&machine->level[level]));
	use->level[level][USE_STATIC] += ns * machine_n_pe(machine);
	use->machine[USE_CHIP_OFF] += ns;
	use->machine[USE_SRAM_STATIC] += ns;
	use->machine[USE_NOC_STATIC] += ns;
	use->machine[USE_DRAM_STATIC] += ns;
}

void energy_use_add_change(const struct machine *machine, uint32_t from, uint32_t to, struct energy_use *use)
{
	if (from == to)
		return;
	use->machine[USE_SWITCH] += PJ_PER_NJ * machine_n_pe(machine);
	energy_use_add_static(machine, to, energy_switch_ns(machine, from, to), use);
}

void energy_use_values(const struct machine *machine, struct energy_use *value)
{
	*value = (struct energy_use){.machine = {[USE_DRAM_BYTE] = machine->dram_byte_pj,
	                                         [USE_SWITCH] = machine->dvfs_switch_nj,
	                                         [USE_CHIP_OFF] = machine->chip_off_mw,
	                                         [USE_SRAM_STATIC] = machine->sram_static_mw,
	                                         [USE_NOC_STATIC] = machine->noc_static_mw,
	                                         [USE_DRAM_STATIC] = machine->dram_static_mw}};
	for (uint32_t i = 0; i < mixed_n_pure(machine); i++) {
		const struct operating_point *point = &machine->level[i];
		const double own[N_USE_OF_LEVEL] = {
		    [USE_MLA] = point->mla_clk_pj,        [USE_READ] = point->sram_read32_pj,
		    [USE_WRITE] = point->sram_write32_pj, [USE_NOC] = point->noc_read128_pj,
		    [USE_ARM] = point->arm_clk_pj,        [USE_AWAKE] = point->pe_awake_mw,
		    [USE_STATIC] = point->pe_static_mw,
		};
		memcpy(value->level[i], own, sizeof(own));
	}
}

double energy_use_pj(const struct energy_use *use, const struct energy_use *value)
{
	const double *amount = (const double *)use, *each = (const double *)value;
	double pj = 0;
	for (size_t i = 0; i < N_USE; i++)
		pj += amount[i] * each[i];
	return pj;
}

double *energy_use_find(struct energy_use *use, const char *key, uint32_t level)
{
	for (size_t i = 0; i < N_USE_OF_LEVEL && level < MACHINE_FILE_LEVEL; i++)
		if (strcmp(use_of_level_key[i], key) == 0)
			return &use->level[level][i];
	for (size_t i = 0; i < N_USE_OF_MACHINE && level == UINT32_MAX; i++)
		if (strcmp(use_of_machine_key[i], key) == 0)
			return &use->machine[i];
	return NULL;
}
