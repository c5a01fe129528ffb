/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ARADA paper's figures 5 to 8 as panels below each other: groups of bars,
 * all shares of what race to idle takes, on common axes.
 */
#include "dse/arada/arada_report.h"
#include "dse/base/memory.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In SVG units (pixels). */
enum { WIDTH = 1000, LEFT = 70, RIGHT = 30, TOP = 60, PANEL = 150, GAP = 70, NAME_SIZE = 160 };
/*
 * Names stand on one line where they fit, else on two in turn, so that each has the room of two categories, else along
 * the bars' direction; there, too, where a category is narrower than this. A group of bars takes so much of one.
 */
#define WIDE_NAME 84.0
#define BARS_SHARE 0.8
#define PCT 100.0
#define MAX_SERIES 4
#define LETTER_WIDTH 6.2
#define LINE_HEIGHT 14
#define NAME_GAP 10.0
/* Whose bar a mark is on. */
#define MARKED_SERIES 2

/* A palette that colour-blind readers can tell apart (Okabe and Ito, 2008). */
static const char *const colour[MAX_SERIES] = {"#56b4e9", "#0072b2", "#009e73", "#e69f00"};

/* A panel: groups of bars, one a category, with a mark where something is published. */
struct bar_panel {
	char title[NAME_SIZE];
	size_t n;
	const char **name;          /* [n] categories */
	double (*frac)[MAX_SERIES]; /* [n] of 1 */
	double *mark_frac;          /* [n] of 1; NAN: none */
};

/* Panels below each other, and what their bars and marks are. */
struct bar_picture {
	const char *series_name[MAX_SERIES];
	const char *mark_name; /* NULL: no marks */
	size_t n_panel;
	struct bar_panel *panel;
};

static struct bar_picture open_picture(size_t n_panel)
{
	return (struct bar_picture){.n_panel = n_panel, .panel = memory_array(n_panel, sizeof(struct bar_panel))};
}

/* Room for a panel's categories, none of them marked. */
static void open_panel(struct bar_panel *panel, size_t n)
{
	panel->n = n;
	panel->name = memory_array(n, sizeof(*panel->name));
	panel->frac = memory_array(n, sizeof(*panel->frac));
	panel->mark_frac = memory_array(n, sizeof(*panel->mark_frac));
	for (size_t i = 0; i < n; i++)
		panel->mark_frac[i] = NAN;
}

static void close_picture(struct bar_picture *picture)
{
	for (size_t i = 0; i < picture->n_panel; i++) {
		free(picture->panel[i].name);
		free(picture->panel[i].frac);
		free(picture->panel[i].mark_frac);
	}
	free(picture->panel);
}

/* The axis that all panels share, in percent. */
static void fit_axis(const struct bar_picture *picture, struct svg_axis *pct)
{
	double max_pct = 0;
	for (size_t p = 0; p < picture->n_panel; p++)
		for (size_t c = 0; c < picture->panel[p].n; c++) {
			for (size_t s = 0; s < MAX_SERIES; s++)
				max_pct = fmax(max_pct, PCT * picture->panel[p].frac[c][s]);
			max_pct = fmax(max_pct, PCT * picture->panel[p].mark_frac[c]);
		}
	svg_axis_fit(pct, 0, max_pct > 0 ? max_pct : PCT);
}

static double name_width(const struct bar_panel *panel, size_t c)
{
	return LETTER_WIDTH * (double)strlen(panel->name[c]);
}

static double category_width(const struct bar_panel *panel)
{
	return (double)(WIDTH - LEFT - RIGHT) / (double)panel->n;
}

/* Lines that a panel's names take in turn; 0: they stand along the bars' direction. */
static size_t n_name_line(const struct bar_panel *panel)
{
	size_t n = panel->n;
	double width = category_width(panel);
	if (width < WIDE_NAME)
		return 0;
	for (size_t n_line = 1; n_line <= 2; n_line++) {
		bool fits = true;
		for (size_t c = 0; c < n; c++) {
			double half = name_width(panel, c) / 2;
			double next = c + n_line < n ? name_width(panel, c + n_line) / 2 : 0;
			fits = fits && half + next + NAME_GAP <= width * (double)n_line;
			/* nor do the first and the last leave the picture */
			fits = fits && (c > 0 || half <= LEFT + width / 2) && (c + 1 < n || half <= RIGHT + width / 2);
		}
		if (fits)
			return n_line;
	}
	return 0;
}

