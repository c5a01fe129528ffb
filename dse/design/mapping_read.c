/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings out of YAML. Every mistake is told at its place, and all of them in one pass. */
#include "dse/layer/design_field.h"
#include "dse/design/mapping.h"
#include "dse/out/paths.h"
#include "dse/out/renamed.h"
#include "dse/design/replay.h"
#include "dse/space/machine_read.h"
#include "sim/program/mixed.h"
#include <assert.h>
#include <string.h>

#define MAX_KEY 32 /* of a layer */

/* ---- a layer ---- */

struct layer_reader {
	const struct network *network;
	const struct machine *machine;
	const char **name; /* [network->n_block] */
	struct err *err;
};

/* The keys that a layer, or with in_split its split, may have. */
static size_t list_keys(bool in_split, const char *key[MAX_KEY])
{
	size_t n = 0;
	assert(design_n_field + 2 <= MAX_KEY);
	if (!in_split) {
		key[n++] = "layer";
		key[n++] = "split";
	}
	for (size_t i = 0; i < design_n_field; i++)
		if ((design_field[i].type == FIELD_SPLIT) == in_split)
			key[n++] = in_split ? design_field[i].dimension : design_field[i].key;
	return n;
}

/* One dimension; alone, so that a mistake is told where it stands. */
static void read_dimension(const struct layer_reader *reader, const struct design_field *field,
                           const struct doc_node *node, const struct block *block, struct layer_design *design)
{
	struct layer_design alone = {.split = mapper_split_whole(block, reader->machine)};
	struct err part = {0};
	if (!design_field_read(field, node, reader->machine, &alone, reader->err))
		return;
	if (split_check(block, &alone.split, &part) == ERR_OK)
		memcpy((char *)design + field->offset, design_field_split(field, &alone), sizeof(struct dim_split));
	(void)err_move(reader->err, doc_place(node), &part);
}

static void read_split(const struct layer_reader *reader, const struct doc_node *split, const struct block *block,
                       struct layer_design *design)
{
	const char *key[MAX_KEY];
	design->split = mapper_split_whole(block, reader->machine);
	if (!split)
		return;
	doc_check_keys(split, key, list_keys(true, key), reader->err);
	for (size_t i = 0; i < design_n_field; i++) {
		const struct doc_node *node =
		    design_field[i].type == FIELD_SPLIT ? doc_find(split, design_field[i].dimension) : NULL;
		if (node)
			read_dimension(reader, &design_field[i], node, block, design);
	}
}

