/* SPDX-License-Identifier: Apache-2.0 */
/* From a technology and sizes to coefficients of energy, leakage and area. */
#include "sim/machine/machine_technology.h"
#include "sim/base/real.h"
#include "sim/machine/energy.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *const technology_field_key[N_TECHNOLOGY_FIELD] = {"mla_clk_pj", "sram_read32_pj", "sram_write32_pj",
                                                              "pe_static_mw"};

#define WORD32_BYTE 4

static double n_mac_of_pe(const struct machine *machine)
{
	return (double)machine->mla_cols * machine->mla_rows;
}

static enum err_code sram_of(const struct machine *machine, struct sram_figures *figures, struct err *err)
{
	const struct technology *of = &machine->technology.of;
	return technology_sram(&of->sram, machine_pe_sram_byte(machine), machine->pe_sram_port_byte, of->sram_vdd_v,
	                       figures, err);
}

/* A MAC unit's area does not depend on the voltage. */
static double mac_um2(const struct machine *machine, double accumulator_bit)
{
	return technology_mac(&machine->technology.of, accumulator_bit, machine->level[0].vdd_v).area_um2;
}

/* Area of everything outside the PEs stays the user's. */
static void apply_area(struct machine *machine, const struct sram_figures *sram)
{
	struct machine_technology *technology = &machine->technology;
	if (!(technology->area_given & 1))
		machine->area_mac_um2 = mac_um2(machine, machine->mla_accumulator_bit);
	if (!(technology->area_given & 2))
		machine->area_sram_byte_um2 = sram->area_um2 / machine->pe_sram_byte;
	if (!(technology->area_given & 4))
		machine->area_pe_um2 = technology->of.core.area_um2;
}

/* What the array has of a PE's static power that is not the SRAM's: by the user's table, else by its area. */
static double array_static_mw(const struct machine *machine, double static_mw, double sram_mw)
{
	const struct machine_technology *technology = &machine->technology;
	if (technology->of.has_mac)
		return real_min(technology->n_mac * technology->of.mac.leakage_mw, real_max(0, static_mw - sram_mw));
	double array_um2 = technology->n_mac * mac_um2(machine, technology->accumulator_bit);
	double all_um2 = array_um2 + technology->sram.area_um2 + technology->of.core.area_um2;
	return real_max(0, static_mw - sram_mw) * (array_um2 / all_um2);
}

static void apply_level(struct machine *machine, uint32_t level, const struct sram_figures *sram)
{
	const struct machine_technology *technology = &machine->technology;
	struct operating_point *point = &machine->level[level];
	double by_word = technology->word_byte / machine->pe_sram_port_byte;
	double read = sram->read_pj / technology->sram.read_pj * by_word;
	double write = sram->write_pj / technology->sram.write_pj * by_word;
	double mac = technology_mac(&technology->of, machine->mla_accumulator_bit, point->vdd_v).action_pj /
	             technology_mac(&technology->of, technology->accumulator_bit, point->vdd_v).action_pj;
	double static_mw = technology->level[level].pe_static_mw;
	double sram_mw = real_min(technology->sram.leakage_mw, static_mw);
	double array_mw = array_static_mw(machine, static_mw, sram_mw);
	double sram_frac = sram_mw > 0 ? sram->leakage_mw / technology->sram.leakage_mw : 1;
	double array_frac =
	    n_mac_of_pe(machine) / technology->n_mac *
	    (mac_um2(machine, machine->mla_accumulator_bit) / mac_um2(machine, technology->accumulator_bit));
	point->mla_clk_pj = technology->level[level].mla_clk_pj * mac;
	point->sram_read32_pj = technology->level[level].sram_read32_pj * read;
	point->sram_write32_pj = technology->level[level].sram_write32_pj * write;
	point->pe_static_mw = static_mw + sram_mw * (sram_frac - 1) + array_mw * (array_frac - 1);
	assert(point->pe_static_mw >= 0);
}

/* Each field of a mixed point has the better value of its two points (sim/program/mixed.h). */
static void apply_mixed(struct machine *machine, uint32_t level)
{
	struct operating_point *point = &machine->level[level];
	const struct operating_point *low = &machine->level[point->low], *high = &machine->level[point->high];
	point->mla_clk_pj = real_min(low->mla_clk_pj, high->mla_clk_pj);
	point->sram_read32_pj = real_min(low->sram_read32_pj, high->sram_read32_pj);
	point->sram_write32_pj = real_min(low->sram_write32_pj, high->sram_write32_pj);
	point->pe_static_mw = real_min(low->pe_static_mw, high->pe_static_mw);
}

