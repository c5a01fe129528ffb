/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of convolutions and pooling. ONNX lists sides from the outermost: of two the first is the height. */
#include "mapper/onnx/onnx_lower_parts.h"
#include "mapper/onnx/onnx_window.h"
#include <assert.h>

/* A side of a window as layers have it. */
struct window_side {
	int64_t kernel, reach, stride, before, after, in, out;
};

/* Rounded up, or with a last window that starts in the padding, there are more windows than layers find room for. */
static void widen(struct window_side *side)
{
	assert(side->out > 0 && side->stride > 0);
	int64_t needed = (side->out - 1) * side->stride + side->reach - side->in - side->before;
	side->after = needed > side->after ? needed : side->after;
}

static struct window_side side_of(const struct onnx_window *window, const struct onnx_shape *in, size_t i)
{
	assert(i < window->n && window->n + 2 == in->n);
	int64_t kernel = window->kernel[i], reach = (kernel - 1) * window->dilation[i] + 1;
	struct window_side side = {kernel,           reach,          window->stride[i], window->before[i],
	                           window->after[i], in->dim[i + 2], window->out[i]};
	widen(&side);
	return side;
}

/* The stride of a side with one position matters to nobody, unless the other side's gives it more. */
static struct window_side shared_stride(const struct window_side *h, const struct window_side *w)
{
	return w->out > 1 ? *w : *h;
}

static bool shares_stride(const struct onnx_window *window, const struct onnx_shape *in)
{
	struct window_side h = side_of(window, in, 0), w = side_of(window, in, 1);
	int64_t stride = shared_stride(&h, &w).stride;
	assert(stride > 0);
	return (h.in + h.before + h.after - h.reach) / stride + 1 == h.out &&
	       (w.in + w.before + w.after - w.reach) / stride + 1 == w.out;
}

/* Pixels from tap to tap, which matter to nobody along a side of one tap. 0: the sides differ. */
static int64_t shared_dilation(const struct onnx_window *window)
{
	int64_t shared = 1;
	bool is_known = false;
	for (size_t i = 0; i < window->n; i++) {
		if (window->kernel[i] == 1)
			continue;
		if (is_known && shared != window->dilation[i])
			return 0;
		shared = window->dilation[i];
		is_known = true;
	}
	return shared;
}

static bool is_too_far(const struct onnx_window *window, size_t i)
{
	return window->kernel[i] > NETWORK_MAX_EXTENT || window->dilation[i] > NETWORK_MAX_EXTENT ||
	       (window->kernel[i] - 1) * window->dilation[i] >= NETWORK_MAX_EXTENT;
}

/* Whether layers have such windows: of one or two sides with one stride and one dilation, of pooling without gaps. */
static bool is_plain(const struct onnx_window *window, const struct onnx_shape *in, enum layer_kind kind)
{
	int64_t dilation = shared_dilation(window);
	if (dilation == 0 || (dilation > 1 && kind != LAYER_CONV))
		return false;
	for (size_t i = 0; i < window->n; i++)
		if ((window->kernel[i] > 1 && is_too_far(window, i)) || window->before[i] > NETWORK_MAX_EXTENT ||
		    window->after[i] > NETWORK_MAX_EXTENT || window->stride[i] > NETWORK_MAX_EXTENT)
			return false;
	return window->n == 1 || (window->n == 2 && shares_stride(window, in));
}

/* Images of a batch lie side by side as channels; the groups of a convolution keep them apart. */
static int64_t n_image(const struct onnx_lowering *lowering, uint32_t value)
{
	return lowering->graph->value[value].shape.dim[0];
}

