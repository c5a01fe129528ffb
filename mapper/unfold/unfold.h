/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_UNFOLD_H
#define MAPPER_UNFOLD_H
/*
 * Unfold a design: mapper_distribute says how much there is to do, mapper_unfold
 * who does what after what. The event tier and the proofs follow it. One file a
 * strategy, as with the distributors.
 */
#include "mapper/split/design.h"
#include "sim/program/schedule.h"

/*
 * The schedule of a design that mapper_distribute has found feasible; its owner
 * is the caller (schedule_free), also on failure. ERR_INTERNAL: no memory, or a
 * schedule of more than SCHEDULE_MAX_OP operations.
 */
enum err_code mapper_unfold(const struct layer_context *context, const struct layer_design *design,
                            struct schedule *schedule, struct err *err);

#endif
