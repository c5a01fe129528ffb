/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SPACE_GOALS_H
#define DSE_SPACE_GOALS_H
/* Limits of a space, and how metrics of several networks become one. */
#include "dse/space/space.h"

/*
 * A limit is kept to within this share of it: sums of the same values in another order differ by some 1e-13 of it, and
 * whoever takes a design's own figures for limits wants to see that design again.
 */
#define SPACE_LIMIT_SLACK 1e-9

bool space_has_objective(const struct space *space, enum metric metric);

/* The largest value that keeps a limit. */
double space_limit_most(const struct space_limit *limit);

/* Largest value of a metric that keeps the space's limits on it; infinite when there is none. */
double space_metric_limit(const struct space *space, enum metric metric);

/* Latency times area of designs that keep the limit on TOPS/mm2, at most; infinite without one. */
double space_most_ms_mm2(const struct space *space);

/* How a metric of several networks becomes one. */
enum compose_op space_aggregate_op(const struct space *space, enum metric metric);

double space_network_weight(const struct space *space, size_t network);

/* Operations of an inference of all networks, as their weights have it; NAN: an aggregate of which there is no sum. */
double space_n_operation(const struct space *space);
#define SPACE_OPERATION_PER_MAC 2.0
/* 10^12 operations a s of operations and ms, or a J of operations and mJ. */
#define SPACE_TERA_PER_MILLI 1e-9

/* Upper limit on a metric for one network, or one layer of it, alone: the aggregate's, widened by a weight below 1. */
double space_network_limit(const struct space *space, size_t network, enum metric metric);

/* Whether the space's engine looks at a sample of the splits: what exact searches find would not be in it. */
bool space_samples_splits(const struct space *space);

/* Whether more SRAM takes more energy, by a machine's technology, in a space in which energy counts. */
bool space_sram_costs(const struct space *space);

#endif
