/* SPDX-License-Identifier: Apache-2.0 */
/* The files a space names: machines, and networks with their weights. */
#include "dse/out/paths.h"
#include "dse/space/machine_read.h"
#include "dse/space/provenance.h"
#include "dse/space/space_parts.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The name that one of the files given is known under; NULL: the path is none of theirs. */
static const char *known_as(const struct space_among *among, const char *path)
{
	for (size_t i = 0; among && i < among->n; i++)
		if (strcmp(among->path[i], path) == 0)
			return among->name[i];
	return NULL;
}

/* The path that the space knows a file by. */
static const char *own_path(struct space_reader *reader, const char *path)
{
	const char *name = known_as(reader->among, path);
	const char *own = name ? arena_text(&reader->space->arena, name) : path;
	if (!own)
		err_add(reader->err, ERR_INTERNAL, "out of memory");
	return own ? own : path;
}

/* The path without detours, where that is the same file, so that results name inputs alike wherever the program is. */
static const char *keep_path(struct space_reader *reader, const char *path)
{
	const char *name = known_as(reader->among, path);
	const char *kept = name ? arena_text(&reader->space->arena, name) : path_plain(path, &reader->space->arena);
	if (!kept)
		err_add(reader->err, ERR_INTERNAL, "out of memory");
	return kept;
}

/* Whether a path ends in a name, with or without an ending that may be left out. */
static bool ends_in_name(const char *path, const char *name)
{
	for (size_t i = 0; i < PATH_N_ENDING; i++) {
		size_t n = strlen(path), n_ending = strlen(path_ending[i]), n_name = strlen(name);
		if (n < n_name + n_ending || strcmp(path + n - n_ending, path_ending[i]) != 0)
			continue;
		const char *at = path + n - n_ending - n_name;
		if (strncmp(at, name, n_name) == 0 && (at == path || at[-1] == '/' || name[0] == '/'))
			return true;
	}
	return false;
}

/* The file that a name means, of those given; in a folder of its kind rather than elsewhere. NULL: none. */
static const char *find_among(const struct space_among *among, const char *name, const char *kind)
{
	char folder[32];
	const char *found = NULL;
	(void)snprintf(folder, sizeof(folder), "%s/", kind);
	while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
		name = strchr(name, '/') + 1;
	for (size_t i = 1; i < among->n; i++) {
		if (!ends_in_name(among->name[i], name))
			continue;
		if (strstr(among->name[i], folder))
			return among->path[i];
		found = found ? found : among->path[i];
	}
	return found;
}

/* A machine or network: the mistake is the name in the space. */
static const char *find_file(struct space_reader *reader, const struct doc_node *node, const char *name,
                             const char *kind)
{
	const char *result = NULL;
	struct err part = {0};
	if (reader->among) {
		result = find_among(reader->among, name, kind);
		if (!result)
			(void)doc_refuse(reader->err, node, "%s: is not among the files that were kept",
			                 doc_quote(name).text);
		return result;
	}
	if (path_find_beside(reader->path, name, kind, &reader->space->arena, &result, &part) != ERR_OK) {
		part.code = part.code == ERR_IO ? ERR_INPUT : part.code;
		(void)err_move(reader->err, doc_place(node), &part);
		result = NULL;
	}
	return result;
}

/* Remember an input file for run.json; a file named twice is kept once. */
static void note_file(struct space_reader *reader, const char *path)
{
	struct space *space = reader->space;
	const char *own = own_path(reader, path);
	for (size_t i = 0; i < space->n_file; i++) {
		if (strcmp(space->file[i].path, own) == 0)
			return;
	}
	/* the array has room: reserve_files counted one for the space and two for each file named */
	assert(space->file);
	struct space_file *file = &space->file[space->n_file];
	const char *copy = keep_path(reader, path);
	const char *text = path == reader->path ? reader->text : NULL;
	if (text)
		hash_hex(text, strlen(text), file->hash);
	if (copy && (text || hash_file(path, file->hash, reader->err) == ERR_OK)) {
		file->path = copy;
		space->n_file++;
	}
}

/* Room for more file records, kept in one array. */
static bool reserve_files(struct space_reader *reader, size_t n_more)
{
	struct space *space = reader->space;
	struct space_file *file = space_array(reader, space->n_file + n_more, sizeof(*file));
	if (!file)
		return false;
	if (space->n_file > 0)
		memcpy(file, space->file, space->n_file * sizeof(*file));
	space->file = file;
	return true;
}

