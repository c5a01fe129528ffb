/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a design can run: bytes that it needs, and the verdict. */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"
#include <assert.h>

/* The array reads whole aligned rows (thesis equation 2.5); the ARM core, which pools, reads bytes and needs no
 * alignment. */
static uint64_t held_map_byte(const struct layer_context *context, const struct tiling *tiling)
{
	assert(tiling->map_byte <= tiling->map_aligned_byte);
	return context->block->kind == BLOCK_POOL ? tiling->map_byte : tiling->map_aligned_byte;
}

uint64_t distribute_sram_byte(const struct layer_context *context, const struct layer_design *design,
                              const struct tiling *tiling, uint64_t n_filter)
{
	uint64_t result = tiling->result_byte;
	/* partial sums of input-channel parts stay beside the new result until they are added */
	if (tiling->n_d > 1 && strategy_table[design->strategy].fused)
		result *= 2;
	return add_sat(add_sat(held_map_byte(context, tiling), mul_sat(n_filter, tiling->filter_byte)), result);
}

uint64_t mapper_available_byte(const struct machine *machine)
{
	return machine->target == MACHINE_SYSTOLIC ? machine_sram_byte(machine) : machine->pe_sram_byte;
}

uint64_t mapper_sram_byte(const struct layer_context *context, const struct layer_design *design)
{
	struct tiling tiling;
	if (context->machine->target == MACHINE_SYSTOLIC)
		return distribute_systolic_sram_byte(context, design);
	tiling_size(context, &design->split, &tiling);
	if (!distribute_is_chip_reuse(context, design))
		return distribute_sram_byte(context, design, &tiling, 1);
	struct chip_assignment assignment = distribute_chip_assign(context, &tiling);
	distribute_chip_count(context, design, &tiling, &assignment);
	return distribute_sram_byte(context, design, &tiling, distribute_chip_migrates(&assignment) ? 2 : 1);
}

static uint64_t stored_result_byte(const struct layer_context *context, uint64_t row_word)
{
	const struct block *block = context->block;
	uint64_t channels = block->kind == BLOCK_MATMUL ? 1 : block->out_c;
	return row_word * block->out_h * block_batch(block) * channels / ((uint64_t)block->pool * block->pool) *
	       (context->operand_bit / 8);
}

uint64_t mapper_sram_least_byte(const struct layer_context *context, const struct layer_design *design)
{
	struct tiling tiling;
	if (context->machine->target == MACHINE_SYSTOLIC)
		return distribute_systolic_least_byte(context, design);
	tiling_size(context, &design->split, &tiling);
	return add_sat(add_sat(held_map_byte(context, &tiling), tiling.filter_byte), tiling.result_byte);
}

bool mapper_tiles_may_fit(const struct layer_context *context, const struct layer_design *design)
{
	return context->machine->target != MACHINE_SYSTOLIC || distribute_systolic_may_fit(context, &design->split);
}

bool mapper_result_fits_storage(const struct layer_context *context, const struct split *split)
{
	struct tiling tiling;
	tiling_size(context, split, &tiling);
	return stored_result_byte(context, tiling.row_word) <= context->hierarchy.storage_byte;
}

/* Reuse moves operands between storage QPEs and PEs; a fused matrix multiplication on the chip does so too (thesis
 * section 4.4). */
bool mapper_serves_storage(const struct layer_context *context, const struct layer_design *design)
{
	assert(design->strategy < N_STRATEGY);
	if (context->hierarchy.storage_byte == 0)
		return false;
	return strategy_table[design->strategy].reuses ||
	       (context->block->kind == BLOCK_MATMUL && design->strategy == STRATEGY_FUSION);
}

/* Shares in which filters are dealt over the double blocks, or the interfaces where there are more of these. */
static uint32_t n_filter_share(const struct layer_context *context)
{
	uint32_t n_block = context->hierarchy.n_block, n_dram = context->machine->dram_n;
	return n_dram > n_block ? n_dram : n_block;
}

/* Half of each share's filters must be whole groups. */
static bool can_halve(const struct layer_context *context, const struct block *block)
{
	return block->out_c % (2 * n_filter_share(context) * context->machine->mla_rows) == 0;
}

bool mapper_serves_ahead(const struct layer_context *context, const struct layer_design *design)
{
	const struct ahead *ahead = &context->ahead;
	if (design->strategy != STRATEGY_FUSION_REUSE || !distribute_is_chip_reuse(context, design) ||
	    !mapper_serves_storage(context, design))
		return false;
	if (design->weight_ahead != AHEAD_NONE && ahead->own_bit == 0)
		return false;
	if (design->fetch_next != AHEAD_NONE && !ahead->next)
		return false;
	return !(design->weight_ahead == AHEAD_HALF && !can_halve(context, context->block)) &&
	       !(design->fetch_next == AHEAD_HALF && !can_halve(context, ahead->next));
}

