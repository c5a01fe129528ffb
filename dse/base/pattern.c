/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/base/pattern.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Names of operations have at most 23 characters: an honest pattern needs some hundred steps, a runaway one is stopped.
 */
#define MAX_MATCH_STEP 1000000u

/* Columns count characters, PCRE2 counts bytes: leave out the continuation bytes of UTF-8 (10xxxxxx). */
static unsigned n_character(const char *text, size_t n_byte)
{
	unsigned n = 0;
	for (size_t i = 0; i < n_byte; i++)
		n += ((unsigned char)text[i] & 0xC0u) != 0x80u;
	return n;
}

enum err_code pattern_compile(const char *text, struct err_place at, struct pattern *pattern, struct err *err)
{
	assert(text && pattern);
	int number;
	PCRE2_SIZE offset;
	const PCRE2_UCHAR *bytes = (const PCRE2_UCHAR *)(const void *)text;

	pattern->code = pcre2_compile(bytes, PCRE2_ZERO_TERMINATED, PCRE2_UTF, &number, &offset, NULL);
	if (pattern->code)
		return ERR_OK;
	if (number == PCRE2_ERROR_NOMEMORY || number == 121) /* 121: no memory while compiling */
		return err_add(err, ERR_INTERNAL, "out of memory");

	PCRE2_UCHAR message[160];
	if (pcre2_get_error_message(number, message, sizeof(message)) < 0)
		message[0] = '\0';
	size_t n_text = strlen(text);
	assert(offset <= n_text);
	unsigned column = n_character(text, offset < n_text ? offset : n_text);
	at.column += column;
	return err_add_at(
	    err, ERR_INPUT, at,
	    "pattern '%s': %s (at character %u), allowed a Perl-compatible regular expression, e.g. '^CONV_'", text,
	    (const char *)message, column + 1);
}

enum err_code pattern_match(const struct pattern *pattern, const char *subject, bool *matches, struct err *err)
{
	assert(pattern && pattern->code && subject && matches);
	enum err_code code = ERR_OK;
	int n = PCRE2_ERROR_NOMEMORY;
	*matches = false;

	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	pcre2_match_context *context = pcre2_match_context_create(NULL);
	if (data && context) {
		(void)pcre2_set_match_limit(context, MAX_MATCH_STEP);
		n = pcre2_match(pattern->code, (const PCRE2_UCHAR *)(const void *)subject, strlen(subject), 0, 0, data,
		                context);
	}
	if (n >= 0)
		*matches = true;
	else if (n == PCRE2_ERROR_NOMEMORY)
		code = err_add(err, ERR_INTERNAL, "out of memory");
	else if (n != PCRE2_ERROR_NOMATCH)
		code =
		    err_add(err, ERR_INPUT,
		            "pattern: matching '%s' takes too many steps, allowed a pattern without nested repetition",
		            subject);
	pcre2_match_context_free(context);
	pcre2_match_data_free(data);
	return code;
}

void pattern_free(struct pattern *pattern)
{
	assert(pattern);
	pcre2_code_free(pattern->code);
	pattern->code = NULL;
}

enum err_code pattern_match_either(const struct pattern *pattern, const char *text, const char *other, bool *matches,
                                   struct err *err)
{
	enum err_code code = pattern_match(pattern, text, matches, err);
	return code == ERR_OK && !*matches && other ? pattern_match(pattern, other, matches, err) : code;
}
