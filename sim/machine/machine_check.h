/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MACHINE_CHECK_H
#define SIM_MACHINE_CHECK_H
/* What must hold of a machine before it is simulated. */
#include "sim/base/err.h"
#include "sim/machine/machine.h"

/*
 * Check what a single range cannot say: at least one level, storage QPEs fewer
 * than QPEs, mesh not larger than the chip, DRAMs that divide the blocks, ...
 * One message a mistake, each naming the parameter and the fix. ERR_INPUT.
 */
enum err_code machine_check(const struct machine *machine, struct err *err);

#endif
