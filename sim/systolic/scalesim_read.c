/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How operands are read. In clock c of a fold, lane i asks for tap c - i.
 *
 * CALC mode: a window of different words that is emptied when it is full; a word
 * that is not in the window is read.
 *
 * USER mode: the words of all folds, taken along the diagonals on which they
 * enter the array, are cut into lines. A ring of lines:
 *
 *      active: words in here are there        prefetch: comes next
 *   ──┬────┬────┬────┬────┬────┬────┬────┬───┬────┬────┬──►
 *     └── n_active lines ───────────────────┘└ n_next ─┘
 *
 * A word that is in no active line moves the active lines on by the prefetched
 * ones, again until it is there; each move takes as long as half a buffer over
 * the interface. For each word the number of active lines that hold it is kept.
 */
#include "sim/systolic/scalesim_parts.h"
#include <assert.h>
#include <stdlib.h>

/* The tool keeps 100 lines in a buffer, half of which CALC mode uses. */
#define N_LINE 100
/* Words of a line up to which a watch counts a move at once. */
#define SHORT_LINE 64

/* ---- operands --------------------------------------------------------------------------------------- */

static bool alloc_operand(struct scalesim_operand *operand, bool is_ifmap)
{
	operand->base = calloc(operand->n_used, sizeof(*operand->base));
	operand->offset = calloc(operand->n_tap, sizeof(*operand->offset));
	if (!operand->base || !operand->offset)
		return false;
	if (!is_ifmap)
		return true;
	operand->lane_h = calloc(operand->n_used, sizeof(*operand->lane_h));
	operand->lane_w = calloc(operand->n_used, sizeof(*operand->lane_w));
	operand->tap_h = calloc(operand->n_tap, sizeof(*operand->tap_h));
	operand->tap_w = calloc(operand->n_tap, sizeof(*operand->tap_w));
	return operand->lane_h && operand->lane_w && operand->tap_h && operand->tap_w;
}

void scalesim_count_ifmap(const struct systolic_array *array, const struct systolic_layer *layer,
                          const struct systolic_folds *folds, struct scalesim_operand *operand)
{
	*operand = (struct scalesim_operand){
	    .n_lane = array->rows,
	    .n_fold = folds->n_row_fold,
	    .n_used = folds->n_pixel,
	    .n_tap = folds->n_tap,
	    .n_word = (uint64_t)layer->ifmap_h * layer->ifmap_w * layer->channels,
	    .n_valid = systolic_lines_inside(layer->ifmap_h, layer->filter_h, layer->stride, folds->ofmap_h) *
	               systolic_lines_inside(layer->ifmap_w, layer->filter_w, layer->stride, folds->ofmap_w) *
	               layer->channels,
	    .n_touched = systolic_ifmap_word(layer, folds),
	};
}

bool scalesim_fill_ifmap(const struct systolic_layer *layer, const struct systolic_folds *folds,
                         struct scalesim_operand *operand)
{
	uint32_t line_word = layer->ifmap_w * layer->channels, row_tap = layer->filter_w * layer->channels;
	if (!alloc_operand(operand, true))
		return false;
	for (uint64_t i = 0; i < folds->n_pixel; i++) {
		operand->lane_h[i] = (uint32_t)(i / folds->ofmap_w) * layer->stride;
		operand->lane_w[i] = (uint32_t)(i % folds->ofmap_w) * layer->stride;
		operand->base[i] = operand->lane_h[i] * line_word + operand->lane_w[i] * layer->channels;
	}
	for (uint32_t t = 0; t < folds->n_tap; t++) {
		operand->tap_h[t] = t / row_tap;
		operand->tap_w[t] = t % row_tap / layer->channels;
		operand->offset[t] = operand->tap_h[t] * line_word + t % row_tap;
	}
	if (operand->n_valid < folds->n_pixel * folds->n_tap) {
		operand->limit_h = layer->ifmap_h;
		operand->limit_w = layer->ifmap_w;
	}
	return true;
}

