/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ARADA_PHYSICAL_H
#define DSE_ARADA_PHYSICAL_H
/* What ARADA asks of a layer, by the physical memory model. */
#include "dse/arada/arada.h"
#include "mapper/network/network.h"
#include "sim/base/err.h"
#include "sim/machine/machine.h"
#include "sim/systolic/systolic_work.h"

/*
 * The tiling of a layer that takes least time with this many words a clock, then moves fewest words: of tiles along
 * each dimension that are the array's size, or one line, pixel of a line or channel, times a power of two, or all of
 * it; both orders of loops, and all dataflows of the machine. ERR_INFEASIBLE when no tiling fits the buffers.
 */
enum err_code arada_physical_work(const struct machine *machine, const struct block *block, double word_per_clk,
                                  struct systolic_work *work, struct err *err);

/*
 * Its cost. As in SCALE-Sim's figures the first load and the last store are no clocks of the layer: no clock of the
 * array hides them, and with them no layer would be compute-bound. Where only some tiles wait, a slower array makes the
 * others later than equation 1 thinks.
 */
enum err_code arada_physical(const struct machine *machine, const struct block *block, double word_per_clk,
                             struct arada_layer *cost, struct err *err);

/*
 * ns of a work as in arada_physical, on this machine's array at a clock, with this many words a clock; compute_clk:
 * receives the array's own clocks.
 */
double arada_physical_ns(const struct machine *machine, const struct systolic_work *work, double clk_mhz,
                         double word_per_clk, uint64_t *compute_clk);

#endif
