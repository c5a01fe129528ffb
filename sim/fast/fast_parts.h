/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FAST_PARTS_H
#define SIM_FAST_PARTS_H
/* Closed forms that fast.c and fast_bound.c share. */
#include "sim/fast/fast.h"

/* PE clocks that a STEP_COMPUTE takes at least when its busiest PE and interface do at least this. */
double fast_busiest_clk(const struct machine *machine, const struct busiest_work *busiest, uint32_t level);

#endif