/* The node under either of two spellings; a mistake when there are both or none. */
static const struct doc_node *one_of(struct space_reader *reader, const char *singular, const char *plural)
{
	const struct doc_node *one = doc_find(reader->root, singular), *many = doc_find(reader->root, plural);
	if (one && many)
		(void)doc_refuse(reader->err, many, "found both '%s' and '%s', allowed one of them", singular, plural);
	else if (!one && !many)
		(void)doc_refuse(reader->err, reader->root, "a space without '%s'; name at least one", plural);
	const struct doc_node *node = one ? one : many;
	return node && space_has_items(node, plural, reader->err) ? node : NULL;
}

/* Results name machines by their names, so those must differ even when the files do. */
static bool is_known_machine(struct space_reader *reader, const struct doc_node *node, const struct machine *machine)
{
	const struct space *space = reader->space;
	for (size_t i = 0; i < space->n_machine; i++) {
		if (strcmp(space->machine[i].name, machine->name) != 0)
			continue;
		(void)doc_refuse(reader->err, node, "machines: two machines are named '%s', allowed once",
		                 machine->name);
		return true;
	}
	return false;
}

/* What is set, of it what the machine has: another one of the space may have the rest. */
static bool set_machine(struct space_reader *reader, struct machine *machine, struct machine_sources *sources)
{
	struct machine_set own = {0};
	for (size_t i = 0; i < reader->set.n; i++)
		if (machine_param_serves(reader->set.setting[i].param, machine->target))
			own.setting[own.n++] = reader->set.setting[i];
	for (size_t i = 0; i < reader->set.n_level; i++)
		if (machine_set_has_level(machine, reader->set.level[i].key))
			own.level[own.n_level++] = reader->set.level[i];
	return machine_set_apply("--set", &own, machine, sources, reader->err) == ERR_OK;
}

void space_note_set(struct space_reader *reader)
{
	struct space *space = reader->space;
	size_t n = reader->set.n, n_all = n + reader->set.n_level;
	if (n_all == 0 || !reserve_files(reader, n_all))
		return;
	for (size_t i = 0; i < n_all; i++) {
		struct space_file *file = &space->file[space->n_file];
		char name[MACHINE_SET_NAME_SIZE];
		if (i < n)
			machine_set_name(&reader->set.setting[i], name);
		else
			machine_set_level_name(&reader->set.level[i - n], name);
		file->path = arena_text(&space->arena, name);
		hash_hex(name, strlen(name), file->hash);
		if (file->path)
			space->n_file++;
		else
			err_add(reader->err, ERR_INTERNAL, "out of memory");
	}
}

/* Of files that were kept, by name; the path is theirs. */
static const char *find_kept_table(void *context, const char *beside, const char *name, struct arena *arena,
                                   struct err *err)
{
	const struct space_among *among = context;
	const char *path = find_among(among, name, "technology");
	(void)beside;
	(void)arena;
	if (!path)
		err_add(err, ERR_INPUT, "%s: is not among the files that were kept", doc_quote(name).text);
	return path;
}

static enum err_code read_machine_file(struct space_reader *reader, const char *path, struct machine *machine,
                                       struct machine_sources *sources)
{
	struct space_among among = {0};
	struct table_finder finder = table_finder_disk;
	if (reader->among) {
		among = *reader->among;
		finder = (struct table_finder){find_kept_table, &among};
	}
	return machine_read_found(path, &finder, machine, sources, &reader->space->arena, reader->err);
}

/* Mistakes inside the machine's own file are reported with its name; nothing is added for the space. */
static void read_machine(struct space_reader *reader, const struct doc_node *node)
{
	struct space *space = reader->space;
	const char *name;
	if (!doc_get_text(node, "machine", &name, reader->err))
		return;
	const char *path = find_file(reader, node, name, "machines");
	struct machine *machine = &space->machine[space->n_machine];
	struct machine_sources *sources = &space->machine_sources[space->n_machine];
	if (!path || read_machine_file(reader, path, machine, sources) != ERR_OK ||
	    !set_machine(reader, machine, sources) || is_known_machine(reader, node, machine))
		return;
	assert(machine->n_level > 0);
	space->machine_path[space->n_machine++] = own_path(reader, path);
	note_file(reader, path);
	if (sources->table)
		note_file(reader, sources->table);
}

