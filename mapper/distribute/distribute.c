/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute.h"
#include "mapper/distribute/bound.h"
#include "mapper/distribute/tiling_systolic.h"
#include "sim/base/checked.h"
#include "sim/systolic/systolic_place.h"

const struct strategy_info strategy_table[N_STRATEGY] = {
    [STRATEGY_NO_FUSION] = {"no_fusion", "every operation reads from and writes to DRAM (thesis 4.3.1 i)", false, false,
                            true, false, SYSTOLIC_OS},
    [STRATEGY_FUSION] = {"fusion", "ARM operations stay in the PE, no reuse between PEs (thesis 4.3.1 ii)", true, false,
                         true, false, SYSTOLIC_OS},
    [STRATEGY_FUSION_REUSE] = {"fusion_reuse", "fusion, one operand kept and the other passed on; runs every task",
                               true, true, true, false, SYSTOLIC_OS},
    [STRATEGY_THESIS_REUSE] = {"thesis_reuse",
                               "fusion with reuse as the thesis simulator ran it, omissions included (validation only)",
                               true, true, false, false, SYSTOLIC_OS},
    [STRATEGY_OUTPUT_STATIONARY] = {"output_stationary", "systolic array whose PEs keep outputs", true, false, true,
                                    true, SYSTOLIC_OS},
    [STRATEGY_WEIGHT_STATIONARY] = {"weight_stationary", "systolic array whose PEs keep weights", true, false, true,
                                    true, SYSTOLIC_WS},
    [STRATEGY_INPUT_STATIONARY] = {"input_stationary", "systolic array whose PEs keep inputs", true, false, true, true,
                                   SYSTOLIC_IS},
};

bool strategy_serves(enum strategy strategy, const struct machine *machine)
{
	assert(strategy < N_STRATEGY);
	const struct strategy_info *info = &strategy_table[strategy];
	if (machine->target != MACHINE_SYSTOLIC)
		return !info->is_systolic;
	return info->is_systolic && systolic_can(machine, info->dataflow);
}

const char *const reuse_operand_name[N_REUSE_OPERAND] = {"auto", "ifmap", "filter"};

const struct verdict_info verdict_table[N_VERDICT] = {
    [VERDICT_OK] = {"feasible", "the design runs"},
    [VERDICT_SRAM] = {"pe_sram", "a task's operands and results exceed the PE's SRAM"},
    [VERDICT_STORAGE] = {"storage_qpe", "the result exceeds the storage QPEs"},
    [VERDICT_NO_STORAGE] = {"no_storage", "the strategy cannot read from or keep in storage QPEs"},
    [VERDICT_STRATEGY] = {"strategy", "the strategy does not serve this kind of operation"},
    [VERDICT_INPUT_SPLIT] = {"input_split", "the strategy cannot split the input channels of this operation"},
    [VERDICT_OPERAND] = {"reuse_operand", "the chip keeps ifmaps only"},
    [VERDICT_ROWS] = {"rows", "the split cuts rows that one PE needs whole (softmax, normalisation)"},
    [VERDICT_FORM] = {"form", "only 1x1 convolutions without padding and groups have other forms, on machines with an "
                              "MLA; matmul has no reuse"},
    [VERDICT_GROUPS] =
	{"groups", "the filters' parts are those of all groups; on target: systolic those of one, all groups alike"},
    [VERDICT_BATCH] = {"batch", "the strategy takes one image at a time: batch is 1 with thesis_reuse, and of "
                                "convolutions on target: systolic"},
    [VERDICT_AHEAD_ROOM] = {"ahead_room", "weights fetched ahead and all else there exceed the storage QPEs"},
    [VERDICT_AHEAD_PARTS] = {"ahead_parts", "weights fetched ahead have another operand width, or lie in groups of "
                                            "filters that the split cuts"},
    [VERDICT_DATAFLOW] = {"dataflow", "the systolic array cannot keep that operand in its PEs (systolic.dataflow)"},
    [VERDICT_WORD] = {"word", "operands are wider than the systolic array's words (systolic.word_byte)"},
    [VERDICT_IFMAP_BUFFER] = {"ifmap_buffer", "a tile of the ifmap exceeds half of its buffer"},
    [VERDICT_FILTER_BUFFER] = {"filter_buffer", "a tile of the filters exceeds half of its buffer"},
    [VERDICT_OFMAP_BUFFER] = {"ofmap_buffer", "a tile of the ofmap exceeds half of its buffer"},
    [VERDICT_SCALESIM] =
	{"scalesim", "SCALE-Sim's rules are for whole layers (systolic.memory_model) without dilation, reuse auto, "
                     "with up to 2^34 words that enter the array and 2^27 of an operand"},
    [VERDICT_CLOCKS] =
	{"clocks",
         "more clocks, words or DRAM bytes than can be counted exactly, 2^52, by itself or with the layers before it"},
    [VERDICT_TIER] = {"tier", "more tasks, tiles or clocks than the event tier simulates, or a memory slower than "
                              "SCALE-Sim's model knows"},
    [VERDICT_PROOF] = {"proof", "its numbers, or those of layers that it reads, find no memory: at most 2^30 in a map, "
                                "at most 2^30 weights; prove smaller ones (--layers)"},
    [VERDICT_DRAM] = {"dram", "configurations, constants and activations exceed the DRAM"},
};

