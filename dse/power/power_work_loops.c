/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops inside a layer. A design's phases fall into three groups: what is loaded before, what is done loop by loop
 * (tasks, their write-outs, filters that migrate between them), and the ARM operations. What the simulator says of the
 * whole layer is divided, nothing is added: loops take equal times, and dynamic energy goes with the tasks.
 */
#include "dse/power/power_work.h"
#include "mapper/distribute/tiling.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include "sim/mla/greybox.h"
#include <assert.h>

static struct power_group *group_of(struct power_groups *groups, enum phase phase)
{
	assert(phase < N_PHASE);
	if (phase == PHASE_WEIGHT || phase == PHASE_INPUT)
		return &groups->load;
	return phase < PHASE_PADD ? &groups->loop : &groups->arm;
}

/* Energies of the steps' counts, brought to what the simulator says of the whole; nothing without any time. */
static void scale_energy(struct power_groups *groups, double dynamic_pj)
{
	assert(dynamic_pj >= 0);
	struct power_group *group[] = {&groups->load, &groups->loop, &groups->arm};
	struct power_group *longest = &groups->load;
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
static void count_loops(const struct program *program, struct power_groups *groups)
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

struct power_groups power_groups_of(const struct layer_context *context, const struct layer_design *design,
                                    const struct sim_result *result)
{
	assert(context && design && result);
	struct power_groups groups = {.n_task = split_n_task(&design->split) * block_batch(context->block),
	                              .static_mw = energy_static_mw(context->machine, design->level)};
	struct program program;
	struct verdict verdict;
	double ns_per_clk = 1e3 / context->machine->level[design->level].clk_mhz;
	bool runs = mapper_distribute(context, design, &program, &verdict);
	assert(runs);
	(void)runs;
	for (uint32_t i = 0; i < program.n_step; i++)
		group_of(&groups, program.step[i].phase)->dynamic_pj +=
		    energy_of_counts(context->machine, design->level, &program.step[i].counts).total_pj;
	for (int i = 0; i < N_PHASE; i++)
		group_of(&groups, (enum phase)i)->ns += (double)result->phase_clk[i] * ns_per_clk;
	scale_energy(&groups, real_max(0, result->energy.total_pj - result->energy.static_pj));
	count_loops(&program, &groups);
	if (groups.loop.ns <= 0)
		groups.n_loop = 0;
	else if (groups.n_loop == 0)
		groups.n_loop = 1;
	return groups;
}

/* All PEs of a QPE ask for operand A at once. */
static double task_clk(const struct layer_context *context, const struct tiling *tiling, uint32_t level)
{
	const struct machine *machine = context->machine;
	struct mla_fetch fetch =
	    tiling_fetch(context, tiling, (double)tiling->task.a_word, (double)tiling->task.mac_clk);
	double packet_per_clk = machine->noc_router_packet * machine->noc_clk_mhz / machine->level[level].clk_mhz;
	double router_clk = mla_router_clk(&fetch, machine->qpe_n_pe, packet_per_clk);
	return real_max(tiling->task.shared_clk, machine->mla_init_clk + router_clk);
}

/* The same by the DVFS paper's fitted model, equation 8, which knows of no router. */
static double greybox_task_clk(const struct layer_context *context, const struct tiling *tiling, uint32_t level)
{
	const struct machine *machine = context->machine;
	const struct block *block = context->block;
	const struct operating_point *point = &machine->level[level];
	struct greybox_shape shape = {.cols = machine->mla_cols, .rows = machine->mla_rows};
	if (block->kind == BLOCK_MATMUL) {
		shape.in_w = tiling->out_w;
		shape.in_h = shape.kernel_w = shape.kernel_h = 1;
		shape.in_c = tiling->in_w; /* of operand A */
		shape.out_c = tiling->in_h;
		return greybox_clk(&shape, &point->matmul);
	}
	/* the rounds of a kernel with gaps are those of its outputs */
	shape.in_w = tiling->in_w - block_reach_w(block) + block->kernel_w;
	shape.in_h = tiling->in_h - block_reach_h(block) + block->kernel_h;
	shape.in_c = tiling->group_c;
	shape.out_c = (uint32_t)split_part_row(block, tiling->out_c, machine->mla_rows) * machine->mla_rows;
	shape.kernel_w = block->kernel_w;
	shape.kernel_h = block->kernel_h;
	return greybox_clk(&shape, &point->conv);
}

struct power_groups power_groups_of_tasks(const struct layer_context *context, const struct split *split,
                                          uint32_t level, enum detail detail)
{
	const struct machine *machine = context->machine;
	struct tiling tiling;
	struct counts counts = {0};
	tiling_build(context, split, &tiling);
	tiling_mla_counts(context, &tiling, &counts);
	struct power_groups groups = {.n_task = tiling.n_task, .static_mw = energy_static_mw(machine, level)};
	groups.n_loop = ceil_div(groups.n_task, machine_n_pe(machine));
	double clk =
	    detail == DETAIL_GREYBOX ? greybox_task_clk(context, &tiling, level) : task_clk(context, &tiling, level);
	counts.awake_clk = clk * (double)groups.n_task;
	groups.loop.ns = clk * (1e3 / machine->level[level].clk_mhz) * (double)groups.n_loop;
	groups.loop.dynamic_pj = energy_of_counts(machine, level, &counts).total_pj;
	assert(groups.loop.ns > 0 && groups.loop.dynamic_pj >= 0);
	return groups;
}
