/* SPDX-License-Identifier: Apache-2.0 */
/* Which machines are searched next. */
#include "dse/search/explore_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

void explore_fill_group(struct explore_driver *driver, uint64_t *at, size_t n)
{
	assert(n > 0 && n <= MAX_GROUP);
	for (driver->n_slot = 0; *at < driver->n_order && driver->n_slot < n; ++*at) {
		uint32_t index = driver->order ? driver->order[*at].machine_index : (uint32_t)*at;
		driver->slot[driver->n_slot++] = (struct explore_slot){.machine_index = index};
	}
}

/* By how much the machine may still beat what has been seen; of equals the one that comes first in the space. */
static int compare_turns(const void *a, const void *b)
{
	const struct explore_turn *one = a, *other = b;
	if (one->gap_frac != other->gap_frac)
		return one->gap_frac > other->gap_frac ? -1 : 1;
	return one->machine_index < other->machine_index ? -1 : 1;
}

enum err_code explore_order_machines(struct explore_driver *driver, struct err *err)
{
	const struct hardware *hardware = &driver->hardware;
	uint64_t n_machine = hardware->n_machine;
	double *gap_frac = calloc(n_machine, sizeof(*gap_frac));
	driver->order = calloc(n_machine, sizeof(*driver->order));
	if (!gap_frac || !driver->order) {
		free(gap_frac);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	floors_gaps(&driver->floors, &hardware->seen, driver->options->n_thread, gap_frac);
	driver->n_order = 0;
	for (uint32_t i = 0; i < n_machine; i++)
		if (!hardware->is_cut[i])
			driver->order[driver->n_order++] = (struct explore_turn){i, gap_frac[i]};
	qsort(driver->order, driver->n_order, sizeof(*driver->order), compare_turns);
	/* where bounding was stopped, a machine of which designs were seen goes first */
	for (uint64_t i = 0; i < driver->n_order && hardware->interrupted; i++)
		if (driver->order[i].machine_index == hardware->shown) {
			driver->order[i] = driver->order[0];
			driver->order[0].machine_index = hardware->shown;
		}
	free(gap_frac);
	return ERR_OK;
}
