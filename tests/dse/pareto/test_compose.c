/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/compose.h"
#include "sim/base/rng.h"
#include "tests/support/unit_test.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LAYER = 6, MAX_EDGE = 6, MAX_POINT = 6, MAX_CHAIN = 260000 };

/* A random chain that is a function of its number, with its own memory. */
struct toy {
	struct compose_layer layer[MAX_LAYER];
	struct compose_edge edge[MAX_LAYER][MAX_EDGE];
	struct compose_front front[MAX_LAYER][MAX_EDGE];
	double metric[MAX_LAYER][MAX_EDGE][MAX_POINT * COMPOSE_MAX_METRIC];
	uint32_t id[MAX_LAYER][MAX_EDGE][MAX_POINT];
	size_t n_layer;
	enum compose_op op[COMPOSE_MAX_METRIC];
	double limit[COMPOSE_MAX_METRIC];
	struct compose_options options;
};

/* All chains that keep the limits. */
struct all_chains {
	size_t n;
	double (*metric)[COMPOSE_MAX_METRIC];
	uint32_t (*choice)[2 * MAX_LAYER]; /* edge, id of each layer */
};

struct shape {
	size_t max_layer;
	unsigned max_edge, max_state, min_metric, max_metric;
	uint32_t max_point, n_value; /* metrics are 0..n_value-1 */
	bool with_limits;
	bool trade_off; /* metrics of a point add up to about the same, so that fronts are large */
};

static void draw_front(struct toy *toy, struct rng *rng, size_t layer, size_t edge, const struct shape *shape)
{
	struct compose_front *front = &toy->front[layer][edge];
	double *metric = toy->metric[layer][edge];
	uint32_t *id = toy->id[layer][edge];
	*front = (struct compose_front){rng_below(rng, shape->max_point + 1), metric, id};
	if (rng_below(rng, 8) > 0 && front->n == 0)
		front->n = 1;
	for (size_t i = 0; i < front->n * toy->options.n_metric; i++)
		metric[i] = rng_below(rng, shape->n_value);
	for (size_t i = 0; i < front->n; i++)
		id[i] = (uint32_t)(1000 - 7 * i + rng_below(rng, 5));
	for (size_t i = 0; i < front->n && shape->trade_off; i++) {
		double sum = 1.0;
		for (unsigned k = 0; k < toy->options.n_metric; k++)
			sum += metric[i * toy->options.n_metric + k];
		for (unsigned k = 0; k < toy->options.n_metric; k++)
			metric[i * toy->options.n_metric + k] =
			    floor(metric[i * toy->options.n_metric + k] * shape->n_value / sum);
	}
}

static void draw_toy(struct toy *toy, uint32_t number, const struct shape *shape)
{
	struct rng rng = rng_stream(21, shape->n_value, number);
	unsigned n_state = 1 + rng_below(&rng, shape->max_state);
	unsigned n_metric = shape->min_metric + rng_below(&rng, shape->max_metric - shape->min_metric + 1);
	unsigned way = 0; /* edges 0 lead all the way, so that most cases have chains */
	toy->n_layer = 1 + rng_below(&rng, (uint32_t)shape->max_layer);
	/* Parts of a few sums, in three of four cases. */
	toy->options = (struct compose_options){.n_metric = n_metric,
	                                        .op = toy->op,
	                                        .limit = toy->limit,
	                                        .n_state = n_state,
	                                        .max_front = SIZE_MAX,
	                                        .n_thread = 1 + (number % 16 == 1),
	                                        .part_size = number % 4};
	for (unsigned i = 0; i < n_metric; i++) {
		toy->op[i] = rng_below(&rng, 3) ? COMPOSE_SUM : COMPOSE_MAX;
		double largest = (shape->trade_off ? 0.7 : 1.0) * shape->n_value *
		                 (toy->op[i] == COMPOSE_SUM ? (double)toy->n_layer : 1.0);
		bool limited = shape->with_limits && rng_below(&rng, 2);
		toy->limit[i] = limited ? floor(largest * (0.4 + 0.6 * rng_unit(&rng))) : INFINITY;
	}
	for (size_t i = 0; i < toy->n_layer; i++) {
		size_t n_edge = 1 + rng_below(&rng, shape->max_edge);
		for (size_t e = 0; e < n_edge; e++) {
			draw_front(toy, &rng, i, e, shape);
			toy->edge[i][e] = (struct compose_edge){.from = rng_below(&rng, n_state),
			                                        .to = rng_below(&rng, n_state),
			                                        .front = &toy->front[i][e]};
		}
		toy->edge[i][0].from = way;
		way = toy->edge[i][0].to;
		/* Layers that are used twice share their front. */
		if (i > 0 && rng_below(&rng, 3) == 0)
			toy->edge[i][0].front = toy->edge[i - 1][0].front;
		toy->layer[i] = (struct compose_layer){n_edge, toy->edge[i], rng_below(&rng, 4) ? 1.0 : 2.5};
	}
}

