/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of all operators: inputs, lists, axes, broadcasting, messages. */
#include "mapper/onnx/onnx_op.h"
#include "sim/base/checked.h"
#include "sim/base/text.h"
#include <math.h>
#include <stdio.h>

#define FAR (INT64_C(1) << 60)

const struct onnx_value *onnx_op_in(const struct onnx_work *work, size_t i)
{
	const struct onnx_value *value = onnx_input(work->graph, work->node, i);
	assert(value && value->has_shape);
	return value;
}

bool onnx_op_fail(struct onnx_work *work, const char *format, ...)
{
	char text[256];
	TEXT_FILL(text, format);
	onnx_complain(work->graph, work->node, ERR_INPUT, work->err, "%s", text);
	return false;
}

bool onnx_op_set(struct onnx_work *work, size_t i, const struct onnx_shape *shape, enum onnx_type type)
{
	struct onnx_value *value;
	uint64_t product = 1;
	if (i >= work->node->n_out || work->node->out[i] == 0)
		return true;
	if (shape->n > ONNX_MAX_RANK)
		return onnx_op_fail(work, "its result has %zu dimensions, allowed up to %d", shape->n, ONNX_MAX_RANK);
	for (size_t k = 0; k < shape->n; k++) {
		if (shape->dim[k] < 0 || shape->dim[k] > ONNX_MAX_DIM)
			return onnx_op_fail(work, "a dimension of its result is %lld, allowed 0 to 2^31",
			                    (long long)shape->dim[k]);
		product = mul_sat(product, shape->dim[k] > 0 ? (uint64_t)shape->dim[k] : 1);
	}
	if (product > (uint64_t)ONNX_MAX_ELEMENT)
		return onnx_op_fail(work, "its result %s has more than 2^50 numbers", onnx_shape_text(shape).text);
	value = &work->graph->value[work->node->out[i]];
	value->shape = *shape;
	value->type = type;
	value->has_shape = true;
	return true;
}

bool onnx_op_list(struct onnx_work *work, size_t i, const char *name, const double **list, size_t *n)
{
	const struct onnx_value *value = onnx_input(work->graph, work->node, i);
	const struct onnx_attribute *attribute = onnx_find(work->node, name);
	*n = attribute ? attribute->n_list : 0;
	*list = attribute ? attribute->list : NULL;
	if (!value)
		return true;
	*n = (size_t)onnx_n_element(&value->shape);
	*list = value->content;
	return *list || *n == 0 ||
	       onnx_op_fail(work,
	                    "its input '%.80s' decides a shape, but is no constant; fix it when exporting the "
	                    "model",
	                    value->name);
}

int64_t onnx_op_whole(double number)
{
	if (!(fabs(number) < (double)FAR))
		return number > 0 ? FAR : number < 0 ? -FAR : 0;
	return (int64_t)number;
}

bool onnx_op_axis(struct onnx_work *work, int64_t axis, size_t rank, size_t *out)
{
	int64_t at = axis < 0 && axis >= -FAR ? axis + (int64_t)rank : axis;
	assert(rank <= ONNX_MAX_RANK);
	if (at < 0 || at >= (int64_t)rank)
		return onnx_op_fail(work, "axis: found %lld, but there are %zu dimensions", (long long)axis, rank);
	*out = (size_t)at;
	return true;
}

bool onnx_op_broadcast(const struct onnx_shape *a, const struct onnx_shape *b, struct onnx_shape *out)
{
	size_t n = a->n > b->n ? a->n : b->n;
	struct onnx_shape wide = {.n = n};
	assert(n <= ONNX_MAX_RANK);
	for (size_t i = 0; i < n; i++) {
		int64_t dim_a = i < n - a->n ? 1 : a->dim[i - (n - a->n)];
		int64_t dim_b = i < n - b->n ? 1 : b->dim[i - (n - b->n)];
		if (dim_a != dim_b && dim_a != 1 && dim_b != 1)
			return false;
		wide.dim[i] = dim_a == 1 ? dim_b : dim_a;
	}
	*out = wide;
	return true;
}
