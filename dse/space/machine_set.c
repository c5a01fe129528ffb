/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/machine_set.h"
#include "sim/base/unit.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Two values of one parameter would leave the reader to guess which one counts. */
static bool is_known(const struct machine_set *set, const struct machine_param *param)
{
	for (size_t i = 0; i < set->n; i++)
		if (set->setting[i].param == param)
			return true;
	return false;
}

/* ---- operating points ---- */

bool machine_set_is_level(const char *key)
{
	return strncmp(key, MACHINE_LEVEL_PREFIX, strlen(MACHINE_LEVEL_PREFIX)) == 0;
}

/* The field that a key names, and where its point's name is; NULL and a message. */
static const struct level_param *find_field(const char *key, const char **name, size_t *n_name, struct err *err)
{
	const char *field[32], *dot = strrchr(key, '.');
	assert(machine_set_is_level(key) && machine_n_level_param <= sizeof(field) / sizeof(field[0]));
	*name = key + strlen(MACHINE_LEVEL_PREFIX);
	if (dot <= *name) {
		(void)err_add(err, ERR_INPUT, "found '%.60s', allowed is levels.NAME.FIELD, e.g. levels.PL1.clk_mhz",
		              key);
		return NULL;
	}
	*n_name = (size_t)(dot - *name);
	for (size_t i = 0; i < machine_n_level_param; i++) {
		field[i] = level_param[i].key;
		if (strcmp(field[i], dot + 1) == 0)
			return &level_param[i];
	}
	const char *nearest = err_nearest(dot + 1, field, machine_n_level_param);
	(void)err_add(err, ERR_INPUT, "found '%.60s', and operating points have no field '%.40s'%s%s%s", key, dot + 1,
	              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return NULL;
}

static bool read_field(const char *key, const struct level_param *param, const char *text, double *value,
                       struct err *err)
{
	char unit[UNIT_TEXT_SIZE];
	if (unit_read(text, param->unit, value) && *value >= param->min && *value <= param->max)
		return true;
	unit_describe(param->unit, unit);
	(void)err_add(err, ERR_INPUT, "%s: found '%.40s', allowed %.10g..%.10g (%s)", key, text, param->min, param->max,
	              unit);
	return false;
}

static struct operating_point *find_level(struct machine *machine, const char *name, size_t n_name)
{
	for (uint32_t i = 0; i < machine->n_level; i++)
		if (strlen(machine->level[i].name) == n_name && strncmp(machine->level[i].name, name, n_name) == 0)
			return &machine->level[i];
	return NULL;
}

bool machine_set_has_level(const struct machine *machine, const char *key)
{
	struct machine copy = *machine;
	const char *name = key + strlen(MACHINE_LEVEL_PREFIX), *dot = strrchr(key, '.');
	return dot > name && find_level(&copy, name, (size_t)(dot - name)) != NULL;
}

enum err_code machine_set_level(struct machine *machine, const char *key, const char *text, struct err *err)
{
	const char *name;
	size_t n_name, n = 0;
	double value;
	char list[MACHINE_MAX_LEVEL * (LEVEL_NAME_SIZE + 2)] = "";
	const struct level_param *param = find_field(key, &name, &n_name, err);
	if (!param || !read_field(key, param, text, &value, err))
		return ERR_INPUT;
	struct operating_point *level = find_level(machine, name, n_name);
	for (uint32_t i = 0; !level && i < machine->n_level; i++)
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", machine->level[i].name);
	if (!level)
		return err_add(err, ERR_INPUT, "%.60s: found '%.*s', machine %s has %s", key, (int)n_name, name,
		               machine->name, list);
	*(double *)(void *)((char *)level + param->offset) = value;
	return ERR_OK;
}

void machine_set_print_level(const struct machine *machine, const char *key, char text[48])
{
	struct machine copy = *machine;
	const char *name;
	size_t n_name;
	const struct level_param *param = find_field(key, &name, &n_name, NULL);
	const struct operating_point *level = param ? find_level(&copy, name, n_name) : NULL;
	assert(level);
	(void)snprintf(text, 48, "%.12g", *(const double *)(const void *)((const char *)level + param->offset));
}

/* What a word says of a field, whatever machines have. */
static enum err_code parse_level(const char *what, const char *key, const char *value, struct machine_set *set,
                                 struct err *err)
{
	struct err found = {0};
	const char *name;
	size_t n_name;
	double number;
	const struct level_param *param = find_field(key, &name, &n_name, &found);
	if (!param || !read_field(key, param, value, &number, &found)) {
		(void)err_add(err, ERR_USAGE, "%s: %.*s", what, (int)strcspn(err_text(&found), "\n"), err_text(&found));
		err_clear(&found);
		return ERR_USAGE;
	}
	if (set->n_level == MACHINE_SET_MAX)
		return err_add(err, ERR_USAGE, "%s is given more than %d times", what, MACHINE_SET_MAX);
	size_t at = set->n_level;
	for (; at > 0 && strcmp(set->level[at - 1].key, key) > 0; at--)
		set->level[at] = set->level[at - 1];
	struct machine_level_setting *setting = &set->level[at];
	set->n_level++;
	(void)snprintf(setting->key, sizeof(setting->key), "%s", key);
	(void)snprintf(setting->text, sizeof(setting->text), "%.12g", number);
	if (at > 0 && strcmp(set->level[at - 1].key, key) == 0)
		return err_add(err, ERR_USAGE, "%s: %s is given twice, allowed once", what, key);
	return ERR_OK;
}

/* ---- words ---- */

static enum err_code parse_one(const char *what, const char *text, struct machine_set *set, struct err *err)
{
	struct machine scratch;
	struct err found = {0};
	char key[MACHINE_LEVEL_KEY_SIZE];
	const char *equals = strchr(text, '=');
	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(key))
		return err_add(err, ERR_USAGE,
		               "%s is '%.60s', allowed is KEY=VALUE with a machine parameter, e.g. mla.array=32x4",
		               what, text);
	(void)snprintf(key, sizeof(key), "%.*s", (int)(equals - text), text);
	if (machine_set_is_level(key))
		return parse_level(what, key, equals + 1, set, err);
	const struct machine_param *param = machine_find_param(key);
	if (!param) {
		const char *nearest = machine_nearest_param(key);
		return err_add(err, ERR_USAGE, "%s: found '%s', allowed the key of a machine parameter%s%s%s", what,
		               key, nearest ? "; did you mean '" : " (spaces/machines/README.md lists them)",
		               nearest ? nearest : "", nearest ? "'?" : "");
	}
	if (is_known(set, param))
		return err_add(err, ERR_USAGE, "%s: %s is given twice, allowed once", what, key);
	if (set->n == MACHINE_SET_MAX)
		return err_add(err, ERR_USAGE, "%s is given more than %d times", what, MACHINE_SET_MAX);
	machine_init(&scratch, MACHINE_CHIP);
	if (machine_set_param(&scratch, param, equals + 1, &found) != ERR_OK) {
		(void)err_add(err, ERR_USAGE, "%s %.*s", what, (int)strcspn(err_text(&found), "\n"), err_text(&found));
		err_clear(&found);
		return ERR_USAGE;
	}
	/* in the table's order, so that the same question in another order is the same */
	size_t at = set->n++;
	for (; at > 0 && set->setting[at - 1].param > param; at--)
		set->setting[at] = set->setting[at - 1];
	struct machine_setting *setting = &set->setting[at];
	setting->param = param;
	(void)machine_print_param(&scratch, param, setting->text, sizeof(setting->text));
	return ERR_OK;
}

