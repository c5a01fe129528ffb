/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of parameters and of measured quantities. */
#include "dse/fit/fit_term.h"
#include <assert.h>
#include <string.h>

const char *const fit_quantity_column[N_FIT_QUANTITY] = {
    [QUANTITY_CLK] = "clk",
    [QUANTITY_TIME] = "time_ns",
    [QUANTITY_ENERGY] = "energy_nj",
    [QUANTITY_ENERGY_PE] = "energy_pe_nj",
    [QUANTITY_ENERGY_NOC] = "energy_noc_nj",
    [QUANTITY_ENERGY_SRAM] = "energy_sram_nj",
    [QUANTITY_ENERGY_DRAM] = "energy_dram_nj",
};

/*
 * b stays as it is unless it is asked for: clocks depend on a b and wb b only (sim/mla/greybox.h). So does the power of
 * PEs that work, which tasks alone cannot tell from their static power, and that of a chip with all PEs off.
 */
const struct fit_term_info fit_term_table[N_FIT_TERM] = {
    [TERM_CONV_INIT] = {"conv_init_clk", FIT_CONV, QUANTITY_CLK, true, true, false},
    [TERM_CONV_WB] = {"conv_wb_clk", FIT_CONV, QUANTITY_CLK, true, true, false},
    [TERM_CONV_A] = {"conv_a", FIT_CONV, QUANTITY_CLK, true, true, false},
    [TERM_CONV_B] = {"conv_b", FIT_CONV, QUANTITY_CLK, true, false, false},
    [TERM_MATMUL_INIT] = {"matmul_init_clk", FIT_MATMUL, QUANTITY_CLK, true, true, false},
    [TERM_MATMUL_WB] = {"matmul_wb_clk", FIT_MATMUL, QUANTITY_CLK, true, true, false},
    [TERM_MATMUL_A] = {"matmul_a", FIT_MATMUL, QUANTITY_CLK, true, true, false},
    [TERM_MATMUL_B] = {"matmul_b", FIT_MATMUL, QUANTITY_CLK, true, false, false},
    [TERM_MLA_CLK] = {"mla_clk_pj", FIT_ENERGY, QUANTITY_ENERGY_PE, true, true, false},
    [TERM_ARM_CLK] = {"arm_clk_pj", FIT_ENERGY, QUANTITY_ENERGY_PE, true, true, false},
    [TERM_PE_STATIC] = {"pe_static_mw", FIT_ENERGY, QUANTITY_ENERGY_PE, true, true, false},
    [TERM_PE_AWAKE] = {"pe_awake_mw", FIT_ENERGY, QUANTITY_ENERGY_PE, true, false, false},
    [TERM_SRAM_READ] = {"sram_read32_pj", FIT_ENERGY, QUANTITY_ENERGY_SRAM, false, true, false},
    [TERM_SRAM_WRITE] = {"sram_write32_pj", FIT_ENERGY, QUANTITY_ENERGY_SRAM, false, true, false},
    [TERM_SRAM_STATIC] = {"energy.sram_static_mw", FIT_ENERGY, QUANTITY_ENERGY_SRAM, false, true, true},
    [TERM_NOC_READ] = {"noc_read128_pj", FIT_ENERGY, QUANTITY_ENERGY_NOC, false, true, false},
    [TERM_NOC_STATIC] = {"energy.noc_static_mw", FIT_ENERGY, QUANTITY_ENERGY_NOC, false, true, true},
    [TERM_DRAM_BYTE] = {"energy.dram_byte_pj", FIT_ENERGY, QUANTITY_ENERGY_DRAM, false, true, false},
    [TERM_DRAM_STATIC] = {"energy.dram_static_mw", FIT_ENERGY, QUANTITY_ENERGY_DRAM, false, true, true},
    [TERM_CHIP_OFF] = {"energy.chip_off_mw", FIT_ENERGY, QUANTITY_ENERGY, false, false, false},
};

static const struct level_param *find_level_param(const char *key)
{
	for (size_t i = 0; i < machine_n_level_param; i++)
		if (strcmp(level_param[i].key, key) == 0)
			return &level_param[i];
	return NULL;
}

/* Unit and range of either kind of parameter, and where its value is. */
struct term_place {
	const char *unit;
	double min, max;
	double *value; /* NULL: without a machine */
};

static struct term_place find_place(enum fit_term term, struct machine *machine, uint32_t level)
{
	assert((unsigned)term < N_FIT_TERM && (!machine || level < machine->n_level));
	const char *key = fit_term_table[term].key;
	const struct level_param *of_level = find_level_param(key);
	if (of_level) {
		char *base = machine ? (char *)&machine->level[level] : NULL;
		return (struct term_place){of_level->unit, of_level->min, of_level->max,
		                           base ? (double *)(void *)(base + of_level->offset) : NULL};
	}
	const struct machine_param *param = machine_find_param(key);
	assert(param && param->type == PARAM_REAL);
	return (struct term_place){param->unit, param->min, param->max,
	                           machine ? (double *)(void *)((char *)machine + param->offset) : NULL};
}

const char *fit_term_unit(enum fit_term term)
{
	return find_place(term, NULL, 0).unit;
}

double fit_term_min(enum fit_term term)
{
	return find_place(term, NULL, 0).min;
}

double fit_term_max(enum fit_term term)
{
	return find_place(term, NULL, 0).max;
}

double fit_term_get(const struct machine *machine, uint32_t level, enum fit_term term)
{
	struct machine copy = *machine;
	return *find_place(term, &copy, level).value;
}

void fit_term_set(struct machine *machine, uint32_t level, enum fit_term term, double value)
{
	assert(value >= fit_term_min(term) && value <= fit_term_max(term));
	*find_place(term, machine, level).value = value;
}
