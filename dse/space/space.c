/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/space/space_parts.h"
#include "dse/space/machine_read.h"
#include "dse/out/paths.h"
#include "mapper/network/file_kind.h"
#include "sim/base/checked.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool space_has_items(const struct doc_node *node, const char *what, struct err *err)
{
	assert(node && what);
	if (item_n(node) > 0)
		return true;
	return doc_refuse(err, node, "%s: found an empty list, allowed at least one item", what);
}

void *space_array(struct space_reader *reader, size_t n, size_t n_byte)
{
	assert(n_byte > 0);
	void *array = arena_array(&reader->space->arena, n ? n : 1, n_byte);
	if (!array)
		err_add(reader->err, ERR_INTERNAL, "out of memory");
	return array;
}

struct err_place space_text_place(const struct doc_node *node)
{
	struct err_place at = doc_place(node);
	at.column += node->quoted;
	return at;
}

/*
 * Order matters: machines before axes and levels, axes before area objectives,
 * networks before the rules that are applied to their layers.
 */
static void read_root(struct space_reader *reader)
{
	static const char *const allowed[] = {
	    "name",        "machine",      "machines",      "axes",       "network",       "networks",
	    "aggregate",   "layers",       "constraints",   "objectives", "search",        "resolution",
	    "deadline_ms", "level_shares", "level_changes", "arada",      "network_result"};
	const struct doc_node *root = reader->root;
	struct space *space = reader->space;
	doc_check_keys(root, allowed, sizeof(allowed) / sizeof(allowed[0]), reader->err);
	if (root->kind != DOC_MAP)
		return;
	const struct doc_node *name = doc_find(root, "name");
	if (name)
		machine_read_name(name, "name", space->name, sizeof(space->name), reader->err);
	else
		(void)doc_refuse(reader->err, root, "a space without 'name'; give it one");
	space_read_machines(reader);
	space_read_axes(reader);
	space_read_networks(reader);
	space_note_set(reader);
	space_read_rules(reader);
	space_read_constraints(reader);
	space_read_deadline(reader);
	space_read_objectives(reader);
	space_read_resolution(reader);
	space_read_search(reader);
	space_read_level_shares(reader);
	space_read_arada(reader);
}

/* What the command sets, or what stands among the inputs of a run. */
static void take_set(struct space_reader *reader, const struct space_given *given)
{
	const char *text[MACHINE_SET_MAX];
	size_t n = 0;
	for (size_t i = 0; reader->among && i < reader->among->n && n < MACHINE_SET_MAX; i++)
		if ((text[n] = machine_set_in_name(reader->among->name[i])) != NULL)
			n++;
	if (n > 0)
		(void)machine_set_parse("--set", text, n, &reader->set, reader->err);
	else if (given && given->set)
		reader->set = *given->set;
}

static enum err_code read_space(const char *path, const struct space_among *among, const struct space_given *given,
                                struct space *space, struct err *err)
{
	struct err found = {0};
	struct doc_node *root;
	memset(space, 0, sizeof(*space));

	/* The document stays in the space's arena: places in it are kept for later messages. */
	const char *text = given ? given->text : NULL;
	enum err_code code = among || text ? ERR_OK : path_find(path, "", &space->arena, &path, &found);
	if (code == ERR_OK && !text && !file_kind_check(path, NULL, FILE_SPACE, &found))
		code = ERR_INPUT;
	if (code == ERR_OK)
		code = text ? doc_read_text(path, text, strlen(text), &space->arena, &root, &found)
		            : doc_read_file(path, &space->arena, &root, &found);
	if (code == ERR_OK && !file_kind_check(path, root, FILE_SPACE, &found))
		code = ERR_INPUT;
	if (code == ERR_OK) {
		struct space_reader reader = {
		    .space = space, .path = path, .text = text, .among = among, .root = root, .err = &found};
		take_set(&reader, given);
		read_root(&reader);
		space->engine = given && given->engine ? given->engine : space->engine;
		space->detail = given ? given->detail : DETAIL_FAST;
		/* in the fast tier the exact front is the answer, and other engines are there to be compared with it */
		if (given && given->flat)
			space->seeds = SEEDS_HEURISTICS;
		if (space->seeds == SEEDS_BY_TIER)
			space->seeds = space->detail == DETAIL_FAST ? SEEDS_HEURISTICS : SEEDS_EXACT;
		code = found.code;
	}
	(void)err_move(err, (struct err_place){0}, &found);
	if (code != ERR_OK)
		space_free(space);
	return code;
}

enum err_code space_read(const char *path, struct space *space, struct err *err)
{
	assert(path && space);
	return read_space(path, NULL, NULL, space, err);
}

enum err_code space_read_given(const char *path, const struct space_given *given, struct space *space, struct err *err)
{
	assert(path && space);
	return read_space(path, NULL, given, space, err);
}

enum err_code space_read_among(const struct space_among *among, const struct space_given *given, struct space *space,
                               struct err *err)
{
	assert(among && among->n > 0 && space);
	return read_space(among->path[0], among, given, space, err);
}

void space_free(struct space *space)
{
	assert(space);
	for (size_t i = 0; i < space->n_network; i++)
		network_free(&space->network[i].network);
	arena_free(&space->arena);
	memset(space, 0, sizeof(*space));
}
