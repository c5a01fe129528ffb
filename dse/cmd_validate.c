/* SPDX-License-Identifier: Apache-2.0 */
/* dse validate: predict every value of published tables, print the errors, and judge them by --max-error. */
#include "dse/cli.h"
#include "dse/json.h"
#include "dse/store.h"
#include "dse/validate.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUBJECT_SIZE 160 /* of the key cells of a row, joined */

/* What a row is about: the key cells that name it and the value's column, blanks between. */
static void print_subject(const struct validation *validation, const struct validate_value *value,
                          char text[SUBJECT_SIZE])
{
	const struct csv_table *table = &validation->table;
	assert(value->row < table->n_row && value->column < table->n_column);
	size_t n = 0;
	text[0] = '\0';
	const struct reference_kind *kind = validation->kind;
	for (size_t i = 0; i < kind->n_name; i++) {
		assert(kind->key[i]);
		size_t column = csv_find_column(table, kind->key[i]);
		assert(column != CSV_NO_COLUMN);
		const char *cell = csv_get_cell(table, value->row, column)->text;
		int n_more = cell[0] ? snprintf(text + n, SUBJECT_SIZE - n, "%.32s ", cell) : 0;
		if (n_more > 0)
			n = n + (size_t)n_more < SUBJECT_SIZE ? n + (size_t)n_more : SUBJECT_SIZE - 1;
	}
	(void)snprintf(text + n, SUBJECT_SIZE - n, "%.40s", table->header[value->column].text);
}

/* Counts without a fraction, ratios with two places, no number as a dash. */
static void print_number(double value, char text[NUMBER_SIZE])
{
	if (isnan(value))
		(void)snprintf(text, NUMBER_SIZE, "-");
	else
		(void)snprintf(text, NUMBER_SIZE, value == floor(value) ? "%.0f" : "%.2f", value);
}

static unsigned value_line(const struct validation *validation, const struct validate_value *value)
{
	return csv_get_cell(&validation->table, value->row, value->column)->line;
}

/* The worst value is named: it is where one looks first. */
static void print_summary(FILE *file, const struct validation *validation)
{
	if (validation->n_counted == 0) {
		(void)fprintf(file, "%s: %zu values, none counted\n", validation->table.file, validation->n_value);
		return;
	}
	if (validation->max_abs_error_pct == 0) {
		(void)fprintf(file, "%s: %zu values, %zu counted: all exact\n", validation->table.file,
		              validation->n_value, validation->n_counted);
		return;
	}
	assert(validation->worst < validation->n_value);
	const struct validate_value *worst = &validation->value[validation->worst];
	char subject[SUBJECT_SIZE];
	print_subject(validation, worst, subject);
	(void)fprintf(file, "%s: %zu values, %zu counted: mean error %.2f %%, largest %.2f %% (line %u: %s)\n",
	              validation->table.file, validation->n_value, validation->n_counted,
	              validation->mean_abs_error_pct, validation->max_abs_error_pct, value_line(validation, worst),
	              subject);
}

/*
 * Subject and column first, as wide as the widest, so that the numbers stand in
 * columns; the note last, because it may be long.
 */
static void print_table(FILE *file, const struct validation *validation)
{
	int width = (int)strlen("value");
	char subject[SUBJECT_SIZE], predicted[NUMBER_SIZE], reference[NUMBER_SIZE];
	for (size_t i = 0; i < validation->n_value; i++) {
		print_subject(validation, &validation->value[i], subject);
		int n = (int)strlen(subject);
		width = n > width ? n : width;
	}
	(void)fprintf(file, "%s (%s: %s)\n", validation->table.file, validation->kind->name, validation->kind->help);
	(void)fprintf(file, "%-*s %12s %12s %9s\n", width, "value", "predicted", "reference", "error_pct");
	for (size_t i = 0; i < validation->n_value; i++) {
		const struct validate_value *value = &validation->value[i];
		print_subject(validation, value, subject);
		print_number(value->prediction.value, predicted);
		print_number(value->reference, reference);
		(void)fprintf(file, "%-*s %12s %12s %+9.2f", width, subject, predicted, reference, value->error_pct);
		if (!value->prediction.counted)
			(void)fprintf(file, "  not counted: %s", value->prediction.note);
		else if (value->prediction.note)
			(void)fprintf(file, "  %s", value->prediction.note);
		(void)fputc('\n', file);
	}
	print_summary(file, validation);
}

