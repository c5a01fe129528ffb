/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All by sweeping along the last objective: between two points the space
 * dominated in the other objectives does not change, so
 *
 *   volume = sum over points, by the last objective, of
 *            (what the point adds in the other objectives) x (reference - its last objective)
 *
 * - 2 objectives: what a point adds is how far it is below the least so far.
 * - 3 objectives: the area that a new step adds to a staircase (N. Beume,
 *   C. M. Fonseca, M. Lopez-Ibanez, L. Paquete, J. Vahrenhold, "On the complexity
 *   of computing the hypervolume indicator", 2009, use a balanced tree).
 * - 4 objectives: hypervolume_4d.c; where one takes few values, hypervolume_slice.c.
 *
 * Points that are equal in the last objective are swept by the others, so sums
 * run in one order whatever the order of the points.
 */
#include "dse/pareto/hypervolume.h"
#include "dse/pareto/hypervolume_parts.h"
#include "dse/base/key_sort.h"
#include "dse/pareto/staircase.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

static bool is_below(const double *point, const double *reference, unsigned n_objective)
{
	bool below = true;
	for (unsigned i = 0; i < n_objective; i++) {
		assert(!isnan(point[i]));
		below &= point[i] < reference[i];
	}
	return below;
}

static double length(const double *point, size_t n, double reference)
{
	double least = reference;
	for (size_t i = 0; i < n; i++)
		least = point[i] < least ? point[i] : least;
	return reference - least;
}

/* The keys are the first objective, the values the second one: sorted, they need not be looked up. */
static bool area(const double *point, size_t n, const double *reference, double *out)
{
	struct key_item *item = malloc((2 * n + 1) * sizeof(*item));
	size_t n_below = 0;
	double sum = 0.0, least = reference[1];
	if (!item)
		return false;
	for (size_t i = 0; i < n; i++) {
		item[n_below].key = key_of_double(point[2 * i]);
		item[n_below].value = key_of_double(point[2 * i + 1]);
		n_below += is_below(point + 2 * i, reference, 2);
	}
	key_sort(item, item + n_below, n_below);
	for (size_t begin = 0, end; begin < n_below; begin = end) {
		uint64_t lowest = item[begin].value;
		for (end = begin + 1; end < n_below && item[end].key == item[begin].key; end++)
			lowest = item[end].value < lowest ? item[end].value : lowest;
		double second = double_of_key(lowest);
		if (second < least) {
			sum += (reference[0] - double_of_key(item[begin].key)) * (least - second);
			least = second;
		}
	}
	free(item);
	*out = sum;
	return true;
}

/* ---- points in the order of their last objective ------------------------------------------------ */

static int compare_rows(const double *a, const double *b, unsigned n_objective)
{
	for (unsigned i = n_objective; i-- > 0;) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	}
	return 0;
}

static int compare_3(const void *a, const void *b)
{
	return compare_rows(a, b, 3);
}

static int compare_4(const void *a, const void *b)
{
	return compare_rows(a, b, 4);
}

/* Put rows that are equal in the last objective in the order of the one before it, and so on. */
static void sort_equal(double *row, size_t n, unsigned n_objective)
{
	unsigned last = n_objective - 1;
	for (size_t begin = 0, end; begin < n; begin = end) {
		double *first = row + begin * n_objective;
		bool in_order = true;
		for (end = begin + 1; end < n && row[end * n_objective + last] == first[last]; end++)
			in_order &= compare_rows(row + (end - 1) * n_objective, row + end * n_objective, last) <= 0;
		if (!in_order)
			qsort(first, end - begin, n_objective * sizeof(*row), n_objective == 3 ? compare_3 : compare_4);
	}
}

size_t hypervolume_sort(const double *point, size_t n, unsigned n_objective, const double *reference, double *row)
{
	struct key_item *item = malloc((2 * n + 1) * sizeof(*item));
	size_t n_below = 0;
	assert(n_objective == 3 || n_objective == 4);
	if (!item)
		return SIZE_MAX;
	for (size_t i = 0; i < n; i++) {
		item[n_below].key = key_of_double(point[(i + 1) * n_objective - 1]);
		item[n_below].value = i;
		n_below += is_below(point + i * n_objective, reference, n_objective);
	}
	key_sort(item, item + n_below, n_below);
	for (size_t i = 0; i < n_below; i++) {
		for (unsigned k = 0; k < n_objective; k++)
			row[i * n_objective + k] = point[item[i].value * n_objective + k];
	}
	free(item);
	sort_equal(row, n_below, n_objective);
	return n_below;
}

bool hypervolume_sweep_3d(const double *row, size_t n, const double *reference, struct staircase *stair, double *out)
{
	double sum = 0.0;
	staircase_reset(stair);
	for (size_t i = 0; i < n; i++, row += 3) {
		double gain;
		if (staircase_covers(stair, row[0], row[1]))
			continue;
		if (!staircase_add(stair, row[0], row[1], reference[0], reference[1], &gain))
			return false;
		sum += gain * (reference[2] - row[2]);
	}
	*out = sum;
	return true;
}

static bool volume_3d(const double *point, size_t n, const double *reference, double *out)
{
	double *row = malloc((3 * n + 1) * sizeof(*row));
	struct staircase stair = {0};
	size_t n_below = row ? hypervolume_sort(point, n, 3, reference, row) : SIZE_MAX;
	bool done = n_below != SIZE_MAX && hypervolume_sweep_3d(row, n_below, reference, &stair, out);
	staircase_free(&stair);
	free(row);
	return done;
}

bool hypervolume(const double *point, size_t n, unsigned n_objective, const double *reference, double *volume)
{
	bool done = true;
	assert(n_objective >= 1 && n_objective <= HYPERVOLUME_MAX_OBJECTIVE);
	assert(n < SIZE_MAX / 64 && (point || n == 0));
	for (unsigned i = 0; i < n_objective; i++)
		assert(isfinite(reference[i]));
	if (n_objective == 1)
		*volume = length(point, n, reference[0]);
	else if (n_objective == 2)
		done = area(point, n, reference, volume);
	else if (n_objective == 3)
		done = volume_3d(point, n, reference, volume);
	else
		done = hypervolume_4d(point, n, reference, volume);
	assert(!done || !(*volume < 0.0));
	return done;
}
