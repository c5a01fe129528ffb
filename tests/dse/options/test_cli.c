/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/unit_test.h"

#include "dse/cmd/command_table.h"
#include "dse/options/cli.h"
#include "dse/options/cli_word.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORD 12

/* A command line; options point into it. */
struct line {
	char text[200];
	char *word[MAX_WORD];
};

/* Parse a command line given as words with blanks between. */
static enum err_code parse(const char *text, struct line *line, struct cli_options *options, struct err *err)
{
	int n = 0;
	assert_true(strlen(text) < sizeof(line->text));
	strcpy(line->text, text);
	for (char *at = strtok(line->text, " "); at; at = strtok(NULL, " ")) {
		assert_true(n < MAX_WORD);
		line->word[n++] = at;
	}
	return cli_parse(&command_program, n, line->word, options, err);
}

static void test_cli_reads_options_in_any_order(void **state)
{
	struct cli_options options;
	struct err err = {0};
	struct line line;
	(void)state;
	assert_int_equal(parse("dse explore -j2 space.yaml --seed=7 -q -o out --points", &line, &options, &err),
	                 ERR_OK);
	assert_string_equal(options.command->name, "explore");
	assert_int_equal(options.n_file, 1);
	assert_string_equal(options.file[0], "space.yaml");
	assert_int_equal(options.jobs, 2);
	assert_int_equal(options.seed, 7);
	assert_string_equal(options.out, "out");
	assert_true(options.quiet && options.points && !options.json);
	assert_true(cli_given(&options, OPTION_SEED) && !cli_given(&options, OPTION_ENGINE));
}

static void test_cli_gathers_files(void **state)
{
	struct cli_options options;
	struct err err = {0};
	struct line line;
	(void)state;
	assert_int_equal(parse("dse validate a.csv --max-error 12.5 b.csv -- --json", &line, &options, &err), ERR_OK);
	assert_int_equal(options.n_file, 3);
	assert_string_equal(options.file[1], "b.csv");
	assert_string_equal(options.file[2], "--json");
	assert_false(options.json);
	assert_true(options.max_error_pct == 12.5);
}

static void test_cli_reports_all_mistakes(void **state)
{
	struct cli_options options;
	struct err err = {0};
	struct line line;
	(void)state;
	assert_int_equal(parse("dse explore --sed 1 -j x --json=1 s.yaml", &line, &options, &err), ERR_USAGE);
	assert_int_equal(err.n_message, 3);
	assert_non_null(strstr(err_text(&err), "did you mean '--seed'"));
	err_clear(&err);
}

static void test_cli_refuses_values(void **state)
{
	static const char *const bad[] = {
	    "dse explore -j -1 s.yaml",
	    "dse explore -j 4097 s.yaml",
	    "dse explore --seed 1.5 s.yaml",
	    "dse explore --seed 99999999999999999999 s.yaml",
	    "dse validate --max-error nan a.csv",
	    "dse validate --max-error -1 a.csv",
	    "dse explore --seed",
	    "dse explore",
	    "dse explore a b",
	    "dse",
	    "dse nothing",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct cli_options options;
		struct err err = {0};
		struct line line;
		assert_int_equal(parse(bad[i], &line, &options, &err), ERR_USAGE);
		assert_true(err.n_message > 0);
		err_clear(&err);
	}
}

static void test_cli_help_needs_no_file(void **state)
{
	struct cli_options options;
	struct err err = {0};
	struct line line;
	(void)state;
	assert_int_equal(parse("dse explore --help", &line, &options, &err), ERR_OK);
	assert_true(options.help);
	assert_int_equal(parse("dse --version", &line, &options, &err), ERR_OK);
	assert_true(options.version && !options.json);
	assert_int_equal(parse("dse --version --json", &line, &options, &err), ERR_OK);
	assert_true(options.version && options.json);
}

/* In place: what help broke into lines as one. */
static const char *unwrap(char *text)
{
	size_t n = 0;
	for (const char *at = text; *at; at++)
		if (*at != ' ' && *at != '\n')
			text[n++] = *at;
		else if (n > 0 && text[n - 1] != ' ')
			text[n++] = ' ';
	text[n] = '\0';
	return text;
}

/* Help names every command, and of a command every option it takes. */
static void test_cli_help_is_complete(void **state)
{
	char text[8192];
	(void)state;
	FILE *file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	cli_print_help(file, &command_program, NULL);
	assert_int_equal(fclose(file), 0);
	(void)unwrap(text);
	for (size_t i = 0; i < command_program.n; i++)
		assert_non_null(strstr(text, command_program.command[i].help));
	file = fmemopen(text, sizeof(text), "w");
	assert_non_null(file);
	cli_print_help(file, &command_program, &command_program.command[0]);
	assert_int_equal(fclose(file), 0);
	assert_non_null(strstr(text, "--max-evaluations N"));
	assert_null(strstr(text, "--strategy"));
}

