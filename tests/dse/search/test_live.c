/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a search: dots where points are, lines that fit the terminal; and which text is coloured. */
#define _GNU_SOURCE /* a terminal of one's own */
#include "tests/support/unit_test.h"

#include "dse/search/live.h"
#include "dse/search/live_print.h"
#include "dse/out/scatter.h"
#include "dse/out/table.h"
#include "sim/base/stop.h"
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Dots of a pattern, as Unicode numbers them: 1 2 3 7 down on the left, 4 5 6 8 on the right. */
static void test_scatter_puts_points_into_known_dots(void **state)
{
	const struct scatter_axis x = {0.0, 5.0, false}, y = {0.0, 7.0, false}; /* 3 cells are 6 dots, 2 are 8 */
	struct scatter scatter;
	char text[4];
	(void)state;
	scatter_init(&scatter, 3, 2, x, y);
	scatter_add(&scatter, 0.0, 7.0); /* top left: dot 1 */
	scatter_add(&scatter, 5.0, 7.0); /* top right: dot 4 */
	scatter_add(&scatter, 0.0, 0.0); /* bottom left: dot 7 */
	scatter_add(&scatter, 5.0, 0.0); /* bottom right: dot 8 */
	scatter_add(&scatter, 2.0, 4.0); /* third column, fourth row: dot 7 of the upper middle cell */
	scatter_add(&scatter, 3.0, 5.0); /* fourth column, third row: dot 6 there */
	scatter_add(&scatter, 5.1, 0.0);
	scatter_add(&scatter, NAN, 0.0);
	const uint8_t expected[2][3] = {{0x01, 0x40 | 0x20, 0x08}, {0x40, 0, 0x80}};
	for (unsigned row = 0; row < 2; row++)
		assert_memory_equal(scatter.dots[row], expected[row], 3);
	scatter_letter(0x01, text);
	assert_string_equal(text, "⠁");
	scatter_letter(0xff, text);
	assert_string_equal(text, "⣿");
}

static void test_scatter_axis_is_logarithmic_over_decades(void **state)
{
	const double value[] = {1.0, -1.0, 10.0, -1.0, INFINITY, -1.0, 100.0, -1.0};
	struct scatter scatter;
	unsigned column, row;
	uint8_t dot;
	(void)state;
	struct scatter_axis x = scatter_fit(value, 4, 2), y = scatter_fit(value + 1, 4, 2);
	assert_true(x.is_log);
	assert_float_equal(x.least, 1.0, 0.0);
	assert_float_equal(x.most, 100.0, 0.0);
	assert_false(y.is_log);
	scatter_init(&scatter, 5, 1, x, y);
	/* the tenth is half way in decades: dot 4.5 of 0..9, to the right */
	assert_true(scatter_find(&scatter, 10.0, -1.0, &column, &row, &dot));
	assert_int_equal(column, 2);
}

static struct live_view view_of(const double *objective, size_t n)
{
	struct live_view view = {.title = "space, exact",
	                         .phase = "machine 1 of 2, layer search 3 of 40",
	                         .what = "front so far",
	                         .n_point = n,
	                         .n_drawn = n,
	                         .n_objective = 3,
	                         .objective = objective,
	                         .name = {"latency_ms", "energy_mj", "mac_units"},
	                         .y = 1,
	                         .hypervolume_frac = 0.25,
	                         .gap_frac = 0.123,
	                         .knee = 1,
	                         .n_evaluation = 1234567,
	                         .evaluations_per_s = 89012.3,
	                         .done_frac = 0.5,
	                         .elapsed_s = 61.0,
	                         .left_s = 61.0,
	                         .n_column = 80,
	                         .n_row = 24,
	                         .is_utf8 = true};
	return view;
}

static const double front[] = {1, 5, 4864, 2, 2, 9728, 5, 1, 9728};

