/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/bound_parts.h"
#include "mapper/distribute/distribute.h"
#include "mapper/distribute/tiling_parts.h"
#include "sim/base/checked.h"

/*
 * Lower bounds on a whole range of splits. Every count below is least when the
 * dimensions that the range leaves open stay whole: fewer parts mean no more
 * rounds of the array, no more overlapping ifmap rows and no more alignment.
 * Copies between PEs are left out, because they grow with fewer parts.
 */

/* How often all ifmap parts and all filters are loaded at least. */
struct reload {
	double map, filter;
};

/* Of reuse on one QPE what is not kept comes again with each group of what is (distribute_qpe.c). */
static struct reload least_reload(const struct layer_context *context, const struct layer_design *design,
                                  const struct tiling *tiling)
{
	const struct block *block = context->block;
	uint64_t n_pe = context->machine->qpe_n_pe;
	if (!strategy_table[design->strategy].reuses) {
		if (block->kind == BLOCK_MATMUL)
			return (struct reload){tiling->n_w, tiling->n_h};
		return (struct reload){tiling->n_meet, (double)tiling->n_map};
	}
	if (block->kind != BLOCK_CONV || context->machine->target == MACHINE_CHIP)
		return (struct reload){1, 1};
	struct reload keep_map = {1, (double)ceil_div(tiling->n_map, n_pe)};
	struct reload keep_filter = {(double)ceil_div(tiling->n_meet, n_pe), 1};
	if (design->reuse != REUSE_AUTO)
		return design->reuse == REUSE_IFMAP ? keep_map : keep_filter;
	double map = (double)tiling->all_map_byte, filter = (double)tiling->all_filter_byte;
	return map + filter * keep_map.filter < filter + map * keep_filter.map ? keep_map : keep_filter;
}

/* DRAM traffic that the strategy cannot avoid: ifmap parts, filters, results once; filters that were fetched ahead come
 * from storage QPEs. */
static void bound_traffic(const struct layer_context *context, const struct layer_design *design,
                          const struct tiling *tiling, struct least_work *work)
{
	struct counts *least = &work->counts;
	const struct strategy_info *strategy = &strategy_table[design->strategy];
	struct reload reload = least_reload(context, design, tiling);
	double filter = (double)tiling->all_filter_byte * reload.filter;
	double ahead = design->weight_ahead == AHEAD_NONE   ? 0
	               : design->weight_ahead == AHEAD_HALF ? filter / 2
	                                                    : filter;
	double map = (double)tiling->all_map_byte, result = (double)tiling->all_out_byte;
	if (!strategy->fused) {
		map = (double)tiling->all_map_aligned_byte;
		result = (double)tiling->all_raw_out_byte * tiling->n_d;
	}
	work->fetch_byte = (double)context->next_byte[design->fetch_next];
	least->dram_read_byte = filter - ahead + (design->in_storage ? 0 : map * reload.map) + work->fetch_byte;
	least->dram_write_byte = design->out_storage || design->strategy == STRATEGY_THESIS_REUSE ? 0 : result;
	least->sram_write_word += (least->dram_read_byte + ahead) / 4;
	least->sram_read_word += (least->dram_write_byte + ahead) / 4;
	least->noc_packet +=
	    (least->dram_read_byte + least->dram_write_byte + ahead) / context->machine->noc_packet_byte;
}

/*
 * The ARM operations: the same work for every split but for padding and partial sums, which grow with the parts.
 * A fused job pads the parts of its input channels in the time of one, so with these split padding is not counted.
 */
static void bound_arm(const struct layer_context *context, const struct layer_design *design,
                      const struct tiling *tiling, bool splits_d, struct counts *least)
{
	struct arm_share share = {.n_result = 1,
	                          .n_map = 1,
	                          .n_pad = splits_d ? 0 : 1,
	                          .n_partial = tiling->n_d - 1,
	                          .in_pe = true,
	                          .source = true};
	struct program program;
	program.n_step = 0;
	distribute_arm(context, design, tiling, &share, &program);
	for (uint32_t i = 0; i < program.n_step; i++) {
		least->arm_clk += program.step[i].counts.arm_clk;
		least->sram_read_word += program.step[i].counts.sram_read_word;
		least->sram_write_word += program.step[i].counts.sram_write_word;
	}
}

/*
 * The array computes every stride-1 output of a part, so a strided layer's whole
 * extent takes more rounds than its parts: n outputs take (n - 1) * stride + m,
 * least when every part has one output. The share of the whole's that is left.
 */
static double strided_frac(const struct layer_context *context, uint32_t extent, uint32_t kernel, uint32_t step)
{
	uint32_t stride = context->block->stride;
	double one = kernel > stride || context->is_tight ? 1 : stride - kernel + 1.0;
	double whole = (double)ceil_div((uint64_t)(extent - 1) * stride + (uint64_t)one, step);
	double least = extent * one / step;
	return least < whole ? least / whole : 1;
}

