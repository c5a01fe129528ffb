/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/run/input_change.h"
#include "dse/run/attribute.h"
#include "dse/base/memory.h"
#include "dse/engine/engine.h"
#include "dse/out/doc_write.h"
#include "dse/out/paths.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SIZE = 48, KEY_SIZE = 160, LIST_SIZE = 256 };

const char *const change_kind_name[N_CHANGE] = {"machine", "network", "space", "search", "tier", "program", "text"};

bool input_change_is_applicable(const struct input_change *change)
{
	return change->kind < N_APPLICABLE_CHANGE;
}

/* What the functions below share. */
struct change_finder {
	struct input_changes *changes;
	const struct space *before, *after;
	enum change_kind kind; /* of the document at hand */
	const char *where;     /* its file */
	size_t input;          /* and number */
	const struct doc_node *root;
	const char *new_key;               /* that a map lacks */
	bool same_machines, same_networks; /* those of both spaces are each other's */
};

static const char *keep_text(struct change_finder *finder, const char *text)
{
	return memory_must(arena_text(&finder->changes->arena, text));
}

/* The next change, of the kind and file at hand. */
static struct input_change *add(struct change_finder *finder, const char *key, const char *before, const char *after)
{
	struct input_changes *changes = finder->changes;
	if (changes->n == changes->n_alloc) {
		changes->n_alloc = changes->n_alloc ? 2 * changes->n_alloc : 16;
		changes->change = memory_resize(changes->change, changes->n_alloc, sizeof(*changes->change));
	}
	struct input_change *change = &changes->change[changes->n++];
	*change = (struct input_change){.kind = finder->kind,
	                                .where = finder->where,
	                                .key = keep_text(finder, key),
	                                .before = keep_text(finder, before),
	                                .after = keep_text(finder, after),
	                                .unit = "",
	                                .help = "",
	                                .added = "",
	                                .removed = "",
	                                .input = finder->input,
	                                .input_after = SIZE_MAX,
	                                .root = finder->root};
	return change;
}

/* ---- machines ---- */

static void add_param(struct change_finder *finder, size_t machine, const struct machine *after,
                      const struct machine_param *param)
{
	char left[VALUE_SIZE], right[VALUE_SIZE];
	(void)machine_print_param(&finder->before->machine[machine], param, left, sizeof(left));
	(void)machine_print_param(after, param, right, sizeof(right));
	if (strcmp(left, right) == 0)
		return;
	struct input_change *change = add(finder, param->key, left, right);
	change->unit = param->type == PARAM_ENUM || param->type == PARAM_BOOL ? "" : param->unit;
	change->help = param->help;
	change->machine = machine;
	change->machine_after = after;
	change->param = param;
}

static bool same_level_names(const struct machine *left, const struct machine *right)
{
	uint32_t n = mixed_n_pure(left);
	bool same = n == mixed_n_pure(right);
	for (uint32_t i = 0; i < n && same; i++)
		same = strcmp(left->level[i].name, right->level[i].name) == 0;
	return same;
}

static void print_levels(const struct machine *machine, char text[VALUE_SIZE])
{
	int n = 0;
	text[0] = '\0';
	for (uint32_t i = 0; i < mixed_n_pure(machine) && n >= 0 && n < VALUE_SIZE; i++)
		n += snprintf(text + n, (size_t)(VALUE_SIZE - n), "%s%s", i ? ", " : "", machine->level[i].name);
}

static double level_value(const struct machine *machine, uint32_t level, const struct level_param *param)
{
	return *(const double *)(const void *)((const char *)&machine->level[level] + param->offset);
}

