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

/* Whether a word is a unit that stays with the number before it, whatever punctuation follows. */
static bool is_unit(const char *word, size_t n_byte)
{
	static const char *const unit[] = {"%",   "ms",  "us",  "ns", "s",    "mJ",   "nJ", "pJ",  "mW",
	                                   "MHz", "KiB", "MiB", "MB", "GB/s", "GOPS", "V",  "mm2", "byte"};
	while (n_byte > 0 && strchr(".,;:)", word[n_byte - 1]))
		n_byte--;
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++)
		if (strlen(unit[i]) == n_byte && strncmp(unit[i], word, n_byte) == 0)
			return true;
	return false;
}

/* Whether a word goes on with the digits of a number, of which three stand together: "12 345 678". */
static bool is_group(const char *word, size_t n_byte)
{
	return n_byte >= 3 && strspn(word, "0123456789") == 3 && strspn(word + 3, ".,;:)") == n_byte - 3;
}

/* Bytes of a text up to where a line may break: a word, or a number with all its digits and its unit. */
static size_t piece_of(const char *text)
{
	size_t n = strcspn(text, " ");
	while (n > 0 && text[n] == ' ' && text[n - 1] >= '0' && text[n - 1] <= '9') {
		size_t n_next = strcspn(text + n + 1, " ");
		if (!is_unit(text + n + 1, n_next) && !is_group(text + n + 1, n_next))
			break;
		n += 1 + n_next;
	}
	return n;
}

void words_put(FILE *file, const char *text, size_t column, size_t indent, size_t width)
{
	for (bool is_first = true; *text; is_first = false) {
		size_t n_blank = strspn(text, " "), n_byte = piece_of(text + n_blank), n_char = n_blank;
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

/* Columns of a piece of text: letters of UTF-8 count once, sequences of ECMA-48 (colours) not at all. */
static size_t n_column_of(const char *text, size_t n_byte)
{
	size_t n = 0;
	for (size_t i = 0; i < n_byte; i++) {
		if (text[i] == '\033' && i + 1 < n_byte && text[i + 1] == '[') {
			for (i += 2; i < n_byte && !(text[i] >= 0x40 && text[i] <= 0x7e);)
				i++;
			continue;
		}
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	return n;
}

void words_put_folded(FILE *file, const char *line, size_t width, const char *end)
{
	if (n_column_of(line, strlen(line)) <= width) {
		(void)fprintf(file, "%s\n", line);
		return;
	}
	size_t indent = strspn(line, " ") + HANGING, column = 0, n_end = strlen(end);
	width = width > n_end ? width - n_end : width;
	indent = indent < width / 2 ? indent : width / 2;
	for (bool is_first = true; *line; is_first = false) {
		size_t n_blank = strspn(line, " "), n_byte = piece_of(line + n_blank);
		size_t n_column = n_column_of(line + n_blank, n_byte);
		/* a word that no line has room for begins where lines do */
		if (!is_first && column + n_blank + n_column > width) {
			size_t own = indent + n_column > width ? 0 : indent;
			(void)fprintf(file, "%s\n%*s", end, (int)own, "");
			column = own;
			n_blank = 0;
			line += strspn(line, " ");
		}
		(void)fwrite(line, 1, n_blank + n_byte, file);
		column += n_blank + n_column;
		line += n_blank + n_byte;
	}
	(void)fputc('\n', file);
}

char *words_folded(FILE *stream, const char *text)
{
	unsigned n_column, n_row;
	size_t width = terminal_size(stream, &n_column, &n_row) ? n_column : SIZE_MAX, n_folded;
	char *folded = NULL, *copy = strdup(text), *rest = copy;
	FILE *file = copy ? open_memstream(&folded, &n_folded) : NULL;
	while (file && rest && *rest) {
		char *end = rest + strcspn(rest, "\n");
		char *next = *end ? end + 1 : end;
		*end = '\0';
		words_put_folded(file, rest, width, "");
		rest = next;
	}
	free(copy);
	if (file && fclose(file) == 0)
		return folded;
	free(folded);
	return NULL;
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

void words_note(const char *format, ...)
{
	struct words_fold fold;
	va_list arguments;
	va_start(arguments, format);
	(void)vfprintf(words_fold_begin(&fold, stderr), format, arguments);
	va_end(arguments);
	words_fold_end(&fold);
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
