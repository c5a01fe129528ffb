/* SPDX-License-Identifier: Apache-2.0 */
/* Published networks as ONNX graphs: their counts, their layers beside the hand-written ones, and what becomes of
 * nodes. */
#include "tests/support/unit_test.h"

#include "tests/support/onnx_imported.h"

static void test_onnx_vgg16_is_the_written_one(void **state)
{
	(void)state;
	model_vgg(&builder, "vgg16", (const int[]){2, 2, 3, 3, 3});
	expect_network("vgg16");
}

/* Exporters differ in the order of the nodes; layers do not. */
static void test_onnx_resnet50_is_the_thesis_one(void **state)
{
	(void)state;
	model_resnet50(&builder, false);
	expect_network("resnet50");
	model_resnet50(&builder, true);
	expect_network("resnet50");
}

/* Parameters as torchvision and Caffe list them (without those of batch normalisation); work layer by layer by hand. */
static void test_onnx_published_counts(void **state)
{
	struct onnx_import import;
	(void)state;
	model_vgg(&builder, "vgg19", (const int[]){2, 2, 4, 4, 4});
	expect_counts(&import, UINT64_C(19508428800) + 123633664, 143667240);
	onnx_import_free(&import);

	model_alexnet(&builder);
	expect_counts(&import, 665784864 + 58621952, 60965224);
	expect_all(&import, "LRN", ONNX_ARM);
	expect_all(&import, "Softmax", ONNX_ARM);
	onnx_import_free(&import);

	/* 7978856 parameters in all, 83648 of them of batch normalisation */
	model_densenet121(&builder);
	expect_counts(&import, UINT64_C(2834161664), 7978856 - 83648);
	expect_all(&import, "Relu", ONNX_ARM);
	onnx_import_free(&import);
}

/*
 * As the model zoo has them: weights by ConstantOfShape, initializers among the inputs, opset 9, padding of the end for
 * Caffe's rounding. Counts by hand from the papers' tables, layer by layer, and the same without these habits.
 */
static void test_onnx_model_zoo(void **state)
{
	struct onnx_import import;
	(void)state;
	for (int light = 0; light < 2; light++) {
		builder.is_light = light;
		model_alexnet_224(&builder);
		expect_counts(&import, 661986432 + 58621952, 60965224);
		expect_all(&import, "LRN", ONNX_ARM);
		onnx_import_free(&import);

		builder.is_light = light;
		model_zfnet512(&builder);
		expect_counts(&import, UINT64_C(2380334208) + 96370688, 107627624);
		onnx_import_free(&import);

		builder.is_light = light;
		model_inception_v2(&builder);
		expect_counts(&import, UINT64_C(2031576064) + 1024000, 11275208);
		expect_all(&import, "Unsqueeze", ONNX_FOLDED);
		expect_all(&import, "Mul", ONNX_FOLDED);
		expect_all(&import, "Concat", ONNX_FREE);
		onnx_import_free(&import);

		builder.is_light = light;
		model_densenet121(&builder);
		expect_counts(&import, UINT64_C(2834161664), 7978856 - 83648);
		onnx_import_free(&import);
	}
	builder.is_light = true;
	model_vgg(&builder, "vgg19", (const int[]){2, 2, 4, 4, 4});
	expect_counts(&import, UINT64_C(19508428800) + 123633664, 143667240);
	onnx_import_free(&import);
}

static const char *old_conv(const char *x, int64_t in, int64_t out)
{
	Onnx__NodeProto *node = builder_node(&builder, "Conv", NULL, x, BUILDER_WEIGHTS(&builder, out, in, 3, 3), NULL);
	BUILDER_INTEGERS(&builder, node, "kernel_shape", 3, 3);
	BUILDER_INTEGERS(&builder, node, "pads", 1, 1, 1, 1);
	return node->output[0];
}

/* Two inputs, the second along axis 1 of the first, as before opset 7. */
static const char *old_pair(const char *op, const char *x, const char *by)
{
	Onnx__NodeProto *node = builder_node(&builder, op, NULL, x, by, NULL);
	builder_integer(&builder, node, "broadcast", 1);
	builder_integer(&builder, node, "axis", 1);
	return node->output[0];
}

