/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/unfold/unfold_parts.h"
#include "sim/base/checked.h"

/*
 * What the unfolders share: parts one by one, where struct tiling has sums over
 * them, and the ARM operations, which are the program's.
 */

/* As in mapper/distribute/tiling.c, whose sums the parts add up to. */
#define RESULT_BYTE 4
#define LINE_BYTE 16
#define WORD_ALIGN 4

/* ---- parts ---- */

static uint32_t size_of(const struct dim_split *dim, uint32_t index)
{
	assert(index < dim_n_part(dim));
	return index < dim->n_a ? dim->size_a : dim->size_b;
}

/* Parts are no larger than the largest, which fits a PE's SRAM. */
static uint32_t narrow(uint64_t byte)
{
	assert(byte <= UINT32_MAX);
	return (uint32_t)byte;
}

/* The ifmap part and the filters of a convolution or pooling. */
static void size_conv_operands(const struct layer_context *context, struct unfolded_part *part)
{
	const struct block *block = context->block;
	uint64_t operand_byte = context->operand_bit / 8;
	part->in_w = mapper_part_in_w(context, part->out_w);
	part->in_h = context->is_packed ? part->out_h : mapper_part_in_h(context, part->out_h);
	uint64_t n_row = (uint64_t)part->in_h * part->in_c;
	part->map_byte = narrow(align_up(part->in_w * n_row * operand_byte, LINE_BYTE));
	part->map_aligned_byte = narrow(align_up(part->in_w * operand_byte, LINE_BYTE) * n_row);
	if (context->is_packed) {
		part->map_aligned_byte = part->map_byte;
		part->in_w = part->out_w * part->out_h;
		part->in_h = 1;
	}
	if (block->operand == OPERAND_MAP) {
		part->map_byte *= 2;
		part->map_aligned_byte *= 2;
	} else if (block->operand == OPERAND_CHANNEL) {
		part->map_byte += narrow(align_up(part->in_c * operand_byte, LINE_BYTE));
		part->map_aligned_byte += narrow(align_up(part->in_c * operand_byte, LINE_BYTE));
	}
	if (block->kind == BLOCK_POOL)
		return;
	uint64_t n_tap = (uint64_t)block->kernel_w * block->kernel_h * (part->in_c / part->n_group);
	uint32_t n_mla_row = context->machine->mla_rows;
	uint64_t n_filter = split_part_row(block, part->out_c, n_mla_row) * n_mla_row;
	part->filter_byte = narrow(align_up(n_tap * n_filter * operand_byte, LINE_BYTE));
}

/* Blocks of A and B. */
static void size_matmul_operands(const struct layer_context *context, uint32_t depth, struct unfolded_part *part)
{
	const struct machine *machine = context->machine;
	uint64_t operand_byte = context->operand_bit / 8, aligned_depth = align_up(depth, 4);
	part->in_w = depth;
	part->in_h = part->out_h;
	part->in_c = 1;
	part->map_byte = narrow((uint64_t)depth * part->in_h * operand_byte);
	part->map_aligned_byte = narrow(aligned_depth * align_up(part->in_h, machine->mla_rows) * operand_byte);
	part->filter_byte = narrow(align_up(part->out_w, machine->mla_cols) * aligned_depth * operand_byte);
}

static void size_result(const struct layer_context *context, struct unfolded_part *part)
{
	uint64_t pool_area = (uint64_t)context->block->pool * context->block->pool;
	uint64_t row_c = (uint64_t)part->out_h * part->out_c, n_pixel = ceil_div(part->out_w * row_c, pool_area);
	part->out_byte = narrow(align_up(n_pixel * (context->operand_bit / 8), LINE_BYTE));
	part->raw_out_byte = narrow(align_up(part->out_w, WORD_ALIGN) * row_c * RESULT_BYTE);
}

