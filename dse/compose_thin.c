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
 * others. What is reported is not the epsilon asked for but the largest ratio
 * between a point dropped and the one kept for it.
 */
#include "dse/compose_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

static const double FIRST_GUESS = 1e-6;
static const double LEAST_EPSILON = 1e-15; /* what a double can still tell from 0 beside 1 */
static const double TOLERANCE = 1.06;      /* largest ratio of the epsilon found to the least one */

struct thinning {
	struct compose_points *points;
	size_t max_kept;
	uint32_t *keeper; /* [n] who serves a point; itself when it stays */

	/* Boxes, for more than two metrics. */
	double *logarithm;   /* [n][n_metric] of the metric over its least positive value; negative: the metric is 0 */
	size_t n_slot;       /* a power of two */
	uint64_t *slot_key;  /* [n_slot] 0: empty */
	uint32_t *slot_best; /* [n_slot] */
};

/* ---- two metrics -------------------------------------------------------------------------------- */

/* Number of points kept with this epsilon; who keeps whom goes to keeper. */
static size_t cover_staircase(struct thinning *thinning, double epsilon)
{
	const double *x = thinning->points->metric[0], *y = thinning->points->metric[1];
	size_t n = thinning->points->n, n_kept = 1, kept = 0, at = 1;
	double factor = 1.0 + epsilon;

	thinning->keeper[0] = 0;
	while (at < n) {
		/* Behind a kept point, all those that are not much lower. */
		for (; at < n - 1 && y[kept] <= factor * y[at]; at++)
			thinning->keeper[at] = (uint32_t)kept;
		size_t next = at;
		while (next + 1 < n && x[next + 1] <= factor * x[at])
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

static bool prepare_boxes(struct thinning *thinning)
{
	const struct compose_points *points = thinning->points;
	unsigned n_metric = points->n_metric;

	thinning->n_slot = 64;
	while (thinning->n_slot < 2 * thinning->max_kept)
		thinning->n_slot *= 2;
	thinning->logarithm = calloc(points->n, n_metric * sizeof *thinning->logarithm);
	thinning->slot_key = calloc(thinning->n_slot, sizeof *thinning->slot_key);
	thinning->slot_best = calloc(thinning->n_slot, sizeof *thinning->slot_best);
	if (!thinning->logarithm || !thinning->slot_key || !thinning->slot_best)
		return false;
	for (unsigned k = 0; k < n_metric; k++) {
		double least = INFINITY;
		for (size_t i = 0; i < points->n; i++) {
			double value = points->metric[k][i];
			least = value > 0.0 && value < least ? value : least;
		}
		for (size_t i = 0; i < points->n; i++) {
			double value = points->metric[k][i];
			thinning->logarithm[i * n_metric + k] = value > 0.0 ? fmax(log(value / least), 0.0) : -1.0;
		}
	}
	return true;
}

/* Names a box. That two boxes share a name is as good as impossible, and only makes the reported epsilon larger. */
static uint64_t box_key(const double *logarithm, unsigned n_metric, double per_side)
{
	uint64_t key = 0x9e3779b97f4a7c15u;

	for (unsigned k = 0; k < n_metric; k++) {
		uint64_t index = logarithm[k] < 0.0 ? UINT64_MAX : (uint64_t)fmin(logarithm[k] * per_side, 0x1p62);
		key = (key ^ index) * 0xbf58476d1ce4e5b9u;
		key ^= key >> 29;
	}
	return key | 1;
}

/* The slot of the box's key, or the empty one where it belongs. */
static size_t find_slot(const struct thinning *thinning, uint64_t key)
{
	size_t slot = (size_t)(key >> 7) & (thinning->n_slot - 1);

	while (thinning->slot_key[slot] != 0 && thinning->slot_key[slot] != key)
		slot = (slot + 1) & (thinning->n_slot - 1);
	return slot;
}

static bool is_nearer_ideal(const struct thinning *thinning, size_t a, size_t b)
{
	unsigned n_metric = thinning->points->n_metric;
	double sum_a = 0.0, sum_b = 0.0;

	for (unsigned k = 0; k < n_metric; k++) {
		sum_a += thinning->logarithm[a * n_metric + k];
		sum_b += thinning->logarithm[b * n_metric + k];
	}
	return sum_a < sum_b;
}

/* Number of boxes of this side; stops when there are more than max. */
static size_t fill_boxes(struct thinning *thinning, double epsilon, size_t max)
{
	unsigned n_metric = thinning->points->n_metric;
	double per_side = 1.0 / log1p(epsilon);
	size_t n_box = 0;

	memset(thinning->slot_key, 0, thinning->n_slot * sizeof *thinning->slot_key);
	for (size_t i = 0; i < thinning->points->n && n_box <= max; i++) {
		uint64_t key = box_key(thinning->logarithm + i * n_metric, n_metric, per_side);
		size_t slot = find_slot(thinning, key);
		if (thinning->slot_key[slot] == 0) {
			thinning->slot_key[slot] = key;
			thinning->slot_best[slot] = (uint32_t)i;
			n_box++;
		} else if (is_nearer_ideal(thinning, i, thinning->slot_best[slot])) {
			thinning->slot_best[slot] = (uint32_t)i;
		}
	}
	return n_box;
}

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

static void assign_boxes(struct thinning *thinning, double epsilon)
{
	const struct compose_points *points = thinning->points;
	double per_side = 1.0 / log1p(epsilon);

	fill_boxes(thinning, epsilon, points->n);
	for (size_t i = 0; i < points->n; i++) {
		uint64_t key = box_key(thinning->logarithm + i * points->n_metric, points->n_metric, per_side);
		thinning->keeper[i] = thinning->slot_best[find_slot(thinning, key)];
	}
	for (unsigned k = 0; k < points->n_metric; k++) {
		size_t best = find_extreme(points, k);
		thinning->keeper[best] = (uint32_t)best;
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
	return fill_boxes(thinning, epsilon, max - n_metric) <= max - n_metric;
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

/* Drop who has another keeper, in order, and measure what that costs. */
static void drop_served(struct compose_points *points, const uint32_t *keeper, double *epsilon)
{
	size_t n_kept = 0;

	for (size_t i = 0; i < points->n; i++)
		assert(keeper[keeper[i]] == keeper[i]); /* who keeps others stays */
	/* Ratios first: dropping moves the keepers. */
	for (unsigned k = 0; k < points->n_metric; k++) {
		epsilon[k] = 0.0;
		for (size_t i = 0; i < points->n; i++) {
			double own = points->metric[k][i], kept = points->metric[k][keeper[i]];
			/* One rounding up covers that of the division. */
			if (kept > own)
				epsilon[k] = fmax(epsilon[k], nextafter(kept / own, INFINITY) - 1.0);
		}
	}
	for (size_t i = 0; i < points->n; i++) {
		if (keeper[i] != i)
			continue;
		for (unsigned k = 0; k < points->n_metric; k++)
			points->metric[k][n_kept] = points->metric[k][i];
		points->before[n_kept] = points->before[i];
		points->choice[n_kept] = points->choice[i];
		n_kept++;
	}
	points->n = n_kept;
}

bool compose_thin(struct compose_points *points, size_t max_front, double *guess, double *epsilon)
{
	size_t least = ((size_t)1 << points->n_metric) + points->n_metric;
	struct thinning thinning = {.points = points, .max_kept = max_front > least ? max_front : least};
	bool done = false;

	assert(points->n < NOBODY);
	for (unsigned k = 0; k < points->n_metric; k++)
		epsilon[k] = 0.0;
	if (points->n <= thinning.max_kept)
		return true;
	assert(points->n_metric >= 2); /* a front of one metric has one point */
	thinning.keeper = calloc(points->n, sizeof *thinning.keeper);
	if (!thinning.keeper || (points->n_metric > 2 && !prepare_boxes(&thinning)))
		goto cleanup;
	*guess = find_epsilon(&thinning, *guess);
	if (points->n_metric == 2)
		cover_staircase(&thinning, *guess);
	else
		assign_boxes(&thinning, *guess);
	drop_served(points, thinning.keeper, epsilon);
	assert(points->n <= thinning.max_kept);
	done = true;
cleanup:
	free(thinning.keeper);
	free(thinning.logarithm);
	free(thinning.slot_key);
	free(thinning.slot_best);
	return done;
}
