/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ABOVE_BOUNDS_H
#define TESTS_ABOVE_BOUNDS_H
/* A random design of a random layer in the fast tier: it is above all lower bounds of it. */
#include "tests/support/unit_test.h"

#include "mapper/distribute/bound.h"
#include "sim/fast/fast.h"
#include "tests/support/random_design.h"

/* false: the design does not run. */
static inline bool random_result_above_bounds(const struct machine *machine, struct rng *rng,
                                              struct layer_design *design, struct sim_result *result)
{
	struct block block = random_block(rng);
	struct layer_context context;
	struct program program;
	struct verdict verdict;
	struct sim_result least;
	struct least_work work;
	double latency_ns, energy_pj;
	*design = random_design(rng, &block, machine);
	mapper_prepare_form(&block, machine, design->operand_bit, design->form, &context);
	if (!mapper_distribute(&context, design, &program, &verdict))
		return false;
	fast_run(machine, &program, design->level, result);
	fast_run_least(machine, &program, design->level, &least);
	assert_true(least.latency_ns <= result->latency_ns);
	assert_true(least.energy.total_pj <= result->energy.total_pj * (1 + 1e-12));
	assert_true(energy_static_mw(machine, design->level) <= result->peak_power_mw * (1 + 1e-12));
	if (mapper_bound(&context, design, 0, &work)) {
		fast_bound(machine, &work, design->level, &latency_ns, &energy_pj);
		assert_true(latency_ns <= result->latency_ns * (1 + 1e-9));
		assert_true(energy_pj <= result->energy.total_pj * (1 + 1e-9));
	}
	return true;
}

#endif
