/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies that rules name, against the kinds of machines in the space. */
#include "dse/space/space_parts.h"
#include "mapper/split/design.h"
#include <assert.h>
#include <stdio.h>

/* Whether a machine of the space is of the strategy's kind. Which operand an array keeps may be an axis: not looked at.
 */
static bool has_kind(const struct space *space, enum strategy strategy)
{
	for (size_t i = 0; i < space->n_machine; i++)
		if ((space->machine[i].target == MACHINE_SYSTOLIC) == strategy_table[strategy].is_systolic)
			return true;
	return false;
}

void space_check_strategy(struct space_reader *reader, const struct doc_node *node, enum strategy strategy)
{
	const struct space *space = reader->space;
	char list[160] = "";
	size_t n = 0;
	assert(strategy < N_STRATEGY);
	if (!reader->machines_complete || has_kind(space, strategy))
		return;
	for (unsigned i = 0; i < N_STRATEGY; i++)
		if (has_kind(space, (enum strategy)i))
			n +=
			    (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", n ? ", " : "", strategy_table[i].name);
	assert(n < sizeof(list));
	(void)doc_refuse(
	    reader->err, node, "strategy: found '%s', of another kind of machine than %s%s, allowed %s, all",
	    strategy_table[strategy].name, space->machine[0].name, space->n_machine > 1 ? " and the others" : "", list);
}
