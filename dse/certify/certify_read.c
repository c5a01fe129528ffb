/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/certify/certify_parts.h"
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Longer lines are none: a layer has some dozens of operating points, each a few words. */
#define LINE_SIZE 8192

bool certify_refuse(struct certify_reader *reader, enum err_code code, const char *format, ...)
{
	va_list list;
	if (reader->code != ERR_OK)
		return false;
	reader->code = code;
	va_start(list, format);
	(void)err_add_list(reader->err, code, (struct err_place){reader->path, reader->line, 1}, format, list);
	va_end(list);
	return false;
}

bool certify_next_line(struct certify_reader *reader)
{
	size_t n = 0;
	int c;
	if (reader->code != ERR_OK)
		return false;
	if (stop_after(&reader->watch, 256)) {
		reader->code = ERR_INTERRUPTED;
		return false;
	}
	reader->line++;
	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		if (n + 1 == LINE_SIZE || c == '\0')
			return certify_refuse(reader, ERR_INPUT, "found %s, allowed are lines of text",
			                      c == '\0' ? "a zero byte" : "a line of more than 8191 bytes");
		reader->text[n++] = (char)c;
	}
	if (c == EOF && ferror(reader->file))
		return certify_refuse(reader, ERR_IO, "cannot read");
	if (c == EOF)
		return certify_refuse(reader, ERR_INPUT, "the certificate ends here, before its line 'end'");
	reader->text[n] = '\0';
	reader->at = reader->text;
	return true;
}

static void skip_blanks(struct certify_reader *reader)
{
	while (*reader->at == ' ')
		reader->at++;
}

bool certify_word(struct certify_reader *reader, char *word, size_t n_byte)
{
	size_t n = 0;
	skip_blanks(reader);
	while (reader->at[n] != '\0' && reader->at[n] != ' ')
		n++;
	if (n == 0 || n >= n_byte)
		return certify_refuse(reader, ERR_INPUT, n == 0 ? "a word is missing" : "a word is too long");
	memcpy(word, reader->at, n);
	word[n] = '\0';
	reader->at += n;
	return true;
}

bool certify_keyword(struct certify_reader *reader, const char *keyword)
{
	size_t n = strlen(keyword);
	skip_blanks(reader);
	if (reader->code == ERR_OK && strncmp(reader->at, keyword, n) == 0 &&
	    (reader->at[n] == '\0' || reader->at[n] == ' ')) {
		reader->at += n;
		return true;
	}
	return certify_refuse(reader, ERR_INPUT, "found '%.40s', expected '%s'", reader->at, keyword);
}

bool certify_number(struct certify_reader *reader, uint64_t most, uint64_t *number)
{
	uint64_t value = 0;
	skip_blanks(reader);
	const char *begin = reader->at;
	for (; *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
		uint64_t digit = (uint64_t)(*reader->at - '0');
		if (digit > most || value > (most - digit) / 10)
			return certify_refuse(reader, ERR_INPUT, "found a number above %llu", (unsigned long long)most);
		value = 10 * value + digit;
	}
	if (reader->at == begin || (*reader->at != ' ' && *reader->at != '\0'))
		return certify_refuse(reader, ERR_INPUT, "found '%.40s', expected a number", begin);
	*number = value;
	return true;
}

bool certify_real(struct certify_reader *reader, double *real)
{
	skip_blanks(reader);
	char *end = reader->at;
	/* no infinities, no hexadecimal digits */
	double value = isdigit((unsigned char)*reader->at) ? strtod(reader->at, &end) : -1.0;
	if (end == reader->at || (*end != ' ' && *end != '\0') || !isfinite(value) || value < 0)
		return certify_refuse(reader, ERR_INPUT, "found '%.40s', expected a number, 0 or more", reader->at);
	reader->at = end;
	*real = value;
	return true;
}

bool certify_end(struct certify_reader *reader)
{
	skip_blanks(reader);
	return reader->code == ERR_OK &&
	       (*reader->at == '\0' ||
	        certify_refuse(reader, ERR_INPUT, "found '%.40s' behind the line's end", reader->at));
}

const char *certify_rest(struct certify_reader *reader)
{
	skip_blanks(reader);
	return reader->at;
}
