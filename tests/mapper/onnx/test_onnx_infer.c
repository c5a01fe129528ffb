/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX graphs as they are read: shapes of every operator's result, shape arithmetic, mistakes. */
#include "tests/support/unit_test.h"

#include "mapper/onnx/onnx_infer.h"
#include "mapper/onnx/onnx_table.h"
#include "mapper/onnx/onnx_read.h"
#include "tests/support/onnx_builder.h"

static enum err_code read_builder(struct onnx_builder *builder, struct onnx_graph *graph, struct err *err)
{
	size_t n_byte;
	uint8_t *data = builder_pack(builder, &n_byte);
	enum err_code code = onnx_read_bytes("model.onnx", data, n_byte, graph, err);
	free(data);
	return code;
}

/* Shapes are inferred without a complaint, and that of `name` is what is wanted. */
static void expect_shape(struct onnx_builder *builder, const char *name, const char *wanted)
{
	struct onnx_graph graph;
	struct err err = {0};
	enum err_code code = read_builder(builder, &graph, &err);
	if (code == ERR_OK)
		code = onnx_infer(&graph, NULL, 0, &err);
	if (code != ERR_OK)
		fail_msg("%s", err_text(&err));
	for (size_t i = 1; i < graph.n_value; i++)
		if (strcmp(graph.value[i].name, name) == 0) {
			assert_true(graph.value[i].has_shape);
			assert_string_equal(onnx_shape_text(&graph.value[i].shape).text, wanted);
			onnx_graph_free(&graph);
			builder_free(builder);
			return;
		}
	fail_msg("no value %s", name);
}

/* Reading or inference says so. */
static void expect_error(struct onnx_builder *builder, const struct onnx_dim *dim, size_t n_dim, const char *said)
{
	struct onnx_graph graph;
	struct err err = {0};
	enum err_code code = read_builder(builder, &graph, &err);
	if (code == ERR_OK) {
		code = onnx_infer(&graph, dim, n_dim, &err);
		onnx_graph_free(&graph);
	}
	assert_int_equal(code, ERR_INPUT);
	if (!strstr(err_text(&err), said))
		fail_msg("wanted '%s', found '%s'", said, err_text(&err));
	err_clear(&err);
	builder_free(builder);
}

#define DIMS(...)                                                             \
	sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]) \
	{                                                                     \
		__VA_ARGS__                                                   \
	}

/* What published models are made of has a row; operators of other domains are others. */
static void test_onnx_operators_are_known(void **state)
{
	static const char *const op[] = {"Conv",
	                                 "ConvTranspose",
	                                 "Gemm",
	                                 "MatMul",
	                                 "MaxPool",
	                                 "AveragePool",
	                                 "GlobalAveragePool",
	                                 "GlobalMaxPool",
	                                 "BatchNormalization",
	                                 "Relu",
	                                 "Clip",
	                                 "Sigmoid",
	                                 "HardSwish",
	                                 "Softmax",
	                                 "Add",
	                                 "Sum",
	                                 "Mul",
	                                 "Concat",
	                                 "Unsqueeze",
	                                 "Squeeze",
	                                 "Split",
	                                 "Flatten",
	                                 "Reshape",
	                                 "Transpose",
	                                 "Pad",
	                                 "Resize",
	                                 "ReduceMean",
	                                 "LRN",
	                                 "Dropout",
	                                 "Constant",
	                                 "ConstantOfShape",
	                                 "QuantizeLinear",
	                                 "DequantizeLinear",
	                                 "QLinearConv",
	                                 "QLinearMatMul",
	                                 "LayerNormalization",
	                                 "Gelu",
	                                 "Abs",
	                                 "Xor",
	                                 "Where",
	                                 "Shape",
	                                 "Gather",
	                                 "Erf",
	                                 "Upsample",
	                                 "Identity",
	                                 "Cast",
	                                 "Slice"};
	(void)state;
	for (size_t i = 0; i < sizeof(op) / sizeof(op[0]); i++) {
		const struct onnx_node node = {.op = op[i], .domain = ""}, other = {.op = op[i], .domain = "my.own"};
		const struct onnx_op *row = onnx_op_find(&node);
		if (!row)
			fail_msg("%s has no row", op[i]);
		assert_string_equal(row->name, op[i]);
		assert_true(row->infer && (row->lower || row->fold));
		assert_null(onnx_op_find(&other));
	}
}

