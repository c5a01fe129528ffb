/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/machine_set.h"
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

static enum err_code parse_one(const char *what, const char *text, struct machine_set *set, struct err *err)
{
	struct machine scratch;
	struct err found = {0};
	char key[64];
	const char *equals = strchr(text, '=');
	if (!equals || equals == text || (size_t)(equals - text) >= sizeof(key))
		return err_add(err, ERR_USAGE,
		               "%s is '%.60s', allowed is KEY=VALUE with a machine parameter, e.g. mla.array=32x4",
		               what, text);
	(void)snprintf(key, sizeof(key), "%.*s", (int)(equals - text), text);
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
	if (set->n > 0 && found.n_message == 0)
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
	return ERR_OK;
}

void machine_set_name(const struct machine_setting *setting, char name[MACHINE_SET_NAME_SIZE])
{
	(void)snprintf(name, MACHINE_SET_NAME_SIZE, MACHINE_SET_PREFIX "%s=%s", setting->param->key, setting->text);
}

const char *machine_set_in_name(const char *name)
{
	size_t n = strlen(MACHINE_SET_PREFIX);
	return strncmp(name, MACHINE_SET_PREFIX, n) == 0 ? name + n : NULL;
}
