/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/words.h"
#include "dse/out/colour.h"
#include "dse/out/terminal.h"
#include "sim/base/text.h"
#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define INDENT 2
#define HANGING 4 /* of what a long line is continued by */

void words_start(struct words *words, FILE *file, bool as_json)
{
	*words = (struct words){.file = file, .as_json = as_json};
	if (as_json) {
		json_start(&words->json, file, 4);
		json_begin_list(&words->json, NULL);
	}
}

static void end_section(struct words *words)
{
	if (words->as_json && words->in_section) {
		json_end(&words->json);
		json_end(&words->json);
	}
}

void words_section(struct words *words, const char *title)
{
	assert(words->file && title);
	end_section(words);
	if (words->as_json) {
		json_begin_object(&words->json, NULL);
		json_put_text(&words->json, "title", title);
		json_begin_list(&words->json, "lines");
	} else {
		(void)fputs(words->in_section ? "\n" : "", words->file);
		colour_print(words->file, COLOUR_HEAD, "%s\n", title);
	}
	words->in_section = true;
}

size_t words_width(FILE *file, size_t otherwise)
{
	unsigned n_column, n_row;
	if (!terminal_size(file, &n_column, &n_row))
		return otherwise;
	return n_column < WORDS_WIDTH ? n_column : WORDS_WIDTH;
}

void words_put(FILE *file, const char *text, size_t column, size_t indent, size_t width)
{
	for (bool is_first = true; *text; is_first = false) {
		size_t n_blank = strspn(text, " "), n_byte = strcspn(text + n_blank, " "), n_char = n_blank;
		for (size_t i = 0; i < n_byte; i++)
			n_char += ((unsigned char)text[n_blank + i] & 0xc0) != 0x80;
		if (!is_first && column + n_char > width) {
			(void)fprintf(file, "\n%*s", (int)indent, "");
			column = indent;
			text += n_blank;
			n_char -= n_blank;
			n_blank = 0;
		}
		(void)fwrite(text, 1, n_blank + n_byte, file);
		column += n_char;
		text += n_blank + n_byte;
	}
	(void)fputc('\n', file);
}

/* Each line of a text broken between words. The caller frees it; NULL: no memory. */
static char *break_lines(const char *text, size_t width)
{
	char *broken = NULL, line[WORDS_TEXT_SIZE];
	size_t n_broken;
	FILE *file = open_memstream(&broken, &n_broken);
	if (!file)
		return NULL;
	for (size_t n; *text; text += n) {
		size_t indent = strspn(text, " ");
		n = strcspn(text, "\n");
		(void)snprintf(line, sizeof(line), "%.*s", (int)n, text);
		if (n < sizeof(line))
			words_put(file, line, 0, indent + HANGING, width);
		else
			(void)fprintf(file, "%.*s\n", (int)n, text);
		n += text[n] == '\n';
	}
	if (fclose(file) == 0)
		return broken;
	free(broken);
	return NULL;
}

FILE *words_fold_begin(struct words_fold *fold, FILE *file)
{
	*fold = (struct words_fold){.file = file};
	if (words_width(file, 0) > 0)
		fold->memory = open_memstream(&fold->text, &fold->n_byte);
	return fold->memory ? fold->memory : file;
}

void words_fold_end(struct words_fold *fold)
{
	if (!fold->memory)
		return;
	char *broken = fclose(fold->memory) == 0 ? break_lines(fold->text, words_width(fold->file, WORDS_WIDTH)) : NULL;
	(void)fputs(broken ? broken : fold->text ? fold->text : "", fold->file);
	free(broken);
	free(fold->text);
}

__attribute__((format(printf, 2, 0))) static void add_list(struct words_text *text, const char *format,
                                                           va_list arguments)
{
	int n = vsnprintf(text->text + text->n, WORDS_TEXT_SIZE - text->n, format, arguments);
	text->n += n > 0 ? (size_t)n : 0;
	if (text->n >= WORDS_TEXT_SIZE) {
		text->n = WORDS_TEXT_SIZE - 1;
		memcpy(text->text + text->n - 3, "...", 3);
	}
}

void words_clear(struct words_text *text)
{
	text->n = 0;
	text->text[0] = '\0';
}

void words_add(struct words_text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	add_list(text, format, arguments);
	va_end(arguments);
}

/* Blanks that a line begins with are more indentation. */
static void put_prose(FILE *file, const char *text)
{
	size_t indent = INDENT + strspn(text, " ");
	(void)fprintf(file, "%*s", (int)indent, "");
	words_put(file, text + strspn(text, " "), indent, indent + HANGING, words_width(file, WORDS_WIDTH));
}

void words_line(struct words *words, const char *format, ...)
{
	struct words_text line = {0};
	va_list arguments;
	assert(words->in_section);
	va_start(arguments, format);
	add_list(&line, format, arguments);
	va_end(arguments);
	text_make_printable(line.text);
	if (words->as_json)
		json_put_text(&words->json, NULL, line.text + strspn(line.text, " "));
	else
		put_prose(words->file, line.text);
}

void words_finish(struct words *words)
{
	end_section(words);
	if (words->as_json) {
		json_end(&words->json);
		json_finish(&words->json);
	}
}

const char *words_between(size_t i, size_t n, const char *last)
{
	assert(i < n);
	return i == 0 ? "" : i + 1 == n ? last : ", ";
}
