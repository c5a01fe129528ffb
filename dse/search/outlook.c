/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/outlook_parts.h"
#include "dse/base/parallel.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points a composition keeps: VGG-16's latency and energy are then thinned by less than 0.1 %. */
#define MAX_FRONT 512
/* As of the bounds of boxes: what rounding can add is far less. */
#define BOUND_SLACK (1 - 1e-9)
/* Designs of a layer that outlooks of other machines may begin with. */
#define MAX_SEED 6

/* Fronts become floors: see branch_relax. */
static void lower_fronts(struct candidate *candidate, const double *epsilon)
{
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct pareto *front = &candidate->task[i].front;
		for (size_t k = 0; k < front->n * front->n_objective; k++)
			front->objective[k] /= 1 + epsilon[i];
	}
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

/* The machine's layers and their epsilons. */
static enum err_code build_work(struct outlook_work *work)
{
	const struct outlook_options *options = work->options;
	struct outlook_order *order = work->order;
	struct candidate *candidate = &work->candidate;
	struct layer_set *set;
	char why[256];
	const struct engine_counts none = {0};
	assert(order->epsilon > 0 && isfinite(order->epsilon));
	if (!options->watch(options->watch_context, 0, &none))
		return ERR_INTERRUPTED;
	enum err_code code =
	    layer_set_build(options->space, options->map, order->machine_index, &set, why, sizeof(why), &order->err);
	assert(code != ERR_OK || set);
	if (code == ERR_OK)
		code = candidate_init(options->space, set, candidate, &order->err);
	if (code != ERR_OK)
		return code;
	work->is_built = true;
	candidate->max_front = MAX_FRONT;
	candidate->n_thread = options->n_thread;
	for (size_t i = 0; i < candidate->n_task; i++)
		candidate->task[i].layer.with_slower = order->with_slower;
	work->entry = calloc(candidate->n_task + 1, sizeof(*work->entry));
	work->kept = calloc(candidate->n_task + 1, sizeof(*work->kept));
	work->epsilon = calloc(candidate->n_task + 1, sizeof(*work->epsilon));
	if (!work->entry || !work->kept || !work->epsilon || !outlook_set_epsilons(work))
		return err_add(&order->err, ERR_INTERNAL, "out of memory");
	return ERR_OK;
}

static void begin_work(void *context, size_t i)
{
	struct outlook_work *work = (struct outlook_work *)context + i;
	uint64_t before = at_work_begin(work->options->at_work, work->order->machine_index);
	work->order->code = build_work(work);
	at_work_end(work->options->at_work, before);
}

/* The floors that were searched for it, for whoever goes on with what a journal has. */
static bool list_kept(const struct outlook_work *work, struct outlook *outlook)
{
	size_t n = 0;
	for (size_t i = 0; i < work->candidate.n_task; i++)
		n += work->kept[i] != NULL;
	outlook->layer = calloc(n + 1, sizeof(*outlook->layer));
	for (size_t i = 0; i < work->candidate.n_task && outlook->layer; i++)
		if (work->kept[i])
			outlook->layer[outlook->n_layer++] = (struct outlook_layer){work->entry[i], work->kept[i]};
	return outlook->layer != NULL;
}

static enum err_code finish(struct outlook_work *work)
{
	struct outlook_order *order = work->order;
	struct outlook *outlook = order->outlook;
	struct candidate *candidate = &work->candidate;
	bool is_floor = true;
	for (size_t i = 0; i < candidate->n_task; i++) {
		struct candidate_task *task = &candidate->task[i];
		if (task->code != ERR_OK)
			return task->code == ERR_INTERRUPTED
			           ? task->code
			           : err_add(&order->err, task->code, "%s", err_text(&task->err));
		is_floor &= task->by_reason[LAYER_REASON_FAILED] == 0;
		outlook->n_candidate = add_sat(outlook->n_candidate, task->size);
	}
	outlook->n_legal = candidate->set->n_legal;
	outlook->log10_design = candidate->set->log10_design;
	if (!list_kept(work, outlook))
		return err_add(&order->err, ERR_INTERNAL, "out of memory");
	lower_fronts(candidate, work->epsilon);
	return compose_outlook(candidate, is_floor, outlook, &order->err);
}

