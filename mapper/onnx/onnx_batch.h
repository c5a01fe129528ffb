/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_BATCH_H
#define MAPPER_ONNX_BATCH_H
/*
 * Models of several images whose nodes all treat them alike: layers are those of one image, and how many there are is
 * the network's batch. Of other models images are groups of channels (onnx_lower_conv.c).
 */
#include "mapper/onnx/onnx_lower.h"

/* Leave one image in all shapes of a graph, which are known; returns how many there were, 1 where nothing changed. */
uint32_t onnx_batch_take(struct onnx_graph *graph);

/* What onnx_lower has planned of one image is for so many. */
void onnx_batch_give(struct onnx_plan *plan, const struct onnx_graph *graph, uint32_t n_image);

#endif
