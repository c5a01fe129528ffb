/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/unroll.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum err_code unrolled_init(const struct layer_map *map, struct unrolled *point, struct err *err)
{
	assert(map && point);
	*point = (struct unrolled){.n_layer = map->n_block, .n_network = map->n_network};
	point->layer = calloc(map->n_block, sizeof(*point->layer));
	point->network = calloc(map->n_network, sizeof(*point->network));
	if (point->layer && point->network)
		return ERR_OK;
	unrolled_free(point);
	return err_add(err, ERR_INTERNAL, "out of memory");
}

void unrolled_free(struct unrolled *point)
{
	free(point->layer);
	free(point->network);
	*point = (struct unrolled){0};
}

static double join(enum compose_op op, double sum, double value)
{
	return op == COMPOSE_SUM ? sum + value : fmax(sum, value);
}

void unroll_sum(const struct space *space, const struct layer_map *map, struct unrolled *point)
{
	assert(point->n_layer == map->n_block && point->n_network == map->n_network && point->machine);
	for (unsigned k = 0; k < N_METRIC; k++)
		point->metric[k] = 0.0;
	for (size_t network = 0; network < map->n_network; network++) {
		double *own = point->network[network];
		double weight = space_network_weight(space, network);
		for (unsigned k = 0; k < N_METRIC; k++) {
			own[k] = 0.0;
			if (metric_table[k].scope != METRIC_OF_LAYER)
				continue;
			for (size_t i = map->begin[network]; i < map->begin[network + 1]; i++)
				own[k] = join(metric_table[k].op, own[k], point->layer[i].metric[k]);
			double weighted = metric_table[k].op == COMPOSE_SUM ? weight * own[k] : own[k];
			point->metric[k] = join(space_aggregate_op(space, (enum metric)k), point->metric[k], weighted);
		}
		metric_of_machine(point->machine, own);
		metric_derive(own);
	}
	metric_of_machine(point->machine, point->metric);
	metric_derive(point->metric);
}

void unroller_init(struct unroller *unroller, const struct explore *explore)
{
	assert(unroller && explore);
	*unroller = (struct unroller){.explore = explore};
}

void unroller_free(struct unroller *unroller)
{
	for (size_t i = 0; i < UNROLL_N_CACHE; i++)
		layer_set_free(unroller->set[i]);
	*unroller = (struct unroller){0};
}

static const struct layer_set *find_set(struct unroller *unroller, uint32_t machine_index, struct err *err)
{
	char why[EXPLORE_TEXT_SIZE];
	for (size_t i = 0; i < UNROLL_N_CACHE; i++)
		if (unroller->set[i] && unroller->set[i]->machine_index == machine_index)
			return unroller->set[i];
	struct layer_set **set = &unroller->set[unroller->next];
	unroller->next = (unroller->next + 1) % UNROLL_N_CACHE;
	layer_set_free(*set);
	*set = NULL;
	if (layer_set_build(unroller->explore->space, &unroller->explore->map, machine_index, set, why, sizeof(why),
	                    err) == ERR_OK &&
	    !*set)
		(void)err_add(err, ERR_INTERNAL, "machine %u of the front is refused: %s", (unsigned)machine_index,
		              why);
	return *set;
}

enum err_code unroll_point(struct unroller *unroller, size_t i, struct unrolled *point, struct err *err)
{
	const struct explore *explore = unroller->explore;
	const struct layer_map *map = &explore->map;
	assert(i < explore->front.n && point->n_layer == map->n_block);
	const uint32_t *genome = explore->front.genome + i * explore->front.n_gene;
	const struct layer_set *set = find_set(unroller, genome[0], err);
	if (!set)
		return err->code;
	point->machine_index = genome[0];
	point->machine = &set->machine;
	for (size_t k = 0; k < map->n_block; k++) {
		const struct layer_problem *problem = &set->problem[map->distinct[k]];
		struct unrolled_layer *layer = &point->layer[k];
		struct sim_result result;
		struct verdict verdict;
		layer_problem_design(problem, genome + 1 + k * N_LAYER_GENE, &layer->design);
		layer->block = map->block[k];
		if (!evaluate_design(&problem->context[layer->design.operand_bit == 16], &layer->design, &result,
		                     layer->metric, &verdict))
			return err_add(err, ERR_INTERNAL, "%s of front point %zu cannot run: %s", layer->block->name, i,
			               verdict_table[verdict.reason].help);
		layer->total_clk = result.total_clk;
	}
	unroll_sum(explore->space, map, point);
	return ERR_OK;
}
