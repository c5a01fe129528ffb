/* SPDX-License-Identifier: Apache-2.0 */
/* Folds one after another, column folds outermost; each clock waits for the latest of the three buffers. */
#include "sim/systolic/scalesim.h"
#include "sim/systolic/scalesim_parts.h"
#include <assert.h>

struct layer_run {
	const struct systolic_array *array;
	const struct systolic_folds *folds;
	struct scalesim_operand ifmap, filter;
	struct scalesim_reader *ifmap_reader, *filter_reader; /* USER mode; NULL: all of the operand is there */
	struct scalesim_writer writer;
	uint64_t clock; /* without stalls */
	struct stop_watch watch;
};

/* Words that leave the array in clock t of the drain of a fold: bottom row first, each column a clock later. */
static uint64_t words_out(const struct systolic_array *array, uint64_t n_row, uint64_t n_col, uint64_t t)
{
	/* Column i gives row rows - 1 - (t - i), which has work below n_row. */
	int64_t last = (int64_t)t - ((int64_t)array->rows - (int64_t)n_row);
	int64_t first = (int64_t)t - ((int64_t)array->rows - 1);
	last = last < (int64_t)n_col - 1 ? last : (int64_t)n_col - 1;
	first = first > 0 ? first : 0;
	return last >= first ? (uint64_t)(last - first) + 1 : 0;
}

/* Stalls of one fold. */
static uint64_t run_fold(struct layer_run *run, uint64_t row_fold, uint64_t col_fold, uint64_t stall)
{
	const struct systolic_array *array = run->array;
	const struct systolic_folds *folds = run->folds;
	uint64_t left_row = folds->n_pixel - row_fold * array->rows,
		 left_col = folds->n_filter - col_fold * array->cols;
	uint64_t n_row = min_u64(left_row, array->rows), n_col = min_u64(left_col, array->cols);
	bool reads_ifmap = run->ifmap_reader, reads_filter = run->filter_reader;
	uint64_t before = stall;
	if (!reads_ifmap && !reads_filter && scalesim_writer_is_calm(&run->writer, n_row * n_col)) {
		(void)scalesim_writer_put(&run->writer, n_row * n_col, run->clock + stall);
		return 0;
	}
	for (uint64_t t = reads_ifmap || reads_filter ? 0 : folds->n_tap - 1; t < folds->fold_clk; t++) {
		/* at most so many lanes of both operands ask in a clock */
		if (stop_after(&run->watch, n_row + n_col))
			break;
		uint64_t now = run->clock + t + stall, delay = 0;
		if (reads_ifmap && t < folds->n_tap + array->rows - 1)
			delay = scalesim_reader_delay(run->ifmap_reader, row_fold, t, now);
		if (reads_filter && t < folds->n_tap + array->cols - 1)
			delay = max_u64(delay, scalesim_reader_delay(run->filter_reader, col_fold, t, now));
		if (t >= folds->n_tap - 1) {
			uint64_t wait = scalesim_writer_put(
			    &run->writer, words_out(array, n_row, n_col, t - (folds->n_tap - 1)), now);
			/* The tool takes a clock off every wait for the writes. */
			delay = max_u64(delay, wait > 0 ? wait - 1 : 0);
		}
		stall += delay;
	}
	return stall - before;
}

/* All folds: stalls, and the words of USER mode. */
static void run_folds(struct layer_run *run, struct systolic_result *result)
{
	const struct systolic_folds *folds = run->folds;
	uint64_t stall = 0;
	for (uint64_t col = 0; col < folds->n_col_fold && !run->watch.has_come; col++) {
		for (uint64_t row = 0; row < folds->n_row_fold && !stop_after(&run->watch, 1); row++) {
			stall += run_fold(run, row, col, stall);
			run->clock += folds->fold_clk;
		}
	}
	systolic_add_stall(run->array, folds, stall, result);
	result->dram_ofmap_write_word = scalesim_writer_finish(&run->writer);
}