static void walk_chains(const struct toy *toy, struct all_chains *all, size_t layer, unsigned state,
                        const double *metric, uint32_t *choice)
{
	unsigned n_metric = toy->options.n_metric;
	if (layer == toy->n_layer) {
		for (unsigned k = 0; k < n_metric; k++) {
			if (metric[k] > toy->limit[k])
				return;
		}
		assert_true(all->n < MAX_CHAIN);
		memcpy(all->metric[all->n], metric, n_metric * sizeof(*metric));
		memcpy(all->choice[all->n++], choice, 2 * toy->n_layer * sizeof(*choice));
		return;
	}
	assert(layer < MAX_LAYER);
	for (uint32_t e = 0; e < toy->layer[layer].n_edge; e++) {
		const struct compose_edge *edge = &toy->layer[layer].edge[e];
		for (size_t i = 0; edge->from == state && i < edge->front->n; i++) {
			double next[COMPOSE_MAX_METRIC];
			for (unsigned k = 0; k < n_metric; k++) {
				double cost = edge->front->metric[i * n_metric + k];
				next[k] = toy->op[k] == COMPOSE_SUM ? metric[k] + toy->layer[layer].weight * cost
				                                    : fmax(metric[k], cost);
			}
			choice[2 * layer] = e;
			choice[2 * layer + 1] = edge->front->id[i];
			walk_chains(toy, all, layer + 1, edge->to, next, choice);
		}
	}
}

static void find_all_chains(const struct toy *toy, struct all_chains *all)
{
	const double zero[COMPOSE_MAX_METRIC] = {0};
	uint32_t choice[2 * MAX_LAYER];
	all->n = 0;
	walk_chains(toy, all, 0, 0, zero, choice);
}

