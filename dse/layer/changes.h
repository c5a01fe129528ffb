/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CHANGES_H
#define DSE_CHANGES_H
/*
 * Changes of operating point between consecutive layers, where a space counts
 * them (`level_changes`) and the machine has a price for them: the next layer
 * begins dvfs.switch_ns later, at the static power of its point, and every PE
 * takes dvfs.switch_nj. A network's first layer begins at its own point. A mixed
 * point begins at its slower and ends at its faster one (sim/program/mixed.h).
 */
#include "dse/space/metric.h"
#include "dse/space/space.h"

/* Whether they change anything: else layers' points are independent of each other. */
bool changes_count(const struct space *space, const struct machine *machine);

/* The machine's own operating point at which a layer at this one begins, and ends. */
uint32_t changes_entry(const struct machine *machine, uint32_t level);
uint32_t changes_exit(const struct machine *machine, uint32_t level);

/*
 * Add to metrics what lies between a layer at one level and the next one's at another; nothing where they do not
 * count. value: by enum metric.
 */
void changes_add(const struct space *space, const struct machine *machine, uint32_t from, uint32_t to, double *value);

#endif