/* floor((in + pads - ((k - 1) d + 1)) / s) + 1 by hand: (13 + 1 + 2 - 5) / 2 + 1 = 6, (10 + 0 + 3 - 3) / 1 + 1 = 11. */
static void test_onnx_conv_windows(void **state)
{
	struct onnx_builder builder;
	(void)state;
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 4, 13, 10));
	Onnx__NodeProto *conv = builder_node(&builder, "Conv", "y", "x", BUILDER_WEIGHTS(&builder, 8, 2, 3, 3), NULL);
	BUILDER_INTEGERS(&builder, conv, "pads", 1, 0, 2, 3);
	BUILDER_INTEGERS(&builder, conv, "strides", 2, 1);
	BUILDER_INTEGERS(&builder, conv, "dilations", 2, 1);
	builder_integer(&builder, conv, "group", 2);
	expect_shape(&builder, "y", "1x8x6x11");

	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 3, 224, 225));
	conv = builder_node(&builder, "Conv", "y", "x", BUILDER_WEIGHTS(&builder, 8, 3, 7, 7), NULL);
	builder_word(&builder, conv, "auto_pad", "SAME_UPPER");
	BUILDER_INTEGERS(&builder, conv, "strides", 2, 2);
	expect_shape(&builder, "y", "1x8x112x113");

	/* (6 - 1) 2 + 0 + 3 - 1 = 12 rows; (5 - 1) 3 + 1 + 4 - 0 = 17 columns */
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 8, 6, 5));
	conv = builder_node(&builder, "ConvTranspose", "y", "x", BUILDER_WEIGHTS(&builder, 8, 2, 3, 4), NULL);
	BUILDER_INTEGERS(&builder, conv, "strides", 2, 3);
	BUILDER_INTEGERS(&builder, conv, "pads", 1, 0, 0, 0);
	BUILDER_INTEGERS(&builder, conv, "output_padding", 0, 1);
	builder_integer(&builder, conv, "group", 4);
	expect_shape(&builder, "y", "1x8x12x17");
}

/* Rounded up, the last window hangs over the end, but never begins there: 7 pixels by 2 are 4, of 3 by 1 in 3 one. */
static void test_onnx_pool_rounds_up(void **state)
{
	static const struct {
		int64_t in, kernel, stride, pad;
		const char *wanted;
	} pool[] = {{7, 2, 2, 0, "1x1x4"},
	            {8, 3, 2, 0, "1x1x4"},
	            {6, 1, 4, 0, "1x1x2"},
	            {5, 3, 3, 1, "1x1x2"},
	            {4, 1, 5, 0, "1x1x1"}};
	(void)state;
	for (size_t i = 0; i < sizeof(pool) / sizeof(pool[0]); i++) {
		struct onnx_builder builder;
		builder_start(&builder, "t");
		builder_input(&builder, "x", DIMS(1, 1, pool[i].in));
		Onnx__NodeProto *node = builder_node(&builder, "MaxPool", "y", "x", NULL);
		builder_integers(&builder, node, "kernel_shape", 1, &pool[i].kernel);
		builder_integers(&builder, node, "strides", 1, &pool[i].stride);
		builder_integers(&builder, node, "pads", DIMS(pool[i].pad, pool[i].pad));
		builder_integer(&builder, node, "ceil_mode", 1);
		expect_shape(&builder, "y", pool[i].wanted);
	}
}

