/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/shortlist.h"
#include "dse/pareto/indicator.h"
#include "sim/base/real.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Range of each objective on the front. */
struct scale {
	double range[PARETO_MAX_OBJECTIVE];
};

static void find_scale(const struct pareto *front, struct scale *scale)
{
	assert(front->n_objective <= PARETO_MAX_OBJECTIVE);
	for (unsigned k = 0; k < front->n_objective; k++) {
		double least = INFINITY, most = -INFINITY;
		for (size_t i = 0; i < front->n; i++) {
			least = real_min(least, front->objective[i * front->n_objective + k]);
			most = real_max(most, front->objective[i * front->n_objective + k]);
		}
		scale->range[k] = most > least ? most - least : 1.0;
	}
}

/*
 * Squared distance of two points. Objectives have different units, so each is scaled to its range on the front:
 * a step from best to worst counts 1 in every direction.
 */
static double distance(const struct pareto *front, const struct scale *scale, size_t i, size_t other)
{
	double sum = 0.0;
	for (unsigned k = 0; k < front->n_objective; k++) {
		double step =
		    (front->objective[i * front->n_objective + k] - front->objective[other * front->n_objective + k]) /
		    scale->range[k];
		sum += step * step;
	}
	return sum;
}

size_t shortlist_least(const struct pareto *front, unsigned objective)
{
	size_t best = 0;
	assert(front->n > 0 && objective < front->n_objective);
	for (size_t i = 1; i < front->n; i++)
		if (front->objective[i * front->n_objective + objective] <
		    front->objective[best * front->n_objective + objective])
			best = i;
	return best;
}

static int compare_index(const void *left, const void *right)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;
	return a < b ? -1 : a > b;
}

/* A point may be extreme in several objectives; it is shown once. */
static size_t add_choice(size_t *chosen, size_t n, size_t max, size_t point)
{
	for (size_t i = 0; i < n; i++)
		if (chosen[i] == point)
			return n;
	if (n < max)
		chosen[n++] = point;
	return n;
}

/* The point farthest from all chosen ones, with near [n] of all points up to date but for the last choice; n: none. */
static size_t find_farthest(const struct pareto *front, const struct scale *scale, size_t last, double *near)
{
	size_t farthest = front->n;
	double far = 0.0;
	for (size_t i = 0; i < front->n; i++) {
		near[i] = real_min(distance(front, scale, i, last), near[i]);
		if (near[i] > far) {
			far = near[i];
			farthest = i;
		}
	}
	return farthest;
}

/* Farthest-point sampling: covers the front evenly in shape, not in number of points. Without memory nothing is added.
 */
static size_t choose_far(const struct pareto *front, size_t *chosen, size_t n, size_t max)
{
	struct scale scale;
	double *near = malloc(front->n * sizeof(*near));
	size_t n_met = 0, farthest = 0;
	if (!near)
		return n;
	find_scale(front, &scale);
	for (size_t i = 0; i < front->n; i++)
		near[i] = INFINITY;
	while (n < max && farthest < front->n) {
		while (n_met < n)
			farthest = find_farthest(front, &scale, chosen[n_met++], near);
		if (farthest < front->n)
			chosen[n++] = farthest;
	}
	free(near);
	return n;
}

size_t shortlist_choose(const struct pareto *front, size_t max, size_t *chosen, size_t *knee)
{
	assert(front->n > 0 && max > front->n_objective && chosen && knee);
	*knee = indicator_knee(front->objective, front->n, front->n_objective);
	size_t n = 0;
	if (front->n <= max) {
		for (; n < front->n; n++)
			chosen[n] = n;
		return n;
	}
	for (unsigned k = 0; k < front->n_objective; k++)
		n = add_choice(chosen, n, max, shortlist_least(front, k));
	n = add_choice(chosen, n, max, *knee);
	n = choose_far(front, chosen, n, max);
	qsort(chosen, n, sizeof(*chosen), compare_index);
	return n;
}
