/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings of --compare: from the command line to splits, or to the designs of a point. */
#include "dse/out/renamed.h"
#include "dse/base/memory.h"
#include "dse/check/mapping_compare.h"
#include "dse/design/design_read.h"
#include "dse/design/mapping.h"
#include "dse/out/paths.h"
#include "dse/design/replay_read.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char thesis_name[] = "thesis", default_strategy[] = "fusion_reuse";

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), n_end = strlen(end);
	return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

static bool find_strategy(const char *name, enum strategy *strategy)
{
	for (unsigned i = 0; i < N_STRATEGY; i++) {
		if (strcmp(strategy_table[i].name, name) != 0)
			continue;
		*strategy = (enum strategy)i;
		return true;
	}
	return false;
}

/* The scheme has this network, and all of its layers for one of the targets at least. */
static enum err_code check_scheme(const struct compared_mapping *mapping, const char *path, const struct space *space,
                                  struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < space->n_network; i++) {
		const struct network *network = &space->network[i].network;
		for (size_t k = 0; k < network->n_block; k++)
			if (!renamed_find_split(&mapping->scheme, network->name, "qpe", network->block[k].name) &&
			    !renamed_find_split(&mapping->scheme, network->name, "chip", network->block[k].name))
				code = err_add(err, ERR_INPUT, "%s: no split of layer %s of network %s", path,
				               network->block[k].name, network->name);
	}
	return code;
}

/* "FILE.csv" or "thesis", either with ":STRATEGY" behind it. */
static enum err_code read_scheme(const char *name, const char *suffix, struct mapping_compare *compare,
                                 struct compared_mapping *mapping, struct err *err)
{
	const char *path;
	assert(mapping->name && name);
	const char *wanted = suffix ? suffix : default_strategy;
	if (!find_strategy(wanted, &mapping->strategy)) {
		const char *known[N_STRATEGY];
		for (unsigned i = 0; i < N_STRATEGY; i++)
			known[i] = strategy_table[i].name;
		const char *nearest = err_nearest(wanted, known, N_STRATEGY);
		return err_add(err, ERR_USAGE,
		               "dse explore: --compare %s: '%.40s' is no strategy, allowed are no_fusion, fusion, "
		               "fusion_reuse, thesis_reuse%s%s%s",
		               mapping->name, wanted, nearest ? "; did you mean '" : "", nearest ? nearest : "",
		               nearest ? "'?" : "");
	}
	mapping->is_thesis = strcmp(name, thesis_name) == 0;
	enum err_code code = path_find(mapping->is_thesis ? "thesis.csv" : name, "splits", &compare->arena, &path, err);
	if (code == ERR_OK)
		code = split_scheme_read(path, &mapping->scheme, err);
	return code == ERR_OK && !mapping->is_thesis ? check_scheme(mapping, path, compare->space, err) : code;
}

/* The entry of a list of maps whose key has this text; NULL: there is none. */
static const struct doc_node *find_entry(const struct doc_node *map, const char *list, const char *key,
                                         const char *text)
{
	const struct doc_node *node = doc_find(map, list);
	for (size_t i = 0; node && node->kind == DOC_LIST && i < node->n; i++) {
		const struct doc_node *own = doc_find(node->value[i], key);
		if (own && own->kind == DOC_SCALAR && strcmp(own->text, text) == 0)
			return node->value[i];
	}
	return NULL;
}

/* The design of one layer of a network: its place among the operations is its place among the layers. */
static const struct doc_node *find_layer(const struct doc_node *root, const struct doc_node *layers,
                                         const struct doc_node *operations, const char *name, struct err *err)
{
	uint64_t number;
	assert(layers->kind == DOC_LIST && operations->kind == DOC_LIST);
	for (size_t i = 0; i < operations->n && i < layers->n; i++) {
		if (operations->value[i]->kind != DOC_SCALAR || strcmp(operations->value[i]->text, name) != 0)
			continue;
		if (!doc_get_u64(layers->value[i], "layers", 0, UINT64_MAX, &number, err))
			return NULL;
		const struct doc_node *design = replay_find_design(root, number);
		if (!design)
			(void)err_add_at(err, ERR_INPUT, doc_place(layers->value[i]),
			                 "there is no design of this number");
		return design;
	}
	(void)err_add_at(err, ERR_INPUT, doc_place(operations), "no layer %s", name);
	return NULL;
}

/* The designs of a network's layers, all that are missing in one pass. */
static bool take_network(const struct doc_node *root, const struct doc_node *point, const struct network *network,
                         const struct doc_node **design, struct err *err)
{
	const struct doc_node *own = find_entry(point, "networks", "network", network->name);
	const struct doc_node *entry = find_entry(root, "networks", "network", network->name);
	if (!own || !entry)
		return err_add_at(err, ERR_INPUT, doc_place(point), "the point has no network %s", network->name) ==
		       ERR_OK;
	const struct doc_node *layers = front_need(own, "layers", err),
			      *operations = front_need(entry, "operations", err);
	if (!layers || !operations)
		return false;
	if (layers->kind != DOC_LIST || operations->kind != DOC_LIST)
		return err_add_at(err, ERR_INPUT, doc_place(own), "layers and operations are no lists") == ERR_OK;
	bool is_whole = true;
	for (size_t k = 0; k < network->n_block; k++) {
		design[k] = find_layer(root, layers, operations, network->block[k].name, err);
		is_whole = is_whole && design[k];
	}
	return is_whole;
}

