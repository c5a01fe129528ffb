/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8, what of it is printable, names, and decimal numbers. */
#include "sim/base/text.h"
#include <assert.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the UTF-8 character that begins a text; 0: none does, as in overlong forms, surrogates and cut ones. */
static size_t char_length(const char *text, size_t n_byte)
{
	const unsigned char *byte = (const unsigned char *)text;
	assert(text && n_byte > 0);
	if (byte[0] < 0x80)
		return 1;
	size_t n = byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
	if (byte[0] < 0xc2 || byte[0] > 0xf4 || n_byte < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	bool overlong = (byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xf0 && byte[1] < 0x90);
	bool outside = (byte[0] == 0xed && byte[1] > 0x9f) || (byte[0] == 0xf4 && byte[1] > 0x8f);
	return overlong || outside ? 0 : n;
}

static uint32_t code_point(const char *text, size_t n)
{
	uint32_t code = (unsigned char)text[0] & (n == 1 ? 0x7fu : 0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Unicode 15, chapters 23.1, 23.2, 23.7 and 23.8. */
static bool is_printable(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} refused[] = {
	    {0x0000, 0x001f},   /* C0 */
	    {0x007f, 0x009f},   /* DEL, C1 */
	    {0x00ad, 0x00ad},   /* soft hyphen */
	    {0x034f, 0x034f},   /* combining grapheme joiner */
	    {0x061c, 0x061c},   /* Arabic letter mark */
	    {0x115f, 0x1160},   /* Hangul fillers */
	    {0x17b4, 0x17b5},   /* Khmer inherent vowels */
	    {0x180b, 0x180f},   /* Mongolian variation selectors */
	    {0x200b, 0x200f},   /* no width, marks of direction */
	    {0x2028, 0x202e},   /* line and paragraph separators, embeddings and overrides of direction */
	    {0x2060, 0x206f},   /* word joiner, invisible operators, isolates */
	    {0x3164, 0x3164},   /* Hangul filler */
	    {0xfe00, 0xfe0f},   /* variation selectors */
	    {0xfeff, 0xfeff},   /* byte order mark */
	    {0xffa0, 0xffa0},   /* halfwidth Hangul filler */
	    {0xfff0, 0xfffb},   /* interlinear annotation and what is not assigned there */
	    {0xe0000, 0xe0fff}, /* tags, more variation selectors */
	};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (code >= refused[i].first && code <= refused[i].last)
			return false;
	return (code & 0xfffe) != 0xfffe; /* U+nFFFE and U+nFFFF are no characters */
}

size_t text_printable_length(const char *text, size_t n_byte)
{
	if (*text >= ' ' && *text <= '~')
		return 1;
	size_t n = char_length(text, n_byte);
	return n > 0 && is_printable(code_point(text, n)) ? n : 0;
}

/* Bytes of the character at the beginning of a text that is not empty; 0: not printable. */
static size_t length_here(const char *text)
{
	return text_printable_length(text, strnlen(text, 4));
}

size_t text_printable_span(const char *text, const char *also)
{
	const char *at = text;
	for (size_t n = 1; *at && n > 0; at += n)
		n = strchr(also, *at) ? 1 : length_here(at);
	return (size_t)(at - text);
}

size_t text_n_char(const char *text)
{
	size_t n = 0;
	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void replace(char *text, const char *also, char line_feed, char other)
{
	for (size_t n; *text; text += n) {
		n = strchr(also, *text) ? 1 : length_here(text);
		if (n == 0) {
			*text = *text == '\n' ? line_feed : other;
			n = 1;
		}
	}
}

void text_make_printable(char *text)
{
	replace(text, "", ' ', '?');
}

void text_make_printable_lines(char *text)
{
	replace(text, "\t\n", '\n', '?');
}

static bool begins_formula(const char *name)
{
	return *name == '=' || *name == '+' || *name == '-' || *name == '@';
}

const char *text_name_fault(const char *name, size_t n_max)
{
	size_t n = strlen(name);
	assert(n_max > 0);
	if (n == 0)
		return "which is empty";
	if (n > n_max)
		return "which is too long";
	for (size_t at = 0, n_char; at < n; at += n_char) {
		n_char = char_length(name + at, n - at);
		if (n_char == 0)
			return "which is no UTF-8";
		if (text_printable_length(name + at, n - at) == 0)
			return n_char == 1 ? "with a control character" : "with a character that cannot be seen";
	}
	if (name[0] == ' ' || name[n - 1] == ' ')
		return "with a blank at an end";
	return begins_formula(name) ? "which spreadsheets take for a formula" : NULL;
}

static size_t n_digit(const char *text)
{
	return strspn(text, "0123456789");
}

bool text_is_decimal(const char *text)
{
	text += *text == '-' || *text == '+';
	size_t n = n_digit(text);
	text += n;
	if (*text == '.') {
		size_t n_after = n_digit(text + 1);
		text += 1 + n_after;
		n += n_after;
	}
	if (n == 0)
		return false;
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		size_t n_exponent = n_digit(text);
		if (n_exponent == 0)
			return false;
		text += n_exponent;
	}
	return *text == '\0';
}

void text_make_name(char *name, size_t n_alloc)
{
	assert(name && n_alloc > 1);
	replace(name, "", '_', '_');
	if (!name[0])
		(void)strcpy(name, "_");
	if (begins_formula(name) || name[0] == ' ')
		name[0] = '_';
	size_t n = strlen(name);
	if (name[n - 1] == ' ')
		name[n - 1] = '_';
}
