/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_ENERGY_USE_H
#define SIM_ENERGY_USE_H
/*
 * How much a result uses of each coefficient of energy: amounts that, times the machine's coefficients, add up to its
 * energy (DVFS paper, equations 1 to 6). Energy is linear in the coefficients, so a result is priced again at others
 * without being simulated again.
 */
#include "sim/program/result.h"

/* Coefficients of an operating point: actions, or for powers ns of all PEs; and of the machine. */
enum use_of_level { USE_MLA, USE_READ, USE_WRITE, USE_NOC, USE_ARM, USE_AWAKE, USE_STATIC, N_USE_OF_LEVEL };
enum use_of_machine {
	USE_DRAM_BYTE,
	USE_SWITCH, /* PEs that change their operating point */
	USE_CHIP_OFF,
	USE_SRAM_STATIC,
	USE_NOC_STATIC,
	USE_DRAM_STATIC,
	N_USE_OF_MACHINE
};
/* Names in level_param[] and machine_param[]: "mla_clk_pj", "energy.dram_byte_pj". */
extern const char *const use_of_level_key[N_USE_OF_LEVEL];
extern const char *const use_of_machine_key[N_USE_OF_MACHINE];

/* Amounts, each so that amount times coefficient is pJ. A mixed operating point's are those of its two levels. */
struct energy_use {
	double level[MACHINE_FILE_LEVEL][N_USE_OF_LEVEL];
	double machine[N_USE_OF_MACHINE];
};

/* What a result at an operating point, mixed or not, uses. */
void energy_use_of(const struct machine *machine, uint32_t level, const struct sim_result *result,
                   struct energy_use *use);

/* Add factor times a part to a sum. */
void energy_use_add(struct energy_use *sum, const struct energy_use *part, double factor);

/* Add ns of static power at one of the machine's own operating points, and a change from one to another with its time.
 */
void energy_use_add_static(const struct machine *machine, uint32_t level, double ns, struct energy_use *use);
void energy_use_add_change(const struct machine *machine, uint32_t from, uint32_t to, struct energy_use *use);

/* The coefficients' values in a machine; those of operating points that it has not are 0. */
void energy_use_values(const struct machine *machine, struct energy_use *value);

/* Amounts times values, pJ. */
double energy_use_pj(const struct energy_use *use, const struct energy_use *value);

/* The amount, or the value, of a coefficient by its key, of an operating point or, level UINT32_MAX, of the machine;
 * NULL: energy does not depend on it. */
double *energy_use_find(struct energy_use *use, const char *key, uint32_t level);

#endif
