/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/search/live_print.h"
#include "dse/out/colour.h"
#include "dse/out/progress.h"
#include "dse/out/scatter.h"
#include "dse/out/table.h"
#include "sim/base/text.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A picture is no larger than is good to look at, and none is drawn where it would be too small for that. */
#define MAX_COLUMN 100
#define MAX_ROW 26
#define LEAST_COLUMN 50
#define LEAST_ROW 14
#define GUTTER 11 /* columns left of the scatter: numbers and the axis */
#define MAX_BAR 40
#define MAX_SPARSE 40 /* so few points are seen better as a letter each than as dots */

struct pen {
	const struct live_view *view;
	struct live_text *out;
	unsigned max_width, width; /* columns of a line that may be used; that are */
};

/* Letters that a pen draws with, in UTF-8 and in ASCII. */
enum letter { BAR_DONE, BAR_LEFT, AXIS_UP, AXIS_TICK, AXIS_CORNER, AXIS_RIGHT, DOT_BETWEEN, POINT, KNEE, N_LETTER };
static const char *const letter_table[N_LETTER][2] = {
    [BAR_DONE] = {"#", "█"},     [BAR_LEFT] = {".", "░"},    [AXIS_UP] = {"|", "│"},
    [AXIS_TICK] = {"+", "┤"},    [AXIS_CORNER] = {"+", "└"}, [AXIS_RIGHT] = {"-", "─"},
    [DOT_BETWEEN] = {",", " ·"}, [POINT] = {"*", "•"},       [KNEE] = {"K", "◆"},
};

static const char *letter(const struct pen *pen, enum letter which)
{
	return letter_table[which][pen->view->is_utf8];
}

static void append(struct pen *pen, const char *text, size_t n)
{
	struct live_text *out = pen->out;
	if (out->n_byte + n >= sizeof(out->text))
		return;
	memcpy(out->text + out->n_byte, text, n);
	out->n_byte += n;
	out->text[out->n_byte] = '\0';
}

