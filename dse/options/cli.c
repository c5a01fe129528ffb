/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/options/cli.h"
#include "dse/options/cli_table.h"
#include "dse/out/build.h"
#include "dse/out/words.h"
#include "sim/base/text.h"
#include "sim/base/unit.h"
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool cli_takes(const struct cli_command *command, enum cli_option option)
{
	assert(command && option < N_OPTION);
	const enum cli_option *at = command->options;
	while (*at != N_OPTION && *at != option)
		at++;
	return *at == option;
}

bool cli_given(const struct cli_options *options, enum cli_option option)
{
	assert(options && option < N_OPTION);
	return options->given[option];
}

enum err_code cli_choose(const struct cli_options *options, const char *option, const char *value,
                         const char *const *allowed, size_t n, size_t *index, struct err *err)
{
	char what[64];
	assert(options->command && option);
	(void)snprintf(what, sizeof(what), "dse %s: --%s", options->command->name, option);
	return value ? err_choose(what, value, allowed, n, index, err) : ERR_OK;
}

struct command_list {
	char text[CLI_MAX_COMMAND * 16];
};

/* The names of all commands, as messages list them. */
static struct command_list list_commands(const struct cli_program *program)
{
	struct command_list list;
	size_t n_byte = 0;
	for (size_t i = 0; i < program->n; i++) {
		n_byte += (size_t)snprintf(list.text + n_byte, sizeof(list.text) - n_byte, "%s%s", i ? ", " : "",
		                           program->command[i].name);
		assert(n_byte < sizeof(list.text));
	}
	return list;
}

static enum err_code unknown_command(const struct cli_program *program, const char *word, struct err *err)
{
	assert(word && err);
	const char *name[CLI_MAX_COMMAND] = {NULL};
	for (size_t i = 0; i < program->n; i++)
		name[i] = program->command[i].name;
	const char *nearest = err_nearest(word, name, program->n);
	if (nearest)
		return err_add(err, ERR_USAGE, "dse: '%.60s' is not a command; did you mean '%s'?", word, nearest);
	return err_add(err, ERR_USAGE, "dse: '%.60s' is not a command; allowed are %s", word,
	               list_commands(program).text);
}

static const struct cli_command *find_command(const struct cli_program *program, const char *word)
{
	for (size_t i = 0; i < program->n; i++)
		if (strcmp(program->command[i].name, word) == 0)
			return &program->command[i];
	return NULL;
}

/* Options of other commands are unknown here, but a hint where they belong is better than "unknown". */
static void unknown_option(const struct cli_command *command, const char *word, struct err *err)
{
	assert(command && word);
	const char *name[N_OPTION];
	size_t n = 0, n_byte = strcspn(word, "=");
	char plain[64];
	(void)snprintf(plain, sizeof(plain), "%.*s", (int)(n_byte < 60 ? n_byte : 60), word);
	for (size_t i = 0; i < N_OPTION; i++) {
		if (cli_takes(command, (enum cli_option)i)) {
			name[n++] = option_table[i].name;
		} else if (strcmp(option_table[i].name, plain) == 0) {
			(void)err_add(err, ERR_USAGE, "dse %s: option '--%s' is not one of this command's",
			              command->name, plain);
			return;
		}
	}
	const char *nearest = err_nearest(plain, name, n);
	if (nearest)
		(void)err_add(err, ERR_USAGE, "dse %s: unknown option '--%s'; did you mean '--%s'?", command->name,
		              plain, nearest);
	else
		(void)err_add(err, ERR_USAGE, "dse %s: unknown option '--%s'; 'dse %s --help' lists them",
		              command->name, plain, command->name);
}

/* The largest value of a whole-number option; 2^64 as a double stands for the largest there is. */
static uint64_t whole_max(const struct option_info *info)
{
	assert(info->type == TYPE_U64 && info->max >= 0);
	return info->max >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)info->max;
}

static void append_text(struct cli_list *list, const char *text, const char *name, struct err *err)
{
	if (list->n == CLI_MAX_LIST)
		(void)err_add(err, ERR_USAGE, "dse: --%s is given more than %d times", name, CLI_MAX_LIST);
	else
		list->text[list->n++] = text;
}

