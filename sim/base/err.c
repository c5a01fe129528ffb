/* SPDX-License-Identifier: Apache-2.0 */
/* Error records, and the nearest of some words to one that is unknown. */
#include "sim/base/err.h"
#include "sim/base/text.h"
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file of another kind can hold a mistake in each of a million places: what is kept stays readable and small. */
#define MAX_MESSAGE 1000u
#define MAX_MESSAGE_BYTE ((size_t)1 << 16)

#define MAX_WORD 64u /* longer words than any key of ours are never compared */

/* Room for n_more bytes and a terminator. */
static bool reserve(struct err *err, size_t n_more)
{
	if (n_more > SIZE_MAX / 2 - err->n_byte - 1)
		return false;

	size_t n_needed = err->n_byte + n_more + 1;
	if (n_needed <= err->n_alloc)
		return true;

	size_t n_alloc = n_needed > 256 ? 2 * n_needed : 256;
	char *text = realloc(err->text, n_alloc);
	if (!text)
		return false;
	err->text = text;
	err->n_alloc = n_alloc;
	return true;
}

/* Without memory the text is lost but never the code: a failure stays a failure. */
__attribute__((format(printf, 2, 0))) static void append_list(struct err *err, const char *format, va_list list)
{
	va_list again;
	va_copy(again, list);
	int n_wanted = vsnprintf(NULL, 0, format, list);
	size_t n = n_wanted < 0 ? 0 : (size_t)n_wanted < MAX_MESSAGE_BYTE ? (size_t)n_wanted : MAX_MESSAGE_BYTE;
	if (n > 0 && reserve(err, n)) {
		char *text = err->text + err->n_byte;
		(void)vsnprintf(text, n + 1, format, again);
		text_make_printable(text); /* messages repeat what stands in files */
		err->n_byte += n;
		assert(err->n_byte < err->n_alloc);
		assert(err->text[err->n_byte] == '\0');
	}
	va_end(again);
}

__attribute__((format(printf, 2, 3))) static void append(struct err *err, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	append_list(err, format, list);
	va_end(list);
}

/* Texts made of other messages bring a line's end of their own, a blank by now. */
static void end_line(struct err *err)
{
	while (err->n_byte > 0 && err->text[err->n_byte - 1] == ' ')
		err->n_byte--;
	if (reserve(err, 1)) {
		err->text[err->n_byte++] = '\n';
		err->text[err->n_byte] = '\0';
	}
}

/* Whether the message is to be kept; the last one that is says that there are more. */
static bool count(struct err *err, enum err_code code, struct err_place at)
{
	assert(code != ERR_OK);
	if (err->n_message == 0)
		err->code = code;
	err->n_message++;
	if (err->n_message <= MAX_MESSAGE)
		return true;
	if (err->n_message == MAX_MESSAGE + 1 && at.file)
		append(err, "%s:%u:%u: more mistakes follow, the first %u are shown", at.file, at.line, at.column,
		       MAX_MESSAGE);
	else if (err->n_message == MAX_MESSAGE + 1)
		append(err, "more messages follow, the first %u are shown", MAX_MESSAGE);
	if (err->n_message == MAX_MESSAGE + 1)
		end_line(err);
	return false;
}

enum err_code err_add_list(struct err *err, enum err_code code, struct err_place at, const char *format, va_list list)
{
	if (!err || !count(err, code, at))
		return code;
	if (at.file)
		append(err, "%s:%u:%u: ", at.file, at.line, at.column);
	append_list(err, format, list);
	end_line(err);
	return code;
}

enum err_code err_add(struct err *err, enum err_code code, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	(void)err_add_list(err, code, (struct err_place){0}, format, list);
	va_end(list);
	return code;
}

enum err_code err_add_at(struct err *err, enum err_code code, struct err_place at, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	(void)err_add_list(err, code, at, format, list);
	va_end(list);
	return code;
}

