/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of a whole front: scatter, parallel coordinates, search progress. */
#include "dse/report/report_figure.h"
#include "dse/base/memory.h"
#include "dse/out/front_picture.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include "dse/verdict/verdict.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In SVG units (pixels). */
enum { WIDTH = 980, HEIGHT = 600, LEFT = 90, RIGHT = 230, TOP = 80, BOTTOM = 60 };
enum { MAX_AXIS = 12, MAX_LINE = 1000 };

/* The knob that colours points: the first one with names that differ among them, no sum over layers; NULL: none. */
static const struct report_column *colour_column(const struct report_data *data)
{
	for (size_t i = 0; i < data->n_column; i++) {
		const struct report_column *column = &data->column[i];
		if (column->kind == REPORT_KNOB && column->n_text > 1 && strcmp(column->unit, "layers") != 0)
			return column;
	}
	return NULL;
}

static size_t colour_of(const struct report_column *column, size_t point)
{
	size_t value = column ? (size_t)column->of[point] : 0;
	return value < SVG_N_COLOUR - 1 ? value : SVG_N_COLOUR - 1;
}

static void draw_keys(FILE *file, const struct report_column *column, double x)
{
	char text[128];
	if (!column)
		return;
	svg_text(file, x, TOP, "text-anchor=\"start\" font-weight=\"bold\"", column->label);
	for (size_t i = 0; i < column->n_text && i < SVG_N_COLOUR; i++) {
		bool is_rest = i + 1 == SVG_N_COLOUR && column->n_text > SVG_N_COLOUR;
		(void)snprintf(text, sizeof(text), "%.100s", is_rest ? "others" : column->text[i]);
		svg_mark(file, x + 4, TOP + 18.0 + 20 * (double)i, i, svg_colour[i], false);
		svg_text(file, x + 18, TOP + 22.0 + 20 * (double)i, "text-anchor=\"start\"", text);
	}
}

static void range_of(const struct report_column *column, size_t n, double *min, double *max)
{
	*min = INFINITY;
	*max = -INFINITY;
	for (size_t i = 0; i < n; i++)
		if (isfinite(column->of[i])) {
			*min = fmin(*min, column->of[i]);
			*max = fmax(*max, column->of[i]);
		}
}

/* ---- front ---- */

/* The column of how far latencies may be off. */
struct off {
	const struct report_column *column;
};

static double uncertain(void *context, size_t i)
{
	const struct off *off = context;
	return off->column->of[i] / 100;
}

static const struct report_column *find_column(const struct report_data *data, const char *key)
{
	for (size_t i = 0; i < data->n_column; i++)
		if (strcmp(data->column[i].key, key) == 0)
			return &data->column[i];
	return NULL;
}

/* Series are the front's machines, by name and axes. */
static void set_series(struct front_picture *picture, const struct report_data *data, struct arena *arena)
{
	const struct kept_front *front = &data->run.front;
	size_t n_key = 1 + front->n_axis;
	const char **key = memory_must(arena_array(arena, n_key, sizeof(*key)));
	const char **value = memory_must(arena_array(arena, data->n_machine * n_key, sizeof(*value)));
	key[0] = "machine";
	memcpy(key + 1, front->axis, front->n_axis * sizeof(*key));
	for (size_t i = 0; i < data->n_machine; i++) {
		value[i * n_key] = front->machine[data->machine[i].kept].name;
		memcpy(value + i * n_key + 1, data->machine[i].value, front->n_axis * sizeof(*value));
	}
	picture->series = data->machine_of;
	front_picture_name(picture, arena, data->n_machine, n_key, key, value);
}

static const char *title_of(const struct report_data *data, struct arena *arena)
{
	const struct kept_front *front = &data->run.front;
	const char **network = memory_must(arena_array(arena, front->n_network, sizeof(*network)));
	const char **machine = memory_must(arena_array(arena, front->n_machine, sizeof(*machine)));
	for (size_t i = 0; i < front->n_network; i++)
		network[i] = front->network[i].name;
	for (size_t i = 0; i < front->n_machine; i++)
		machine[i] = front->machine[i].name;
	return front_picture_title(arena, front->space, front->n_network, network, front->n_machine, machine,
	                           detail_name[front->detail]);
}

