/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LAYER_FLOORS_H
#define DSE_LAYER_FLOORS_H
/*
 * Floors of layers (branch_relax) that outlooks of several machines have in common: each is searched once.
 *
 *   entry of a layer (front_cache.h) ─► floor: room 262144, epsilon 0.02, its designs need 98304
 *                                    ─► floor: room  65536, epsilon 0.05, its designs need 61440
 *
 * A floor of more room or of a smaller epsilon holds as well. It serves where its designs run, too: there it is no
 * lower than a floor of that room, since all that it has fewer of is designs that do not run.
 */
#include "dse/base/pack.h"
#include "dse/layer/front_key.h"
#include "dse/pareto/pareto.h"

struct layer_floor {
	struct layer_floor *next;
	uint64_t room_byte, need_byte; /* serves from need to room; both 0 where SRAM is in the key */
	double epsilon;
	bool with_slower;    /* it holds for slower NoC and DRAM clocks, too */
	bool has_failed;     /* some design could not be run: nothing is known of it */
	struct pareto point; /* with genomes of designs */
};

/* One that serves, the one of the smallest epsilon, of these that of the least room; NULL: none does. */
const struct layer_floor *layer_floor_find(const struct layer_floor *first, const struct layer_problem *layer,
                                           double epsilon);

/* Keep a floor of a layer, a copy, at the end of an entry's list. NULL when memory is out. */
const struct layer_floor *layer_floor_keep(struct layer_floor **first, const struct layer_problem *layer,
                                           double epsilon, bool has_failed, const struct pareto *point);

/* Write a floor; read one that was written, to the end of an entry's list: NULL when the pack is refused. */
void layer_floor_write(const struct layer_floor *floor, struct pack *pack);
const struct layer_floor *layer_floor_read(struct layer_floor **first, unsigned n_metric, struct pack *pack);

void layer_floors_free(struct layer_floor *first);

#endif
