/* SPDX-License-Identifier: Apache-2.0 */
/* dse man: the manual page, or a page of reference, from the tables that the command line is read by. */
#include "dse/cmd/command_table.h"
#include "dse/cmd/man_markdown.h"
#include "dse/options/cli.h"
#include "dse/options/cli_table.h"
#include "dse/out/build.h"
#include <assert.h>
#include <limits.h>
#include <string.h>

#define PAGE_DATE "2026-11-22" /* of what the page says, by hand: a build says the same whenever it is made */
#define MAX_LINE 66            /* of a source line, about; the page fills lines by itself */

/* Text as troff has it: a backslash, and a dot or quote that a line begins with, would be instructions. */
static void put_text(const char *text)
{
	unsigned width = 0;
	for (; *text; text++, width++) {
		bool breaks = *text == '\n' || (*text == ' ' && width + strcspn(text + 1, " \n") >= MAX_LINE);
		if (width == 0 && (*text == '.' || *text == '\''))
			(void)fputs("\\&", stdout);
		if (breaks)
			(void)fputc('\n', stdout);
		else if (*text == '\\')
			(void)fputs("\\e", stdout);
		else if (*text == '-')
			(void)fputs("\\-", stdout); /* not a hyphen: options are copied from the page */
		else if (*text == '\'')
			(void)fputs("\\(aq", stdout);
		else
			(void)fputc(*text, stdout);
		width = breaks ? UINT_MAX : width;
	}
}

static void put_option(const struct cli_command *command, enum cli_option option)
{
	const struct option_info *info = &option_table[option];
	(void)fputs(".TP\n\\fB", stdout);
	if (info->letter)
		(void)printf("\\-%c\\fR, \\fB", info->letter);
	(void)fputs("\\-\\-", stdout);
	put_text(info->name);
	(void)fputs("\\fR", stdout);
	if (info->argument) {
		(void)fputs(" \\fI", stdout);
		put_text(info->argument);
		(void)fputs("\\fR", stdout);
	}
	(void)fputc('\n', stdout);
	put_text(cli_option_help(command, option));
	(void)fputc('\n', stdout);
}

/* Options that a command has in common with others are told once, but where it has words of its own for them. */
static bool is_common(enum cli_option option)
{
	return option <= OPTION_COLOR;
}

static void put_command(const struct cli_command *command)
{
	(void)printf(".SS dse %s\n", command->name);
	put_text(command->help);
	(void)printf("\n.PP\n\\fBdse %s\\fR [\\fIOPTION\\fR...]%s", command->name, command->arguments[0] ? " " : "");
	put_text(command->arguments);
	(void)fputs("\n.PP\n", stdout);
	put_text(command->details);
	(void)fputc('\n', stdout);
	for (unsigned i = 0; i < N_OPTION; i++) {
		enum cli_option option = (enum cli_option)i;
		bool is_told = is_common(option) && cli_option_help(command, option) == option_table[i].help;
		if (cli_takes(command, option) && !is_told)
			put_option(command, option);
	}
}

enum err_code cmd_man(const struct cli_options *options, struct err *err)
{
	assert(options->n_file <= 1);
	if (options->n_file == 1)
		return man_markdown(options->file[0])
		           ? ERR_OK
		           : err_add(err, ERR_USAGE, "dse man: found '%.40s', allowed are %s", options->file[0], MAN_PAGES);
	(void)printf(".TH DSE 1 \"" PAGE_DATE "\" \"dse %s\" \"User Commands\"\n", build_version);
	(void)fputs(".SH NAME\n"
	            "dse \\- design\\-space exploration of DNN accelerators\n"
	            ".SH SYNOPSIS\n"
	            "\\fBdse\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...] \\fIFILE\\fR...\n.br\n"
	            "\\fBdse \\-\\-version\\fR [\\fB\\-\\-json\\fR]\n"
	            ".SH DESCRIPTION\n"
	            "Finds which MAC array, split, reuse strategy and operating point a DNN\n"
	            "accelerator should have for a network, as a Pareto front.\n"
	            "Results go to standard output, everything else to standard error.\n"
	            ".SH OPTIONS OF MOST COMMANDS\n",
	            stdout);
	for (unsigned i = 0; i < N_OPTION; i++)
		if (is_common((enum cli_option)i))
			put_option(NULL, (enum cli_option)i);
	(void)fputs(".SH COMMANDS\n", stdout);
	for (size_t i = 0; i < command_program.n; i++)
		put_command(&command_program.command[i]);
	(void)fputs(".SH EXIT STATUS\n", stdout);
	for (const struct exit_code *code = exit_code_table; code->help; code++)
		(void)printf(".TP\n%d\n%s\n", code->code, code->help);
	(void)fputs(
	    ".SH ENVIRONMENT\n"
	    ".TP\n\\fBDSE_STORE\\fR\nfile that runs are kept in, or none; \\fB\\-\\-store\\fR overrides it\n"
	    ".TP\n\\fBDSE_STORE_JOURNAL\\fR\nits journal, wal or rollback; default: rollback on network file systems\n"
	    ".TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR\nnot empty: no colours; colours also where there is no\n"
	    "terminal; \\fB\\-\\-color\\fR overrides them\n"
	    ".TP\n\\fBTERM\\fR\nempty or dumb: no colours, and no progress is shown\n"
	    ".SH FILES\n"
	    ".TP\n\\fIspaces/machines\\fR, \\fIspaces/networks\\fR\nwhat a name alone stands for: in the working\n"
	    "directory, else in \\fIshare/dse\\fR beside the program's folder\n"
	    ".TP\n\\fIresults/\\fR<space>\\-<hash>\\fI/\\fR\nfront and figures of a run: front.csv, front.json, "
	    "front.svg,\n"
	    "run.json\n"
	    ".TP\n\\fIresults/dse.sqlite\\fR\nthe store of runs\n"
	    ".SH EXAMPLES\n.EX\n"
	    "dse init my_space\n"
	    "dse explain my_space.yaml\n"
	    "dse explore my_space.yaml\n"
	    "dse simulate dvfs_chip resnet50\n"
	    ".EE\n",
	    stdout);
	return ERR_OK;
}
