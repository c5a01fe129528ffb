/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best mapping for one goal is a point of a front: the first over latency and energy has the least latency and, of
 * these, the least energy; the last the least energy and, of these, the least latency. Thinning keeps both ends, so
 * only the least product may be missed by what the front's epsilon says.
 */
#include "dse/price/mapping_search.h"
#include "dse/price/price.h"
#include "dse/search/hunt.h"
#include <assert.h>
#include <math.h>

#define MAX_FRONT 100000 /* of the network's front, none of which is left out below this */

const char *const mapping_goal_name[N_MAPPING_GOAL] = {"latency", "energy", "edp"};

/* Of objectives 0 and 1. Fronts are sorted by objective 0, so of equal products the faster one is the first. */
static double value_of(enum mapping_goal goal, const double *objective)
{
	return goal == MAPPING_EDP ? objective[0] * objective[1] : objective[goal == MAPPING_ENERGY ? 1 : 0];
}

static size_t find_best(const struct pareto *front, enum mapping_goal goal, double *value)
{
	size_t best = 0;
	assert(front->n > 0 && front->n_objective == 2);
	*value = INFINITY;
	for (size_t i = 0; i < front->n; i++) {
		double own = value_of(goal, front->objective + i * front->n_objective);
		if (own < *value) {
			*value = own;
			best = i;
		}
	}
	return best;
}

/* Designs of all layers of a point. */
static enum err_code take_designs(const struct explore *explore, size_t point, struct layer_design *design,
                                  struct err *err)
{
	const uint32_t *genome = explore->front.genome + point * explore->front.n_gene;
	struct layer_set *set = NULL;
	char why[256];
	enum err_code code = layer_set_build(explore->space, &explore->map, genome[0], &set, why, sizeof(why), err);
	if (code != ERR_OK)
		return code;
	assert(set); /* it has a design */
	for (size_t i = 0; i < explore->map.n_block; i++)
		layer_problem_design(&set->problem[explore->map.distinct[i]], genome + 1 + i * N_LAYER_GENE,
		                     &design[i]);
	layer_set_free(set);
	return ERR_OK;
}

/* All points with prices: what stands for others may have another product. */
static enum err_code price(const struct mapping_search_options *options, struct explore *explore,
                           struct mapping_searched *searched, struct err *err)
{
	struct price price;
	const struct stop stop = {.wish = options->watch.wish};
	const struct price_options how = {.n_thread = options->n_thread,
	                                  .max_work = options->price_work,
	                                  .stop = &stop,
	                                  .show_progress = options->shows_progress};
	enum err_code code = price_front(explore, &how, &price, err);
	if (code == ERR_OK && price.is_interrupted)
		code = err_add(err, ERR_INTERRUPTED, "interrupted; nothing was written");
	searched->is_priced = price.is_priced;
	searched->assumed_error_frac = price.assumed_error_frac;
	searched->assumed_gap_frac = price.assumed_gap_frac;
	price_free(&price);
	return code;
}

enum err_code mapping_search(struct mapping *mapping, const struct mapping_search_options *options,
                             struct mapping_searched *searched, struct err *err)
{
	struct arena arena = {0};
	struct space_single *made;
	struct explore *explore;
	assert(mapping && mapping->design && options && options->goal < N_MAPPING_GOAL && searched);
	const struct space_single_options how = {
	    .machine = &mapping->machine,
	    .network = &mapping->network,
	    .levels = options->levels,
	    .n_objective = 2,
	    .objective = {options->counts_run_time ? METRIC_RUN_TIME : METRIC_LATENCY, METRIC_ENERGY},
	    .max_peak_mw = INFINITY,
	    .max_front = MAX_FRONT,
	    .split = options->split,
	    .strategy = options->strategy,
	    .forms = options->forms,
	    .network_result = options->network_result,
	    .fetches_ahead = options->fetches_ahead,
	};
	const struct hunt_options hunted = {.n_thread = options->n_thread,
	                                    .shows_progress = options->shows_progress,
	                                    .prices = options->price_work > 0,
	                                    .max_box = options->max_box,
	                                    .watch = options->watch};
	enum err_code code = ERR_OK;
	*searched = (struct mapping_searched){0};
	/* too large for small stacks, which the search needs */
	made = arena_alloc(&arena, sizeof(*made));
	explore = arena_alloc(&arena, sizeof(*explore));
	if (!made || !explore) {
		arena_free(&arena);
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	*made = (struct space_single){0};
	*explore = (struct explore){0};
	code = space_single_make(&how, &arena, made, err);
	if (code == ERR_OK)
		code = space_single_choose_lanes(made, &arena, err);
	if (code == ERR_OK)
		code = hunt_explore(made, &hunted, explore, err);
	made->space.resolution_frac = 0.0;
	if (code == ERR_OK && options->price_work > 0)
		code = price(options, explore, searched, err);
	if (code == ERR_OK) {
		size_t best = find_best(&explore->front, options->goal, &searched->value);
		searched->epsilon = options->goal == MAPPING_EDP ? explore->counts.epsilon : 0;
		searched->n_design = explore->counts.n_legal;
		searched->network_result = options->network_result;
		left_out_find(&made->space, &searched->left_out);
		code = take_designs(explore, best, mapping->design, err);
	}
	explore_free(explore);
	arena_free(&arena);
	return code;
}
