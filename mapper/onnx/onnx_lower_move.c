/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of operators that only move numbers: concatenation, slices, padding, resizing, reshaping. */
#include "mapper/onnx/onnx_lower_parts.h"
#include "mapper/onnx/onnx_select.h"
#include <assert.h>
#include <math.h>

static const char too_large[] = "more than 65536 channels or pixels a side, or more than 256 inputs; make it smaller";

static const struct onnx_shape *shape_of(const struct onnx_lowering *lowering, uint32_t value)
{
	assert(lowering->graph->value[value].has_shape);
	return &lowering->graph->value[value].shape;
}

/* Output i of the node as a view of all its inputs. */
static enum onnx_status see(struct onnx_lowering *lowering, const struct onnx_work *work, size_t i, const char **why)
{
	size_t n;
	const uint32_t *from = onnx_lower_inputs(lowering, work, &n);
	uint32_t view =
	    from ? onnx_draft_view(lowering, n, from, onnx_map_of(shape_of(lowering, work->node->out[i]))) : NO_DRAFT;
	assert(i < work->node->n_out);
	*why = too_large;
	onnx_lower_put(lowering, work, i, view);
	return view == NO_DRAFT ? ONNX_UNSUPPORTED : ONNX_FREE;
}

enum onnx_status onnx_lower_view(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	return see(lowering, work, 0, why);
}

/* The axis that layers have as channels; -1 where a shape has none. */
static int64_t channel_axis(const struct onnx_shape *shape)
{
	return shape->n == 4 ? 1 : (int64_t)shape->n - 1;
}

/* Whether a draft holds a value as layers would read it: its channels are the value's. */
static bool holds(const struct onnx_lowering *lowering, uint32_t draft, uint32_t value)
{
	const struct onnx_draft *from = &lowering->draft[draft];
	struct onnx_map map = onnx_map_of(shape_of(lowering, value));
	return !from->is_vector && from->c == map.c && (int64_t)from->w * from->h == map.w * map.h;
}

/* Whether all parts are maps of one width and height, or all of them vectors. */
static bool are_alike(const struct onnx_lowering *lowering, const uint32_t *draft, const uint32_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct onnx_draft *first = &lowering->draft[draft[0]], *part = &lowering->draft[draft[i]];
		if (first->is_vector != part->is_vector || (!part->is_vector && !holds(lowering, draft[i], value[i])) ||
		    (!part->is_vector && (part->w != first->w || part->h != first->h)))
			return false;
	}
	return true;
}

/* Channels one after another are a layer of our own; whatever else is put together is a view. */
enum onnx_status onnx_lower_concat(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_node *node = work->node;
	const struct onnx_shape *out = shape_of(lowering, node->out[0]);
	uint32_t *from = arena_array(&lowering->arena, node->n_in, sizeof(*from));
	int64_t axis = onnx_integer(node, "axis", 1);
	bool is_plain = from && node->n_in > 1 && node->n_in <= NETWORK_MAX_SOURCE &&
	                (axis < 0 ? axis + (int64_t)out->n : axis) == channel_axis(out);
	lowering->no_memory = lowering->no_memory || !from;
	for (size_t i = 0; is_plain && i < node->n_in; i++) {
		is_plain = node->in[i] > 0 && !lowering->graph->value[node->in[i]].is_constant;
		from[i] = is_plain ? onnx_draft_get(lowering, node->in[i]) : NO_DRAFT;
		is_plain = from[i] != NO_DRAFT;
	}
	/* Of several images the channels do not lie one after another. */
	int64_t size = out->n == 4 && out->dim[0] != 1 ? 0 : out->dim[channel_axis(out)];
	if (!is_plain || !are_alike(lowering, from, node->in, node->n_in) || size < 1 || size > NETWORK_MAX_CHANNEL)
		return see(lowering, work, 0, why);
	struct onnx_draft *draft = onnx_draft_new(lowering, LAYER_CONCAT, node->n_in, from);
	if (!draft)
		return ONNX_UNSUPPORTED;
	*why = NULL;
	draft->is_vector = lowering->draft[from[0]].is_vector;
	draft->w = lowering->draft[from[0]].w;
	draft->h = lowering->draft[from[0]].h;
	draft->c = draft->is_vector ? 1 : (uint32_t)size;
	draft->w = draft->is_vector ? (uint32_t)size : draft->w;
	return onnx_lower_done(lowering, work, onnx_draft_index(lowering, draft), ONNX_FREE);
}

/* Channels first to first + n - 1 of the first input, as output i. */
static enum onnx_status take_channels(struct onnx_lowering *lowering, const struct onnx_work *work, size_t i,
                                      int64_t first, const char **why)
{
	uint32_t source = onnx_draft_get(lowering, work->node->in[0]);
	const struct onnx_shape *out = shape_of(lowering, work->node->out[i]);
	int64_t n = out->dim[channel_axis(out)];
	if (source == NO_DRAFT || n < 1 || (out->n == 4 && out->dim[0] != 1) ||
	    !holds(lowering, source, work->node->in[0]))
		return see(lowering, work, i, why);
	struct onnx_draft *draft = onnx_draft_new(lowering, LAYER_SLICE, 1, &source);
	if (!draft)
		return ONNX_UNSUPPORTED;
	draft->w = lowering->draft[source].w;
	draft->h = lowering->draft[source].h;
	draft->c = (uint32_t)n;
	draft->layer.first_c = (uint32_t)first;
	draft->layer.last_c = (uint32_t)(first + n - 1);
	assert(draft->layer.last_c < lowering->draft[source].c);
	onnx_lower_put(lowering, work, i, onnx_draft_index(lowering, draft));
	return ONNX_FREE;
}