void scalesim_count_filter(const struct systolic_array *array, const struct systolic_folds *folds,
                           struct scalesim_operand *operand)
{
	*operand = (struct scalesim_operand){
	    .n_lane = array->cols,
	    .n_fold = folds->n_col_fold,
	    .n_used = folds->n_filter,
	    .n_tap = folds->n_tap,
	    .n_word = folds->n_filter * folds->n_tap,
	    .n_valid = folds->n_filter * folds->n_tap,
	    .n_touched = folds->n_filter * folds->n_tap,
	};
}

bool scalesim_fill_filter(struct scalesim_operand *operand)
{
	if (!alloc_operand(operand, false))
		return false;
	for (uint32_t i = 0; i < operand->n_used; i++)
		operand->base[i] = i * (uint32_t)operand->n_tap;
	for (uint32_t t = 0; t < operand->n_tap; t++)
		operand->offset[t] = t;
	return true;
}

void scalesim_operand_free(struct scalesim_operand *operand)
{
	free(operand->base);
	free(operand->offset);
	free(operand->lane_h);
	free(operand->lane_w);
	free(operand->tap_h);
	free(operand->tap_w);
	*operand = (struct scalesim_operand){0};
}

/* The lanes that ask in a clock of a fold: first to end - 1. */
static void asking_lanes(const struct scalesim_operand *operand, uint64_t clock, uint64_t *first, uint64_t *end)
{
	*first = clock < operand->n_tap ? 0 : clock - operand->n_tap + 1;
	*end = clock < operand->n_lane ? clock + 1 : operand->n_lane;
}

/* ---- CALC mode -------------------------------------------------------------------------------------- */

struct calc_window {
	uint64_t *epoch; /* [n_word] a word is in the window when this is now */
	uint64_t now, n, max, read_word;
};

static void read_fold(const struct scalesim_operand *operand, uint64_t fold, struct stop_watch *watch,
                      struct calc_window *window)
{
	uint64_t first, end;
	for (uint64_t clock = 0; clock < operand->n_tap + operand->n_lane - 1; clock++) {
		asking_lanes(operand, clock, &first, &end);
		if (stop_after(watch, end - first))
			return;
		for (uint64_t lane = first; lane < end; lane++) {
			uint32_t word = scalesim_word(operand, fold * operand->n_lane + lane, clock - lane);
			if (word == SCALESIM_NO_WORD || window->epoch[word] == window->now)
				continue;
			window->epoch[word] = window->now;
			window->read_word++;
			if (++window->n < window->max)
				continue;
			window->now++;
			window->n = 0;
		}
	}
}

/* Words of a window; at least one. */
static uint64_t window_word(uint64_t buffer_byte)
{
	uint64_t word = N_LINE / 2 * (buffer_byte / N_LINE);
	return word > 0 ? word : 1;
}

bool scalesim_calc_fits(const struct scalesim_operand *operand, uint64_t buffer_byte)
{
	return operand->n_touched < window_word(buffer_byte);
}

bool scalesim_calc_reads(const struct scalesim_operand *operand, uint64_t buffer_byte, uint64_t n_round, bool by_fold,
                         struct stop_watch *watch, uint64_t *read_word)
{
	struct calc_window window = {.now = 1, .max = window_word(buffer_byte)};
	assert(operand->base && !scalesim_calc_fits(operand, buffer_byte));
	window.epoch = calloc(operand->n_word, sizeof(*window.epoch));
	if (!window.epoch)
		return false;
	for (uint64_t i = 0; i < n_round * operand->n_fold && !watch->has_come; i++)
		read_fold(operand, by_fold ? i / n_round : i % operand->n_fold, watch, &window);
	*read_word = window.read_word;
	free(window.epoch);
	return true;
}

/* ---- USER mode -------------------------------------------------------------------------------------- */

/* A place in the prefetch stream: rows of it are the taps of all folds, columns the lanes. */
struct stream_cursor {
	uint64_t diagonal, lane; /* row = diagonal - lane */
	uint64_t fold, tap;      /* of the row */
};

