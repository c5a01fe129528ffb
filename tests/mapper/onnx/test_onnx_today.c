/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Networks of today as exporters write them: ViT-Tiny, MobileNetV3-Large, ConvNeXt-Tiny, the U-Net, MLPerf Tiny's
 * keyword spotting. Each has the multiply-accumulates of the shipped file, and no layer of the ARM cores that the file
 * has not.
 */
#include "tests/support/shipped_network.h"
#include "tests/support/unit_test.h"

#include "tests/support/onnx_imported.h"

static const char *node_of(const char *op, const char *a, const char *b)
{
	return builder_node(&builder, op, NULL, a, b, NULL)->output[0];
}

static const char *turn(const char *x, int64_t a, int64_t b, int64_t c, int64_t d)
{
	Onnx__NodeProto *node = builder_node(&builder, "Transpose", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, node, "perm", a, b, c, d);
	return node->output[0];
}

static void start(const char *name, int64_t opset, int64_t c, int64_t h, int64_t w)
{
	builder_start(&builder, name);
	builder.opset.version = opset;
	builder_input(&builder, "data", 4, (const int64_t[]){1, c, h, w});
}

static size_t n_arm(const struct network *network, enum arm_kind kind)
{
	size_t n = 0;
	for (size_t b = 0; b < network->n_block; b++)
		n += network->block[b].kind == BLOCK_POOL && network->block[b].arm == kind;
	return n;
}

/* What the model's blocks do is what those of the shipped file do; of its own are data alone. */
static void expect_shipped(const char *name)
{
	struct onnx_import import;
	struct network written = shipped_network(name);
	expect_counts(&import, network_mac(&written), 0);
	struct network network = build(&import);
	for (enum arm_kind kind = ARM_FUNCTION; kind < N_ARM_KIND; kind++)
		if (n_arm(&network, kind) != n_arm(&written, kind))
			fail_msg("%s: %zu layers of %s, the file has %zu", name, n_arm(&network, kind),
			         parser_arm_name[kind - 1], n_arm(&written, kind));
	assert_int_equal(n_arm(&network, ARM_MULTIPLY), n_arm(&written, ARM_MULTIPLY));
	network_free(&network);
	network_free(&written);
	onnx_import_free(&import);
}

/* ---- ViT-Tiny: the class token is an initializer that is widened and put before the patches ---- */

static const char *vit_layer(const char *x)
{
	const char *y = model_layer_norm(&builder, x, 192);
	const char *q = model_heads(&builder, model_dense(&builder, y, 192, 192), 3, 64, false);
	const char *k = model_heads(&builder, model_dense(&builder, y, 192, 192), 3, 64, true);
	const char *v = model_heads(&builder, model_dense(&builder, y, 192, 192), 3, 64, false);
	y = node_of("Mul", node_of("MatMul", q, k), BUILDER_WEIGHTS(&builder, 1));
	y = model_axis(&builder, builder_node(&builder, "Softmax", NULL, y, NULL), -1);
	y = turn(node_of("MatMul", y, v), 0, 2, 1, 3);
	y = node_of("Reshape", y, BUILDER_LIST(&builder, 1, 197, 192));
	x = node_of("Add", model_dense(&builder, y, 192, 192), x);
	y = model_dense(&builder, model_layer_norm(&builder, x, 192), 192, 768);
	return node_of("Add", x, model_dense(&builder, model_gelu(&builder, y), 768, 192));
}

static void test_onnx_vit_tiny(void **state)
{
	(void)state;
	start("vit", 17, 3, 224, 224);
	const char *x = model_conv(
	    &builder, "data", (struct model_conv){.in = 3, .out = 192, .kernel = 16, .stride = 16, .no_relu = true});
	x = node_of("Reshape", x, BUILDER_LIST(&builder, 1, 192, 196));
	Onnx__NodeProto *node = builder_node(&builder, "Transpose", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, node, "perm", 0, 2, 1);
	const char *token = node_of("Expand", BUILDER_WEIGHTS(&builder, 1, 1, 192), BUILDER_LIST(&builder, 1, 1, 192));
	x = model_axis(&builder, builder_node(&builder, "Concat", NULL, token, node->output[0], NULL), 1);
	x = node_of("Add", x, BUILDER_WEIGHTS(&builder, 1, 197, 192));
	for (int i = 0; i < 12; i++)
		x = vit_layer(x);
	node =
	    builder_node(&builder, "Gather", NULL, model_layer_norm(&builder, x, 192), BUILDER_LIST(&builder, 0), NULL);
	x = node_of("Reshape", model_axis(&builder, node, 1), BUILDER_LIST(&builder, 1, 192));
	builder_output(&builder, model_gemm(&builder, x, 192, 1000));
	struct onnx_import import;
	struct network written;
	assert_int_equal(network_read("spaces/networks/vit_tiny.yaml", &written, NULL), ERR_OK);
	expect_counts(&import, network_mac(&written), 0);
	struct network network = build(&import);
	assert_int_equal(n_arm(&network, ARM_NORM), 25);
	assert_int_equal(n_arm(&network, ARM_SOFTMAX), 12);
	/* positions are added to what no layer computes: constants beside it */
	assert_int_equal(n_arm(&network, ARM_FUNCTION) + n_arm(&network, ARM_ADD), 1);
	network_free(&network);
	network_free(&written);
	onnx_import_free(&import);
}

