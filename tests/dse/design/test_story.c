/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One network, one story: a mapping's run time and a schedule of the same cuts. Their overhead is equal; the work of a
 * layer on one PE is equal, too, where a worker has all of the DRAM's bandwidth and lays nothing out for the array.
 */
#include "tests/support/unit_test.h"

#include "dse/design/mapping.h"
#include "dse/design/story.h"
#include "mapper/octopus/octopus_time.h"
#include "sim/base/rng.h"
#include "tests/support/near.h"
#include "tests/support/shipped_machine.h"
#include <stdio.h>
#include <string.h>

static const char *const network_name[] = {"mlp_784_512_256_16", "tiny", "resnet18"};

/* Cut the graph's layers as the mapping does, and sum up what the run-time model says of them. */
static void price_graph(const struct mapping *mapping, struct octopus_graph *graph, double *overhead_us,
                        double *total_us)
{
	uint32_t n_worker = octopus_max_worker(&mapping->machine);
	*overhead_us = octopus_setup_us(&mapping->machine, n_worker) + octopus_cleanup_us(&mapping->machine, n_worker);
	*total_us = *overhead_us;
	assert_int_equal(graph->n_layer, mapping->network.n_block);
	for (uint32_t l = 0; l < graph->n_layer; l++) {
		const struct layer_design *design = &mapping->design[l];
		struct octopus_context context;
		struct layer_context layer;
		struct octopus_time time;
		mapper_prepare(&mapping->network.block[l], &mapping->machine, 8, &layer);
		octopus_prepare(&mapping->machine, design->level, &mapping->network.block[l], &context);
		octopus_cut(&graph->layer[l], &design->split, false, 1);
		graph->layer[l].n_worker = mapper_n_worker(&layer, design);
		octopus_price_layer(&context, &graph->layer[l], &time, NULL);
		*overhead_us += time.part_us[OCTOPUS_SCHEDULING] + time.part_us[OCTOPUS_CONFIGURATION];
		*total_us += time.total_us;
	}
}

static void test_overhead_is_that_of_a_schedule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(network_name) / sizeof(network_name[0]); i++) {
		struct mapping mapping = {0};
		struct octopus_graph graph;
		struct err err = {0};
		struct simulated block[64];
		struct story_run_time run_time;
		double overhead_us, total_us;
		assert_int_equal(mapping_open("final_chip", network_name[i], &mapping, &err), ERR_OK);
		assert_int_equal(mapping_by_rules(&mapping, NULL, STRATEGY_FUSION_REUSE, 0, &err), ERR_OK);
		assert_true(mapping.network.n_block <= 64);
		const struct simulate_options how = {.design = mapping.design};
		assert_int_equal(simulate_network(&mapping.machine, &mapping.network, &how, block, &err), ERR_OK);
		story_run_time(&mapping.machine, block, mapping.network.n_block, NULL, &run_time);
		assert_int_equal(octopus_build(&mapping.network, &graph, &err), ERR_OK);
		price_graph(&mapping, &graph, &overhead_us, &total_us);
		assert_near(run_time.network_ms + run_time.layers_ms, overhead_us / 1e3, 1e-9);
		/* what is left of either total is work, and nothing else */
		struct simulate_totals totals;
		simulate_sum(&mapping.machine, block, mapping.network.n_block, NULL, &totals);
		assert_near(totals.metric[METRIC_RUN_TIME] - totals.metric[METRIC_LATENCY], overhead_us / 1e3, 1e-9);
		assert_true(total_us > overhead_us);
		octopus_free(&graph);
		mapping_free(&mapping);
	}
}

static struct block plain_matmul(uint32_t in_w, uint32_t out_w)
{
	struct block block = {.name = "FC_1", .kind = BLOCK_MATMUL, .number = 1, .in_w = in_w, .out_w = out_w};
	block.in_h = block.out_h = block.in_c = block.out_c = 1;
	block.kernel_w = block.kernel_h = block.stride = block.pool = 1;
	return block;
}

/* A fully connected layer in one task, from DRAM and to it. */
static double work_us(struct rng *rng, const struct machine *machine, double *latency_us)
{
	struct block block = plain_matmul(64 + 16 * rng_below(rng, 32), 16 * (1 + rng_below(rng, 6)));
	struct layer_design design = {.split = split_whole(&block), .strategy = STRATEGY_FUSION, .operand_bit = 8};
	struct octopus_context context;
	struct octopus_work work;
	struct octopus_time time;
	struct layer_context layer;
	struct program program;
	struct verdict verdict;
	struct sim_result result;
	mapper_prepare(&block, machine, 8, &layer);
	if (!mapper_distribute(&layer, &design, &program, &verdict))
		fail_msg("a task of %u x %u does not run", block.in_w, block.out_w);
	fast_run(machine, &program, 0, &result);
	octopus_prepare(machine, 0, &block, &context);
	octopus_size(&context, &design.split, &work);
	octopus_compute(&context, &design.split, &work);
	octopus_price(&context, &work, &(struct octopus_plan){.n_worker = 1, .tiles_per_worker = 1}, &time);
	*latency_us = result.latency_ns / 1e3;
	return time.total_us - octopus_layer_us(machine, 1);
}

static void test_work_of_one_pe_is_the_latency_where_nothing_differs(void **state)
{
	struct machine machine = shipped_machine("spaces/machines/final_chip.yaml");
	double most_us = 0, sum = 0, latency_us;
	(void)state;
	machine.dram_n = 1;
	machine.octopus.worker_gb_s = 1e3;
	machine.octopus.operand_word_clk = 0;
	for (uint32_t number = 0; number < 200; number++) {
		struct rng rng = rng_stream(22, 7, number);
		double gap_us = work_us(&rng, &machine, &latency_us) - latency_us;
		most_us = fmax(most_us, fabs(gap_us));
		sum += fabs(gap_us) / latency_us;
	}
	/* set-ups of loads and stores, which overlap in the fast tier */
	print_message("work of one worker beside the fast tier's latency: mean %.2f %%, largest %.2f us\n", sum / 2,
	              most_us);
	assert_true(sum / 200 < 0.08 && most_us < 6);
	/* and with the measured bandwidth of a worker it is not */
	machine.octopus.worker_gb_s = 0.261;
	struct rng rng = rng_stream(22, 7, 0);
	assert_true(work_us(&rng, &machine, &latency_us) > 2 * latency_us);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_overhead_is_that_of_a_schedule),
	    cmocka_unit_test(test_work_of_one_pe_is_the_latency_where_nothing_differs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
