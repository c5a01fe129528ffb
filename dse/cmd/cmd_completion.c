/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dse completion: scripts that complete command lines in bash and zsh, from the tables that command lines are read by.
 * The names of machines, networks and runs are no part of a script: it asks the program, which knows what is there.
 */
#include "dse/cmd/choice.h"
#include "dse/cmd/command_table.h"
#include "dse/options/cli_word.h"
#include "dse/keep/database.h"
#include "dse/out/paths.h"
#include "dse/run/run_note.h"
#include "dse/space/machine_read.h"
#include "dse/space/machine_set.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define MAX_NAME 256

/* ---- bash ---- */

/* What offers a word of each kind; what begins like the word that is being typed is taken of it. */
static const char bash_functions[] =
    "# bash completion of dse; made by 'dse completion bash'\n"
    "_dse_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
    "_dse_files() {\n"
    "\tcompopt -o filenames 2>/dev/null\n"
    "\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
    "}\n"
    "_dse_shipped() { _dse_words \"$(\"$program\" completion \"$1\" 2>/dev/null)\"; _dse_files -f; }\n"
    "_dse_runs() { _dse_words \"$(\"$program\" completion runs 2>/dev/null | cut -d : -f 1)\"; }\n"
    "_dse_settings() {\n"
    "\tcompopt -o nospace 2>/dev/null\n"
    "\tlocal word; local -a files=()\n"
    "\tfor word in \"${COMP_WORDS[@]:2:COMP_CWORD-2}\"; do [[ $word == -* || $word == '=' ]] || files+=(\"$word\"); done\n"
    "\t_dse_words \"$(\"$program\" completion parameters \"${files[@]}\" 2>/dev/null | sed 's/$/=/')\"\n"
    "}\n"
    "_dse_spaces() {\n"
    "\t_dse_files -f -X '!*.yaml'\n"
    "\t_dse_files -d\n"
    "\t[[ -z $cur ]] && _dse_files -G 'spaces/*.yaml'\n"
    "}\n";

static void bash_offer(const struct cli_word *word)
{
	static const char *const offer[N_WORD_KIND] = {[WORD_FREE] = ":",
	                                               [WORD_MACHINE] = "_dse_shipped machines",
	                                               [WORD_NETWORK] = "_dse_shipped networks",
	                                               [WORD_SPACE] = "_dse_spaces",
	                                               [WORD_FILE] = "_dse_files -f",
	                                               [WORD_DIR] = "_dse_files -d",
	                                               [WORD_RUN] = "_dse_runs",
	                                               [WORD_RUN_OR_DIR] = "_dse_runs; _dse_files -d",
	                                               [WORD_SETTING] = "_dse_settings"};
	assert(word->kind < N_WORD_KIND);
	if (word->kind == WORD_CHOICE)
		(void)printf("_dse_words '%s'", word->choice);
	else
		(void)fputs(offer[word->kind], stdout);
}

/* One pattern for each spelling of an option: "explore:--jobs|explore:-j". */
static void bash_pattern(const char *command, const struct option_info *info)
{
	(void)printf("\t%s:--%s", command, info->name);
	if (info->letter)
		(void)printf("|%s:-%c", command, info->letter);
	(void)fputs(") ", stdout);
}

/* What stands behind options. Words that a command has of its own come before those of all. */
static void bash_values(void)
{
	for (const struct option_values *row = option_values_table; row->values; row++) {
		struct cli_word word = {.kind = WORD_CHOICE};
		(void)snprintf(word.choice, sizeof(word.choice), "%s", row->values);
		bash_pattern(row->command ? row->command : "*", &option_table[row->option]);
		bash_offer(&word);
		(void)fputs("; return ;;\n", stdout);
	}
	for (unsigned i = 0; i < N_OPTION; i++) {
		struct cli_word word = cli_word_of_option(NULL, (enum cli_option)i);
		if (!option_table[i].argument || word.kind == WORD_CHOICE)
			continue;
		bash_pattern("*", &option_table[i]);
		bash_offer(&word);
		(void)fputs("; return ;;\n", stdout);
	}
}

