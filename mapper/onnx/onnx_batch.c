/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_batch.h"
#include "sim/base/checked.h"
#include <string.h>

/* Operators that keep images apart where the first dimension is theirs before and after. */
static const char *const image_op[] = {
    "Conv",    "MaxPool",  "AveragePool", "GlobalAveragePool", "GlobalMaxPool", "BatchNormalization",
    "Relu",    "Clip",     "Sigmoid",     "LeakyRelu",         "HardSigmoid",   "HardSwish",
    "Tanh",    "Add",      "Concat",      "Flatten",           "Reshape",       "Gemm",
    "Dropout", "Identity",
};

/* A constant operand of the rank of the result may have other numbers for each image. */
static bool tells_images_apart(const struct onnx_graph *graph, const struct onnx_node *node, int64_t n_image)
{
	size_t rank = graph->value[node->out[0]].shape.n;
	if (strcmp(node->op, "Add") != 0 && strcmp(node->op, "Concat") != 0)
		return false;
	for (size_t i = 0; i < node->n_in; i++) {
		const struct onnx_value *in = &graph->value[node->in[i]];
		if (in->shape.n != rank ? !in->is_constant : in->is_constant && in->shape.dim[0] == n_image)
			return true;
	}
	return false;
}

/* Whether a node that is computed does the same to each image. */
static bool is_alike(const struct onnx_graph *graph, const struct onnx_node *node, int64_t n_image)
{
	bool is_known = false;
	for (size_t i = 0; i < sizeof(image_op) / sizeof(image_op[0]); i++)
		is_known = is_known || strcmp(node->op, image_op[i]) == 0;
	if (!is_known || node->domain[0] != '\0' || onnx_integer(node, "transA", 0) != 0)
		return false;
	/* weights that are a result, or a matrix of them as the first factor, are of all images */
	bool has_weights = strcmp(node->op, "Conv") == 0 || strcmp(node->op, "Gemm") == 0;
	for (size_t i = 0; i < node->n_in && has_weights; i++)
		if (node->in[i] > 0 && graph->value[node->in[i]].is_constant != (i > 0))
			return false;
	return !tells_images_apart(graph, node, n_image);
}

static bool is_of_images(const struct onnx_value *value, int64_t n_image)
{
	if (value->is_constant || value->n_reader == 0)
		return true;
	return value->has_shape && value->shape.n > 1 && value->shape.dim[0] == n_image;
}

uint32_t onnx_batch_take(struct onnx_graph *graph)
{
	int64_t n_image = 1;
	for (uint32_t v = 1; v < graph->n_value; v++)
		if (graph->value[v].is_input && graph->value[v].n_reader > 0 && graph->value[v].shape.n > 1)
			n_image = graph->value[v].shape.dim[0];
	if (n_image < 2 || n_image > NETWORK_MAX_EXTENT)
		return 1;
	for (uint32_t v = 1; v < graph->n_value; v++)
		if (!is_of_images(&graph->value[v], n_image))
			return 1;
	for (size_t i = 0; i < graph->n_node; i++) {
		const struct onnx_node *node = &graph->node[i];
		if (node->n_out == 0 || node->out[0] == 0)
			return 1;
		if (!graph->value[node->out[0]].is_constant && !is_alike(graph, node, n_image))
			return 1;
	}
	for (uint32_t v = 1; v < graph->n_value; v++)
		if (!graph->value[v].is_constant && graph->value[v].has_shape && graph->value[v].shape.n > 1)
			graph->value[v].shape.dim[0] = 1;
	return (uint32_t)n_image;
}

void onnx_batch_give(struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t n_image)
{
	for (size_t i = 0; i < graph->n_node; i++)
		plan->verdict[i].mac = mul_sat(plan->verdict[i].mac, n_image);
	plan->mac = mul_sat(plan->mac, n_image);
	plan->list.batch = n_image;
}