static void test_picture_says_what_is_known(void **state)
{
	static const char *const part[] = {"space, exact  ",
	                                   "machine 1 of 2, layer search 3 of 40\n",
	                                   "energy_mj\n",
	                                   "5┤•",
	                                   "◆",
	                                   "1┤",
	                                   "1                            latency_ms ",
	                                   "mac_units 4864 to 9728\n",
	                                   "front so far: 3 designs · hypervolume 25.00 % · ◆ knee 2, 2\n",
	                                   "1 min 01 s so far · 1 234 567 evaluations · 89 012/s · gap at most 12 %\n",
	                                   " 50.0 % ",
	                                   " 1 min 01 s left\n"};
	struct live_view view = view_of(front, 3);
	struct live_text text;
	(void)state;
	live_print(&view, &text);
	assert_int_equal(text.n_line, 23);
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		if (!strstr(text.text, part[i]))
			fail_msg("no '%s' in\n%s", part[i], text.text);
	assert_null(strchr(text.text, '\033'));
	view.is_coloured = true;
	live_print(&view, &text);
	assert_non_null(strstr(text.text, "\033[1;36m◆"));
	view.is_utf8 = view.is_coloured = false;
	live_print(&view, &text);
	for (const char *at = text.text; *at; at++)
		assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
	assert_non_null(strstr(text.text, "5+*"));
}

/* Whatever the terminal, no line reaches its last column and one line is left for the cursor. */
static void test_picture_fits_every_terminal(void **state)
{
	struct live_text text;
	(void)state;
	for (unsigned n_column = 1; n_column <= 140; n_column += 3) {
		for (unsigned n_row = 2; n_row <= 60; n_row += 2) {
			struct live_view view = view_of(front, 3);
			view.n_column = n_column;
			view.n_row = n_row;
			live_print(&view, &text);
			assert_true(text.n_line >= 1 && text.n_line < n_row);
			assert_true(n_column < 50 || n_row < 14 ? text.n_line == 1 : text.n_line > 10);
			unsigned line = 0, width = 0;
			for (const char *at = text.text; *at; at++) {
				width += *at != '\n' && ((unsigned char)*at & 0xc0) != 0x80;
				if (*at != '\n')
					continue;
				assert_int_equal(width, text.width[line++]);
				assert_true(width < n_column || n_column == 1);
				width = 0;
			}
			assert_int_equal(line, text.n_line);
		}
	}
}

/* A few points are bullets, many are dots, eight to a cell: of a falling line each column has some. */
static void test_picture_of_many_points_has_dots(void **state)
{
	static double line[3 * 2000];
	struct live_text text;
	size_t n_cell = 0;
	(void)state;
	for (size_t i = 0; i < 2000; i++) {
		line[3 * i] = 1 + (double)i / 2000;
		line[3 * i + 1] = 2 - (double)i / 2000;
		line[3 * i + 2] = 4864;
	}
	struct live_view view = view_of(line, 2000);
	live_print(&view, &text);
	assert_null(strstr(text.text, "•"));
	for (const char *at = text.text; (at = strstr(at, "\xe2")); at++)
		n_cell += ((unsigned char)at[1] & 0xfc) == 0xa0 && memcmp(at, "⠀", 3) != 0;
	assert_true(n_cell > 60);
}

/* Both ends of a range are in one format. */
static void test_live_ranges_have_one_format(void **state)
{
	static const struct {
		double least, most;
		const char *text;
	} range[] = {{9961472, 39845888, "mac_units 9961472 to 39845888\n"},
	             {4864, 9961472, "mac_units 4864 to 9961472\n"},
	             {9961472, 3.9845888e10, "mac_units 9.961e+06 to 3.985e+10\n"},
	             {-1e9, 4864, "mac_units -1.000e+09 to 4.864e+03\n"},
	             {0.25, 1.5, "mac_units 0.25 to 1.5\n"}};
	(void)state;
	for (size_t i = 0; i < sizeof(range) / sizeof(range[0]); i++) {
		const double points[] = {1, 5, range[i].least, 2, 2, range[i].most};
		struct live_view view = view_of(points, 2);
		struct live_text text;
		live_print(&view, &text);
		if (!strstr(text.text, range[i].text))
			fail_msg("no '%s' in\n%s", range[i].text, text.text);
	}
}

