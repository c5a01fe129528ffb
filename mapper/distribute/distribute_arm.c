/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/distribute/distribute_parts.h"
#include "sim/base/checked.h"

/*
 * ARM operations of a block in their order: padding before the core operation;
 * then partial sums, shortcut addition, activation, quantisation, pooling
 * (thesis section 4.1 and table 5.9). Clocks are the busiest PE's.
 */

#define RESULT_BYTE 4.0

struct arm_operation {
	enum phase phase;
	double clk;                   /* of the busiest PE */
	double all_clk;               /* of all PEs */
	double read_byte, write_byte; /* all PEs, when operands lie in DRAM */
	double word;                  /* SRAM words read and written, all PEs */
};

static void add_operation(const struct layer_context *context, const struct arm_operation *operation,
                          struct program *program)
{
	if (operation->clk <= 0 && operation->read_byte <= 0)
		return;
	struct step *step = distribute_add_step(program, STEP_ARM, operation->phase);
	step->u.arm.clk = operation->clk;
	step->u.arm.dram_byte = (operation->read_byte + operation->write_byte) / context->machine->dram_n;
	step->counts.arm_clk = operation->all_clk;
	step->counts.sram_read_word = operation->word + operation->write_byte / 4;
	step->counts.sram_write_word = operation->word + operation->read_byte / 4;
	step->counts.dram_read_byte = operation->read_byte;
	step->counts.dram_write_byte = operation->write_byte;
	step->counts.noc_packet = (operation->read_byte + operation->write_byte) / context->machine->noc_packet_byte *
	                          context->noc_ways.all.dram;
}

static void add_padding(const struct layer_context *context, const struct tiling *tiling, const struct arm_share *share,
                        struct program *program)
{
	double word_clk = context->machine->arm_padd_word_clk;
	double aligned_byte = (double)tiling->map_aligned_byte;
	double all_byte = (double)tiling->all_map_aligned_byte * share->n_pad;
	struct arm_operation padd = {
	    .phase = PHASE_PADD,
	    .clk = word_clk * aligned_byte / 4 * share->n_map,
	    .all_clk = word_clk * all_byte / 4,
	    .word = all_byte / 4,
	};
	if (!share->in_pe) {
		padd.read_byte = (double)tiling->all_map_byte;
		padd.write_byte = all_byte;
	}
	add_operation(context, &padd, program);
}

/* What a stride skips is taken out of packed parts as they arrive: 8-bit pixels one by one. */
static void add_gathering(const struct layer_context *context, const struct tiling *tiling,
                          const struct arm_share *share, struct program *program)
{
	double pixel_clk = context->machine->arm_gather_pixel_clk;
	double n_all = (double)context->block->out_w * context->block->out_h * context->block->in_c *
	               block_batch(context->block) * share->n_pad;
	struct arm_operation gathering = {
	    .phase = PHASE_PADD,
	    .clk = pixel_clk * tiling->in_w * tiling->in_c * share->n_map,
	    .all_clk = pixel_clk * n_all,
	    .word = n_all,
	};
	add_operation(context, &gathering, program);
}

/* An operation over every result pixel: pixel_clk each, byte_in read and byte_out written a pixel when not in the PE.
 */
static struct arm_operation pixel_operation(const struct tiling *tiling, const struct arm_share *share,
                                            enum phase phase, double pixel_clk, double byte_in, double byte_out)
{
	double n_all = (double)tiling->n_out_pixel;
	double n_busiest = (double)tiling->out_w * tiling->out_h * tiling->out_c * share->n_result;
	return (struct arm_operation){
	    .phase = phase,
	    .clk = pixel_clk * n_busiest,
	    .all_clk = pixel_clk * n_all,
	    .read_byte = share->in_pe ? 0 : n_all * byte_in,
	    .write_byte = share->in_pe ? 0 : n_all * byte_out,
	    .word = n_all,
	};
}

static void add_partial_sums(const struct layer_context *context, const struct tiling *tiling,
                             const struct arm_share *share, struct program *program)
{
	struct arm_operation sum = pixel_operation(tiling, share, PHASE_FCE, context->machine->arm_add_pixel_clk,
	                                           2 * RESULT_BYTE, RESULT_BYTE);
	sum.clk *= share->n_partial;
	sum.all_clk *= tiling->n_d - 1;
	sum.read_byte *= tiling->n_d - 1;
	sum.write_byte *= tiling->n_d - 1;
	sum.word *= tiling->n_d - 1;
	add_operation(context, &sum, program);
}

/* What a shortcut adds comes from DRAM or from the storage QPEs; on the thesis simulator it is in the PE already. */
static void add_shortcut(const struct layer_context *context, const struct layer_design *design,
                         const struct tiling *tiling, const struct arm_share *share, struct program *program)
{
	double operand_byte = context->operand_bit / 8.0;
	struct arm_operation add = pixel_operation(tiling, share, PHASE_MAT_ELE, context->machine->arm_add_pixel_clk,
	                                           2 * RESULT_BYTE, RESULT_BYTE);
	if (share->in_pe && !share->source && !design->add_storage)
		add.read_byte = (double)tiling->n_out_pixel * operand_byte;
	add_operation(context, &add, program);
}

