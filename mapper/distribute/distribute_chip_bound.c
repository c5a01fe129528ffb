/* SPDX-License-Identifier: Apache-2.0 */
/* What the busiest PE and interface of reuse on a chip have to do at least, whatever a range's splits. */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include "sim/base/real.h"

/* A dimension's parts together, each as large as the largest: at least so many parts and so much extent. */
struct full_parts {
	bool is_known; /* how many there are */
	double n, extent;
};

static struct full_parts fill_parts(const struct dim_range *range, uint32_t largest, uint32_t extent)
{
	struct full_parts parts = {range->n_least == range->n_most, range->n_least, extent};
	if (parts.is_known)
		parts.extent = real_max(extent, (double)range->n_least * largest);
	return parts;
}

/* Rounds and tasks of a PE, and its results in parts of the largest size. */
struct pe_load {
	double n_round, n_task, n_result;
};

/*
 * Where the numbers of ifmap parts are known, so is who holds them, whatever the filter parts: idle PEs and parts that
 * do not divide count. Filters of groups are dealt otherwise. All 0: not known.
 */
static struct pe_load assigned_load(const struct layer_context *context, const struct layer_design *design,
                                    const struct split_range *range, const struct tiling *tiling, uint32_t computed_w,
                                    uint32_t computed_h, struct chip_assignment *a)
{
	const struct machine *machine = context->machine;
	*a = distribute_chip_assign(context, tiling);
	if (a->is_own || a->n_copy == 0)
		return (struct pe_load){0, 0, 0};
	double n_wave = (double)a->n_wave, c_extent = (double)range->c.extent / (double)(a->n_share * a->n_copy);
	double n_task = n_wave * (double)ceil_div(ceil_div(range->c.n_least, a->n_share), a->n_copy);
	double n_round = n_wave * distribute_wave_frac(context, design, tiling, a) * c_extent / machine->mla_rows;
	n_round *= (double)ceil_div(computed_w, machine->mla_cols) * computed_h;
	return (struct pe_load){context->is_packed ? 0 : n_round, n_task,
	                        real_max(n_task, n_wave * c_extent / tiling->out_c)};
}

/* ARM clocks of a PE that has so many results, and so many ifmap parts. */
static double arm_clk(const struct layer_context *context, const struct layer_design *design,
                      const struct tiling *tiling, double n_result, double n_map)
{
	const struct arm_share share = {
	    .n_result = n_result, .n_map = n_map, .n_pad = 1, .in_pe = true, .source = true};
	struct program program;
	double clk = 0;
	program.n_step = 0;
	distribute_arm(context, design, tiling, &share, &program);
	for (uint32_t i = 0; i < program.n_step; i++)
		clk += program.step[i].u.arm.clk;
	return clk;
}

void distribute_chip_busiest(const struct layer_context *context, const struct layer_design *design,
                             const struct split_range *range, const struct tiling *tiling, struct busiest_work *busiest)
{
	const struct block *block = context->block;
	const struct machine *machine = context->machine;
	const struct hierarchy *hierarchy = &context->hierarchy;
	double n_block = hierarchy->n_block, n_share = 1;
	uint32_t computed_w = tiling->in_w - block_reach_w(block) + 1,
		 computed_h = tiling->in_h - block_reach_h(block) + 1;
	assert(tiling->is_least && tiling->n_d == 1 && design->strategy == STRATEGY_FUSION_REUSE);
	struct full_parts w = fill_parts(&range->w, tiling->out_w, range->w.extent);
	struct full_parts h = fill_parts(&range->h, tiling->out_h, range->h.extent);
	/* filter parts of two sizes are priced one by one */
	struct full_parts c = {range->c.n_least == range->c.n_most, range->c.n_least, range->c.extent};
	/* columns and filters in blocks of the array */
	double w_block =
	    w.is_known ? w.n * (double)ceil_div(computed_w, machine->mla_cols) : w.extent / machine->mla_cols;
	double c_block = c.extent / machine->mla_rows;
	if (!c.is_known && block_n_group(block) > 1)
		c_block = (double)(block_n_group(block) * ceil_div(block_group_out_c(block), machine->mla_rows));
	h.n *= block_batch(block);
	h.extent *= block_batch(block);
	double h_row = h.extent, h_pixel = (double)range->h.extent * block_batch(block);
	/* a block's share of the rows; of few rows blocks share one and deal the filters */
	if (h.is_known) {
		uint64_t n_all = (uint64_t)range->h.n_least * block_batch(block);
		uint64_t n_row = ceil_div(n_all, hierarchy->n_block);
		if (n_all < hierarchy->n_block && hierarchy->n_block % n_all == 0)
			n_share = n_block / (double)n_all;
		h.n = (double)n_row;
		h.extent = (double)n_row * tiling->out_h;
		h_pixel *= (double)n_row / (double)n_all;
		/* each image begins with its larger rows: the blocks' mean */
		h_row = distribute_first_rows(block, &range->h, block_batch(block) > 1 ? range->h.n_least : n_row);
		if (block_batch(block) > 1)
			h_row *= block_batch(block) * n_share / n_block;
		n_block = 1;
	}
	double n_filter = c.n / n_share;
	if (c.is_known) {
		n_filter = (double)ceil_div(range->c.n_least, (uint64_t)n_share);
		c.extent *= n_filter / c.n;
		c_block *= n_filter / c.n;
	} else {
		c.extent /= n_share;
		c_block /= n_share;
	}
	double n_pe = n_block * hierarchy->pe_per_block;
	double n_round = w_block * h_row * c_block / n_pe;
	if (context->is_packed) {
		double n_part = w.n * h.n, n_block_part = w.extent * h.extent / n_part / machine->mla_cols;
		if (w.is_known && h.is_known)
			n_block_part = (double)ceil_div(tiling->in_w, machine->mla_cols);
		n_round = n_part * n_block_part * c_block / n_pe;
	}
	busiest->n_task = w.n * h.n * n_filter / n_pe;
	if (w.is_known && h.is_known && block_n_group(block) == 1) {
		struct chip_assignment assignment;
		struct pe_load load =
		    assigned_load(context, design, range, tiling, computed_w, computed_h, &assignment);
		n_round = real_max(n_round, load.n_round);
		busiest->n_task = real_max(busiest->n_task, load.n_task);
		if (load.n_task > 0)
			busiest->arm_clk = arm_clk(context, design, tiling, load.n_result, (double)assignment.n_wave);
	}
	busiest->task_clk = n_round * mla_least_round_clk(&context->round, &context->channels) +
	                    busiest->n_task * machine->mla_init_clk;
	uint64_t n_packet = ceil_div(block_group_in_c(block) * context->round.channel_a_byte, machine->noc_packet_byte);
	busiest->fetch = (struct mla_fetch){n_round, n_round * (double)n_packet, context->round.rate.a_period_clk};
	/* results of parts of two sizes are priced by what comes together */
	double n_pixel = range->w.extent * h_pixel * c.extent / n_block;
	if (!design->out_storage)
		busiest->write_byte = n_pixel / ((double)block->pool * block->pool) * (context->operand_bit / 8.0) *
		                      hierarchy->block_per_dram;
}
