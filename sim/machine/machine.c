/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/machine/machine.h"
#include "sim/machine/sim.h"
#include "sim/systolic/systolic_work.h"
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const machine_target_name[N_MACHINE_TARGET] = {
    [MACHINE_QPE] = "qpe",
    [MACHINE_CHIP] = "chip",
    [MACHINE_SYSTOLIC] = "systolic",
};

/* Places of a parameter's value inside the machine; the offsets come from the table. */
static uint32_t *u32_of(struct machine *machine, size_t offset)
{
	assert(offset + sizeof(uint32_t) <= sizeof(*machine));
	return (uint32_t *)(void *)((char *)machine + offset);
}

static double *real_of(struct machine *machine, size_t offset)
{
	assert(offset + sizeof(double) <= sizeof(*machine));
	return (double *)(void *)((char *)machine + offset);
}

static bool *bool_of(struct machine *machine, size_t offset)
{
	assert(offset + sizeof(bool) <= sizeof(*machine));
	return (bool *)(void *)((char *)machine + offset);
}

static const void *value_of(const struct machine *machine, size_t offset)
{
	assert(offset < sizeof(*machine));
	return (const char *)machine + offset;
}

/* The same for an operating point. */
static double level_value(const struct operating_point *level, const struct level_param *param)
{
	assert(param->offset + sizeof(double) <= sizeof(*level));
	return *(const double *)(const void *)((const char *)level + param->offset);
}

void machine_init(struct machine *machine, enum machine_target target)
{
	assert(machine);
	memset(machine, 0, sizeof(*machine));
	machine->target = target;
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		switch (param->type) {
		case PARAM_U32:
		case PARAM_ENUM:
			*u32_of(machine, param->offset) = (uint32_t)param->initial;
			break;
		case PARAM_REAL:
			*real_of(machine, param->offset) = param->initial;
			break;
		case PARAM_BOOL:
			*bool_of(machine, param->offset) = param->initial > 0;
			break;
		case PARAM_ARRAY: /* below */
			break;
		}
	}
	machine->mla_cols = 16;
	machine->mla_rows = 4;
	machine->systolic.rows = machine->systolic.cols = 64;
	if (target != MACHINE_CHIP) {
		/* The thesis' QPE-DRAM (section 4.3): one QPE at one DRAM interface, nothing to store results in. */
		machine->chip.n_qpe = machine->chip.mesh_w = machine->chip.mesh_h = 1;
		machine->chip.n_storage_qpe = 0;
		machine->dram_n = 1;
	}
}

void machine_init_level(struct operating_point *level)
{
	memset(level, 0, sizeof(*level));
	for (size_t i = 0; i < machine_n_level_param; i++)
		*(double *)(void *)((char *)level + level_param[i].offset) = level_param[i].initial;
}

const struct machine_param *machine_find_param(const char *key)
{
	assert(key);
	for (size_t i = 0; i < machine_n_param; i++) {
		if (strcmp(machine_param[i].key, key) == 0)
			return &machine_param[i];
	}
	return NULL;
}

/* A whole number in decimal digits and nothing else; *end is what follows. strtoull would take signs and blanks. */
static bool parse_u32(const char *text, uint32_t *value, const char **end)
{
	uint64_t sum = 0;
	const char *c = text;
	for (; *c >= '0' && *c <= '9'; c++) {
		sum = 10 * sum + (uint64_t)(*c - '0');
		if (sum > UINT32_MAX)
			return false;
	}
	*end = c;
	*value = (uint32_t)sum;
	return c > text;
}

/* strtod also takes hexadecimal, nan and infinity, which no parameter means. */
static bool parse_real(const char *text, double *value)
{
	if (!strchr("0123456789.+-", text[0]) || text[0] == '\0' || strpbrk(text, "xXnN"))
		return false;
	char *end;
	errno = 0;
	*value = strtod(text, &end);
	return *end == '\0' && end > text && isfinite(*value);
}

static bool in_range(const struct machine_param *param, double value)
{
	return value >= param->min && value <= param->max;
}

/*
 * Setters by type. Each leaves the machine as it was when the text is wrong, and
 * the message says what is allowed with the unit, for the reader to place.
 */