static size_t letter_size(const char *text)
{
	size_t n = 1;
	while (((unsigned char)text[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* How many columns a text takes: all its letters are narrow. */
static unsigned text_width(const char *text)
{
	unsigned width = 0;
	for (; *text; text += letter_size(text))
		width++;
	return width;
}

/* Text in a colour, up to the end of the line that may be used. */
static void put(struct pen *pen, enum colour colour, const char *text)
{
	bool is_on = pen->view->is_coloured && colour != COLOUR_NONE && *text;
	const char *begin = colour_code(is_on, colour), *end = colour_code(is_on, COLOUR_NONE);
	append(pen, begin, strlen(begin));
	for (; *text && pen->width < pen->max_width; text += letter_size(text)) {
		append(pen, text, letter_size(text));
		pen->width++;
	}
	append(pen, end, strlen(end));
}

static void print(struct pen *pen, enum colour colour, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void print(struct pen *pen, enum colour colour, const char *format, ...)
{
	char text[512];
	TEXT_FILL(text, format);
	put(pen, colour, text);
}

static void put_times(struct pen *pen, enum colour colour, const char *text, unsigned n)
{
	char many[4 * MAX_COLUMN + 1];
	size_t n_byte = 0, size = strlen(text);
	for (unsigned i = 0; i < n && n_byte + size < sizeof(many); i++, n_byte += size)
		memcpy(many + n_byte, text, size);
	many[n_byte] = '\0';
	put(pen, colour, many);
}

static void end_line(struct pen *pen)
{
	struct live_text *out = pen->out;
	assert(out->n_line < sizeof(out->width) / sizeof(out->width[0]));
	out->width[out->n_line++] = pen->width;
	pen->width = 0;
	append(pen, "\n", 1);
}

/* ---- the scatter ------------------------------------------------------------------------------ */

/* A number with four digits, in GUTTER columns at most. */
static void print_value(double value, char text[GUTTER])
{
	(void)snprintf(text, GUTTER, fabs(value) >= 1000.0 && fabs(value) < 1e9 ? "%.0f" : "%.4g", value);
}

/* Both ends of a range, in one format: whole numbers up to 10^9 are, and what is larger makes both short. */
static void print_range(double least, double most, char text[2][GUTTER])
{
	bool is_long = fabs(least) >= 1e9 || fabs(most) >= 1e9;
	for (int i = 0; i < 2; i++) {
		double value = i == 0 ? least : most;
		if (is_long)
			(void)snprintf(text[i], GUTTER, "%.3e", value);
		else
			print_value(value, text[i]);
	}
}

static double axis_value(const struct scatter_axis *axis, double at)
{
	if (axis->is_log)
		return axis->least * pow(axis->most / axis->least, at);
	return axis->least + at * (axis->most - axis->least);
}

/* Without UTF-8 a cell shows whether it has dots in its upper and lower half. */
static const char *ascii_letter(uint8_t dots)
{
	bool has_upper = dots & 0x1b, has_lower = dots & 0xe4;
	return has_upper ? has_lower ? ":" : "'" : has_lower ? "." : " ";
}

static void put_cells(struct pen *pen, const struct scatter *scatter, unsigned row, unsigned knee_column)
{
	bool is_sparse = pen->view->n_drawn <= MAX_SPARSE;
	unsigned n = scatter->n_column;
	while (n > 0 && !scatter->dots[row][n - 1])
		n--; /* what is short does not wrap where a window becomes narrower */
	for (unsigned i = 0; i < n; i++) {
		char text[4] = " ";
		if (i == knee_column) {
			put(pen, COLOUR_KNEE, letter(pen, KNEE));
			continue;
		}
		uint8_t dots = scatter->dots[row][i];
		if (dots && pen->view->is_utf8)
			scatter_letter(dots, text);
		const char *many = pen->view->is_utf8 ? text : ascii_letter(dots);
		put(pen, dots ? COLOUR_BEST : COLOUR_NONE, dots && is_sparse ? letter(pen, POINT) : many);
	}
}

/* Numbers at the ends and in the middle of the upward axis. */
static void put_rows(struct pen *pen, const struct scatter *scatter, unsigned knee_column, unsigned knee_row)
{
	unsigned n = scatter->n_row;
	for (unsigned row = 0; row < n; row++) {
		char text[GUTTER] = "";
		bool has_number = row == 0 || row == n - 1 || (n >= 7 && n % 2 == 1 && row == n / 2);
		if (has_number && (row == 0 || scatter->y.most > scatter->y.least))
			print_value(axis_value(&scatter->y, 1.0 - (double)row / (n - 1)), text);
		print(pen, COLOUR_NONE, "%*s", GUTTER - 1, text);
		put(pen, COLOUR_FAINT, letter(pen, text[0] ? AXIS_TICK : AXIS_UP));
		put_cells(pen, scatter, row, row == knee_row ? knee_column : UINT32_MAX);
		end_line(pen);
	}
}

/* "least      name (log)      most" */
static void put_legend(struct pen *pen, const struct scatter *scatter)
{
	const struct live_view *view = pen->view;
	char least[GUTTER], most[GUTTER], name[96];
	print_value(scatter->x.least, least);
	print_value(scatter->x.most, most);
	(void)snprintf(name, sizeof(name), "%.80s%s", view->name[view->x], scatter->x.is_log ? " (log)" : "");
	int n_left = (int)(scatter->n_column - strlen(name)) / 2 - (int)strlen(least);
	int n_right = (int)scatter->n_column - (int)strlen(least) - n_left - (int)strlen(name) - (int)strlen(most);
	print(pen, COLOUR_NONE, "%*s%s%*s", GUTTER, "", least, n_left > 1 ? n_left : 1, "");
	put(pen, COLOUR_HEAD, name);
	print(pen, COLOUR_NONE, "%*s%s", n_right > 1 ? n_right : 1, "", most);
	end_line(pen);
}

static void put_scatter(struct pen *pen, unsigned n_row)
{
	const struct live_view *view = pen->view;
	const double *x = view->objective + view->x, *y = view->objective + view->y;
	struct scatter scatter;
	unsigned knee_column = UINT32_MAX, knee_row = UINT32_MAX;
	uint8_t dot;
	scatter_init(&scatter, pen->max_width - GUTTER, n_row, scatter_fit(x, view->n_drawn, view->n_objective),
	             scatter_fit(y, view->n_drawn, view->n_objective));
	for (size_t i = 0; i < view->n_drawn; i++)
		scatter_add(&scatter, x[i * view->n_objective], y[i * view->n_objective]);
	if (view->knee < view->n_drawn)
		(void)scatter_find(&scatter, x[view->knee * view->n_objective], y[view->knee * view->n_objective],
		                   &knee_column, &knee_row, &dot);
	print(pen, COLOUR_HEAD, "%*s%s", GUTTER, view->name[view->y], scatter.y.is_log ? " (log)" : "");
	end_line(pen);
	put_rows(pen, &scatter, knee_column, knee_row);
	print(pen, COLOUR_FAINT, "%*s%s", GUTTER - 1, "", letter(pen, AXIS_CORNER));
	put_times(pen, COLOUR_FAINT, letter(pen, AXIS_RIGHT), scatter.n_column);
	end_line(pen);
	put_legend(pen, &scatter);
}

/* ---- the lines around it ---------------------------------------------------------------------- */

static void put_title(struct pen *pen)
{
	const struct live_view *view = pen->view;
	unsigned n_title = text_width(view->title), n_phase = text_width(view->phase);
	put(pen, COLOUR_HEAD, view->title);
	if (n_title + n_phase + 2 <= pen->max_width)
		print(pen, COLOUR_NONE, "%*s", (int)(pen->max_width - n_title - n_phase), "");
	else
		put(pen, COLOUR_NONE, "  ");
	put(pen, COLOUR_NONE, view->phase);
	end_line(pen);
}

static void put_front(struct pen *pen)
{
	const struct live_view *view = pen->view;
	const double *knee = view->knee < view->n_drawn ? view->objective + view->knee * view->n_objective : NULL;
	char count[TABLE_COUNT_SIZE];
	table_print_count(view->n_point, count);
	print(pen, COLOUR_NONE, "%s: %s design%s", view->what, count, view->n_point == 1 ? "" : "s");
	if (!isnan(view->hypervolume_frac))
		print(pen, COLOUR_NONE, "%s hypervolume %.2f %%", letter(pen, DOT_BETWEEN),
		      100.0 * view->hypervolume_frac);
	if (knee) {
		print(pen, COLOUR_NONE, "%s ", letter(pen, DOT_BETWEEN));
		print(pen, COLOUR_KNEE, "%s knee %.4g, %.4g", letter(pen, KNEE), knee[view->x], knee[view->y]);
	}
	end_line(pen);
}

/* The objectives that are not drawn: from where to where the points have them. */
static void put_others(struct pen *pen)
{
	const struct live_view *view = pen->view;
	bool is_first = true;
	for (unsigned k = 0; k < view->n_objective; k++) {
		if (k == view->x || k == view->y)
			continue;
		struct scatter_axis axis = scatter_fit(view->objective + k, view->n_drawn, view->n_objective);
		char end[2][GUTTER];
		print_range(axis.least, axis.most, end);
		bool is_one = strcmp(end[0], end[1]) == 0;
		print(pen, COLOUR_NONE, "%s%s%s %s%s%s", is_first ? "" : letter(pen, DOT_BETWEEN), is_first ? "" : " ",
		      view->name[k], end[0], is_one ? "" : " to ", is_one ? "" : end[1]);
		is_first = false;
	}
	end_line(pen);
}

static void put_figures(struct pen *pen)
{
	const struct live_view *view = pen->view;
	char count[TABLE_COUNT_SIZE], rate[TABLE_COUNT_SIZE], elapsed[32];
	progress_print_time(floor(view->elapsed_s), elapsed, sizeof(elapsed));
	print(pen, COLOUR_NONE, "%s so far", elapsed);
	/* searches begin with bounds and samples, which are no evaluations */
	if (view->n_evaluation > 0) {
		table_print_count(view->n_evaluation, count);
		print(pen, COLOUR_NONE, "%s %s evaluation%s", letter(pen, DOT_BETWEEN), count,
		      view->n_evaluation == 1 ? "" : "s");
	}
	if (view->n_evaluation > 0 && !isnan(view->evaluations_per_s)) {
		table_print_count((uint64_t)view->evaluations_per_s, rate);
		print(pen, COLOUR_NONE, "%s %s/s", letter(pen, DOT_BETWEEN), rate);
	}
	if (isfinite(view->gap_frac))
		print(pen, COLOUR_NONE, "%s gap at most %.2g %%", letter(pen, DOT_BETWEEN), 100.0 * view->gap_frac);
	end_line(pen);
}

static void put_bar(struct pen *pen)
{
	const struct live_view *view = pen->view;
	unsigned n = pen->max_width / 2 < MAX_BAR ? pen->max_width / 2 : MAX_BAR;
	unsigned n_done = (unsigned)(view->done_frac * n);
	char left[32];
	progress_print_time(view->left_s, left, sizeof(left));
	print(pen, COLOUR_NONE, "%5.1f %% ", 100.0 * view->done_frac);
	put_times(pen, COLOUR_BEST, letter(pen, BAR_DONE), n_done);
	put_times(pen, COLOUR_FAINT, letter(pen, BAR_LEFT), n - n_done);
	print(pen, COLOUR_NONE, " %s left", left);
	end_line(pen);
}

/* What there is where no picture fits. */
static void put_line(struct pen *pen)
{
	const struct live_view *view = pen->view;
	char left[32];
	progress_print_time(view->left_s, left, sizeof(left));
	print(pen, COLOUR_NONE, "%5.1f %%  %s left  %s", 100.0 * view->done_frac, left, view->phase);
	if (view->n_point > 0)
		print(pen, COLOUR_NONE, "  %s %zu", view->what, view->n_point);
	if (view->n_point > 0 && !isnan(view->hypervolume_frac))
		print(pen, COLOUR_NONE, ", volume %.2f %%", 100.0 * view->hypervolume_frac);
	if (isfinite(view->gap_frac))
		print(pen, COLOUR_NONE, ", gap at most %.2g %%", 100.0 * view->gap_frac);
	end_line(pen);
}

void live_print(const struct live_view *view, struct live_text *text)
{
	unsigned n_column = view->n_column < MAX_COLUMN ? view->n_column : MAX_COLUMN;
	unsigned n_row = view->n_row < MAX_ROW + 1 ? view->n_row : MAX_ROW + 1;
	struct pen pen = {.view = view, .out = text, .max_width = n_column > 1 ? n_column - 1 : 1};
	text->n_byte = text->n_line = 0;
	text->text[0] = '\0';
	assert(view->n_objective == 0 || (view->x < view->n_objective && view->y < view->n_objective));
	if (view->only_line || n_column < LEAST_COLUMN || n_row < LEAST_ROW || view->n_objective == 1) {
		put_line(&pen);
		return;
	}
	put_title(&pen);
	if (view->n_objective > 0 && view->n_drawn > 0) {
		bool has_others = view->n_objective > 2;
		put_scatter(&pen, n_row - 1 - 7 - has_others);
		put_front(&pen);
		if (has_others)
			put_others(&pen);
	}
	put_figures(&pen);
	put_bar(&pen);
}
