/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/table.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CELL_SIZE 256

void table_add_column(struct table *table, const char *name, bool right)
{
	assert(table && name && table->n_cell == 0);
	if (table->n_column == TABLE_MAX_COLUMN)
		return;
	table->right[table->n_column] = right;
	char *copy = arena_text(&table->arena, name);
	table->name[table->n_column++] = copy ? copy : "";
}

static void add_text(struct table *table, const char *text)
{
	if (table->n_cell == table->n_alloc) {
		size_t n_alloc = table->n_alloc ? 2 * table->n_alloc : 256;
		const char **cell = realloc(table->cell, n_alloc * sizeof(*cell));
		if (!cell)
			return;
		table->cell = cell;
		table->n_alloc = n_alloc;
	}
	char *copy = arena_text(&table->arena, text);
	table->cell[table->n_cell++] = copy ? copy : "";
}

void table_add(struct table *table, const char *format, ...)
{
	char text[CELL_SIZE];
	va_list arguments;
	assert(table && table->n_column > 0);
	va_start(arguments, format);
	(void)vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	add_text(table, text);
}

void table_add_real(struct table *table, double value)
{
	if (!isfinite(value))
		table_add(table, "-");
	else if (fabs(value) >= 100000.0 && fabs(value) < 1e15)
		table_add(table, "%.0f", value);
	else
		table_add(table, "%.5g", value);
}

static void put_cell(FILE *file, const char *text, size_t width, bool right, bool last)
{
	if (right)
		(void)fprintf(file, "%*s", (int)width, text);
	else if (last)
		(void)fputs(text, file); /* no blanks at the end of a line */
	else
		(void)fprintf(file, "%-*s", (int)width, text);
	if (!last)
		(void)fputs("  ", file);
}

void table_print(const struct table *table, FILE *file, int indent)
{
	size_t width[TABLE_MAX_COLUMN];
	assert(table && file && table->n_column > 0);
	for (size_t i = 0; i < table->n_column; i++)
		width[i] = strlen(table->name[i]);
	for (size_t i = 0; i < table->n_cell; i++) {
		size_t n = strlen(table->cell[i]), column = i % table->n_column;
		width[column] = n > width[column] ? n : width[column];
	}
	(void)fprintf(file, "%*s", indent, "");
	for (size_t i = 0; i < table->n_column; i++)
		put_cell(file, table->name[i], width[i], table->right[i], i + 1 == table->n_column);
	for (size_t i = 0; i < table->n_cell; i++) {
		size_t column = i % table->n_column;
		if (column == 0)
			(void)fprintf(file, "\n%*s", indent, "");
		put_cell(file, table->cell[i], width[column], table->right[column], column + 1 == table->n_column);
	}
	(void)fputc('\n', file);
}

void table_free(struct table *table)
{
	free(table->cell);
	arena_free(&table->arena);
	*table = (struct table){0};
}