static void add_levels(struct change_finder *finder, size_t machine, const struct machine *after)
{
	const struct machine *before = &finder->before->machine[machine];
	char left[VALUE_SIZE], right[VALUE_SIZE], key[KEY_SIZE];
	if (!same_level_names(before, after)) {
		print_levels(before, left);
		print_levels(after, right);
		struct input_change *change = add(finder, "levels", left, right);
		change->machine = machine;
		change->machine_after = after;
		return;
	}
	for (uint32_t i = 0; i < mixed_n_pure(before); i++) {
		for (size_t k = 0; k < machine_n_level_param; k++) {
			const struct level_param *param = &level_param[k];
			(void)snprintf(left, sizeof(left), "%.10g", level_value(before, i, param));
			(void)snprintf(right, sizeof(right), "%.10g", level_value(after, i, param));
			if (strcmp(left, right) == 0)
				continue;
			(void)snprintf(key, sizeof(key), "%s.%s", before->level[i].name, param->key);
			struct input_change *change = add(finder, key, left, right);
			change->unit = param->unit;
			change->help = param->help;
			change->machine = machine;
			change->machine_after = after;
			change->level_param = param;
			change->level_value = level_value(after, i, param);
			change->level = i;
		}
	}
}

static void compare_machines(struct change_finder *finder)
{
	finder->kind = CHANGE_MACHINE;
	for (size_t i = 0; i < finder->before->n_machine; i++) {
		size_t other;
		const struct machine *before = &finder->before->machine[i],
				     *after = attribute_find_machine(finder->after, finder->before->machine[i].name,
		                                                     finder->before->n_machine == 1, &other);
		if (!after)
			continue;
		finder->where = finder->after->machine_path[other];
		if (before->target != after->target) {
			struct input_change *change = add(finder, "target", machine_target_name[before->target],
			                                  machine_target_name[after->target]);
			change->machine = i;
			change->machine_after = after;
			continue;
		}
		for (size_t k = 0; k < machine_n_param; k++)
			if (machine_param_serves(&machine_param[k], before->target))
				add_param(finder, i, after, &machine_param[k]);
		add_levels(finder, i, after);
	}
}

/* ---- documents ---- */

/* Texts of left that right lacks, "a, b". */
static void print_lacking(const char *const *left, size_t n_left, const char *const *right, size_t n_right,
                          char text[LIST_SIZE])
{
	int n = 0;
	text[0] = '\0';
	for (size_t i = 0; i < n_left; i++) {
		bool found = false;
		for (size_t k = 0; k < n_right && !found; k++)
			found = strcmp(left[i], right[k]) == 0;
		if (!found && n >= 0 && n < LIST_SIZE)
			n += snprintf(text + n, (size_t)(LIST_SIZE - n), "%s%s", n ? ", " : "", left[i]);
	}
}

static void set_lists(struct change_finder *finder, struct input_change *change, const char *const *left, size_t n_left,
                      const char *const *right, size_t n_right)
{
	char text[LIST_SIZE];
	print_lacking(right, n_right, left, n_left, text);
	change->added = keep_text(finder, text);
	print_lacking(left, n_left, right, n_right, text);
	change->removed = keep_text(finder, text);
}

static const struct space_axis *find_axis(const struct space *space, const char *key)
{
	for (size_t i = 0; i < space->n_axis; i++)
		if (strcmp(space->axis[i].param->key, key) == 0)
			return &space->axis[i];
	return NULL;
}

/* The texts of a list of single values in the arena; NULL: it is none. */
static const char **list_texts(struct change_finder *finder, const struct doc_node *node)
{
	if (!node || node->kind != DOC_LIST)
		return NULL;
	const char **text = memory_must(arena_array(&finder->changes->arena, node->n, sizeof(*text)));
	for (size_t i = 0; i < node->n; i++) {
		if (node->value[i]->kind != DOC_SCALAR)
			return NULL;
		text[i] = node->value[i]->text;
	}
	return text;
}

