/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of chains of layers, without states that are thought through: all sums of two sets, of which those that are
 * nowhere below another one are dropped. A set that grows too large is made smaller by points that are nowhere above
 * those they stand for: a lower bound stays one.
 */
#include "dse/certify/certify_parts.h"
#include "dse/base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of a set, of two metrics and of more, which are compared with each other. */
#define MOST_OF_TWO ((size_t)1 << 20)
#define MOST_OF_MORE ((size_t)1 << 13)

static int compare_rows(const double *a, const double *b, unsigned n_metric)
{
	for (unsigned i = 0; i < n_metric; i++)
		if (a[i] < b[i] || a[i] > b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static bool is_nowhere_above(const double *a, const double *b, unsigned n_metric)
{
	for (unsigned i = 0; i < n_metric; i++)
		if (a[i] > b[i])
			return false;
	return true;
}

/* Behind points that come before it in the order: of two metrics the last one has the least of the second. */
static bool is_behind(const struct certify_points *points, const double *row, unsigned n_metric)
{
	size_t first = n_metric <= 2 && points->n > 1 ? points->n - 1 : 0;
	for (size_t i = points->n; i-- > first;)
		if (is_nowhere_above(points->value + i * n_metric, row, n_metric))
			return true;
	return false;
}

static void keep(struct certify_points *points, const double *row, unsigned n_metric)
{
	if (!is_behind(points, row, n_metric))
		memmove(points->value + points->n++ * n_metric, row, n_metric * sizeof(*row));
}

/* Two neighbours become one point that is nowhere above either. */
static void coarsen(const struct certify_sums *sums, struct certify_points *points)
{
	const unsigned n_metric = sums->n_metric;
	size_t n = points->n;
	points->n = 0;
	for (size_t i = 0; i < n; i += 2) {
		double row[N_METRIC];
		const double *a = points->value + i * n_metric, *b = i + 1 < n ? a + n_metric : a;
		for (unsigned k = 0; k < n_metric; k++)
			row[k] = fmin(a[k], b[k]);
		keep(points, row, n_metric);
	}
}

static struct certify_points shrink(const struct certify_sums *sums, struct certify_points points)
{
	while (points.n > (sums->n_metric <= 2 ? MOST_OF_TWO : MOST_OF_MORE))
		coarsen(sums, &points);
	points.value = memory_resize(points.value, points.n * sums->n_metric + 1, sizeof(*points.value));
	return points;
}

struct certify_points certify_unite(const struct certify_sums *sums, struct certify_points left,
                                    struct certify_points right)
{
	const unsigned n_metric = sums->n_metric;
	struct certify_points both = {0};
	size_t i = 0, k = 0;
	both.value = memory_array((left.n + right.n) * n_metric + 1, sizeof(*both.value));
	while (i < left.n || k < right.n) {
		const double *a = i < left.n ? left.value + i * n_metric : NULL;
		const double *b = k < right.n ? right.value + k * n_metric : NULL;
		bool takes_left = k == right.n || (i < left.n && compare_rows(a, b, n_metric) <= 0);
		keep(&both, takes_left ? a : b, n_metric);
		*(takes_left ? &i : &k) += 1;
	}
	free(left.value);
	free(right.value);
	return shrink(sums, both);
}

/* All of left with one point of right; those over a limit go. Sums keep the order, the larger of two may not. */
static struct certify_points add_point(struct certify_sums *sums, const struct certify_points *left,
                                       const double *point)
{
	const unsigned n_metric = sums->n_metric;
	struct certify_points made = {0};
	bool is_sorted = true;
	made.value = memory_array(left->n * n_metric + 1, sizeof(*made.value));
	sums->n_sum += left->n;
	(void)stop_after(sums->watch, left->n);
	for (size_t i = 0; i < left->n; i++) {
		double *row = made.value + made.n * n_metric;
		const double *own = left->value + i * n_metric;
		bool keeps = true;
		for (unsigned k = 0; k < n_metric; k++) {
			row[k] = sums->is_most[k] ? fmax(own[k], point[k]) : own[k] + point[k];
			keeps &= row[k] <= sums->limit[k];
		}
		is_sorted &= made.n == 0 || compare_rows(row - n_metric, row, n_metric) <= 0;
		made.n += keeps;
	}
	if (!is_sorted)
		certify_points_clean(sums, &made);
	return made;
}

/* Of points first to last - 1 of right, halves first. */
static struct certify_points join_part(struct certify_sums *sums, const struct certify_points *left,
                                       const struct certify_points *right, size_t first, size_t last)
{
	if (last == first + 1)
		return add_point(sums, left, right->value + first * sums->n_metric);
	struct certify_points none = {0};
	if (sums->watch->has_come || last == first)
		return none;
	size_t middle = first + (last - first) / 2;
	struct certify_points low = join_part(sums, left, right, first, middle);
	return certify_unite(sums, low, join_part(sums, left, right, middle, last));
}

struct certify_points certify_join(struct certify_sums *sums, const struct certify_points *left,
                                   const struct certify_points *right)
{
	return left->n > 0 ? join_part(sums, left, right, 0, right->n) : (struct certify_points){0};
}

/* Heap sort: rows have a size that only the sums know. */
static void sift(double *row, size_t at, size_t n, unsigned n_metric)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		double kept[N_METRIC];
		if (child + 1 < n && compare_rows(row + child * n_metric, row + (child + 1) * n_metric, n_metric) < 0)
			child++;
		if (compare_rows(row + at * n_metric, row + child * n_metric, n_metric) >= 0)
			return;
		memcpy(kept, row + at * n_metric, n_metric * sizeof(*row));
		memcpy(row + at * n_metric, row + child * n_metric, n_metric * sizeof(*row));
		memcpy(row + child * n_metric, kept, n_metric * sizeof(*row));
	}
}

void certify_points_clean(const struct certify_sums *sums, struct certify_points *points)
{
	const unsigned n_metric = sums->n_metric;
	size_t n = points->n;
	double kept[N_METRIC];
	for (size_t i = n / 2; i-- > 0;)
		sift(points->value, i, n, n_metric);
	for (size_t i = n; i-- > 1;) {
		memcpy(kept, points->value, n_metric * sizeof(*kept));
		memcpy(points->value, points->value + i * n_metric, n_metric * sizeof(*kept));
		memcpy(points->value + i * n_metric, kept, n_metric * sizeof(*kept));
		sift(points->value, 0, i, n_metric);
	}
	points->n = 0;
	for (size_t i = 0; i < n; i++)
		keep(points, points->value + i * n_metric, n_metric);
}