/* Where a command has its own words for an option, it takes the option, and its help has the words. */
static void test_cli_notes_belong_to_commands(void **state)
{
	(void)state;
	for (const struct option_note *note = option_note_table; note->command; note++) {
		const struct cli_command *command = NULL;
		for (size_t i = 0; i < command_program.n; i++)
			if (strcmp(command_program.command[i].name, note->command) == 0)
				command = &command_program.command[i];
		assert_non_null(command);
		char *text = NULL;
		size_t n_byte;
		FILE *file = open_memstream(&text, &n_byte);
		assert_non_null(file);
		cli_print_help(file, &command_program, command);
		assert_int_equal(fclose(file), 0);
		char words[64] = "";
		(void)snprintf(words, sizeof(words), "%.*s", (int)strcspn(note->help, "\n"), note->help);
		assert_non_null(strstr(unwrap(text), words));
		free(text);
	}
}

/* What completion offers as values of an option, the help of each command that has the option names. */
static void test_cli_values_are_in_the_help(void **state)
{
	size_t n_seen = 0;
	(void)state;
	for (size_t i = 0; i < command_program.n; i++) {
		for (unsigned k = 0; k < N_OPTION; k++) {
			enum cli_option option = (enum cli_option)k;
			struct cli_word word = cli_word_of_option(&command_program.command[i], option);
			if (!cli_takes(&command_program.command[i], option) || word.kind != WORD_CHOICE)
				continue;
			for (char *rest = NULL, *value = strtok_r(word.choice, " ", &rest); value;
			     value = strtok_r(NULL, " ", &rest), n_seen++)
				if (!strstr(cli_option_help(&command_program.command[i], option), value))
					fail_msg("dse %s: help of --%s has no '%s'", command_program.command[i].name,
					         option_table[option].name, value);
		}
	}
	assert_true(n_seen > 20);
}

static const struct cli_command *command_of(const char *name)
{
	for (size_t i = 0; i < command_program.n; i++)
		if (strcmp(command_program.command[i].name, name) == 0)
			return &command_program.command[i];
	fail_msg("no command %s", name);
	return NULL;
}

/* Files by their place, from usage lines with alternatives, brackets and options. */
static void test_cli_words_of_usage_lines(void **state)
{
	struct cli_word word[CLI_MAX_WORD];
	(void)state;
	assert_int_equal(cli_words_of_command(command_of("simulate"), word), 2);
	assert_int_equal(word[0].kind, WORD_MACHINE);
	assert_int_equal(word[1].kind, WORD_NETWORK);
	assert_int_equal(cli_words_of_command(command_of("schedule"), word), 1);
	assert_int_equal(word[0].kind, WORD_NETWORK);
	assert_int_equal(cli_words_of_command(command_of("runs"), word), 1);
	assert_int_equal(word[0].kind, WORD_CHOICE);
	assert_string_equal(word[0].choice, "prune");
	assert_int_equal(cli_words_of_command(command_of("explore"), word), 1);
	assert_int_equal(word[0].kind, WORD_SPACE);
	assert_int_equal(cli_words_of_command(command_of("merge"), word), 1);
	assert_int_equal(word[0].kind, WORD_DIR);
	assert_int_equal(cli_words_of_command(command_of("init"), word), 1);
	assert_int_equal(word[0].kind, WORD_FREE);
	assert_int_equal(cli_words_of_command(command_of("show"), word), 1);
	assert_int_equal(word[0].kind, WORD_RUN);
	assert_int_equal(cli_words_of_command(command_of("report"), word), 1);
	assert_int_equal(word[0].kind, WORD_RUN_OR_DIR);
	assert_int_equal(cli_words_of_command(command_of("man"), word), 1);
	assert_string_equal(word[0].choice, "commands exit-codes machine metrics");
	assert_int_equal(cli_word_of_option(NULL, OPTION_MACHINE).kind, WORD_MACHINE);
	assert_int_equal(cli_word_of_option(NULL, OPTION_POINT).kind, WORD_FILE);
	assert_int_equal(cli_word_of_option(NULL, OPTION_JOBS).kind, WORD_FREE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cli_reads_options_in_any_order), cmocka_unit_test(test_cli_gathers_files),
	    cmocka_unit_test(test_cli_reports_all_mistakes),       cmocka_unit_test(test_cli_refuses_values),
	    cmocka_unit_test(test_cli_help_needs_no_file),         cmocka_unit_test(test_cli_help_is_complete),
	    cmocka_unit_test(test_cli_notes_belong_to_commands),   cmocka_unit_test(test_cli_values_are_in_the_help),
	    cmocka_unit_test(test_cli_words_of_usage_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
