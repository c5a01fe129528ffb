/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of slices, gathers, padding, resizing and the like, and of results that are made from numbers in an input. */
#include "mapper/onnx/onnx_select.h"
#include <assert.h>
#include <math.h>

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

/* The range of one axis as NumPy has it: below 0 from the end, cut to what there is. */
static void set_range(struct onnx_range *range, double start, double end, int64_t step, int64_t dim)
{
	int64_t first = onnx_op_whole(start), last = onnx_op_whole(end);
	assert(step != 0 && dim >= 0);
	first += first < 0 ? dim : 0;
	last += last < 0 ? dim : 0;
	first = step > 0 ? clamp(first, 0, dim) : clamp(first, 0, dim - 1);
	last = step > 0 ? clamp(last, 0, dim) : clamp(last, -1, dim);
	range->start = first;
	range->step = step;
	range->n = step > 0 ? (last - first + step - 1) / step : (first - last - step - 1) / -step;
	range->n = range->n > 0 ? range->n : 0;
	assert(range->n <= dim);
}

bool onnx_slice_ranges(struct onnx_work *work, struct onnx_range range[ONNX_MAX_RANK])
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	const double *start, *end, *axis, *step;
	size_t n, n_end, n_axis, n_step, at;
	if (!onnx_op_list(work, 1, "starts", &start, &n) || !onnx_op_list(work, 2, "ends", &end, &n_end) ||
	    !onnx_op_list(work, 3, "axes", &axis, &n_axis) || !onnx_op_list(work, 4, "steps", &step, &n_step))
		return false;
	if (n_end != n || (n_axis > 0 && n_axis != n) || (n_step > 0 && n_step != n))
		return onnx_op_fail(work, "its starts, ends, axes and steps are not equally many");
	for (size_t i = 0; i < in->n; i++)
		range[i] = (struct onnx_range){.n = in->dim[i], .step = 1};
	for (size_t i = 0; i < n; i++) {
		int64_t stride = n_step > 0 ? onnx_op_whole(step[i]) : 1;
		if (!onnx_op_axis(work, n_axis > 0 ? onnx_op_whole(axis[i]) : (int64_t)i, in->n, &at))
			return false;
		if (stride == 0)
			return onnx_op_fail(work, "a step is 0");
		assert(at < in->n);
		set_range(&range[at], start[i], end[i], stride, in->dim[at]);
	}
	return true;
}

