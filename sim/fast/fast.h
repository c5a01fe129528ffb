/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_FAST_H
#define SIM_FAST_H
/* Inside the simulator: what bounds take from the fast tier's closed forms. */
#include "sim/machine/sim.h"

/* Clocks at an operating point that a STEP_COMPUTE takes at least in which somebody has this to do. */
double fast_busiest_clk(const struct machine *machine, const struct busiest_work *busiest, uint32_t level);

#endif
