/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_LOOP_NEST_H
#define MAPPER_LOOP_NEST_H
/*
 * Layers that other tools describe as loop nests: dimensions with sizes, and by which of them each operand is indexed. An
 * index may be a sum of two, output pixel times stride plus filter tap times dilation. What a dimension is follows from the
 * operands that have it, whatever it is called:
 *
 *   output and input: images, or rows of a matrix; in a sum of the input's: pixels
 *   output and weights: filters, or columns
 *   input and weights: channels; in a sum: taps of the filter
 *   all three: groups
 */
#include "mapper/network/parser.h"

#define LOOP_MAX_DIM 16u
#define LOOP_MAX_INDEX 16u

struct loop_dim {
	const char *name;
	uint64_t size; /* 1.. */
	struct err_place place;
};

/* One index of an operand: the sum of one or two dimensions, times a coefficient. */
struct loop_index {
	unsigned n;
	unsigned dim[2];
	uint64_t coefficient[2]; /* 1.. */
};

struct loop_operand {
	unsigned n;
	struct loop_index index[LOOP_MAX_INDEX];
};

struct loop_nest {
	struct err_place place;
	unsigned n_dim;
	struct loop_dim dim[LOOP_MAX_DIM];
	struct loop_operand output, input, weights;
	uint32_t padding[2][2]; /* [side][before, behind] pixels, in the order of the input's sums */
	bool height_first;      /* of these the first is the height */
};

/* Index of a dimension by name, letters in capitals or not; n_dim: there is none. */
unsigned loop_nest_find(const struct loop_nest *nest, const char *name, size_t n_byte);

/* What reports call a network whose file does not say: the file's name without its ending. */
void loop_nest_name(const char *path, char name[NETWORK_NAME_SIZE]);

/*
 * The layer: a convolution, or a matrix product without one's sums, with an input of its own, as results of other layers
 * are not told apart; *batch: images, or rows. ERR_INPUT through err where dse has no such layer; false then.
 */
bool loop_nest_layer(const struct loop_nest *nest, struct layer *layer, uint32_t *batch, struct err *err);

#endif
