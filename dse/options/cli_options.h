/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CLI_OPTIONS_H
#define DSE_CLI_OPTIONS_H
/*
 * A parsed command line and what a command is. Only the commands themselves (dse/cmd) know it; what they ask of other
 * rooms they say in those rooms' own requests.
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How often an option that may be repeated may be given. */
#define CLI_MAX_LIST 32

struct cli_list {
	size_t n;
	const char *text[CLI_MAX_LIST]; /* [n] in the order given */
};

struct cli_command;

/* Every option of every command by number; what it is called, takes and does is in option_table (cli_table.h). */
enum cli_option {
#define OPTION(NAME, type, member, name, letter, argument, least, most, help) OPTION_##NAME,
#include "dse/options/cli_option_rows.h"
#undef OPTION
	N_OPTION
};

/* The member of struct cli_options that an option of a type has. */
#define OPTION_MEMBER_FLAG bool
#define OPTION_MEMBER_U64 uint64_t
#define OPTION_MEMBER_REAL double
#define OPTION_MEMBER_TEXT const char *
#define OPTION_MEMBER_LIST struct cli_list

/* A parsed command line. Text points into argv. Options that were not given hold their default. */
struct cli_options {
	const struct cli_command *command; /* NULL: --help or --version of the program */
	bool given[N_OPTION];              /* [option] */
	bool version;
	size_t n_file;
	char *const *file; /* [n_file] arguments that are not options, in order */

	/* What the options say, a member each; what is not given is false, 0 or NULL. */
#define OPTION(NAME, type, member, name, letter, argument, least, most, help) OPTION_MEMBER_##type member;
#include "dse/options/cli_option_rows.h"
#undef OPTION
};

/* A command. run returns its exit code, with messages in err for codes other than ERR_OK. */
struct cli_command {
	const char *name;
	const char *arguments; /* as in the usage line: "SPACE.yaml" */
	const char *help;      /* one line */
	const char *details;   /* a paragraph or more */
	size_t min_file, max_file;
	const enum cli_option *options; /* those it takes, then N_OPTION */
	enum err_code (*run)(const struct cli_options *options, struct err *err);
};

/* All commands of a program, by which its command line is parsed. */
struct cli_program {
	const struct cli_command *command; /* [n] */
	size_t n;                          /* at most CLI_MAX_COMMAND */
};
#define CLI_MAX_COMMAND 32

#endif
