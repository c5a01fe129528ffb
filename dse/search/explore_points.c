/* SPDX-License-Identifier: Apache-2.0 */
/* The layers' fronts of a machine candidate as rows of points.csv, and what was nearest where a front is empty. */
#include "dse/base/number.h"
#include "dse/search/explore_parts.h"
#include "dse/space/space_goals.h"
#include "dse/space/space_machine.h"
#include "dse/out/csv_write.h"
#include "dse/layer/design_text.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

void explore_points_write_header(FILE *file, const struct space *space)
{
	assert(file && space);
	csv_put_text(file, true, "machine");
	for (size_t i = 0; i < space->n_axis; i++)
		csv_put_text(file, false, space->axis[i].param->key);
	(void)fputs(",network,layer,ifmap_place,result_place,added_place,strategy,reuse,operand_bit,width,height,"
	            "out_channels,in_channels,level",
	            file);
	if (space_fetches_ahead(space))
		csv_put_text(file, false, "fetched_ahead");
	for (unsigned i = 0; i < N_METRIC; i++)
		if (metric_table[i].scope == METRIC_OF_LAYER)
			csv_put_text(file, false, metric_table[i].name);
	design_put_csv_renamed(file, NULL);
	(void)fputc('\n', file);
}

/* A genome of task t, and the problem of the set it belongs to: tasks know one place only, the set's problem all. */
static const struct layer_problem *find_problem(const struct candidate *candidate, size_t distinct, size_t t,
                                                const uint32_t *genome, uint32_t own[N_LAYER_GENE])
{
	candidate_widen(candidate, distinct, t, genome, own);
	return &candidate->set->problem[distinct];
}

/* A design and all its metrics, also those that are no objectives here. */
static void write_point(FILE *file, const struct candidate *candidate, const struct layer_problem *layer,
                        const uint32_t *genome)
{
	const struct machine *machine = &candidate->set->machine;
	struct layer_design design;
	struct split_text split;
	double metric[N_METRIC];
	layer_problem_design(layer, genome, &design);
	/* Archives keep genomes and objectives only: the other metrics are computed once more, for few points. */
	const struct detail_options options = {.detail = candidate->space->detail};
	struct detail_run run = {.context = layer_context_of(layer, &design), .design = &design};
	detail_run(&run, &options);
	assert(run.ran);
	metric_of_layer(run.context, &design, &run.result, metric);
	design_print_split(&design.split, &split);
	csv_put_text(file, false, design_place_name(design.in_storage));
	csv_put_text(file, false, design_place_name(design.out_storage));
	csv_put_text(file, false,
	             layer_context_of(layer, &design)->block->has_mat_ele ? design_place_name(design.add_storage) : "");
	csv_put_text(file, false, strategy_table[design.strategy].name);
	csv_put_text(file, false, reuse_operand_name[design.reuse]);
	(void)fprintf(file, ",%" PRIu32, design.operand_bit);
	csv_put_text(file, false, split.w);
	csv_put_text(file, false, split.h);
	csv_put_text(file, false, split.c);
	csv_put_text(file, false, split.d);
	csv_put_text(file, false, machine->level[design.level].name);
	if (space_fetches_ahead(candidate->space))
		csv_put_text(file, false, design_ahead_name(&design));
	for (unsigned k = 0; k < N_METRIC; k++)
		if (metric_table[k].scope == METRIC_OF_LAYER)
			csv_put_known(file, false, metric_value(machine, metric, (enum metric)k));
	design_put_csv_renamed(file, &split);
	(void)fputc('\n', file);
}

/* Machine by machine in the order of their index: rows do not depend on threads. */
void explore_points_write(FILE *file, const struct candidate *candidate)
{
	const struct layer_map *map = candidate->set->map;
	for (size_t distinct = 0; distinct < map->n_distinct; distinct++) {
		size_t number = map->first[distinct];
		const struct network *network = &candidate->space->network[layer_map_network(map, number)].network;
		for (size_t t = candidate->first_task[distinct]; t < candidate->first_task[distinct + 1]; t++) {
			const struct candidate_task *task = &candidate->task[t];
			for (size_t i = 0; i < task->front.n; i++) {
				space_machine_put_csv(file, true, candidate->space, &candidate->set->machine);
				csv_put_text(file, false, network->name);
				csv_put_text(file, false, map->block[number]->name);
				uint32_t genome[N_LAYER_GENE];
				const struct layer_problem *layer =
				    find_problem(candidate, distinct, t, task->front.genome + i * N_LAYER_GENE, genome);
				write_point(file, candidate, layer, genome);
			}
		}
	}
}

