/* SPDX-License-Identifier: Apache-2.0 */
/* Fronts of layers that outlast the group their machine was searched in: for those who price designs anew. */
#include "dse/search/explore_parts.h"
#include <assert.h>
#include <stdlib.h>

void explore_free_kept(struct explore *explore)
{
	for (size_t i = 0; i < explore->n_kept; i++) {
		for (size_t k = 0; k < explore->kept[i].n_task; k++)
			pack_free(&explore->kept[i].task[k]);
		free(explore->kept[i].task);
	}
	free(explore->kept);
	explore->kept = NULL;
	explore->n_kept = 0;
}

static bool is_on_front(const struct explore *explore, uint32_t machine_index)
{
	for (size_t i = 0; i < explore->front.n; i++)
		if (explore->front.genome[i * explore->front.n_gene] == machine_index)
			return true;
	return false;
}

/* Of few machines those are kept, too, that the front is ahead of by less than this: another tier may see it otherwise.
 */
enum { MAX_KEPT_MACHINE = 64 };
#define NEAR_FRAC 0.3

enum err_code explore_keep(struct explore *explore, struct candidate *candidate, bool keeps_all, struct err *err)
{
	uint32_t index = candidate->set->machine_index;
	if (!keeps_all && explore->counts.n_machine > MAX_KEPT_MACHINE && !is_on_front(explore, index))
		return ERR_OK;
	for (size_t i = 0; i < candidate->n_task; i++)
		if (candidate->task[i].code != ERR_OK) /* cut short: nobody prices it */
			return ERR_OK;
	struct explore_kept kept = {
	    .machine_index = index, .n_task = candidate->n_task, .task = calloc(candidate->n_task, sizeof(*kept.task))};
	struct explore_kept *all = realloc(explore->kept, (explore->n_kept + 1) * sizeof(*all));
	explore->kept = all ? all : explore->kept;
	if (!all || !kept.task) {
		free(kept.task);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	bool failed = false;
	for (size_t i = 0; i < kept.n_task; i++) {
		candidate_pack_task(candidate, i, &kept.task[i]);
		failed |= kept.task[i].failed;
	}
	explore->kept[explore->n_kept++] = kept;
	return failed ? err_add(err, ERR_INTERNAL, "out of memory") : ERR_OK;
}

static bool is_near(const struct explore *explore, uint32_t machine_index)
{
	const struct standings *standings = explore->standings;
	return explore->counts.n_machine <= MAX_KEPT_MACHINE && standings &&
	       standings->machine[machine_index].margin < NEAR_FRAC;
}

/* Later machines may have taken the place of earlier ones. */
void explore_drop_kept(struct explore *explore, bool keeps_all)
{
	size_t n = 0;
	for (size_t i = 0; i < explore->n_kept; i++) {
		struct explore_kept *kept = &explore->kept[i];
		kept->is_on_front = is_on_front(explore, kept->machine_index);
		if (keeps_all || kept->is_on_front || is_near(explore, kept->machine_index)) {
			explore->kept[n++] = *kept;
			continue;
		}
		for (size_t k = 0; k < kept->n_task; k++)
			pack_free(&kept->task[k]);
		free(kept->task);
	}
	explore->n_kept = n;
}