enum onnx_status onnx_lower_split(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *in = shape_of(lowering, work->node->in[0]);
	int64_t axis = onnx_integer(work->node, "axis", 0), first = 0;
	enum onnx_status status = ONNX_FREE;
	axis += axis < 0 ? (int64_t)in->n : 0;
	for (size_t i = 0; i < work->node->n_out && status == ONNX_FREE; i++) {
		if (work->node->out[i] == 0)
			continue;
		status = axis == channel_axis(in) ? take_channels(lowering, work, i, first, why)
		                                  : see(lowering, work, i, why);
		first += shape_of(lowering, work->node->out[i])->dim[axis];
	}
	return status;
}

enum onnx_status onnx_lower_slice(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *in = shape_of(lowering, work->node->in[0]);
	struct onnx_range range[ONNX_MAX_RANK];
	bool is_channels = onnx_slice_ranges(work, range);
	for (size_t i = 0; is_channels && i < in->n; i++)
		is_channels = range[i].step == 1 && ((int64_t)i == channel_axis(in) || range[i].n == in->dim[i]);
	if (!is_channels || in->n == 0)
		return see(lowering, work, 0, why);
	return take_channels(lowering, work, 0, range[channel_axis(in)].start, why);
}

/* The list of a Pad, which inference has read before. */
static const double *pads_of(const struct onnx_graph *graph, const struct onnx_node *node, size_t *n)
{
	const struct onnx_value *value = onnx_input(graph, node, 1);
	const struct onnx_attribute *attribute = onnx_find(node, onnx_find(node, "pads") ? "pads" : "paddings");
	*n = value ? (size_t)onnx_n_element(&value->shape) : attribute ? attribute->n_list : 0;
	return value ? value->content : attribute ? attribute->list : NULL;
}

void onnx_pad_before(const struct onnx_graph *graph, const struct onnx_node *node, int64_t before[ONNX_MAX_RANK])
{
	size_t n;
	const double *list = pads_of(graph, node, &n);
	for (size_t i = 0; i < ONNX_MAX_RANK; i++)
		before[i] = list && i < n / 2 ? onnx_op_whole(list[i]) : 0;
}

bool onnx_pad_is_window(const struct onnx_lowering *lowering, const struct onnx_node *node)
{
	const struct onnx_graph *graph = lowering->graph;
	const struct onnx_op *op = onnx_op_find(node);
	size_t n, rank;
	if (!op || op->lower != onnx_lower_pad || onnx_input(graph, node, 3) || !onnx_input(graph, node, 0))
		return false;
	const double *list = pads_of(graph, node, &n);
	uint32_t reader = lowering->place[node->out[0]].first_reader;
	rank = shape_of(lowering, node->in[0])->n;
	if (reader == 0 || graph->value[node->out[0]].n_reader != 1 || !list || n != 2 * rank)
		return false;
	for (size_t i = 0; i < n; i++)
		if (list[i] < 0 || list[i] > NETWORK_MAX_EXTENT || (i % rank < 2 && list[i] > 0))
			return false;
	const struct onnx_op *reader_op = onnx_op_find(&graph->node[reader - 1]);
	return reader_op && reader_op->lower == onnx_lower_conv && graph->node[reader - 1].in[0] == node->out[0] &&
	       lowering->place[node->in[0]].rep != lowering->place[node->out[0]].rep;
}

enum onnx_status onnx_lower_pad(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	return onnx_pad_is_window(lowering, work->node) ? ONNX_FOLDED : see(lowering, work, 0, why);
}

/* The whole number that both sides grow by; 0 where they do not. */
static int64_t growth(const struct onnx_shape *in, const struct onnx_shape *out)
{
	int64_t factor;
	if (in->n != 4 || in->dim[0] != out->dim[0] || in->dim[1] != out->dim[1] || in->dim[2] < 1)
		return 0;
	assert(out->n == 4);
	factor = out->dim[2] / in->dim[2];
	return factor >= 1 && factor <= NETWORK_MAX_EXTENT && in->dim[2] * factor == out->dim[2] &&
	               in->dim[3] * factor == out->dim[3]
	           ? factor
	           : 0;
}

/* The nearest pixel is a matter of addresses; what is computed between pixels, the ARM cores do. */
enum onnx_status onnx_lower_resize(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *in = shape_of(lowering, work->node->in[0]),
				*out = shape_of(lowering, work->node->out[0]);
	bool is_near = onnx_text(work->node, "mode", "nearest")[0] == 'n';
	uint32_t source = onnx_draft_get(lowering, work->node->in[0]);
	int64_t factor = growth(in, out);
	if (!is_near)
		return onnx_lower_combine(lowering, work, why);
	if (source == NO_DRAFT || factor < 1 || !holds(lowering, source, work->node->in[0]) ||
	    lowering->draft[source].w != in->dim[3] || !onnx_map_fits(onnx_map_of(out)))
		return see(lowering, work, 0, why);
	struct onnx_draft *draft = onnx_draft_new(lowering, LAYER_UPSAMPLE, 1, &source);
	if (!draft)
		return ONNX_UNSUPPORTED;
	draft->w = (uint32_t)out->dim[3];
	draft->h = (uint32_t)(lowering->draft[source].h * factor);
	draft->c = lowering->draft[source].c;
	draft->layer.factor = (uint32_t)factor;
	return onnx_lower_done(lowering, work, onnx_draft_index(lowering, draft), ONNX_FREE);
}
