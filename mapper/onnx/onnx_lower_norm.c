/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisation and softmax that a model has in parts: a mean of each row taken from its numbers, and so on, up to nine
 * nodes for what one layer of the ARM cores does. Not by a list of spellings, but by what is computed: nodes belong to
 * a row's work when all they read follows from one value and from numbers that were reduced along the same axes,
 *
 *       x ──┬────────► Sub ─┬──────────────────────► Div ─► (scale, shift: functions of the result)
 *           └► Mean ───┘    └► Pow ─► Mean ─► Sqrt ──┘
 *
 * and when nobody else reads any of them but the last one.
 */
#include "mapper/onnx/onnx_lower_parts.h"
#include <assert.h>
#include <string.h>

/* Nodes behind a reduction that may belong to it, and nodes before it among which its source is. */
#define WINDOW 64u
#define MAX_BACK 8

enum member {
	MEMBER_NONE,
	MEMBER_EACH,    /* follows number by number from the source; the source itself */
	MEMBER_REDUCED, /* one number a row */
	MEMBER_ROW      /* as many as the source, of numbers and of what was reduced */
};

/* A row's work that is being looked for. */
struct search {
	struct onnx_lowering *lowering;
	uint32_t source;
	bool along[ONNX_MAX_RANK]; /* the axes of rows */
	uint32_t first, n;         /* nodes that are looked at: first to first + n - 1 */
	enum member member[WINDOW];
	bool is_part[WINDOW];
};

static bool same_shape(const struct onnx_shape *a, const struct onnx_shape *b)
{
	return a->n == b->n && memcmp(a->dim, b->dim, a->n * sizeof(a->dim[0])) == 0;
}

static bool is_reduction(const struct onnx_op *op)
{
	return op && op->lower == onnx_lower_reduce && op->infer == onnx_infer_reduce;
}

/* The axes that a reduction leaves as 1; false where it drops them, or changes nothing. */
static bool reduced_axes(const struct onnx_lowering *lowering, const struct onnx_node *node, bool along[ONNX_MAX_RANK])
{
	const struct onnx_shape *in = &lowering->graph->value[node->in[0]].shape;
	const struct onnx_shape *out = &lowering->graph->value[node->out[0]].shape;
	bool any = false;
	memset(along, 0, ONNX_MAX_RANK * sizeof(*along));
	for (size_t i = 0; i < in->n && in->n == out->n; i++) {
		along[i] = in->dim[i] != 1 && out->dim[i] == 1;
		any = any || along[i];
	}
	return any;
}

/* What a value is to the search. */
static enum member member_of(const struct search *search, uint32_t value)
{
	uint32_t producer = search->lowering->graph->value[value].producer;
	if (value == search->source)
		return MEMBER_EACH;
	if (producer <= search->first || producer - 1 - search->first >= search->n)
		return MEMBER_NONE;
	return search->lowering->graph->node[producer - 1].out[0] == value
	           ? search->member[producer - 1 - search->first]
	           : MEMBER_NONE;
}

/* What a node makes of members; MEMBER_NONE: it is no part of the work. */
static enum member judge(const struct search *search, const struct onnx_node *node)
{
	const struct onnx_graph *graph = search->lowering->graph;
	const struct onnx_op *op = onnx_op_find(node);
	const struct onnx_shape *full = &graph->value[search->source].shape;
	bool along[ONNX_MAX_RANK], any_each = false, any_reduced = false;
	if (!op || node->n_out != 1 || node->out[0] == 0 || !graph->value[node->out[0]].has_shape)
		return MEMBER_NONE;
	for (size_t i = 0; i < node->n_in; i++) {
		if (node->in[i] == 0 || graph->value[node->in[i]].is_constant)
			continue;
		enum member member = member_of(search, node->in[i]);
		if (member == MEMBER_NONE)
			return MEMBER_NONE;
		any_reduced = any_reduced || member == MEMBER_REDUCED || member == MEMBER_ROW;
		any_each = any_each || member == MEMBER_EACH || member == MEMBER_ROW;
	}
	const struct onnx_shape *out = &graph->value[node->out[0]].shape;
	if (is_reduction(op) && any_each)
		return reduced_axes(search->lowering, node, along) &&
		               memcmp(along, search->along, sizeof(along)) == 0 &&
		               same_shape(&graph->value[node->in[0]].shape, full)
		           ? MEMBER_REDUCED
		           : MEMBER_NONE;
	if (op->trait == TRAIT_NONE || op->trait == TRAIT_MOVED || !(any_each || any_reduced))
		return MEMBER_NONE;
	if (any_each)
		return same_shape(out, full) ? any_reduced ? MEMBER_ROW : MEMBER_EACH : MEMBER_NONE;
	/* a scale of each number, of what was reduced and of constants */
	if (same_shape(out, full))
		return MEMBER_ROW;
	for (size_t i = 0; i < full->n; i++)
		if (out->n != full->n || out->dim[i] != (search->along[i] ? 1 : full->dim[i]))
			return MEMBER_NONE;
	return MEMBER_REDUCED;
}

