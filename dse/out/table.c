/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/table.h"
#include "dse/base/memory.h"
#include "dse/base/number.h"
#include "dse/out/format_item.h"
#include "dse/out/terminal.h"
#include "sim/base/text.h"
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
	char *copy = memory_must(arena_text(&table->arena, name));
	text_make_printable(copy);
	table->name[table->n_column++] = copy;
}

void table_add_columns(struct table *table, const char *names)
{
	for (const char *end = names; *end; names = end + 1) {
		char name[CELL_SIZE];
		bool right = *names == '>';
		end = names + strcspn(names, "|");
		(void)snprintf(name, sizeof(name), "%.*s", (int)(end - names) - right, names + right);
		table_add_column(table, name, right);
	}
}

static void add_text(struct table *table, const char *text)
{
	if (table->n_cell == table->n_alloc) {
		table->n_alloc = table->n_alloc ? 2 * table->n_alloc : 256;
		table->cell = memory_resize(table->cell, table->n_alloc, sizeof(*table->cell));
	}
	char *copy = memory_must(arena_text(&table->arena, text));
	text_make_printable(copy);
	table->cell[table->n_cell++] = (struct table_cell){.text = copy};
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
	assert(table && table->n_column > 0);
	TEXT_FILL(text, format);
	add_text(table, text);
}

static void print_real(double value, char text[NUMBER_SIZE])
{
	bool is_large = fabs(value) >= 100000.0 && fabs(value) < 1e15;
	if (isfinite(value))
		(void)snprintf(text, NUMBER_SIZE, is_large ? "%.0f" : "%.5g", value);
	else
		(void)strcpy(text, "-");
}

void table_add_real(struct table *table, double value)
{
	char text[NUMBER_SIZE];
	print_real(value, text);
	add_text(table, text);
}

void table_add_row(struct table *table, const char *format, ...)
{
	va_list arguments;
	char text[CELL_SIZE] = "", number[NUMBER_SIZE];
	struct format_item item;
	assert(table && table->n_column > 0);
	va_start(arguments, format);
	do {
		size_t n = strlen(text), n_room = sizeof(text) - n;
		item = format_item_next(&format, &arguments);
		if (item.type == FORMAT_END || (item.type == FORMAT_CHAR && item.letter == '|')) {
			add_text(table, text);
			text[0] = '\0';
		} else if (item.type == FORMAT_REAL) {
			print_real(item.real, number);
			(void)snprintf(text + n, n_room, "%s", number);
		} else if (item.type == FORMAT_FIXED) {
			(void)snprintf(text + n, n_room, "%.*f", item.precision, item.real);
		} else if (item.type == FORMAT_COUNT) {
			(void)snprintf(text + n, n_room, "%" PRIu64, item.count);
		} else if (item.type == FORMAT_TEXT) {
			(void)snprintf(text + n, n_room, "%.*s", item.precision, item.text);
		} else {
			(void)snprintf(text + n, n_room, "%c", item.letter);
		}
	} while (item.type != FORMAT_END);
	va_end(arguments);
}

void table_add_apart(struct table *table, double left, double right)
{
	char text[2][NUMBER_SIZE];
	print_real(left, text[0]);
	print_real(right, text[1]);
	if (isfinite(left) && isfinite(right) && strcmp(text[0], text[1]) == 0)
		number_print_apart(left, right, (unsigned)strlen(text[0]), text);
	add_text(table, text[0]);
	add_text(table, text[1]);
}

