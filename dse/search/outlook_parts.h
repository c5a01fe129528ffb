/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_OUTLOOK_PARTS_H
#define DSE_OUTLOOK_PARTS_H
/* Inside outlooks: several in the making (outlook.c), and the searches of their layers (outlook_search.c). */
#include "dse/search/front_cache.h"
#include "dse/search/layer_floors.h"
#include "dse/search/outlook.h"

struct outlook_work {
	const struct outlook_options *options;
	struct outlook_order *order;
	struct candidate candidate; /* once it is_built */
	bool is_built;
	struct front_entry **entry; /* [n_task] what other outlooks may have in common; NULL: nothing */
	double *epsilon;            /* [n_task] of the layers' floors */
	/* [n_task] floors that were searched for this outlook and kept for others; NULL: none was */
	const struct layer_floor **kept;
};

/*
 * Search the layers of all works that are built, each with what it has in common with others once. Fronts are floors
 * times 1 + epsilon then (branch_relax). What went wrong stands with the tasks.
 */
void outlook_search(struct outlook_work *work, size_t n_work, unsigned n_thread);

/*
 * Layers that take little of the whole may be looked at more coarsely: the shares times the layers' epsilons add up to
 * no more than about the order's. false when memory is out.
 */
bool outlook_set_epsilons(struct outlook_work *work);

#endif