/* The draft of a plain window over a value's map, with channel channels an image. */
static struct onnx_draft *slide(struct onnx_lowering *lowering, uint32_t value, const struct onnx_window *window,
                                enum layer_kind kind, int64_t channel)
{
	const struct onnx_shape *in = &lowering->graph->value[value].shape;
	struct window_side w = side_of(window, in, window->n - 1);
	struct window_side h =
	    window->n == 2 ? side_of(window, in, 0) : (struct window_side){1, 1, w.stride, 0, 0, 1, 1};
	struct onnx_map map = {w.in, h.in, in->dim[0] * in->dim[1]}, out = {w.out, h.out, in->dim[0] * channel};
	assert(is_plain(window, in, kind));
	uint32_t source = onnx_map_fits(out) ? onnx_draft_need(lowering, value, map, false) : NO_DRAFT;
	struct onnx_draft *draft = source == NO_DRAFT ? NULL : onnx_draft_new(lowering, kind, 1, &source);
	if (!draft)
		return NULL;
	onnx_draft_set_map(draft, out);
	draft->layer.window = (struct window){
	    .w = (uint32_t)w.kernel,
	    .h = (uint32_t)h.kernel,
	    .stride = (uint32_t)shared_stride(&h, &w).stride,
	    .dilation = (uint32_t)shared_dilation(window),
	    .padding = {PADDING_GIVEN, (uint32_t)w.before, (uint32_t)w.after, (uint32_t)h.before, (uint32_t)h.after}};
	if (w.before == 0 && w.after == 0 && h.before == 0 && h.after == 0)
		draft->layer.window.padding.kind = PADDING_VALID;
	return draft;
}

/* Any other window written out: the numbers under each position are the channels of a pixel. */
static uint32_t unroll(struct onnx_lowering *lowering, uint32_t value, const struct onnx_window *window)
{
	const struct onnx_shape *in = &lowering->graph->value[value].shape;
	struct onnx_map map = {window->out[window->n - 1], 1, in->dim[0] * in->dim[1]};
	for (size_t i = 0; i < window->n; i++) {
		if (!onnx_map_fits(map))
			return NO_DRAFT;
		map.c *= window->kernel[i];
		map.h *= i + 1 < window->n ? window->out[i] : 1;
	}
	return onnx_draft_need(lowering, value, map, true);
}

static const char too_large[] = "more than 65536 channels or pixels a side; make it smaller";

/* The Pad that only this convolution reads, where it pads nothing but pixels by constants: the value it pads, else 0.
 */
static uint32_t padded_by(const struct onnx_lowering *lowering, uint32_t value)
{
	const struct onnx_graph *graph = lowering->graph;
	uint32_t producer = graph->value[value].producer;
	if (producer == 0 || !onnx_pad_is_window(lowering, &graph->node[producer - 1]))
		return 0;
	return graph->node[producer - 1].in[0];
}

/* The padding of a Pad becomes that of the window. */
static void add_pad(const struct onnx_graph *graph, uint32_t value, uint32_t inner, struct onnx_window *window)
{
	const struct onnx_shape *out = &graph->value[value].shape, *in = &graph->value[inner].shape;
	int64_t before[ONNX_MAX_RANK];
	onnx_pad_before(graph, &graph->node[graph->value[value].producer - 1], before);
	for (size_t i = 0; i < window->n; i++) {
		window->before[i] += before[i + 2];
		window->after[i] += out->dim[i + 2] - in->dim[i + 2] - before[i + 2];
	}
}

enum onnx_status onnx_lower_conv(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	uint32_t value = work->node->in[0], weight = work->node->in[work->op->operand.weight], inner;
	struct onnx_window window;
	if (!onnx_window_conv(work, &window))
		return ONNX_UNSUPPORTED;
	inner = padded_by(lowering, value);
	if (inner > 0) {
		add_pad(lowering->graph, value, inner, &window);
		value = inner;
	}
	const struct onnx_value *weights = &lowering->graph->value[weight];
	int64_t n_filter = weights->shape.dim[0], n = n_image(lowering, value);
	/* Weights that are a result, before the layer that needs them. */
	uint32_t filters = weights->is_constant ? NO_DRAFT : onnx_draft_get(lowering, weight);
	struct onnx_draft *draft = is_plain(&window, &lowering->graph->value[value].shape, LAYER_CONV)
	                               ? slide(lowering, value, &window, LAYER_CONV, n_filter)
	                               : onnx_draft_convolve(lowering, unroll(lowering, value, &window), n * n_filter);
	*why = too_large;
	if (!draft)
		return ONNX_UNSUPPORTED;
	draft->layer.out_c = draft->c;
	draft->layer.groups = (uint32_t)(n * window.group);
	if (!weights->is_constant) {
		*why = "weights that are a result, for more than one image; import with a batch of 1 (--dim)";
		if (filters == NO_DRAFT || n != 1)
			return ONNX_UNSUPPORTED;
		onnx_draft_set_filters(lowering, draft, filters);
	}
	return onnx_lower_done(lowering, work, onnx_draft_index(lowering, draft), ONNX_MLA);
}

