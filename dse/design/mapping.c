/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/mapping.h"
#include "dse/space/machine_read.h"
#include "dse/space/machine_set.h"
#include "dse/layer/layers.h"
#include "dse/out/paths.h"
#include "dse/design/replay.h"
#include "dse/design/simulate.h"
#include "sim/program/mixed.h"
#include "sim/machine/machine_check.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* Places and designs for a network that has been read. */
static enum err_code make_room(struct mapping *mapping, struct err *err)
{
	size_t n = mapping->network.n_block;
	mapping->design = arena_array(&mapping->arena, n, sizeof(*mapping->design));
	mapping->place = arena_array(&mapping->arena, n, sizeof(*mapping->place));
	return mapping->design && mapping->place ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
}

/* A network's name may hold anything; a mapping's may not. */
static void make_name(struct mapping *mapping)
{
	int n = snprintf(mapping->name, sizeof(mapping->name), "%.60s_on_%.60s", mapping->network.name,
	                 mapping->machine.name);
	assert(n > 0 && (size_t)n < sizeof(mapping->name));
	for (char *at = mapping->name; *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *at))
			*at = '_';
}

enum err_code mapping_open(const char *machine_file, const char *network_file, struct mapping *mapping, struct err *err)
{
	struct arena *arena = &mapping->arena;
	assert(machine_file && network_file && mapping);
	*mapping = (struct mapping){0};
	mapping->machine_file = arena_text(arena, machine_file);
	mapping->network_file = arena_text(arena, network_file);
	if (!mapping->machine_file || !mapping->network_file)
		return err_add(err, ERR_INTERNAL, "out of memory");
	enum err_code code = path_find(machine_file, "machines", arena, &mapping->machine_path, err);
	if (code == ERR_OK)
		code = machine_read_sources(mapping->machine_path, &mapping->machine, &mapping->sources, arena, err);
	enum err_code other = path_find(network_file, "networks", arena, &mapping->network_path, err);
	if (other == ERR_OK)
		other = network_read(mapping->network_path, &mapping->network, err);
	code = code == ERR_OK ? other : code;
	if (code == ERR_OK)
		make_name(mapping);
	return code == ERR_OK ? make_room(mapping, err) : code;
}

void mapping_free(struct mapping *mapping)
{
	network_free(&mapping->network);
	arena_free(&mapping->arena);
	*mapping = (struct mapping){0};
}

void mapping_follow(const struct network *network, struct layer_design *design)
{
	unsigned state = 0;
	assert(network && design);
	for (size_t i = 0; i < network->n_block; i++) {
		const struct block *block = &network->block[i];
		unsigned place = layer_state_place(block, state);
		design[i].in_storage = (place & PLACE_IFMAP) != 0;
		design[i].add_storage = (place & PLACE_ADDED) != 0;
		design[i].weight_ahead = place_weight(place);
		design[i].held_storage = (place & PLACE_HELD) != 0 &&
		                         (design[i].weight_ahead != AHEAD_NONE || design[i].fetch_next != AHEAD_NONE);
		state = layer_next_state(block, state, design[i].out_storage) |
		        (unsigned)design[i].fetch_next * LAYER_STATE_WEIGHT_UNIT;
	}
}

void mapping_contexts(const struct mapping *mapping, struct layer_context *context)
{
	const struct network *network = &mapping->network;
	assert(mapping->design && context);
	for (size_t i = 0; i < network->n_block; i++) {
		uint32_t own_bit = mapping->design[i].operand_bit;
		uint32_t next_bit = i + 1 < network->n_block ? mapping->design[i + 1].operand_bit : own_bit;
		struct ahead ahead = ahead_around(network, i, own_bit, next_bit);
		mapper_prepare_form(&network->block[i], &mapping->machine, own_bit, mapping->design[i].form,
		                    &context[i]);
		mapper_set_ahead(&context[i], &ahead);
	}
}