struct split mapper_split_whole(const struct block *block, const struct machine *machine)
{
	return machine->target == MACHINE_SYSTOLIC ? split_whole_group(block) : split_whole(block);
}

void mapper_prepare(const struct block *block, const struct machine *machine, uint32_t operand_bit,
                    struct layer_context *context)
{
	mapper_prepare_form(block, machine, operand_bit, FORM_CONV, context);
}

void mapper_prepare_form(const struct block *block, const struct machine *machine, uint32_t operand_bit,
                         enum conv_form form, struct layer_context *context)
{
	assert(operand_bit == 8 || operand_bit == 16);
	*context = (struct layer_context){
	    .block = block, .machine = machine, .operand_bit = operand_bit, .partial_machine = *machine};
	context->form = form;
	context->is_packed = form != FORM_CONV && block_has_forms(block);
	context->partial_machine.mla_postprocess = false;
	if (block->kind == BLOCK_CONV && machine->target != MACHINE_SYSTOLIC) {
		mla_prepare_dilated(machine, block->kernel_w, block->kernel_h, block->dilation, operand_bit,
		                    &context->round);
		mla_prepare_channels(machine, &context->round, block_group_in_c(block), &context->channels);
		context->partial_round = context->round;
		if (machine->mla_postprocess)
			mla_prepare_dilated(&context->partial_machine, block->kernel_w, block->kernel_h,
			                    block->dilation, operand_bit, &context->partial_round);
	}
	hierarchy_derive(machine, &context->hierarchy);
}

void mapper_set_ahead(struct layer_context *context, const struct ahead *ahead)
{
	context->ahead = *ahead;
	for (int i = 0; i < AHEAD_N && ahead->next; i++)
		context->next_byte[i] =
		    ahead_weight_byte(ahead->next, context->machine, ahead->next_bit, (enum ahead_portion)i);
}

struct step *program_add_step(struct program *program, enum step_kind kind, enum phase phase)
{
	assert(program->n_step < PROGRAM_MAX_STEP);
	struct step *step = &program->step[program->n_step++];
	step->kind = kind;
	step->phase = phase;
	step->counts = (struct counts){0};
	/* only what this kind has: steps are most of what an evaluation writes */
	switch (kind) {
	case STEP_TRANSFER:
		/* all but the stages, of which n_stage count */
		step->u.transfer.dram_byte = step->u.transfer.item_packet = step->u.transfer.n_repeat = 0;
		step->u.transfer.n_stage = step->u.transfer.n_side = 0;
		step->u.transfer.stage_setup = SETUP_COPY;
		step->u.transfer.stage_setup_clk = step->u.transfer.setup_clk = 0;
		break;
	case STEP_COMPUTE:
		step->u.compute = (struct compute){0};
		break;
	case STEP_JOBS:
		step->u.jobs = (struct jobs){0};
		break;
	case STEP_ARM:
		step->u.arm = (struct arm_work){0};
		break;
	case STEP_SYSTOLIC:
		step->u.systolic = (struct systolic_work){0};
		break;
	}
	return step;
}

