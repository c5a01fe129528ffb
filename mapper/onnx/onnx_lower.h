/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_LOWER_H
#define MAPPER_ONNX_LOWER_H
/*
 * From an ONNX graph whose shapes are known to layers of our networks. What is
 * done number by number to a convolution's result becomes part of its layer;
 * reshaping and the like cost nothing or become views; what only the ARM cores
 * can do becomes a layer of theirs.
 */
#include "mapper/network/parser.h"
#include "mapper/onnx/onnx_graph.h"
#include "mapper/onnx/onnx_verdict.h"

extern const char *const onnx_status_name[N_ONNX_STATUS]; /* "mla", ... */

struct onnx_plan {
	struct onnx_verdict *verdict; /* [n_node of the graph] */
	size_t n_unsupported;
	uint64_t mac, n_parameter; /* of all nodes */
	struct layer_list list;    /* usable when n_unsupported is 0 */
	uint32_t *node_of;         /* [list.n] node that made the layer */
	struct arena arena;        /* owns all of it */
};

/*
 * Plan a graph, which stays as it is. name is what the network is called, at most NETWORK_NAME_SIZE - 1 bytes, and
 * stays the caller's. That nodes cannot be mapped is no error: see n_unsupported. ERR_INPUT: more layers or a larger
 * input than networks have; ERR_INTERNAL. The plan is empty after an error; free it with onnx_plan_free.
 */
enum err_code onnx_lower(struct onnx_graph *graph, const char *name, struct onnx_plan *plan, struct err *err);

void onnx_plan_free(struct onnx_plan *plan);

#endif
