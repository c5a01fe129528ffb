/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/chart.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include "dse/keep/text_blocks.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Picture and plot area, in SVG units (pixels). */
enum { WIDTH = 900, HEIGHT = 560, LEFT = 90, RIGHT = 250, TOP = 40, BOTTOM = 60, MAX_SERIES = SVG_N_COLOUR };

/* A panel of predicted against measured: its side, and from one to the next. */
enum { PANEL = 460, PANEL_STEP = PANEL + 110 };

/* The axis of one of a front's objectives. */
static void fit_axis(const struct pareto *front, unsigned objective, struct svg_axis *axis)
{
	double min = INFINITY, max = -INFINITY;
	assert(front->n > 0 && objective < front->n_objective);
	for (size_t i = 0; i < front->n; i++) {
		min = fmin(min, front->objective[i * front->n_objective + objective]);
		max = fmax(max, front->objective[i * front->n_objective + objective]);
	}
	svg_axis_fit(axis, min, max);
}

/* A series has a shape and a colour. */
static void put_mark_as(FILE *file, double x, double y, size_t series, bool is_hollow)
{
	svg_mark(file, x, y, series, svg_colour[series % SVG_N_COLOUR], is_hollow);
}

static void put_mark(FILE *file, double x, double y, size_t series)
{
	put_mark_as(file, x, y, series, false);
}

/* The machine's number in order of first appearance; the last series takes all that are too many. */
static size_t series_of(uint32_t machine_index, uint32_t *known, size_t *n_known)
{
	for (size_t i = 0; i < *n_known; i++)
		if (known[i] == machine_index)
			return i;
	if (*n_known == MAX_SERIES)
		return MAX_SERIES - 1;
	known[(*n_known)++] = machine_index;
	return *n_known - 1;
}

/* Machines by name and axes: the front's own colours mean nothing without. */
static void draw_legend(FILE *file, const struct space *space, const uint32_t *known, size_t n_known, double x)
{
	for (size_t i = 0; i < n_known; i++) {
		struct machine machine;
		char text[EXPLORE_TEXT_SIZE], why[EXPLORE_TEXT_SIZE];
		double y = TOP + 10 + 22.0 * (double)i;
		if (!space_machine(space, known[i], &machine, why, sizeof(why)))
			continue;
		explore_machine_text(space, known[i], &machine, text, sizeof(text));
		put_mark(file, x, y, i);
		svg_text(file, x + 12, y + 4, "text-anchor=\"start\"", i + 1 < MAX_SERIES ? text : "other machines");
	}
}

/* Marks of a front, in its order. */
struct marks {
	double *x, *y;   /* [n] */
	uint8_t *series; /* [n] */
	size_t n, n_series;
	uint32_t known[MAX_SERIES]; /* [n_series] machines */
};

/* Of a long front most marks would lie on the mark before; those within half a pixel are left out. */
static void place_marks(const struct pareto *front, const struct svg_axis *x, const struct svg_axis *y, unsigned second,
                        struct marks *marks)
{
	double last_x[MAX_SERIES], last_y[MAX_SERIES];
	for (size_t i = 0; i < front->n; i++) {
		size_t n_before = marks->n_series,
		       series = series_of(front->genome[i * front->n_gene], marks->known, &marks->n_series);
		const double *objective = front->objective + i * front->n_objective;
		double at_x = svg_axis_place(x, objective[0]), at_y = svg_axis_place(y, objective[second]);
		if (marks->n_series == n_before && fabs(at_x - last_x[series]) < 0.5 &&
		    fabs(at_y - last_y[series]) < 0.5)
			continue;
		marks->series[marks->n] = (uint8_t)series;
		marks->x[marks->n] = last_x[series] = at_x;
		marks->y[marks->n++] = last_y[series] = at_y;
	}
}

static enum err_code put_marks(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	const struct marks *marks = context;
	(void)err;
	for (size_t i = first; i < end; i++)
		put_mark(file, marks->x[i], marks->y[i], marks->series[i]);
	return ERR_OK;
}

