/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A systolic array's tiles in the order of its dataflow (sim/systolic/systolic_work.h):
 * which tile is in the ifmap buffer and which in the filter buffer when the
 * array works on a result, whose sums stay in the ofmap buffer meanwhile.
 */
#include "mapper/prove/prove_parts.h"
#include "mapper/distribute/distribute.h"

/* All input channels of one tile of pixels and one of filters. */
static void run_tiles(struct prove_run *run, uint32_t group, uint32_t map, uint32_t filter)
{
	const struct prove_core *core = &run->core;
	uint32_t first = PROVE_NONE, last = PROVE_NONE, index = run->n_task;
	uint32_t result = (uint32_t)((group * core->n_map + map) * core->n_c + filter);
	for (uint32_t d = 0; d < core->n_d; d++) {
		const struct prove_task task = {map * core->n_d + d, d * core->n_c + filter, run->n_task, PROVE_NONE};
		uint32_t added = prove_add_task(run, task);
		if (added == PROVE_NONE)
			return;
		if (last != PROVE_NONE)
			run->task[last].next = added;
		first = first == PROVE_NONE ? added : first;
		last = added;
	}
	prove_add_store(run, result, (struct prove_store){first, 0, index});
}

/* The work has its own copy of the tiles: it must be what the split says. */
static bool same_dim(const struct systolic_dim *a, const struct dim_split *b)
{
	return a->size_a == b->size_a && a->n_a == b->n_a && a->size_b == b->size_b && a->n_b == b->n_b;
}

/* Pooling, which no array takes part in, goes through the vector unit part by part. */
static void pool_all(struct prove_run *run)
{
	for (uint32_t i = 0; i < prove_n_result(&run->core); i++)
		prove_add_store(run, i, (struct prove_store){i, 0, i});
}

void prove_walk_systolic(struct prove_run *run)
{
	const struct prove_core *core = &run->core;
	struct systolic_work work;
	struct verdict verdict;
	if (core->block->kind == BLOCK_POOL) {
		pool_all(run);
		return;
	}
	bool fits = distribute_systolic_work(run->context, run->design, &work, &verdict);
	if (!fits || work.n_group != core->n_group || !same_dim(&work.w, &core->split.w) ||
	    !same_dim(&work.h, &core->split.h) || !same_dim(&work.c, &core->split.c) ||
	    !same_dim(&work.d, &core->split.d)) {
		prove_fault(run, "the array's tiles are not those of the split");
		return;
	}
	uint32_t n_map = (uint32_t)core->n_map, n_outer = work.filter_outside ? core->n_c : n_map;
	uint32_t n_inner = work.filter_outside ? n_map : core->n_c;
	for (uint32_t group = 0; group < core->n_group; group++)
		for (uint32_t outer = 0; outer < n_outer; outer++)
			for (uint32_t inner = 0; inner < n_inner && !run->no_memory; inner++)
				run_tiles(run, group, work.filter_outside ? inner : outer,
				          work.filter_outside ? outer : inner);
}
