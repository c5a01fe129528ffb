/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/words.h"
#include "dse/colour.h"
#include "sim/base/text.h"
#include <assert.h>
#include <stdarg.h>
#include <string.h>

#define WIDTH 100 /* columns of a line */
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

/* Words are put on a line as long as they fit; blanks that a line begins with are more indentation. */
static void print_broken(FILE *file, const char *text)
{
	size_t indent = INDENT + strspn(text, " "), column = indent;
	bool is_first = true;
	text += indent - INDENT;
	(void)fprintf(file, "%*s", (int)indent, "");
	while (*text) {
		size_t n_byte = strcspn(text, " ");
		if (!is_first && column + 1 + n_byte > WIDTH) {
			column = indent + HANGING;
			(void)fprintf(file, "\n%*s", (int)column, "");
		} else if (!is_first) {
			(void)fputc(' ', file);
			column++;
		}
		(void)fprintf(file, "%.*s", (int)n_byte, text);
		column += n_byte;
		is_first = false;
		text += n_byte;
		text += strspn(text, " ");
	}
	(void)fputc('\n', file);
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
		print_broken(words->file, line.text);
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
