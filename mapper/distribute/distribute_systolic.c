/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Systolic arrays: a split's parts are tiles, a strategy is what the array's PEs keep, and the operand kept is whose
 * tile stays in its buffer while the other's go by.
 *
 * What leaves the array passes a vector unit: activation, quantisation and fused pooling cost neither time nor
 * energy. Pooling on its own reads its maps and writes its results once, and an addition reads what is added once:
 * both take the time of the memory interface, and the unit keeps up with it.
 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/systolic/systolic_model.h"
#include "sim/systolic/systolic_tile.h"
#include "sim/systolic/systolic_scalesim.h"
#include "sim/systolic/systolic_place.h"

bool distribute_systolic_serves(const struct layer_context *context, const struct layer_design *design,
                                struct verdict *verdict)
{
	const struct strategy_info *strategy = &strategy_table[design->strategy];
	const struct machine *machine = context->machine;
	assert(machine->target == MACHINE_SYSTOLIC);
	*verdict = (struct verdict){VERDICT_OK, 0, 0};
	if (!strategy->is_systolic)
		verdict->reason = VERDICT_STRATEGY;
	else if (context->block->kind == BLOCK_CONV && block_batch(context->block) > 1)
		verdict->reason = VERDICT_BATCH;
	else if (context->form != FORM_CONV)
		verdict->reason = VERDICT_FORM;
	else if (design->in_storage || design->out_storage || design->add_storage ||
	         design->weight_ahead != AHEAD_NONE || design->fetch_next != AHEAD_NONE)
		verdict->reason = VERDICT_NO_STORAGE;
	else if (!systolic_can(machine, strategy->dataflow))
		verdict->reason = VERDICT_DATAFLOW;
	else if (context->operand_bit > 8 * machine->systolic.word_byte)
		verdict->reason = VERDICT_WORD;
	return verdict->reason == VERDICT_OK;
}

static struct systolic_dim dim_of(const struct dim_split *dim)
{
	return (struct systolic_dim){dim->size_a, dim->n_a, dim->size_b, dim->n_b};
}

/* All but the order of the tiles and what buffers keep. Pixels of a matrix multiplication are rows of A, filters are
 * columns of B. */
static void shape_of(const struct layer_context *context, const struct layer_design *design, struct systolic_work *work)
{
	const struct block *block = context->block;
	const struct split *split = &design->split;
	assert(block->kind != BLOCK_POOL);
	*work = (struct systolic_work){.dataflow = strategy_table[design->strategy].dataflow,
	                               .n_group = block_n_group(block),
	                               .stride = block->stride,
	                               .h = dim_of(&split->h),
	                               .d = dim_of(&split->d)};
	if (block->kind == BLOCK_MATMUL) {
		work->in_w = work->kernel_w = work->kernel_h = 1;
		work->in_h = block->in_h;
		work->w = (struct systolic_dim){1, 1, 0, 0};
		work->c = dim_of(&split->w);
	} else {
		work->in_w = block_padded_w(block);
		work->in_h = block_padded_h(block);
		work->kernel_w = block->kernel_w;
		work->kernel_h = block->kernel_h;
		work->dilation = block->dilation;
		work->w = dim_of(&split->w);
		work->c = dim_of(&split->c);
		work->pool = block->pool;
	}
}

struct verdict distribute_systolic_misfit(const struct systolic_misfit *misfit)
{
	static const enum verdict_reason reason[] = {[SYSTOLIC_IFMAP] = VERDICT_IFMAP_BUFFER,
	                                             [SYSTOLIC_FILTER] = VERDICT_FILTER_BUFFER,
	                                             [SYSTOLIC_OFMAP] = VERDICT_OFMAP_BUFFER};
	return (struct verdict){reason[misfit->operand], misfit->demanded_byte, misfit->available_byte};
}

static uint64_t moved_word(const struct machine *machine, const struct systolic_work *work)
{
	struct systolic_result words;
	systolic_words(machine, work, &words);
	return words.dram_ifmap_read_word + words.dram_filter_read_word;
}

/* Of the two orders the one that moves fewer words; of equals the ifmap's tile stays. */
static bool choose_order(const struct machine *machine, enum reuse_operand reuse, struct systolic_work *work,
                         struct systolic_misfit *misfit)
{
	work->filter_outside = reuse == REUSE_FILTER;
	bool fits = systolic_place(machine, work, misfit);
	bool one_tile = systolic_dim_n(&work->c) == 1 && systolic_dim_n(&work->w) == 1 && systolic_dim_n(&work->h) == 1;
	if (reuse != REUSE_AUTO || one_tile)
		return fits;
	struct systolic_work other = *work;
	struct systolic_misfit ignored;
	other.filter_outside = true;
	if (!systolic_place(machine, &other, &ignored))
		return fits;
	if (!fits || moved_word(machine, &other) < moved_word(machine, work))
		*work = other;
	return true;
}

bool distribute_systolic_work(const struct layer_context *context, const struct layer_design *design,
                              struct systolic_work *work, struct verdict *verdict)
{
	struct systolic_misfit misfit;
	shape_of(context, design, work);
	if (!systolic_is_valid(context->machine, work)) {
		*verdict = (struct verdict){VERDICT_CLOCKS, 0, 0};
		return false;
	}
	if (context->machine->systolic.memory != SYSTOLIC_PHYSICAL) {
		work->ifmap_once = work->ifmap_unique = work->filter_once = true;
		if (design->reuse == REUSE_AUTO && systolic_scalesim_serves(context->machine, work))
			return true;
		*verdict = (struct verdict){VERDICT_SCALESIM, 0, 0};
		return false;
	}
	if (!choose_order(context->machine, design->reuse, work, &misfit)) {
		*verdict = distribute_systolic_misfit(&misfit);
		return false;
	}
	return true;
}