enum err_code chart_write(FILE *file, const struct front_run *run, struct err *err)
{
	const struct pareto *front = &run->explore->front;
	assert(file && run && front->n > 0);
	_Static_assert(MAX_SERIES <= UINT8_MAX, "a series is a byte");
	unsigned second = front->n_objective > 1 ? 1 : 0;
	struct svg_axis x = {.begin = LEFT, .end = WIDTH - RIGHT, .name = metric_table[run->space->objective[0]].name};
	struct svg_axis y = {
	    .begin = HEIGHT - BOTTOM, .end = TOP, .name = metric_table[run->space->objective[second]].name};
	struct marks marks = {.x = malloc(front->n * sizeof(*marks.x)),
	                      .y = malloc(front->n * sizeof(*marks.y)),
	                      .series = malloc(front->n)};
	enum err_code code = ERR_OK;
	if (marks.x && marks.y && marks.series) {
		fit_axis(front, 0, &x);
		fit_axis(front, second, &y);
		place_marks(front, &x, &y, second, &marks);
		const struct text_blocks blocks = {marks.n, front_file_n_thread(run), put_marks,
		                                   &marks,  text_blocks_to_file,      file};
		svg_begin(file, WIDTH, HEIGHT);
		svg_axes_draw(file, &x, &y);
		code = text_blocks_run(&blocks, err);
		draw_legend(file, run->space, marks.known, marks.n_series, WIDTH - RIGHT + 30);
		svg_end(file);
	} else {
		code = err_add(err, ERR_INTERNAL, "out of memory");
	}
	free(marks.x);
	free(marks.y);
	free(marks.series);
	return code;
}

/* ---- predicted against measured ---- */

static bool is_drawn(double x, double y)
{
	return isfinite(x) && isfinite(y) && x > 0.0 && y > 0.0;
}

/* The decades that hold all points, the same for both axes, so that the diagonal is one. */
static void fit_decades(const struct chart_panel *panel, struct svg_axis *axis)
{
	double min = INFINITY, max = 0.0;
	for (size_t i = 0; i < panel->n_series; i++) {
		const struct chart_series *series = &panel->series[i];
		for (size_t k = 0; k < series->n; k++) {
			if (!is_drawn(series->x[k], series->y[k]))
				continue;
			min = fmin(min, fmin(series->x[k], series->y[k]));
			max = fmax(max, fmax(series->x[k], series->y[k]));
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

static void draw_panel(FILE *file, const struct chart_panel *panel, double top)
{
	char text[64];
	struct svg_axis x = {.begin = LEFT, .end = LEFT + PANEL}, y = {.begin = top + PANEL, .end = top};
	assert(panel->n_series <= CHART_MAX_SERIES);
	fit_decades(panel, &x);
	y.is_log = true;
	y.min = x.min;
	y.max = x.max;
	draw_decades(file, &x, &y);
	svg_text(file, LEFT, top - 26, "text-anchor=\"start\"", panel->title);
	(void)snprintf(text, sizeof(text), "measured%s%s", panel->unit[0] ? " / " : "", panel->unit);
	svg_text(file, (x.begin + x.end) / 2, y.begin + 38, "text-anchor=\"middle\"", text);
	(void)snprintf(text, sizeof(text), "predicted%s%s", panel->unit[0] ? " / " : "", panel->unit);
	svg_text(file, x.begin, y.end - 8, "text-anchor=\"middle\"", text);
	size_t colour_at = 0;
	for (size_t i = 0; i < panel->n_series; i++) {
		const struct chart_series *series = &panel->series[i];
		double legend_y = top + 6 + 20.0 * (double)i;
		for (size_t k = 0; k < series->n; k++)
			if (is_drawn(series->x[k], series->y[k]))
				put_mark_as(file, svg_axis_place(&x, series->x[k]), svg_axis_place(&y, series->y[k]),
				            colour_at, series->is_hollow);
		put_mark_as(file, x.end + 24, legend_y, colour_at, series->is_hollow);
		svg_text(file, x.end + 36, legend_y + 4, "text-anchor=\"start\"", series->name);
		/* A hollow series is the other model's view of the series that follows it. */
		colour_at += series->is_hollow ? 0 : 1;
	}
}

void chart_write_scatter(FILE *file, const struct chart_panel *panel, size_t n)
{
	assert(file && (panel || n == 0));
	svg_begin(file, WIDTH, TOP + (int)n * PANEL_STEP);
	for (size_t i = 0; i < n; i++)
		draw_panel(file, &panel[i], TOP + 20.0 + (double)i * PANEL_STEP);
	svg_end(file);
}
