/* SPDX-License-Identifier: Apache-2.0 */
/* Shipped networks of today: layers, multiply-accumulates, weights and parameters as published. */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "mapper/network/network.h"
#include "sim/base/csv.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct csv_table published;

static const char *text_of(size_t row, const char *column)
{
	return csv_get_cell(&published, row, csv_find_column(&published, column))->text;
}

static double number_of(size_t row, const char *column)
{
	return strtod(text_of(row, column), NULL);
}

/* Convolutions of squeeze and excite work on one pixel. */
static bool is_squeeze(const struct block *block)
{
	return block->kind == BLOCK_CONV && block->in_w == 1 && block->in_h == 1;
}

/* What a block has of its own; a product of results has no weights. */
static bool has_weights(const struct block *block)
{
	return block->kind != BLOCK_POOL && block->filters.n == 0;
}

/* Parameters besides weights that a row of the table counts: see tests/reference/README.md. */
static double count_rest(const struct network *network, size_t row)
{
	bool all_bias = strcmp(text_of(row, "bias"), "all") == 0;
	double n = number_of(row, "other");
	for (size_t b = 0; b < network->n_block; b++) {
		const struct block *block = &network->block[b];
		double n_filter = block->kind == BLOCK_MATMUL ? block->out_w : block->out_c;
		bool is_conv = block->kind == BLOCK_CONV && has_weights(block);
		if (has_weights(block) && (all_bias || block->kind == BLOCK_MATMUL || is_squeeze(block)))
			n += n_filter;
		if (is_conv && !is_squeeze(block))
			n += number_of(row, "batch_norm") * n_filter;
		if (is_conv && block->has_mat_ele)
			n += number_of(row, "scale") * n_filter;
		if (block->kind == BLOCK_POOL && block->arm == ARM_NORM)
			n += 2 * number_of(row, "layer_norm") * block->in_c;
	}
	for (size_t d = 0; d < network->n_data; d++) {
		const struct network_data *data = &network->data[d];
		n += number_of(row, "data") * data->w * data->h * data->c;
	}
	return n;
}

static void test_networks_of_today_are_as_published(void **state)
{
	(void)state;
	assert_int_equal(csv_read_file("tests/reference/network_published.csv", &published, NULL), ERR_OK);
	for (size_t row = 0; row < published.n_row; row++) {
		struct network network = shipped_network(text_of(row, "network"));
		double n_mac = 0, n_weight = 0, n_layer = 0;
		for (size_t b = 0; b < network.n_block; b++) {
			const struct block *block = &network.block[b];
			n_mac += (double)block_n_mac(block);
			n_weight += has_weights(block) ? (double)block_n_weight(block) : 0;
			n_layer += block->kind != BLOCK_POOL;
		}
		assert_string_equal(network.name, text_of(row, "network"));
		if (n_layer != number_of(row, "layers") || n_mac != number_of(row, "mac") ||
		    n_weight != number_of(row, "weight"))
			fail_msg("%s: %.0f layers, %.0f multiply-accumulates, %.0f weights", network.name, n_layer,
			         n_mac, n_weight);
		if (text_of(row, "published_mac")[0])
			assert_true(fabs(n_mac / number_of(row, "published_mac") - 1) <
			            number_of(row, "tolerance_frac"));
		if (n_weight + count_rest(&network, row) != number_of(row, "parameters"))
			fail_msg("%s: %.0f parameters", network.name, n_weight + count_rest(&network, row));
		network_free(&network);
	}
	csv_free(&published);
}

/* The sides of the U-Net's maps that its figure 1 prints, behind each convolution but the last. */
static void test_unet_has_published_maps(void **state)
{
	static const uint32_t side[] = {570, 568, 282, 280, 138, 136, 66,  64,  30,  28,  28,
	                                54,  52,  52,  102, 100, 100, 198, 196, 196, 390, 388};
	struct network network = shipped_network("unet");
	size_t n = 0;
	(void)state;
	for (size_t b = 0; b < network.n_block; b++) {
		const struct block *block = &network.block[b];
		if (block->kind != BLOCK_CONV || block->out_c == 2)
			continue;
		assert_true(n < sizeof(side) / sizeof(side[0]));
		assert_int_equal(block->out_w, side[n]);
		assert_int_equal(block->out_h, side[n++]);
	}
	assert_int_equal(n, sizeof(side) / sizeof(side[0]));
	assert_int_equal(network.block[network.n_block - 1].out_w, 388);
	network_free(&network);
}

/*
 * Of a token more the cache of each layer lies in DRAM beforehand, keys and values of those before; its own are written
 * there, and what multiplies results with either has no weights.
 */
static void test_decoder_finds_its_cache_in_dram(void **state)
{
	struct network network = shipped_network("gpt2_decode_1024");
	size_t n_product = 0;
	(void)state;
	assert_int_equal(network.n_data, 2 * 12);
	for (size_t d = 0; d < network.n_data; d++) {
		assert_int_equal(network.data[d].w, 1023);
		assert_int_equal(network.data[d].c, 768);
	}
	for (size_t b = 0; b < network.n_block; b++) {
		const struct block_sources *filters = &network.block[b].filters;
		if (filters->n == 0)
			continue;
		assert_int_equal(filters->n, 2);
		assert_int_equal(filters->producer[0], NETWORK_DATA + n_product);
		assert_true(filters->producer[1] > 0 && filters->producer[1] < NETWORK_DATA);
		assert_true(network.block[filters->producer[1] - 1].result_to_dram);
		assert_int_equal(block_n_weight(&network.block[b]), 1024 * 768);
		n_product++;
	}
	assert_int_equal(n_product, 2 * 12);
	network_free(&network);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_networks_of_today_are_as_published),
	    cmocka_unit_test(test_unet_has_published_maps),
	    cmocka_unit_test(test_decoder_finds_its_cache_in_dram),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