/* ---- MobileNetV3-Large ---- */

static const char *swish(const char *x, bool is_hard)
{
	return is_hard ? node_of("HardSwish", x, NULL) : model_relu(&builder, x);
}

static const char *conv(const char *x, struct model_conv of)
{
	of.no_relu = true;
	of.no_bias = true;
	return model_conv(&builder, x, of);
}

static const char *squeeze(const char *x, int64_t c, int64_t middle)
{
	const char *y = node_of("GlobalAveragePool", x, NULL);
	y = model_relu(&builder, conv(y, (struct model_conv){.in = c, .out = middle, .kernel = 1}));
	y = node_of("HardSigmoid", conv(y, (struct model_conv){.in = middle, .out = c, .kernel = 1}), NULL);
	return node_of("Mul", x, y);
}

static void test_onnx_mobilenet_v3(void **state)
{
	static const struct {
		int64_t kernel, wide, out, middle, stride;
		bool is_hard;
	} row[] = {{3, 16, 16, 0, 1, 0},     {3, 64, 24, 0, 2, 0},     {3, 72, 24, 0, 1, 0},
	           {5, 72, 40, 24, 2, 0},    {5, 120, 40, 32, 1, 0},   {5, 120, 40, 32, 1, 0},
	           {3, 240, 80, 0, 2, 1},    {3, 200, 80, 0, 1, 1},    {3, 184, 80, 0, 1, 1},
	           {3, 184, 80, 0, 1, 1},    {3, 480, 112, 120, 1, 1}, {3, 672, 112, 168, 1, 1},
	           {5, 672, 160, 168, 2, 1}, {5, 960, 160, 240, 1, 1}, {5, 960, 160, 240, 1, 1}};
	(void)state;
	start("mobilenet_v3", 14, 3, 224, 224);
	const char *x =
	    swish(conv("data", (struct model_conv){.in = 3, .out = 16, .kernel = 3, .stride = 2, .pad = 1}), true);
	int64_t in = 16;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		int64_t wide = row[i].wide;
		const char *y = x;
		if (wide != in)
			y = swish(conv(y, (struct model_conv){.in = in, .out = wide, .kernel = 1}), row[i].is_hard);
		y = conv(y, (struct model_conv){.in = wide,
		                                .out = wide,
		                                .kernel = row[i].kernel,
		                                .stride = row[i].stride,
		                                .pad = row[i].kernel / 2,
		                                .group = wide});
		y = swish(y, row[i].is_hard);
		if (row[i].middle > 0)
			y = squeeze(y, wide, row[i].middle);
		y = conv(y, (struct model_conv){.in = wide, .out = row[i].out, .kernel = 1});
		x = row[i].stride == 1 && in == row[i].out ? node_of("Add", x, y) : y;
		in = row[i].out;
	}
	x = swish(conv(x, (struct model_conv){.in = 160, .out = 960, .kernel = 1}), true);
	x = model_flatten(&builder, node_of("GlobalAveragePool", x, NULL));
	x = swish(model_gemm(&builder, x, 960, 1280), true);
	builder_output(&builder, model_gemm(&builder, x, 1280, 1000));
	expect_shipped("mobilenet_v3_large");
}

/* ---- ConvNeXt-Tiny: pixels behind channels and back around rows of channels ---- */

static const char *norm_of_channels(const char *x, int64_t c)
{
	return turn(model_layer_norm(&builder, turn(x, 0, 2, 3, 1), c), 0, 3, 1, 2);
}

static const char *convnext_block(const char *x, int64_t c)
{
	const char *y = conv(x, (struct model_conv){.in = c, .out = c, .kernel = 7, .pad = 3, .group = c});
	y = model_layer_norm(&builder, turn(y, 0, 2, 3, 1), c);
	y = model_gelu(&builder, model_dense(&builder, y, c, 4 * c));
	y = node_of("Mul", model_dense(&builder, y, 4 * c, c), BUILDER_WEIGHTS(&builder, c));
	return node_of("Add", x, turn(y, 0, 3, 1, 2));
}

static void test_onnx_convnext_tiny(void **state)
{
	static const int n_block[] = {3, 3, 9, 3};
	(void)state;
	start("convnext", 18, 3, 224, 224);
	int64_t c = 96;
	const char *x =
	    norm_of_channels(conv("data", (struct model_conv){.in = 3, .out = c, .kernel = 4, .stride = 4}), c);
	for (size_t stage = 0; stage < 4; stage++) {
		if (stage > 0) {
			x = conv(norm_of_channels(x, c),
			         (struct model_conv){.in = c, .out = 2 * c, .kernel = 2, .stride = 2});
			c *= 2;
		}
		for (int i = 0; i < n_block[stage]; i++)
			x = convnext_block(x, c);
	}
	x = norm_of_channels(node_of("GlobalAveragePool", x, NULL), c);
	builder_output(&builder, model_gemm(&builder, model_flatten(&builder, x), c, 1000));
	expect_shipped("convnext_tiny");
}

