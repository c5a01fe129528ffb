/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/validate/validate_chart.h"
#include "dse/base/memory.h"
#include "dse/result/chart.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Units by what a column is called; the first that fits. */
static const struct {
	const char *begin, *end; /* of the name */
	const char *unit;
} unit_table[] = {
    {"", "_share_pct", "%"},         {"", "_per_byte", "op/byte"}, {"gops_", "", "Gop/s"}, {"", "_byte", "byte"},
    {"", "utilisation", "fraction"}, {"", "pieces", "tasks"},      {"", "clk", "clk"},     {"", "", ""},
};

/* Columns that tell the points of a panel apart when it has one value column only. */
static const char *const group_column[] = {"strategy", "array", "target"};
#define N_GROUP_COLUMN (sizeof(group_column) / sizeof(group_column[0]))

/* A picture in the making. */
struct drawing {
	struct chart_panel *panel;
	size_t n_panel;
	double *number; /* room for all points, x and y */
	size_t n_number;
};

static const char *unit_of(const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0;; i++) {
		size_t n_begin = strlen(unit_table[i].begin), n_end = strlen(unit_table[i].end);
		assert(i < sizeof(unit_table) / sizeof(unit_table[0]));
		if (n >= n_begin + n_end && strncmp(name, unit_table[i].begin, n_begin) == 0 &&
		    strcmp(name + n - n_end, unit_table[i].end) == 0)
			return unit_table[i].unit;
	}
}

static const char *column_unit(const struct validation *validation, size_t column)
{
	return unit_of(validation->table.header[column].text);
}

/* The column by whose words the points of a unit are told apart: CSV_NO_COLUMN where value columns do that. */
static size_t find_group(const struct validation *validation, const char *unit)
{
	size_t n = 0;
	for (size_t i = 0; i < validation->n_column; i++)
		n += column_unit(validation, validation->column[i].column) == unit;
	for (size_t i = 0; i < N_GROUP_COLUMN && n == 1; i++) {
		size_t column = csv_find_column(&validation->table, group_column[i]);
		if (column != CSV_NO_COLUMN)
			return column;
	}
	return CSV_NO_COLUMN;
}

/* What a value's series is called, its tier aside. */
static const char *series_name(const struct validation *validation, const struct validate_value *value, size_t group)
{
	return group == CSV_NO_COLUMN ? validation->table.header[value->column].text
	                              : csv_get_cell(&validation->table, value->row, group)->text;
}

/* Whether the value is the first of its series, and so decides where the series stands. */
static bool is_first(const struct validation *validation, size_t at, const char *unit, size_t group)
{
	const struct validate_value *value = &validation->value[at];
	for (size_t i = 0; i < at; i++) {
		const struct validate_value *before = &validation->value[i];
		if (column_unit(validation, before->column) == unit &&
		    strcmp(series_name(validation, before, group), series_name(validation, value, group)) == 0)
			return false;
	}
	return true;
}

/* The counted points of one series in one tier; the last series takes whatever there is no room for. */
static void add_series(struct drawing *drawing, const struct validation *validation, const char *unit, size_t group,
                       const char *name, bool with_tier)
{
	struct chart_panel *panel = &drawing->panel[drawing->n_panel];
	if (panel->n_series == CHART_MAX_SERIES)
		return;
	struct chart_series *series = &panel->series[panel->n_series++];
	double sum_pct = 0.0, *x = drawing->number + drawing->n_number, *y = x + validation->n_value;
	drawing->n_number += 2 * validation->n_value;
	*series = (struct chart_series){.x = x, .y = y, .is_hollow = with_tier && validation->detail == DETAIL_FAST};
	for (size_t i = 0; i < validation->n_value; i++) {
		const struct validate_value *value = &validation->value[i];
		if (!value->prediction.counted || column_unit(validation, value->column) != unit ||
		    strcmp(series_name(validation, value, group), name) != 0 || !isfinite(value->error_pct))
			continue;
		x[series->n] = value->reference;
		y[series->n++] = value->prediction.value;
		sum_pct += fabs(value->error_pct);
	}
	int n = snprintf(series->name, sizeof(series->name), "%.32s%s%s", name, with_tier ? ", " : "",
	                 with_tier ? detail_name[validation->detail] : "");
	if (series->n > 0 && n > 0 && (size_t)n < sizeof(series->name))
		(void)snprintf(series->name + n, sizeof(series->name) - (size_t)n, ": %.2f %% mean",
		               sum_pct / (double)series->n);
}

static void add_panel(struct drawing *drawing, const struct validation *validation, size_t n_detail, const char *unit)
{
	struct chart_panel *panel = &drawing->panel[drawing->n_panel];
	size_t group = find_group(validation, unit);
	const char *slash = strrchr(validation->table.file, '/');
	(void)snprintf(panel->title, sizeof(panel->title), "%.80s: %zu of %zu values counted",
	               slash ? slash + 1 : validation->table.file, validation->sum.n_counted,
	               validation->sum.n_reference);
	(void)snprintf(panel->unit, sizeof(panel->unit), "%s", unit);
	for (size_t i = 0; i < validation->n_value; i++) {
		const struct validate_value *value = &validation->value[i];
		if (column_unit(validation, value->column) != unit || !is_first(validation, i, unit, group))
			continue;
		for (size_t k = 0; k < n_detail; k++)
			add_series(drawing, &validation[k], unit, group, series_name(validation, value, group),
			           n_detail > 1);
	}
	drawing->n_panel++;
}

/* Panels in the order in which their units appear in the table. */
static void add_file(struct drawing *drawing, const struct validation *validation, size_t n_detail)
{
	for (size_t i = 0; i < validation->n_column; i++) {
		const char *unit = column_unit(validation, validation->column[i].column);
		bool is_new = true;
		for (size_t k = 0; k < i; k++)
			is_new = is_new && column_unit(validation, validation->column[k].column) != unit;
		if (is_new)
			add_panel(drawing, validation, n_detail, unit);
	}
}

void validate_write_chart(FILE *file, const struct validation *validation, size_t n_file, size_t n_detail)
{
	size_t n_number = 0, n_panel = 0;
	assert(file && validation && n_detail > 0 && n_detail <= N_DETAIL);
	for (size_t i = 0; i < n_file * n_detail; i++) {
		/* each series has room for all values of its table: simpler than counting, and small */
		n_number += 2 * validation[i].n_value * CHART_MAX_SERIES * (validation[i].n_column + 1);
		n_panel += validation[i].n_column;
	}
	struct drawing drawing = {.panel = memory_array(n_panel, sizeof(*drawing.panel)),
	                          .number = memory_array(n_number, sizeof(*drawing.number))};
	for (size_t i = 0; i < n_file; i++)
		add_file(&drawing, &validation[i * n_detail], n_detail);
	chart_write_scatter(file, drawing.panel, drawing.n_panel);
	free(drawing.panel);
	free(drawing.number);
}
