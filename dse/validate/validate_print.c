/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and JSON of what came of a reference table. */
#include "dse/validate/validate_print.h"
#include "dse/out/colour.h"
#include "dse/out/machine_column.h"
#include "dse/out/table.h"
#include <assert.h>
#include <math.h>
#include <string.h>

void validate_print_subject(const struct validation *validation, const struct validate_value *value,
                            char text[VALIDATE_SUBJECT_SIZE])
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
		int n_more = cell[0] ? snprintf(text + n, VALIDATE_SUBJECT_SIZE - n, "%.32s ", cell) : 0;
		if (n_more > 0)
			n = n + (size_t)n_more < VALIDATE_SUBJECT_SIZE ? n + (size_t)n_more : VALIDATE_SUBJECT_SIZE - 1;
	}
	/* of parameters without end the first ones */
	int n_param = machine_column_print(table, value->row, text + n, VALIDATE_SUBJECT_SIZE - n);
	n = n + (size_t)n_param < VALIDATE_SUBJECT_SIZE ? n + (size_t)n_param : VALIDATE_SUBJECT_SIZE - 1;
	(void)snprintf(text + n, VALIDATE_SUBJECT_SIZE - n, "%.40s%s", table->header[value->column].text,
	               value->is_all_work ? ", all work" : "");
}

unsigned validate_value_line(const struct validation *validation, const struct validate_value *value)
{
	return csv_get_cell(&validation->table, value->row, value->column)->line;
}

/* Counts without a fraction, ratios with two places, no number as a dash. */
static void print_number(double value, char text[NUMBER_SIZE])
{
	if (isnan(value))
		(void)snprintf(text, NUMBER_SIZE, "-");
	else
		(void)snprintf(text, NUMBER_SIZE, value == floor(value) ? "%.0f" : "%.2f", value);
}

#define NOTES_SIZE 256

/* Heads of the tiers' errors, where there are several. */
static const char *const error_head[N_DETAIL] = {
    [DETAIL_FAST] = "fast_pct", [DETAIL_EVENT] = "event_pct", [DETAIL_GREYBOX] = "greybox_pct"};

/* Why a value does not count, or what there is to say; of two tiers that say the same, once. */
static void add_notes(struct table *table, const struct validation *validation, size_t n, size_t at)
{
	char text[NOTES_SIZE] = "";
	for (size_t i = 0, n_byte = 0; i < n; i++) {
		const struct prediction *prediction = &validation[i].value[at].prediction;
		const struct prediction *before = i > 0 ? &validation[i - 1].value[at].prediction : NULL;
		if (!prediction->note || n_byte >= sizeof(text) ||
		    (before && before->note == prediction->note && before->counted == prediction->counted))
			continue;
		n_byte += (size_t)snprintf(text + n_byte, sizeof(text) - n_byte, "%s%s%s%s%s", n_byte > 0 ? "  " : "",
		                           n > 1 && i > 0 ? detail_name[validation[i].detail] : "",
		                           n > 1 && i > 0 ? ": " : "",
		                           prediction->counted ? "" : "not counted: ", prediction->note);
	}
	table_add(table, "%s", text);
}

/*
 * Of each value its row and column, what is predicted ("predicted", or of several tiers "fast" and "event"), the
 * reference and the errors; the note last, because it may be long.
 */
static void print_values(FILE *file, const struct validation *validation, size_t n)
{
	char subject[VALIDATE_SUBJECT_SIZE], number[NUMBER_SIZE];
	struct table table = {0};
	table_add_column(&table, "value", false);
	for (size_t k = 0; k < n; k++)
		table_add_column(&table, n > 1 ? detail_name[validation[k].detail] : "predicted", true);
	table_add_column(&table, "reference", true);
	for (size_t k = 0; k < n; k++)
		table_add_column(&table, n > 1 ? error_head[validation[k].detail] : "error %", true);
	table_add_column(&table, "", false);
	for (size_t i = 0; i < validation->n_value; i++) {
		validate_print_subject(validation, &validation->value[i], subject);
		table_add(&table, "%s", subject);
		for (size_t k = 0; k < n; k++) {
			print_number(validation[k].value[i].prediction.value, number);
			table_add(&table, "%s", number);
		}
		print_number(validation->value[i].reference, number);
		table_add(&table, "%s", number);
		for (size_t k = 0; k < n; k++) {
			double error_pct = validation[k].value[i].error_pct;
			table_add(&table, isnan(error_pct) ? "-" : "%+.2f", error_pct);
		}
		add_notes(&table, validation, n, i);
	}
	table_finish(&table, file, 0);
}

