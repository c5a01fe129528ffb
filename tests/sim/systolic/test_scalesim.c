/* SPDX-License-Identifier: Apache-2.0 */
/* SCALE-Sim's memory rules against its own runs, and what must hold for any layer. */
#include "tests/support/unit_test.h"
#include "tests/support/draws.h"
#include "sim/base/csv.h"
#include "sim/base/rng.h"
#include "sim/systolic/scalesim.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RNG_SEED 7
#define TABLE "tests/reference/scalesim_reference.csv"

static const char *text_of(const struct csv_table *table, size_t row, const char *column)
{
	size_t at = csv_find_column(table, column);
	assert_true(at != CSV_NO_COLUMN);
	return csv_get_cell(table, row, at)->text;
}

/* 0 for an empty cell. */
static double number_of(const struct csv_table *table, size_t row, const char *column)
{
	const char *text = text_of(table, row, column);
	double number = 0;
	return *text && sscanf(text, "%lf", &number) == 1 ? number : 0;
}

static uint32_t count_of(const struct csv_table *table, size_t row, const char *column)
{
	return (uint32_t)number_of(table, row, column);
}

static struct systolic_array array_of(const struct csv_table *table, size_t row)
{
	return (struct systolic_array){
	    .rows = count_of(table, row, "rows"),
	    .cols = count_of(table, row, "cols"),
	    .ifmap_byte = 1024 * (uint64_t)count_of(table, row, "ifmap_kib"),
	    .filter_byte = 1024 * (uint64_t)count_of(table, row, "filter_kib"),
	    .ofmap_byte = 1024 * (uint64_t)count_of(table, row, "ofmap_kib"),
	    .bandwidth_word = count_of(table, row, "bandwidth_word_per_clk"),
	};
}

static struct systolic_layer layer_of(const struct csv_table *table, size_t row)
{
	return (struct systolic_layer){
	    .ifmap_h = count_of(table, row, "ifmap_h"),
	    .ifmap_w = count_of(table, row, "ifmap_w"),
	    .filter_h = count_of(table, row, "filter_h"),
	    .filter_w = count_of(table, row, "filter_w"),
	    .channels = count_of(table, row, "channels"),
	    .n_filter = count_of(table, row, "n_filter"),
	    .stride = count_of(table, row, "stride"),
	};
}

static struct systolic_result run(const struct systolic_array *array, const struct systolic_layer *layer)
{
	struct systolic_result result;
	struct err err = {0};
	assert_true(systolic_layer_is_valid(layer));
	assert_int_equal(scalesim_run(array, layer, NULL, &result, &err), ERR_OK);
	return result;
}

/* The tool prints utilisations in percent with six digits. */
static void check_percent(const struct csv_table *table, size_t row, const char *column, double util)
{
	double want = number_of(table, row, column);
	if (fabs(100 * util - want) > 1e-5 * want)
		fail_msg("row %zu, %s: %g, expected %g", row + 2, column, 100 * util, want);
}

static void check_count(const struct csv_table *table, size_t row, const char *column, uint64_t count)
{
	double want = number_of(table, row, column);
	if ((double)count != want)
		fail_msg("row %zu (%s), %s: %.0f, expected %.0f", row + 2, text_of(table, row, "layer"), column,
		         (double)count, want);
}

/* Every figure of the runs: of all of them with DRAWS=all, else of some; README.md's figure is of all. */
static void test_scalesim_equals_its_runs(void **state)
{
	struct csv_table table = {0};
	struct err err = {0};
	size_t n = 0;
	(void)state;
	assert_int_equal(csv_read_file(TABLE, &table, &err), ERR_OK);
	const size_t step = draws_all() ? 1 : 11;
	for (size_t row = 0; row < table.n_row; row += step) {
		struct systolic_array array = array_of(&table, row);
		struct systolic_layer layer = layer_of(&table, row);
		struct systolic_result result = run(&array, &layer);
		check_count(&table, row, "total_clk", result.total_clk);
		check_count(&table, row, "stall_clk", result.stall_clk);
		check_percent(&table, row, "overall_util_pct", result.overall_util);
		check_percent(&table, row, "mapping_eff_pct", result.mapping_eff);
		check_percent(&table, row, "compute_util_pct", result.compute_util);
		check_count(&table, row, "dram_ifmap_read_word", result.dram_ifmap_read_word);
		check_count(&table, row, "dram_filter_read_word", result.dram_filter_read_word);
		check_count(&table, row, "dram_ofmap_write_word", result.dram_ofmap_write_word);
		n++;
	}
	assert_true(n > 600 / step);
	csv_free(&table);
}

static struct systolic_layer draw_layer(struct rng *rng)
{
	struct systolic_layer layer = {
	    .filter_h = 1 + rng_below(rng, 4),
	    .filter_w = 1 + rng_below(rng, 4),
	    .channels = 1 + rng_below(rng, 12),
	    .n_filter = 1 + rng_below(rng, 40),
	    .stride = 1 + rng_below(rng, 3),
	};
	layer.ifmap_h = layer.filter_h + rng_below(rng, 20);
	layer.ifmap_w = layer.filter_w + rng_below(rng, 20);
	return layer;
}

/* Random small layers and buffers: nothing is read less than once or more often than it enters the array, all results
 * are written, and large buffers never wait. */
