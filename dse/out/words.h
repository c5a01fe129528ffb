/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_WORDS_H
#define DSE_WORDS_H
/* Prose for people: sections of lines, broken between words; or the same as JSON, a list of sections. */
#include "dse/out/json.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct words {
	FILE *file;
	bool as_json, in_section;
	struct json json;
};

void words_start(struct words *words, FILE *file, bool as_json);
void words_section(struct words *words, const char *title);

/* A line of the section, which words_section has begun. */
void words_line(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_finish(struct words *words);

/*
 * Print a line, with its end, broken between words into lines of at most width columns where it is wider; colours take
 * no room. end stands before each break. It goes on after four more blanks than it begins with, or half the width where
 * that is less; a word that is wider than a line has one to itself.
 */
void words_put_folded(FILE *file, const char *line, size_t width, const char *end);

/* A text of lines as words_put_folded has them, for the stream; the caller frees it. NULL: no memory. */
char *words_folded(FILE *file, const char *text);

/* Columns that prose on the stream takes: its terminal's, up to WORDS_WIDTH; otherwise where it is none. */
#define WORDS_WIDTH 100
size_t words_width(FILE *file, size_t otherwise);

/*
 * Print a line, broken between words into lines of at most width characters. column: where the stream stands; what a
 * long line is continued by begins after indent blanks.
 */
void words_put(FILE *file, const char *text, size_t column, size_t indent, size_t width);

/*
 * For prose that is printed in pieces: begin gives the stream to print to, which is file itself unless that is a
 * terminal, for which end breaks each line between words, continued after four more blanks than it begins with.
 */
struct words_fold {
	FILE *file, *memory;
	char *text;
	size_t n_byte;
};
FILE *words_fold_begin(struct words_fold *fold, FILE *file);
void words_fold_end(struct words_fold *fold);

/* Print to standard error what is no result: on a terminal lines of its width. */
void words_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A text that grows; what does not fit any more is left out, and the text ends in "...". */
#define WORDS_TEXT_SIZE 4096
struct words_text {
	size_t n;
	char text[WORDS_TEXT_SIZE];
};
void words_clear(struct words_text *text);
void words_add(struct words_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What stands before item i of n: nothing, ", ", or last before the last one (" or ", " and "). */
const char *words_between(size_t i, size_t n, const char *last);

#endif