static void add_sum_columns(struct table *table, const char *what, size_t n)
{
	table_add_column(table, what, false);
	if (n > 1)
		table_add_column(table, "tier", false);
	table_add_columns(table, ">values|>counted|>mean_pct|>largest_pct");
}

/* The cells behind the first one; tier: NULL where there is one. */
static void add_sum(struct table *table, const char *tier, const struct validate_sum *sum)
{
	if (tier)
		table_add(table, "%s", tier);
	table_add_row(table, "%zu|%zu", sum->n_reference, sum->n_counted);
	if (isnan(sum->mean_abs_error_pct))
		table_add_row(table, "-|-");
	else
		table_add_row(table, "%.2f|%.2f", sum->mean_abs_error_pct, sum->max_abs_error_pct);
}

static void print_sums(FILE *file, struct table *table)
{
	(void)fputc('\n', file);
	table_finish(table, file, 2);
}

/* Errors column by column: where a table has phases, they tell which of them a total's error comes from. */
static void print_columns(FILE *file, const struct validation *validation, size_t n)
{
	struct table table = {0};
	if (validation->n_column < 2)
		return;
	add_sum_columns(&table, "column", n);
	for (size_t i = 0; i < validation->n_column; i++) {
		for (size_t k = 0; k < n; k++) {
			assert(validation[k].n_column == validation->n_column);
			table_add(&table, "%s", validation->table.header[validation->column[i].column].text);
			add_sum(&table, n > 1 ? detail_name[validation[k].detail] : NULL, &validation[k].column[i].sum);
		}
	}
	print_sums(file, &table);
}

static const char *setting_text(const struct validation *validation, const struct validate_setting *setting)
{
	const char *text = csv_get_cell(&validation->table, setting->row, setting->column)->text;
	return text[0] != '\0' ? text : "as in its file";
}

/* Errors by the values of each machine parameter that changes from row to row. */
static void print_settings(FILE *file, const struct validation *validation, size_t n)
{
	struct table table = {0};
	if (validation->n_setting == 0)
		return;
	add_sum_columns(&table, "machine", n);
	for (size_t i = 0; i < validation->n_setting; i++) {
		for (size_t k = 0; k < n; k++) {
			const struct validate_setting *setting = &validation[k].setting[i];
			assert(validation[k].n_setting == validation->n_setting);
			table_add(&table, "%s %.32s", validation->table.header[setting->column].text,
			          setting_text(validation, setting));
			add_sum(&table, n > 1 ? detail_name[validation[k].detail] : NULL, &setting->sum);
		}
	}
	print_sums(file, &table);
}

/* What counts, and how far off. The worst value of all is named: it is where one looks first. */
static void print_errors(FILE *file, const struct validation *validation)
{
	const struct validate_sum *sum = &validation->sum;
	if (sum->n_counted == 0) {
		(void)fprintf(file, ", none counted");
		return;
	}
	(void)fprintf(file, ", %zu counted: ", sum->n_counted);
	if (sum->n_infinite == 0 && sum->max_abs_error_pct == 0) {
		(void)fprintf(file, "all exact");
		return;
	}
	if (sum->n_infinite < sum->n_counted)
		(void)fprintf(file, "mean error %.2f %%, largest %.2f %%", sum->mean_abs_error_pct,
		              sum->max_abs_error_pct);
	if (sum->n_infinite > 0)
		(void)fprintf(file, "%s%zu without a finite error", sum->n_infinite < sum->n_counted ? "; " : "",
		              sum->n_infinite);
	assert(sum->worst < validation->n_value);
	const struct validate_value *worst = &validation->value[sum->worst];
	char subject[VALIDATE_SUBJECT_SIZE];
	validate_print_subject(validation, worst, subject);
	(void)fprintf(file, " (line %u: %s)", validate_value_line(validation, worst), subject);
}

/* Values are what the table has; entries without a reference are no part of them. */
static void print_summary(FILE *file, const struct validation *validation, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		(void)fprintf(file, "%s%s%s: %zu values", validation[i].table.file, n > 1 ? ", " : "",
		              n > 1 ? detail_name[validation[i].detail] : "", validation[i].sum.n_reference);
		print_errors(file, &validation[i]);
		if (validation[i].n_unpredicted > 0)
			(void)fprintf(file, "; %zu not predicted", validation[i].n_unpredicted);
		(void)fputc('\n', file);
	}
}

