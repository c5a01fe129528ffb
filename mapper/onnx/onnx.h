/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_H
#define MAPPER_ONNX_H
/*
 * ONNX models as networks: onnx_read.c -> onnx_infer.c -> onnx_lower.c, then
 * the parser that our own files go through as well. network_read_onnx does all
 * of it; who wants a report goes step by step.
 */
#include "mapper/onnx/onnx_infer.h"
#include "mapper/onnx/onnx_lower.h"
#include <stdio.h>

struct onnx_import {
	struct onnx_graph graph;
	struct onnx_plan plan;
	char name[NETWORK_NAME_SIZE]; /* of the network: the graph's, else the file's, in letters that YAML keeps */
};

/*
 * Read a model, infer its shapes and plan its layers. dim may be NULL when n_dim is 0. ERR_INPUT with one message a
 * mistake, ERR_IO, ERR_INTERNAL; the import is empty then. Nodes without layers are no mistake: see plan.n_unsupported.
 * Free with onnx_import_free, which the import's address must not change before.
 */
enum err_code onnx_import(const char *path, const struct onnx_dim *dim, size_t n_dim, struct onnx_import *import,
                          struct err *err);

/* The same with the contents of its tensors, weights included (struct onnx_value). */
enum err_code onnx_import_whole(const char *path, struct onnx_import *import, struct err *err);

/* The same as onnx_import from memory. */
enum err_code onnx_import_bytes(const char *path, const uint8_t *data, size_t n_byte, const struct onnx_dim *dim,
                                size_t n_dim, struct onnx_import *import, struct err *err);

void onnx_import_free(struct onnx_import *import);

/* ERR_INPUT with one message for each kind of node without layers, and what to do; ERR_OK when there is none. */
enum err_code onnx_complain_unsupported(const struct onnx_import *import, struct err *err);

/* The network of an import all of whose nodes have layers. ERR_INPUT, ERR_INTERNAL; the network is empty then. */
enum err_code onnx_build(const struct onnx_import *import, struct network *network, struct err *err);

/* The layers of an import in our own format; reading it gives the network of onnx_build. Errors stay in the stream. */
void onnx_write_yaml(const struct onnx_import *import, FILE *file);

#endif