/* An axis' values as the spaces have them, whatever way they are written; a machine's one value where it is no axis. */
static bool set_axis(struct change_finder *finder, struct input_change *change)
{
	const char *key = change->key + strlen("axes.");
	const struct machine_param *param = machine_find_param(key);
	const struct space_axis *left = find_axis(finder->before, key), *right = find_axis(finder->after, key);
	char text[2][VALUE_SIZE] = {"", ""};
	if (!param || finder->before->n_machine == 0 || finder->after->n_machine == 0)
		return false;
	(void)machine_print_param(&finder->before->machine[0], param, text[0], VALUE_SIZE);
	(void)machine_print_param(&finder->after->machine[0], param, text[1], VALUE_SIZE);
	const char *one[] = {text[0], text[1]};
	set_lists(finder, change, left ? left->value : &one[0], left ? left->n : 1, right ? right->value : &one[1],
	          right ? right->n : 1);
	change->unit = param->type == PARAM_ENUM || param->type == PARAM_BOOL ? "" : param->unit;
	change->help = param->help;
	return true;
}

/* Names of files: who they are is compared by themselves. */
static bool is_reference(const struct change_finder *finder, const char *path, const struct doc_node *left,
                         const struct doc_node *right)
{
	bool are_names = left && right && left->kind == DOC_SCALAR && right->kind == DOC_SCALAR;
	if (finder->kind != CHANGE_SPACE || strstr(path, "weight"))
		return false;
	if (strncmp(path, "machine", 7) == 0)
		return finder->same_machines;
	return are_names && strncmp(path, "network", 7) == 0 && finder->same_networks;
}

static void add_difference(struct change_finder *finder, const char *path, const struct doc_node *parent,
                           const struct doc_node *left, const struct doc_node *right)
{
	char before[VALUE_SIZE], after[VALUE_SIZE];
	if (is_reference(finder, path, left, right))
		return;
	doc_print(left, before, sizeof(before));
	doc_print(right, after, sizeof(after));
	struct input_change *change = add(finder, path, before, after);
	change->parent = parent;
	change->new_key = finder->new_key;
	change->old_node = left;
	change->new_node = right;
	const char *const *texts_left = list_texts(finder, left), *const *texts_right = list_texts(finder, right);
	if (strncmp(path, "axes.", 5) == 0 && set_axis(finder, change))
		return;
	/* a list that is not there is one without items */
	if ((texts_left || !left) && (texts_right || !right))
		set_lists(finder, change, texts_left, left ? left->n : 0, texts_right, right ? right->n : 0);
}

static void compare_nodes(struct change_finder *finder, const char *path, const struct doc_node *parent,
                          const struct doc_node *left, const struct doc_node *right);

/* The value under a key, or under the other way to write it: `machine` and `machines` read alike. */
static const struct doc_node *find_alike(const struct change_finder *finder, const struct doc_node *map,
                                         const char *key)
{
	static const char *const alike[][2] = {{"machine", "machines"}, {"network", "networks"}};
	const struct doc_node *found = doc_find(map, key);
	for (size_t i = 0; i < 2 && !found && finder->kind == CHANGE_SPACE; i++)
		for (size_t k = 0; k < 2; k++)
			if (strcmp(alike[i][k], key) == 0)
				found = doc_find(map, alike[i][1 - k]);
	return found;
}

/* Keys of the first, then those that only the second one has. */
static void compare_maps(struct change_finder *finder, const char *path, const struct doc_node *left,
                         const struct doc_node *right)
{
	char inner[KEY_SIZE];
	for (size_t i = 0; i < left->n; i++) {
		(void)snprintf(inner, sizeof(inner), "%s%s%s", path, path[0] ? "." : "", left->key[i]->text);
		compare_nodes(finder, inner, left, left->value[i], find_alike(finder, right, left->key[i]->text));
	}
	for (size_t i = 0; i < right->n; i++) {
		(void)snprintf(inner, sizeof(inner), "%s%s%s", path, path[0] ? "." : "", right->key[i]->text);
		finder->new_key = right->key[i]->text;
		if (!find_alike(finder, left, right->key[i]->text))
			compare_nodes(finder, inner, left, NULL, right->value[i]);
	}
}

