/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/hunt.h"
#include "dse/base/interrupt.h"
#include "dse/base/parallel.h"
#include "sim/fast/fast.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum err_code hunt_explore(const struct space_single *made, const struct hunt_options *how, struct explore *explore,
                           struct err *err)
{
	const struct explore_options options = {.engine = &engine_exact,
	                                        .n_thread = how->n_thread,
	                                        .prices = how->prices,
	                                        .max_box = how->max_box,
	                                        .show_progress = how->shows_progress,
	                                        .live = {.x = 0, .y = 1, .only_line = true},
	                                        .watch = how->watch};
	assert(made->space.n_objective > 1);
	enum err_code code = explore_run(&made->space, &options, explore, err);
	if (code != ERR_OK)
		return code;
	if (explore->interrupted || interrupt_requested())
		return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	if (explore->n_failure > 0)
		return err_add(err, ERR_INTERNAL, "%s", explore->failure[0].why);
	if (explore->front.n > 0)
		return ERR_OK;
	const char *why = explore->miss.text;
	if (explore->miss.stage == STAGE_NONE && explore->counts.n_rejection > 0)
		why = explore->counts.rejection[0].why;
	return err_add(err, ERR_INFEASIBLE, "no design of %s runs on %s%s%s", made->network.network.name,
	               made->machine.name, why[0] ? ": " : "", why);
}

enum err_code hunt_open(const struct space_single_options *options, unsigned n_thread, struct arena *arena,
                        struct hunt *hunt, struct err *err)
{
	struct layer_set *set = NULL;
	const struct space *space = &hunt->made.space;
	char why[256] = "";
	enum err_code code = space_single_make(options, arena, &hunt->made, err);
	if (code == ERR_OK)
		code = layer_map_build(space, &hunt->map, err);
	if (code == ERR_OK)
		code = layer_map_list_splits(space, &hunt->map, n_thread, err);
	if (code == ERR_OK)
		code = layer_set_build(space, &hunt->map, 0, &set, why, sizeof(why), err);
	if (code == ERR_OK && !set)
		code = err_add(err, ERR_INFEASIBLE, "%s: %s", hunt->made.machine.name, why);
	if (code == ERR_OK)
		code = candidate_init(space, set, &hunt->candidate, err);
	hunt->is_open = code == ERR_OK;
	hunt->n_thread = n_thread;
	hunt->candidate.is_exact = true;
	hunt->candidate.n_thread = n_thread;
	return code;
}

void hunt_close(struct hunt *hunt)
{
	if (hunt->is_open)
		candidate_free(&hunt->candidate);
	layer_map_free(&hunt->map);
	hunt->is_open = false;
}

struct searcher {
	struct hunt *hunt;
	const bool *wanted;
};

static void search_task(void *context, size_t i)
{
	static const struct engine_options options = {.seed = 1};
	const struct searcher *searcher = context;
	struct hunt *hunt = searcher->hunt;
	assert(i < hunt->candidate.n_task);
	if (!searcher->wanted || searcher->wanted[i])
		candidate_search(&hunt->candidate, i, hunt->n_thread, &options, engine_watch_stop, NULL);
}

enum err_code hunt_search(struct hunt *hunt, const bool *wanted, struct err *err)
{
	struct searcher searcher = {hunt, wanted};
	assert(hunt->is_open);
	parallel_for(hunt->candidate.n_task, hunt->n_thread, search_task, &searcher);
	if (interrupt_requested())
		return err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	for (size_t i = 0; i < hunt->candidate.n_task; i++) {
		const struct candidate_task *task = &hunt->candidate.task[i];
		if (task->code != ERR_OK)
			return err_add(err, task->code, "%s", err_text(&task->err));
	}
	return ERR_OK;
}