/* No file, folder, name or pattern is empty: an empty word is a variable of a script that was not set. */
static void check_text(const char *text, const char *name, struct err *err)
{
	if (text[0] == '\0')
		(void)err_add(err, ERR_USAGE, "dse: --%s is empty", name);
}

/* The unit of an option's values; "1": they have none. */
static const char *unit_of(enum cli_option which)
{
	const struct option_unit *row = option_unit_table;
	while (row->unit && row->option != which)
		row++;
	return row->unit ? row->unit : "1";
}

/* " (ms; also ps, ns, us, s)"; "" of values without a unit. */
struct unit_words {
	char text[UNIT_TEXT_SIZE + 4];
};

static struct unit_words unit_words(enum cli_option which)
{
	struct unit_words words = {""};
	char described[UNIT_TEXT_SIZE];
	if (strcmp(unit_of(which), "1") == 0)
		return words;
	unit_describe(unit_of(which), described);
	(void)snprintf(words.text, sizeof(words.text), " (%s)", described);
	return words;
}

/* Digits, or a number with a unit that comes to a whole one. */
static bool read_whole(enum cli_option which, const char *text, uint64_t *value)
{
	char *end = NULL;
	double real;
	errno = 0;
	*value = strtoull(text, &end, 10);
	if (isdigit((unsigned char)text[0]) && *end == '\0' && errno == 0)
		return true;
	if (text_is_decimal(text) || !isdigit((unsigned char)text[0]) || !unit_read(text, unit_of(which), &real) ||
	    real >= 18446744073709551616.0 || real > floor(real))
		return false;
	*value = (uint64_t)real;
	return true;
}

/* Store an option's value; a message when it is not one. */
static void set_option(struct cli_options *options, enum cli_option which, const char *text, struct err *err)
{
	const struct option_info *info = &option_table[which];
	assert(which < N_OPTION && info->offset < sizeof(*options));
	void *field = (char *)options + info->offset;
	options->given[which] = true;
	switch (info->type) {
	case TYPE_FLAG:
		assert(!text);
		*(bool *)field = true;
		return;
	case TYPE_TEXT:
		check_text(text, info->name, err);
		*(const char **)field = text;
		return;
	case TYPE_LIST:
		check_text(text, info->name, err);
		append_text(field, text, info->name, err);
		return;
	case TYPE_U64: {
		uint64_t value;
		if (!read_whole(which, text, &value) || (double)value > info->max || (double)value < info->min)
			(void)err_add(err, ERR_USAGE,
			              "dse: --%s is '%.40s', allowed is a whole number from %.0f to %" PRIu64 "%s",
			              info->name, text, info->min, whole_max(info), unit_words(which).text);
		*(uint64_t *)field = value;
		return;
	}
	case TYPE_REAL: {
		double value = 0;
		if (!unit_read(text, unit_of(which), &value) || value < info->min || value > info->max)
			(void)err_add(err, ERR_USAGE, "dse: --%s is '%.40s', allowed is a number from %g to %g%s",
			              info->name, text, info->min, info->max, unit_words(which).text);
		*(double *)field = value;
		return;
	}
	}
	assert(false);
}

/* Where the parser stands. */
struct cursor {
	int argc, at;
	char **argv;
	struct cli_options *options;
	struct err *err;
};

/*
 * Give an option its value: attached ("--seed=3", "-j2"; NULL: none), or the
 * next word, whatever it looks like: a file may well begin with a dash.
 */
static void take_option(struct cursor *cursor, enum cli_option which, const char *attached)
{
	const struct option_info *info = &option_table[which];
	if (info->type == TYPE_FLAG) {
		if (attached)
			(void)err_add(cursor->err, ERR_USAGE, "dse: --%s takes no value, found '%.40s'", info->name,
			              attached);
		else
			set_option(cursor->options, which, NULL, cursor->err);
	} else if (attached) {
		set_option(cursor->options, which, attached, cursor->err);
	} else if (cursor->at + 1 < cursor->argc) {
		set_option(cursor->options, which, cursor->argv[++cursor->at], cursor->err);
	} else {
		(void)err_add(cursor->err, ERR_USAGE, "dse: --%s needs a value: %s", info->name, info->argument);
	}
}

