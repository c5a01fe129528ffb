/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FRONT_COVERED_H
#define TESTS_FRONT_COVERED_H
/* Fronts of the same designs that were found on other ways: sums of many layers may be added in another order. */
#include "dse/pareto/pareto.h"
#include "tests/support/near.h"

static inline bool has_point(const struct pareto *front, const double *objective)
{
	for (size_t i = 0; i < front->n; i++) {
		bool is_it = true;
		for (unsigned m = 0; m < front->n_objective; m++)
			is_it = is_it && is_near(front->objective[i * front->n_objective + m], objective[m], 1e-12);
		if (is_it)
			return true;
	}
	return false;
}

/* Every point of left has one of equal objectives in right. */
static inline void assert_covered(const struct pareto *left, const struct pareto *right)
{
	for (size_t i = 0; i < left->n; i++)
		if (!has_point(right, left->objective + i * left->n_objective))
			fail_msg("point %zu: %.17g %.17g", i, left->objective[i * left->n_objective],
			         left->objective[i * left->n_objective + 1]);
}

#endif
