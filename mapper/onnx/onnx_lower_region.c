/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of an ONNX graph: which values are functions of one root, and which of them other nodes want. */
#include "mapper/onnx/onnx_lower_parts.h"
#include <assert.h>
#include <string.h>

static bool same_shape(const struct onnx_shape *a, const struct onnx_shape *b)
{
	return a->n == b->n && memcmp(a->dim, b->dim, a->n * sizeof(a->dim[0])) == 0;
}

/* The input that all computed inputs of a node are functions of, with how many there are; 0 when there is no one root.
 */
static uint32_t only_root(const struct onnx_lowering *lowering, const struct onnx_node *node, size_t *n)
{
	uint32_t first = 0;
	*n = 0;
	for (size_t i = 0; i < node->n_in; i++) {
		uint32_t in = node->in[i];
		if (in == 0 || lowering->graph->value[in].is_constant)
			continue;
		if (first > 0 && (lowering->place[in].root != lowering->place[first].root ||
		                  lowering->place[in].layout != lowering->place[first].layout ||
		                  !same_shape(&lowering->graph->value[in].shape, &lowering->graph->value[first].shape)))
			return 0;
		first = first > 0 ? first : in;
		++*n;
	}
	return first;
}

/* What an operator with n computed inputs of one root makes of it. */
static enum onnx_function own_function(const struct onnx_op *op, size_t n)
{
	static const enum onnx_function function[] = {
	    [TRAIT_SAME] = FUNCTION_NONE,       [TRAIT_QUANTISE] = FUNCTION_NONE, [TRAIT_MOVED] = FUNCTION_NONE,
	    [TRAIT_RECTIFY] = FUNCTION_RECTIFY, [TRAIT_AFFINE] = FUNCTION_AFFINE, [TRAIT_FUNCTION] = FUNCTION_ANY,
	};
	assert(op->trait != TRAIT_NONE && op->trait < sizeof(function) / sizeof(function[0]));
	return n > 1 && function[op->trait] != FUNCTION_NONE ? FUNCTION_ANY : function[op->trait];
}

/* One function after another. */
static enum onnx_function both(enum onnx_function first, enum onnx_function second)
{
	if (first == FUNCTION_NONE || first == second)
		return second;
	return second == FUNCTION_NONE ? first : FUNCTION_ANY;
}

/* The node's result as a function of its input's root, where it is one. */
static bool join_region(struct onnx_lowering *lowering, const struct onnx_op *op, const struct onnx_node *node)
{
	uint32_t out = node->out[0];
	struct onnx_place *place = &lowering->place[out];
	const struct onnx_value *value = &lowering->graph->value[out];
	size_t n;
	uint32_t in = only_root(lowering, node, &n);
	assert(out > 0);
	if (op->trait == TRAIT_NONE || in == 0 || !value->has_shape)
		return false;
	const struct onnx_place *from = &lowering->place[in];
	const struct onnx_shape *shape = &lowering->graph->value[in].shape;
	if (own_function(op, n) == FUNCTION_NONE) {
		if (n > 1 || onnx_n_element(shape) != onnx_n_element(&value->shape))
			return false;
		*place = (struct onnx_place){.root = from->root, .rep = from->rep, .function = from->function};
	} else {
		if (!same_shape(shape, &value->shape))
			return false;
		*place = (struct onnx_place){
		    .root = from->root, .rep = out, .function = both(from->function, own_function(op, n))};
	}
	place->layout = op->trait == TRAIT_MOVED ? out : from->layout;
	place->draft = NO_DRAFT;
	return true;
}

/* Whether the numbers of a node's result cannot be below 0. */
static bool stays_positive(const struct onnx_lowering *lowering, const struct onnx_op *op, const struct onnx_node *node)
{
	if (op->sign == SIGN_POSITIVE)
		return true;
	if (op->sign != SIGN_KEPT)
		return false;
	for (size_t i = 0; i < node->n_in; i++) {
		const struct onnx_value *in = &lowering->graph->value[node->in[i]];
		/* Constant integers are shapes and axes; what real ones hold is not known. */
		if (node->in[i] > 0 &&
		    (in->is_constant ? in->type == ONNX_REAL : !lowering->place[node->in[i]].is_positive))
			return false;
	}
	return true;
}

static void note_exit(struct onnx_lowering *lowering, uint32_t value)
{
	struct onnx_place *rep = &lowering->place[lowering->place[value].rep];
	if (rep->is_exit)
		return;
	rep->is_exit = true;
	lowering->place[lowering->place[value].root].n_exit++;
}

/* What a node reads of other regions than its own. */
static void note_reads(struct onnx_lowering *lowering, uint32_t n)
{
	const struct onnx_node *node = &lowering->graph->node[n];
	for (size_t i = 0; i < node->n_in; i++) {
		uint32_t in = node->in[i];
		if (in == 0 || lowering->graph->value[in].is_constant)
			continue;
		/* what a row's work in parts reads is its source; the rest is its own */
		if (lowering->rows[n].is_part && in != lowering->rows[n].source)
			continue;
		if (lowering->place[in].first_reader == 0)
			lowering->place[in].first_reader = n + 1;
		if (node->n_out == 0 || lowering->rows[n].is_part ||
		    lowering->place[node->out[0]].root != lowering->place[in].root)
			note_exit(lowering, in);
	}
}

void onnx_region_find(struct onnx_lowering *lowering)
{
	const struct onnx_graph *graph = lowering->graph;
	for (uint32_t v = 0; v < graph->n_value; v++)
		lowering->place[v] = (struct onnx_place){.root = v, .rep = v, .layout = v, .draft = NO_DRAFT};
	for (uint32_t n = 0; n < graph->n_node; n++) {
		const struct onnx_node *node = &graph->node[n];
		const struct onnx_op *op = onnx_op_find(node);
		if (node->n_out == 0 || node->out[0] == 0 || graph->value[node->out[0]].is_constant)
			continue;
		if (op)
			(void)join_region(lowering, op, node);
		lowering->place[node->out[0]].is_positive = op && stays_positive(lowering, op, node);
	}
	onnx_norm_find(lowering);
	for (uint32_t n = 0; n < graph->n_node; n++)
		note_reads(lowering, n);
	for (uint32_t v = 1; v < graph->n_value; v++)
		if (graph->value[v].is_output && !graph->value[v].is_constant)
			note_exit(lowering, v);
}