void validate_print_table(FILE *file, const struct validation *validation, size_t n)
{
	assert(file && validation && n > 0 && n <= N_DETAIL);
	for (size_t i = 1; i < n; i++)
		assert(validation[i].n_value == validation->n_value);
	(void)fprintf(file, "%s (%s: %s)\n", validation->table.file, validation->kind->name, validation->kind->help);
	print_values(file, validation, n);
	print_columns(file, validation, n);
	print_settings(file, validation, n);
	if (validation->n_column > 1 || validation->n_setting > 0)
		(void)fputc('\n', file);
	print_summary(file, validation, n);
}

static void put_prediction(struct json *json, const struct validate_value *value)
{
	json_put_fields(json, "predicted %g, reference %g, error_pct %g, counted %d, note %s", value->prediction.value,
	                value->reference, value->error_pct, value->prediction.counted, value->prediction.note);
}

/* Key cells under their column's names: a reader of JSON finds a row as it finds it in the table. */
static void put_value(struct json *json, const struct validation *validation, size_t n, size_t at)
{
	const struct csv_table *table = &validation->table;
	const struct validate_value *value = &validation->value[at];
	json_begin_object(json, NULL);
	for (const char *const *key = validation->kind->key; *key; key++)
		json_put_text(json, *key, csv_get_cell(table, value->row, csv_find_column(table, *key))->text);
	for (size_t i = 0; i < table->n_column; i++) {
		if (machine_column_find(table->header[i].text))
			json_put_text(json, table->header[i].text, csv_get_cell(table, value->row, i)->text);
	}
	json_put_fields(json, "line %u, column %s", validate_value_line(validation, value),
	                table->header[value->column].text);
	if (value->is_all_work)
		json_put_bool(json, "all_work", true);
	if (n == 1)
		put_prediction(json, value);
	for (size_t i = 0; i < n && n > 1; i++) {
		json_begin_object(json, detail_name[validation[i].detail]);
		put_prediction(json, &validation[i].value[at]);
		json_end(json);
	}
	json_end(json);
}

static void put_sum(struct json *json, const struct validate_sum *sum)
{
	json_put_fields(
	    json, "n_values %zu, n_counted %zu, n_infinite %zu, mean_abs_error_pct %g, max_abs_error_pct %g",
	    sum->n_reference, sum->n_counted, sum->n_infinite, sum->mean_abs_error_pct, sum->max_abs_error_pct);
}

/* Sums of all values, of each column and of each setting of a machine parameter; the object is open. */
static void put_sums(struct json *json, const struct validation *validation)
{
	put_sum(json, &validation->sum);
	json_begin_list(json, "columns");
	for (size_t i = 0; i < validation->n_column; i++) {
		json_begin_object(json, NULL);
		json_put_text(json, "column", validation->table.header[validation->column[i].column].text);
		put_sum(json, &validation->column[i].sum);
		json_end(json);
	}
	json_end(json);
	if (validation->n_setting == 0)
		return;
	json_begin_list(json, "settings");
	for (size_t i = 0; i < validation->n_setting; i++) {
		const struct validate_setting *setting = &validation->setting[i];
		json_begin_object(json, NULL);
		json_put_fields(json, "parameter %s, value %s", validation->table.header[setting->column].text,
		                csv_get_cell(&validation->table, setting->row, setting->column)->text);
		put_sum(json, &setting->sum);
		json_end(json);
	}
	json_end(json);
}

void validate_put_json(struct json *json, const struct validation *validation, size_t n)
{
	assert(json && validation && n > 0 && n <= N_DETAIL);
	json_begin_object(json, NULL);
	json_put_fields(json, "file %s, kind %s, detail %s", validation->table.file, validation->kind->name,
	                n == 3   ? "all"
	                : n == 2 ? "both"
	                         : detail_name[validation->detail]);
	json_begin_list(json, "rows");
	for (size_t i = 0; i < validation->n_value; i++)
		put_value(json, validation, n, i);
	json_end(json);
	if (n == 1)
		put_sums(json, validation);
	for (size_t i = 0; i < n && n > 1; i++) {
		json_begin_object(json, detail_name[validation[i].detail]);
		put_sums(json, &validation[i]);
		json_end(json);
	}
	json_end(json);
}
