/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_SPLITTER_H
#define MAPPER_SPLITTER_H
/* Splits without a search: by the thesis' rules, or by trying some large tiles of a systolic array. */
#include "mapper/split/design.h"

/*
 * Tiles for a systolic array without a search: the fastest of some large ones under this strategy at an operating
 * point, and their latency; under SCALE-Sim's memory model the whole layer, and its roofline. false: none fits, or the
 * array cannot do it; *split is the finest one then. Some hundred evaluations.
 */
bool splitter_systolic(const struct layer_context *context, enum strategy strategy, uint32_t level, struct split *split,
                       double *latency_ns);

/*
 * The thesis' splitter (section 4.2): its rules, for this target; for a systolic array splitter_systolic's tiles for
 * the first dataflow that it can do. ERR_INFEASIBLE with a message when no legal split fits.
 */
enum err_code splitter_thesis(const struct block *block, const struct machine *machine, struct split *split,
                              struct err *err);

#endif