/* Words of opsets 1 to 6: lists as attributes, consumed inputs, further outputs, broadcasting along an axis. */
static void test_onnx_old_opsets(void **state)
{
	struct onnx_import import;
	(void)state;
	for (int64_t version = 1; version <= 6; version += version == 1 ? 2 : 3) {
		model_start(&builder, "old", 16);
		builder.opset.version = version;
		builder.model.ir_version = 3;
		const char *x = old_conv("data", 3, 8);
		Onnx__NodeProto *node = builder_node(&builder, "BatchNormalization", NULL, x,
		                                     BUILDER_WEIGHTS(&builder, 8), BUILDER_WEIGHTS(&builder, 8),
		                                     BUILDER_WEIGHTS(&builder, 8), BUILDER_WEIGHTS(&builder, 8), NULL);
		builder_integer(&builder, node, "spatial", 1);
		builder_integer(&builder, node, "is_test", 1);
		BUILDER_INTEGERS(&builder, node, "consumed_inputs", 0, 0, 0, 1, 1);
		for (int i = 0; i < 4; i++)
			(void)builder_more_output(&builder, node);
		x = old_pair("Mul", node->output[0], BUILDER_WEIGHTS(&builder, 8));
		x = old_pair("Add", x, BUILDER_WEIGHTS(&builder, 8));
		node = builder_node(&builder, "Relu", NULL, x, NULL);
		BUILDER_INTEGERS(&builder, node, "consumed_inputs", 0);
		const char *before = node->output[0];
		x = old_conv(before, 8, 8);
		node = builder_node(&builder, "Sum", NULL, x, before, NULL);
		BUILDER_INTEGERS(&builder, node, "consumed_inputs", 0, 0);
		x = node->output[0];
		/* Concat without axis is along channels in opsets 1 to 3 */
		node = builder_node(&builder, "Concat", NULL, x, before, NULL);
		if (version > 3)
			builder_integer(&builder, node, "axis", 1);
		node = builder_node(&builder, "Pad", NULL, node->output[0], NULL);
		BUILDER_INTEGERS(&builder, node, version == 1 ? "paddings" : "pads", 0, 0, 1, 1, 0, 0, 1, 1);
		x = old_conv(node->output[0], 16, 4);
		node = builder_node(&builder, "Upsample", NULL, x, NULL);
		builder_real(&builder, node, "height_scale", 2);
		builder_real(&builder, node, "width_scale", 1.5F);
		x = model_pool(&builder, "AveragePool", node->output[0], 2, 2, 0); /* 36 x 27 to 18 x 13 */
		node = builder_node(&builder, "Dropout", NULL, x, NULL);
		builder_integer(&builder, node, "is_test", 1);
		(void)builder_more_output(&builder, node);
		x = node->output[0];
		if (version < 5) {
			node = builder_node(&builder, "Reshape", NULL, x, NULL);
			BUILDER_INTEGERS(&builder, node, "shape", 0, -1);
			BUILDER_INTEGERS(&builder, node, "consumed_inputs", 0);
			x = node->output[0];
		} else {
			x = model_flatten(&builder, x);
		}
		node = builder_node(&builder, "Gemm", NULL, x, BUILDER_WEIGHTS(&builder, 10, 4 * 18 * 13),
		                    BUILDER_WEIGHTS(&builder, 10), NULL);
		builder_integer(&builder, node, "transB", 1);
		builder_integer(&builder, node, "broadcast", 1);
		builder_output(&builder, builder_node(&builder, "Softmax", NULL, node->output[0], NULL)->output[0]);
		expect_counts(&import, 16 * 16 * 8 * 27 + 16 * 16 * 8 * 72 + 18 * 18 * 4 * 144 + 10 * 4 * 18 * 13,
		              8 * 27 + 8 * 72 + 4 * 144 + 10 * 4 * 18 * 13 + 10);
		expect_all(&import, "Mul", ONNX_FOLDED);
		expect_all(&import, "BatchNormalization", ONNX_FOLDED);
		expect_all(&import, "Dropout", ONNX_FREE);
		onnx_import_free(&import);
	}
}