enum err_code mapping_check(const struct mapping *mapping, struct err *err)
{
	struct arena arena = {0};
	size_t n = mapping->network.n_block;
	struct layer_context *context = arena_array(&arena, n, sizeof(*context));
	struct program *program = arena_alloc(&arena, sizeof(*program));
	enum err_code code = context && program ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK)
		mapping_contexts(mapping, context);
	for (size_t i = 0; i < n && context && program; i++) {
		struct verdict verdict;
		if (mapper_distribute(&context[i], &mapping->design[i], program, &verdict))
			continue;
		const struct verdict_info *info = &verdict_table[verdict.reason];
		struct err part = {0};
		code = verdict.available > 0
		           ? err_add(&part, ERR_INFEASIBLE,
		                     "layer %s cannot run: %s: %" PRIu64 " byte demanded, %" PRIu64 " available",
		                     mapping->network.block[i].name, info->help, verdict.demanded, verdict.available)
		           : err_add(&part, ERR_INFEASIBLE, "layer %s cannot run: %s", mapping->network.block[i].name,
		                     info->help);
		(void)err_move(err, mapping->place[i], &part);
	}
	arena_free(&arena);
	return code;
}

enum err_code mapping_by_rules(struct mapping *mapping, const struct split_scheme *scheme, enum strategy strategy,
                               uint32_t level, struct err *err)
{
	struct arena arena = {0};
	size_t n = mapping->network.n_block;
	bool *none = arena_array(&arena, n, sizeof(*none)); /* designed, not run */
	struct simulated *block = arena_array(&arena, n, sizeof(*block));
	struct simulate_options options = {.scheme = scheme, .strategy = strategy, .level = level, .shown = none};
	assert(level < mapping->machine.n_level);
	enum err_code code = none && block ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	if (code == ERR_OK)
		code = simulate_network(&mapping->machine, &mapping->network, &options, block, err);
	for (size_t i = 0; i < n && code == ERR_OK; i++)
		mapping->design[i] = block[i].design;
	arena_free(&arena);
	return code;
}

/* The entry of a parameter, a new one where it has none; NULL: out of memory. */
void mapping_take_axis(const struct mapping *mapping, const char *key, struct mapping_axis *axis)
{
	*axis = (struct mapping_axis){.param = machine_find_param(key)};
	(void)snprintf(axis->key, sizeof(axis->key), "%s", key);
	if (axis->param)
		(void)machine_print_param(&mapping->machine, axis->param, axis->text, sizeof(axis->text));
	else
		machine_set_print_level(&mapping->machine, key, axis->text);
}

static struct mapping_axis *find_axis(struct mapping *mapping, const char *key)
{
	for (size_t i = 0; i < mapping->n_axis; i++)
		if (strcmp(mapping->axis[i].key, key) == 0)
			return &mapping->axis[i];
	struct mapping_axis *axis = arena_array(&mapping->arena, mapping->n_axis + 1, sizeof(*axis));
	if (!axis)
		return NULL;
	if (mapping->n_axis > 0)
		memcpy(axis, mapping->axis, mapping->n_axis * sizeof(*axis));
	mapping->axis = axis;
	return &axis[mapping->n_axis++];
}

enum err_code mapping_set_axis(struct mapping *mapping, const struct machine_param *param, const char *text,
                               struct err *err)
{
	assert(mapping && param && text);
	struct machine changed = mapping->machine;
	if (!machine_param_serves(param, changed.target))
		return err_add(err, ERR_USAGE, "%s: machine %s, target %s, has no such parameter", param->key,
		               changed.name, machine_target_name[changed.target]);
	enum err_code code = machine_set_param(&changed, param, text, err);
	if (code != ERR_OK)
		return code;
	/* what is checked is the file's: mixed operating points follow from it and may be more */
	struct machine checked = changed;
	while (checked.n_level > 0 && mixed_is(&checked.level[checked.n_level - 1]))
		checked.n_level--;
	code = machine_check(&checked, err);
	struct mapping_axis *axis = code == ERR_OK ? find_axis(mapping, param->key) : NULL;
	if (code == ERR_OK && !axis)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	if (code != ERR_OK)
		return code;
	mapping->machine = changed;
	mapping_take_axis(mapping, param->key, axis);
	return ERR_OK;
}

