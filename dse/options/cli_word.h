/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CLI_WORD_H
#define DSE_CLI_WORD_H
/* What may stand at a place of a command line, read from usage lines and arguments of the tables; for completion. */
#include "dse/options/cli_table.h"

enum word_kind {
	WORD_FREE,    /* nothing can be offered: a number, a name of the user's */
	WORD_CHOICE,  /* one of a few words */
	WORD_MACHINE, /* a shipped machine, or a file */
	WORD_NETWORK,
	WORD_SPACE, /* a .yaml file */
	WORD_FILE,  /* a file of any name */
	WORD_DIR,
	WORD_RUN,        /* a run of the store */
	WORD_RUN_OR_DIR, /* or a run's folder */
	WORD_SETTING,    /* a machine parameter, with '=' and its value behind it */
	N_WORD_KIND
};

struct cli_word {
	enum word_kind kind;
	char choice[128]; /* WORD_CHOICE: the words, blanks between */
};

/* The value of an option that takes one. command NULL: of any that has the option. */
struct cli_word cli_word_of_option(const struct cli_command *command, enum cli_option option);

#define CLI_MAX_WORD 4
/* The files of a command, in order, up to CLI_MAX_WORD; what stands last may be repeated. Returns how many. */
size_t cli_words_of_command(const struct cli_command *command, struct cli_word word[CLI_MAX_WORD]);

#endif
