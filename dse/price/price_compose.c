/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/parallel.h"
#include "dse/price/price_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tag of a point that is no design. */
#define UNLISTED 1

double price_reach(const struct price_near near[N_PRICE_KIND])
{
	double reach = INFINITY;
	for (unsigned kind = 0; kind < N_PRICE_KIND; kind++)
		reach = fmin(reach, near[kind].reach);
	return reach;
}

/*
 * Whatever is not listed is farther than reach from some point of the layer's front in every metric, and the event tier
 * finds it better than the fast tier does by its uncertainty at most.
 */
static bool add_unlisted(struct price_machine *machine, size_t task, const struct price_error *error,
                         struct pareto *front)
{
	const struct layer_problem *layer = &machine->candidate.task[task].layer;
	double reach = fmax(price_reach(machine->near[task]), 1.0);
	if (isinf(reach))
		return true;
	for (size_t i = machine->first[task]; i < machine->first[task + 1] && machine->design[i].is_front; i++) {
		const struct price_design *design = &machine->design[i];
		double value[PARETO_MAX_OBJECTIVE];
		(void)price_value(machine, task, design->metric, value);
		for (unsigned k = 0; k < layer->n_metric; k++) {
			enum metric metric = layer->metric[k];
			value[k] *= reach;
			if (metric == METRIC_LATENCY || metric == METRIC_ENERGY)
				value[k] *= 1.0 - error->faster_frac;
			else if (metric == METRIC_PEAK_POWER)
				value[k] /= 1.0 + error->slower_frac;
		}
		(void)pareto_insert(front, value, design->gene, UNLISTED);
		if (front->n_alloc == 0)
			return false;
	}
	return true;
}

static bool fill_front(struct price_machine *machine, enum price_side side, const struct price_error *error,
                       size_t task)
{
	struct pareto *front = &machine->candidate.task[task].front;
	unsigned n_objective = front->n_objective;
	pareto_free(front);
	pareto_init(front, n_objective, N_LAYER_GENE);
	if (side == PRICE_POSSIBLE && !add_unlisted(machine, task, error, front))
		return false;
	for (size_t i = machine->first[task]; i < machine->first[task + 1]; i++) {
		const struct price_design *design = &machine->design[i];
		if (design->breaks_limit || (side == PRICE_KNOWN && !design->is_priced))
			continue;
		(void)pareto_insert(front, design->value, design->gene, 0);
		if (front->n_alloc == 0)
			return false;
	}
	pareto_sort(front);
	machine->has_unlisted[task] = false;
	for (size_t i = 0; i < front->n; i++)
		machine->has_unlisted[task] |= front->tag[i] == UNLISTED;
	return true;
}

enum err_code price_compose(struct price_machine *machine, enum price_side side, const struct price_error *error,
                            size_t max_front, unsigned n_thread, struct err *err)
{
	struct candidate *candidate = &machine->candidate;
	for (size_t i = 0; i < candidate->n_task; i++)
		if (!fill_front(machine, side, error, i))
			return err_add(err, ERR_INTERNAL, "out of memory for the fronts of layers");
	candidate->max_front = max_front;
	candidate->n_thread = n_thread;
	enum err_code code = candidate_name_points(candidate, err);
	return code == ERR_OK ? candidate_compose(candidate, err) : code;
}

bool price_add_points(const struct price_machine *machine, struct pareto *batch)
{
	const struct candidate *candidate = &machine->candidate;
	uint32_t *genome = calloc(batch->n_gene, sizeof(*genome));
	for (size_t i = 0; genome && i < candidate->total.n; i++) {
		double metric[N_METRIC], objective[SPACE_MAX_OBJECTIVE];
		enum metric broken;
		candidate_metrics(candidate, i, metric);
		if (!candidate_objectives(candidate->space, metric, objective, &broken))
			continue;
		candidate_genome(candidate, i, genome);
		if (!pareto_append(batch, objective, genome, 0)) {
			free(genome);
			return false;
		}
	}
	free(genome);
	return genome != NULL;
}

/* ---- how far another front is ahead --------------------------------------------------------------------- */

enum { CHUNK = 64 };

struct gap {
	const struct pareto *front, *other;
	double *least; /* [n chunks] the largest gap of a chunk's points */
};

/* In the objective in which that is most, how many times as large the point is. */
static double ratio_of(const double *own, const double *other, unsigned n, double enough)
{
	double most = 0.0;
	for (unsigned k = 0; k < n && most < enough; k++) {
		double ratio = other[k] > 0.0 ? own[k] / other[k] : own[k] > 0.0 ? INFINITY : 1.0;
		most = fmax(most, ratio);
	}
	return most;
}

/* most: what is larger than all others anyway */
static double gap_of_point(const struct pareto *front, const double *other, double most)
{
	double least = INFINITY;
	for (size_t k = 0; k < front->n && least > most; k++)
		least =
		    fmin(least, ratio_of(front->objective + k * front->n_objective, other, front->n_objective, least));
	return least;
}

double price_gap_of(const struct pareto *front, const double *other)
{
	return fmax(gap_of_point(front, other, 1.0), 1.0) - 1.0;
}

static void gap_of_chunk(void *context, size_t chunk)
{
	const struct gap *gap = context;
	size_t end = (chunk + 1) * CHUNK < gap->other->n ? (chunk + 1) * CHUNK : gap->other->n;
	double most = 1.0;
	for (size_t i = chunk * CHUNK; i < end; i++)
		most = fmax(most, gap_of_point(gap->front, gap->other->objective + i * gap->front->n_objective, most));
	gap->least[chunk] = most - 1.0;
}

double price_gap(const struct pareto *front, const struct pareto *other, unsigned n_thread)
{
	size_t n = (other->n + CHUNK - 1) / CHUNK;
	struct gap gap = {front, other, calloc(n + 1, sizeof(*gap.least))};
	double most = gap.least ? 0.0 : INFINITY;
	if (gap.least)
		parallel_for(n, n_thread, gap_of_chunk, &gap);
	for (size_t i = 0; gap.least && i < n; i++)
		most = fmax(most, gap.least[i]);
	free(gap.least);
	return most;
}
