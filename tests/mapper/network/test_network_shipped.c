/* SPDX-License-Identifier: Apache-2.0 */
/* Shipped networks against what their publications and SCALE-Sim's topology files say of them. */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "mapper/network/network.h"
#include "sim/base/csv.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the publication says; its figures are rounded to so many parts of one. */
struct published {
	const char *name;
	size_t n_layer; /* convolutions and fully-connected layers, ours */
	size_t n_arada; /* as the ARADA paper's table 4 counts them */
	uint64_t n_mac, n_weight;
	double published_mac, published_weight, tolerance_frac;
};

/*
 * Ours, exactly, beside the publications' figures (spaces/networks/README.md has the sources and reasons). The
 * tolerance covers rounding, and parameters that are no weights.
 */
static const struct published table[] = {
    {"mobilenet_v1", 28, 28, 568740352, 4209088, 569e6, 4.2e6, 0.003},
    {"mobilenet_v2", 53, 54, 300774272, 3469760, 300e6, 3.4e6, 0.021},
    {"efficientnet_b0", 82, 82, 385814752, 5236192, 0.39e9, 5.3e6, 0.013},
    {"resnet18", 21, 21, 1814073344, 11678912, 1.8e9, 11.7e6, 0.008},
    /* table 1 adds up to 1502 M, of which the first layer has 34 M instead of 118 M; its K are 1024 parameters */
    {"googlenet", 58, 54, 1582671872, 6990272, 1502e6 - 34e6 + 118.0e6, 6797.7 * 1024, 0.005},
    {"yolov4_tiny", 21, 28, 3453938176, 6049888, 6.9e9 / 2, 6.06e6, 0.002},
};

static void test_shipped_networks_have_published_sizes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct published *row = &table[i];
		struct network network = shipped_network(row->name);
		uint64_t n_mac = 0, n_weight = 0;
		size_t n_layer = 0;
		for (size_t b = 0; b < network.n_block; b++) {
			n_mac += block_n_mac(&network.block[b]);
			n_weight += block_n_weight(&network.block[b]);
			n_layer += network.block[b].kind != BLOCK_POOL;
		}
		assert_string_equal(network.name, row->name);
		assert_int_equal(n_layer, row->n_layer);
		assert_true(n_mac == row->n_mac);
		assert_true(n_weight == row->n_weight);
		assert_true(fabs((double)n_mac / row->published_mac - 1) < row->tolerance_frac);
		assert_true(fabs((double)n_weight / row->published_weight - 1) < row->tolerance_frac);
		network_free(&network);
	}
}

/* Squeeze-and-excite convolutions, and they only, work on one pixel. */
static bool is_squeeze(const struct block *block)
{
	return block->kind == BLOCK_CONV && block->in_w == 1 && block->in_h == 1;
}

/*
 * Parameters of published models to the last one: weights, two numbers of batch normalisation for each filter, and
 * biases of the fully-connected layer and of squeeze-and-excite. As counted of models in wide use (torchvision,
 * Keras).
 */
static void test_shipped_networks_have_published_parameters(void **state)
{
	static const struct {
		const char *name;
		uint64_t n_parameter;
	} model[] = {
	    {"mobilenet_v1", 4231976}, {"mobilenet_v2", 3504872}, {"efficientnet_b0", 5288548}, {"resnet18", 11689512}};
	(void)state;
	for (size_t i = 0; i < sizeof(model) / sizeof(model[0]); i++) {
		struct network network = shipped_network(model[i].name);
		uint64_t n = 0;
		for (size_t b = 0; b < network.n_block; b++) {
			const struct block *block = &network.block[b];
			n += block_n_weight(block);
			if (block->kind == BLOCK_MATMUL)
				n += block->out_w;
			else if (block->kind == BLOCK_CONV)
				n += is_squeeze(block) ? block->out_c : 2 * (uint64_t)block->out_c;
		}
		assert_true(n == model[i].n_parameter);
		network_free(&network);
	}
}

/* A row of a topology, as the reference table repeats it for each run. */
struct topology_row {
	const char *layer;
	uint32_t ifmap_h, ifmap_w, filter_h, filter_w, channels, n_filter, stride;
};

/* The rows of a network's first run; returns how many. */
static size_t read_topology(const struct csv_table *csv, const char *network, struct topology_row *row, size_t max)
{
	size_t column = csv_find_column(csv, "network"), first = csv_find_column(csv, "layer"), n = 0;
	for (size_t i = 0; i < csv->n_row; i++) {
		if (strcmp(csv_get_cell(csv, i, column)->text, network) != 0)
			continue;
		const char *layer = csv_get_cell(csv, i, first)->text;
		if (n > 0 && strcmp(layer, row[0].layer) == 0)
			break;
		assert_true(n < max);
		row[n].layer = layer;
		uint32_t *const field[] = {&row[n].ifmap_h,  &row[n].ifmap_w,  &row[n].filter_h, &row[n].filter_w,
		                           &row[n].channels, &row[n].n_filter, &row[n].stride};
		for (size_t k = 0; k < 7; k++)
			*field[k] = (uint32_t)strtoul(csv_get_cell(csv, i, first + 1 + k)->text, NULL, 10);
		n++;
	}
	return n;
}