static void end_work(void *context, size_t i)
{
	struct outlook_work *work = (struct outlook_work *)context + i;
	struct outlook_order *order = work->order;
	uint64_t before = at_work_begin(work->options->at_work, order->machine_index);
	if (order->code == ERR_OK)
		order->code = finish(work);
	if (order->code != ERR_OK)
		outlook_free(order->outlook);
	if (work->is_built)
		candidate_free(&work->candidate);
	free(work->entry);
	free(work->kept);
	free(work->epsilon);
	at_work_end(work->options->at_work, before);
}

void outlook_make(const struct outlook_options *options, struct front_cache *layers, struct outlook_order *order,
                  size_t n)
{
	struct outlook_work *work = calloc(n + 1, sizeof(*work));
	assert(options->watch && options->n_thread > 0);
	for (size_t i = 0; i < n; i++) {
		*order[i].outlook = (struct outlook){0};
		order[i].code = work ? ERR_OK : err_add(&order[i].err, ERR_INTERNAL, "out of memory");
	}
	if (!work)
		return;
	for (size_t i = 0; i < n; i++) {
		work[i].options = options;
		work[i].order = &order[i];
	}
	parallel_for(n, options->n_thread, begin_work, work);
	for (size_t i = 0; i < n && layers; i++)
		if (order[i].code == ERR_OK)
			front_cache_list(layers, &work[i].candidate, work[i].entry);
	outlook_search(work, n, options->n_thread);
	parallel_for(n, options->n_thread, end_work, work);
	free(work);
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
	free(outlook->layer);
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

/* What finds the entry of a layer, and its floor. */
static void read_layer(struct outlook_layer *layer, unsigned n_metric, struct front_cache *layers, struct pack *pack)
{
	char hex[HASH_HEX_SIZE];
	double limit[N_METRIC];
	pack_bytes(pack, hex, sizeof(hex));
	pack_reals(pack, limit, n_metric);
	if (pack_refuse(pack, pack->failed || hex[sizeof(hex) - 1] != '\0' || !layers))
		return;
	layer->entry = front_cache_find(layers, hex, limit, n_metric);
	if (!pack_refuse(pack, !layer->entry))
		layer->floor = layer_floor_read(&layer->entry->floor, n_metric, pack);
}

static void write_layer(const struct outlook_layer *layer, unsigned n_metric, struct pack *pack)
{
	pack_bytes(pack, layer->entry->hex, sizeof(layer->entry->hex));
	pack_reals(pack, layer->entry->limit, n_metric);
	layer_floor_write(layer->floor, pack);
}

static void pack_layers(struct outlook *outlook, unsigned n_metric, struct front_cache *layers, struct pack *pack)
{
	pack_count(pack, &outlook->n_layer, 1);
	if (pack->is_reading) {
		outlook->layer = pack->failed ? NULL : calloc(outlook->n_layer + 1, sizeof(*outlook->layer));
		if (pack_refuse(pack, !outlook->layer))
			return;
	}
	for (size_t i = 0; i < outlook->n_layer && !pack->failed; i++)
		if (pack->is_reading)
			read_layer(&outlook->layer[i], n_metric, layers, pack);
		else
			write_layer(&outlook->layer[i], n_metric, pack);
}

void outlook_pack(struct outlook *outlook, unsigned n_metric, struct front_cache *layers, struct pack *pack)
{
	assert(n_metric > 0 && (!pack->is_reading || (!outlook->designs.metric && !outlook->floor.metric)));
	pack_points(&outlook->designs, n_metric, pack);
	pack_points(&outlook->floor, n_metric, pack);
	pack_seeds(&outlook->seeds, pack);
	pack_layers(outlook, n_metric, layers, pack);
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
