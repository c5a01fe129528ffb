/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results are collected into lines. As soon as less than half of the buffer is
 * free, and nothing is being drained, a drain begins: the line being filled is
 * closed as it is, and the oldest lines leave, one a clock. Their space is free
 * at once; the array waits only when the buffer is full during a drain.
 *
 * The tool counts lines as full ones, save the last of each drain. So a short
 * line that closes one drain's words but leaves with the next one adds words
 * that do not exist.
 */
#include "sim/systolic/scalesim_parts.h"
#include <assert.h>
#include <stdlib.h>

void scalesim_writer_init(struct scalesim_writer *writer, uint64_t buffer_byte, uint32_t line_word)
{
	assert(buffer_byte > 0 && buffer_byte < INT64_MAX && line_word > 0);
	*writer = (struct scalesim_writer){
	    .total = buffer_byte,
	    .drain = buffer_byte / 2,
	    .line_word = line_word,
	    .free_word = (int64_t)buffer_byte,
	};
}

void scalesim_writer_free(struct scalesim_writer *writer)
{
	free(writer->short_line);
	writer->short_line = NULL;
}

/* Words that may be stored until less than the active half is free; at least 1. */
static uint64_t until_drain(const struct scalesim_writer *writer)
{
	int64_t active = (int64_t)(writer->total - writer->drain);
	return writer->free_word < active ? 1 : (uint64_t)(writer->free_word - active) + 1;
}

static void store(struct scalesim_writer *writer, uint64_t n)
{
	uint64_t in_line = writer->n_in_line + n;
	writer->n_line += in_line / writer->line_word;
	writer->n_in_line = (uint32_t)(in_line % writer->line_word);
	writer->free_word -= (int64_t)n;
}

/* Close the line that is being filled. */
static void close_line(struct scalesim_writer *writer)
{
	if (writer->n_in_line == 0)
		return;
	if (writer->n_short == writer->n_short_alloc) {
		size_t n_alloc = 2 * writer->n_short_alloc + 16;
		struct scalesim_short_line *grown = realloc(writer->short_line, n_alloc * sizeof(*grown));
		if (!grown) {
			writer->out_of_memory = true;
			return;
		}
		writer->short_line = grown;
		writer->n_short_alloc = n_alloc;
	}
	writer->short_line[writer->n_short++] =
	    (struct scalesim_short_line){writer->n_line, writer->line_word - writer->n_in_line};
	writer->n_line++;
	writer->n_in_line = 0;
}

/* Drain the oldest lines; returns how many. */
static uint64_t drain_lines(struct scalesim_writer *writer)
{
	uint64_t n = ceil_div(writer->drain > 0 ? writer->drain : 1, writer->line_word);
	uint64_t n_waiting = writer->n_line - writer->n_drained;
	n = n < n_waiting ? n : n_waiting;
	uint64_t word = n * writer->line_word;
	size_t n_gone = 0;
	writer->n_drained += n;
	for (; n_gone < writer->n_short && writer->short_line[n_gone].line < writer->n_drained; n_gone++)
		if (writer->short_line[n_gone].line == writer->n_drained - 1)
			word -= writer->short_line[n_gone].missing;
	for (size_t i = n_gone; i < writer->n_short; i++)
		writer->short_line[i - n_gone] = writer->short_line[i];
	writer->n_short -= n_gone;
	writer->written_word += word;
	writer->free_word += (int64_t)word;
	return n;
}

uint64_t scalesim_writer_put(struct scalesim_writer *writer, uint64_t n, uint64_t now)
{
	int64_t clock = (int64_t)now;
	while (n > 0) {
		bool is_draining = clock < writer->drain_end;
		uint64_t until =
		    is_draining ? (writer->free_word > 0 ? (uint64_t)writer->free_word : 1) : until_drain(writer);
		if (n < until) {
			store(writer, n);
			break;
		}
		store(writer, until);
		n -= until;
		if (is_draining) {
			clock = writer->drain_end;
		} else {
			close_line(writer);
			writer->drain_end = clock + (int64_t)drain_lines(writer) - 1;
		}
	}
	return (uint64_t)clock - now;
}

void scalesim_writer_put_slowly(struct scalesim_writer *writer, uint64_t n, struct stop_watch *watch)
{
	while (n > 0 && !stop_after(watch, 1)) {
		uint64_t until = until_drain(writer), now = writer->drain_end > 0 ? (uint64_t)writer->drain_end : 0;
		uint64_t part = n < until ? n : until, wait = scalesim_writer_put(writer, part, now);
		assert(wait == 0);
		(void)wait;
		n -= part;
	}
}

bool scalesim_writer_is_calm(const struct scalesim_writer *writer, uint64_t n)
{
	uint64_t until = until_drain(writer);
	return n < until && writer->free_word > 0 && n < (uint64_t)writer->free_word;
}

uint64_t scalesim_writer_finish(struct scalesim_writer *writer)
{
	close_line(writer);
	while (writer->n_drained < writer->n_line)
		drain_lines(writer);
	return writer->written_word;
}