void report_draw_front(FILE *file, const struct report_data *data)
{
	size_t second = data->n_column > 1 && data->column[1].kind == REPORT_OBJECTIVE ? 1 : 0;
	const struct report_column *x = &data->column[0], *y = &data->column[second],
				   *column = find_column(data, "uncertainty_pct");
	struct off off = {column};
	struct arena arena = {0};
	char name_x[96], name_y[96], knee[128];
	bool has_band = column && strcmp(x->key, metric_table[METRIC_LATENCY].name) == 0;
	report_column_name(x, name_x, sizeof(name_x));
	report_column_name(y, name_y, sizeof(name_y));
	(void)snprintf(knee, sizeof(knee), "knee: %.4g %.20s, %.4g %.20s", x->of[data->knee], x->unit,
	               y->of[data->knee], y->unit);
	struct front_picture picture = {.title = title_of(data, &arena),
	                                .n = data->run.front.n_point,
	                                .x = {name_x, x->limit, x->of},
	                                .y = {name_y, y->limit, y->of},
	                                .knee = data->run.front.n_point > 1 ? data->knee : SIZE_MAX,
	                                .knee_text = knee,
	                                .uncertain = has_band ? uncertain : NULL,
	                                .context = &off};
	struct run_verdict verdict = {0};
	if (run_verdict_read_json(report_run_node(&data->run, "verdict"), &verdict)) {
		picture.n_caption = verdict.n_sentence;
		picture.caption = verdict.sentence;
	}
	set_series(&picture, data, &arena);
	front_picture_draw(file, &picture);
	run_verdict_free(&verdict);
	arena_free(&arena);
}

/* ---- parallel coordinates ---- */

/* Objectives, then what else tells points apart: knobs before other metrics, no sums of words. Returns how many. */
static size_t choose_axes(const struct report_data *data, const struct report_column **axis)
{
	static const enum report_kind order[] = {REPORT_OBJECTIVE, REPORT_KNOB, REPORT_METRIC};
	size_t n = 0;
	for (size_t pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < data->n_column && n < MAX_AXIS; i++) {
			const struct report_column *column = &data->column[i];
			double min, max;
			range_of(column, data->run.front.n_point, &min, &max);
			bool is_words = column->n_text > 0 && strcmp(column->unit, "layers") == 0;
			bool is_of_network = strchr(column->key, '.') && column->kind == REPORT_METRIC;
			if (column->kind == order[pass] && max > min && !is_words && !is_of_network)
				axis[n++] = column;
		}
	return n;
}

static void draw_coordinate(FILE *file, const struct report_column *column, const struct svg_axis *y, double x,
                            bool is_low)
{
	char text[64];
	svg_line(file, x, y->begin, x, y->end, "stroke=\"#444444\"");
	svg_text(file, x, y->end - (is_low ? 26 : 12), "text-anchor=\"middle\" font-size=\"11\"", column->label);
	if (*column->unit && strcmp(column->unit, "frac") != 0)
		svg_text(file, x, y->begin + (is_low ? 34 : 20),
		         "text-anchor=\"middle\" font-size=\"11\" fill=\"#555555\"", column->unit);
	for (size_t i = 0; i < (column->n_text > 0 ? column->n_text : 5); i++) {
		double value = column->n_text > 0 ? (double)i : y->min + (y->max - y->min) * (double)i / 4;
		(void)snprintf(text, sizeof(text), "%.4g", value);
		svg_text(
		    file, x + 4, svg_axis_place(y, value) + 4,
		    "text-anchor=\"start\" font-size=\"10\" paint-order=\"stroke\" stroke=\"white\" stroke-width=\"3\" "
		    "fill=\"#333333\"",
		    column->n_text > 0 ? column->text[i] : text);
	}
}