void machine_technology_apply(struct machine *machine)
{
	struct sram_figures sram;
	if (!(machine->technology.of.node_nm > 0) || sram_of(machine, &sram, NULL) != ERR_OK)
		return;
	for (uint32_t i = 0; i < machine->n_level && !machine->technology.is_area_alone; i++)
		if (machine->level[i].n_share > 0)
			apply_mixed(machine, i);
		else
			apply_level(machine, i, &sram);
	apply_area(machine, &sram);
}

/* What the file does not give is the technology's own: without measured figures of clocks, control and wires. */
static void anchor_level(struct machine *machine, uint32_t level, uint32_t given)
{
	struct machine_technology *technology = &machine->technology;
	const struct operating_point *point = &machine->level[level];
	struct part_figures mac = technology_mac(&technology->of, technology->accumulator_bit, point->vdd_v);
	double word32 = WORD32_BYTE / technology->word_byte;
	double own[N_TECHNOLOGY_FIELD] = {
	    mac.action_pj * MLA_MEASURED_MACS,
	    technology->sram.read_pj * word32,
	    technology->sram.write_pj * word32,
	    technology->sram.leakage_mw + technology->n_mac * mac.leakage_mw + technology->of.core.leakage_mw,
	};
	technology->level[level].given = given;
	technology->level[level].mla_clk_pj = given >> TECHNOLOGY_MLA & 1 ? point->mla_clk_pj : own[TECHNOLOGY_MLA];
	technology->level[level].sram_read32_pj =
	    given >> TECHNOLOGY_READ & 1 ? point->sram_read32_pj : own[TECHNOLOGY_READ];
	technology->level[level].sram_write32_pj =
	    given >> TECHNOLOGY_WRITE & 1 ? point->sram_write32_pj : own[TECHNOLOGY_WRITE];
	technology->level[level].pe_static_mw =
	    given >> TECHNOLOGY_STATIC & 1 ? point->pe_static_mw : own[TECHNOLOGY_STATIC];
}

enum err_code machine_technology_anchor(struct machine *machine, const uint32_t *given, struct err *err)
{
	struct machine_technology *technology = &machine->technology;
	struct err part = {0};
	assert(technology->of.node_nm > 0 && machine->n_level > 0 && machine->n_level <= MACHINE_FILE_LEVEL);
	machine_technology_check(machine, &part);
	if (part.code != ERR_OK) {
		technology->of.node_nm = 0;
		return err_move(err, (struct err_place){0}, &part);
	}
	(void)sram_of(machine, &technology->sram, NULL);
	technology->sram_byte = machine_pe_sram_byte(machine);
	technology->word_byte = machine->pe_sram_port_byte;
	technology->n_mac = n_mac_of_pe(machine);
	technology->accumulator_bit = machine->mla_accumulator_bit;
	for (uint32_t i = 0; i < machine->n_level; i++)
		anchor_level(machine, i, given[i]);
	machine_technology_apply(machine);
	return ERR_OK;
}

bool machine_technology_is_anchor(const struct machine *machine)
{
	const struct machine_technology *technology = &machine->technology;
	double byte = machine_pe_sram_byte(machine), n_mac = n_mac_of_pe(machine);
	return !(byte < technology->sram_byte) && !(byte > technology->sram_byte) && !(n_mac < technology->n_mac) &&
	       !(n_mac > technology->n_mac) && machine->pe_sram_port_byte == (uint32_t)technology->word_byte &&
	       machine->mla_accumulator_bit == (uint32_t)technology->accumulator_bit;
}

void machine_technology_check(const struct machine *machine, struct err *err)
{
	struct sram_figures unused;
	struct err part = {0};
	if (!(machine->technology.of.node_nm > 0) || sram_of(machine, &unused, &part) == ERR_OK)
		return;
	char why[256];
	(void)snprintf(why, sizeof(why), "%s", err_text(&part));
	why[strcspn(why, "\n")] = '\0';
	err_clear(&part);
	bool is_word = strstr(why, "words") != NULL;
	err_add(err, ERR_INPUT, "%s: %s%s", is_word ? "pe.sram_port_byte" : "pe.sram_byte", why,
	        is_word ? "" : " (pe.sram_byte and pe.program_byte together)");
}

struct machine_area machine_area_of_pe(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC) {
		double n_pe = machine_n_pe(machine);
		return (struct machine_area){machine->area_mac_um2,
		                             (double)machine_sram_byte(machine) / n_pe * machine->area_sram_byte_um2,
		                             machine->area_pe_um2};
	}
	return (struct machine_area){n_mac_of_pe(machine) * machine->area_mac_um2,
	                             machine->pe_sram_byte * machine->area_sram_byte_um2, machine->area_pe_um2};
}
