/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_OP_H
#define MAPPER_ONNX_OP_H
/*
 * ONNX operators: what is known of each (struct onnx_op), and what the functions of their rows share. The rows
 * themselves are in onnx_table.c.
 */
#include "mapper/network/arm_kind.h"
#include "mapper/onnx/onnx_graph.h"
#include "mapper/onnx/onnx_verdict.h"

/* The node whose result is worked out. */
struct onnx_work {
	struct onnx_graph *graph;
	const struct onnx_node *node;
	const struct onnx_op *op;
	struct err *err;
};

/* The shapes of all outputs. False after a message. */
typedef bool onnx_infer_fn(struct onnx_work *work);

/* The content of the output (all n elements), from contents of the inputs; false where it is not known. */
typedef bool onnx_fold_fn(const struct onnx_work *work, double *out, size_t n);

/* Multiply-accumulates of a node whose shapes are known. */
typedef uint64_t onnx_count_fn(const struct onnx_work *work);

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
	onnx_infer_fn *infer;
	onnx_fold_fn *fold;   /* NULL: never known */
	onnx_count_fn *count; /* NULL: none */
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

#endif
