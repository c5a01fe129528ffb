/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CELL_H
#define DSE_CELL_H
/* Cells of tables in CSV files: whole numbers, and words of which only a few are allowed. Mistakes name their place. */
#include "mapper/split/design.h"
#include "sim/base/csv.h"

/* The cell of a row in a column that a table may lack; NULL then. */
const struct csv_cell *cell_find(const struct csv_table *table, size_t row, const char *name);

/* A whole number that a row has in a column, and where it goes. */
struct cell_number {
	const char *name; /* of the column */
	uint32_t *value;  /* untouched if optional and the cell is empty or the column missing */
	uint32_t min, max;
	bool optional;
};

/* Read the numbers of a row, all mistakes in one pass: ERR_INPUT. */
enum err_code cell_read_numbers(const struct csv_table *table, size_t row, const struct cell_number *number, size_t n,
                                struct err *err);

/* The index of a cell's word among word[0..n-1]; ERR_INPUT with what is allowed. The table has the column. */
enum err_code cell_read_word(const struct csv_table *table, size_t row, const char *column, const char *const *word,
                             size_t n, size_t *index, struct err *err);

/* The strategy that a table's column of this name has; ERR_INPUT with what is allowed. */
enum err_code cell_read_strategy(const struct csv_table *table, size_t row, enum strategy *strategy, struct err *err);

#endif
