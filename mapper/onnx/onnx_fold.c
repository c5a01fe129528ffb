/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of small results: exporters write chains of operators that compute shapes. */
#include "mapper/onnx/onnx_select.h"
#include <assert.h>
#include <math.h>

/* The content of input i; NULL where it is not known. */
static const double *content(const struct onnx_work *work, size_t i)
{
	const struct onnx_value *value = onnx_input(work->graph, work->node, i);
	return value ? value->content : NULL;
}

static size_t size_of(const struct onnx_work *work, size_t i)
{
	return (size_t)onnx_n_element(&onnx_op_in(work, i)->shape);
}

static const struct onnx_value *result(const struct onnx_work *work)
{
	return &work->graph->value[work->node->out[0]];
}

/* The same numbers in the same order. */
bool onnx_fold_copy(const struct onnx_work *work, double *out, size_t n)
{
	const double *in = content(work, 0);
	if (!in || size_of(work, 0) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		out[i] = in[i];
	return true;
}

bool onnx_fold_each(const struct onnx_work *work, double *out, size_t n)
{
	const double *in = content(work, 0);
	assert(work->op->number);
	if (!in || size_of(work, 0) != n)
		return false;
	for (size_t i = 0; i < n; i++)
		out[i] = work->op->number(in[i], 0);
	return true;
}

/* Where element i of a result finds its number in an input that was broadcast to it. */
static size_t broadcast_index(const struct onnx_shape *in, const struct onnx_shape *out, size_t i)
{
	size_t index = 0, step = 1;
	assert(in->n <= out->n);
	for (size_t k = 0; k < out->n; k++) {
		size_t axis = out->n - 1 - k, at = i % (size_t)out->dim[axis];
		i /= (size_t)out->dim[axis];
		if (k >= in->n)
			continue;
		size_t side = (size_t)in->dim[in->n - 1 - k];
		index += side > 1 ? at * step : 0;
		step *= side;
	}
	return index;
}

/* Whether the contents of the first n inputs are known, and broadcast as NumPy's do: not where a node says otherwise.
 */
static bool can_broadcast(const struct onnx_work *work, size_t n)
{
	if (onnx_integer(work->node, "broadcast", 0) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!content(work, i))
			return false;
	return true;
}

/* Quotients of integers are cut off towards 0, as ONNX says. */
bool onnx_fold_pairs(const struct onnx_work *work, double *out, size_t n)
{
	const struct onnx_shape *shape = &result(work)->shape;
	assert(work->op->number);
	if (!can_broadcast(work, work->node->n_in))
		return false;
	for (size_t i = 0; i < n; i++) {
		out[i] = content(work, 0)[broadcast_index(&onnx_op_in(work, 0)->shape, shape, i)];
		for (size_t k = 1; k < work->node->n_in; k++) {
			const struct onnx_shape *in = &onnx_op_in(work, k)->shape;
			out[i] = work->op->number(out[i], content(work, k)[broadcast_index(in, shape, i)]);
		}
		if (result(work)->type == ONNX_INTEGER)
			out[i] = trunc(out[i]);
	}
	return true;
}

bool onnx_fold_where(const struct onnx_work *work, double *out, size_t n)
{
	const struct onnx_shape *shape = &result(work)->shape;
	if (!can_broadcast(work, 3))
		return false;
	for (size_t i = 0; i < n; i++) {
		bool condition = content(work, 0)[broadcast_index(&onnx_op_in(work, 0)->shape, shape, i)] != 0;
		size_t k = condition ? 1 : 2;
		out[i] = content(work, k)[broadcast_index(&onnx_op_in(work, k)->shape, shape, i)];
	}
	return true;
}

/* Shapes are known where contents are not. */
bool onnx_fold_shape(const struct onnx_work *work, double *out, size_t n)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	struct onnx_range range;
	onnx_shape_range(work, &range);
	assert((int64_t)n == range.n);
	for (size_t i = 0; i < n; i++)
		out[i] = (double)in->dim[range.start + (int64_t)i];
	return true;
}

/* Of vectors, which shapes are. */
bool onnx_fold_concat(const struct onnx_work *work, double *out, size_t n)
{
	size_t n_done = 0;
	for (size_t k = 0; k < work->node->n_in; k++) {
		const struct onnx_value *value = onnx_input(work->graph, work->node, k);
		if (!value || !value->content || value->shape.n != 1)
			return false;
		for (size_t i = 0; i < size_of(work, k); i++)
			out[n_done++] = value->content[i];
	}
	assert(n_done == n);
	return true;
}

bool onnx_fold_slice(const struct onnx_work *work, double *out, size_t n)
{
	struct onnx_work again = *work;
	struct onnx_range range[ONNX_MAX_RANK];
	if (!content(work, 0) || onnx_op_in(work, 0)->shape.n != 1 || !onnx_slice_ranges(&again, range))
		return false;
	assert((int64_t)n == range[0].n);
	for (size_t i = 0; i < n; i++)
		out[i] = content(work, 0)[range[0].start + (int64_t)i * range[0].step];
	return true;
}

bool onnx_fold_gather(const struct onnx_work *work, double *out, size_t n)
{
	const double *in = content(work, 0), *index = content(work, 1);
	if (!in || !index || onnx_op_in(work, 0)->shape.n != 1 || size_of(work, 1) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t size = (int64_t)size_of(work, 0), at = onnx_op_whole(index[i]);
		at += at < 0 ? size : 0;
		if (at < 0 || at >= size)
			return false;
		out[i] = in[at];
	}
	return true;
}

bool onnx_fold_constant(const struct onnx_work *work, double *out, size_t n)
{
	const struct onnx_attribute *value = onnx_constant_value(work);
	if (!value)
		return false;
	const struct onnx_value *tensor = &work->graph->value[value->tensor];
	double number = value->has_real ? value->real : (double)value->integer;
	const double *in = &number;
	uint64_t n_in = 1;
	if (value->tensor > 0) {
		in = tensor->content;
		n_in = in ? (uint64_t)onnx_n_element(&tensor->shape) : 0;
	} else if (value->n_list > 0) {
		in = value->list;
		n_in = value->n_list;
	}
	if (!in || n != n_in) /* nothing else is there to be read, whatever shape the result has */
		return false;
	for (size_t k = 0; k < n; k++)
		out[k] = in[k];
	return true;
}

/* What fills it does not count unless it is in the file: weights come this way, and then it is not asked for. */
bool onnx_fold_constant_of_shape(const struct onnx_work *work, double *out, size_t n)
{
	const struct onnx_attribute *value = onnx_find(work->node, "value");
	const double *fill = value && value->tensor > 0 ? work->graph->value[value->tensor].content : NULL;
	if (value && (!fill || onnx_n_element(&work->graph->value[value->tensor].shape) < 1))
		return false;
	for (size_t i = 0; i < n; i++)
		out[i] = fill ? *fill : 0;
	return true;
}

bool onnx_fold_range(const struct onnx_work *work, double *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = content(work, 0)[0] + (double)i * content(work, 2)[0];
	return true;
}

bool onnx_fold_size(const struct onnx_work *work, double *out, size_t n)
{
	assert(n == 1);
	out[0] = (double)size_of(work, 0);
	return true;
}

/* ReduceProd of everything. */
bool onnx_fold_product(const struct onnx_work *work, double *out, size_t n)
{
	const double *in = content(work, 0);
	if (!in || n != 1)
		return false;
	out[0] = 1;
	for (size_t i = 0; i < size_of(work, 0); i++)
		out[0] *= in[i];
	return true;
}