/* Height that the longest name takes below a panel. */
static double fit_names(const struct bar_picture *picture)
{
	double height = 20;
	for (size_t p = 0; p < picture->n_panel; p++) {
		const struct bar_panel *panel = &picture->panel[p];
		size_t n_line = n_name_line(panel);
		if (n_line == 2)
			height = fmax(height, 20 + LINE_HEIGHT);
		for (size_t c = 0; c < panel->n && n_line == 0; c++)
			height = fmax(height, 12 + name_width(panel, c));
	}
	return height;
}

/* A name whose middle is at x, by lines of its panel. */
static void draw_name(FILE *file, const char *name, double x, double y, size_t n_line, size_t c)
{
	char attributes[96] = "text-anchor=\"middle\"";
	if (n_line == 0) {
		x += 4;
		y -= 6;
		(void)snprintf(attributes, sizeof(attributes),
		               "text-anchor=\"end\" transform=\"rotate(-90 %.1f %.1f)\"", x, y);
	} else {
		y += (double)(c % n_line * LINE_HEIGHT);
	}
	svg_text(file, x, y, attributes, name);
}

static void draw_category(FILE *file, const struct bar_panel *panel, const struct svg_axis *pct, size_t c)
{
	double width = category_width(panel), bar = width * BARS_SHARE / MAX_SERIES;
	double left = LEFT + width * (double)c, first = left + width * (1 - BARS_SHARE) / 2;
	for (size_t s = 0; s < MAX_SERIES; s++) {
		double value = PCT * panel->frac[c][s], y = svg_axis_place(pct, value);
		assert(value >= 0 && value <= pct->max * (1 + 1e-9));
		if (value > 0)
			(void)fprintf(file,
			              "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n",
			              first + bar * (double)s, y, bar, pct->begin - y, colour[s]);
	}
	draw_name(file, panel->name[c], left + width / 2, pct->begin + 16, n_name_line(panel), c);
	if (!isnan(panel->mark_frac[c]))
		(void)fprintf(file, "<path d=\"M%.1f,%.1fm0,-6l6,6l-6,6l-6,-6z\" fill=\"#d55e00\"/>\n",
		              first + bar * (MARKED_SERIES + 0.5), svg_axis_place(pct, PCT * panel->mark_frac[c]));
}

static void draw_legend(FILE *file, const struct bar_picture *picture)
{
	double x = LEFT;
	for (size_t s = 0; s < MAX_SERIES; s++) {
		svg_legend_box(file, x, colour[s], picture->series_name[s]);
		x += 48 + LETTER_WIDTH * (double)strlen(picture->series_name[s]);
	}
	if (picture->mark_name) {
		(void)fprintf(file, "<path d=\"M%.1f,16m0,-6l6,6l-6,6l-6,-6z\" fill=\"#d55e00\"/>\n", x + 6);
		svg_text(file, x + 18, 20, "text-anchor=\"start\"", picture->mark_name);
	}
}

/* Draw it, and let it go. */
static void draw(FILE *file, struct bar_picture *picture)
{
	struct svg_axis pct = {0};
	const struct svg_ticks ticks = {.from = LEFT,
	                                .to = WIDTH - RIGHT,
	                                .stroke = "stroke=\"#dddddd\"",
	                                .zero_stroke = "stroke=\"#444444\"",
	                                .base = LEFT,
	                                .unit = " %"};
	double step = PANEL + GAP - 20 + fit_names(picture);
	assert(picture->n_panel > 0);
	fit_axis(picture, &pct);
	svg_begin(file, WIDTH, (int)ceil(TOP + step * (double)picture->n_panel));
	draw_legend(file, picture);
	for (size_t p = 0; p < picture->n_panel; p++) {
		const struct bar_panel *panel = &picture->panel[p];
		pct.end = TOP + step * (double)p;
		pct.begin = pct.end + PANEL;
		svg_text(file, LEFT, pct.end - 10, "font-weight=\"bold\"", panel->title);
		svg_axis_ticks(file, &pct, &ticks);
		for (size_t c = 0; c < panel->n; c++)
			draw_category(file, panel, &pct, c);
	}
	svg_end(file);
	close_picture(picture);
}

/* Savings of the schemes, then the bandwidth left over by the last one. */
static void take_sums(const struct arada_sum sum[N_ARADA_SCHEME], double frac[MAX_SERIES])
{
	for (size_t s = 0; s < 3; s++)
		frac[s] = sum[ARADA_IDEAL + s].saving_frac;
	frac[3] = sum[ARADA_VF_OH_Q].layer_bandwidth_frac;
}

