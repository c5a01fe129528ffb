/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/machine_explain.h"
#include "dse/space/area_trust.h"
#include "sim/base/unit.h"
#include "sim/machine/energy.h"
#include "sim/machine/machine_param.h"
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define GOPS_PER_OPS 1e-9
#define HZ_PER_MHZ 1e6
#define GB_PER_S_OF_BYTE_MHZ 1e-3 /* bytes a clock times MHz */

static double kib(uint64_t n_byte)
{
	return (double)n_byte / 1024;
}

/* Two operations are one multiply-accumulate. */
static double peak_gops(const struct machine *machine, uint32_t level)
{
	return 2.0 * (double)machine_n_mac(machine) * machine->level[level].clk_mhz * HZ_PER_MHZ * GOPS_PER_OPS;
}

static double dram_gb_s(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return machine->systolic.memory_gb_s;
	return machine->dram_n * machine->dram_access_byte * machine->dram_clk_mhz * GB_PER_S_OF_BYTE_MHZ /
	       machine->dram_access_clk;
}

static void explain_array(struct words *words, const struct machine *machine)
{
	const struct systolic_machine *systolic = &machine->systolic;
	if (machine->target == MACHINE_SYSTOLIC) {
		words_line(words,
		           "one systolic array of %" PRIu32 " rows and %" PRIu32 " columns: %" PRIu64 " MAC units",
		           systolic->rows, systolic->cols, machine_n_mac(machine));
		words_line(words, "buffers, both halves: %.6g KiB of ifmap, %.6g KiB of filters, %.6g KiB of ofmap",
		           kib(systolic->ifmap_byte), kib(systolic->filter_byte), kib(systolic->ofmap_byte));
		return;
	}
	uint32_t n_pe = machine_n_pe(machine);
	words_line(words,
	           "%" PRIu32 " PEs, %" PRIu32 " in each QPE, with a MAC array of %" PRIu32 "x%" PRIu32
	           " (columns of output pixels, rows of filters): %" PRIu64 " MAC units",
	           n_pe, machine->qpe_n_pe, machine->mla_cols, machine->mla_rows, machine_n_mac(machine));
	if (machine->target == MACHINE_CHIP)
		words_line(words,
		           "%" PRIu32 " QPEs; a mesh of %" PRIu32 "x%" PRIu32 " takes part in reuse, where %" PRIu32
		           " QPEs hold results instead of computing",
		           machine->chip.n_qpe, machine->chip.mesh_w, machine->chip.mesh_h,
		           machine->chip.n_storage_qpe);
	words_line(words, "SRAM: %.6g KiB in each PE for operands and results, %.6g KiB in all",
	           kib(machine->pe_sram_byte), kib(machine_sram_byte(machine)));
	words_line(words, "quantisation and ReLU: %s",
	           machine->mla_postprocess ? "in the MLA's output stage (mla.postprocess: true)"
	                                    : "on the ARM core of each PE, number by number (mla.postprocess: false)");
}

static void explain_rates(struct words *words, const struct machine *machine)
{
	words_section(words, "Rates");
	for (uint32_t l = 0; l < machine->n_level; l++) {
		const struct operating_point *level = &machine->level[l];
		words_line(words,
		           "%s, %.6g V and %.6g MHz: %.6g GOPS at most; layers with less than %.4g operations a DRAM "
		           "byte wait for the DRAM; %.6g mW static power",
		           level->name, level->vdd_v, level->clk_mhz, peak_gops(machine, l),
		           peak_gops(machine, l) / dram_gb_s(machine), energy_static_mw(machine, l));
	}
	if (machine->target == MACHINE_SYSTOLIC) {
		words_line(words, "memory: %.6g GB/s", dram_gb_s(machine));
		return;
	}
	words_line(words, "SRAM port of a PE: %" PRIu32 " bytes in %" PRIu32 " PE clock%s, %.6g GB/s at %s",
	           machine->pe_sram_port_byte, machine->pe_sram_access_clk, machine->pe_sram_access_clk == 1 ? "" : "s",
	           machine->pe_sram_port_byte * machine->level[0].clk_mhz * GB_PER_S_OF_BYTE_MHZ /
	               machine->pe_sram_access_clk,
	           machine->level[0].name);
	words_line(words,
	           "NoC: a router passes %" PRIu32 " packets of %" PRIu32
	           " bytes a clock of %.6g MHz, %.6g GB/s; %" PRIu32 " clocks from router to router",
	           machine->noc_router_packet, machine->noc_packet_byte, machine->noc_clk_mhz,
	           machine->noc_router_packet * machine->noc_packet_byte * machine->noc_clk_mhz * GB_PER_S_OF_BYTE_MHZ,
	           machine->noc_hop_clk);
	words_line(words,
	           "DRAM: %" PRIu32 " interfaces, each %" PRIu32 " bytes in %" PRIu32
	           " clocks of %.6g MHz: %.6g GB/s in all",
	           machine->dram_n, machine->dram_access_byte, machine->dram_access_clk, machine->dram_clk_mhz,
	           dram_gb_s(machine));
}

