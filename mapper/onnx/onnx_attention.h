/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_ATTENTION_H
#define MAPPER_ONNX_ATTENTION_H
/*
 * Attention as one operator: ONNX's own, and ONNX Runtime's Attention (which projects its input first),
 * MultiHeadAttention and GroupQueryAttention.
 */
#include "mapper/onnx/onnx_op.h"

struct attention {
	int64_t n_batch, n_row, n_new, n_past; /* rows of queries; keys of this node, and those before */
	int64_t n_head, n_kv_head;             /* of queries; of keys and values, which divides it */
	int64_t head, v_head;                  /* numbers of a head: of queries and keys, of values */
	int64_t n_in;                          /* numbers of a row before it is projected; 0: it is not */
	uint32_t q, k, v, past_k, past_v;      /* values; 0: none. All the input where it is projected */
	uint32_t mask;                         /* added to scores; 0: none */
	size_t n_present;                      /* outputs behind the first that have keys and values again */
};

/* The shapes of a node; false and a message where they do not fit. */
bool attention_read(struct onnx_work *work, struct attention *attention);

#endif