static enum err_code read_point(const char *path, const char *id_text, struct mapping_compare *compare,
                                struct compared_mapping *mapping, struct err *err)
{
	const struct doc_node *root, *point;
	const struct space *space = compare->space;
	char *end;
	size_t n_block = 0, begin = 0;
	bool is_whole = true;
	errno = 0;
	unsigned long long id = strtoull(id_text, &end, 10);
	if (*end || errno)
		return err_add(err, ERR_USAGE, "dse explore: --compare %s: '%.40s' is no number of a point",
		               mapping->name, id_text);
	enum err_code code = replay_read_point(path, id, &compare->arena, &root, &point, err);
	if (code != ERR_OK)
		return code;
	for (size_t i = 0; i < space->n_network; i++)
		n_block += space->network[i].network.n_block;
	mapping->design = memory_must(arena_array(&compare->arena, n_block, sizeof(*mapping->design)));
	for (size_t i = 0; i < space->n_network; i++) {
		const struct network *network = &space->network[i].network;
		is_whole = take_network(root, point, network, mapping->design + begin, err) && is_whole;
		begin += network->n_block;
	}
	assert(begin == n_block);
	return is_whole ? ERR_OK : ERR_INPUT;
}

/* Whether the layers are some on one machine of the space at least; if not, what is wrong on the first. */
static enum err_code check_layers(const struct compared_mapping *mapping, struct mapping_compare *compare,
                                  struct err *err)
{
	const struct space *space = compare->space;
	const struct network *network = &space->network[0].network;
	struct layer_design *design = memory_must(arena_array(&compare->arena, network->n_block, sizeof(*design)));
	struct err first = {0};
	enum err_code code = ERR_INPUT;
	for (size_t i = 0; i < space->n_machine && code == ERR_INPUT; i++) {
		struct err part = {0};
		code = mapping_read_layers(mapping->layers, network, &space->machine[i], design, NULL,
		                           i == 0 ? &first : &part);
		err_clear(&part);
	}
	if (code == ERR_INPUT)
		(void)err_add_all(err, (struct err_place){0}, &first);
	err_clear(&first);
	return code;
}

/* FILE.yaml: a mapping of the only network. What it says of machines is not asked: it is tried on the space's. */
static enum err_code read_yaml(const char *path, struct mapping_compare *compare, struct compared_mapping *mapping,
                               struct err *err)
{
	struct doc_node *root = NULL;
	if (compare->space->n_network != 1)
		return err_add(err, ERR_USAGE,
		               "dse explore: --compare %s: a mapping is of one network, the space has %zu",
		               mapping->name, compare->space->n_network);
	enum err_code code = doc_read_file(path, &compare->arena, &root, err);
	if (code != ERR_OK)
		return code;
	mapping->layers = front_need(root, "layers", err);
	return mapping->layers ? check_layers(mapping, compare, err) : ERR_INPUT;
}

/* What stands behind the last colon decides: a number, a strategy, or nothing. */
static enum err_code read_mapping(const char *name, struct mapping_compare *compare, struct compared_mapping *mapping,
                                  struct err *err)
{
	char *copy = memory_must(arena_text(&compare->arena, name));
	char *colon = strrchr(copy, ':');
	*mapping = (struct compared_mapping){.name = name};
	if (colon && colon[1] >= '0' && colon[1] <= '9') {
		*colon = '\0';
		return read_point(copy, colon + 1, compare, mapping, err);
	}
	if (ends_with(copy, ".yaml"))
		return read_yaml(copy, compare, mapping, err);
	if (colon && !ends_with(copy, ".csv"))
		*colon = '\0';
	else
		colon = NULL;
	if (strcmp(copy, thesis_name) == 0 || ends_with(copy, ".csv"))
		return read_scheme(copy, colon ? colon + 1 : NULL, compare, mapping, err);
	return err_add(
	    err, ERR_USAGE,
	    "dse explore: --compare is '%.200s', allowed are FRONT.json:ID, FILE.yaml, FILE.csv or thesis, the latter "
	    "two also with a strategy behind them (thesis:fusion)",
	    name);
}

enum err_code mapping_compare_read(const char *const *name, size_t n, const struct space *space,
                                   struct mapping_compare *compare, struct err *err)
{
	enum err_code code = ERR_OK;
	assert(space && compare && n <= MAPPING_COMPARE_MAX_MAPPING);
	*compare = (struct mapping_compare){.space = space};
	for (size_t i = 0; i < n; i++) {
		enum err_code one = read_mapping(name[i], compare, &compare->mapping[compare->n_mapping++], err);
		code = code == ERR_OK ? one : code;
	}
	return code;
}

void mapping_compare_free(struct mapping_compare *compare)
{
	for (size_t i = 0; i < compare->n_mapping; i++)
		split_scheme_free(&compare->mapping[i].scheme);
	for (size_t i = 0; i < compare->n_place; i++) {
		free(compare->place[i].dominating);
		err_clear(&compare->place[i].err);
	}
	free(compare->place);
	arena_free(&compare->arena);
	*compare = (struct mapping_compare){0};
}
