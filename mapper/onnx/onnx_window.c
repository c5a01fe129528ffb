/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that slide a window over the axes behind batch and channel: convolutions and pooling. */
#include "mapper/onnx/onnx_window.h"
#include <assert.h>
#include "sim/base/checked.h"
#include <string.h>

#define MAX_SIDE (INT64_C(1) << 24)

/* One attribute of a window: a number a side, what ONNX says where there is none. */
static bool read_sides(struct onnx_work *work, const char *name, size_t n, int64_t least, int64_t absent, int64_t *side)
{
	const struct onnx_attribute *found = onnx_find(work->node, name);
	for (size_t i = 0; i < n; i++)
		side[i] = absent;
	if (!found || found->n_list == 0)
		return true;
	if (found->n_list != n)
		return onnx_op_fail(work, "%s has %zu numbers, allowed %zu", name, found->n_list, n);
	for (size_t i = 0; i < n; i++) {
		side[i] = onnx_op_whole(found->list[i]);
		if (side[i] < least || side[i] > MAX_SIDE)
			return onnx_op_fail(work, "%s: found %lld, allowed %lld to %lld", name, (long long)side[i],
			                    (long long)least, (long long)MAX_SIDE);
	}
	return true;
}

/*
 * Positions along a side, and its padding. SAME_* gives ceil(in / stride) positions; the odd pixel of padding goes to
 * the end with SAME_UPPER.
 */
static bool slide(struct onnx_work *work, struct onnx_window *window, size_t side, int64_t in, const char *pad,
                  bool ceil)
{
	int64_t reach = (window->kernel[side] - 1) * window->dilation[side] + 1;
	int64_t stride = window->stride[side], room;
	assert(stride > 0 && reach > 0);
	if (strncmp(pad, "SAME", 4) == 0) {
		int64_t n_out = (in + stride - 1) / stride;
		int64_t needed = (n_out - 1) * stride + reach - in;
		needed = needed > 0 ? needed : 0;
		window->before[side] = strcmp(pad, "SAME_LOWER") == 0 ? (needed + 1) / 2 : needed / 2;
		window->after[side] = needed - window->before[side];
		window->out[side] = n_out;
		return true;
	}
	if (strcmp(pad, "VALID") == 0)
		window->before[side] = window->after[side] = 0;
	room = in + window->before[side] + window->after[side] - reach;
	if (room < 0)
		return onnx_op_fail(work, "a window of %lld is larger than its padded input of %lld", (long long)reach,
		                    (long long)(room + reach));
	window->out[side] = room / stride + 1;
	/* Rounded up, the last window may hang over the end, but must not begin behind the input and its padding. */
	if (ceil && room % stride != 0 && window->out[side] * stride < in + window->before[side])
		window->out[side]++;
	return true;
}

/* Everything but kernel and positions. */
static bool read_window(struct onnx_work *work, struct onnx_window *window)
{
	int64_t pad[2 * ONNX_MAX_RANK];
	size_t n = window->n;
	assert(n <= ONNX_MAX_RANK - 2);
	if (!read_sides(work, "strides", n, 1, 1, window->stride) ||
	    !read_sides(work, "dilations", n, 1, 1, window->dilation) || !read_sides(work, "pads", 2 * n, 0, 0, pad))
		return false;
	for (size_t i = 0; i < n; i++) {
		window->before[i] = pad[i];
		window->after[i] = pad[n + i];
	}
	return true;
}

static bool check_map(struct onnx_work *work, const struct onnx_shape *in)
{
	if (in->n < 3)
		return onnx_op_fail(work, "its input is %s, allowed are a batch, channels and at least one side",
		                    onnx_shape_text(in).text);
	return true;
}

bool onnx_window_conv(struct onnx_work *work, struct onnx_window *window)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	const struct onnx_shape *weight = &onnx_op_in(work, work->op->operand.weight)->shape;
	const char *pad = onnx_text(work->node, "auto_pad", "NOTSET");
	int64_t group = onnx_integer(work->node, "group", 1);
	if (!check_map(work, in))
		return false;
	if (weight->n != in->n || group < 1 || weight->dim[0] % group != 0 || in->dim[1] % group != 0 ||
	    weight->dim[1] != in->dim[1] / group || weight->dim[0] < 1 || in->dim[1] < 1)
		return onnx_op_fail(work, "weights %s in %lld groups do not fit an input of %s",
		                    onnx_shape_text(weight).text, (long long)group, onnx_shape_text(in).text);
	*window = (struct onnx_window){.n = in->n - 2, .group = group};
	if (!read_window(work, window))
		return false;
	for (size_t i = 0; i < window->n; i++) {
		window->kernel[i] = weight->dim[i + 2];
		if (window->kernel[i] < 1 || window->kernel[i] > MAX_SIDE)
			return onnx_op_fail(work, "weights %s have no pixels, or too many",
			                    onnx_shape_text(weight).text);
		if (!slide(work, window, i, in->dim[i + 2], pad, false))
			return false;
	}
	return true;
}

