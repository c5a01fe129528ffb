/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios of a table of measurements: rows that have the same words in some columns are fitted by themselves. */
#include "dse/fit/fit.h"
#include "dse/base/memory.h"
#include <assert.h>
#include <string.h>

#define MAX_BY 8

/* The next of some words with ',' between them, copied; false: there is none. */
static bool next_word(const char **text, struct arena *arena, const char **word)
{
	size_t n = strcspn(*text, ",");
	if (**text == '\0')
		return false;
	char *copy = memory_must(arena_alloc(arena, n + 1));
	memcpy(copy, *text, n);
	copy[n] = '\0';
	*word = copy;
	*text += n + ((*text)[n] == ',');
	return true;
}

/* Whether a row has what --where asks for; columns that there are not are fit_read's to name. */
static bool is_wanted(const struct csv_table *table, size_t row, const char *where, struct arena *arena)
{
	const char *word;
	for (const char *rest = where ? where : ""; next_word(&rest, arena, &word);) {
		char *equals = strchr(word, '=');
		if (!equals)
			continue;
		*equals = '\0';
		size_t column = csv_find_column(table, word);
		if (column != CSV_NO_COLUMN && strcmp(csv_get_cell(table, row, column)->text, equals + 1) != 0)
			return false;
	}
	return true;
}

/* What --where must say for rows like this one. */
static enum err_code make_clause(const struct csv_table *table, size_t row, const size_t *column, size_t n_column,
                                 struct arena *arena, const char **clause, struct err *err)
{
	size_t n_byte = 1, n = 0;
	for (size_t i = 0; i < n_column; i++) {
		const struct csv_cell *cell = csv_get_cell(table, row, column[i]);
		if (strpbrk(cell->text, ",=\"\\"))
			return err_add_at(
			    err, ERR_INPUT, csv_place(table, cell),
			    "found '%.40s'; a word that --by groups by has no comma, quote, = or backslash",
			    cell->text);
		n_byte += strlen(table->header[column[i]].text) + strlen(cell->text) + 2;
	}
	char *text = memory_must(arena_alloc(arena, n_byte));
	text[0] = '\0';
	for (size_t i = 0; i < n_column; i++)
		n += (size_t)snprintf(text + n, n_byte - n, "%s%s=%s", i ? "," : "", table->header[column[i]].text,
		                      csv_get_cell(table, row, column[i])->text);
	*clause = text;
	return ERR_OK;
}

static enum err_code find_columns(const struct csv_table *table, const char *by, struct arena *arena, size_t *column,
                                  size_t *n_column, struct err *err)
{
	const char *word;
	enum err_code code = ERR_OK;
	for (const char *rest = by; next_word(&rest, arena, &word);) {
		size_t at = csv_find_column(table, word);
		if (*n_column == MAX_BY)
			return err_add(err, ERR_USAGE, "--by: more than %d columns", MAX_BY);
		if (at == CSV_NO_COLUMN)
			code = err_add_at(err, ERR_INPUT, csv_place(table, &table->header[0]),
			                  "there is no column '%.40s', which --by names", word);
		else
			column[(*n_column)++] = at;
	}
	return code;
}

enum err_code fit_list_groups(const char *path, const struct fit_options *options, const char *by, struct arena *arena,
                              const char **clause, size_t *n, struct err *err)
{
	struct csv_table table = {0};
	size_t column[MAX_BY], n_column = 0;
	assert(path && by && clause && n);
	*n = 0;
	enum err_code code = csv_read_file(path, &table, err);
	if (code == ERR_OK)
		code = find_columns(&table, by, arena, column, &n_column, err);
	for (size_t row = 0; code == ERR_OK && row < table.n_row; row++) {
		const char *own = NULL;
		bool is_new = is_wanted(&table, row, options->where, arena);
		if (is_new)
			code = make_clause(&table, row, column, n_column, arena, &own, err);
		for (size_t i = 0; i < *n && is_new && code == ERR_OK; i++)
			is_new = strcmp(clause[i], own) != 0;
		if (!is_new || code != ERR_OK)
			continue;
		if (*n == FIT_MAX_BY_GROUP)
			code = err_add(err, ERR_INPUT, "%s: --by %s makes more than %d groups", path, by,
			               FIT_MAX_BY_GROUP);
		else
			clause[(*n)++] = own;
	}
	if (code == ERR_OK && *n == 0)
		code = err_add(err, ERR_INPUT, "%s: no row that --where leaves", path);
	csv_free(&table);
	return code;
}
