/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx_graph.h"
#include "sim/base/text.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void onnx_graph_free(struct onnx_graph *graph)
{
	assert(graph);
	arena_free(&graph->arena);
	memset(graph, 0, sizeof(*graph));
}

int64_t onnx_n_element(const struct onnx_shape *shape)
{
	int64_t n = 1;
	assert(shape->n <= ONNX_MAX_RANK);
	for (size_t i = 0; i < shape->n; i++)
		n *= shape->dim[i];
	assert(n >= 0 && n <= ONNX_MAX_ELEMENT);
	return n;
}

const struct onnx_attribute *onnx_find(const struct onnx_node *node, const char *name)
{
	assert(node && name);
	for (size_t i = 0; i < node->n_attribute; i++)
		if (strcmp(node->attribute[i].name, name) == 0)
			return &node->attribute[i];
	return NULL;
}

int64_t onnx_integer(const struct onnx_node *node, const char *name, int64_t absent)
{
	const struct onnx_attribute *found = onnx_find(node, name);
	return found && found->has_integer ? found->integer : absent;
}

const char *onnx_text(const struct onnx_node *node, const char *name, const char *absent)
{
	const struct onnx_attribute *found = onnx_find(node, name);
	return found && found->text ? found->text : absent;
}

const struct onnx_value *onnx_input(const struct onnx_graph *graph, const struct onnx_node *node, size_t i)
{
	assert(graph && node);
	return i < node->n_in && node->in[i] > 0 ? &graph->value[node->in[i]] : NULL;
}

enum err_code onnx_complain(const struct onnx_graph *graph, const struct onnx_node *node, enum err_code code,
                            struct err *err, const char *format, ...)
{
	char text[512];
	assert(graph && node >= graph->node && node < graph->node + graph->n_node);
	TEXT_FILL(text, format);
	return err_add(err, code, "%s: node %zu '%.80s' (%.40s): %s", graph->path, (size_t)(node - graph->node) + 1,
	               node->name, node->op, text);
}

struct onnx_shape_text onnx_shape_text(const struct onnx_shape *shape)
{
	struct onnx_shape_text text = {"scalar"};
	size_t n_byte = 0;
	assert(shape->n <= ONNX_MAX_RANK);
	for (size_t i = 0; i < shape->n; i++)
		n_byte += (size_t)snprintf(text.text + n_byte, sizeof(text.text) - n_byte, "%s%" PRId64,
		                           i > 0 ? "x" : "", shape->dim[i]);
	assert(n_byte < sizeof(text.text));
	return text;
}
