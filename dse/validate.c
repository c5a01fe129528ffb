/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The road of a table: read (sim/base/csv) -> kind by its columns -> for every
 * filled cell of a value column: predict (the kind's file) -> set apart
 * (validate_rule.c) -> error -> sum. A mistake anywhere is reported with its
 * cell and the next row is looked at; then the file has no result at all.
 */
#include "dse/validate.h"
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const struct reference_kind reference_kind_table[] = {
    {"split_utilisation",
     "bytes and utilisation of an operation's tasks (thesis appendices H and J)",
     {"network", "target", "operation", "partial_operation"},
     {"pieces", "ifmap_aligned_byte", "ifmap_valid_byte", "weight_aligned_byte", "weight_valid_byte",
      "ofmap_aligned_byte", "ofmap_valid_byte", "mac_utilisation", "sram_utilisation"},
     validate_split_utilisation,
     4},
    {"strategy_clocks",
     "clocks of operations by distribution strategy (thesis tables 5.5 to 5.8)",
     {"target", "network", "operation"},
     {"no_fusion_no_reuse_clk", "fusion_no_reuse_clk", "fusion_reuse_clk"},
     validate_strategy_clocks,
     3},
    {"mac_array_clocks",
     "clocks of operations by MAC array (thesis tables 5.11 and 5.12)",
     {"network", "operation", "array"},
     {"total_clk", "computation_clk"},
     validate_mac_array_clocks,
     3},
    {"phase_clocks",
     "clocks of operations by phase (published with the thesis simulator)",
     {"target", "network", "operation", "array", "strategy"},
     {"weight_clk", "input_clk", "migration_clk", "computation_clk", "total_clk"},
     validate_phase_clocks,
     5},
    {"overall_clocks",
     "clocks of whole networks by operation (thesis table 5.10)",
     {"operation"},
     {"*_clk"},
     validate_overall_clocks,
     1},
    {"overall_transfer_clocks",
     "clocks of whole networks' transfers, and their share of all clocks (thesis slides)",
     {"transfer"},
     {"*_clk", "*_share_pct"},
     validate_overall_transfer_clocks,
     1},
    {"mac_array_performance",
     "Gop/s of operations by MAC array, and operations per byte (thesis tables 5.13 and 5.14)",
     {"network", "operation"},
     {"operation_per_byte", "gops_*"},
     validate_mac_array_performance,
     2},
    {"layer_tasks",
     "clocks and DRAM bytes of single layers by strategy, with their splits (thesis simulator, re-run)",
     {"target", "layer", "strategy", "kind", "in_w", "in_h", "in_c", "k_w", "k_h", "stride", "out_c", "ifmap_w_parts",
      "ifmap_h_parts", "filter_parts"},
     {"total_clk", "weight_clk", "input_clk", "migration_clk", "computation_clk", "dram_read_byte", "dram_write_byte"},
     validate_layer_tasks,
     3},
    {"pe_tasks",
     "clocks of one task on all PEs of a QPE, by MAC array and SRAM (thesis simulator, re-run)",
     {"task", "kind", "array", "sram_clk", "operand_a", "pe_shift", "in_w", "in_h", "in_c", "k_w", "k_h", "out_c",
      "a_w", "a_h", "b_w"},
     {"clk"},
     validate_pe_tasks,
     6},
    {"hdl_clocks",
     "the same on the HDL prototype and the thesis simulator (thesis tables 5.1 to 5.4)",
     {"task", "operand_a", "pe_shift", "a_w", "a_h", "a_c", "b_w", "b_h", "b_c", "b_n"},
     {"hdl_clk", "thesis_sim_clk"},
     validate_hdl_clocks,
     10},
};
const size_t reference_n_kind = sizeof(reference_kind_table) / sizeof(reference_kind_table[0]);

double validate_error_pct(double predicted, double reference)
{
	assert(isfinite(reference));
	if (isnan(predicted))
		return INFINITY;
	if (reference == 0)
		return predicted == 0 ? 0 : INFINITY;
	return 100 * (predicted - reference) / reference;
}

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

bool validate_is_value(const struct reference_kind *kind, const struct csv_table *table, size_t column)
{
	assert(column < table->n_column);
	const char *name = table->header[column].text;
	for (const char *const *value = kind->value; *value; value++) {
		if (matches(name, *value))
			return true;
	}
	return false;
}

/* How well a table fits a kind. */
struct fit {
	size_t n_key, n_value; /* columns of the kind that the table has */
	bool whole;            /* all key columns and a value column */
};

static bool has_pattern(const struct reference_kind *kind)
{
	return kind->value[0] && kind->value[0][0] == '*';
}

/* Values are optional one by one: a table may leave out what its author did not measure. */
static struct fit fit_kind(const struct csv_table *table, const struct reference_kind *kind)
{
	struct fit fit = {0};
	size_t n_key = 0;
	for (; kind->key[n_key]; n_key++)
		fit.n_key += csv_find_column(table, kind->key[n_key]) != CSV_NO_COLUMN;
	for (size_t i = 0; i < table->n_column; i++)
		fit.n_value += validate_is_value(kind, table, i);
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
		(void)err_add_at(err, ERR_INPUT, at, "nearest to a %s table, but the column '%s' is missing%s%s%s",
		                 kind->name, *key, near ? "; did you mean it by '" : "", near ? near : "",
		                 near ? "'?" : "");
	}
	if (fit_kind(table, kind).n_value == 0)
		(void)err_add_at(err, ERR_INPUT, at,
		                 "nearest to a %s table, but it has no column to compare, such as '%s'", kind->name,
		                 kind->value[0]);
	return ERR_INPUT;
}

