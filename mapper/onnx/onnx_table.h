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
onnx_infer_fn onnx_infer_conv, onnx_infer_conv_transpose, onnx_infer_pool, onnx_infer_global_pool;
onnx_count_fn onnx_count_conv, onnx_count_conv_transpose;

/* onnx_matrix.c: */
onnx_infer_fn onnx_infer_gemm, onnx_infer_matmul;
onnx_count_fn onnx_count_gemm, onnx_count_matmul;

/* onnx_einsum.c, onnx_attention.c: */
onnx_infer_fn onnx_infer_einsum, onnx_infer_attention;
onnx_count_fn onnx_count_einsum, onnx_count_attention;

/* onnx_shape.c: */
onnx_infer_fn onnx_infer_same, onnx_infer_broadcast, onnx_infer_quantise, onnx_infer_reshape, onnx_infer_flatten,
    onnx_infer_squeeze, onnx_infer_unsqueeze, onnx_infer_transpose, onnx_infer_concat, onnx_infer_split,
    onnx_infer_reduce, onnx_infer_skip_norm, onnx_infer_arg, onnx_infer_space_to_depth, onnx_infer_depth_to_space;
/* Whether a reduction is one over both sides of a map. */
bool onnx_reduces_pixels(struct onnx_work *work);

/* onnx_select.c: */
onnx_infer_fn onnx_infer_slice, onnx_infer_gather, onnx_infer_pad, onnx_infer_resize, onnx_infer_expand,
    onnx_infer_tile, onnx_infer_shape, onnx_infer_size, onnx_infer_constant, onnx_infer_constant_of_shape,
    onnx_infer_range;
/* The attribute that a Constant's shape and content come from: its tensor, else its list, else its number. NULL: none.
 */
const struct onnx_attribute *onnx_constant_value(const struct onnx_work *work);

/* onnx_lower_conv.c: */
onnx_lower_fn onnx_lower_conv, onnx_lower_conv_transpose, onnx_lower_pool, onnx_lower_global_pool;

/* onnx_lower_matmul.c: */
onnx_lower_fn onnx_lower_gemm, onnx_lower_matmul, onnx_lower_einsum;

/* onnx_lower_attention.c: */
onnx_lower_fn onnx_lower_attention;

/* onnx_lower_move.c: */
onnx_lower_fn onnx_lower_concat, onnx_lower_split, onnx_lower_slice, onnx_lower_pad, onnx_lower_resize, onnx_lower_view;

/* onnx_lower_arm.c: */
onnx_lower_fn onnx_lower_add, onnx_lower_combine, onnx_lower_rows, onnx_lower_skip_norm, onnx_lower_reduce,
    onnx_lower_quantise;

/* onnx_fold.c: */
onnx_fold_fn onnx_fold_copy, onnx_fold_each, onnx_fold_pairs, onnx_fold_where, onnx_fold_shape, onnx_fold_concat,
    onnx_fold_slice, onnx_fold_gather, onnx_fold_constant, onnx_fold_constant_of_shape, onnx_fold_range, onnx_fold_size,
    onnx_fold_product;

#endif
