/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_EINSUM_H
#define MAPPER_ONNX_EINSUM_H
/* The equation of an Einsum of one or two operands: a letter for each dimension. */
#include "mapper/onnx/onnx_op.h"

#define EINSUM_MAX_LABEL 64

struct einsum {
	size_t n_in, n_label;
	/* [n_label] each once: how often the operands and the result have it, and its extent */
	struct einsum_label {
		char letter;
		uint8_t n_of[2], n_out;
		int64_t dim, of[2];
	} label[EINSUM_MAX_LABEL];
	size_t n_out;
	char out[ONNX_MAX_RANK]; /* letters of the result; those of '...' are digits */
};

/* False and a message where it cannot be read or does not fit its operands; more than two operands are n_in alone. */
bool einsum_read(struct onnx_work *work, struct einsum *einsum);

/* A product of matrices, many side by side: what they share, rows, columns, and what is summed. */
struct einsum_product {
	int64_t n, m, n_column, k;
};

/* Why it is none; NULL: it is one. */
const char *einsum_product(const struct einsum *einsum, struct einsum_product *product);

#endif