static void add_activation(const struct layer_context *context, const struct tiling *tiling,
                           const struct arm_share *share, struct program *program)
{
	const struct machine *machine = context->machine;
	double operand_byte = context->operand_bit / 8.0;
	/*
	 * The output stage quantises and rectifies as results leave the array, but not partial sums; after a shortcut
	 * only the ARM can rectify.
	 */
	bool narrow = machine->mla_postprocess && tiling->n_d == 1;
	if (narrow && !context->block->has_mat_ele)
		return;
	double byte = narrow ? operand_byte : RESULT_BYTE;
	if (context->block->has_acti) {
		double clk = narrow ? machine->arm_relu8_pixel_clk : machine->arm_relu32_pixel_clk;
		struct arm_operation acti = pixel_operation(tiling, share, PHASE_ACTI, clk, byte, byte);
		add_operation(context, &acti, program);
	}
	if (context->block->has_quan && !narrow) {
		struct arm_operation quan =
		    pixel_operation(tiling, share, PHASE_QUAN, machine->arm_quan_pixel_clk, RESULT_BYTE, operand_byte);
		add_operation(context, &quan, program);
	}
}

void distribute_arm(const struct layer_context *context, const struct layer_design *design, const struct tiling *tiling,
                    const struct arm_share *share, struct program *program)
{
	const struct block *block = context->block;
	double operand_byte = context->operand_bit / 8.0;
	if (block->has_padd)
		add_padding(context, tiling, share, program);
	if (context->is_packed && block->stride > 1)
		add_gathering(context, tiling, share, program);
	if (tiling->n_d > 1)
		add_partial_sums(context, tiling, share, program);
	if (block->has_mat_ele)
		add_shortcut(context, design, tiling, share, program);
	add_activation(context, tiling, share, program);
	if (block->pool > 1) {
		double pool_area = (double)block->pool * block->pool;
		const struct machine *machine = context->machine;
		double pixel_clk = block->pool_average ? machine->arm_average_pixel_clk : machine->arm_pool8_pixel_clk;
		struct arm_operation pool =
		    pixel_operation(tiling, share, PHASE_POOL, pixel_clk, operand_byte, operand_byte / pool_area);
		add_operation(context, &pool, program);
	}
}

enum phase distribute_arm_phase(const struct block *block)
{
	static const enum phase phase[N_ARM_KIND] = {
	    [ARM_POOL] = PHASE_POOL,     [ARM_ADD] = PHASE_MAT_ELE,     [ARM_MULTIPLY] = PHASE_MUL,
	    [ARM_FUNCTION] = PHASE_FUNC, [ARM_SOFTMAX] = PHASE_SOFTMAX, [ARM_NORM] = PHASE_NORM,
	};
	assert(block->arm < N_ARM_KIND);
	return phase[block->arm];
}

double distribute_arm_pixel_clk(const struct machine *machine, const struct block *block)
{
	assert(block->kind == BLOCK_POOL);
	switch (block->arm) {
	case ARM_ADD:
		return machine->arm_add_pixel_clk;
	case ARM_MULTIPLY:
		return machine->arm_multiply_pixel_clk;
	case ARM_FUNCTION:
		return machine->arm_function_pixel_clk;
	case ARM_SOFTMAX:
		return machine->arm_softmax_pixel_clk + machine->arm_exp_pixel_clk;
	case ARM_NORM:
		return machine->arm_norm_pixel_clk;
	default:
		assert(block->arm == ARM_POOL);
	}
	if (!block->pool_average)
		return machine->arm_pool8_pixel_clk;
	return machine->arm_average_pixel_clk +
	       machine->arm_average_read_clk * (double)block->kernel_w * (double)block->kernel_h;
}

void distribute_pool(const struct layer_context *context, const struct layer_design *design,
                     const struct tiling *tiling, struct program *program)
{
	const struct machine *machine = context->machine;
	uint64_t n_pe = machine_n_pe(machine);
	/* all PEs take parts in turn; every part is worked on as it stands, one clock count an output pixel (thesis
	 * section 4.3.2, of pooling) */
	double n_busiest = (double)ceil_div(tiling->n_task, n_pe);
	bool fused = strategy_table[design->strategy].fused;
	struct arm_share share = {.n_result = n_busiest, .n_map = n_busiest, .n_pad = 1, .in_pe = fused};
	struct step *step = distribute_add_step(program, STEP_TRANSFER, PHASE_INPUT);
	uint64_t n_channel_load = tiling->all_map_byte, n_store = tiling->all_out_byte;
	step->u.transfer.dram_byte = (double)(n_channel_load + n_store) / machine->dram_n;
	step->u.transfer.setup_clk = machine->dram_load_setup_clk;
	step->u.transfer.n_repeat = 1;
	step->counts.dram_read_byte = (double)n_channel_load;
	step->counts.dram_write_byte = (double)n_store;
	step->counts.sram_write_word = (double)n_channel_load / 4;
	step->counts.sram_read_word = (double)n_store / 4;
	const struct noc_way *way = noc_ways_of(&context->noc_ways, ceil_div(tiling->n_task, machine->dram_n));
	step->counts.noc_packet = (double)(n_channel_load + n_store) / machine->noc_packet_byte * way->dram +
	                          2 * (double)tiling->n_task * (way->tell + way->agent);
	if (context->block->has_padd)
		add_padding(context, tiling, &share, program);
	share.in_pe = true;
	struct arm_operation work = pixel_operation(tiling, &share, distribute_arm_phase(context->block),
	                                            distribute_arm_pixel_clk(machine, context->block), 0, 0);
	add_operation(context, &work, program);
}