/* Marks what node i of the window needs, itself included; the parts of the work that end there. */
static void mark_parts(struct search *search, uint32_t i)
{
	const struct onnx_graph *graph = search->lowering->graph;
	memset(search->is_part, 0, sizeof(search->is_part));
	search->is_part[i] = true;
	for (uint32_t k = i + 1; k-- > 0;) {
		const struct onnx_node *node = &graph->node[search->first + k];
		for (size_t j = 0; search->is_part[k] && j < node->n_in; j++) {
			uint32_t producer = graph->value[node->in[j]].producer;
			if (node->in[j] != search->source && node->in[j] > 0 &&
			    member_of(search, node->in[j]) != MEMBER_NONE)
				search->is_part[producer - 1 - search->first] = true;
		}
	}
}

/* Whether only parts read the parts before i. */
static bool is_closed(const struct search *search, uint32_t i)
{
	const struct onnx_graph *graph = search->lowering->graph;
	uint32_t n_read[WINDOW] = {0};
	for (uint32_t k = 0; k <= i; k++) {
		const struct onnx_node *node = &graph->node[search->first + k];
		for (size_t j = 0; search->is_part[k] && j < node->n_in; j++) {
			uint32_t in = node->in[j];
			if (in > 0 && in != search->source && member_of(search, in) != MEMBER_NONE)
				n_read[graph->value[in].producer - 1 - search->first]++;
		}
	}
	for (uint32_t k = 0; k < i; k++)
		if (search->is_part[k] && n_read[k] != graph->value[graph->node[search->first + k].out[0]].n_reader)
			return false;
	return true;
}

/* The last node whose result is a root of its own, made of rows, and all that is read of the work; n where there is
 * none.
 */
static uint32_t find_end(struct search *search)
{
	const struct onnx_lowering *lowering = search->lowering;
	for (uint32_t i = 0; i < search->n; i++)
		search->member[i] = MEMBER_NONE;
	for (uint32_t i = 0; i < search->n; i++)
		search->member[i] = judge(search, &lowering->graph->node[search->first + i]);
	for (uint32_t i = search->n; i-- > 0;) {
		uint32_t out = lowering->graph->node[search->first + i].n_out > 0
		                   ? lowering->graph->node[search->first + i].out[0]
		                   : 0;
		if (search->member[i] != MEMBER_ROW || lowering->place[out].root != out)
			continue;
		mark_parts(search, i);
		if (is_closed(search, i))
			return i;
	}
	return search->n;
}

static bool raises(const struct search *search, uint32_t end)
{
	for (uint32_t i = 0; i <= end; i++)
		if (search->is_part[i] && strcmp(search->lowering->graph->node[search->first + i].op, "Exp") == 0)
			return true;
	return false;
}

