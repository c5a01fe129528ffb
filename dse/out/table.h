/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TABLE_H
#define DSE_TABLE_H
/* Tables for people: columns as wide as their widest cell; texts to the left, numbers to the right. */
#include "dse/out/colour.h"
#include "sim/base/arena.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TABLE_MAX_COLUMN 32

struct table_cell {
	const char *text;
	enum colour colour;
};

/* Whether a column is printed: not where a narrow terminal has no room for it (table_fit), or it is empty. */
enum table_room { TABLE_SHOWN, TABLE_SAME, TABLE_LEFT_OUT, TABLE_EMPTY };

/* Initialise with `struct table table = {0};`, add columns, then cells row by row. */
struct table {
	size_t n_column, n_cell, n_alloc;
	bool right[TABLE_MAX_COLUMN];
	const char *name[TABLE_MAX_COLUMN];
	enum table_room room[TABLE_MAX_COLUMN];
	struct table_cell *cell; /* [n_cell], rows one after the other */
	struct arena arena;
};

/* A column; name contains the unit. Columns beyond TABLE_MAX_COLUMN are left out, and so are their cells. */
void table_add_column(struct table *table, const char *name, bool right);

/* Several, with '|' between their names; a name behind '>' is of numbers: "layer|>mac|>share_pct". */
void table_add_columns(struct table *table, const char *names);

/* The next cell. Where memory runs out the program ends (dse/base/memory.h). */
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The next cells, with '|' between them, by the conversions of dse/out/format_item.h; %g is table_add_real's. */
void table_add_row(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Give the last cell a colour, which it has where table_print finds a terminal. */
void table_colour(struct table *table, enum colour colour);

/* A number with about six digits that people can read: 1234567, 0.0123, 1.2e-09; not finite: a dash. */
void table_add_real(struct table *table, double value);

/* A value that is to be small, rounded up: taken as a limit, what is printed lets the value through. */
void table_add_most(struct table *table, double value);

/* Two of them, side by side: where they differ, their texts do. */
void table_add_apart(struct table *table, double left, double right);

/* 12345678 as "12 345 678". */
#define TABLE_COUNT_SIZE 40
void table_print_count(uint64_t value, char text[TABLE_COUNT_SIZE]);

/* The same of a number that may be beyond all counts: then with four digits and a power of ten. */
void table_print_about(double value, char text[TABLE_COUNT_SIZE]);

/*
 * Leave out columns so that lines have n_char characters at most, if need be: first those behind the first n_first of
 * all with the same text in all of several rows, then the last ones of those behind the first n_keep; but not the very
 * last, which has remarks.
 */
void table_fit(struct table *table, size_t n_char, size_t n_first, size_t n_keep);

/* Leave out columns that have nothing in any row. */
void table_leave_empty(struct table *table);

/* What table_fit left out: texts that are the same in all rows, and names of columns that where has; or nothing. */
void table_print_left_out(const struct table *table, FILE *file, const char *where);

/*
 * Header and rows, each line after indent blanks. On a terminal that is narrower, columns that do not fit beside the
 * others follow in blocks below, each behind the first column, or the first two or three where it takes them to tell
 * rows that follow each other apart; of rows that have nothing there the block says nothing.
 */
void table_print(const struct table *table, FILE *file, int indent);
/* The same for lines of n_char characters. */
void table_print_within(const struct table *table, FILE *file, int indent, size_t n_char);
/* table_print, then table_free. */
void table_finish(struct table *table, FILE *file, int indent);
void table_free(struct table *table);

#endif
