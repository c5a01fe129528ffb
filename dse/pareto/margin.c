/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/margin.h"
#include <assert.h>
#include <math.h>

static const double *point_of(const struct margin_points *points, size_t i, size_t n_objective)
{
	assert(i < points->n);
	return points->objective + (points->index ? points->index[i] : i) * n_objective;
}

/* How many times as large the other point is in the scaled objective where that is least; 0: own may not beat it,
 * infinite: own is 0 wherever the other is not. */
static double ratio_of(const double *own, const double *other, const bool *is_scaled, size_t n_objective)
{
	double least = INFINITY;
	bool counts = false;
	for (size_t k = 0; k < n_objective; k++) {
		if (!is_scaled[k] && own[k] > other[k])
			return 0.0;
		if (is_scaled[k] && (own[k] > 0.0 || other[k] > 0.0)) {
			least = fmin(least, own[k] > 0.0 ? other[k] / own[k] : INFINITY);
			counts = true;
		}
	}
	return counts ? least : 1.0;
}

/* The largest ratio over all of own; what is not below least will do. Neighbours are beaten by neighbours. */
static double best_ratio(const struct margin_points *own, const double *other, const bool *is_scaled,
                         size_t n_objective, double least, size_t *hint)
{
	double best = 0.0;
	size_t best_at = *hint;
	for (size_t i = 0; i < own->n && best < least; i++) {
		size_t at = (*hint + i) % own->n;
		double ratio = ratio_of(point_of(own, at, n_objective), other, is_scaled, n_objective);
		best_at = ratio > best ? at : best_at;
		best = fmax(best, ratio);
	}
	*hint = best_at;
	return best;
}

double margin_between(struct margin_points own, struct margin_points other, const bool *is_scaled, size_t n_objective,
                      double enough)
{
	double least = INFINITY;
	size_t hint = 0;
	assert(is_scaled && n_objective > 0);
	for (size_t i = 0; i < other.n && least > 1.0 + enough; i++)
		least = fmin(least,
		             best_ratio(&own, point_of(&other, i, n_objective), is_scaled, n_objective, least, &hint));
	return least - 1.0;
}
