/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/quantise/quantise_onnx.h"
#include "mapper/quantise/quantise_parts.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WALK 32 /* nodes from one to what follows it */

/* Operators whose numbers quantised layers have: computed as ONNX says, or moved. Others only where they are constant.
 */
static const char *const known_op[] = {"Add",
                                       "AveragePool",
                                       "BatchNormalization",
                                       "Concat",
                                       "Constant",
                                       "Conv",
                                       "DequantizeLinear",
                                       "Dropout",
                                       "Flatten",
                                       "Gemm",
                                       "GlobalAveragePool",
                                       "Identity",
                                       "MatMul",
                                       "MaxPool",
                                       "QuantizeLinear",
                                       "Relu",
                                       "Reshape",
                                       "Softmax",
                                       "Squeeze",
                                       "Unsqueeze"};
#define N_KNOWN (sizeof(known_op) / sizeof(known_op[0]))

struct importing {
	const struct onnx_graph *graph;
	const struct onnx_import *import;
	const struct network *network;
	struct quantise_float *model;
	struct err *err;
	enum err_code code;
};

static bool is_op(const struct onnx_node *node, const char *op)
{
	return node && strcmp(node->op, op) == 0;
}

#define REFUSE(importing, node, ...) \
	((importing)->code = onnx_complain((importing)->graph, node, ERR_INPUT, (importing)->err, __VA_ARGS__))

/* ---- the graph ---- */

static const struct onnx_node *producer_of(const struct onnx_graph *graph, uint32_t value)
{
	uint32_t producer = graph->value[value].producer;
	return producer > 0 ? &graph->node[producer - 1] : NULL;
}

/* The only node that reads a value; NULL: none, or several. Linear in nodes. */
static const struct onnx_node *reader_of(const struct onnx_graph *graph, uint32_t value)
{
	const struct onnx_node *found = NULL;
	for (size_t i = 0; i < graph->n_node; i++)
		for (size_t k = 0; k < graph->node[i].n_in; k++) {
			if (graph->node[i].in[k] != value)
				continue;
			if (found)
				return NULL;
			found = &graph->node[i];
		}
	return found;
}

/* The one number of a constant; false: it is none, or several. */
static bool scalar(const struct onnx_graph *graph, uint32_t value, double *out)
{
	const struct onnx_value *from = &graph->value[value];
	if (value == 0 || !from->content || onnx_n_element(&from->shape) != 1)
		return false;
	*out = from->content[0];
	return true;
}

/* Scales or zero points of a DequantizeLinear: one, or one for each index of its axis. */
struct along {
	const double *value;
	size_t n, inner; /* inner: elements of the tensor from one index of the axis to the next */
};

static double at(const struct along *along, size_t i)
{
	return along->value[along->n == 1 ? 0 : i / along->inner % along->n];
}

/* Input k of a DequantizeLinear of a tensor of this shape. False, and refused: not in the file, or of another shape. */
static bool find_along(struct importing *importing, const struct onnx_node *node, size_t k,
                       const struct onnx_shape *shape, struct along *along)
{
	const struct onnx_value *from = &importing->graph->value[node->in[k]];
	const char *what = k == 1 ? "scales" : "zero points";
	int64_t axis = onnx_integer(node, "axis", 1);
	if (node->in[k] == 0 || !from->content || onnx_n_element(&from->shape) < 1) {
		REFUSE(importing, node, "its %s are not in the file", what);
		return false;
	}
	*along = (struct along){from->content, (size_t)onnx_n_element(&from->shape), 1};
	if (along->n == 1)
		return true;
	axis = shape->n == 1 ? 0 : axis < 0 ? axis + (int64_t)shape->n : axis;
	if (from->shape.n != 1 || axis < 0 || axis >= (int64_t)shape->n || shape->dim[axis] != (int64_t)along->n) {
		REFUSE(importing, node,
		       "it has %zu %s, which is neither one nor one for each index of axis %lld of its tensor; "
		       "quantise the model per tensor or per channel, not by blocks",
		       along->n, what, (long long)axis);
		return false;
	}
	for (size_t d = (size_t)axis + 1; d < shape->n; d++)
		along->inner *= (size_t)shape->dim[d];
	return true;
}