/* Key cells under their column's names: a reader of JSON finds a row as it finds it in the table. */
static void write_value(struct json *json, const struct validation *validation, const struct validate_value *value)
{
	const struct csv_table *table = &validation->table;
	json_begin_object(json, NULL);
	for (const char *const *key = validation->kind->key; *key; key++)
		json_put_text(json, *key, csv_get_cell(table, value->row, csv_find_column(table, *key))->text);
	json_put_u64(json, "line", value_line(validation, value));
	json_put_text(json, "column", table->header[value->column].text);
	json_put_real(json, "predicted", value->prediction.value);
	json_put_real(json, "reference", value->reference);
	json_put_real(json, "error_pct", value->error_pct);
	json_put_bool(json, "counted", value->prediction.counted);
	json_put_text(json, "note", value->prediction.note);
	json_end(json);
}

static void write_json(FILE *file, const struct validation *validation, size_t n)
{
	struct json json;
	json_start(&json, file, 4);
	json_begin_object(&json, NULL);
	json_begin_list(&json, "files");
	for (size_t i = 0; i < n; i++) {
		json_begin_object(&json, NULL);
		json_put_text(&json, "file", validation[i].table.file);
		json_put_text(&json, "kind", validation[i].kind->name);
		json_begin_list(&json, "rows");
		for (size_t j = 0; j < validation[i].n_value; j++)
			write_value(&json, &validation[i], &validation[i].value[j]);
		json_end(&json);
		json_put_u64(&json, "n_counted", validation[i].n_counted);
		json_put_real(&json, "mean_abs_error_pct", validation[i].mean_abs_error_pct);
		json_put_real(&json, "max_abs_error_pct", validation[i].max_abs_error_pct);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	json_finish(&json);
}

static enum err_code write_result(const struct cli_options *options, const struct validation *validation, size_t n,
                                  struct err *err)
{
	struct store_file out = {0};
	enum err_code code = store_open(&out, options->out, err);
	if (code)
		return code;
	assert(out.file);
	if (options->json) {
		write_json(out.file, validation, n);
	} else {
		for (size_t i = 0; i < n; i++) {
			if (i > 0)
				(void)fputc('\n', out.file);
			print_table(out.file, &validation[i]);
		}
	}
	return store_commit(&out, err);
}

/* One message for each file over the limit. A file of which nothing counts has shown nothing: say so, but pass. */
static enum err_code judge(const struct cli_options *options, const struct validation *validation, size_t n,
                           struct err *err)
{
	if (!cli_given(options, OPTION_MAX_ERROR))
		return ERR_OK;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		if (validation[i].n_counted == 0 && !options->quiet)
			(void)fprintf(stderr, "%s: note: no value counts, so --max-error judges nothing\n",
			              validation[i].table.file);
		if (validation[i].n_counted == 0 || validation[i].max_abs_error_pct <= options->max_error_pct)
			continue;
		const struct validate_value *worst = &validation[i].value[validation[i].worst];
		char subject[SUBJECT_SIZE];
		print_subject(&validation[i], worst, subject);
		code = err_add(err, ERR_GATE, "%s:%u: %s: error of %.2f %% exceeds --max-error %g",
		               validation[i].table.file, value_line(&validation[i], worst), subject, worst->error_pct,
		               options->max_error_pct);
	}
	return code;
}

/* Every file is read, so that the mistakes of all are seen at once; nothing is printed if any is wrong. */
enum err_code cmd_validate(const struct cli_options *options, struct err *err)
{
	assert(options && options->n_file > 0 && err);
	struct source *source = NULL;
	struct validation *validation = calloc(options->n_file, sizeof(*validation));
	enum err_code code = ERR_OK;
	if (!validation) {
		code = err_add(err, ERR_INTERNAL, "out of memory");
		goto cleanup;
	}
	code = source_open(options->machine, options->split_scheme, &source, err);
	if (code)
		goto cleanup;
	for (size_t i = 0; i < options->n_file; i++) {
		enum err_code file_code = validate_file(options->file[i], source, &validation[i], err);
		code = code ? code : file_code;
	}
	if (!code)
		code = write_result(options, validation, options->n_file, err);
	if (!code)
		code = judge(options, validation, options->n_file, err);
cleanup:
	for (size_t i = 0; validation && i < options->n_file; i++)
		validate_free(&validation[i]);
	free(validation);
	source_close(source);
	return code;
}
