/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_DEADLINE_H
#define DSE_DEADLINE_H
/*
 * A deadline: an inference comes every so many milliseconds, and the machine
 * sleeps for the rest of that time. Energy then is that of the whole period, so
 * finishing early and sleeping competes with running slowly.
 *
 *   energy of a network = energy of its layers + P_sleep (deadline - latency)
 *                       = sum of (energy - P_sleep latency) of its layers + P_sleep deadline
 *
 * The first form is what is reported. The second one adds up over layers, so
 * searches and composition work with it: a layer's energy is what it takes
 * beyond sleeping. P_sleep is the static power at the thriftiest operating point.
 */
#include "dse/space/metric.h"
#include "dse/space/space.h"

/*
 * What a metric of a network has beside the sum over its layers in a search: of energy the sleep until the deadline, of
 * run time setup and cleanup; else 0.
 */
double deadline_beside(const struct space *space, const struct machine *machine, enum metric metric);

/* mJ that the machine takes until the space's deadline if it only sleeps; 0 without a deadline. */
double deadline_sleep_mj(const struct space *space, const struct machine *machine);

/* Of a layer's energy what sleeping for as long would have taken, mJ, 0 without a deadline. value: by enum metric. */
double deadline_asleep_mj(const struct space *space, const struct machine *machine, double latency_ms);

/* A layer's metrics as a search sums them: energy less sleep. */
void deadline_of_layer(const struct space *space, const struct machine *machine, double *value);

/*
 * A network's metrics from its layers' as they are: energy plus sleep until the deadline, late ones have none; run time
 * plus setup and cleanup.
 */
void deadline_of_network(const struct space *space, const struct machine *machine, double *value);

/*
 * Upper limit on a metric of one network, or of one layer of it, in a search: the space's, the deadline, and for
 * energies what sleep leaves of them, for run time what setup and cleanup leave.
 */
double deadline_limit(const struct space *space, const struct machine *machine, size_t network, enum metric metric);

#endif
