/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of MLA tasks alone, as the DVFS paper has them. */
#include "dse/power/power_work.h"
#include "mapper/distribute/tiling.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"
#include "sim/mla/greybox.h"
#include <assert.h>

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

struct loop_groups power_groups_of_tasks(const struct layer_context *context, const struct split *split, uint32_t level,
                                         enum detail detail)
{
	const struct machine *machine = context->machine;
	struct tiling tiling;
	struct counts counts = {0};
	tiling_build(context, split, &tiling);
	tiling_mla_counts(context, &tiling, &counts);
	struct loop_groups groups = {.n_task = tiling.n_task, .static_mw = energy_static_mw(machine, level)};
	groups.n_loop = ceil_div(groups.n_task, machine_n_pe(machine));
	double clk =
	    detail == DETAIL_GREYBOX ? greybox_task_clk(context, &tiling, level) : task_clk(context, &tiling, level);
	counts.awake_clk = clk * (double)groups.n_task;
	groups.loop.ns = clk * (1e3 / machine->level[level].clk_mhz) * (double)groups.n_loop;
	groups.loop.dynamic_pj = energy_of_counts(machine, level, &counts).total_pj;
	assert(groups.loop.ns > 0 && groups.loop.dynamic_pj >= 0);
	return groups;
}