/* A long option without its dashes. Abbreviations are not taken: they would change meaning with every new option. */
static void take_long(struct cursor *cursor, const char *word)
{
	assert(cursor->options->command);
	size_t n_byte = strcspn(word, "=");
	for (unsigned i = 0; i < N_OPTION; i++) {
		const struct option_info *info = &option_table[i];
		if (!cli_takes(cursor->options->command, (enum cli_option)i) || strlen(info->name) != n_byte ||
		    strncmp(info->name, word, n_byte) != 0)
			continue;
		take_option(cursor, (enum cli_option)i, word[n_byte] == '=' ? word + n_byte + 1 : NULL);
		return;
	}
	unknown_option(cursor->options->command, word, cursor->err);
}

/* A word of short options: flags may stand together, a value may follow its letter ("-j2"). */
static void take_short(struct cursor *cursor, const char *word)
{
	for (; *word; word++) {
		unsigned which = 0;
		while (which < N_OPTION && (option_table[which].letter != *word ||
		                            !cli_takes(cursor->options->command, (enum cli_option)which)))
			which++;
		if (which == N_OPTION) {
			(void)err_add(cursor->err, ERR_USAGE,
			              "dse %s: unknown option '-%c'; 'dse %s --help' lists them",
			              cursor->options->command->name, isprint((unsigned char)*word) ? *word : '?',
			              cursor->options->command->name);
			return;
		}
		bool is_flag = option_table[which].type == TYPE_FLAG;
		take_option(cursor, (enum cli_option)which, is_flag || !word[1] ? NULL : word + 1);
		if (!is_flag)
			return;
	}
}

static enum err_code check_files(const struct cli_options *options, struct err *err)
{
	const struct cli_command *command = options->command;
	assert(command && command->min_file <= command->max_file);
	if (options->help || err->n_message > 0)
		return err->code;
	/* a run that is taken up knows its space */
	if (options->n_file < command->min_file && !cli_given(options, OPTION_RESUME))
		return err_add(err, ERR_USAGE, "dse %s: a file is missing; usage: dse %s [OPTION...] %s", command->name,
		               command->name, command->arguments);
	if (options->n_file > command->max_file)
		return err_add(err, ERR_USAGE, "dse %s: '%.60s' is one too many; usage: dse %s [OPTION...] %s",
		               command->name, options->file[command->max_file], command->name, command->arguments);
	return ERR_OK;
}

/* The words before any command. */
static enum err_code parse_program(const struct cli_program *program, int argc, char **argv,
                                   struct cli_options *options, struct err *err)
{
	if (argc < 2)
		return err_add(err, ERR_USAGE, "dse: a command is missing; allowed are %s; see dse --help",
		               list_commands(program).text);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		options->help = true;
		options->command = argc > 2 ? find_command(program, argv[2]) : NULL;
		return argc > 2 && !options->command ? unknown_command(program, argv[2], err) : ERR_OK;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		options->version = true;
		options->json = argc > 2 && strcmp(argv[2], "--json") == 0;
		return argc > (options->json ? 3 : 2)
		           ? err_add(err, ERR_USAGE, "dse: --version takes --json or nothing, found '%.60s'",
		                     argv[argc - 1])
		           : ERR_OK;
	}
	options->command = find_command(program, argv[1]);
	if (!options->command && argv[1][0] == '-')
		return err_add(err, ERR_USAGE, "dse: the command comes first, found '%.60s'; see dse --help", argv[1]);
	return options->command ? ERR_OK : unknown_command(program, argv[1], err);
}

/* Words become names, paths and notes in messages and files: what a terminal would obey is none. */
static enum err_code check_words(int argc, char **argv, struct err *err)
{
	for (int i = 1; i < argc; i++) {
		const char *at = argv[i] + text_printable_span(argv[i], "");
		if (*at)
			(void)err_add(
			    err, ERR_USAGE,
			    "dse: '%.60s', word %d of the command line, has byte 0x%02x; allowed is printable UTF-8 "
			    "without control and invisible characters",
			    argv[i], i, (unsigned char)*at);
	}
	return err->code;
}

