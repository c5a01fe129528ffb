/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/svg_axis.h"
#include "dse/out/svg.h"
#include <assert.h>
#include <math.h>

void svg_axis_fit(struct svg_axis *axis, double min, double max)
{
	assert(max >= min);
	double range = max > min ? max - min : fabs(max) > 0.0 ? fabs(max) : 1.0;
	axis->is_log = false;
	axis->step = svg_round_step(range);
	axis->min = floor(min / axis->step) * axis->step;
	axis->max = ceil(max / axis->step) * axis->step;
	if (!(axis->max > axis->min))
		axis->max = axis->min + axis->step;
}

void svg_axis_fit_log(struct svg_axis *axis, double min, double max)
{
	assert(min > 0 && max >= min);
	axis->is_log = true;
	axis->min = pow(10, floor(log10(min)));
	axis->max = pow(10, ceil(log10(max)));
	if (!(axis->max > axis->min))
		axis->max = 10 * axis->min;
}

double svg_axis_place(const struct svg_axis *axis, double value)
{
	assert(axis->max > axis->min && (!axis->is_log || (axis->min > 0.0 && value > 0.0)));
	double frac = axis->is_log ? log10(value / axis->min) / log10(axis->max / axis->min)
	                           : (value - axis->min) / (axis->max - axis->min);
	return axis->begin + frac * (axis->end - axis->begin);
}

/* Value i of the grid; returns how many there are. */
static long grid_at(const struct svg_axis *axis, long i, double *value)
{
	*value = axis->is_log ? axis->min * pow(10, (double)i) : axis->min + (double)i * axis->step;
	/* the end of a linear axis need not be a step */
	return 1 + (axis->is_log ? lround(log10(axis->max / axis->min))
	                         : (long)floor((axis->max - axis->min) / axis->step * (1 + 1e-9)));
}

void svg_axis_ticks(FILE *file, const struct svg_axis *axis, const struct svg_ticks *ticks)
{
	char text[48];
	double value;
	for (long i = 0; i < grid_at(axis, i, &value); i++) {
		double at = svg_axis_place(axis, value);
		const char *stroke = i == 0 && ticks->zero_stroke ? ticks->zero_stroke : ticks->stroke;
		(void)snprintf(text, sizeof(text), "%.6g%s", ticks->scale > 0 ? value * ticks->scale : value,
		               ticks->unit ? ticks->unit : "");
		if (ticks->is_x) {
			svg_line(file, at, ticks->from, at, ticks->to, stroke);
			svg_text(file, at, ticks->base + 18, "text-anchor=\"middle\"", text);
		} else {
			svg_line(file, ticks->from, at, ticks->to, at, stroke);
			svg_text(file, ticks->base - 8, at + 4, "text-anchor=\"end\"", text);
		}
	}
}

void svg_axes_draw(FILE *file, const struct svg_axis *x, const struct svg_axis *y)
{
	static const char faint[] = "stroke=\"#dddddd\"", dark[] = "stroke=\"#444444\"";
	svg_axis_ticks(
	    file, x,
	    &(struct svg_ticks){.is_x = true, .from = y->begin, .to = y->end, .stroke = faint, .base = y->begin});
	svg_axis_ticks(file, y, &(struct svg_ticks){.from = x->begin, .to = x->end, .stroke = faint, .base = x->begin});
	svg_line(file, x->begin, y->begin, x->end, y->begin, dark);
	svg_line(file, x->begin, y->begin, x->begin, y->end, dark);
	svg_text(file, (x->begin + x->end) / 2, y->begin + 44, "text-anchor=\"middle\"", x->name);
	svg_text(file, x->begin, y->end - 14, "text-anchor=\"middle\"", y->name);
}

void svg_legend_box(FILE *file, double x, const char *colour, const char *text)
{
	(void)fprintf(file, "<rect x=\"%.1f\" y=\"10\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x, colour);
	svg_text(file, x + 18, 20, "text-anchor=\"start\"", text);
}
