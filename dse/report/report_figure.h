/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_REPORT_FIGURE_H
#define DSE_REPORT_FIGURE_H
/*
 * The figures of a report as pictures (SVG) that do not move: a row of report_figure each. The page draws its own, from
 * the same data.
 */
#include "dse/report/report_data.h"
#include <stdio.h>

/* Errors stay in the stream. */
typedef void report_drawer(FILE *file, const struct report_data *data);

struct report_figure {
	const char *name; /* of the file, without ending */
	const char *help;
	/* Whether the run has what it shows. */
	bool (*serves)(const struct report_data *data);
	report_drawer *draw;
};
extern const struct report_figure report_figure[];
extern const size_t report_n_figure;

/*
 * Write all figures that data [n] has into a folder, which is made: NAME.svg, of several runs R-NAME.svg, R from 1,
 * and beside it a PNG where that can be made (dse/out/png.h); *has_png: it could. ERR_IO.
 */
enum err_code report_figures_write(const char *dir, const struct report_data *data, size_t n, bool *has_png,
                                   struct err *err);

/* One row each, in the file its kind is drawn in. */
report_drawer report_draw_front, report_draw_parallel, report_draw_progress, report_draw_rooflines,
    report_draw_phases, report_draw_energy, report_draw_utilisation, report_draw_power;

/* What they share. A key of one mark and a text; returns where the next one begins. */
double report_draw_key(FILE *file, double x, double y, size_t colour, const char *text);
/* "latency / ms" */
void report_column_name(const struct report_column *column, char *text, size_t n_byte);
/* Above a figure: the run, and the point whose layers it shows. */
void report_draw_title(FILE *file, const struct report_data *data, const char *what, bool of_point);

#endif
