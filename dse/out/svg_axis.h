/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SVG_AXIS_H
#define DSE_SVG_AXIS_H
/* Axes of SVG charts: round numbers that hold the values, where a value is drawn, grid and labels. */
#include <stdbool.h>
#include <stdio.h>

struct svg_axis {
	double min, max, step;
	double begin, end; /* where min and max are drawn */
	const char *name;
	bool is_log; /* min and max are powers of ten and the steps decades; step is unused */
};

/* Let a linear axis hold min to max: steps of 1, 2 or 5 times a power of ten, about six of them. */
void svg_axis_fit(struct svg_axis *axis, double min, double max);

/* Let a logarithmic axis hold min to max, both above 0: whole decades, at least one. */
void svg_axis_fit_log(struct svg_axis *axis, double min, double max);

/* Where a value is drawn, which need not be between min and max; above 0 on a logarithmic axis. */
double svg_axis_place(const struct svg_axis *axis, double value);

/* Grid, labels and names of both. Grid lines first, so that marks lie above them. */
void svg_axes_draw(FILE *file, const struct svg_axis *x, const struct svg_axis *y);

#endif