/* GoogLeNet's work is that of the hand-written network, whose maps are as large. */
static void test_onnx_googlenet(void **state)
{
	struct onnx_import import;
	struct network written;
	struct err err = {0};
	(void)state;
	assert_int_equal(network_read("spaces/networks/googlenet.yaml", &written, &err), ERR_OK);
	for (int light = 0; light < 2; light++) {
		builder.is_light = light;
		model_googlenet(&builder);
		expect_counts(&import, network_mac(&written), 0);
		expect_all(&import, "Concat", ONNX_FREE);
		onnx_import_free(&import);
	}
	network_free(&written);
}

/* MobileNetV2's inverted residual and EfficientNet's squeeze and excite, SiLU and hard swish in single nodes. */
static void test_onnx_mobile_blocks(void **state)
{
	struct onnx_import import;
	(void)state;
	model_start(&builder, "mobile", 32);
	const char *x = model_conv(&builder, "data", (struct model_conv){.in = 3, .out = 16, .kernel = 3, .pad = 1});
	const char *y = model_conv(&builder, x, (struct model_conv){.in = 16, .out = 96, .kernel = 1, .no_relu = true});
	const char *sigmoid = builder_node(&builder, "Sigmoid", NULL, y, NULL)->output[0];
	y = builder_node(&builder, "Mul", NULL, y, sigmoid, NULL)->output[0];
	y = model_conv(&builder, y,
	               (struct model_conv){.in = 96, .out = 96, .kernel = 3, .pad = 1, .group = 96, .no_relu = true});
	y = builder_node(&builder, "HardSwish", NULL, y, NULL)->output[0];
	Onnx__NodeProto *mean = builder_node(&builder, "ReduceMean", NULL, y, NULL);
	BUILDER_INTEGERS(&builder, mean, "axes", 2, 3);
	const char *s = model_conv(&builder, mean->output[0], (struct model_conv){.in = 96, .out = 4, .kernel = 1});
	s = model_conv(&builder, s, (struct model_conv){.in = 4, .out = 96, .kernel = 1, .no_relu = true});
	s = builder_node(&builder, "HardSigmoid", NULL, s, NULL)->output[0];
	y = builder_node(&builder, "Mul", NULL, y, s, NULL)->output[0];
	y = model_conv(&builder, y,
	               (struct model_conv){.in = 96, .out = 16, .kernel = 1, .norm = true, .no_relu = true});
	builder_output(&builder, builder_node(&builder, "Add", NULL, x, y, NULL)->output[0]);
	expect_counts(&import, 1024 * (16 * 27 + 16 * 96 + 96 * 9 + 96 * 16) + 2 * 96 * 4, 0);
	struct network network = build(&import);
	/* six convolutions, the mean, and the scaling of the map */
	assert_int_equal(network.n_block, 8);
	assert_true(network.block[1].has_acti && network.block[2].has_acti && network.block[5].has_acti);
	assert_int_equal(network.block[2].groups, 96);
	assert_int_equal(network.block[3].kind, BLOCK_POOL);
	assert_int_equal(network.block[3].kernel_w, 32);
	assert_int_equal(network.block[6].kind, BLOCK_POOL);
	assert_int_equal(network.block[3].arm, ARM_POOL);
	assert_true(network.block[3].pool_average);
	assert_int_equal(network.block[6].arm, ARM_MULTIPLY);
	assert_int_equal(network.block[6].operand, OPERAND_CHANNEL);
	expect_file_keeps(&import, &network);
	assert_true(network.block[7].has_mat_ele && !network.block[7].has_acti);
	network_free(&network);
	onnx_import_free(&import);
}

