/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of a layer-by-layer search: what became of all designs, machine candidate by machine candidate. */
#include "dse/search/explore_parts.h"
#include "dse/base/interrupt.h"
#include "dse/space/space_goals.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum err_code explore_count_searches(struct explore *explore, const struct candidate *candidate, const bool *is_mine,
                                     struct err *err)
{
	struct explore_counts *counts = &explore->counts;
	for (size_t i = 0; i < candidate->n_task; i++) {
		const struct candidate_task *task = &candidate->task[i];
		const struct engine_counts *from = &task->counts;
		if (is_mine && !is_mine[i])
			continue;
		if (task->code != ERR_OK && task->code != ERR_INTERRUPTED)
			return err_add(err, task->code, "%s", err_text(&task->err));
		if (task->by_reason[LAYER_REASON_FAILED] > 0)
			explore_note_failure(explore, candidate->set->machine_index, &candidate->set->machine,
			                     "layer %s: the event tier could not run %" PRIu64
			                     " designs: no memory, or a self-check failed",
			                     layer_any_context(&task->layer)->block->name,
			                     task->by_reason[LAYER_REASON_FAILED]);
		uint64_t size = task->size;
		counts->n_candidate = add_sat(counts->n_candidate, size);
		engine_counts_add(&counts->engine, from);
		for (unsigned reason = 0; reason < LAYER_N_REASON; reason++)
			counts->by_reason[reason] += task->by_reason[reason];
		for (unsigned reason = 0; reason < LAYER_N_REASON; reason++)
			counts->cut_by_reason[reason] =
			    add_sat(counts->cut_by_reason[reason], task->cut_by_reason[reason]);
		counts->n_box += task->n_box;
		counts->n_unreached = add_sat(counts->n_unreached, task->n_unreached);
		counts->n_shared = add_sat(counts->n_shared, task->n_shared);
		counts->n_search_shared += task->n_shared > 0;
		if (task->code == ERR_INTERRUPTED || interrupt_requested())
			explore->interrupted = true;
		else if (candidate->genetic) /* its search ends where nothing is gained any more */
			explore->truncated |=
			    task->max_work > 0 && from->n_asked >= task->max_work && from->n_asked < size;
		else if (add_sat(from->n_asked, from->n_skipped) < size)
			explore->truncated = true;
	}
	counts->n_legal = add_sat(counts->n_legal, candidate->set->n_legal);
	counts->log10_design = candidate_add_log10(counts->log10_design, candidate->set->log10_design);
	return ERR_OK;
}

uint64_t explore_work(const struct explore_counts *counts)
{
	const uint64_t pair_per_box = 16;
	return add_sat(add_sat(counts->n_box, counts->engine.n_told), counts->n_composed / pair_per_box);
}

uint64_t explore_count_cut_infeasible(const struct explore_counts *counts)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < LAYER_N_REASON; i++)
		if (i != LAYER_REASON_BOUND)
			n = add_sat(n, counts->cut_by_reason[i]);
	return n;
}

void explore_count_check(const struct explore_counts *counts)
{
	uint64_t n_cut = add_sat(explore_count_cut_infeasible(counts), counts->cut_by_reason[LAYER_REASON_BOUND]);
	uint64_t n_infeasible = 0;
	for (uint32_t i = 0; i < LAYER_N_REASON; i++)
		n_infeasible += counts->by_reason[i];
	assert(n_infeasible == counts->engine.n_infeasible);
	assert(counts->engine.n_feasible + n_infeasible == counts->engine.n_told);
	n_cut = add_sat(add_sat(n_cut, counts->n_unreached), counts->n_cut_with_machine);
	n_cut = add_sat(n_cut, counts->n_shared);
	if (n_cut < UINT64_MAX && counts->n_candidate < UINT64_MAX)
		assert(add_sat(counts->engine.n_told, n_cut) == counts->n_candidate);
	(void)n_cut;
	(void)n_infeasible;
}

/* Whether an objective or a limit is on a product of two metrics, which are matched to within epsilon each. */
static bool has_product(const struct space *space)
{
	bool has = space_has_objective(space, METRIC_EDP);
	for (size_t i = 0; i < space->n_limit; i++)
		has |= space->limit[i].metric == METRIC_EDP;
	return has;
}

/* Each network's own loss, then the loss of thinning their combination. */
double explore_epsilon(const struct explore *explore, const struct candidate *candidate)
{
	double epsilon = candidate_epsilon(candidate);
	return has_product(explore->space) ? (1.0 + epsilon) * (1.0 + epsilon) - 1.0 : epsilon;
}

void explore_count_composition(struct explore *explore, const struct candidate *candidate)
{
	struct explore_counts *counts = &explore->counts;
	counts->n_composed = add_sat(counts->n_composed, candidate->n_composed);
	counts->epsilon = fmax(counts->epsilon, explore_epsilon(explore, candidate));
	counts->is_limited |= candidate_is_limited(candidate);
}
