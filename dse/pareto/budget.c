/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/pareto/budget.h"
#include <assert.h>
#include <math.h>
#include <stdbool.h>

static double weight_of(enum budget_law law, uint64_t size)
{
	return law == BUDGET_BY_ROOT ? sqrt((double)size) : log2(1 + (double)size);
}

/* Sum of the weights of those that have no share yet. */
static double sum_weights(enum budget_law law, const uint64_t *size, const uint64_t *share, size_t n)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; i++)
		sum += share[i] == 0 ? weight_of(law, size[i]) : 0.0;
	return sum;
}

void budget_share(enum budget_law law, uint64_t total, const uint64_t *size, size_t n, uint64_t *share)
{
	uint64_t n_left = total;
	bool changed = true;
	for (size_t i = 0; i < n; i++)
		share[i] = 0;
	/* Searches that fit whole into their share are settled first; each pass leaves more for the others. */
	while (changed) {
		double sum = sum_weights(law, size, share, n);
		uint64_t before = n_left;
		changed = false;
		for (size_t i = 0; i < n; i++) {
			double part = sum > 0.0 ? (double)before * weight_of(law, size[i]) / sum : 0.0;
			if (share[i] > 0 || size[i] == 0 || (double)size[i] > part || size[i] > n_left)
				continue;
			share[i] = size[i];
			n_left -= size[i];
			changed = true;
		}
	}
	double sum = sum_weights(law, size, share, n);
	for (size_t i = 0; i < n; i++) {
		if (share[i] > 0 || size[i] == 0)
			continue;
		double part = floor((double)n_left * weight_of(law, size[i]) / sum);
		share[i] = part < 1.0 ? 1 : (uint64_t)part;
		assert(share[i] <= size[i]);
	}
}
