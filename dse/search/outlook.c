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

/* The first search of a layer, whose designs the next, finer one begins with. */
#define COARSE_EPSILON 0.2
/* Of a layer's search: of layers that take next to nothing. */
#define MOST_EPSILON 0.5
/* Designs of a layer that outlooks of other machines may begin with. */
#define MAX_SEED 6

/* The searches of an outlook's layers, side by side. */
struct searches {
	const struct outlook_options *options;
	struct candidate *candidate;
	const struct outlook_seeds *seeds; /* or NULL */
	double *epsilon;                   /* [n_task] */
};

/* What the seeds of a task are on this machine, into its front. */
static enum err_code price_seeds(const struct outlook_seeds *seeds, size_t i, struct candidate_task *task)
{
	const struct layer_problem *layer = &task->layer;
	const double unknown[PARETO_MAX_OBJECTIVE] = {0};
	for (size_t k = 0; seeds && k < seeds->n; k++) {
		const uint32_t *row = seeds->row + k * OUTLOOK_N_SEED_FIELD, *genome = row + 1;
		bool is_own = row[0] == i;
		for (size_t g = 0; g < N_LAYER_GENE && is_own; g++)
			is_own = genome[g] < layer->n_value[g];
		if (is_own && !pareto_append(&task->front, unknown, genome, 0))
			return err_add(&task->err, ERR_INTERNAL, "out of memory");
	}
	return task->front.n > 0 ? layer_problem_price(layer, &task->front, &task->err) : ERR_OK;
}

/*
 * Begin with the seeds' designs, or with those that a coarse search finds; where evaluations take as long as many
 * boxes, or there are few machines, with a sample.
 */
static enum err_code begin_task(const struct searches *searches, size_t i, struct branch_counts *counts)
{
	const struct outlook_options *options = searches->options;
	struct candidate_task *task = &searches->candidate->task[i];
	if (options->samples || task->layer.detail != DETAIL_FAST)
		return layer_problem_sample(&task->layer, options->n_thread, &task->front, NULL, &task->err);
	enum err_code code = price_seeds(searches->seeds, i, task);
	if (code != ERR_OK || task->front.n > 0 || searches->epsilon[i] >= COARSE_EPSILON)
		return code;
	code = branch_relax(&task->layer, COARSE_EPSILON, options->n_thread, &task->front, counts, options->watch,
	                    options->watch_context, &task->err);
	return code == ERR_OK ? layer_problem_price(&task->layer, &task->front, &task->err) : code;
}

/* Layers that no chain gets to have no front, and no edge leads over them. */
static void search_task(void *context, size_t i)
{
	const struct searches *searches = context;
	const struct outlook_options *options = searches->options;
	struct candidate_task *task = &searches->candidate->task[i];
	struct branch_counts first = {0}, counts = {0};
	if (!candidate_is_reachable(searches->candidate, i))
		return;
	if (!options->watch(options->watch_context, 0, &task->counts)) {
		task->code = ERR_INTERRUPTED;
		return;
	}
	task->code = begin_task(searches, i, &first);
	if (task->code == ERR_OK)
		task->code = branch_relax(&task->layer, searches->epsilon[i], options->n_thread, &task->front, &counts,
		                          options->watch, options->watch_context, &task->err);
	task->by_reason[LAYER_REASON_FAILED] =
	    first.by_reason[LAYER_REASON_FAILED] + counts.by_reason[LAYER_REASON_FAILED];
}

/* The part of all layers together that each has at least of a metric of which it has most; 0: not known. false when
 * memory is out. */
static bool find_shares(const struct candidate *candidate, double *share)
{
	const struct layer_map *map = candidate->set->map;
	const unsigned n_metric = candidate->task[0].layer.n_metric;
	double all[N_METRIC] = {0};
	double *least = calloc(map->n_distinct + 1, N_METRIC * sizeof(*least));
	bool has_memory = least != NULL;
	for (size_t i = 0; i < map->n_distinct && has_memory; i++) {
		double *own = least + i * N_METRIC;
		for (size_t k = candidate->first_task[i]; k < candidate->first_task[i + 1] && has_memory; k++) {
			double at[N_METRIC];
			has_memory = branch_least(&candidate->task[k].layer, at);
			for (unsigned m = 0; m < n_metric && has_memory; m++)
				own[m] = k == candidate->first_task[i] ? at[m] : fmin(own[m], at[m]);
		}
	}
	for (size_t i = 0; i < map->n_block && has_memory; i++)
		for (unsigned m = 0; m < n_metric; m++)
			all[m] += least[map->distinct[i] * N_METRIC + m];
	for (size_t i = 0; i < map->n_distinct && has_memory; i++) {
		share[i] = 0;
		for (unsigned m = 0; m < n_metric; m++)
			if (all[m] > 0 && isfinite(all[m]))
				share[i] = fmax(share[i], least[i * N_METRIC + m] / all[m]);
	}
	free(least);
	return has_memory;
}

/*
 * Layers that take little of the whole may be looked at more coarsely: the shares times the layers' epsilons add up to
 * no more than about epsilon.
 */
static bool set_epsilons(const struct candidate *candidate, double epsilon, double *own)
{
	const struct layer_map *map = candidate->set->map;
	double *share = calloc(map->n_distinct + 1, sizeof(*share));
	bool has_memory = share && find_shares(candidate, share);
	for (size_t i = 0; i < map->n_distinct && has_memory; i++) {
		double mean = share[i] > 0 ? 1 / (share[i] * (double)map->n_block) : 1;
		double layer = fmin(fmax(epsilon * mean, epsilon / 2), fmax(epsilon, MOST_EPSILON));
		for (size_t k = candidate->first_task[i]; k < candidate->first_task[i + 1]; k++)
			own[k] = layer;
	}
	free(share);
	return has_memory;
}

