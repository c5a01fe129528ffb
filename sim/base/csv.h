/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_CSV_H
#define SIM_BASE_CSV_H
/*
 * CSV reader: a table with one header row, held in memory, every cell with its
 * place. Strict (RFC 4180 with a line feed or CR LF at the end of a line): what
 * spreadsheets guess at is reported with file:line:column instead.
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>

#define CSV_MAX_BYTE (16u << 20)
#define CSV_MAX_COLUMN 256u
#define CSV_MAX_ROW 1000000u
#define CSV_MAX_MESSAGE 20u /* mistakes of one file that are shown; a file of another kind would fill the screen */

#define CSV_NO_COLUMN ((size_t)-1)

struct csv_cell {
	const char *text;      /* decoded: quotes removed, doubled quotes single; UTF-8 */
	unsigned line, column; /* of its first byte, from 1 */
};

/* A table. Owns its texts (csv_free), borrows the file's name. Empty: all zero. */
struct csv_table {
	const char *file;
	size_t n_column, n_row;
	struct csv_cell *header; /* [n_column], names unique and not empty */
	struct csv_cell *cell;   /* [n_row][n_column] */
	char *text;
};

/*
 * Read a file: header row, then rows with as many cells; empty lines are
 * skipped, a byte order mark is allowed. path must outlive the table. All
 * mistakes in one pass, ERR_INPUT; ERR_IO when it cannot be read; ERR_INTERNAL
 * without memory. The table is empty then.
 */
enum err_code csv_read_file(const char *path, struct csv_table *table, struct err *err);

/* The same from memory; name stands for the file in messages and must outlive the table. */
enum err_code csv_read_text(const char *name, const char *text, size_t n_byte, struct csv_table *table,
                            struct err *err);

void csv_free(struct csv_table *table);

/* Index of the column with this name, or CSV_NO_COLUMN. */
size_t csv_find_column(const struct csv_table *table, const char *name);

/* row < n_row, column < n_column. */
const struct csv_cell *csv_get_cell(const struct csv_table *table, size_t row, size_t column);

struct err_place csv_place(const struct csv_table *table, const struct csv_cell *cell);

/*
 * A cell as a decimal number from min to max, what naming it in the message:
 * digits with an optional sign, fraction and exponent and nothing else.
 * ERR_INPUT; *number is untouched then.
 */
enum err_code csv_get_real(const struct csv_table *table, const struct csv_cell *cell, const char *what, double min,
                           double max, double *number, struct err *err);

#endif
