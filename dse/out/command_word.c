/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/command_word.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

void command_word_print(FILE *file, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:=@%";
	if (word[0] != '\0' && strspn(word, plain) == strlen(word)) {
		(void)fputs(word, file);
		return;
	}
	(void)fputc('\'', file);
	for (; *word; word++)
		(void)fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, file);
	(void)fputc('\'', file);
}

const char *command_word_text(char *text, size_t n_byte, const char *word)
{
	assert(n_byte > 0);
	memset(text, 0, n_byte);
	FILE *file = fmemopen(text, n_byte, "w");
	if (file) {
		command_word_print(file, word);
		(void)fclose(file);
	}
	text[n_byte - 1] = '\0';
	return text;
}

void command_word_replay(FILE *file, const char *path, const char *point)
{
	assert(path && point);
	(void)fputs("dse simulate --point ", file);
	command_word_print(file, path);
	(void)fprintf(file, ":%s", point);
}

void command_word_replay_kept(FILE *file, const char *store, uint64_t run, const char *point)
{
	assert(run > 0);
	(void)fprintf(file, "dse export %" PRIu64 " --json -o front.json", run);
	if (store) {
		(void)fputs(" --store ", file);
		command_word_print(file, store);
	}
	(void)fputs(" && ", file);
	command_word_replay(file, "front.json", point);
}
