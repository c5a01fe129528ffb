/* SPDX-License-Identifier: Apache-2.0 */
/* The best mapping for one goal. Latency and energy add up, so one value a layer will do; of their product nothing but
 * a front of both can tell the least. */
#include "dse/hunt.h"
#include "dse/mapping.h"
#include <assert.h>
#include <math.h>

#define MAX_FRONT 100000 /* of the network's front in two metrics, none of which is left out below this */

const char *const mapping_goal_name[N_MAPPING_GOAL] = {"latency", "energy", "edp"};

static const struct {
	enum metric metric;
	unsigned n_objective;
	enum metric objective[2];
} goal_table[N_MAPPING_GOAL] = {
    [MAPPING_LATENCY] = {METRIC_LATENCY, 1, {METRIC_LATENCY}},
    [MAPPING_ENERGY] = {METRIC_ENERGY, 1, {METRIC_ENERGY}},
    [MAPPING_EDP] = {METRIC_EDP, 2, {METRIC_LATENCY, METRIC_ENERGY}},
};

enum err_code mapping_search(struct mapping *mapping, const struct mapping_search_options *options,
                             struct mapping_searched *searched, struct err *err)
{
	struct arena arena = {0};
	struct hunt hunt = {0};
	assert(mapping && mapping->design && options && options->goal < N_MAPPING_GOAL && searched);
	const struct hunt_options how = {
	    .machine = &mapping->machine,
	    .network = &mapping->network,
	    .levels = options->levels,
	    .n_objective = goal_table[options->goal].n_objective,
	    .objective = {goal_table[options->goal].objective[0], goal_table[options->goal].objective[1]},
	    .max_peak_mw = INFINITY,
	    .max_front = MAX_FRONT,
	    .split = options->split,
	    .strategy = options->strategy,
	    .fetches_ahead = options->fetches_ahead,
	    .n_thread = options->n_thread,
	    .progress = options->progress,
	};
	enum err_code code = hunt_open(&how, &arena, &hunt, err);
	if (code == ERR_OK)
		code = hunt_search(&hunt, NULL, err);
	if (code == ERR_OK)
		code = hunt_compose(&hunt, err);
	if (code == ERR_OK) {
		size_t best = hunt_best(&hunt, goal_table[options->goal].metric, &searched->value);
		searched->epsilon = hunt.candidate.total.epsilon;
		searched->n_design = hunt.candidate.set->n_legal;
		code = hunt_designs(&hunt, best, mapping->design, &arena, err);
	}
	hunt_close(&hunt);
	arena_free(&arena);
	return code;
}
