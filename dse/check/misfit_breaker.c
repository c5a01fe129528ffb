/* SPDX-License-Identifier: Apache-2.0 */
/* Machine candidates that break one constraint of a space and no other. */
#include "dse/check/misfit_parts.h"
#include "dse/space/space_machine.h"
#include "dse/space/space_variant.h"
#include <string.h>

/* Insert into the MISFIT_MAX_TRY nearest, in order; of equal ones the first stays first. */
static size_t keep_nearest(struct misfit_breaker *nearest, size_t n, struct misfit_breaker breaker)
{
	size_t at = n;
	while (at > 0 && nearest[at - 1].violation > breaker.violation)
		at--;
	if (at == MISFIT_MAX_TRY)
		return n;
	size_t n_moved = n - at - (n == MISFIT_MAX_TRY);
	memmove(nearest + at + 1, nearest + at, n_moved * sizeof(*nearest));
	nearest[at] = breaker;
	return n < MISFIT_MAX_TRY ? n + 1 : n;
}

size_t misfit_list_breakers(const struct space *space, size_t which, const struct space *others,
                            struct misfit_breaker *nearest, uint64_t *n_broken)
{
	struct space own = *space;
	struct machine machine;
	char text[EXPLORE_TEXT_SIZE];
	uint64_t n_machine = space_n_machine(space);
	size_t n = 0;
	space_variant_keep_constraint(&own, which);
	*n_broken = 0;
	for (uint64_t i = 0; i < n_machine && i < MISFIT_MAX_MACHINE; i++) {
		struct misfit_breaker breaker = {i, 0.0};
		if (!space_machine_miss(&own, i, &machine, &breaker.violation, text, sizeof(text)))
			continue;
		(*n_broken)++;
		if (space_machine(others, i, &machine, text, sizeof(text)))
			n = keep_nearest(nearest, n, breaker);
	}
	return n;
}