/* What PyTorch writes for x.view(x.size(0), -1), and for a half of the channels: Shape, Gather, Concat, Slice. */
static void test_onnx_shape_arithmetic(void **state)
{
	struct onnx_builder builder;
	(void)state;
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(2, 6, 5, 4));
	builder_node(&builder, "Shape", "shape", "x", NULL);
	Onnx__NodeProto *constant = builder_node(&builder, "Constant", "zero", NULL);
	builder_integer(&builder, constant, "value_int", 0);
	builder_node(&builder, "Gather", "batch", "shape", "zero", NULL);
	Onnx__NodeProto *unsqueeze = builder_node(&builder, "Unsqueeze", "batch1", "batch", NULL);
	BUILDER_INTEGERS(&builder, unsqueeze, "axes", 0);
	Onnx__NodeProto *concat =
	    builder_node(&builder, "Concat", "wanted", "batch1", BUILDER_LIST(&builder, -1), NULL);
	builder_integer(&builder, concat, "axis", 0);
	builder_node(&builder, "Reshape", "flat", "x", "wanted", NULL);
	builder_node(&builder, "Gather", "channels", "shape", BUILDER_LIST(&builder, 1), NULL);
	builder_node(&builder, "Div", "half", "channels", BUILDER_LIST(&builder, 4), NULL); /* cut off: 6 / 4 = 1 */
	builder_node(&builder, "Slice", "part", "x", "half", BUILDER_LIST(&builder, INT64_MAX),
	             BUILDER_LIST(&builder, 1), BUILDER_LIST(&builder, 2), NULL);
	Onnx__NodeProto *split = builder_node(&builder, "Split", "a", "flat", NULL);
	builder_integer(&builder, split, "axis", 1);
	builder_more_output(&builder, split);
	builder_node(&builder, "MatMul", "y", "a", BUILDER_WEIGHTS(&builder, 60, 7), NULL);
	builder_node(&builder, "Expand", "z", "part", BUILDER_LIST(&builder, 3, 1, 1, 1, 1), NULL);
	expect_shape(&builder, "z", "3x2x3x5x4"); /* channels 1, 3, 5 */

	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(2, 6, 5, 4));
	builder_node(&builder, "Shape", "shape", "x", NULL);
	builder_node(&builder, "Slice", "tail", "shape", BUILDER_LIST(&builder, -1), BUILDER_LIST(&builder, -5),
	             BUILDER_LIST(&builder, 0), BUILDER_LIST(&builder, -2), NULL); /* 4, 6 */
	builder_node(&builder, "ConstantOfShape", "y", "tail", NULL);
	expect_shape(&builder, "y", "4x6");
}

/* A constant's content is as long as what the node has: one number is no list, whatever shape somebody gave it. */
static void test_onnx_constant_content(void **state)
{
	static const double list[] = {4, 5};
	const struct onnx_attribute number = {.name = "value_int", .has_integer = true, .integer = 7},
				    some = {.name = "value_ints", .n_list = 2, .list = list};
	struct onnx_value none = {0};
	struct onnx_graph graph = {.value = &none};
	struct onnx_node node = {.n_attribute = 1, .attribute = &number};
	const struct onnx_work work = {.graph = &graph, .node = &node};
	double out[3] = {0};
	(void)state;
	assert_true(onnx_fold_constant(&work, out, 1));
	assert_true(out[0] >= 7 && out[0] <= 7);
	assert_false(onnx_fold_constant(&work, out, 3));
	assert_false(onnx_fold_constant(&work, out, 0));
	node.attribute = &some;
	assert_true(onnx_fold_constant(&work, out, 2));
	assert_true(out[1] >= 5 && out[1] <= 5);
	assert_false(onnx_fold_constant(&work, out, 3));
	node.n_attribute = 0;
	assert_false(onnx_fold_constant(&work, out, 1));
}

