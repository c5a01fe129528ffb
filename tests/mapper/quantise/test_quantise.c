/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantised networks: the definitions of numbers, errors against floating point, and weights and scales of ONNX models,
 * float and quantised, in every form that a layer's node may have.
 */
#include "tests/support/unit_test.h"
#include "mapper/network/network_read.h"
#include "mapper/quantise/quantise_arithmetic.h"
#include "mapper/quantise/quantise_onnx.h"
#include "tests/support/network_text.h"
#include "tests/support/onnx_builder.h"
#include "tests/support/temporary.h"
#include <math.h>
#include <stdio.h>

#define SEED 2501

static struct onnx_builder builder;

/* ---- definitions ---- */

static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(quantise_finish((uint32_t)-1, 0, 1), -1); /* rounded down */
	assert_int_equal(quantise_finish((uint32_t)-1, 1, 1), 0);  /* rectified first */
	assert_int_equal(quantise_finish(1000, 0, 2), 127);
	assert_int_equal(quantise_finish((uint32_t)-1000, 0, 2), -128);
	assert_int_equal(quantise_finish(0x80000000u, 0, 31), -1);
	assert_int_equal(quantise_added(-3, 4), (uint32_t)-48);
	assert_int_equal(quantise_added(-3, -1), (uint32_t)-2);
	assert_int_equal(quantise_average(-3, 2), -1); /* -1.5, half up */
	assert_int_equal(quantise_average(3, 2), 2);
	assert_int_equal(quantise_shift_down(-5, 1), -3);
}

/* Against the definition in floating point. */
static void test_softmax(void **state)
{
	(void)state;
	int8_t in[40], out[40];
	for (uint32_t fraction = 0; fraction < 8; fraction++) {
		double sum = 0;
		for (int i = 0; i < 40; i++)
			in[i] = (int8_t)(i * 37 % 256 - 128);
		quantise_softmax(in, 40, fraction, out);
		for (int i = 0; i < 40; i++)
			sum += exp(ldexp(in[i], -(int)fraction));
		for (int i = 0; i < 40; i++) {
			double expected = 127 * exp(ldexp(in[i], -(int)fraction)) / sum;
			assert_true(out[i] <= expected * 1.05 + 0.5 && out[i] >= expected * 0.95 - 1.5);
		}
	}
}

