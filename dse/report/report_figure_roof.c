/* SPDX-License-Identifier: Apache-2.0 */
/* Rooflines of a point's layers at each level of memory: what was reached over operations a byte that moved there. */
#include "dse/report/report_figure.h"
#include "dse/report/report_roof.h"
#include "dse/roofline/roofline.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <math.h>

/* In SVG units (pixels). */
enum { LEFT = 80, TOP = 96, PANEL_W = 300, PANEL_H = 300, STEP = PANEL_W + 90, BOTTOM = 70 };

/* A layer that multiplies. */
struct mark {
	uint32_t level;
	double gops, intensity[N_REPORT_MEMORY]; /* 0: nothing moves there */
};

static bool take_mark(const struct report_data *data, size_t layer, struct mark *mark)
{
	const struct report_design *design = &data->design[data->run.front.point[data->chosen].design[layer]];
	const struct machine *machine = data->machine[design->machine].machine;
	double n_op = 2.0 * (double)block_n_mac(data->map.block[layer]);
	if (!(n_op > 0) || !(design->result.latency_ns > 0))
		return false;
	*mark = (struct mark){.level = design->design.level, .gops = n_op / design->result.latency_ns};
	for (unsigned k = 0; k < N_REPORT_MEMORY; k++) {
		double byte = report_memory_byte(machine, &design->result, (enum report_memory)k);
		mark->intensity[k] = byte > 0 ? n_op / byte : 0.0;
	}
	return true;
}

/* Operating points that the point's layers have. */
static uint32_t used_levels(const struct report_data *data)
{
	uint32_t levels = 0;
	struct mark mark;
	for (size_t i = 0; i < data->run.front.n_layer; i++)
		if (take_mark(data, i, &mark))
			levels |= UINT32_C(1) << mark.level;
	return levels;
}

static double line_end(const struct svg_axis *x, const struct svg_axis *y, double gops, double gb_s, double *from)
{
	*from = fmax(x->min, y->min / gb_s);
	return fmin(x->max, gops / gb_s);
}

/* The roofs of an operating point over one memory. */
static void draw_roofs(FILE *file, const struct svg_axis *x, const struct svg_axis *y, double gops, double gb_s,
                       size_t colour)
{
	char style[96];
	double from, to = line_end(x, y, gops, gb_s, &from);
	(void)snprintf(style, sizeof(style), "stroke=\"%s\" stroke-width=\"1.5\"", svg_colour[colour % SVG_N_COLOUR]);
	if (from < to)
		svg_line(file, svg_axis_place(x, from), svg_axis_place(y, from * gb_s), svg_axis_place(x, to),
		         svg_axis_place(y, to * gb_s), style);
	if (gops / gb_s < x->max)
		svg_line(file, svg_axis_place(x, fmax(x->min, gops / gb_s)), svg_axis_place(y, gops), x->end,
		         svg_axis_place(y, gops), style);
}

/* How far beyond its ridge a roof is seen, as a factor, for its flat part to be one. */
#define FLAT 4

/* Axes that hold all marks and roofs of a memory; upwards the same in every panel. false: no layer moves anything
 * there. */
static bool fit_axes(const struct report_data *data, const struct machine *machine, uint32_t levels,
                     enum report_memory memory, struct svg_axis *x, struct svg_axis *y)
{
	double min_x = INFINITY, max_x = 0, min_y = INFINITY, max_y = 0;
	struct mark mark;
	for (size_t i = 0; i < data->run.front.n_layer; i++) {
		if (!take_mark(data, i, &mark))
			continue;
		min_y = fmin(min_y, mark.gops);
		if (mark.intensity[memory] > 0) {
			min_x = fmin(min_x, mark.intensity[memory]);
			max_x = fmax(max_x, mark.intensity[memory]);
		}
	}
	for (uint32_t l = 0; l < machine->n_level; l++)
		if (levels >> l & 1) {
			double gops = roofline_compute_gops(machine, l), gb_s = report_memory_gb_s(machine, l, memory);
			max_y = fmax(max_y, gops);
			max_x = gb_s > 0 ? fmax(max_x, FLAT * gops / gb_s) : max_x;
		}
	if (!(max_x > 0) || !(max_y > 0) || !isfinite(min_x) || !isfinite(min_y))
		return false;
	svg_axis_fit_log(x, min_x, max_x);
	svg_axis_fit_log(y, min_y, max_y);
	return true;
}

static void draw_panel(FILE *file, const struct report_data *data, const struct machine *machine, uint32_t levels,
                       enum report_memory memory, struct svg_axis *x, struct svg_axis *y)
{
	static const char *const title[N_REPORT_MEMORY] = {"DRAM", "NoC", "SRAM"};
	struct mark mark;
	svg_axes_draw(file, x, y);
	svg_text(file, (x->begin + x->end) / 2, TOP - 14, "text-anchor=\"middle\" font-weight=\"bold\"", title[memory]);
	for (uint32_t l = 0; l < machine->n_level; l++)
		if (levels >> l & 1)
			draw_roofs(file, x, y, roofline_compute_gops(machine, l),
			           report_memory_gb_s(machine, l, memory), l);
	for (size_t i = 0; i < data->run.front.n_layer; i++)
		if (take_mark(data, i, &mark) && mark.intensity[memory] > 0)
			svg_mark(file, svg_axis_place(x, mark.intensity[memory]), svg_axis_place(y, mark.gops),
			         mark.level, svg_colour[mark.level % SVG_N_COLOUR], false);
}

void report_draw_rooflines(FILE *file, const struct report_data *data)
{
	const struct machine *machine = data->machine[data->machine_of[data->chosen]].machine;
	uint32_t levels = used_levels(data);
	struct svg_axis x = {.name = "operations a byte"}, y = {.begin = TOP + PANEL_H, .end = TOP, .name = "GOPS"};
	size_t n_panel = 0;
	double key_x = 180;
	svg_begin(file, LEFT + N_REPORT_MEMORY * STEP - 40, TOP + PANEL_H + BOTTOM);
	report_draw_title(file, data, "rooflines of layers", true);
	for (unsigned k = 0; k < N_REPORT_MEMORY; k++) {
		if (!(report_memory_gb_s(machine, 0, (enum report_memory)k) > 0) ||
		    !fit_axes(data, machine, levels, (enum report_memory)k, &x, &y))
			continue;
		x.begin = LEFT + (double)n_panel++ * STEP;
		x.end = x.begin + PANEL_W;
		draw_panel(file, data, machine, levels, (enum report_memory)k, &x, &y);
	}
	for (uint32_t l = 0; l < machine->n_level; l++)
		if (levels >> l & 1)
			key_x = report_draw_key(file, key_x, 56, l % SVG_N_COLOUR, machine->level[l].name);
	if (n_panel == 0)
		svg_text(file, LEFT, TOP, "text-anchor=\"start\"", "no layer multiplies");
	svg_end(file);
}