/* Fronts become floors: see branch_relax. */
static void lower_fronts(struct candidate *candidate, const double *epsilon)
{
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct pareto *front = &candidate->task[i].front;
		for (size_t k = 0; k < front->n * front->n_objective; k++)
			front->objective[k] /= 1 + epsilon[i];
	}
}

/* *is_floor: false where a design could not be run: nothing is known of it. */
static enum err_code search_tasks(const struct outlook_options *options, struct candidate *candidate,
                                  const struct outlook_seeds *seeds, double epsilon, bool *is_floor, struct err *err)
{
	struct searches searches = {options, candidate, seeds, calloc(candidate->n_task + 1, sizeof(double))};
	enum err_code code = ERR_OK;
	*is_floor = true;
	if (!searches.epsilon || !set_epsilons(candidate, epsilon, searches.epsilon))
		code = err_add(err, ERR_INTERNAL, "out of memory");
	else
		parallel_for(candidate->n_task, options->n_thread, search_task, &searches);
	for (size_t i = 0; i < candidate->n_task && code == ERR_OK; i++) {
		struct candidate_task *task = &candidate->task[i];
		if (task->code != ERR_OK)
			code = err_add(err, task->code, "%s", err_text(&task->err));
		*is_floor &= task->by_reason[LAYER_REASON_FAILED] == 0;
	}
	if (code == ERR_OK)
		lower_fronts(candidate, searches.epsilon);
	free(searches.epsilon);
	return code;
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

/* Some of each front, evenly spread. Without memory there are none. */
static void choose_seeds(const struct candidate *candidate, struct outlook_seeds *seeds)
{
	seeds->row = malloc(candidate->n_task * MAX_SEED * OUTLOOK_N_SEED_FIELD * sizeof(*seeds->row));
	for (size_t i = 0; i < candidate->n_task && seeds->row; i++) {
		const struct pareto *front = &candidate->task[i].front;
		size_t n = front->n < MAX_SEED ? front->n : MAX_SEED;
		for (size_t k = 0; k < n; k++) {
			uint32_t *row = seeds->row + seeds->n++ * OUTLOOK_N_SEED_FIELD;
			size_t at = n > 1 ? k * (front->n - 1) / (n - 1) : 0;
			row[0] = (uint32_t)i;
			memcpy(row + 1, front->genome + at * N_LAYER_GENE, N_LAYER_GENE * sizeof(*row));
		}
	}
}

/* The layers' fronts are floors; is_floor: also of designs that could not be run. */
static enum err_code compose_outlook(struct candidate *candidate, bool is_floor, struct outlook *outlook,
                                     struct err *err)
{
	double slack = 1;
	/* a design that keeps a limit may be matched by a point that does not */
	candidate->no_limits = true;
	enum err_code code = compose(candidate, &outlook->floor, &slack, err);
	outlook->slack = is_floor ? slack : INFINITY;
	/* points become the designs they stand for */
	for (size_t i = 0; i < candidate->n_task && code == ERR_OK; i++)
		code = layer_problem_price(&candidate->task[i].layer, &candidate->task[i].front, err);
	candidate->no_limits = false;
	if (code == ERR_OK)
		choose_seeds(candidate, &outlook->seeds);
	if (code == ERR_OK)
		code = compose(candidate, &outlook->designs, &slack, err);
	if (code == ERR_OK)
		standing_measure(candidate, &outlook->fastest, &outlook->thriftiest);
	return code;
}

enum err_code outlook_make(const struct outlook_options *options, uint32_t machine_index,
                           const struct outlook_seeds *seeds, double epsilon, struct outlook *outlook, struct err *err)
{
	struct candidate candidate;
	struct layer_set *set;
	char why[256];
	bool is_floor;
	assert(options->watch && epsilon > 0 && isfinite(epsilon));
	*outlook = (struct outlook){0};
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
	for (size_t i = 0; i < candidate.n_task; i++)
		candidate.task[i].layer.with_slower = options->with_slower;
	code = search_tasks(options, &candidate, seeds, epsilon, &is_floor, err);
	if (code == ERR_OK)
		code = compose_outlook(&candidate, is_floor, outlook, err);
	if (code != ERR_OK)
		outlook_free(outlook);
	candidate_free(&candidate);
	return code;
}

void outlook_free_seeds(struct outlook_seeds *seeds)
{
	free(seeds->row);
	*seeds = (struct outlook_seeds){0};
}

void outlook_free(struct outlook *outlook)
{
	assert(outlook);
	outlook_free_seeds(&outlook->seeds);
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

static void pack_seeds(struct outlook_seeds *seeds, struct pack *pack)
{
	pack_count(pack, &seeds->n, OUTLOOK_N_SEED_FIELD * sizeof(*seeds->row));
	if (pack->is_reading) {
		seeds->n = pack->failed ? 0 : seeds->n;
		seeds->row = calloc(seeds->n * OUTLOOK_N_SEED_FIELD + 1, sizeof(*seeds->row));
		if (pack_refuse(pack, !seeds->row))
			return;
	}
	pack_u32s(pack, seeds->row, seeds->n * OUTLOOK_N_SEED_FIELD);
}

void outlook_pack(struct outlook *outlook, unsigned n_metric, struct pack *pack)
{
	assert(n_metric > 0 && (!pack->is_reading || (!outlook->designs.metric && !outlook->floor.metric)));
	pack_points(&outlook->designs, n_metric, pack);
	pack_points(&outlook->floor, n_metric, pack);
	pack_seeds(&outlook->seeds, pack);
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