/* "chip.n_dram 4 interfaces (DRAM interfaces of the machine)" for each that the file does not give. */
static void explain_defaults(struct words *words, const struct machine *machine, const struct machine_sources *sources)
{
	size_t n = 0, n_given = 0;
	words_section(words, "Defaults in force: what the file does not give");
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		char value[64];
		if (!machine_param_serves(param, machine->target))
			continue;
		n_given += sources->given[i];
		if (sources->given[i])
			continue;
		n++;
		(void)machine_print_param(machine, param, value, sizeof(value));
		bool has_unit = param->type == PARAM_U32 || param->type == PARAM_REAL;
		words_line(words, "%s: %s%s%s (%s)", param->key, value[0] ? value : "none", has_unit ? " " : "",
		           has_unit ? param->unit : "", param->help);
	}
	words_line(words,
	           "%zu parameters are given, %zu are defaults; each with range and source: "
	           "spaces/machines/README.md",
	           n_given, n);
}

/* Coefficients of one confidence, those alike at all levels once. */
static size_t explain_confidence(struct words *words, const struct machine *machine,
                                 const struct machine_sources *sources, enum confidence confidence)
{
	struct coefficient coefficient, before = {0};
	uint32_t levels = (UINT32_C(1) << machine->n_level) - 1;
	size_t n = 0;
	for (size_t i = 0; coefficient_at(machine, sources, levels, DETAIL_GREYBOX, i, &coefficient); i++) {
		if (coefficient.provenance.confidence != confidence)
			continue;
		bool of_level = coefficient.level != UINT32_MAX;
		bool is_same = n > 0 && strcmp(before.key, coefficient.key) == 0 && before.value == coefficient.value &&
		               strcmp(before.provenance.source, coefficient.provenance.source) == 0;
		before = coefficient;
		n++;
		char interval[64] = "";
		if (coefficient.most > coefficient.least)
			(void)snprintf(interval, sizeof(interval), ", %.6g to %.6g", coefficient.least,
			               coefficient.most);
		if (!is_same)
			words_line(words, "%s: %s%s%s %.6g%s%s%s (%s)", confidence_name[confidence],
			           of_level ? machine->level[coefficient.level].name : "", of_level ? "." : "",
			           coefficient.key, coefficient.value, strcmp(coefficient.unit, "1") != 0 ? " " : "",
			           strcmp(coefficient.unit, "1") != 0 ? coefficient.unit : "", interval,
			           coefficient.provenance.source);
	}
	return n;
}

/* Parts that are counted, with their intervals, and which are not; nothing where the machine has no area. */
static void explain_area(struct words *words, const struct machine *machine, const struct machine_sources *sources)
{
	struct area_part part[AREA_N_PART];
	struct words_text away = {0};
	double least = 0, most = 0;
	if (!(machine_area_um2(machine) > 0))
		return;
	area_parts(machine, sources, part);
	words_section(words, "Area");
	for (size_t i = 0; i < AREA_N_PART; i++) {
		least += part[i].least_mm2;
		most += part[i].most_mm2;
		if (part[i].mm2 > 0)
			words_line(words, "%s: %s, %.4g mm2, %.4g to %.4g (%s)",
			           confidence_name[part[i].provenance.confidence], part[i].key, part[i].mm2,
			           part[i].least_mm2, part[i].most_mm2, part[i].provenance.source);
		else
			words_add(&away, "%s%s", away.n > 0 ? ", " : "", part[i].key);
	}
	words_line(words, "in all: %.5g mm2, %.4g to %.4g within all intervals%s%s",
	           machine_area_um2(machine) * MM2_PER_UM2, least, most, away.n > 0 ? "; not counted: " : "",
	           away.n > 0 ? away.text : "");
}

void machine_explain(struct words *words, const struct machine *machine, const struct machine_sources *sources,
                     const char *path)
{
	size_t n[N_CONFIDENCE];
	struct words_text sum = {0};
	assert(words && machine && machine->n_level > 0 && sources && path);
	words_section(words, "Machine");
	words_line(words, "%s (%s), target %s", machine->name, path, machine_target_name[machine->target]);
	explain_array(words, machine);
	explain_rates(words, machine);
	explain_defaults(words, machine, sources);
	explain_area(words, machine, sources);
	words_section(words, "How far its energies and grey-box clocks are known");
	for (int i = N_CONFIDENCE - 1; i >= 0; i--)
		n[i] = explain_confidence(words, machine, sources, (enum confidence)i);
	for (int i = N_CONFIDENCE - 1; i >= 0; i--)
		if (n[i] > 0)
			words_add(&sum, "%s%zu %s", sum.n > 0 ? ", " : "", n[i], confidence_name[i]);
	words_line(words, "in all: %s, counted at each level", sum.text);
}
