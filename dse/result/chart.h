/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CHART_H
#define DSE_CHART_H
/*
 * Pictures, SVG: a front (its first two objectives as a scatter, one colour and
 * mark for each machine), and predicted against measured on logarithmic axes.
 */
#include "dse/result/front_file.h"

/* Draw the front. ERR_INTERNAL; errors of the stream stay in the stream. */
enum err_code chart_write(FILE *file, const struct front_run *run, struct err *err);

/* Points of one colour and mark. */
struct chart_series {
	char name[80];
	bool is_hollow; /* marks of a second model beside those of the first */
	size_t n;
	const double *x, *y; /* [n]; pairs that are not both above 0 are left out */
};

#define CHART_MAX_SERIES 16

/* One scatter with equal logarithmic axes and the diagonal on which y equals x. */
struct chart_panel {
	char title[120], unit[24];
	size_t n_series;
	struct chart_series series[CHART_MAX_SERIES];
};

/* Draw panels one below the other: measured to the right, predicted upwards. Errors stay in the stream. */
void chart_write_scatter(FILE *file, const struct chart_panel *panel, size_t n);

#endif