enum err_code cli_parse(const struct cli_program *program, int argc, char **argv, struct cli_options *options,
                        struct err *err)
{
	assert(argv && options && err);
	*options = (struct cli_options){0};
	enum err_code code = check_words(argc, argv, err);
	if (code == ERR_OK)
		code = parse_program(program, argc, argv, options, err);
	if (code != ERR_OK || !options->command || options->help)
		return code;
	/* Mistakes are collected, so that one run tells them all. */
	struct cursor cursor = {.argc = argc, .argv = argv, .options = options, .err = err};
	bool only_files = false;
	char **file = argv + 1; /* files move up here, over words that have been read */
	options->file = file;
	for (cursor.at = 2; cursor.at < argc; cursor.at++) {
		char *word = argv[cursor.at];
		if (only_files || word[0] != '-' || word[1] == '\0')
			file[options->n_file++] = word;
		else if (strcmp(word, "--") == 0)
			only_files = true;
		else if (word[1] == '-')
			take_long(&cursor, word + 2);
		else
			take_short(&cursor, word + 1);
	}
	assert(options->n_file < (size_t)argc);
	return check_files(options, err);
}

const char *cli_option_help(const struct cli_command *command, enum cli_option option)
{
	assert(option < N_OPTION);
	for (const struct option_note *note = option_note_table; command && note->command; note++)
		if (note->option == option && strcmp(note->command, command->name) == 0)
			return note->help;
	return option_table[option].help;
}

#define HELP_WIDTH 80 /* where no terminal says how wide it is: what shows it then often is one */
#define HELP_COLUMN 31
#define NAME_COLUMN 14

/* A text of the tables, whose line feeds are blanks here, from a column on, where further lines begin, too. */
static void print_help_text(FILE *file, const char *text, size_t column, size_t indent)
{
	struct words_text line = {0};
	words_add(&line, "%s", text);
	for (char *at = line.text; *at; at++)
		*at = *at == '\n' ? ' ' : *at;
	words_put(file, line.text, column, indent, words_width(file, HELP_WIDTH));
}

static void print_option(FILE *file, const struct option_info *info, const char *help)
{
	char left[64];
	int n = snprintf(left, sizeof(left), "  %c%c%s--%s%s%s", info->letter ? '-' : ' ',
	                 info->letter ? info->letter : ' ', info->letter ? ", " : "  ", info->name,
	                 info->argument ? " " : "", info->argument ? info->argument : "");
	(void)fprintf(file, "%-*s ", HELP_COLUMN - 1, left);
	print_help_text(file, help, n < HELP_COLUMN ? HELP_COLUMN : (size_t)n + 1, HELP_COLUMN);
}

static void print_command_help(FILE *file, const struct cli_command *command)
{
	struct words_text usage = {0};
	words_add(&usage, "usage: dse %s [OPTION...] %s", command->name, command->arguments);
	print_help_text(file, usage.text, 0, 4);
	(void)fputc('\n', file);
	print_help_text(file, command->details, 0, 0);
	(void)fputs("\nOptions:\n", file);
	for (unsigned i = 0; i < N_OPTION; i++)
		if (cli_takes(command, (enum cli_option)i))
			print_option(file, &option_table[i], cli_option_help(command, (enum cli_option)i));
}

void cli_print_help(FILE *file, const struct cli_program *program, const struct cli_command *command)
{
	assert(file);
	if (command) {
		print_command_help(file, command);
		return;
	}
	char head[200];
	(void)snprintf(
	    head, sizeof(head),
	    "dse %s: which MAC array, split, reuse strategy and operating point a DNN accelerator should have for a "
	    "network, as a Pareto front",
	    build_version);
	print_help_text(file, head, 0, 0);
	(void)fputs("\nusage: dse COMMAND [OPTION...] FILE...\n\nCommands:\n", file);
	for (size_t i = 0; i < program->n; i++) {
		const char *name = program->command[i].name;
		if (strlen(name) < NAME_COLUMN - 2)
			(void)fprintf(file, "  %-*s", NAME_COLUMN - 2, name);
		else
			(void)fprintf(file, "  %s\n%*s", name, NAME_COLUMN, "");
		print_help_text(file, program->command[i].help, NAME_COLUMN, NAME_COLUMN);
	}
	(void)fputc('\n', file);
	print_help_text(
	    file, "'dse COMMAND --help' tells more, 'dse man' all; 'dse --version [--json]' how it was built.", 0, 0);
	(void)fputs("Exit codes:\n", file);
	for (const struct exit_code *code = exit_code_table; code->help; code++) {
		(void)fprintf(file, "  %3d  ", code->code);
		print_help_text(file, code->help, 7, 7);
	}
}
