/* SPDX-License-Identifier: Apache-2.0 */
/* Transformers as ONNX graphs: heads of attention, normalisation in parts, words. */
#include "tests/support/unit_test.h"

#include "tests/support/onnx_imported.h"

/*
 * A layer: four products of rows x width x width, two of rows x rows x width, two of rows x width x 4 width. The
 * function behind a product is its layer's; only softmax and normalisation have layers of their own.
 */
static void test_onnx_transformer_encoder(void **state)
{
	const uint64_t rows = 128, width = 768;
	struct onnx_import import;
	(void)state;
	model_encoder(&builder, 2, 128, 768, 12);
	expect_counts(&import, 2 * (12 * rows * width * width + 2 * rows * rows * width), 0);
	assert_int_equal(import.plan.n_parameter, 2 * 12 * width * width); /* products of results have none */
	expect_all(&import, "MatMul", ONNX_MLA);
	expect_all(&import, "Softmax", ONNX_ARM);
	expect_all(&import, "LayerNormalization", ONNX_ARM);
	expect_all(&import, "Erf", ONNX_ARM);
	expect_all(&import, "Reshape", ONNX_FREE);
	expect_all(&import, "Shape", ONNX_FOLDED);
	assert_int_equal(status_of(&import, "Div"), ONNX_FOLDED); /* of the scores; Gelu's is ARM */
	struct network network = build(&import);
	size_t n[3] = {0}, n_group = 0;
	for (size_t i = 0; i < network.n_block; i++) {
		n[network.block[i].kind]++;
		n_group += network.block[i].groups == 12;
	}
	assert_int_equal(n[BLOCK_CONV], 2 * 8);
	assert_int_equal(n[BLOCK_POOL], 2 * 3);
	assert_int_equal(n_group, 2 * 2);
	/* softmax of the heads' rows, which are channels here; then normalisation, twice */
	size_t n_arm[N_ARM_KIND] = {0};
	for (size_t i = 0; i < network.n_block; i++) {
		n_arm[network.block[i].arm]++;
		assert_int_equal(network.block[i].whole, network.block[i].arm == ARM_POOL ? 0 : WHOLE_C);
	}
	assert_int_equal(n_arm[ARM_SOFTMAX], 2);
	assert_int_equal(n_arm[ARM_NORM], 2 * 2);
	assert_int_equal(n_arm[ARM_POOL], 2 * 8);
	expect_file_keeps(&import, &network);
	/* every block goes by its node's name, and products are called so, in messages and in the file that is written
	 */
	for (size_t i = 0; i < network.n_block; i++) {
		const struct block *block = &network.block[i];
		struct operation operation[BLOCK_MAX_OPERATION];
		size_t k = 0;
		while (strcmp(import.graph.node[k].name, block->origin.node) != 0)
			k++;
		assert_true(k < import.graph.n_node);
		assert_string_equal(import.graph.node[k].op, block->origin.op);
		assert_int_equal(block->is_product, strcmp(block->origin.op, "MatMul") == 0);
		assert_int_equal(strncmp(block->name, "MATMUL_", 7) == 0, block->is_product);
		assert_true(block_is_called(block, block->origin.node) && block_is_called(block, block->name));
		size_t n_operation = block_operations(block, operation, BLOCK_MAX_OPERATION), n_named = 0;
		for (size_t o = 0; o < n_operation; o++)
			n_named += strcmp(operation[o].name, block->name) == 0;
		assert_int_equal(n_named, 1);
	}
	/* keys and values are weights: they come from DRAM */
	assert_true(network.block[1].result_to_dram && network.block[2].result_to_dram);
	assert_int_equal(network.block[3].groups, 12);
	network_free(&network);
	onnx_import_free(&import);
}

/*
 * Attention as PyTorch writes it: queries, keys and values of one product, taken apart by Gather, masked by a second
 * input, normalised in nine nodes; rows and batch left open.
 */