/* A raw result that is wanted as well as a function of it (ResNet v2) keeps the function a layer of its own. */
static void test_onnx_functions_of_shared_results(void **state)
{
	struct onnx_import import;
	(void)state;
	model_start(&builder, "shared", 16);
	const char *x =
	    model_conv(&builder, "data", (struct model_conv){.in = 3, .out = 8, .kernel = 1, .no_relu = true});
	const char *y = model_relu(&builder, model_norm(&builder, x, 8));
	y = model_conv(&builder, y, (struct model_conv){.in = 8, .out = 8, .kernel = 3, .pad = 1, .no_relu = true});
	builder_output(&builder, builder_node(&builder, "Add", NULL, y, x, NULL)->output[0]);
	expect_counts(&import, 256 * (8 * 3 + 8 * 72), 0);
	expect_all(&import, "BatchNormalization", ONNX_ARM);
	struct network network = build(&import);
	assert_int_equal(network.n_block, 3);
	assert_false(network.block[0].has_acti);
	assert_int_equal(network.block[1].kind, BLOCK_POOL);
	assert_int_equal(network.block[1].kernel_w, 1);
	assert_true(network.block[2].has_mat_ele);
	network_free(&network);
	onnx_import_free(&import);
}

/* Quantised models in both forms: scales are folded, products count. */
static void test_onnx_quantised_models(void **state)
{
	struct onnx_import import;
	(void)state;
	model_start(&builder, "qdq", 16);
	const char *one = BUILDER_WEIGHTS(&builder, 1);
	const char *q = builder_node(&builder, "QuantizeLinear", NULL, "data", one, one, NULL)->output[0];
	const char *x = builder_node(&builder, "DequantizeLinear", NULL, q, one, one, NULL)->output[0];
	const char *w =
	    builder_node(&builder, "DequantizeLinear", NULL, BUILDER_WEIGHTS(&builder, 8, 3, 3, 3), one, one, NULL)
		->output[0];
	x = model_relu(&builder, builder_node(&builder, "Conv", NULL, x, w, NULL)->output[0]);
	q = builder_node(&builder, "QuantizeLinear", NULL, x, one, one, NULL)->output[0];
	q = builder_node(&builder, "QLinearConv", NULL, q, one, one, BUILDER_WEIGHTS(&builder, 4, 8, 1, 1), one, one,
	                 one, one, BUILDER_WEIGHTS(&builder, 4), NULL)
	        ->output[0];
	q = builder_node(&builder, "Reshape", NULL, q, BUILDER_LIST(&builder, 4, 196), NULL)->output[0];
	builder_output(&builder, builder_node(&builder, "QLinearMatMul", NULL, q, one, one,
	                                      BUILDER_WEIGHTS(&builder, 196, 10), one, one, one, one, NULL)
	                             ->output[0]);
	expect_counts(&import, 196 * 8 * 27 + 196 * 4 * 8 + 4 * 196 * 10, 8 * 27 + 4 * 8 + 4 + 196 * 10);
	expect_all(&import, "QuantizeLinear", ONNX_FOLDED);
	expect_all(&import, "DequantizeLinear", ONNX_FOLDED);
	struct network network = build(&import);
	assert_int_equal(network.n_block, 3);
	assert_true(network.block[0].has_acti);
	network_free(&network);
	onnx_import_free(&import);
}

/* Padding before a convolution is the convolution's; nearest pixels are addresses; transposed convolutions spread out.
 */
