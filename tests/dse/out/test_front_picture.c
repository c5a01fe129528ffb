/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of a front: title, axes in words, the knee, a legend that fits however many axes there are, and a size
 * that does not grow with the front. */
#include "tests/support/unit_test.h"
#include "dse/out/front_picture.h"
#include "sim/base/rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 20000, N_SERIES = 12, LEGEND_LEFT = 730, PICTURE_RIGHT = 980 };

static double uncertain(void *context, size_t point)
{
	size_t *n_asked = context;
	++*n_asked;
	return point % 2 ? 0.05 : (double)NAN;
}

/* Draw into a text, which the caller frees. */
static char *draw(const struct front_picture *picture)
{
	static char *text;
	static size_t n_byte;
	FILE *file = open_memstream(&text, &n_byte);
	assert_non_null(file);
	front_picture_draw(file, picture);
	assert_int_equal(fclose(file), 0);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* The texts of the legend, 6.6 units a letter at most on average, end before the picture does. */
static void expect_legend_inside(const char *text)
{
	for (const char *at = text; (at = strstr(at, "<text x=\"")); at++) {
		double x = strtod(at + strlen("<text x=\""), NULL);
		const char *begin = strchr(at, '>') + 1;
		size_t n = strcspn(begin, "<");
		if (x > LEGEND_LEFT && !strstr(at, "font-size=\"11\"") && x + 6.6 * (double)n > PICTURE_RIGHT)
			fail_msg("the legend is cut off: %.*s", (int)n, begin);
	}
}

static void test_picture_of_many_machines(void **state)
{
	static const char *const key[] = {"machine", "mla.array", "pe.sram_byte", "chip.n_storage_qpe"};
	static double x[N], y[N];
	static uint32_t series[N];
	char text[N_SERIES][32];
	const char *value[N_SERIES * 4];
	struct rng rng = rng_stream(3, 0, 0);
	struct arena arena = {0};
	size_t n_asked = 0;
	(void)state;
	for (size_t i = 0; i < N; i++) {
		x[i] = 1 + (double)i / N;
		y[i] = 1 / x[i] + 0.01 * rng_unit(&rng);
		series[i] = rng_below(&rng, N_SERIES);
	}
	for (size_t i = 0; i < N_SERIES; i++) {
		(void)snprintf(text[i], sizeof(text[i]), "%zu", (size_t)1000000 + i);
		const char *own[] = {"dvfs_chip", "128x128", text[i], text[N_SERIES - 1 - i]};
		memcpy(value + 4 * i, own, sizeof(own));
	}
	struct front_picture picture = {.title = front_picture_title(&arena, "space", 1, (const char *const[]){"net"},
	                                                             1, (const char *const[]){"dvfs_chip"}, "fast"),
	                                .n = N,
	                                .x = {"latency / ms", 1.5, x},
	                                .y = {"energy / mJ", INFINITY, y},
	                                .series = series,
	                                .knee = N / 2,
	                                .knee_text = "knee: 1.5 ms, 0.7 mJ",
	                                .uncertain = uncertain,
	                                .context = &n_asked};
	front_picture_name(&picture, &arena, N_SERIES, 4, key, value);
	/* only what differs is named */
	assert_string_equal(picture.series_title, "pe.sram_byte, chip.n_storage_qpe");
	char *svg = draw(&picture);
	assert_non_null(strstr(svg, ">space: Pareto front of net on dvfs_chip, fast tier</text>"));
	assert_non_null(strstr(svg, ">latency / ms</text>"));
	assert_non_null(strstr(svg, ">energy / mJ</text>"));
	assert_non_null(strstr(svg, ">knee: 1.5 ms, 0.7 mJ</text>"));
	assert_non_null(strstr(svg, ">others</text>"));
	assert_int_equal(count(svg, "stroke-dasharray"), 1); /* the limit inside the plot */
	expect_legend_inside(svg);
	/* a mark for each shown point, which alone are asked how far they are off; each has its bar or none */
	size_t n_mark = count(svg, "<path ") - 8;
	assert_true(n_mark > 1000 && n_mark < N);
	assert_int_equal(n_asked, n_mark);
	free(svg);
	arena_free(&arena);
}

/* One point of one machine: no legend, no knee, no band. */
static void test_picture_of_one_point(void **state)
{
	static const double one = 2;
	static const uint32_t series = 0;
	struct arena arena = {0};
	struct front_picture picture = {.title = "t",
	                                .n = 1,
	                                .x = {"x", INFINITY, &one},
	                                .y = {"y", INFINITY, &one},
	                                .series = &series,
	                                .knee = SIZE_MAX};
	(void)state;
	front_picture_name(&picture, &arena, 1, 1, (const char *const[]){"machine"}, (const char *const[]){"m"});
	assert_string_equal(picture.series_title, "");
	char *svg = draw(&picture);
	assert_int_equal(count(svg, "<path "), 1);
	assert_int_equal(count(svg, "<circle "), 0);
	assert_int_equal(count(svg, "<g "), 0);
	free(svg);
	arena_free(&arena);
}

/* Sentences below the plot: every word of them, in their order, in lines that end before the picture does. */
static void test_picture_has_its_caption(void **state)
{
	static const double one[] = {2, 3};
	static const uint32_t series[] = {0, 1};
	static const char *const key[] = {"pe.sram_byte"}, *const value[] = {"131072", "98305"};
	struct rng rng = rng_stream(3, 0, 1);
	struct arena arena = {0};
	(void)state;
	for (unsigned turn = 0; turn < 50; turn++) {
		char said[3][600], all[2000] = "", drawn[4000] = "";
		const char *caption[3];
		size_t n_caption = 1 + rng_below(&rng, 3);
		for (size_t i = 0; i < n_caption; i++) {
			size_t n = 0, n_word = 1 + rng_below(&rng, 60);
			for (size_t k = 0; k < n_word; k++)
				n += (size_t)snprintf(said[i] + n, sizeof(said[i]) - n, "%s%.*s", k > 0 ? " " : "",
				                      (int)(1 + rng_below(&rng, 9)), "sentences");
			caption[i] = said[i];
			(void)snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s ", said[i]);
		}
		struct front_picture picture = {.title = "t",
		                                .n = 2,
		                                .x = {"x", INFINITY, one},
		                                .y = {"y", INFINITY, one},
		                                .series = series,
		                                .knee = SIZE_MAX,
		                                .n_caption = n_caption,
		                                .caption = caption};
		front_picture_name(&picture, &arena, 2, 1, key, value);
		assert_string_equal(picture.series_name[0], "128 KiB");
		assert_string_equal(picture.series_name[1], "98305 B");
		char *svg = draw(&picture);
		double height = strtod(strstr(svg, "height=\"") + strlen("height=\""), NULL);
		for (const char *at = svg; (at = strstr(at, "<text x=\"20.0\" y=\"")); at++) {
			double y = strtod(at + strlen("<text x=\"20.0\" y=\""), NULL);
			const char *begin = strchr(at, '>') + 1;
			size_t n = strcspn(begin, "<");
			if (y < 600)
				continue;
			assert_true(20 + 6.6 * (double)n < PICTURE_RIGHT && y < height);
			(void)snprintf(drawn + strlen(drawn), sizeof(drawn) - strlen(drawn), "%.*s%s", (int)n, begin,
			               begin[n - 1] == ' ' ? "" : " ");
		}
		assert_string_equal(drawn, all);
		free(svg);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_picture_of_many_machines),
	    cmocka_unit_test(test_picture_of_one_point),
	    cmocka_unit_test(test_picture_has_its_caption),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
