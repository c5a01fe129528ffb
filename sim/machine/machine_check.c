/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of a machine: ranges of parameters, levels, and how a chip or an array fits together. */
#include "sim/machine/machine_check.h"
#include "sim/machine/energy.h"
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_technology.h"
#include <assert.h>
#include <string.h>

/* The same for an operating point. */
static double level_value(const struct operating_point *level, const struct level_param *param)
{
	assert(param->offset + sizeof(double) <= sizeof(*level));
	return *(const double *)(const void *)((const char *)level + param->offset);
}

/* The table again: a machine may also have been made by a program, not by the setters. */
static void check_ranges(const struct machine *machine, struct err *err)
{
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		char text[40];
		if (machine_param_is_in_range(machine, param))
			continue;
		(void)machine_print_param(machine, param, text, sizeof(text));
		err_add(err, ERR_INPUT, "%s: found %s, allowed %.10g..%.10g (%s)", param->key, text, param->min,
		        param->max, param->unit);
	}
}

static void check_level(const struct machine *machine, uint32_t i, struct err *err)
{
	const struct operating_point *level = &machine->level[i];
	if (level->name[0] == '\0')
		err_add(err, ERR_INPUT, "levels: level %u has no name; give it one, e.g. PL1", i + 1);
	for (uint32_t j = 0; j < i; j++) {
		if (strcmp(machine->level[j].name, level->name) == 0 && level->name[0] != '\0')
			err_add(err, ERR_INPUT, "levels: two levels are named '%s'; rename one", level->name);
	}
	for (size_t k = 0; k < machine_n_level_param; k++) {
		const struct level_param *param = &level_param[k];
		double value = level_value(level, param);
		if (!(value >= param->min && value <= param->max))
			err_add(err, ERR_INPUT, "levels: %s of level '%s': found %.10g, allowed %.10g..%.10g (%s)",
			        param->key, level->name, value, param->min, param->max, param->unit);
	}
}

/* Operating points: some, not too many, each in range and with a name of its own. */
static void check_levels(const struct machine *machine, struct err *err)
{
	if (machine->n_level == 0)
		err_add(err, ERR_INPUT,
		        "levels: found none, at least one operating point is needed, e.g. "
		        "{name: nominal, vdd_v: 0.5, clk_mhz: 250}");
	if (machine->n_level > MACHINE_MAX_LEVEL) {
		err_add(err, ERR_INPUT, "levels: found %u, at most %d operating points are allowed; remove some",
		        machine->n_level, MACHINE_MAX_LEVEL);
		return;
	}
	for (uint32_t i = 0; i < machine->n_level; i++)
		check_level(machine, i, err);
}

/* Lanes that are chosen: of levels that there are, at no more voltages than lanes. */
static void check_lanes(const struct machine *machine, struct err *err)
{
	uint32_t n_level = 0;
	while (n_level < machine->n_level && machine->level[n_level].n_share == 0)
		n_level++;
	uint32_t all = (UINT32_C(1) << n_level) - 1;
	if (n_level == 0 || n_level > MACHINE_FILE_LEVEL || machine->dvfs_lanes == 0)
		return;
	if ((machine->dvfs_lanes & ~all) != 0)
		err_add(err, ERR_INPUT, "dvfs.lanes: found %u, allowed 0 to %u: the machine has %u operating points",
		        machine->dvfs_lanes, all, n_level);
	else if (!energy_lanes_suffice(machine, machine->dvfs_lanes))
		err_add(err, ERR_INPUT, "dvfs.lanes: found %u, operating points of more voltages than dvfs.n_lane = %u",
		        machine->dvfs_lanes, machine->dvfs_n_lane);
}

