/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine files: `name`, `target`, the parameters of machine_param[] nested as
 * their keys are (`mla: {array: 16x4}` is mla.array), `levels`, a list of
 * operating points with the fields of level_param[], `technology`, what sizes cost
 * (dse/space/technology_read.h), and `sources`, where numbers come from (dse/space/provenance.h). Parameters left out
 * keep their defaults; the name, the target and each level's name, vdd_v and clk_mhz have none.
 */
#include "dse/space/machine_read.h"
#include "sim/machine/machine_param.h"
#include "dse/space/machine_cfg.h"
#include "dse/out/paths.h"
#include "mapper/network/file_kind.h"
#include "sim/base/doc.h"
#include "sim/machine/machine_check.h"
#include "sim/machine/machine_technology.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX_KEY 64

/* Length of a key's group: "mla" of "mla.array". */
static size_t group_length(const char *key)
{
	const char *dot = strchr(key, '.');
	assert(dot);
	return (size_t)(dot - key);
}

static bool same_group(const char *a, const char *b)
{
	size_t n = group_length(a);
	return n == group_length(b) && memcmp(a, b, n) == 0;
}

/* The distinct groups of the table that machines of a target have, in its order, as text in arena. */
static size_t list_groups(enum machine_target target, const char **group, size_t max, struct arena *arena)
{
	size_t n = 0;
	for (size_t i = 0; i < machine_n_param; i++) {
		if (i > 0 && same_group(machine_param[i - 1].key, machine_param[i].key))
			continue;
		if (!machine_param_serves(&machine_param[i], target))
			continue;
		assert(n < max);
		char *text = arena_text(arena, machine_param[i].key);
		if (!text)
			return 0;
		text[group_length(text)] = '\0';
		group[n++] = text;
	}
	return n;
}

/* machine_set_param knows types and ranges; only the place is added here. */
static void read_param(const struct doc_node *node, const struct machine_param *param, struct machine *machine,
                       struct err *err)
{
	struct err part = {0};
	if (node->kind != DOC_SCALAR)
		err_add(&part, ERR_INPUT,
		        "%s: found a %s, allowed one value (%s); values to explore belong under "
		        "'axes' of a space",
		        param->key, node->kind == DOC_LIST ? "list" : "map", param->unit);
	else
		(void)machine_set_param(machine, param, node->text, &part);
	(void)err_move(err, doc_place(node), &part);
}

/* One nested map of parameters, e.g. under `mla:`. */
static void read_group(const struct doc_node *map, const char *group, struct machine *machine, struct err *err)
{
	const char *allowed[64];
	size_t n_allowed = 0, n_group = strlen(group);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		if (group_length(param->key) != n_group || memcmp(param->key, group, n_group) != 0)
			continue;
		assert(n_allowed < sizeof(allowed) / sizeof(allowed[0]));
		const char *name = param->key + n_group + 1;
		allowed[n_allowed++] = name;
		const struct doc_node *value = doc_find(map, name);
		if (value)
			read_param(value, param, machine, err);
	}
	doc_check_keys(map, allowed, n_allowed, err);
}

void machine_read_name(const struct doc_node *node, const char *what, char *name, size_t n_byte, struct err *err)
{
	const char *text;
	if (!doc_get_text(node, what, &text, err))
		return;
	size_t n = strlen(text);
	bool plain = n > 0 && text[0] != '-' &&
	             strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == n;
	if (!plain || n >= n_byte)
		(void)doc_refuse(err, node,
		                 "%s: found '%s', allowed 1 to %zu letters, digits, '_', '-' and '.', no '-' first",
		                 what, doc_quote(text).text, n_byte - 1);
	else
		memcpy(name, text, n + 1);
}

/* Defaults of the table; see the README for which fields must be given all the same. */
static void init_level(struct operating_point *level, unsigned line)
{
	machine_init_level(level);
	/* Stands in for a name whose absence is reported, so that machine_check need not say it again. */
	(void)snprintf(level->name, sizeof(level->name), "?%u", line);
}