enum err_code machine_set_parse(const char *what, const char *const *text, size_t n, struct machine_set *set,
                                struct err *err)
{
	enum err_code code = ERR_OK;
	assert(what && (text || n == 0) && set);
	*set = (struct machine_set){0};
	for (size_t i = 0; i < n; i++)
		if (parse_one(what, text[i], set, err) != ERR_OK)
			code = ERR_USAGE;
	return code;
}

static void note_level(const struct machine_level_setting *setting, struct machine *machine,
                       struct machine_sources *sources)
{
	const char *name;
	size_t n_name;
	const struct level_param *param = find_field(setting->key, &name, &n_name, NULL);
	const struct operating_point *level = param ? find_level(machine, name, n_name) : NULL;
	if (level)
		sources->level[level - machine->level][param - level_param] = (struct provenance){
		    .confidence = CONFIDENCE_ASSUMED, .source = "given by --set", .is_of_level = true};
}

enum err_code machine_set_apply(const char *what, const struct machine_set *set, struct machine *machine,
                                struct machine_sources *sources, struct err *err)
{
	struct machine changed = *machine;
	struct err found = {0};
	assert(what && set && machine);
	for (size_t i = 0; i < set->n; i++) {
		const struct machine_param *param = set->setting[i].param;
		if (!machine_param_serves(param, machine->target))
			(void)err_add(&found, ERR_USAGE, "%s, which machine %s with target: %s does not have",
			              param->key, machine->name, machine_target_name[machine->target]);
		else
			(void)machine_set_param(&changed, param, set->setting[i].text, &found);
	}
	for (size_t i = 0; i < set->n_level; i++)
		(void)machine_set_level(&changed, set->level[i].key, set->level[i].text, &found);
	if (set->n + set->n_level > 0 && found.n_message == 0)
		(void)machine_check(&changed, &found);
	if (found.n_message > 0) {
		for (const char *line = err_text(&found); *line; line += strcspn(line, "\n") + 1)
			(void)err_add(err, ERR_USAGE, "%s: %.*s", what, (int)strcspn(line, "\n"), line);
		err_clear(&found);
		return ERR_USAGE;
	}
	*machine = changed;
	for (size_t i = 0; sources && i < set->n; i++) {
		sources->param[set->setting[i].param - machine_param] =
		    (struct provenance){.confidence = CONFIDENCE_ASSUMED, .source = "given by --set"};
		sources->given[set->setting[i].param - machine_param] = true;
	}
	for (size_t i = 0; sources && i < set->n_level; i++)
		note_level(&set->level[i], machine, sources);
	return ERR_OK;
}

void machine_set_name(const struct machine_setting *setting, char name[MACHINE_SET_NAME_SIZE])
{
	(void)snprintf(name, MACHINE_SET_NAME_SIZE, MACHINE_SET_PREFIX "%s=%s", setting->param->key, setting->text);
}

void machine_set_level_name(const struct machine_level_setting *setting, char name[MACHINE_SET_NAME_SIZE])
{
	(void)snprintf(name, MACHINE_SET_NAME_SIZE, MACHINE_SET_PREFIX "%s=%s", setting->key, setting->text);
}

const char *machine_set_in_name(const char *name)
{
	size_t n = strlen(MACHINE_SET_PREFIX);
	return strncmp(name, MACHINE_SET_PREFIX, n) == 0 ? name + n : NULL;
}