/* What goes over the memory interface and through the vector unit. */
static void add_stream(const struct machine *machine, enum phase phase, double load_word, double store_word,
                       struct program *program)
{
	struct step *step = distribute_add_step(program, STEP_ARM, phase);
	double word_byte = machine->systolic.word_byte;
	step->counts.dram_read_byte = load_word * word_byte;
	step->counts.dram_write_byte = store_word * word_byte;
	step->u.arm.dram_byte = (load_word + store_word) * word_byte;
}

void distribute_systolic_streams(const struct layer_context *context, struct program *program)
{
	const struct block *block = context->block;
	double n_image = block_batch(block), out_word = (double)block->out_w * block->out_h * block->out_c * n_image;
	if (block->kind == BLOCK_POOL) {
		double in_word = (double)block->in_w * block->in_h * block->in_c * n_image;
		if (block->operand != OPERAND_NONE)
			in_word += block->operand == OPERAND_MAP ? in_word : block->in_c * n_image;
		add_stream(context->machine, distribute_arm_phase(block), in_word, out_word, program);
	} else if (block->has_mat_ele) {
		add_stream(context->machine, PHASE_MAT_ELE, out_word, 0, program);
	}
}

bool distribute_systolic(const struct layer_context *context, const struct layer_design *design,
                         struct program *program, struct verdict *verdict)
{
	program->n_step = 0;
	program->sram_byte = 0;
	program->fetch.dram_byte = 0;
	program->n_task = program->n_pe = 0;
	*verdict = (struct verdict){VERDICT_OK, 0, 0};
	if (context->block->kind != BLOCK_POOL) {
		struct systolic_work work;
		if (!distribute_systolic_work(context, design, &work, verdict))
			return false;
		struct step *step = distribute_add_step(program, STEP_SYSTOLIC, PHASE_COMPUTATION);
		step->u.systolic = work;
		systolic_counts(context->machine, &work, &step->counts);
		program->sram_byte = systolic_sram_byte(context->machine, &work);
	}
	distribute_systolic_streams(context, program);
	assert(program->n_step > 0);
	return true;
}

/* ---- the least that tiles ask for ---- */

static uint64_t tile_lines(uint32_t size, uint32_t extent, uint32_t kernel, uint32_t stride, uint32_t in)
{
	return systolic_lines(size, kernel, stride) -
	       (size < extent ? 0 : systolic_lines_past(size, kernel, stride, in));
}

/* Words of the largest tiles, before anything is kept for longer. */
static void tile_words(const struct layer_context *context, const struct split *split, uint64_t word[3])
{
	const struct block *block = context->block;
	uint64_t kernel = (uint64_t)block->kernel_w * block->kernel_h, deep = split->d.size_a;
	if (block->kind == BLOCK_MATMUL) {
		word[SYSTOLIC_IFMAP] = split->h.size_a * deep;
		word[SYSTOLIC_FILTER] = split->w.size_a * deep;
		word[SYSTOLIC_OFMAP] = (uint64_t)split->h.size_a * split->w.size_a;
		return;
	}
	word[SYSTOLIC_IFMAP] =
	    tile_lines(split->w.size_a, block->out_w, block_reach_w(block), block->stride, block_padded_w(block)) *
	    tile_lines(split->h.size_a, block->out_h, block_reach_h(block), block->stride, block_padded_h(block)) *
	    deep;
	word[SYSTOLIC_FILTER] = kernel * split->c.size_a * deep;
	word[SYSTOLIC_OFMAP] = (uint64_t)split->w.size_a * split->h.size_a * split->c.size_a;
}

uint64_t distribute_systolic_sram_byte(const struct layer_context *context, const struct layer_design *design)
{
	struct systolic_work work;
	struct verdict verdict;
	if (context->block->kind == BLOCK_POOL)
		return 0;
	return distribute_systolic_work(context, design, &work, &verdict) ? systolic_sram_byte(context->machine, &work)
	                                                                  : UINT64_MAX;
}

uint64_t distribute_systolic_least_byte(const struct layer_context *context, const struct layer_design *design)
{
	uint64_t word[3], n_half = block_n_group(context->block) > 1 ? 2 : 1;
	if (context->block->kind == BLOCK_POOL || context->machine->systolic.memory != SYSTOLIC_PHYSICAL)
		return 0; /* SCALE-Sim's buffers take part of whatever it is */
	tile_words(context, &design->split, word);
	return (word[0] + word[1] + word[2]) * n_half * context->machine->systolic.word_byte;
}

bool distribute_systolic_may_fit(const struct layer_context *context, const struct split *split)
{
	const struct machine *machine = context->machine;
	const uint64_t byte[] = {[SYSTOLIC_IFMAP] = machine->systolic.ifmap_byte,
	                         [SYSTOLIC_FILTER] = machine->systolic.filter_byte,
	                         [SYSTOLIC_OFMAP] = machine->systolic.ofmap_byte};
	uint64_t word[3];
	if (context->block->kind == BLOCK_POOL || machine->systolic.memory != SYSTOLIC_PHYSICAL)
		return true;
	tile_words(context, split, word);
	for (int i = 0; i < 3; i++)
		if (word[i] > byte[i] / machine->systolic.word_byte)
			return false;
	return true;
}
