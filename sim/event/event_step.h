/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_STEP_H
#define SIM_EVENT_STEP_H
/*
 * Steps that have been simulated before: the same operations on the same machine with the same leftover of the steps
 * before take as long, count the same and leave the same. Internal to the tier.
 */
#include "sim/event/event_chip.h"

/* Let a chip that was set up share its steps; memo NULL: with nobody. Memory may be out afterwards. */
void event_step_share(struct event_chip *chip, struct event_memo *memo);
/* As event_loop_run; what the memo knows is taken over, and what it does not is simulated and kept. */
enum err_code event_step_run(struct event_chip *chip, const struct schedule_step *step, struct err *err);

#endif