void table_add_most(struct table *table, double value)
{
	char text[NUMBER_SIZE];
	if (!isfinite(value) || fabs(value) >= 100000.0) {
		table_add_real(table, isfinite(value) ? ceil(value) : value);
		return;
	}
	number_print_up(value, 5, text);
	number_fill_digits(value, 5, text);
	table_add(table, "%s", text);
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

void table_print_about(double value, char text[TABLE_COUNT_SIZE])
{
	assert(value >= 0);
	if (value < 1e15)
		table_print_count((uint64_t)(value + 0.5), text);
	else
		(void)snprintf(text, TABLE_COUNT_SIZE, "%.4g", value);
}

/* The text has its colour, not the blanks around it. */
static void put_cell(FILE *file, struct table_cell cell, size_t width, bool right, bool last, bool is_coloured)
{
	int n_blank = (int)(width - text_n_char(cell.text));
	bool has_colour = is_coloured && cell.colour != COLOUR_NONE && cell.text[0];
	assert(n_blank >= 0);
	(void)fprintf(file, "%*s%s%s%s", right ? n_blank : 0, "", colour_code(has_colour, cell.colour), cell.text,
	              colour_code(has_colour, COLOUR_NONE));
	if (!last)
		(void)fprintf(file, "%*s  ", right ? 0 : n_blank, "");
}

static void find_widths(const struct table *table, size_t width[TABLE_MAX_COLUMN])
{
	for (size_t i = 0; i < table->n_column; i++)
		width[i] = text_n_char(table->name[i]);
	for (size_t i = 0; i < table->n_cell; i++) {
		size_t n = text_n_char(table->cell[i].text), column = i % table->n_column;
		width[column] = n > width[column] ? n : width[column];
	}
}

/* Characters of the longest line. */
static size_t line_length(const struct table *table)
{
	size_t width[TABLE_MAX_COLUMN], n = 0;
	find_widths(table, width);
	for (size_t i = 0; i < table->n_column; i++)
		if (table->room[i] == TABLE_SHOWN)
			n += (n > 0 ? 2 : 0) + width[i];
	return n;
}

static bool is_same(const struct table *table, size_t column)
{
	for (size_t i = column + table->n_column; i < table->n_cell; i += table->n_column)
		if (strcmp(table->cell[i].text, table->cell[column].text) != 0)
			return false;
	return table->n_cell > table->n_column;
}

void table_fit(struct table *table, size_t n_char, size_t n_first, size_t n_keep)
{
	assert(table && table->n_column > 0 && n_first > 0 && n_keep >= n_first);
	bool is_wide = line_length(table) > n_char;
	for (size_t i = n_first; is_wide && i + 1 < table->n_column; i++)
		if (table->room[i] == TABLE_SHOWN && is_same(table, i))
			table->room[i] = TABLE_SAME;
	for (size_t i = table->n_column - 1; i-- > n_keep && line_length(table) > n_char;)
		if (table->room[i] == TABLE_SHOWN)
			table->room[i] = TABLE_LEFT_OUT;
}

/* "TITLE: a 1, b 2", with the text of the first row where that is all rows'; nothing if there is no such column. */
static bool print_columns(const struct table *table, FILE *file, enum table_room room, const char *title)
{
	size_t n = 0;
	for (size_t i = 0; i < table->n_column; i++) {
		if (table->room[i] != room)
			continue;
		(void)fprintf(file, "%s%s", n++ == 0 ? title : ", ", table->name[i]);
		if (room == TABLE_SAME)
			(void)fprintf(file, " %s", table->cell[i].text);
	}
	return n > 0;
}

static bool is_blank(const struct table_cell *cell)
{
	return !cell->text || cell->text[strspn(cell->text, " ")] == '\0';
}

void table_leave_empty(struct table *table)
{
	assert(table);
	for (size_t i = 0; i < table->n_column; i++) {
		bool is_empty = table->n_cell > 0;
		for (size_t at = i; at < table->n_cell && is_empty; at += table->n_column)
			is_empty = is_blank(&table->cell[at]);
		if (is_empty)
			table->room[i] = TABLE_EMPTY;
	}
}

void table_print_left_out(const struct table *table, FILE *file, const char *where)
{
	assert(table && file && where);
	if (print_columns(table, file, TABLE_SAME, "The same in all of these: "))
		(void)fputc('\n', file);
	if (print_columns(table, file, TABLE_LEFT_OUT, "No room for: "))
		(void)fprintf(file, "; %s has them\n", where);
}

/* Whether rows that differ do so in the first n columns. */
static bool tells_rows_apart(const struct table *table, size_t n)
{
	size_t n_row = table->n_cell / table->n_column;
	for (size_t row = 1; row < n_row; row++) {
		const struct table_cell *cell = &table->cell[row * table->n_column], *before = cell - table->n_column;
		size_t n_same = 0;
		while (n_same < n && strcmp(cell[n_same].text, before[n_same].text) == 0)
			n_same++;
		if (n_same == n)
			return false;
	}
	return true;
}

/*
 * The first columns that name a row, and stand before each block of further ones: as few as tell rows that follow each
 * other apart, if these are at most three and leave a third of a line; else the first one.
 */
static size_t count_keys(const struct table *table, const size_t width[TABLE_MAX_COLUMN], size_t n_char)
{
	size_t n_line = 0;
	for (size_t n = 1; n <= 3 && n < table->n_column && table->room[n - 1] == TABLE_SHOWN; n++) {
		n_line += width[n - 1] + 2;
		if (n_line > n_char / 3 * 2)
			return 1;
		if (tells_rows_apart(table, n))
			return n;
	}
	return 1;
}

/* A block of columns, [first, end), behind the first n_key where it does not begin with them. */
struct block {
	size_t n_key, first, end;
};

/* The column behind one of a block. */
static size_t next_column(const struct block *block, size_t column)
{
	return block->first > 0 && column + 1 == block->n_key ? block->first : column + 1;
}

/* Whether a row has nothing in a block, or in one that goes on nothing but its keys. */
static bool is_empty_row(const struct table *table, size_t row, const struct block *block)
{
	for (size_t i = block->first; i < block->end; i++) {
		size_t at = row * table->n_column + i;
		if (table->room[i] == TABLE_SHOWN && at < table->n_cell && !is_blank(&table->cell[at]))
			return false;
	}
	return true;
}

static bool is_empty_block(const struct table *table, const struct block *block)
{
	for (size_t row = 0; row * table->n_column < table->n_cell; row++)
		if (!is_empty_row(table, row, block))
			return false;
	return table->n_cell > 0;
}

/* The cells of a line that a block shows, up to the last one that has a text: no blanks at the end of a line. */
static void print_line(const struct table *table, FILE *file, const struct table_cell *cell, size_t n_cell,
                       const size_t width[TABLE_MAX_COLUMN], const struct block *block)
{
	bool is_coloured = colour_is_on(file);
	size_t last = 0;
	for (size_t i = 0; i < block->end && i < n_cell; i = next_column(block, i))
		last = table->room[i] == TABLE_SHOWN && !is_blank(&cell[i]) ? i : last;
	for (size_t i = 0; i <= last; i = next_column(block, i))
		if (table->room[i] == TABLE_SHOWN)
			put_cell(file, cell[i], width[i], table->right[i], i == last, is_coloured);
	(void)fputc('\n', file);
}

/* The header and all rows of a block; of one that goes on without rows that have nothing there. */
static void print_block(const struct table *table, FILE *file, int indent, const size_t width[TABLE_MAX_COLUMN],
                        const struct block *block)
{
	struct table_cell name[TABLE_MAX_COLUMN] = {0};
	for (size_t i = 0; i < table->n_column; i++)
		name[i] = (struct table_cell){table->name[i], COLOUR_HEAD};
	(void)fprintf(file, "%*s", indent, "");
	print_line(table, file, name, table->n_column, width, block);
	for (size_t row = 0, n; row * table->n_column < table->n_cell; row++) {
		if (block->first > 0 && is_empty_row(table, row, block))
			continue;
		n = table->n_cell - row * table->n_column;
		(void)fprintf(file, "%*s", indent, "");
		print_line(table, file, &table->cell[row * table->n_column], n, width, block);
	}
}

void table_print_within(const struct table *table, FILE *file, int indent, size_t n_char)
{
	size_t width[TABLE_MAX_COLUMN], n_keys = 0;
	assert(table && file && table->n_column > 0);
	find_widths(table, width);
	struct block block = {.n_key = count_keys(table, width, n_char)};
	for (size_t i = 0; i < block.n_key; i++)
		n_keys += table->room[i] == TABLE_SHOWN ? width[i] + (i > 0 ? 2 : 0) : 0;
	for (; block.first < table->n_column; block.first = block.end) {
		size_t n = (size_t)indent + (block.first > 0 ? n_keys : 0), n_shown = 0;
		for (block.end = block.first; block.end < table->n_column; block.end++) {
			if (table->room[block.end] != TABLE_SHOWN)
				continue;
			n += width[block.end] + (block.first + n_shown > 0 ? 2 : 0);
			if (n_shown > 0 && n > n_char)
				break;
			n_shown++;
		}
		if (n_shown == 0 || (block.first > 0 && is_empty_block(table, &block)))
			continue;
		if (block.first > 0)
			(void)fputc('\n', file);
		print_block(table, file, indent, width, &block);
	}
}

void table_print(const struct table *table, FILE *file, int indent)
{
	unsigned n_column, n_row;
	table_print_within(table, file, indent, terminal_size(file, &n_column, &n_row) ? n_column : SIZE_MAX);
}

void table_finish(struct table *table, FILE *file, int indent)
{
	table_print(table, file, indent);
	table_free(table);
}

void table_free(struct table *table)
{
	free(table->cell);
	arena_free(&table->arena);
	*table = (struct table){0};
}
