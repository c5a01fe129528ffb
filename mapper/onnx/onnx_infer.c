/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_infer.h"
#include "mapper/onnx/onnx_table.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <string.h>

static const struct onnx_dim *find_dim(const struct onnx_dim *dim, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(dim[i].name, name) == 0)
			return &dim[i];
	return NULL;
}

/* Open dimensions from the user's list; a batch that nobody gives is 1. */
static void close_dims(struct onnx_graph *graph, const struct onnx_dim *dim, size_t n, struct err *err)
{
	for (size_t i = 0; i < graph->n_open; i++) {
		const struct onnx_open_dim *open = &graph->open[i];
		const struct onnx_dim *found = find_dim(dim, n, open->name);
		struct onnx_value *value = &graph->value[open->value];
		if (found)
			value->shape.dim[open->axis] = found->size;
		else if (open->axis > 0)
			err_add(err, ERR_INPUT, "%s: dimension %u of input '%.80s' is open; give it with --dim %.80s=N",
			        graph->path, open->axis, value->name, open->name);
	}
	for (size_t i = 0; i < n; i++) {
		const char *names[64];
		size_t n_name = 0;
		bool found = false;
		for (size_t k = 0; k < graph->n_open; k++) {
			found = found || strcmp(graph->open[k].name, dim[i].name) == 0;
			if (n_name < 64)
				names[n_name++] = graph->open[k].name;
		}
		const char *nearest = err_nearest(dim[i].name, names, n_name);
		if (!found)
			err_add(err, ERR_INPUT, "%s: no input has an open dimension '%.80s'%s%.80s%s", graph->path,
			        dim[i].name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
			        nearest ? "'?" : "");
	}
}

/* Given sizes multiply; the file's own were checked when it was read. */
static void check_inputs(const struct onnx_graph *graph, struct err *err)
{
	for (size_t i = 0; i < graph->n_open; i++) {
		const struct onnx_value *value = &graph->value[graph->open[i].value];
		uint64_t product = 1;
		for (size_t k = 0; k < value->shape.n; k++)
			product = mul_sat(product, (uint64_t)value->shape.dim[k]);
		if (product > (uint64_t)ONNX_MAX_ELEMENT)
			err_add(err, ERR_INPUT, "%s: input '%.80s' has more than 2^50 numbers", graph->path,
			        value->name);
	}
}

/* Whether every input that is given has a shape; what those cannot be known from was reported before. */
static bool inputs_known(const struct onnx_graph *graph, const struct onnx_node *node)
{
	for (size_t i = 0; i < node->n_in; i++)
		if (node->in[i] > 0 && !graph->value[node->in[i]].has_shape)
			return false;
	return true;
}

static bool inputs_constant(const struct onnx_graph *graph, const struct onnx_node *node)
{
	for (size_t i = 0; i < node->n_in; i++)
		if (node->in[i] > 0 && !graph->value[node->in[i]].is_constant)
			return false;
	return true;
}

/* The shapes that the file gives, where they cannot be worked out. */
static void take_hints(struct onnx_graph *graph, const struct onnx_node *node)
{
	for (size_t i = 0; i < node->n_out; i++) {
		struct onnx_value *value = &graph->value[node->out[i]];
		if (node->out[i] == 0 || value->has_shape || !value->has_hint)
			continue;
		value->shape = value->hint;
		value->has_shape = true;
	}
}

/* The content of a small result. False when memory is out. */
static bool fold(struct onnx_work *work)
{
	struct onnx_value *value = &work->graph->value[work->node->out[0]];
	double *content;
	int64_t n;
	if (work->node->out[0] == 0 || !value->has_shape)
		return true;
	assert(work->op->fold);
	n = onnx_n_element(&value->shape);
	if (n > ONNX_MAX_CONTENT)
		return true;
	content = arena_array(&work->graph->arena, n > 0 ? (size_t)n : 1, sizeof(*content));
	if (!content)
		return false;
	if (work->op->fold(work, content, (size_t)n)) {
		value->content = content;
		value->is_constant = true;
	}
	return true;
}

static bool has_inputs(struct onnx_work *work)
{
	assert(work->op->infer);
	for (size_t i = 0; i < work->op->n_in; i++)
		if (!onnx_input(work->graph, work->node, i))
			return onnx_op_fail(work, "it has no input %zu", i + 1);
	return work->node->n_out > 0 || onnx_op_fail(work, "it has no output");
}

/* False when memory is out. */
static bool infer_node(struct onnx_graph *graph, const struct onnx_node *node, struct err *err)
{
	struct onnx_work work = {.graph = graph, .node = node, .op = onnx_op_find(node), .err = err};
	bool constant = inputs_constant(graph, node);
	for (size_t i = 0; i < node->n_out; i++)
		graph->value[node->out[i]].is_constant = node->out[i] > 0 && constant && work.op;
	if (work.op && has_inputs(&work) && inputs_known(graph, node) && work.op->infer(&work) && work.op->fold &&
	    !fold(&work))
		return false;
	take_hints(graph, node);
	return true;
}

enum err_code onnx_infer(struct onnx_graph *graph, const struct onnx_dim *dim, size_t n_dim, struct err *err)
{
	struct err own = {0};
	struct err *all = err ? err : &own;
	unsigned before = all->n_message;
	enum err_code code = ERR_OK;
	assert(graph && graph->n_node > 0 && (dim || n_dim == 0));
	close_dims(graph, dim, n_dim, all);
	check_inputs(graph, all);
	for (size_t i = 0; i < graph->n_node && code == ERR_OK && all->n_message == before; i++)
		if (!infer_node(graph, &graph->node[i], all))
			code = err_add(all, ERR_INTERNAL, "%s: out of memory", graph->path);
	if (code == ERR_OK && all->n_message > before)
		code = ERR_INPUT;
	err_clear(&own);
	return code;
}
