/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/front_picture.h"
#include "dse/base/memory.h"
#include "dse/out/key_value.h"
#include "dse/out/svg.h"
#include "dse/out/svg_axis.h"
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In SVG units (pixels); the legend's lines are of so many characters of 12 units, 6.6 wide in the mean. */
enum { WIDTH = 980, HEIGHT = 600, LEFT = 90, RIGHT = 250, TOP = 80, BOTTOM = 64, LINE = 16 };
enum { TEXT_SIZE = 1024 };
enum { LEGEND_X = WIDTH - RIGHT + 24, LEGEND_CHAR = 30, TITLE_CHAR = 110, CAPTION_CHAR = 140 };
_Static_assert(SVG_N_COLOUR <= 8, "a bit of a cell for each series");

/* ---- words ---- */

static bool differs(size_t n_series, size_t n_key, size_t key, const char *const *value)
{
	for (size_t i = 1; i < n_series; i++)
		if (strcmp(value[i * n_key + key], value[key]) != 0)
			return true;
	return false;
}

void front_picture_name(struct front_picture *picture, struct arena *arena, size_t n_series, size_t n_key,
                        const char *const *key, const char *const *value)
{
	const char **name = memory_must(arena_array(arena, n_series, sizeof(*name)));
	char text[TEXT_SIZE], title[TEXT_SIZE] = "", shown[100];
	for (size_t i = 0; i < n_series; i++) {
		size_t n = 0, n_title = 0;
		text[0] = '\0';
		for (size_t k = 0; k < n_key; k++) {
			if (!differs(n_series, n_key, k, value) || n >= TEXT_SIZE / 2)
				continue;
			(void)key_value_print(key[k], value[i * n_key + k], shown, sizeof(shown));
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "", shown);
			n_title += (size_t)snprintf(title + n_title, sizeof(title) - n_title, "%s%.100s",
			                            n_title ? ", " : "", key[k]);
		}
		name[i] = memory_must(arena_text(arena, text));
	}
	picture->n_series = n_series;
	picture->series_title = memory_must(arena_text(arena, title));
	picture->series_name = name;
}

/* "a", "a and b", "7 networks". */
static void print_some(size_t n, const char *const *name, const char *what, char text[TEXT_SIZE / 4])
{
	if (n == 1)
		(void)snprintf(text, TEXT_SIZE / 4, "%.100s", name[0]);
	else if (n == 2)
		(void)snprintf(text, TEXT_SIZE / 4, "%.60s and %.60s", name[0], name[1]);
	else
		(void)snprintf(text, TEXT_SIZE / 4, "%zu %s", n, what);
}

const char *front_picture_title(struct arena *arena, const char *space, size_t n_network, const char *const *network,
                                size_t n_machine, const char *const *machine, const char *tier)
{
	char networks[TEXT_SIZE / 4], machines[TEXT_SIZE / 4], text[TEXT_SIZE];
	print_some(n_network, network, "networks", networks);
	print_some(n_machine, machine, "machines", machines);
	(void)snprintf(text, sizeof(text), "%.100s: Pareto front of %s on %s, %s tier", space, networks, machines,
	               tier);
	return memory_must(arena_text(arena, text));
}

/* ---- marks ---- */

static void fit(struct svg_axis *axis, const double *value, size_t n)
{
	double min = INFINITY, max = -INFINITY;
	for (size_t i = 0; i < n; i++) {
		assert(isfinite(value[i]));
		min = fmin(min, value[i]);
		max = fmax(max, value[i]);
	}
	svg_axis_fit(axis, min, max);
}

static size_t colour_of(const struct front_picture *picture, size_t i)
{
	return picture->series[i] < SVG_N_COLOUR ? picture->series[i] : SVG_N_COLOUR - 1;
}

/*
 * Which points get a mark: the first of a series in a cell of one pixel, and the knee. shown [n].
 */
