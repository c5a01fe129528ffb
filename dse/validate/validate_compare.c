/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicts, compares and sums up a table. A mistake stays in its row: the row's values are listed without a prediction
 * and do not count.
 */
#include "dse/out/machine_column.h"
#include "dse/base/memory.h"
#include "dse/validate/validate_parts.h"
#include "sim/base/stop.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char no_reference_note[] = "no reference value";
static const char bad_reference_note[] = "the reference value is not understood";
static const char bad_flag_note[] = "a flag of the row is not understood";
static const char not_understood_note[] = "not predicted: the row or column is not understood";
static const char all_work_note[] = "all work done, of which the source left out some";
static const char zero_reference_note[] =
    "the reference is 0, so there is no relative error: exceeds any limit, left out of mean and largest error";

/* A table on its way: where its values are, and what was said of each column last, so that nothing is said twice. */
struct table_comparison {
	struct validation *validation;
	struct source *source;
	size_t n_column, column[CSV_MAX_COLUMN];
	const struct reference_value *value[CSV_MAX_COLUMN]; /* of the columns */
	struct err said[CSV_MAX_COLUMN];
	bool failed; /* a row was not understood */
	struct err *err;
};

double validate_error_pct(double predicted, double reference)
{
	assert(isfinite(reference));
	if (isnan(predicted))
		return INFINITY;
	if (reference == 0)
		return predicted == 0 ? 0 : INFINITY;
	return 100 * (predicted - reference) / reference;
}

/* A misspelt flag would count what must not count. */
static bool check_flag(const struct csv_table *table, size_t row, const char *column, struct err *err)
{
	const struct csv_cell *cell = cell_find(table, row, column);
	if (!cell || strcmp(cell->text, "yes") == 0 || strcmp(cell->text, "no") == 0 || cell->text[0] == '\0')
		return true;
	(void)err_add_at(err, ERR_INPUT, csv_place(table, cell), "%s is '%.40s'; yes, no or nothing is allowed", column,
	                 cell->text);
	return false;
}

/* What is wrong with a row's key or with a column's name would be said once for each of their cells. */
static void say_once(struct table_comparison *comparison, size_t i, struct err *part)
{
	assert(i < comparison->n_column);
	bool said = part->n_message == 0;
	for (size_t j = 0; j < comparison->n_column && !said; j++)
		said = strcmp(err_text(&comparison->said[j]), err_text(part)) == 0;
	if (!said)
		(void)err_add_all(comparison->err, (struct err_place){NULL, 0, 0}, part);
	err_clear(&comparison->said[i]);
	comparison->said[i] = *part;
	*part = (struct err){0};
}

/* What the kind's predictor says of a value. */
static enum err_code ask(const struct table_comparison *comparison, size_t row, size_t i, struct prediction *prediction,
                         struct err *err)
{
	const struct validation *validation = comparison->validation;
	const struct validate_cell cell = {.source = comparison->source,
	                                   .table = &validation->table,
	                                   .row = row,
	                                   .column = comparison->column[i],
	                                   .value = comparison->value[i]};
	*prediction = (struct prediction){NAN, true, NULL, NAN};
	if (stop_requested(NULL)) /* the command says so, of no row */
		return ERR_INTERRUPTED;
	return validation->kind->predict(&cell, prediction, err);
}

/* The model's word on a value; ERR_INTERNAL only. */
static enum err_code predict(struct table_comparison *comparison, size_t row, size_t i, struct prediction *prediction)
{
	struct err part = {0};
	enum err_code code = ask(comparison, row, i, prediction, &part);
	if (code) {
		*prediction = (struct prediction){NAN, false, not_understood_note, NAN};
		comparison->failed = true;
		comparison->validation->n_unpredicted++;
	}
	say_once(comparison, i, &part);
	return code == ERR_INTERNAL ? code : ERR_OK;
}

/* NAN for an empty cell and for one that is no number. */
static double read_reference(struct table_comparison *comparison, size_t row, size_t column)
{
	const struct csv_table *table = &comparison->validation->table;
	const struct csv_cell *cell = csv_get_cell(table, row, column);
	double reference = NAN;
	if (cell->text[0] != '\0' &&
	    csv_get_real(table, cell, table->header[column].text, 0, DBL_MAX, &reference, comparison->err) != ERR_OK)
		comparison->failed = true;
	return reference;
}

