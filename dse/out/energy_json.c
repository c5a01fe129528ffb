/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/energy_json.h"
#include "dse/out/words.h"
#include "sim/base/unit.h"
#include <assert.h>

/* Picojoules of the parts, as they are reported: millijoules. */

/* Names in JSON and in words; the parts of struct energy in their order. */
static const struct {
	const char *key, *word;
	size_t offset;
} part[] = {
    {"mla", "MAC arrays", offsetof(struct energy, mla_pj)},
    {"sram", "SRAM", offsetof(struct energy, sram_pj)},
    {"noc", "NoC", offsetof(struct energy, noc_pj)},
    {"dram", "DRAM", offsetof(struct energy, dram_pj)},
    {"arm", "ARM", offsetof(struct energy, arm_pj)},
    {"awake", "awake PEs", offsetof(struct energy, awake_pj)},
    {"switch", "changes", offsetof(struct energy, switch_pj)},
    {"static", "static", offsetof(struct energy, static_pj)},
};
#define N_PART (sizeof(part) / sizeof(part[0]))
_Static_assert(sizeof(struct energy) == (N_PART + 1) * sizeof(double), "every part is listed");

const char *energy_part_key(size_t i)
{
	return i < N_PART ? part[i].key : NULL;
}

static double part_pj(const struct energy *energy, size_t i)
{
	assert(i < N_PART);
	return *(const double *)(const void *)((const char *)energy + part[i].offset);
}

double energy_part_mj(const struct energy *energy, size_t i)
{
	return part_pj(energy, i) * MJ_PER_PJ;
}

void energy_put_parts(struct json *json, const struct energy *energy)
{
	json_begin_object(json, "energy_parts_mj");
	for (size_t i = 0; i < N_PART; i++)
		json_put_real(json, part[i].key, energy_part_mj(energy, i));
	json_end(json);
}

void energy_put_supplies(struct json *json, const struct supply_energy supply[N_SUPPLY])
{
	json_begin_list(json, "energy_by_supply_mj");
	for (int i = 0; i < N_SUPPLY; i++) {
		json_put_object(json, NULL, "supply %s, dynamic %g, static %g", supply_name[i],
		                supply[i].dynamic_pj * MJ_PER_PJ, supply[i].static_pj * MJ_PER_PJ);
	}
	json_end(json);
}

/* What few machines have a price for is left out where it is nothing. */
void energy_print(FILE *file, const struct energy *energy, const struct supply_energy supply[N_SUPPLY])
{
	assert(file && energy);
	const char *between = " ";
	struct words_fold fold;
	file = words_fold_begin(&fold, file);
	(void)fputs("  energy_mj by part:", file);
	for (size_t i = 0; i < N_PART; i++) {
		if (part_pj(energy, i) <= 0) /* the machine has none, or nothing of it is known */
			continue;
		(void)fprintf(file, "%s%s %.4g", between, part[i].word, part_pj(energy, i) * MJ_PER_PJ);
		between = ", ";
	}
	(void)fputs("\n  energy_mj by supply (dynamic + static):", file);
	between = " ";
	for (int i = 0; i < N_SUPPLY; i++) {
		if (supply[i].dynamic_pj <= 0 && supply[i].static_pj <= 0)
			continue;
		(void)fprintf(file, "%s%s %.4g + %.4g", between, supply_name[i], supply[i].dynamic_pj * MJ_PER_PJ,
		              supply[i].static_pj * MJ_PER_PJ);
		between = ", ";
	}
	(void)fputc('\n', file);
	words_fold_end(&fold);
}

void energy_add(struct energy *sum, const struct energy *add)
{
	sum->mla_pj += add->mla_pj;
	sum->sram_pj += add->sram_pj;
	sum->noc_pj += add->noc_pj;
	sum->dram_pj += add->dram_pj;
	sum->arm_pj += add->arm_pj;
	sum->awake_pj += add->awake_pj;
	sum->switch_pj += add->switch_pj;
	sum->static_pj += add->static_pj;
	sum->total_pj += add->total_pj;
}
