/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Thinning by multiplicative epsilon-dominance (C. Papadimitriou, M. Yannakakis,
 * "On the approximability of trade-offs and optimal access of web sources",
 * 2000). The least epsilon that leaves few enough points is found by trial.
 *
 * Two metrics: going along the staircase, the first point not served yet is
 * served by the last one that is at most (1 + epsilon) times as large in metric
 * 0; that is the fewest points any choice needs. More metrics: the logarithms are cut into
 * boxes of side log(1 + epsilon), and each box keeps one point, which serves the
 * others. Values are those of whole chains, with what they will have beyond their layers so far
 * added (compose.c says why). What is reported is not the epsilon asked for but the largest ratio
 * between a point dropped and the one kept for it.
 */
#include "dse/pareto/compose_thin_parts.h"
#include "dse/base/parallel.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define NOBODY UINT32_MAX

enum { N_SHARE = 8 }; /* of points that one thread looks at in one metric */

static const double FIRST_GUESS = 1e-6;
static const double LEAST_EPSILON = 1e-15;      /* what a double can still tell from 0 beside 1 */
static const double TOLERANCE = 1.06;           /* largest ratio of the epsilon found to the least one */
static const double ROUNDED_UP = 1.0 + 0x1p-50; /* covers a difference, a sum and a division */

struct thinning {
	struct compose_points *points;
	const double *beyond; /* [n_metric] */
	size_t max_kept;
	uint32_t *keeper;           /* [n] who serves a point; itself when it stays */
	struct compose_boxes boxes; /* for more than two metrics */
	/* Of shares of the points: */
	double epsilon[COMPOSE_MAX_METRIC * N_SHARE]; /* what thinning costs in a metric */
	size_t extreme[COMPOSE_MAX_METRIC * N_SHARE]; /* the best in a metric */
};

/* Where share i begins, of a metric's N_SHARE. */
static size_t share_begin(const struct thinning *thinning, size_t i)
{
	return thinning->points->n * i / N_SHARE;
}

/* ---- two metrics -------------------------------------------------------------------------------- */

/* Number of points kept with this epsilon; who keeps whom goes to keeper. */
static size_t cover_staircase(struct thinning *thinning, double epsilon)
{
	const double *x = thinning->points->metric[0], *y = thinning->points->metric[1];
	size_t n = thinning->points->n, n_kept = 1, kept = 0, at = 1;
	double factor = 1.0 + epsilon;
	/* a + r <= factor (b + r), as a <= factor b + r (factor - 1) */
	double spare_x = epsilon * thinning->beyond[0], spare_y = epsilon * thinning->beyond[1];
	thinning->keeper[0] = 0;
	while (at < n) {
		/* Behind a kept point, all those that are not much lower. */
		for (; at < n - 1 && y[kept] <= factor * y[at] + spare_y; at++)
			thinning->keeper[at] = (uint32_t)kept;
		size_t next = at;
		while (next + 1 < n && x[next + 1] <= factor * x[at] + spare_x)
			next++;
		for (; at <= next; at++)
			thinning->keeper[at] = (uint32_t)next;
		kept = next;
		n_kept++;
	}
	assert(thinning->keeper[n - 1] == n - 1); /* best in metric 1, as point 0 is in metric 0 */
	return n_kept;
}

/* ---- more metrics ------------------------------------------------------------------------------- */

/* Whether a point is the better one in a metric; of equal ones in the next metric, and so on. */
static bool is_better(const struct compose_points *points, unsigned metric, size_t a, size_t b)
{
	for (unsigned k = 0; k < points->n_metric; k++) {
		const double *column = points->metric[(metric + k) % points->n_metric];
		if (column[a] != column[b])
			return column[a] < column[b];
	}
	return false;
}

/* The first of the best points of a share in a metric. */
static void look_for_extreme(void *context, size_t item)
{
	struct thinning *thinning = context;
	unsigned metric = (unsigned)(item / N_SHARE);
	size_t share = item % N_SHARE, best = share_begin(thinning, share);
	for (size_t i = best + 1; i < share_begin(thinning, share + 1); i++)
		best = is_better(thinning->points, metric, i, best) ? i : best;
	thinning->extreme[item] = best;
}

/* The first of the best points in a metric, of those of its shares. */
static size_t find_extreme(const struct thinning *thinning, unsigned metric)
{
	const size_t *extreme = thinning->extreme + (size_t)metric * N_SHARE;
	size_t best = extreme[0];
	for (size_t i = 1; i < N_SHARE; i++)
		best = is_better(thinning->points, metric, extreme[i], best) ? extreme[i] : best;
	return best;
}

static void assign_boxes(struct thinning *thinning, unsigned n_thread)
{
	compose_boxes_assign(&thinning->boxes, thinning->keeper);
	parallel_for((size_t)thinning->points->n_metric * N_SHARE, n_thread, look_for_extreme, thinning);
	for (unsigned k = 0; k < thinning->points->n_metric; k++) {
		size_t extreme = find_extreme(thinning, k);
		thinning->keeper[extreme] = (uint32_t)extreme;
	}
}