static void draw_line(FILE *file, const struct report_column *const *axis, const struct svg_axis *y, size_t n,
                      double step, size_t point, const char *style)
{
	(void)fputs("<polyline fill=\"none\" points=\"", file);
	for (size_t k = 0; k < n; k++)
		if (isfinite(axis[k]->of[point]))
			(void)fprintf(file, "%s%.1f,%.1f", k > 0 ? " " : "", 60 + step * (double)k,
			              svg_axis_place(&y[k], axis[k]->of[point]));
	(void)fprintf(file, "\" %s/>\n", style);
}

void report_draw_parallel(FILE *file, const struct report_data *data)
{
	const struct report_column *axis[MAX_AXIS], *colour = colour_column(data);
	struct svg_axis y[MAX_AXIS];
	size_t n = choose_axes(data, axis), n_point = data->run.front.n_point, each = 1 + (n_point - 1) / MAX_LINE;
	double step = n > 1 ? (WIDTH - RIGHT - 60.0) / (double)(n - 1) : 1;
	char text[96], style[128];
	svg_begin(file, WIDTH, HEIGHT);
	(void)snprintf(text, sizeof(text),
	               each > 1 ? "parallel coordinates (every %zuth point)" : "parallel coordinates", each);
	report_draw_title(file, data, text, false);
	for (size_t k = 0; k < n; k++) {
		double min, max;
		range_of(axis[k], n_point, &min, &max);
		y[k] = (struct svg_axis){.min = min, .max = max, .begin = HEIGHT - BOTTOM, .end = TOP + 20.0};
	}
	for (size_t i = 0; i < n_point && n > 0; i += each) {
		(void)snprintf(style, sizeof(style), "stroke=\"%s\" stroke-opacity=\"%s\"",
		               svg_colour[colour_of(colour, i)], n_point > 100 ? "0.15" : "0.6");
		draw_line(file, axis, y, n, step, i, style);
	}
	if (n > 0)
		draw_line(file, axis, y, n, step, data->knee, "stroke=\"#000000\" stroke-width=\"2\"");
	for (size_t k = 0; k < n; k++)
		draw_coordinate(file, axis[k], &y[k], 60 + step * (double)k, k % 2 == 1);
	if (n == 0)
		svg_text(file, 60, TOP, "text-anchor=\"start\"", "all points are alike");
	draw_keys(file, colour, WIDTH - RIGHT + 70);
	svg_end(file);
}

/* ---- progress ---- */

static double mark_of(const struct doc_node *points, size_t i, const char *key)
{
	const struct doc_node *node = doc_find(points->value[i], key);
	return node && node->kind == DOC_SCALAR ? strtod(node->text, NULL) : 0.0;
}

void report_draw_progress(FILE *file, const struct report_data *data)
{
	const struct doc_node *points = report_run_node(&data->run, "progress.points");
	size_t n = points->n;
	struct svg_axis x = {.begin = LEFT, .end = WIDTH - 40, .name = "evaluations"};
	struct svg_axis y = {.begin = HEIGHT - BOTTOM, .end = TOP, .name = "hypervolume / %"};
	svg_axis_fit_log(&x, fmax(1, mark_of(points, 0, "evaluations")),
	                 fmax(1, mark_of(points, n - 1, "evaluations")));
	svg_axis_fit(&y, 0, 100);
	svg_begin(file, WIDTH, HEIGHT);
	report_draw_title(file, data, "search progress", false);
	svg_axes_draw(file, &x, &y);
	(void)fputs("<polyline fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\" points=\"", file);
	for (size_t i = 0; i < n; i++) {
		double at_x = svg_axis_place(&x, fmax(1, mark_of(points, i, "evaluations")));
		if (i > 0) /* the front was that of the mark before until then */
			(void)fprintf(file, " %.1f,%.1f", at_x,
			              svg_axis_place(&y, 100 * mark_of(points, i - 1, "share")));
		(void)fprintf(file, " %.1f,%.1f", at_x, svg_axis_place(&y, 100 * mark_of(points, i, "share")));
	}
	(void)fputs("\"/>\n", file);
	for (size_t i = 0; i < n; i++)
		svg_mark(file, svg_axis_place(&x, fmax(1, mark_of(points, i, "evaluations"))),
		         svg_axis_place(&y, 100 * mark_of(points, i, "share")), 0, svg_colour[0], false);
	svg_end(file);
}
