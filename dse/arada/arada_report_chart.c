/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ARADA paper's figures 5 to 8 as panels below each other: groups of bars,
 * all shares of what race to idle takes, on common axes.
 */
#include "dse/arada/arada_report.h"
#include "dse/out/svg.h"
#include <assert.h>
#include <math.h>
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

/* What a picture shows. Callbacks take a panel, a category of it, a series of that. */
struct picture {
	const void *of;
	size_t n_panel, n_series;
	const char *series_name[MAX_SERIES];
	const char *mark_name; /* NULL: no marks */
	size_t (*n_category)(const void *of, size_t panel);
	void (*title)(const void *of, size_t panel, char text[NAME_SIZE]);
	const char *(*name)(const void *of, size_t panel, size_t category);
	double (*value)(const void *of, size_t panel, size_t category, size_t series); /* of 1 */
	double (*mark)(const void *of, size_t panel, size_t category);                 /* of 1; NAN: none */
};

struct frame {
	double max_pct, step_pct;
};

static double y_at(const struct frame *frame, double top, double pct)
{
	assert(frame->max_pct > 0);
	return top + PANEL * (1 - pct / frame->max_pct);
}

/* The axis that all panels share. */
static struct frame fit_frame(const struct picture *picture)
{
	struct frame frame = {0};
	for (size_t p = 0; p < picture->n_panel; p++)
		for (size_t c = 0; c < picture->n_category(picture->of, p); c++) {
			for (size_t s = 0; s < picture->n_series; s++)
				frame.max_pct = fmax(frame.max_pct, PCT * picture->value(picture->of, p, c, s));
			if (picture->mark_name)
				frame.max_pct = fmax(frame.max_pct, PCT * picture->mark(picture->of, p, c));
		}
	frame.max_pct = frame.max_pct > 0 ? frame.max_pct : PCT;
	frame.step_pct = svg_round_step(frame.max_pct);
	frame.max_pct = ceil(frame.max_pct / frame.step_pct) * frame.step_pct;
	return frame;
}

static double name_width(const struct picture *picture, size_t p, size_t c)
{
	return LETTER_WIDTH * (double)strlen(picture->name(picture->of, p, c));
}

static double category_width(const struct picture *picture, size_t p)
{
	return (double)(WIDTH - LEFT - RIGHT) / (double)picture->n_category(picture->of, p);
}