void space_read_machines(struct space_reader *reader)
{
	struct space *space = reader->space;
	const struct doc_node *node = one_of(reader, "machine", "machines");
	if (!reserve_files(reader, 1))
		return;
	note_file(reader, reader->path);
	if (!node)
		return;
	size_t n = item_n(node);
	space->machine = space_array(reader, n, sizeof(*space->machine));
	space->machine_path = space_array(reader, n, sizeof(*space->machine_path));
	space->machine_sources = space_array(reader, n, sizeof(*space->machine_sources));
	if (!space->machine || !space->machine_path || !space->machine_sources || !reserve_files(reader, 2 * n))
		return;
	for (size_t i = 0; i < n; i++)
		read_machine(reader, item_at(node, i));
	reader->machines_complete = space->n_machine == n;
}

/* A weight counts only where the aggregate weighs; elsewhere it would be ignored in silence. */
static void read_weight(struct space_reader *reader, const struct doc_node *item, double *weight)
{
	const struct doc_node *node = doc_find(item, "weight");
	if (reader->space->aggregate == AGGREGATE_WEIGHTED && !node)
		(void)doc_refuse(
		    reader->err, item,
		    "a network without 'weight', which 'aggregate: weighted' needs, e.g. {network: vgg16, weight: 2}");
	else if (doc_get_real(node, "weight", 1e-9, 1e9, weight, reader->err) &&
	         reader->space->aggregate != AGGREGATE_WEIGHTED)
		(void)doc_refuse(reader->err, node, "weight: found a weight, allowed only with 'aggregate: weighted'");
}

/* `vgg16` or `{network: vgg16, weight: 2}`. */
static void read_network(struct space_reader *reader, const struct doc_node *item)
{
	static const char *const allowed[] = {"network", "weight"};
	struct space *space = reader->space;
	struct space_network *network = &space->network[space->n_network];
	const struct doc_node *node = item;
	const char *name;
	network->weight = 1;
	if (item->kind == DOC_MAP) {
		doc_check_keys(item, allowed, 2, reader->err);
		node = doc_find(item, "network");
		if (!node) {
			(void)doc_refuse(reader->err, item,
			                 "networks: an entry without 'network', e.g. "
			                 "{network: vgg16, weight: 2}");
			return;
		}
	}
	read_weight(reader, item, &network->weight);
	if (!doc_get_text(node, "network", &name, reader->err))
		return;
	const char *path = find_file(reader, node, name, "networks");
	if (!path)
		return;
	const char *own = own_path(reader, path);
	for (size_t i = 0; i < space->n_network; i++) {
		if (strcmp(space->network[i].path, own) == 0) {
			(void)doc_refuse(reader->err, node, "networks: found '%s' again, allowed once", name);
			return;
		}
	}
	if (network_read(path, &network->network, reader->err) != ERR_OK)
		return;
	assert(network->network.n_block > 0 && network->weight > 0);
	network->path = own;
	network->choice = space_array(reader, network->network.n_block, sizeof(*network->choice));
	space->n_network++;
	note_file(reader, path);
}

void space_read_networks(struct space_reader *reader)
{
	static const char *const aggregate[] = {"sum", "worst", "weighted"};
	struct space *space = reader->space;
	_Static_assert(AGGREGATE_SUM == 0 && AGGREGATE_WORST == 1 && AGGREGATE_WEIGHTED == 2, "order of names");
	size_t index = AGGREGATE_SUM;
	(void)doc_get_choice(doc_find(reader->root, "aggregate"), "aggregate", aggregate, 3, &index, reader->err);
	space->aggregate = (enum space_aggregate)index;

	const struct doc_node *node = one_of(reader, "network", "networks");
	if (!node)
		return;
	size_t n = item_n(node);
	if (n > SPACE_MAX_NETWORK) {
		(void)doc_refuse(reader->err, node, "networks: found %zu, at most %d are allowed", n,
		                 SPACE_MAX_NETWORK);
		return;
	}
	space->network = space_array(reader, n, sizeof(*space->network));
	if (!space->network || !reserve_files(reader, n))
		return;
	for (size_t i = 0; i < n; i++)
		read_network(reader, item_at(node, i));
	reader->networks_complete = space->n_network == n;
}