/*
 * A constant tensor in floating point, of n numbers, to be freed; NULL: it is none, or not in the file, or, with the
 * code set, its scales are none. Quantised ones are put right, scales being one or one by channel.
 */
static double *read_constant(struct importing *importing, uint32_t value, size_t n)
{
	static const double no_scale = 1, no_zero = 0;
	const struct onnx_graph *graph = importing->graph;
	const struct onnx_node *node = producer_of(graph, value);
	for (; is_op(node, "Identity"); node = producer_of(graph, value))
		value = node->in[0];
	bool is_quantised = is_op(node, "DequantizeLinear") && node->n_in >= 2;
	const struct onnx_value *from = &graph->value[is_quantised ? node->in[0] : value];
	struct along scale = {&no_scale, 1, 1}, zero = {&no_zero, 1, 1};
	if (value == 0 || !from->content || (size_t)onnx_n_element(&from->shape) != n || n == 0)
		return NULL;
	if (is_quantised && !find_along(importing, node, 1, &from->shape, &scale))
		return NULL;
	if (is_quantised && node->n_in > 2 && node->in[2] > 0 && !find_along(importing, node, 2, &from->shape, &zero))
		return NULL;
	double *out = malloc(n * sizeof(*out));
	for (size_t i = 0; out && i < n; i++)
		out[i] = (from->content[i] - at(&zero, i)) * at(&scale, i);
	return out;
}

/* ---- a layer ---- */

static const struct onnx_node *node_of(const struct importing *importing, const struct block *block)
{
	const struct onnx_plan *plan = &importing->import->plan;
	assert(block->number >= 1 && block->number <= plan->list.n);
	return &importing->graph->node[plan->node_of[block->number - 1]];
}

/* Weights as the layer has them, filter by filter; of a matrix multiplication B's columns. */
static bool take_weights(struct importing *importing, const struct block *block, const struct onnx_node *node,
                         float *weight)
{
	uint32_t n_filter = quantise_n_filter(block);
	size_t n_tap = (size_t)quantise_n_tap(block), n = n_tap * n_filter;
	bool is_conv = is_op(node, "Conv"), is_gemm = is_op(node, "Gemm");
	if ((is_conv != (block->kind == BLOCK_CONV)) || (!is_conv && !is_gemm && !is_op(node, "MatMul")) ||
	    node->n_in < 2) {
		REFUSE(importing, node, "layer %s has no weights in such a node", block->name);
		return false;
	}
	double *from = read_constant(importing, node->in[1], n);
	if (!from && importing->code != ERR_OK)
		return false;
	if (!from) {
		REFUSE(importing, node, "its weights, %zu numbers, are not in the file", n);
		return false;
	}
	bool is_by_filter = is_conv || (is_gemm && onnx_integer(node, "transB", 0) != 0);
	for (uint32_t f = 0; f < n_filter; f++)
		for (size_t k = 0; k < n_tap; k++)
			weight[f * n_tap + k] = (float)from[is_by_filter ? f * n_tap + k : k * n_filter + f];
	free(from);
	return true;
}

static void add_bias(const double *from, uint32_t n, float *bias)
{
	for (uint32_t f = 0; from && f < n; f++)
		bias[f] += (float)from[f];
}

