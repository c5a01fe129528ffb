/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/engine/problem.h"
#include "dse/base/pack.h"
#include "sim/base/checked.h"
#include "sim/base/rng.h"
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

void problem_pack_results(struct evaluation *result, size_t n, struct pack *pack)
{
	for (size_t i = 0; i < n; i++) {
		pack_reals(pack, result[i].objective, PARETO_MAX_OBJECTIVE);
		pack_real(pack, &result[i].violation);
		pack_u32(pack, &result[i].reason);
		pack_u32(pack, &result[i].n_cut);
	}
}

void problem_draw(const struct problem *problem, struct rng *rng, uint32_t *genome)
{
	for (size_t i = 0; i < problem->n_gene; i++)
		genome[i] = problem->n_value[i] > 1 ? rng_below(rng, problem->n_value[i]) : 0;
}

bool problem_any_stopped(const struct evaluation *result, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (problem_is_stopped(&result[i]))
			return true;
	return false;
}
