/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/whole.h"
#include "dse/space/space_goals.h"
#include "dse/layer/changes.h"
#include "dse/bound/deadline.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Violation of designs that cannot even be built: farther off than any limit. */
#define VIOLATION_NO_PLACE 1e3

static void find_sources(struct whole *whole)
{
	const struct layer_map *map = whole->map;
	for (size_t network = 0; network < map->n_network; network++) {
		size_t begin = map->begin[network];
		layer_input_find(&whole->space->network[network].network, whole->source + begin);
		for (size_t i = begin; i < map->begin[network + 1]; i++) {
			struct layer_input *source = &whole->source[i];
			source->ifmap += source->ifmap == LAYER_INPUT_NONE ? 0 : begin;
			source->added += source->added == LAYER_INPUT_NONE ? 0 : begin;
		}
	}
}

enum err_code whole_init(const struct space *space, const struct layer_map *map, struct whole *whole, struct err *err)
{
	assert(space && map && whole);
	*whole = (struct whole){.space = space, .map = map};
	whole->source = calloc(map->n_block, sizeof(*whole->source));
	if (!whole->source)
		return err_add(err, ERR_INTERNAL, "out of memory");
	find_sources(whole);
	return ERR_OK;
}

void whole_free(struct whole *whole)
{
	free(whole->source);
	*whole = (struct whole){0};
}

bool whole_scratch_alloc(struct whole_scratch *scratch, const struct layer_map *map)
{
	scratch->arena = (struct arena){0};
	scratch->canonical = arena_array(&scratch->arena, genome_size(map), sizeof(*scratch->canonical));
	scratch->keeps = arena_array(&scratch->arena, map->n_block, sizeof(*scratch->keeps));
	return !scratch->arena.is_out;
}

void whole_scratch_free(struct whole_scratch *scratch)
{
	arena_free(&scratch->arena);
}

/* The design of a layer as far as its genes without a place decide it. */
static const struct layer_context *placeless_design(const struct layer_problem *layer, const uint32_t *gene,
                                                    struct layer_design *design)
{
	uint32_t own[N_LAYER_GENE];
	memcpy(own, gene, sizeof(own));
	own[GENE_PLACE] = 0;
	layer_problem_design(layer, own, design);
	return layer_context_of(layer, design);
}

/* Whether a layer can read its ifmap, or what it adds, from storage QPEs. */
static bool may_read(const struct layer_problem *layer, const uint32_t *gene, enum place_bit what)
{
	struct layer_design design;
	const struct layer_context *context = placeless_design(layer, gene, &design);
	return layer_has_place(layer, what) && mapper_serves_storage(context, &design);
}

/* Whether a result may stay in storage QPEs as far as its own layer decides. */
static bool may_keep(const struct layer_problem *layer, const uint32_t *gene)
{
	struct layer_design design;
	const struct layer_context *context = placeless_design(layer, gene, &design);
	return gene[GENE_PLACE] % WHOLE_FETCH_UNIT == WHOLE_KEEP && mapper_serves_storage(context, &design) &&
	       mapper_result_fits_storage(context, &design.split);
}

/* Whether a layer can be on this side of fetching so much ahead: place_bits of PLACE_FETCH, or of the next one's
 * PLACE_WEIGHT. */
static bool may_ahead(const struct layer_problem *layer, const uint32_t *gene, unsigned place_bits)
{
	struct layer_design design;
	const struct layer_context *context = placeless_design(layer, gene, &design);
	layer_design_place(&design, place_bits);
	return mapper_serves_ahead(context, &design);
}

/* Whether block i, which is not its network's last, can fetch so much of the next one's weights. */
static bool may_fetch(const struct whole *whole, const struct layer_set *set, const struct whole_scratch *scratch,
                      size_t i, unsigned portion)
{
	const uint32_t *gene = scratch->canonical + 1 + i * N_LAYER_GENE;
	assert(i + 1 < whole->map->n_block && portion < AHEAD_N);
	return portion != AHEAD_NONE &&
	       may_ahead(&set->problem[whole->map->distinct[i]], gene, portion * PLACE_FETCH_UNIT) &&
	       may_ahead(&set->problem[whole->map->distinct[i + 1]], gene + N_LAYER_GENE, portion * PLACE_WEIGHT_UNIT);
}

/* The layer's place in this state that grants exactly that. -1: there is none. */
static int find_place(const struct layer_problem *layer, const struct block *block, unsigned state, unsigned granted,
                      unsigned *next)
{
	for (unsigned i = 0; i < layer->n_value[GENE_PLACE]; i++)
		if ((layer->place[i] & (PLACE_RESULT | PLACE_FETCH)) == granted &&
		    layer_place_fits(block, state, layer->place[i], next))
			return (int)i;
	return -1;
}

/*
 * The layer's place in this state that grants most of what is asked for: first the fetch is given up, then the result's
 * place; the other way round where the next layer cannot do without the fetch. -1: there is none.
 */
