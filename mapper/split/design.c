/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/design.h"
#include <assert.h>

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
	context->is_packed = (form == FORM_PACKED || form == FORM_MATMUL) && block_has_forms(block);
	context->is_tight = form == FORM_TIGHT && block_skips_pixels(block);
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
	if (machine->target != MACHINE_SYSTOLIC && (block->kind == BLOCK_MATMUL || form == FORM_MATMUL)) {
		mla_prepare_matmul(machine, TILING_A_SHIFT, operand_bit, &context->matmul);
		mla_prepare_matmul(&context->partial_machine, TILING_A_SHIFT, operand_bit, &context->partial_matmul);
	}
	hierarchy_derive(machine, &context->hierarchy);
	if (machine->target != MACHINE_SYSTOLIC) {
		queue_place_derive(machine, &context->queue_place);
		noc_ways_derive(machine, &context->noc_ways);
	}
	transit_mesh_derive(machine, &context->mesh);
}

bool mapper_kernels_serve(const struct layer_context *one, const struct layer_context *other)
{
	bool serves = true;
	if (one->machine->target == MACHINE_SYSTOLIC)
		return true;
	if (one->block->kind == BLOCK_CONV)
		serves = mla_round_serves(&one->round, &other->round) &&
		         mla_round_serves(&one->partial_round, &other->partial_round);
	if (one->block->kind == BLOCK_MATMUL || one->form == FORM_MATMUL)
		serves &= mla_matmul_serves(&one->matmul, &other->matmul) &&
		          mla_matmul_serves(&one->partial_matmul, &other->partial_matmul);
	return serves;
}

void mapper_set_ahead(struct layer_context *context, const struct ahead *ahead)
{
	context->ahead = *ahead;
	for (int i = 0; i < AHEAD_N && ahead->next; i++)
		context->next_byte[i] =
		    ahead_weight_byte(ahead->next, context->machine, ahead->next_bit, (enum ahead_portion)i);
}
