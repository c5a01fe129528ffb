/* SPDX-License-Identifier: Apache-2.0 */
/* The files a space names: machines, and networks with their weights. */
#include "dse/paths.h"
#include "dse/provenance.h"
#include "dse/space_parts.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 4096
#define N_PARENT 4 /* folders above the space file that are looked through */

static bool is_file(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Folder of a path: "spaces" of "spaces/a.yaml", "." of "a.yaml". */
static void folder_of(const char *path, char folder[PATH_SIZE])
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;
	(void)snprintf(folder, PATH_SIZE, "%.*s", (int)n, path);
	if (!slash)
		(void)strcpy(folder, ".");
	else if (n == 0)
		(void)strcpy(folder, "/");
}

/* folder/sub/name with an ending, without "./" before paths in the working directory. */
static bool try_path(char path[PATH_SIZE], const char *folder, const char *sub, const char *name, const char *ending)
{
	const char *base = strcmp(folder, ".") == 0 ? "" : folder;
	int n =
	    snprintf(path, PATH_SIZE, "%s%s%s%s%s%s", base, base[0] ? "/" : "", sub, sub[0] ? "/" : "", name, ending);
	return n > 0 && n < PATH_SIZE && is_file(path);
}

/* Take out "name/.." and "./": as text, so the caller checks that no symbolic link made them mean something else. */
static void shorten(const char *path, char out[PATH_SIZE])
{
	size_t n = 0, n_fixed = path[0] == '/' ? 1 : 0; /* what lies before n_fixed stays: the root, leading ".." */
	if (n_fixed)
		out[n++] = '/';
	for (const char *part = path; *part;) {
		size_t n_part = strcspn(part, "/");
		bool is_up = n_part == 2 && part[0] == '.' && part[1] == '.';
		if (is_up && n > n_fixed) {
			do
				n--;
			while (n > n_fixed && out[n - 1] != '/');
		} else if (n_part > 0 && !(n_part == 1 && part[0] == '.') &&
		           !(is_up && n_fixed == 1 && out[0] == '/')) {
			memcpy(out + n, part, n_part);
			n += n_part;
			out[n++] = '/';
			n_fixed = is_up ? n : n_fixed;
		}
		part += n_part + (part[n_part] == '/');
	}
	assert(n < PATH_SIZE);
	out[n > 0 && n > n_fixed ? n - 1 : n] = '\0';
}

/* The path without detours, where that is the same file, so that results name inputs alike wherever the program is. */
static const char *keep_path(struct space_reader *reader, const char *path)
{
	char plain[PATH_SIZE];
	struct stat before, after;
	bool is_same = strlen(path) + 2 < PATH_SIZE;
	if (is_same) {
		shorten(path, plain);
		is_same = stat(path, &before) == 0 && stat(plain, &after) == 0 && before.st_ino == after.st_ino &&
		          before.st_dev == after.st_dev;
	}
	const char *kept = arena_text(&reader->space->arena, is_same ? plain : path);
	if (!kept)
		err_add(reader->err, ERR_INTERNAL, "out of memory");
	return kept;
}

/*
 * A machine or network by path relative to the space file, or by name in the
 * folder of that kind beside the space file or beside a folder above it; at
 * last where the program keeps its own (path_find).
 */
static const char *find_file(struct space_reader *reader, const struct doc_node *node, const char *name,
                             const char *kind)
{
	char folder[PATH_SIZE], path[PATH_SIZE];
	bool found = name[0] == '/' && strlen(name) < PATH_SIZE && is_file(name);
	if (found)
		(void)strcpy(path, name);
	folder_of(reader->path, folder);
	found = found || try_path(path, folder, "", name, "");
	for (unsigned i = 0; !found && i < N_PARENT; i++) {
		for (size_t k = 1; !found && k <= PATH_N_ENDING; k++) /* none at last */
			found = try_path(path, folder, kind, name, path_ending[k % PATH_N_ENDING]);
		size_t n = strlen(folder);
		if (n + 4 > PATH_SIZE)
			break;
		(void)strcpy(folder + n, "/..");
	}
	const char *result = NULL;
	if (found)
		return keep_path(reader, path);
	struct err part = {0};
	if (path_find(name, kind, &reader->space->arena, &result, &part) != ERR_OK) {
		part.code = part.code == ERR_IO ? ERR_INPUT : part.code; /* the mistake is the name in the space */
		(void)err_add_all(reader->err, doc_place(node), &part);
		result = NULL;
	}
	err_clear(&part);
	return result ? keep_path(reader, result) : NULL;
}