enum reuse_operand distribute_reuse_operand(const struct layer_design *design, const struct tiling *tiling)
{
	if (design->reuse != REUSE_AUTO)
		return design->reuse;
	/* equations 4.2 and 4.3: total transfer when the ifmap or the filters are loaded once */
	double map = (double)tiling->all_map_byte, filter = (double)tiling->all_filter_byte;
	double keep_map = map + filter * (double)ceil_div(tiling->n_map, 4);
	double keep_filter = filter + map * (double)ceil_div(tiling->n_meet, 4);
	return keep_map <= keep_filter ? REUSE_IFMAP : REUSE_FILTER;
}

bool distribute_is_chip_reuse(const struct layer_context *context, const struct layer_design *design)
{
	return context->machine->target == MACHINE_CHIP && strategy_table[design->strategy].reuses &&
	       context->block->kind == BLOCK_CONV;
}

/* The array reads whole aligned rows (thesis equation 2.5); the ARM core, which pools, reads bytes and needs no
 * alignment. */
static uint64_t held_map_byte(const struct layer_context *context, const struct tiling *tiling)
{
	assert(tiling->map_byte <= tiling->map_aligned_byte);
	return context->block->kind == BLOCK_POOL ? tiling->map_byte : tiling->map_aligned_byte;
}

/* n_filter: buffers for filters; a second one takes the next filters while this one's are in use. */
static uint64_t tiling_sram_byte(const struct layer_context *context, const struct layer_design *design,
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
		return systolic_demand_byte(context, design);
	tiling_size(context, &design->split, &tiling);
	if (!distribute_is_chip_reuse(context, design))
		return tiling_sram_byte(context, design, &tiling, 1);
	struct chip_assignment assignment = distribute_chip_assign(context, &tiling);
	return tiling_sram_byte(context, design, &tiling, distribute_chip_migrates(&assignment) ? 2 : 1);
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
		return systolic_least_byte(context, design);
	tiling_size(context, &design->split, &tiling);
	return add_sat(add_sat(held_map_byte(context, &tiling), tiling.filter_byte), tiling.result_byte);
}