static int compare_reals(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static int compare_choices(const uint32_t *a, const uint32_t *b, size_t n_layer)
{
	for (size_t i = 0; i < 2 * n_layer; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static bool at_or_below(const double *a, const double *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (a[i] > b[i])
			return false;
	}
	return true;
}

/* By the definition: nothing dominates it, nothing equal has choices that come first. */
static bool belongs(const struct toy *toy, const struct all_chains *all, size_t at)
{
	unsigned n_metric = toy->options.n_metric;
	for (size_t i = 0; i < all->n; i++) {
		if (!at_or_below(all->metric[i], all->metric[at], n_metric))
			continue;
		if (compare_reals(all->metric[i], all->metric[at], n_metric) != 0 ||
		    compare_choices(all->choice[i], all->choice[at], toy->n_layer) < 0)
			return false;
	}
	return true;
}

static void choices_of(const struct compose_result *result, size_t at, uint32_t *choice)
{
	for (size_t i = 0; i < result->n_layer; i++) {
		choice[2 * i] = result->edge[at * result->n_layer + i];
		choice[2 * i + 1] = result->id[at * result->n_layer + i];
	}
}

/* Whether the result has a point of these metrics; with just these choices, unless choice is NULL. */
static bool holds(const struct compose_result *result, const double *metric, const uint32_t *choice)
{
	uint32_t own[2 * MAX_LAYER];
	for (size_t i = 0; i < result->n; i++) {
		choices_of(result, i, own);
		if (compare_reals(result->metric + i * result->n_metric, metric, result->n_metric) == 0)
			return !choice || compare_choices(own, choice, result->n_layer) == 0;
	}
	return false;
}

/* Whether each point of the result is a chain that exists, with its own metrics. */
static bool all_exist(const struct compose_result *result, const struct all_chains *all)
{
	for (size_t p = 0; p < result->n; p++) {
		uint32_t choice[2 * MAX_LAYER];
		bool exists = false;
		choices_of(result, p, choice);
		for (size_t i = 0; i < all->n && !exists; i++)
			exists = compare_reals(all->metric[i], result->metric + p * result->n_metric,
			                       result->n_metric) == 0 &&
			         compare_choices(all->choice[i], choice, result->n_layer) == 0;
		if (!exists)
			return false;
	}
	return true;
}

static void assert_sorted(const struct compose_result *result)
{
	for (size_t i = 1; i < result->n; i++)
		assert_true(compare_reals(result->metric + (i - 1) * result->n_metric,
		                          result->metric + i * result->n_metric, result->n_metric) < 0);
}

/* Metric by metric what the best chain has, whatever the limits. */
static void least_values(const struct toy *toy, struct all_chains *all, double *least)
{
	struct toy *free_toy = calloc(1, sizeof(*free_toy));
	memcpy(free_toy, toy, sizeof(*toy));
	for (unsigned k = 0; k < toy->options.n_metric; k++)
		free_toy->limit[k] = INFINITY;
	find_all_chains(free_toy, all);
	for (unsigned k = 0; k < toy->options.n_metric; k++) {
		least[k] = INFINITY;
		for (size_t i = 0; i < all->n; i++)
			least[k] = fmin(least[k], all->metric[i][k]);
	}
	free(free_toy);
}

static int setup(void **state)
{
	struct all_chains *all = calloc(1, sizeof(*all));
	all->metric = calloc(MAX_CHAIN, sizeof(*all->metric));
	all->choice = calloc(MAX_CHAIN, sizeof(*all->choice));
	*state = all;
	return all->metric && all->choice ? 0 : -1;
}

static int teardown(void **state)
{
	struct all_chains *all = *state;
	free(all->metric);
	free(all->choice);
	free(all);
	return 0;
}

static void check_exact(struct all_chains *all, const struct shape *shape, uint32_t n_case)
{
	struct toy *toy = calloc(1, sizeof(*toy));
	size_t n_empty = 0;
	for (uint32_t number = 0; number < n_case; number++) {
		struct compose_result result;
		double nearest[COMPOSE_MAX_METRIC], least[COMPOSE_MAX_METRIC];
		size_t n_expected = 0;
		draw_toy(toy, number, shape);
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &result, nearest, NULL),
		                 ERR_OK);
		least_values(toy, all, least);
		assert_memory_equal(nearest, least, toy->options.n_metric * sizeof(*least));
		find_all_chains(toy, all);
		bool sums_only = true;
		for (unsigned k = 0; k < toy->options.n_metric; k++)
			sums_only &= toy->op[k] == COMPOSE_SUM;
		for (size_t i = 0; i < all->n; i++) {
			bool expected = belongs(toy, all, i);
			n_expected += expected;
			/* Which of equal chains stays is defined by their parts, where a maximum hides differences. */
			assert_true(!expected || holds(&result, all->metric[i], sums_only ? all->choice[i] : NULL));
		}
		assert_int_equal(result.n, n_expected);
		assert_sorted(&result);
		assert_true(all_exist(&result, all));
		assert_true(result.epsilon == 0.0);
		n_empty += result.n == 0;
		compose_free(&result);
	}
	assert_true(n_empty < n_case / 2);
	free(toy);
}

static void test_compose_equals_brute_force(void **state)
{
	check_exact(*state, &(struct shape){4, 3, 3, 1, 5, 4, 30, false, false}, 300);
}

static void test_compose_equals_brute_force_with_limits(void **state)
{
	check_exact(*state, &(struct shape){4, 3, 3, 1, 5, 4, 30, true, false}, 300);
}

/* Three values a metric: nearly every sum is reached in several ways. */
static void test_compose_equals_brute_force_with_ties(void **state)
{
	check_exact(*state, &(struct shape){5, 3, 2, 1, 4, 3, 3, true, false}, 300);
}

static void test_compose_equals_brute_force_in_many_metrics(void **state)
{
	check_exact(*state, &(struct shape){3, 3, 2, 6, 8, 6, 6, false, false}, 60);
}

/* Four metrics: sums, and maxima of few values. */
static void test_compose_equals_brute_force_in_four_metrics(void **state)
{
	check_exact(*state, &(struct shape){4, 3, 3, 4, 4, 4, 9, true, false}, 200);
	check_exact(*state, &(struct shape){4, 3, 2, 4, 4, 5, 40, false, true}, 100);
}

