/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "mapper/network/network.h"
#include "sim/base/csv.h"
#include "tests/support/network_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned count_kind(const struct network *network, enum block_kind kind)
{
	unsigned n = 0;
	for (size_t i = 0; i < network->n_block; i++)
		n += network->block[i].kind == kind;
	return n;
}

static uint64_t conv_mac(const struct network *network)
{
	uint64_t n_mac = 0;
	for (size_t i = 0; i < network->n_block; i++)
		if (network->block[i].kind == BLOCK_CONV)
			n_mac += block_n_mac(&network->block[i]);
	return n_mac;
}

static void test_network_vgg16_has_its_layers(void **state)
{
	struct network network = shipped_network("vgg16");
	(void)state;
	assert_string_equal(network.name, "vgg16");
	assert_int_equal(count_kind(&network, BLOCK_CONV), 13);
	assert_int_equal(count_kind(&network, BLOCK_MATMUL), 3);
	assert_int_equal(network.n_block, 16);
	assert_true(conv_mac(&network) == 15346630656ull);
	assert_int_equal(network_find_block(&network, "FC_19")->in_w, 7 * 7 * 512);
	assert_int_equal(network_find_block(&network, "FC_21")->out_w, 1000);
	assert_null(network_find_block(&network, "POOL_3"));
	/* The two middle layers of the last group are equal; nothing else is. */
	for (size_t i = 0; i < network.n_block; i++)
		assert_int_equal(network.block[i].same_as, i == 11 ? 10 : i);
	network_free(&network);
}

static void test_network_resnet50_has_its_layers(void **state)
{
	struct network network = shipped_network("resnet50");
	const struct block *first, *pool;
	(void)state;
	assert_int_equal(count_kind(&network, BLOCK_CONV), 53);
	assert_int_equal(count_kind(&network, BLOCK_POOL), 1);
	assert_int_equal(count_kind(&network, BLOCK_MATMUL), 1);
	assert_true(conv_mac(&network) == 3855925248ull);
	first = network_find_block(&network, "CONV_1");
	assert_int_equal(first->pad_left * 1000 + first->pad_right * 100 + first->pad_top * 10 + first->pad_bottom,
	                 3232);
	assert_int_equal(first->next_pool_stride, 2);
	pool = network_find_block(&network, "POOL_2");
	assert_int_equal(pool->pad_left * 1000 + pool->pad_right * 100 + pool->pad_top * 10 + pool->pad_bottom, 1010);
	assert_false(pool->pool_average);
	assert_int_equal(network_find_block(&network, "CONV_50")->pool, 7);
	assert_int_equal(network_find_block(&network, "CONV_50")->pool_number, 51);
	assert_true(network_find_block(&network, "CONV_50")->pool_average);
	network_free(&network);
}

static void test_network_mlp_has_its_layers(void **state)
{
	static const uint32_t size[] = {784, 512, 256, 16};
	struct network network = shipped_network("mlp_784_512_256_16");
	(void)state;
	assert_int_equal(network.n_block, 4);
	assert_int_equal(network.block[3].arm, ARM_SOFTMAX);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(network.block[i].kind, BLOCK_MATMUL);
		assert_int_equal(network.block[i].in_w, size[i]);
		assert_int_equal(network.block[i].out_w, size[i + 1]);
		assert_int_equal(network.block[i].out_h, 1);
		assert_int_equal(block_n_mac(&network.block[i]), size[i] * size[i + 1]);
	}
	network_free(&network);
}

