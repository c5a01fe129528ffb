/* SPDX-License-Identifier: Apache-2.0 */
/* Floors of layers: which of them serve a layer. */
#include "tests/support/unit_test.h"

#include "dse/search/layer_floors.h"
#include "tests/support/space_text.h"

/* A journal may be of another layer: a floor with a genome that is none of the layer's serves nobody. */
static void test_layer_floors_of_other_layers_serve_not(void **state)
{
	(void)state;
	struct space space;
	struct layer_problem layer;
	struct layer_floor *first = NULL;
	struct pareto point;
	uint32_t genome[N_LAYER_GENE] = {0};
	const double objective[] = {1};
	space_read_text("name: floors\nmachine: dvfs_chip\nnetwork: tiny\nobjectives: [latency_ms]\n", &space);
	const struct space_network *network = &space.network[0];
	assert_int_equal(layer_problem_build(&space, &space.machine[0], &network->network.block[0], &network->choice[0],
	                                     NULL, &layer, NULL),
	                 ERR_OK);
	pareto_init(&point, 1, N_LAYER_GENE);
	assert_true(pareto_append(&point, objective, genome, 0));
	assert_non_null(layer_floor_keep(&first, &layer, 0.5, false, &point));
	for (unsigned i = 0; i < N_LAYER_GENE; i++) {
		uint32_t *own = first->point.genome + i, end = layer_gene_end(&layer, (enum layer_gene)i);
		for (*own = 0; *own < end + 2; ++*own)
			assert_true((layer_floor_find(first, &layer, 0.5) == first) == (*own < end));
		*own = end - 1;
	}
	pareto_free(&point);
	layer_floors_free(first);
	layer_problem_free(&layer);
	space_free(&space);
}

/* The smallest epsilon comes first, of equal ones the least room; one that is coarser than asked for serves not. */
static void test_layer_floors_of_smaller_epsilons_come_first(void **state)
{
	static const double epsilon[] = {0.5, 0.125, 0.25};
	(void)state;
	struct space space;
	struct layer_problem layer;
	struct layer_floor *first = NULL;
	struct pareto none;
	space_read_text("name: floors\nmachine: dvfs_chip\nnetwork: tiny\nobjectives: [latency_ms]\n", &space);
	const struct space_network *network = &space.network[0];
	assert_int_equal(layer_problem_build(&space, &space.machine[0], &network->network.block[0], &network->choice[0],
	                                     NULL, &layer, NULL),
	                 ERR_OK);
	pareto_init(&none, 1, N_LAYER_GENE);
	assert_null(layer_floor_find(first, &layer, 1));
	for (size_t i = 0; i < 3; i++)
		assert_non_null(layer_floor_keep(&first, &layer, epsilon[i], false, &none));
	assert_null(layer_floor_find(first, &layer, 0.0625));
	assert_true(layer_floor_find(first, &layer, 0.125)->epsilon == epsilon[1]);
	assert_true(layer_floor_find(first, &layer, 1)->epsilon == epsilon[1]);
	pareto_free(&none);
	layer_floors_free(first);
	layer_problem_free(&layer);
	space_free(&space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_layer_floors_of_other_layers_serve_not),
	                                   cmocka_unit_test(test_layer_floors_of_smaller_epsilons_come_first)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