static int find_granted(const struct layer_problem *layer, const struct block *block, unsigned state, unsigned asked,
                        bool must_fetch, unsigned *next)
{
	const unsigned first = must_fetch ? PLACE_RESULT : PLACE_FETCH,
		       second = must_fetch ? PLACE_FETCH : PLACE_RESULT;
	const unsigned given_up[] = {0, first, second, first | second};
	int place = -1;
	for (size_t k = 0; k < sizeof(given_up) / sizeof(given_up[0]) && place < 0; k++)
		place = find_place(layer, block, state, asked & ~given_up[k], next);
	return place;
}

/* Whether the space leaves a layer no place but with weights fetched ahead. */
static bool needs_fetch(const struct layer_problem *layer)
{
	for (unsigned i = 0; i < layer->n_value[GENE_PLACE]; i++)
		if (place_weight(layer->place[i]) == AHEAD_NONE)
			return false;
	return true;
}

/* Whether a layer has a place with so much of its weights fetched ahead. */
static bool takes_portion(const struct layer_problem *layer, unsigned portion)
{
	for (unsigned i = 0; i < layer->n_value[GENE_PLACE]; i++)
		if (place_weight(layer->place[i]) == portion)
			return true;
	return false;
}

/*
 * How much block i fetches of the next one's weights: what it asks for, if both can; where the next one cannot do
 * without (*must), the least that both can.
 */
static unsigned portion_of(const struct whole *whole, const struct layer_set *set, const struct whole_scratch *scratch,
                           size_t i, bool *must)
{
	const struct layer_problem *next = &set->problem[whole->map->distinct[i + 1]];
	unsigned asked = scratch->canonical[1 + i * N_LAYER_GENE + GENE_PLACE] / WHOLE_FETCH_UNIT;
	*must = needs_fetch(next);
	if (may_fetch(whole, set, scratch, i, asked) && (!*must || takes_portion(next, asked)))
		return asked;
	for (unsigned portion = 1; portion < AHEAD_N && *must; portion++)
		if (takes_portion(next, portion) && may_fetch(whole, set, scratch, i, portion))
			return portion;
	return AHEAD_NONE;
}

uint32_t whole_n_ask(const struct layer_problem *layer)
{
	uint32_t most = layer_has_place(layer, PLACE_RESULT) ? WHOLE_KEEP : 0;
	for (unsigned i = 0; i < layer->n_value[GENE_PLACE]; i++) {
		uint32_t fetch = place_fetch(layer->place[i]) * WHOLE_FETCH_UNIT + WHOLE_KEEP;
		most = place_fetch(layer->place[i]) != AHEAD_NONE && fetch > most ? fetch : most;
	}
	return most + 1;
}

uint32_t whole_ask_for(const struct layer_problem *layer, uint32_t place)
{
	assert(place < layer->n_value[GENE_PLACE]);
	uint8_t bits = layer->place[place];
	return ((bits & PLACE_RESULT) != 0 ? (uint32_t)WHOLE_KEEP : 0U) + place_fetch(bits) * WHOLE_FETCH_UNIT;
}

unsigned whole_decide_places(const struct whole *whole, const struct layer_set *set, struct whole_scratch *scratch)
{
	const struct layer_map *map = whole->map;
	unsigned n_homeless = 0;
	/* First the readers say what they can fetch, then, in order of execution, each result finds its place. */
	for (size_t i = 0; i < map->n_block; i++)
		scratch->keeps[i] = !map->block[i]->result_to_dram;
	for (size_t i = 0; i < map->n_block; i++) {
		const struct layer_problem *layer = &set->problem[map->distinct[i]];
		const uint32_t *gene = scratch->canonical + 1 + i * N_LAYER_GENE;
		const struct layer_input *source = &whole->source[i];
		if (source->ifmap != LAYER_INPUT_NONE && !may_read(layer, gene, PLACE_IFMAP))
			scratch->keeps[source->ifmap] = false;
		if (source->added != LAYER_INPUT_NONE && !may_read(layer, gene, PLACE_ADDED))
			scratch->keeps[source->added] = false;
	}
	for (size_t network = 0; network < map->n_network; network++) {
		unsigned state = 0;
		for (size_t i = map->begin[network]; i < map->begin[network + 1]; i++) {
			const struct layer_problem *layer = &set->problem[map->distinct[i]];
			uint32_t *gene = scratch->canonical + 1 + i * N_LAYER_GENE;
			bool keeps = scratch->keeps[i] && may_keep(layer, gene);
			bool is_last = i + 1 == map->begin[network + 1], must = false;
			unsigned ahead = is_last ? (unsigned)AHEAD_NONE : portion_of(whole, set, scratch, i, &must);
			unsigned asked = (keeps ? (unsigned)PLACE_RESULT : 0U) | ahead * PLACE_FETCH_UNIT;
			int place = find_granted(layer, map->block[i], state, asked, must, &state);
			if (place < 0)
				state = layer_next_state(map->block[i], state, false);
			n_homeless += place < 0;
			gene[GENE_PLACE] = place < 0 ? 0 : (uint32_t)place;
		}
	}
	return n_homeless;
}

