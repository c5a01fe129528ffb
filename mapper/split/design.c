/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/split/design.h"
#include "sim/systolic/systolic_model.h"
#include <assert.h>

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
