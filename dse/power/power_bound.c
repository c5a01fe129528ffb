/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each level after each stage of the chain: the cheapest way to finish the chain in one direction of the plane of
 * time and energy. Computed from the last stage back to the first. It bounds every partial schedule from below.
 */
#include "dse/power/power_parts.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>

/* A mode and its completion, seen from the level before. */
struct rest_step {
	double ns, pj;
	size_t mode;
	bool is_any;
};

/* The best step from a level (UINT32_MAX: the start, where nothing changes); the first of equals. */
static struct rest_step best_step(const struct power_chain *chain, const struct power_bound *bound, size_t stage,
                                  uint32_t from)
{
	assert(stage < chain->n_stage && (from < bound->n_level || from == UINT32_MAX));
	size_t segment = chain->segment[stage];
	struct rest_step best = {INFINITY, INFINITY, 0, false};
	double least = INFINITY;
	for (size_t m = chain->begin[segment]; m < chain->begin[segment + 1]; m++) {
		const struct chain_mode *mode = &chain->mode[m];
		size_t after = (stage + 1) * bound->n_level + mode->level;
		double ns = mode->ns + bound->ns[after], pj = mode->pj + bound->pj[after];
		if (from < bound->n_level) {
			ns += chain->switch_ns[from][mode->entry];
			pj += chain->switch_pj[from][mode->entry];
		}
		double value = power_value(bound->weight, ns, pj);
		if (!best.is_any || value < least) {
			least = value;
			best = (struct rest_step){ns, pj, m, true};
		}
	}
	return best;
}

size_t power_bound_next(const struct power_chain *chain, const struct power_bound *bound, size_t stage, uint32_t from)
{
	assert(stage < chain->n_stage);
	struct rest_step step = best_step(chain, bound, stage, from);
	assert(step.is_any);
	return step.mode;
}

/* Every segment has a mode (power_chain_build), and every level of the set leads to all others: rests are finite. */
void power_bound_build(const struct power_chain *chain, struct power_weight weight, struct arena *arena,
                       struct power_bound *bound)
{
	size_t n_row = chain->n_level;
	assert(isfinite(weight.per_ns) && isfinite(weight.per_pj) && chain->n_stage > 0);
	*bound = (struct power_bound){.weight = weight, .n_level = chain->n_level};
	bound->ns = memory_must(arena_array(arena, (chain->n_stage + 1) * n_row, sizeof(*bound->ns)));
	bound->pj = memory_must(arena_array(arena, (chain->n_stage + 1) * n_row, sizeof(*bound->pj)));
	for (uint32_t l = 0; l < n_row; l++) {
		bound->ns[chain->n_stage * n_row + l] = chain->end_ns[l];
		bound->pj[chain->n_stage * n_row + l] = chain->end_pj[l];
	}
	for (size_t stage = chain->n_stage; stage-- > 0;)
		for (uint32_t l = 0; l < n_row; l++) {
			if (!(chain->levels >> l & 1))
				continue;
			struct rest_step step = best_step(chain, bound, stage, l);
			bound->ns[stage * n_row + l] = step.ns;
			bound->pj[stage * n_row + l] = step.pj;
		}
	struct rest_step root = best_step(chain, bound, 0, UINT32_MAX);
	assert(root.is_any);
	/* at the start there is no level to change from */
	bound->root_ns = root.ns;
	bound->root_pj = root.pj;
}
