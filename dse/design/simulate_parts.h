/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_SIMULATE_PARTS_H
#define DSE_SIMULATE_PARTS_H
/* What a systolic array did in each block: clocks, utilisations, words of each operand. Beside dse/design/simulate.h's
 * figures. */
#include "dse/design/simulate.h"

/*
 * Fill block->array of a block that ran: words and utilisations are those of its tiles, clocks those of its result, of
 * whichever tier. Without an array in it (pooling, PEs with an MLA) block->has_array becomes false. ERR_INTERRUPTED:
 * the replay that counts SCALE-Sim's words was stopped.
 */
enum err_code simulate_take_array(const struct layer_context *context, struct simulated *block, struct err *err);

/* A table of the blocks shown that have an array, behind an empty line; nothing where none has. */
void simulate_print_array(FILE *file, const struct simulated *block, size_t n, const bool *shown);

/* The same of one block as an object "array" of the object that is open. */
void simulate_put_array(struct json *json, const struct simulated *block);

#endif