static void note_work(struct search *search, uint32_t end)
{
	struct onnx_lowering *lowering = search->lowering;
	struct onnx_rows_work work = {.last = search->first + end,
	                              .source = search->source,
	                              .kind = raises(search, end) ? ARM_SOFTMAX : ARM_NORM};
	assert(search->is_part[end]);
	memcpy(work.along, search->along, sizeof(work.along));
	for (uint32_t i = 0; i <= end; i++)
		if (search->is_part[i])
			lowering->rows[search->first + i] = work;
	for (uint32_t i = 0; i <= end; i++)
		if (search->is_part[i])
			lowering->rows[search->first + i].is_part = true;
}

/* The one computed input of a node that is a function of it in its shape; 0 where there is none. */
static uint32_t step_back(const struct onnx_graph *graph, uint32_t value)
{
	uint32_t producer = graph->value[value].producer, from = 0;
	const struct onnx_node *node = producer > 0 ? &graph->node[producer - 1] : NULL;
	const struct onnx_op *op = node ? onnx_op_find(node) : NULL;
	if (!op || op->trait == TRAIT_NONE || op->trait == TRAIT_MOVED)
		return 0;
	for (size_t i = 0; i < node->n_in; i++) {
		if (node->in[i] == 0 || graph->value[node->in[i]].is_constant || node->in[i] == from)
			continue;
		if (from > 0)
			return 0;
		from = node->in[i];
	}
	return from > 0 && same_shape(&graph->value[from].shape, &graph->value[value].shape) ? from : 0;
}

/* The work that begins with a reduction, from the nearest value that it can be of. */
static void search_from(struct onnx_lowering *lowering, uint32_t n)
{
	const struct onnx_graph *graph = lowering->graph;
	struct search search = {.lowering = lowering, .source = graph->node[n].in[0]};
	if (!reduced_axes(lowering, &graph->node[n], search.along))
		return;
	for (int back = 0; search.source > 0 && back < MAX_BACK; back++) {
		uint32_t producer = graph->value[search.source].producer;
		search.first = producer; /* the node behind the source's */
		search.first = n - search.first > WINDOW / 2 && n > WINDOW / 2 ? n - WINDOW / 2 : search.first;
		search.n = (uint32_t)graph->n_node - search.first;
		search.n = search.n < WINDOW ? search.n : WINDOW;
		uint32_t end = find_end(&search);
		if (end < search.n) {
			note_work(&search, end);
			return;
		}
		search.source = step_back(graph, search.source);
	}
}

void onnx_norm_find(struct onnx_lowering *lowering)
{
	const struct onnx_graph *graph = lowering->graph;
	for (uint32_t n = 0; n < graph->n_node; n++) {
		const struct onnx_node *node = &graph->node[n];
		if (!lowering->rows[n].is_part && is_reduction(onnx_op_find(node)) && node->n_out > 0 &&
		    node->out[0] > 0 && node->in[0] > 0 && graph->value[node->in[0]].has_shape &&
		    graph->value[node->out[0]].has_shape && !graph->value[node->in[0]].is_constant)
			search_from(lowering, n);
	}
}

enum onnx_status onnx_lower_norm(struct onnx_lowering *lowering, struct onnx_work *work, const char **why)
{
	const struct onnx_rows_work *rows = &lowering->rows[lowering->node];
	assert(rows->is_part);
	if (rows->last != lowering->node)
		return ONNX_ARM;
	const struct onnx_shape *shape = &lowering->graph->value[rows->source].shape;
	uint32_t source = onnx_draft_get(lowering, rows->source);
	*why = "more than 65536 channels or pixels a side; make it smaller";
	if (source == NO_DRAFT)
		return ONNX_UNSUPPORTED;
	struct onnx_map map = onnx_map_of(shape);
	const struct onnx_draft *from = &lowering->draft[source];
	bool is_shape = true;
	if (!from->is_vector && onnx_draft_size(from) == onnx_n_element(shape)) {
		is_shape = from->w == map.w && from->h == map.h && from->c == map.c;
		map = (struct onnx_map){from->w, from->h, from->c};
	}
	struct onnx_arm arm = onnx_rows(rows->kind, shape, rows->along, is_shape);
	return onnx_lower_done(lowering, work, onnx_draft_arm(lowering, arm, 1, &source, map), ONNX_ARM);
}