struct scalesim_reader {
	const struct scalesim_operand *operand;
	uint64_t n_row, n_diagonal;
	uint64_t line_word, n_line, n_active, n_next;
	uint64_t line_clk, base_word; /* of one move; of the first filling */
	uint32_t bandwidth_word;
	uint64_t n_move;
	uint64_t oldest, newest;        /* lines: the first active one, the first that is not active any more */
	struct stream_cursor drop, add; /* where these begin */
	uint32_t *n_holding;            /* [n_word] active lines that hold a word */
	uint64_t *mark;                 /* [n_word] the last line edit that saw a word */
	uint64_t n_edit;
	int64_t move_end; /* clock at which the last move is done */
	struct stop_watch *watch;
};

/* Diagonals run from the latest tap to the earliest. */
static void start_diagonal(const struct scalesim_reader *reader, struct stream_cursor *cursor)
{
	uint64_t row = cursor->diagonal < reader->n_row ? cursor->diagonal : reader->n_row - 1;
	cursor->lane = cursor->diagonal - row;
	cursor->fold = row / reader->operand->n_tap;
	cursor->tap = row % reader->operand->n_tap;
}

/* Step on, past the end to the start: the stream is a ring. */
static void advance(const struct scalesim_reader *reader, struct stream_cursor *cursor)
{
	uint64_t row = cursor->diagonal - cursor->lane;
	if (row > 0 && cursor->lane + 1 < reader->operand->n_lane) {
		cursor->lane++;
		if (cursor->tap-- == 0) {
			cursor->tap = reader->operand->n_tap - 1;
			cursor->fold--;
		}
		return;
	}
	cursor->diagonal = cursor->diagonal + 1 < reader->n_diagonal ? cursor->diagonal + 1 : 0;
	start_diagonal(reader, cursor);
}

static uint32_t word_at(const struct scalesim_reader *reader, const struct stream_cursor *cursor)
{
	uint64_t lane = cursor->fold * reader->operand->n_lane + cursor->lane;
	return scalesim_word(reader->operand, lane, cursor->tap);
}

/* Count the different words of a line in (1) or out (-1), and move the cursor behind it. */
static void edit_line(struct scalesim_reader *reader, uint64_t line, struct stream_cursor *cursor, uint32_t change)
{
	uint64_t first = line * reader->line_word, n = reader->operand->n_valid - first;
	n = n < reader->line_word ? n : reader->line_word;
	if (reader->line_word > SHORT_LINE && stop_after(reader->watch, n))
		return;
	reader->n_edit++;
	while (n > 0) {
		uint32_t word = word_at(reader, cursor);
		advance(reader, cursor);
		if (word == SCALESIM_NO_WORD)
			continue;
		n--;
		if (reader->mark[word] == reader->n_edit)
			continue;
		reader->mark[word] = reader->n_edit;
		reader->n_holding[word] += change;
	}
}

/* A ring that ends behind its last valid word: what is left of the stream holds none. */
static void next_line(const struct scalesim_reader *reader, uint64_t *line, struct stream_cursor *cursor)
{
	if (++*line < reader->n_line)
		return;
	*line = 0;
	*cursor = (struct stream_cursor){0};
	start_diagonal(reader, cursor);
}

static void move(struct scalesim_reader *reader)
{
	if (reader->line_word <= SHORT_LINE && stop_after(reader->watch, 2 * reader->n_next * reader->line_word))
		return;
	for (uint64_t i = 0; i < reader->n_next; i++) {
		edit_line(reader, reader->oldest, &reader->drop, (uint32_t)-1);
		next_line(reader, &reader->oldest, &reader->drop);
	}
	for (uint64_t i = 0; i < reader->n_next; i++) {
		edit_line(reader, reader->newest, &reader->add, 1);
		next_line(reader, &reader->newest, &reader->add);
	}
	reader->n_move++;
	reader->move_end += (int64_t)reader->line_clk + 1;
}

