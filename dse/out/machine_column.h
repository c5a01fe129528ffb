/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_MACHINE_COLUMN_H
#define DSE_MACHINE_COLUMN_H
/*
 * Machine parameters as columns of a table: a column of a parameter's name ("noc.clk_mhz", see machine_param) sets it
 * for the machine of each row. An empty cell leaves the machine as it is.
 */
#include "sim/base/csv.h"
#include "sim/machine/machine_param.h"

/* The parameter that a column of this name sets; NULL: it is another column. */
const struct machine_param *machine_column_find(const char *name);

/*
 * Columns that claim to be parameters and are none: a dot in their name, or a parameter's name with '_' for the dot.
 * ERR_INPUT with the place of each.
 */
enum err_code machine_column_check(const struct csv_table *table, struct err *err);

/* The cell of a parameter in a row; NULL: no such column, or the cell is empty. */
const struct csv_cell *machine_column_cell(const struct csv_table *table, size_t row, const char *key);

/*
 * Set the parameters of a row. ERR_INPUT at the cell of each value that is out of range, or whose parameter machines
 * of this target lack; at the first of them when they do not go together (machine_check).
 */
enum err_code machine_column_apply(const struct csv_table *table, size_t row, struct machine *machine, struct err *err);

/* The parameters of a row as text, "noc.clk_mhz=300 ", equal for rows of equal cells; returns what snprintf returns. */
int machine_column_print(const struct csv_table *table, size_t row, char *text, size_t n_byte);

/* Whether two rows have equal cells of parameters. */
bool machine_column_same(const struct csv_table *table, size_t row, size_t other);

#endif