static void choose_marks(const struct front_picture *picture, const struct svg_axis *x, const struct svg_axis *y,
                         bool *shown)
{
	uint8_t *cell = memory_array((size_t)WIDTH * HEIGHT, sizeof(*cell)); /* bit s: series s has a mark there */
	for (size_t i = 0; i < picture->n; i++) {
		double at_x = svg_axis_place(x, picture->x.value[i]), at_y = svg_axis_place(y, picture->y.value[i]);
		assert(at_x >= 0 && at_x < WIDTH && at_y >= 0 && at_y < HEIGHT);
		uint8_t *own = &cell[(size_t)at_y * WIDTH + (size_t)at_x], bit = (uint8_t)(1U << colour_of(picture, i));
		shown[i] = !(*own & bit) || i == picture->knee;
		*own |= bit;
	}
	free(cell);
}

/* The bar of one point; beyond the axes it is cut off. */
static void draw_bar(FILE *file, const struct front_picture *picture, const struct svg_axis *x,
                     const struct svg_axis *y, size_t i)
{
	double frac = picture->uncertain(picture->context, i), value = picture->x.value[i];
	if (!(frac > 0))
		return;
	double at = svg_axis_place(y, picture->y.value[i]);
	svg_line(file, fmax(svg_axis_place(x, value * (1 - frac)), x->begin), at,
	         fmin(svg_axis_place(x, value * (1 + frac)), x->end), at, "stroke-width=\"4\"");
}

/* Bars of marks side by side are a band, as faint where many lie over each other. */
static void draw_band(FILE *file, const struct front_picture *picture, const struct svg_axis *x,
                      const struct svg_axis *y, const bool *shown)
{
	size_t n = picture->n_series < SVG_N_COLOUR ? picture->n_series : SVG_N_COLOUR;
	for (size_t s = 0; s < n && picture->uncertain; s++) {
		(void)fprintf(file, "<g opacity=\"0.15\" stroke=\"%s\">\n", svg_colour[s]);
		for (size_t i = 0; i < picture->n; i++)
			if (shown[i] && colour_of(picture, i) == s)
				draw_bar(file, picture, x, y, i);
		(void)fputs("</g>\n", file);
	}
}

/* The bytes of a text that are its next line of n_char at most: broken behind blanks and commas. */
static size_t fit_line(const char *text, size_t n_char)
{
	size_t n = strlen(text), n_fit = n;
	if (n > n_char)
		for (n_fit = n_char; n_fit > 0 && text[n_fit - 1] != ' ' && text[n_fit - 1] != ',';)
			n_fit--;
	if (n_fit == 0) /* one long word; not inside a letter of UTF-8 */
		for (n_fit = n < n_char ? n : n_char; ((unsigned char)text[n_fit] & 0xc0) == 0x80;)
			n_fit--;
	return n_fit;
}

/* A text in lines; returns where the next one begins. Nothing is drawn where file is NULL. */
static double put_lines(FILE *file, double x, double y, size_t n_char, const char *attributes, const char *text)
{
	while (*text) {
		char line[CAPTION_CHAR + 1];
		size_t n_fit = fit_line(text, n_char);
		(void)snprintf(line, sizeof(line), "%.*s", (int)n_fit, text);
		if (file)
			svg_text(file, x, y, attributes, line);
		text += n_fit + strspn(text + n_fit, " ");
		y += LINE;
	}
	return y;
}

/* Sentences from y on; where they end. */
static double put_caption(FILE *file, double y, const struct front_picture *picture)
{
	for (size_t i = 0; i < picture->n_caption; i++)
		y = put_lines(file, 20, y, CAPTION_CHAR, "text-anchor=\"start\"", picture->caption[i]) + 2;
	return y;
}

static void draw_legend(FILE *file, const struct front_picture *picture)
{
	static const char plain[] = "text-anchor=\"start\"", bold[] = "text-anchor=\"start\" font-weight=\"bold\"";
	double y = TOP + 4;
	if (!picture->series_title[0])
		return;
	y = put_lines(file, LEGEND_X, y, LEGEND_CHAR, bold, picture->series_title) + 6;
	for (size_t i = 0; i < picture->n_series && i < SVG_N_COLOUR; i++) {
		bool is_rest = i + 1 == SVG_N_COLOUR && picture->n_series > SVG_N_COLOUR;
		svg_mark(file, LEGEND_X + 4, y - 4, i, svg_colour[i], false);
		y = put_lines(file, LEGEND_X + 16, y, LEGEND_CHAR, plain,
		              is_rest ? "others" : picture->series_name[i]) +
		    4;
	}
}

