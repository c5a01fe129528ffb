/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/table.h"
#include <assert.h>
#include <inttypes.h>
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
		struct table_cell *cell = realloc(table->cell, n_alloc * sizeof(*cell));
		if (!cell)
			return;
		table->cell = cell;
		table->n_alloc = n_alloc;
	}
	char *copy = arena_text(&table->arena, text);
	table->cell[table->n_cell++] = (struct table_cell){.text = copy ? copy : ""};
}

void table_colour(struct table *table, enum colour colour)
{
	assert(table && colour < N_COLOUR);
	if (table->n_cell > 0)
		table->cell[table->n_cell - 1].colour = colour;
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

void table_print_count(uint64_t value, char text[TABLE_COUNT_SIZE])
{
	char digits[24]; /* UINT64_MAX has 20 */
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);
	char *to = text;
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			*to++ = ' ';
		*to++ = digits[i];
	}
	*to = '\0';
}

/* The text has its colour, not the blanks around it. */
static void put_cell(FILE *file, struct table_cell cell, size_t width, bool right, bool last, bool is_coloured)
{
	int n_blank = (int)(width - strlen(cell.text));
	bool has_colour = is_coloured && cell.colour != COLOUR_NONE && cell.text[0];
	assert(n_blank >= 0);
	(void)fprintf(file, "%*s%s%s%s", right ? n_blank : 0, "", colour_code(has_colour, cell.colour), cell.text,
	              colour_code(has_colour, COLOUR_NONE));
	if (!last) /* no blanks at the end of a line */
		(void)fprintf(file, "%*s  ", right ? 0 : n_blank, "");
}

void table_print(const struct table *table, FILE *file, int indent)
{
	size_t width[TABLE_MAX_COLUMN];
	assert(table && file && table->n_column > 0);
	bool is_coloured = colour_is_on(file);
	for (size_t i = 0; i < table->n_column; i++)
		width[i] = strlen(table->name[i]);
	for (size_t i = 0; i < table->n_cell; i++) {
		size_t n = strlen(table->cell[i].text), column = i % table->n_column;
		width[column] = n > width[column] ? n : width[column];
	}
	(void)fprintf(file, "%*s", indent, "");
	for (size_t i = 0; i < table->n_column; i++)
		put_cell(file, (struct table_cell){table->name[i], COLOUR_HEAD}, width[i], table->right[i],
		         i + 1 == table->n_column, is_coloured);
	for (size_t i = 0; i < table->n_cell; i++) {
		size_t column = i % table->n_column;
		if (column == 0)
			(void)fprintf(file, "\n%*s", indent, "");
		put_cell(file, table->cell[i], width[column], table->right[column], column + 1 == table->n_column,
		         is_coloured);
	}
	(void)fputc('\n', file);
}

void table_free(struct table *table)
{
	free(table->cell);
	arena_free(&table->arena);
	*table = (struct table){0};
}
