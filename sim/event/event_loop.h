/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_LOOP_H
#define SIM_EVENT_LOOP_H
/*
 * The loop that runs a chip's units from event to event: those that have something to do in a clock, QPEs each for
 * itself while nothing but their tasks is under way, and streams in leaps (event_gap.h). Internal to the tier.
 */
#include "sim/event/event_chip.h"

/* Run a step of operations or jobs to its end, from the present clock on. ERR_INFEASIBLE: not by max_clk; ERR_INTERNAL:
 * it never ends. */
enum err_code event_loop_run(struct event_chip *chip, const struct schedule_step *step, struct err *err);

#endif