enum err_code validate_find_kind(const struct csv_table *table, const struct reference_kind *kind, size_t n,
                                 const struct reference_kind **found, struct err *err)
{
	assert(table && found && (kind || n == 0));
	const struct reference_kind *best = NULL, *nearest = NULL;
	size_t n_best = 0, n_nearest = 0;
	for (size_t i = 0; i < n; i++) {
		struct fit fit = fit_kind(table, &kind[i]);
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
	*found = best;
	return ERR_OK;
}

/* A misspelt flag would count what must not count. */
static void check_flag(const struct csv_table *table, size_t row, const char *column, struct err *err)
{
	size_t index = csv_find_column(table, column);
	if (index == CSV_NO_COLUMN)
		return;
	const struct csv_cell *cell = csv_get_cell(table, row, index);
	if (strcmp(cell->text, "yes") != 0 && strcmp(cell->text, "no") != 0 && cell->text[0] != '\0')
		(void)err_add_at(err, ERR_INPUT, csv_place(table, cell), "%s is '%.40s'; yes, no or nothing is allowed",
		                 column, cell->text);
}

/* Predict and compare one value; the caller has room for it. */
static enum err_code compare_value(struct validation *validation, struct source *source, size_t row, size_t column,
                                   struct err *err)
{
	const struct csv_table *table = &validation->table;
	const struct csv_cell *cell = csv_get_cell(table, row, column);
	struct validate_value value = {.row = row, .column = column, .prediction = {NAN, true, NULL}};
	enum err_code code = csv_get_real(table, cell, table->header[column].text, 0, DBL_MAX, &value.reference, err);
	if (code)
		return code;
	code = validation->kind->predict(source, table, row, column, &value.prediction, err);
	if (code)
		return code;

	const char *apart = validate_set_apart(validation->kind->name, table, row, column);
	if (apart) {
		value.prediction.counted = false;
		value.prediction.note = apart;
	}
	assert(value.prediction.counted || value.prediction.note);
	value.error_pct = validate_error_pct(value.prediction.value, value.reference);
	assert(!isnan(value.error_pct));
	validation->value[validation->n_value++] = value;
	return ERR_OK;
}

/* Mean and maximum are of magnitudes: errors of opposite sign must not cancel. */
static void sum_up(struct validation *validation)
{
	double sum = 0;
	validation->n_counted = 0;
	validation->mean_abs_error_pct = validation->max_abs_error_pct = NAN;
	for (size_t i = 0; i < validation->n_value; i++) {
		const struct validate_value *value = &validation->value[i];
		if (!value->prediction.counted)
			continue;
		sum += fabs(value->error_pct);
		if (validation->n_counted == 0 || fabs(value->error_pct) > validation->max_abs_error_pct) {
			validation->max_abs_error_pct = fabs(value->error_pct);
			validation->worst = i;
		}
		validation->n_counted++;
	}
	if (validation->n_counted > 0)
		validation->mean_abs_error_pct = sum / (double)validation->n_counted;
}

enum err_code validate_compare(struct validation *validation, struct source *source, struct err *err)
{
	assert(validation && validation->kind && !validation->value && err);
	const struct csv_table *table = &validation->table;
	unsigned n_before = err->n_message;
	bool failed = false;
	size_t n_value_column = 0;
	for (size_t column = 0; column < table->n_column; column++)
		n_value_column += validate_is_value(validation->kind, table, column);
	validation->value = calloc(table->n_row * n_value_column + 1, sizeof(*validation->value));
	if (!validation->value)
		return err_add(err, ERR_INTERNAL, "%s: out of memory", table->file);

	for (size_t row = 0; row < table->n_row; row++) {
		/* flags first: they decide what the row's values are worth */
		check_flag(table, row, "complete", err);
		check_flag(table, row, "reuse_complete", err);
		for (size_t column = 0; column < table->n_column; column++) {
			if (!validate_is_value(validation->kind, table, column) ||
			    csv_get_cell(table, row, column)->text[0] == '\0')
				continue;
			if (compare_value(validation, source, row, column, err) != ERR_OK) {
				failed = true;
				break; /* the row's other values would repeat the message */
			}
		}
	}
	if (failed || err->n_message > n_before)
		return err->code ? err->code : ERR_INPUT;
	sum_up(validation);
	return ERR_OK;
}

enum err_code validate_file(const char *path, struct source *source, struct validation *validation, struct err *err)
{
	assert(path && source && validation);
	*validation = (struct validation){0};
	enum err_code code = csv_read_file(path, &validation->table, err);
	if (!code)
		code = validate_find_kind(&validation->table, reference_kind_table, reference_n_kind, &validation->kind,
		                          err);
	if (!code)
		code = validate_compare(validation, source, err);
	if (code)
		validate_free(validation);
	return code;
}

void validate_free(struct validation *validation)
{
	assert(validation);
	csv_free(&validation->table);
	free(validation->value);
	*validation = (struct validation){0};
}
