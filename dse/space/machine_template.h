/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MACHINE_TEMPLATE_H
#define DSE_MACHINE_TEMPLATE_H
/* A machine file to begin with: every parameter of a machine like another one, with its meaning, unit and range. */
#include "dse/space/provenance.h"
#include "sim/machine/machine.h"
#include <stdio.h>

/*
 * Write a machine file of this name with the values of another machine, like, and what its file says of their sources.
 * Values that like's file leaves at their defaults are written as comments. technology: the lines of its section, NULL:
 * it has none. The file reads as like again, but for the name. Errors stay in the stream.
 */
void machine_template_write(FILE *file, const char *name, const struct machine *like,
                            const struct machine_sources *sources, const char *technology);

#endif