static void check_guarantee(const struct toy *toy, const struct all_chains *all, const struct compose_result *result)
{
	unsigned n_metric = toy->options.n_metric;
	for (size_t i = 0; i < all->n; i++) {
		double allowed[COMPOSE_MAX_METRIC];
		bool served = false, near_limit = false;
		for (unsigned k = 0; k < n_metric; k++) {
			double beside = toy->options.beside ? toy->options.beside[k] : 0.0;
			allowed[k] = (all->metric[i][k] + beside) * (1.0 + result->epsilon) * (1.0 + 1e-15) - beside;
			near_limit |= allowed[k] > toy->limit[k];
		}
		for (size_t p = 0; p < result->n && !served; p++)
			served = at_or_below(result->metric + p * n_metric, allowed, n_metric);
		assert_true(served || (near_limit && result->is_limited));
	}
}

static void test_compose_thinned_keeps_its_guarantee(void **state)
{
	struct all_chains *all = *state;
	struct toy *toy = calloc(1, sizeof(*toy));
	size_t n_thinned = 0, n_case = 240;
	for (uint32_t number = 0; number < n_case; number++) {
		const struct shape shape = {5, 2, 2, 2, 4, 6, 10000, number % 2, true};
		struct compose_result result;
		draw_toy(toy, number, &shape);
		size_t least_front = ((size_t)1 << toy->options.n_metric) + toy->options.n_metric;
		toy->options.max_front = least_front + number % 6;
		find_all_chains(toy, all);
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &result, NULL, NULL), ERR_OK);
		assert_true(result.n <= toy->options.max_front * toy->options.n_state);
		assert_sorted(&result);
		check_guarantee(toy, all, &result);
		assert_true(all_exist(&result, all));
		n_thinned += result.epsilon > 0.0;
		compose_free(&result);
	}
	assert_true(n_thinned > n_case / 4);
	free(toy);
}

/* A limit of just what a chain takes is kept by it: both are rounded alike, whichever way that is. */
static void test_compose_keeps_a_limit_that_is_met(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 200; number++) {
		struct rng rng = rng_stream(22, 0, number);
		double metric[] = {rng_unit(&rng), 1.0, 1e6 * (1.0 + rng_unit(&rng)), 0.0};
		const double limit[] = {metric[0], INFINITY};
		static const enum compose_op op[] = {COMPOSE_SUM, COMPOSE_SUM};
		const uint32_t id[] = {0, 1};
		const struct compose_front front = {2, metric, id};
		const struct compose_edge edge = {.front = &front};
		const struct compose_layer layer = {1, &edge, 1.0};
		const struct compose_options options = {
		    .n_metric = 2, .op = op, .limit = limit, .n_state = 1, .max_front = SIZE_MAX, .n_thread = 1};
		struct compose_result result;
		assert_int_equal(compose_chain(&layer, 1, &options, &result, NULL, NULL), ERR_OK);
		assert_int_equal(result.n, 1);
		compose_free(&result);
	}
}

/* What all chains have besides counts: the guarantee holds for the whole, and less of it is lost than without. */
static void test_compose_thinned_counts_what_is_beside(void **state)
{
	static const double beside[COMPOSE_MAX_METRIC] = {3e4, 3e4, 3e4, 3e4, 3e4, 3e4, 3e4, 3e4};
	struct all_chains *all = *state;
	struct toy *toy = calloc(1, sizeof(*toy));
	size_t n_thinned = 0, n_case = 120;
	for (uint32_t number = 0; number < n_case; number++) {
		const struct shape shape = {5, 2, 2, 2, 4, 6, 10000, number % 2, true};
		struct compose_result result, without;
		double of_sum[COMPOSE_MAX_METRIC];
		draw_toy(toy, number, &shape);
		toy->options.max_front = ((size_t)1 << toy->options.n_metric) + toy->options.n_metric + number % 6;
		find_all_chains(toy, all);
		bool has_maximum = false;
		for (unsigned k = 0; k < toy->options.n_metric; k++) {
			has_maximum |= toy->options.op[k] != COMPOSE_SUM;
			of_sum[k] = toy->options.op[k] == COMPOSE_SUM ? beside[k] : 0.0;
		}
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &without, NULL, NULL), ERR_OK);
		toy->options.beside = of_sum;
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &result, NULL, NULL), ERR_OK);
		check_guarantee(toy, all, &result);
		assert_true(all_exist(&result, all));
		n_thinned += without.epsilon > 0.0;
		/* 3e4 beside at most 5e4 */
		if (!has_maximum)
			assert_true(result.epsilon <= 0.9 * without.epsilon);
		toy->options.beside = NULL;
		compose_free(&result);
		compose_free(&without);
	}
	assert_true(n_thinned > n_case / 4);
	free(toy);
}

