/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/outlook.h"
#include "dse/layer/branch.h"
#include "dse/search/candidate.h"
#include "dse/base/parallel.h"
#include "dse/layer/layer_problem.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points a composition keeps: VGG-16's latency and energy are then thinned by less than 0.1 %. */
#define MAX_FRONT 512
/* As of the bounds of boxes: what rounding can add is far less. */
#define BOUND_SLACK (1 - 1e-9)

/* The searches of an outlook's layers, side by side. */
struct searches {
	const struct outlook_options *options;
	struct candidate *candidate;
	double epsilon;
};

/* Layers that no chain gets to have no front, and no edge leads over them. */
static void search_task(void *context, size_t i)
{
	const struct searches *searches = context;
	const struct outlook_options *options = searches->options;
	struct candidate_task *task = &searches->candidate->task[i];
	struct branch_counts counts = {0};
	if (!candidate_is_reachable(searches->candidate, i))
		return;
	if (!options->watch(options->watch_context, 0, &task->counts)) {
		task->code = ERR_INTERRUPTED;
		return;
	}
	task->code = layer_problem_sample(&task->layer, options->n_thread, &task->front, NULL, &task->err);
	if (task->code == ERR_OK && isfinite(searches->epsilon))
		task->code = branch_relax(&task->layer, searches->epsilon, options->n_thread, &task->front, &counts,
		                          options->watch, options->watch_context, &task->err);
	task->by_reason[LAYER_REASON_FAILED] = counts.by_reason[LAYER_REASON_FAILED];
}

/* *epsilon becomes infinite where a design could not be run: nothing is known of it. */
static enum err_code search_tasks(const struct outlook_options *options, struct candidate *candidate, double *epsilon,
                                  struct err *err)
{
	struct searches searches = {options, candidate, *epsilon};
	parallel_for(candidate->n_task, options->n_thread, search_task, &searches);
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct candidate_task *task = &candidate->task[i];
		if (task->code != ERR_OK)
			return err_add(err, task->code, "%s", err_text(&task->err));
		if (task->by_reason[LAYER_REASON_FAILED] > 0)
			*epsilon = INFINITY;
	}
	return ERR_OK;
}

/* The layers' fronts, as they stand, to points of wholes; *slack: what thinning costs. */
static enum err_code compose(struct candidate *candidate, struct outlook_points *points, double *slack, struct err *err)
{
	enum err_code code = candidate_name_points(candidate, err);
	if (code == ERR_OK)
		code = candidate_compose_once(candidate, err);
	if (code != ERR_OK)
		return code;
	const struct compose_result *total = &candidate->total;
	size_t n = total->n * total->n_metric;
	*slack = 1 + candidate_epsilon(candidate);
	points->n = total->n;
	points->metric = calloc(n + 1, sizeof(*points->metric));
	if (!points->metric)
		return err_add(err, ERR_INTERNAL, "out of memory");
	if (n > 0)
		memcpy(points->metric, total->metric, n * sizeof(*points->metric));
	assert(*slack >= 1);
	return ERR_OK;
}

/* epsilon: of the floor; infinite: nothing is proven. is_relaxed: the fronts are floors. */
static enum err_code compose_outlook(struct candidate *candidate, bool is_relaxed, double epsilon,
                                     struct outlook *outlook, struct err *err)
{
	double slack;
	enum err_code code = ERR_OK;
	outlook->slack = INFINITY;
	if (is_relaxed) {
		/* a design that keeps a limit may be matched by a point that does not */
		candidate->no_limits = true;
		code = compose(candidate, &outlook->floor, &slack, err);
		outlook->slack = (1 + epsilon) * slack;
		/* points become the designs they stand for */
		for (size_t i = 0; i < candidate->n_task && code == ERR_OK; i++)
			code = layer_problem_price(&candidate->task[i].layer, &candidate->task[i].front, err);
		candidate->no_limits = false;
	}
	if (code == ERR_OK)
		code = compose(candidate, &outlook->designs, &slack, err);
	if (code == ERR_OK)
		standing_measure(candidate, &outlook->fastest, &outlook->thriftiest);
	return code;
}

enum err_code outlook_make(const struct outlook_options *options, uint32_t machine_index, double epsilon,
                           struct outlook *outlook, struct err *err)
{
	struct candidate candidate;
	struct layer_set *set;
	char why[256];
	assert(options->watch && epsilon > 0);
	*outlook = (struct outlook){0};
	bool is_relaxed = isfinite(epsilon);
	const struct engine_counts none = {0};
	if (!options->watch(options->watch_context, 0, &none))
		return ERR_INTERRUPTED;
	enum err_code code = layer_set_build(options->space, options->map, machine_index, &set, why, sizeof(why), err);
	assert(code != ERR_OK || set);
	if (code != ERR_OK)
		return code;
	code = candidate_init(options->space, set, &candidate, err);
	if (code != ERR_OK)
		return code;
	candidate.max_front = MAX_FRONT;
	candidate.n_thread = options->n_thread;
	outlook->n_legal = set->n_legal;
	outlook->log10_design = set->log10_design;
	for (size_t i = 0; i < candidate.n_task; i++)
		outlook->n_candidate = add_sat(outlook->n_candidate, candidate.task[i].size);
	code = search_tasks(options, &candidate, &epsilon, err);
	if (code == ERR_OK)
		code = compose_outlook(&candidate, is_relaxed, epsilon, outlook, err);
	if (code != ERR_OK)
		outlook_free(outlook);
	candidate_free(&candidate);
	return code;
}

