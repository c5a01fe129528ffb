/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/indicator.h"
#include <assert.h>
#include <math.h>
#include <stdbool.h>

/* By how much a is behind b in the objective where it is most; stops where that is no less than the limit. */
static double largest_lag(const double *a, const double *b, unsigned n_objective, double limit)
{
	double largest = -INFINITY;
	for (unsigned k = 0; k < n_objective && largest < limit; k++)
		largest = a[k] - b[k] > largest ? a[k] - b[k] : largest;
	return largest;
}

double indicator_epsilon(const double *front, size_t n, const double *other, size_t n_other, unsigned n_objective)
{
	double epsilon = -INFINITY;
	size_t hint = 0; /* neighbours in `other` mostly have the same nearest point */
	assert(n > 0 && n_other > 0 && n_objective > 0);
	for (size_t i = 0; i < n_other; i++) {
		const double *asked = other + i * n_objective;
		double least = largest_lag(front + hint * n_objective, asked, n_objective, INFINITY);
		/* A point that is not behind by more than the epsilon so far cannot raise it. */
		for (size_t at = 0; at < n && least > epsilon; at++) {
			double lag = largest_lag(front + at * n_objective, asked, n_objective, least);
			if (lag < least) {
				least = lag;
				hint = at;
			}
		}
		epsilon = least > epsilon ? least : epsilon;
	}
	assert(!isnan(epsilon));
	return epsilon;
}

static double scaled_sum(const double *front, size_t n, size_t at, unsigned n_objective, const double *low,
                         const double *high)
{
	double sum = 0.0;
	assert(at < n);
	for (unsigned k = 0; k < n_objective; k++) {
		if (high[k] > low[k])
			sum += (front[at * n_objective + k] - low[k]) / (high[k] - low[k]);
	}
	return sum;
}

static bool comes_before(const double *a, const double *b, unsigned n_objective)
{
	for (unsigned k = 0; k < n_objective; k++) {
		if (a[k] != b[k])
			return a[k] < b[k];
	}
	return false;
}

size_t indicator_knee(const double *front, size_t n, unsigned n_objective)
{
	enum { MAX_OBJECTIVE = 16 };
	double low[MAX_OBJECTIVE], high[MAX_OBJECTIVE], least = INFINITY;
	size_t knee = 0;
	assert(n > 0 && n_objective > 0 && n_objective <= MAX_OBJECTIVE);
	for (unsigned k = 0; k < n_objective; k++) {
		low[k] = high[k] = front[k];
		for (size_t i = 1; i < n; i++) {
			double value = front[i * n_objective + k];
			low[k] = value < low[k] ? value : low[k];
			high[k] = value > high[k] ? value : high[k];
		}
	}
	for (size_t i = 0; i < n; i++) {
		double sum = scaled_sum(front, n, i, n_objective, low, high);
		bool before = comes_before(front + i * n_objective, front + knee * n_objective, n_objective);
		if (sum < least || (sum == least && before)) {
			least = sum;
			knee = i;
		}
	}
	return knee;
}
