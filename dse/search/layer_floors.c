/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/layer_floors.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* What was read from a journal may be of any layer. */
static bool is_of(const struct layer_floor *floor, const struct layer_problem *layer)
{
	bool is_own = floor->point.n_objective == layer->n_metric;
	for (size_t i = 0; i < floor->point.n * N_LAYER_GENE && is_own; i++)
		is_own = floor->point.genome[i] < layer_gene_end(layer, i % N_LAYER_GENE);
	return is_own;
}

static bool serves(const struct layer_floor *floor, const struct layer_problem *layer, uint64_t room_byte,
                   double epsilon)
{
	return floor->with_slower == layer->with_slower && floor->need_byte <= room_byte &&
	       room_byte <= floor->room_byte && floor->epsilon <= epsilon && is_of(floor, layer);
}

/* Whether one of two that serve comes first. */
static bool is_better(const struct layer_floor *floor, const struct layer_floor *other)
{
	bool is_finer = floor->epsilon<other->epsilon, is_coarser = floor->epsilon> other->epsilon;
	return is_finer || (!is_coarser && floor->room_byte < other->room_byte);
}

const struct layer_floor *layer_floor_find(const struct layer_floor *first, const struct layer_problem *layer,
                                           double epsilon)
{
	const struct layer_floor *found = NULL;
	uint64_t room_byte = front_room_byte(layer);
	for (const struct layer_floor *floor = first; floor; floor = floor->next)
		if (serves(floor, layer, room_byte, epsilon) && (!found || is_better(floor, found)))
			found = floor;
	return found;
}

static struct layer_floor *new_floor(unsigned n_metric)
{
	struct layer_floor *floor = calloc(1, sizeof(*floor));
	if (floor)
		pareto_init(&floor->point, n_metric, N_LAYER_GENE);
	return floor;
}

static void append(struct layer_floor **first, struct layer_floor *floor)
{
	struct layer_floor **last = first;
	while (*last)
		last = &(*last)->next;
	*last = floor;
}

void layer_floors_free(struct layer_floor *first)
{
	for (struct layer_floor *floor = first; floor;) {
		struct layer_floor *next = floor->next;
		pareto_free(&floor->point);
		free(floor);
		floor = next;
	}
}

const struct layer_floor *layer_floor_keep(struct layer_floor **first, const struct layer_problem *layer,
                                           double epsilon, bool has_failed, const struct pareto *point)
{
	struct layer_floor *floor = new_floor(point->n_objective);
	uint64_t room_byte = front_room_byte(layer);
	assert(point->n_gene == N_LAYER_GENE && epsilon > 0);
	if (!floor)
		return NULL;
	*floor = (struct layer_floor){.room_byte = room_byte,
	                              .epsilon = epsilon,
	                              .with_slower = layer->with_slower,
	                              .has_failed = has_failed,
	                              .point = floor->point};
	for (size_t i = 0; i < point->n; i++) {
		const uint32_t *genome = point->genome + i * N_LAYER_GENE;
		uint64_t need_byte = room_byte > 0 ? front_need_byte(layer, genome) : 0;
		floor->need_byte = need_byte > floor->need_byte ? need_byte : floor->need_byte;
		if (!pareto_append(&floor->point, point->objective + i * point->n_objective, genome, 0)) {
			layer_floors_free(floor);
			return NULL;
		}
	}
	append(first, floor);
	return floor;
}

static void pack_floor(struct layer_floor *floor, struct pack *pack)
{
	pack_u64(pack, &floor->room_byte);
	pack_u64(pack, &floor->need_byte);
	pack_real(pack, &floor->epsilon);
	pack_bool(pack, &floor->with_slower);
	pack_bool(pack, &floor->has_failed);
	pareto_pack(&floor->point, NULL, pack);
}

void layer_floor_write(const struct layer_floor *floor, struct pack *pack)
{
	struct layer_floor own = *floor; /* a writer changes nothing */
	assert(!pack->is_reading);
	pack_floor(&own, pack);
}

const struct layer_floor *layer_floor_read(struct layer_floor **first, unsigned n_metric, struct pack *pack)
{
	struct layer_floor *floor = new_floor(n_metric);
	assert(pack->is_reading);
	if (!pack_refuse(pack, !floor))
		pack_floor(floor, pack);
	if (pack_refuse(pack, floor && !(floor->epsilon > 0))) {
		layer_floors_free(floor);
		return NULL;
	}
	append(first, floor);
	return floor;
}
