/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_COLOUR_H
#define DSE_COLOUR_H
/*
 * Colours of tables and messages on terminals. What a colour means is decided here, and nowhere else which codes make
 * it. A stream has colours where it is a terminal, unless the environment says otherwise: NO_COLOR (not empty: never),
 * then CLICOLOR_FORCE (not empty, not 0: always; no-color.org, bixense.com/clicolors). Files never have any.
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stdio.h>

enum colour {
	COLOUR_NONE,
	COLOUR_HEAD,    /* names of columns */
	COLOUR_BEST,    /* the least of all in an objective */
	COLOUR_KNEE,    /* the point that stands out */
	COLOUR_BAD,     /* why something is refused; errors */
	COLOUR_WARNING, /* what should be looked at */
	COLOUR_FAINT,   /* axes, frames */
	N_COLOUR
};

/*
 * What --color says; auto: the environment decides. It is said through this process' environment, where colour_is_on
 * looks, so that no global of ours keeps it. Call before threads begin.
 */
enum colour_choice { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER, N_COLOUR_CHOICE };
extern const char *const colour_choice_name[N_COLOUR_CHOICE];
void colour_choose(enum colour_choice choice);

/* Whether what is written to the stream is coloured. */
bool colour_is_on(FILE *file);

/* The code that begins a colour, or with COLOUR_NONE ends all; "" when is_on is false. */
const char *colour_code(bool is_on, enum colour colour);

/* As fprintf, in a colour, by colour_put; what is longer than COLOUR_MAX_TEXT is cut. */
#define COLOUR_MAX_TEXT 4096
void colour_print(FILE *file, enum colour colour, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Text in a colour, line by line, so that no colour runs on when a line is cut. */
void colour_put(FILE *file, enum colour colour, const char *text);

#endif