/* A strategy, or the names of those that the machine has. */
static void check_strategy(const struct layer_reader *reader, const struct doc_node *node,
                           const struct layer_design *design)
{
	char list[160] = "";
	size_t n = 0;
	if (strategy_serves(design->strategy, reader->machine))
		return;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		if (strategy_serves((enum strategy)i, reader->machine))
			n +=
			    (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", strategy_table[i].name);
	assert(n < sizeof(list));
	(void)doc_refuse(reader->err, node, "strategy: found '%s', machine %s has %s",
	                 strategy_table[design->strategy].name, reader->machine->name, list);
}

/* What one entry says; what follows from other layers is only read, and checked by check_following. */
static void read_layer(const struct layer_reader *reader, const struct doc_node *layer, const struct block *block,
                       struct layer_design *design)
{
	const char *key[MAX_KEY];
	*design = (struct layer_design){.operand_bit = 8};
	doc_check_keys(layer, key, list_keys(false, key), reader->err);
	read_split(reader, doc_find(layer, "split"), block, design);
	for (size_t i = 0; i < design_n_field; i++) {
		const struct design_field *field = &design_field[i];
		const struct doc_node *node = field->type != FIELD_SPLIT ? doc_find(layer, field->key) : NULL;
		if (!node)
			continue;
		if (!design_field_serves(field, block))
			(void)doc_refuse(reader->err, node, "layer %s has no '%s'", block->name, field->key);
		else if (design_field_read(field, node, reader->machine, design, reader->err) &&
		         strcmp(field->key, "strategy") == 0)
			check_strategy(reader, node, design);
	}
	if (!doc_find(layer, "strategy"))
		(void)doc_refuse(reader->err, layer, "key 'strategy' is missing");
	const struct doc_node *result = doc_find(layer, "result");
	if (design->out_storage && block->result_to_dram && result)
		(void)doc_refuse(
		    reader->err, result,
		    "result: found 'storage', allowed is dram: a later layer reads the result of %s from there",
		    block->name);
}

/* ---- the list ---- */

/* The block that an entry is for, or NULL. */
static const struct block *find_block(const struct layer_reader *reader, const struct doc_node *layer)
{
	const struct network *network = reader->network;
	const char *name;
	const struct doc_node *node = doc_find(layer, "layer");
	if (layer->kind != DOC_MAP || !node) {
		(void)doc_refuse(reader->err, layer,
		                 layer->kind == DOC_MAP ? "key 'layer' is missing"
		                                        : "layers: allowed is a list of maps, each with a key 'layer'");
		return NULL;
	}
	if (!doc_get_text(node, "layer", &name, reader->err))
		return NULL;
	const struct block *found = renamed_find_block(network, name);
	if (found)
		return found;
	const char *nearest = err_nearest(name, reader->name, network->n_block);
	(void)doc_refuse(reader->err, node, "network %s has no layer '%s'%s%s%s", network->name, doc_quote(name).text,
	                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return NULL;
}

/* Names of blocks without an entry, at most some of them. */
static void report_missing(const struct layer_reader *reader, const struct doc_node *layers,
                           const struct doc_node *const *entry)
{
	char list[400] = "";
	size_t n = 0, n_missing = 0;
	for (size_t i = 0; i < reader->network->n_block; i++) {
		if (entry[i])
			continue;
		n_missing++;
		if (n + BLOCK_NAME_SIZE + 8 < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "",
			                      reader->network->block[i].name);
	}
	if (n_missing > 0)
		(void)doc_refuse(reader->err, layers, "layers: %zu of network %s missing: %s", n_missing,
		                 reader->network->name, list);
}

/* Values that follow from other layers and that an entry gives all the same. */
static void check_following(const struct layer_reader *reader, const struct doc_node *const *entry,
                            const struct layer_design *given, const struct layer_design *design)
{
	for (size_t i = 0; i < reader->network->n_block; i++) {
		for (size_t k = 0; k < design_n_field; k++) {
			const struct design_field *field = &design_field[k];
			const struct doc_node *node = field->follows ? doc_find(entry[i], field->key) : NULL;
			char follows[FIELD_TEXT_SIZE], found[FIELD_TEXT_SIZE];
			if (!node)
				continue;
			design_field_print(field, reader->machine, &design[i], follows);
			design_field_print(field, reader->machine, &given[i], found);
			if (strcmp(follows, found) != 0)
				(void)doc_refuse(
				    reader->err, node,
				    "%s: found '%s', but from what the layers before leave it follows '%s'", field->key,
				    found, follows);
		}
	}
}

/* Entries by block. false: some are missing or double. */
static bool sort_entries(const struct layer_reader *reader, const struct doc_node *layers,
                         const struct doc_node **entry)
{
	unsigned n_before = reader->err->n_message;
	for (size_t i = 0; i < layers->n; i++) {
		const struct doc_node *layer = layers->value[i];
		const struct block *block = find_block(reader, layer);
		const struct doc_node **own = block ? &entry[block - reader->network->block] : NULL;
		if (own && *own)
			(void)doc_refuse(reader->err, layer, "layer %s is there already, in line %u", block->name,
			                 (*own)->line);
		else if (own)
			*own = layer;
	}
	report_missing(reader, layers, entry);
	return reader->err->n_message == n_before;
}

enum err_code mapping_read_layers(const struct doc_node *layers, const struct network *network,
                                  const struct machine *machine, struct layer_design *design, struct err_place *place,
                                  struct err *err)
{
	struct arena arena = {0};
	assert(layers && network && machine && design && err);
	struct layer_reader reader = {network, machine, arena_array(&arena, network->n_block, sizeof(*reader.name)),
	                              err};
	unsigned n_before = err->n_message;
	const struct doc_node **entry = arena_array(&arena, network->n_block, sizeof(*entry));
	struct layer_design *given = arena_array(&arena, network->n_block, sizeof(*given));
	if (!entry || !given || !reader.name || layers->kind != DOC_LIST) {
		arena_free(&arena);
		if (layers->kind == DOC_LIST)
			return err_add(err, ERR_INTERNAL, "out of memory");
		return err_add_at(err, ERR_INPUT, doc_place(layers),
		                  "layers: allowed is a list, each item e.g. {layer: CONV_1, strategy: fusion}");
	}
	for (size_t i = 0; i < network->n_block; i++)
		reader.name[i] = network->block[i].name;
	bool is_whole = sort_entries(&reader, layers, entry);
	for (size_t i = 0; i < network->n_block; i++) {
		if (!entry[i])
			continue;
		read_layer(&reader, entry[i], &network->block[i], &given[i]);
		if (place)
			place[i] = doc_place(entry[i]);
	}
	if (is_whole && err->n_message == n_before) {
		memcpy(design, given, network->n_block * sizeof(*design));
		mapping_follow(network, design);
		check_following(&reader, entry, given, design);
	}
	arena_free(&arena);
	return err->n_message == n_before ? ERR_OK : ERR_INPUT;
}

/* ---- the file ---- */

/* A file that the mapping names: the mistake is the name. */
static const char *find_file(const char *path, const struct doc_node *root, const char *key, const char *kind,
                             const char **name, struct mapping *mapping, struct err *err)
{
	const char *found = NULL;
	const struct doc_node *node = doc_find(root, key);
	struct err part = {0};
	if (!node) {
		(void)doc_refuse(err, root, "key '%s' is missing", key);
		return NULL;
	}
	if (!doc_get_text(node, key, name, err))
		return NULL;
	if (path_find_beside(path, *name, kind, &mapping->arena, &found, &part) != ERR_OK)
		found = NULL;
	part.code = part.code == ERR_IO ? ERR_INPUT : part.code;
	(void)err_move(err, doc_place(node), &part);
	return found;
}

static void read_axes(const struct doc_node *root, struct mapping *mapping, struct err *err)
{
	const struct doc_node *axes = doc_find(root, "axes"), *shares = doc_find(root, "level_shares");
	unsigned n_before = err->n_message;
	if (axes)
		replay_set_axes(axes, &mapping->machine, err);
	(void)doc_get_u64(shares, "level_shares", 2, MACHINE_MAX_LEVEL - 1, &mapping->level_shares, err);
	if (err->n_message == n_before) {
		struct err part = {0};
		(void)mixed_offer(&mapping->machine, (uint32_t)mapping->level_shares, &part);
		(void)err_move(err, doc_place(shares ? shares : root), &part);
	}
	if (!axes || err->n_message != n_before)
		return;
	mapping->axis = arena_array(&mapping->arena, axes->n + 1, sizeof(*mapping->axis));
	for (size_t i = 0; mapping->axis && i < axes->n; i++)
		mapping_take_axis(mapping, axes->key[i]->text, &mapping->axis[mapping->n_axis++]);
	if (!mapping->axis)
		(void)err_add(err, ERR_INTERNAL, "out of memory");
}

/* Machine and network first: without them no layer can be read. */
static void read_document(const char *path, const struct doc_node *root, struct mapping *mapping, struct err *err)
{
	static const char *const keys[] = {"mapping", "machine", "network", "axes", "level_shares", "layers"};
	doc_check_keys(root, keys, sizeof(keys) / sizeof(keys[0]), err);
	if (root->kind != DOC_MAP)
		return;
	const struct doc_node *name = doc_find(root, "mapping"), *layers = doc_find(root, "layers");
	if (name)
		machine_read_name(name, "mapping", mapping->name, sizeof(mapping->name), err);
	else
		(void)doc_refuse(err, root, "key 'mapping' is missing");
	if (!layers)
		(void)doc_refuse(err, root, "key 'layers' is missing");
	mapping->machine_path = find_file(path, root, "machine", "machines", &mapping->machine_file, mapping, err);
	mapping->network_path = find_file(path, root, "network", "networks", &mapping->network_file, mapping, err);
	bool has_both = mapping->machine_path && mapping->network_path &&
	                machine_read_sources(mapping->machine_path, &mapping->machine, &mapping->sources,
	                                     &mapping->arena, err) == ERR_OK &&
	                network_read(mapping->network_path, &mapping->network, err) == ERR_OK;
	if (!has_both)
		return;
	read_axes(root, mapping, err);
	size_t n = mapping->network.n_block;
	mapping->design = arena_array(&mapping->arena, n, sizeof(*mapping->design));
	mapping->place = arena_array(&mapping->arena, n, sizeof(*mapping->place));
	if (!mapping->design || !mapping->place)
		(void)err_add(err, ERR_INTERNAL, "out of memory");
	else if (layers)
		(void)mapping_read_layers(layers, &mapping->network, &mapping->machine, mapping->design, mapping->place,
		                          err);
}

enum err_code mapping_read(const char *path, struct mapping *mapping, struct err *err)
{
	struct doc_node *root = NULL;
	assert(path && mapping && err);
	*mapping = (struct mapping){0};
	enum err_code code = doc_read_file(path, &mapping->arena, &root, err);
	if (!root)
		return code;
	unsigned n_before = err->n_message;
	read_document(path, root, mapping, err);
	return code != ERR_OK || err->n_message == n_before ? code : err->code;
}
