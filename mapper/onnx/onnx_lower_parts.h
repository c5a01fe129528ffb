/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_ONNX_LOWER_PARTS_H
#define MAPPER_ONNX_LOWER_PARTS_H
/*
 * Inside the translation of ONNX graphs. A *root* is a value that some layer
 * computes. A value that is computed number by number from one root alone is a
 * *function* of it. On 8-bit numbers any function is one table look-up, however
 * long its chain of nodes, so the layer's activation can do it. Where it cannot
 * (other nodes want the raw result, too, or no layer computes the root), the
 * function gets a layer of its own.
 */
#include "mapper/onnx/onnx_lower.h"
#include "mapper/onnx/onnx_table.h"

/* How a value follows from its root. */
enum onnx_function {
	FUNCTION_NONE,    /* it is the root's numbers */
	FUNCTION_RECTIFY, /* but for those below 0 */
	FUNCTION_AFFINE,  /* scaled and shifted by constants: weights and biases can do it */
	FUNCTION_ANY
};

/* What is known of a value. */
struct onnx_place {
	uint32_t root;
	uint32_t rep;    /* the first value with the same numbers, in whatever shape */
	uint32_t layout; /* values of one layout have their numbers in one order */
	enum onnx_function function;
	uint32_t n_exit;       /* of a root: different functions of it that other nodes want */
	uint32_t draft;        /* of a rep: where its numbers are; NO_DRAFT: not yet, or nowhere */
	uint32_t first_reader; /* 1 + node; 0: none */
	bool is_exit;          /* of a rep: other nodes want it */
	bool is_carried;       /* of a root: a function of it has a layer of its own */
	bool is_positive;      /* no number is below 0 */
};

#define NO_DRAFT UINT32_MAX

/* A node that is part of a row's work, softmax or normalisation written in parts: one layer at its last node. */
struct onnx_rows_work {
	bool is_part;
	uint32_t last;             /* node */
	uint32_t source;           /* value whose rows they are */
	enum arm_kind kind;        /* ARM_SOFTMAX, ARM_NORM */
	bool along[ONNX_MAX_RANK]; /* dimensions along which rows lie */
};

/* A layer that may still change: draft 0 is the network's input. */
struct onnx_draft {
	struct layer layer;   /* its sources are those below, until the end */
	const uint32_t *from; /* [layer.n_from] drafts */
	uint32_t shortcut, filters;
	bool is_vector;
	uint32_t w, h, c; /* its result; a vector: w numbers */
	uint32_t n_reader;
	bool is_gone; /* part of another draft */
	bool is_arm;  /* the ARM cores' own work */
	bool is_positive;
	uint32_t node;          /* of the graph */
	uint32_t shortcut_node; /* the same of its shortcut's convolution, where it has one */
	uint32_t number;        /* of its layer, at the end */
};

struct onnx_lowering {
	struct onnx_graph *graph;
	struct onnx_plan *plan;
	struct onnx_place *place;    /* [n_value] */
	struct onnx_rows_work *rows; /* [n_node] */
	struct onnx_draft *draft;    /* [n_draft] */
	size_t n_draft, max_draft;   /* equal: there were too many */
	uint32_t node;               /* the one that is being translated */
	bool no_memory;
	struct arena arena; /* scratch */
};

/* Width, height and channels. */
struct onnx_map {
	int64_t w, h, c;
};

/* onnx_lower_region.c: roots, functions and exits of all values. */
void onnx_region_find(struct onnx_lowering *lowering);

/*
 * onnx_lower_norm.c: which nodes are a row's work in parts (after roots are known, before exits are); and its layer, at
 * the last of them.
 */
void onnx_norm_find(struct onnx_lowering *lowering);
onnx_lower_fn onnx_lower_norm;

/*
 * onnx_lower_arm.c: work on rows along dimensions of a shape; is_shape: its layer has the shape's map, else that of
 * rows of a matrix, of which several may lie side by side. No side is whole where rows are too long for a PE.
 */
