/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/options/cli_word.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool begins(const char *text, size_t n_byte, const char *with)
{
	return n_byte >= strlen(with) && strncmp(text, with, strlen(with)) == 0;
}

/* By the name that a usage line gives it: MACHINE, SPACE.yaml, DIR...; words in small letters stand for themselves. */
static struct cli_word word_of(const char *name, size_t n_byte)
{
	static const struct {
		const char *begin;
		enum word_kind kind;
	} known[] = {{"MACHINE", WORD_MACHINE},   {"NETWORK", WORD_NETWORK}, {"SPACE", WORD_SPACE},
	             {"DIR", WORD_DIR},           {"FILE", WORD_FILE},       {"PATH", WORD_FILE},
	             {"FRONT", WORD_FILE},        {"MAPPING", WORD_FILE},    {"REFERENCE", WORD_FILE},
	             {"MEASUREMENTS", WORD_FILE}, {"MODEL", WORD_FILE}};
	struct cli_word word = {.kind = WORD_FREE};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (begins(name, n_byte, known[i].begin))
			word.kind = known[i].kind;
	if (begins(name, n_byte, "RUN"))
		word.kind = n_byte == strlen("RUN") ? WORD_RUN : WORD_RUN_OR_DIR;
	if ((n_byte == strlen("KEY=VALUE") && begins(name, n_byte, "KEY=VALUE")) || begins(name, n_byte, "KEY=VALUES"))
		word.kind = WORD_SETTING;
	if (n_byte > 0 && islower((unsigned char)name[0])) {
		word.kind = WORD_CHOICE;
		(void)snprintf(word.choice, sizeof(word.choice), "%.*s", (int)n_byte, name);
		for (char *at = word.choice; *at; at++)
			*at = *at == '|' ? ' ' : *at;
	}
	return word;
}

struct cli_word cli_word_of_option(const struct cli_command *command, enum cli_option option)
{
	struct cli_word word = {.kind = WORD_FREE};
	const char *argument = option_table[option].argument;
	for (const struct option_values *row = option_values_table; row->values; row++) {
		if (row->option != option || (row->command && (!command || strcmp(row->command, command->name) != 0)))
			continue;
		word.kind = WORD_CHOICE;
		(void)snprintf(word.choice, sizeof(word.choice), "%s", row->values);
		return word;
	}
	return argument ? word_of(argument, strlen(argument)) : word;
}

/* The first alternative of "NETWORK --machine MACHINE | --read DIR" without options: the others have only options. */
size_t cli_words_of_command(const struct cli_command *command, struct cli_word word[CLI_MAX_WORD])
{
	size_t n = 0;
	bool is_value = false;
	for (const char *at = command->arguments; *at && strncmp(at, "| ", 2) != 0 && n < CLI_MAX_WORD;) {
		const char *name = at + (*at == '[');
		size_t n_byte = strcspn(name, " ]");
		if (*name != '-' && !is_value)
			word[n++] = word_of(name, n_byte);
		is_value = *name == '-';
		at = name + n_byte;
		at += strspn(at, " ]");
	}
	return n;
}
