/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_VERDICT_H
#define MAPPER_ONNX_VERDICT_H
/* What becomes of a node of an ONNX graph: layers, part of another layer, nothing to do, or unsupported. */
#include <stdint.h>

enum onnx_status {
	ONNX_MLA,         /* a convolution or matrix multiplication */
	ONNX_ARM,         /* done by the ARM cores, in a layer of its own or in the layer that computes its input */
	ONNX_FOLDED,      /* known before anything runs, or part of weights, biases, quantisation or padding */
	ONNX_FREE,        /* other addresses of the same numbers */
	ONNX_UNSUPPORTED, /* no layers for it */
	N_ONNX_STATUS
};

struct onnx_verdict {
	enum onnx_status status;
	uint64_t mac;      /* multiply-accumulates of Conv, Gemm, MatMul and their kin; 0: others */
	uint64_t n_weight; /* weights and biases of convolutions and matrix products; 0: others */
	uint32_t layer;    /* number of the layer that does it; 0: none */
	const char *why;   /* ONNX_UNSUPPORTED: the reason and what to do; else NULL */
};

#endif
