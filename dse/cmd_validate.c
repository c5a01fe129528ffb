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

/* What counts, and how far off. The worst value of all is named: it is where one looks first. */
static void print_errors(FILE *file, const struct validation *validation)
{
	if (validation->n_counted == 0) {
		(void)fprintf(file, ", none counted");
		return;
	}
	(void)fprintf(file, ", %zu counted: ", validation->n_counted);
	if (validation->n_infinite == 0 && validation->max_abs_error_pct == 0) {
		(void)fprintf(file, "all exact");
		return;
	}
	if (validation->n_infinite < validation->n_counted)
		(void)fprintf(file, "mean error %.2f %%, largest %.2f %%", validation->mean_abs_error_pct,
		              validation->max_abs_error_pct);
	if (validation->n_infinite > 0)
		(void)fprintf(file, "%s%zu without a finite error",
		              validation->n_infinite < validation->n_counted ? "; " : "", validation->n_infinite);
	assert(validation->worst < validation->n_value);
	const struct validate_value *worst = &validation->value[validation->worst];
	char subject[SUBJECT_SIZE];
	print_subject(validation, worst, subject);
	(void)fprintf(file, " (line %u: %s)", value_line(validation, worst), subject);
}

/* Values are what the table has; entries without a reference are no part of them. */
static void print_summary(FILE *file, const struct validation *validation)
{
	(void)fprintf(file, "%s: %zu values", validation->table.file, validation->n_reference);
	print_errors(file, validation);
	if (validation->n_unpredicted > 0)
		(void)fprintf(file, "; %zu not predicted", validation->n_unpredicted);
	(void)fputc('\n', file);
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
		(void)fprintf(file, "%-*s %12s %12s ", width, subject, predicted, reference);
		if (isnan(value->error_pct))
			(void)fprintf(file, "%9s", "-");
		else
			(void)fprintf(file, "%+9.2f", value->error_pct);
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
	json_put_real(json, "reference", value->reference); /* no number: null */
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
		json_put_u64(&json, "n_infinite", validation[i].n_infinite);
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

/* The worst value of a file that is over the limit. */
static enum err_code report_worst(const struct cli_options *options, const struct validation *validation,
                                  struct err *err)
{
	const struct validate_value *worst = &validation->value[validation->worst];
	const char *file = validation->table.file;
	unsigned line = value_line(validation, worst);
	char subject[SUBJECT_SIZE];
	print_subject(validation, worst, subject);
	if (isfinite(worst->error_pct))
		return err_add(err, ERR_GATE, "%s:%u: %s: error of %.2f %% exceeds --max-error %g", file, line, subject,
		               worst->error_pct, options->max_error_pct);
	assert(worst->prediction.note);
	return err_add(err, ERR_GATE, "%s:%u: %s: fails --max-error %g, having no finite error: %s", file, line,
	               subject, options->max_error_pct, worst->prediction.note);
}

/* One message for each file over the limit. A file of which nothing counts has shown nothing: say so, but pass. */
static enum err_code judge(const struct cli_options *options, const struct validation *validation, size_t n,
                           struct err *err)
{
	if (!cli_given(options, OPTION_MAX_ERROR))
		return ERR_OK;
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		if (validation[i].n_counted == 0) {
			if (!options->quiet)
				(void)fprintf(stderr, "%s: note: no value counts, so --max-error judges nothing\n",
				              validation[i].table.file);
			continue;
		}
		if (validation[i].n_infinite > 0 || validation[i].max_abs_error_pct > options->max_error_pct)
			code = report_worst(options, &validation[i], err);
	}
	return code;
}

/*
 * Every file is read, so that the mistakes of all are seen at once. Nothing is
 * printed if one is no reference table at all; rows that are not understood are
 * listed as such, and make the exit code ERR_INPUT.
 */
static enum err_code compare_files(const struct cli_options *options, struct source *source,
                                   struct validation *validation, struct err *err)
{
	enum err_code code = ERR_OK;
	bool whole = true;
	for (size_t i = 0; i < options->n_file; i++) {
		enum err_code file_code = validate_file(options->file[i], source, &validation[i], err);
		whole = whole && validation[i].kind && file_code != ERR_INTERNAL;
		code = code ? code : file_code;
	}
	if (!whole)
		return code;
	const char *unused = source_unused_target(source);
	if (unused)
		return err_add(err, ERR_USAGE, "--machine %s: its target is %s, and no row of the files is about a %s",
		               options->machine, unused, unused);
	enum err_code write_code = write_result(options, validation, options->n_file, err);
	code = code ? code : write_code;
	enum err_code judge_code = write_code ? ERR_OK : judge(options, validation, options->n_file, err);
	return code ? code : judge_code;
}

enum err_code cmd_validate(const struct cli_options *options, struct err *err)
{
	assert(options && options->n_file > 0 && err);
	struct source *source = NULL;
	struct validation *validation = calloc(options->n_file, sizeof(*validation));
	if (!validation)
		return err_add(err, ERR_INTERNAL, "out of memory");
	enum err_code code = source_open(options->machine, options->split_scheme, &source, err);
	if (!code)
		code = compare_files(options, source, validation, err);
	for (size_t i = 0; i < options->n_file; i++)
		validate_free(&validation[i]);
	free(validation);
	source_close(source);
	return code;
}
