/* SPDX-License-Identifier: Apache-2.0 */
/* What bounds tell the driver: machines that need no search, and how much a search that is open may still find. */
#include "dse/search/explore_parts.h"
#include "dse/space/space_goals.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>

void explore_show_gap(struct explore_driver *driver, const struct pareto *front)
{
	if (live_wants_gap(driver->live))
		live_set_gap(driver->live, fmax(driver->explore->counts.epsilon,
		                                floors_gap(&driver->floors, front, driver->options->n_thread)));
}

static bool watch_bounds(void *context, double done)
{
	struct explore_driver *driver = context;
	assert(done >= 0.0 && done <= 1.0);
	live_set_done(driver->live, BOUND_SHARE * done);
	return !explore_must_stop(driver);
}

static void show_sample(void *context, const struct pareto *sample)
{
	const struct explore_driver *driver = context;
	live_show_sample(driver->live, sample);
}

/* Whether a design may keep all limits by less than one that it dominates. */
static bool limits_more_than_objectives(const struct space *space)
{
	for (size_t i = 0; i < space->n_limit; i++)
		if (metric_table[space->limit[i].metric].scope != METRIC_OF_MACHINE &&
		    !space_has_objective(space, space->limit[i].metric))
			return true;
	return false;
}

/*
 * A budget of evaluations is for searches that prove nothing anyway. What a machine is cut for need not be found
 * itself: with an epsilon a design that it matches stands for it, unless limits forbid that.
 */
static bool bounds_machines(const struct explore_driver *driver)
{
	const struct explore_options *options = driver->options;
	uint64_t n = driver->explore->counts.n_machine;
	return options->engine == &engine_exact && !options->all_machines && options->max_evaluation == 0 && n > 1 &&
	       n <= HARDWARE_MAX_MACHINE &&
	       !(options->epsilon > 0 && limits_more_than_objectives(driver->explore->space));
}

enum err_code explore_bound_machines(struct explore_driver *driver, struct err *err)
{
	struct explore_counts *counts = &driver->explore->counts;
	struct hardware *hardware = &driver->hardware;
	const struct hardware_options options = {driver->explore->space,
	                                         &driver->explore->map,
	                                         driver->options->n_thread,
	                                         driver->options->share,
	                                         driver->options->at_work,
	                                         watch_bounds,
	                                         show_sample,
	                                         driver,
	                                         &driver->floors,
	                                         driver->explore->standings};
	if (!bounds_machines(driver))
		return ERR_OK;
	live_set_phase(driver->live, LIVE_BOUND);
	enum err_code code = hardware_bound(&options, hardware, err);
	assert(hardware->n_cut < counts->n_machine && counts->n_candidate == 0);
	if (code != ERR_OK)
		return code;
	for (uint32_t i = 0; i < counts->n_machine && hardware->n_cut > 0; i++)
		if (hardware->is_cut[i])
			floors_settle(&driver->floors, i);
	counts->n_machine_cut = hardware->n_cut;
	counts->n_candidate = counts->n_cut_with_machine = hardware->n_candidate;
	counts->n_legal = hardware->n_legal;
	counts->log10_design = hardware->log10_design;
	explore_show_gap(driver, &hardware->seen);
	return explore_order_machines(driver, err);
}

void explore_bound_gap(struct explore_driver *driver)
{
	struct explore *explore = driver->explore;
	struct explore_counts *counts = &explore->counts;
	unsigned n_thread = driver->options->n_thread;
	counts->cuts_are_limited =
	    counts->is_limited && counts->n_machine_cut > 0 && limits_more_than_objectives(explore->space);
	if (!(explore->interrupted || explore->truncated) || driver->options->engine != &engine_exact ||
	    explore->n_failure > 0 || driver->options->ends_at_once ||
	    (driver->options->share && driver->options->share->n > 1))
		return;
	floors_note_rest(&driver->floors, &explore->map, n_thread);
	if (!counts->is_limited)
		explore->open_gap_frac = fmax(counts->epsilon, floors_gap(&driver->floors, &explore->front, n_thread));
}
