/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images run by the emulator: outputs bit-equal to the direct computation, bytes and packets those of the schedule. Of
 * the paper's perceptron, LeNet and random networks under random cuts; with DRAWS=all of ResNet-18 and MobileNetV2,
 * too.
 */
#include "tests/dse/emulate/filled_image.h"
#include "dse/emulate/emulate.h"
#include "mapper/octopus/octopus_schedule.h"
#include "mapper/octopus/octopus_time.h"
#include "mapper/octopus/octopus_traffic.h"
#include "sim/machine/machine_param.h"
#include "tests/support/draws.h"
#include "tests/support/network_text.h"
#include "tests/support/random_schedule.h"
#include "tests/support/shipped_machine.h"
#include <stdio.h>

#define SEED 25
#define N_INPUT 100

static const char lenet[] = "name: lenet\n"
			    "input: [28, 28, 1]\n"
			    "layers:\n"
			    "  - conv: {kernel: 5, out_channels: 6}\n"
			    "  - pool: {window: 2}\n"
			    "  - conv: {kernel: 5, out_channels: 16, padding: valid}\n"
			    "  - pool: {window: 2}\n"
			    "  - fc: {out: 120}\n"
			    "  - fc: {out: 84}\n"
			    "  - fc: {out: 10, activation: none}\n";

/* Outputs of the reference, of tensors in the graph's order, against those of the emulator. */
static void compare_outputs(const struct filled_image *filled, int8_t *const *result, const struct emulator *emulator)
{
	int8_t *output = malloc(emulate_n_output(emulator));
	size_t at = 0;
	assert_non_null(output);
	emulate_read_output(emulator, output);
	for (uint32_t t = 0; t < filled->graph.n_tensor; t++) {
		const struct octopus_tensor *tensor = &filled->graph.tensor[t];
		if (!tensor->is_output)
			continue;
		assert_memory_equal(output + at, result[filled->graph.layer[tensor->producer].block], tensor->byte);
		at += tensor->byte;
	}
	assert_int_equal(at, emulate_n_output(emulator));
	free(output);
}

static void compare_traffic(const struct filled_image *filled, const struct emulator *emulator, uint64_t n)
{
	for (uint32_t l = 0; l < filled->graph.n_layer; l++) {
		const struct octopus_traffic *is = &emulator->traffic[l];
		struct octopus_traffic expected;
		octopus_count_traffic(&filled->graph, &filled->graph.layer[l], &expected);
		assert_int_equal(is->weight_byte, n * expected.weight_byte);
		assert_int_equal(is->input_byte, n * expected.input_byte);
		assert_int_equal(is->output_byte, n * expected.output_byte);
		assert_int_equal(is->n_weight_load, n * expected.n_weight_load);
		assert_int_equal(is->n_input_load, n * expected.n_input_load);
		assert_int_equal(is->n_write, n * expected.n_write);
		assert_int_equal(is->n_packet, n * expected.n_packet);
	}
}

/* The run-time model has every worker at the busiest one's, every tile at the largest one's: never less than is moved.
 */
static void compare_model(const struct filled_image *filled, const struct machine *machine)
{
	for (uint32_t l = 0; l < filled->graph.n_layer; l++) {
		const struct octopus_layer *layer = &filled->graph.layer[l];
		const struct octopus_plan plan = {layer->ifmap_first, layer->n_worker, layer->tiles_per_worker};
		struct octopus_context context;
		struct octopus_work work;
		struct octopus_traffic traffic;
		octopus_prepare(machine, 0, &filled->network.block[layer->block], &context);
		octopus_size(&context, &layer->split, &work);
		const struct octopus_fetches fetch = octopus_count_fetches(&work, &plan);
		uint64_t n_tile = (uint64_t)layer->n_worker * layer->tiles_per_worker;
		octopus_count_traffic(&filled->graph, layer, &traffic);
		assert_true(traffic.weight_byte <= layer->n_worker * fetch.n_weight * work.weight_byte);
		assert_true(traffic.input_byte <=
		            layer->n_worker * fetch.n_in * work.in_byte + n_tile * work.added_byte);
		assert_true(traffic.output_byte <= n_tile * work.out_byte);
	}
}

