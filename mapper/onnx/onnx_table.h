/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_TABLE_H
#define MAPPER_ONNX_TABLE_H
/*
 * The table of ONNX operators, a row each in onnx_table.c, and the functions that its rows name, by the file that has
 * them: shapes (infer), multiply-accumulates (count), layers (lower), contents (fold). A new operator is a row.
 */
#include "mapper/onnx/onnx_op.h"

/* The row of an operator of a node; NULL when it is not known. */
const struct onnx_op *onnx_op_find(const struct onnx_node *node);

/* onnx_window.c: */
bool onnx_infer_conv(struct onnx_work *work);
bool onnx_infer_conv_transpose(struct onnx_work *work);
bool onnx_infer_pool(struct onnx_work *work);
bool onnx_infer_global_pool(struct onnx_work *work);
uint64_t onnx_count_conv(const struct onnx_work *work);
uint64_t onnx_count_conv_transpose(const struct onnx_work *work);

/* onnx_matrix.c: */
bool onnx_infer_gemm(struct onnx_work *work);
bool onnx_infer_matmul(struct onnx_work *work);
uint64_t onnx_count_gemm(const struct onnx_work *work);
uint64_t onnx_count_matmul(const struct onnx_work *work);

/* onnx_shape.c: */
bool onnx_infer_same(struct onnx_work *work);
bool onnx_infer_broadcast(struct onnx_work *work);
bool onnx_infer_quantise(struct onnx_work *work);
bool onnx_infer_reshape(struct onnx_work *work);
bool onnx_infer_flatten(struct onnx_work *work);
bool onnx_infer_squeeze(struct onnx_work *work);
bool onnx_infer_unsqueeze(struct onnx_work *work);
bool onnx_infer_transpose(struct onnx_work *work);
bool onnx_infer_concat(struct onnx_work *work);
bool onnx_infer_split(struct onnx_work *work);
bool onnx_infer_reduce(struct onnx_work *work);
bool onnx_infer_arg(struct onnx_work *work);
/* Whether a reduction is one over both sides of a map. */
bool onnx_reduces_pixels(struct onnx_work *work);
bool onnx_infer_space_to_depth(struct onnx_work *work);
bool onnx_infer_depth_to_space(struct onnx_work *work);

/* onnx_select.c: */
bool onnx_infer_slice(struct onnx_work *work);
bool onnx_infer_gather(struct onnx_work *work);
bool onnx_infer_pad(struct onnx_work *work);
bool onnx_infer_resize(struct onnx_work *work);
bool onnx_infer_expand(struct onnx_work *work);
bool onnx_infer_tile(struct onnx_work *work);
bool onnx_infer_shape(struct onnx_work *work);
bool onnx_infer_size(struct onnx_work *work);
bool onnx_infer_constant(struct onnx_work *work);
bool onnx_infer_constant_of_shape(struct onnx_work *work);
bool onnx_infer_range(struct onnx_work *work);

/* onnx_lower_conv.c: */
onnx_lower_fn onnx_lower_conv, onnx_lower_conv_transpose, onnx_lower_pool, onnx_lower_global_pool;

/* onnx_lower_matmul.c: */
onnx_lower_fn onnx_lower_gemm, onnx_lower_matmul;

/* onnx_lower_move.c: */
onnx_lower_fn onnx_lower_concat, onnx_lower_split, onnx_lower_slice, onnx_lower_pad, onnx_lower_resize, onnx_lower_view;

/* onnx_lower_arm.c: */
onnx_lower_fn onnx_lower_add, onnx_lower_combine, onnx_lower_rows, onnx_lower_reduce, onnx_lower_quantise;

/* onnx_fold.c: */
bool onnx_fold_copy(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_each(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_pairs(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_where(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_shape(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_concat(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_slice(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_gather(const struct onnx_work *work, double *out, size_t n);
/* The attribute that a Constant's shape and content come from: its tensor, else its list, else its number. NULL: none.
 */
const struct onnx_attribute *onnx_constant_value(const struct onnx_work *work);
bool onnx_fold_constant(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_constant_of_shape(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_range(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_size(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_product(const struct onnx_work *work, double *out, size_t n);

#endif