static enum err_code set_array(struct machine *machine, const struct machine_param *param, const char *text,
                               struct err *err)
{
	uint32_t first, second;
	const char *end;
	if (!parse_u32(text, &first, &end) || *end != 'x' || !parse_u32(end + 1, &second, &end) || *end != '\0' ||
	    !in_range(param, first) || !in_range(param, second))
		return err_add(err, ERR_INPUT, "%s: found '%s', allowed %s, each %.10g..%.10g, e.g. 16x4", param->key,
		               text, param->unit, param->min, param->max);
	uint32_t *value = u32_of(machine, param->offset);
	value[0] = first;
	value[1] = second;
	return ERR_OK;
}

static enum err_code set_bool(struct machine *machine, const struct machine_param *param, const char *text,
                              struct err *err)
{
	bool yes = strcmp(text, "true") == 0;
	if (!yes && strcmp(text, "false") != 0)
		return err_add(err, ERR_INPUT, "%s: found '%s', allowed true or false", param->key, text);
	*bool_of(machine, param->offset) = yes;
	return ERR_OK;
}

static enum err_code set_enum(struct machine *machine, const struct machine_param *param, const char *text,
                              struct err *err)
{
	const char *name = param->unit;
	size_t n_text = strlen(text);
	for (uint32_t i = 0;; i++) {
		size_t n = strcspn(name, "/");
		if (n == n_text && memcmp(name, text, n) == 0) {
			*u32_of(machine, param->offset) = i;
			return ERR_OK;
		}
		if (name[n] == '\0')
			return err_add(err, ERR_INPUT, "%s: found '%s', allowed one of %s", param->key, text,
			               param->unit);
		name += n + 1;
	}
}

static enum err_code set_u32(struct machine *machine, const struct machine_param *param, const char *text,
                             struct err *err)
{
	uint32_t value;
	const char *end;
	if (!parse_u32(text, &value, &end) || *end != '\0' || !in_range(param, value))
		return err_add(err, ERR_INPUT, "%s: found '%s', allowed a whole number %.10g..%.10g (%s)", param->key,
		               text, param->min, param->max, param->unit);
	*u32_of(machine, param->offset) = value;
	return ERR_OK;
}

static enum err_code set_real(struct machine *machine, const struct machine_param *param, const char *text,
                              struct err *err)
{
	double value;
	if (!parse_real(text, &value) || !in_range(param, value))
		return err_add(err, ERR_INPUT, "%s: found '%s', allowed a number %.10g..%.10g (%s)", param->key, text,
		               param->min, param->max, param->unit);
	*real_of(machine, param->offset) = value;
	return ERR_OK;
}

enum err_code machine_set_param(struct machine *machine, const struct machine_param *param, const char *text,
                                struct err *err)
{
	assert(machine && param && text);
	switch (param->type) {
	case PARAM_U32:
		return set_u32(machine, param, text, err);
	case PARAM_REAL:
		return set_real(machine, param, text, err);
	case PARAM_BOOL:
		return set_bool(machine, param, text, err);
	case PARAM_ARRAY:
		return set_array(machine, param, text, err);
	case PARAM_ENUM:
		return set_enum(machine, param, text, err);
	}
	assert(false && "a parameter type without a setter");
	return ERR_INTERNAL;
}

double machine_get_param(const struct machine *machine, const struct machine_param *param)
{
	assert(machine && param);
	const void *value = value_of(machine, param->offset);
	switch (param->type) {
	case PARAM_U32:
	case PARAM_ENUM:
		return *(const uint32_t *)value;
	case PARAM_REAL:
		return *(const double *)value;
	case PARAM_BOOL:
		return *(const bool *)value ? 1 : 0;
	case PARAM_ARRAY:
		return (double)((const uint32_t *)value)[0] * ((const uint32_t *)value)[1];
	}
	assert(false && "a parameter type without a value");
	return NAN;
}

/* A PARAM_ENUM's name; its place as a number where it has none. */
static int print_name(const struct machine_param *param, uint32_t place, char *text, size_t n_byte)
{
	const char *name = param->unit;
	for (uint32_t i = 0; i < place && *name; i++) {
		size_t n = strcspn(name, "/");
		name += n + (name[n] == '/');
	}
	if (!*name)
		return snprintf(text, n_byte, "%u", place);
	return snprintf(text, n_byte, "%.*s", (int)strcspn(name, "/"), name);
}

