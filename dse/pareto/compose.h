/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COMPOSE_H
#define DSE_COMPOSE_H
/*
 * Composition: the front of a chain of layers from the fronts of its layers.
 * Metrics of a chain are, one by one, the sum or the maximum of the layers'
 * (latency, energy and traffic add up; SRAM and power take the worst). What
 * couples neighbours (where a result lies) is a state: a layer offers, for each
 * (state before, state after), a front of its own, and the composition is a
 * dynamic program over the states, exact as long as nothing is thinned out.
 */
#include "dse/pareto/compose_op.h"
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include "sim/base/stop.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPOSE_MAX_METRIC 8
#define COMPOSE_MAX_STATE 96

/* Nondominated points, all metrics minimised. id is the caller's name of a point. */
struct compose_front {
	size_t n;
	const double *metric; /* [n][n_metric] */
	const uint32_t *id;   /* [n] */
};

/* From state `from` to state `to` a layer costs one of the points of front. */
struct compose_edge {
	unsigned from, to;
	const struct compose_front *front;
};

struct compose_layer {
	size_t n_edge;
	const struct compose_edge *edge;
	double weight; /* multiplies the summed metrics of this layer (1 for layers; a network's weight when networks
	                  are composed) */
};

/*
 * What a composition may take, so far as thinning can see to it; 0: as much as it takes. Both follow from the chains
 * alone, so results depend neither on the machine nor on its load.
 */
struct compose_budget {
	uint64_t max_byte;    /* of the fronts of all states and of the result, about */
	uint64_t max_weighed; /* pairs of a partial chain and a layer's point, in the whole composition, about */
};

struct compose_options {
	unsigned n_metric;
	const enum compose_op *op; /* [n_metric] */
	const double *limit; /* [n_metric] upper limits (infinite: none); partial chains over a limit are dropped */
	/*
	 * [n_metric] what every chain has of a summed metric besides its layers (NULL: nothing), not in limits and
	 * results: only epsilon is that of the whole.
	 */
	const double *beside;
	unsigned n_state; /* 1..COMPOSE_MAX_STATE; the chain starts in state 0 and may end in any */
	/*
	 * A state's front that outgrows this is thinned by epsilon-dominance; the best
	 * point in each metric stays. Less than 2^n_metric + n_metric counts as that.
	 */
	size_t max_front;
	/*
	 * Fronts that would exceed it are thinned likewise, all states' to one size, as little as serves: exact as long
	 * as it fits. Later layers get what earlier ones have left.
	 */
	struct compose_budget budget;
	uint64_t max_composed; /* pairs of a partial chain and a layer's point to be weighed; 0: as many as there are */
	/* Between layers: as if max_composed, where there is one, were reached; else fronts are thinned soon after.
	 * NULL: a signal alone. */
	const struct stop *stop;
	bool is_thinned;   /* points of the layers' fronts stand for others that are not there */
	unsigned n_thread; /* 0: one */
	size_t part_size;  /* sums that make a part of a layer's step worth it; 0: chosen well. Changes no result. */
};

/* The result; owns its memory (compose_free). Sorted by metrics, then choices. */
struct compose_result {
	size_t n, n_layer;
	unsigned n_metric;
	double *metric; /* [n][n_metric] */
	uint32_t *edge; /* [n][n_layer] which edge of each layer */
	uint32_t *id;   /* [n][n_layer] which point of that edge's front */
	/*
	 * 0: exact; else every point of the true front has one here that is, in every
	 * metric, what is beside it added to both, at most (1 + epsilon) times as large. Where is_limited,
	 * this holds for points that keep the limits when made (1 + epsilon) times as large; an empty result has its
	 * epsilon, too: no chain keeps the limits by so much.
	 */
	double epsilon;
	bool is_limited;     /* a limit cut chains that stood for others, which may keep it */
	bool is_over_budget; /* max_composed was reached, or it was stopped; n is 0 then, and nothing is known */
	uint64_t n_composed; /* pairs of a partial chain and a layer's point that were weighed */
	struct arena arena;  /* of the points */
};

/*
 * Compose n_layer layers. Metrics must be finite and not negative. Summed ones
 * are rounded to 2^-52 of the largest total any chain could have, so that sums
 * do not depend on the order of layers. Of partial chains to one state with
 * equal metrics the one stays whose choices (edge, id), first layer first, come
 * first. ERR_INTERNAL when memory is out; result is untouched then. An empty
 * result (n = 0) means that no chain keeps the limits, unless is_limited or is_over_budget. nearest[n_metric] (may be
 * NULL) receives, metric by metric, the least value any chain could reach when
 * nothing else mattered (infinite: there is no chain at all).
 * On n_thread threads, or those of the parallel_for whose item it is called by; the
 * result is the same for any number of them. Cost about the sum over layers and
 * edges of n_front_before x n_front_layer, times log, for up to 3 metrics.
 */
enum err_code compose_chain(const struct compose_layer *layer, size_t n_layer, const struct compose_options *options,
                            struct compose_result *result, double *nearest, struct err *err);

void compose_free(struct compose_result *result);

#endif
