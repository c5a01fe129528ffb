/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of reshaping, concatenation, splits, reductions and element-wise operators. */
#include "mapper/onnx/onnx_table.h"
#include <assert.h>
#include <string.h>

/* The result is shaped as the first input; further outputs, of operators that have them, are not worked out. */
bool onnx_infer_same(struct onnx_work *work)
{
	return onnx_op_set(work, 0, &onnx_op_in(work, 0)->shape, onnx_op_in(work, 0)->type);
}

/* The result; further on, behind mean and deviation, the sum that was normalised. */
bool onnx_infer_skip_norm(struct onnx_work *work)
{
	const struct onnx_value *in = onnx_op_in(work, 0);
	return onnx_op_set(work, 0, &in->shape, in->type) && onnx_op_set(work, 3, &in->shape, in->type);
}

/* The numbers, and one scale and zero point for all of them. */
bool onnx_infer_quantise(struct onnx_work *work)
{
	const struct onnx_shape scalar = {0};
	return onnx_infer_same(work) && onnx_op_set(work, 1, &scalar, ONNX_REAL) &&
	       onnx_op_set(work, 2, &scalar, ONNX_INTEGER);
}

/* Before version 7 of the operators, the second input had to name the axis it began at; it never widened the first. */
bool onnx_infer_broadcast(struct onnx_work *work)
{
	struct onnx_shape shape = onnx_op_in(work, 0)->shape;
	enum onnx_type type = onnx_op_in(work, work->node->n_in > 2 ? 1 : 0)->type;
	if (onnx_integer(work->node, "broadcast", 0) != 0)
		return onnx_op_set(work, 0, &shape, type);
	for (size_t i = 1; i < work->node->n_in; i++) {
		const struct onnx_value *value = onnx_input(work->graph, work->node, i);
		struct onnx_shape wide;
		if (value && !onnx_op_broadcast(&shape, &value->shape, &wide))
			return onnx_op_fail(work, "%s and %s: these shapes do not fit", onnx_shape_text(&shape).text,
			                    onnx_shape_text(&value->shape).text);
		if (value)
			shape = wide;
	}
	return onnx_op_set(work, 0, &shape, type);
}

bool onnx_infer_reshape(struct onnx_work *work)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	bool zero_is_zero = onnx_integer(work->node, "allowzero", 0) != 0;
	struct onnx_shape out = {0};
	const double *list;
	int64_t n_rest = 1, n_in = onnx_n_element(in);
	size_t n, open = SIZE_MAX;
	if (!onnx_op_list(work, 1, "shape", &list, &n))
		return false;
	if (n > ONNX_MAX_RANK)
		return onnx_op_fail(work, "found %zu dimensions, allowed up to %d", n, ONNX_MAX_RANK);
	out.n = n;
	for (size_t i = 0; i < n; i++) {
		int64_t dim = onnx_op_whole(list[i]);
		if (dim == 0 && !zero_is_zero && i < in->n)
			dim = in->dim[i];
		if (dim == -1 && open == SIZE_MAX) {
			open = i;
			continue;
		}
		if (dim < 0 || dim > ONNX_MAX_DIM)
			return onnx_op_fail(work, "cannot make %lld of a dimension", (long long)dim);
		out.dim[i] = dim;
		if (__builtin_mul_overflow(n_rest, dim, &n_rest))
			return onnx_op_fail(work, "the shape wanted has too many numbers");
	}
	if (open < n) {
		out.dim[open] = n_rest > 0 ? n_in / n_rest : 0;
		if (__builtin_mul_overflow(n_rest, out.dim[open], &n_rest))
			return onnx_op_fail(work, "the shape wanted has too many numbers");
	}
	if (n_rest != n_in)
		return onnx_op_fail(work, "cannot make %lld numbers of %s", (long long)n_rest,
		                    onnx_shape_text(in).text);
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

bool onnx_infer_flatten(struct onnx_work *work)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	struct onnx_shape out = {.n = 2, .dim = {1, 1}};
	size_t axis = in->n;
	int64_t wanted = onnx_integer(work->node, "axis", 1);
	/* The axis may lie behind the last one here. */
	if (wanted != (int64_t)in->n && !onnx_op_axis(work, wanted, in->n, &axis))
		return false;
	for (size_t i = 0; i < in->n; i++)
		out.dim[i >= axis] *= in->dim[i];
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

