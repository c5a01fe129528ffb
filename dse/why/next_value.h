/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_NEXT_VALUE_H
#define DSE_NEXT_VALUE_H
/* Inside of dse/why: which values of a parameter come next, of those that an axis declares and beyond them. */
#include "dse/space/space.h"

enum next_side { NEXT_BELOW, NEXT_ABOVE, NEXT_N_SIDE };

/* Who is told a value, as text; it may be out of the parameter's range. */
typedef void (*next_taker)(void *context, const char *to);

/* A text's value on a machine like this one; of an array its MAC units. NAN: it is out of range. */
double next_number(const struct machine *machine, const struct machine_param *param, const char *text);

/*
 * The declared values next to own on one side: of arrays all with as many MAC units, and above also those with as many as
 * own. Returns how many are further than own.
 */
size_t next_declared(const struct machine *machine, const struct space_axis *axis, const char *own, enum next_side side,
                     next_taker take, void *context);

/*
 * A value that no axis declares: as far from own as own is from the declared value on its other side; without one (axis
 * NULL: there are none) half or twice, of an array in either direction.
 */
void next_beyond(const struct machine *machine, const struct machine_param *param, const struct space_axis *axis,
                 const char *own, enum next_side side, next_taker take, void *context);

#endif
