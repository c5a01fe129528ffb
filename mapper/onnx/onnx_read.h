/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_READ_H
#define MAPPER_ONNX_READ_H
/* Reader of ONNX files. onnx_read.c is the only file that knows protobuf-c and the classes made from ONNX's schema. */
#include "mapper/onnx/onnx_graph.h"

/*
 * Read the graph of a model; has_weights: with the contents of its tensors, as far as they are in the file. Data that lies outside the file, or is missing, is not needed. ERR_INPUT with one message
 * a mistake (bytes that are no ONNX model; a name that nobody produces or two do; more than the limits of
 * onnx_graph.h), ERR_IO, ERR_INTERNAL; the graph is empty then. Free with onnx_graph_free.
 */
enum err_code onnx_read(const char *path, bool has_weights, struct onnx_graph *graph, struct err *err);

/* The same from memory; path stands for the file in messages. */
enum err_code onnx_read_bytes(const char *path, const uint8_t *data, size_t n_byte, struct onnx_graph *graph,
                              struct err *err);

#endif