static void size_lines(struct scalesim_reader *reader, uint64_t buffer_byte)
{
	const struct scalesim_operand *operand = reader->operand;
	uint64_t active = ceil_div(buffer_byte, 2), rest = buffer_byte - active;
	uint64_t active_clk = ceil_div(active, reader->bandwidth_word);
	/* Lanes without work are counted here, too. */
	uint64_t all_clk = ceil_div(operand->n_fold * operand->n_lane * operand->n_tap, reader->bandwidth_word);
	reader->line_word = ceil_div(buffer_byte, N_LINE);
	reader->n_line = ceil_div(operand->n_valid, reader->line_word);
	uint64_t n_active = ceil_div(active, reader->line_word), n_next = ceil_div(rest, reader->line_word);
	reader->n_active = n_active < reader->n_line ? n_active : reader->n_line;
	uint64_t n_left = reader->n_line - reader->n_active;
	reader->n_next = n_next < n_left ? n_next : n_left;
	reader->line_clk = ceil_div(rest, reader->bandwidth_word);
	reader->base_word = (active_clk < all_clk ? active_clk : all_clk) * reader->bandwidth_word;
}

bool scalesim_user_fits(const struct scalesim_operand *operand, uint64_t buffer_byte, uint32_t bandwidth_word,
                        uint64_t *read_word)
{
	struct scalesim_reader reader = {.operand = operand, .bandwidth_word = bandwidth_word};
	assert(buffer_byte > 0 && bandwidth_word > 0 && operand->n_valid > 0);
	size_lines(&reader, buffer_byte);
	*read_word = reader.base_word;
	return reader.n_next == 0;
}

struct scalesim_reader *scalesim_reader_new(const struct scalesim_operand *operand, uint64_t buffer_byte,
                                            uint32_t bandwidth_word, struct stop_watch *watch)
{
	assert(buffer_byte > 0 && bandwidth_word > 0 && operand->n_valid > 0 && operand->base);
	struct scalesim_reader *reader = calloc(1, sizeof(*reader));
	if (!reader)
		return NULL;
	*reader = (struct scalesim_reader){
	    .operand = operand,
	    .n_row = operand->n_fold * operand->n_tap,
	    .bandwidth_word = bandwidth_word,
	    .move_end = -1,
	    .watch = watch,
	};
	reader->n_diagonal = reader->n_row + operand->n_lane - 1;
	size_lines(reader, buffer_byte);
	assert(reader->n_next > 0);
	reader->n_holding = calloc(operand->n_word, sizeof(*reader->n_holding));
	reader->mark = calloc(operand->n_word, sizeof(*reader->mark));
	if (!reader->n_holding || !reader->mark) {
		scalesim_reader_free(reader);
		return NULL;
	}
	start_diagonal(reader, &reader->drop);
	start_diagonal(reader, &reader->add);
	for (uint64_t i = 0; i < reader->n_active; i++) {
		edit_line(reader, reader->newest, &reader->add, 1);
		next_line(reader, &reader->newest, &reader->add);
	}
	return reader;
}

void scalesim_reader_free(struct scalesim_reader *reader)
{
	if (!reader)
		return;
	free(reader->n_holding);
	free(reader->mark);
	free(reader);
}

uint64_t scalesim_reader_delay(struct scalesim_reader *reader, uint64_t fold, uint64_t clock, uint64_t now)
{
	const struct scalesim_operand *operand = reader->operand;
	uint64_t first, end;
	/* A word that is there takes a clock, which is no delay. */
	int64_t due = (int64_t)now + 1, at = due;
	asking_lanes(operand, clock, &first, &end);
	for (uint64_t lane = first; lane < end; lane++) {
		uint32_t word = scalesim_word(operand, fold * operand->n_lane + lane, clock - lane);
		/* moves look at the watch; without them none is needed for what a clock asks for */
		while (word != SCALESIM_NO_WORD && reader->n_holding[word] == 0 && !reader->watch->has_come) {
			move(reader);
			at = reader->move_end > at ? reader->move_end : at;
		}
	}
	return (uint64_t)(at - due);
}

uint64_t scalesim_reader_words(const struct scalesim_reader *reader)
{
	return reader->base_word + reader->n_move * reader->line_clk * reader->bandwidth_word;
}
