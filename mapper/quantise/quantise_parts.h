/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MAPPER_QUANTISE_PARTS_H
#define MAPPER_QUANTISE_PARTS_H
/* Inside the room: sizes of blocks, and what a block reads as one piece of memory. */
#include "mapper/quantise/quantise.h"
#include "sim/base/stop.h"

/* Numbers that a block reads; of the core operation's result, before pooling. */
size_t quantise_n_read(const struct block *block);
size_t quantise_n_core(const struct block *block);

/* Filters of a block and numbers of each; 0: it has none. */
uint32_t quantise_n_filter(const struct block *block);
uint64_t quantise_n_tap(const struct block *block);

/*
 * The results that sources name, one behind the other, n_byte a number: the only one as it is, several copied to room
 * (quantise_n_read numbers). input: producer 0.
 */
const void *quantise_gather(const struct network *network, const struct block_sources *sources, const void *input,
                            void *const *result, size_t n_byte, void *room);

/* Rows of softmax: how many, of how many numbers each, and where number k of a row lies in a map. */
size_t quantise_n_row(const struct block *block);
size_t quantise_row_size(const struct block *block);
size_t quantise_row_at(const struct block *block, size_t row, size_t k);

/* Outputs of a row (column) whose tap lies inside the ifmap: from first to end - 1; and the tap's place at output 0. */
struct quantise_reach {
	uint32_t first, end;
	int64_t at;
};
struct quantise_reach quantise_reach_of(uint32_t n_out, uint32_t n_in, uint32_t stride, int64_t at);

/* Why something was not done to its end: ERR_INTERRUPTED, if a stop is wished, else ERR_INTERNAL, no memory for `what`.
 */
enum err_code quantise_fail(const struct network *network, const char *what, struct err *err);

/* Numbers of the largest read of a network. */
size_t quantise_max_read(const struct network *network);

#endif
