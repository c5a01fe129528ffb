/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SCALESIM_H
#define SIM_SCALESIM_H
/*
 * The memory of SCALE-Sim 2.0.2, rule by rule, so that results can be compared
 * with published ones made with it. It is no model of a physical memory: ifmap,
 * filter and ofmap have the interface's bandwidth each, and one word of the
 * ifmap is prefetched as often as outputs use it.
 */
#include "sim/base/err.h"
#include "sim/base/stop.h"
#include "sim/systolic/systolic.h"

/*
 * Run a valid layer. array->bandwidth_word 0 is the tool's CALC mode (the
 * bandwidth is estimated, nothing stalls), else its USER mode. Buffers hold at
 * least a word each. Memory: some bytes for each word of the operands. Time:
 * closed forms where both operands fit their buffers, else about a word's step
 * for each word that enters the array. ERR_INTERNAL when memory is out; ERR_INTERRUPTED, without a message, when stop
 * (NULL: a signal) asks to stop. *result is undefined on failure.
 */
enum err_code scalesim_run(const struct systolic_array *array, const struct systolic_layer *layer,
                           const struct stop *stop, struct systolic_result *result, struct err *err);

#endif