/* What is no matter of designs, or compared elsewhere. */
static bool is_skipped(const struct change_finder *finder, const char *path)
{
	return finder->kind == CHANGE_SPACE &&
	       (strcmp(path, "name") == 0 || strcmp(path, "arada") == 0 || strcmp(path, "objectives") == 0);
}

static void compare_nodes(struct change_finder *finder, const char *path, const struct doc_node *parent,
                          const struct doc_node *left, const struct doc_node *right)
{
	char inner[KEY_SIZE];
	if (doc_equal(left, right) || is_skipped(finder, path))
		return;
	enum change_kind kind = finder->kind;
	if (kind == CHANGE_SPACE && strcmp(path, "search") == 0)
		finder->kind = CHANGE_SEARCH;
	bool is_alike = left && right && left->kind == right->kind, is_axis = strncmp(path, "axes.", 5) == 0;
	if (is_alike && left->kind == DOC_MAP) {
		compare_maps(finder, path, left, right);
	} else if (is_alike && left->kind == DOC_LIST && left->n == right->n && !is_axis) {
		for (size_t i = 0; i < left->n; i++) {
			(void)snprintf(inner, sizeof(inner), "%s.%zu", path, i + 1);
			compare_nodes(finder, inner, NULL, left->value[i], right->value[i]);
		}
	} else {
		add_difference(finder, path, parent, left, right);
	}
	finder->kind = kind;
}

static bool is_document(const char *path)
{
	return !path_ends_in(path, ".csv") && !path_ends_in(path, ".onnx") && !path_ends_in(path, ".cfg");
}

static const struct doc_node *read_document(struct change_finder *finder, const struct run_file *file)
{
	struct doc_node *root = NULL;
	struct err ignored = {0};
	if (is_document(file->name) &&
	    doc_read_text(file->name, file->data, file->n_byte, &finder->changes->arena, &root, &ignored) != ERR_OK)
		root = NULL;
	err_clear(&ignored);
	return root;
}

/* Two files of different bytes: key by key where both are YAML, else as a whole. */
static void compare_files(struct change_finder *finder, size_t input, size_t input_after)
{
	const struct run_file *before = &finder->changes->before->record.input[input],
			      *after = &finder->changes->after->record.input[input_after];
	if (strcmp(before->hash, after->hash) == 0)
		return;
	finder->where = after->name;
	finder->input = input;
	finder->root = read_document(finder, before);
	const struct doc_node *other = read_document(finder, after);
	if (finder->root && other) {
		compare_nodes(finder, "", NULL, finder->root, other);
		return;
	}
	char left[VALUE_SIZE], right[VALUE_SIZE];
	(void)snprintf(left, sizeof(left), "%.8s", before->hash);
	(void)snprintf(right, sizeof(right), "%.8s", after->hash);
	add(finder, "the whole file", left, right)->input_after = input_after;
}

static size_t find_input(const struct kept_run *run, const char *path)
{
	size_t i = 0;
	while (i < run->record.n_input && strcmp(run->record.input[i].name, path) != 0)
		i++;
	return i;
}

static void compare_networks(struct change_finder *finder)
{
	const struct kept_run *before = finder->changes->before, *after = finder->changes->after;
	finder->kind = CHANGE_NETWORK;
	for (size_t i = 0; i < finder->before->n_network; i++)
		for (size_t k = 0; k < finder->after->n_network; k++) {
			const struct space_network *left = &finder->before->network[i],
						   *right = &finder->after->network[k];
			size_t input = find_input(before, left->path), other = find_input(after, right->path);
			if (strcmp(left->network.name, right->network.name) == 0 && input < before->record.n_input &&
			    other < after->record.n_input)
				compare_files(finder, input, other);
		}
}

/* ---- how it was searched, and by what ---- */

