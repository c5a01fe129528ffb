/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_RENAMED_H
#define DSE_RENAMED_H
/*
 * Words that were other ones in the last release. A user's old word works for one release more and warns; what programs
 * read has old keys and columns beside the new ones. One table, a row for each word; a row goes with the next release.
 */
#include "mapper/network/network.h"
#include "mapper/split/split.h"
#include <stdbool.h>

enum renamed_kind {
	RENAMED_LAYER,     /* what names of layers begin with */
	RENAMED_DIMENSION, /* of a split, in keys and columns of results */
	RENAMED_KEY        /* of JSON */
};

/* The word before it was this one; NULL: it has always been. */
const char *renamed_before(enum renamed_kind kind, const char *now);

/* What a layer was called, "CONV_5" of "MATMUL_5"; NULL: as now. */
#define RENAMED_NAME_SIZE 64
const char *renamed_layer(const char *now, char before[RENAMED_NAME_SIZE]);

/* The network's block of that name, or of that name in the last release, which warns; NULL: none. */
const struct block *renamed_find_block(const struct network *network, const char *name);

/* The scheme's row for a block on a target, under its name or that of the last release; NULL: none. No warning. */
const struct split_scheme_row *renamed_find_split(const struct split_scheme *scheme, const char *network,
                                                  const char *target, const char *block);

/* Say on stderr that a user's word is another one now. */
void renamed_warn(const char *before, const char *now);

#endif
