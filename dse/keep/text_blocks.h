/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TEXT_BLOCKS_H
#define DSE_TEXT_BLOCKS_H
/*
 * Long texts made by several threads: items are written in blocks, each into
 * memory of its own, and the blocks are taken in order while later ones are
 * written. The same bytes for any number of threads; memory for a few blocks.
 */
#include "sim/base/err.h"
#include <stdio.h>

struct text_blocks {
	size_t n;          /* items */
	unsigned n_thread; /* 0: one */
	/* Write items first to end - 1; no error of the stream need be looked at. Called by several threads. */
	enum err_code (*write)(void *context, FILE *file, size_t first, size_t end, struct err *err);
	void *context;
	/* Take the text of the next items; by one thread at a time, in order. */
	void (*take)(void *sink, const char *text, size_t n_byte);
	void *sink;
};

/* The code of the first block that failed. */
enum err_code text_blocks_run(const struct text_blocks *blocks, struct err *err);

/* A take for files: sink is a FILE. Errors stay in the stream. */
void text_blocks_to_file(void *sink, const char *text, size_t n_byte);

#endif
