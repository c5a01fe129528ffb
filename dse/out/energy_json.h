/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ENERGY_JSON_H
#define DSE_ENERGY_JSON_H
/* Energies in results: by component, and by supply. In mJ; parts add up to energy_mj. */
#include "dse/out/json.h"
#include "sim/fast/fast.h"

/* An object "energy_parts_mj" of components: mla, sram, noc, dram, arm, awake, switch, static. */
void energy_put_parts(struct json *json, const struct energy *energy);

/* The parts one by one: what they are called, NULL behind the last; and mJ. */
const char *energy_part_key(size_t i);
double energy_part_mj(const struct energy *energy, size_t i);

/* A list "energy_by_supply_mj" of {supply, dynamic, static}. */
void energy_put_supplies(struct json *json, const struct supply_energy supply[N_SUPPLY]);

/* Two lines of text: by component, then by supply. */
void energy_print(FILE *file, const struct energy *energy, const struct supply_energy supply[N_SUPPLY]);

/* Add part to sum. */
void energy_add(struct energy *sum, const struct energy *part);

#endif
