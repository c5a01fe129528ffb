/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that are read: one row each. Shapes and attributes are those of the ONNX operator definitions. */
#include "mapper/onnx_op.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double add(double a, double b)
{
	return a + b;
}
static double subtract(double a, double b)
{
	return a - b;
}
static double multiply(double a, double b)
{
	return a * b;
}
static double divide(double a, double b)
{
	return a / b;
}
static double remainder_of(double a, double b)
{
	return fmod(a, b);
}
static double least(double a, double b)
{
	return a < b ? a : b;
}
static double most(double a, double b)
{
	return a > b ? a : b;
}
static double equal(double a, double b)
{
	return a == b;
}
static double less(double a, double b)
{
	return a < b;
}
static double greater(double a, double b)
{
	return a > b;
}
static double less_or_equal(double a, double b)
{
	return a <= b;
}
static double greater_or_equal(double a, double b)
{
	return a >= b;
}
static double both(double a, double b)
{
	return a != 0 && b != 0;
}
static double either(double a, double b)
{
	return a != 0 || b != 0;
}
static double negate(double a, double b)
{
	return b - a;
}
static double invert(double a, double b)
{
	return a == b;
}
static double absolute(double a, double b)
{
	return fabs(a) + b;
}
static double round_down(double a, double b)
{
	return floor(a) + b;
}
static double round_up(double a, double b)
{
	return ceil(a) + b;
}
static double root(double a, double b)
{
	return sqrt(a) + b;
}

#define SAME .n_in = 1, .infer = onnx_infer_same
#define PAIR .n_in = 2, .infer = onnx_infer_broadcast
#define FOLD_PAIR(function) PAIR, .fold = onnx_fold_pairs, .number = (function)
#define FOLD_EACH(function) SAME, .fold = onnx_fold_each, .number = (function)
#define REDUCE .n_in = 1, .infer = onnx_infer_reduce

