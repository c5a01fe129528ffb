/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SYSTOLIC_H
#define SIM_SYSTOLIC_H
/*
 * Systolic arrays, output stationary: each processing element keeps one output
 * word. Array rows take output pixels, columns filters; a fold is one filling
 * of the array. Dimensions and clocks follow SCALE-Sim's conventions, so that
 * figures compare with published ones.
 */
#include "sim/base/checked.h"
#include <stdbool.h>
#include <stdint.h>

/* Sizes in bytes are words as well: a word has 8 bits. */
struct systolic_array {
	uint32_t rows, cols;
	uint64_t ifmap_byte, filter_byte, ofmap_byte; /* both halves of each double buffer */
	uint32_t bandwidth_word;                      /* words a clock of the memory interface; 0: as many as needed */
};

/* A convolution without padding (the ifmap contains it). A product of M x K and K x N: {M, 1, 1, 1, K, N, 1}. */
struct systolic_layer {
	uint32_t ifmap_h, ifmap_w, filter_h, filter_w, channels, n_filter, stride;
};

/* How a layer lies on the array. */
struct systolic_folds {
	uint64_t ofmap_h, ofmap_w;
	uint64_t n_pixel, n_filter; /* outputs across rows, across columns */
	uint64_t n_tap;             /* products of an output */
	uint64_t n_row_fold, n_col_fold;
	uint64_t fold_clk; /* of one fold, its last output drained */
};

/* Of one layer; clocks of the array. Utilisations are fractions of 1. */
struct systolic_result {
	uint64_t total_clk, stall_clk;
	double overall_util, mapping_eff, compute_util;
	uint64_t sram_ifmap_read_word, sram_filter_read_word, sram_ofmap_write_word; /* by the array */
	uint64_t sram_ofmap_read_word; /* partial sums that the array goes on with */
	uint64_t dram_ifmap_read_word, dram_filter_read_word, dram_ofmap_write_word;
};

/*
 * Whether the numbers fit: every dimension at least 1, filters no larger than
 * the ifmap, and products small enough that clocks and words are exact.
 */
bool systolic_layer_is_valid(const struct systolic_layer *layer);

/* The folds of a valid layer on an array. */
struct systolic_folds systolic_fold(const struct systolic_array *array, const struct systolic_layer *layer);

/* Sum over the outputs along one dimension of the filter's lines inside the ifmap; the last output may lie outside. */
uint64_t systolic_lines_inside(uint32_t ifmap, uint32_t filter, uint32_t stride, uint64_t n_output);

/* Words of the ifmap that a whole layer touches at least once. */
uint64_t systolic_ifmap_word(const struct systolic_layer *layer, const struct systolic_folds *folds);

/*
 * What does not depend on the memory: clocks without stalls, utilisations, SRAM
 * accesses. DRAM words and stalls become 0. SCALE-Sim reports one clock less
 * than its folds take.
 */
void systolic_run_array(const struct systolic_array *array, const struct systolic_folds *folds,
                        struct systolic_result *result);

/* Add stalls to a result: the total and the overall utilisation follow. */
void systolic_add_stall(const struct systolic_array *array, const struct systolic_folds *folds, uint64_t stall_clk,
                        struct systolic_result *result);

#endif
