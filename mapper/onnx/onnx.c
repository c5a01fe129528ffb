/* SPDX-License-Identifier: Apache-2.0 */
#include "mapper/onnx/onnx.h"
#include "mapper/network/network_read.h"
#include "mapper/onnx/onnx_batch.h"
#include "mapper/onnx/onnx_read.h"
#include <assert.h>
#include <string.h>

/* The graph's name, or the file's without folder and ending; other letters than a word's become '_'. */
static void set_name(struct onnx_import *import, const char *path)
{
	const char *slash = strrchr(path, '/'), *text = import->graph.name;
	bool is_file = text[0] == '\0';
	size_t n_byte;
	if (is_file)
		text = slash ? slash + 1 : path;
	n_byte = is_file && strrchr(text, '.') > text ? (size_t)(strrchr(text, '.') - text) : strlen(text);
	n_byte = n_byte < NETWORK_NAME_SIZE ? n_byte : NETWORK_NAME_SIZE - 1;
	assert(n_byte > 0);
	for (size_t i = 0; i < n_byte; i++) {
		char c = text[i];
		bool is_plain =
		    (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
		import->name[i] = is_plain ? c : '_';
	}
	import->name[n_byte] = '\0';
}

static enum err_code finish_import(const char *path, const struct onnx_dim *dim, size_t n_dim,
                                   struct onnx_import *import, struct err *err)
{
	enum err_code code = onnx_infer(&import->graph, dim, n_dim, err);
	if (code == ERR_OK) {
		uint32_t n_image = onnx_batch_take(&import->graph);
		set_name(import, path);
		code = onnx_lower(&import->graph, import->name, &import->plan, err);
		if (code == ERR_OK)
			onnx_batch_give(&import->plan, &import->graph, n_image);
	}
	if (code != ERR_OK)
		onnx_import_free(import);
	return code;
}

static enum err_code import_file(const char *path, bool has_weights, const struct onnx_dim *dim, size_t n_dim,
                                 struct onnx_import *import, struct err *err)
{
	assert(path && path[0] && import);
	memset(import, 0, sizeof(*import));
	enum err_code code = onnx_read(path, has_weights, &import->graph, err);
	return code == ERR_OK ? finish_import(path, dim, n_dim, import, err) : code;
}

enum err_code onnx_import(const char *path, const struct onnx_dim *dim, size_t n_dim, struct onnx_import *import,
                          struct err *err)
{
	return import_file(path, false, dim, n_dim, import, err);
}

enum err_code onnx_import_whole(const char *path, struct onnx_import *import, struct err *err)
{
	return import_file(path, true, NULL, 0, import, err);
}

enum err_code onnx_import_bytes(const char *path, const uint8_t *data, size_t n_byte, const struct onnx_dim *dim,
                                size_t n_dim, struct onnx_import *import, struct err *err)
{
	enum err_code code;
	assert(path && path[0] && import);
	memset(import, 0, sizeof(*import));
	code = onnx_read_bytes(path, data, n_byte, &import->graph, err);
	return code == ERR_OK ? finish_import(path, dim, n_dim, import, err) : code;
}

void onnx_import_free(struct onnx_import *import)
{
	onnx_plan_free(&import->plan);
	onnx_graph_free(&import->graph);
}

/* Nodes of one operator, refused for one reason, are one message, at the first of them. */
enum err_code onnx_complain_unsupported(const struct onnx_import *import, struct err *err)
{
	const struct onnx_graph *graph = &import->graph;
	for (size_t i = 0; i < graph->n_node && import->plan.n_unsupported > 0; i++) {
		const struct onnx_verdict *verdict = &import->plan.verdict[i];
		bool is_first = verdict->status == ONNX_UNSUPPORTED;
		size_t n_more = 0;
		for (size_t k = 0; k < graph->n_node && is_first; k++) {
			bool is_alike = import->plan.verdict[k].why == verdict->why &&
			                strcmp(graph->node[k].op, graph->node[i].op) == 0;
			is_first = !(is_alike && k < i);
			n_more += is_alike && k > i;
		}
		if (is_first && n_more > 0)
			onnx_complain(graph, &graph->node[i], ERR_INPUT, err, "%s (and %zu more nodes like it)",
			              verdict->why, n_more);
		else if (is_first)
			onnx_complain(graph, &graph->node[i], ERR_INPUT, err, "%s", verdict->why);
	}
	return import->plan.n_unsupported > 0 ? ERR_INPUT : ERR_OK;
}

enum err_code onnx_build(const struct onnx_import *import, struct network *network, struct err *err)
{
	assert(import->plan.n_unsupported == 0);
	if (import->plan.list.n == 0) {
		memset(network, 0, sizeof(*network));
		return err_add(err, ERR_INPUT, "%s: no node has a layer; nothing is left to map", import->graph.path);
	}
	return parser_build(&import->plan.list, network, err);
}

enum err_code network_read_onnx(const char *path, struct network *network, struct err *err)
{
	struct onnx_import import;
	enum err_code code = onnx_import(path, NULL, 0, &import, err);
	memset(network, 0, sizeof(*network));
	if (code != ERR_OK)
		return code;
	code = onnx_complain_unsupported(&import, err);
	if (code == ERR_OK)
		code = onnx_build(&import, network, err);
	onnx_import_free(&import);
	return code;
}
