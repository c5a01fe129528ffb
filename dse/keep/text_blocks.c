/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of N_BLOCK blocks; taking the blocks of one round is the first item of
 * the next one:
 *
 *   round 0   write 0 .. 15
 *   round 1   take 0 .. 15 │ write 16 .. 31
 *   round 2   take 16 .. 31 │ write 32 .. 47
 */
#include "dse/keep/text_blocks.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include <assert.h>
#include <stdlib.h>

enum {
	N_BLOCK = 16,
	N_ITEM = 64 /* of a block */
};

struct text_block {
	size_t first, end;
	char *text;
	size_t n_byte;
	enum err_code code;
	struct err err;
};

struct block_writing {
	const struct text_blocks *blocks;
	size_t n_taken;                      /* blocks of the round before */
	struct text_block round[2][N_BLOCK]; /* the one under way and the one before */
	unsigned now;                        /* the one under way */
};

void text_blocks_to_file(void *sink, const char *text, size_t n_byte)
{
	(void)fwrite(text, 1, n_byte, sink);
}

static void take_round(struct block_writing *writing)
{
	struct text_block *block = writing->round[1 - writing->now];
	for (size_t i = 0; i < writing->n_taken; i++) {
		if (block[i].code == ERR_OK)
			writing->blocks->take(writing->blocks->sink, block[i].text, block[i].n_byte);
		free(block[i].text);
		block[i].text = NULL;
	}
	writing->n_taken = 0;
}

static void write_block(struct block_writing *writing, struct text_block *block)
{
	const struct text_blocks *blocks = writing->blocks;
	FILE *file = memory_must(open_memstream(&block->text, &block->n_byte));
	assert(block->first < block->end);
	block->code = blocks->write(blocks->context, file, block->first, block->end, &block->err);
	memory_check(ferror(file) == 0 && fclose(file) == 0);
}

static void run_item(void *context, size_t i)
{
	struct block_writing *writing = context;
	if (i == 0)
		take_round(writing);
	else
		write_block(writing, &writing->round[writing->now][i - 1]);
}

/* The first failure of a round's blocks. */
static enum err_code judge_round(struct text_block *block, size_t n, struct err *err)
{
	enum err_code code = ERR_OK;
	for (size_t i = 0; i < n; i++) {
		if (block[i].code != ERR_OK && code == ERR_OK)
			code = err_move(err, (struct err_place){0}, &block[i].err);
		err_clear(&block[i].err);
	}
	return code;
}

static void free_round(struct text_block *block)
{
	for (size_t i = 0; i < N_BLOCK; i++)
		free(block[i].text);
}

enum err_code text_blocks_run(const struct text_blocks *blocks, struct err *err)
{
	struct block_writing writing = {.blocks = blocks};
	unsigned n_thread = blocks->n_thread > 0 ? blocks->n_thread : 1;
	enum err_code code = ERR_OK;
	assert(blocks->write && blocks->take);
	for (size_t at = 0; at < blocks->n && code == ERR_OK;) {
		struct text_block *round = writing.round[writing.now];
		size_t n = 0;
		for (; n < N_BLOCK && at < blocks->n; n++) {
			size_t end = blocks->n - at > N_ITEM ? at + N_ITEM : blocks->n;
			round[n] = (struct text_block){.first = at, .end = end};
			at = end;
		}
		/* A block alone is written sooner than another thread has begun. */
		parallel_for(n + 1, n == 1 && writing.n_taken == 0 ? 1 : n_thread, run_item, &writing);
		code = judge_round(round, n, err);
		writing.n_taken = n;
		writing.now = 1 - writing.now;
	}
	if (code == ERR_OK)
		take_round(&writing);
	free_round(writing.round[0]);
	free_round(writing.round[1]);
	return code;
}
