/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rooflines as the ARADA paper's figure 3 has them: operations a second over operations a byte, both logarithmic. The
 * roofs are lines, a layer is a mark in shape and colour of its kind where the simulator reaches it; one that it does
 * not run is an outline under the roof.
 */
#include "dse/roofline/roofline_report.h"
#include "dse/out/svg.h"
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

/* Powers of ten that hold everything drawn. */
struct frame {
	double min_x, max_x, min_y, max_y;
};

/* Where a panel stands. */
struct panel {
	const struct frame *frame;
	double left, top;
};

static double x_at(const struct panel *panel, double intensity)
{
	const struct frame *frame = panel->frame;
	assert(intensity > 0 && frame->max_x > frame->min_x);
	return panel->left + PANEL_W * log10(intensity / frame->min_x) / log10(frame->max_x / frame->min_x);
}

static double y_at(const struct panel *panel, double gops)
{
	const struct frame *frame = panel->frame;
	assert(gops > 0 && frame->max_y > frame->min_y);
	return panel->top + PANEL_H * (1 - log10(gops / frame->min_y) / log10(frame->max_y / frame->min_y));
}

static void widen(double value, double *min, double *max)
{
	*min = fmin(*min, pow(10, floor(log10(value))));
	*max = fmax(*max, pow(10, ceil(log10(value))));
}

/* Ridges are shown, too; at least a decade each way. */
static void fit_frame(const struct roofline *roofline, size_t n, struct frame *frame)
{
	*frame = (struct frame){INFINITY, 0, INFINITY, 0};
	for (size_t i = 0; i < n; i++) {
		widen(roofline[i].compute_gops, &frame->min_y, &frame->max_y);
		double ridge = roofline[i].compute_gops / roofline[i].memory_gb_s;
		widen(ridge, &frame->min_x, &frame->max_x);
		widen(FLAT * ridge, &frame->min_x, &frame->max_x);
		for (size_t k = 0; k < roofline[i].n; k++) {
			const struct roofline_layer *layer = &roofline[i].layer[k];
			widen(layer->intensity, &frame->min_x, &frame->max_x);
			widen(layer->attainable_gops, &frame->min_y, &frame->max_y);
			if (layer->is_reached)
				widen(layer->reached_gops, &frame->min_y, &frame->max_y);
		}
	}
	frame->max_x = fmax(frame->max_x, 10 * frame->min_x);
	frame->max_y = fmax(frame->max_y, 10 * frame->min_y);
}

/* A line for each decade, named. */
static void draw_grid(FILE *file, const struct panel *panel)
{
	static const char faint[] = "stroke=\"#dddddd\"";
	const struct frame *frame = panel->frame;
	double right = panel->left + PANEL_W, bottom = panel->top + PANEL_H;
	char text[32];
	for (double x = frame->min_x; x < frame->max_x * 1.5; x *= 10) {
		svg_line(file, x_at(panel, x), panel->top, x_at(panel, x), bottom, faint);
		(void)snprintf(text, sizeof(text), "%g", x);
		svg_text(file, x_at(panel, x), bottom + 18, "text-anchor=\"middle\"", text);
	}
	for (double y = frame->min_y; y < frame->max_y * 1.5; y *= 10) {
		svg_line(file, panel->left, y_at(panel, y), right, y_at(panel, y), faint);
		(void)snprintf(text, sizeof(text), "%g", y);
		svg_text(file, panel->left - 8, y_at(panel, y) + 4, "text-anchor=\"end\"", text);
	}
	svg_line(file, panel->left, bottom, right, bottom, "stroke=\"#444444\"");
	svg_line(file, panel->left, bottom, panel->left, panel->top, "stroke=\"#444444\"");
	svg_text(file, panel->left + PANEL_W / 2.0, bottom + 38, "text-anchor=\"middle\"", "operations a byte");
	svg_text(file, panel->left, panel->top - 8, "text-anchor=\"end\"", "GOPS");
}

/* The memory's roof up to the ridge, and from there the array's; where the frame ends first, so do they. */
static void draw_roofs(FILE *file, const struct panel *panel, const struct roofline *roofline)
{
	static const char roof[] = "stroke=\"#d55e00\" stroke-width=\"2\"";
	const struct frame *frame = panel->frame;
	double ridge = roofline->compute_gops / roofline->memory_gb_s, memory = roofline->memory_gb_s;
	double from = fmax(frame->min_x, frame->min_y / memory);
	if (from < ridge)
		svg_line(file, x_at(panel, from), y_at(panel, from * memory), x_at(panel, ridge),
		         y_at(panel, roofline->compute_gops), roof);
	svg_line(file, x_at(panel, ridge), y_at(panel, roofline->compute_gops), panel->left + PANEL_W,
	         y_at(panel, roofline->compute_gops), roof);
	svg_line(file, x_at(panel, ridge), y_at(panel, roofline->compute_gops), x_at(panel, ridge),
	         panel->top + PANEL_H, "stroke=\"#d55e00\" stroke-dasharray=\"3,3\"");
}

static void draw_panel(FILE *file, const struct panel *panel, const struct roofline *roofline)
{
	char text[192];
	draw_grid(file, panel);
	draw_roofs(file, panel, roofline);
	(void)snprintf(text, sizeof(text), "%.40s on %.40s, %s: %.4g GOPS, %.4g GB/s", roofline->network->name,
	               roofline->machine.name, roofline->machine.level[roofline->level].name, roofline->compute_gops,
	               roofline->memory_gb_s);
	svg_text(file, panel->left + PANEL_W / 2.0, panel->top - 26, "text-anchor=\"middle\" font-weight=\"bold\"",
	         text);
	for (size_t i = 0; i < roofline->n; i++) {
		const struct roofline_layer *layer = &roofline->layer[i];
		double gops = layer->is_reached ? layer->reached_gops : layer->attainable_gops;
		svg_mark(file, x_at(panel, layer->intensity), y_at(panel, gops), layer->kind, colour[layer->kind],
		         !layer->is_reached);
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
	struct frame frame;
	assert(file && roofline && n > 0);
	size_t n_column = n == 1 ? 1 : n % 3 == 0 ? 3 : 2, n_row = (n + n_column - 1) / n_column;
	fit_frame(roofline, n, &frame);
	svg_begin(file, LEFT + (int)n_column * STEP_W - 40, TOP + (int)n_row * STEP_H - 30);
	draw_legend(file, roofline, n);
	for (size_t i = 0; i < n; i++) {
		const struct panel panel = {&frame, LEFT + (double)(i % n_column) * STEP_W,
		                            TOP + (double)(i / n_column) * STEP_H};
		draw_panel(file, &panel, &roofline[i]);
	}
	svg_end(file);
}