static void name_schemes(struct bar_picture *picture)
{
	static const char *const name[MAX_SERIES] = {"energy saved: IDEAL", "VF-OH", "VF-OH-Q",
	                                             "bandwidth left over, mean of layers"};
	memcpy(picture->series_name, name, sizeof(name));
}

/* ---- means by memory ---- */

static void take_means(const struct arada_report *report, size_t group, struct bar_panel *panel)
{
	const struct arada_study *study = report->study;
	size_t n = 0;
	open_panel(panel, study->n_machine);
	for (size_t i = 0; i < study->n_machine; i++) {
		const struct machine *machine = &study->machine[i];
		struct arada_sum sum[N_ARADA_SCHEME];
		if (study->group[i] != group)
			continue;
		if (n == 0)
			(void)snprintf(panel->title, NAME_SIZE,
			               "%ux%u array, %.6g MHz, buffers of %.6g KiB: mean of %zu networks",
			               machine->systolic.rows, machine->systolic.cols, machine->level[0].clk_mhz,
			               ((double)machine->systolic.ifmap_byte + machine->systolic.filter_byte +
			                machine->systolic.ofmap_byte) /
			                   1024,
			               study->space->n_network);
		for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++)
			sum[scheme] = arada_study_mean(study, i, (enum arada_scheme)scheme);
		take_sums(sum, panel->frac[n]);
		for (size_t k = report->n_match; k-- > 0;)
			if (report->match[k].machine == i)
				panel->mark_frac[n] = report->match[k].published_frac;
		panel->name[n++] = study->label[i];
	}
	panel->n = n;
}

void arada_draw_means(FILE *file, const struct arada_report *report)
{
	struct bar_picture picture = open_picture(report->study->n_group);
	name_schemes(&picture);
	picture.mark_name = report->n_match > 0 ? "published saving of VF-OH-Q" : NULL;
	for (size_t p = 0; p < picture.n_panel; p++)
		take_means(report, p, &picture.panel[p]);
	draw(file, &picture);
}

/* ---- networks ---- */

void arada_draw_networks(FILE *file, const struct arada_study *study)
{
	const size_t n = study->space->n_network;
	struct bar_picture picture = open_picture(study->n_machine);
	name_schemes(&picture);
	for (size_t p = 0; p < picture.n_panel; p++) {
		struct bar_panel *panel = &picture.panel[p];
		open_panel(panel, n);
		(void)snprintf(panel->title, NAME_SIZE, "%s: %.6g GB/s", study->label[p],
		               study->machine[p].systolic.memory_gb_s);
		for (size_t i = 0; i < n; i++) {
			panel->name[i] = study->space->network[i].network.name;
			take_sums(study->run[p * n + i].sum, panel->frac[i]);
		}
	}
	draw(file, &picture);
}

/* ---- layers ---- */

static void take_layers(const struct arada_study *study, const struct arada_run *run, struct bar_panel *panel)
{
	open_panel(panel, run->n_layer);
	(void)snprintf(panel->title, NAME_SIZE, "%s on %s: %.6g GB/s", study->space->network[run->network].network.name,
	               study->label[run->machine], run->platform.max_bandwidth_gb_s);
	for (size_t i = 0; i < run->n_layer; i++) {
		panel->name[i] = run->block[i]->name;
		for (size_t s = 0; s < MAX_SERIES; s++) {
			const struct arada_mode *mode = &run->mode[s % 2 == 0 ? ARADA_IDEAL : ARADA_VF_OH_Q][i];
			panel->frac[i][s] = s < 2 ? 1 - mode->clk_mhz / run->platform.max_clk_mhz
			                          : 1 - mode->bandwidth_gb_s / run->platform.max_bandwidth_gb_s;
		}
	}
}

/* A panel for each machine that the space wants drawn. */
void arada_draw_layers(FILE *file, const struct arada_study *study)
{
	static const char *const name[MAX_SERIES] = {"clock less: IDEAL", "VF-OH-Q", "bandwidth less: IDEAL",
	                                             "VF-OH-Q"};
	const struct arada_options *options = &study->space->arada;
	struct bar_picture picture = open_picture(options->n_detail * study->n_machine);
	size_t n = 0;
	memcpy(picture.series_name, name, sizeof(name));
	for (size_t i = 0; i < options->n_detail; i++)
		for (size_t k = arada_study_find(study, &options->detail[i], 0); k < study->n_machine;
		     k = arada_study_find(study, &options->detail[i], k + 1))
			take_layers(study, &study->run[k * study->space->n_network + options->detail_network],
			            &picture.panel[n++]);
	picture.n_panel = n;
	if (n > 0)
		draw(file, &picture);
	else
		close_picture(&picture);
}