static void test_onnx_packed_attention(void **state)
{
	static const struct onnx_dim rows = {"x.1", 24};
	struct onnx_import import;
	struct err err = {0};
	const char *part[3];
	size_t n_byte;
	(void)state;
	builder_start(&builder, "packed");
	builder_input(&builder, "x", 3, (const int64_t[]){-1, 0, 32});
	builder_input(&builder, "mask", 4, (const int64_t[]){1, 1, 1, 24});
	const char *x = model_dense(&builder, "x", 32, 96);
	x = builder_node(&builder, "Reshape", NULL, x, BUILDER_LIST(&builder, 0, -1, 3, 4, 8), NULL)->output[0];
	Onnx__NodeProto *turn = builder_node(&builder, "Transpose", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, turn, "perm", 2, 0, 3, 1, 4);
	for (int64_t i = 0; i < 3; i++) {
		Onnx__NodeProto *index = builder_node(&builder, "Constant", NULL, NULL);
		builder_integer(&builder, index, "value_int", i);
		part[i] = model_axis(
		    &builder, builder_node(&builder, "Gather", NULL, turn->output[0], index->output[0], NULL), 0);
	}
	turn = builder_node(&builder, "Transpose", NULL, part[1], NULL);
	BUILDER_INTEGERS(&builder, turn, "perm", 0, 1, 3, 2);
	x = builder_node(&builder, "MatMul", NULL, part[0], turn->output[0], NULL)->output[0];
	const char *mask = builder_node(&builder, "Sub", NULL, BUILDER_WEIGHTS(&builder, 1), "mask", NULL)->output[0];
	x = builder_node(&builder, "Add", NULL, x, mask, NULL)->output[0];
	x = model_axis(&builder, builder_node(&builder, "Softmax", NULL, x, NULL), -1);
	x = builder_node(&builder, "MatMul", NULL, x, part[2], NULL)->output[0];
	turn = builder_node(&builder, "Transpose", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, turn, "perm", 0, 2, 1, 3);
	x = builder_node(&builder, "Reshape", NULL, turn->output[0], BUILDER_LIST(&builder, 0, 0, -1), NULL)->output[0];
	x = builder_node(&builder, "Add", NULL, "x", model_dense(&builder, x, 32, 32), NULL)->output[0];
	for (int i = 0; i < 2; i++) { /* the mean, then the deviation */
		Onnx__NodeProto *mean = builder_node(&builder, "ReduceMean", NULL, x, NULL);
		BUILDER_INTEGERS(&builder, mean, "axes", -1);
		x = builder_node(&builder, i == 0 ? "Sub" : "Div", NULL, x, mean->output[0], NULL)->output[0];
	}
	builder_output(&builder, x);
	uint8_t *data = builder_pack(&builder, &n_byte);
	if (onnx_import_bytes("model.onnx", data, n_byte, &rows, 1, &import, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	free(data);
	builder_free(&builder);
	struct network network = build(&import);
	assert_int_equal(import.plan.mac, 24 * 32 * 96 + 2 * 24 * 24 * 32 + 24 * 32 * 32);
	assert_int_equal(network_mac(&network), import.plan.mac);
	expect_all(&import, "Gather", ONNX_FREE);
	expect_all(&import, "MatMul", ONNX_MLA);
	expect_file_keeps(&import, &network);
	network_free(&network);
	onnx_import_free(&import);
}

/* Mean and deviation in nine nodes, as opsets before 17 have them. */
static const char *norm_in_parts(const char *x, int64_t width)
{
	Onnx__NodeProto *mean = builder_node(&builder, "ReduceMean", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, mean, "axes", -1);
	const char *y = builder_node(&builder, "Sub", NULL, x, mean->output[0], NULL)->output[0];
	const char *square = builder_node(&builder, "Pow", NULL, y, BUILDER_WEIGHTS(&builder, 1), NULL)->output[0];
	mean = builder_node(&builder, "ReduceMean", NULL, square, NULL);
	BUILDER_INTEGERS(&builder, mean, "axes", -1);
	const char *d =
	    builder_node(&builder, "Add", NULL, mean->output[0], BUILDER_WEIGHTS(&builder, 1), NULL)->output[0];
	d = builder_node(&builder, "Sqrt", NULL, d, NULL)->output[0];
	y = builder_node(&builder, "Div", NULL, y, d, NULL)->output[0];
	y = builder_node(&builder, "Mul", NULL, y, BUILDER_WEIGHTS(&builder, width), NULL)->output[0];
	return builder_node(&builder, "Add", NULL, y, BUILDER_WEIGHTS(&builder, width), NULL)->output[0];
}

/* An encoder from the words on: embeddings by Gather, a mask that is computed, a pooler; nothing is known of its data.
 */
static void test_onnx_encoder_of_words(void **state)
{
	const int64_t rows = 32, width = 48, head = 4;
	struct onnx_import import;
	(void)state;
	builder_start(&builder, "words");
	builder.opset.version = 11;
	builder_input(&builder, "ids", 2, (const int64_t[]){1, rows});
	builder_input(&builder, "attends", 2, (const int64_t[]){1, rows});
	const char *x =
	    builder_node(&builder, "Gather", NULL, BUILDER_WEIGHTS(&builder, 1000, width), "ids", NULL)->output[0];
	x = builder_node(&builder, "Add", NULL, x, BUILDER_WEIGHTS(&builder, 1, rows, width), NULL)->output[0];
	x = norm_in_parts(x, width);
	Onnx__NodeProto *node = builder_node(&builder, "Unsqueeze", NULL, "attends", NULL);
	BUILDER_INTEGERS(&builder, node, "axes", 1, 2);
	const char *mask = builder_node(&builder, "Cast", NULL, node->output[0], NULL)->output[0];
	mask = builder_node(&builder, "Sub", NULL, BUILDER_WEIGHTS(&builder, 1), mask, NULL)->output[0];
	mask = builder_node(&builder, "Mul", NULL, mask, BUILDER_WEIGHTS(&builder, 1), NULL)->output[0];
	for (int i = 0; i < 2; i++) {
		const char *q =
		    model_heads(&builder, model_dense(&builder, x, width, width), head, width / head, false);
		const char *k = model_heads(&builder, model_dense(&builder, x, width, width), head, width / head, true);
		const char *v =
		    model_heads(&builder, model_dense(&builder, x, width, width), head, width / head, false);
		const char *y = builder_node(&builder, "MatMul", NULL, q, k, NULL)->output[0];
		y = builder_node(&builder, "Div", NULL, y, BUILDER_WEIGHTS(&builder, 1), NULL)->output[0];
		y = builder_node(&builder, "Add", NULL, y, mask, NULL)->output[0];
		y = model_axis(&builder, builder_node(&builder, "Softmax", NULL, y, NULL), 3);
		y = builder_node(&builder, "MatMul", NULL, y, v, NULL)->output[0];
		node = builder_node(&builder, "Transpose", NULL, y, NULL);
		BUILDER_INTEGERS(&builder, node, "perm", 0, 2, 1, 3);
		y = builder_node(&builder, "Reshape", NULL, node->output[0], BUILDER_LIST(&builder, 0, 0, -1), NULL)
		        ->output[0];
		y = model_dense(&builder, y, width, width);
		x = norm_in_parts(builder_node(&builder, "Add", NULL, y, x, NULL)->output[0], width);
		y = model_gelu(&builder, model_dense(&builder, x, width, 4 * width));
		y = model_dense(&builder, y, 4 * width, width);
		x = norm_in_parts(builder_node(&builder, "Add", NULL, x, y, NULL)->output[0], width);
	}
	node = builder_node(&builder, "Gather", NULL, x, BUILDER_LIST(&builder, 0), NULL);
	builder_integer(&builder, node, "axis", 1);
	x = builder_node(&builder, "Reshape", NULL, node->output[0], BUILDER_LIST(&builder, 1, width), NULL)->output[0];
	x = builder_node(&builder, "Tanh", NULL, model_gemm(&builder, x, width, width), NULL)->output[0];
	builder_output(&builder, model_gemm(&builder, x, width, 2));
	expect_counts(&import,
	              (uint64_t)(2 * (12 * rows * width * width + 2 * rows * rows * width) + width * width + 2 * width),
	              (uint64_t)(2 * 12 * width * width + width * width + width + 2 * width + 2));
	expect_all(&import, "MatMul", ONNX_MLA);
	expect_all(&import, "Gemm", ONNX_MLA);
	expect_all(&import, "Softmax", ONNX_ARM);
	onnx_import_free(&import);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_onnx_transformer_encoder),
	    cmocka_unit_test(test_onnx_packed_attention),
	    cmocka_unit_test(test_onnx_encoder_of_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