/* Lines that a panel's names take in turn; 0: they stand along the bars' direction. */
static size_t n_name_line(const struct picture *picture, size_t p)
{
	size_t n = picture->n_category(picture->of, p);
	double width = category_width(picture, p);
	if (width < WIDE_NAME)
		return 0;
	for (size_t n_line = 1; n_line <= 2; n_line++) {
		bool fits = true;
		for (size_t c = 0; c < n; c++) {
			double half = name_width(picture, p, c) / 2;
			double next = c + n_line < n ? name_width(picture, p, c + n_line) / 2 : 0;
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
static double fit_names(const struct picture *picture)
{
	double height = 20;
	for (size_t p = 0; p < picture->n_panel; p++) {
		size_t n = picture->n_category(picture->of, p), n_line = n_name_line(picture, p);
		if (n_line == 2)
			height = fmax(height, 20 + LINE_HEIGHT);
		for (size_t c = 0; c < n && n_line == 0; c++)
			height = fmax(height, 12 + name_width(picture, p, c));
	}
	return height;
}

static void draw_grid(FILE *file, const struct frame *frame, double top)
{
	char text[32];
	for (int i = 0; (double)i * frame->step_pct <= frame->max_pct * (1 + 1e-9); i++) {
		double y = y_at(frame, top, (double)i * frame->step_pct);
		svg_line(file, LEFT, y, WIDTH - RIGHT, y, i == 0 ? "stroke=\"#444444\"" : "stroke=\"#dddddd\"");
		(void)snprintf(text, sizeof(text), "%.6g %%", (double)i * frame->step_pct);
		svg_text(file, LEFT - 8, y + 4, "text-anchor=\"end\"", text);
	}
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

static void draw_category(FILE *file, const struct picture *picture, const struct frame *frame, double top, size_t p,
                          size_t c)
{
	double width = category_width(picture, p);
	double left = LEFT + width * (double)c, bar = width * BARS_SHARE / (double)picture->n_series;
	for (size_t s = 0; s < picture->n_series; s++) {
		double pct = PCT * picture->value(picture->of, p, c, s);
		double x = left + width * (1 - BARS_SHARE) / 2 + bar * (double)s, y = y_at(frame, top, pct);
		assert(pct >= 0 && pct <= frame->max_pct * (1 + 1e-9));
		if (pct > 0)
			(void)fprintf(file,
			              "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", x,
			              y, bar, top + PANEL - y, colour[s]);
	}
	draw_name(file, picture->name(picture->of, p, c), left + width / 2, top + PANEL + 16, n_name_line(picture, p),
	          c);
	double mark = picture->mark_name ? picture->mark(picture->of, p, c) : NAN;
	if (!isnan(mark))
		(void)fprintf(file, "<path d=\"M%.1f,%.1fm0,-6l6,6l-6,6l-6,-6z\" fill=\"#d55e00\"/>\n",
		              left + width * (1 - BARS_SHARE) / 2 + bar * (MARKED_SERIES + 0.5),
		              y_at(frame, top, PCT * mark));
}

static void draw_legend(FILE *file, const struct picture *picture)
{
	double x = LEFT;
	for (size_t s = 0; s < picture->n_series; s++) {
		(void)fprintf(file, "<rect x=\"%.1f\" y=\"10\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", x,
		              colour[s]);
		svg_text(file, x + 18, 20, "text-anchor=\"start\"", picture->series_name[s]);
		x += 48 + LETTER_WIDTH * (double)strlen(picture->series_name[s]);
	}
	if (picture->mark_name) {
		(void)fprintf(file, "<path d=\"M%.1f,16m0,-6l6,6l-6,6l-6,-6z\" fill=\"#d55e00\"/>\n", x + 6);
		svg_text(file, x + 18, 20, "text-anchor=\"start\"", picture->mark_name);
	}
}

static void draw(FILE *file, const struct picture *picture)
{
	struct frame frame = fit_frame(picture);
	double step = PANEL + GAP - 20 + fit_names(picture);
	int height = (int)ceil(TOP + step * (double)picture->n_panel);
	char title[NAME_SIZE];
	assert(picture->n_panel > 0 && picture->n_series <= MAX_SERIES);
	(void)fprintf(file,
	              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
	              "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
	              "fill=\"white\"/>\n",
	              WIDTH, height, WIDTH, height);
	draw_legend(file, picture);
	for (size_t p = 0; p < picture->n_panel; p++) {
		double top = TOP + step * (double)p;
		picture->title(picture->of, p, title);
		svg_text(file, LEFT, top - 10, "font-weight=\"bold\"", title);
		draw_grid(file, &frame, top);
		for (size_t c = 0; c < picture->n_category(picture->of, p); c++)
			draw_category(file, picture, &frame, top, p, c);
	}
	(void)fputs("</svg>\n", file);
}

/* ---- means by memory ---- */

/* The nth machine of a group. */
static size_t machine_of(const struct arada_study *study, size_t group, size_t n)
{
	size_t i = 0;
	while (study->group[i] != group || n-- > 0)
		i++;
	assert(i < study->n_machine);
	return i;
}

static size_t means_n(const void *of, size_t panel)
{
	const struct arada_study *study = ((const struct arada_report *)of)->study;
	size_t n = 0;
	for (size_t i = 0; i < study->n_machine; i++)
		n += study->group[i] == panel;
	return n;
}

static void means_title(const void *of, size_t panel, char text[NAME_SIZE])
{
	const struct arada_study *study = ((const struct arada_report *)of)->study;
	const struct machine *machine = &study->machine[machine_of(study, panel, 0)];
	(void)snprintf(
	    text, NAME_SIZE, "%ux%u array, %.6g MHz, buffers of %.6g KiB: mean of %zu networks", machine->systolic.rows,
	    machine->systolic.cols, machine->level[0].clk_mhz,
	    ((double)machine->systolic.ifmap_byte + machine->systolic.filter_byte + machine->systolic.ofmap_byte) /
		1024,
	    study->space->n_network);
}

static const char *means_name(const void *of, size_t panel, size_t category)
{
	const struct arada_study *study = ((const struct arada_report *)of)->study;
	return study->label[machine_of(study, panel, category)];
}

/* Savings of the schemes, then the bandwidth left over by the last one. */
static double series_value(const struct arada_sum sum[N_ARADA_SCHEME], size_t series)
{
	return series < 3 ? sum[ARADA_IDEAL + series].saving_frac : sum[ARADA_VF_OH_Q].layer_bandwidth_frac;
}

static double means_value(const void *of, size_t panel, size_t category, size_t series)
{
	const struct arada_study *study = ((const struct arada_report *)of)->study;
	struct arada_sum sum[N_ARADA_SCHEME];
	for (int scheme = 0; scheme < N_ARADA_SCHEME; scheme++)
		sum[scheme] = arada_study_mean(study, machine_of(study, panel, category), (enum arada_scheme)scheme);
	return series_value(sum, series);
}

static double means_mark(const void *of, size_t panel, size_t category)
{
	const struct arada_report *report = of;
	for (size_t i = 0; i < report->n_match; i++)
		if (report->match[i].machine == machine_of(report->study, panel, category))
			return report->match[i].published_frac;
	return NAN;
}

#define SCHEME_SERIES "energy saved: IDEAL", "VF-OH", "VF-OH-Q", "bandwidth left over, mean of layers"

void arada_draw_means(FILE *file, const struct arada_report *report)
{
	draw(file, &(struct picture){.of = report,
	                             .n_panel = report->study->n_group,
	                             .n_series = 4,
	                             .series_name = {SCHEME_SERIES},
	                             .mark_name = report->n_match > 0 ? "published saving of VF-OH-Q" : NULL,
	                             .n_category = means_n,
	                             .title = means_title,
	                             .name = means_name,
	                             .value = means_value,
	                             .mark = means_mark});
}

/* ---- networks ---- */

static size_t networks_n(const void *of, size_t panel)
{
	(void)panel;
	return ((const struct arada_study *)of)->space->n_network;
}

static void networks_title(const void *of, size_t panel, char text[NAME_SIZE])
{
	const struct arada_study *study = of;
	(void)snprintf(text, NAME_SIZE, "%s: %.6g GB/s", study->label[panel],
	               study->machine[panel].systolic.memory_gb_s);
}

static const char *networks_name(const void *of, size_t panel, size_t category)
{
	(void)panel;
	return ((const struct arada_study *)of)->space->network[category].network.name;
}

static double networks_value(const void *of, size_t panel, size_t category, size_t series)
{
	const struct arada_study *study = of;
	return series_value(study->run[panel * study->space->n_network + category].sum, series);
}

void arada_draw_networks(FILE *file, const struct arada_study *study)
{
	draw(file, &(struct picture){.of = study,
	                             .n_panel = study->n_machine,
	                             .n_series = 4,
	                             .series_name = {SCHEME_SERIES},
	                             .n_category = networks_n,
	                             .title = networks_title,
	                             .name = networks_name,
	                             .value = networks_value});
}

/* ---- layers ---- */

/* The run of the nth machine that is to be drawn; NULL: there are fewer. */
static const struct arada_run *layers_run(const struct arada_study *study, size_t panel)
{
	const struct arada_options *options = &study->space->arada;
	for (size_t i = 0; i < options->n_detail; i++)
		for (size_t k = arada_study_find(study, &options->detail[i], 0); k < study->n_machine;
		     k = arada_study_find(study, &options->detail[i], k + 1))
			if (panel-- == 0)
				return &study->run[k * study->space->n_network + options->detail_network];
	return NULL;
}

static size_t layers_n(const void *of, size_t panel)
{
	return layers_run(of, panel)->n_layer;
}

static void layers_title(const void *of, size_t panel, char text[NAME_SIZE])
{
	const struct arada_study *study = of;
	const struct arada_run *from = layers_run(study, panel);
	(void)snprintf(text, NAME_SIZE, "%s on %s: %.6g GB/s", study->space->network[from->network].network.name,
	               study->label[from->machine], from->platform.max_bandwidth_gb_s);
}

static const char *layers_name(const void *of, size_t panel, size_t category)
{
	return layers_run(of, panel)->block[category]->name;
}

static double layers_value(const void *of, size_t panel, size_t category, size_t series)
{
	const struct arada_run *from = layers_run(of, panel);
	int scheme = series % 2 == 0 ? ARADA_IDEAL : ARADA_VF_OH_Q;
	const struct arada_mode *mode = &from->mode[scheme][category];
	return series < 2 ? 1 - mode->clk_mhz / from->platform.max_clk_mhz
	                  : 1 - mode->bandwidth_gb_s / from->platform.max_bandwidth_gb_s;
}

void arada_draw_layers(FILE *file, const struct arada_study *study)
{
	size_t n = 0;
	while (layers_run(study, n))
		n++;
	if (n == 0)
		return;
	draw(file,
	     &(struct picture){.of = study,
	                       .n_panel = n,
	                       .n_series = 4,
	                       .series_name = {"clock less: IDEAL", "VF-OH-Q", "bandwidth less: IDEAL", "VF-OH-Q"},
	                       .n_category = layers_n,
	                       .title = layers_title,
	                       .name = layers_name,
	                       .value = layers_value});
}
