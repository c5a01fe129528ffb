/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_TRANSIT_PARTS_H
#define MAPPER_TRANSIT_PARTS_H
/* Working out a transit, apart from keeping it; and how much is kept. */
#include "mapper/placement/transit.h"
#include "mapper/placement/placement_parts.h"

/* false: no memory. */
bool transit_find(const struct machine *machine, const struct transit_mesh *mesh, const struct transit *transit,
                  struct flow_paths *paths);

/* Of the table, for all threads from now on; for tests, which want it to be full. */
#define TRANSIT_MAX_BYTE ((size_t)192 << 20)
void transit_set_bound(size_t max_byte);

#endif
