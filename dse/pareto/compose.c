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
#include "dse/pareto/compose_sweep_parts.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of a layer's step that are made sooner than another thread has begun. */
enum { FEW_SUMS = 1 << 11 };

/* ---- one layer ---------------------------------------------------------------------------------- */

static int compare_point(const void *left, const void *right)
{
	const struct compose_choice *a = left, *b = right;
	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->point < b->point ? -1 : a->point > b->point;
}

size_t compose_number_points(const struct compose_work *work, const struct compose_layer *layer)
{
	size_t n = 0;
	for (size_t e = 0; e < layer->n_edge; e++) {
		const struct compose_front *front = layer->edge[e].front;
		for (size_t point = 0; point < front->n; point++)
			work->point[n++] = (struct compose_choice){front->id[point], (uint32_t)e, (uint32_t)point};
	}
	assert(n <= work->max_choice);
	if (n > 1)
		qsort(work->point, n, sizeof(*work->point), compare_point);
	return n;
}

size_t compose_first_numbers(const struct compose_state *state, unsigned n_state, size_t *first)
{
	size_t n = 0;
	for (unsigned s = 0; s < n_state; s++) {
		first[s] = n;
		n += state[s].points.n;
	}
	return n;
}

/* Copy what unrolling needs out of all states' points. */
static bool store_history(const struct compose_state *state, unsigned n_state, size_t n, struct arena *arena,
                          struct compose_history *history)
{
	size_t filled = 0;
	history->before = arena_array(arena, n, sizeof(*history->before));
	history->choice = arena_array(arena, n, sizeof(*history->choice));
	if (arena->is_out)
		return false;
	for (unsigned s = 0; s < n_state; s++) {
		const struct compose_points *points = &state[s].points;
		if (points->n > 0) {
			memcpy(history->before + filled, points->before, points->n * sizeof(*points->before));
			memcpy(history->choice + filled, points->choice, points->n * sizeof(*points->choice));
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
	memset(place, 0, (n_key + 1) * sizeof(*place));
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
static bool rank_chains(struct compose_work *work, size_t n_before, size_t n_choice,
                        const struct compose_history *history)
{
	unsigned n_state = work->options->n_state;
	size_t first[COMPOSE_MAX_STATE], n = compose_first_numbers(work->next, n_state, first), filled = 0;
	size_t n_key = n_before > n_choice ? n_before : n_choice;
	struct arena arena = {0};
	uint32_t *rank_before = arena_array(&arena, n_before, sizeof(*rank_before));
	uint32_t *place = arena_array(&arena, n_key + 1, sizeof(*place));
	uint32_t *key = arena_array(&arena, n, sizeof(*key)), *number = arena_array(&arena, n, sizeof(*number));
	uint32_t *sorted = arena_array(&arena, n, sizeof(*sorted));
	bool done = !arena.is_out;
	for (unsigned s = 0; done && s < n_state; s++) {
		const struct compose_points *points = &work->now[s].points;
		if (points->n > 0)
			memcpy(rank_before + filled, points->rank, points->n * sizeof(*points->rank));
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
		work->next[s].points.rank[number[i] - first[s]] = (uint32_t)i;
	}
	arena_free(&arena);
	return done;
}

/* The largest value any chain can have, with a layer more. */
static void raise_largest(struct compose_work *work, const struct compose_layer *layer)
{
	double most_of_all[COMPOSE_MAX_METRIC] = {0}, least[COMPOSE_MAX_METRIC], most[COMPOSE_MAX_METRIC];
	for (size_t e = 0; e < layer->n_edge; e++) {
		if (layer->edge[e].front->n == 0)
			continue;
		compose_costs_range(&work->costs, layer, &layer->edge[e], least, most);
		for (unsigned i = 0; i < work->n_metric; i++)
			most_of_all[i] = fmax(most_of_all[i], most[i]);
	}
	for (unsigned i = 0; i < work->n_metric; i++)
		work->largest[i] = compose_costs_join(&work->costs, i, work->largest[i], most_of_all[i]);
}

/* Pairs of a partial chain and a point of the layer. */
static uint64_t count_sums(const struct compose_work *work, const struct compose_layer *layer)
{
	uint64_t n_sum = 0;
	for (size_t e = 0; e < layer->n_edge; e++)
		n_sum = add_sat(n_sum, mul_sat(layer->edge[e].front->n, work->now[layer->edge[e].from].points.n));
	return n_sum;
}

/* Most points of a state where somebody waits for the end: what thinning loses is stated, as everywhere. */
static size_t stopped_front(const struct stop *stop)
{
	uint64_t age_ms = stop_age_ms(stop);
	return age_ms >= STOP_LATE_MS ? 64 : age_ms >= STOP_GRACE_MS ? 512 : SIZE_MAX;
}

/* Extend all chains by layer n_done - 1, unless that exceeds the budget. false when memory is out. */
static bool extend_chain(struct compose_work *work, size_t n_done)
{
	const struct compose_layer *layer = &work->layer[n_done - 1];
	unsigned n_state = work->options->n_state;
	size_t first[COMPOSE_MAX_STATE];
	size_t n_before = compose_first_numbers(work->now, n_state, work->first);
	uint64_t n_sum = count_sums(work, layer), max = work->options->max_composed;
	work->is_over_budget =
	    max > 0 && (add_sat(work->n_composed, n_sum) > max || stop_requested(work->options->stop));
	if (work->is_over_budget)
		return true;
	work->n_composed = add_sat(work->n_composed, n_sum);
	work->n_done = n_done;
	work->n_point = compose_number_points(work, layer);
	/* Threads of steps of microseconds would wait for each other longer than work. */
	unsigned n_thread = n_sum < FEW_SUMS ? 1 : work->sweep[0].n_thread;
	parallel_for(n_state, n_thread, compose_extend_state, work);
	size_t max_front = compose_budget_front(work), stopped = stopped_front(work->options->stop);
	work->max_front = stopped < max_front ? stopped : max_front;
	parallel_for(n_state, n_thread, compose_thin_state, work);
	for (unsigned s = 0; s < n_state; s++) {
		if (!work->next[s].done)
			return false;
		work->lost = fmax(work->lost, work->next[s].lost);
	}
	raise_largest(work, layer);
	struct compose_history *history = &work->history[n_done - 1];
	size_t n_after = compose_first_numbers(work->next, n_state, first);
	assert(n_after < UINT32_MAX);
	work->n_kept += n_after;
	if (!store_history(work->next, n_state, n_after, &work->arena, history) ||
	    !rank_chains(work, n_before, work->n_point, history))
		return false;
	struct compose_state *now = work->now;
	work->now = work->next;
	work->next = now;
	return true;
}

void compose_free(struct compose_result *result)
{
	arena_free(&result->arena);
	*result = (struct compose_result){0};
}

/* ---- the whole ---------------------------------------------------------------------------------- */

static bool work_init(struct compose_work *work)
{
	unsigned n_state = work->options->n_state;
	work->n_metric = work->options->n_metric;
	for (size_t i = 0; i < work->n_layer; i++) {
		size_t n = 0;
		for (size_t e = 0; e < work->layer[i].n_edge; e++) {
			assert(work->layer[i].edge[e].from < n_state && work->layer[i].edge[e].to < n_state);
			n += work->layer[i].edge[e].front->n;
		}
		assert(n < UINT32_MAX);
		work->max_choice = n > work->max_choice ? n : work->max_choice;
	}
	work->now = arena_array(&work->arena, n_state, sizeof(*work->now));
	work->next = arena_array(&work->arena, n_state, sizeof(*work->next));
	work->history = arena_array(&work->arena, work->n_layer, sizeof(*work->history));
	work->point = arena_array(&work->arena, work->max_choice, sizeof(*work->point));
	work->sweep = arena_array(&work->arena, n_state, sizeof(*work->sweep));
	/* the first may find no memory, and the others do */
	if (work->arena.is_out ||
	    !compose_costs_init(&work->costs, work->layer, work->n_layer, work->options, &work->arena) ||
	    !compose_joint_init(&work->joint, &work->costs, work->layer, work->n_layer, work->options->limit,
	                        &work->arena) ||
	    !compose_budget_init(work))
		return false;
	work->final.n_metric = work->n_metric;
	for (unsigned s = 0; s < n_state; s++) {
		work->sweep[s].n_metric = work->n_metric;
		work->sweep[s].n_sum = work->costs.n_sum;
		work->sweep[s].n_thread = work->options->n_thread > 0 ? work->options->n_thread : 1;
		work->sweep[s].part_size = work->options->part_size;
		work->now[s].points.n_metric = work->next[s].points.n_metric = work->n_metric;
	}
	return true;
}

/* The chain without layers: one point, which costs nothing, in state 0. */
static bool start_chain(struct compose_work *work)
{
	struct compose_state *start = &work->now[0];
	if (!compose_points_reserve(&start->points, 1))
		return false;
	for (unsigned i = 0; i < work->n_metric; i++) {
		start->points.metric[i][0] = 0.0;
		start->factor[i] = 1.0;
	}
	start->points.before[0] = start->points.choice[0] = start->points.rank[0] = 0;
	start->points.n = 1;
	return true;
}

static void work_free(struct compose_work *work)
{
	for (unsigned s = 0; s < work->options->n_state; s++) {
		if (work->now)
			compose_points_free(&work->now[s].points);
		if (work->next)
			compose_points_free(&work->next[s].points);
		if (work->sweep)
			compose_sweep_free(&work->sweep[s]);
	}
	compose_points_free(&work->final);
	arena_free(&work->arena);
}

enum err_code compose_chain(const struct compose_layer *layer, size_t n_layer, const struct compose_options *options,
                            struct compose_result *result, double *nearest, struct err *err)
{
	struct compose_work work = {.layer = layer, .n_layer = n_layer, .options = options};
	struct compose_result made = {0};
	bool done;
	assert(options->n_metric >= 1 && options->n_metric <= COMPOSE_MAX_METRIC);
	assert(options->n_state >= 1 && options->n_state <= COMPOSE_MAX_STATE);
	done = work_init(&work) && start_chain(&work);
	for (size_t i = 1; done && i <= n_layer && !work.is_over_budget; i++)
		done = extend_chain(&work, i);
	if (done && !work.is_over_budget)
		done = compose_join_states(&work);
	done = done && compose_make_result(&work, &made);
	if (done) {
		*result = made;
		for (unsigned i = 0; nearest && i < work.n_metric; i++)
			nearest[work.costs.order[i]] = work.costs.least_after[i];
	}
	work_free(&work);
	return done ? ERR_OK : err_add(err, ERR_INTERNAL, "out of memory while composing %zu layers", n_layer);
}
