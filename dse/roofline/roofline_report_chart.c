/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rooflines as the ARADA paper's figure 3 has them: operations a second over operations a byte, both logarithmic. The
 * roofs are lines, a layer is a mark in shape and colour of its kind where the simulator reaches it; one that it does
 * not run is an outline under the roof.
 */
#include "dse/roofline/roofline_report.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <math.h>

/* In SVG units (pixels). */
enum { LEFT = 70, TOP = 84, PANEL_W = 400, PANEL_H = 300, STEP_W = PANEL_W + 90, STEP_H = PANEL_H + 110 };

static const char *const colour[N_ROOFLINE_KIND] = {[ROOFLINE_CONV] = "#56b4e9",
                                                    [ROOFLINE_POINTWISE] = "#009e73",
                                                    [ROOFLINE_DEPTHWISE] = "#0072b2",
                                                    [ROOFLINE_FC] = "#cc79a7"};

/* How far beyond its ridge a roof is seen at least, as a factor, for its flat part to be one. */
#define FLAT 4

static void widen(double value, double *min, double *max)
{
	*min = fmin(*min, value);
	*max = fmax(*max, value);
}

/* The axes that all panels share. Ridges are shown, too; at least a decade each way. */
static void fit_axes(const struct roofline *roofline, size_t n, struct svg_axis *x, struct svg_axis *y)
{
	double min_x = INFINITY, max_x = 0, min_y = INFINITY, max_y = 0;
	for (size_t i = 0; i < n; i++) {
		widen(roofline[i].compute_gops, &min_y, &max_y);
		double ridge = roofline[i].compute_gops / roofline[i].memory_gb_s;
		widen(ridge, &min_x, &max_x);
		widen(FLAT * ridge, &min_x, &max_x);
		for (size_t k = 0; k < roofline[i].n; k++) {
			const struct roofline_layer *layer = &roofline[i].layer[k];
			widen(layer->intensity, &min_x, &max_x);
			widen(layer->attainable_gops, &min_y, &max_y);
			if (layer->is_reached)
				widen(layer->reached_gops, &min_y, &max_y);
		}
	}
	svg_axis_fit_log(x, min_x, max_x);
	svg_axis_fit_log(y, min_y, max_y);
}

/* A line for each decade, named. */
static void draw_grid(FILE *file, const struct svg_axis *x, const struct svg_axis *y)
{
	static const char faint[] = "stroke=\"#dddddd\"", dark[] = "stroke=\"#444444\"";
	svg_axis_ticks(
	    file, x,
	    &(struct svg_ticks){.is_x = true, .from = y->end, .to = y->begin, .stroke = faint, .base = y->begin});
	svg_axis_ticks(file, y, &(struct svg_ticks){.from = x->begin, .to = x->end, .stroke = faint, .base = x->begin});
	svg_line(file, x->begin, y->begin, x->end, y->begin, dark);
	svg_line(file, x->begin, y->begin, x->begin, y->end, dark);
	svg_text(file, (x->begin + x->end) / 2, y->begin + 38, "text-anchor=\"middle\"", "operations a byte");
	svg_text(file, x->begin, y->end - 8, "text-anchor=\"end\"", "GOPS");
}

/* The memory's roof up to the ridge, and from there the array's; where the axes end first, so do they. */
static void draw_roofs(FILE *file, const struct svg_axis *x, const struct svg_axis *y, const struct roofline *roofline)
{
	static const char roof[] = "stroke=\"#d55e00\" stroke-width=\"2\"";
	double ridge = roofline->compute_gops / roofline->memory_gb_s, memory = roofline->memory_gb_s;
	double from = fmax(x->min, y->min / memory);
	double ridge_at = svg_axis_place(x, ridge), top_at = svg_axis_place(y, roofline->compute_gops);
	if (from < ridge)
		svg_line(file, svg_axis_place(x, from), svg_axis_place(y, from * memory), ridge_at, top_at, roof);
	svg_line(file, ridge_at, top_at, x->end, top_at, roof);
	svg_line(file, ridge_at, top_at, ridge_at, y->begin, "stroke=\"#d55e00\" stroke-dasharray=\"3,3\"");
}

static void draw_panel(FILE *file, const struct svg_axis *x, const struct svg_axis *y, const struct roofline *roofline)
{
	char text[192];
	draw_grid(file, x, y);
	draw_roofs(file, x, y, roofline);
	(void)snprintf(text, sizeof(text), "%.40s on %.40s, %s: %.4g GOPS, %.4g GB/s", roofline->network->name,
	               roofline->machine.name, roofline->machine.level[roofline->level].name, roofline->compute_gops,
	               roofline->memory_gb_s);
	svg_text(file, (x->begin + x->end) / 2, y->end - 26, "text-anchor=\"middle\" font-weight=\"bold\"", text);
	for (size_t i = 0; i < roofline->n; i++) {
		const struct roofline_layer *layer = &roofline->layer[i];
		double gops = layer->is_reached ? layer->reached_gops : layer->attainable_gops;
		svg_mark(file, svg_axis_place(x, layer->intensity), svg_axis_place(y, gops), layer->kind,
		         colour[layer->kind], !layer->is_reached);
	}
}

/* Kinds that occur, and outlines where there are any. */
static void draw_legend(FILE *file, const struct roofline *roofline, size_t n)
{
	bool used[N_ROOFLINE_KIND] = {false}, hollow = false;
	double x = LEFT + 10;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < roofline[i].n; k++) {
			used[roofline[i].layer[k].kind] = true;
			hollow = hollow || !roofline[i].layer[k].is_reached;
		}
	for (size_t k = 0; k < N_ROOFLINE_KIND; k++) {
		if (!used[k])
			continue;
		svg_mark(file, x, 20, k, colour[k], false);
		svg_text(file, x + 12, 24, "text-anchor=\"start\"", roofline_kind_name[k]);
		x += 100;
	}
	if (hollow)
		svg_text(file, x, 24, "text-anchor=\"start\"", "outlines: attainable, the simulator does not run them");
}

void roofline_draw(FILE *file, const struct roofline *roofline, size_t n)
{
	struct svg_axis x, y;
	assert(file && roofline && n > 0);
	size_t n_column = n == 1 ? 1 : n % 3 == 0 ? 3 : 2, n_row = (n + n_column - 1) / n_column;
	fit_axes(roofline, n, &x, &y);
	svg_begin(file, LEFT + (int)n_column * STEP_W - 40, TOP + (int)n_row * STEP_H - 30);
	draw_legend(file, roofline, n);
	for (size_t i = 0; i < n; i++) {
		x.begin = LEFT + (double)(i % n_column) * STEP_W;
		x.end = x.begin + PANEL_W;
		y.end = TOP + (double)(i / n_column) * STEP_H;
		y.begin = y.end + PANEL_H;
		draw_panel(file, &x, &y, &roofline[i]);
	}
	svg_end(file);
}