/* n inputs. */
static void run_inputs(const struct filled_image *filled, uint32_t n)
{
	struct emulator emulator;
	struct err err = {0};
	struct arena arena = {0};
	size_t n_input = quantise_n_input(&filled->network), n_varied = 0;
	int8_t **result = (int8_t **)quantise_make_results(&filled->network, 1, &arena);
	float *real = arena_array(&arena, n_input * n, sizeof(*real));
	int8_t *input = arena_array(&arena, n_input, 1);
	const struct block *last = &filled->network.block[filled->network.n_block - 1];
	assert_true(result && real && input);
	quantise_generate_inputs(&filled->network, SEED + 1, n, real);
	if (emulate_open("dram.bin", filled->image.data, filled->image.n, &emulator, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(emulate_n_input(&emulator), n_input);
	for (uint32_t i = 0; i < n; i++) {
		quantise_input(&filled->quant, real + i * n_input, input);
		assert_true(quantise_run(&filled->quant, input, result));
		emulate_write_input(&emulator, input);
		assert_true(emulate_run(&emulator));
		compare_outputs(filled, result, &emulator);
		for (size_t k = 1; k < quantise_n_result(last); k++)
			n_varied += result[filled->network.n_block - 1][k] != result[filled->network.n_block - 1][0];
	}
	assert_true(n_varied > 0 || quantise_n_result(last) == 1 || n < 10);
	compare_traffic(filled, &emulator, n);
	emulate_close(&emulator);
	arena_free(&arena);
}

/* A shipped network or a text, scheduled on the chip. */
static void run_scheduled(const char *path, const char *text, bool as_paper, size_t n_calibrate, uint32_t n)
{
	struct filled_image filled = {0};
	struct err err = {0};
	struct machine machine;
	struct octopus_schedule schedule;
	const struct octopus_options options = {.as_paper = as_paper};
	machine = shipped_machine("spaces/machines/final_chip.yaml");
	enum err_code code =
	    path ? network_read(path, &filled.network, &err) : network_read_text(text, &filled.network, &err);
	if (code != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(octopus_build(&filled.network, &filled.graph, &err), ERR_OK);
	assert_int_equal(octopus_plan(&machine, &filled.graph, &options, &schedule, &err), ERR_OK);
	compare_model(&filled, &machine);
	assert_true(filled_quantise(&filled, SEED, n_calibrate));
	filled_write(&filled, &machine);
	run_inputs(&filled, n);
	octopus_schedule_free(&schedule);
	filled_drop(&filled);
}

static void test_perceptron_of_the_paper(void **state)
{
	(void)state;
	run_scheduled("spaces/networks/mlp_784_512_256_16.yaml", NULL, true, 4, N_INPUT);
}

static void test_lenet(void **state)
{
	(void)state;
	run_scheduled(NULL, lenet, false, 4, N_INPUT);
}

static void test_mobilenet_v2(void **state)
{
	(void)state;
	uint32_t n = draws(N_INPUT, 1);
	if (!SLOW_BUILD)
		run_scheduled("spaces/networks/mobilenet_v2.yaml", NULL, false, 1, n);
}

static void test_resnet18(void **state)
{
	(void)state;
	uint32_t n = draws(N_INPUT, 0);
	if (n > 0)
		run_scheduled("spaces/networks/resnet18.yaml", NULL, false, 1, n);
}

/* Parts of the depth, too, which random_cuts leaves whole. */
static void cut_depth(struct rng *rng, struct octopus_graph *graph)
{
	for (uint32_t l = 0; l < graph->n_layer; l++) {
		struct octopus_layer *layer = &graph->layer[l];
		const struct block *block = &graph->network->block[layer->block];
		struct split split = layer->split;
		uint32_t depth = block->kind == BLOCK_MATMUL ? block->in_w : block_group_in_c(block);
		if (block->kind == BLOCK_POOL)
			continue;
		split.d = dim_even(depth, 1 + rng_below(rng, depth < 3 ? depth : 3), 1);
		octopus_cut(layer, &split, layer->ifmap_first, layer->n_worker);
	}
}

static void test_random_networks(void **state)
{
	(void)state;
	struct machine machine;
	uint32_t n_run = 0, n_all = draws(5000, 400);
	machine_init(&machine, MACHINE_CHIP);
	for (uint32_t index = 0; index < n_all; index++) {
		struct filled_image filled = {0};
		struct err err = {0};
		struct rng rng = rng_stream(SEED, 7, index);
		random_network(SEED, index, &filled.network);
		assert_int_equal(octopus_build(&filled.network, &filled.graph, &err), ERR_OK);
		random_cuts(&rng, &filled.graph, 9);
		cut_depth(&rng, &filled.graph);
		if (filled_quantise(&filled, index, 1)) {
			filled_write(&filled, &machine);
			run_inputs(&filled, 2);
			n_run++;
		}
		filled_drop(&filled);
	}
	assert_true(n_run > n_all / 8);
	print_message("%u of %u random networks have integer arithmetic\n", n_run, n_all);
}

/*
 * The run-time model counts the busiest worker and the largest tile: what it takes of bytes is what the emulator moves
 * where tiles are alike and each worker has as many, as the paper cuts its perceptron.
 */
static void test_traffic_of_the_model(void **state)
{
	(void)state;
	struct network network;
	struct octopus_graph graph;
	struct err err = {0};
	struct machine machine;
	machine = shipped_machine("spaces/machines/final_chip.yaml");
	assert_int_equal(network_read("spaces/networks/mlp_784_512_256_16.yaml", &network, &err), ERR_OK);
	assert_int_equal(octopus_build(&network, &graph, &err), ERR_OK);
	for (uint32_t l = 0; l < graph.n_layer; l++) {
		struct octopus_layer *layer = &graph.layer[l];
		struct octopus_context context;
		struct octopus_work work;
		struct octopus_traffic traffic;
		assert_true(octopus_paper_cut(layer, &network.block[layer->block], 0));
		octopus_prepare(&machine, 0, &network.block[layer->block], &context);
		octopus_size(&context, &layer->split, &work);
		const struct octopus_plan plan = {layer->ifmap_first, layer->n_worker, layer->tiles_per_worker};
		struct octopus_fetches fetch = octopus_count_fetches(&work, &plan);
		octopus_count_traffic(&graph, layer, &traffic);
		assert_int_equal(traffic.weight_byte, layer->n_worker * fetch.n_weight * work.weight_byte);
		assert_int_equal(traffic.input_byte, layer->n_worker * fetch.n_in * work.in_byte);
		assert_int_equal(traffic.output_byte, layer->n_tile * work.out_byte);
	}
	octopus_free(&graph);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_perceptron_of_the_paper),
	    cmocka_unit_test(test_lenet),
	    cmocka_unit_test(test_mobilenet_v2),
	    cmocka_unit_test(test_resnet18),
	    cmocka_unit_test(test_random_networks),
	    cmocka_unit_test(test_traffic_of_the_model),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
