/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CLI_TABLE_H
#define DSE_CLI_TABLE_H
/* What an option is called, takes and does: the tables are in dse/options/cli_table.c, dse/options/cli.c parses by them
 * and prints help. */
#include "dse/options/cli_options.h"

/* TYPE_LIST: a text each time it is given. */
enum option_type { TYPE_FLAG, TYPE_U64, TYPE_REAL, TYPE_TEXT, TYPE_LIST };

/* One option: from this row come parsing, range check and help. */
struct option_info {
	const char *name;
	char letter;          /* short form; 0: none */
	const char *argument; /* as in the help; NULL: a flag */
	enum option_type type;
	size_t offset; /* in struct cli_options */
	double min, max;
	const char *help;
};
extern const struct option_info option_table[N_OPTION];

/* Help of an option in the words of one command, where those of option_table would not tell enough. */
struct option_note {
	const char *command; /* NULL: end of the table */
	enum cli_option option;
	const char *help;
};
extern const struct option_note option_note_table[];

/* Values of options that take one of a few words, for completion; the commands themselves say what they take. */
struct option_values {
	const char *command; /* NULL: all that have the option and no row of their own */
	enum cli_option option;
	const char *values; /* with blanks between; NULL: end of the table */
};
extern const struct option_values option_values_table[];

/* Units that values of options may have behind them, and are in without one; as tables of parameters have them. */
struct option_unit {
	enum cli_option option;
	const char *unit; /* NULL: end of the table */
};
extern const struct option_unit option_unit_table[];

/* Exit codes with their meaning. */
struct exit_code {
	int code;
	const char *help; /* NULL: end of the table */
};
extern const struct exit_code exit_code_table[];

#endif
