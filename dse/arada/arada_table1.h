/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_TABLE1_H
#define DSE_ARADA_TABLE1_H
/*
 * Table 1 of the ARADA paper, computed: clock and bandwidth of MobileNet's
 * layers on an Edge TPU (64x64, 4 MB, 500 MHz) with "20 GB/s".
 *
 * The paper does not say how it ran SCALE-Sim. One set of assumptions, the same
 * for all layers, gives all its 27 clocks and 27 bandwidths:
 *
 * - the interface moves 20 words a clock, not the 40 that 20 GB/s are at
 *   500 MHz: the tool's bandwidth was given in the paper's GB/s;
 * - half of the 4 MB is the filters', ifmap and ofmap have a quarter each. Then
 *   the largest filters (1 MB) just fit half of their double buffer, and no
 *   pointwise layer waits;
 * - the tool's stalls, in its USER mode; the first fill is none;
 * - a switch takes 10 us, 5000 clocks, out of the stalls before equation 1, and
 *   the clock is the next legal one, a multiple of 50 MHz: VF-OH-Q;
 * - a layer without stalls needs the different words of its operands in its
 *   clocks (the tool's CALC mode), rounded up to a tenth of the bandwidth;
 * - a depthwise layer is one filter over all channels, without padding, as in
 *   the tool's own file of MobileNet;
 * - rows 14 to 23, five equal pairs of a depthwise and a pointwise layer, list
 *   the pointwise one first. In the file's order their ten clocks are wrong and
 *   the other 17 right. No size of the buffers makes the pointwise layer
 *   (512 to 512 channels) wait while the two after it, with two and four times
 *   its filters, do not, as the table in the file's order says.
 */
#include "dse/arada/arada.h"
#include "sim/base/err.h"
#include "sim/systolic/systolic.h"
#include <stdbool.h>
#include <stddef.h>

#define ARADA_TABLE1_N_ROW 27

/* A set of assumptions. */
struct arada_table1 {
	uint32_t word_per_clk;
	uint32_t ifmap_part, filter_part, ofmap_part; /* shares of the 4 MB */
	double switch_us;
	bool is_exchanged; /* rows 14 to 23 list each pair the other way round */
};

/* The set above. */
struct arada_table1 arada_table1_found(void);

/* The layer that a row (from 0) lists. */
struct systolic_layer arada_table1_layer(const struct arada_table1 *set, size_t row);

/* What a set says about a row (from 0): SCALE-Sim's replay, then VF-OH-Q. ERR_INTERNAL when memory is out. */
enum err_code arada_table1_run(const struct arada_table1 *set, size_t row, struct arada_mode *mode, struct err *err);

#endif
