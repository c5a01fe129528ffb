/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/problem.h"
#include "sim/base/checked.h"
#include <assert.h>

uint64_t problem_size(const struct problem *problem)
{
	uint64_t size = 1;
	for (size_t i = 0; i < problem->n_gene; i++) {
		assert(problem->n_value[i] >= 1);
		size = mul_sat(size, problem->n_value[i]);
	}
	return size;
}

bool problem_any_stopped(const struct evaluation *result, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (problem_is_stopped(&result[i]))
			return true;
	return false;
}