static void read_level(const struct doc_node *map, struct operating_point *level, struct err *err)
{
	const char *allowed[32] = {"name"};
	size_t n_allowed = 1;
	init_level(level, map->line);
	for (size_t i = 0; i < machine_n_level_param; i++) {
		const struct level_param *param = &level_param[i];
		assert(n_allowed < sizeof(allowed) / sizeof(allowed[0]));
		allowed[n_allowed++] = param->key;
		double *value = (double *)(void *)((char *)level + param->offset);
		(void)doc_get_quantity(doc_find(map, param->key), param->key, param->unit, param->min, param->max,
		                       value, err);
	}
	doc_check_keys(map, allowed, n_allowed, err);
	if (map->kind != DOC_MAP)
		return;

	const struct doc_node *name = doc_find(map, "name");
	if (name)
		machine_read_name(name, "name of the level", level->name, LEVEL_NAME_SIZE, err);
	static const char *const required[] = {"name", "vdd_v", "clk_mhz"};
	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++) {
		if (!doc_find(map, required[i]))
			(void)doc_refuse(err, map, "a level without '%s', which has no default", required[i]);
	}
}

static void read_levels(const struct doc_node *list, struct machine *machine, struct err *err)
{
	if (list->kind != DOC_LIST) {
		(void)doc_refuse(err, list,
		                 "levels: found %s, allowed a list of operating points, e.g. "
		                 "[{name: PL1, vdd_v: 0.5, clk_mhz: 320}]",
		                 list->kind == DOC_MAP ? "a map" : "one value");
		init_level(&machine->level[0], list->line);
		machine->n_level = 1;
		return;
	}
	for (size_t i = 0; i < list->n; i++) {
		if (i == MACHINE_FILE_LEVEL) {
			(void)doc_refuse(err, list->value[i],
			                 "levels: found %zu operating points, at most %d are allowed", list->n,
			                 MACHINE_FILE_LEVEL);
			return;
		}
		read_level(list->value[i], &machine->level[i], err);
		machine->n_level = (uint32_t)i + 1;
	}
}

/* The machine as the file has it is what sizes are compared with. */
static void read_technology(const struct doc_node *map, const struct doc_node *root, const char *path,
                            const struct table_finder *finder, struct machine *machine, struct machine_sources *sources,
                            struct arena *kept, struct err *err)
{
	uint32_t given[MACHINE_FILE_LEVEL] = {0};
	const struct doc_node *list = doc_find(root, "levels");
	struct err part = {0};
	if (machine->target == MACHINE_SYSTOLIC) {
		(void)doc_refuse(err, map, "technology: found for a systolic array, allowed with target qpe or chip");
		return;
	}
	if (!list || list->kind != DOC_LIST || machine->n_level == 0 || machine->n_level != list->n)
		return; /* said already */
	for (uint32_t i = 0; i < machine->n_level; i++)
		for (uint32_t k = 0; k < N_TECHNOLOGY_FIELD; k++)
			given[i] |= doc_find(list->value[i], technology_field_key[k]) ? UINT32_C(1) << k : 0U;
	if (technology_read(map, root, path, finder, machine, &sources->table, kept, err))
		(void)machine_technology_anchor(machine, given, &part);
	(void)err_move(err, doc_place(map), &part);
}

/* Where the file sets the parameter a message begins with, or where the file begins. */
static struct err_place place_of_message(const struct doc_node *root, const char *line)
{
	char group[MAX_KEY], name[MAX_KEY] = "";
	size_t n_key = strcspn(line, ":");
	if (n_key >= sizeof(group))
		return doc_place(root);
	memcpy(group, line, n_key);
	group[n_key] = '\0';
	char *dot = strchr(group, '.');
	if (dot) {
		*dot = '\0';
		(void)snprintf(name, sizeof(name), "%s", dot + 1);
	}
	const struct doc_node *node = doc_find(root, group);
	const struct doc_node *inner = node && name[0] ? doc_find(node, name) : NULL;
	if (inner)
		return doc_place(inner);
	return doc_place(node ? node : root);
}

/* What the parameters mean together; each message of machine_check begins with the key it is about. */
static void check_whole(const struct doc_node *root, const struct machine *machine, struct err *err)
{
	struct err part = {0};
	(void)machine_check(machine, &part);
	for (const char *line = err_text(&part); *line;) {
		const char *end = strchr(line, '\n');
		assert(end);
		err_add_at(err, ERR_INPUT, place_of_message(root, line), "%.*s", (int)(end - line), line);
		line = end + 1;
	}
	err_clear(&part);
}

/* Which parameters the file gives, right or wrong. */
static void note_given(const struct doc_node *root, struct machine_sources *sources)
{
	for (size_t i = 0; i < machine_n_param; i++) {
		const char *key = machine_param[i].key;
		char group[MAX_KEY];
		(void)snprintf(group, sizeof(group), "%.*s", (int)group_length(key), key);
		const struct doc_node *map = doc_find(root, group);
		sources->given[i] = map && doc_find(map, key + group_length(key) + 1);
	}
}

