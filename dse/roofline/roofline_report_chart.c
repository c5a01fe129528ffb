/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rooflines drawn as in the ARADA paper's figure 3 and the thesis' 5.5 to 5.13: operations a second over operations a
 * byte, both logarithmic. The roofs are lines: array, memory, NoC. A layer is a mark at the rate the simulator reaches,
 * or an outline on the roof where the simulator does not run it. Its shape is its kind; its colour, too, or, where a
 * panel has several strategies, the strategy.
 */
#include "dse/roofline/roofline_report.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <inttypes.h>
#include <math.h>

/* In SVG units (pixels). */
enum { LEFT = 70, TOP = 84, PANEL_W = 400, PANEL_H = 300, STEP_W = PANEL_W + 90, STEP_H = PANEL_H + 110 };

static const char *const colour[N_ROOFLINE_KIND] = {[ROOFLINE_CONV] = "#56b4e9",
                                                    [ROOFLINE_POINTWISE] = "#009e73",
                                                    [ROOFLINE_DEPTHWISE] = "#0072b2",
                                                    [ROOFLINE_FC] = "#cc79a7"};

static const char *const strategy_colour[] = {"#e69f00", "#0072b2", "#009e73", "#cc79a7", "#56b4e9"};
#define N_STRATEGY_COLOUR (sizeof(strategy_colour) / sizeof(strategy_colour[0]))

/* Rooflines that differ in nothing but the strategy, one after the other, share a panel: how many from the first on. */
static size_t n_of_panel(const struct roofline *roofline, size_t n)
{
	size_t i = 1;
	for (; i < n; i++) {
		const struct roofline *a = &roofline[0], *b = &roofline[i];
		bool is_same = a->network == b->network && a->level == b->level && a->strategy != b->strategy &&
		               a->machine.mla_cols == b->machine.mla_cols &&
		               a->machine.mla_rows == b->machine.mla_rows && a->memory_gb_s <= b->memory_gb_s &&
		               a->memory_gb_s >= b->memory_gb_s;
		if (!is_same)
			break;
	}
	return i;
}

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
		if (roofline[i].noc_gb_s > 0)
			widen(roofline[i].compute_gops / roofline[i].noc_gb_s, &min_x, &max_x);
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

/* A roof of so many GB/s up to the array's, and its name along it; where the axes end first, so does it. */
static void draw_slope(FILE *file, const struct svg_axis *x, const struct svg_axis *y, double gb_s, double gops,
                       const char *style, const char *name)
{
	char attributes[160];
	double ridge = gops / gb_s, from = fmax(x->min, y->min / gb_s);
	if (!(from < ridge))
		return;
	double x0 = svg_axis_place(x, from), y0 = svg_axis_place(y, from * gb_s);
	double x1 = svg_axis_place(x, ridge), y1 = svg_axis_place(y, gops);
	svg_line(file, x0, y0, x1, y1, style);
	double at_x = x0 + 0.12 * (x1 - x0), at_y = y0 + 0.12 * (y1 - y0);
	(void)snprintf(attributes, sizeof(attributes), "font-size=\"10\" transform=\"rotate(%.2f %.2f %.2f)\"",
	               atan2(y1 - y0, x1 - x0) * 180 / acos(-1), at_x, at_y);
	svg_text(file, at_x, at_y - 4, attributes, name);
}

/* The memory's and the NoC's roofs up to their ridges, and from the first of these on the array's. */
static void draw_roofs(FILE *file, const struct svg_axis *x, const struct svg_axis *y, const struct roofline *roofline)
{
	double gops = roofline->compute_gops, ridge = gops / roofline->memory_gb_s, first = ridge;
	double ridge_at = svg_axis_place(x, ridge), top_at = svg_axis_place(y, gops);
	if (roofline->noc_gb_s > 0) {
		draw_slope(file, x, y, roofline->noc_gb_s, gops, "stroke=\"#9467bd\" stroke-width=\"2\"", "NoC");
		first = fmin(first, gops / roofline->noc_gb_s);
	}
	draw_slope(file, x, y, roofline->memory_gb_s, gops, "stroke=\"#d55e00\" stroke-width=\"2\"", "memory");
	svg_line(file, fmax(x->begin, svg_axis_place(x, first)), top_at, x->end, top_at,
	         "stroke=\"#444444\" stroke-width=\"2\"");
	svg_line(file, ridge_at, top_at, ridge_at, y->begin, "stroke=\"#d55e00\" stroke-dasharray=\"3,3\"");
	svg_text(file, x->end - 4, top_at - 4, "text-anchor=\"end\" font-size=\"10\"", "MAC array");
	char text[48];
	(void)snprintf(text, sizeof(text), "ridge %.4g", ridge);
	svg_text(file, ridge_at - 4, y->begin - 4, "text-anchor=\"end\" font-size=\"10\" fill=\"#d55e00\"", text);
}

