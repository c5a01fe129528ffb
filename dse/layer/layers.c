/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/layers.h"
#include "dse/space/space_machine.h"
#include "dse/bound/deadline.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_dim(const struct dim_choice *left, const struct dim_choice *right)
{
	for (size_t i = 0; i < left->n_fixed && left->n_fixed == right->n_fixed; i++) {
		const struct dim_split *a = &left->fixed[i], *b = &right->fixed[i];
		if (a->size_a != b->size_a || a->n_a != b->n_a || a->size_b != b->size_b || a->n_b != b->n_b)
			return false;
	}
	return left->n_fixed == right->n_fixed && left->choice == right->choice && left->max_part == right->max_part;
}

static bool same_choice(const struct layer_choice *left, const struct layer_choice *right)
{
	for (size_t i = 0; i < N_SPLIT_DIM; i++)
		if (!same_dim(&left->dim[i], &right->dim[i]))
			return false;
	return left->thesis_split == right->thesis_split && left->to_dram == right->to_dram &&
	       memcmp(left->strategy, right->strategy, sizeof(left->strategy)) == 0 &&
	       memcmp(left->reuse, right->reuse, sizeof(left->reuse)) == 0 && left->level_mask == right->level_mask &&
	       memcmp(left->form, right->form, sizeof(left->form)) == 0 && left->operand_8bit == right->operand_8bit &&
	       left->operand_16bit == right->operand_16bit &&
	       memcmp(left->fetch, right->fetch, sizeof(left->fetch)) == 0 &&
	       memcmp(left->fetch_next, right->fetch_next, sizeof(left->fetch_next)) == 0 &&
	       ahead_same(&left->ahead, &right->ahead);
}

/* Of residency only what decides which places a layer may use makes another problem of it. */
static bool same_layer(const struct space_network *network, size_t left, size_t right)
{
	const struct block *a = &network->network.block[left], *b = &network->network.block[right];
	return a->same_as == b->same_as && a->result_to_dram == b->result_to_dram &&
	       (a->input == INPUT_DRAM) == (b->input == INPUT_DRAM) &&
	       (a->added == INPUT_DRAM) == (b->added == INPUT_DRAM) &&
	       same_choice(&network->choice[left], &network->choice[right]);
}

static void number_blocks(const struct space *space, struct layer_map *map)
{
	for (size_t i = 0; i < map->n_network; i++) {
		const struct space_network *network = &space->network[i];
		for (size_t at = 0; at < network->network.n_block; at++) {
			size_t number = map->begin[i] + at, same = 0;
			map->block[number] = &network->network.block[at];
			while (same < at && !same_layer(network, same, at))
				same++;
			if (same < at) {
				map->distinct[number] = map->distinct[map->begin[i] + same];
			} else {
				map->distinct[number] = (uint32_t)map->n_distinct;
				map->first[map->n_distinct++] = number;
			}
		}
	}
	assert(map->n_distinct <= map->n_block);
}