/* ---- the U-Net: maps are cropped by Slice and doubled by ConvTranspose ---- */

static const char *crop(const char *x, int64_t from, int64_t to)
{
	int64_t first = (from - to) / 2;
	return builder_node(&builder, "Slice", NULL, x, BUILDER_LIST(&builder, first, first),
	                    BUILDER_LIST(&builder, first + to, first + to), BUILDER_LIST(&builder, 2, 3), NULL)
	    ->output[0];
}

static const char *double_map(const char *x, int64_t c)
{
	Onnx__NodeProto *node =
	    builder_node(&builder, "ConvTranspose", NULL, x, BUILDER_WEIGHTS(&builder, 2 * c, c, 2, 2),
	                 BUILDER_WEIGHTS(&builder, c), NULL);
	BUILDER_INTEGERS(&builder, node, "strides", 2, 2);
	BUILDER_INTEGERS(&builder, node, "kernel_shape", 2, 2);
	return node->output[0];
}

static const char *two_convs(const char *x, int64_t in, int64_t out)
{
	x = model_conv(&builder, x, (struct model_conv){.in = in, .out = out, .kernel = 3});
	return model_conv(&builder, x, (struct model_conv){.in = out, .out = out, .kernel = 3});
}

static void test_onnx_unet(void **state)
{
	const char *skip[4], *x = "data";
	int64_t side[4], at = 572, c = 64;
	(void)state;
	start("unet", 16, 1, 572, 572);
	for (size_t i = 0; i < 4; i++, c *= 2) {
		skip[i] = two_convs(x, i == 0 ? 1 : c / 2, c);
		side[i] = at - 4;
		at = (at - 4) / 2;
		x = model_pool(&builder, "MaxPool", skip[i], 2, 2, 0);
	}
	x = two_convs(x, 512, 1024);
	at -= 4;
	for (size_t i = 4; i-- > 0;) {
		c /= 2;
		at *= 2;
		Onnx__NodeProto *both =
		    builder_node(&builder, "Concat", NULL, crop(skip[i], side[i], at), double_map(x, c), NULL);
		x = two_convs(model_axis(&builder, both, 1), 2 * c, c);
		at -= 4;
	}
	builder_output(&builder, conv(x, (struct model_conv){.in = 64, .out = 2, .kernel = 1}));
	struct onnx_import import;
	struct network written;
	assert_int_equal(network_read("spaces/networks/unet.yaml", &written, NULL), ERR_OK);
	expect_counts(&import, network_mac(&written), 0);
	expect_all(&import, "ConvTranspose", ONNX_MLA);
	expect_all(&import, "Slice", ONNX_FREE);
	network_free(&written);
	onnx_import_free(&import);
}

/* ---- MLPerf Tiny's keyword spotting, quantised: QuantizeLinear and DequantizeLinear around every tensor ---- */

static const char *requantise(const char *x)
{
	const char *scale = BUILDER_WEIGHTS(&builder, 1), *zero = BUILDER_WEIGHTS(&builder, 1);
	x = builder_node(&builder, "QuantizeLinear", NULL, x, scale, zero, NULL)->output[0];
	return builder_node(&builder, "DequantizeLinear", NULL, x, scale, zero, NULL)->output[0];
}

static void test_onnx_keyword_spotting(void **state)
{
	(void)state;
	start("kws", 13, 1, 49, 10);
	Onnx__NodeProto *node =
	    builder_node(&builder, "Conv", NULL, requantise("data"), BUILDER_WEIGHTS(&builder, 64, 1, 10, 4), NULL);
	BUILDER_INTEGERS(&builder, node, "strides", 2, 2);
	builder_word(&builder, node, "auto_pad", "SAME_UPPER");
	const char *x = requantise(model_relu(&builder, node->output[0]));
	for (int i = 0; i < 4; i++) {
		x = model_conv(&builder, x,
		               (struct model_conv){.in = 64, .out = 64, .kernel = 3, .pad = 1, .group = 64});
		x = requantise(
		    model_conv(&builder, requantise(x), (struct model_conv){.in = 64, .out = 64, .kernel = 1}));
	}
	Onnx__NodeProto *pool = builder_node(&builder, "AveragePool", NULL, x, NULL);
	BUILDER_INTEGERS(&builder, pool, "kernel_shape", 25, 5);
	x = model_gemm(&builder, model_flatten(&builder, requantise(pool->output[0])), 64, 12);
	builder_output(&builder, x);
	expect_shipped("mlperf_tiny_kws");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_onnx_vit_tiny),         cmocka_unit_test(test_onnx_mobilenet_v3),
	    cmocka_unit_test(test_onnx_convnext_tiny),    cmocka_unit_test(test_onnx_unet),
	    cmocka_unit_test(test_onnx_keyword_spotting),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