static void bound_strided(const struct layer_context *context, unsigned open, struct counts *least)
{
	const struct block *block = context->block;
	double frac = 1;
	if (block->kind != BLOCK_CONV || block->stride == 1 || context->is_packed)
		return;
	if (open & BOUND_OPEN_W)
		frac *= strided_frac(context, block->out_w, block_reach_w(block), context->machine->mla_cols);
	if (open & BOUND_OPEN_H)
		frac *= strided_frac(context, block->out_h, block_reach_h(block), 1);
	least->mla_clk *= frac;
	least->sram_read_word *= frac;
	least->sram_write_word *= frac;
	least->noc_packet *= frac;
}

/*
 * Tight parts leave out what the stride skips between them: the share of the whole extent's pixels that is left when
 * every part has one output.
 */
static double tight_frac(uint32_t extent, uint32_t reach, uint32_t stride)
{
	return reach < stride ? (double)extent * reach / ((double)(extent - 1) * stride + reach) : 1;
}

/* The ifmap of tight parts of what is open, as if no part filled lines: at most a line less one byte each does. */
static void bound_tight(const struct layer_context *context, unsigned open, struct tiling *tiling)
{
	const struct block *block = context->block;
	double operand_byte = context->operand_bit / 8.0, frac_w = 1, frac_h = 1;
	if (open & BOUND_OPEN_W)
		frac_w = tight_frac(block->out_w, block_reach_w(block), block->stride);
	if (open & BOUND_OPEN_H)
		frac_h = tight_frac(block->out_h, block_reach_h(block), block->stride);
	if (frac_w >= 1 && frac_h >= 1)
		return;
	double fill = (double)(LINE_BYTE - 1) * (double)tiling->n_map * tiling->n_d * tiling->n_channel_part;
	double byte = (double)tiling->all_map_byte - fill, aligned = (double)tiling->all_map_aligned_byte * frac_h;
	if (frac_w < 1) /* of the one width that an open one stands for */
		aligned *= frac_w * tiling->in_w * operand_byte /
		           (double)align_up((uint64_t)(tiling->in_w * operand_byte), LINE_BYTE);
	tiling->all_map_byte = byte > 0 ? (uint64_t)(byte * frac_w * frac_h) : 0;
	tiling->all_map_aligned_byte = (uint64_t)aligned;
}

/* Of a systolic array: any parts of what is open, the design's of what is not. */
static void bound_systolic(const struct layer_context *context, const struct layer_design *design, unsigned open,
                           struct least_work *least)
{
	const struct block *block = context->block;
	const struct split whole = split_whole_group(block), *split = &design->split;
	const struct dim_split *const own[] = {&split->w, &split->h, &split->c, &split->d};
	const uint32_t extent[] = {whole.w.size_a, whole.h.size_a, whole.c.size_a, whole.d.size_a};
	struct split_range range;
	struct dim_range *const dim[] = {&range.w, &range.h, &range.c, &range.d};
	struct verdict ignored;
	uint64_t sram_byte;
	for (int i = 0; i < 4; i++) {
		uint32_t step = i < 2 ? block->pool : 1; /* bits of enum bound_open are in this order, too */
		*dim[i] = (struct dim_range){extent[i], step, 1, extent[i] / step, step, NULL, NULL, 0};
		if (!(open & (1u << i)))
			dim[i]->split = own[i];
	}
	(void)bound_systolic_range(context, design, &range, least, &sram_byte, &ignored);
}

/* Of a summed tiling. */
static void bound_tiling(const struct layer_context *context, const struct layer_design *design,
                         const struct tiling *tiling, unsigned open, struct least_work *least)
{
	const struct hierarchy *hierarchy = &context->hierarchy;
	assert(tiling->is_summed);
	least->busiest = (struct busiest_work){0};
	least->phased = strategy_table[design->strategy].reuses;
	least->n_pe = least->phased ? hierarchy->n_pe : machine_n_pe(context->machine);
	tiling_mla_counts(context, tiling, &least->counts);
	bound_strided(context, open, &least->counts);
	/* the thesis simulator left tasks out: of what they do nothing is certain */
	if (design->strategy == STRATEGY_THESIS_REUSE)
		least->counts = (struct counts){0};
	bound_traffic(context, design, tiling, least);
	bound_arm(context, design, tiling, tiling->n_d > 1 || (open & BOUND_OPEN_D) != 0, &least->counts);
}

bool mapper_bound_tiled(const struct layer_context *context, const struct layer_design *design, struct tiling *tiling,
                        struct least_work *least)
{
	if (context->machine->target == MACHINE_SYSTOLIC) {
		bound_systolic(context, design, 0, least);
		return true;
	}
	if (context->block->kind == BLOCK_POOL)
		return false;
	tiling_sum(context, &design->split, tiling);
	bound_tiling(context, design, tiling, 0, least);
	return true;
}