struct onnx_arm onnx_rows(enum arm_kind kind, const struct onnx_shape *shape, const bool along[ONNX_MAX_RANK],
                          bool is_shape);

/* onnx_lower_draft.c. Whether a map is one that layers can have. */
bool onnx_map_fits(struct onnx_map map);

/*
 * The map of a shape: channels first where it has four dimensions, those of all images of a batch one after another;
 * last where it has others.
 */
struct onnx_map onnx_map_of(const struct onnx_shape *shape);

/* Whether there is room for another draft; when there is none, the translation ends with an error. */
bool onnx_draft_room(struct onnx_lowering *lowering);

/* A new draft of the node at work; its result and kind are the caller's to fill in. NULL when memory is out. */
struct onnx_draft *onnx_draft_new(struct onnx_lowering *lowering, enum layer_kind kind, size_t n_from,
                                  const uint32_t *from);
uint32_t onnx_draft_index(const struct onnx_lowering *lowering, const struct onnx_draft *draft);

/* The shape of a draft's result; it fits. */
void onnx_draft_set_map(struct onnx_draft *draft, struct onnx_map map);

/* Numbers of a draft's result. */
int64_t onnx_draft_size(const struct onnx_draft *draft);

/* A convolution of 1x1 over what lies in a draft, into so many channels; NULL where there can be none. */
struct onnx_draft *onnx_draft_convolve(struct onnx_lowering *lowering, uint32_t source, int64_t channel);

/* The weights of a draft are the result of an earlier one. */
void onnx_draft_set_filters(struct onnx_lowering *lowering, struct onnx_draft *draft, uint32_t filters);

/* The draft that holds a value's numbers, made if need be; NO_DRAFT where there can be none. */
uint32_t onnx_draft_get(struct onnx_lowering *lowering, uint32_t value);

/* The same as a map of this shape, by a view if need be; is_loose: pixels may stand in any number of rows. */
uint32_t onnx_draft_need(struct onnx_lowering *lowering, uint32_t value, struct onnx_map map, bool is_loose);

/* A view of several drafts. */
uint32_t onnx_draft_view(struct onnx_lowering *lowering, size_t n, const uint32_t *from, struct onnx_map map);

/*
 * Work of the ARM cores over a map that is made of drafts; whole: WHOLE_* bits. Two drafts of which the second goes
 * with the first, number by number or by channels, are its operands; else all are read as one map. ARM_POOL: of single
 * numbers.
 */
struct onnx_arm {
	enum arm_kind kind;
	uint32_t whole;
	uint32_t row_c; /* channels of a row, where the map's are several rows'; 0: all */
};
uint32_t onnx_draft_arm(struct onnx_lowering *lowering, struct onnx_arm arm, size_t n, const uint32_t *from,
                        struct onnx_map map);

/* Where output i of the node at work is. */
void onnx_lower_put(struct onnx_lowering *lowering, const struct onnx_work *work, size_t i, uint32_t draft);

/* The same of output 0; the status, or ONNX_UNSUPPORTED where there is no draft. */
enum onnx_status onnx_lower_done(struct onnx_lowering *lowering, const struct onnx_work *work, uint32_t draft,
                                 enum onnx_status status);

/*
 * onnx_lower_move.c: whether a Pad becomes the padding of the one convolution that reads it; and what it puts before
 * each axis.
 */
bool onnx_pad_is_window(const struct onnx_lowering *lowering, const struct onnx_node *node);
void onnx_pad_before(const struct onnx_graph *graph, const struct onnx_node *node, int64_t before[ONNX_MAX_RANK]);

/* Drafts of all inputs that are computed, each once; *n of them. NULL when one has none. */
const uint32_t *onnx_lower_inputs(struct onnx_lowering *lowering, const struct onnx_work *work, size_t *n);

#endif