static void join(enum compose_op op, double *sum, double value)
{
	assert(op == COMPOSE_SUM || op == COMPOSE_MAX);
	*sum = op == COMPOSE_SUM ? *sum + value : fmax(*sum, value);
}

/* Changes of level between the layers of a network, as a search counts energy: less sleep. */
static void add_changes(const struct whole *whole, const struct layer_set *set, const uint32_t *canonical,
                        size_t network, double *own)
{
	const struct layer_map *map = whole->map;
	if (!changes_count(whole->space, &set->machine))
		return;
	for (size_t i = map->begin[network] + 1; i < map->begin[network + 1]; i++) {
		double change[N_METRIC] = {0};
		uint32_t level[2];
		for (size_t k = 0; k < 2; k++) {
			const uint32_t *gene = canonical + 1 + (i - 1 + k) * N_LAYER_GENE;
			level[k] = set->problem[map->distinct[i - 1 + k]].level[layer_gene_level(gene[GENE_LEVEL])];
		}
		changes_add(whole->space, &set->machine, level[0], level[1], change);
		deadline_of_layer(whole->space, &set->machine, change);
		own[METRIC_LATENCY] += change[METRIC_LATENCY];
		own[METRIC_RUN_TIME] += change[METRIC_RUN_TIME];
		own[METRIC_ENERGY] += change[METRIC_ENERGY];
	}
}

/* Metrics of all networks from a canonical genome; what layers violate goes into out. false: one was stopped. */
static bool add_layers(const struct whole *whole, const struct layer_set *set, const uint32_t *canonical,
                       double *metric, struct evaluation *out)
{
	const struct layer_map *map = whole->map;
	const struct layer_problem *any = &set->problem[0];
	for (size_t network = 0; network < map->n_network; network++) {
		double own[N_METRIC] = {0};
		for (size_t i = map->begin[network]; i < map->begin[network + 1]; i++) {
			const struct layer_problem *layer = &set->problem[map->distinct[i]];
			struct evaluation result = {0};
			layer->problem.evaluate(layer->problem.context, canonical + 1 + i * N_LAYER_GENE, 1, &result);
			if (problem_is_stopped(&result)) {
				*out = result;
				return false;
			}
			if (result.violation > 0.0) {
				out->reason = out->violation > 0.0 ? out->reason : result.reason;
				out->violation += result.violation;
			}
			for (unsigned k = 0; k < any->n_metric; k++)
				join(metric_table[any->metric[k]].op, &own[any->metric[k]], result.objective[k]);
		}
		add_changes(whole, set, canonical, network, own);
		own[METRIC_ENERGY] += deadline_beside(whole->space, &set->machine, METRIC_ENERGY);
		own[METRIC_RUN_TIME] += deadline_beside(whole->space, &set->machine, METRIC_RUN_TIME);
		if (whole->space->deadline_ms > 0 && own[METRIC_LATENCY] > whole->space->deadline_ms &&
		    out->violation <= 0.0) {
			out->violation = own[METRIC_LATENCY] / whole->space->deadline_ms - 1.0;
			out->reason = N_VERDICT + METRIC_LATENCY;
		}
		/* A weight is a number of inferences: it multiplies what adds up and leaves what is a worst case. */
		double weight = space_network_weight(whole->space, network);
		for (unsigned k = 0; k < any->n_metric; k++) {
			enum metric which = any->metric[k];
			bool sums = metric_table[which].op == COMPOSE_SUM;
			join(space_aggregate_op(whole->space, which), &metric[which],
			     sums ? weight * own[which] : own[which]);
		}
	}
	return true;
}

void whole_evaluate(const struct whole *whole, const struct layer_set *set, struct whole_scratch *scratch,
                    double *metric, struct evaluation *out)
{
	assert(set->n_problem == whole->map->n_distinct);
	*out = (struct evaluation){0};
	for (unsigned i = 0; i < N_METRIC; i++)
		metric[i] = 0.0;
	unsigned n_homeless = whole_decide_places(whole, set, scratch);
	if (n_homeless > 0) {
		out->violation = VIOLATION_NO_PLACE * n_homeless;
		out->reason = VERDICT_NO_STORAGE;
		return;
	}
	if (!add_layers(whole, set, scratch->canonical, metric, out) || out->violation > 0.0)
		return;
	metric_of_machine(&set->machine, metric);
	metric_derive(metric);
	enum metric broken;
	if (!candidate_objectives(whole->space, metric, out->objective, &broken)) {
		out->reason = N_VERDICT + (uint32_t)broken;
		for (size_t i = 0; i < whole->space->n_limit; i++) {
			const struct space_limit *limit = &whole->space->limit[i];
			double excess = metric[limit->metric] / limit->max - 1.0;
			if (metric[limit->metric] > space_limit_most(limit))
				out->violation += excess;
		}
		double ms_mm2 = metric[METRIC_LATENCY] * metric[METRIC_AREA],
		       most_ms_mm2 = space_most_ms_mm2(whole->space);
		if (ms_mm2 > most_ms_mm2)
			out->violation += ms_mm2 / most_ms_mm2;
		assert(out->violation > 0.0);
	}
}
