/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits that each by itself can be kept, but not together. A chain that keeps limits L_i on summed metrics has, for
 * weights w_i >= 0,
 *
 *   sum of w_i x_i  +  least of the layers to come, of sum of w_i c_i  <=  sum of w_i L_i,
 *
 * the Lagrangian relaxation of the shortest path with several resources (G. Handler, I. Zang, "A dual algorithm for
 * the constrained shortest path problem", 1980). The least is found once, backwards over layers and states, for each of
 * some weightings: for any two limited metrics slopes from 2^-MAX_SLOPE to 2^MAX_SLOPE of the limits' ratio, as an
 * architect's limits lie near the knee more often than not.
 */
#include "dse/pareto/compose_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_SLOPE = 6, N_PER_OCTAVE = 4, N_SLOPE = 2 * MAX_SLOPE * N_PER_OCTAVE + 1 };

/* What sums of products may be off by, relative. */
static const double ROUNDING = 1e-12;

/* The weighting of two metrics so much in favour of the second; limits in the order of work. */
static void set_pair(struct compose_joint *joint, const double *limit, unsigned first, unsigned second, int step)
{
	double *weight = joint->weight + joint->n * joint->n_sum;
	weight[first] = 1.0 / limit[first];
	weight[second] = exp2((double)step / N_PER_OCTAVE) / limit[second];
	joint->limit[joint->n] = weight[first] * limit[first] + weight[second] * limit[second];
	joint->n++;
}

static void set_weights(struct compose_joint *joint, const double *limit, const unsigned *limited, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = i + 1; k < n; k++)
			for (int step = -MAX_SLOPE * N_PER_OCTAVE; step <= MAX_SLOPE * N_PER_OCTAVE; step++)
				set_pair(joint, limit, limited[i], limited[k], step);
}

/* The least weighted sum of an edge's points, of each weighting; the front must not be empty. */
static void least_of_edge(const struct compose_joint *joint, const struct compose_costs *costs,
                          const struct compose_layer *layer, const struct compose_edge *edge, double *least)
{
	for (size_t w = 0; w < joint->n; w++)
		least[w] = INFINITY;
	for (size_t point = 0; point < edge->front->n; point++) {
		double cost[COMPOSE_MAX_METRIC];
		compose_costs_point(costs, layer, edge->front, point, cost);
		for (size_t w = 0; w < joint->n; w++) {
			double sum = 0.0;
			for (unsigned i = 0; i < joint->n_sum; i++)
				sum += joint->weight[w * joint->n_sum + i] * cost[i];
			least[w] = fmin(least[w], sum);
		}
	}
}

/* least [n] is scratch. */
static void look_ahead(struct compose_joint *joint, const struct compose_costs *costs,
                       const struct compose_layer *chain, size_t n_layer, double *least)
{
	size_t n_row = joint->n_state * joint->n;
	for (size_t at = n_layer; at-- > 0;) {
		double *row = joint->least_after + at * n_row;
		for (size_t i = 0; i < n_row; i++)
			row[i] = INFINITY;
		for (size_t e = 0; e < chain[at].n_edge; e++) {
			const struct compose_edge *edge = &chain[at].edge[e];
			const double *rest = row + n_row + edge->to * joint->n;
			if (edge->front->n == 0)
				continue;
			least_of_edge(joint, costs, &chain[at], edge, least);
			for (size_t w = 0; w < joint->n; w++)
				row[edge->from * joint->n + w] =
				    fmin(row[edge->from * joint->n + w], least[w] + rest[w]);
		}
	}
}

bool compose_joint_init(struct compose_joint *joint, const struct compose_costs *costs,
                        const struct compose_layer *chain, size_t n_layer, const double *limits, struct arena *arena)
{
	double limit[COMPOSE_MAX_METRIC];
	unsigned limited[COMPOSE_MAX_METRIC], n = 0;
	*joint = (struct compose_joint){.n_sum = costs->n_sum, .n_state = costs->n_state};
	for (unsigned i = 0; i < costs->n_sum; i++) {
		limit[i] = limits[costs->order[i]];
		if (isfinite(limit[i]) && limit[i] > 0.0)
			limited[n++] = i;
	}
	if (n < 2)
		return true;
	size_t n_weight = (size_t)n * (n - 1) / 2 * N_SLOPE;
	joint->weight = arena_array(arena, n_weight, joint->n_sum * sizeof(*joint->weight));
	joint->limit = arena_array(arena, n_weight, sizeof(*joint->limit));
	joint->least_after = arena_array(arena, (n_layer + 1) * joint->n_state, n_weight * sizeof(*joint->least_after));
	double *scratch = arena_array(arena, n_weight, sizeof(*scratch));
	if (arena->is_out)
		return false;
	set_weights(joint, limit, limited, n);
	assert(joint->n == n_weight);
	look_ahead(joint, costs, chain, n_layer, scratch);
	return true;
}

static bool is_out(const struct compose_joint *joint, const double *least_after, const struct compose_points *points,
                   size_t at)
{
	for (size_t w = 0; w < joint->n; w++) {
		double sum = least_after[w];
		for (unsigned i = 0; i < joint->n_sum; i++)
			sum += joint->weight[w * joint->n_sum + i] * points->metric[i][at];
		if (sum > joint->limit[w] * (1.0 + ROUNDING))
			return true;
	}
	return false;
}

size_t compose_joint_cut(const struct compose_joint *joint, size_t n_done, unsigned state,
                         struct compose_points *points)
{
	size_t n = 0, n_before = points->n;
	if (joint->n == 0)
		return 0;
	const double *least_after = joint->least_after + (n_done * joint->n_state + state) * joint->n;
	for (size_t at = 0; at < n_before; at++) {
		if (is_out(joint, least_after, points, at))
			continue;
		for (unsigned k = 0; k < points->n_metric; k++)
			points->metric[k][n] = points->metric[k][at];
		points->before[n] = points->before[at];
		points->choice[n++] = points->choice[at];
	}
	points->n = n;
	return n_before - n;
}
