/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/chart.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Picture and plot area, in SVG units (pixels). */
enum { WIDTH = 900, HEIGHT = 560, LEFT = 90, RIGHT = 250, TOP = 40, BOTTOM = 60, MAX_SERIES = 8 };

/* A palette that colour-blind readers can tell apart (Okabe and Ito, 2008). */
static const char *const colour[MAX_SERIES] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                               "#e69f00", "#56b4e9", "#f0e442", "#000000"};

struct axis {
	double min, max, step;
	double begin, end; /* where min and max are drawn */
	const char *name;
};

/* Round numbers that hold the values: steps of 1, 2 or 5 times a power of ten, about six of them. */
static void fit_axis(const struct pareto *front, unsigned objective, struct axis *axis)
{
	double min = INFINITY, max = -INFINITY;
	assert(front->n > 0 && objective < front->n_objective);
	for (size_t i = 0; i < front->n; i++) {
		min = fmin(min, front->objective[i * front->n_objective + objective]);
		max = fmax(max, front->objective[i * front->n_objective + objective]);
	}
	double range = max > min ? max - min : fabs(max) > 0.0 ? fabs(max) : 1.0;
	double power = pow(10.0, floor(log10(range / 6.0)));
	double factor = range / 6.0 / power;
	axis->step = power * (factor <= 1.0 ? 1.0 : factor <= 2.0 ? 2.0 : factor <= 5.0 ? 5.0 : 10.0);
	axis->min = floor(min / axis->step) * axis->step;
	axis->max = ceil(max / axis->step) * axis->step;
	if (!(axis->max > axis->min))
		axis->max = axis->min + axis->step;
}

static double place(const struct axis *axis, double value)
{
	assert(axis->max > axis->min);
	return axis->begin + (value - axis->min) / (axis->max - axis->min) * (axis->end - axis->begin);
}

/* Names come from users' files, so what SVG would take for markup is written as a number. */
static void put_text(FILE *file, double x, double y, const char *anchor, const char *text)
{
	(void)fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&')
			(void)fprintf(file, "&#%d;", *text);
		else
			(void)fputc(*text, file);
	}
	(void)fputs("</text>\n", file);
}

static void put_line(FILE *file, double x1, double y1, double x2, double y2, const char *stroke)
{
	(void)fprintf(file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x1, y1, x2, y2,
	              stroke);
}

/* Grid lines first, so that marks lie above them. */
static void draw_axes(FILE *file, const struct axis *x, const struct axis *y)
{
	char text[32];
	for (long i = 0; i <= lround((x->max - x->min) / x->step); i++) {
		double value = x->min + (double)i * x->step;
		put_line(file, place(x, value), y->begin, place(x, value), y->end, "#dddddd");
		(void)snprintf(text, sizeof(text), "%.6g", value);
		put_text(file, place(x, value), y->begin + 18, "middle", text);
	}
	for (long i = 0; i <= lround((y->max - y->min) / y->step); i++) {
		double value = y->min + (double)i * y->step;
		put_line(file, x->begin, place(y, value), x->end, place(y, value), "#dddddd");
		(void)snprintf(text, sizeof(text), "%.6g", value);
		put_text(file, x->begin - 8, place(y, value) + 4, "end", text);
	}
	put_line(file, x->begin, y->begin, x->end, y->begin, "#444444");
	put_line(file, x->begin, y->begin, x->begin, y->end, "#444444");
	put_text(file, (x->begin + x->end) / 2, y->begin + 44, "middle", x->name);
	put_text(file, x->begin, y->end - 14, "middle", y->name);
}

/* Circle, square, triangle, diamond. */
static void put_mark(FILE *file, double x, double y, size_t series)
{
	static const char *const path[] = {"m-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "m-3.5,-3.5h7v7h-7z",
	                                   "m0,-4.5l4.5,8h-9z", "m0,-5l5,5l-5,5l-5,-5z"};
	(void)fprintf(file, "<path d=\"M%.1f,%.1f%s\" fill=\"%s\" fill-opacity=\"0.75\"/>\n", x, y, path[series % 4],
	              colour[series % MAX_SERIES]);
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
		put_text(file, x + 12, y + 4, "start", i + 1 < MAX_SERIES ? text : "other machines");
	}
}

enum err_code chart_write(FILE *file, const struct front_run *run, struct err *err)
{
	const struct pareto *front = &run->explore->front;
	uint32_t known[MAX_SERIES];
	size_t n_known = 0;
	(void)err;
	assert(file && run && front->n > 0);
	unsigned second = front->n_objective > 1 ? 1 : 0;
	struct axis x = {.begin = LEFT, .end = WIDTH - RIGHT, .name = metric_table[run->space->objective[0]].name};
	struct axis y = {
	    .begin = HEIGHT - BOTTOM, .end = TOP, .name = metric_table[run->space->objective[second]].name};
	fit_axis(front, 0, &x);
	fit_axis(front, second, &y);
	(void)fprintf(file,
	              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
	              "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
	              "fill=\"white\"/>\n",
	              WIDTH, HEIGHT, WIDTH, HEIGHT);
	draw_axes(file, &x, &y);
	/* Of a long front most marks would lie on the mark before; those within half a pixel are left out. */
	double last_x[MAX_SERIES], last_y[MAX_SERIES];
	for (size_t i = 0; i < front->n; i++) {
		size_t n_before = n_known, series = series_of(front->genome[i * front->n_gene], known, &n_known);
		const double *objective = front->objective + i * front->n_objective;
		double at_x = place(&x, objective[0]), at_y = place(&y, objective[second]);
		if (n_known == n_before && fabs(at_x - last_x[series]) < 0.5 && fabs(at_y - last_y[series]) < 0.5)
			continue;
		put_mark(file, at_x, at_y, series);
		last_x[series] = at_x;
		last_y[series] = at_y;
	}
	draw_legend(file, run->space, known, n_known, WIDTH - RIGHT + 30);
	(void)fputs("</svg>\n", file);
	return ERR_OK;
}
