/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of the ARM cores: additions of shortcuts, functions of several results, and work on whole rows. */
#include "mapper/onnx/onnx_lower_parts.h"
#include <assert.h>

static const char too_large[] = "more than 65536 channels or pixels a side; make it smaller";

/* The sides of the map of a shape on which a dimension lies (onnx_map_of). */
static uint32_t side_of(const struct onnx_shape *shape, size_t axis)
{
	static const uint32_t four[] = {WHOLE_C, WHOLE_C, WHOLE_H, WHOLE_W};
	assert(axis < shape->n);
	if (shape->n == 4)
		return four[axis];
	return axis + 1 == shape->n ? WHOLE_C : axis + 2 == shape->n ? WHOLE_W : WHOLE_H;
}

/*
 * Rows longer than this are cut all the same, as no PE would hold them beside their results; what their parts then
 * tell each other (a maximum, a sum) is not counted.
 */
#define MAX_ROW 32768

struct onnx_arm onnx_rows(enum arm_kind kind, const struct onnx_shape *shape, const bool along[ONNX_MAX_RANK],
                          bool is_shape)
{
	uint32_t sides = 0;
	int64_t n = 1;
	for (size_t i = 0; i < shape->n; i++) {
		if (!along[i])
			continue;
		sides |= is_shape ? side_of(shape, i) : i + 1 == shape->n ? WHOLE_C : 0;
		n = n > MAX_ROW ? n : n * shape->dim[i];
	}
	if (n > MAX_ROW)
		return (struct onnx_arm){.kind = kind};
	bool lies_last = !is_shape && sides == WHOLE_C;
	return (struct onnx_arm){kind, sides, lies_last ? (uint32_t)shape->dim[shape->n - 1] : 0};
}

/*
 * The sides along which a node's rows lie. In a map with other sides than the shape's, as rows of matrices are, all
 * numbers of the last dimension are channels.
 */
static struct onnx_arm rows_of(enum arm_kind kind, const struct onnx_work *work, bool is_shape)
{
	const struct onnx_shape *shape = &onnx_op_in(work, 0)->shape;
	int64_t rank = (int64_t)shape->n, axis = onnx_integer(work->node, "axis", -1), last = rank - 1;
	bool along[ONNX_MAX_RANK] = {false};
	if ((work->op->lower != onnx_lower_rows && work->op->lower != onnx_lower_skip_norm) || rank == 0)
		return (struct onnx_arm){.kind = kind};
	axis += axis < 0 ? rank : 0;
	if (work->op->rows == ROWS_SECOND)
		axis = 1;
	else if (work->op->rows != ROWS_AXIS && work->op->rows != ROWS_BEHIND)
		axis = work->op->rows == ROWS_PIXELS ? 2 : 1;
	if (work->op->rows == ROWS_AXIS || work->op->rows == ROWS_SECOND)
		last = axis;
	for (int64_t i = axis; i >= 0 && i <= last && i < rank; i++)
		along[i] = true;
	return onnx_rows(kind, shape, along, is_shape);
}

static struct onnx_arm arm_of(const struct onnx_work *work, bool is_shape)
{
	return rows_of(work->op->arm == ARM_POOL ? ARM_FUNCTION : work->op->arm, work, is_shape);
}

/* Work over a map of the result's shape, made of all inputs. */
enum onnx_status onnx_lower_combine(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *out = &lowering->graph->value[work->node->out[0]].shape;
	size_t n;
	const uint32_t *from = onnx_lower_inputs(lowering, work, &n);
	struct onnx_map map = onnx_map_of(out);
	*why = too_large;
	if (!from)
		return ONNX_UNSUPPORTED;
	/* In the map of the first input, whatever ONNX calls its sides, where it has as many numbers. */
	const struct onnx_draft *first = &lowering->draft[from[0]];
	bool is_shape = true;
	if (!first->is_vector && onnx_draft_size(first) == onnx_n_element(out)) {
		is_shape = first->w == map.w && first->h == map.h && first->c == map.c;
		map = (struct onnx_map){first->w, first->h, first->c};
	}
	uint32_t arm = onnx_draft_arm(lowering, arm_of(work, is_shape), n, from, map);
	return onnx_lower_done(lowering, work, arm, ONNX_ARM);
}