/* Shapes follow from one block to the next, over pooling and shortcuts. */
static void check_shapes(const struct network *network)
{
	for (size_t i = 0; i < network->n_block; i++) {
		const struct block *block = &network->block[i];

		if (block->kind == BLOCK_MATMUL)
			continue;
		assert_true((block_padded_w(block) - block->kernel_w) / block->stride + 1 >= block->out_w);
		assert_true((block->out_w - 1) * block->stride + block->kernel_w <= block_padded_w(block));
		assert_true((block->out_h - 1) * block->stride + block->kernel_h <= block_padded_h(block));
		assert_int_equal(block->out_w % block->pool, 0);
		assert_int_equal(block->has_padd,
		                 block_padded_w(block) > block->in_w || block_padded_h(block) > block->in_h);
		if (i > 0 && block->input == INPUT_LATEST && block[-1].kind != BLOCK_MATMUL) {
			assert_int_equal(block->in_w, block[-1].out_w / block[-1].pool);
			assert_int_equal(block->in_h, block[-1].out_h / block[-1].pool);
			assert_int_equal(block->in_c, block[-1].out_c);
		}
		if (block->is_shortcut) {
			assert_int_equal(block->out_w, block[-1].out_w);
			assert_int_equal(block->out_c, block[-1].out_c);
			assert_true(block->has_mat_ele && !block[-1].has_acti && !block[-1].has_quan);
		}
	}
}

static void test_network_shapes_chain(void **state)
{
	static const char *const name[] = {"vgg16", "resnet50", "mlp_784_512_256_16"};
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct network network = shipped_network(name[i]);

		check_shapes(&network);
		network_free(&network);
	}
}

/* A value is held from the block after it until its last reader; every shortcut reader finds one. */
static void test_network_holds_what_shortcuts_read(void **state)
{
	struct network network = shipped_network("resnet50");
	bool held = false;
	unsigned n_hold = 0;
	(void)state;
	for (size_t i = 0; i < network.n_block; i++) {
		const struct block *block = &network.block[i];

		if (block->hold) {
			assert_false(held);
			held = true;
			n_hold++;
		}
		assert_true(!block->has_mat_ele || held);
		assert_int_equal(block->input, block->is_shortcut ? INPUT_HELD : INPUT_LATEST);
		assert_false(block->result_to_dram);
		if (block->release_held) {
			assert_true(held);
			held = false;
		}
	}
	assert_false(held);
	assert_int_equal(n_hold, 16);
	network_free(&network);
}

/* What is added to the latest result is that result, wherever it lies: nothing is held for it, nor sent to DRAM. */
static void test_network_adds_the_latest_result(void **state)
{
	static const char text[] = "name: own\ninput: [8, 8, 4]\nlayers:\n  - conv: {kernel: 3, out_channels: 8}\n"
				   "  - conv: {kernel: 3, out_channels: 8, add: {from: -1}}\n"
				   "  - conv: {kernel: 3, out_channels: 8, add: {from: -1}}\n";
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(network_read_text(text, &network, &err), ERR_OK);
	assert_int_equal(network.n_block, 3);
	for (size_t i = 1; i < network.n_block; i++) {
		assert_int_equal(network.block[i].input, INPUT_LATEST);
		assert_int_equal(network.block[i].added, INPUT_LATEST);
	}
	for (size_t i = 0; i < network.n_block; i++)
		assert_false(network.block[i].hold || network.block[i].result_to_dram);
	network_free(&network);
}

/* Every operation the thesis lists for a network is one of ours, in the same order, and the other way round. */
static void check_operations(const char *network_name, const char *target, const char *until)
{
	struct network network = shipped_network(network_name);
	struct err err = {0};
	struct csv_table table;
	size_t row = 0, column, n_checked = 0;
	assert_int_equal(csv_read_file("spaces/splits/thesis.csv", &table, &err), ERR_OK);
	column = csv_find_column(&table, "operation");
	for (size_t i = 0; i < network.n_block && strcmp(network.block[i].name, until) != 0; i++) {
		struct operation operation[BLOCK_MAX_OPERATION];
		size_t n = block_operations(&network.block[i], operation, BLOCK_MAX_OPERATION);

		assert_int_equal(block_operations(&network.block[i], NULL, 0), n);
		for (size_t j = 0; j < n; j++, row++, n_checked++) {
			while (strcmp(csv_get_cell(&table, row, 0)->text, network_name) != 0 ||
			       strcmp(csv_get_cell(&table, row, 1)->text, target) != 0)
				row++;
			assert_string_equal(operation[j].name, csv_get_cell(&table, row, column)->text);
		}
	}
	assert_true(n_checked > 50);
	csv_free(&table);
	network_free(&network);
}