bool mapper_bound(const struct layer_context *context, const struct layer_design *design, unsigned open,
                  struct least_work *least)
{
	const struct block *block = context->block;
	if (context->machine->target == MACHINE_SYSTOLIC) {
		bound_systolic(context, design, open, least);
		return true;
	}
	if (block->kind == BLOCK_POOL)
		return false;
	struct split split = design->split, whole = split_whole(block);
	if (open & BOUND_OPEN_W)
		split.w = whole.w;
	if (open & BOUND_OPEN_H)
		split.h = whole.h;
	if (open & BOUND_OPEN_C)
		split.c = whole.c;
	if (open & BOUND_OPEN_D)
		split.d = whole.d;
	struct tiling tiling;
	tiling_size(context, &split, &tiling);
	tiling_sum(context, &split, &tiling);
	if (context->is_tight)
		bound_tight(context, open, &tiling);
	bound_tiling(context, design, &tiling, open, least);
	return true;
}

/* The work of any design with this strategy and these places whose tiling is nowhere below this one. */
static void bound_least(const struct layer_context *context, const struct layer_design *design,
                        const struct tiling *tiling, struct least_work *least)
{
	assert(tiling->is_least);
	if (context->block->kind != BLOCK_POOL) {
		bound_tiling(context, design, tiling, 0, least);
		return;
	}
	/* maps in, results out; ARM clocks without padding */
	const struct machine *machine = context->machine;
	double in = (double)tiling->all_map_byte, out = (double)tiling->all_out_byte;
	*least = (struct least_work){.n_pe = machine_n_pe(machine), .phased = true};
	least->counts = (struct counts){
	    .dram_read_byte = in,
	    .dram_write_byte = out,
	    .sram_read_word = out / 4,
	    .sram_write_word = in / 4,
	    .noc_packet = (in + out) / machine->noc_packet_byte,
	    .arm_clk = distribute_arm_pixel_clk(machine, context->block) * (double)tiling->n_out_pixel,
	};
}

/*
 * A single tiling in a given order is its own program, which only gets faster with larger buffers; of two orders that
 * with fewer words may be the slower one.
 */
static bool bound_array_range(const struct layer_context *context, const struct layer_design *design,
                              const struct split_range *range, bool with_program, struct range_bound *bound,
                              struct verdict *verdict)
{
	bound->has_program = with_program && design->reuse != REUSE_AUTO && range->w.split && range->h.split &&
	                     range->c.split && range->d.split;
	bound->program.sram_byte = 0;
	if (!distribute_systolic_serves(context, design, verdict))
		return false;
	if (bound->has_program) {
		struct layer_design own = *design;
		own.split = (struct split){*range->w.split, *range->h.split, *range->c.split, *range->d.split};
		return distribute_systolic(context, &own, &bound->program, verdict);
	}
	return bound_systolic_range(context, design, range, &bound->work, &bound->program.sram_byte, verdict);
}

/*
 * The one step of a program whose form depends on the split beyond sums and
 * largest parts is that of a QPE with reuse, which takes either operand, too.
 * Of parts that one PE takes one after the other the number may be open.
 */
static bool has_least_program(const struct layer_context *context, const struct layer_design *design,
                              const struct split_range *range)
{
	const struct dim_range *const dim[] = {&range->w, &range->h, &range->c, &range->d};
	const struct strategy_info *strategy = &strategy_table[design->strategy];
	size_t n_dim = strategy->fused && !strategy->reuses ? 3 : 4;
	for (size_t i = 0; i < n_dim; i++)
		if (dim[i]->n_least != dim[i]->n_most)
			return false;
	return !strategy->reuses || distribute_is_chip_reuse(context, design);
}

/* The split, or parts of the least size (tiling->open says which dimensions are so). */
static struct dim_split least_split(const struct dim_range *range)
{
	return range->split ? *range->split : (struct dim_split){.size_a = range->size, .n_a = range->n_least};
}

bool mapper_bound_range(const struct layer_context *context, const struct layer_design *design,
                        const struct split_range *range, bool with_program, struct range_bound *bound,
                        struct verdict *verdict)
{
	struct tiling tiling;
	bound->n_worker = 1;
	if (context->machine->target == MACHINE_SYSTOLIC)
		return bound_array_range(context, design, range, with_program, bound, verdict);
	tiling_least(context, range, &tiling);
	bound->n_worker = distribute_n_worker(context, design, tiling.n_map * tiling.n_c);
	bound->has_program = with_program && has_least_program(context, design, range);
	if (bound->has_program) {
		struct layer_design own = *design;
		own.split = (struct split){least_split(&range->w), least_split(&range->h), least_split(&range->c),
		                           least_split(&range->d)};
		return mapper_distribute_tiled(context, &own, &tiling, &bound->program, verdict);
	}
	bound->program.sram_byte = distribute_sram_byte(context, design, &tiling, 1);
	if (!distribute_judge(context, design, &tiling, bound->program.sram_byte, verdict))
		return false;
	bound_least(context, design, &tiling, &bound->work);
	bound->work.busiest = (struct busiest_work){0};
	if (with_program && design->strategy == STRATEGY_FUSION_REUSE && distribute_is_chip_reuse(context, design))
		distribute_chip_busiest(context, design, range, &tiling, &bound->work.busiest);
	else if (with_program && design->strategy == STRATEGY_FUSION_REUSE && block_n_group(context->block) == 1)
		distribute_qpe_busiest(context, &tiling, &bound->work.busiest);
	return true;
}
