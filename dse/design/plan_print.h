/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_PLAN_PRINT_H
#define DSE_PLAN_PRINT_H
/* What the PEs of layers do that run at two operating points at once (dvfs.domain), below a table of layers. */
#include "mapper/split/design.h"
#include <stdio.h>

/* A line for a design that runs; nothing if it has one operating point. is_first: whether a head is to come before. */
void plan_print(FILE *file, const struct machine *machine, const struct block *block, const struct layer_design *design,
                bool *is_first);

#endif