/* Rows in whole words; a result that other layers have split may take some bytes more or less. */
static uint64_t stored_map_byte(const struct layer_context *context, uint64_t w, uint64_t h, uint64_t c)
{
	return align_up(w, 4) * h * c * (context->operand_bit / 8);
}

/* What lies in the storage QPEs all the time. */
static uint64_t stored_beside_byte(const struct layer_context *context, const struct layer_design *design)
{
	const struct block *block = context->block;
	uint64_t byte = 0, n_image = block_batch(block);
	if (design->in_storage)
		byte += stored_map_byte(context, block->in_w, (uint64_t)block->in_h * n_image, block->in_c);
	/* what a block adds to its own ifmap is one and the same */
	bool adds_ifmap = design->in_storage && block->input == INPUT_LATEST && block->added == INPUT_LATEST;
	if (design->add_storage && !adds_ifmap)
		byte += stored_map_byte(context, block->out_w, (uint64_t)block->out_h * n_image, block->out_c);
	if (design->held_storage)
		byte += context->ahead.held_pixel * (context->operand_bit / 8);
	return byte;
}

/* The most that lies there at once; result_byte: of its own result, 0 if that goes to DRAM. Own weights make room for
 * the result and the next block's when they are in the PEs, unless they are to be copied again. */
static uint64_t stored_byte(const struct layer_context *context, const struct layer_design *design,
                            uint64_t result_byte, bool is_filled_once)
{
	uint64_t own_byte =
	    ahead_weight_byte(context->block, context->machine, context->operand_bit, design->weight_ahead);
	uint64_t later_byte = add_sat(result_byte, context->next_byte[design->fetch_next]);
	uint64_t most_byte = own_byte > later_byte ? own_byte : later_byte;
	return add_sat(stored_beside_byte(context, design), is_filled_once ? most_byte : add_sat(own_byte, later_byte));
}

uint64_t mapper_storage_byte(const struct layer_context *context, const struct layer_design *design)
{
	struct tiling tiling;
	assert(context->block->kind == BLOCK_CONV);
	tiling_size(context, &design->split, &tiling);
	return stored_byte(context, design, design->out_storage ? stored_result_byte(context, tiling.row_word) : 0,
	                   true);
}

/* Whether a part of the filters begins within a group of MAC-array rows. */
static bool cuts_groups(const struct layer_context *context, const struct dim_split *filters)
{
	uint32_t rows = context->machine->mla_rows;
	return (filters->n_a + filters->n_b > 1 && filters->size_a % rows != 0) ||
	       (filters->n_b > 1 && filters->size_b % rows != 0);
}

/* Whether parts of filters are what was fetched: whole groups, and half of each share's, if it was half. */
static bool suits_ahead(const struct layer_context *context, const struct layer_design *design)
{
	const struct dim_split *filters = &design->split.c;
	if (context->ahead.own_bit != context->operand_bit || cuts_groups(context, filters))
		return false;
	if (design->weight_ahead == AHEAD_ALL)
		return true;
	return filters->n_b == 0 && filters->n_a % (2 * n_filter_share(context)) == 0 &&
	       filters->n_a <= context->hierarchy.n_pe;
}

/* Of a range of splits: all of them, as the tiling has the fewest parts. */
static bool cuts_rows(const struct block *block, const struct tiling *tiling, const struct dim_split *c)
{
	uint32_t row_c = block_row_c(block);
	if (block->kind != BLOCK_POOL)
		return false;
	if (tiling->n_c > 1 && row_c > 1 && row_c < block->out_c && !tiling->is_least &&
	    (c->size_a % row_c != 0 || (c->n_b > 0 && c->size_b % row_c != 0)))
		return true;
	return ((block->whole & WHOLE_W) && tiling->n_w > 1) ||
	       ((block->whole & WHOLE_H) && tiling->n_h > block_batch(block)) || tiling->n_c > block->out_c / row_c;
}

bool distribute_covers_groups(const struct layer_context *context, const struct layer_design *design)
{
	const struct block *block = context->block;
	if (block_n_group(block) == 1)
		return true;
	return dim_extent(&design->split.c) == mapper_split_whole(block, context->machine).c.size_a;
}

/* ---- the verdict ---- */

/*
 * A design that breaks several rules gets the first one's reason, in the order of the stages below: strategy, split,
 * places, bytes. The order is part of the result:
 *
 *  - A user is told what no other split could mend before what a smaller part would.
 *  - A search skips all designs that share the genes which a reason depends on (verdict_cut of dse/layer), so reasons
 *    that hold for most designs come first.
 *  - Each stage relies on those before it: bytes in the storage QPEs mean something only where the strategy uses them,
 *    and an assignment of a chip's PEs exists only for a design that reuses operands there.
 */
