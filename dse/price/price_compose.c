/* SPDX-License-Identifier: Apache-2.0 */
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
			if (metric == METRIC_LATENCY || metric == METRIC_ENERGY || metric == METRIC_RUN_TIME)
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