static void test_live_axes_are_objectives_of_the_space(void **state)
{
	struct space space = {.n_objective = 3, .objective = {METRIC_LATENCY, METRIC_ENERGY, METRIC_MAC_UNITS}};
	struct live_axes axes;
	struct err err = {0};
	(void)state;
	assert_int_equal(live_parse(NULL, &space, &axes, &err), ERR_OK);
	assert_true(axes.x == 0 && axes.y == 1 && !axes.only_line);
	assert_int_equal(live_parse("mac_units,latency_ms", &space, &axes, &err), ERR_OK);
	assert_true(axes.x == 2 && axes.y == 0);
	assert_int_equal(live_parse("line", &space, &axes, &err), ERR_OK);
	assert_true(axes.only_line);
	static const char *const wrong[] = {"", "latency_ms", "latency_ms,", "latency_ms,latency_ms",
	                                    "latency_ms,area_mm2"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(live_parse(wrong[i], &space, &axes, &err), ERR_USAGE);
		assert_non_null(strstr(err_text(&err), "two of latency_ms, energy_mj, mac_units"));
		err_clear(&err);
	}
}

/* ---- a search that draws on a terminal ---- */

/* The terminal that stands in for stderr. */
struct screen {
	int master, slave, saved;
	char text[1 << 16];
	size_t n;
};

static void open_screen(struct screen *screen)
{
	const struct winsize size = {.ws_row = 24, .ws_col = 100};
	screen->n = 0;
	screen->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(screen->master >= 0 && grantpt(screen->master) == 0 && unlockpt(screen->master) == 0);
	screen->slave = open(ptsname(screen->master), O_RDWR | O_NOCTTY);
	assert_true(screen->slave >= 0 && ioctl(screen->slave, TIOCSWINSZ, &size) == 0);
	screen->saved = dup(STDERR_FILENO);
	assert_true(screen->saved >= 0 && dup2(screen->slave, STDERR_FILENO) >= 0);
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
}

static void close_screen(struct screen *screen)
{
	assert_true(dup2(screen->saved, STDERR_FILENO) >= 0);
	(void)close(screen->saved);
	(void)close(screen->slave);
	(void)close(screen->master);
}

/* Read what is drawn from now on until the text is there: within ten seconds. */
static void wait_for(struct screen *screen, const char *text)
{
	screen->n = 0;
	for (int i = 0; i < 100; i++) {
		struct pollfd ready = {.fd = screen->master, .events = POLLIN};
		if (poll(&ready, 1, 100) <= 0)
			continue;
		ssize_t n = read(screen->master, screen->text + screen->n, sizeof(screen->text) - 1 - screen->n);
		assert_true(n > 0);
		screen->n += (size_t)n;
		screen->text[screen->n] = '\0';
		if (strstr(screen->text, text))
			return;
	}
	(void)dup2(screen->saved, STDERR_FILENO);
	fail_msg("no '%s' in\n%s", text, screen->text);
}

/* Machines, layers, points and the rate are those that the search left; what was drawn below is cleared. */
static void test_live_draws_what_the_search_left(void **state)
{
	/* a front of three; what lies behind it in memory is none of its points */
	double objective[] = {1, 5, 2, 2, 5, 1, 7e8, 7e8, 8e8, 8e8};
	struct space space = {.name = "space", .n_objective = 2, .objective = {METRIC_LATENCY, METRIC_ENERGY}};
	const struct pareto points = {.n_objective = 2, .n = 3, .objective = objective};
	const struct live_axes axes = {.x = 0, .y = 1};
	static struct screen screen;
	(void)state;
	open_screen(&screen);
	struct live *live = live_start(&space, "exact", &axes, 0);
	assert_non_null(live);
	live_set_evaluations(live, 1000000);
	live_set_machines(live, 7, 9, 12, 40);
	live_add_search(live);
	live_add_search(live);
	wait_for(&screen, "machines 7 to 9 of 12, layer search 2 of 40");
	live_show_front(live, &points);
	wait_for(&screen, "3 designs");
	assert_null(strstr(screen.text, "0000000"));
	live_set_machines(live, 4, 4, 12, 5);
	wait_for(&screen, "machine 4 of 12, layer search 0 of 5");
	wait_for(&screen, " 0/s"); /* all of them came before the first picture */
	wait_for(&screen, "\033[K\r\n\033[J");
	live_end(live);
	close_screen(&screen);
}