static void test_network_names_operations_as_the_thesis(void **state)
{
	(void)state;
	check_operations("vgg16", "qpe", "");
	check_operations("vgg16", "chip", "");
	check_operations("resnet50", "qpe", "CONV_31"); /* illegible in the source from there on */
	check_operations("resnet50", "chip", "");
}

#define HEAD "name: t\ninput: [9, 9, 4]\nlayers:\n"

static void test_network_fuses_only_pooling_that_divides(void **state)
{
	static const struct {
		const char *text;
		bool fused;
	} nets[] = {
	    {HEAD "  - conv: {kernel: 2, out_channels: 4, padding: valid}\n  - pool: {window: 2}\n", true},
	    {HEAD "  - conv: {kernel: 1, out_channels: 4}\n  - pool: {window: 3}\n", true},
	    {HEAD "  - conv: {kernel: 1, out_channels: 4}\n  - pool: {window: 2}\n", false},
	    {HEAD "  - conv: {kernel: 1, out_channels: 4}\n  - pool: {window: 3, stride: 2}\n", false},
	    {HEAD "  - conv: {kernel: 1, out_channels: 4}\n  - pool: {window: [3, 1], stride: 3}\n", false},
	    {HEAD "  - conv: {kernel: 1, out_channels: 4}\n  - pool: {window: 3, padding: [3, 0, 0, 0]}\n", false},
	    {HEAD "  - conv: {kernel: 1, out_channels: 4}\n  - pool: {window: 3}\n  - conv: {kernel: 1, out_channels: "
	          "4, from: 1}\n",
	     false},
	    {HEAD "  - pool: {window: 3}\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nets) / sizeof(*nets); i++) {
		struct network network;
		struct err err = {0};

		assert_int_equal(network_read_text(nets[i].text, &network, &err), ERR_OK);
		assert_int_equal(count_kind(&network, BLOCK_POOL), nets[i].fused ? 0 : 1);
		check_shapes(&network);
		network_free(&network);
	}
}

/* Two shortcuts that overlap: the second finds the place taken and goes through DRAM. */
static void test_network_far_results_go_through_dram(void **state)
{
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(network_read_text(HEAD
	                                   "  - conv: {kernel: 1, out_channels: 4}\n"
	                                   "  - conv: {kernel: 3, out_channels: 4}\n"
	                                   "  - conv: {kernel: 3, out_channels: 4, add: {from: 1}}\n"
	                                   "  - conv: {kernel: 3, out_channels: 4, add: {from: 2}}\n"
	                                   "  - conv: {kernel: 3, out_channels: 8, add: {from: 0, conv: {kernel: 1}}}\n"
	                                   "  - conv: {kernel: 3, out_channels: 4, from: 3}\n",
	                                   &network, &err),
	                 ERR_OK);
	assert_int_equal(network.n_block, 7);
	/* The network's input is wanted to the end and is first to be held; it is in DRAM anyway. */
	assert_true(network.block[0].hold);
	assert_true(network.block[5].is_shortcut && network.block[5].input == INPUT_HELD &&
	            network.block[5].release_held);
	assert_false(network.block[1].hold || network.block[2].hold);
	assert_true(network.block[0].result_to_dram && network.block[1].result_to_dram);
	/* Layer 6 reads layer 3. */
	assert_int_equal(network.block[6].input, INPUT_DRAM);
	assert_true(network.block[2].result_to_dram);
	assert_false(network.block[3].result_to_dram || network.block[6].result_to_dram);
	network_free(&network);
}

static void test_network_pads_a_shortcut_under_its_own_name(void **state)
{
	struct network network;
	struct operation operation[BLOCK_MAX_OPERATION];
	struct err err = {0};
	(void)state;
	assert_int_equal(
	    network_read_text(HEAD "  - conv: {kernel: 3, out_channels: 4, add: {from: 0, conv: {kernel: 3}}}\n",
	                      &network, &err),
	    ERR_OK);
	assert_int_equal(network.n_block, 2);
	assert_true(network.block[0].hold && network.block[1].input == INPUT_HELD);
	assert_int_equal(block_operations(&network.block[1], operation, BLOCK_MAX_OPERATION), 5);
	assert_string_equal(operation[0].name, "PADD_SC_1");
	assert_string_equal(operation[1].name, "CONV_SC_1");
	assert_int_equal(operation[1].kind, OPERATION_CONV_SC);
	network_free(&network);
}

/* The largest sizes that pass must not wrap round anywhere: 2^50 multiply-accumulates, 4096 layers. */
static void test_network_survives_hostile_sizes(void **state)
{
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(
	    network_read_text(
		"name: t\ninput: [65536, 65536, 1]\nlayers:\n"
		"  - conv: {kernel: [1, 4], out_channels: 65536}\n"
		"  - repeat: {times: 4095, layers: [{conv: {kernel: 65536, out_channels: 65536, stride: 65536, "
		"padding: [65535, 0, 65536, 65535]}}]}\n",
		&network, &err),
	    ERR_INPUT);
	assert_non_null(strstr(err_text(&err), ":5:36: CONV_2: 1x2x65536 results from 281474976710656 values each"));
	err_clear(&err);
	assert_int_equal(
	    network_read_text("name: t\ninput: [65536, 65536, 65536]\nlayers:\n"
	                      "  - repeat: {times: 2048, layers: [{conv: {kernel: [2, 2], out_channels: 1}}, "
	                      "{conv: {kernel: [4, 1], out_channels: 65536}}]}\n",
	                      &network, &err),
	    ERR_OK);
	assert_int_equal(network.n_block, 4096);
	assert_true(block_n_mac(&network.block[1]) == UINT64_C(1) << 50);
	assert_int_equal(block_padded_w(&network.block[1]), 65536 + 3);
	network_free(&network);
}

static void test_network_reports_every_malformed_file(void **state)
{
	static const struct {
		const char *file, *said;
	} wrong[] = {
	    {"bad_activation", ":4:52: activation: found 'relo', allowed none, relu, did you mean 'relu'?"},
	    {"bad_filters", ":4:37: out_channels: found '65537'"},
	    {"bad_from", ":4:46: from: found 0.5, allowed a whole number"},
	    {"bad_input", ":2:15: input: found '70000'"},
	    {"bad_kernel", ":4:24: kernel: found '0'"},
	    {"bad_out", ":4:15: out: found '-1'"},
	    {"bad_padding", ":4:49: padding: found 'some', allowed same, valid"},
	    {"bad_pool_type", ":4:29: type: found 'mean', allowed max, average"},
	    {"bad_stride", ":4:48: stride: found '0'"},
	    {"batch_of_images", ":6:5: CONV_2 in a network of batch 2 has weights that are a result"},
	    {"conv_after_fc", ":5:5: CONV_2 needs a feature map, but FC_1 gives a vector of 10"},
	    {"empty_name", ":1:7: name: found '', which is empty"},
	    {"from_itself", ":4:5: CONV_1: from is 1, allowed"},
	    {"from_nowhere", ":4:5: CONV_1: from is -2, allowed"},
	    {"layers_no_list", ":3:9: layers: found"},
	    {"long_kernel", ":4:20: kernel: found a list of 3"},
	    {"missing_filters", ":4:11: out_channels is missing"},
	    {"missing_input", ":1:1: input is missing"},
	    {"missing_kernel", ":4:11: kernel is missing"},
	    {"missing_name", ":1:1: name is missing"},
	    {"missing_shortcut_from", ":4:45: from is missing"},
	    {"no_layers", ":3:9: layers: found an empty list"},
	    {"no_map", ":1:1: found a list, allowed a map"},
	    {"repeat_times", ":4:21: times: found '0'"},
	    {"repeat_without_layers", ":4:13: layers is missing"},
	    {"result_too_large", ":4:5: CONV_1: a window of 1x1 on 8x8 pixels"},
	    {"shape_of_shortcut", ":5:5: CONV_2 gives 8x8x5, but its shortcut adds 8x8x4 (from CONV_1"},
	    {"shape_of_shortcut_conv",
	     ":4:5: CONV_1 gives 4x4x4, but its shortcut adds 8x8x4 (from the network's input"},
	    {"short_input", ":2:8: input: found a list of 2"},
	    {"short_padding", ":4:49: padding: found a list of 2"},
	    {"too_many_layers", ":4:13: more than 4096 layers"},
	    {"two_kinds", ":4:5: found 2 keys in one layer"},
	    {"unknown_key", "did you mean 'kernel'?"},
	    {"unknown_layer", ":4:5: key: found 'convolution', allowed conv, pool, fc, arm, repeat"},
	    {"unknown_top_key", "did you mean 'batch'?"},
	    {"too_much_work", ":4:5: CONV_1: 65536x65536x65536 results from 281474976710656 values each are more work"},
	    {"vector_too_long", ":5:5: FC_2: its input has"},
	    {"window_too_large", ":4:5: POOL_1: a window of 9x9 is larger than its input of 8x8 pixels"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct network network;
		struct err err = {0};
		char path[128];

		snprintf(path, sizeof(path), "tests/malformed/network_%s.yaml", wrong[i].file);
		assert_int_equal(network_read(path, &network, &err), ERR_INPUT);
		assert_int_equal(network.n_block, 0);
		if (err.n_message != 1 || !strstr(err_text(&err), wrong[i].said))
			fail_msg("%s: found %u messages:\n%swanted one: %s", path, err.n_message, err_text(&err),
			         wrong[i].said);
		assert_int_equal(strncmp(err_text(&err), path, strlen(path)), 0);
		err_clear(&err);
	}
}

static void test_network_reports_all_mistakes_at_once(void **state)
{
	static const char *const said[] = {":4:20: kernel", "did you mean 'out_channels'?",
	                                   ":5:11: out_channels is missing", ":6:29: type",
	                                   ":8:5: POOL_5 needs a feature map, but FC_4 gives a vector of 4"};
	struct network network;
	struct err err = {0};
	(void)state;
	assert_int_equal(network_read("tests/malformed/network_many.yaml", &network, &err), ERR_INPUT);
	for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
		assert_non_null(strstr(err_text(&err), said[i]));
	/* Without a record the code is the same. */
	assert_int_equal(network_read("tests/malformed/network_many.yaml", &network, NULL), ERR_INPUT);
	assert_int_equal(network_read("tests/malformed/no_such_file.yaml", &network, NULL), ERR_IO);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_network_vgg16_has_its_layers),
	    cmocka_unit_test(test_network_resnet50_has_its_layers),
	    cmocka_unit_test(test_network_mlp_has_its_layers),
	    cmocka_unit_test(test_network_shapes_chain),
	    cmocka_unit_test(test_network_holds_what_shortcuts_read),
	    cmocka_unit_test(test_network_adds_the_latest_result),
	    cmocka_unit_test(test_network_names_operations_as_the_thesis),
	    cmocka_unit_test(test_network_fuses_only_pooling_that_divides),
	    cmocka_unit_test(test_network_far_results_go_through_dram),
	    cmocka_unit_test(test_network_pads_a_shortcut_under_its_own_name),
	    cmocka_unit_test(test_network_survives_hostile_sizes),
	    cmocka_unit_test(test_network_reports_every_malformed_file),
	    cmocka_unit_test(test_network_reports_all_mistakes_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