/* The axes of a list as flags; false after a message. */
static bool read_axes(struct onnx_work *work, size_t rank, bool flag[ONNX_MAX_RANK], size_t *n_axis)
{
	const double *list;
	size_t axis;
	assert(rank <= ONNX_MAX_RANK);
	memset(flag, 0, ONNX_MAX_RANK * sizeof(*flag));
	if (!onnx_op_list(work, 1, "axes", &list, n_axis))
		return false;
	for (size_t i = 0; i < *n_axis; i++) {
		if (!onnx_op_axis(work, onnx_op_whole(list[i]), rank, &axis))
			return false;
		if (flag[axis])
			return onnx_op_fail(work, "axis %zu stands in its list twice", axis);
		flag[axis] = true;
	}
	return true;
}

bool onnx_infer_squeeze(struct onnx_work *work)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	struct onnx_shape out = {0};
	bool flag[ONNX_MAX_RANK];
	size_t n;
	if (!read_axes(work, in->n, flag, &n))
		return false;
	for (size_t i = 0; i < in->n; i++) {
		if (flag[i] && in->dim[i] != 1)
			return onnx_op_fail(work, "axis %zu of %s is not 1", i, onnx_shape_text(in).text);
		if (!(flag[i] || (n == 0 && in->dim[i] == 1)))
			out.dim[out.n++] = in->dim[i];
	}
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

bool onnx_infer_unsqueeze(struct onnx_work *work)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	struct onnx_shape out = {0};
	bool flag[ONNX_MAX_RANK];
	const double *list;
	size_t n, next = 0;
	if (!onnx_op_list(work, 1, "axes", &list, &n))
		return false;
	if (in->n + n > ONNX_MAX_RANK)
		return onnx_op_fail(work, "its result has %zu dimensions, allowed up to %d", in->n + n, ONNX_MAX_RANK);
	out.n = in->n + n;
	if (!read_axes(work, out.n, flag, &n))
		return false;
	for (size_t i = 0; i < out.n; i++)
		out.dim[i] = flag[i] ? 1 : in->dim[next++];
	assert(next == in->n);
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

bool onnx_infer_transpose(struct onnx_work *work)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	const struct onnx_attribute *order = onnx_find(work->node, "perm");
	struct onnx_shape out = *in;
	bool seen[ONNX_MAX_RANK] = {false};
	if (order && order->n_list > 0 && order->n_list != in->n)
		return onnx_op_fail(work, "perm has %zu numbers for %zu dimensions", order->n_list, in->n);
	for (size_t i = 0; i < in->n; i++) {
		size_t from = in->n - 1 - i;
		if (order && order->n_list > 0 && !onnx_op_axis(work, onnx_op_whole(order->list[i]), in->n, &from))
			return false;
		if (seen[from])
			return onnx_op_fail(work, "axis %zu stands in perm twice", from);
		assert(from < in->n);
		seen[from] = true;
		out.dim[i] = in->dim[from];
	}
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