static void test_compose_thinned_keeps_the_best_in_each_metric(void **state)
{
	struct all_chains *all = *state;
	struct toy *toy = calloc(1, sizeof(*toy));
	for (uint32_t number = 0; number < 120; number++) {
		const struct shape shape = {5, 2, 2, 2, 4, 4, 10000, false, true};
		struct compose_result result;
		double least[COMPOSE_MAX_METRIC], nearest[COMPOSE_MAX_METRIC];
		draw_toy(toy, number, &shape);
		/* One limited metric, at the least value it can have: the last feasible chain is found. */
		if (number % 2) {
			least_values(toy, all, least);
			toy->limit[0] = least[0];
		}
		toy->options.max_front = 1;
		find_all_chains(toy, all);
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &result, nearest, NULL),
		                 ERR_OK);
		assert_true((result.n > 0) == (all->n > 0));
		for (unsigned k = 0; k < toy->options.n_metric && all->n > 0; k++) {
			double best = INFINITY, found = INFINITY;
			for (size_t i = 0; i < all->n; i++)
				best = fmin(best, all->metric[i][k]);
			for (size_t p = 0; p < result.n; p++)
				found = fmin(found, result.metric[p * result.n_metric + k]);
			/* Other limits may cut the best off on the way; here there is none but metric 0's. */
			assert_true(found == best || (number % 2 && k > 0));
		}
		compose_free(&result);
	}
	free(toy);
}

static void assert_same(const struct compose_result *a, const struct compose_result *b)
{
	assert_int_equal(a->n, b->n);
	assert_true(a->n_composed == b->n_composed && a->epsilon == b->epsilon);
	if (a->n == 0)
		return;
	assert_memory_equal(a->metric, b->metric, a->n * a->n_metric * sizeof(*a->metric));
	assert_memory_equal(a->edge, b->edge, a->n * a->n_layer * sizeof(*a->edge));
	assert_memory_equal(a->id, b->id, a->n * a->n_layer * sizeof(*a->id));
}

/* A budget that is kept without thinning changes nothing; of a smaller one epsilon tells what it costs. */
static void test_compose_keeps_its_budget_and_its_guarantee(void **state)
{
	struct all_chains *all = *state;
	struct toy *toy = calloc(1, sizeof(*toy));
	size_t n_thinned = 0, n_case = 240;
	for (uint32_t number = 0; number < n_case; number++) {
		const struct shape shape = {5, 2, 2, 2, 4, 6, 10000, number % 4 == 0, true};
		struct compose_result exact, result, other;
		draw_toy(toy, number, &shape);
		find_all_chains(toy, all);
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &exact, NULL, NULL), ERR_OK);
		toy->options.budget = (struct compose_budget){1 << 24, 100 * exact.n_composed};
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &result, NULL, NULL), ERR_OK);
		assert_same(&result, &exact);
		compose_free(&result);
		toy->options.budget = (struct compose_budget){number % 2 ? 0 : 3000, number % 2 ? 200 : 0};
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &result, NULL, NULL), ERR_OK);
		check_guarantee(toy, all, &result);
		assert_true(all_exist(&result, all) && result.n_composed <= exact.n_composed);
		toy->options.n_thread = 3;
		toy->options.part_size = 5;
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &other, NULL, NULL), ERR_OK);
		assert_same(&other, &result);
		n_thinned += result.epsilon > 0.0;
		compose_free(&exact);
		compose_free(&result);
		compose_free(&other);
	}
	assert_true(n_thinned > n_case / 8);
	free(toy);
}

/* Long chains, whose steps are cut into up to as many parts as there may be; thinned ones, too. */
static void test_compose_bytes_depend_on_neither_parts_nor_threads(void **state)
{
	struct toy *toy = calloc(1, sizeof(*toy));
	size_t n_point = 0;
	(void)state;
	for (uint32_t number = 0; number < 80; number++) {
		const struct shape shape = {MAX_LAYER,       4,   3, 1, 5, MAX_POINT, number % 3 ? 3000 : 12,
		                            number % 5 == 0, true};
		struct compose_result whole, parts;
		draw_toy(toy, number, &shape);
		toy->options.max_front = number % 4 ? SIZE_MAX : 60;
		toy->options.part_size = SIZE_MAX;
		toy->options.n_thread = 1;
		assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &whole, NULL, NULL), ERR_OK);
		n_point += whole.n;
		for (uint32_t i = 0; i < 6; i++) {
			toy->options.part_size = (const size_t[]){1, 2, 5, 17, 100, 1000}[i];
			toy->options.n_thread = 1 + i % 3;
			assert_int_equal(compose_chain(toy->layer, toy->n_layer, &toy->options, &parts, NULL, NULL),
			                 ERR_OK);
			assert_same(&parts, &whole);
			compose_free(&parts);
		}
		compose_free(&whole);
	}
	assert_true(n_point > 80 * 50);
	free(toy);
}

