/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_COST_H
#define DSE_ARADA_COST_H
/* Clocks, stalls and words of a network's layer on a systolic array at full speed: what ARADA decides from. */
#include "dse/arada/arada.h"
#include "dse/space/arada_options.h"
#include "mapper/network/network.h"
#include "sim/machine/machine.h"
#include "sim/systolic/systolic.h"

/* Whether a block is a layer in ARADA's sense: a convolution or a matrix multiplication. */
bool arada_is_layer(const struct block *block);

/*
 * Words a clock that options make of a bandwidth on a machine (target systolic, at its first level). SCALE-Sim takes
 * whole numbers: the nearest, at least 1.
 */
double arada_word_per_clk(const struct machine *machine, const struct arada_options *options, double gb_s);

/* A block as SCALE-Sim's layer, n_group times over, in the shape that options say. */
struct systolic_layer arada_shape(const struct block *block, enum arada_shape shape, uint32_t *n_group);

/*
 * A valid layer on an array of given bandwidth (bandwidth_word > 0). Clocks and stalls are USER mode's, the tool's own.
 * Words are those of all three operands in CALC mode, each as often as its buffer must read it: USER mode reads words
 * of the im2col form, duplicates and all. ERR_INTERNAL when memory is out.
 */
enum err_code arada_scalesim(const struct systolic_array *array, const struct systolic_layer *layer,
                             struct arada_layer *cost, struct err *err);

/*
 * The cost of a block with this many words a clock. ERR_INPUT when it is too large for the model, with its name;
 * ERR_INFEASIBLE when no tiling fits the buffers; ERR_INTERNAL when memory is out.
 */
enum err_code arada_cost(const struct machine *machine, const struct arada_options *options, const struct block *block,
                         double word_per_clk, struct arada_layer *cost, struct err *err);

#endif
