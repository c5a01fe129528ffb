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
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COMPOSE_MAX_METRIC 8
#define COMPOSE_MAX_STATE 8

enum compose_op { COMPOSE_SUM, COMPOSE_MAX };

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
	double weight; /* multiplies the summed metrics of this layer (1 for layers; a network's weight when networks are composed) */
};

struct compose_options {
	unsigned n_metric;
	const enum compose_op *op;  /* [n_metric] */
	const double *limit;        /* [n_metric] upper limits (infinite: none); partial chains over a limit are dropped */
	unsigned n_state;           /* 1..COMPOSE_MAX_STATE; the chain starts in state 0 and may end in any */
	size_t max_front;           /* a state's front that outgrows this is thinned by epsilon-dominance */
};

/* The result; owns its memory (compose_free). Sorted by metrics, then choices. */
struct compose_result {
	size_t n, n_layer;
	unsigned n_metric;
	double *metric;     /* [n][n_metric] */
	uint32_t *edge;     /* [n][n_layer] which edge of each layer */
	uint32_t *id;       /* [n][n_layer] which point of that edge's front */
	double epsilon;     /* 0: exact; else every point of the true front has one here that is, in every metric, at most (1 + epsilon) times as large */
	uint64_t n_composed; /* points made on the way */
};

/*
 * Compose n_layer layers. ERR_INTERNAL when memory is out. An empty result
 * (n = 0) means that no chain keeps the limits; nearest[n_metric] (may be NULL)
 * then receives, metric by metric, the least value any chain could reach.
 * Deterministic, single-threaded; cost about the sum over layers and edges of
 * n_front_before x n_front_layer, times log.
 */
enum err_code compose_chain(const struct compose_layer *layer, size_t n_layer, const struct compose_options *options,
                            struct compose_result *result, double *nearest, struct err *err);

void compose_free(struct compose_result *result);

#endif