static void draw_limits(FILE *file, const struct front_picture *picture, const struct svg_axis *x,
                        const struct svg_axis *y)
{
	static const char dashed[] = "stroke=\"#aa0000\" stroke-dasharray=\"6 4\"";
	double limit_x = picture->x.limit, limit_y = picture->y.limit;
	if (limit_x >= x->min && limit_x <= x->max)
		svg_line(file, svg_axis_place(x, limit_x), y->begin, svg_axis_place(x, limit_x), y->end, dashed);
	if (limit_y >= y->min && limit_y <= y->max)
		svg_line(file, x->begin, svg_axis_place(y, limit_y), x->end, svg_axis_place(y, limit_y), dashed);
}

/* Its text stands where there is room: towards the middle of the plot. */
static void draw_knee(FILE *file, const struct front_picture *picture, const struct svg_axis *x,
                      const struct svg_axis *y)
{
	static const char at_left[] =
	    "text-anchor=\"start\" font-weight=\"bold\" paint-order=\"stroke\" stroke=\"white\" "
	    "stroke-width=\"3\"",
			  at_right[] =
			      "text-anchor=\"end\" font-weight=\"bold\" paint-order=\"stroke\" stroke=\"white\" "
			      "stroke-width=\"3\"";
	if (picture->knee == SIZE_MAX)
		return;
	double at_x = svg_axis_place(x, picture->x.value[picture->knee]),
	       at_y = svg_axis_place(y, picture->y.value[picture->knee]);
	bool is_left = at_x<(x->begin + x->end) / 2, is_low = at_y>(y->begin + y->end) / 2;
	(void)fprintf(
	    file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" fill=\"none\" stroke=\"#000000\" stroke-width=\"1.5\"/>\n",
	    at_x, at_y);
	svg_text(file, is_left ? at_x + 13 : at_x - 13, is_low ? at_y - 10 : at_y + 18, is_left ? at_left : at_right,
	         picture->knee_text);
}

/* As long as the picture is wide, and no longer. */
static void draw_title(FILE *file, const struct front_picture *picture)
{
	char title[TITLE_CHAR + 4];
	size_t n = strlen(picture->title), n_fit = TITLE_CHAR;
	while (n > TITLE_CHAR && ((unsigned char)picture->title[n_fit] & 0xc0) == 0x80)
		n_fit--;
	(void)snprintf(title, sizeof(title), "%.*s%s", (int)n_fit, picture->title, n > TITLE_CHAR ? "..." : "");
	svg_text(file, 20, 24, "text-anchor=\"start\" font-weight=\"bold\" font-size=\"14\"", title);
}

void front_picture_draw(FILE *file, const struct front_picture *picture)
{
	assert(file && picture && picture->n > 0 && (picture->knee == SIZE_MAX || picture->knee < picture->n));
	struct svg_axis x = {.begin = LEFT, .end = WIDTH - RIGHT, .name = picture->x.name};
	struct svg_axis y = {.begin = HEIGHT - BOTTOM, .end = TOP, .name = picture->y.name};
	bool *shown = memory_array(picture->n, sizeof(*shown));
	fit(&x, picture->x.value, picture->n);
	fit(&y, picture->y.value, picture->n);
	choose_marks(picture, &x, &y, shown);
	svg_begin(file, WIDTH, picture->n_caption > 0 ? (int)put_caption(NULL, HEIGHT + 8, picture) : HEIGHT);
	draw_title(file, picture);
	svg_axes_draw(file, &x, &y);
	draw_limits(file, picture, &x, &y);
	draw_band(file, picture, &x, &y, shown);
	for (size_t i = 0; i < picture->n; i++)
		if (shown[i])
			svg_mark(file, svg_axis_place(&x, picture->x.value[i]), svg_axis_place(&y, picture->y.value[i]),
			         colour_of(picture, i), svg_colour[colour_of(picture, i)], false);
	draw_knee(file, picture, &x, &y);
	draw_legend(file, picture);
	(void)put_caption(file, HEIGHT + 8, picture);
	if (picture->uncertain)
		svg_text(file, LEGEND_X, HEIGHT - BOTTOM, "text-anchor=\"start\" font-size=\"11\" fill=\"#555555\"",
		         "band: how far the latency may be off");
	svg_end(file);
	free(shown);
}
