/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_BASE_TEXT_H
#define SIM_BASE_TEXT_H
/*
 * Printable text: the one rule for names and texts that come from outside, files, command line and store. Printable is
 * valid UTF-8 without control characters (C0, DEL, C1), without line and paragraph separators, without characters of no
 * width and without those that turn the direction of writing: none can drive a terminal, or make two names look alike.
 * Readers refuse what is not printable, with file, line and column; what shows or writes a text from elsewhere cleans
 * it.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Fill an array of characters, in a function of a format and its arguments (...); what does not fit is cut off. */
#define TEXT_FILL(array, format)                                     \
	do {                                                         \
		va_list list;                                        \
		va_start(list, format);                              \
		(void)vsnprintf(array, sizeof(array), format, list); \
		va_end(list);                                        \
	} while (0)

/* Bytes of the UTF-8 character at text [n_byte > 0]; 0 when none begins there, or one that is not printable. */
size_t text_printable_length(const char *text, size_t n_byte);

/* Bytes of text, which ends with a zero byte, before the first character that is neither printable nor one of also. */
size_t text_printable_span(const char *text, const char *also);

/* Characters of a text that is printable: the columns it takes on a terminal, wide characters counted as one. */
size_t text_n_char(const char *text);

/* In place: each byte of what is not printable becomes '?', a line feed a blank. Never longer. */
void text_make_printable(char *text);

/* The same; tabs and line feeds stay. */
void text_make_printable_lines(char *text);

/*
 * What a name may be: printable text of 1 to n_max bytes on one line, without blanks at its ends, and not beginning
 * with
 * '=', '+', '-' or '@', which spreadsheets take for a formula. NULL, or why it may not, in words that follow "found
 * 'x'".
 */
const char *text_name_fault(const char *name, size_t n_max);

/* The rule in words, for messages: "allowed ...". */
#define TEXT_NAME_RULE "printable text on one line that does not begin with '=', '+', '-' or '@'"

/*
 * Whether a text is a decimal number, [sign] digits [. digits] [e [sign] digits] with a digit at least, and nothing
 * else. strtod alone would also take blanks, hexadecimal numbers, "inf" and "nan".
 */
bool text_is_decimal(const char *text);

/* Names of other people's things, such as files: every byte that no name may have there becomes '_'; "" becomes "_". */
void text_make_name(char *name, size_t n_alloc);

#endif
