/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/layer/plan.h"
#include <assert.h>

bool evaluate_design(const struct layer_context *context, const struct layer_design *design, struct sim_result *result,
                     double *metric, struct verdict *verdict)
{
	struct program program;
	assert(design->level < context->machine->n_level);
	if (!mapper_distribute(context, design, &program, verdict))
		return false;
	fast_run(context->machine, &program, design->level, result);
	if (!mapper_judge_run(result, verdict))
		return false;
	metric_of_layer(context->machine, result, metric);
	return true;
}