/* Of which strategy of a panel's. */
static void draw_marks(FILE *file, const struct svg_axis *x, const struct svg_axis *y, const struct roofline *roofline,
                       const char *own_colour)
{
	for (size_t i = 0; i < roofline->n; i++) {
		const struct roofline_layer *layer = &roofline->layer[i];
		double gops = layer->is_reached ? layer->reached_gops : layer->attainable_gops;
		svg_mark(file, svg_axis_place(x, layer->intensity), svg_axis_place(y, gops), layer->kind,
		         own_colour ? own_colour : colour[layer->kind], !layer->is_reached);
	}
}

/* n rooflines that share it. */
static void draw_panel(FILE *file, const struct svg_axis *x, const struct svg_axis *y, const struct roofline *roofline,
                       size_t n)
{
	char text[256], array[40] = "", noc[40] = "";
	draw_grid(file, x, y);
	draw_roofs(file, x, y, roofline);
	if (roofline->machine.target != MACHINE_SYSTOLIC)
		(void)snprintf(array, sizeof(array), ", %" PRIu32 "x%" PRIu32, roofline->machine.mla_cols,
		               roofline->machine.mla_rows);
	if (roofline->noc_gb_s > 0)
		(void)snprintf(noc, sizeof(noc), ", NoC %.4g GB/s", roofline->noc_gb_s);
	(void)snprintf(text, sizeof(text), "%.40s on %.40s, %s%s: %.4g GOPS, %.4g GB/s%s", roofline->network->name,
	               roofline->machine.name, roofline->machine.level[roofline->level].name, array,
	               roofline->compute_gops, roofline->memory_gb_s, noc);
	svg_text(file, (x->begin + x->end) / 2, y->end - 26,
	         "text-anchor=\"middle\" font-weight=\"bold\" font-size=\"11\"", text);
	for (size_t i = 0; i < n; i++)
		draw_marks(file, x, y, &roofline[i], n > 1 ? strategy_colour[i % N_STRATEGY_COLOUR] : NULL);
}

/* Kinds that occur, strategies of a panel that has several, and outlines where there are any. */
static void draw_legend(FILE *file, const struct roofline *roofline, size_t n, size_t n_shared)
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
		svg_mark(file, x, 20, k, n_shared > 1 ? "#444444" : colour[k], false);
		svg_text(file, x + 12, 24, "text-anchor=\"start\"", roofline_kind_name[k]);
		x += 100;
	}
	if (hollow)
		svg_text(file, x, 24, "text-anchor=\"start\"", "outlines: attainable, the simulator does not run them");
	x = LEFT + 10;
	for (size_t i = 0; n_shared > 1 && i < n_shared; i++) {
		const char *own = strategy_colour[i % N_STRATEGY_COLOUR];
		svg_mark(file, x, 40, 0, own, false);
		svg_text(file, x + 12, 44, "text-anchor=\"start\"", strategy_table[roofline[i].strategy].name);
		x += 120;
	}
}

void roofline_draw(FILE *file, const struct roofline *roofline, size_t n)
{
	struct svg_axis x, y;
	size_t n_panel = 0, panel = 0;
	assert(file && roofline && n > 0);
	for (size_t i = 0; i < n; i += n_of_panel(roofline + i, n - i))
		n_panel++;
	size_t n_column = n_panel == 1 ? 1 : n_panel % 3 == 0 ? 3 : 2, n_row = (n_panel + n_column - 1) / n_column;
	fit_axes(roofline, n, &x, &y);
	svg_begin(file, LEFT + (int)n_column * STEP_W - 40, TOP + (int)n_row * STEP_H - 30);
	draw_legend(file, roofline, n, n_of_panel(roofline, n));
	for (size_t i = 0, n_own; i < n; i += n_own, panel++) {
		n_own = n_of_panel(roofline + i, n - i);
		x.begin = LEFT + (double)(panel % n_column) * STEP_W;
		x.end = x.begin + PANEL_W;
		y.end = TOP + (double)(panel / n_column) * STEP_H;
		y.begin = y.end + PANEL_H;
		draw_panel(file, &x, &y, &roofline[i], n_own);
	}
	svg_end(file);
}
