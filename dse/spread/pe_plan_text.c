/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/spread/pe_plan.h"
#include <stdio.h>

void pe_plan_print(const struct machine *machine, const struct pe_plan *plan, char text[PE_PLAN_TEXT_SIZE])
{
	size_t n = 0;
	text[0] = '\0';
	for (uint32_t g = 0; g < plan->n_group && n < PE_PLAN_TEXT_SIZE; g++) {
		const struct pe_plan_group *group = &plan->group[g];
		const char *first = machine->level[group->first].name, *second = machine->level[group->second].name;
		const char *comma = g ? ", " : "";
		int more;
		if (group->n_first > 0 && group->n_second > 0)
			more = snprintf(text + n, PE_PLAN_TEXT_SIZE - n, "%s%ux(%u %s %u %s)", comma, group->n_pe,
			                group->n_first, first, group->n_second, second);
		else
			more = snprintf(text + n, PE_PLAN_TEXT_SIZE - n, "%s%ux%u %s", comma, group->n_pe,
			                group->n_first + group->n_second, group->n_second > 0 ? second : first);
		n += more > 0 ? (size_t)more : 0;
	}
}
