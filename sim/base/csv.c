/* SPDX-License-Identifier: Apache-2.0 */
/* CSV tables: one pass over the bytes, every mistake with its place. */
#include "sim/base/csv.h"
#include "sim/base/file.h"
#include "sim/base/text.h"
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN_CELL 40 /* bytes of a cell that a message repeats */

/*
 * One pass over the bytes. Decoded cells are written to table->text, each with
 * a terminator: never more bytes than were read, because every cell but the
 * last is followed by a comma or a line end that is not copied.
 */
struct csv_reader {
	struct csv_table *table;
	struct err *err;
	const unsigned char *now, *end;
	const unsigned char *line_start; /* where the current line begins: columns are counted from here */
	unsigned line;
	unsigned n_mistake;
	size_t n_text;  /* bytes written to table->text */
	size_t n_alloc; /* rows there is room for in table->cell */
	struct csv_cell row[CSV_MAX_COLUMN];
	size_t n_cell; /* in row */
	bool row_bad;  /* the row in hand has a mistake already */
};

static struct err_place place_here(const struct csv_reader *reader)
{
	assert(reader->now >= reader->line_start);
	return (struct err_place){reader->table->file, reader->line, (unsigned)(reader->now - reader->line_start) + 1};
}

/* Count a mistake, and say it unless there were too many. */
__attribute__((format(printf, 3, 4))) static void report(struct csv_reader *reader, struct err_place at,
                                                         const char *format, ...)
{
	char text[160];
	TEXT_FILL(text, format);
	reader->row_bad = true;
	reader->n_mistake++;
	if (reader->n_mistake <= CSV_MAX_MESSAGE)
		(void)err_add_at(reader->err, ERR_INPUT, at, "%s", text);
	else if (reader->n_mistake == CSV_MAX_MESSAGE + 1)
		(void)err_add_at(reader->err, ERR_INPUT, at, "more mistakes follow; is this a CSV table?");
}

/* Length of the line end at now: 1 for LF, 2 for CR LF, 0 when there is none. */
static size_t line_end_length(const struct csv_reader *reader)
{
	if (reader->now == reader->end)
		return 0;
	if (*reader->now == '\n')
		return 1;
	return *reader->now == '\r' && reader->now + 1 < reader->end && reader->now[1] == '\n' ? 2 : 0;
}

static void next_line(struct csv_reader *reader, size_t n_byte)
{
	reader->now += n_byte;
	reader->line_start = reader->now;
	reader->line++;
}

/* Copy one character, or report that it may not stand in a table and step over it. */
static void take_character(struct csv_reader *reader)
{
	unsigned char first = *reader->now;
	size_t n =
	    first == '\t' ? 1 : text_printable_length((const char *)reader->now, (size_t)(reader->end - reader->now));
	if (n == 0) {
		report(reader, place_here(reader), "byte 0x%02x is not text; printable UTF-8 is allowed", first);
		reader->now++;
		return;
	}
	memcpy(reader->table->text + reader->n_text, reader->now, n);
	reader->n_text += n;
	reader->now += n;
}

static void take_plain(struct csv_reader *reader)
{
	while (reader->now < reader->end && *reader->now != ',' && line_end_length(reader) == 0) {
		if (*reader->now == '"')
			report(reader, place_here(reader), "quote inside a cell; quote the whole cell and double it");
		take_character(reader);
	}
}

/* After the opening quote; a quoted cell may hold commas, line ends and doubled quotes. */
static void take_quoted(struct csv_reader *reader)
{
	struct err_place opened = place_here(reader);
	reader->now++;
	while (reader->now < reader->end) {
		if (*reader->now == '"') {
			reader->now++;
			if (reader->now == reader->end || *reader->now != '"')
				return;
			take_character(reader);
		} else if (line_end_length(reader) > 0) {
			reader->table->text[reader->n_text++] = '\n';
			next_line(reader, line_end_length(reader));
		} else {
			take_character(reader);
		}
	}
	report(reader, opened, "this quote is never closed");
}

/* One cell, from its first byte to the comma or line end behind it. */
static void take_cell(struct csv_reader *reader)
{
	struct err_place at = place_here(reader);
	const char *text = reader->table->text + reader->n_text;
	if (reader->now < reader->end && *reader->now == '"') {
		take_quoted(reader);
		if (reader->now < reader->end && *reader->now != ',' && line_end_length(reader) == 0) {
			report(reader, place_here(reader),
			       "text after a closing quote; a comma or a line end is allowed");
			take_plain(reader);
		}
	} else {
		take_plain(reader);
	}
	reader->table->text[reader->n_text++] = '\0';
	if (reader->n_cell < CSV_MAX_COLUMN)
		reader->row[reader->n_cell] = (struct csv_cell){text, at.line, at.column};
	reader->n_cell++;
}

/* One record: cells up to a line end outside quotes. */
static void take_record(struct csv_reader *reader)
{
	reader->n_cell = 0;
	reader->row_bad = false;
	for (;;) {
		take_cell(reader);
		if (reader->now == reader->end)
			return;
		if (*reader->now != ',') {
			next_line(reader, line_end_length(reader));
			return;
		}
		reader->now++;
	}
}

static void check_header(struct csv_reader *reader)
{
	const struct csv_table *table = reader->table;
	for (size_t i = 0; i < table->n_column; i++) {
		struct err_place at = csv_place(table, &table->header[i]);
		if (table->header[i].text[0] == '\0')
			report(reader, at, "column without a name");
		for (size_t j = 0; j < i; j++) {
			if (table->header[i].text[0] == '\0' ||
			    strcmp(table->header[i].text, table->header[j].text) != 0)
				continue;
			report(reader, at, "column '%.*s' stands twice, first in column %zu", SHOWN_CELL,
			       table->header[i].text, j + 1);
			break;
		}
	}
}