/* Remember an input file for run.json; a file named twice is kept once. */
static void note_file(struct space_reader *reader, const char *path)
{
	struct space *space = reader->space;
	for (size_t i = 0; i < space->n_file; i++) {
		if (strcmp(space->file[i].path, path) == 0)
			return;
	}
	/* the array has room: reserve_files counted one for the space and one for each file named */
	assert(space->file);
	struct space_file *file = &space->file[space->n_file];
	const char *copy = keep_path(reader, path);
	if (copy && hash_file(path, file->hash, reader->err) == ERR_OK) {
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
		err_add_at(reader->err, ERR_INPUT, doc_place(many), "found both '%s' and '%s', allowed one of them",
		           singular, plural);
	else if (!one && !many)
		err_add_at(reader->err, ERR_INPUT, doc_place(reader->root), "a space without '%s'; name at least one",
		           plural);
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
		err_add_at(reader->err, ERR_INPUT, doc_place(node),
		           "machines: two machines are named '%s', allowed once", machine->name);
		return true;
	}
	return false;
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
	if (!path || machine_read_sources(path, machine, sources, &space->arena, reader->err) != ERR_OK ||
	    is_known_machine(reader, node, machine))
		return;
	assert(machine->n_level > 0);
	space->machine_path[space->n_machine++] = path;
	note_file(reader, path);
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
	if (!space->machine || !space->machine_path || !space->machine_sources || !reserve_files(reader, n))
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
		err_add_at(
		    reader->err, ERR_INPUT, doc_place(item),
		    "a network without 'weight', which 'aggregate: weighted' needs, e.g. {network: vgg16, weight: 2}");
	else if (node && doc_get_real(node, "weight", 1e-9, 1e9, weight, reader->err) &&
	         reader->space->aggregate != AGGREGATE_WEIGHTED)
		err_add_at(reader->err, ERR_INPUT, doc_place(node),
		           "weight: found a weight, allowed only with 'aggregate: weighted'");
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
			err_add_at(reader->err, ERR_INPUT, doc_place(item),
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
	for (size_t i = 0; i < space->n_network; i++) {
		if (strcmp(space->network[i].path, path) == 0) {
			err_add_at(reader->err, ERR_INPUT, doc_place(node), "networks: found '%s' again, allowed once",
			           name);
			return;
		}
	}
	if (network_read(path, &network->network, reader->err) != ERR_OK)
		return;
	assert(network->network.n_block > 0 && network->weight > 0);
	network->path = path;
	network->choice = space_array(reader, network->network.n_block, sizeof(*network->choice));
	space->n_network++;
	note_file(reader, path);
}

void space_read_networks(struct space_reader *reader)
{
	static const char *const aggregate[] = {"sum", "worst", "weighted"};
	struct space *space = reader->space;
	const struct doc_node *how = doc_find(reader->root, "aggregate");
	_Static_assert(AGGREGATE_SUM == 0 && AGGREGATE_WORST == 1 && AGGREGATE_WEIGHTED == 2, "order of names");
	size_t index = AGGREGATE_SUM;
	if (how && doc_get_choice(how, "aggregate", aggregate, 3, &index, reader->err))
		space->aggregate = (enum space_aggregate)index;

	const struct doc_node *node = one_of(reader, "network", "networks");
	if (!node)
		return;
	size_t n = item_n(node);
	if (n > SPACE_MAX_NETWORK) {
		err_add_at(reader->err, ERR_INPUT, doc_place(node), "networks: found %zu, at most %d are allowed", n,
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
