/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_LEGEND_H
#define DSE_LEGEND_H
/* What columns mean whose names do not say it: one table for all commands, so that a name means one thing. */
#include "dse/out/table.h"

/* What a column of this name is, in a phrase; NULL: its name says it. */
const char *legend_find(const char *column);

/* Under a table: a line for each shown column that has a meaning here, after indent blanks; nothing where none has. */
void legend_print(FILE *file, int indent, const struct table *table);

#endif
