/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a machine's parameters: defaults, text to value, value to text. */
#include "sim/machine/machine_param.h"
#include "sim/machine/machine_technology.h"
#include "sim/base/text.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places of a parameter's value inside the machine; the offsets come from the table. */
static void *value_in(struct machine *machine, const struct machine_param *param)
{
	assert(param->offset < sizeof(*machine));
	return (char *)machine + param->offset;
}

static const void *value_of(const struct machine *machine, const struct machine_param *param)
{
	assert(param->offset < sizeof(*machine));
	return (const char *)machine + param->offset;
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
			*(uint32_t *)value_in(machine, param) = (uint32_t)param->initial;
			break;
		case PARAM_REAL:
			*(double *)value_in(machine, param) = param->initial;
			break;
		case PARAM_BOOL:
			*(bool *)value_in(machine, param) = param->initial > 0;
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
	uint32_t *value = value_in(machine, param);
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
	*(bool *)value_in(machine, param) = yes;
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
			*(uint32_t *)value_in(machine, param) = i;
			return ERR_OK;
		}
		if (name[n] == '\0')
			return err_add(err, ERR_INPUT, "%s: found '%s', allowed one of %s", param->key, text,
			               param->unit);
		name += n + 1;
	}
}

/* Plain digits, or a number with a unit that comes to a whole one: 64KiB, 1.5KB. */
static bool read_u32(const char *text, const char *unit, uint32_t *value)
{
	const char *end;
	double read;
	if (parse_u32(text, value, &end) && *end == '\0')
		return true;
	if (text_is_decimal(text) || !unit_read(text, unit, &read) || !(read >= 0) || read > UINT32_MAX ||
	    read > floor(read))
		return false;
	*value = (uint32_t)read;
	return true;
}

static enum err_code set_u32(struct machine *machine, const struct machine_param *param, const char *text,
                             struct err *err)
{
	uint32_t value;
	char unit[UNIT_TEXT_SIZE];
	if (!read_u32(text, param->unit, &value) || !in_range(param, value)) {
		unit_describe(param->unit, unit);
		return err_add(err, ERR_INPUT, "%s: found '%s', allowed a whole number %.10g..%.10g (%s)", param->key,
		               text, param->min, param->max, unit);
	}
	*(uint32_t *)value_in(machine, param) = value;
	return ERR_OK;
}

static enum err_code set_real(struct machine *machine, const struct machine_param *param, const char *text,
                              struct err *err)
{
	double value;
	char unit[UNIT_TEXT_SIZE];
	if (!unit_read(text, param->unit, &value) || !in_range(param, value)) {
		unit_describe(param->unit, unit);
		return err_add(err, ERR_INPUT, "%s: found '%s', allowed a number %.10g..%.10g (%s)", param->key, text,
		               param->min, param->max, unit);
	}
	*(double *)value_in(machine, param) = value;
	return ERR_OK;
}

static enum err_code set_value(struct machine *machine, const struct machine_param *param, const char *text,
                               struct err *err)
{
	machine->has_octopus |= strncmp(param->key, "octopus.", strlen("octopus.")) == 0;
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

/* A value of area.* that is set by hand is no longer the technology's. */
static void note_area(struct machine *machine, const struct machine_param *param)
{
	static const char *const key[] = {"area.mac_um2", "area.sram_byte_um2", "area.pe_um2"};
	for (unsigned i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (strcmp(param->key, key[i]) == 0)
			machine->technology.area_given |= 1U << i;
}

enum err_code machine_set_param(struct machine *machine, const struct machine_param *param, const char *text,
                                struct err *err)
{
	assert(machine && param && text);
	enum err_code code = set_value(machine, param, text, err);
	if (code != ERR_OK)
		return code;
	note_area(machine, param);
	machine_technology_apply(machine);
	return ERR_OK;
}

double machine_get_param(const struct machine *machine, const struct machine_param *param)
{
	assert(machine && param);
	const void *value = value_of(machine, param);
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
	const uint32_t *pair = value_of(machine, param);
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

bool machine_param_is_in_range(const struct machine *machine, const struct machine_param *param)
{
	const uint32_t *pair = value_of(machine, param);
	if (param->type == PARAM_ARRAY)
		return in_range(param, pair[0]) && in_range(param, pair[1]);
	return in_range(param, machine_get_param(machine, param));
}