int machine_print_param(const struct machine *machine, const struct machine_param *param, char *text, size_t n_byte)
{
	assert(machine && param);
	assert(text || n_byte == 0);
	double value = machine_get_param(machine, param);
	const uint32_t *pair = value_of(machine, param->offset);
	switch (param->type) {
	case PARAM_ARRAY:
		return snprintf(text, n_byte, "%ux%u", pair[0], pair[1]);
	case PARAM_ENUM:
		return print_name(param, pair[0], text, n_byte);
	case PARAM_BOOL:
		return snprintf(text, n_byte, "%s", value > 0 ? "true" : "false");
	case PARAM_U32:
		return snprintf(text, n_byte, "%.0f", value);
	case PARAM_REAL:
		break;
	}
	/* Short where that is exact: 0.1, not 0.10000000000000001; what is read back is the same number. */
	char brief[32];
	(void)snprintf(brief, sizeof(brief), "%.15g", value);
	if (strtod(brief, NULL) == value)
		return snprintf(text, n_byte, "%s", brief);
	return snprintf(text, n_byte, "%.17g", value);
}

/* The table again: a machine may also have been made by a program, not by the setters. */
static void check_ranges(const struct machine *machine, struct err *err)
{
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		const uint32_t *pair = value_of(machine, param->offset);
		bool ok = param->type == PARAM_ARRAY ? in_range(param, pair[0]) && in_range(param, pair[1])
		                                     : in_range(param, machine_get_param(machine, param));
		char text[40];
		if (ok)
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
	if (machine->chip.n_qpe != 1)
		err_add(err, ERR_INPUT,
		        "chip.n_qpe: found %u, a machine with 'target: qpe' is one QPE; set it to 1 or use "
		        "'target: chip'",
		        machine->chip.n_qpe);
	if (machine->chip.mesh_w != 1)
		err_add(err, ERR_INPUT, "chip.mesh_w: found %u, a machine with 'target: qpe' has no mesh; set it to 1",
		        machine->chip.mesh_w);
	if (machine->chip.mesh_h != 1)
		err_add(err, ERR_INPUT, "chip.mesh_h: found %u, a machine with 'target: qpe' has no mesh; set it to 1",
		        machine->chip.mesh_h);
	if (machine->dram_n != 1)
		err_add(err, ERR_INPUT, "chip.n_dram: found %u, a machine with 'target: qpe' has one DRAM; set it to 1",
		        machine->dram_n);
	if (machine->chip.n_storage_qpe != 0)
		err_add(err, ERR_INPUT,
		        "chip.n_storage_qpe: found %u, a machine with 'target: qpe' has no storage QPEs; "
		        "set it to 0",
		        machine->chip.n_storage_qpe);
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

uint32_t machine_n_pe(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return machine->systolic.rows * machine->systolic.cols;
	assert(machine->chip.n_qpe == 0 || machine->qpe_n_pe <= UINT32_MAX / machine->chip.n_qpe);
	return machine->chip.n_qpe * machine->qpe_n_pe;
}

uint64_t machine_n_mac(const struct machine *machine)
{
	uint64_t of_pe = machine->target == MACHINE_SYSTOLIC ? 1 : (uint64_t)machine->mla_cols * machine->mla_rows;
	return machine_n_pe(machine) * of_pe;
}

uint64_t machine_sram_byte(const struct machine *machine)
{
	if (machine->target == MACHINE_SYSTOLIC)
		return (uint64_t)machine->systolic.ifmap_byte + machine->systolic.filter_byte +
		       machine->systolic.ofmap_byte;
	return (uint64_t)machine_n_pe(machine) * machine->pe_sram_byte;
}

/* Linear in what is there, as the coefficients are all the user can be asked for; no wiring, no overlap. */
double machine_area_um2(const struct machine *machine)
{
	return (double)machine_n_mac(machine) * machine->area_mac_um2 +
	       (double)machine_sram_byte(machine) * machine->area_sram_byte_um2 +
	       (double)machine_n_pe(machine) * machine->area_pe_um2 + machine->area_chip_um2;
}