/* The options of a command, or its files by their number. */
static void bash_command(const struct cli_command *command)
{
	struct cli_word word[CLI_MAX_WORD];
	size_t n = cli_words_of_command(command, word);
	(void)printf("\t%s:-*) _dse_words '", command->name);
	for (unsigned i = 0; i < N_OPTION; i++)
		if (cli_takes(command, (enum cli_option)i))
			(void)printf("--%s ", option_table[i].name);
	(void)fputs("' ;;\n", stdout);
	for (size_t i = 0; i < n; i++) {
		if (i + 1 == n && command->max_file > n)
			(void)printf("\t%s:*) ", command->name);
		else
			(void)printf("\t%s:%zu) ", command->name, i);
		bash_offer(&word[i]);
		(void)fputs(" ;;\n", stdout);
	}
}

static void print_bash(void)
{
	(void)fputs(bash_functions, stdout);
	(void)fputs("_dse() {\n"
	            "\tlocal program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]} i n=0\n"
	            "\tlocal prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	            "\tCOMPREPLY=()\n"
	            "\tif ((COMP_CWORD == 1)) || [[ $command == help && $COMP_CWORD == 2 ]]; then\n"
	            "\t\t_dse_words '",
	            stdout);
	for (size_t i = 0; i < command_program.n; i++)
		(void)printf("%s ", command_program.command[i].name);
	(void)fputs("help --help --version'\n\t\treturn\n\tfi\n"
	            "\t# bash takes --option=value for three words\n"
	            "\tif [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - "
	            "2]}; fi\n"
	            "\tcase $command:$prev in\n",
	            stdout);
	bash_values();
	(void)fputs("\tesac\n"
	            "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	            "\t\tcase ${COMP_WORDS[i]} in\n"
	            "\t\t",
	            stdout);
	bool is_first = true;
	for (unsigned i = 0; i < N_OPTION; i++) {
		if (!option_table[i].argument)
			continue;
		(void)printf("%s--%s", is_first ? "" : "|", option_table[i].name);
		if (option_table[i].letter)
			(void)printf("|-%c", option_table[i].letter);
		is_first = false;
	}
	(void)fputs(") [[ ${COMP_WORDS[i + 1]} == '=' ]] && ((i += 1)); ((i += 1)) ;;\n"
	            "\t\t-*) ;;\n"
	            "\t\t*) ((n += 1)) ;;\n"
	            "\t\tesac\n"
	            "\tdone\n"
	            "\t[[ $cur == -* ]] && n=$cur\n"
	            "\tcase $command:$n in\n",
	            stdout);
	for (size_t i = 0; i < command_program.n; i++)
		bash_command(&command_program.command[i]);
	(void)fputs("\tesac\n}\ncomplete -F _dse dse\n", stdout);
}

/* ---- zsh ---- */

/* Text within single quotes, and there within the brackets of a specification. */
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			(void)fputs("'\\''", stdout);
		else if (strchr("[]\\:", *text))
			(void)printf("\\%c", *text);
		else
			(void)fputc(*text == '\n' ? ' ' : *text, stdout);
	}
}

static void zsh_action(const struct cli_word *word)
{
	/* Behind a blank: _arguments puts no options of its own among the words. */
	static const char *const action[N_WORD_KIND] = {[WORD_FREE] = " ",
	                                                [WORD_MACHINE] = " _dse_shipped machines",
	                                                [WORD_NETWORK] = " _dse_shipped networks",
	                                                [WORD_SPACE] = "_files -g \"*.yaml\"",
	                                                [WORD_FILE] = "_files",
	                                                [WORD_DIR] = "_files -/",
	                                                [WORD_RUN] = " _dse_runs",
	                                                [WORD_RUN_OR_DIR] = " _dse_runs_or_folders",
	                                                [WORD_SETTING] = " _dse_settings"};
	assert(word->kind < N_WORD_KIND);
	if (word->kind == WORD_CHOICE)
		(void)printf("(%s)", word->choice);
	else
		(void)fputs(action[word->kind], stdout);
}