struct case_of {
	const struct layer_context *context;
	const struct layer_design *design;
	const struct tiling *tiling;
	uint64_t sram_byte;
	const struct strategy_info *strategy;
};

/* A chip's reuse of filters is missing, a QPE's is not; matrix multiplications in FORM_MATMUL have no reuse. */
static enum verdict_reason judge_strategy(const struct case_of *of)
{
	const struct layer_context *context = of->context;
	const struct block *block = context->block;
	bool is_source = of->design->strategy == STRATEGY_THESIS_REUSE;
	bool has_form =
	    context->is_tight || (context->is_packed && (context->form == FORM_PACKED || !of->strategy->reuses));
	if (of->strategy->is_systolic || (of->strategy->reuses && block->kind != BLOCK_CONV) ||
	    (is_source && block_n_group(block) > 1))
		return VERDICT_STRATEGY;
	if (is_source && block_batch(block) > 1)
		return VERDICT_BATCH;
	return context->form == FORM_CONV || has_form ? VERDICT_OK : VERDICT_FORM;
}

static enum verdict_reason judge_split(const struct case_of *of)
{
	if (cuts_rows(of->context->block, of->tiling, &of->design->split.c))
		return VERDICT_ROWS;
	if (of->strategy->reuses && of->tiling->n_d > 1)
		return VERDICT_INPUT_SPLIT;
	return VERDICT_OK;
}

static bool fetches_ahead(const struct layer_design *design)
{
	return design->weight_ahead != AHEAD_NONE || design->fetch_next != AHEAD_NONE;
}

/* What is kept where: the operand in the PEs, maps and weights in the storage QPEs. */
static enum verdict_reason judge_places(const struct case_of *of)
{
	const struct layer_context *context = of->context;
	const struct layer_design *design = of->design;
	bool stores = design->in_storage || design->out_storage || design->add_storage;
	if (of->strategy->reuses && design->reuse == REUSE_FILTER && context->machine->target == MACHINE_CHIP)
		return VERDICT_OPERAND;
	if (fetches_ahead(design) && !mapper_serves_ahead(context, design))
		return VERDICT_NO_STORAGE;
	return stores && !mapper_serves_storage(context, design) ? VERDICT_NO_STORAGE : VERDICT_OK;
}

static bool exceeds(uint64_t demanded, uint64_t available, struct verdict *verdict)
{
	verdict->demanded = demanded;
	verdict->available = available;
	return demanded > available;
}

/* Of a design with weights fetched ahead, what the others need not keep. */
static enum verdict_reason judge_ahead(const struct case_of *of, uint64_t result_byte, struct verdict *verdict)
{
	const struct chip_assignment assignment = distribute_chip_assign(of->context, of->tiling);
	bool is_least = of->tiling->is_least;
	bool is_filled_once = is_least || assignment.n_wave * assignment.n_filter_load == 1;
	uint64_t demanded = stored_byte(of->context, of->design, result_byte, is_filled_once);
	if (exceeds(demanded, of->context->hierarchy.storage_byte, verdict))
		return VERDICT_AHEAD_ROOM;
	verdict->demanded = verdict->available = 0;
	/* of a range of splits some may suit */
	bool suits = of->design->weight_ahead == AHEAD_NONE || is_least || suits_ahead(of->context, of->design);
	return suits ? VERDICT_OK : VERDICT_AHEAD_PARTS;
}

static enum verdict_reason judge_bytes(const struct case_of *of, struct verdict *verdict)
{
	const struct layer_context *context = of->context;
	uint64_t result_byte = of->design->out_storage ? stored_result_byte(context, of->tiling->row_word) : 0;
	if (exceeds(of->sram_byte, context->machine->pe_sram_byte, verdict))
		return VERDICT_SRAM;
	if (of->design->out_storage && exceeds(result_byte, context->hierarchy.storage_byte, verdict))
		return VERDICT_STORAGE;
	return fetches_ahead(of->design) ? judge_ahead(of, result_byte, verdict) : VERDICT_OK;
}

bool distribute_judge(const struct layer_context *context, const struct layer_design *design,
                      const struct tiling *tiling, uint64_t sram_byte, struct verdict *verdict)
{
	const struct case_of of = {context, design, tiling, sram_byte, &strategy_table[design->strategy]};
	/* first, for no other rule reads the right filters; the filters of a range's splits are not looked at */
	bool lacks_groups = !tiling->is_least && !distribute_covers_groups(context, design);
	enum verdict_reason reason = lacks_groups ? VERDICT_GROUPS : judge_strategy(&of);
	verdict->demanded = verdict->available = 0;
	if (reason == VERDICT_OK)
		reason = judge_split(&of);
	if (reason == VERDICT_OK)
		reason = judge_places(&of);
	if (reason == VERDICT_OK)
		reason = judge_bytes(&of, verdict);
	verdict->reason = reason;
	return reason == VERDICT_OK;
}