bool onnx_window_pool(struct onnx_work *work, struct onnx_window *window)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	const char *pad = onnx_text(work->node, "auto_pad", "NOTSET");
	bool ceil = onnx_integer(work->node, "ceil_mode", 0) != 0;
	if (!check_map(work, in))
		return false;
	*window = (struct onnx_window){.n = in->n - 2, .group = 1};
	if (!onnx_find(work->node, "kernel_shape"))
		return onnx_op_fail(work, "kernel_shape is missing");
	if (!read_sides(work, "kernel_shape", window->n, 1, 1, window->kernel) || !read_window(work, window))
		return false;
	for (size_t i = 0; i < window->n; i++)
		if (!slide(work, window, i, in->dim[i + 2], pad, ceil))
			return false;
	return true;
}

static bool set_map(struct onnx_work *work, const struct onnx_window *window, int64_t channel)
{
	struct onnx_shape shape = onnx_op_in(work, 0)->shape;
	assert(shape.n == window->n + 2);
	shape.dim[1] = channel;
	for (size_t i = 0; i < window->n; i++)
		shape.dim[i + 2] = window->out[i];
	return onnx_op_set(work, 0, &shape, ONNX_REAL);
}

bool onnx_infer_conv(struct onnx_work *work)
{
	struct onnx_window window;
	return onnx_window_conv(work, &window) &&
	       set_map(work, &window, onnx_op_in(work, work->op->operand.weight)->shape.dim[0]);
}

bool onnx_infer_pool(struct onnx_work *work)
{
	struct onnx_window window;
	if (!onnx_window_pool(work, &window) || !set_map(work, &window, onnx_op_in(work, 0)->shape.dim[1]))
		return false;
	/* Where the maxima were. */
	return work->node->n_out < 2 ||
	       onnx_op_set(work, 1, &work->graph->value[work->node->out[0]].shape, ONNX_INTEGER);
}

bool onnx_infer_global_pool(struct onnx_work *work)
{
	struct onnx_shape shape = onnx_op_in(work, 0)->shape;
	if (!check_map(work, &shape))
		return false;
	for (size_t i = 2; i < shape.n; i++)
		shape.dim[i] = 1;
	return onnx_op_set(work, 0, &shape, ONNX_REAL);
}

bool onnx_infer_conv_transpose(struct onnx_work *work)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	const struct onnx_shape *weight = &onnx_op_in(work, 1)->shape;
	const char *pad = onnx_text(work->node, "auto_pad", "NOTSET");
	int64_t group = onnx_integer(work->node, "group", 1), more[ONNX_MAX_RANK], wanted[ONNX_MAX_RANK];
	struct onnx_window window = {.n = in->n - 2, .group = group};
	if (!check_map(work, in))
		return false;
	if (weight->n != in->n || group < 1 || weight->dim[0] != in->dim[1] || in->dim[1] % group != 0)
		return onnx_op_fail(work, "weights %s in %lld groups do not fit an input of %s",
		                    onnx_shape_text(weight).text, (long long)group, onnx_shape_text(in).text);
	if (!read_window(work, &window) || !read_sides(work, "output_padding", window.n, 0, 0, more) ||
	    !read_sides(work, "output_shape", window.n, 1, 0, wanted))
		return false;
	for (size_t i = 0; i < window.n; i++) {
		int64_t kernel = weight->dim[i + 2] < MAX_SIDE ? weight->dim[i + 2] : MAX_SIDE;
		int64_t full =
		    window.stride[i] * (in->dim[i + 2] - 1) + more[i] + (kernel - 1) * window.dilation[i] + 1;
		window.out[i] = wanted[i] > 0                  ? wanted[i]
		                : strncmp(pad, "SAME", 4) == 0 ? in->dim[i + 2] * window.stride[i]
		                : strcmp(pad, "VALID") == 0    ? full
		                                               : full - window.before[i] - window.after[i];
		if (window.out[i] < 1)
			return onnx_op_fail(work, "its padding leaves nothing of its result");
	}
	return set_map(work, &window,
	               mul_sat((uint64_t)weight->dim[1], (uint64_t)group) > (uint64_t)ONNX_MAX_DIM
	                   ? ONNX_MAX_DIM + 1
	                   : weight->dim[1] * group);
}

/* Each result takes kernel x channels of a group; weights lie as filter, channel of the group, kernel. */
uint64_t onnx_count_conv(const struct onnx_work *work)
{
	const struct onnx_shape *weight = &onnx_op_in(work, work->op->operand.weight)->shape;
	uint64_t n = (uint64_t)onnx_n_element(&work->graph->value[work->node->out[0]].shape);
	assert(weight->n > 2);
	for (size_t i = 1; i < weight->n; i++)
		n = mul_sat(n, (uint64_t)weight->dim[i]);
	return n;
}

/* Each pixel goes into kernel x filters of a group; weights lie as channel, filter of the group, kernel. */
uint64_t onnx_count_conv_transpose(const struct onnx_work *work)
{
	const struct onnx_shape *weight = &onnx_op_in(work, 1)->shape;
	uint64_t n = (uint64_t)onnx_n_element(&onnx_op_in(work, 0)->shape);
	assert(weight->n > 2);
	for (size_t i = 1; i < weight->n; i++)
		n = mul_sat(n, (uint64_t)weight->dim[i]);
	return n;
}