/* The layer that is furthest from having a design; false when every layer has one. */
static bool layer_miss(const struct candidate *candidate, struct explore_miss *miss)
{
	const struct layer_map *map = candidate->set->map;
	bool found = false;
	/* Every layer needs a design, so the layer that is farthest from one decides how near the machine came. */
	for (size_t distinct = 0; distinct < map->n_distinct; distinct++) {
		const struct candidate_task *nearest = NULL;
		uint32_t genome[N_LAYER_GENE];
		bool is_empty = true;
		for (size_t t = candidate->first_task[distinct]; t < candidate->first_task[distinct + 1]; t++) {
			const struct candidate_task *task = &candidate->task[t];
			is_empty = is_empty && task->front.n == 0;
			if (!nearest || task->nearest.violation < nearest->nearest.violation)
				nearest = task;
		}
		if (!is_empty || (found && nearest->nearest.violation <= miss->violation))
			continue;
		found = true;
		miss->violation = nearest->nearest.violation;
		int n = snprintf(miss->text, sizeof(miss->text), "layer %s has no design",
		                 map->block[map->first[distinct]]->name);
		if (isinf(nearest->nearest.violation))
			continue;
		struct layer_design design;
		const struct layer_problem *layer = find_problem(
		    candidate, distinct, (size_t)(nearest - candidate->task), nearest->nearest.genome, genome);
		layer_problem_design(layer, genome, &design);
		n += snprintf(miss->text + n, sizeof(miss->text) - (size_t)n, "; nearest: ");
		n += design_print(&design, &candidate->set->machine, miss->text + n, sizeof(miss->text) - (size_t)n);
		if ((size_t)n + 2 < sizeof(miss->text)) {
			n += snprintf(miss->text + n, sizeof(miss->text) - (size_t)n, "; ");
			(void)design_print_reason(layer, genome, miss->text + n, sizeof(miss->text) - (size_t)n);
		}
	}
	return found;
}

/* Metrics that no composition can bring under their limits, as text; the violation is that of the worst. */
static void limit_miss(const struct candidate *candidate, const double *nearest, double weight, const char *what,
                       struct explore_miss *miss)
{
	const struct layer_problem *layer = &candidate->set->problem[0];
	bool is_whole =
	    miss->stage == STAGE_TOTAL || (candidate->set->map->n_network == 1 && !(weight < 1.0 || weight > 1.0));
	char number[2][NUMBER_SIZE];
	int n = snprintf(miss->text, sizeof(miss->text), "%s:", what);
	miss->violation = 0.0;
	assert(weight > 0.0);
	for (unsigned i = 0; i < layer->n_metric && (size_t)n < sizeof(miss->text); i++) {
		double limit = space_metric_limit(candidate->space, layer->metric[i]) / weight;
		if (isinf(limit))
			continue;
		if (isinf(nearest[i])) { /* what one layer leaves in storage QPEs no design of the next one reads */
			miss->violation = INFINITY;
			miss->is_limit = miss->is_least = false;
			(void)snprintf(
			    miss->text, sizeof(miss->text),
			    "%s: designs of its layers keep the limits by themselves, but none follow each other",
			    what);
			return;
		}
		if (nearest[i] / limit - 1.0 > miss->violation) {
			miss->violation = nearest[i] / limit - 1.0;
			miss->is_limit = miss->is_least = is_whole;
			miss->metric = layer->metric[i];
			miss->value = nearest[i];
			miss->limit = limit;
		}
		number_print_plain(nearest[i], 6, number[0]);
		number_print_plain(limit, 6, number[1]);
		n += snprintf(miss->text + n, sizeof(miss->text) - (size_t)n, " %s at least %s, limit %s;",
		              metric_table[layer->metric[i]].name, number[0], number[1]);
	}
	if (!(miss->violation > 0.0) && (size_t)n < sizeof(miss->text))
		(void)snprintf(miss->text + n, sizeof(miss->text) - (size_t)n,
		               " each can be kept, but not all together");
}

/* From the inside out: a network can only be blamed when all its layers have designs. */
bool explore_points_miss(const struct candidate *candidate, struct explore_miss *miss)
{
	const struct layer_map *map = candidate->set->map;
	*miss = (struct explore_miss){.machine_index = candidate->set->machine_index};
	if (layer_miss(candidate, miss)) {
		miss->stage = STAGE_LAYER;
		return true;
	}
	for (size_t i = 0; i < map->n_network; i++) {
		if (candidate->network[i].n > 0)
			continue;
		miss->stage = STAGE_NETWORK;
		limit_miss(candidate, candidate->network_nearest + i * COMPOSE_MAX_METRIC,
		           space_network_weight(candidate->space, i), candidate->space->network[i].network.name, miss);
		return true;
	}
	if (candidate->total.n > 0)
		return false;
	miss->stage = STAGE_TOTAL;
	limit_miss(candidate, candidate->total_nearest, 1.0, "all networks", miss);
	return true;
}