/* Pooling of a plain window; of others the ARM cores take the numbers one by one, and the map is what is left. */
static uint32_t pool(struct onnx_lowering *lowering, const struct onnx_work *work, const struct onnx_window *window)
{
	uint32_t value = work->node->in[0];
	const struct onnx_shape *in = &lowering->graph->value[value].shape;
	if (is_plain(window, in, LAYER_POOL)) {
		struct onnx_draft *draft = slide(lowering, value, window, LAYER_POOL, in->dim[1]);
		if (draft)
			draft->layer.pool_average = work->op->is_average;
		return onnx_draft_index(lowering, draft);
	}
	uint32_t source = unroll(lowering, value, window);
	if (source == NO_DRAFT)
		return NO_DRAFT;
	const struct onnx_draft *from = &lowering->draft[source];
	struct onnx_map map = {from->w, from->h, from->c};
	uint32_t arm = onnx_draft_arm(lowering, (struct onnx_arm){.kind = ARM_POOL}, 1, &source, map);
	map.c = in->dim[0] * in->dim[1];
	return arm == NO_DRAFT ? NO_DRAFT : onnx_draft_view(lowering, 1, &arm, map);
}

static enum onnx_status lower_pool(struct onnx_lowering *lowering, const struct onnx_work *work,
                                   const struct onnx_window *window, const char **why)
{
	uint32_t draft = pool(lowering, work, window);
	*why = too_large;
	return onnx_lower_done(lowering, work, draft, ONNX_ARM);
}

enum onnx_status onnx_lower_pool(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	struct onnx_window window;
	return onnx_window_pool(work, &window) ? lower_pool(lowering, work, &window, why) : ONNX_UNSUPPORTED;
}

/* One window over everything. */
enum onnx_status onnx_lower_global_pool(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	struct onnx_window window = {.n = in->n - 2, .group = 1};
	for (size_t i = 0; i < window.n; i++) {
		window.kernel[i] = in->dim[i + 2];
		window.stride[i] = in->dim[in->n - 1]; /* the width's, as pooling has one stride */
		window.dilation[i] = window.out[i] = 1;
	}
	return lower_pool(lowering, work, &window, why);
}

/*
 * Every input pixel gives kernel x filters numbers, which is a convolution of 1x1 with as many filters; then the ARM
 * cores add up those that fall on one pixel of the result.
 */
enum onnx_status onnx_lower_conv_transpose(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape, *weight = &onnx_op_in(work, 1)->shape;
	const struct onnx_shape *out = &lowering->graph->value[work->node->out[0]].shape;
	struct onnx_window point = {.n = in->n - 2};
	struct onnx_map map = {out->dim[out->n - 1], 1, out->dim[0] * out->dim[1]};
	int64_t n_filter = out->dim[0] * out->dim[1];
	for (size_t i = 0; i < point.n; i++) {
		point.kernel[i] = 1;
		point.out[i] = in->dim[i + 2];
		map.h *= i + 1 < point.n && onnx_map_fits(map) ? out->dim[i + 2] : 1;
		n_filter = n_filter > NETWORK_MAX_CHANNEL ? n_filter : n_filter * weight->dim[i + 2];
	}
	*why = "its weights are a result; make them constant";
	if (!lowering->graph->value[work->node->in[1]].is_constant)
		return ONNX_UNSUPPORTED;
	*why = "its results take more than 65536 numbers a pixel of its input; make it smaller";
	struct onnx_draft *draft = onnx_draft_convolve(lowering, unroll(lowering, work->node->in[0], &point), n_filter);
	if (!draft)
		return ONNX_UNSUPPORTED;
	draft->layer.groups = (uint32_t)(in->dim[0] * onnx_integer(work->node, "group", 1));
	uint32_t source = onnx_draft_index(lowering, draft);
	uint32_t arm = onnx_draft_arm(lowering, (struct onnx_arm){.kind = ARM_ADD}, 1, &source, map);
	return onnx_lower_done(lowering, work, arm, ONNX_MLA);
}