/* One specification for each spelling, which may stand once, or, of a list, several times. */
static void zsh_option(const struct cli_command *command, enum cli_option option, const char *name)
{
	const struct option_info *info = &option_table[option];
	struct cli_word word = cli_word_of_option(command, option);
	(void)printf("\t\t'%s%s%s[", info->type == TYPE_LIST ? "*" : "", name,
	             info->argument && name[1] == '-' ? "=" : "");
	zsh_text(cli_option_help(command, option));
	(void)fputc(']', stdout);
	if (info->argument) {
		(void)fputc(':', stdout);
		zsh_text(info->argument);
		(void)fputc(':', stdout);
		zsh_action(&word);
	}
	(void)fputs("' \\\n", stdout);
}

static void zsh_command(const struct cli_command *command)
{
	struct cli_word word[CLI_MAX_WORD];
	size_t n = cli_words_of_command(command, word);
	(void)printf("\t%s) _arguments -s \\\n", command->name);
	for (unsigned i = 0; i < N_OPTION; i++) {
		const struct option_info *info = &option_table[i];
		char name[64];
		if (!cli_takes(command, (enum cli_option)i))
			continue;
		(void)snprintf(name, sizeof(name), "--%s", info->name);
		zsh_option(command, (enum cli_option)i, name);
		(void)snprintf(name, sizeof(name), "-%c", info->letter);
		if (info->letter)
			zsh_option(command, (enum cli_option)i, name);
	}
	for (size_t i = 0; i < n; i++) {
		(void)fputs(i + 1 == n && command->max_file > n ? "\t\t'*:" : "\t\t':", stdout);
		zsh_text(command->arguments);
		(void)fputc(':', stdout);
		zsh_action(&word[i]);
		(void)fputs("' \\\n", stdout);
	}
	(void)fputs("\t\t;;\n", stdout);
}

static void print_zsh(void)
{
	(void)fputs("#compdef dse\n"
	            "# zsh completion of dse; made by 'dse completion zsh'\n"
	            "_dse_shipped() {\n"
	            "\tlocal -a names=(${(f)\"$(_call_program names dse completion $1 2>/dev/null)\"})\n"
	            "\tcompadd -- $names\n"
	            "\t_files\n"
	            "}\n"
	            "_dse_runs() {\n"
	            "\tlocal -a runs=(${(f)\"$(_call_program runs dse completion runs 2>/dev/null)\"})\n"
	            "\t_describe -V run runs\n"
	            "}\n"
	            "_dse_settings() {\n"
	            "\tlocal -a keys=(${(f)\"$(_call_program keys dse completion parameters "
	            "${(q)${(M)words[2,CURRENT-1]:#[^-=]*}} 2>/dev/null)\"})\n"
	            "\tcompadd -S = -- $keys\n"
	            "}\n"
	            "_dse_runs_or_folders() { _dse_runs; _files -/; }\n"
	            "_dse() {\n"
	            "\tlocal -a commands=(\n",
	            stdout);
	for (size_t i = 0; i < command_program.n; i++) {
		(void)printf("\t\t'%s:", command_program.command[i].name);
		zsh_text(command_program.command[i].help);
		(void)fputs("'\n", stdout);
	}
	(void)fputs("\t\t'help:print the help of a command'\n\t)\n"
	            "\tif ((CURRENT == 2)) || [[ $words[2] == help ]]; then\n"
	            "\t\t_describe command commands\n"
	            "\t\treturn\n"
	            "\tfi\n"
	            "\tshift words\n"
	            "\t((CURRENT--))\n"
	            "\tcase $words[1] in\n",
	            stdout);
	for (size_t i = 0; i < command_program.n; i++)
		zsh_command(&command_program.command[i]);
	/* read from a folder of functions it is the function's body; read by eval it only makes itself known */
	(void)fputs("\tesac\n}\nif [[ $funcstack[1] == _dse ]]; then _dse \"$@\"; else compdef _dse dse; fi\n", stdout);
}