/* In the order of strcmp, for the search. */
static const struct onnx_op op_table[] = {
    {"Abs", FOLD_EACH(absolute)},
    {"Add", FOLD_PAIR(add)},
    {"And", FOLD_PAIR(both)},
    {"ArgMax", REDUCE},
    {"ArgMin", REDUCE},
    {"AveragePool", .n_in = 1, .infer = onnx_infer_pool},
    {"BatchNormalization", SAME},
    {"Cast", SAME, .fold = onnx_fold_copy},
    {"Ceil", FOLD_EACH(round_up)},
    {"Celu", SAME},
    {"Clip", SAME},
    {"Concat", .n_in = 1, .infer = onnx_infer_concat, .fold = onnx_fold_concat},
    {"Constant", .n_in = 0, .infer = onnx_infer_constant, .fold = onnx_fold_constant},
    {"ConstantOfShape", .n_in = 1, .infer = onnx_infer_constant_of_shape, .fold = onnx_fold_constant_of_shape},
    {"Conv", .n_in = 2, .infer = onnx_infer_conv, .count = onnx_count_conv, .operand = {1, 2}},
    {"ConvInteger", .n_in = 2, .infer = onnx_infer_conv, .count = onnx_count_conv, .operand = {1, 0}},
    {"ConvTranspose", .n_in = 2, .infer = onnx_infer_conv_transpose, .count = onnx_count_conv_transpose,
     .operand = {1, 2}},
    {"Cos", SAME},
    {"DepthToSpace", .n_in = 1, .infer = onnx_infer_depth_to_space},
    {"DequantizeLinear", SAME},
    {"Div", FOLD_PAIR(divide)},
    {"Dropout", SAME, .fold = onnx_fold_copy},
    {"Elu", SAME},
    {"Equal", FOLD_PAIR(equal)},
    {"Erf", SAME},
    {"Exp", SAME},
    {"Expand", .n_in = 2, .infer = onnx_infer_expand},
    {"Flatten", .n_in = 1, .infer = onnx_infer_flatten, .fold = onnx_fold_copy},
    {"Floor", FOLD_EACH(round_down)},
    {"Gather", .n_in = 2, .infer = onnx_infer_gather, .fold = onnx_fold_gather},
    {"Gelu", SAME},
    {"Gemm", .n_in = 2, .infer = onnx_infer_gemm, .count = onnx_count_gemm, .operand = {1, 2}},
    {"GlobalAveragePool", .n_in = 1, .infer = onnx_infer_global_pool},
    {"GlobalMaxPool", .n_in = 1, .infer = onnx_infer_global_pool},
    {"Greater", FOLD_PAIR(greater)},
    {"GreaterOrEqual", FOLD_PAIR(greater_or_equal)},
    {"GroupNormalization", SAME},
    {"HardSigmoid", SAME},
    {"HardSwish", SAME},
    {"Identity", SAME, .fold = onnx_fold_copy},
    {"InstanceNormalization", SAME},
    {"LRN", SAME},
    {"LayerNormalization", SAME},
    {"LeakyRelu", SAME},
    {"Less", FOLD_PAIR(less)},
    {"LessOrEqual", FOLD_PAIR(less_or_equal)},
    {"Log", SAME},
    {"LogSoftmax", SAME},
    {"MatMul", .n_in = 2, .infer = onnx_infer_matmul, .count = onnx_count_matmul, .operand = {1, 0}},
    {"MatMulInteger", .n_in = 2, .infer = onnx_infer_matmul, .count = onnx_count_matmul, .operand = {1, 0}},
    {"Max", .n_in = 1, .infer = onnx_infer_broadcast, .fold = onnx_fold_pairs, .number = most},
    {"MaxPool", .n_in = 1, .infer = onnx_infer_pool},
    {"Mean", .n_in = 1, .infer = onnx_infer_broadcast},
    {"Min", .n_in = 1, .infer = onnx_infer_broadcast, .fold = onnx_fold_pairs, .number = least},
    {"Mish", SAME},
    {"Mod", FOLD_PAIR(remainder_of)},
    {"Mul", FOLD_PAIR(multiply)},
    {"Neg", FOLD_EACH(negate)},
    {"Not", FOLD_EACH(invert)},
    {"Or", FOLD_PAIR(either)},
    {"PRelu", SAME},
    {"Pad", .n_in = 1, .infer = onnx_infer_pad},
    {"Pow", FOLD_PAIR(pow)},
    {"QLinearConv", .n_in = 8, .infer = onnx_infer_conv, .count = onnx_count_conv, .operand = {3, 8}},
    {"QLinearMatMul", .n_in = 8, .infer = onnx_infer_matmul, .count = onnx_count_matmul, .operand = {3, 0}},
    {"QuantizeLinear", SAME},
    {"Range", .n_in = 3, .infer = onnx_infer_range, .fold = onnx_fold_range},
    {"Reciprocal", SAME},
    {"ReduceL1", REDUCE},
    {"ReduceL2", REDUCE},
    {"ReduceMax", REDUCE},
    {"ReduceMean", REDUCE},
    {"ReduceMin", REDUCE},
    {"ReduceProd", REDUCE, .fold = onnx_fold_product},
    {"ReduceSum", REDUCE},
    {"Relu", SAME},
    {"Reshape", .n_in = 1, .infer = onnx_infer_reshape, .fold = onnx_fold_copy},
    {"Resize", .n_in = 1, .infer = onnx_infer_resize},
    {"Round", SAME},
    {"Selu", SAME},
    {"Shape", .n_in = 1, .infer = onnx_infer_shape, .fold = onnx_fold_shape},
    {"Sigmoid", SAME},
    {"Sign", SAME},
    {"Sin", SAME},
    {"Size", .n_in = 1, .infer = onnx_infer_size, .fold = onnx_fold_size},
    {"Slice", .n_in = 1, .infer = onnx_infer_slice, .fold = onnx_fold_slice},
    {"Softmax", SAME},
    {"Softplus", SAME},
    {"Softsign", SAME},
    {"SpaceToDepth", .n_in = 1, .infer = onnx_infer_space_to_depth},
    {"Split", .n_in = 1, .infer = onnx_infer_split},
    {"Sqrt", FOLD_EACH(root)},
    {"Squeeze", .n_in = 1, .infer = onnx_infer_squeeze, .fold = onnx_fold_copy},
    {"Sub", FOLD_PAIR(subtract)},
    {"Sum", .n_in = 1, .infer = onnx_infer_broadcast, .fold = onnx_fold_pairs, .number = add},
    {"Tanh", SAME},
    {"ThresholdedRelu", SAME},
    {"Tile", .n_in = 2, .infer = onnx_infer_tile},
    {"Transpose", .n_in = 1, .infer = onnx_infer_transpose},
    {"Trilu", SAME},
    {"Unsqueeze", .n_in = 1, .infer = onnx_infer_unsqueeze, .fold = onnx_fold_copy},
    {"Upsample", .n_in = 1, .infer = onnx_infer_resize},
    {"Where", .n_in = 3, .infer = onnx_infer_broadcast, .fold = onnx_fold_where},
    {"Xor", PAIR},
};

static int compare_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct onnx_op *)row)->name);
}

/* Operators of other domains may have the names of ONNX's, and mean something else. */
const struct onnx_op *onnx_op_find(const struct onnx_node *node)
{
	assert(node && node->op);
	if (node->domain[0] != '\0' && strcmp(node->domain, "com.microsoft") != 0)
		return NULL;
	return bsearch(node->op, op_table, sizeof op_table / sizeof op_table[0], sizeof op_table[0], compare_name);
}
