/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/cmd/man_markdown.h"
#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "dse/options/cli_table.h"
#include "dse/space/metric.h"
#include "sim/machine/machine.h"
#include "sim/machine/machine_param.h"
#include <stdio.h>
#include <string.h>

/* Text in a cell of a table: a bar would end it, a line break the row. What looks like a tag is shown as it stands. */
static void put_cell(const char *text)
{
	for (; *text; text++)
		if (*text == '|')
			(void)fputs("\\|", stdout);
		else if (*text == '<')
			(void)fputs("&lt;", stdout);
		else
			(void)fputc(*text == '\n' ? ' ' : *text, stdout);
}

static void put_option(const struct cli_command *command, enum cli_option option)
{
	const struct option_info *info = &option_table[option];
	(void)fputs("| ", stdout);
	if (info->letter)
		(void)printf("`-%c`, ", info->letter);
	(void)printf("`--%s", info->name);
	if (info->argument) {
		(void)fputc(' ', stdout);
		put_cell(info->argument);
	}
	(void)fputs("` | ", stdout);
	put_cell(cli_option_help(command, option));
	(void)fputs(" |\n", stdout);
}

static void put_command(const struct cli_command *command)
{
	(void)printf("\n## dse %s\n\n", command->name);
	(void)printf("    dse %s [OPTION...]%s%s\n\n", command->name, command->arguments[0] ? " " : "", command->arguments);
	put_cell(command->help);
	(void)fputs(".\n\n", stdout);
	put_cell(command->details);
	(void)fputs("\n\n| option | meaning |\n|---|---|\n", stdout);
	for (unsigned i = 0; i < N_OPTION; i++)
		if (cli_takes(command, (enum cli_option)i))
			put_option(command, (enum cli_option)i);
}

static void put_commands(void)
{
	(void)fputs("# Commands and their options\n", stdout);
	for (size_t i = 0; i < command_program.n; i++)
		put_command(&command_program.command[i]);
}

static void put_exit_codes(void)
{
	(void)fputs("# Exit codes\n\n| code | meaning |\n|---|---|\n", stdout);
	for (const struct exit_code *code = exit_code_table; code->help; code++)
		(void)printf("| %d | %s |\n", code->code, code->help);
}

static void put_metrics(void)
{
	static const char *const scope[] = {[METRIC_OF_LAYER] = "layers, composed",
	                                    [METRIC_DERIVED] = "the whole network",
	                                    [METRIC_OF_MACHINE] = "the machine"};
	(void)fputs("# Metrics\n\nColumns of `front.csv`, objectives and limits of spaces.\n\n"
	            "| metric | unit | of | meaning |\n|---|---|---|---|\n",
	            stdout);
	for (size_t i = 0; i < N_METRIC; i++) {
		const struct metric_info *info = &metric_table[i];
		(void)printf("| `%s` | %s | %s | ", info->name, info->unit, scope[info->scope]);
		put_cell(info->help);
		(void)fputs(" |\n", stdout);
	}
}

static void put_param(const char *key, const char *unit, const char *range, const char *initial, const char *help)
{
	(void)printf("| `%s` | ", key);
	put_cell(unit);
	(void)printf(" | %s | %s | ", range, initial);
	put_cell(help);
	(void)fputs(" |\n", stdout);
}

/* Arrays, names and truth values have no range. */
static void put_machine(void)
{
	static const char head[] = "| key | unit | allowed | default | meaning |\n|---|---|---|---|---|\n";
	char range[64], initial[64];
	struct machine machine;
	machine_init(&machine, MACHINE_CHIP);
	(void)printf("# Parameters of machines\n\nKeys of machine files, axes of spaces, and what `--set` takes.\n\n%s", head);
	for (size_t i = 0; i < machine_n_param; i++) {
		const struct machine_param *param = &machine_param[i];
		bool is_number = param->type == PARAM_U32 || param->type == PARAM_REAL;
		(void)snprintf(range, sizeof(range), "%.10g to %.10g", param->min, param->max);
		(void)machine_print_param(&machine, param, initial, sizeof(initial));
		put_param(param->key, param->unit, is_number ? range : "", initial, param->help);
	}
	(void)printf("\n## Operating points\n\nKeys of an entry of `levels`.\n\n%s", head);
	for (size_t i = 0; i < machine_n_level_param; i++) {
		const struct level_param *param = &level_param[i];
		(void)snprintf(range, sizeof(range), "%.10g to %.10g", param->min, param->max);
		(void)snprintf(initial, sizeof(initial), "%.10g", param->initial);
		put_param(param->key, param->unit, range, initial, param->help);
	}
}

bool man_markdown(const char *page)
{
	static const struct {
		const char *name;
		void (*put)(void);
	} known[] = {
	    {"commands", put_commands}, {"exit-codes", put_exit_codes}, {"machine", put_machine}, {"metrics", put_metrics}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, page) == 0) {
			known[i].put();
			return true;
		}
	return false;
}
