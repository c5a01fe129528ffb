/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic program over states. After each layer there is, for each state,
 * the front of all partial chains that end there; a layer extends them:
 *
 *   state 0: front ──edge 0─►┐
 *                            ├─► sweep ─► front of state 0 ─► thin ─┐
 *   state 1: front ──edge 1─►┘                                      ├─► rank ─► next layer
 *                  ──edge 2─►  sweep ─► front of state 1 ─► thin ───┘
 *
 * Of each kept chain only the last choice and the number of the chain before it
 * are stored (8 bytes a layer); choices are unrolled at the end. The points of a
 * layer's edges are numbered through, by edge, then id; that number is the
 * `choice`. Ranks order chains by their choices, first layer first, so that of
 * equal chains the first can be kept by comparing two numbers.
 *
 * What thinning costs. What counts in the end is a whole chain, so that values are
 * compared with r_i added, the least that the layers to come and what is beside
 * them add to metric i (0 to a maximum). Claim: with factor[s][i] as kept below, to
 * each chain x to state s there is a kept chain y to s with
 * y_i + r_i <= factor[s][i] * (x_i + r_i).
 * - Dropping a dominated chain keeps the claim, for it holds for the dominator.
 * - A layer to where r'_i is left adds c_i; r_i <= c_i + r'_i, for r_i is the least of
 *   all ways. With d_i = c_i + r'_i - r_i, y_i + r_i + d_i <= F (x_i + r_i) + d_i, which is
 *   (1 + (F - 1) (x_i + r_i) / (x_i + r_i + d_i)) (x_i + c_i + r'_i). With X the largest
 *   x_i + r_i and d the least d_i possible this is at most (F X + d) / (X + d) times
 *   x_i + c_i + r'_i: the error shrinks as more is added than r_i foresaw. For a
 *   maximum, max(F x, c) <= F max(x, c): it stays.
 * - Thinning by epsilon keeps a z with z_i + r_i <= (1 + epsilon) (y_i + r_i): the factor is
 *   multiplied. The larger of both would be too little: when layers cost next to
 *   nothing, x is replaced by y and y, later, by z. Each factor is reached.
 * A limit may cut y off where it spares x: then the metric, or a weighted sum of metrics (compose_joint.c), exceeds the
 * limit when x is made factor times as large, with the factor that y's state had. So what is lost to limits is lost
 * with the largest factor at which a limit cut anything; lost[s] keeps it, and the result says that it happened. The
 * best chain in one metric is kept always, so that a single limited metric never hides the last feasible chain.
 */
#include "dse/pareto/compose.h"
#include "dse/pareto/compose_parts.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of a layer's step that are made sooner than another thread has begun. */
enum { FEW_SUMS = 1 << 11 };

/* Which edge and which of its front's points a choice stands for. */
struct layer_point {
	uint32_t id, edge, point;
};

/* What is known of the partial chains to one state. */
struct state_front {
	struct compose_points points;
	double factor[COMPOSE_MAX_METRIC]; /* in the order of work */
	double most[COMPOSE_MAX_METRIC];   /* largest value of its points, metric by metric */
	double lost;                       /* the largest factor at which a limit cut chains; 0: none was cut */
	double guess;                      /* epsilon of the last thinning */
	bool done;                         /* false: memory was out */
};

/* What unrolling needs of a layer. */
struct layer_history {
	uint32_t *before, *choice; /* [points of all states] */
};

struct chain {
	const struct compose_layer *layer;
	const struct compose_options *options;
	size_t n_layer;
	unsigned n_metric;
	struct compose_costs costs;
	struct compose_joint joint;
	double lost; /* the largest of all states' after all layers so far */
	bool is_over_budget;
	double largest[COMPOSE_MAX_METRIC]; /* the largest value any partial chain can have so far */
	struct state_front *now, *next;     /* [n_state] */
	struct layer_history *history;      /* [n_layer] */
	size_t max_choice;                  /* points of the layer that has most */
	struct layer_point *point;          /* [max_choice] */
	struct compose_sweep *sweep;        /* [n_state] */
	struct compose_points final;
	uint64_t n_composed;

	/* The layer under way. */
	size_t n_done, n_point;          /* layers, that one counted; its points */
	size_t first[COMPOSE_MAX_STATE]; /* number of each state's first chain before it */
};

/* ---- one layer ---------------------------------------------------------------------------------- */

static int compare_point(const void *left, const void *right)
{
	const struct layer_point *a = left, *b = right;

	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

/* Number the points of a layer's edges through; returns how many. */
static size_t number_points(const struct chain *chain, const struct compose_layer *layer)
{
	size_t n = 0;

	for (size_t e = 0; e < layer->n_edge; e++) {
		const struct compose_front *front = layer->edge[e].front;
		for (size_t point = 0; point < front->n; point++)
			chain->point[n++] = (struct layer_point){front->id[point], (uint32_t)e, (uint32_t)point};
	}
	assert(n <= chain->max_choice);
	if (n > 1)
		qsort(chain->point, n, sizeof *chain->point, compare_point);
	return n;
}

/* Number of the first point of each state among all states' points; returns their sum. */
static size_t first_numbers(const struct state_front *state, unsigned n_state, size_t *first)
{
	size_t n = 0;

	for (unsigned s = 0; s < n_state; s++) {
		first[s] = n;
		n += state[s].points.n;
	}
	return n;
}

/* The factors of a state, beyond which so much is to come: the worst over the edges that lead there, shrunk by what
 * they add. */
static void pass_factor(const struct chain *chain, const struct compose_layer *layer, const struct compose_edge *edge,
                        const double *still_beyond, double *factor)
{
	const double *before = chain->now[edge->from].factor;
	double least[COMPOSE_MAX_METRIC], most[COMPOSE_MAX_METRIC];
	double beyond[COMPOSE_MAX_METRIC];

	compose_costs_range(&chain->costs, layer, edge, least, most);
	bool goes_on = compose_costs_beyond(&chain->costs, chain->n_done - 1, edge->from, beyond);
	assert(goes_on);
	(void)goes_on;
	for (unsigned i = 0; i < chain->n_metric; i++) {
		double largest = chain->largest[i] + beyond[i], passed = before[i];
		double more = fmax(0.0, least[i] + still_beyond[i] - beyond[i]);
		/* As 1 + (F - 1) X / (X + c), so that an exact chain stays exact. */
		if (i < chain->costs.n_sum && largest + more > 0.0)
			passed = 1.0 + (before[i] - 1.0) * (largest / (largest + more));
		assert(passed >= 1.0);
		factor[i] = fmax(factor[i], passed);
	}
}

static bool leads_here(const struct chain *chain, const struct compose_edge *edge, unsigned state)
{
	return edge->to == state && edge->front->n > 0 && chain->now[edge->from].points.n > 0;
}

/* Runs for all points whose edge leads to the state. false when memory is out. */
static bool make_runs(const struct chain *chain, const struct compose_layer *layer, unsigned state)
{
	struct compose_sweep *sweep = &chain->sweep[state];
	size_t n_run = 0;

	for (size_t e = 0; e < layer->n_edge; e++)
		n_run += leads_here(chain, &layer->edge[e], state) ? layer->edge[e].front->n : 0;
	if (!compose_sweep_reserve(sweep, n_run))
		return false;
	sweep->n_run = 0;
	for (size_t i = 0; i < chain->n_point && n_run > 0; i++) {
		const struct compose_edge *edge = &layer->edge[chain->point[i].edge];
		if (!leads_here(chain, edge, state))
			continue;
		struct compose_run *run = &sweep->run[sweep->n_run++];
		*run = (struct compose_run){.from = &chain->now[edge->from].points,
		                            .first = (uint32_t)chain->first[edge->from],
		                            .choice = (uint32_t)i};
		compose_costs_point(&chain->costs, layer, edge->front, chain->point[i].point, run->cost);
	}
	assert(sweep->n_run == n_run);
	return true;
}

static void note_most(struct state_front *state, unsigned n_metric)
{
	for (unsigned k = 0; k < n_metric; k++) {
		state->most[k] = 0.0;
		for (size_t i = 0; i < state->points.n; i++)
			state->most[k] = fmax(state->most[k], state->points.metric[k][i]);
	}
}

static double largest_factor(const struct chain *chain, const double *factor)
{
	double largest = 1.0;

	for (unsigned i = 0; i < chain->n_metric; i++)
		largest = fmax(largest, factor[i]);
	return largest;
}

/* The largest factor of chains that the bound of limits cuts in this step; 0: it cuts none that stand for others. */
static double lost_to_bound(const struct chain *chain, const struct compose_layer *layer,
                            const struct compose_sweep *sweep)
{
	double lost = 0.0;

	for (size_t i = 0; i < sweep->n_run; i++) {
		const struct compose_edge *edge = &layer->edge[chain->point[sweep->run[i].choice].edge];
		const struct state_front *from = &chain->now[edge->from];
		double factor = largest_factor(chain, from->factor);
		if (!(factor > lost) || (!(factor > 1.0) && !chain->options->is_thinned))
			continue;
		for (unsigned k = 0; k < chain->n_metric; k++)
			if (compose_costs_join(&chain->costs, k, from->most[k], sweep->run[i].cost[k]) >
			    sweep->bound[k])
				lost = factor;
	}
	return lost;
}

/* The front of one state after a layer. */
static void extend_state(void *context, size_t state)
{
	struct chain *chain = context;
	const struct compose_layer *layer = &chain->layer[chain->n_done - 1];
	struct state_front *next = &chain->next[state];
	struct compose_sweep *sweep = &chain->sweep[state];
	double epsilon[COMPOSE_MAX_METRIC], beyond[COMPOSE_MAX_METRIC];

	bool goes_on = compose_costs_beyond(&chain->costs, chain->n_done, (unsigned)state, beyond);

	for (unsigned i = 0; i < chain->n_metric; i++)
		next->factor[i] = 1.0;
	for (size_t e = 0; e < layer->n_edge && goes_on; e++) {
		const struct compose_edge *edge = &layer->edge[e];
		if (leads_here(chain, edge, (unsigned)state))
			pass_factor(chain, layer, edge, beyond, next->factor);
	}
	compose_costs_bound(&chain->costs, chain->options->limit, chain->n_done, (unsigned)state, sweep->bound);
	next->guess = chain->now[state].guess;
	next->lost = 0.0;
	next->done = make_runs(chain, layer, (unsigned)state) && compose_sweep_run(sweep, &next->points);
	if (!next->done || !goes_on) {
		next->points.n = 0;
		return;
	}
	next->lost = lost_to_bound(chain, layer, sweep);
	double factor = largest_factor(chain, next->factor);
	if (compose_joint_cut(&chain->joint, chain->n_done, (unsigned)state, &next->points) > 0 &&
	    (factor > 1.0 || chain->options->is_thinned))
		next->lost = fmax(next->lost, factor);
	next->done =
	    compose_thin(&next->points, beyond, chain->options->max_front, sweep->n_thread, &next->guess, epsilon);
	/* One rounding up each, so that many layers do not round the guarantee away. */
	for (unsigned i = 0; i < chain->n_metric && next->done; i++) {
		if (epsilon[i] > 0.0)
			next->factor[i] = nextafter(next->factor[i] * (1.0 + epsilon[i]), INFINITY);
	}
	note_most(next, chain->n_metric);
}

/* Copy what unrolling needs out of all states' points. */
static bool store_history(const struct state_front *state, unsigned n_state, size_t n, struct layer_history *history)
{
	size_t filled = 0;

	/* One more: no chain may be left. */
	history->before = calloc(n + 1, sizeof *history->before);
	history->choice = calloc(n + 1, sizeof *history->choice);
	if (!history->before || !history->choice)
		return false;
	for (unsigned s = 0; s < n_state; s++) {
		const struct compose_points *points = &state[s].points;
		if (points->n > 0) {
			memcpy(history->before + filled, points->before, points->n * sizeof *points->before);
			memcpy(history->choice + filled, points->choice, points->n * sizeof *points->choice);
		}
		filled += points->n;
	}
	assert(filled == n);
	return true;
}

/* Stable counting sort of the numbers in from [n] into to [n] by key [number] < n_key; place [n_key + 1] is scratch. */
static void sort_by_key(const uint32_t *key, size_t n_key, const uint32_t *from, uint32_t *to, size_t n,
                        uint32_t *place)
{
	memset(place, 0, (n_key + 1) * sizeof *place);
	for (size_t i = 0; i < n; i++) {
		assert(key[from[i]] < n_key);
		place[key[from[i]] + 1]++;
	}
	for (size_t i = 0; i < n_key; i++)
		place[i + 1] += place[i];
	for (size_t i = 0; i < n; i++)
		to[place[key[from[i]]]++] = from[i];
}

/* Rank all states' chains by the rank of the chain they extend, then by choice. */
static bool rank_chains(struct chain *chain, size_t n_before, size_t n_choice, const struct layer_history *history)
{
	unsigned n_state = chain->options->n_state;
	size_t first[COMPOSE_MAX_STATE], n = first_numbers(chain->next, n_state, first), filled = 0;
	size_t n_key = n_before > n_choice ? n_before : n_choice;
	uint32_t *rank_before = calloc(n_before + 1, sizeof *rank_before), *place = calloc(n_key + 1, sizeof *place);
	uint32_t *key = calloc(n + 1, sizeof *key), *number = calloc(n + 1, sizeof *number);
	uint32_t *sorted = calloc(n + 1, sizeof *sorted);
	bool done = rank_before && place && key && number && sorted;

	for (unsigned s = 0; done && s < n_state; s++) {
		const struct compose_points *points = &chain->now[s].points;
		if (points->n > 0)
			memcpy(rank_before + filled, points->rank, points->n * sizeof *points->rank);
		filled += points->n;
	}
	for (size_t i = 0; done && i < n; i++) {
		key[i] = rank_before[history->before[i]];
		number[i] = (uint32_t)i;
	}
	if (done) {
		sort_by_key(history->choice, n_choice, number, sorted, n, place);
		sort_by_key(key, n_before, sorted, number, n, place);
	}
	for (size_t i = 0; done && i < n; i++) {
		unsigned s = n_state - 1;
		while (number[i] < first[s])
			s--;
		chain->next[s].points.rank[number[i] - first[s]] = (uint32_t)i;
	}
	free(rank_before);
	free(place);
	free(key);
	free(number);
	free(sorted);
	return done;
}

/* The largest value any chain can have, with a layer more. */
static void raise_largest(struct chain *chain, const struct compose_layer *layer)
{
	double most_of_all[COMPOSE_MAX_METRIC] = {0}, least[COMPOSE_MAX_METRIC], most[COMPOSE_MAX_METRIC];

	for (size_t e = 0; e < layer->n_edge; e++) {
		if (layer->edge[e].front->n == 0)
			continue;
		compose_costs_range(&chain->costs, layer, &layer->edge[e], least, most);
		for (unsigned i = 0; i < chain->n_metric; i++)
			most_of_all[i] = fmax(most_of_all[i], most[i]);
	}
	for (unsigned i = 0; i < chain->n_metric; i++)
		chain->largest[i] = compose_costs_join(&chain->costs, i, chain->largest[i], most_of_all[i]);
}

/* Pairs of a partial chain and a point of the layer. */
static uint64_t count_sums(const struct chain *chain, const struct compose_layer *layer)
{
	uint64_t n_sum = 0;

	for (size_t e = 0; e < layer->n_edge; e++)
		n_sum = add_sat(n_sum, mul_sat(layer->edge[e].front->n, chain->now[layer->edge[e].from].points.n));
	return n_sum;
}

/* Extend all chains by layer n_done - 1, unless that exceeds the budget. false when memory is out. */
static bool extend_chain(struct chain *chain, size_t n_done)
{
	const struct compose_layer *layer = &chain->layer[n_done - 1];
	unsigned n_state = chain->options->n_state;
	size_t first[COMPOSE_MAX_STATE];
	size_t n_before = first_numbers(chain->now, n_state, chain->first);
	uint64_t n_sum = count_sums(chain, layer), max = chain->options->max_composed;

	chain->is_over_budget =
	    max > 0 && (add_sat(chain->n_composed, n_sum) > max || stop_requested(chain->options->stop));
	if (chain->is_over_budget)
		return true;
	chain->n_composed = add_sat(chain->n_composed, n_sum);
	chain->n_done = n_done;
	chain->n_point = number_points(chain, layer);
	/* Threads of steps of microseconds would wait for each other longer than work. */
	parallel_for(n_state, n_sum < FEW_SUMS ? 1 : chain->sweep[0].n_thread, extend_state, chain);
	for (unsigned s = 0; s < n_state; s++) {
		if (!chain->next[s].done)
			return false;
		chain->lost = fmax(chain->lost, chain->next[s].lost);
	}
	raise_largest(chain, layer);
	struct layer_history *history = &chain->history[n_done - 1];
	size_t n_after = first_numbers(chain->next, n_state, first);
	assert(n_after < UINT32_MAX);
	if (!store_history(chain->next, n_state, n_after, history) ||
	    !rank_chains(chain, n_before, chain->n_point, history))
		return false;
	struct state_front *now = chain->now;
	chain->now = chain->next;
	chain->next = now;
	return true;
}

/* ---- the result --------------------------------------------------------------------------------- */

/* The front of all states' chains, by a last layer that costs nothing. */
static bool join_states(struct chain *chain)
{
	struct compose_sweep *sweep = &chain->sweep[0];
	size_t first[COMPOSE_MAX_STATE];

	first_numbers(chain->now, chain->options->n_state, first);
	if (!compose_sweep_reserve(sweep, chain->options->n_state))
		return false;
	sweep->n_run = 0;
	for (unsigned s = 0; s < chain->options->n_state; s++) {
		if (chain->now[s].points.n > 0)
			sweep->run[sweep->n_run++] =
			    (struct compose_run){.from = &chain->now[s].points, .first = (uint32_t)first[s]};
	}
	compose_costs_bound(&chain->costs, chain->options->limit, chain->n_layer, 0, sweep->bound);
	return compose_sweep_run(sweep, &chain->final);
}

struct result_row {
	const double *metric;
	unsigned n_metric;
	uint32_t at;
};

static int compare_row(const void *left, const void *right)
{
	const struct result_row *a = left, *b = right;

	for (unsigned i = 0; i < a->n_metric; i++) {
		if (a->metric[i] != b->metric[i])
			return a->metric[i] < b->metric[i] ? -1 : 1;
	}
	assert(a == b || a->at == b->at); /* equal chains were reduced to one */
	return 0;
}

/* The final points in the caller's order of metrics, sorted; chain_at [n] is each one's number after the last layer. */
static bool sort_result(const struct chain *chain, struct compose_result *result, uint32_t *chain_at)
{
	const struct compose_points *final = &chain->final;
	double *metric = calloc(final->n, chain->n_metric * sizeof *metric);
	struct result_row *row = calloc(final->n, sizeof *row);

	if (!metric || !row) {
		free(metric);
		free(row);
		return false;
	}
	for (size_t i = 0; i < final->n; i++) {
		row[i] = (struct result_row){metric + i * chain->n_metric, chain->n_metric, (uint32_t)i};
		for (unsigned k = 0; k < chain->n_metric; k++)
			metric[i * chain->n_metric + chain->costs.order[k]] = final->metric[k][i];
	}
	qsort(row, final->n, sizeof *row, compare_row);
	for (size_t i = 0; i < final->n; i++) {
		memcpy(result->metric + i * chain->n_metric, row[i].metric, chain->n_metric * sizeof *metric);
		chain_at[i] = final->before[row[i].at];
	}
	free(metric);
	free(row);
	return true;
}

/* Layer by layer from the last one, so that each layer's points are numbered once. */
static void unroll(const struct chain *chain, struct compose_result *result, uint32_t *chain_at)
{
	for (size_t layer = chain->n_layer; layer-- > 0;) {
		number_points(chain, &chain->layer[layer]);
		for (size_t i = 0; i < result->n; i++) {
			const struct layer_point *point = &chain->point[chain->history[layer].choice[chain_at[i]]];
			result->edge[i * chain->n_layer + layer] = point->edge;
			result->id[i * chain->n_layer + layer] = point->id;
			chain_at[i] = chain->history[layer].before[chain_at[i]];
		}
	}
}

static bool make_result(const struct chain *chain, struct compose_result *result)
{
	size_t n = chain->final.n;

	*result = (struct compose_result){
	    .n = n, .n_layer = chain->n_layer, .n_metric = chain->n_metric, .n_composed = chain->n_composed};
	result->is_over_budget = chain->is_over_budget;
	result->is_limited = chain->lost > 0.0;
	result->epsilon = fmax(0.0, chain->lost - 1.0);
	for (unsigned s = 0; s < chain->options->n_state; s++) {
		for (unsigned i = 0; i < chain->n_metric && chain->now[s].points.n > 0; i++)
			result->epsilon = fmax(result->epsilon, chain->now[s].factor[i] - 1.0);
	}
	if (n == 0)
		return true;
	uint32_t *chain_at = calloc(n, sizeof *chain_at);
	result->metric = calloc(n, chain->n_metric * sizeof *result->metric);
	/* One row more: a chain of no layers has no choices. */
	result->edge = calloc(n + 1, (chain->n_layer + 1) * sizeof *result->edge);
	result->id = calloc(n + 1, (chain->n_layer + 1) * sizeof *result->id);
	bool done = chain_at && result->metric && result->edge && result->id && sort_result(chain, result, chain_at);
	if (done)
		unroll(chain, result, chain_at);
	else
		compose_free(result);
	free(chain_at);
	return done;
}

void compose_free(struct compose_result *result)
{
	free(result->metric);
	free(result->edge);
	free(result->id);
	*result = (struct compose_result){0};
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static bool chain_init(struct chain *chain)
{
	unsigned n_state = chain->options->n_state;

	chain->n_metric = chain->options->n_metric;
	chain->max_choice = 1; /* no allocation of nothing */
	for (size_t i = 0; i < chain->n_layer; i++) {
		size_t n = 0;
		for (size_t e = 0; e < chain->layer[i].n_edge; e++) {
			assert(chain->layer[i].edge[e].from < n_state && chain->layer[i].edge[e].to < n_state);
			n += chain->layer[i].edge[e].front->n;
		}
		assert(n < UINT32_MAX);
		chain->max_choice = n > chain->max_choice ? n : chain->max_choice;
	}
	chain->now = calloc(n_state, sizeof *chain->now);
	chain->next = calloc(n_state, sizeof *chain->next);
	chain->history = calloc(chain->n_layer + 1, sizeof *chain->history);
	chain->point = calloc(chain->max_choice, sizeof *chain->point);
	chain->sweep = calloc(n_state, sizeof *chain->sweep);
	if (!compose_costs_init(&chain->costs, chain->layer, chain->n_layer, chain->options) ||
	    !compose_joint_init(&chain->joint, &chain->costs, chain->layer, chain->n_layer, chain->options->limit) ||
	    !chain->now || !chain->next || !chain->history || !chain->point || !chain->sweep)
		return false;
	chain->final.n_metric = chain->n_metric;
	for (unsigned s = 0; s < n_state; s++) {
		chain->sweep[s].n_metric = chain->n_metric;
		chain->sweep[s].n_sum = chain->costs.n_sum;
		chain->sweep[s].n_thread = chain->options->n_thread > 0 ? chain->options->n_thread : 1;
		chain->sweep[s].part_size = chain->options->part_size;
		chain->now[s].points.n_metric = chain->next[s].points.n_metric = chain->n_metric;
	}
	return true;
}

/* The chain without layers: one point, which costs nothing, in state 0. */
static bool start_chain(struct chain *chain)
{
	struct state_front *start = &chain->now[0];

	if (!compose_points_reserve(&start->points, 1))
		return false;
	for (unsigned i = 0; i < chain->n_metric; i++) {
		start->points.metric[i][0] = 0.0;
		start->factor[i] = 1.0;
	}
	start->points.before[0] = start->points.choice[0] = start->points.rank[0] = 0;
	start->points.n = 1;
	return true;
}

static void chain_free(struct chain *chain)
{
	for (unsigned s = 0; s < chain->options->n_state; s++) {
		if (chain->now)
			compose_points_free(&chain->now[s].points);
		if (chain->next)
			compose_points_free(&chain->next[s].points);
		if (chain->sweep)
			compose_sweep_free(&chain->sweep[s]);
	}
	for (size_t i = 0; chain->history && i < chain->n_layer; i++) {
		free(chain->history[i].before);
		free(chain->history[i].choice);
	}
	compose_points_free(&chain->final);
	compose_costs_free(&chain->costs);
	compose_joint_free(&chain->joint);
	free(chain->now);
	free(chain->next);
	free(chain->history);
	free(chain->point);
	free(chain->sweep);
}

enum err_code compose_chain(const struct compose_layer *layer, size_t n_layer, const struct compose_options *options,
                            struct compose_result *result, double *nearest, struct err *err)
{
	struct chain chain = {.layer = layer, .n_layer = n_layer, .options = options};
	struct compose_result made = {0};
	bool done;

	assert(options->n_metric >= 1 && options->n_metric <= COMPOSE_MAX_METRIC);
	assert(options->n_state >= 1 && options->n_state <= COMPOSE_MAX_STATE);
	done = chain_init(&chain) && start_chain(&chain);
	for (size_t i = 1; done && i <= n_layer && !chain.is_over_budget; i++)
		done = extend_chain(&chain, i);
	if (done && !chain.is_over_budget)
		done = join_states(&chain);
	done = done && make_result(&chain, &made);
	if (done) {
		*result = made;
		for (unsigned i = 0; nearest && i < chain.n_metric; i++)
			nearest[chain.costs.order[i]] = chain.costs.least_after[i];
	}
	chain_free(&chain);
	return done ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory while composing %zu layers", n_layer);
}
