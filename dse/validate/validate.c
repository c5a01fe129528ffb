/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The road of a table: read (sim/base/csv) -> kind by its columns -> for every
 * cell of a value column: predict (the kind's file) -> set apart
 * (validate_rule.c) -> error (validate_compare.c) -> of rows with the same key
 * the nearest (validate_duplicate.c) -> sum. A mistake in a row is reported with
 * its cell; the row is listed without a prediction and the others come out.
 */
#include "dse/out/machine_column.h"
#include "dse/validate/validate_parts.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Whether a name is what a value column is called: the same, or with at least one letter for its '*'. */
static bool matches(const char *name, const char *value)
{
	const char *star = strchr(value, '*');
	if (!star)
		return strcmp(name, value) == 0;
	size_t n_name = strlen(name), n_begin = (size_t)(star - value), n_end = strlen(star + 1);
	return n_name > n_begin + n_end && memcmp(name, value, n_begin) == 0 &&
	       strcmp(name + n_name - n_end, star + 1) == 0;
}

const struct reference_value *validate_find_value(const struct reference_kind *kind, const struct csv_table *table,
                                                  size_t column)
{
	assert(column < table->n_column);
	const char *name = table->header[column].text;
	if (machine_column_find(name)) /* transfer.copy_setup_clk is no network's clocks */
		return NULL;
	for (const struct reference_value *value = kind->value; value->name; value++) {
		if (matches(name, value->name))
			return value;
	}
	return NULL;
}

/* How well a table fits a kind. */
struct kind_fit {
	size_t n_key, n_value; /* columns of the kind that the table has */
	bool whole;            /* all key columns and a value column */
};

static bool has_pattern(const struct reference_kind *kind)
{
	return kind->value[0].name && kind->value[0].name[0] == '*';
}

/* Values are optional one by one: a table may leave out what its author did not measure. */
static struct kind_fit fit_kind(const struct csv_table *table, const struct reference_kind *kind)
{
	struct kind_fit fit = {0};
	size_t n_key = 0;
	for (; kind->key[n_key]; n_key++)
		fit.n_key += csv_find_column(table, kind->key[n_key]) != CSV_NO_COLUMN;
	for (size_t i = 0; i < table->n_column; i++)
		fit.n_value += validate_find_value(kind, table, i) != NULL;
	/* A pattern stands for one column, or a kind that has one would outbid those that name theirs. */
	if (fit.n_value > 1 && has_pattern(kind))
		fit.n_value = 1;
	fit.whole = fit.n_key == n_key && fit.n_value > 0;
	return fit;
}

/* Nothing fits: say what the most similar kind would need. */
static enum err_code report_missing(const struct csv_table *table, const struct reference_kind *kind, struct err *err)
{
	struct err_place at = {table->file, 1, 1};
	if (!kind)
		return err_add_at(err, ERR_INPUT, at, "no column of any reference table; see dse validate --help");
	for (const char *const *key = kind->key; *key; key++) {
		if (csv_find_column(table, *key) != CSV_NO_COLUMN)
			continue;
		const char *name[CSV_MAX_COLUMN];
		for (size_t i = 0; i < table->n_column; i++)
			name[i] = table->header[i].text;
		const char *near = err_nearest(*key, name, table->n_column);
		(void)err_add_at(err, ERR_INPUT, at, "nearest kind of table: %s, but the column '%s' is missing%s%s%s",
		                 kind->name, *key, near ? "; did you mean it by '" : "", near ? near : "",
		                 near ? "'?" : "");
	}
	if (fit_kind(table, kind).n_value == 0)
		(void)err_add_at(err, ERR_INPUT, at,
		                 "nearest kind of table: %s, but it has no column to compare, such as '%s'", kind->name,
		                 kind->value[0].name);
	return ERR_INPUT;
}

/* Columns of machine parameters: known ones, and only where the kind's rows can use them. */
static enum err_code check_params(const struct csv_table *table, const struct reference_kind *kind, struct err *err)
{
	enum err_code code = machine_column_check(table, err);
	for (size_t i = 0; i < table->n_column && kind->no_param; i++) {
		if (machine_column_find(table->header[i].text))
			code = err_add_at(err, ERR_INPUT, csv_place(table, &table->header[i]),
			                  "a row of %s says all of its machine; no machine parameter is allowed",
			                  kind->name);
	}
	return code;
}

enum err_code validate_find_kind(const struct csv_table *table, const struct reference_kind *kind, size_t n,
                                 const struct reference_kind **found, struct err *err)
{
	assert(table && found && (kind || n == 0));
	const struct reference_kind *best = NULL, *nearest = NULL;
	size_t n_best = 0, n_nearest = 0;
	for (size_t i = 0; i < n; i++) {
		struct kind_fit fit = fit_kind(table, &kind[i]);
		if (fit.whole && fit.n_key + fit.n_value > n_best) {
			n_best = fit.n_key + fit.n_value;
			best = &kind[i];
		}
		if (fit.n_key + fit.n_value > n_nearest) {
			n_nearest = fit.n_key + fit.n_value;
			nearest = &kind[i];
		}
	}
	/* A pattern takes nearly any table: a kind of which more is there was meant, with a column misspelt. */
	if (!best || (has_pattern(best) && n_nearest > n_best))
		return report_missing(table, nearest, err);
	enum err_code code = check_params(table, best, err);
	if (!code)
		*found = best;
	return code;
}

enum err_code validate_file(const char *path, struct source *source, struct validation *validation, struct err *err)
{
	assert(path && source && validation);
	*validation = (struct validation){0};
	enum err_code code = csv_read_file(path, &validation->table, err);
	if (!code)
		code = validate_find_kind(&validation->table, reference_kind_table, reference_n_kind, &validation->kind,
		                          err);
	if (code) {
		validate_free(validation);
		return code;
	}
	return validate_compare(validation, source, err);
}

void validate_free(struct validation *validation)
{
	assert(validation);
	csv_free(&validation->table);
	free(validation->value);
	*validation = (struct validation){0};
}
