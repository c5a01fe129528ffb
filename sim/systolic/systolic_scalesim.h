/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SYSTOLIC_SCALESIM_H
#define SIM_SYSTOLIC_SCALESIM_H
/*
 * Works of a machine whose systolic.memory_model is SCALE-Sim's: whole layers
 * through sim/systolic/scalesim.h, groups one after the other as layers of their own.
 */
#include "sim/base/err.h"
#include "sim/base/stop.h"
#include "sim/machine/machine.h"
#include "sim/systolic/systolic.h"
#include "sim/systolic/systolic_work.h"

/* A replay goes one by one through the words that enter the array, and remembers those of an operand. */
#define SCALESIM_MAX_WORD ((uint64_t)1 << 34)
#define SCALESIM_MAX_OPERAND_WORD ((uint64_t)1 << 27)

/* Whether a replay of a valid layer ends in minutes and takes no gigabytes. */
bool systolic_scalesim_is_small(const struct systolic_array *array, const struct systolic_layer *layer);

/* Whether a valid work is one that these rules are for: outputs stay, no tiles, and small. Pooling is not known to
 * them: all results are written. */
bool systolic_scalesim_serves(const struct machine *machine, const struct systolic_work *work);

/*
 * Run a work that is served; words of all groups together. The bandwidth is rounded down to whole words a clock; less
 * than one is ERR_INFEASIBLE (machine_check has refused it). ERR_INTERNAL: no memory. ERR_INTERRUPTED, without a
 * message: stop (NULL: a signal) asks to stop. *result is untouched on failure.
 */
enum err_code systolic_scalesim_run(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                                    const struct stop *stop, struct systolic_result *result, struct err *err);

#endif
