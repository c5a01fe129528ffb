/* SPDX-License-Identifier: Apache-2.0 */
/* Split schemes: CSV files in the columns of the thesis' appendices. */
#include "mapper/split/split.h"
#include "sim/base/csv.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum scheme_column {
	COLUMN_NETWORK,
	COLUMN_TARGET,
	COLUMN_OPERATION,
	COLUMN_OFMAP_W,
	COLUMN_OFMAP_H,
	COLUMN_OFMAP_C,
	COLUMN_IFMAP_W,
	COLUMN_IFMAP_C,
	N_REQUIRED,
	COLUMN_IFMAP_H = N_REQUIRED,
	N_COLUMN
};

static const char *const column_name[N_COLUMN] = {
    [COLUMN_NETWORK] = "network", [COLUMN_TARGET] = "target",   [COLUMN_OPERATION] = "operation",
    [COLUMN_OFMAP_W] = "ofmap_w", [COLUMN_OFMAP_H] = "ofmap_h", [COLUMN_OFMAP_C] = "ofmap_c",
    [COLUMN_IFMAP_W] = "ifmap_w", [COLUMN_IFMAP_C] = "ifmap_c", [COLUMN_IFMAP_H] = "ifmap_h",
};

static const char *const target_name[] = {"qpe", "chip"};

/* What a row's columns mean follows from its operation. */
enum row_kind { ROW_CONV, ROW_POOL, ROW_FC, ROW_OTHER };

struct scheme_reader {
	struct csv_table table;
	size_t column[N_COLUMN]; /* CSV_NO_COLUMN: not there */
	struct err *err;
	bool good;
};

static const struct csv_cell *cell_of(const struct scheme_reader *reader, size_t row, enum scheme_column column)
{
	assert(reader->column[column] != CSV_NO_COLUMN);
	return csv_get_cell(&reader->table, row, reader->column[column]);
}

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static enum row_kind kind_of(const char *operation)
{
	if (starts_with(operation, "CONV_") || starts_with(operation, "MATMUL_"))
		return ROW_CONV;
	if (starts_with(operation, "POOL_"))
		return ROW_POOL;
	return starts_with(operation, "FC_") ? ROW_FC : ROW_OTHER;
}

static void find_columns(struct scheme_reader *reader)
{
	for (size_t i = 0; i < N_COLUMN; i++) {
		reader->column[i] = csv_find_column(&reader->table, column_name[i]);
		if (i < N_REQUIRED && reader->column[i] == CSV_NO_COLUMN) {
			err_add_at(
			    reader->err, ERR_INPUT, (struct err_place){reader->table.file, 1, 1},
			    "no column '%s'; a split scheme has network, target, operation, ofmap_w, ofmap_h, ofmap_c, "
			    "ifmap_w, ifmap_c",
			    column_name[i]);
			reader->good = false;
		}
	}
}

static void read_text(struct scheme_reader *reader, size_t row, enum scheme_column column, char *text, size_t n_byte)
{
	const struct csv_cell *cell = cell_of(reader, row, column);
	size_t n = strlen(cell->text);
	if (n == 0 || n >= n_byte) {
		err_add_at(reader->err, ERR_INPUT, csv_place(&reader->table, cell),
		           "%s: found %zu characters, allowed 1 to %zu", column_name[column], n, n_byte - 1);
		reader->good = false;
		return;
	}
	memcpy(text, cell->text, n + 1);
}

static void read_dim(struct scheme_reader *reader, size_t row, enum scheme_column column, struct dim_split *dim)
{
	const struct csv_cell *cell = cell_of(reader, row, column);
	struct err why = {0};
	if (dim_parse(cell->text, dim, &why) != ERR_OK) {
		/* Its message ends a line of its own. */
		err_add_at(reader->err, ERR_INPUT, csv_place(&reader->table, cell), "%s: %.*s", column_name[column],
		           (int)strcspn(err_text(&why), "\n"), err_text(&why));
		reader->good = false;
	}
	err_clear(&why);
}

/* Extents of the ifmap parts as listed; an empty cell or absent column leaves 0. */
static void read_extents(struct scheme_reader *reader, size_t row, enum scheme_column column, uint32_t extent[2])
{
	struct dim_split dim = {0};
	if (reader->column[column] == CSV_NO_COLUMN || cell_of(reader, row, column)->text[0] == '\0')
		return;
	read_dim(reader, row, column, &dim);
	extent[0] = dim.size_a;
	extent[1] = dim.size_b;
}

static void read_target(struct scheme_reader *reader, size_t row, struct split_scheme_row *out)
{
	const struct csv_cell *cell = cell_of(reader, row, COLUMN_TARGET);
	for (size_t i = 0; i < sizeof(target_name) / sizeof(*target_name); i++)
		if (strcmp(cell->text, target_name[i]) == 0) {
			snprintf(out->target, sizeof(out->target), "%s", target_name[i]);
			return;
		}
	err_add_at(reader->err, ERR_INPUT, csv_place(&reader->table, cell), "target: found '%.40s', allowed qpe, chip",
	           cell->text);
	reader->good = false;
}