enum err_code layer_map_build(const struct space *space, struct layer_map *map, struct err *err)
{
	assert(space && map);
	*map = (struct layer_map){.n_network = space->n_network};
	map->begin = arena_array(&map->arena, map->n_network + 1, sizeof(*map->begin));
	if (!map->begin)
		return err_add(err, ERR_INTERNAL, "out of memory");
	for (size_t i = 0; i < map->n_network; i++)
		map->begin[i + 1] = map->begin[i] + space->network[i].network.n_block;
	map->n_block = map->begin[map->n_network];
	map->distinct = arena_array(&map->arena, map->n_block, sizeof(*map->distinct));
	map->first = arena_array(&map->arena, map->n_block, sizeof(*map->first));
	map->block = arena_array(&map->arena, map->n_block, sizeof(*map->block));
	if (!map->distinct || !map->first || !map->block) {
		layer_map_free(map);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	number_blocks(space, map);
	return ERR_OK;
}

enum err_code layer_map_list_splits(const struct space *space, struct layer_map *map, unsigned n_thread,
                                    struct err *err)
{
	enum err_code code = ERR_OK;
	assert(space && map->lists.n == 0);
	for (size_t i = 0; i < map->n_distinct && code == ERR_OK; i++) {
		size_t number = map->first[i], network = layer_map_network(map, number);
		code = split_lists_add(&map->lists, map->block[number],
		                       &space->network[network].choice[number - map->begin[network]], err);
	}
	return code == ERR_OK ? split_lists_build(&map->lists, n_thread, err) : code;
}

void layer_map_free(struct layer_map *map)
{
	split_lists_free(&map->lists);
	arena_free(&map->arena);
	*map = (struct layer_map){0};
}

size_t layer_map_network(const struct layer_map *map, size_t block)
{
	assert(block < map->n_block);
	size_t i = 0;
	while (block >= map->begin[i + 1])
		i++;
	return i;
}

static bool input_in_storage(enum block_input input, unsigned state)
{
	assert(state < LAYER_N_STATE);
	switch (input) {
	case INPUT_LATEST:
		return (state & 1U) != 0;
	case INPUT_HELD:
		return (state & 2U) != 0;
	case INPUT_DRAM:
		return false;
	}
	assert(false);
	return false;
}

bool layer_in_storage(const struct block *block, unsigned state)
{
	return input_in_storage(block->input, state);
}

bool layer_added_in_storage(const struct block *block, unsigned state)
{
	return block->has_mat_ele && input_in_storage(block->added, state);
}

unsigned layer_state_place(const struct block *block, unsigned state)
{
	bool held = !ahead_reads_held(block) && (state & (block->hold ? 1U : 2U)) != 0;
	return (layer_in_storage(block, state) ? (unsigned)PLACE_IFMAP : 0U) |
	       (layer_added_in_storage(block, state) ? (unsigned)PLACE_ADDED : 0U) |
	       state / LAYER_STATE_WEIGHT_UNIT * PLACE_WEIGHT_UNIT | (held ? (unsigned)PLACE_HELD : 0U);
}

bool layer_place_fits(const struct block *block, unsigned state, unsigned place, unsigned *next)
{
	const unsigned ahead = PLACE_WEIGHT | PLACE_FETCH, free = PLACE_RESULT | PLACE_FETCH;
	unsigned read = layer_state_place(block, state);
	assert(place < PLACE_N);
	/* places that fetch nothing do not ask for room beside what is held */
	if ((place & ahead) == 0)
		read &= ~(unsigned)PLACE_HELD;
	if ((place & ~free) != read || ((place & PLACE_RESULT) != 0 && block->result_to_dram))
		return false;
	*next = layer_next_state(block, state, (place & PLACE_RESULT) != 0) |
	        (unsigned)place_fetch(place) * LAYER_STATE_WEIGHT_UNIT;
	return true;
}

unsigned layer_next_state(const struct block *block, unsigned state, bool out_storage)
{
	assert(state < LAYER_N_STATE);
	bool held = block->hold ? (state & 1U) != 0 : (state & 2U) != 0;
	if (block->release_held)
		held = false;
	return (out_storage ? 1U : 0U) | (held ? 2U : 0U);
}

bool layer_has_place(const struct layer_problem *layer, unsigned bits)
{
	for (unsigned i = 0; i < layer->n_value[GENE_PLACE]; i++)
		if ((layer->place[i] & bits) != 0)
			return true;
	return false;
}

static enum err_code build_problems(const struct space *space, const struct layer_map *map, struct layer_set *set,
                                    struct err *err)
{
	for (size_t i = 0; i < map->n_distinct; i++) {
		size_t number = map->first[i], network = layer_map_network(map, number);
		const struct layer_choice *choice = &space->network[network].choice[number - map->begin[network]];
		enum err_code code = layer_problem_build(space, &set->machine, map->block[number], choice, &map->lists,
		                                         &set->problem[i], err);
		if (code != ERR_OK)
			return code;
		set->n_problem++;
		struct layer_problem *layer = &set->problem[i];
		layer->stop = map->stop;
		for (unsigned k = 0; k < layer->n_metric; k++)
			layer->limit[k] = deadline_limit(space, &set->machine, network, layer->metric[k]);
		set->n_legal = add_sat(set->n_legal, set->problem[i].n_legal);
	}
	for (size_t i = 0; i < map->n_block; i++)
		set->log10_design += log10((double)problem_size(&set->problem[map->distinct[i]].problem));
	return ERR_OK;
}

enum err_code layer_set_build(const struct space *space, const struct layer_map *map, uint32_t machine_index,
                              struct layer_set **set, char *why, size_t n_why, struct err *err)
{
	assert(space && map && set && why && n_why > 0);
	*set = NULL;
	struct layer_set *made = calloc(1, sizeof(*made));
	if (!made)
		return err_add(err, ERR_INTERNAL, "out of memory");
	made->machine_index = machine_index;
	made->map = map;
	made->problem = calloc(map->n_distinct, sizeof(*made->problem));
	enum err_code code = made->problem ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory");
	bool accepted = code == ERR_OK && space_machine(space, machine_index, &made->machine, why, n_why);
	if (accepted)
		code = build_problems(space, map, made, err);
	if (accepted && code == ERR_OK)
		*set = made;
	else
		layer_set_free(made);
	return code;
}

void layer_set_free(struct layer_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n_problem; i++)
		layer_problem_free(&set->problem[i]);
	free(set->problem);
	free(set);
}