static uint32_t add_shape(const struct unfolding *unfolding, const struct unfolded_part *part)
{
	const struct layer_context *context = unfolding->context;
	const struct block *block = context->block;
	struct mla_shape task = {.operand_bit = context->operand_bit, .is_partial = unfolding->tiling->n_d > 1};
	if (block->kind == BLOCK_POOL)
		return SCHEDULE_NONE;
	if (block->kind == BLOCK_MATMUL) {
		task.kind = MLA_MATMUL;
		task.matmul = (struct mla_matmul_task){part->in_w, part->in_h, part->out_w};
	} else if (context->form == FORM_MATMUL) {
		task.kind = MLA_MATMUL;
		task.matmul = (struct mla_matmul_task){part->in_c, part->out_c, part->in_w};
	} else {
		task.kind = MLA_CONV;
		task.kernel_w = block->kernel_w;
		task.kernel_h = block->kernel_h;
		task.dilation = block->dilation;
		task.conv = (struct mla_conv_task){part->in_w, part->in_h, part->in_c / part->n_group,
		                                   part->out_c / part->n_group, part->n_group};
	}
	return schedule_add_shape(unfolding->schedule, &task);
}

/*
 * A part's number as struct op has it, from 0 to n_task - 1: ifmap part * filter
 * parts + filter part, ifmap parts counted by h, w and d. A matrix
 * multiplication's filter parts are blocks of columns. Ifmap parts of a grouped
 * convolution are cut by channels, too: what is moved of one has the number
 * ifmap part * n_channel_part + channel part.
 */
static uint32_t part_number(const struct layer_context *context, const struct tiling *tiling, uint32_t w, uint32_t h,
                            uint32_t c, uint32_t d)
{
	bool is_matmul = context->block->kind == BLOCK_MATMUL;
	uint64_t map = is_matmul ? h : (uint64_t)h * tiling->n_w + w;
	uint64_t n_filter = is_matmul ? tiling->n_w : tiling->n_c;
	uint64_t number = (map * tiling->n_d + d) * n_filter + (is_matmul ? w : c);
	assert(number < tiling->n_task && number < SCHEDULE_NONE);
	return (uint32_t)number;
}

struct unfolded_part unfold_part(const struct unfolding *unfolding, uint32_t w, uint32_t h, uint32_t c, uint32_t d)
{
	const struct layer_context *context = unfolding->context;
	const struct split *split = &unfolding->design->split;
	uint32_t depth = size_of(&split->d, d);
	struct unfolded_part part = {
	    .number = part_number(context, unfolding->tiling, w, h, c, d),
	    .out_w = size_of(&split->w, w),
	    .out_h = size_of(&split->h, h % dim_n_part(&split->h)), /* of its image */
	    .out_c = size_of(&split->c, c),
	};
	part.n_group = split_part_group(context->block, part.out_c);
	part.in_c = context->block->kind == BLOCK_POOL ? part.out_c : depth * part.n_group;
	if (context->block->kind == BLOCK_MATMUL)
		size_matmul_operands(context, depth, &part);
	else
		size_conv_operands(context, &part);
	size_result(context, &part);
	part.shape = add_shape(unfolding, &part);
	return part;
}

/* ---- results ---- */

struct result_grid unfold_grid(const struct unfolding *unfolding)
{
	const struct tiling *tiling = unfolding->tiling;
	if (unfolding->context->block->kind == BLOCK_MATMUL)
		return (struct result_grid){tiling->n_h, tiling->n_w};
	return (struct result_grid){tiling->n_map, tiling->n_c};
}

struct unfolded_part unfold_result_part(const struct unfolding *unfolding, uint64_t row, uint64_t column, uint32_t d)
{
	uint32_t n_w = unfolding->tiling->n_w;
	if (unfolding->context->block->kind == BLOCK_MATMUL)
		return unfold_part(unfolding, (uint32_t)column, (uint32_t)row, 0, d);
	return unfold_part(unfolding, (uint32_t)(row % n_w), (uint32_t)(row / n_w), (uint32_t)column, d);
}

static uint64_t clip(uint64_t value, uint64_t first, uint64_t end)
{
	return value < first ? first : value > end ? end : value;
}

