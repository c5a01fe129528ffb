/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops inside a layer. A design's phases fall into three groups: what is loaded before, what is done loop by loop
 * (tasks, their write-outs, filters that migrate between them), and the ARM operations. Loops take equal times, and
 * dynamic energy goes with the tasks.
 */
#include "dse/spread/loop_groups.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include <assert.h>

enum loop_part loop_part_of(enum phase phase)
{
	assert(phase < N_PHASE);
	if (phase == PHASE_WEIGHT || phase == PHASE_INPUT)
		return LOOP_LOAD;
	return phase < PHASE_PADD ? LOOP_LOOP : LOOP_ARM;
}

static struct loop_group *group_of(struct loop_groups *groups, enum phase phase)
{
	struct loop_group *const group[N_LOOP_PART] = {&groups->load, &groups->loop, &groups->arm};
	return group[loop_part_of(phase)];
}

/* Energies of the steps' counts, brought to what the simulator says of the whole; nothing without any time. */
static void scale_energy(struct loop_groups *groups, double dynamic_pj)
{
	assert(dynamic_pj >= 0);
	struct loop_group *group[] = {&groups->load, &groups->loop, &groups->arm};
	struct loop_group *longest = &groups->load;
	double sum_pj = 0, sum_ns = 0;
	for (int i = 0; i < 3; i++)
		if (group[i]->ns > longest->ns)
			longest = group[i];
	for (int i = 0; i < 3; i++) {
		if (group[i]->ns <= 0 && group[i] != longest) {
			longest->dynamic_pj += group[i]->dynamic_pj;
			group[i]->dynamic_pj = 0;
		}
		sum_pj += group[i]->dynamic_pj;
		sum_ns += group[i]->ns;
	}
	for (int i = 0; i < 3; i++) {
		double share = sum_ns > 0 ? group[i]->ns / sum_ns : group[i] == longest;
		group[i]->dynamic_pj = sum_pj > 0 ? group[i]->dynamic_pj * (dynamic_pj / sum_pj) : share * dynamic_pj;
	}
}

/* Loops of the busiest PE. */
static void count_loops(const struct program *program, struct loop_groups *groups)
{
	for (uint32_t i = 0; i < program->n_step; i++) {
		const struct step *step = &program->step[i];
		uint64_t n_loop = 0;
		if (step->kind == STEP_COMPUTE)
			n_loop = step->u.compute.n_task;
		else if (step->kind == STEP_JOBS && step->u.jobs.n_pe > 0)
			n_loop = ceil_div(step->u.jobs.n_job, step->u.jobs.n_pe);
		groups->n_loop = n_loop > groups->n_loop ? n_loop : groups->n_loop;
	}
}

struct loop_groups loop_groups_of_program(const struct layer_context *context, const struct layer_design *design,
                                          const struct program *program, const struct sim_result *result)
{
	assert(context && design && program && result);
	struct loop_groups groups = {.n_task = split_n_task(&design->split) * block_batch(context->block),
	                             .static_mw = energy_static_mw(context->machine, design->level)};
	double ns_per_clk = 1e3 / context->machine->level[design->level].clk_mhz;
	for (uint32_t i = 0; i < program->n_step; i++)
		group_of(&groups, program->step[i].phase)->dynamic_pj +=
		    energy_of_counts(context->machine, design->level, &program->step[i].counts).total_pj;
	for (int i = 0; i < N_PHASE; i++)
		group_of(&groups, (enum phase)i)->ns += (double)result->phase_clk[i] * ns_per_clk;
	scale_energy(&groups, real_max(0, result->energy.total_pj - result->energy.static_pj));
	count_loops(program, &groups);
	if (groups.loop.ns <= 0)
		groups.n_loop = 0;
	else if (groups.n_loop == 0)
		groups.n_loop = 1;
	return groups;
}

struct loop_groups loop_groups_of(const struct layer_context *context, const struct layer_design *design,
                                  const struct sim_result *result)
{
	struct program program;
	struct verdict verdict;
	bool runs = mapper_distribute(context, design, &program, &verdict);
	assert(runs);
	(void)runs;
	return loop_groups_of_program(context, design, &program, result);
}
