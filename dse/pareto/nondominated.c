/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter works in two steps. First each point is compared with a handful of
 * points that dominate much of the space; of a random cloud few points survive
 * that, and it costs little where all do. (J. Chomicki, P. Godfrey, J. Gryz,
 * D. Liang, "Skyline with presorting", 2003, and later work sort first and keep
 * such a window while they look; here sorting is what is avoided.) The survivors
 * are sorted by their objectives, after which a point can only be dominated by an
 * earlier one: in what is left of the objectives dse/pareto/dominance.h finds it, and
 * nondominated_few.c where one of four objectives takes few values.
 */
#include "dse/pareto/nondominated.h"
#include "dse/pareto/dominance.h"
#include "dse/pareto/nondominated_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
	N_WINDOW = 16,  /* points that each one is compared with */
	N_SAMPLE = 1024 /* points whose ranges say how much of the space a point dominates */
};

/* ---- the order of points ------------------------------------------------------------------------ */

static const double *row_of(const double *point, size_t stride, uint64_t at)
{
	return point + at * stride;
}

/* Sort items that agree in the objectives before `objective` by it and those behind it. */
static void order_by(struct nondominated *memory, const double *point, size_t stride, unsigned n_objective,
                     unsigned objective, size_t begin, size_t end)
{
	struct key_item *item = memory->item;
	for (size_t i = begin; i < end; i++)
		item[i].key = key_of_double(row_of(point, stride, item[i].value)[objective]);
	key_sort(item + begin, memory->scratch + begin, end - begin);
	if (objective + 1 == n_objective)
		return;
	for (size_t first = begin, next; first < end; first = next) {
		for (next = first + 1; next < end && item[next].key == item[first].key;)
			next++;
		if (next > first + 1)
			order_by(memory, point, stride, n_objective, objective + 1, first, next);
	}
}

void nondominated_order(struct nondominated *memory, const double *point, size_t stride, unsigned n_objective,
                        const uint32_t *at, size_t n)
{
	assert(n <= memory->n_alloc && stride >= n_objective && n_objective >= 1);
	for (size_t i = 0; i < n; i++)
		memory->item[i].value = at ? at[i] : i;
	order_by(memory, point, stride, n_objective, 0, 0, n);
}

bool nondominated_init(struct nondominated *memory, size_t n)
{
	assert(n < UINT32_MAX);
	*memory = (struct nondominated){.n_alloc = n};
	memory->item = arena_array(&memory->arena, n, sizeof(*memory->item));
	memory->scratch = arena_array(&memory->arena, n, 2 * sizeof(*memory->scratch));
	memory->last = arena_array(&memory->arena, n, sizeof(*memory->last));
	memory->front = arena_array(&memory->arena, n, sizeof(*memory->front));
	memory->before = arena_array(&memory->arena, n, sizeof(*memory->before));
	memory->halves = nondominated_halves(n, &memory->arena);
	memory->bits = nondominated_bits(&memory->arena);
	return !memory->arena.is_out;
}

void nondominated_free(struct nondominated *memory)
{
	arena_free(&memory->arena);
	*memory = (struct nondominated){0};
}

/* ---- the window --------------------------------------------------------------------------------- */

struct front_window {
	unsigned n_objective, n;
	double low[NONDOMINATED_MAX_OBJECTIVE], scale[NONDOMINATED_MAX_OBJECTIVE];
	double share[N_WINDOW];                             /* of the sample's box, that the point dominates */
	double point[N_WINDOW][NONDOMINATED_MAX_OBJECTIVE]; /* which one helped lately stands first */
};

static void window_init(struct front_window *window, const double *point, size_t n, unsigned n_objective)
{
	size_t step = n / N_SAMPLE + 1;
	double high[NONDOMINATED_MAX_OBJECTIVE];
	*window = (struct front_window){.n_objective = n_objective};
	for (unsigned k = 0; k < n_objective; k++) {
		window->low[k] = INFINITY;
		high[k] = -INFINITY;
		for (size_t i = k; i < n * n_objective; i += step * n_objective) {
			window->low[k] = point[i] < window->low[k] ? point[i] : window->low[k];
			high[k] = point[i] > high[k] ? point[i] : high[k];
		}
		double range = high[k] - window->low[k];
		window->scale[k] = range > 0.0 && isfinite(range) ? 1.0 / range : 0.0;
	}
}