/* CALC mode: words that the operands' windows take in, one by one only where they do not take all. */
static bool count_calc_reads(struct layer_run *run, const struct systolic_layer *layer, struct systolic_result *result)
{
	const struct systolic_array *array = run->array;
	const struct systolic_folds *folds = run->folds;
	result->dram_ifmap_read_word = run->ifmap.n_touched;
	result->dram_filter_read_word = run->filter.n_touched;
	if (!scalesim_calc_fits(&run->ifmap, array->ifmap_byte) &&
	    (!scalesim_fill_ifmap(layer, folds, &run->ifmap) ||
	     !scalesim_calc_reads(&run->ifmap, array->ifmap_byte, folds->n_col_fold, false, &run->watch,
	                          &result->dram_ifmap_read_word)))
		return false;
	return scalesim_calc_fits(&run->filter, array->filter_byte) ||
	       (scalesim_fill_filter(&run->filter) &&
	        scalesim_calc_reads(&run->filter, array->filter_byte, folds->n_row_fold, true, &run->watch,
	                            &result->dram_filter_read_word));
}

/* Columns are as wide as lines, so a drain always keeps up: at most a line a clock leaves the array. */
static bool run_calc(struct layer_run *run, const struct systolic_layer *layer, struct systolic_result *result)
{
	scalesim_writer_init(&run->writer, run->array->ofmap_byte, run->array->cols);
	scalesim_writer_put_slowly(&run->writer, run->folds->n_pixel * run->folds->n_filter, &run->watch);
	if (run->watch.has_come)
		return true;
	result->dram_ofmap_write_word = scalesim_writer_finish(&run->writer);
	return count_calc_reads(run, layer, result);
}

static bool run_user(struct layer_run *run, const struct systolic_layer *layer, struct systolic_result *result)
{
	const struct systolic_array *array = run->array;
	uint64_t n_result = run->folds->n_pixel * run->folds->n_filter;
	bool has_ifmap =
	    scalesim_user_fits(&run->ifmap, array->ifmap_byte, array->bandwidth_word, &result->dram_ifmap_read_word);
	bool has_filter =
	    scalesim_user_fits(&run->filter, array->filter_byte, array->bandwidth_word, &result->dram_filter_read_word);
	if (!has_ifmap && scalesim_fill_ifmap(layer, run->folds, &run->ifmap))
		run->ifmap_reader =
		    scalesim_reader_new(&run->ifmap, array->ifmap_byte, array->bandwidth_word, &run->watch);
	if (!has_filter && scalesim_fill_filter(&run->filter))
		run->filter_reader =
		    scalesim_reader_new(&run->filter, array->filter_byte, array->bandwidth_word, &run->watch);
	if ((!has_ifmap && !run->ifmap_reader) || (!has_filter && !run->filter_reader))
		return false;
	scalesim_writer_init(&run->writer, array->ofmap_byte, array->bandwidth_word);
	if (has_ifmap && has_filter && scalesim_writer_is_calm(&run->writer, n_result)) {
		/* nothing is drained before the end */
		result->dram_ofmap_write_word = n_result;
		return true;
	}
	run_folds(run, result);
	if (!has_ifmap)
		result->dram_ifmap_read_word = scalesim_reader_words(run->ifmap_reader);
	if (!has_filter)
		result->dram_filter_read_word = scalesim_reader_words(run->filter_reader);
	return true;
}

enum err_code scalesim_run(const struct systolic_array *array, const struct systolic_layer *layer,
                           const struct stop *stop, struct systolic_result *result, struct err *err)
{
	assert(systolic_layer_is_valid(layer));
	assert(array->ifmap_byte > 0 && array->filter_byte > 0 && array->ofmap_byte > 0);
	struct systolic_folds folds = systolic_fold(array, layer);
	struct layer_run run = {.array = array, .folds = &folds, .watch = stop_watch_for(stop)};
	systolic_run_array(array, &folds, result);
	scalesim_count_ifmap(array, layer, &folds, &run.ifmap);
	scalesim_count_filter(array, &folds, &run.filter);
	bool done = array->bandwidth_word == 0 ? run_calc(&run, layer, result) : run_user(&run, layer, result);
	done = done && !run.writer.out_of_memory;
	scalesim_writer_free(&run.writer);
	scalesim_reader_free(run.ifmap_reader);
	scalesim_reader_free(run.filter_reader);
	scalesim_operand_free(&run.ifmap);
	scalesim_operand_free(&run.filter);
	if (run.watch.has_come)
		return ERR_INTERRUPTED;
	if (!done)
		return err_add(err, ERR_INTERNAL, "out of memory in a systolic array's layer");
	assert(result->dram_ifmap_read_word > 0 && result->dram_filter_read_word > 0);
	return ERR_OK;
}
