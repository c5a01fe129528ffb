/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that are read: one row each. Shapes and attributes are those of the ONNX operator definitions. */
#include "mapper/onnx/onnx_table.h"
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

/* Rows that are alike: a number from a number, from two or more, from a row; a reduction; an addition of results. */
#define SAME .n_in = 1, .infer = onnx_infer_same
#define EACH SAME, FUNCTION
#define PAIR .n_in = 2, .infer = onnx_infer_broadcast, FUNCTION
#define SCALE .n_in = 2, .infer = onnx_infer_broadcast, .trait = TRAIT_AFFINE, .lower = onnx_lower_combine
#define SUM .infer = onnx_infer_broadcast, .trait = TRAIT_AFFINE, .lower = onnx_lower_add
#define ROWS SAME, .lower = onnx_lower_rows
#define SOFTMAX ROWS, .arm = ARM_SOFTMAX
#define NORM(along) ROWS, .arm = ARM_NORM, .rows = (along)
#define FOLD_PAIR(function) PAIR, .fold = onnx_fold_pairs, .number = (function)
#define FOLD_SCALE(function) SCALE, .fold = onnx_fold_pairs, .number = (function)
#define FOLD_EACH(function) EACH, .fold = onnx_fold_each, .number = (function)
#define REDUCE .n_in = 1, .infer = onnx_infer_reduce, .lower = onnx_lower_reduce, .arm = ARM_ADD
#define MATMUL .infer = onnx_infer_matmul, .count = onnx_count_matmul, .lower = onnx_lower_matmul
#define CONV .infer = onnx_infer_conv, .count = onnx_count_conv, .lower = onnx_lower_conv
#define POOL .n_in = 1, .infer = onnx_infer_pool, .lower = onnx_lower_pool
#define GLOBAL .n_in = 1, .infer = onnx_infer_global_pool, .lower = onnx_lower_global_pool
#define ATTENTION .infer = onnx_infer_attention, .count = onnx_count_attention, .lower = onnx_lower_attention
#define SKIP_NORM \
	.n_in = 2, .infer = onnx_infer_skip_norm, .lower = onnx_lower_skip_norm, .arm = ARM_NORM, .rows = ROWS_BEHIND
#define VIEW .lower = onnx_lower_view
#define KEPT .trait = TRAIT_SAME, .lower = onnx_lower_view, .sign = SIGN_KEPT
#define FUNCTION .trait = TRAIT_FUNCTION, .lower = onnx_lower_combine
#define QUANTISE .trait = TRAIT_QUANTISE, .lower = onnx_lower_combine, .sign = SIGN_KEPT
#define RESIZE .n_in = 1, .infer = onnx_infer_resize, .lower = onnx_lower_resize
#define SEVERAL .n_in = 1, .infer = onnx_infer_broadcast, FUNCTION