void outlook_free(struct outlook *outlook)
{
	assert(outlook);
	free(outlook->designs.metric);
	free(outlook->floor.metric);
	*outlook = (struct outlook){0};
}

/* From metrics of layers to objectives of a whole design. */
struct pricing {
	const struct space *space;
	const struct machine *machine;
	unsigned n_metric;
	enum metric metric[N_METRIC];
};

static struct pricing price_on(const struct space *space, const struct machine *machine)
{
	struct pricing pricing = {.space = space, .machine = machine};
	pricing.n_metric = layer_metrics(space, pricing.metric);
	return pricing;
}

/* Objectives of a point made smaller; false: it breaks a limit. */
static bool price_point(const struct pricing *pricing, const struct outlook_points *points, size_t point,
                        double divisor, double *objective)
{
	double metric[N_METRIC] = {0};
	enum metric broken;
	for (unsigned k = 0; k < pricing->n_metric; k++)
		metric[pricing->metric[k]] = points->metric[point * pricing->n_metric + k] / divisor;
	metric_of_machine(pricing->machine, metric);
	metric_derive(metric);
	return candidate_objectives(pricing->space, metric, objective, &broken);
}

/* Of points over the divisor. */
static bool list_points(const struct space *space, const struct outlook_points *points, double divisor,
                        const struct machine *machine, struct pareto *list)
{
	const struct pricing pricing = price_on(space, machine);
	const uint32_t no_genome = 0;
	for (size_t i = 0; i < points->n; i++) {
		double objective[SPACE_MAX_OBJECTIVE];
		if (price_point(&pricing, points, i, divisor, objective) &&
		    !pareto_append(list, objective, &no_genome, 0))
			return false;
	}
	return true;
}

bool outlook_list_designs(const struct space *space, const struct outlook *outlook, const struct machine *machine,
                          struct pareto *list)
{
	return list_points(space, &outlook->designs, 1, machine, list);
}

bool outlook_list_floor(const struct space *space, const struct outlook *outlook, const struct machine *machine,
                        struct pareto *list)
{
	return !(outlook->slack >= 1 && isfinite(outlook->slack)) ||
	       list_points(space, &outlook->floor, outlook->slack / BOUND_SLACK, machine, list);
}

bool outlook_is_behind(const struct space *space, const struct outlook_points *points, double divisor,
                       const struct machine *machine, const struct pareto *archive)
{
	const struct pricing pricing = price_on(space, machine);
	const unsigned n = archive->n_objective;
	size_t hint = 0, n_seen = 0;
	for (size_t i = 0; i < points->n; i++) {
		double objective[SPACE_MAX_OBJECTIVE];
		if (!price_point(&pricing, points, i, divisor, objective))
			continue;
		size_t k = 0;
		n_seen++;
		/* neighbours on a front are dominated by neighbours */
		while (k < archive->n &&
		       !pareto_dominates(archive->objective + (hint + k) % archive->n * n, objective, n))
			k++;
		if (k == archive->n)
			return false;
		hint = (hint + k) % archive->n;
	}
	return n_seen > 0;
}

bool outlook_proves_behind(const struct space *space, const struct outlook *outlook, const struct machine *machine,
                           const struct pareto *archive)
{
	return isfinite(outlook->slack) &&
	       outlook_is_behind(space, &outlook->floor, outlook->slack / BOUND_SLACK, machine, archive);
}

static void pack_points(struct outlook_points *points, unsigned n_metric, struct pack *pack)
{
	pack_count(pack, &points->n, n_metric * sizeof(*points->metric));
	if (pack->is_reading) {
		points->n = pack->failed ? 0 : points->n;
		points->metric = calloc(points->n * n_metric + 1, sizeof(*points->metric));
		if (pack_refuse(pack, !points->metric))
			return;
	}
	pack_reals(pack, points->metric, points->n * n_metric);
	for (size_t i = 0; i < points->n * n_metric; i++)
		(void)pack_refuse(pack, !(points->metric[i] >= 0));
}

void outlook_pack(struct outlook *outlook, unsigned n_metric, struct pack *pack)
{
	assert(n_metric > 0 && (!pack->is_reading || (!outlook->designs.metric && !outlook->floor.metric)));
	pack_points(&outlook->designs, n_metric, pack);
	pack_points(&outlook->floor, n_metric, pack);
	pack_real(pack, &outlook->slack);
	pack_u64(pack, &outlook->n_candidate);
	pack_u64(pack, &outlook->n_legal);
	pack_real(pack, &outlook->log10_design);
	standing_pack_design(&outlook->fastest, pack);
	standing_pack_design(&outlook->thriftiest, pack);
	(void)pack_refuse(pack, !(outlook->slack >= 1));
	if (pack->is_reading && !pack_done(pack))
		outlook_free(outlook);
}