/* The scale and the zero point that go with the numbers are further outputs. */
enum onnx_status onnx_lower_quantise(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	enum onnx_status status = onnx_lower_combine(lowering, work, why);
	uint32_t draft = lowering->place[work->node->out[0]].draft;
	for (size_t i = 1; i < work->node->n_out && draft != NO_DRAFT; i++)
		onnx_lower_put(lowering, work, i, onnx_draft_view(lowering, 1, &draft, (struct onnx_map){1, 1, 1}));
	return status;
}

/* Softmax and normalisation look at whole rows, which no split may cut. */
enum onnx_status onnx_lower_rows(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	return onnx_lower_combine(lowering, work, why);
}

/* Over all numbers of the input; then fewer of them are left. A mean over all pixels is pooling. */
enum onnx_status onnx_lower_reduce(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_shape *in = &onnx_op_in(work, 0)->shape;
	const struct onnx_shape *out = &lowering->graph->value[work->node->out[0]].shape;
	uint32_t source = onnx_draft_get(lowering, work->node->in[0]);
	if (work->op->is_average && in->n == 4 && in->dim[0] == 1 && onnx_n_element(out) == in->dim[1] &&
	    in->dim[1] > 1 && onnx_reduces_pixels(work))
		return onnx_lower_global_pool(lowering, work, why);
	*why = too_large;
	if (source == NO_DRAFT)
		return ONNX_UNSUPPORTED;
	const struct onnx_draft *from = &lowering->draft[source];
	struct onnx_map map =
	    from->is_vector ? (struct onnx_map){1, 1, from->w} : (struct onnx_map){from->w, from->h, from->c};
	uint32_t arm = onnx_draft_arm(lowering, arm_of(work, false), 1, &source, map);
	uint32_t view = arm == NO_DRAFT ? NO_DRAFT : onnx_draft_view(lowering, 1, &arm, onnx_map_of(out));
	return onnx_lower_done(lowering, work, view, ONNX_ARM);
}

/* ---- additions --------------------------------------------------------------------------------------------- */

/* A summand: its draft, and whether the draft is a convolution that can take the addition. */
struct summand {
	uint32_t draft;
	bool is_open;
};

/* The result of a convolution without activation or shortcut that only this addition reads. */
static struct summand look(struct onnx_lowering *lowering, uint32_t value)
{
	struct summand summand = {.draft = onnx_draft_get(lowering, value)};
	if (summand.draft == NO_DRAFT || summand.draft == 0)
		return summand;
	const struct onnx_draft *draft = &lowering->draft[summand.draft];
	assert(!draft->is_gone);
	summand.is_open = draft->layer.kind == LAYER_CONV && !draft->layer.relu && !draft->layer.has_shortcut &&
	                  draft->n_reader == 0 && lowering->place[lowering->place[value].root].n_exit == 1 &&
	                  lowering->graph->value[value].n_reader == 1;
	return summand;
}

/* A convolution whose result is added to another's right away: a shortcut convolution of the thesis. */
static bool can_be_shortcut(const struct onnx_lowering *lowering, const struct summand *summand, uint32_t main)
{
	const struct onnx_draft *draft = &lowering->draft[summand->draft];
	return summand->is_open && draft->layer.groups == 1 && !draft->layer.has_filters && draft->layer.n_from == 1 &&
	       draft->from[0] < lowering->draft[main].from[0];
}

static bool same_map(const struct onnx_draft *a, const struct onnx_draft *b)
{
	return !a->is_vector && !b->is_vector && a->w == b->w && a->h == b->h && a->c == b->c;
}

/* The main convolution once more, at the end of the list, where all that it needs is there; the first one is gone. */
static struct onnx_draft *move_to_end(struct onnx_lowering *lowering, uint32_t index)
{
	struct onnx_draft *old = &lowering->draft[index], *draft;
	assert(old->n_reader == 0 && !old->is_gone);
	if (!onnx_draft_room(lowering))
		return NULL;
	draft = &lowering->draft[lowering->n_draft++];
	*draft = *old;
	old->is_gone = true;
	return draft;
}

