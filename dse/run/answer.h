/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_ANSWER_H
#define DSE_ANSWER_H
/*
 * Answer: what an exploration found, as bytes. The same question asked again of the same program is answered from them
 * without a search. Front, counts, history and evaluated designs of layers are the search's to the last bit; files and
 * tables follow from these.
 */
#include "dse/design/unroll.h"
#include "sim/base/hash.h"

/*
 * The key of a question: the program's sources, the contents of all input files, and the options that decide the front.
 * Equal keys, equal answers. false where the program does not know its sources: then there is no key.
 */
bool answer_key(const struct space *space, const struct explore_options *options, char key[HASH_HEX_SIZE]);

/* Whether an exploration came to its end with a front, so that its answer stands for any later one. */
bool answer_is_whole(const struct explore *explore);

/* Write what was found; designs [n_design]: the front's, by unroller_init of it. pack->failed when memory is out. */
void answer_write(struct explore *explore, struct unrolled_design *design, size_t n_design, unsigned n_thread,
                  struct pack *pack);

/*
 * Read it into an exploration that explore_begin has begun. The bytes are taken at their word as far as genes of layers
 * go: who keeps them keeps a hash of them. More may follow in the pack. A reader that is refused (pack->failed) leaves
 * what explore_free frees, nothing more.
 */
void answer_read(struct explore *explore, struct pack *pack);

#endif
