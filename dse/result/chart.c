/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/result/chart.h"
#include "dse/space/space_machine.h"
#include "dse/base/memory.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include "dse/keep/text_blocks.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Picture and plot area, in SVG units (pixels). */
enum { WIDTH = 900, HEIGHT = 560, LEFT = 90, RIGHT = 250, TOP = 40, BOTTOM = 60, MAX_SERIES = SVG_N_COLOUR };

static void fit_axis(const struct pareto *front, unsigned objective, struct svg_axis *axis)
{
	double min = INFINITY, max = -INFINITY;
	assert(front->n > 0 && objective < front->n_objective);
	for (size_t i = 0; i < front->n; i++) {
		min = fmin(min, front->objective[i * front->n_objective + objective]);
		max = fmax(max, front->objective[i * front->n_objective + objective]);
	}
	svg_axis_fit(axis, min, max);
}

static void put_mark(FILE *file, double x, double y, size_t series)
{
	svg_mark(file, x, y, series, svg_colour[series % SVG_N_COLOUR], false);
}

/* The machine's number in order of first appearance; the last series takes all that are too many. */
static size_t series_of(uint32_t machine_index, uint32_t *known, size_t *n_known)
{
	for (size_t i = 0; i < *n_known; i++)
		if (known[i] == machine_index)
			return i;
	if (*n_known == MAX_SERIES)
		return MAX_SERIES - 1;
	known[(*n_known)++] = machine_index;
	return *n_known - 1;
}

/* Machines by name and axes: the front's own colours mean nothing without. */
static void draw_legend(FILE *file, const struct space *space, const uint32_t *known, size_t n_known, double x)
{
	for (size_t i = 0; i < n_known; i++) {
		struct machine machine;
		char text[EXPLORE_TEXT_SIZE], why[EXPLORE_TEXT_SIZE];
		double y = TOP + 10 + 22.0 * (double)i;
		if (!space_machine(space, known[i], &machine, why, sizeof(why)))
			continue;
		explore_machine_text(space, known[i], &machine, text, sizeof(text));
		put_mark(file, x, y, i);
		svg_text(file, x + 12, y + 4, "text-anchor=\"start\"", i + 1 < MAX_SERIES ? text : "other machines");
	}
}

/* Marks of a front, in its order. */
struct marks {
	double *x, *y;   /* [n] */
	uint8_t *series; /* [n] */
	size_t n, n_series;
	uint32_t known[MAX_SERIES]; /* [n_series] machines */
};

/* Of a long front most marks would lie on the mark before; those within half a pixel are left out. */
static void place_marks(const struct pareto *front, const struct svg_axis *x, const struct svg_axis *y, unsigned second,
                        struct marks *marks)
{
	double last_x[MAX_SERIES], last_y[MAX_SERIES];
	for (size_t i = 0; i < front->n; i++) {
		size_t n_before = marks->n_series,
		       series = series_of(front->genome[i * front->n_gene], marks->known, &marks->n_series);
		const double *objective = front->objective + i * front->n_objective;
		double at_x = svg_axis_place(x, objective[0]), at_y = svg_axis_place(y, objective[second]);
		if (marks->n_series == n_before && fabs(at_x - last_x[series]) < 0.5 &&
		    fabs(at_y - last_y[series]) < 0.5)
			continue;
		marks->series[marks->n] = (uint8_t)series;
		marks->x[marks->n] = last_x[series] = at_x;
		marks->y[marks->n++] = last_y[series] = at_y;
	}
}

static enum err_code put_marks(void *context, FILE *file, size_t first, size_t end, struct err *err)
{
	const struct marks *marks = context;
	(void)err;
	for (size_t i = first; i < end; i++)
		put_mark(file, marks->x[i], marks->y[i], marks->series[i]);
	return ERR_OK;
}

enum err_code chart_write(FILE *file, const struct front_run *run, struct err *err)
{
	const struct pareto *front = &run->explore->front;
	assert(file && run && front->n > 0);
	_Static_assert(MAX_SERIES <= UINT8_MAX, "a series is a byte");
	unsigned second = front->n_objective > 1 ? 1 : 0;
	struct svg_axis x = {.begin = LEFT, .end = WIDTH - RIGHT, .name = metric_table[run->space->objective[0]].name};
	struct svg_axis y = {
	    .begin = HEIGHT - BOTTOM, .end = TOP, .name = metric_table[run->space->objective[second]].name};
	struct marks marks = {.x = memory_array(front->n, sizeof(*marks.x)),
	                      .y = memory_array(front->n, sizeof(*marks.y)),
	                      .series = memory_array(front->n, sizeof(*marks.series))};
	fit_axis(front, 0, &x);
	fit_axis(front, second, &y);
	place_marks(front, &x, &y, second, &marks);
	const struct text_blocks blocks = {marks.n, front_file_n_thread(run), put_marks,
	                                   &marks,  text_blocks_to_file,      file};
	svg_begin(file, WIDTH, HEIGHT);
	svg_axes_draw(file, &x, &y);
	enum err_code code = text_blocks_run(&blocks, err);
	draw_legend(file, run->space, marks.known, marks.n_series, WIDTH - RIGHT + 30);
	svg_end(file);
	free(marks.x);
	free(marks.y);
	free(marks.series);
	return code;
}