static void test_scalesim_conserves_words(void **state)
{
	struct rng rng = rng_stream(RNG_SEED, 0, 0);
	(void)state;
	for (int i = 0; i < 400; i++) {
		struct systolic_layer layer = draw_layer(&rng);
		struct systolic_array array = {
		    .rows = 1 + rng_below(&rng, 16),
		    .cols = 1 + rng_below(&rng, 16),
		    .ifmap_byte = 1 + rng_below(&rng, 3000),
		    .filter_byte = 1 + rng_below(&rng, 3000),
		    .ofmap_byte = 1 + rng_below(&rng, 3000),
		};
		struct systolic_folds folds = systolic_fold(&array, &layer);
		struct systolic_result calc = run(&array, &layer);
		assert_int_equal(calc.stall_clk, 0);
		assert_true(calc.dram_ifmap_read_word >= systolic_ifmap_word(&layer, &folds));
		assert_true(calc.dram_filter_read_word >= folds.n_filter * folds.n_tap);
		assert_true(calc.dram_ifmap_read_word <= calc.sram_ifmap_read_word);
		assert_true(calc.dram_filter_read_word <= calc.sram_filter_read_word);
		assert_true(calc.dram_ofmap_write_word >= folds.n_pixel * folds.n_filter);
		array.bandwidth_word = 1 + rng_below(&rng, 20);
		struct systolic_result user = run(&array, &layer);
		assert_int_equal(user.total_clk, calc.total_clk + user.stall_clk);
		assert_true(user.overall_util <= calc.overall_util);
		array.ifmap_byte = array.filter_byte = array.ofmap_byte = 1u << 26;
		struct systolic_result large = run(&array, &layer);
		assert_int_equal(large.stall_clk, 0);
		assert_int_equal(large.dram_ofmap_write_word, folds.n_pixel * folds.n_filter);
	}
}

/*
 * CALC mode counts results without their clocks. With the clocks of USER mode, a line of as many words and all operands
 * there, it is the same words, and nobody waits.
 */
static void test_scalesim_drains_keep_up_with_columns(void **state)
{
	struct rng rng = rng_stream(RNG_SEED, 1, 0);
	uint32_t n_more = 0, n_fits = 0;
	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct systolic_layer layer = draw_layer(&rng);
		struct systolic_array array = {
		    .rows = 1 + rng_below(&rng, 16),
		    .cols = 1 + rng_below(&rng, 16),
		    .ifmap_byte = 1u << 26,
		    .filter_byte = 1u << 26,
		    .ofmap_byte = 1 + rng_below(&rng, rng_below(&rng, 2) ? 300 : 30000),
		};
		uint64_t n_result = systolic_fold(&array, &layer).n_pixel * layer.n_filter;
		struct systolic_result calc = run(&array, &layer);
		array.bandwidth_word = array.cols;
		struct systolic_result user = run(&array, &layer);
		assert_int_equal(calc.dram_ofmap_write_word, user.dram_ofmap_write_word);
		assert_int_equal(calc.total_clk, user.total_clk);
		assert_true(calc.dram_ofmap_write_word == n_result || n_result > array.ofmap_byte / 2);
		n_more += calc.dram_ofmap_write_word > n_result;
		n_fits += n_result <= array.ofmap_byte / 2;
	}
	assert_true(n_more > 100 && n_fits > 100);
}

/* Brute-force count of the words a layer touches. */
static void test_scalesim_counts_touched_words(void **state)
{
	struct rng rng = rng_stream(RNG_SEED, 0, 0);
	(void)state;
	for (int i = 0; i < 300; i++) {
		struct systolic_layer layer = draw_layer(&rng);
		struct systolic_array array = {.rows = 4, .cols = 4};
		struct systolic_folds folds = systolic_fold(&array, &layer);
		bool touched[24][24] = {{false}};
		uint64_t n = 0, inside = 0;
		for (uint64_t h = 0; h < folds.ofmap_h * layer.filter_h; h++) {
			for (uint64_t w = 0; w < folds.ofmap_w * layer.filter_w; w++) {
				uint64_t at_h = h / layer.filter_h * layer.stride + h % layer.filter_h;
				uint64_t at_w = w / layer.filter_w * layer.stride + w % layer.filter_w;
				if (at_h >= layer.ifmap_h || at_w >= layer.ifmap_w)
					continue;
				n += !touched[at_h][at_w];
				touched[at_h][at_w] = true;
				inside++;
			}
		}
		assert_int_equal(systolic_ifmap_word(&layer, &folds), n * layer.channels);
		assert_int_equal(inside,
		                 systolic_lines_inside(layer.ifmap_h, layer.filter_h, layer.stride, folds.ofmap_h) *
		                     systolic_lines_inside(layer.ifmap_w, layer.filter_w, layer.stride, folds.ofmap_w));
	}
}

/* What does not fit is refused, not run. */
static void test_scalesim_layer_is_valid(void **state)
{
	const struct systolic_layer good = {8, 8, 3, 3, 4, 5, 1};
	(void)state;
	assert_true(systolic_layer_is_valid(&good));
	for (int i = 0; i < 7; i++) {
		struct systolic_layer bad = good;
		uint32_t *const field[] = {&bad.ifmap_h,  &bad.ifmap_w,  &bad.filter_h, &bad.filter_w,
		                           &bad.channels, &bad.n_filter, &bad.stride};
		*field[i] = 0;
		assert_false(systolic_layer_is_valid(&bad));
		*field[i] = i == 6 ? 1 : UINT32_MAX;
		assert_int_equal(systolic_layer_is_valid(&bad), i == 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_scalesim_equals_its_runs),
	    cmocka_unit_test(test_scalesim_conserves_words),
	    cmocka_unit_test(test_scalesim_drains_keep_up_with_columns),
	    cmocka_unit_test(test_scalesim_counts_touched_words),
	    cmocka_unit_test(test_scalesim_layer_is_valid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
