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
	return 1 + (axis->is_log ? lround(log10(axis->max / axis->min)) : lround((axis->max - axis->min) / axis->step));
}

void svg_axes_draw(FILE *file, const struct svg_axis *x, const struct svg_axis *y)
{
	char text[32];
	double value;
	for (long i = 0; i < grid_at(x, i, &value); i++) {
		double at = svg_axis_place(x, value);
		svg_line(file, at, y->begin, at, y->end, "stroke=\"#dddddd\"");
		(void)snprintf(text, sizeof(text), "%.6g", value);
		svg_text(file, at, y->begin + 18, "text-anchor=\"middle\"", text);
	}
	for (long i = 0; i < grid_at(y, i, &value); i++) {
		double at = svg_axis_place(y, value);
		svg_line(file, x->begin, at, x->end, at, "stroke=\"#dddddd\"");
		(void)snprintf(text, sizeof(text), "%.6g", value);
		svg_text(file, x->begin - 8, at + 4, "text-anchor=\"end\"", text);
	}
	svg_line(file, x->begin, y->begin, x->end, y->begin, "stroke=\"#444444\"");
	svg_line(file, x->begin, y->begin, x->begin, y->end, "stroke=\"#444444\"");
	svg_text(file, (x->begin + x->end) / 2, y->begin + 44, "text-anchor=\"middle\"", x->name);
	svg_text(file, x->begin, y->end - 14, "text-anchor=\"middle\"", y->name);
}
