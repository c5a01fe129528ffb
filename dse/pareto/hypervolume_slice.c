/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four objectives of which one takes few values, as what belongs to a machine does (MAC units, area) where a space has
 * few machines. Between two of its values the space dominated in the other three objectives does not change, so
 *
 *   volume = sum over its values, ascending, of
 *            (volume in three objectives of the points up to the value) x (next value - value)
 *
 * where the last value's next one is the reference. As many sweeps of n log n steps as there are values, instead of
 * n^2 steps.
 */
#include "dse/pareto/hypervolume.h"
#include "dse/pareto/hypervolume_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_SLICE = 64,
	POINTS_PER_SLICE = 64 /* sweeping a slice of fewer points takes longer than comparing all of them */
};

/* Values of one objective [stride apart] into value [max], ascending; more than max of them: max + 1. */
static size_t list_values(const double *point, size_t n, size_t stride, size_t max, double *value)
{
	size_t n_value = 0;
	for (size_t i = 0; i < n; i++) {
		double own = point[i * stride];
		size_t at = n_value;
		while (at > 0 && value[at - 1] > own)
			at--;
		if (at > 0 && value[at - 1] == own)
			continue;
		if (n_value == max)
			return max + 1;
		memmove(value + at + 1, value + at, (n_value - at) * sizeof(*value));
		value[at] = own;
		n_value++;
	}
	return n_value;
}

/* The objective of fewest values, the first of those; false where all have too many. */
static bool choose_objective(const double *row, size_t n, unsigned *objective, double *value, size_t *n_value)
{
	double own[MAX_SLICE];
	size_t max = n / POINTS_PER_SLICE < MAX_SLICE ? n / POINTS_PER_SLICE : MAX_SLICE;
	*n_value = 0;
	for (unsigned k = 0; k < 4 && max > 0; k++) {
		size_t n_own = list_values(row + k, n, 4, max, own);
		if (n_own > max)
			continue;
		assert(n_own > 0);
		*objective = k;
		*n_value = n_own;
		memcpy(value, own, n_own * sizeof(*value));
		max = n_own - 1;
	}
	return *n_value > 0;
}

/* The other three objectives of the rows up to a value of one, into three [n][3]. */
static size_t take_slice(const double *row, size_t n, unsigned objective, double up_to, double *three)
{
	size_t n_taken = 0;
	for (size_t i = 0; i < n; i++, row += 4) {
		if (row[objective] > up_to)
			continue;
		for (unsigned k = 0, to = 0; k < 4; k++)
			if (k != objective)
				three[3 * n_taken + to++] = row[k];
		n_taken++;
	}
	return n_taken;
}

bool hypervolume_slices(const double *row, size_t n, const double *reference, bool *is_done, double *volume)
{
	double value[MAX_SLICE], reference_3d[3], sum = 0.0;
	unsigned objective = 0;
	size_t n_value;
	*is_done = choose_objective(row, n, &objective, value, &n_value);
	if (!*is_done)
		return true;
	double *three = malloc(3 * n * sizeof(*three));
	bool done = three != NULL;
	for (unsigned k = 0, to = 0; k < 4; k++)
		if (k != objective)
			reference_3d[to++] = reference[k];
	for (size_t i = 0; i < n_value && done; i++) {
		double next = i + 1 < n_value ? value[i + 1] : reference[objective], slice = 0.0;
		size_t n_taken = take_slice(row, n, objective, value[i], three);
		assert(n_taken > 0 && next > value[i]);
		done = hypervolume(three, n_taken, 3, reference_3d, &slice);
		sum += slice * (next - value[i]);
	}
	free(three);
	*volume = sum;
	return done;
}
