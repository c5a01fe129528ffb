/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_QUANTISE_ONNX_H
#define MAPPER_QUANTISE_ONNX_H
/*
 * Weights of an ONNX model, in floating point or quantised (QuantizeLinear, DequantizeLinear): what each layer's node
 * has, with the biases and normalisations that follow it, and the scales that the model itself gives its results.
 */
#include "mapper/onnx/onnx.h"
#include "mapper/quantise/quantise.h"

/*
 * import: onnx_import_whole of the file that the network was read from. Power-of-two scales without a zero point become
 * fraction bits of results; others are left to be measured. ERR_INPUT, naming the node: an operator that changes
 * numbers in a way that quantised layers do not, weights that are not in the file, or of another shape; ERR_INTERNAL.
 * *model is empty then.
 */
enum err_code quantise_import(const struct onnx_import *import, const struct network *network,
                              struct quantise_float *model, struct err *err);

#endif