/* A normalisation of known statistics is another weight and another bias. */
static bool fold_normalisation(struct importing *importing, const struct onnx_node *node, uint32_t n_filter,
                               size_t n_tap, float *weight, float *bias)
{
	double *part[4], epsilon = 1e-5; /* scale, shift, mean, variance */
	const struct onnx_attribute *given = onnx_find(node, "epsilon");
	bool good = node->n_in >= 5;
	epsilon = given && given->has_real ? given->real : epsilon;
	for (int i = 0; i < 4; i++) {
		part[i] = good ? read_constant(importing, node->in[1 + i], n_filter) : NULL;
		good = good && part[i];
	}
	for (uint32_t f = 0; good && f < n_filter; f++) {
		double factor = part[0][f] / sqrt(part[3][f] + epsilon);
		for (size_t k = 0; k < n_tap; k++)
			weight[f * n_tap + k] = (float)(weight[f * n_tap + k] * factor);
		bias[f] = (float)((bias[f] - part[2][f]) * factor + part[1][f]);
	}
	for (int i = 0; i < 4; i++)
		free(part[i]);
	if (!good && importing->code == ERR_OK)
		REFUSE(importing, node, "its statistics are not in the file");
	return good;
}

/* Biases of the node, and what follows it before anything else reads its result. */
static bool take_biases(struct importing *importing, const struct block *block, const struct onnx_node *node,
                        float *weight, float *bias)
{
	uint32_t n = quantise_n_filter(block);
	size_t n_tap = (size_t)quantise_n_tap(block);
	if (node->n_in > 2 && node->in[2] > 0) {
		double *own = read_constant(importing, node->in[2], n);
		if (!own && importing->code != ERR_OK)
			return false;
		if (!own) {
			REFUSE(importing, node, "its biases, %u numbers, are not in the file", n);
			return false;
		}
		add_bias(own, n, bias);
		free(own);
	}
	for (int i = 0; i < MAX_WALK; i++) {
		const struct onnx_node *next = reader_of(importing->graph, node->out[0]);
		if (is_op(next, "BatchNormalization")) {
			if (!fold_normalisation(importing, next, n, n_tap, weight, bias))
				return false;
		} else if (is_op(next, "Add")) {
			uint32_t other = next->in[next->in[0] == node->out[0]];
			double *more = read_constant(importing, other, n);
			if (!more && importing->code != ERR_OK)
				return false;
			if (!more && importing->graph->value[other].is_constant) {
				REFUSE(importing, next,
				       "it adds a constant that is not one number for each of %u filters", n);
				return false;
			}
			if (!more)
				break;
			add_bias(more, n, bias);
			free(more);
		} else {
			break;
		}
		node = next;
	}
	return true;
}

/* Attributes that would have to be weights, too. */
static bool check_node(struct importing *importing, const struct onnx_node *node)
{
	const struct onnx_attribute *alpha = onnx_find(node, "alpha"), *beta = onnx_find(node, "beta");
	if (!is_op(node, "Gemm"))
		return true;
	if (onnx_integer(node, "transA", 0) == 0 && (!alpha || alpha->real == 1) && (!beta || beta->real == 1))
		return true;
	REFUSE(importing, node, "alpha, beta or transA is set, which quantised layers do not have");
	return false;
}

static bool import_block(struct importing *importing, uint32_t b)
{
	const struct block *block = &importing->network->block[b];
	struct quantise_float_block *own = &importing->model->block[b];
	*own = (struct quantise_float_block){.n_filter = quantise_n_filter(block), .n_tap = quantise_n_tap(block)};
	size_t n = (size_t)own->n_tap * own->n_filter;
	if (n == 0)
		return true;
	const struct onnx_node *node = node_of(importing, block);
	float *weight = arena_array(&importing->model->arena, n, sizeof(*weight));
	float *bias = arena_array(&importing->model->arena, own->n_filter, sizeof(*bias));
	own->weight = weight;
	own->bias = bias;
	if (!weight || !bias) {
		importing->code =
		    err_add(importing->err, ERR_INTERNAL, "out of memory for the weights of %s", block->name);
		return false;
	}
	return check_node(importing, node) && take_weights(importing, block, node, weight) &&
	       take_biases(importing, block, node, weight, bias);
}

/* ---- scales ---- */

/* Fraction bits of a QuantizeLinear; QUANTISE_MEASURE: it has several scales, one that is no power of two, or
 * a zero point. */