static bool window_covers(struct front_window *window, const double *point)
{
	for (unsigned i = 0; i < window->n; i++) {
		const double *own = window->point[i];
		bool below = true, smaller = false;
		for (unsigned k = 0; k < window->n_objective; k++) {
			below &= own[k] <= point[k];
			smaller |= own[k] < point[k];
		}
		if (!below || !smaller)
			continue;
		for (unsigned k = 0; k < window->n_objective && i > 0; k++) {
			double kept = window->point[0][k];
			window->point[0][k] = window->point[i][k];
			window->point[i][k] = kept;
		}
		double kept = window->share[0];
		window->share[0] = window->share[i];
		window->share[i] = kept;
		return true;
	}
	return false;
}

/* Put the point into the window if it dominates more than the least of those there. */
static void window_offer(struct front_window *window, const double *point)
{
	double share = 1.0;
	unsigned at = 0;
	for (unsigned k = 0; k < window->n_objective; k++) {
		double left = 1.0 - (point[k] - window->low[k]) * window->scale[k];
		share = left > 0.0 ? share * left : 0.0;
	}
	if (window->n < N_WINDOW) {
		at = window->n++;
	} else {
		for (unsigned i = 1; i < N_WINDOW; i++)
			at = window->share[i] < window->share[at] ? i : at;
		if (!(window->share[at] < share))
			return;
	}
	window->share[at] = share;
	memcpy(window->point[at], point, window->n_objective * sizeof(*point));
}

/* ---- the filter --------------------------------------------------------------------------------- */

bool nondominated_filter_ordered(const double *point, size_t n, unsigned n_objective, bool *keep, size_t *n_kept)
{
	struct dominance set = {0};
	bool done = true;
	assert(n_objective >= 1 && n_objective <= NONDOMINATED_MAX_OBJECTIVE);
	*n_kept = 0;
	dominance_reset(&set, n_objective - 1);
	for (size_t i = 0; done && i < n; i++) {
		const double *row = row_of(point, n_objective, i);
		/* The first objective of all earlier points is at or below this one's. */
		keep[i] = !dominance_covers(&set, row + 1);
		if (!keep[i])
			continue;
		done = dominance_add(&set, row + 1);
		(*n_kept)++;
	}
	dominance_free(&set);
	return done;
}

/* Mark those that stay of the points at[0..n-1]. */
static bool filter_sorted(const double *point, unsigned n_objective, const uint32_t *at, size_t n, bool *keep,
                          size_t *n_kept)
{
	struct nondominated memory = {0};
	struct dominance set = {0};
	bool is_done = false, done = true;
	if (n_objective == 4)
		done = nondominated_filter_few(point, at, n, keep, n_kept, &is_done);
	if (!done || is_done)
		return done;
	done = nondominated_init(&memory, n);
	if (done)
		nondominated_order(&memory, point, n_objective, n_objective, at, n);
	dominance_reset(&set, n_objective - 1);
	for (size_t i = 0; done && i < n; i++) {
		const double *row = row_of(point, n_objective, memory.item[i].value);
		/* The first objective of all earlier points is at or below this one's; equal points are covered, too.
		 */
		if (dominance_covers(&set, row + 1))
			continue;
		done = dominance_add(&set, row + 1);
		keep[memory.item[i].value] = true;
		(*n_kept)++;
	}
	dominance_free(&set);
	nondominated_free(&memory);
	return done;
}

/* at[] becomes the points that no point of the window dominates; returns how many. */
static size_t survivors(const double *point, size_t n, unsigned n_objective, uint32_t *at)
{
	struct front_window window;
	size_t n_left = 0, n_still = 0;
	window_init(&window, point, n, n_objective);
	for (size_t i = 0; i < n; i++) {
		const double *row = row_of(point, n_objective, i);
		if (window_covers(&window, row))
			continue;
		window_offer(&window, row);
		at[n_left++] = (uint32_t)i;
	}
	/* Who came before the best of the window has not met them yet. */
	for (size_t i = 0; i < n_left; i++) {
		at[n_still] = at[i];
		n_still += !window_covers(&window, row_of(point, n_objective, at[i]));
	}
	return n_still;
}

bool nondominated_filter(const double *point, size_t n, unsigned n_objective, bool *keep, size_t *n_kept)
{
	uint32_t *at = malloc((n + 1) * sizeof(*at));
	assert(n_objective >= 1 && n_objective <= NONDOMINATED_MAX_OBJECTIVE && n < UINT32_MAX);
	*n_kept = 0;
	if (!at)
		return false;
	memset(keep, 0, n * sizeof(*keep));
	size_t n_left = survivors(point, n, n_objective, at);
	bool done = filter_sorted(point, n_objective, at, n_left, keep, n_kept);
	free(at);
	assert(!done || n == 0 || (*n_kept >= 1 && *n_kept <= n_left));
	return done;
}
