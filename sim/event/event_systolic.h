/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_SYSTOLIC_H
#define SIM_EVENT_SYSTOLIC_H
/*
 * The event tier of a systolic array: its tiles one by one, through two halves
 * of each buffer and one interface. Everything that sim/systolic/systolic_model.h has in
 * closed form is counted here as it happens.
 */
#include "sim/event/event.h"
#include "sim/systolic/systolic.h"

/* Steps of one layer at most; more take too long to walk through. */
#define EVENT_SYSTOLIC_MAX_STEP 200000000

/*
 * Run a work that systolic_is_valid and systolic_place have accepted. trace, stat: NULL for nobody. ERR_INFEASIBLE:
 * more steps than EVENT_SYSTOLIC_MAX_STEP; ERR_INTERNAL: a self-check that fails. *result is untouched on failure.
 */
enum err_code event_systolic_run(const struct machine *machine, const struct systolic_work *work, uint32_t level,
                                 const struct trace_sink *trace, struct systolic_result *result,
                                 struct event_stat *stat, struct err *err);

/*
 * Run a program. Its STEP_SYSTOLIC steps go tile by tile, or by SCALE-Sim's rules where the machine has its memory
 * model; other steps are priced as in the fast tier. Errors as event_systolic_run; ERR_INTERRUPTED, without a message:
 * option->stop asked to stop.
 */
enum err_code event_systolic_run_program(const struct machine *machine, const struct program *program, uint32_t level,
                                         const struct event_option *option, struct sim_result *result,
                                         struct event_stat *stat, struct err *err);

#endif
