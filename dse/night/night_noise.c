/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/night/night_noise.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAX_N 400
#define MAX_SECOND 200
#define SECOND_LOOK 4 /* times the first one at least: small losses need many values */

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* Twice the middle rank, from 1, of a value among all [n], which are sorted: a whole number. */
static size_t double_rank(const double *all, size_t n, double value)
{
	size_t below = 0, equal = 0;
	for (size_t i = 0; i < n; i++) {
		below += all[i] < value;
		equal += all[i] == value;
	}
	return 2 * below + equal + 1;
}

static size_t sum_ranks(const double *all, size_t n, const double *value, size_t n_value)
{
	size_t sum = 0;
	for (size_t i = 0; i < n_value; i++)
		sum += double_rank(all, n, value[i]);
	return sum;
}

/*
 * Of all choices of k among the ranks of all [n], the share whose sum is at most (or, is_upper, at least) limit. A
 * count[taken][sum] grows rank by rank; doubles hold binomial(400, 200) and are exact to some 1e-13 of it.
 */
static double share_of_choices(const double *all, size_t n, size_t k, size_t limit, bool is_upper)
{
	size_t n_sum = n * (n + 1) + 1;
	double *count = memory_array((k + 1) * n_sum, sizeof(*count)), within = 0.0, total = 0.0;
	count[0] = 1.0;
	for (size_t i = 0; i < n; i++) {
		size_t rank = double_rank(all, n, all[i]);
		for (size_t taken = k; taken-- > 0;)
			for (size_t sum = n_sum - rank; sum-- > 0;)
				count[(taken + 1) * n_sum + sum + rank] += count[taken * n_sum + sum];
	}
	for (size_t sum = 0; sum < n_sum; sum++) {
		total += count[k * n_sum + sum];
		within += (is_upper ? sum >= limit : sum <= limit) ? count[k * n_sum + sum] : 0.0;
	}
	free(count);
	assert(total > 0.0);
	return within / total;
}

double night_noise_chance(const double *good, size_t n_good, const double *now, size_t n_now)
{
	size_t n = n_good + n_now;
	assert(n <= MAX_N);
	if (n_good == 0 || n_now == 0)
		return 1.0;
	double *all = memory_array(n, sizeof(*all)), chance;
	for (size_t i = 0; i < n; i++)
		all[i] = i < n_good ? good[i] : now[i - n_good];
	qsort(all, n, sizeof(*all), compare);
	/* both samples tell the same; the smaller one has fewer choices to be counted */
	if (n_now <= n_good)
		chance = share_of_choices(all, n, n_now, sum_ranks(all, n, now, n_now), false);
	else
		chance = share_of_choices(all, n, n_good, sum_ranks(all, n, good, n_good), true);
	free(all);
	return chance;
}

size_t night_noise_n(size_t n_good, size_t n_first, size_t n_measure)
{
	size_t n = n_first;
	assert(n_first > 0 && n_measure > 0);
	for (; n + n_first <= MAX_SECOND; n += n_first) {
		double choices =
		    lgamma((double)(n_good + n) + 1.0) - lgamma((double)n_good + 1.0) - lgamma((double)n + 1.0);
		if (n >= SECOND_LOOK * n_first && choices >= log(10.0 * (double)n_measure / NIGHT_ALPHA))
			break;
	}
	return n;
}

double night_noise_median(double *value, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(value, n, sizeof(*value), compare);
	return (value[(n - 1) / 2] + value[n / 2]) / 2.0;
}