/* Points whose three metrics add up to the same: no sum of them dominates another. */
static void draw_plane(uint32_t number, size_t n, double *metric, uint32_t *id)
{
	for (size_t i = 0; i < n; i++) {
		struct rng rng = rng_stream(22, number, (uint32_t)i);
		uint32_t x = rng_below(&rng, 1000000), y = rng_below(&rng, 1000000 - x);
		metric[3 * i] = 1 + x;
		metric[3 * i + 1] = 1 + y;
		metric[3 * i + 2] = 1 + 1000000 - x - y;
		id[i] = (uint32_t)i;
	}
}

/* Fronts so large that boxes are counted in classes. */
static void test_compose_thins_large_fronts_alike_on_any_number_of_threads(void **state)
{
	enum { N = 56, N_PLANE = 3, MAX_FRONT = 3000 };
	static double metric[N_PLANE][3 * N];
	static uint32_t id[N_PLANE][N];
	struct compose_front front[N_PLANE];
	struct compose_edge edge[N_PLANE];
	struct compose_layer layer[N_PLANE];
	const enum compose_op op[] = {COMPOSE_SUM, COMPOSE_SUM, COMPOSE_SUM};
	const double limit[] = {INFINITY, INFINITY, INFINITY};
	struct compose_options options = {
	    .n_metric = 3, .op = op, .limit = limit, .n_state = 1, .max_front = MAX_FRONT, .n_thread = 1};
	struct compose_result first, other;
	(void)state;
	for (uint32_t i = 0; i < N_PLANE; i++) {
		draw_plane(i, N, metric[i], id[i]);
		front[i] = (struct compose_front){N, metric[i], id[i]};
		edge[i] = (struct compose_edge){0, 0, &front[i]};
		layer[i] = (struct compose_layer){1, &edge[i], 1};
	}
	assert_int_equal(compose_chain(layer, N_PLANE, &options, &first, NULL, NULL), ERR_OK);
	assert_true(first.n > MAX_FRONT / 4 && first.n <= MAX_FRONT && first.epsilon > 0.0 && first.epsilon < 0.2);
	for (unsigned n_thread = 2; n_thread <= 3; n_thread++) {
		options.n_thread = n_thread;
		assert_int_equal(compose_chain(layer, N_PLANE, &options, &other, NULL, NULL), ERR_OK);
		assert_same(&other, &first);
		compose_free(&other);
	}
	for (uint32_t number = 0; number < 500; number++) {
		struct rng rng = rng_stream(23, 0, number);
		double allowed[3] = {0, 0, 0};
		bool served = false;
		for (size_t i = 0; i < N_PLANE; i++) {
			uint32_t point = rng_below(&rng, N);
			for (unsigned k = 0; k < 3; k++)
				allowed[k] += metric[i][3 * point + k] * (1.0 + first.epsilon);
		}
		for (size_t i = 0; i < first.n && !served; i++)
			served = at_or_below(first.metric + 3 * i, allowed, 3);
		assert_true(served);
	}
	compose_free(&first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_compose_equals_brute_force),
	    cmocka_unit_test(test_compose_equals_brute_force_with_limits),
	    cmocka_unit_test(test_compose_equals_brute_force_with_ties),
	    cmocka_unit_test(test_compose_equals_brute_force_in_many_metrics),
	    cmocka_unit_test(test_compose_equals_brute_force_in_four_metrics),
	    cmocka_unit_test(test_compose_thinned_keeps_its_guarantee),
	    cmocka_unit_test(test_compose_keeps_a_limit_that_is_met),
	    cmocka_unit_test(test_compose_thinned_counts_what_is_beside),
	    cmocka_unit_test(test_compose_thinned_keeps_the_best_in_each_metric),
	    cmocka_unit_test(test_compose_keeps_its_budget_and_its_guarantee),
	    cmocka_unit_test(test_compose_bytes_depend_on_neither_parts_nor_threads),
	    cmocka_unit_test(test_compose_thins_large_fronts_alike_on_any_number_of_threads),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
