/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_TERMINAL_H
#define DSE_TERMINAL_H
/*
 * Terminals: whether a stream ends at one, how large it is, and which letters
 * it has. What is drawn or coloured there asks here first.
 */
#include <stdbool.h>
#include <stdio.h>

/* Whether people look at the stream through a terminal that obeys ECMA-48: $TERM is neither empty nor "dumb". */
bool terminal_obeys(FILE *file);

/*
 * Its size in characters as it is now, of which there is one at least; false where it has none. Who asks before each
 * drawing has no need of SIGWINCH.
 */
bool terminal_size(FILE *file, unsigned *n_column, unsigned *n_row);

/* Whether the locale's letters are UTF-8, by LC_ALL, LC_CTYPE or LANG, the first that is set and not empty (POSIX). */
bool terminal_is_utf8(void);

#endif
