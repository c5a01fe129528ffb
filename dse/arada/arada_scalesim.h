/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_SCALESIM_H
#define DSE_ARADA_SCALESIM_H
/* What ARADA asks of a layer, by SCALE-Sim's rules. */
#include "dse/arada/arada.h"
#include "sim/base/err.h"
#include "sim/systolic/systolic.h"

/*
 * A valid layer on an array of given bandwidth (bandwidth_word > 0). Clocks and
 * stalls are USER mode's, the tool's own. Words are those of all three operands
 * in CALC mode, each as often as its buffer must read it: USER mode reads words
 * of the im2col form, duplicates and all. ERR_INTERNAL when memory is out.
 */
enum err_code arada_scalesim(const struct systolic_array *array, const struct systolic_layer *layer,
                             struct arada_layer *cost, struct err *err);

#endif