/* Leading dimensions of a product broadcast; vectors are rows on the left and columns on the right. */
static void test_onnx_products(void **state)
{
	struct onnx_builder builder;
	(void)state;
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(3, 1, 5, 4));
	builder_node(&builder, "MatMul", "y", "x", BUILDER_WEIGHTS(&builder, 2, 4, 7), NULL);
	expect_shape(&builder, "y", "3x2x5x7");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(4));
	builder_node(&builder, "MatMul", "y", "x", BUILDER_WEIGHTS(&builder, 2, 4, 7), NULL);
	expect_shape(&builder, "y", "2x7");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(4, 9));
	Onnx__NodeProto *gemm = builder_node(&builder, "Gemm", "y", "x", BUILDER_WEIGHTS(&builder, 7, 4), NULL);
	builder_integer(&builder, gemm, "transA", 1);
	builder_integer(&builder, gemm, "transB", 1);
	expect_shape(&builder, "y", "9x7");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(4, 9));
	builder_node(&builder, "MatMul", "y", "x", BUILDER_WEIGHTS(&builder, 8, 4), NULL);
	expect_error(&builder, NULL, 0, "node 1 'y' (MatMul): 4x9 times 8x4: these shapes do not fit");
}

/* A batch that nobody gives is 1; others have to be given, and by their name. */
static void test_onnx_open_dimensions(void **state)
{
	static const struct onnx_dim side[] = {{"batch", 4}, {"x.2", 9}}, wrong[] = {{"x.2", 9}, {"bacth", 2}};
	struct onnx_builder builder;
	struct onnx_graph graph;
	struct err err = {0};
	(void)state;
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(-1, 3, 0, 8));
	builder_node(&builder, "Relu", "y", "x", NULL);
	assert_int_equal(read_builder(&builder, &graph, &err), ERR_OK);
	assert_int_equal(graph.n_open, 2);
	assert_int_equal(onnx_infer(&graph, side, 2, &err), ERR_OK);
	assert_string_equal(onnx_shape_text(&graph.value[graph.node[0].out[0]].shape).text, "4x3x9x8");
	onnx_graph_free(&graph);
	assert_int_equal(read_builder(&builder, &graph, &err), ERR_OK);
	assert_int_equal(onnx_infer(&graph, side + 1, 1, &err), ERR_OK);
	assert_string_equal(onnx_shape_text(&graph.value[graph.node[0].out[0]].shape).text, "1x3x9x8");
	onnx_graph_free(&graph);
	assert_int_equal(read_builder(&builder, &graph, &err), ERR_OK);
	assert_int_equal(onnx_infer(&graph, wrong, 2, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "no input has an open dimension 'bacth'; did you mean 'batch'?"));
	onnx_graph_free(&graph);
	err_clear(&err);
	expect_error(&builder, NULL, 0, "dimension 2 of input 'x' is open; give it with --dim x.2=N");
}

static void test_onnx_graph_mistakes(void **state)
{
	struct onnx_builder builder;
	(void)state;
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 3));
	builder_node(&builder, "Relu", "y", "z", NULL);
	expect_error(&builder, NULL, 0, "model.onnx: node 1 'y' (Relu): nobody before it produces its input 'z'");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 3));
	builder_node(&builder, "Relu", "x", "x", NULL);
	expect_error(&builder, NULL, 0, "'x' is produced twice");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 3, 1, 1, 1, 1, 1, 1, 1));
	builder_node(&builder, "Relu", "y", "x", NULL);
	expect_error(&builder, NULL, 0, "input 'x': its number of dimensions is not in the file, or above 8");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1 << 30, 1 << 30));
	builder_node(&builder, "Relu", "y", "x", NULL);
	expect_error(&builder, NULL, 0, "2^50 elements");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 4, 5, 5));
	builder_node(&builder, "Conv", "y", "x", BUILDER_WEIGHTS(&builder, 8, 3, 3, 3), NULL);
	expect_error(&builder, NULL, 0, "weights 8x3x3x3 in 1 groups do not fit an input of 1x4x5x5");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 6));
	builder_input(&builder, "s", DIMS(2));
	builder_node(&builder, "Reshape", "y", "x", "s", NULL);
	expect_error(&builder, NULL, 0, "its input 's' decides a shape, but is no constant");
	builder_start(&builder, "t");
	builder_input(&builder, "x", DIMS(1, 6));
	builder_node(&builder, "Reshape", "y", "x", BUILDER_LIST(&builder, 4, -1), NULL);
	expect_error(&builder, NULL, 0, "cannot make 4 numbers of 1x6");
}