bool onnx_infer_slice(struct onnx_work *work)
{
	struct onnx_shape out = onnx_op_in(work, 0)->shape;
	struct onnx_range range[ONNX_MAX_RANK];
	if (!onnx_slice_ranges(work, range))
		return false;
	for (size_t i = 0; i < out.n; i++)
		out.dim[i] = range[i].n;
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

bool onnx_infer_gather(struct onnx_work *work)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape, *index = &onnx_op_in(work, 1)->shape;
	struct onnx_shape out = {0};
	size_t axis;
	if (!onnx_op_axis(work, onnx_integer(work->node, "axis", 0), in->n, &axis))
		return false;
	if (in->n - 1 + index->n > ONNX_MAX_RANK)
		return onnx_op_fail(work, "its result has more than %d dimensions", ONNX_MAX_RANK);
	for (size_t i = 0; i < axis; i++)
		out.dim[out.n++] = in->dim[i];
	for (size_t i = 0; i < index->n; i++)
		out.dim[out.n++] = index->dim[i];
	for (size_t i = axis + 1; i < in->n; i++)
		out.dim[out.n++] = in->dim[i];
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

/* pads: before every axis, then behind every axis; axes only in new versions. */
bool onnx_infer_pad(struct onnx_work *work)
{
	struct onnx_shape out = onnx_op_in(work, 0)->shape;
	const double *pad, *axis = NULL;
	size_t n, n_axis = 0, at;
	if (!onnx_op_list(work, 1, onnx_find(work->node, "pads") ? "pads" : "paddings", &pad, &n) ||
	    !onnx_op_list(work, 3, "", &axis, &n_axis))
		return false;
	n_axis = n_axis > 0 ? n_axis : out.n;
	assert(out.n <= ONNX_MAX_RANK);
	if (n != 2 * n_axis)
		return onnx_op_fail(work, "pads has %zu numbers, allowed %zu", n, 2 * n_axis);
	for (size_t i = 0; i < n_axis; i++) {
		int64_t before = onnx_op_whole(pad[i]), behind = onnx_op_whole(pad[n_axis + i]);
		if (!onnx_op_axis(work, axis ? onnx_op_whole(axis[i]) : (int64_t)i, out.n, &at))
			return false;
		if (before < -ONNX_MAX_DIM || before > ONNX_MAX_DIM || behind < -ONNX_MAX_DIM || behind > ONNX_MAX_DIM)
			return onnx_op_fail(work, "pads are too large");
		out.dim[at] += before + behind;
		if (out.dim[at] < 0)
			return onnx_op_fail(work, "pads cut more than there is");
	}
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

/* A result side of floor(side x scale). */
static bool scale_shape(struct onnx_work *work, const double *scale, size_t n, struct onnx_shape *out)
{
	if (n != out->n)
		return onnx_op_fail(work, "scales has %zu numbers for %zu dimensions", n, out->n);
	for (size_t i = 0; i < n; i++) {
		double side = floor((double)out->dim[i] * scale[i]);
		if (!(scale[i] > 0) || !(side <= (double)ONNX_MAX_DIM))
			return onnx_op_fail(work, "scales: found %g, allowed above 0, and results up to 2^31",
			                    scale[i]);
		out->dim[i] = (int64_t)side;
	}
	return true;
}

/* Upsample of opset 1 has a scale for each side of an image. */
static bool scale_sides(struct onnx_work *work, const struct onnx_attribute *high, const struct onnx_attribute *wide,
                        struct onnx_shape *out)
{
	const double scale[4] = {1, 1, high->has_real ? high->real : 1, wide->has_real ? wide->real : 1};
	return scale_shape(work, scale, 4, out) && onnx_op_set(work, 0, out, onnx_op_in(work, 0)->type);
}

/* Upsample and the first Resize have input, scales; later ones input, region, scales, sizes. */
bool onnx_infer_resize(struct onnx_work *work)
{
	const struct onnx_attribute *high = onnx_find(work->node, "height_scale"),
				    *wide = onnx_find(work->node, "width_scale");
	struct onnx_shape out = onnx_op_in(work, 0)->shape;
	bool is_old = work->node->n_in <= 2;
	const double *scale, *size = NULL;
	size_t n, n_size = 0;
	if (high && wide)
		return scale_sides(work, high, wide, &out);
	if (!onnx_op_list(work, is_old ? 1 : 2, "scales", &scale, &n) ||
	    (!is_old && !onnx_op_list(work, 3, "", &size, &n_size)))
		return false;
	assert(out.n <= ONNX_MAX_RANK);
	if (n_size == 0)
		return scale_shape(work, scale, n, &out) && onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
	if (n_size != out.n || onnx_find(work->node, "axes"))
		return onnx_op_fail(work, "sizes of some axes only are not read; write a size for each of the %zu",
		                    out.n);
	for (size_t i = 0; i < n_size; i++)
		out.dim[i] = onnx_op_whole(size[i]);
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

/* A shape from numbers, each of them within its limits. */
static bool shape_of_list(struct onnx_work *work, const double *list, size_t n, struct onnx_shape *out)
{
	if (n > ONNX_MAX_RANK)
		return onnx_op_fail(work, "its result has more than %d dimensions", ONNX_MAX_RANK);
	out->n = n;
	for (size_t i = 0; i < n; i++)
		out->dim[i] = onnx_op_whole(list[i]);
	return true;
}

bool onnx_infer_expand(struct onnx_work *work)
{
	struct onnx_shape wanted, out;
	const double *list;
	size_t n;
	if (!onnx_op_list(work, 1, "", &list, &n) || !shape_of_list(work, list, n, &wanted))
		return false;
	if (!onnx_op_broadcast(&onnx_op_in(work, 0)->shape, &wanted, &out))
		return onnx_op_fail(work, "%s cannot be widened so", onnx_shape_text(&onnx_op_in(work, 0)->shape).text);
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

bool onnx_infer_tile(struct onnx_work *work)
{
	struct onnx_shape out = onnx_op_in(work, 0)->shape;
	const double *list;
	size_t n;
	if (!onnx_op_list(work, 1, "", &list, &n))
		return false;
	if (n != out.n)
		return onnx_op_fail(work, "repeats has %zu numbers for %zu dimensions", n, out.n);
	for (size_t i = 0; i < n; i++)
		if (__builtin_mul_overflow(out.dim[i], onnx_op_whole(list[i]), &out.dim[i]))
			return onnx_op_fail(work, "its result is too large");
	return onnx_op_set(work, 0, &out, onnx_op_in(work, 0)->type);
}

/* start and end, of new versions, cut a piece out. */
bool onnx_infer_shape(struct onnx_work *work)
{
	struct onnx_range range;
	onnx_shape_range(work, &range);
	return onnx_op_set(work, 0, &(struct onnx_shape){.n = 1, .dim = {range.n}}, ONNX_INTEGER);
}

void onnx_shape_range(const struct onnx_work *work, struct onnx_range *range)
{
	int64_t n = (int64_t)onnx_op_in(work, 0)->shape.n;
	set_range(range, (double)onnx_integer(work->node, "start", 0), (double)onnx_integer(work->node, "end", n), 1,
	          n);
}

bool onnx_infer_size(struct onnx_work *work)
{
	return onnx_op_set(work, 0, &(struct onnx_shape){0}, ONNX_INTEGER);
}

/* A tensor, or a number, or a list of numbers. */
const struct onnx_attribute *onnx_constant_value(const struct onnx_work *work)
{
	for (size_t i = 0; i < work->node->n_attribute; i++) {
		const struct onnx_attribute *attribute = &work->node->attribute[i];
		if (attribute->tensor > 0 || attribute->n_list > 0 || attribute->has_integer || attribute->has_real)
			return attribute;
	}
	return NULL;
}

bool onnx_infer_constant(struct onnx_work *work)
{
	const struct onnx_attribute *value = onnx_constant_value(work);
	if (!value)
		return onnx_op_fail(work, "it has no value that can be read");
	const struct onnx_value *tensor = &work->graph->value[value->tensor];
	enum onnx_type type = value->has_real ? ONNX_REAL : ONNX_INTEGER;
	if (value->tensor > 0)
		return tensor->has_shape && onnx_op_set(work, 0, &tensor->shape, tensor->type);
	if (value->n_list > 0)
		return onnx_op_set(work, 0, &(struct onnx_shape){.n = 1, .dim = {(int64_t)value->n_list}}, type);
	return onnx_op_set(work, 0, &(struct onnx_shape){0}, type);
}

bool onnx_infer_constant_of_shape(struct onnx_work *work)
{
	const struct onnx_attribute *value = onnx_find(work->node, "value");
	struct onnx_shape out;
	const double *list;
	size_t n;
	return onnx_op_list(work, 0, "", &list, &n) && shape_of_list(work, list, n, &out) &&
	       onnx_op_set(work, 0, &out,
	                   value && value->tensor > 0 ? work->graph->value[value->tensor].type : ONNX_REAL);
}

bool onnx_infer_range(struct onnx_work *work)
{
	const double *bound[3];
	double n;
	for (size_t i = 0; i < 3; i++) {
		size_t n_number;
		if (!onnx_op_list(work, i, "", &bound[i], &n_number))
			return false;
		if (n_number != 1)
			return onnx_op_fail(work, "input %zu has %zu numbers, allowed 1", i + 1, n_number);
	}
	n = ceil((*bound[1] - *bound[0]) / *bound[2]);
	if (!(fabs(n) <= (double)ONNX_MAX_DIM))
		return onnx_op_fail(work, "from %g to %g in steps of %g are too many numbers", *bound[0], *bound[1],
		                    *bound[2]);
	return onnx_op_set(work, 0, &(struct onnx_shape){.n = 1, .dim = {n > 0 ? (int64_t)n : 0}},
	                   onnx_op_in(work, 0)->type);
}
