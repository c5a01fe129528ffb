/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"

/*
 * No reuse (mapper/distribute/distribute_jobs.c): every queue's jobs in the order in which
 * idle PEs take them, ifmap parts outside, filter parts inside (thesis section
 * 4.3.1). Input channels that are split: fused, one PE takes all parts of a
 * result one after the other and keeps the partial sums, of which the last part
 * leaves the result; without fusion all of a part's filters come before the next
 * part, and every job leaves its partial sums in DRAM. With fusion, too, a PE
 * asks for its next operands when its result has arrived: the thesis' totals say
 * so (ResNet-50 CONV_1 on the chip, fused: -0.1 %, and -2.6 % without).
 */

static void add_job(const struct unfolding *unfolding, uint32_t queue, uint64_t row, uint64_t column, uint32_t d)
{
	const struct layer_context *context = unfolding->context;
	bool fused = strategy_table[unfolding->design->strategy].fused;
	struct unfolded_part part = unfold_result_part(unfolding, row, column, d);
	struct job job = {
	    .queue = queue,
	    .map_byte = fused ? part.map_byte : part.map_aligned_byte,
	    .filter_byte = part.filter_byte,
	    .store_byte = fused ? 0 : part.raw_out_byte,
	    .shape = part.shape,
	    .part = part.number,
	    .same_pe = fused && d > 0,
	};
	/* a matrix multiplication has both operands in the PE itself (thesis simulator: times of its last tasks) */
	if (context->block->kind == BLOCK_MATMUL || context->form == FORM_MATMUL) {
		job.map_byte += job.filter_byte;
		job.filter_byte = 0;
	}
	if (fused && d + 1 == unfolding->tiling->n_d)
		job.store_byte = part.out_byte;
	assert(job.map_byte > 0);
	schedule_add_job(unfolding->schedule, job);
}

static void add_row(const struct unfolding *unfolding, uint32_t queue, uint64_t row, const struct result_range *columns)
{
	uint32_t n_d = unfolding->tiling->n_d;
	if (strategy_table[unfolding->design->strategy].fused) {
		for (uint64_t column = columns->first; column < columns->end; column++)
			for (uint32_t d = 0; d < n_d; d++)
				add_job(unfolding, queue, row, column, d);
		return;
	}
	for (uint32_t d = 0; d < n_d; d++)
		for (uint64_t column = columns->first; column < columns->end; column++)
			add_job(unfolding, queue, row, column, d);
}

void unfold_jobs(const struct unfolding *unfolding)
{
	const struct layer_context *context = unfolding->context;
	struct result_grid grid = unfold_grid(unfolding);
	uint32_t n_queue = context->hierarchy.n_queue;
	assert(context->block->kind != BLOCK_POOL && n_queue <= context->machine->dram_n);
	unfold_add_step(unfolding, PHASE_TASKS);
	for (uint32_t queue = 0; queue < n_queue; queue++)
		for (uint64_t row = 0; row < grid.n_row && !unfolding->schedule->failed; row++) {
			struct result_range columns = unfold_deal(&grid, n_queue, queue, row);
			add_row(unfolding, queue, row, &columns);
		}
}