/*
 * The target comes first: defaults depend on it. Checks of the whole come last
 * and only with a valid target, or they would repeat what is reported already.
 */
static void read_root(const struct doc_node *root, const char *path, const struct table_finder *finder,
                      struct machine *machine, struct machine_sources *sources, struct arena *kept, struct arena *arena,
                      struct err *err)
{
	const char *allowed[32] = {"name", "target", "levels", "sources", "technology"};
	const size_t n_own = 5;
	size_t n_allowed = n_own, target = MACHINE_CHIP;
	const struct doc_node *node = doc_find(root, "target");
	bool known = doc_get_choice(node, "target", machine_target_name, N_MACHINE_TARGET, &target, err);
	machine_init(machine, (enum machine_target)target);
	n_allowed +=
	    list_groups(machine->target, allowed + n_allowed, sizeof(allowed) / sizeof(allowed[0]) - n_allowed, arena);
	doc_check_keys(root, allowed, n_allowed, err);
	if (root->kind != DOC_MAP)
		return;
	if (!node)
		(void)doc_refuse(err, root, "a machine without 'target', allowed qpe, chip, systolic");
	for (size_t i = n_own; i < n_allowed; i++) {
		const struct doc_node *map = doc_find(root, allowed[i]);
		if (map)
			read_group(map, allowed[i], machine, err);
	}
	note_given(root, sources);
	if (known && machine->target == MACHINE_SYSTOLIC && !doc_find(root, "systolic"))
		(void)doc_refuse(
		    err, root,
		    "a systolic array without 'systolic', which says how large it is; 'systolic: {}' is that of "
		    "the defaults");
	if ((node = doc_find(root, "name")) != NULL)
		machine_read_name(node, "name", machine->name, sizeof(machine->name), err);
	else
		(void)doc_refuse(err, root, "a machine without 'name'; give it one");
	if ((node = doc_find(root, "levels")) != NULL)
		read_levels(node, machine, err);
	if ((node = doc_find(root, "technology")) != NULL)
		read_technology(node, root, path, finder, machine, sources, kept, err);
	if ((node = doc_find(root, "sources")) != NULL)
		machine_sources_read(node, machine, sources, kept, err);

	/* Which combinations are right depends on the target; without a valid name its absence is said already. */
	if (machine->name[0] == '\0')
		(void)snprintf(machine->name, sizeof(machine->name), "?");
	if (known)
		check_whole(root, machine, err);
	else if (!doc_find(root, "levels"))
		(void)doc_refuse(err, root, "levels: found none, at least one operating point is needed");
}

/* A .cfg says all of an array. */
static enum err_code read_cfg(const char *path, struct machine *machine, struct machine_sources *sources,
                              struct arena *kept, struct err *err)
{
	if (!machine_sources_init(sources, kept))
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < machine_n_param; i++)
		sources->given[i] = strncmp(machine_param[i].key, "systolic.", strlen("systolic.")) == 0;
	return machine_read_cfg(path, machine, err);
}

enum err_code machine_read_sources(const char *path, struct machine *machine, struct machine_sources *sources,
                                   struct arena *kept, struct err *err)
{
	return machine_read_found(path, &table_finder_disk, machine, sources, kept, err);
}

enum err_code machine_read_found(const char *path, const struct table_finder *finder, struct machine *machine,
                                 struct machine_sources *sources, struct arena *kept, struct err *err)
{
	assert(path && machine && sources && kept);
	if (!file_kind_check(path, NULL, FILE_MACHINE, err))
		return ERR_INPUT;
	if (path_ends_in(path, ".cfg"))
		return read_cfg(path, machine, sources, kept, err);
	struct arena arena = {0};
	struct doc_node *root;
	struct err found = {0};
	struct machine read;
	struct machine_sources said;

	enum err_code code = doc_read_file(path, &arena, &root, &found);
	if (code == ERR_OK && !file_kind_check(path, root, FILE_MACHINE, &found))
		code = ERR_INPUT;
	if (code == ERR_OK && !machine_sources_init(&said, kept))
		code = err_add(&found, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK) {
		read_root(root, path, finder, &read, &said, kept, &arena, &found);
		code = found.code;
	}
	if (code == ERR_OK) {
		*machine = read;
		*sources = said;
	}
	(void)err_move(err, (struct err_place){0}, &found);
	arena_free(&arena);
	return code;
}

enum err_code machine_read(const char *path, struct machine *machine, struct err *err)
{
	struct machine_sources unused;
	struct arena arena = {0};
	enum err_code code = machine_read_sources(path, machine, &unused, &arena, err);
	arena_free(&arena);
	return code;
}