/* One QPE has no mesh, so what describes a chip must say so: hierarchy_derive reads these for both targets. */
static void check_qpe(const struct machine *machine, struct err *err)
{
	const struct mesh_chip *chip = &machine->chip;
	const struct {
		const char *key;
		uint32_t found, wanted;
		const char *why;
	} row[] = {
	    {"chip.n_qpe", chip->n_qpe, 1, "is one QPE; set it to 1 or use 'target: chip'"},
	    {"chip.mesh_w", chip->mesh_w, 1, "has no mesh; set it to 1"},
	    {"chip.mesh_h", chip->mesh_h, 1, "has no mesh; set it to 1"},
	    {"chip.n_dram", machine->dram_n, 1, "has one DRAM; set it to 1"},
	    {"chip.n_storage_qpe", chip->n_storage_qpe, 0, "has no storage QPEs; set it to 0"},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		if (row[i].found != row[i].wanted)
			err_add(err, ERR_INPUT, "%s: found %u, a machine with 'target: qpe' %s", row[i].key,
			        row[i].found, row[i].why);
}

/*
 * A chip's double QPE blocks (thesis section 4.4): one storage QPE each, the
 * computing QPEs of the mesh and the DRAM interfaces dealt evenly among them.
 */
static void check_blocks(const struct machine *machine, struct err *err)
{
	uint64_t n_mesh = (uint64_t)machine->chip.mesh_w * machine->chip.mesh_h;
	uint32_t n_storage = machine->chip.n_storage_qpe, n_dram = machine->dram_n;
	if (n_mesh > machine->chip.n_qpe)
		err_add(err, ERR_INPUT,
		        "chip.mesh_w: chip.mesh_w x chip.mesh_h is %ux%u = %llu QPEs, more than chip.n_qpe = "
		        "%u; shrink the mesh or raise chip.n_qpe",
		        machine->chip.mesh_w, machine->chip.mesh_h, (unsigned long long)n_mesh, machine->chip.n_qpe);
	if (n_storage == 0) {
		err_add(err, ERR_INPUT,
		        "chip.n_storage_qpe: found 0, a machine with 'target: chip' needs at least one storage "
		        "QPE, one a double QPE block; set it to 1 or more, or use 'target: qpe'");
		return;
	}
	if (n_storage >= n_mesh) {
		err_add(err, ERR_INPUT,
		        "chip.n_storage_qpe: found %u, must be less than the %llu QPEs of the mesh "
		        "(chip.mesh_w x chip.mesh_h); lower it",
		        n_storage, (unsigned long long)n_mesh);
		return;
	}
	if ((n_mesh - n_storage) % n_storage != 0)
		err_add(err, ERR_INPUT,
		        "chip.n_storage_qpe: the %llu computing QPEs of the mesh (chip.mesh_w x chip.mesh_h "
		        "less the storage QPEs) cannot be dealt evenly to %u blocks, one a storage QPE; choose a "
		        "divisor of %llu",
		        (unsigned long long)(n_mesh - n_storage), n_storage, (unsigned long long)n_mesh);
	if (n_dram > 0 && n_storage % n_dram != 0 && n_dram % n_storage != 0)
		err_add(err, ERR_INPUT,
		        "chip.n_dram: %u interfaces cannot be dealt evenly to %u blocks, one a storage QPE "
		        "(chip.n_storage_qpe); choose a divisor or a multiple of %u",
		        n_dram, n_storage, n_storage);
	if (n_dram > machine->chip.n_qpe)
		err_add(err, ERR_INPUT,
		        "chip.n_dram: found %u, more than the QPEs they serve (chip.n_qpe = %u); lower it", n_dram,
		        machine->chip.n_qpe);
}

/* Ports and packets carry whole words of the SRAM. */
static void check_words(const struct machine *machine, struct err *err)
{
	static const char *const key[] = {"pe.sram_port_byte", "noc.packet_byte"};
	const uint32_t byte[] = {machine->pe_sram_port_byte, machine->noc_packet_byte};
	for (int i = 0; i < 2; i++) {
		uint32_t below = byte[i] - byte[i] % SRAM_WORD_BYTE;
		if (byte[i] != below)
			err_add(err, ERR_INPUT,
			        "%s: found %u, not a multiple of the %d bytes of an SRAM word; set it to %u or %u",
			        key[i], byte[i], SRAM_WORD_BYTE, below, below + SRAM_WORD_BYTE);
	}
}

/* SCALE-Sim's rules are for what that tool was checked on, and it knows whole words a clock only. */
static void check_scalesim(const struct machine *machine, struct err *err)
{
	if (machine->systolic.dataflow != SYSTOLIC_OS && machine->systolic.dataflow != SYSTOLIC_ANY)
		err_add(
		    err, ERR_INPUT,
		    "systolic.dataflow: the SCALE-Sim of systolic.memory_model keeps outputs in PEs; set it to os, or "
		    "the model to physical");
	if (machine->systolic.word_byte != 1)
		err_add(
		    err, ERR_INPUT,
		    "systolic.word_byte: found %u, the SCALE-Sim of systolic.memory_model has words of one byte; set "
		    "it to 1, or the model to physical",
		    machine->systolic.word_byte);
	for (uint32_t i = 0; i < machine->n_level && i < MACHINE_MAX_LEVEL; i++)
		if (machine->systolic.memory == SYSTOLIC_SCALESIM &&
		    machine->systolic.memory_gb_s * 1e3 < machine->level[i].clk_mhz)
			err_add(
			    err, ERR_INPUT,
			    "systolic.memory_gb_s: found %.10g, at level '%s' that is less than the one word a clock "
			    "that SCALE-Sim needs; set it to %.10g or more",
			    machine->systolic.memory_gb_s, machine->level[i].name, machine->level[i].clk_mhz / 1e3);
}

/* Each half of a buffer takes a word at least. */
static void check_systolic(const struct machine *machine, struct err *err)
{
	static const char *const key[] = {"systolic.ifmap_byte", "systolic.filter_byte", "systolic.ofmap_byte"};
	const uint32_t byte[] = {machine->systolic.ifmap_byte, machine->systolic.filter_byte,
	                         machine->systolic.ofmap_byte};
	for (int i = 0; i < 3; i++)
		if (byte[i] < 2 * machine->systolic.word_byte)
			err_add(err, ERR_INPUT,
			        "%s: found %u, each half of a buffer holds a word of systolic.word_byte = %u at least; "
			        "set it to %u or more",
			        key[i], byte[i], machine->systolic.word_byte, 2 * machine->systolic.word_byte);
	if (machine->systolic.memory != SYSTOLIC_PHYSICAL)
		check_scalesim(machine, err);
}

enum err_code machine_check(const struct machine *machine, struct err *err)
{
	assert(machine);
	struct err found = {0};

	if (machine->name[0] == '\0')
		err_add(&found, ERR_INPUT, "name: found none; give the machine a name");
	check_ranges(machine, &found);
	check_levels(machine, &found);
	check_lanes(machine, &found);
	if (machine->target != MACHINE_SYSTOLIC)
		check_words(machine, &found);
	machine_technology_check(machine, &found);
	if (machine->target == MACHINE_QPE)
		check_qpe(machine, &found);
	else if (machine->target == MACHINE_SYSTOLIC)
		check_systolic(machine, &found);
	else
		check_blocks(machine, &found);

	enum err_code code = err_add_all(err, (struct err_place){0}, &found);
	err_clear(&found);
	return code;
}
