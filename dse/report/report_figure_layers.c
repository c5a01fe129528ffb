/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of the layers of one point: a bar for each, and power over time. */
#include "dse/out/energy_json.h"
#include "dse/report/report_figure.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In SVG units (pixels). */
enum { WIDTH = 980, LEFT = 190, RIGHT = 40, TOP = 84, ROW = 18, BAR = 13, BOTTOM = 60, POWER_H = 340 };

static const struct report_design *design_at(const struct report_data *data, size_t layer)
{
	return &data->design[data->run.front.point[data->chosen].design[layer]];
}

static const struct kept_design *kept_at(const struct report_data *data, size_t layer)
{
	return &data->run.front.design[data->run.front.point[data->chosen].design[layer]];
}

/* What the bars of a figure are made of. */
struct bars {
	const char *title, *unit;
	size_t n_part;
	const char *(*name)(size_t part);
	double (*value)(const struct report_data *data, size_t layer, size_t part);
	bool is_stacked; /* else one part below the other */
};

/* Network and layer, as there is room for. */
static void layer_name(const struct report_data *data, size_t layer, char *text, size_t n_byte)
{
	const struct kept_front *front = &data->run.front;
	size_t network = 0;
	while (network + 1 < front->n_network && front->network[network + 1].begin <= layer)
		network++;
	(void)snprintf(text, n_byte, "%.14s%s%.14s", front->n_network > 1 ? front->network[network].name : "",
	               front->n_network > 1 ? " " : "", front->operation[layer]);
}

static void draw_bar(FILE *file, const struct svg_axis *x, double y, double height, double from, double to,
                     size_t colour)
{
	double begin = svg_axis_place(x, from), width = svg_axis_place(x, to) - begin;
	if (width > 0)
		(void)fprintf(
		    file,
		    "<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"%s\"/>\n",
		    begin, y, width, height, svg_colour[colour % SVG_N_COLOUR], colour < SVG_N_COLOUR ? "1" : "0.45");
}

/* Parts that some layer has, in their order: they alone have a key. */
static double fit_bars(const struct report_data *data, const struct bars *bars, bool *is_used)
{
	double most = 0;
	for (size_t layer = 0; layer < data->run.front.n_layer; layer++) {
		double sum = 0;
		for (size_t part = 0; part < bars->n_part; part++) {
			double value = bars->value(data, layer, part);
			is_used[part] = is_used[part] || value > 0;
			sum = bars->is_stacked ? sum + value : fmax(sum, value);
		}
		most = fmax(most, sum);
	}
	return most;
}

static void draw_row(FILE *file, const struct report_data *data, const struct bars *bars, const struct svg_axis *x,
                     size_t layer, const size_t *colour)
{
	double y = TOP + ROW * (double)layer, from = 0;
	double height = bars->is_stacked ? BAR : BAR / (double)bars->n_part;
	char text[64];
	layer_name(data, layer, text, sizeof(text));
	svg_text(file, LEFT - 8, y + BAR - 2, "text-anchor=\"end\"", text);
	for (size_t part = 0; part < bars->n_part; part++) {
		double value = bars->value(data, layer, part);
		double top = bars->is_stacked ? y : y + height * (double)part;
		draw_bar(file, x, top, height, from, from + value, colour[part]);
		from = bars->is_stacked ? from + value : 0;
	}
}

static void draw_bars(FILE *file, const struct report_data *data, const struct bars *bars)
{
	enum { MAX_PART = 32 };
	bool is_used[MAX_PART] = {false};
	size_t colour[MAX_PART] = {0}, n_used = 0;
	double most = fit_bars(data, bars, is_used), key_x = LEFT;
	assert(bars->n_part <= MAX_PART);
	double bottom = TOP + ROW * (double)data->run.front.n_layer;
	struct svg_axis x = {.begin = LEFT, .end = WIDTH - RIGHT, .name = bars->unit};
	svg_axis_fit(&x, 0, most);
	svg_begin(file, WIDTH, (int)bottom + BOTTOM);
	report_draw_title(file, data, bars->title, true);
	svg_line(file, LEFT, TOP, LEFT, bottom, "stroke=\"#444444\"");
	for (long i = 0; (double)i * x.step <= x.max * (1 + 1e-9); i++) {
		char text[32];
		double at = svg_axis_place(&x, (double)i * x.step);
		svg_line(file, at, TOP, at, bottom, "stroke=\"#dddddd\"");
		(void)snprintf(text, sizeof(text), "%.6g", (double)i * x.step);
		svg_text(file, at, bottom + 18, "text-anchor=\"middle\"", text);
	}
	svg_text(file, (LEFT + WIDTH - RIGHT) / 2.0, bottom + 40, "text-anchor=\"middle\"", bars->unit);
	for (size_t part = 0; part < bars->n_part; part++) {
		if (!is_used[part])
			continue;
		colour[part] = n_used++;
		key_x = report_draw_key(file, key_x, 56, colour[part], bars->name(part));
	}
	for (size_t layer = 0; layer < data->run.front.n_layer; layer++)
		draw_row(file, data, bars, &x, layer, colour);
	svg_end(file);
}

/* ---- phases ---- */

