/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_WINDOW_H
#define MAPPER_ONNX_WINDOW_H
/* Windows of ONNX's convolutions and pooling, in its own order of the sides: the last one is the width. */
#include "mapper/onnx/onnx_table.h"

struct onnx_window {
	size_t n; /* sides */
	int64_t kernel[ONNX_MAX_RANK], stride[ONNX_MAX_RANK], dilation[ONNX_MAX_RANK];
	int64_t before[ONNX_MAX_RANK], after[ONNX_MAX_RANK]; /* padding */
	int64_t out[ONNX_MAX_RANK];                          /* positions */
	int64_t group;
};

/* The window of a node whose inputs have shapes. False after a message. */
bool onnx_window_conv(struct onnx_work *work, struct onnx_window *window);
bool onnx_window_pool(struct onnx_work *work, struct onnx_window *window);

#endif
