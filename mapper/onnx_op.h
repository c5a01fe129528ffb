/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_OP_H
#define MAPPER_ONNX_OP_H
/*
 * ONNX operators, one row each: how the shape of a result follows, what its
 * content is where it is part of a shape, how many multiply-accumulates it has,
 * and what layers become of it. A new operator is a row of onnx_op.c.
 */
#include "mapper/onnx_lower.h"

/* The node whose result is worked out. */
struct onnx_work {
	struct onnx_graph *graph;
	const struct onnx_node *node;
	const struct onnx_op *op;
	struct err *err;
};

struct onnx_lowering;

/*
 * What becomes of a node: layers, which the function adds to the plan, and a status; with ONNX_UNSUPPORTED *why says
 * the reason and what to do.
 */
typedef enum onnx_status onnx_lower_fn(struct onnx_lowering *lowering, struct onnx_work *work, const char **why);

/* How the numbers of the result follow from those of the one input that is computed. */
enum onnx_trait {
	TRAIT_NONE,     /* otherwise */
	TRAIT_SAME,     /* the same numbers in the same order */
	TRAIT_QUANTISE, /* the same numbers by another scale */
	TRAIT_MOVED,    /* the same numbers in another order */
	TRAIT_RECTIFY,  /* each from its own, those below 0 cut off */
	TRAIT_AFFINE, /* each from its own, scaled or shifted, where the other inputs are constant; else any function */
	TRAIT_FUNCTION /* each from its own */
};

/* What can be said of the signs of the result. */
enum onnx_sign { SIGN_ANY, SIGN_KEPT /* none below 0 if none was */, SIGN_POSITIVE /* none below 0 */ };

/* Along which dimensions the rows lie that an operator looks at whole. */
enum onnx_rows {
	ROWS_AXIS,   /* the attribute axis, else the last */
	ROWS_BEHIND, /* axis and those behind it */
	ROWS_SECOND, /* the channels */
	ROWS_PIXELS, /* all behind the channels */
	ROWS_IMAGE   /* all behind the batch */
};

/* Where an operator has its weights and bias. */
struct onnx_operand {
	uint8_t weight, bias;
};

struct onnx_op {
	const char *name;
	size_t n_in; /* inputs it has at least; all given inputs have shapes when infer is called */
	/* The shapes of all outputs. False after a message. */
	bool (*infer)(struct onnx_work *work);
	/* The content of the output (all n elements), from contents of the inputs; false where it is not known. NULL:
	 * never. */
	bool (*fold)(const struct onnx_work *work, double *out, size_t n);
	/* Multiply-accumulates of a node whose shapes are known. NULL: none. */
	uint64_t (*count)(const struct onnx_work *work);
	struct onnx_operand operand;
	bool is_average; /* pooling and reductions: the mean; else another function */
	enum onnx_trait trait;
	enum onnx_sign sign;
	enum arm_kind
	    arm; /* what the ARM cores do where the node has a layer of its own; 0: a function of each number */
	enum onnx_rows rows; /* with lower onnx_lower_rows */
	/* What becomes of a node that is no function of its input; NULL: never known. */
	onnx_lower_fn *lower;
	/* For rows that share functions: what they compute of a pair of numbers (fold_pairs) or of one (fold_each). */
	double (*number)(double a, double b);
};

/* The row of an operator of a node; NULL when it is not known. */
const struct onnx_op *onnx_op_find(const struct onnx_node *node);

/* Input i, which is there. */
const struct onnx_value *onnx_op_in(const struct onnx_work *work, size_t i);

/* Set the shape of output i, where the node has it. False and a message when it is too large. */
bool onnx_op_set(struct onnx_work *work, size_t i, const struct onnx_shape *shape, enum onnx_type type);

/* A list of numbers: input i, else the attribute. *n is 0 when there is neither; false when it is not known. */
bool onnx_op_list(struct onnx_work *work, size_t i, const char *name, const double **list, size_t *n);

/* A whole number as its text in a list stands for it; far ones are cut to 2^60. */
int64_t onnx_op_whole(double number);

/* Axis below 0 counts from the end; false and a message outside [0, rank). */
bool onnx_op_axis(struct onnx_work *work, int64_t axis, size_t rank, size_t *out);

/* The shape that two broadcast to, as NumPy does; false when they do not fit. */
bool onnx_op_broadcast(const struct onnx_shape *a, const struct onnx_shape *b, struct onnx_shape *out);

/* A complaint about the node; false. */
bool onnx_op_fail(struct onnx_work *work, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Rows' functions by file. onnx_window.c: */
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
bool onnx_fold_constant(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_constant_of_shape(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_range(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_size(const struct onnx_work *work, double *out, size_t n);
bool onnx_fold_product(const struct onnx_work *work, double *out, size_t n);

#endif
