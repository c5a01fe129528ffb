/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_MIXED_TURNS_H
#define SIM_MIXED_TURNS_H
/* Private to sim/program: mixed operating points where PEs have levels of their own and take turns (mixed.h). */
#include "sim/program/mixed_work.h"
#include "sim/program/result.h"

/* mixed_combine of such a machine; there are rounds, and both results are counted. */
void mixed_take_turns(const struct machine *machine, const struct operating_point *point, const struct mixed_work *work,
                      const struct sim_result *low, const struct sim_result *high, struct sim_result *result);

#endif