static bool store_header(struct csv_reader *reader)
{
	struct csv_table *table = reader->table;
	if (reader->n_cell > CSV_MAX_COLUMN) {
		report(reader, csv_place(table, &reader->row[0]), "%zu columns; at most %u are allowed", reader->n_cell,
		       CSV_MAX_COLUMN);
		return false;
	}
	table->header = malloc(reader->n_cell * sizeof(*table->header));
	if (!table->header)
		return false;
	memcpy(table->header, reader->row, reader->n_cell * sizeof(*table->header));
	table->n_column = reader->n_cell;
	check_header(reader);
	return true;
}

static bool reserve_row(struct csv_reader *reader)
{
	struct csv_table *table = reader->table;
	if (table->n_row < reader->n_alloc)
		return true;
	size_t n_alloc = reader->n_alloc ? 2 * reader->n_alloc : 64;
	struct csv_cell *cell = realloc(table->cell, n_alloc * table->n_column * sizeof(*cell));
	if (!cell)
		return false;
	table->cell = cell;
	reader->n_alloc = n_alloc;
	return true;
}

/* Keep the record in hand, or report why not; false: give up (limits, memory). */
static bool store_row(struct csv_reader *reader)
{
	struct csv_table *table = reader->table;
	struct err_place at = csv_place(table, &reader->row[0]);
	if (reader->n_cell != table->n_column && !reader->row_bad)
		report(reader, at, "%zu cells; the header names %zu columns", reader->n_cell, table->n_column);
	if (reader->row_bad)
		return true;
	if (table->n_row == CSV_MAX_ROW) {
		report(reader, at, "more than %u rows", CSV_MAX_ROW);
		return false;
	}
	if (!reserve_row(reader))
		return false;
	memcpy(table->cell + table->n_row * table->n_column, reader->row, table->n_column * sizeof(*table->cell));
	table->n_row++;
	return true;
}

/* All records; false: no memory or a limit, the latter with a message. */
static bool read_records(struct csv_reader *reader)
{
	while (reader->now < reader->end) {
		if (line_end_length(reader) > 0) {
			next_line(reader, line_end_length(reader));
			continue;
		}
		take_record(reader);
		bool ok = reader->table->header ? store_row(reader) : store_header(reader);
		if (!ok)
			return false;
	}
	if (!reader->table->header)
		report(reader, (struct err_place){reader->table->file, 1, 1}, "empty file; a header row is needed");
	return true;
}

enum err_code csv_read_text(const char *name, const char *text, size_t n_byte, struct csv_table *table, struct err *err)
{
	assert(name && table && (text || n_byte == 0));
	*table = (struct csv_table){.file = name};
	if (n_byte > CSV_MAX_BYTE)
		return err_add(err, ERR_INPUT, "%s: %zu bytes; a CSV table may have at most %u", name, n_byte,
		               CSV_MAX_BYTE);

	struct csv_reader reader = {.table = table, .err = err, .line = 1};
	size_t n_mark = n_byte >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	table->text = malloc(n_byte + 1);
	if (!table->text)
		return err_add(err, ERR_INTERNAL, "%s: out of memory", name);
	if (n_byte > n_mark) {
		reader.now = reader.line_start = (const unsigned char *)text + n_mark;
		reader.end = (const unsigned char *)text + n_byte;
	}
	bool ok = read_records(&reader);
	assert(reader.n_text <= n_byte + 1);
	if (ok && reader.n_mistake == 0)
		return ERR_OK;

	csv_free(table);
	return reader.n_mistake ? ERR_INPUT : err_add(err, ERR_INTERNAL, "%s: out of memory", name);
}

enum err_code csv_read_file(const char *path, struct csv_table *table, struct err *err)
{
	assert(path && table);
	char *text = NULL;
	size_t n = 0;
	*table = (struct csv_table){.file = path};
	enum err_code code = file_read(path, CSV_MAX_BYTE, &text, &n, err);
	if (code == ERR_OK)
		code = csv_read_text(path, text, n, table, err);
	free(text);
	return code;
}

void csv_free(struct csv_table *table)
{
	assert(table);
	free(table->header);
	free(table->cell);
	free(table->text);
	*table = (struct csv_table){.file = table->file};
}

size_t csv_find_column(const struct csv_table *table, const char *name)
{
	assert(table && name);
	for (size_t i = 0; i < table->n_column; i++) {
		if (strcmp(table->header[i].text, name) == 0)
			return i;
	}
	return CSV_NO_COLUMN;
}

const struct csv_cell *csv_get_cell(const struct csv_table *table, size_t row, size_t column)
{
	assert(row < table->n_row && column < table->n_column);
	return &table->cell[row * table->n_column + column];
}

struct err_place csv_place(const struct csv_table *table, const struct csv_cell *cell)
{
	return (struct err_place){table->file, cell->line, cell->column};
}

enum err_code csv_get_real(const struct csv_table *table, const struct csv_cell *cell, const char *what, double min,
                           double max, double *number, struct err *err)
{
	assert(table && cell && what && number && min <= max);
	struct err_place at = csv_place(table, cell);
	if (!text_is_decimal(cell->text))
		return err_add_at(err, ERR_INPUT, at, "%s is '%.*s'; a number from %g to %g is allowed", what,
		                  SHOWN_CELL, cell->text, min, max);
	double value = strtod(cell->text, NULL);
	if (!isfinite(value) || value < min || value > max)
		return err_add_at(err, ERR_INPUT, at, "%s is %.*s; %g to %g is allowed", what, SHOWN_CELL, cell->text,
		                  min, max);
	*number = value;
	return ERR_OK;
}
