/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SVG_AXIS_H
#define DSE_SVG_AXIS_H
/*
 * What the charts of all rooms share above single marks (dse/out/svg.h): axes that hold the values, where a value is
 * drawn, lines and labels of a grid, entries of a legend.
 *
 *   values -> svg_axis_fit -> begin, end by the chart -> svg_axis_place, svg_axis_ticks
 */
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

/* How the steps of an axis are shown. */
struct svg_ticks {
	bool is_x;                        /* of an x axis, else of a y axis */
	double from, to;                  /* a line across from here to there */
	const char *stroke, *zero_stroke; /* attributes of the lines, and of the first one; NULL: as the others */
	double base;                      /* labels stand below it (x), left of it (y) */
	double scale;                     /* labels are values times this; 0: the values */
	const char *unit;                 /* behind each label; NULL: nothing */
};

/* A line and a label at each step of the axis. */
void svg_axis_ticks(FILE *file, const struct svg_axis *axis, const struct svg_ticks *ticks);

/* Grid, labels and names of both. Grid lines first, so that marks lie above them. */
void svg_axes_draw(FILE *file, const struct svg_axis *x, const struct svg_axis *y);

/* An entry of a legend on the top line of a picture: a box of a colour, and the text beside it. */
void svg_legend_box(FILE *file, double x, const char *colour, const char *text);

#endif
