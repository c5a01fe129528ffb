/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_WHOLE_H
#define DSE_WHOLE_H
/*
 * Whole designs: every layer of every network on one machine, evaluated
 * together, without layer fronts, bounds or composition. The gene of a result's
 * place is a request: it lies in storage QPEs when it fits there, the layer's
 * strategy can write it there, and all readers can fetch it from there. Weights of
 * the next layer are fetched ahead on request where both layers can, and without one
 * where the space leaves the next layer no choice. So every genome stands for a
 * design without contradictions.
 */
#include "dse/search/explore.h"

/* What a layer asks for in its GENE_PLACE: whether to keep its result, plus twice the enum ahead_portion to fetch. */
enum whole_ask { WHOLE_KEEP = 1, WHOLE_FETCH_UNIT = 2 };

/* How many values of these a layer has use for. */
uint32_t whole_n_ask(const struct layer_problem *layer);

/* What asks for this of the layer's places, by its index. */
uint32_t whole_ask_for(const struct layer_problem *layer, uint32_t place);

/* What evaluation knows of the networks. */
struct whole {
	const struct space *space;
	const struct layer_map *map;
	struct layer_input *source; /* [n_block] whose results a block reads, by number through all networks */
};

/* Working memory of one call: allocated once for many designs, as evaluations never allocate. */
struct whole_scratch {
	uint32_t *canonical; /* [genome_size] in: GENE_PLACE is an enum whole_ask; then indices of places */
	bool *keeps;         /* [n_block] all readers of the block's result can read storage QPEs */
	struct arena arena;
};

/* Both must outlive it. ERR_INTERNAL; whole_free also after an error. */
enum err_code whole_init(const struct space *space, const struct layer_map *map, struct whole *whole, struct err *err);
void whole_free(struct whole *whole);

/* false when memory is out; whole_scratch_free in any case. */
bool whole_scratch_alloc(struct whole_scratch *scratch, const struct layer_map *map);
void whole_scratch_free(struct whole_scratch *scratch);

/* Turn what scratch->canonical asks for into places. Number of layers that have no place at all for their ifmap. */
unsigned whole_decide_places(const struct whole *whole, const struct layer_set *set, struct whole_scratch *scratch);

/*
 * Evaluate the design that scratch->canonical asks for, whose genes the set's problems have; it has places
 * afterwards. metric [N_METRIC] is of all networks, where out->violation is 0 or a limit on the whole is broken.
 */
void whole_evaluate(const struct whole *whole, const struct layer_set *set, struct whole_scratch *scratch,
                    double *metric, struct evaluation *out);

#endif