/* How many evaluations a second the last picture says. */
static double last_rate(const struct screen *screen)
{
	double rate = -1, n;
	for (const char *at = screen->text; (at = strstr(at, "evaluations · ")); at += 1) {
		char digits[32] = "";
		size_t n_digit = 0;
		for (const char *c = at + strlen("evaluations · "); *c && *c != '/' && n_digit + 1 < sizeof(digits);
		     c++)
			if (*c >= '0' && *c <= '9')
				digits[n_digit++] = *c;
		if (sscanf(digits, "%lf", &n) == 1)
			rate = n;
	}
	return rate;
}

/* What came at once counts for the three seconds after it, as it would had it come evenly in them. */
static void test_live_rate_is_that_of_three_seconds(void **state)
{
	double objective[] = {1, 5, 2, 2, 5, 1};
	struct space space = {.name = "space", .n_objective = 2, .objective = {METRIC_LATENCY, METRIC_ENERGY}};
	const struct pareto points = {.n_objective = 2, .n = 3, .objective = objective};
	const struct live_axes axes = {.x = 0, .y = 1};
	static struct screen screen;
	(void)state;
	open_screen(&screen);
	struct live *live = live_start(&space, "exact", &axes, 0);
	assert_non_null(live);
	live_set_machines(live, 1, 1, 1, 40);
	live_set_evaluations(live, 100000);
	live_show_front(live, &points);
	const uint64_t begin_ms = stop_now_ms();
	while (stop_now_ms() < begin_ms + 4000) /* more pictures than there are samples */
		wait_for(&screen, " 0/s");
	live_set_evaluations(live, 1000000);
	wait_for(&screen, "1 000 000 evaluations");
	wait_for(&screen, "1 000 000 evaluations");
	wait_for(&screen, "1 000 000 evaluations");
	double rate = last_rate(&screen);
	live_end(live);
	close_screen(&screen);
	if (!(rate > 50000 && rate < 450000))
		fail_msg("%g evaluations a second", rate);
}

/* A table in a file or in memory is the same whatever the environment says. */
static void test_only_terminals_get_colours(void **state)
{
	char *text = NULL;
	size_t n_byte;
	(void)state;
	assert_int_equal(setenv("NO_COLOR", "", 1), 0);
	colour_choose(COLOUR_ALWAYS);
	assert_true(colour_is_on(stdout));
	FILE *file = open_memstream(&text, &n_byte);
	assert_non_null(file);
	assert_false(colour_is_on(file));
	struct table table = {0};
	table_add_column(&table, "n", true);
	table_add_column(&table, "name", false);
	table_add(&table, "%d", 12);
	table_colour(&table, COLOUR_BEST);
	table_add(&table, "x");
	table_colour(&table, COLOUR_BAD);
	table_print(&table, file, 1);
	colour_print(file, COLOUR_BAD, "%s\n", "failed");
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "  n  name\n 12  x\nfailed\n");
	free(text);
	table_free(&table);
	colour_choose(COLOUR_NEVER);
	assert_false(colour_is_on(stdout));
	assert_string_equal(colour_code(false, COLOUR_BAD), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scatter_puts_points_into_known_dots),
	    cmocka_unit_test(test_scatter_axis_is_logarithmic_over_decades),
	    cmocka_unit_test(test_picture_says_what_is_known),
	    cmocka_unit_test(test_picture_fits_every_terminal),
	    cmocka_unit_test(test_picture_of_many_points_has_dots),
	    cmocka_unit_test(test_live_ranges_have_one_format),
	    cmocka_unit_test(test_live_axes_are_objectives_of_the_space),
	    cmocka_unit_test(test_live_draws_what_the_search_left),
	    cmocka_unit_test(test_live_rate_is_that_of_three_seconds),
	    cmocka_unit_test(test_only_terminals_get_colours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
