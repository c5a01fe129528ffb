/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Predicted against measured on logarithmic axes. A panel has the values of one unit of one table, a series those of
 * one column, or of one strategy, array or target, in one tier.
 */
#include "dse/validate/validate_chart.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <math.h>
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

/* In SVG units (pixels): the side of a panel, and from one to the next. */
enum { WIDTH = 900, LEFT = 90, TOP = 40, PANEL = 460, PANEL_STEP = PANEL + 110, MAX_SERIES = 16 };

/* A series: values of one name in one tier. */
struct chart_series {
	const char *name;
	const struct validation *validation;
};

/* One panel: all values of one unit in a table, in all tiers. What there are too many series for is left out. */
struct chart_panel {
	const struct validation *validation; /* [n_detail] */
	size_t n_detail;
	const char *unit;
	size_t group; /* the column by whose words series are told apart; CSV_NO_COLUMN: by value columns */
	size_t n_series;
	struct chart_series series[MAX_SERIES];
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

static bool is_point(const struct chart_panel *panel, const struct chart_series *series,
                     const struct validate_value *value)
{
	return value->prediction.counted && isfinite(value->error_pct) &&
	       column_unit(series->validation, value->column) == panel->unit &&
	       strcmp(series_name(series->validation, value, panel->group), series->name) == 0;
}

/* Logarithmic axes have no place for others. */
static bool is_drawn(const struct chart_panel *panel, const struct chart_series *series,
                     const struct validate_value *value)
{
	return is_point(panel, series, value) && value->reference > 0.0 && value->prediction.value > 0.0;
}

static void find_series(struct chart_panel *panel)
{
	const struct validation *validation = panel->validation;
	for (size_t i = 0; i < validation->n_value; i++) {
		const struct validate_value *value = &validation->value[i];
		if (column_unit(validation, value->column) != panel->unit ||
		    !is_first(validation, i, panel->unit, panel->group))
			continue;
		for (size_t k = 0; k < panel->n_detail && panel->n_series < MAX_SERIES; k++)
			panel->series[panel->n_series++] =
			    (struct chart_series){series_name(validation, value, panel->group), &validation[k]};
	}
}

/* The decades that hold all points, the same for both axes, so that the diagonal is one. */
static void fit_decades(const struct chart_panel *panel, struct svg_axis *axis)
{
	double min = INFINITY, max = 0.0;
	for (size_t i = 0; i < panel->n_series; i++) {
		const struct validation *validation = panel->series[i].validation;
		for (size_t k = 0; k < validation->n_value; k++) {
			const struct validate_value *value = &validation->value[k];
			if (!is_drawn(panel, &panel->series[i], value))
				continue;
			min = fmin(min, fmin(value->reference, value->prediction.value));
			max = fmax(max, fmax(value->reference, value->prediction.value));
		}
	}
	if (!(max > 0.0))
		min = max = 1.0;
	svg_axis_fit_log(axis, min, max);
}

/* Decades with their labels, between them faint lines at 2 and 5; then the diagonal. */
static void draw_decades(FILE *file, const struct svg_axis *x, const struct svg_axis *y)
{
	static const double part[] = {1.0, 2.0, 5.0};
	int n_decade = (int)lround(log10(x->max / x->min));
	char text[32];
	assert(n_decade > 0);
	for (int i = 0; i <= n_decade; i++) {
		for (size_t k = 0; k < (i < n_decade ? 3 : 1); k++) {
			double value = x->min * pow(10.0, i) * part[k];
			const char *stroke = k == 0 ? "stroke=\"#cccccc\"" : "stroke=\"#eeeeee\"";
			svg_line(file, svg_axis_place(x, value), y->begin, svg_axis_place(x, value), y->end, stroke);
			svg_line(file, x->begin, svg_axis_place(y, value), x->end, svg_axis_place(y, value), stroke);
		}
		double value = x->min * pow(10.0, i);
		(void)snprintf(text, sizeof(text), value >= 1e6 || value < 1e-3 ? "%.0e" : "%.6g", value);
		svg_text(file, svg_axis_place(x, value), y->begin + 18, "text-anchor=\"middle\"", text);
		svg_text(file, x->begin - 8, svg_axis_place(y, value) + 4, "text-anchor=\"end\"", text);
	}
	svg_line(file, x->begin, y->begin, x->end, y->end, "stroke=\"#888888\"");
	svg_line(file, x->begin, y->begin, x->end, y->begin, "stroke=\"#444444\"");
	svg_line(file, x->begin, y->begin, x->begin, y->end, "stroke=\"#444444\"");
}

/* The legend's words: name, tier where there are several, mean error. */
static void print_series(const struct chart_panel *panel, const struct chart_series *series, char text[80])
{
	const struct validation *validation = series->validation;
	double sum_pct = 0.0;
	size_t n = 0;
	for (size_t i = 0; i < validation->n_value; i++)
		if (is_point(panel, series, &validation->value[i])) {
			sum_pct += fabs(validation->value[i].error_pct);
			n++;
		}
	int n_byte = snprintf(text, 80, "%.32s%s%s", series->name, panel->n_detail > 1 ? ", " : "",
	                      panel->n_detail > 1 ? detail_name[validation->detail] : "");
	if (n > 0 && n_byte > 0 && n_byte < 80)
		(void)snprintf(text + n_byte, 80 - (size_t)n_byte, ": %.2f %% mean", sum_pct / (double)n);
}

/* Marks of a series, then its line of the legend. A hollow one is the fast tier's view of the series that follows. */
static void draw_series(FILE *file, const struct chart_panel *panel, size_t i, const struct svg_axis *x,
                        const struct svg_axis *y, size_t *n_colour)
{
	const struct chart_series *series = &panel->series[i];
	const struct validation *validation = series->validation;
	bool is_hollow = panel->n_detail > 1 && validation->detail == DETAIL_FAST;
	const char *colour = svg_colour[*n_colour % SVG_N_COLOUR];
	double legend_y = y->end + 6 + 20.0 * (double)i;
	char text[80];
	for (size_t k = 0; k < validation->n_value; k++) {
		const struct validate_value *value = &validation->value[k];
		if (is_drawn(panel, series, value))
			svg_mark(file, svg_axis_place(x, value->reference), svg_axis_place(y, value->prediction.value),
			         *n_colour, colour, is_hollow);
	}
	print_series(panel, series, text);
	svg_mark(file, x->end + 24, legend_y, *n_colour, colour, is_hollow);
	svg_text(file, x->end + 36, legend_y + 4, "text-anchor=\"start\"", text);
	*n_colour += !is_hollow;
}

static void draw_panel(FILE *file, const struct chart_panel *panel, double top)
{
	const struct validation *validation = panel->validation;
	const char *slash = strrchr(validation->table.file, '/'), *over = panel->unit[0] ? " / " : "";
	struct svg_axis x = {.begin = LEFT, .end = LEFT + PANEL}, y;
	size_t n_colour = 0;
	char text[120];
	fit_decades(panel, &x);
	y = x;
	y.begin = top + PANEL;
	y.end = top;
	draw_decades(file, &x, &y);
	(void)snprintf(text, sizeof(text), "%.80s: %zu of %zu values counted",
	               slash ? slash + 1 : validation->table.file, validation->sum.n_counted,
	               validation->sum.n_reference);
	svg_text(file, LEFT, top - 26, "text-anchor=\"start\"", text);
	(void)snprintf(text, sizeof(text), "measured%s%s", over, panel->unit);
	svg_text(file, (x.begin + x.end) / 2, y.begin + 38, "text-anchor=\"middle\"", text);
	(void)snprintf(text, sizeof(text), "predicted%s%s", over, panel->unit);
	svg_text(file, x.begin, y.end - 8, "text-anchor=\"middle\"", text);
	for (size_t i = 0; i < panel->n_series; i++)
		draw_series(file, panel, i, &x, &y, &n_colour);
}

/* Whether no value column before this one has its unit: panels stand in the order in which units appear. */
static bool is_new_unit(const struct validation *validation, size_t at)
{
	for (size_t k = 0; k < at; k++)
		if (column_unit(validation, validation->column[k].column) ==
		    column_unit(validation, validation->column[at].column))
			return false;
	return true;
}

void validate_write_chart(FILE *file, const struct validation *validation, size_t n_file, size_t n_detail)
{
	size_t n_panel = 0;
	assert(file && validation && n_detail > 0 && n_detail <= N_DETAIL);
	for (size_t i = 0; i < n_file; i++)
		for (size_t k = 0; k < validation[i * n_detail].n_column; k++)
			n_panel += is_new_unit(&validation[i * n_detail], k);
	svg_begin(file, WIDTH, TOP + (int)n_panel * PANEL_STEP);
	n_panel = 0;
	for (size_t i = 0; i < n_file; i++) {
		const struct validation *of = &validation[i * n_detail];
		for (size_t k = 0; k < of->n_column; k++) {
			const char *unit = column_unit(of, of->column[k].column);
			if (!is_new_unit(of, k))
				continue;
			struct chart_panel panel = {
			    .validation = of, .n_detail = n_detail, .unit = unit, .group = find_group(of, unit)};
			find_series(&panel);
			draw_panel(file, &panel, TOP + 20.0 + (double)n_panel++ * PANEL_STEP);
		}
	}
	svg_end(file);
}