/* In the order of strcmp, for the search. */
/* clang-format off */
static const struct onnx_op op_table[] = {
    {"Abs", FOLD_EACH(absolute), .sign = SIGN_POSITIVE},
    {"Add", .n_in = 2, SUM, .arm = ARM_ADD, .fold = onnx_fold_pairs, .number = add},
    {"And", FOLD_PAIR(both)},
    {"ArgMax", .n_in = 1, .infer = onnx_infer_arg, .lower = onnx_lower_reduce},
    {"ArgMin", .n_in = 1, .infer = onnx_infer_arg, .lower = onnx_lower_reduce},
    {"Attention", .n_in = 2, ATTENTION, .operand = {1, 2}},
    {"AveragePool", POOL, .is_average = true, .sign = SIGN_KEPT},
    {"BatchNormalization", SAME, .trait = TRAIT_AFFINE, .lower = onnx_lower_combine},
    {"BiasGelu", .n_in = 2, .infer = onnx_infer_broadcast, FUNCTION},
    {"Cast", SAME, KEPT, .fold = onnx_fold_copy},
    {"CastLike", SAME, KEPT, .fold = onnx_fold_copy},
    {"Ceil", FOLD_EACH(round_up)},
    {"Celu", EACH},
    {"Clip", EACH},
    {"Concat", .n_in = 1, .infer = onnx_infer_concat, .lower = onnx_lower_concat, .sign = SIGN_KEPT, .fold = onnx_fold_concat},
    {"Constant", .n_in = 0, .infer = onnx_infer_constant, .fold = onnx_fold_constant},
    {"ConstantOfShape", .n_in = 1, .infer = onnx_infer_constant_of_shape, .fold = onnx_fold_constant_of_shape},
    {"Conv", .n_in = 2, CONV, .operand = {1, 2}},
    {"ConvInteger", .n_in = 2, CONV, .operand = {1, 0}},
    {"ConvTranspose", .n_in = 2, .infer = onnx_infer_conv_transpose, .count = onnx_count_conv_transpose, .lower = onnx_lower_conv_transpose,
     .operand = {1, 2}},
    {"Cos", EACH},
    {"CumSum", ROWS, .arm = ARM_ADD},
    {"DepthToSpace", .n_in = 1, .infer = onnx_infer_depth_to_space, VIEW, .sign = SIGN_KEPT},
    {"DequantizeLinear", SAME, QUANTISE},
    {"Div", FOLD_SCALE(divide), .arm = ARM_MULTIPLY},
    {"Dropout", SAME, KEPT, .fold = onnx_fold_copy},
    {"DynamicQuantizeLinear", .n_in = 1, .infer = onnx_infer_quantise, .lower = onnx_lower_quantise},
    {"Einsum", .n_in = 1, .infer = onnx_infer_einsum, .count = onnx_count_einsum, .lower = onnx_lower_einsum, .operand = {1, 0}},
    {"Elu", EACH},
    {"Equal", FOLD_PAIR(equal)},
    {"Erf", EACH},
    {"Exp", EACH, .sign = SIGN_POSITIVE},
    {"Expand", .n_in = 2, .infer = onnx_infer_expand, VIEW},
    {"FastGelu", EACH},
    {"Flatten", .n_in = 1, .infer = onnx_infer_flatten, KEPT, .fold = onnx_fold_copy},
    {"Floor", FOLD_EACH(round_down)},
    {"Gather", .n_in = 2, .infer = onnx_infer_gather, VIEW, .fold = onnx_fold_gather},
    {"Gelu", EACH},
    {"Gemm", .n_in = 2, .infer = onnx_infer_gemm, .count = onnx_count_gemm, .lower = onnx_lower_gemm, .operand = {1, 2}},
    {"GlobalAveragePool", GLOBAL, .is_average = true, .sign = SIGN_KEPT},
    {"GlobalMaxPool", GLOBAL, .sign = SIGN_KEPT},
    {"Greater", FOLD_PAIR(greater)},
    {"GreaterOrEqual", FOLD_PAIR(greater_or_equal)},
    {"GroupNormalization", NORM(ROWS_IMAGE)},
    {"GroupQueryAttention", .n_in = 3, ATTENTION},
    {"HardSigmoid", EACH, .sign = SIGN_POSITIVE},
    {"HardSwish", EACH},
    {"Hardmax", SOFTMAX},
    {"Identity", SAME, KEPT, .fold = onnx_fold_copy},
    {"InstanceNormalization", NORM(ROWS_PIXELS)},
    {"IsInf", EACH},
    {"IsNaN", EACH},
    {"LRN", NORM(ROWS_SECOND)},
    {"LayerNormalization", NORM(ROWS_BEHIND)},
    {"LeakyRelu", EACH},
    {"Less", FOLD_PAIR(less)},
    {"LessOrEqual", FOLD_PAIR(less_or_equal)},
    {"Log", EACH},
    {"LogSoftmax", SOFTMAX},
    {"LpNormalization", NORM(ROWS_AXIS)},
    {"MatMul", .n_in = 2, MATMUL, .operand = {1, 0}},
    {"MatMulInteger", .n_in = 2, MATMUL, .operand = {1, 0}},
    {"Max", SEVERAL, .fold = onnx_fold_pairs, .number = most},
    {"MaxPool", POOL, .sign = SIGN_KEPT},
    {"Mean", .n_in = 1, SUM, .arm = ARM_ADD},
    {"MeanVarianceNormalization", NORM(ROWS_PIXELS)},
    {"Min", SEVERAL, .fold = onnx_fold_pairs, .number = least},
    {"Mish", EACH},
    {"Mod", FOLD_PAIR(remainder_of)},
    {"Mul", FOLD_SCALE(multiply), .arm = ARM_MULTIPLY},
    {"MultiHeadAttention", .n_in = 3, ATTENTION},
    {"Neg", FOLD_EACH(negate)},
    {"Not", FOLD_EACH(invert)},
    {"Or", FOLD_PAIR(either)},
    {"PRelu", EACH},
    {"Pad", .n_in = 1, .infer = onnx_infer_pad, .lower = onnx_lower_pad},
    {"Pow", FOLD_PAIR(pow)},
    {"QLinearConv", .n_in = 8, CONV, .operand = {3, 8}},
    {"QLinearMatMul", .n_in = 8, MATMUL, .operand = {3, 0}},
    {"QuantizeLinear", SAME, QUANTISE},
    {"QuickGelu", EACH},
    {"RMSNormalization", NORM(ROWS_BEHIND)},
    {"Range", .n_in = 3, .infer = onnx_infer_range, .fold = onnx_fold_range},
    {"Reciprocal", EACH},
    {"ReduceL1", REDUCE},
    {"ReduceL2", REDUCE},
    {"ReduceLogSum", REDUCE},
    {"ReduceLogSumExp", REDUCE},
    {"ReduceMax", REDUCE},
    {"ReduceMean", REDUCE, .is_average = true, .sign = SIGN_KEPT},
    {"ReduceMin", REDUCE},
    {"ReduceProd", REDUCE, .fold = onnx_fold_product},
    {"ReduceSum", REDUCE},
    {"ReduceSumSquare", REDUCE},
    {"Relu", SAME, .trait = TRAIT_RECTIFY, .lower = onnx_lower_combine, .sign = SIGN_POSITIVE},
    {"Reshape", .n_in = 1, .infer = onnx_infer_reshape, KEPT, .fold = onnx_fold_copy},
    {"Resize", RESIZE},
    {"Round", EACH},
    {"Selu", EACH},
    {"Shape", .n_in = 1, .infer = onnx_infer_shape, .fold = onnx_fold_shape},
    {"Sigmoid", EACH, .sign = SIGN_POSITIVE},
    {"Sign", EACH},
    {"SimplifiedLayerNormalization", NORM(ROWS_BEHIND)},
    {"Sin", EACH},
    {"Size", .n_in = 1, .infer = onnx_infer_size, .fold = onnx_fold_size},
    {"SkipLayerNormalization", SKIP_NORM},
    {"SkipSimplifiedLayerNormalization", SKIP_NORM},
    {"Slice", .n_in = 1, .infer = onnx_infer_slice, .lower = onnx_lower_slice, .sign = SIGN_KEPT, .fold = onnx_fold_slice},
    {"Softmax", SOFTMAX, .sign = SIGN_POSITIVE},
    {"Softplus", EACH, .sign = SIGN_POSITIVE},
    {"Softsign", EACH},
    {"SpaceToDepth", .n_in = 1, .infer = onnx_infer_space_to_depth, VIEW, .sign = SIGN_KEPT},
    {"Split", .n_in = 1, .infer = onnx_infer_split, .lower = onnx_lower_split, .sign = SIGN_KEPT},
    {"Sqrt", FOLD_EACH(root)},
    {"Squeeze", .n_in = 1, .infer = onnx_infer_squeeze, KEPT, .fold = onnx_fold_copy},
    {"Sub", FOLD_SCALE(subtract), .arm = ARM_ADD},
    {"Sum", .n_in = 1, SUM, .arm = ARM_ADD, .fold = onnx_fold_pairs, .number = add},
    {"Swish", EACH},
    {"Tanh", EACH},
    {"ThresholdedRelu", EACH},
    {"Tile", .n_in = 2, .infer = onnx_infer_tile, VIEW},
    {"Transpose", .n_in = 1, .infer = onnx_infer_transpose, .trait = TRAIT_MOVED, .lower = onnx_lower_view, .sign = SIGN_KEPT},
    {"Trilu", SAME, .lower = onnx_lower_combine},
    {"Unsqueeze", .n_in = 1, .infer = onnx_infer_unsqueeze, KEPT, .fold = onnx_fold_copy},
    {"Upsample", RESIZE, .sign = SIGN_KEPT},
    {"Where", .n_in = 3, .infer = onnx_infer_broadcast, FUNCTION, .fold = onnx_fold_where},
    {"Xor", PAIR},
};
/* clang-format on */

static int compare_name(const void *key, const void *row)
{
	assert(key && row);
	return strcmp(key, ((const struct onnx_op *)row)->name);
}

/* Operators of other domains may have the names of ONNX's, and mean something else. */
const struct onnx_op *onnx_op_find(const struct onnx_node *node)
{
	assert(node && node->op);
	if (node->domain[0] != '\0' && strcmp(node->domain, "com.microsoft") != 0)
		return NULL;
	assert(strcmp(op_table[0].name, op_table[1].name) < 0);
	return bsearch(node->op, op_table, sizeof(op_table) / sizeof(op_table[0]), sizeof(op_table[0]), compare_name);
}