static void test_onnx_pads_and_upsampling(void **state)
{
	struct onnx_import import;
	(void)state;
	model_start(&builder, "up", 16);
	const char *x =
	    builder_node(&builder, "Pad", NULL, "data", BUILDER_LIST(&builder, 0, 0, 1, 0, 0, 0, 2, 1), NULL)
		->output[0];
	x = model_conv(&builder, x, (struct model_conv){.in = 3, .out = 8, .kernel = 3, .pad = 0}); /* 17 x 15 */
	Onnx__NodeProto *up = builder_node(&builder, "Upsample", NULL, x, NULL);
	Onnx__AttributeProto *scales =
	    builder_attribute(&builder, up, "scales", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
	float scale[4] = {1, 1, 2, 2};
	scales->n_floats = 4;
	scales->floats = scale;
	x = model_conv(&builder, up->output[0], (struct model_conv){.in = 8, .out = 8, .kernel = 1}); /* 34 x 30 */
	Onnx__NodeProto *spread =
	    builder_node(&builder, "ConvTranspose", NULL, x, BUILDER_WEIGHTS(&builder, 8, 4, 2, 2), NULL);
	BUILDER_INTEGERS(&builder, spread, "strides", 2, 2);
	builder_output(&builder, spread->output[0]);
	expect_counts(&import, 17 * 15 * 8 * 27 + 34 * 30 * (8 * 8 + 8 * 16), 0);
	expect_all(&import, "Pad", ONNX_FOLDED);
	expect_all(&import, "Upsample", ONNX_FREE);
	expect_all(&import, "ConvTranspose", ONNX_MLA);
	struct network network = build(&import);
	assert_int_equal(network.n_block, 4);
	assert_int_equal(network.block[0].pad_top, 1);
	assert_int_equal(network.block[0].pad_bottom, 2);
	assert_int_equal(network.block[0].pad_left, 0);
	assert_int_equal(network.block[0].pad_right, 1);
	assert_int_equal(network.block[3].out_w, 60);
	assert_int_equal(network.block[3].out_c, 4);
	network_free(&network);
	onnx_import_free(&import);
}

/* All that has no layers is named at once, each kind of it once, and what stands behind it is judged all the same. */
static void test_onnx_unsupported_nodes(void **state)
{
	struct onnx_import import;
	struct err err = {0};
	(void)state;
	model_start(&builder, "odd", 16);
	const char *x = "data";
	for (int i = 0; i < 2; i++)
		x = builder_node(&builder, "Frobnicate", NULL, x, NULL)->output[0];
	x = builder_node(&builder, "Relu", NULL, x, NULL)->output[0];
	Onnx__NodeProto *dense =
	    builder_node(&builder, "Conv", NULL, "data", BUILDER_WEIGHTS(&builder, 70000, 3, 1, 1), NULL);
	builder_output(&builder, dense->output[0]);
	builder_output(&builder, model_conv(&builder, "data", (struct model_conv){.in = 3, .out = 8, .kernel = 3}));
	import_model(&import);
	assert_int_equal(import.plan.n_unsupported, 4);
	assert_int_equal(import.plan.mac, 256 * 70000 * 3 + 196 * 8 * 27);
	assert_int_equal(import.plan.verdict[4].status, ONNX_MLA);
	assert_int_equal(onnx_complain_unsupported(&import, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 3);
	assert_non_null(strstr(err_text(&err), "node 1 'Frobnicate_0' (Frobnicate): an operator that is not known"));
	assert_non_null(strstr(err_text(&err), "(and 1 more nodes like it)"));
	assert_non_null(strstr(err_text(&err), "(Relu): its shape cannot be known"));
	assert_non_null(strstr(err_text(&err), "(Conv): more than 65536 channels"));
	err_clear(&err);
	onnx_import_free(&import);
}

/*
 * Windows of strides that differ or of three sides are written out: a 1x1 convolution over as many numbers.
 * The images of a batch are groups of channels.
 */
static void test_onnx_odd_windows(void **state)
{
	struct onnx_import import;
	(void)state;
	builder_start(&builder, "odd");
	builder_input(&builder, "x", 4, (const int64_t[]){2, 8, 16, 12});
	const char *x =
	    model_conv(&builder, "x", (struct model_conv){.in = 8, .out = 6, .kernel = 3, .pad = 1, .group = 2});
	Onnx__NodeProto *gaps = builder_node(&builder, "Conv", NULL, x, BUILDER_WEIGHTS(&builder, 4, 6, 3, 3), NULL);
	BUILDER_INTEGERS(&builder, gaps, "dilations", 2, 2); /* 12 x 8 */
	Onnx__NodeProto *strides =
	    builder_node(&builder, "Conv", NULL, gaps->output[0], BUILDER_WEIGHTS(&builder, 5, 4, 1, 3), NULL);
	BUILDER_INTEGERS(&builder, strides, "strides", 2, 1); /* 6 x 6 */
	x = builder_node(&builder, "Reshape", NULL, strides->output[0], BUILDER_LIST(&builder, 1, 10, 2, 3, 6), NULL)
	        ->output[0];
	x = builder_node(&builder, "Conv", NULL, x, BUILDER_WEIGHTS(&builder, 7, 10, 2, 2, 2), NULL)
	        ->output[0]; /* 1 2 5 */
	Onnx__NodeProto *pool = builder_node(&builder, "MaxPool", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, pool, "kernel_shape", 1, 2, 2);
	builder_output(&builder, pool->output[0]);
	expect_counts(&import, 2 * 192 * 6 * 36 + 2 * 96 * 4 * 54 + 2 * 36 * 5 * 12 + 10 * 7 * 80,
	              6 * 36 + 6 + 4 * 54 + 5 * 12 + 7 * 80);
	struct network network = build(&import);
	assert_int_equal(network.n_block, 5);
	assert_int_equal(network.block[0].groups, 4);
	assert_int_equal(network.block[0].in_c, 16);
	assert_int_equal(network.block[0].kernel_w, 3);
	assert_int_equal(network.block[1].in_c, 12);
	assert_int_equal(network.block[1].kernel_h, 3);
	assert_int_equal(network.block[1].dilation, 2);
	assert_int_equal(network.block[1].out_h, 12);
	assert_int_equal(network.block[4].kind, BLOCK_POOL);
	assert_int_equal(network.block[4].out_c, 7 * 4);
	network_free(&network);
	onnx_import_free(&import);
}

/* Images that all nodes treat alike are the network's batch, on the layers of one. */
static void test_onnx_batch(void **state)
{
	struct onnx_import import;
	struct network several, one;
	(void)state;
	for (int64_t n_image = 1; n_image <= 4; n_image += 3) {
		builder_start(&builder, "batch");
		builder_input(&builder, "x", 4, (const int64_t[]){n_image, 8, 16, 12});
		const char *x =
		    model_conv(&builder, "x", (struct model_conv){.in = 8, .out = 6, .kernel = 3, .pad = 1});
		const char *y = model_conv(&builder, x, (struct model_conv){.in = 6, .out = 6, .kernel = 3, .pad = 1});
		x = builder_node(&builder, "Add", NULL, y, x, NULL)->output[0];
		x = model_flatten(&builder, model_pool(&builder, "MaxPool", x, 2, 2, 0));
		builder_output(&builder, model_gemm(&builder, x, 6 * 8 * 6, 10));
		uint64_t mac = (uint64_t)n_image * (9 * 8 * 6 * 192 + 9 * 6 * 6 * 192 + 288 * 10);
		expect_counts(&import, mac, 9 * 8 * 6 + 6 + 9 * 6 * 6 + 6 + 288 * 10 + 10);
		if (n_image == 1)
			one = build(&import);
		else
			several = build(&import);
		onnx_import_free(&import);
	}
	assert_int_equal(several.n_block, one.n_block);
	for (size_t i = 0; i < one.n_block; i++) {
		struct block block = several.block[i];
		bool is_matmul = block.kind == BLOCK_MATMUL;
		assert_int_equal(is_matmul ? block.in_h : block_batch(&block), 4);
		block.batch = 1;
		block.in_h = is_matmul ? 1 : block.in_h;
		block.out_h = is_matmul ? 1 : several.block[i].out_h;
		assert_true(block_same(&block, &one.block[i]));
	}
	network_free(&several);
	network_free(&one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_onnx_vgg16_is_the_written_one),
	    cmocka_unit_test(test_onnx_resnet50_is_the_thesis_one),
	    cmocka_unit_test(test_onnx_published_counts),
	    cmocka_unit_test(test_onnx_model_zoo),
	    cmocka_unit_test(test_onnx_old_opsets),
	    cmocka_unit_test(test_onnx_googlenet),
	    cmocka_unit_test(test_onnx_mobile_blocks),
	    cmocka_unit_test(test_onnx_functions_of_shared_results),
	    cmocka_unit_test(test_onnx_quantised_models),
	    cmocka_unit_test(test_onnx_pads_and_upsampling),
	    cmocka_unit_test(test_onnx_unsupported_nodes),
	    cmocka_unit_test(test_onnx_odd_windows),
	    cmocka_unit_test(test_onnx_batch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
