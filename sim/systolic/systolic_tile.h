/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SYSTOLIC_TILE_H
#define SIM_SYSTOLIC_TILE_H
/*
 * Tiles of a systolic array's work: the ifmap lines that they need, and their clocks as a product of what a tile's
 * pixels, its filters and its input channels contribute.
 */
#include "sim/machine/machine.h"
#include "sim/systolic/systolic_work.h"
#include "sim/base/checked.h"

/* Ifmap lines that some of n adjacent outputs cover, none of them past the ifmap; filters may not meet. */
static inline uint64_t systolic_lines(uint64_t n, uint32_t kernel, uint32_t stride)
{
	return stride >= kernel ? n * kernel : (n - 1) * stride + kernel;
}

/* Of those the ones that the tile before does not have. */
static inline uint64_t systolic_new_lines(uint64_t n, uint32_t kernel, uint32_t stride)
{
	return n * (stride >= kernel ? kernel : stride);
}

/* Lines of the last output that lie past the ifmap. */
static inline uint64_t systolic_lines_past(uint64_t n_output, uint32_t kernel, uint32_t stride, uint32_t in)
{
	uint64_t end = (n_output - 1) * stride + kernel, past = end > in ? end - in : 0;
	return past < kernel ? past : kernel;
}

/* Of the first tile along a dimension, than which none is larger: it only reaches past the ifmap if it is alone. */
static inline uint64_t systolic_first_lines(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride,
                                            uint32_t in)
{
	uint64_t lines = systolic_lines(dim->size_a, kernel, stride);
	return systolic_dim_n(dim) > 1 ? lines : lines - systolic_lines_past(dim->size_a, kernel, stride, in);
}

/*
 * Clocks of a tile: folds times the clocks of one (T, R, C: taps, rows, columns). Output stationary, as
 * SCALE-Sim 2.0.2: rows take pixels, columns filters, and a fold streams all taps and drains, T + R + C - 2. Weight
 * stationary: rows hold taps, columns filters, and a fold loads R rows of weights, then streams the pixels and drains,
 * R + pixels + R + C - 2, the time of SCALE-Sim's paper (ISPASS 2020); partial sums of several folds meet in the ofmap
 * buffer. Input stationary: the same with pixels and filters exchanged. Folds at the edge take as long as full ones.
 */
static inline uint64_t systolic_pixel_factor(const struct machine *machine, enum systolic_dataflow flow, uint64_t n)
{
	uint64_t rows = machine->systolic.rows, cols = machine->systolic.cols;
	return flow == SYSTOLIC_OS   ? ceil_div(n, rows)
	       : flow == SYSTOLIC_WS ? n + 2 * rows + cols - 2
	                             : ceil_div(n, cols);
}

static inline uint64_t systolic_filter_factor(const struct machine *machine, enum systolic_dataflow flow, uint64_t n)
{
	uint64_t rows = machine->systolic.rows, cols = machine->systolic.cols;
	return flow == SYSTOLIC_IS ? n + 2 * rows + cols - 2 : ceil_div(n, cols);
}

static inline uint64_t systolic_tap_factor(const struct machine *machine, enum systolic_dataflow flow, uint64_t n)
{
	uint64_t rows = machine->systolic.rows, cols = machine->systolic.cols;
	return flow == SYSTOLIC_OS ? n + rows + cols - 2 : ceil_div(n, rows);
}

/* Lines of ifmap that the tiles along a dimension load, each for itself; and the different ones among them. */
uint64_t systolic_sum_lines(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in);
uint64_t systolic_unique_lines(const struct systolic_dim *dim, uint32_t kernel, uint32_t stride, uint32_t in);

/* Sums of the factors of a tile's clocks, over all tiles of one group. */
struct systolic_factor_sums {
	uint64_t pixel, filter, tap;
};
struct systolic_factor_sums systolic_sum_factors(const struct machine *machine, const struct systolic_work *work);

/* Clocks of the array on all tiles, without stalls; saturates for a work that is not valid. */
uint64_t systolic_compute_clk(const struct machine *machine, const struct systolic_work *work);

#endif
