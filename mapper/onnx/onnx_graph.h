/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_GRAPH_H
#define MAPPER_ONNX_GRAPH_H
/*
 * An ONNX model as plain data: values, each with one producer, and nodes in
 * order of execution. onnx_read.c fills it from a file, onnx_infer.c adds the
 * shapes, onnx_lower.c makes layers of it. Weights are kept only where they are
 * asked for: else of a tensor only its shape counts, and what it contains where it
 * may be part of a shape.
 */
#include "sim/base/arena.h"
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits; beyond them a file is refused. The longest published networks have some 10 000 nodes. */
#define ONNX_MAX_RANK 8
#define ONNX_MAX_NODE 100000u
#define ONNX_MAX_VALUE 1000000u
#define ONNX_MAX_DIM (INT64_C(1) << 31)
#define ONNX_MAX_ELEMENT (INT64_C(1) << 50)
/* Tensors of at most so many elements keep their contents: shapes, axes, scales. */
#define ONNX_MAX_CONTENT 4096u
/* The same where weights are wanted (onnx_import_whole). */
#define ONNX_MAX_WEIGHT (1u << 28)

/* Element types that shape arithmetic tells apart. */
enum onnx_type { ONNX_REAL, ONNX_INTEGER };

struct onnx_shape {
	size_t n;
	int64_t dim[ONNX_MAX_RANK]; /* 0 to ONNX_MAX_DIM, the product of all at most ONNX_MAX_ELEMENT */
};

/* A dimension of the model's input that its file leaves open. */
struct onnx_open_dim {
	const char *name; /* of the file, or INPUT.AXIS where it has none */
	uint32_t value;   /* whose dimension it is */
	uint32_t axis;
};

/* A tensor: of the file (initializer), of the caller (input), or computed by a node. Value 0 is the absent input. */
struct onnx_value {
	const char *name;
	bool has_shape;
	bool is_constant; /* an initializer, or computed from nothing else */
	bool is_input;    /* of the model */
	bool is_output;   /* of the model */
	bool has_hint;    /* the file itself says what the shape is, all of it */
	enum onnx_type type;
	struct onnx_shape shape, hint;
	const double *content; /* [elements of shape], or NULL where it is not known */
	uint32_t producer;     /* 1 + node; 0: none */
	uint32_t n_reader;     /* nodes that read it, and 1 for a model's output */
};

struct onnx_attribute {
	const char *name;
	bool has_integer, has_real;
	int64_t integer;
	double real;
	const char *text; /* NULL: none */
	size_t n_list;    /* of integers or reals */
	const double *list;
	uint32_t tensor; /* the constant's value; 0: none */
};

struct onnx_node {
	const char *name; /* its own, or that of its first output; never empty */
	const char *op;
	const char *domain; /* "" for ONNX's own operators */
	size_t n_in, n_out;
	const uint32_t *in, *out; /* values */
	size_t n_attribute;
	const struct onnx_attribute *attribute;
};

struct onnx_graph {
	const char *path; /* the file, for messages */
	const char *name; /* the graph's own; may be "" */
	bool has_weights; /* contents of tensors are kept up to ONNX_MAX_WEIGHT */
	size_t n_value, n_node, n_open;
	struct onnx_value *value; /* [n_value] */
	struct onnx_node *node;   /* [n_node] */
	struct onnx_open_dim *open;
	struct arena arena; /* owns all of it */
};

void onnx_graph_free(struct onnx_graph *graph);

/* Elements of a shape. */
int64_t onnx_n_element(const struct onnx_shape *shape);

/* An attribute by name; NULL when the node has none of it. */
const struct onnx_attribute *onnx_find(const struct onnx_node *node, const char *name);

/* The same as a value, with what ONNX says where it is absent or of another kind. */
int64_t onnx_integer(const struct onnx_node *node, const char *name, int64_t absent);
const char *onnx_text(const struct onnx_node *node, const char *name, const char *absent);

/* Input i of a node, or NULL where it is absent. */
const struct onnx_value *onnx_input(const struct onnx_graph *graph, const struct onnx_node *node, size_t i);

/* `path: node 17 'conv1' (Conv): ` and the message; the code given. */
enum err_code onnx_complain(const struct onnx_graph *graph, const struct onnx_node *node, enum err_code code,
                            struct err *err, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* "1x64x56x56", "scalar". */
struct onnx_shape_text {
	char text[ONNX_MAX_RANK * 12];
};
struct onnx_shape_text onnx_shape_text(const struct onnx_shape *shape);

#endif