/* ---- names ---- */

static void print_names(const char *folder)
{
	struct arena arena = {0};
	const char *name[MAX_NAME];
	size_t n = path_list(folder, &arena, name, MAX_NAME);
	for (size_t i = 0; i < n; i++)
		(void)printf("%s\n", name[i]);
	arena_free(&arena);
}

/* Fields of a machine's operating points; of a word that is no machine, as others of a command line are, none. */
static void print_levels(const char *name)
{
	struct arena arena = {0};
	struct machine machine;
	struct err ignored = {0};
	const char *path;
	enum err_code code = path_find(name, "machines", &arena, &path, &ignored);
	if (code == ERR_OK)
		code = machine_read(path, &machine, &ignored);
	for (uint32_t i = 0; code == ERR_OK && i < machine.n_level; i++)
		for (size_t k = 0; k < machine_n_level_param; k++)
			(void)printf("%s%s.%s\n", MACHINE_LEVEL_PREFIX, machine.level[i].name, level_param[k].key);
	arena_free(&arena);
	err_clear(&ignored);
}

/* What --set takes: machine parameters, and fields of operating points of the machines among the other words. */
static void print_parameters(const struct cli_options *options)
{
	for (size_t i = 0; i < machine_n_param; i++)
		(void)printf("%s\n", machine_param[i].key);
	for (size_t i = 1; i < options->n_file; i++)
		print_levels(options->file[i]);
}

/* "42:vgg16, exact, 9 points, 2026-11-22 11:31" newest first, behind words that stand for runs. No store, no runs. */
static void print_runs(const struct cli_options *options)
{
	const struct store_request request = choice_store(options);
	const struct run_filter filter = {.max = MAX_NAME};
	struct arena arena = {0};
	struct database *store = NULL;
	struct run_record *run;
	struct err ignored = {0};
	size_t n = 0;
	enum err_code code = run_note_open(&request, &store, &ignored);
	if (code == ERR_OK)
		code = run_store_list(store, &filter, &arena, &run, &n, &ignored);
	if (code == ERR_OK && n > 0)
		(void)printf("last:the newest run\n");
	for (size_t i = 0; code == ERR_OK && i < n; i++)
		(void)printf("%" PRIu64 ":%s, %s, %" PRIu64 " points, %.10s %.5s\n", run[i].id, run[i].space,
		             run[i].engine, run[i].n_point, run[i].date,
		             strlen(run[i].date) > 11 ? run[i].date + 11 : "");
	database_close(store);
	arena_free(&arena);
	err_clear(&ignored);
}

enum err_code cmd_completion(const struct cli_options *options, struct err *err)
{
	enum { BASH, ZSH, N_SHELL };
	static const char *const allowed[] = {"bash", "zsh", "machines", "networks", "parameters", "runs"};
	const char *what = options->file[0];
	size_t n = sizeof(allowed) / sizeof(allowed[0]), i = 0;
	assert(options->n_file >= 1);
	while (i < n && strcmp(allowed[i], what) != 0)
		i++;
	if (i == n)
		return err_add(
		    err, ERR_USAGE,
		    "dse completion: found '%.40s', allowed are bash, zsh, machines, networks, parameters, runs", what);
	if (options->n_file > 1 && i != n - 2)
		return err_add(err, ERR_USAGE, "dse completion %s: takes no more words, found '%.40s'", what,
		               options->file[1]);
	if (i == n - 1)
		print_runs(options);
	else if (i == n - 2)
		print_parameters(options);
	else if (i >= N_SHELL)
		print_names(allowed[i]);
	else if (i == BASH)
		print_bash();
	else
		print_zsh();
	return ERR_OK;
}