enum err_code err_add_all(struct err *err, struct err_place at, const struct err *part)
{
	assert(part && part != err);
	for (const char *line = err_text(part); *line;) {
		const char *end = strchr(line, '\n');
		assert(end);
		(void)err_add_at(err, part->code, at, "%.*s", (int)(end - line), line);
		line = end + 1;
	}
	return part->code;
}

enum err_code err_move(struct err *err, struct err_place at, struct err *part)
{
	enum err_code code = err_add_all(err, at, part);
	err_clear(part);
	return code;
}

const char *err_text(const struct err *err)
{
	assert(err);
	return err->text ? err->text : "";
}

void err_clear(struct err *err)
{
	assert(err);
	free(err->text);
	*err = (struct err){0};
}

static char fold(char c)
{
	return (char)tolower((unsigned char)c);
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned least = a < b ? a : b;
	return least < c ? least : c;
}

/*
 * Edits (insert, delete, replace, swap of neighbours) between two words, case
 * aside: the optimal string alignment distance. Three rows of the table are
 * enough, because a swap looks two rows back.
 */
static unsigned edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned row[3][MAX_WORD + 1];
	assert(n_a <= MAX_WORD && n_b <= MAX_WORD);

	for (size_t j = 0; j <= n_b; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n_a; i++) {
		unsigned *now = row[i % 3];
		const unsigned *before = row[(i + 2) % 3], *before2 = row[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= n_b; j++) {
			unsigned differ = fold(a[i - 1]) != fold(b[j - 1]);
			now[j] = min3(before[j] + 1, now[j - 1] + 1, before[j - 1] + differ);
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
			    before2[j - 2] + 1 < now[j])
				now[j] = before2[j - 2] + 1;
		}
	}
	return row[n_a % 3][n_b];
}

/* Whether name begins or ends with word: "latency" for "latency_ms", "sram_byte" for "pe.sram_byte". */
static bool is_part(const char *word, size_t n_word, const char *name, size_t n_name)
{
	return n_word >= 3 && n_word < n_name &&
	       (memcmp(word, name, n_word) == 0 || memcmp(word, name + n_name - n_word, n_word) == 0);
}

/*
 * A third of the longer word may be wrong, at least one letter, and something
 * must be right. Failing that, a word that leaves out a name's unit or its
 * folder is taken for that name, the shortest of several. Among equals the first
 * in the table wins.
 */
const char *err_nearest(const char *word, const char *const *names, size_t n)
{
	assert(word);
	assert(names || n == 0);
	size_t n_word = strlen(word);
	if (n_word == 0 || n_word > MAX_WORD)
		return NULL;

	const char *nearest = NULL, *whole = NULL;
	unsigned least = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		size_t n_name = strlen(names[i]);
		if (n_name > MAX_WORD)
			continue;
		size_t n_longer = n_word > n_name ? n_word : n_name;
		unsigned limit = n_longer < 6 ? 1 : (unsigned)(n_longer / 3);
		unsigned distance = edit_distance(word, n_word, names[i], n_name);
		if (distance <= limit && distance < n_longer && distance < least) {
			least = distance;
			nearest = names[i];
		}
		if ((!whole || n_name < strlen(whole)) && is_part(word, n_word, names[i], n_name))
			whole = names[i];
	}
	return nearest ? nearest : whole;
}

enum err_code err_choose(const char *what, const char *value, const char *const *allowed, size_t n, size_t *index,
                         struct err *err)
{
	char list[160] = "";
	size_t n_list = 0;
	assert(what && value && allowed && index);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(allowed[i], value) == 0) {
			*index = i;
			return ERR_OK;
		}
		n_list += (size_t)snprintf(list + n_list, sizeof(list) - n_list, "%s%s", i ? ", " : "", allowed[i]);
		assert(n_list < sizeof(list));
	}
	const char *nearest = err_nearest(value, allowed, n);
	return err_add(err, ERR_USAGE, "%s is '%.40s', allowed are %s%s%s%s", what, value, list,
	               nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}
