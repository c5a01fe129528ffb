/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time feedback as a table, CSV and a picture. */
#include "dse/arada/arada_feedback.h"
#include "dse/out/csv_write.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include "dse/out/table.h"
#include "dse/out/words.h"
#include <inttypes.h>
#include <math.h>

#define PCT 100.0

/* Of the exact allocation, mean over networks; NAN: not known. */
static double exact_pct(const struct arada_feedback *feedback, size_t machine)
{
	size_t n = feedback->study->space->n_network;
	double sum = 0;
	if (!feedback->exact)
		return (double)NAN;
	for (size_t i = 0; i < n; i++)
		sum += feedback->exact->run[machine * n + i].gain[ARADA_NORMALISED].saving_pct[ARADA_EXACT];
	return sum / (double)n;
}

static const struct arada_feedback_step *step_of(const struct arada_feedback *feedback, size_t machine, uint32_t k)
{
	return &feedback->step[machine * (feedback->options.n_inference + 1) + k];
}

/* 0, 1, 2, 4, ... and the last; behind it the last once more. */
static uint32_t next_shown(uint32_t k, uint32_t last)
{
	uint32_t next = k == 0 ? 1 : 2 * k;
	return next < last ? next : last;
}

void arada_feedback_print(FILE *file, const struct arada_feedback *feedback)
{
	const struct arada_study *study = feedback->study;
	uint32_t last = feedback->options.n_inference;
	struct table table = {0};
	struct words_fold fold;
	table_add_columns(&table, "machine|>inference|>saved_pct|>knowing_pct|>exact_pct|>late_pct");
	for (size_t i = 0; i < study->n_machine; i++)
		for (uint32_t k = 0;; k = next_shown(k, last)) {
			const struct arada_feedback_step *step = step_of(feedback, i, k);
			table_add_row(&table, "%s|%" PRIu32, study->label[i], k);
			table_add(&table, "%.2f", PCT * step->saving_frac);
			table_add(&table, "%.2f", PCT * step->knowing_frac);
			table_add(&table, "%.2f", exact_pct(feedback, i));
			table_add(&table, "%.2f", PCT * step->late_frac);
			if (k == last)
				break;
		}
	table_finish(&table, file, 2);
	file = words_fold_begin(&fold, file);
	(void)fprintf(file,
	              "run-time feedback, noise of the memory's time %g %%, mean of the networks and of %" PRIu32
	              " sequences: array energy saved against race to idle by VF-OH-Q from what was measured before "
	              "(inference 0: nothing), by VF-OH-Q knowing the inference's times (knowing_pct), by the exact "
	              "allocation without noise; time beyond race to idle's\n",
	              PCT * feedback->options.noise_frac, feedback->options.n_sample);
	words_fold_end(&fold);
}

void arada_feedback_write(FILE *file, const struct arada_feedback *feedback)
{
	const struct arada_study *study = feedback->study;
	(void)fputs("machine,noise_pct,inference,saved_pct,knowing_pct,exact_pct,late_pct\n", file);
	for (size_t i = 0; i < study->n_machine; i++)
		for (uint32_t k = 0; k <= feedback->options.n_inference; k++) {
			const struct arada_feedback_step *step = step_of(feedback, i, k);
			csv_put_row(file, "%s,%g,%u,%g,%g", study->label[i], PCT * feedback->options.noise_frac, k,
			            PCT * step->saving_frac, PCT * step->knowing_frac);
			csv_put_known(file, false, exact_pct(feedback, i));
			csv_put_row(file, ",%g\n", PCT * step->late_frac);
		}
}

/* In SVG units (pixels). */
enum { LEFT = 70, TOP = 30, PANEL_W = 460, PANEL_H = 320, LEGEND_W = 220, LEGEND_STEP = 18 };

static void draw_curve(FILE *file, const struct arada_feedback *feedback, size_t machine, const struct svg_axis *x,
                       const struct svg_axis *y)
{
	char style[96], text[96];
	const char *colour = svg_colour[machine % SVG_N_COLOUR];
	double x0 = 0, y0 = 0;
	(void)snprintf(style, sizeof(style), "stroke=\"%s\" stroke-width=\"1.5\"", colour);
	for (uint32_t k = 0; k <= feedback->options.n_inference; k++) {
		double x1 = svg_axis_place(x, k),
		       y1 = svg_axis_place(y, PCT * step_of(feedback, machine, k)->saving_frac);
		if (k > 0)
			svg_line(file, x0, y0, x1, y1, style);
		svg_mark(file, x1, y1, machine / SVG_N_COLOUR, colour, false);
		x0 = x1;
		y0 = y1;
	}
	double at = TOP + 10 + (double)machine * LEGEND_STEP, left = LEFT + PANEL_W + 20;
	svg_mark(file, left, at, machine / SVG_N_COLOUR, colour, false);
	(void)snprintf(text, sizeof(text), "%.60s", feedback->study->label[machine]);
	svg_text(file, left + 10, at + 4, "text-anchor=\"start\" font-size=\"11\"", text);
}

void arada_feedback_draw(FILE *file, const struct arada_feedback *feedback)
{
	struct svg_axis x = {.name = "inference"}, y = {.name = "array energy saved, %"};
	double most = 0;
	size_t n = feedback->study->n_machine;
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k <= feedback->options.n_inference; k++)
			most = fmax(most, PCT * step_of(feedback, i, k)->saving_frac);
	svg_axis_fit(&x, 0, feedback->options.n_inference);
	svg_axis_fit(&y, 0, fmax(most, 1));
	double height = fmax(PANEL_H, 20 + (double)n * LEGEND_STEP);
	x.begin = LEFT;
	x.end = LEFT + PANEL_W;
	y.end = TOP;
	y.begin = TOP + PANEL_H;
	svg_begin(file, LEFT + PANEL_W + LEGEND_W, TOP + (int)height + 50);
	svg_axes_draw(file, &x, &y);
	for (size_t i = 0; i < n; i++)
		draw_curve(file, feedback, i, &x, &y);
	svg_end(file);
}
