/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_INFER_H
#define MAPPER_ONNX_INFER_H
/*
 * Shapes of every value of an ONNX graph, and the contents of those that are
 * part of a shape: exporters write chains of Shape, Gather, Concat and Reshape
 * where a number would do, and such chains are computed here.
 */
#include "mapper/onnx/onnx_graph.h"

/* What a user gives a dimension that the file leaves open. */
struct onnx_dim {
	const char *name;
	int64_t size; /* 1 to ONNX_MAX_DIM */
};

/*
 * Fill in shapes, contents and is_constant. A first dimension of an input that nobody gives is 1. Outputs of unknown
 * operators have the shape that the file itself gives them, or none, and so has everything computed from them.
 * ERR_INPUT with one message a mistake: dimensions left open or not there, shapes that do not fit; ERR_INTERNAL.
 */
enum err_code onnx_infer(struct onnx_graph *graph, const struct onnx_dim *dim, size_t n_dim, struct err *err);

#endif
