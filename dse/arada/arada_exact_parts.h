/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_EXACT_PARTS_H
#define DSE_ARADA_EXACT_PARTS_H
/*
 * Inside the exact allocation:
 *
 *   arada_exact.c        measuring, the chain with its numbers rounded, the goal
 *   arada_exact_bound.c  the least rest of the chain from each state, in one direction
 *   arada_exact_label.c  the dynamic program over layers
 *   arada_exact_lists.c  its lists of partial schedules
 *
 * Between two layers a chain is in a state: the setting of each domain, or
 * "free" where the layer before hosts a change of it, so that the next layer
 * finds any setting that it wants.
 */
#include "dse/arada/arada_exact.h"
#include "dse/power/power_plane.h"

/* Changes that a layer hosts, one bit a domain. */
#define EXACT_N_HOST 4U

struct exact_cost {
	double ns, pj;
};

/* A mode under the peak, with its time and energy by how many changes of array and memory it hosts. */
struct exact_way {
	uint32_t setting[N_EXACT_DOMAIN], mode;
	struct exact_cost cost[3][3];
};

struct exact_chain {
	const struct exact_problem *problem;
	size_t n_stage;
	uint32_t n[N_EXACT_DOMAIN]; /* settings; number n is "free" */
	size_t n_state;
	size_t *begin; /* [n_stage + 1] a layer's ways */
	struct exact_way *way;
	double most_ns, most_pj; /* no schedule has more */
};

/* The state with these settings, each of them n for "free". */
static inline size_t exact_state(const struct exact_chain *chain, uint32_t array, uint32_t memory)
{
	return (size_t)array * (chain->n[EXACT_MEMORY] + 1) + memory;
}

/* The state behind a way that hosts changes (bits) after its work. */
static inline size_t exact_state_after(const struct exact_chain *chain, const struct exact_way *way, unsigned after)
{
	return exact_state(chain, (after & 1U) ? chain->n[EXACT_ARRAY] : way->setting[EXACT_ARRAY],
	                   (after & 2U) ? chain->n[EXACT_MEMORY] : way->setting[EXACT_MEMORY]);
}

/* With changes (bits) before and after. */
static inline const struct exact_cost *exact_cost_of(const struct exact_way *way, unsigned before, unsigned after)
{
	return &way->cost[(before & 1U) + (after & 1U)][(before >> 1) + (after >> 1)];
}

/* The next step of a completion. */
struct exact_next {
	uint32_t way;
	uint8_t before, after;
};

/* The least completion in one direction, from each state before each layer. */
struct exact_bound {
	struct power_weight weight;
	double *ns, *pj;         /* [(n_stage + 1) * n_state] of that completion; infinite: there is none */
	struct exact_next *next; /* [n_stage * n_state] */
	double root_ns, root_pj; /* of the whole chain */
};

void exact_bound_build(const struct exact_chain *chain, struct power_weight weight, struct arena *arena,
                       struct exact_bound *bound);

/* Solve a chain: objective in the plane, time at most max_ns. step: the arena's; see exact_solve. ERR_INTERRUPTED. */
enum err_code exact_label_solve(const struct exact_chain *chain, struct power_weight objective, double max_ns,
                                size_t max_label, struct arena *arena, struct exact_schedule *schedule,
                                struct err *err);

#endif
