/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FIT_TERM_H
#define DSE_FIT_TERM_H
/* What can be fitted and what can be measured: one row of a table each. */
#include "sim/machine/machine_param.h"

/* What can be fitted; fit_term_table says what each is. */
enum fit_term {
	TERM_CONV_INIT,
	TERM_CONV_WB,
	TERM_CONV_A,
	TERM_CONV_B,
	TERM_MATMUL_INIT,
	TERM_MATMUL_WB,
	TERM_MATMUL_A,
	TERM_MATMUL_B,
	TERM_MLA_CLK,
	TERM_ARM_CLK,
	TERM_PE_STATIC,
	TERM_PE_AWAKE,
	TERM_SRAM_READ,
	TERM_SRAM_WRITE,
	TERM_SRAM_STATIC,
	TERM_NOC_READ,
	TERM_NOC_STATIC,
	TERM_DRAM_BYTE,
	TERM_DRAM_STATIC,
	TERM_CHIP_OFF,
	N_FIT_TERM
};

/* What is fitted together: clocks of each kind of task and operating point by themselves, energies of all rows. */
enum fit_kind { FIT_CONV, FIT_MATMUL, FIT_ENERGY };

/* Measured columns. Energies: of all supplies that a row's task draws from, or of one. */
enum fit_quantity {
	QUANTITY_CLK,
	QUANTITY_TIME,
	QUANTITY_ENERGY,
	QUANTITY_ENERGY_PE,
	QUANTITY_ENERGY_NOC,
	QUANTITY_ENERGY_SRAM,
	QUANTITY_ENERGY_DRAM,
	N_FIT_QUANTITY
};
extern const char *const fit_quantity_column[N_FIT_QUANTITY];

/* One row a term. Its key is that of the machine parameter, from whose table come unit and range. */
struct fit_term_info {
	const char *key; /* in level_param, or, with a dot, in machine_param */
	enum fit_kind kind;
	enum fit_quantity supply; /* energies: the measured column that it is part of, besides QUANTITY_ENERGY */
	bool each_level; /* fitted for each operating point; else one value for all (SRAM and NoC have own rails) */
	bool by_default; /* fitted when the measurements depend on it */
	bool alone;      /* static power: by default only of a supply that is measured by itself */
};
extern const struct fit_term_info fit_term_table[N_FIT_TERM];

const char *fit_term_unit(enum fit_term term);
double fit_term_min(enum fit_term term);
double fit_term_max(enum fit_term term);
double fit_term_get(const struct machine *machine, uint32_t level, enum fit_term term);
void fit_term_set(struct machine *machine, uint32_t level, enum fit_term term, double value);

#endif
