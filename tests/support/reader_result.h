/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_READER_RESULT_H
#define TESTS_READER_RESULT_H
/*
 * What every reader of users' files promises whatever the file holds, in one
 * place for the mutation test and the fuzzers: no message and success, or
 * messages that a terminal can show, each of them with file and line.
 */
#include "sim/base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at text, 0 when it is none. */
static inline size_t utf8_n_byte(const unsigned char *text)
{
	size_t n = text[0] < 0x80 ? 1 : (text[0] & 0xe0) == 0xc0 ? 2 : (text[0] & 0xf0) == 0xe0 ? 3 : 4;
	if (n > 1 && (text[0] < 0xc2 || text[0] > 0xf4))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

/* Nothing a terminal would obey, nothing that is half a character. */
static inline bool is_printable(const char *text)
{
	size_t n;
	for (const unsigned char *at = (const unsigned char *)text; *at; at += n) {
		n = utf8_n_byte(at);
		if (n == 0 || (*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7f)
			return false;
	}
	return true;
}

/* Whether a line names a place, ":12:" or ", line 12". */
static inline bool has_line_number(const char *line, size_t n_byte)
{
	for (size_t i = 0; i + 2 < n_byte; i++) {
		size_t digits = strspn(line + i + 1, "0123456789");
		if (line[i] == ':' && digits > 0 && i + 1 + digits < n_byte && line[i + 1 + digits] == ':')
			return true;
	}
	return false;
}

/* NULL, or what is wrong with a reader's answer. */
static inline const char *reader_fault(enum err_code code, const struct err *err)
{
	if (code == ERR_OK)
		return err->n_message > 0 ? "success with messages" : NULL;
	if (code != ERR_INPUT && code != ERR_IO)
		return "a code that is neither ERR_INPUT nor ERR_IO";
	if (err->n_message == 0)
		return "a failure without a message";
	if (!is_printable(err_text(err)))
		return "a message with bytes that are not printable text";
	for (const char *line = err_text(err); *line;) {
		size_t n_byte = strcspn(line, "\n");
		if (code == ERR_INPUT && !has_line_number(line, n_byte))
			return "a message without file:line";
		line += n_byte + (line[n_byte] == '\n');
	}
	return NULL;
}

#endif