bool mapper_tiles_may_fit(const struct layer_context *context, const struct layer_design *design)
{
	return context->machine->target != MACHINE_SYSTOLIC || systolic_may_fit(context, &design->split);
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

/* Of a design with weights fetched ahead, what the others need not keep. */
static enum verdict_reason judge_ahead(const struct layer_context *context, const struct layer_design *design,
                                       const struct tiling *tiling, struct verdict *verdict)
{
	const struct chip_assignment assignment = distribute_chip_assign(context, tiling);
	verdict->available = context->hierarchy.storage_byte;
	verdict->demanded =
	    stored_byte(context, design, design->out_storage ? stored_result_byte(context, tiling->row_word) : 0,
	                tiling->is_least || assignment.n_wave * assignment.n_filter_load == 1);
	if (verdict->demanded > verdict->available)
		return VERDICT_AHEAD_ROOM;
	verdict->demanded = verdict->available = 0;
	/* of a range of splits some may suit */
	bool suits = design->weight_ahead == AHEAD_NONE || tiling->is_least || suits_ahead(context, design);
	return suits ? VERDICT_OK : VERDICT_AHEAD_PARTS;
}

/* Of a range of splits: all of them, as the tiling has the fewest parts. */
static bool cuts_rows(const struct block *block, const struct tiling *tiling)
{
	if (block->kind != BLOCK_POOL)
		return false;
	return ((block->whole & WHOLE_W) && tiling->n_w > 1) ||
	       ((block->whole & WHOLE_H) && tiling->n_h > block_batch(block)) ||
	       ((block->whole & WHOLE_C) && tiling->n_c > 1);
}

/* Whether a split's filters are those of all groups, or for a systolic array of one. */
static bool covers_groups(const struct layer_context *context, const struct layer_design *design)
{
	const struct block *block = context->block;
	if (block_n_group(block) == 1)
		return true;
	return dim_extent(&design->split.c) == mapper_split_whole(block, context->machine).c.size_a;
}

/* sram_byte: what the fullest PE needs. */
static enum verdict_reason judge(const struct layer_context *context, const struct layer_design *design,
                                 const struct tiling *tiling, uint64_t sram_byte, struct verdict *verdict)
{
	const struct strategy_info *strategy = &strategy_table[design->strategy];
	enum block_kind kind = context->block->kind;
	verdict->demanded = verdict->available = 0;
	/* of a range of splits it is not looked at */
	if (!tiling->is_least && !covers_groups(context, design))
		return VERDICT_GROUPS;
	bool is_grouped = block_n_group(context->block) > 1;
	if (strategy->is_systolic || (strategy->reuses && kind != BLOCK_CONV) ||
	    (design->strategy == STRATEGY_THESIS_REUSE && is_grouped))
		return VERDICT_STRATEGY;
	if (design->strategy == STRATEGY_THESIS_REUSE && block_batch(context->block) > 1)
		return VERDICT_BATCH;
	if (context->form != FORM_CONV && !(context->is_packed && (context->form == FORM_PACKED || !strategy->reuses)))
		return VERDICT_FORM;
	if (cuts_rows(context->block, tiling))
		return VERDICT_ROWS;
	if (strategy->reuses && tiling->n_d > 1)
		return VERDICT_INPUT_SPLIT;
	if (strategy->reuses && design->reuse == REUSE_FILTER && context->machine->target == MACHINE_CHIP)
		return VERDICT_OPERAND;
	bool ahead = design->weight_ahead != AHEAD_NONE || design->fetch_next != AHEAD_NONE;
	if (ahead && !mapper_serves_ahead(context, design))
		return VERDICT_NO_STORAGE;
	bool stores = design->in_storage || design->out_storage || design->add_storage;
	if (stores && !mapper_serves_storage(context, design))
		return VERDICT_NO_STORAGE;
	verdict->available = context->machine->pe_sram_byte;
	verdict->demanded = sram_byte;
	if (verdict->demanded > verdict->available)
		return VERDICT_SRAM;
	if (design->out_storage) {
		verdict->available = context->hierarchy.storage_byte;
		verdict->demanded = stored_result_byte(context, tiling->row_word);
		if (verdict->demanded > verdict->available)
			return VERDICT_STORAGE;
	}
	return ahead ? judge_ahead(context, design, tiling, verdict) : VERDICT_OK;
}

bool mapper_judge_run(const struct sim_result *result, struct verdict *verdict)
{
	if (result_is_counted(result))
		return true;
	*verdict = (struct verdict){VERDICT_CLOCKS, 0, 0};
	return false;
}

bool mapper_distribute(const struct layer_context *context, const struct layer_design *design, struct program *program,
                       struct verdict *verdict)
{
	struct tiling tiling;
	tiling_size(context, &design->split, &tiling);
	return mapper_distribute_tiled(context, design, &tiling, program, verdict);
}

bool mapper_distribute_tiled(const struct layer_context *context, const struct layer_design *design,
                             struct tiling *tiling, struct program *program, struct verdict *verdict)
{
	assert(design->operand_bit == context->operand_bit && design->strategy < N_STRATEGY);
	assert(design->form == context->form);
	if (context->machine->target == MACHINE_SYSTOLIC) {
		if (!systolic_serves(context, design, verdict))
			return false;
		verdict->reason = covers_groups(context, design) ? VERDICT_OK : VERDICT_GROUPS;
		return verdict->reason == VERDICT_OK && distribute_systolic(context, design, program, verdict);
	}
	struct chip_assignment assignment;
	bool chip_reuse = distribute_is_chip_reuse(context, design);
	uint64_t n_filter = 1;
	if (chip_reuse) {
		assignment = distribute_chip_assign(context, tiling);
		n_filter = distribute_chip_migrates(&assignment) ? 2 : 1;
	}
	uint64_t sram_byte = tiling_sram_byte(context, design, tiling, n_filter);
	verdict->reason = judge(context, design, tiling, sram_byte, verdict);
	if (verdict->reason != VERDICT_OK)
		return false;

	if (!tiling->is_summed)
		tiling_sum(context, &design->split, tiling);
	tiling_time(context, tiling);
	program->n_step = 0;
	program->sram_byte = sram_byte;
	program->fetch.dram_byte = 0;
	if (context->block->kind == BLOCK_POOL)
		distribute_pool(context, design, tiling, program);
	else if (chip_reuse)
		distribute_chip_reuse(context, design, tiling, &assignment, program);
	else if (strategy_table[design->strategy].reuses && distribute_is_own(context, tiling)) {
		assignment = distribute_own_assign(context, tiling);
		distribute_own(context, design, tiling, &assignment, program);
	} else if (strategy_table[design->strategy].reuses)
		distribute_qpe_reuse(context, design, tiling, program);
	else
		distribute_jobs(context, design, tiling, program);
	assert(program->n_step > 0);
	return true;
}

/*
 * A single tiling in a given order is its own program, which only gets faster with larger buffers; of two orders that
 * with fewer words may be the slower one.
 */
static bool bound_systolic_range(const struct layer_context *context, const struct layer_design *design,
                                 const struct split_range *range, bool with_program, struct range_bound *bound,
                                 struct verdict *verdict)
{
	bound->has_program = with_program && design->reuse != REUSE_AUTO && range->w.split && range->h.split &&
	                     range->c.split && range->d.split;
	bound->program.sram_byte = 0;
	if (!systolic_serves(context, design, verdict))
		return false;
	if (bound->has_program) {
		struct layer_design own = *design;
		own.split = (struct split){*range->w.split, *range->h.split, *range->c.split, *range->d.split};
		return distribute_systolic(context, &own, &bound->program, verdict);
	}
	return systolic_bound(context, design, range, &bound->work, &bound->program.sram_byte, verdict);
}

/*
 * The one step of a program whose form depends on the split beyond sums and
 * largest parts is that of a QPE with reuse, which takes either operand, too.
 */
static bool has_least_program(const struct layer_context *context, const struct layer_design *design,
                              const struct split_range *range)
{
	const struct dim_range *const dim[] = {&range->w, &range->h, &range->c, &range->d};
	for (size_t i = 0; i < sizeof(dim) / sizeof(dim[0]); i++)
		if (dim[i]->n_least != dim[i]->n_most)
			return false;
	return !strategy_table[design->strategy].reuses || distribute_is_chip_reuse(context, design);
}

bool mapper_bound_range(const struct layer_context *context, const struct layer_design *design,
                        const struct split_range *range, bool with_program, struct range_bound *bound,
                        struct verdict *verdict)
{
	struct tiling tiling;
	if (context->machine->target == MACHINE_SYSTOLIC)
		return bound_systolic_range(context, design, range, with_program, bound, verdict);
	tiling_least(context, range, &tiling);
	bound->has_program = with_program && has_least_program(context, design, range);
	if (bound->has_program)
		return mapper_distribute_tiled(context, design, &tiling, &bound->program, verdict);
	bound->program.sram_byte = tiling_sram_byte(context, design, &tiling, 1);
	verdict->reason = judge(context, design, &tiling, bound->program.sram_byte, verdict);
	if (verdict->reason != VERDICT_OK)
		return false;
	mapper_bound_least(context, design, &tiling, &bound->work);
	bound->work.busiest = (struct busiest_work){0};
	if (with_program && design->strategy == STRATEGY_FUSION_REUSE && distribute_is_chip_reuse(context, design))
		distribute_chip_busiest(context, design, range, &tiling, &bound->work.busiest);
	return true;
}