static void compare_option(struct change_finder *finder, const char *key, enum change_kind kind)
{
	const struct doc_node *left = doc_find(finder->changes->before->options, key),
			      *right = doc_find(finder->changes->after->options, key);
	char before[VALUE_SIZE], after[VALUE_SIZE];
	if (doc_equal(left, right))
		return;
	doc_print(left, before, sizeof(before));
	doc_print(right, after, sizeof(after));
	finder->kind = kind;
	finder->where = "options";
	(void)add(finder, key, before, after);
}

static void compare_options(struct change_finder *finder)
{
	const struct run_record *before = &finder->changes->before->record, *after = &finder->changes->after->record;
	const struct engine_kind *left = engine_find(before->engine), *right = engine_find(after->engine);
	compare_option(finder, "detail", CHANGE_TIER);
	compare_option(finder, "engine", CHANGE_SEARCH);
	compare_option(finder, "flat", CHANGE_SEARCH);
	compare_option(finder, "max_evaluations", CHANGE_SEARCH);
	compare_option(finder, "epsilon_pct", CHANGE_SEARCH);
	compare_option(finder, "islands", CHANGE_SEARCH);
	/* where nothing is random the seed decides nothing */
	if ((left && left->is_random) || (right && right->is_random))
		compare_option(finder, "seed", CHANGE_SEARCH);
	finder->kind = CHANGE_PROGRAM;
	finder->where = "dse";
	char text[2][VALUE_SIZE];
	(void)snprintf(text[0], VALUE_SIZE, "%.8s", before->build);
	(void)snprintf(text[1], VALUE_SIZE, "%.8s", after->build);
	if (strcmp(before->version, after->version) != 0)
		(void)add(finder, "version", before->version, after->version);
	if (before->model[0] && after->model[0] && strcmp(before->model, after->model) != 0)
		(void)add(finder, "model", before->model, after->model);
	if (before->build[0] && after->build[0] && strcmp(before->build, after->build) != 0)
		(void)add(finder, "sources", text[0], text[1]);
}

/* Files that say the same in other bytes. */
static void note_texts(struct change_finder *finder)
{
	const struct run_record *before = &finder->changes->before->record, *after = &finder->changes->after->record;
	finder->kind = CHANGE_TEXT;
	for (size_t i = 0; i < after->n_input; i++) {
		size_t other = find_input(finder->changes->before, after->input[i].name), k = 0;
		while (k < finder->changes->n && strcmp(finder->changes->change[k].where, after->input[i].name) != 0)
			k++;
		finder->where = after->input[i].name;
		if (other < before->n_input && strcmp(before->input[other].hash, after->input[i].hash) != 0 &&
		    k == finder->changes->n)
			(void)add(finder, "its text alone", "-", "comments or sources");
	}
}

/* Whether all machines, and all networks, of one space are the other's. */
static void pair_files(struct change_finder *finder)
{
	const struct space *before = finder->before, *after = finder->after;
	size_t other, n_same = 0;
	finder->same_machines = before->n_machine == after->n_machine;
	for (size_t i = 0; i < before->n_machine; i++)
		finder->same_machines = finder->same_machines && attribute_find_machine(after, before->machine[i].name,
		                                                                        before->n_machine == 1, &other);
	for (size_t i = 0; i < before->n_network && i < after->n_network; i++)
		n_same += strcmp(before->network[i].network.name, after->network[i].network.name) == 0;
	finder->same_networks = n_same == before->n_network && n_same == after->n_network;
}

void input_changes_find(const struct kept_run *before, const struct kept_run *after, struct input_changes *changes)
{
	assert(before && before->has_space && after && after->has_space && changes);
	*changes = (struct input_changes){.before = before, .after = after};
	struct change_finder finder = {.changes = changes, .before = &before->space, .after = &after->space};
	pair_files(&finder);
	compare_machines(&finder);
	compare_networks(&finder);
	finder.kind = CHANGE_SPACE;
	compare_files(&finder, 0, 0);
	compare_options(&finder);
	note_texts(&finder);
}

void input_changes_free(struct input_changes *changes)
{
	free(changes->change);
	arena_free(&changes->arena);
	*changes = (struct input_changes){0};
}
