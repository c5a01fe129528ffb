/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_QUANTISE_H
#define MAPPER_QUANTISE_H
/*
 * Networks in 8-bit whole numbers, as a multi-layer schedule runs them: weights and numbers between layers are int8,
 * biases and sums 32 bit, scales powers of two (Jobst et al., "An End-to-End DNN Inference Framework for the SpiNNaker2
 * Neuromorphic MPSoC", section IV.A). A number q with f fraction bits stands for q / 2^f; zero is zero.
 *
 *   float weights (generated, or of a model) + inputs -> quantise_calibrate -> weights, biases, shifts of each block
 *                                                          -> DRAM image (mapper/octopus/octopus_fill.h)
 *                                                          -> quantise_run: the reference, block by block
 *
 * Maps are planes of rows, [c][h][w], vectors [h][w] (h rows), as they lie in the DRAM of a schedule.
 *
 * What takes long hears a wish to stop (sim/base/stop.h), of the whole process: ERR_INTERRUPTED, or false.
 */
#include "mapper/network/network.h"

/* A block's constants; n_filter 0: it has none. */
struct quantise_block {
	uint32_t n_filter;    /* filters; columns of a matrix multiplication */
	uint64_t n_tap;       /* numbers of a filter: [channel of its group][row][column]; rows of B */
	const int8_t *weight; /* [n_filter][n_tap] */
	const int32_t *bias;  /* [n_filter] of the sum's fraction bits; half of what the shift cuts off is in it */
	uint32_t shift;       /* of the sum, to the right, 0 to 31; softmax: fraction bits of its input */
	int32_t added_shift;  /* of what is added to the sum, to the left; negative: to the right; -31 to 31 */
	int32_t fraction;     /* bits of the result */
	int32_t weight_fraction;
};

/* Points at the network, which outlives it. Free with quantise_free. */
struct quantise_network {
	const struct network *network;
	int32_t in_fraction;          /* bits of the input */
	struct quantise_block *block; /* [network->n_block] */
	struct arena arena;
};

#define QUANTISE_MEASURE INT32_MIN

/* The same in floating point. Free with quantise_float_free. */
struct quantise_float_block {
	uint32_t n_filter;
	uint64_t n_tap;
	const float *weight, *bias; /* [n_filter][n_tap], [n_filter] */
};
struct quantise_float {
	const struct network *network;
	struct quantise_float_block *block; /* [network->n_block] */
	int32_t *fraction; /* [1 + n_block] of the input and of each block's result as the model says, or
	                      QUANTISE_MEASURE; NULL: all measured */
	struct arena arena;
};

/*
 * Whether there is integer arithmetic for all of a network's blocks: one input, one image, convolutions, matrix
 * multiplications, pooling and softmax that read results as they are or one behind the other. ERR_INPUT, naming each
 * block for which there is none.
 */
enum err_code quantise_check(const struct network *network, struct err *err);

/* Numbers of the network's input, and of a block's result. */
size_t quantise_n_input(const struct network *network);
size_t quantise_n_result(const struct block *block);

/* Float weights by chance, uniform, such that magnitudes stay alike from layer to layer; biases up to 0.1. ERR_INTERNAL
 * without memory, ERR_INTERRUPTED. */
enum err_code quantise_generate(const struct network *network, uint64_t seed, struct quantise_float *model,
                                struct err *err);
void quantise_float_free(struct quantise_float *model);

/* n inputs by chance, uniform in [-1, 1): input [n][quantise_n_input]. */
void quantise_generate_inputs(const struct network *network, uint64_t seed, size_t n, float *input);

/*
 * Run a model on one input [quantise_n_input]; result[b] [quantise_n_result] (quantise_make_results). peak
 * [1 + n_block], NULL: not wanted; the largest magnitude of the input and of each block's numbers before pooling,
 * raised where this input's is larger. false: no memory, or a wish to stop.
 */
bool quantise_run_float(const struct quantise_float *model, const float *input, float *const *result, float *peak);

/*
 * Post-training quantisation on n >= 1 inputs [n][quantise_n_input]: where the model gives none, each tensor's fraction
 * bits are those of the least squared error on them among the three that hold its peak, half, or a quarter of it; so
 * are each block's weights'. Symmetric: -127 to 127 of weights. ERR_INPUT where results that follow each other in one
 * input have different fraction bits or a shift is out of range; ERR_INTERNAL; ERR_INTERRUPTED;
 * *quant is empty then.
 */
enum err_code quantise_calibrate(const struct quantise_float *model, const float *input, size_t n,
                                 struct quantise_network *quant, struct err *err);
void quantise_free(struct quantise_network *quant);

/* Quantised input numbers. */
void quantise_input(const struct quantise_network *quant, const float *input, int8_t *out);

/* Memory for the results of all blocks, in arena; byte: of a number. NULL without memory. */
void **quantise_make_results(const struct network *network, size_t byte, struct arena *arena);

/*
 * The reference: run one input [quantise_n_input] directly, without tiles; result[b] [quantise_n_result]. Sums are
 * modulo 2^32. false: no memory.
 */
bool quantise_run(const struct quantise_network *quant, const int8_t *input, int8_t *const *result);

/*
 * The first n_quantised blocks in whole numbers, whose results quantised[b] quantise_run has made of the input, the
 * others in floating point on those: what each layer's quantisation costs. false: no memory,
 * or a wish to stop.
 */
bool quantise_run_mixed(const struct quantise_float *model, const struct quantise_network *quant, size_t n_quantised,
                        int8_t *const *quantised, const float *input, float *const *result);

#endif
