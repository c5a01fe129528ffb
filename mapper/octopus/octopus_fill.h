/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_OCTOPUS_FILL_H
#define MAPPER_OCTOPUS_FILL_H
/*
 * The constants of a DRAM plan: weights of a quantised network as the workers' MAC arrays read them, biases, shifts.
 *
 * A tile's weights are one run of bytes for each part of the depth, one behind the other. A run has groups of `lanes`
 * filters (the last one of a convolution's group, and of the tile, may have fewer), a group has the taps
 * [channel][row][column] (linear: row of B) in their order, a tap one byte of each of the group's filters: of a
 * convolution the rows of the array take them as operand A, of a matrix multiplication its columns as operand B
 * (thesis, section 2.3.2). Nothing lies between them. Biases are 32 bit, little-endian, filter by filter.
 */
#include "mapper/octopus/octopus_dram.h"
#include "mapper/quantise/quantise.h"

/*
 * Fill the constants of a plan that octopus_dram_plan made of the graph on the machine: dram->constant, of its arena,
 * and shifts and lanes of its layers. quant: of the graph's network. ERR_INTERNAL without memory.
 */
enum err_code octopus_fill(const struct octopus_graph *graph, const struct quantise_network *quant,
                           const struct machine *machine, struct octopus_dram *dram, struct err *err);

#endif
