/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FAST_PARTS_H
#define SIM_FAST_PARTS_H
/* What the bound takes of the closed forms. */
#include "sim/fast/fast.h"

/* Clocks at an operating point that a STEP_COMPUTE takes at least in which somebody has this to do. */
double fast_busiest_clk(const struct machine *machine, const struct busiest_work *busiest, uint32_t level);

#endif
