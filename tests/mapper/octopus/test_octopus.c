/* SPDX-License-Identifier: Apache-2.0 */
/* The application graph: layers, tensors between them, and tiles. */
#include "tests/support/unit_test.h"

#include "mapper/octopus/octopus.h"
#include "sim/base/rng.h"
#include "tests/support/network_text.h"
#include <stdlib.h>
#include <string.h>

static void read_text(const char *text, struct network *network, struct octopus_graph *graph)
{
	struct err err = {0};
	if (network_read_text(text, network, &err) != ERR_OK || octopus_build(network, graph, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static void read_file(const char *path, struct network *network, struct octopus_graph *graph)
{
	struct err err = {0};
	if (network_read(path, network, &err) != ERR_OK || octopus_build(network, graph, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

/* The paper's perceptron: one chain, weights of 8 bit and biases of 32. */
static void test_octopus_chains_a_perceptron(void **state)
{
	struct network network;
	struct octopus_graph graph;
	(void)state;
	read_file("spaces/networks/mlp_784_512_256_16.yaml", &network, &graph);
	static const uint32_t width[] = {784, 512, 256, 16};
	for (uint32_t l = 0; l < 3; l++) {
		const struct octopus_layer *layer = &graph.layer[l];
		const struct octopus_tensor *in = &graph.tensor[layer->input[0].tensor];
		assert_int_equal(layer->type, OCTOPUS_LINEAR);
		assert_int_equal(layer->n_input, 1);
		assert_int_equal(in->byte, width[l]);
		assert_int_equal(in->producer, l == 0 ? OCTOPUS_NONE : l - 1);
		assert_int_equal(in->n_consumer, 1);
		assert_int_equal(in->consumer[0], l);
		assert_int_equal(layer->weight_byte, width[l] * width[l + 1]);
		assert_int_equal(layer->bias_byte, 4 * width[l + 1]);
	}
	octopus_free(&graph);
	network_free(&network);
}

/* A shortcut's result stays a tensor until it is added; one that several read has all of them as consumers. */
static void test_octopus_keeps_residuals(void **state)
{
	struct network network;
	struct octopus_graph graph;
	(void)state;
	read_text("name: t\ninput: [8, 8, 4]\nlayers:\n"
	          "  - conv: {kernel: 3, out_channels: 4}\n"
	          "  - conv: {kernel: 3, out_channels: 4}\n"
	          "  - conv: {kernel: 3, out_channels: 4, add: {from: 1}}\n"
	          "  - pool: {window: 2}\n"
	          "  - concat: {from: [1, 3]}\n"
	          "  - conv: {kernel: 1, out_channels: 4, add: {from: 1}}\n",
	          &network, &graph);
	const struct octopus_layer *last = &graph.layer[graph.n_layer - 1];
	const struct octopus_tensor *first = &graph.tensor[graph.layer[0].output];
	assert_int_equal(first->n_consumer, 3);
	assert_int_equal(first->consumer[0], 1);
	assert_int_equal(first->consumer[1], 2);
	assert_int_equal(first->consumer[2], graph.n_layer - 1);
	assert_int_equal(last->n_input, 3);
	assert_int_equal(last->input[0].role, OCTOPUS_IFMAP);
	assert_int_equal(last->input[1].role, OCTOPUS_IFMAP);
	assert_int_equal(last->input[2].role, OCTOPUS_ADDED);
	assert_int_equal(last->input[2].tensor, graph.layer[0].output);
	assert_true(graph.tensor[last->output].is_output);
	octopus_free(&graph);
	network_free(&network);
}

/* Of any network: who produces and consumes a tensor agrees with what the layers say, and order is kept. */
static void assert_consistent(const struct octopus_graph *graph)
{
	for (uint32_t t = 0; t < graph->n_tensor; t++) {
		const struct octopus_tensor *tensor = &graph->tensor[t];
		assert_true(tensor->byte == (uint64_t)tensor->w * tensor->h * tensor->c);
		assert_int_equal(tensor->is_output, tensor->n_consumer == 0);
		if (tensor->producer != OCTOPUS_NONE)
			assert_int_equal(graph->layer[tensor->producer].output, t);
		for (uint32_t i = 0; i < tensor->n_consumer; i++) {
			assert_true(tensor->producer == OCTOPUS_NONE || tensor->consumer[i] > tensor->producer);
			assert_true(i == 0 || tensor->consumer[i] > tensor->consumer[i - 1]);
		}
	}
	for (uint32_t l = 0; l < graph->n_layer; l++)
		for (uint32_t i = 0; i < graph->layer[l].n_input; i++) {
			const struct octopus_tensor *in = &graph->tensor[graph->layer[l].input[i].tensor];
			bool found = false;
			for (uint32_t j = 0; j < in->n_consumer; j++)
				found = found || in->consumer[j] == l;
			assert_true(found);
		}
}

static void test_octopus_of_shipped_networks(void **state)
{
	static const char *const name[] = {"vgg16", "resnet50", "googlenet", "efficientnet_b0", "yolov4_tiny"};
	char path[80];
	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		struct network network;
		struct octopus_graph graph;
		snprintf(path, sizeof(path), "spaces/networks/%s.yaml", name[i]);
		read_file(path, &network, &graph);
		assert_consistent(&graph);
		octopus_free(&graph);
		network_free(&network);
	}
}

/* Tiles of a cut cover the result once, and worker after worker has all of them. */
static void assert_covers(const struct octopus_graph *graph, const struct octopus_layer *layer)
{
	const struct octopus_tensor *out = &graph->tensor[layer->output];
	const struct block *block = &graph->network->block[layer->block];
	unsigned char *hit = calloc(out->byte, 1);
	uint32_t n_done = 0;
	assert_non_null(hit);
	for (uint32_t p = 0; p < layer->n_worker; p++) {
		const struct octopus_range range = octopus_worker_tiles(layer, p);
		assert_int_equal(range.first, n_done);
		assert_true(range.n >= 1 && range.n <= layer->tiles_per_worker);
		n_done += range.n;
		for (uint32_t i = range.first; i < range.first + range.n; i++) {
			struct octopus_tile tile;
			octopus_get_tile(graph, layer, i, &tile);
			assert_true(tile.out_byte == (uint64_t)tile.w * tile.h * tile.n_c);
			assert_true(tile.in_x + tile.in_w <= block->in_w && tile.in_y + tile.in_h <= block->in_h);
			assert_true(tile.in_c + tile.n_in_c <= block->in_c);
			if (block->kind == BLOCK_CONV)
				assert_int_equal(tile.pad_left + tile.in_w + tile.pad_right,
				                 (tile.w * block->pool - 1) * block->stride + block_reach_w(block));
			for (uint32_t c = tile.c; c < tile.c + tile.n_c; c++)
				for (uint32_t y = tile.y; y < tile.y + tile.h; y++)
					for (uint32_t x = tile.x; x < tile.x + tile.w; x++) {
						uint64_t at = ((uint64_t)c * out->h + y) * out->w + x;
						assert_true(at < out->byte);
						assert_int_equal(hit[at]++, 0);
					}
		}
	}
	assert_int_equal(n_done, layer->n_tile);
	for (uint64_t i = 0; i < out->byte; i++)
		assert_int_equal(hit[i], 1);
	free(hit);
}

static void test_octopus_tiles_cover_the_result(void **state)
{
	struct network network;
	struct octopus_graph graph;
	(void)state;
	read_text("name: t\ninput: [21, 18, 6]\nlayers:\n"
	          "  - conv: {kernel: [5, 3], out_channels: 12, stride: 2}\n"                    /* 11x9 */
	          "  - conv: {kernel: 3, out_channels: 8, groups: 4, padding: [1, 0, 1, 1]}\n"   /* 10x9 */
	          "  - conv: {kernel: 3, dilation: 2, out_channels: 8, padding: [2, 2, 3, 2]}\n" /* 10x10 */
	          "  - pool: {window: 2}\n"
	          "  - pool: {window: 3, stride: 1}\n"
	          "  - fc: {out: 40}\n",
	          &network, &graph);
	struct rng rng = rng_stream(7, 0, 0);
	for (unsigned trial = 0; trial < 200; trial++) {
		struct octopus_layer *layer = &graph.layer[rng_below(&rng, graph.n_layer)];
		const struct block *block = &network.block[layer->block];
		struct split split = split_whole(block);
		struct err err = {0};
		split.w = dim_even(block->out_w, 1 + rng_below(&rng, block->out_w / block->pool), block->pool);
		split.h = dim_even(block->out_h, 1 + rng_below(&rng, block->out_h / block->pool), block->pool);
		split.c = dim_even(block_group_out_c(block), 1 + rng_below(&rng, block_group_out_c(block)), 1);
		if (block_n_group(block) > 1) /* a split is one of each group: all of them in turn */
			split.c = dim_even(block->out_c, 1 + rng_below(&rng, block->out_c), 1);
		else if (split_check(block, &split, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		octopus_cut(layer, &split, rng_below(&rng, 2) == 1, 1 + rng_below(&rng, 30));
		assert_covers(&graph, layer);
	}
	octopus_free(&graph);
	network_free(&network);
}

/* A tile of a stride-2 convolution by hand: rows 2..3 of the result, padded above by 1, in the middle of the map. */
static void test_octopus_tile_has_its_halo(void **state)
{
	struct network network;
	struct octopus_graph graph;
	struct octopus_tile tile;
	(void)state;
	read_text("name: t\ninput: [9, 9, 4]\nlayers:\n"
	          "  - conv: {kernel: 3, out_channels: 8, stride: 2, padding: [1, 1, 1, 1]}\n",
	          &network, &graph);
	const struct split split = {.w = {5, 1, 0, 0}, .h = {2, 2, 1, 1}, .c = {4, 2, 0, 0}, .d = {4, 1, 0, 0}};
	octopus_cut(&graph.layer[0], &split, false, 4);
	assert_int_equal(graph.layer[0].n_tile, 6);
	assert_int_equal(graph.layer[0].tiles_per_worker, 2);
	assert_int_equal(graph.layer[0].n_worker, 3);
	octopus_get_tile(&graph, &graph.layer[0], 4, &tile); /* filters 4 to 7, rows 2 and 3 */
	assert_int_equal(tile.c, 4);
	assert_int_equal(tile.y, 2);
	assert_int_equal(tile.h, 2);
	assert_int_equal(tile.in_y, 3);
	assert_int_equal(tile.in_h, 5);
	assert_int_equal(tile.in_w, 9);
	assert_int_equal(tile.pad_left, 1);
	assert_int_equal(tile.pad_right, 1);
	assert_int_equal(tile.pad_top, 0);
	assert_int_equal(tile.in_byte, 5 * 9 * 4);
	assert_int_equal(tile.weight_byte, 4 * 3 * 3 * 4);
	assert_int_equal(tile.bias_byte, 16);
	assert_int_equal(tile.out_byte, 5 * 2 * 4);
	octopus_free(&graph);
	network_free(&network);
}

/* A decoder's cache stays in DRAM whatever comes behind it, and so do the token's own keys and values, for the host. */
static void test_octopus_keeps_caches(void **state)
{
	struct network network;
	struct octopus_graph graph;
	size_t n_data = 0, n_output = 0;
	(void)state;
	assert_int_equal(network_read("spaces/networks/gpt2_decode_128.yaml", &network, NULL), ERR_OK);
	assert_int_equal(octopus_build(&network, &graph, NULL), ERR_OK);
	for (uint32_t t = 0; t < graph.n_tensor; t++) {
		const struct octopus_tensor *tensor = &graph.tensor[t];
		assert_int_equal(tensor->stays, strncmp(tensor->name, "data_", 5) == 0);
		assert_true(!tensor->stays || (tensor->producer == OCTOPUS_NONE && tensor->byte == 127 * 768));
		n_data += tensor->stays;
		n_output += tensor->is_output;
	}
	assert_int_equal(n_data, 2 * 12);
	assert_int_equal(n_output, 2 * 12 + 1);
	octopus_free(&graph);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_octopus_keeps_caches),           cmocka_unit_test(test_octopus_chains_a_perceptron),
	    cmocka_unit_test(test_octopus_keeps_residuals),        cmocka_unit_test(test_octopus_of_shipped_networks),
	    cmocka_unit_test(test_octopus_tiles_cover_the_result), cmocka_unit_test(test_octopus_tile_has_its_halo),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
