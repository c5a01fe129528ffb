/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/design/plan_print.h"
#include "dse/space/detail.h"
#include "dse/spread/layer_plan.h"
#include "sim/program/mixed.h"

void plan_print(FILE *file, const struct machine *machine, const struct block *block, const struct layer_design *design,
                bool *is_first)
{
	struct layer_context context;
	char text[LAYER_PLAN_TEXT_SIZE];
	if (!mixed_has_pairs(machine) || !mixed_is(&machine->level[design->level]))
		return;
	mapper_prepare_form(block, machine, design->operand_bit, design->form, &context);
	detail_plan_text(&context, design, text);
	if (text[0] == '\0')
		return;
	if (*is_first)
		(void)fprintf(file, "\nPEs x tasks of each between two barriers, by level; loads and ARM work at the "
		                    "faster one\n");
	*is_first = false;
	(void)fprintf(file, "%s: %s\n", block->name, text);
}
