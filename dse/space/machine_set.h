/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MACHINE_SET_H
#define DSE_MACHINE_SET_H
/*
 * --set KEY=VALUE: machine parameters, and fields of operating points (levels.PL1.clk_mhz), that a command line gives
 * in place of a machine file's values.
 *
 *   texts ─► machine_set_parse ─► struct machine_set ─► machine_set_apply, to a machine that has been read
 *                                                   └─► space_given, which fixes them in every machine of a space
 *
 * A space notes each one as an input of its own, named "--set KEY=VALUE", so that hashes of a run tell it, and whoever
 * reads a run's inputs again (dse/run/run_space.h) finds it there.
 */
#include "dse/space/provenance.h"
#include "sim/machine/machine_param.h"

#define MACHINE_SET_MAX 32
#define MACHINE_SET_PREFIX "--set "

/* A parameter and its value as machine_print_param has it. */
struct machine_setting {
	const struct machine_param *param;
	char text[48];
};

/* A field of an operating point, "levels.PL1.clk_mhz", and its value in the field's unit. */
#define MACHINE_LEVEL_PREFIX "levels."
#define MACHINE_LEVEL_KEY_SIZE 96
struct machine_level_setting {
	char key[MACHINE_LEVEL_KEY_SIZE], text[48];
};

struct machine_set {
	size_t n, n_level;
	struct machine_setting setting[MACHINE_SET_MAX];     /* [n] in the order of machine_param */
	struct machine_level_setting level[MACHINE_SET_MAX]; /* [n_level] by key */
};

/*
 * Read n texts "KEY=VALUE", KEY a machine parameter's or "levels.NAME.FIELD". ERR_USAGE with a message for each
 * mistake: what was found, what is allowed, the nearest key. what begins the messages, "dse explore: --set".
 */
enum err_code machine_set_parse(const char *what, const char *const *text, size_t n, struct machine_set *set,
                                struct err *err);

/*
 * Set them in a machine, and in sources (may be NULL) that the command line gave them. ERR_USAGE where machines of its
 * target have no such parameter, or where the values do not go together with its others; machine and sources are
 * untouched then.
 */
enum err_code machine_set_apply(const char *what, const struct machine_set *set, struct machine *machine,
                                struct machine_sources *sources, struct err *err);

/* Whether a key is one of an operating point; and whether a machine has that point. */
bool machine_set_is_level(const char *key);
bool machine_set_has_level(const struct machine *machine, const char *key);

/*
 * Set a field of an operating point. ERR_INPUT with the machine's points, the nearest field, or what is allowed;
 * machine_check is the caller's.
 */
enum err_code machine_set_level(struct machine *machine, const char *key, const char *text, struct err *err);

/* The field's value as text, "320"; the machine has the point. */
void machine_set_print_level(const struct machine *machine, const char *key, char text[48]);

/* "--set KEY=VALUE", the name of the input. */
#define MACHINE_SET_NAME_SIZE 192
void machine_set_level_name(const struct machine_level_setting *setting, char name[MACHINE_SET_NAME_SIZE]);
void machine_set_name(const struct machine_setting *setting, char name[MACHINE_SET_NAME_SIZE]);

/* "KEY=VALUE" in such a name; NULL: it is another file's. */
const char *machine_set_in_name(const char *name);

#endif