bool onnx_infer_concat(struct onnx_work *work)
{
	struct onnx_shape out = onnx_op_in(work, 0)->shape;
	size_t axis;
	if (!onnx_op_axis(work, onnx_integer(work->node, "axis", 1), out.n, &axis))
		return false;
	for (size_t i = 1; i < work->node->n_in; i++) {
		const struct onnx_value *value = onnx_input(work->graph, work->node, i);
		if (!value)
			continue;
		for (size_t j = 0; j < out.n; j++)
			if (value->shape.n != out.n || (j != axis && value->shape.dim[j] != out.dim[j]))
				return onnx_op_fail(work, "%s and %s do not fit along axis %zu",
				                    onnx_shape_text(&onnx_op_in(work, 0)->shape).text,
				                    onnx_shape_text(&value->shape).text, axis);
		out.dim[axis] += value->shape.dim[axis];
		if (out.dim[axis] > ONNX_MAX_DIM)
			return onnx_op_fail(work, "its result is too large");
	}
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

/* Parts of given sizes, else equal ones, the last one smaller where they must be. */
bool onnx_infer_split(struct onnx_work *work)
{
	struct onnx_shape out = onnx_op_in(work, 0)->shape;
	size_t axis, n, n_out = work->node->n_out;
	const double *list;
	int64_t left, each;
	if (n_out == 0 || !onnx_op_axis(work, onnx_integer(work->node, "axis", 0), out.n, &axis) ||
	    !onnx_op_list(work, 1, "split", &list, &n))
		return false;
	if (n > 0 && n != n_out)
		return onnx_op_fail(work, "split has %zu numbers for %zu outputs", n, n_out);
	assert(axis < out.n);
	left = out.dim[axis];
	each = (left + (int64_t)n_out - 1) / (int64_t)n_out;
	for (size_t i = 0; i < n_out; i++) {
		out.dim[axis] = n > 0 ? onnx_op_whole(list[i]) : each < left ? each : left;
		if (out.dim[axis] < 0 || out.dim[axis] > left)
			return onnx_op_fail(work, "its parts are larger than its input");
		left -= out.dim[axis];
		if (!onnx_op_set(work, i, &out, onnx_op_in(work, 0)->type))
			return false;
	}
	return left == 0 || onnx_op_fail(work, "its parts are smaller than its input");
}

/* The result without some axes, or with 1 in their place. */
static bool set_reduced(struct onnx_work *work, const bool gone[ONNX_MAX_RANK], enum onnx_type type)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	bool keep = onnx_integer(work->node, "keepdims", 1) != 0;
	struct onnx_shape out = {0};
	for (size_t i = 0; i < in->n; i++)
		if (!gone[i] || keep)
			out.dim[out.n++] = gone[i] ? 1 : in->dim[i];
	return onnx_op_set(work, 0, &out, type);
}

/* Without axes everything is reduced, unless a node of a new version says that nothing is. */
bool onnx_infer_reduce(struct onnx_work *work)
{
	const struct onnx_value *in = onnx_op_in(work, 0);
	bool gone[ONNX_MAX_RANK];
	size_t n;
	if (!read_axes(work, in->shape.n, gone, &n))
		return false;
	if (n == 0 && onnx_integer(work->node, "noop_with_empty_axes", 0) != 0)
		return onnx_infer_same(work);
	for (size_t i = 0; n == 0 && i < in->shape.n; i++)
		gone[i] = true;
	return set_reduced(work, gone, in->type);
}

bool onnx_infer_arg(struct onnx_work *work)
{
	bool gone[ONNX_MAX_RANK] = {false};
	size_t axis;
	if (!onnx_op_axis(work, onnx_integer(work->node, "axis", 0), onnx_op_in(work, 0)->shape.n, &axis))
		return false;
	assert(axis < onnx_op_in(work, 0)->shape.n);
	gone[axis] = true;
	return set_reduced(work, gone, ONNX_INTEGER);
}

bool onnx_reduces_pixels(struct onnx_work *work)
{
	bool flag[ONNX_MAX_RANK];
	size_t n;
	return onnx_op_in(work, 0)->shape.n == 4 && read_axes(work, 4, flag, &n) && flag[2] && flag[3] && !flag[1];
}

/* Squares of blocksize pixels against channels. */
static bool move_depth(struct onnx_work *work, bool to_depth)
{
	struct onnx_shape shape = onnx_op_in(work, 0)->shape;
	int64_t side = onnx_integer(work->node, "blocksize", 0);
	if (shape.n != 4 || side < 1 || side > 4096 ||
	    (to_depth ? shape.dim[2] % side != 0 || shape.dim[3] % side != 0 : shape.dim[1] % (side * side) != 0))
		return onnx_op_fail(work, "blocks of %lld do not fit %s", (long long)side,
		                    onnx_shape_text(&shape).text);
	shape.dim[1] = to_depth ? shape.dim[1] * side * side : shape.dim[1] / (side * side);
	for (size_t i = 2; i < 4; i++)
		shape.dim[i] = to_depth ? shape.dim[i] / side : shape.dim[i] * side;
	return onnx_op_set(work, 0, &shape, ONNX_REAL);
}

bool onnx_infer_space_to_depth(struct onnx_work *work)
{
	return move_depth(work, true);
}

bool onnx_infer_depth_to_space(struct onnx_work *work)
{
	return move_depth(work, false);
}
