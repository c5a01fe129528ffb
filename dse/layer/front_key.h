/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FRONT_KEY_H
#define DSE_FRONT_KEY_H
/*
 * Key of a layer's exact front: a hash of everything that the front depends on. Of
 * the machine these are the parameters that evaluations of the layer's designs read.
 * Machines that differ in other parameters have the same front with the same genomes;
 * so have machines with more SRAM than its designs need (dse/search/front_cache.h).
 */
#include "dse/layer/layer_problem.h"
#include "sim/base/hash.h"

/* A front of a search with this much SRAM is that with less, too, as long as all its designs fit. */
struct front_key {
	char hex[HASH_HEX_SIZE]; /* of everything else but the limits on the layer's metrics */
	uint64_t room_byte;      /* SRAM of a PE; 0: it is in the hash, because evaluations look at it */
};

/*
 * The key of a layer problem of one place, as dse/search/candidate.h makes them: equal keys and limits, equal fronts by
 * branch and bound or by trying all designs; of two limits on a metric the front within the lower one is what of the
 * other's keeps it. false when memory is out.
 */
bool front_key_make(const struct layer_problem *layer, struct front_key *key);

/*
 * A hash of the layer, its genes and its splits without the machine: of layer problems with equal ones a genome of one is
 * a genome of the other, of the same design, but for lists that depend on the array. false when memory is out.
 */
bool front_key_make_shape(const struct layer_problem *layer, char hex[HASH_HEX_SIZE]);

/* The key's room_byte alone. */
uint64_t front_room_byte(const struct layer_problem *layer);

/* SRAM that a design of the layer needs; genome: of the layer problem. */
uint64_t front_need_byte(const struct layer_problem *layer, const uint32_t *genome);

#endif
