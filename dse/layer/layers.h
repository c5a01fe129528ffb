/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYERS_H
#define DSE_LAYERS_H
/*
 * Layers of a space: which blocks of its networks are the same problem, and
 * those problems on one machine candidate. Repeated layers are solved once.
 */
#include "dse/layer/layer_problem.h"
#include "dse/space/layer_input.h"
#include "dse/space/space.h"

/* Blocks are numbered through all networks, one network after the other. */
struct layer_map {
	size_t n_network, n_block, n_distinct;
	size_t *begin;              /* [n_network + 1] number of a network's first block */
	uint32_t *distinct;         /* [n_block] which distinct layer a block is */
	size_t *first;              /* [n_distinct] number of the first block that is this layer */
	const struct block **block; /* [n_block] */
	struct split_lists lists;   /* see layer_map_list_splits */
	const struct stop
	    *stop; /* what stops evaluations of the layers, which layer_set_build hands on; NULL: a signal */
	struct arena arena;
};

enum err_code layer_map_build(const struct space *space, struct layer_map *map, struct err *err);
void layer_map_free(struct layer_map *map);

/* List the splits that all machines have in common, so that layer_set_build need not for each. ERR_INTERNAL. */
enum err_code layer_map_list_splits(const struct space *space, struct layer_map *map, unsigned n_thread,
                                    struct err *err);

/* Network a block number belongs to. */
size_t layer_map_network(const struct layer_map *map, size_t block);

/* What residency does around a block: the state is bit 0 = the latest result lies in storage QPEs, bit 1 = the held one
 * does, bits 2 and 3 = how much of the block's weights does (enum ahead_portion), fetched by the one before. */
#define LAYER_STATE_WEIGHT_UNIT 4U
#define LAYER_N_STATE (AHEAD_N * 4)
/* Bits 0 and 1 alone: where nothing is fetched ahead. */
#define LAYER_N_RESULT_STATE 4

/* Whether the block's ifmap lies in storage QPEs when it starts in this state. */
bool layer_in_storage(const struct block *block, unsigned state);

/* Whether what its shortcut adds does; false without a shortcut. */
bool layer_added_in_storage(const struct block *block, unsigned state);

/* The state after it, with its own result in storage QPEs or not; it fetches nothing. */
unsigned layer_next_state(const struct block *block, unsigned state, bool out_storage);

/* Whether a block can be in this place (enum place_bit) when it starts in this state; if so, the state after it. */
bool layer_place_fits(const struct block *block, unsigned state, unsigned place, unsigned *next);

/* All distinct layers on one machine candidate. Not movable: problems point into it. */
struct layer_set {
	uint32_t machine_index;
	struct machine machine;
	const struct layer_map *map;
	size_t n_problem;
	struct layer_problem *problem; /* [map->n_distinct] */
	uint64_t n_legal;              /* sum over the distinct layers, saturating */
	double log10_design;           /* of the number of designs of all networks together, reduced */
};

/*
 * Build the candidate's set; *set is NULL, without an error, when the machine
 * is rejected, with the reason in why. The caller frees it with layer_set_free.
 */
enum err_code layer_set_build(const struct space *space, const struct layer_map *map, uint32_t machine_index,
                              struct layer_set **set, char *why, size_t n_why, struct err *err);
void layer_set_free(struct layer_set *set);

/* Whether any of the layer's places has one of these bits. */
bool layer_has_place(const struct layer_problem *layer, unsigned bits);

/* The bits that a state decides: where ifmap, added result and weights lie; and, for places that fetch ahead, a held
 * result that is not read. */
unsigned layer_state_place(const struct block *block, unsigned state);

#endif
