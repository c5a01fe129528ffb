/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far fronts are thinned so that a composition keeps its budget. After a layer the states have fronts of n_s
 * points, and the next layer o_s points that leave a state s. With all fronts cut to c points,
 *
 *   bytes:  sum of min(n_s, c) * what a point takes         <= max_byte
 *   pairs:  sum of min(n_s, c) * o_s                        <= the next layer's share of max_weighed
 *
 * and c is the largest number that keeps both. A layer's share is what is left of max_weighed by its points among those
 * of all layers to come: were all fronts of one size, each layer would get what it takes, and what the short fronts of
 * the first layers leave goes to the others.
 */
#include "dse/pareto/compose_parts.h"
#include "sim/base/checked.h"
#include <assert.h>

/* Pairs of a step for each point that memory has room for: few pairs stay, but the step's front is there unthinned. */
#define PAIR_PER_POINT 64

bool compose_budget_init(struct compose_work *work)
{
	work->n_point_after = arena_array(&work->arena, work->n_layer + 1, sizeof(*work->n_point_after));
	if (!work->n_point_after)
		return false;
	for (size_t i = work->n_layer; i-- > 0;) {
		uint64_t n = work->n_point_after[i + 1];
		for (size_t e = 0; e < work->layer[i].n_edge; e++)
			n = add_sat(n, work->layer[i].edge[e].front->n);
		work->n_point_after[i] = n;
	}
	return true;
}

/*
 * Points of all states that max_byte has room for: now, next and what the sweep has seen; then what history keeps of
 * them in each layer to come, and at last the choices of the result.
 */
static uint64_t most_points(const struct compose_work *work)
{
	const uint64_t of_history = 2 * sizeof(uint32_t), max = work->options->budget.max_byte;
	uint64_t kept = mul_sat(of_history, work->n_kept), n_layer = work->n_layer, n_left = n_layer - work->n_done;
	uint64_t byte = 3 * (work->n_metric * sizeof(double) + 3 * sizeof(uint32_t));
	byte += of_history * (n_left > 0 ? n_left : n_layer);
	return max == 0 ? UINT64_MAX : max > kept ? (max - kept) / byte : 0;
}

/* Pairs that the layer after the one under way may weigh. */
static uint64_t most_pairs(const struct compose_work *work, uint64_t max_point)
{
	uint64_t max = work->options->budget.max_weighed, by_memory = mul_sat(PAIR_PER_POINT, max_point);
	if (max == 0)
		return by_memory;
	uint64_t left = max > work->n_composed ? max - work->n_composed : 0;
	uint64_t now = work->n_point_after[work->n_done], later = work->n_point_after[work->n_done + 1];
	double share = now > 0 ? (double)left * ((double)(now - later) / (double)now) : 0.0;
	return (uint64_t)share < by_memory ? (uint64_t)share : by_memory;
}

/* Whether fronts of at most so many points keep to both; leaving [n_state]: the next layer's points by state. */
static bool fits(const struct compose_work *work, size_t max_front, const uint64_t *leaving, uint64_t max_point,
                 uint64_t max_pair)
{
	uint64_t n_point = 0, n_pair = 0;
	for (unsigned s = 0; s < work->options->n_state; s++) {
		size_t n = work->next[s].points.n < max_front ? work->next[s].points.n : max_front;
		n_point = add_sat(n_point, n);
		n_pair = add_sat(n_pair, mul_sat(n, leaving[s]));
	}
	return n_point <= max_point && n_pair <= max_pair;
}

size_t compose_budget_front(const struct compose_work *work)
{
	uint64_t leaving[COMPOSE_MAX_STATE] = {0}, max_point = most_points(work), max_pair = UINT64_MAX;
	size_t low = 1, high = work->options->max_front;
	if (work->options->budget.max_byte == 0 && work->options->budget.max_weighed == 0)
		return high;
	if (work->n_done < work->n_layer) {
		const struct compose_layer *layer = &work->layer[work->n_done];
		for (size_t e = 0; e < layer->n_edge; e++)
			leaving[layer->edge[e].from] += layer->edge[e].front->n;
		max_pair = most_pairs(work, max_point);
	}
	if (fits(work, high, leaving, max_point, max_pair))
		return high;
	/* low need not fit: no front is thinned to nothing; high does not. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (fits(work, middle, leaving, max_point, max_pair))
			low = middle;
		else
			high = middle;
	}
	return low;
}