static int32_t fraction_of(const struct onnx_graph *graph, const struct onnx_node *node)
{
	double scale = 0, zero = 0;
	int exponent;
	if (node->n_in < 2 || !scalar(graph, node->in[1], &scale) || scale <= 0)
		return QUANTISE_MEASURE;
	if (node->n_in > 2 && node->in[2] > 0 && (!scalar(graph, node->in[2], &zero) || zero != 0))
		return QUANTISE_MEASURE;
	return frexp(scale, &exponent) == 0.5 && abs(exponent) <= 24 ? 1 - exponent : QUANTISE_MEASURE;
}

/* The scale that a value is given by the nodes behind it, before another layer begins. */
static int32_t scale_behind(const struct onnx_graph *graph, uint32_t value)
{
	static const char *const end[] = {"Conv", "Gemm", "MatMul", "Softmax"};
	int32_t fraction = QUANTISE_MEASURE;
	for (int i = 0; i < MAX_WALK; i++) {
		const struct onnx_node *next = reader_of(graph, value);
		for (size_t k = 0; k < sizeof(end) / sizeof(end[0]); k++)
			if (is_op(next, end[k]))
				return fraction;
		if (!next || next->n_out == 0)
			return fraction;
		if (is_op(next, "QuantizeLinear"))
			fraction = fraction_of(graph, next);
		value = next->out[0];
	}
	return fraction;
}

static bool import_scales(struct importing *importing)
{
	const struct onnx_graph *graph = importing->graph;
	const struct network *network = importing->network;
	int32_t *fraction = arena_array(&importing->model->arena, 1 + network->n_block, sizeof(*fraction));
	importing->model->fraction = fraction;
	if (!fraction) {
		importing->code =
		    err_add(importing->err, ERR_INTERNAL, "out of memory for scales of %s", network->name);
		return false;
	}
	fraction[0] = QUANTISE_MEASURE;
	for (uint32_t v = 1; v < graph->n_value && fraction[0] == QUANTISE_MEASURE; v++)
		if (graph->value[v].is_input && !graph->value[v].is_constant)
			fraction[0] = scale_behind(graph, v);
	for (size_t b = 0; b < network->n_block; b++) {
		const struct block *block = &network->block[b];
		fraction[1 + b] = block->kind == BLOCK_POOL ? QUANTISE_MEASURE
		                                            : scale_behind(graph, node_of(importing, block)->out[0]);
	}
	return true;
}

/* ---- the whole ---- */

static void check_operators(struct importing *importing)
{
	const struct onnx_graph *graph = importing->graph;
	for (size_t i = 0; i < graph->n_node; i++) {
		const struct onnx_node *node = &graph->node[i];
		bool is_known = node->n_out > 0 && graph->value[node->out[0]].is_constant;
		for (size_t k = 0; k < N_KNOWN && !is_known; k++)
			is_known = is_op(node, known_op[k]);
		const struct onnx_attribute *pads = onnx_find(node, "pads");
		for (size_t k = 0; is_op(node, "AveragePool") && pads && k < pads->n_list; k++)
			is_known = is_known && pads->list[k] == 0;
		if (!is_known)
			REFUSE(importing, node, "there is no integer arithmetic for it%s",
			       is_op(node, "AveragePool") ? " with padding" : "");
	}
}

enum err_code quantise_import(const struct onnx_import *import, const struct network *network,
                              struct quantise_float *model, struct err *err)
{
	struct importing importing = {
	    .graph = &import->graph, .import = import, .network = network, .model = model, .err = err};
	*model = (struct quantise_float){.network = network};
	assert(import->graph.has_weights);
	check_operators(&importing);
	model->block = arena_array(&model->arena, network->n_block, sizeof(*model->block));
	if (!model->block)
		importing.code = err_add(err, ERR_INTERNAL, "out of memory for the weights of %s", network->name);
	bool good = importing.code == ERR_OK;
	for (uint32_t b = 0; good && b < network->n_block; b++)
		good = import_block(&importing, b);
	good = good && import_scales(&importing);
	if (!good)
		quantise_float_free(model);
	return importing.code;
}