/* Why a value that was predicted does not count, the gravest reason first; NULL: it does. */
static const char *find_reason(const struct table_comparison *comparison, size_t row, size_t column, double reference,
                               bool flags_ok)
{
	const struct csv_table *table = &comparison->validation->table;
	if (isnan(reference))
		return csv_get_cell(table, row, column)->text[0] == '\0' ? no_reference_note : bad_reference_note;
	if (!flags_ok)
		return bad_flag_note;
	return validate_set_apart(comparison->validation->kind->name, table, row, column);
}

/* The entry beside this one: what the same cell would be if the source had done all work. */
static void add_all_work(struct validation *validation, const struct validate_value *as_source)
{
	struct validate_value value = *as_source;
	value.is_all_work = true;
	value.prediction = (struct prediction){as_source->prediction.all_work, false, all_work_note, NAN};
	if (!isnan(value.reference))
		value.error_pct = validate_error_pct(value.prediction.value, value.reference);
	validation->value[validation->n_value++] = value;
}

static enum err_code compare_value(struct table_comparison *comparison, size_t row, size_t i, bool flags_ok)
{
	struct validation *validation = comparison->validation;
	struct validate_value value = {.row = row, .column = comparison->column[i], .error_pct = NAN};
	value.reference = read_reference(comparison, row, value.column);
	enum err_code code = predict(comparison, row, i, &value.prediction);
	if (code)
		return code;

	bool understood = value.prediction.note != not_understood_note;
	const char *reason = find_reason(comparison, row, value.column, value.reference, flags_ok);
	if (reason && (understood || reason == no_reference_note)) {
		value.prediction.counted = false;
		value.prediction.note = reason;
	}
	if (understood && !isnan(value.reference))
		value.error_pct = validate_error_pct(value.prediction.value, value.reference);
	if (value.prediction.counted && !value.prediction.note && isinf(value.error_pct))
		value.prediction.note = zero_reference_note;
	assert(value.prediction.counted || value.prediction.note);
	assert(!value.prediction.counted || !isnan(value.error_pct));
	validation->value[validation->n_value++] = value;
	if (!isnan(value.prediction.all_work))
		add_all_work(validation, &value);
	return ERR_OK;
}

static enum err_code compare_rows(struct table_comparison *comparison)
{
	const struct csv_table *table = &comparison->validation->table;
	enum err_code code = ERR_OK;
	for (size_t row = 0; row < table->n_row && !code; row++) {
		/* flags first: they decide what the row's values are worth */
		bool complete_ok = check_flag(table, row, "complete", comparison->err);
		bool reuse_ok = check_flag(table, row, "reuse_complete", comparison->err);
		comparison->failed = comparison->failed || !complete_ok || !reuse_ok;
		for (size_t i = 0; i < comparison->n_column && !code; i++)
			code = compare_value(comparison, row, i, complete_ok && reuse_ok);
	}
	return code;
}

static bool has_setting(const struct csv_table *table, size_t row, const struct validate_setting *setting)
{
	return strcmp(csv_get_cell(table, row, setting->column)->text,
	              csv_get_cell(table, setting->row, setting->column)->text) == 0;
}

/* Where a machine parameter's value is another one than in any row before. */
static bool is_new_setting(const struct validation *validation, size_t row, size_t column)
{
	for (size_t i = 0; i < validation->n_setting; i++) {
		const struct validate_setting *setting = &validation->setting[i];
		if (setting->column == column && has_setting(&validation->table, row, setting))
			return false;
	}
	return true;
}

/* The values that each parameter has; none of a parameter that never changes. */
static void find_settings(struct validation *validation)
{
	const struct csv_table *table = &validation->table;
	for (size_t column = 0; column < table->n_column; column++) {
		size_t first = validation->n_setting;
		if (!machine_column_find(table->header[column].text))
			continue;
		for (size_t row = 0; row < table->n_row && validation->n_setting < VALIDATE_MAX_SETTING; row++) {
			if (is_new_setting(validation, row, column))
				validation->setting[validation->n_setting++] =
				    (struct validate_setting){.column = column, .row = row};
		}
		if (validation->n_setting == first + 1)
			validation->n_setting = first;
	}
}