enum err_code mapping_set_machine(struct mapping *mapping, const char *what, const struct machine_set *set,
                                  struct err *err)
{
	assert(mapping && set);
	struct machine *machine = &mapping->machine;
	uint32_t n_level = machine->n_level;
	/* what is checked is the file's, without mixed operating points */
	while (machine->n_level > 0 && mixed_is(&machine->level[machine->n_level - 1]))
		machine->n_level--;
	enum err_code code = machine_set_apply(what, set, machine, &mapping->sources, err);
	machine->n_level = n_level;
	for (size_t i = 0; i < set->n + set->n_level && code == ERR_OK; i++) {
		const char *key = i < set->n ? set->setting[i].param->key : set->level[i - set->n].key;
		struct mapping_axis *axis = find_axis(mapping, key);
		if (axis)
			mapping_take_axis(mapping, key, axis);
		else
			code = err_add(err, ERR_INTERNAL, "out of memory");
	}
	return code;
}

enum err_code mapping_offer_levels(struct mapping *mapping, struct err *err)
{
	assert(mapping);
	return mixed_has_pairs(&mapping->machine) ? ERR_OK : mixed_offer(&mapping->machine, 0, err);
}

/* Which of the point's networks is meant. */
static enum err_code choose_network(const struct replay *replay, const char *network, size_t *index, struct err *err)
{
	char list[400] = "";
	size_t n = 0;
	for (size_t i = 0; i < replay->n_network; i++) {
		const char *name = replay->network[i].name;
		if (network ? strcmp(name, network) == 0 : replay->n_network == 1) {
			*index = i;
			return ERR_OK;
		}
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", name);
	}
	return err_add(err, ERR_USAGE, "point %" PRIu64 " has %s%.60s%s, allowed is one of %s", replay->id,
	               network ? "no network '" : "several networks", network ? network : "", network ? "'" : "", list);
}

/* Everything but the designs, out of the replay, which keeps nothing of the network. */
static enum err_code take_replay(struct replay *replay, size_t index, struct mapping *mapping, struct err *err)
{
	struct arena *arena = &mapping->arena;
	mapping->machine = replay->machine;
	mapping->network = replay->space.network[index].network;
	replay->space.network[index].network = (struct network){0};
	mapping->level_shares = replay->level_shares;
	mapping->machine_path = mapping->machine_file = arena_text(arena, replay->machine_path);
	mapping->network_path = mapping->network_file = arena_text(arena, replay->space.network[index].path);
	size_t n_level = replay->set_levels ? replay->set_levels->n : 0;
	mapping->axis = arena_array(arena, replay->axes->n + n_level + 1, sizeof(*mapping->axis));
	if (!mapping->machine_path || !mapping->network_path || !mapping->axis ||
	    !machine_sources_init(&mapping->sources, arena))
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < replay->axes->n; i++)
		mapping_take_axis(mapping, replay->axes->key[i]->text, &mapping->axis[mapping->n_axis++]);
	for (size_t i = 0; i < n_level; i++)
		if (machine_set_has_level(&mapping->machine, replay->set_levels->key[i]->text))
			mapping_take_axis(mapping, replay->set_levels->key[i]->text, &mapping->axis[mapping->n_axis++]);
	make_name(mapping);
	return make_room(mapping, err);
}

enum err_code mapping_from_point(const char *spec, const char *network, struct mapping *mapping, struct err *err)
{
	static const struct simulate_how fast = {0};
	struct replay replay;
	size_t index = 0;
	assert(spec && mapping);
	*mapping = (struct mapping){0};
	enum err_code code = replay_run(spec, &fast, false, &replay, err);
	if (code == ERR_OK)
		code = choose_network(&replay, network, &index, err);
	if (code == ERR_OK && replay.recorded == replay.detail && !replay.is_equal)
		code = err_add(err, ERR_INPUT, "%s is not what the front recorded: %s", spec,
		               err_text(&replay.difference));
	if (code == ERR_OK)
		code = take_replay(&replay, index, mapping, err);
	for (size_t i = 0; code == ERR_OK && i < mapping->network.n_block; i++)
		mapping->design[i] = replay.network[index].block[i].design;
	replay_free(&replay);
	return code;
}

enum err_code mapping_load(const char *spec, struct mapping *mapping, struct err *err)
{
	assert(spec && mapping);
	const char *colon = strrchr(spec, ':');
	bool is_point = colon && colon[1] != '\0' && strspn(colon + 1, "0123456789") == strlen(colon + 1);
	return is_point ? mapping_from_point(spec, NULL, mapping, err) : mapping_read(spec, mapping, err);
}
