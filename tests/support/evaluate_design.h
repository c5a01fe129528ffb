/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_EVALUATE_DESIGN_H
#define TESTS_EVALUATE_DESIGN_H
/* One design of a block, mapped and simulated without a search: what the engines' evaluations must agree with. */
#include "dse/layer/layer_problem.h"
#include <assert.h>

/*
 * Evaluate one design of a block in the fast tier: verdict, simulated result and
 * metrics [N_METRIC]. false when the design cannot run.
 */
static inline bool evaluate_design(const struct layer_context *context, const struct layer_design *design,
                                   struct sim_result *result, double *metric, struct verdict *verdict)
{
	struct program program;
	assert(design->level < context->machine->n_level);
	if (!mapper_distribute(context, design, &program, verdict))
		return false;
	fast_run(context->machine, &program, design->level, result);
	if (!mapper_judge_run(result, verdict))
		return false;
	metric_of_layer(context, design, result, metric);
	return true;
}

#endif
