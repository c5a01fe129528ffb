/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_CLI_H
#define DSE_CLI_H
/*
 * The command line's parser and help text, by the table of options (cli_table.c) and a program's table of commands.
 * main.c parses with cli_parse and runs the command's function; a command prints results to stdout, everything else
 * to stderr, and returns its exit code.
 */
#include "dse/options/cli_options.h"
#include <stdio.h>

/* Whether the command has the option. */
bool cli_takes(const struct cli_command *command, enum cli_option option);

/* Whether the option was given on the command line. */
bool cli_given(const struct cli_options *options, enum cli_option option);

/*
 * The index of an option's value among allowed[0..n-1]; NULL: it is not given, and *index stays. ERR_USAGE with what is
 * allowed and the nearest: "dse explore: --detail is 'evnt', allowed are ...".
 */
enum err_code cli_choose(const struct cli_options *options, const char *option, const char *value,
                         const char *const *allowed, size_t n, size_t *index, struct err *err);

/*
 * Parse argv (argv[0] is skipped; its order is changed so that files come together). ERR_USAGE with one message for
 * each mistake: what was found, what is allowed, the nearest command or option.
 */
enum err_code cli_parse(const struct cli_program *program, int argc, char **argv, struct cli_options *options,
                        struct err *err);

/* Help of one command, or of the program (command NULL). */
void cli_print_help(FILE *file, const struct cli_program *program, const struct cli_command *command);

/* What an option does for a command: the command's own words where it has some. command NULL: the option's. */
const char *cli_option_help(const struct cli_command *command, enum cli_option option);

#endif