static void read_text(const char *text, struct network *network)
{
	struct err err = {0};
	if (network_read_text(text, network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
}

static const char residual[] =
    "name: residual\ninput: [12, 12, 3]\nlayers:\n  - conv: {kernel: 3, out_channels: 8}\n"
    "  - conv: {kernel: 3, out_channels: 8, add: {from: -1}}\n  - pool: {window: 2}\n"
    "  - conv: {kernel: 3, stride: 2, out_channels: 12, activation: none}\n  - fc: {out: 10, activation: none}\n";

/* Quantised results are near those in floating point: root of the mean square, of the numbers' own. */
static void test_error_of_quantisation(void **state)
{
	(void)state;
	struct network network;
	struct quantise_float model;
	struct quantise_network quant;
	struct arena arena = {0};
	struct err err = {0};
	read_text(residual, &network);
	size_t n = quantise_n_input(&network), last = network.n_block - 1,
	       n_out = quantise_n_result(&network.block[last]);
	float *input = arena_array(&arena, 20 * n, sizeof(*input));
	int8_t *in = arena_array(&arena, n, 1);
	float **real = (float **)quantise_make_results(&network, sizeof(float), &arena);
	int8_t **whole = (int8_t **)quantise_make_results(&network, 1, &arena);
	double wrong = 0, square = 0;
	assert_true(input && in && real && whole);
	quantise_generate_inputs(&network, SEED, 20, input);
	assert_int_equal(quantise_check(&network, &err), ERR_OK);
	assert_int_equal(quantise_generate(&network, SEED, &model, &err), ERR_OK);
	assert_int_equal(quantise_calibrate(&model, input, 10, &quant, &err), ERR_OK);
	for (size_t i = 10; i < 20; i++) { /* others than the scales were measured on */
		assert_true(quantise_run_float(&model, input + i * n, real, NULL));
		quantise_input(&quant, input + i * n, in);
		assert_true(quantise_run(&quant, in, whole));
		for (size_t k = 0; k < n_out; k++) {
			double is = ldexp(whole[last][k], -quant.block[last].fraction);
			wrong += (is - (double)real[last][k]) * (is - (double)real[last][k]);
			square += (double)real[last][k] * (double)real[last][k];
		}
	}
	assert_true(square > 0 && sqrt(wrong / square) < 0.05);
	quantise_free(&quant);
	quantise_float_free(&model);
	arena_free(&arena);
	network_free(&network);
}

static void test_what_has_no_arithmetic(void **state)
{
	(void)state;
	struct network network;
	struct err err = {0};
	read_text(
	    "name: gate\ninput: [4, 4, 4]\nlayers:\n  - conv: {kernel: 1, out_channels: 4}\n"
	    "  - arm: {op: function}\n  - slice: {from: 1, channels: [1, 2]}\n  - conv: {kernel: 1, out_channels: 4}\n",
	    &network);
	assert_int_equal(quantise_check(&network, &err), ERR_INPUT);
	assert_non_null(strstr(err_text(&err), "FUNC_2: no integer arithmetic: of the ARM cores' work only"));
	assert_non_null(strstr(err_text(&err), "no integer arithmetic: it reads results that are cut"));
	err_clear(&err);
	network_free(&network);
}

/* ---- ONNX ---- */

/* A tensor with contents: floats as they are, or int8. */
static const char *put_tensor(size_t n_dim, const int64_t *dim, const float *value, bool is_int8)
{
	char name[32];
	size_t n = 1;
	for (size_t i = 0; i < n_dim; i++)
		n *= (size_t)dim[i];
	(void)snprintf(name, sizeof(name), "tensor_%u", builder.n_name++);
	Onnx__TensorProto *tensor = builder_tensor(
	    &builder, name, is_int8 ? ONNX__TENSOR_PROTO__DATA_TYPE__INT8 : ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, n_dim,
	    dim);
	tensor->has_raw_data = 1;
	tensor->raw_data.len = n * (is_int8 ? 1 : sizeof(float));
	tensor->raw_data.data = builder_room(&builder, tensor->raw_data.len);
	for (size_t i = 0; i < n && is_int8; i++)
		tensor->raw_data.data[i] = (uint8_t)(int8_t)value[i];
	if (!is_int8)
		memcpy(tensor->raw_data.data, value, n * sizeof(float));
	builder.tensor[builder.graph.n_initializer++] = tensor;
	return tensor->name;
}

#define TENSOR(value, ...) \
	put_tensor(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__}, value, false)

static const char *node(const char *op, const char *a, const char *b, const char *c)
{
	return builder_node(&builder, op, NULL, a, b, c, NULL)->output[0];
}

/* The model as a file, imported whole with its network. */
static void import_model(struct onnx_import *import, struct network *network)
{
	char path[TEMPORARY_SIZE];
	struct err err = {0};
	size_t n_byte;
	uint8_t *data = builder_pack(&builder, &n_byte);
	FILE *file = temporary_open(path);
	assert_int_equal(fwrite(data, 1, n_byte, file), n_byte);
	assert_int_equal(fclose(file), 0);
	free(data);
	if (onnx_import_whole(path, import, &err) != ERR_OK || onnx_build(import, network, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	(void)remove(path);
	builder_free(&builder);
}

#define N_HIDDEN 20
#define N_OUT 5
#define N_FILTER 4
#define N_FLAT (N_FILTER * 9)

/* What the model below is made of. */
struct parts {
	float conv[N_FILTER * 2 * 9], conv_bias[N_FILTER], norm[4][N_FILTER];
	float gemm[N_HIDDEN * N_FLAT], gemm_bias[N_HIDDEN], last[N_HIDDEN * N_OUT], last_bias[N_OUT];
};

static void draw_parts(struct parts *parts)
{
	float *value = (float *)(void *)parts;
	for (size_t i = 0; i < sizeof(*parts) / sizeof(float); i++)
		value[i] = (float)((double)(i * 7919 % 1999) / 1999 - 0.5);
	for (int f = 0; f < N_FILTER; f++)
		parts->norm[3][f] = 0.5f + (float)f; /* a variance */
}

/* Conv, BatchNormalization, Relu, MaxPool, Flatten, Gemm with B transposed, Relu, MatMul, Add. */
static void build_float(const struct parts *parts)
{
	builder_start(&builder, "float");
	builder_input(&builder, "data", 4, (const int64_t[]){1, 2, 6, 6});
	Onnx__NodeProto *conv = builder_node(&builder, "Conv", NULL, "data", TENSOR(parts->conv, N_FILTER, 2, 3, 3),
	                                     TENSOR(parts->conv_bias, N_FILTER), NULL);
	BUILDER_INTEGERS(&builder, conv, "pads", 1, 1, 1, 1);
	const char *x = builder_node(&builder, "BatchNormalization", NULL, conv->output[0],
	                             TENSOR(parts->norm[0], N_FILTER), TENSOR(parts->norm[1], N_FILTER),
	                             TENSOR(parts->norm[2], N_FILTER), TENSOR(parts->norm[3], N_FILTER), NULL)
	                    ->output[0];
	Onnx__NodeProto *pool = builder_node(&builder, "MaxPool", NULL, node("Relu", x, NULL, NULL), NULL);
	BUILDER_INTEGERS(&builder, pool, "kernel_shape", 2, 2);
	BUILDER_INTEGERS(&builder, pool, "strides", 2, 2);
	Onnx__NodeProto *gemm =
	    builder_node(&builder, "Gemm", NULL, node("Flatten", pool->output[0], NULL, NULL),
	                 TENSOR(parts->gemm, N_HIDDEN, N_FLAT), TENSOR(parts->gemm_bias, N_HIDDEN), NULL);
	builder_integer(&builder, gemm, "transB", 1);
	x = node("MatMul", node("Relu", gemm->output[0], NULL, NULL), TENSOR(parts->last, N_HIDDEN, N_OUT), NULL);
	builder_output(&builder, node("Add", x, TENSOR(parts->last_bias, N_OUT), NULL));
}

static void test_weights_of_a_float_model(void **state)
{
	(void)state;
	static struct parts parts;
	struct onnx_import import;
	struct network network;
	struct quantise_float model;
	struct err err = {0};
	draw_parts(&parts);
	build_float(&parts);
	import_model(&import, &network);
	assert_int_equal(network.n_block, 3);
	assert_int_equal(quantise_check(&network, &err), ERR_OK);
	if (quantise_import(&import, &network, &model, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	for (int f = 0; f < N_FILTER; f++) {
		double factor = (double)parts.norm[0][f] / sqrt((double)parts.norm[3][f] + 1e-5);
		for (int k = 0; k < 18; k++)
			assert_true(fabs((double)model.block[0].weight[f * 18 + k] -
			                 (double)parts.conv[f * 18 + k] * factor) < 1e-6);
		double bias =
		    ((double)parts.conv_bias[f] - (double)parts.norm[2][f]) * factor + (double)parts.norm[1][f];
		assert_true(fabs((double)model.block[0].bias[f] - bias) < 1e-6);
	}
	assert_memory_equal(model.block[1].weight, parts.gemm, sizeof(parts.gemm));
	assert_memory_equal(model.block[1].bias, parts.gemm_bias, sizeof(parts.gemm_bias));
	for (int f = 0; f < N_OUT; f++)
		for (int k = 0; k < N_HIDDEN; k++)
			assert_true(model.block[2].weight[f * N_HIDDEN + k] == parts.last[k * N_OUT + f]);
	assert_memory_equal(model.block[2].bias, parts.last_bias, sizeof(parts.last_bias));
	for (int i = 0; i < 4; i++)
		assert_int_equal(model.fraction[i], QUANTISE_MEASURE);
	quantise_float_free(&model);
	network_free(&network);
	onnx_import_free(&import);
}

static const char *quantise_value(const char *x, float scale)
{
	const float zero = 0;
	const char *s = TENSOR(&scale, 1), *z = put_tensor(1, (const int64_t[]){1}, &zero, true);
	return node("DequantizeLinear", node("QuantizeLinear", x, s, z), s, z);
}

/* Scales and weights of a quantised model are its own: 2^-5 of the input, 2^-6 of weights, 2^-3 and 0.3 of results. */
static void test_scales_of_a_quantised_model(void **state)
{
	(void)state;
	float weight[N_OUT * 8], more[N_OUT * N_OUT], scale = 0.015625f, zero = 0;
	struct onnx_import import;
	struct network network;
	struct quantise_float model;
	struct quantise_network quant;
	struct err err = {0};
	for (int i = 0; i < N_OUT * 8; i++)
		weight[i] = (float)(i * 53 % 255 - 127);
	for (int i = 0; i < N_OUT * N_OUT; i++)
		more[i] = weight[i];
	builder_start(&builder, "qdq");
	builder_input(&builder, "data", 2, (const int64_t[]){1, 8});
	const char *s = TENSOR(&scale, 1), *z = put_tensor(1, (const int64_t[]){1}, &zero, true);
	const char *x = quantise_value("data", 0.03125f);
	x = node("MatMul", x, node("DequantizeLinear", put_tensor(2, (const int64_t[]){8, N_OUT}, weight, true), s, z),
	         NULL);
	x = quantise_value(node("Relu", x, NULL, NULL), 0.125f);
	x = node("MatMul", x,
	         node("DequantizeLinear", put_tensor(2, (const int64_t[]){N_OUT, N_OUT}, more, true), s, z), NULL);
	builder_output(&builder, quantise_value(x, 0.3f));
	import_model(&import, &network);
	if (quantise_import(&import, &network, &model, &err) != ERR_OK)
		fail_msg("%s", err_text(&err));
	assert_int_equal(model.fraction[0], 5);
	assert_int_equal(model.fraction[1], 3);
	assert_int_equal(model.fraction[2], QUANTISE_MEASURE);
	float input[8] = {1, -1, 0.5f, 0.25f, 2, -2, 3, 0};
	assert_int_equal(quantise_calibrate(&model, input, 1, &quant, &err), ERR_OK);
	assert_int_equal(quant.in_fraction, 5);
	assert_int_equal(quant.block[0].weight_fraction, 6);
	assert_int_equal(quant.block[0].shift, 5 + 6 - 3);
	for (int f = 0; f < N_OUT; f++)
		for (int k = 0; k < 8; k++)
			assert_int_equal(quant.block[0].weight[f * 8 + k], (int)weight[k * N_OUT + f]);
	quantise_free(&quant);
	quantise_float_free(&model);
	network_free(&network);
	onnx_import_free(&import);
}

/* int8 [rows, columns] with one scale and zero point for each index of an axis; the axis is named or ONNX's own. */
static const char *put_by_channel(int64_t rows, int64_t columns, const float *whole, int axis, bool is_named)
{
	size_t n = (size_t)(axis == 0 ? rows : columns);
	float scale[8], zero[8];
	for (size_t i = 0; i < n; i++) {
		scale[i] = ldexpf(1, -(int)(i % 5) - 3);
		zero[i] = (float)(i % 3);
	}
	Onnx__NodeProto *dequantise = builder_node(&builder, "DequantizeLinear", NULL,
	                                           put_tensor(2, (const int64_t[]){rows, columns}, whole, true),
	                                           put_tensor(1, (const int64_t[]){(int64_t)n}, scale, false),
	                                           put_tensor(1, (const int64_t[]){(int64_t)n}, zero, true), NULL);
	if (is_named)
		builder_integer(&builder, dequantise, "axis", axis - (rows == columns ? 2 : 0)); /* also from behind */
	return dequantise->output[0];
}

/* Scales by channel: of rows, of columns, along ONNX's own axis and one counted from behind, square and not. */
static void test_scales_by_channel(void **state)
{
	(void)state;
	static const struct {
		int rows, columns, axis;
		bool is_named;
	} form[] = {{8, 5, 1, false}, {8, 5, 1, true}, {8, 5, 0, true},
	            {8, 8, 1, false}, {8, 8, 1, true}, {8, 8, 0, true}};
	for (size_t t = 0; t < sizeof(form) / sizeof(form[0]); t++) {
		int rows = form[t].rows, columns = form[t].columns;
		float whole[64];
		struct onnx_import import;
		struct network network;
		struct quantise_float model;
		struct err err = {0};
		for (int i = 0; i < 64; i++)
			whole[i] = (float)((i * 53 + (int)t) % 255 - 127);
		builder_start(&builder, "channels");
		builder_input(&builder, "data", 2, (const int64_t[]){1, 8});
		builder_output(
		    &builder,
		    node("MatMul", "data", put_by_channel(rows, columns, whole, form[t].axis, form[t].is_named), NULL));
		import_model(&import, &network);
		if (quantise_import(&import, &network, &model, &err) != ERR_OK)
			fail_msg("%s", err_text(&err));
		for (int r = 0; r < rows; r++)
			for (int c = 0; c < columns; c++) {
				int i = form[t].axis == 0 ? r : c;
				double expected = ldexp((double)whole[r * columns + c] - i % 3, -(i % 5) - 3);
				assert_true((double)model.block[0].weight[c * rows + r] == expected);
			}
		quantise_float_free(&model);
		network_free(&network);
		onnx_import_free(&import);
	}
}

static void refuse(const char *message)
{
	struct onnx_import import;
	struct network network;
	struct quantise_float model;
	struct err err = {0};
	import_model(&import, &network);
	assert_int_equal(quantise_import(&import, &network, &model, &err), ERR_INPUT);
	if (!strstr(err_text(&err), message))
		fail_msg("'%s': %s", message, err_text(&err));
	assert_null(model.block);
	err_clear(&err);
	network_free(&network);
	onnx_import_free(&import);
}

static void test_models_that_are_refused(void **state)
{
	(void)state;
	float weight[64] = {0};
	builder_start(&builder, "bare");
	builder_input(&builder, "data", 2, (const int64_t[]){1, 8});
	builder_output(&builder, node("MatMul", "data", BUILDER_WEIGHTS(&builder, 8, 8), NULL));
	refuse("its weights, 64 numbers, are not in the file");
	builder_start(&builder, "function");
	builder_input(&builder, "data", 2, (const int64_t[]){1, 8});
	builder_output(&builder, node("Sigmoid", node("MatMul", "data", TENSOR(weight, 8, 8), NULL), NULL, NULL));
	refuse("(Sigmoid): there is no integer arithmetic for it");
	builder_start(&builder, "one");
	builder_input(&builder, "data", 2, (const int64_t[]){1, 8});
	builder_output(&builder,
	               node("Add", node("MatMul", "data", TENSOR(weight, 8, 8), NULL), TENSOR(weight, 1), NULL));
	refuse("(Add): it adds a constant that is not one number for each of 8 filters");
	builder_start(&builder, "blocks");
	builder_input(&builder, "data", 2, (const int64_t[]){1, 8});
	builder_output(&builder, node("MatMul", "data",
	                              node("DequantizeLinear", put_tensor(2, (const int64_t[]){8, 8}, weight, true),
	                                   TENSOR(weight, 4), NULL),
	                              NULL));
	refuse("it has 4 scales, which is neither one nor one for each index of axis 1");
	builder_start(&builder, "scaled");
	builder_input(&builder, "data", 2, (const int64_t[]){1, 8});
	Onnx__NodeProto *gemm = builder_node(&builder, "Gemm", NULL, "data", TENSOR(weight, 8, 8), NULL);
	builder_real(&builder, gemm, "alpha", 0.5f);
	builder_output(&builder, gemm->output[0]);
	refuse("alpha, beta or transA is set");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_softmax),
	    cmocka_unit_test(test_error_of_quantisation),
	    cmocka_unit_test(test_what_has_no_arithmetic),
	    cmocka_unit_test(test_weights_of_a_float_model),
	    cmocka_unit_test(test_scales_of_a_quantised_model),
	    cmocka_unit_test(test_scales_by_channel),
	    cmocka_unit_test(test_models_that_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