/* ---- all ---------------------------------------------------------------------------------------- */

static bool fits(struct thinning *thinning, double epsilon)
{
	size_t n_metric = thinning->points->n_metric, max = thinning->max_kept;
	assert(epsilon > 0.0 && max > n_metric);
	if (n_metric == 2)
		return cover_staircase(thinning, epsilon) <= max;
	/* Extremes may have to stay besides the boxes' points. */
	return compose_boxes_fit(&thinning->boxes, epsilon, max - n_metric);
}

/*
 * The least epsilon that fits, found from the guess on. Steps away from it grow,
 * because the guess is usually near (the layer before) and sometimes there is
 * none (the first layer).
 */
static double find_epsilon(struct thinning *thinning, double guess)
{
	double low, high = guess > 0.0 ? guess : FIRST_GUESS, step = 1.25;
	if (fits(thinning, high)) {
		for (low = high / step; low > LEAST_EPSILON && fits(thinning, low); low /= step) {
			high = low;
			step *= step;
		}
	} else {
		do {
			low = high;
			high *= step;
			step *= step;
		} while (!fits(thinning, high));
	}
	while (low > 0.0 && high > TOLERANCE * low) {
		double middle = sqrt(low * high);
		if (fits(thinning, middle))
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* The largest ratio, less 1, between a metric of a point of a share that is dropped and of the one kept for it. */
static void measure_share(void *context, size_t item)
{
	struct thinning *thinning = context;
	size_t metric = item / N_SHARE, share = item % N_SHARE;
	const double *value = thinning->points->metric[metric];
	double epsilon = 0.0;
	for (size_t i = share_begin(thinning, share); i < share_begin(thinning, share + 1); i++) {
		double own = value[i], kept = value[thinning->keeper[i]];
		if (kept > own)
			epsilon = fmax(epsilon, (kept - own) / (own + thinning->beyond[metric]) * ROUNDED_UP);
	}
	thinning->epsilon[item] = epsilon;
}

/* Column i without those that have another keeper, in order: one of the metrics, or what says how a point was made. */
static void drop_of_column(void *context, size_t i)
{
	const struct thinning *thinning = context;
	const struct compose_points *points = thinning->points;
	uint32_t *number = i == points->n_metric ? points->before : points->choice;
	size_t n_kept = 0;
	if (i < points->n_metric) {
		for (size_t k = 0; k < points->n; k++)
			if (thinning->keeper[k] == k)
				points->metric[i][n_kept++] = points->metric[i][k];
		return;
	}
	for (size_t k = 0; k < points->n; k++)
		if (thinning->keeper[k] == k)
			number[n_kept++] = number[k];
}

/* Drop who has another keeper, and measure what that costs. */
static void drop_served(struct thinning *thinning, unsigned n_thread, double *epsilon)
{
	struct compose_points *points = thinning->points;
	const uint32_t *keeper = thinning->keeper;
	size_t n_kept = 0;
	for (size_t i = 0; i < points->n; i++) {
		assert(keeper[keeper[i]] == keeper[i]); /* who keeps others stays */
		n_kept += keeper[i] == i;
	}
	/* Ratios first: dropping moves the keepers. */
	parallel_for((size_t)points->n_metric * N_SHARE, n_thread, measure_share, thinning);
	for (size_t i = 0; i < (size_t)points->n_metric * N_SHARE; i++)
		epsilon[i / N_SHARE] = fmax(epsilon[i / N_SHARE], thinning->epsilon[i]);
	parallel_for(points->n_metric + 2, n_thread, drop_of_column, thinning);
	points->n = n_kept;
}

bool compose_thin(struct compose_points *points, const double *beyond, size_t max_front, unsigned n_thread,
                  double *guess, double *epsilon)
{
	size_t least = ((size_t)1 << points->n_metric) + points->n_metric;
	struct thinning thinning = {
	    .points = points, .beyond = beyond, .max_kept = max_front > least ? max_front : least};
	struct arena arena = {0};
	assert(points->n < NOBODY);
	for (unsigned k = 0; k < points->n_metric; k++)
		epsilon[k] = 0.0;
	if (points->n <= thinning.max_kept)
		return true;
	assert(points->n_metric >= 2); /* a front of one metric has one point */
	thinning.keeper = arena_array(&arena, points->n, sizeof(*thinning.keeper));
	bool done = thinning.keeper &&
	            (points->n_metric == 2 ||
	             compose_boxes_init(&thinning.boxes, points, beyond, thinning.max_kept, n_thread, &arena));
	if (done) {
		*guess = find_epsilon(&thinning, *guess);
		/* The last trial need not have been the one that was chosen. */
		(void)fits(&thinning, *guess);
		if (points->n_metric > 2)
			assign_boxes(&thinning, n_thread);
		drop_served(&thinning, n_thread, epsilon);
		assert(points->n <= thinning.max_kept);
	}
	arena_free(&arena);
	return done;
}
