/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What points of layers cost in a chain, and what the layers that follow cost at
 * least.
 *
 * Sums do not depend on the order of layers: summed metrics are rounded once,
 * to multiples of a power of two so small that the largest possible total still
 * has 52 bits. From then on, every addition is exact, equal chains have equal
 * metrics, and no rounding noise puts twins on the front.
 */
#include "dse/pareto/compose_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

void compose_costs_point(const struct compose_costs *costs, const struct compose_layer *layer,
                         const struct compose_front *front, size_t point, double *cost)
{
	for (unsigned i = 0; i < costs->n_metric; i++) {
		double value = front->metric[point * costs->n_metric + costs->order[i]];
		assert(value >= 0.0 && isfinite(value));
		if (i < costs->n_sum) {
			value *= layer->weight;
			value = costs->quantum[i] > 0.0 ? rint(value / costs->quantum[i]) * costs->quantum[i] : value;
		}
		cost[i] = value;
	}
}

void compose_costs_range(const struct compose_costs *costs, const struct compose_layer *layer,
                         const struct compose_edge *edge, double *least, double *most)
{
	double cost[COMPOSE_MAX_METRIC];
	assert(edge->front->n > 0);
	for (size_t point = 0; point < edge->front->n; point++) {
		compose_costs_point(costs, layer, edge->front, point, cost);
		for (unsigned i = 0; i < costs->n_metric; i++) {
			least[i] = point == 0 || cost[i] < least[i] ? cost[i] : least[i];
			most[i] = point == 0 || cost[i] > most[i] ? cost[i] : most[i];
		}
	}
}

double compose_costs_join(const struct compose_costs *costs, unsigned metric, double a, double b)
{
	return metric < costs->n_sum ? a + b : fmax(a, b);
}

/* Summed metrics first: a maximum takes few values, and equal first metrics are what the sweep likes least. */
static void order_metrics(struct compose_costs *costs, const struct compose_options *options)
{
	costs->n_metric = options->n_metric;
	for (unsigned i = 0; i < options->n_metric; i++) {
		if (options->op[i] == COMPOSE_SUM)
			costs->order[costs->n_sum++] = i;
	}
	unsigned n = costs->n_sum;
	for (unsigned i = 0; i < options->n_metric; i++) {
		if (options->op[i] != COMPOSE_SUM)
			costs->order[n++] = i;
	}
	assert(n == costs->n_metric);
	for (unsigned i = 0; i < costs->n_sum && options->beside; i++) {
		costs->beside[i] = options->beside[costs->order[i]];
		assert(costs->beside[i] >= 0.0 && isfinite(costs->beside[i]));
	}
}

/* Multiples of the quantum up to the largest total fit the 53 bits of a double, with one bit to spare for roundings. */
static void choose_quanta(struct compose_costs *costs, const struct compose_layer *chain, size_t n_layer)
{
	double total[COMPOSE_MAX_METRIC] = {0}, least[COMPOSE_MAX_METRIC], most[COMPOSE_MAX_METRIC];
	for (size_t i = 0; i < n_layer; i++) {
		const struct compose_layer *layer = &chain[i];
		double worst[COMPOSE_MAX_METRIC] = {0};
		for (size_t e = 0; e < layer->n_edge; e++) {
			if (layer->edge[e].front->n == 0)
				continue;
			compose_costs_range(costs, layer, &layer->edge[e], least, most);
			for (unsigned k = 0; k < costs->n_sum; k++)
				worst[k] = fmax(worst[k], most[k]);
		}
		for (unsigned k = 0; k < costs->n_sum; k++)
			total[k] += worst[k];
	}
	for (unsigned k = 0; k < costs->n_sum; k++) {
		int exponent;
		assert(isfinite(total[k]));
		frexp(total[k], &exponent);
		costs->quantum[k] = total[k] > 0.0 ? ldexp(1.0, exponent - 52) : 0.0;
	}
}

/* From each state after each layer, the least value the remaining layers can have, each metric for itself. */
static void look_ahead(struct compose_costs *costs, const struct compose_layer *chain, size_t n_layer)
{
	size_t n_row = (size_t)costs->n_state * costs->n_metric;
	for (size_t i = 0; i < n_row; i++)
		costs->least_after[n_layer * n_row + i] = 0.0;
	for (size_t i = n_layer; i-- > 0;) {
		const struct compose_layer *layer = &chain[i];
		double *row = costs->least_after + i * n_row;
		for (size_t k = 0; k < n_row; k++)
			row[k] = INFINITY;
		for (size_t e = 0; e < layer->n_edge; e++) {
			const struct compose_edge *edge = &layer->edge[e];
			double least[COMPOSE_MAX_METRIC], most[COMPOSE_MAX_METRIC];
			if (edge->front->n == 0)
				continue;
			compose_costs_range(costs, layer, edge, least, most);
			for (unsigned k = 0; k < costs->n_metric; k++) {
				double *here = &row[edge->from * costs->n_metric + k];
				double rest = row[n_row + edge->to * costs->n_metric + k];
				*here = fmin(*here, compose_costs_join(costs, k, least[k], rest));
			}
		}
	}
}

/* A chain over the limit whatever follows is dropped at once. Nothing is rounded: both are multiples of the quantum. */
void compose_costs_bound(const struct compose_costs *costs, const double *limits, size_t n_done, unsigned state,
                         double *bound)
{
	const double *rest = costs->least_after + (n_done * costs->n_state + state) * costs->n_metric;
	for (unsigned i = 0; i < costs->n_metric; i++) {
		double limit = limits[costs->order[i]];
		if (i >= costs->n_sum) {
			bound[i] = rest[i] <= limit ? limit : -INFINITY;
			continue;
		}
		if (costs->quantum[i] > 0.0 && limit / costs->quantum[i] < 0x1p53)
			limit = rint(limit / costs->quantum[i]) * costs->quantum[i];
		bound[i] = isinf(rest[i]) ? -INFINITY : limit - rest[i];
	}
}

bool compose_costs_beyond(const struct compose_costs *costs, size_t n_done, unsigned state, double *beyond)
{
	const double *rest = costs->least_after + (n_done * costs->n_state + state) * costs->n_metric;
	for (unsigned i = 0; i < costs->n_metric; i++) {
		assert(rest[i] >= 0.0);
		if (isinf(rest[i]))
			return false;
		beyond[i] = i < costs->n_sum ? rest[i] + costs->beside[i] : 0.0;
	}
	return true;
}

bool compose_costs_init(struct compose_costs *costs, const struct compose_layer *chain, size_t n_layer,
                        const struct compose_options *options, struct arena *arena)
{
	*costs = (struct compose_costs){.n_state = options->n_state};
	order_metrics(costs, options);
	costs->least_after =
	    arena_array(arena, (n_layer + 1) * options->n_state, costs->n_metric * sizeof(*costs->least_after));
	if (!costs->least_after)
		return false;
	choose_quanta(costs, chain, n_layer);
	look_ahead(costs, chain, n_layer);
	return true;
}