static void read_row(struct scheme_reader *reader, size_t row, struct split_scheme_row *out)
{
	const struct dim_split one = {.size_a = 1, .n_a = 1};
	enum row_kind kind;
	*out = (struct split_scheme_row){.split = {one, one, one, one},
	                                 .line = cell_of(reader, row, COLUMN_NETWORK)->line};
	read_text(reader, row, COLUMN_NETWORK, out->network, sizeof(out->network));
	read_text(reader, row, COLUMN_OPERATION, out->operation, sizeof(out->operation));
	read_target(reader, row, out);
	kind = kind_of(out->operation);
	read_dim(reader, row, COLUMN_OFMAP_W, &out->split.w);
	read_dim(reader, row, COLUMN_OFMAP_H, &out->split.h);
	/* Fully-connected layers and what follows them have no channels. */
	if (kind == ROW_CONV || kind == ROW_POOL || cell_of(reader, row, COLUMN_OFMAP_C)->text[0] != '\0')
		read_dim(reader, row, COLUMN_OFMAP_C, &out->split.c);
	if (kind == ROW_CONV)
		read_dim(reader, row, COLUMN_IFMAP_C, &out->split.d);
	if (kind == ROW_FC)
		read_dim(reader, row, COLUMN_IFMAP_W, &out->split.d);
	/* Padding lists up to four sizes, and what it reads follows from the convolution after it. */
	if (kind == ROW_CONV || kind == ROW_POOL) {
		read_extents(reader, row, COLUMN_IFMAP_W, out->in_w);
		read_extents(reader, row, COLUMN_IFMAP_H, out->in_h);
	}
}

/* By what a row is found by, then by line. */
static int compare_rows(const void *left, const void *right)
{
	const struct split_scheme_row *a = *(const struct split_scheme_row *const *)left;
	const struct split_scheme_row *b = *(const struct split_scheme_row *const *)right;
	int order = strcmp(a->operation, b->operation);
	if (order == 0)
		order = strcmp(a->target, b->target);
	if (order == 0)
		order = strcmp(a->network, b->network);
	return order != 0 ? order : (a > b) - (a < b);
}

static bool same_key(const struct split_scheme_row *a, const struct split_scheme_row *b)
{
	return strcmp(a->operation, b->operation) == 0 && strcmp(a->target, b->target) == 0 &&
	       strcmp(a->network, b->network) == 0;
}

/* Sorted, so that a file of a million rows is not compared row by row; first[i]: of the rows with row i's key. */
static bool find_first(struct arena *arena, const struct split_scheme *scheme, const struct split_scheme_row **first)
{
	const struct split_scheme_row **sorted = arena_array(arena, scheme->n + 1, sizeof(*sorted)), *same = NULL;
	if (!sorted)
		return false;
	for (size_t i = 0; i < scheme->n; i++)
		sorted[i] = &scheme->row[i];
	qsort(sorted, scheme->n, sizeof(*sorted), compare_rows);
	for (size_t i = 0; i < scheme->n; i++) {
		if (!same || !same_key(same, sorted[i]))
			same = sorted[i];
		first[sorted[i] - scheme->row] = same;
	}
	return true;
}

/* In the order of the file, as all its mistakes. */
static enum err_code check_duplicates(struct scheme_reader *reader, const struct split_scheme *scheme)
{
	struct arena arena = {0};
	const struct split_scheme_row **first = arena_array(&arena, scheme->n + 1, sizeof(*first));
	bool found = first && find_first(&arena, scheme, first);
	for (size_t i = 0; found && i < scheme->n; i++) {
		const struct split_scheme_row *row = &scheme->row[i];
		assert(first[i] && first[i] <= row);
		if (first[i] == row)
			continue;
		err_add_at(reader->err, ERR_INPUT, csv_place(&reader->table, cell_of(reader, i, COLUMN_OPERATION)),
		           "%s of %s on %s stands twice, first in line %u", row->operation, row->network, row->target,
		           first[i]->line);
		reader->good = false;
	}
	arena_free(&arena);
	return found ? ERR_OK : err_add(reader->err, ERR_INTERNAL, "%s: out of memory", reader->table.file);
}

enum err_code split_scheme_read(const char *path, struct split_scheme *scheme, struct err *err)
{
	struct scheme_reader reader = {.err = err, .good = true};
	enum err_code code;
	assert(path && scheme);
	memset(scheme, 0, sizeof(*scheme));
	code = csv_read_file(path, &reader.table, err);
	if (code != ERR_OK)
		return code;
	find_columns(&reader);
	if (!reader.good)
		goto cleanup;
	scheme->row = arena_array(&scheme->arena, reader.table.n_row + 1, sizeof(*scheme->row));
	if (!scheme->row) {
		code = err_add(err, ERR_INTERNAL, "%s: out of memory", path);
		goto cleanup;
	}
	scheme->n = reader.table.n_row;
	for (size_t i = 0; i < scheme->n; i++)
		read_row(&reader, i, &scheme->row[i]);
	if (reader.good)
		code = check_duplicates(&reader, scheme);
cleanup:
	csv_free(&reader.table);
	if (!reader.good)
		code = ERR_INPUT;
	if (code != ERR_OK)
		split_scheme_free(scheme);
	return code;
}

void split_scheme_free(struct split_scheme *scheme)
{
	assert(scheme);
	arena_free(&scheme->arena);
	memset(scheme, 0, sizeof(*scheme));
}

const struct split_scheme_row *split_scheme_find(const struct split_scheme *scheme, const char *network,
                                                 const char *target, const char *operation)
{
	assert(scheme && target && operation);
	for (size_t i = 0; i < scheme->n; i++) {
		const struct split_scheme_row *row = &scheme->row[i];
		if (strcmp(row->operation, operation) == 0 && strcmp(row->target, target) == 0 &&
		    (!network || strcmp(row->network, network) == 0))
			return row;
	}
	return NULL;
}
