/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_UNCERTAIN_H
#define DSE_UNCERTAIN_H
/* What the commands say of sim/fast/uncertainty.h: how far a price may be off, and machines unlike all compared ones.
 */
#include "dse/out/json.h"
#include "dse/out/table.h"
#include "sim/fast/uncertainty.h"
#include <stdbool.h>
#include <stdio.h>

/* Header of the column that uncertain_add_cell fills, behind the clocks or the latency that it is of. */
#define UNCERTAIN_COLUMN "+-%"

/* A share in percent, to hundredths: more digits would say more than is known. */
double uncertain_pct(double frac);

/* The next cell: percent up or down; empty where that is not known. */
void uncertain_add_cell(struct table *table, const struct uncertainty *uncertainty);

/* A line, indented by so many blanks, that says both distances; nothing where they are not known. */
void uncertain_print(FILE *file, int indent, const struct uncertainty *uncertainty);

/* As "uncertainty_pct" and "reference_uncertainty_pct" of the object that is open; null where it is not known. */
void uncertain_put_json(struct json *json, const struct uncertainty *uncertainty);

/* A line that names the first parameter that is far at one of the levels (bit i: level i), its value and what has been
 * compared; false: none is. */
bool uncertain_print_far(FILE *file, int indent, const struct machine *machine, uint32_t levels);

/* The same as "far_from_compared" of the object that is open: the line, or null. */
void uncertain_put_far(struct json *json, const struct machine *machine, uint32_t levels);

#endif