struct result_range unfold_deal(const struct result_grid *grid, uint64_t n_share, uint64_t share, uint64_t row)
{
	uint64_t n_column = grid->n_column, begin = row * n_column;
	assert(share < n_share && row < grid->n_row);
	if (n_column >= n_share)
		return (struct result_range){n_column * share / n_share, n_column * (share + 1) / n_share};
	uint64_t n_result = grid->n_row * n_column;
	uint64_t first = n_result * share / n_share, end = n_result * (share + 1) / n_share;
	return (struct result_range){clip(first, begin, begin + n_column) - begin,
	                             clip(end, begin, begin + n_column) - begin};
}

/* ---- steps and operations ---- */

void unfold_add_step(const struct unfolding *unfolding, enum phase phase)
{
	schedule_add_step(unfolding->schedule, (struct schedule_step){.phase = phase});
}

uint32_t unfold_add_op(const struct unfolding *unfolding, struct op op, uint32_t before, uint32_t also_before)
{
	op.before[0] = before;
	op.before[1] = also_before;
	return schedule_add_op(unfolding->schedule, op);
}

/* ---- the whole ---- */

/* With what is fetched meanwhile. */
static void add_arm_step(const struct machine *machine, const struct step *arm, uint64_t fetch_byte,
                         const struct fetch *fetch, struct schedule *schedule)
{
	assert(arm->kind == STEP_ARM);
	struct schedule_step step = {.phase = arm->phase, .arm = arm->u.arm, .counts = arm->counts};
	double byte = (double)fetch_byte;
	step.arm.dram_byte += byte / machine->dram_n;
	step.counts.dram_read_byte += byte;
	step.counts.sram_write_word += byte / 4;
	if (byte > 0)
		step.counts.noc_packet += fetch->counts.noc_packet * byte / fetch->counts.dram_read_byte;
	schedule_add_step(schedule, step);
}

/* By the conditions of mapper_distribute_tiled, but that a matrix multiplication by way of the storage QPEs, which
 * there is one of the job queues, has its own order here. */
static void unfold_core(const struct unfolding *unfolding)
{
	const struct layer_context *context = unfolding->context;
	const struct layer_design *design = unfolding->design;
	bool reuses = strategy_table[design->strategy].reuses;
	if (context->block->kind == BLOCK_POOL)
		unfold_pool(unfolding);
	else if (reuses && distribute_is_own(context, unfolding->tiling))
		unfold_own(unfolding);
	else if (distribute_is_chip_reuse(context, design))
		unfold_chip_reuse(unfolding);
	else if (reuses)
		unfold_qpe_reuse(unfolding);
	else if (context->block->kind == BLOCK_MATMUL && mapper_serves_storage(context, design))
		unfold_chip_matmul(unfolding);
	else
		unfold_jobs(unfolding);
}

enum err_code mapper_unfold(const struct layer_context *context, const struct layer_design *design,
                            struct schedule *schedule, struct err *err)
{
	struct program program;
	struct verdict verdict;
	struct tiling tiling;
	struct unfold_fetch fetch;
	const struct unfolding unfolding = {context, design, &tiling, &fetch, schedule};
	*schedule = (struct schedule){0};
	tiling_size(context, &design->split, &tiling);
	bool runs = mapper_distribute_tiled(context, design, &tiling, &program, &verdict);
	assert(runs && verdict.reason == VERDICT_OK);
	if (!runs || tiling.n_task > SCHEDULE_MAX_OP) {
		schedule->failed = schedule->is_full = true;
		return err_add(err, ERR_INFEASIBLE,
		               "%llu tasks, at most %u are simulated or proved one by one; take larger parts or closed "
		               "forms (--detail fast)",
		               (unsigned long long)tiling.n_task, SCHEDULE_MAX_OP);
	}

	unfold_plan_fetch(context, design, &program, &fetch);
	for (uint32_t k = 0; k < program.n_step; k++)
		schedule->mac += program.step[k].counts.mac;
	uint32_t i = 0;
	for (; i < program.n_step && program.step[i].kind == STEP_ARM; i++)
		add_arm_step(context->machine, &program.step[i], fetch.arm_byte[i], &program.fetch, schedule);
	unfold_core(&unfolding);
	for (; i < program.n_step; i++)
		if (program.step[i].kind == STEP_ARM)
			add_arm_step(context->machine, &program.step[i], fetch.arm_byte[i], &program.fetch, schedule);
	return schedule_check(schedule, context->machine, err);
}
