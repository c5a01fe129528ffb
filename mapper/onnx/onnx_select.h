/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_SELECT_H
#define MAPPER_ONNX_SELECT_H
/* Ranges of axes, for the shapes and for the contents of what Slice and Shape give. */
#include "mapper/onnx/onnx_table.h"

struct onnx_range {
	int64_t start, step, n; /* n numbers: start, start + step, ... */
};

/* What a Slice takes of each axis of its input. False after a message. */
bool onnx_slice_ranges(struct onnx_work *work, struct onnx_range range[ONNX_MAX_RANK]);

/* Which dimensions a Shape gives. */
void onnx_shape_range(const struct onnx_work *work, struct onnx_range *range);

#endif
