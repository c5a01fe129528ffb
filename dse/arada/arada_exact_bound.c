/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Backwards through the chain. What a way costs depends on the state before it
 * only through the changes it hosts, so each layer is one pass over its ways,
 * then minima over rows and columns of settings: nothing goes over pairs of states.
 */
#include "dse/arada/arada_exact_parts.h"
#include "dse/base/memory.h"
#include "dse/space/arada_options.h"
#include <assert.h>
#include <math.h>

/* A completion with its first step. */
struct exact_rest {
	double value, ns, pj;
	struct exact_next next;
};

static const struct exact_rest none = {INFINITY, INFINITY, INFINITY, {0, 0, 0}};

static void take_less(struct exact_rest *best, const struct exact_rest *other)
{
	if (other->value < best->value)
		*best = *other;
}

/* The best completion that starts with a way which hosts these changes before its work. */
static struct exact_rest start_with(const struct exact_chain *chain, const struct exact_bound *bound, size_t stage,
                                    size_t way_index, unsigned before)
{
	const struct exact_way *way = &chain->way[way_index];
	const size_t row = (stage + 1) * chain->n_state;
	struct exact_rest best = none;
	assert(stage < chain->n_stage && before < EXACT_N_HOST);
	/* after the last layer nothing needs to change */
	for (unsigned after = 0; after < (stage + 1 < chain->n_stage ? EXACT_N_HOST : 1); after++) {
		const struct exact_cost *cost = exact_cost_of(way, before, after);
		size_t to = row + exact_state_after(chain, way, after);
		double ns = cost->ns + bound->ns[to], pj = cost->pj + bound->pj[to];
		double value = power_value(bound->weight, ns, pj);
		if (value < best.value)
			best =
			    (struct exact_rest){value, ns, pj, {(uint32_t)way_index, (uint8_t)before, (uint8_t)after}};
	}
	return best;
}

/* Least completions by what is known of the state: both settings, one of them, none; by the changes hosted first. */
struct exact_rests {
	struct exact_rest both[ARADA_MAX_SETTING][ARADA_MAX_SETTING]; /* no change */
	struct exact_rest same_array[ARADA_MAX_SETTING];              /* memory changes */
	struct exact_rest same_memory[ARADA_MAX_SETTING];             /* the array changes */
	struct exact_rest any;                                        /* both change */
	struct exact_rest free_array[ARADA_MAX_SETTING],
	    free_memory[ARADA_MAX_SETTING];                                   /* no change, one setting is free */
	struct exact_rest free_both, free_array_changed, free_memory_changed; /* the latter: the other domain changes */
};

static void clear(const struct exact_chain *chain, struct exact_rests *table)
{
	for (uint32_t a = 0; a < chain->n[EXACT_ARRAY]; a++) {
		for (uint32_t m = 0; m < chain->n[EXACT_MEMORY]; m++)
			table->both[a][m] = none;
		table->same_array[a] = table->free_memory[a] = none;
	}
	for (uint32_t m = 0; m < chain->n[EXACT_MEMORY]; m++)
		table->same_memory[m] = table->free_array[m] = none;
	table->any = table->free_both = table->free_array_changed = table->free_memory_changed = none;
}

static void fill(const struct exact_chain *chain, const struct exact_bound *bound, size_t stage,
                 struct exact_rests *table)
{
	for (size_t i = chain->begin[stage]; i < chain->begin[stage + 1]; i++) {
		uint32_t a = chain->way[i].setting[EXACT_ARRAY], m = chain->way[i].setting[EXACT_MEMORY];
		assert(a < chain->n[EXACT_ARRAY] && m < chain->n[EXACT_MEMORY]);
		struct exact_rest plain = start_with(chain, bound, stage, i, 0);
		struct exact_rest array = start_with(chain, bound, stage, i, 1),
				  memory = start_with(chain, bound, stage, i, 2);
		struct exact_rest all = start_with(chain, bound, stage, i, 3);
		take_less(&table->both[a][m], &plain);
		take_less(&table->free_array[m], &plain);
		take_less(&table->free_memory[a], &plain);
		take_less(&table->free_both, &plain);
		take_less(&table->same_memory[m], &array);
		take_less(&table->free_memory_changed, &array);
		take_less(&table->same_array[a], &memory);
		take_less(&table->free_array_changed, &memory);
		take_less(&table->any, &all);
	}
}

static void put(const struct exact_chain *chain, struct exact_bound *bound, size_t stage, size_t state,
                const struct exact_rest *rest)
{
	size_t at = stage * chain->n_state + state;
	assert(state < chain->n_state);
	bound->ns[at] = rest->ns;
	bound->pj[at] = rest->pj;
	bound->next[at] = rest->next;
}

/* From each state: no change, or one or both domains change. */
static void spread_out(const struct exact_chain *chain, const struct exact_rests *table, size_t stage,
                       struct exact_bound *bound)
{
	const uint32_t n_array = chain->n[EXACT_ARRAY], n_memory = chain->n[EXACT_MEMORY];
	for (uint32_t a = 0; a < n_array; a++)
		for (uint32_t m = 0; m < n_memory; m++) {
			struct exact_rest best = table->both[a][m];
			take_less(&best, &table->same_array[a]);
			take_less(&best, &table->same_memory[m]);
			take_less(&best, &table->any);
			put(chain, bound, stage, exact_state(chain, a, m), &best);
		}
	for (uint32_t m = 0; m < n_memory; m++) {
		struct exact_rest best = table->free_array[m];
		take_less(&best, &table->free_array_changed);
		put(chain, bound, stage, exact_state(chain, n_array, m), &best);
	}
	for (uint32_t a = 0; a < n_array; a++) {
		struct exact_rest best = table->free_memory[a];
		take_less(&best, &table->free_memory_changed);
		put(chain, bound, stage, exact_state(chain, a, n_memory), &best);
	}
	put(chain, bound, stage, exact_state(chain, n_array, n_memory), &table->free_both);
}

void exact_bound_build(const struct exact_chain *chain, struct power_weight weight, struct arena *arena,
                       struct exact_bound *bound)
{
	assert(isfinite(weight.per_ns) && isfinite(weight.per_pj) && chain->n_stage > 0);
	*bound = (struct exact_bound){.weight = weight};
	bound->ns = memory_must(arena_array(arena, (chain->n_stage + 1) * chain->n_state, sizeof(*bound->ns)));
	bound->pj = memory_must(arena_array(arena, (chain->n_stage + 1) * chain->n_state, sizeof(*bound->pj)));
	bound->next = memory_must(arena_array(arena, chain->n_stage * chain->n_state, sizeof(*bound->next)));
	struct exact_rests *table = memory_must(arena_alloc(arena, sizeof(*table)));
	for (size_t stage = chain->n_stage; stage-- > 0;) {
		clear(chain, table);
		fill(chain, bound, stage, table);
		spread_out(chain, table, stage, bound);
	}
	size_t root = exact_state(chain, chain->n[EXACT_ARRAY], chain->n[EXACT_MEMORY]);
	bound->root_ns = bound->ns[root];
	bound->root_pj = bound->pj[root];
	assert(isfinite(bound->root_ns) && isfinite(bound->root_pj));
}