/*
 * Mean and maximum are of magnitudes: errors of opposite sign must not cancel.
 * Infinite errors are counted apart: one of them would make either worthless.
 * column: of the table; CSV_NO_COLUMN: all. setting: rows with its parameter's value; NULL: all.
 */
static struct validate_sum sum_up(const struct validation *validation, size_t column,
                                  const struct validate_setting *setting)
{
	double total = 0, worst = -1;
	struct validate_sum sum = {.mean_abs_error_pct = NAN, .max_abs_error_pct = NAN};
	for (size_t i = 0; i < validation->n_value; i++) {
		const struct validate_value *value = &validation->value[i];
		double error_pct = fabs(value->error_pct);
		if (value->is_all_work || (column != CSV_NO_COLUMN && value->column != column))
			continue;
		if (setting && !has_setting(&validation->table, value->row, setting))
			continue;
		sum.n_reference += isnan(value->reference) ? 0 : 1;
		if (!value->prediction.counted)
			continue;
		sum.n_counted++;
		if (error_pct > worst) {
			worst = error_pct;
			sum.worst = i;
		}
		if (isinf(error_pct)) {
			sum.n_infinite++;
			continue;
		}
		total += error_pct;
		if (!(error_pct <= sum.max_abs_error_pct))
			sum.max_abs_error_pct = error_pct;
	}
	assert(sum.n_infinite <= sum.n_counted && sum.n_counted <= sum.n_reference);
	size_t n_finite = sum.n_counted - sum.n_infinite;
	if (n_finite > 0)
		sum.mean_abs_error_pct = total / (double)n_finite;
	return sum;
}

/* Event tier: note every run that the table asks for, and run them all at once; what is wrong is said later. */
static enum err_code run_ahead(struct table_comparison *comparison)
{
	const struct csv_table *table = &comparison->validation->table;
	struct err ignored = {0};
	struct prediction prediction;
	if (source_detail(comparison->source) != DETAIL_EVENT)
		return ERR_OK;
	source_collect(comparison->source);
	for (size_t row = 0; row < table->n_row; row++)
		for (size_t i = 0; i < comparison->n_column; i++) {
			(void)ask(comparison, row, i, &prediction, &ignored);
			err_clear(&ignored);
		}
	return source_run_collected(comparison->source, comparison->err);
}

enum err_code validate_compare(struct validation *validation, struct source *source, struct err *err)
{
	assert(validation && validation->kind && !validation->value && err);
	const struct csv_table *table = &validation->table;
	struct table_comparison comparison = {.validation = validation, .source = source, .err = err};
	assert(table->n_column <= CSV_MAX_COLUMN);
	for (size_t column = 0; column < table->n_column; column++) {
		const struct reference_value *value = validate_find_value(validation->kind, table, column);
		if (!value)
			continue;
		validation->column[comparison.n_column].column = comparison.column[comparison.n_column] = column;
		comparison.value[comparison.n_column++] = value;
	}
	validation->n_column = comparison.n_column;
	/* A cell has two entries where its source left out work. */
	validation->value = memory_array(2 * table->n_row * comparison.n_column, sizeof(*validation->value));
	validation->detail = source_detail(source);
	enum err_code code = run_ahead(&comparison);
	if (!code)
		code = compare_rows(&comparison);
	if (!code) {
		validate_settle_duplicates(validation);
		validation->sum = sum_up(validation, CSV_NO_COLUMN, NULL);
		for (size_t i = 0; i < validation->n_column; i++)
			validation->column[i].sum = sum_up(validation, validation->column[i].column, NULL);
		find_settings(validation);
		for (size_t i = 0; i < validation->n_setting; i++)
			validation->setting[i].sum = sum_up(validation, CSV_NO_COLUMN, &validation->setting[i]);
	}
	for (size_t i = 0; i < comparison.n_column; i++)
		err_clear(&comparison.said[i]);
	if (source)
		source_forget(source, table);
	return code ? code : comparison.failed ? ERR_INPUT : ERR_OK;
}