static const char *phase_of(size_t part)
{
	return phase_name[part];
}

static double phase_clk(const struct report_data *data, size_t layer, size_t part)
{
	return (double)design_at(data, layer)->result.phase_clk[part];
}

void report_draw_phases(FILE *file, const struct report_data *data)
{
	draw_bars(file, data, &(const struct bars){"clocks by phase", "PE clocks", N_PHASE, phase_of, phase_clk, true});
}

/* ---- energy ---- */

static double energy_mj(const struct report_data *data, size_t layer, size_t part)
{
	const struct doc_node *parts = doc_find(kept_at(data, layer)->node, "energy_parts_mj");
	const struct doc_node *node = parts ? doc_find(parts, energy_part_key(part)) : NULL;
	return node && node->kind == DOC_SCALAR ? strtod(node->text, NULL) : 0.0;
}

void report_draw_energy(FILE *file, const struct report_data *data)
{
	size_t n_part = 0;
	while (energy_part_key(n_part))
		n_part++;
	draw_bars(file, data, &(const struct bars){"energy by part", "mJ", n_part, energy_part_key, energy_mj, true});
}

/* ---- utilisation ---- */

static const char *utilisation_of(size_t part)
{
	return part == 0 ? "MAC units" : "SRAM";
}

static double utilisation_pct(const struct report_data *data, size_t layer, size_t part)
{
	return 100 * (part == 0 ? design_at(data, layer)->result.mac_util_frac
	                        : kept_at(data, layer)->metric[METRIC_SRAM_USED]);
}

void report_draw_utilisation(FILE *file, const struct report_data *data)
{
	draw_bars(file, data,
	          &(const struct bars){"utilisation", "% of the MAC units' time, of the SRAM", 2, utilisation_of,
	                               utilisation_pct, false});
}

/* ---- power over time ---- */

/* The colour of an operating point: its place among those that the point's layers have, in order. */
static size_t level_colour(const struct report_data *data, size_t layer, const char **name, size_t *n)
{
	const struct doc_node *node = doc_find(kept_at(data, layer)->node, "level");
	const char *own = node && node->kind == DOC_SCALAR ? node->text : "";
	size_t i = 0;
	while (i < *n && strcmp(name[i], own) != 0)
		i++;
	if (i == *n && i < SVG_N_COLOUR)
		name[(*n)++] = own;
	return i < SVG_N_COLOUR ? i : SVG_N_COLOUR - 1;
}

/* A layer's name upright in its bar, where that is wide enough. */
static void draw_name(FILE *file, const struct report_data *data, size_t layer, double x, double width)
{
	char attributes[128], text[64];
	if (width < 12)
		return;
	layer_name(data, layer, text, sizeof(text));
	(void)snprintf(attributes, sizeof(attributes),
	               "fill=\"white\" font-size=\"10\" transform=\"rotate(-90 %.1f %.1f)\"", x + width / 2 + 4,
	               TOP + POWER_H - 6.0);
	svg_text(file, x + width / 2 + 4, TOP + POWER_H - 6.0, attributes, text);
}

void report_draw_power(FILE *file, const struct report_data *data)
{
	const struct kept_front *front = &data->run.front;
	struct svg_axis x = {
	    .begin = 80, .end = WIDTH - RIGHT, .name = "time / ms; bars are mean power, lines the most of any step"};
	struct svg_axis y = {.begin = TOP + POWER_H, .end = TOP, .name = "power / mW"};
	double total_ms = 0, most_mw = 0, at_ms = 0, key_x = 180;
	const char *level[SVG_N_COLOUR];
	size_t n_level = 0;
	for (size_t i = 0; i < front->n_layer; i++) {
		total_ms += kept_at(data, i)->metric[METRIC_LATENCY];
		most_mw = fmax(most_mw, kept_at(data, i)->metric[METRIC_PEAK_POWER]);
	}
	svg_axis_fit(&x, 0, total_ms);
	svg_axis_fit(&y, 0, most_mw);
	svg_begin(file, WIDTH, TOP + POWER_H + BOTTOM);
	report_draw_title(file, data, "power over time", true);
	svg_axes_draw(file, &x, &y);
	for (size_t i = 0; i < front->n_layer; i++) {
		const double *metric = kept_at(data, i)->metric;
		double left = svg_axis_place(&x, at_ms), right = svg_axis_place(&x, at_ms += metric[METRIC_LATENCY]);
		double mean = svg_axis_place(&y, metric[METRIC_ENERGY] / metric[METRIC_LATENCY] * 1e3);
		double peak = svg_axis_place(&y, metric[METRIC_PEAK_POWER]);
		(void)fprintf(file, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", left,
		              mean, right - left, y.begin - mean, svg_colour[level_colour(data, i, level, &n_level)]);
		svg_line(file, left, peak, right, peak, "stroke=\"#aa0000\" stroke-width=\"1.5\"");
		svg_line(file, right, mean, right, y.begin, "stroke=\"white\" stroke-width=\"0.6\"");
		draw_name(file, data, i, left, right - left);
	}
	for (size_t i = 0; i < n_level; i++)
		key_x = report_draw_key(file, key_x, 56, i, level[i]);
	svg_end(file);
}
