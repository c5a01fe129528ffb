/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are added one by one; every form goes over the same columns. */
#include "dse/power/power_analysis.h"
#include "dse/base/memory.h"
#include "dse/out/csv_write.h"
#include "dse/out/table.h"
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

const char *const power_question_name[N_POWER_QUESTION] = {"pairs", "clock", "switch", "sensitivity", "domains"};

struct power_finding *power_analysis_add(struct power_analysis *analysis, struct arena *arena)
{
	assert(analysis->n_column <= POWER_MAX_COLUMN);
	if (analysis->n_row == analysis->n_alloc) {
		size_t n = analysis->n_alloc ? 2 * analysis->n_alloc : 32;
		struct power_finding *row = memory_must(arena_array(arena, n, sizeof(*row)));
		if (analysis->n_row > 0)
			memcpy(row, analysis->row, analysis->n_row * sizeof(*row));
		analysis->row = row;
		analysis->n_alloc = n;
	}
	struct power_finding *finding = &analysis->row[analysis->n_row++];
	for (size_t i = 0; i < POWER_MAX_COLUMN; i++)
		finding->value[i] = NAN;
	return finding;
}

void power_analysis_note(struct power_analysis *analysis, const char *format, ...)
{
	assert(analysis->n_note < POWER_MAX_NOTE);
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(analysis->note[analysis->n_note++], sizeof(analysis->note[0]), format, arguments);
	va_end(arguments);
}

void power_analysis_set_columns(struct power_analysis *analysis, const char *label, const char *const *column, size_t n)
{
	assert(n <= POWER_MAX_COLUMN);
	analysis->label = label;
	analysis->n_column = n;
	for (size_t i = 0; i < n; i++)
		analysis->column[i] = column[i];
}

void power_analysis_print(FILE *file, const struct power_analysis *analysis)
{
	assert(file && analysis->question < N_POWER_QUESTION && analysis->n_note <= POWER_MAX_NOTE);
	struct table table = {0};
	table_add_column(&table, analysis->label, false);
	for (size_t i = 0; i < analysis->n_column; i++)
		table_add_column(&table, analysis->column[i], true);
	for (size_t i = 0; i < analysis->n_row; i++) {
		table_add(&table, "%s", analysis->row[i].label);
		for (size_t k = 0; k < analysis->n_column; k++)
			table_add_real(&table, analysis->row[i].value[k]);
	}
	(void)fprintf(file, "\n%s\n", power_question_name[analysis->question]);
	table_finish(&table, file, 0);
	for (size_t i = 0; i < analysis->n_note; i++)
		(void)fprintf(file, "%s\n", analysis->note[i]);
}

void power_analysis_write_csv(FILE *file, const struct power_analysis *analysis)
{
	assert(file && analysis->label);
	csv_put_text(file, true, analysis->label);
	for (size_t i = 0; i < analysis->n_column; i++)
		csv_put_text(file, false, analysis->column[i]);
	(void)fputc('\n', file);
	for (size_t i = 0; i < analysis->n_row; i++) {
		csv_put_text(file, true, analysis->row[i].label);
		for (size_t k = 0; k < analysis->n_column; k++)
			if (isfinite(analysis->row[i].value[k]))
				csv_put_real(file, false, analysis->row[i].value[k]);
			else
				csv_put_text(file, false, "");
		(void)fputc('\n', file);
	}
}

void power_analysis_put_json(struct json *json, const struct power_analysis *analysis)
{
	assert(json && analysis->label);
	json_begin_object(json, "analysis");
	json_put_text(json, "question", power_question_name[analysis->question]);
	json_begin_list(json, "rows");
	for (size_t i = 0; i < analysis->n_row; i++) {
		json_begin_object(json, NULL);
		json_put_text(json, analysis->label, analysis->row[i].label);
		for (size_t k = 0; k < analysis->n_column; k++)
			json_put_real(json, analysis->column[k], analysis->row[i].value[k]);
		json_end(json);
	}
	json_end(json);
	json_begin_list(json, "notes");
	for (size_t i = 0; i < analysis->n_note; i++)
		json_put_text(json, NULL, analysis->note[i]);
	json_end(json);
	json_end(json);
}
