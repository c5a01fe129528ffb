/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SCALESIM_PARTS_H
#define SIM_SCALESIM_PARTS_H
/* Inside the replay of SCALE-Sim's memory: operands as they enter the array, the buffers they are read from, and the
 * buffer that results are written to. */
#include "sim/base/stop.h"
#include "sim/systolic/systolic.h"
#include <stdbool.h>
#include <stddef.h>

#define SCALESIM_NO_WORD UINT32_MAX

/*
 * An operand: lanes (array rows or columns) of taps. Word of lane i at tap t:
 * base[i] + offset[t]. Lanes of all folds one after another; some of the last
 * fold may be empty. Ifmap lanes at the edge skip taps that fall outside. What
 * follows from its counts alone needs no arrays.
 */
struct scalesim_operand {
	uint64_t n_lane, n_fold, n_used; /* of one fold; folds; lanes with work in all folds */
	uint64_t n_tap, n_word;          /* n_word: numbers of words are below this */
	uint64_t n_valid;                /* words in all lanes of all folds, as often as they are used */
	uint64_t n_touched;              /* different ones */
	uint32_t *base;                  /* [n_used] */
	uint32_t *offset;                /* [n_tap] */
	/* Ifmap only (limit_h 0: nothing falls outside). */
	uint32_t limit_h, limit_w;
	uint32_t *lane_h, *lane_w; /* [n_used] first ifmap row and column of the lane */
	uint32_t *tap_h, *tap_w;   /* [n_tap] */
};

/* The word that a lane (counted over all folds) asks for at a tap, or SCALESIM_NO_WORD. */
static inline uint32_t scalesim_word(const struct scalesim_operand *operand, uint64_t lane, uint64_t tap)
{
	if (lane >= operand->n_used)
		return SCALESIM_NO_WORD;
	if (operand->limit_h > 0 && (operand->lane_h[lane] + operand->tap_h[tap] >= operand->limit_h ||
	                             operand->lane_w[lane] + operand->tap_w[tap] >= operand->limit_w))
		return SCALESIM_NO_WORD;
	return operand->base[lane] + operand->offset[tap];
}

/* Counts of a layer's operands; the arrays are NULL. */
void scalesim_count_ifmap(const struct systolic_array *array, const struct systolic_layer *layer,
                          const struct systolic_folds *folds, struct scalesim_operand *operand);
void scalesim_count_filter(const struct systolic_array *array, const struct systolic_folds *folds,
                           struct scalesim_operand *operand);

/* Arrays of operands that are counted. false when memory is out; free them in any case. */
bool scalesim_fill_ifmap(const struct systolic_layer *layer, const struct systolic_folds *folds,
                         struct scalesim_operand *operand);
bool scalesim_fill_filter(struct scalesim_operand *operand);
void scalesim_operand_free(struct scalesim_operand *operand);

/* CALC mode: whether a window takes all of a counted operand, which is read once then: n_touched words. */
bool scalesim_calc_fits(const struct scalesim_operand *operand, uint64_t buffer_byte);

/*
 * What goes on word by word counts them in a watch, and breaks off when its time has come. What comes of it then is
 * not to be used.
 */

/*
 * CALC mode: words read when the operand's folds enter the array, all of them
 * n_round times over (by_fold: each n_round times in a row). false when memory is out.
 */
bool scalesim_calc_reads(const struct scalesim_operand *operand, uint64_t buffer_byte, uint64_t n_round, bool by_fold,
                         struct stop_watch *watch, uint64_t *read_word);

/* USER mode: a double buffer that is filled along the prefetch stream. */
struct scalesim_reader;

/* Of a counted operand: whether half a buffer takes all of it, so that the array never waits; the words read then. */
bool scalesim_user_fits(const struct scalesim_operand *operand, uint64_t buffer_byte, uint32_t bandwidth_word,
                        uint64_t *read_word);

/* Of a filled operand that does not fit. The watch outlives it. NULL when memory is out. */
struct scalesim_reader *scalesim_reader_new(const struct scalesim_operand *operand, uint64_t buffer_byte,
                                            uint32_t bandwidth_word, struct stop_watch *watch);
void scalesim_reader_free(struct scalesim_reader *reader);

/* Clocks that the words of one clock of a fold come late, asked for at clock now (stalls so far included). */
uint64_t scalesim_reader_delay(struct scalesim_reader *reader, uint64_t fold, uint64_t clock, uint64_t now);

/* Words read so far. */
uint64_t scalesim_reader_words(const struct scalesim_reader *reader);

/* The buffer of results. Its owner calls scalesim_writer_free. */
struct scalesim_writer {
	uint64_t total, drain;      /* words: of the buffer, of the part that is drained */
	uint32_t line_word;         /* words of a line */
	int64_t free_word;          /* more than the buffer when lines were counted as full */
	uint64_t n_line, n_drained; /* complete lines so far; of them drained */
	uint32_t n_in_line;         /* words in the line that is being filled */
	int64_t drain_end;          /* clock */
	uint64_t written_word;      /* drained, as the tool counts them */
	struct scalesim_short_line {
		uint64_t line;
		uint32_t missing; /* words */
	} * short_line;           /* lines that a drain cut short and that are not drained yet */
	size_t n_short, n_short_alloc;
	bool out_of_memory;
};

void scalesim_writer_init(struct scalesim_writer *writer, uint64_t buffer_byte, uint32_t line_word);
void scalesim_writer_free(struct scalesim_writer *writer);

/* n words leave the array at clock now; returns the clocks it must wait. */
uint64_t scalesim_writer_put(struct scalesim_writer *writer, uint64_t n, uint64_t now);

/* n words leave the array, so slowly that each drain is over when the next one is due: nobody waits. */
void scalesim_writer_put_slowly(struct scalesim_writer *writer, uint64_t n, struct stop_watch *watch);

/* Whether n more words change nothing but the fill. */
bool scalesim_writer_is_calm(const struct scalesim_writer *writer, uint64_t n);

/* Write the rest out; returns all words written. */
uint64_t scalesim_writer_finish(struct scalesim_writer *writer);

#endif