/* Messages in messages would end the stack, and empty ones, of two bytes each, the memory. */
static void test_onnx_refuses_bombs(void **state)
{
	struct onnx_graph graph;
	struct err err = {0};
	size_t n_byte = 40000000;
	uint8_t *data = malloc(n_byte);
	(void)state;
	assert_non_null(data);
	/* graph { node { } node { } ... }: field 7 and field 1, by length */
	memset(data, 0, n_byte);
	data[0] = 7 << 3 | 2;
	for (size_t i = 0, left = n_byte - 6; i < 5; i++, left >>= 7)
		data[1 + i] = (uint8_t)((left & 127) | (i < 4 ? 128 : 0));
	for (size_t i = 6; i < n_byte; i += 2)
		data[i] = 1 << 3 | 2;
	assert_int_equal(onnx_read_bytes("bomb", data, n_byte, &graph, &err), ERR_INPUT);
	free(data);

	/* graph { node { attribute { graph { ... } } } }, from the inside out */
	static const uint8_t tag[3] = {6 << 3 | 2, 5 << 3 | 2, 1 << 3 | 2};
	static uint8_t nest[400000];
	size_t start = sizeof(nest);
	for (size_t level = 0; level <= 60000; level++) {
		uint8_t head[12] = {level == 60000 ? 7 << 3 | 2 : tag[level % 3]};
		size_t n_head = 1;
		for (size_t left = sizeof(nest) - start, more = 1; more; left >>= 7) {
			more = left > 127;
			head[n_head++] = (uint8_t)((left & 127) | (more ? 128 : 0));
		}
		start -= n_head;
		memcpy(nest + start, head, n_head);
	}
	assert_int_equal(onnx_read_bytes("nest", nest + start, sizeof(nest) - start, &graph, &err), ERR_INPUT);
	assert_int_equal(err.n_message, 2);
	err_clear(&err);
}

/* Every prefix of a published model, and many copies with one byte changed: an answer, never a crash. */
static void test_onnx_survives_damage(void **state)
{
	FILE *file = fopen("tests/reference/onnx/light_squeezenet.onnx", "rb");
	static uint8_t data[20000], copy[20000];
	(void)state;
	assert_non_null(file);
	size_t n_byte = fread(data, 1, sizeof(data), file), n_good = 0;
	assert_int_equal(fclose(file), 0);
	assert_true(n_byte > 15000 && n_byte < sizeof(data));
	for (size_t i = 0; i < 4000; i++) {
		struct onnx_graph graph;
		struct err err = {0};
		size_t n = i < 2000 ? i * n_byte / 2000 : n_byte;
		memcpy(copy, data, n_byte);
		if (i >= 2000)
			copy[(i * 2654435761u) % n_byte] ^= (uint8_t)(1u << (i % 8));
		enum err_code code = onnx_read_bytes("copy", copy, n, &graph, &err);
		if (code == ERR_OK) {
			code = onnx_infer(&graph, NULL, 0, &err);
			onnx_graph_free(&graph);
		}
		assert_true(code == ERR_OK || code == ERR_INPUT);
		assert_int_equal(code != ERR_OK, err.n_message > 0);
		n_good += code == ERR_OK;
		err_clear(&err);
	}
	assert_true(n_good > 100 && n_good < 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_onnx_operators_are_known), cmocka_unit_test(test_onnx_conv_windows),
	    cmocka_unit_test(test_onnx_pool_rounds_up),      cmocka_unit_test(test_onnx_shape_arithmetic),
	    cmocka_unit_test(test_onnx_constant_content),    cmocka_unit_test(test_onnx_products),
	    cmocka_unit_test(test_onnx_open_dimensions),     cmocka_unit_test(test_onnx_graph_mistakes),
	    cmocka_unit_test(test_onnx_refuses_bombs),       cmocka_unit_test(test_onnx_survives_damage),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