static void assert_same_shape(const struct block *block, const struct topology_row *row)
{
	if (block->kind == BLOCK_MATMUL) {
		assert_int_equal(row->ifmap_h * row->ifmap_w * row->channels, block->in_w);
		assert_int_equal(row->n_filter, block->out_w);
		return;
	}
	/* the file gives maps without their padding, though the tool adds none */
	assert_int_equal(row->ifmap_w, block->in_w);
	assert_int_equal(row->ifmap_h, block->in_h);
	assert_int_equal(row->filter_w, block->kernel_w);
	assert_int_equal(row->filter_h, block->kernel_h);
	assert_int_equal(row->channels, block->in_c);
	assert_int_equal(row->n_filter, block->out_c);
	assert_int_equal(row->stride, block->stride);
}

/* SCALE-Sim's file has our layers, in our order; what it lacks is padding: 3x3 convolutions lose two pixels a side. */
static void test_shipped_resnet18_is_that_of_scalesim(void **state)
{
	struct topology_row row[32];
	struct csv_table csv;
	struct network network = shipped_network("resnet18");
	(void)state;
	assert_int_equal(csv_read_file("tests/reference/scalesim_reference.csv", &csv, NULL), ERR_OK);
	size_t n = read_topology(&csv, "resnet18", row, 32), b = 0;
	assert_int_equal(n, 21);
	for (size_t i = 0; i < n; i++, b++) {
		while (network.block[b].kind == BLOCK_POOL)
			b++;
		assert_same_shape(&network.block[b], &row[i]);
	}
	assert_int_equal(b, network.n_block);
	csv_free(&csv);
	network_free(&network);
}

/*
 * Its MobileNet differs by two traps: a depthwise layer is written as one filter over all channels, which is as many
 * products and weights, but one channel of results; and the last one has stride 2 on 7x7 pixels, as the paper prints.
 * The fully-connected layer is missing.
 */
static void test_shipped_mobilenet_is_that_of_scalesim(void **state)
{
	struct topology_row row[32];
	struct csv_table csv;
	struct network network = shipped_network("mobilenet_v1");
	(void)state;
	assert_int_equal(csv_read_file("tests/reference/scalesim_reference.csv", &csv, NULL), ERR_OK);
	size_t n = read_topology(&csv, "mobilenet", row, 32), n_depthwise = 0;
	assert_int_equal(n, 27);
	assert_int_equal(network.n_block, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct block *block = &network.block[i];
		struct topology_row given = row[i];
		if (block_n_group(block) > 1) {
			n_depthwise++;
			assert_int_equal(given.n_filter, 1);
			assert_int_equal(block_group_in_c(block), 1);
			assert_int_equal(given.filter_w * given.filter_h * given.channels, block_n_weight(block));
			given.n_filter = block->out_c;
		}
		if (i == 25) {
			assert_int_equal(given.stride, 2);
			given.stride = 1;
		}
		assert_same_shape(block, &given);
	}
	assert_int_equal(n_depthwise, 13);
	assert_int_equal(network.block[n].kind, BLOCK_MATMUL);
	csv_free(&csv);
	network_free(&network);
}

/* Branches of GoogLeNet and YOLOv4-tiny meet in maps of the published sizes. */
static void test_shipped_branches_have_published_channels(void **state)
{
	static const uint32_t channels[] = {192, 256, 480, 512, 512, 512, 528, 832, 832, 1024};
	struct network network = shipped_network("googlenet");
	size_t n = 0;
	(void)state;
	for (size_t b = 4; b + 5 < network.n_block && network.block[b].kind != BLOCK_MATMUL; b++) {
		const struct block *block = &network.block[b];
		/* a module's first branch is followed by two that read the same map */
		bool is_first = block->kernel_w == 1 && block[1].in_c == block->in_c && block[3].in_c == block->in_c &&
		                block[1].kernel_w == 1 && block[3].kernel_w == 1 && block[2].kernel_w == 3;
		if (is_first && block->kind == BLOCK_CONV)
			assert_int_equal(block->in_c, channels[n++]);
	}
	assert_int_equal(n, 9);
	assert_int_equal(network.block[network.n_block - 1].in_w, channels[9]);
	network_free(&network);
	network = shipped_network("yolov4_tiny");
	const struct block *last = &network.block[network.n_block - 1];
	assert_int_equal(last->in_w, 26);
	assert_int_equal(last[-1].in_c, 128 + 256);
	assert_int_equal(network_find_block(&network, "CONV_30")->in_w, 13);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_shipped_networks_have_published_sizes),
	    cmocka_unit_test(test_shipped_networks_have_published_parameters),
	    cmocka_unit_test(test_shipped_resnet18_is_that_of_scalesim),
	    cmocka_unit_test(test_shipped_mobilenet_is_that_of_scalesim),
	    cmocka_unit_test(test_shipped_branches_have_published_channels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
