/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_TRANSIT_PARTS_H
#define MAPPER_TRANSIT_PARTS_H
/* Working out a transit, apart from keeping it. */
#include "mapper/placement/transit.h"
#include "mapper/placement/placement_parts.h"

/* false: no memory. */
bool transit_find(const struct machine *machine, const struct transit_mesh *mesh, const struct transit *transit,
                  struct flow_paths *paths);

#endif
