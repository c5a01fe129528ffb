/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MACHINE_PARAM_H
#define SIM_MACHINE_PARAM_H
/*
 * Parameters of a machine by name. machine_param[] names each once, with unit, default, range, help and source; the
 * YAML check, the help text, the documents and the axes of a space all come from that table.
 */
#include "sim/base/err.h"
#include "sim/machine/machine.h"
#include <stddef.h>

enum param_type {
	PARAM_U32,
	PARAM_REAL,
	PARAM_BOOL,
	PARAM_ARRAY, /* "16x4" into two u32 */
	PARAM_ENUM   /* a name out of unit, "os/ws/is", into the u32 of its place there */
};

/* One row a parameter; key is also the name of an axis ("pe.sram_byte"). */
struct machine_param {
	const char *key, *unit;
	enum param_type type;
	size_t offset;            /* in struct machine; PARAM_ARRAY: of the first number, the second follows */
	double initial, min, max; /* PARAM_ARRAY: of each of the two; machine_init has the default */
	const char *help, *source;
};
extern const struct machine_param machine_param[];
extern const size_t machine_n_param;

/* The same for the fields of an operating point ("levels:" in a machine file). */
struct level_param {
	const char *key, *unit;
	size_t offset; /* of a double in struct operating_point */
	double initial, min, max;
	const char *help, *source;
};
extern const struct level_param level_param[];
extern const size_t machine_n_level_param;

/* A machine with every parameter at its default, no level, the given target and an empty name. */
void machine_init(struct machine *machine, enum machine_target target);

/* An operating point with the defaults of level_param[], and no name. */
void machine_init_level(struct operating_point *level);

/* The row with this key, or NULL. */
const struct machine_param *machine_find_param(const char *key);

/* The key that is nearest to what was written instead, or NULL. */
const char *machine_nearest_param(const char *key);

/* Whether machines of a target have the parameter: an MLA is no part of a systolic array. */
bool machine_param_serves(const struct machine_param *param, enum machine_target target);

/*
 * Set one parameter from its text ("16x4", "98304", "64KiB", "true"): a number may have a unit that converts to the
 * row's (sim/base/unit.h). ERR_INPUT with what is allowed when it is not a value of the parameter's type and range.
 */
enum err_code machine_set_param(struct machine *machine, const struct machine_param *param, const char *text,
                                struct err *err);

/* A parameter's value as a number: an array counts as its MAC units, a boolean as 0 or 1, a name as its place. */
double machine_get_param(const struct machine *machine, const struct machine_param *param);

/* Whether a parameter's value is in its row's range, however it was set; of an array both of its numbers. */
bool machine_param_is_in_range(const struct machine *machine, const struct machine_param *param);

/* Write a parameter's value as text ("16x4"); returns what snprintf returns. */
int machine_print_param(const struct machine *machine, const struct machine_param *param, char *text, size_t n_byte);

#endif