static uint32_t add_two(struct onnx_lowering *lowering, struct summand a, struct summand b, struct onnx_map map)
{
	if (a.draft != NO_DRAFT && b.draft != NO_DRAFT &&
	    same_map(&lowering->draft[a.draft], &lowering->draft[b.draft]) && a.draft != b.draft &&
	    (a.is_open || b.is_open)) {
		bool a_is_main = a.is_open && !(b.is_open && can_be_shortcut(lowering, &a, b.draft));
		uint32_t main = a_is_main ? a.draft : b.draft;
		struct summand other = a_is_main ? b : a;
		bool merges = can_be_shortcut(lowering, &other, main);
		struct onnx_draft *draft = move_to_end(lowering, main);
		assert(main != other.draft);
		if (!draft)
			return NO_DRAFT;
		draft->layer.has_shortcut = true;
		draft->layer.has_shortcut_conv = merges;
		draft->shortcut = other.draft;
		if (merges) {
			struct onnx_draft *gone = &lowering->draft[other.draft];
			draft->layer.shortcut_window = gone->layer.window;
			draft->shortcut = gone->from[0];
			draft->shortcut_node = gone->node;
			gone->is_gone = true;
		} else {
			lowering->draft[other.draft].n_reader++;
		}
		return onnx_draft_index(lowering, draft);
	}
	if (a.draft == NO_DRAFT || b.draft == NO_DRAFT)
		return NO_DRAFT;
	return onnx_draft_arm(lowering, (struct onnx_arm){.kind = ARM_ADD}, 2, (const uint32_t[]){a.draft, b.draft},
	                      map);
}

/* Summands one after another; constants are part of biases. */
enum onnx_status onnx_lower_add(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_graph *graph = lowering->graph;
	const struct onnx_shape *out = &graph->value[work->node->out[0]].shape;
	struct onnx_map map = onnx_map_of(out);
	int64_t n_out = onnx_n_element(out);
	struct summand sum = {.draft = NO_DRAFT};
	size_t n = 0;
	*why = too_large;
	for (size_t i = 0; i < work->node->n_in; i++) {
		uint32_t value = work->node->in[i];
		if (value == 0 || graph->value[value].is_constant)
			continue;
		struct summand next = look(lowering, value);
		const struct onnx_draft *draft = next.draft == NO_DRAFT ? NULL : &lowering->draft[next.draft];
		/* In the map of a summand, whatever ONNX calls its sides. */
		if (draft && !draft->is_vector && onnx_draft_size(draft) == n_out)
			map = (struct onnx_map){draft->w, draft->h, draft->c};
		if (n++ == 0) {
			sum = next;
			continue;
		}
		sum = (struct summand){.draft = add_two(lowering, sum, next, map)};
	}
	if (n < 2) /* one summand that is widened */
		return onnx_lower_combine(lowering, work, why);
	return onnx_lower_done(lowering, work, sum.draft, ONNX_ARM);
}

/* A shortcut's sum, then its rows: ONNX Runtime's spelling of a transformer's additions. */
enum onnx_status onnx_lower_skip_norm(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_graph *graph = lowering->graph;
	const struct onnx_shape *shape = &graph->value[work->node->out[0]].shape;
	struct onnx_map map = onnx_map_of(shape);
	bool is_shape = true;
	uint32_t sum = NO_DRAFT;
	*why = too_large;
	for (size_t i = 0; i < 2; i++) {
		uint32_t value = work->node->in[i];
		if (graph->value[value].is_constant)
			continue;
		struct summand next = look(lowering, value);
		if (next.draft == NO_DRAFT)
			return ONNX_UNSUPPORTED;
		const struct onnx_draft *draft = &lowering->draft[next.draft];
		if (!draft->is_vector && onnx_draft_size(draft) == onnx_n_element(shape)) {
			is_shape = draft->w == map.w && draft->h == map.h && draft->c == map.c;
			map = (struct onnx_map){draft->w, draft->h, draft->c};
		}
		sum = sum == NO_DRAFT ? next.draft : add_two(lowering, look(lowering, work->node->in[0]), next, map);
	}
	if (sum == NO_DRAFT)
		return ONNX_UNSUPPORTED;
	onnx_lower_put(lowering, work, 3, sum);
	return onnx_lower_done(lowering, work, onnx_draft_arm(lowering, arm_of(work, is_shape), 1, &sum, map),
	                       ONNX_ARM);
}
