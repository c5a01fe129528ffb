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
#include "dse/compose_parts.h"
#include "dse/parallel.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

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
	double epsilon[COMPOSE_MAX_METRIC];
	size_t extreme[COMPOSE_MAX_METRIC]; /* the best in each metric */
};

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

/* The best in one metric; of equal ones the best in the next metric, and so on. */
static size_t find_extreme(const struct compose_points *points, unsigned metric)
{
	size_t best = 0;

	for (size_t i = 1; i < points->n; i++) {
		for (unsigned k = 0; k < points->n_metric; k++) {
			const double *column = points->metric[(metric + k) % points->n_metric];
			if (column[i] != column[best]) {
				best = column[i] < column[best] ? i : best;
				break;
			}
		}
	}
	return best;
}

static void look_for_extreme(void *context, size_t metric)
{
	struct thinning *thinning = context;

	thinning->extreme[metric] = find_extreme(thinning->points, (unsigned)metric);
}

static void assign_boxes(struct thinning *thinning, unsigned n_thread)
{
	compose_boxes_assign(&thinning->boxes, thinning->keeper);
	parallel_for(thinning->points->n_metric, n_thread, look_for_extreme, thinning);
	for (unsigned k = 0; k < thinning->points->n_metric; k++)
		thinning->keeper[thinning->extreme[k]] = (uint32_t)thinning->extreme[k];
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

/* The largest ratio, less 1, between a metric of a point that is dropped and of the one kept for it. */
static void measure_metric(void *context, size_t metric)
{
	struct thinning *thinning = context;
	const double *value = thinning->points->metric[metric];
	double epsilon = 0.0;

	for (size_t i = 0; i < thinning->points->n; i++) {
		double own = value[i], kept = value[thinning->keeper[i]];
		if (kept > own)
			epsilon = fmax(epsilon, (kept - own) / (own + thinning->beyond[metric]) * ROUNDED_UP);
	}
	thinning->epsilon[metric] = epsilon;
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
	parallel_for(points->n_metric, n_thread, measure_metric, thinning);
	memcpy(epsilon, thinning->epsilon, points->n_metric * sizeof *epsilon);
	parallel_for(points->n_metric + 2, n_thread, drop_of_column, thinning);
	points->n = n_kept;
}

bool compose_thin(struct compose_points *points, const double *beyond, size_t max_front, unsigned n_thread,
                  double *guess, double *epsilon)
{
	size_t least = ((size_t)1 << points->n_metric) + points->n_metric;
	struct thinning thinning = {
	    .points = points, .beyond = beyond, .max_kept = max_front > least ? max_front : least};
	bool done = false;

	assert(points->n < NOBODY);
	for (unsigned k = 0; k < points->n_metric; k++)
		epsilon[k] = 0.0;
	if (points->n <= thinning.max_kept)
		return true;
	assert(points->n_metric >= 2); /* a front of one metric has one point */
	thinning.keeper = calloc(points->n, sizeof *thinning.keeper);
	if (!thinning.keeper ||
	    (points->n_metric > 2 && !compose_boxes_init(&thinning.boxes, points, beyond, thinning.max_kept, n_thread)))
		goto cleanup;
	*guess = find_epsilon(&thinning, *guess);
	/* The last trial need not have been the one that was chosen. */
	(void)fits(&thinning, *guess);
	if (points->n_metric > 2)
		assign_boxes(&thinning, n_thread);
	drop_served(&thinning, n_thread, epsilon);
	assert(points->n <= thinning.max_kept);
	done = true;
cleanup:
	free(thinning.keeper);
	compose_boxes_free(&thinning.boxes);
	return done;
}
