/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jansson builds whole trees and then writes them; a front with a few thousand
 * designs of a hundred layers would take hundreds of megabytes that way. So only
 * its printing of scalars is used, and the brackets, commas and line ends are ours.
 */
#include "dse/out/json.h"
#include "dse/out/format_item.h"
#include "sim/base/text.h"
#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text with what is not printable replaced: for texts that are not UTF-8. */
static json_t *plain_string(const char *text)
{
	char *plain = strdup(text);
	if (!plain)
		return NULL;
	text_make_printable_lines(plain);
	json_t *value = json_string(plain);
	free(plain);
	return value;
}

/* Of texts without anything to escape, such as keys, nothing need be asked of jansson. */
static bool is_plain_text(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
			return false;
	return true;
}

static void print_text(FILE *file, const char *text)
{
	if (is_plain_text(text)) {
		(void)putc('"', file);
		(void)fputs(text, file);
		(void)putc('"', file);
		return;
	}
	json_t *string = json_string(text), *value = string ? string : plain_string(text);
	/* C1 and invisible characters, and DEL even so, jansson leaves as they are, which a terminal would obey */
	size_t flags = JSON_ENCODE_ANY | (text[text_printable_span(text, "")] ? JSON_ENSURE_ASCII : 0);
	char *dumped = value ? json_dumps(value, flags) : NULL;
	for (const char *at = dumped ? dumped : "null"; *at; at++)
		(void)fprintf(file, *at == '\177' ? "\\u%04x" : "%c", *at);
	free(dumped);
	json_decref(value);
}

/* As jansson prints it: a whole number says that it is real, an exponent has neither plus nor leading zeros. */
static void print_real(FILE *file, double value)
{
	char text[NUMBER_SIZE];
	number_print(value, text);
	const char *exponent = strchr(text, 'e');
	size_t n = exponent ? (size_t)(exponent - text) : strlen(text);
	(void)fwrite(text, 1, n, file);
	if (!exponent) {
		if (!strchr(text, '.'))
			(void)fputs(".0", file);
		return;
	}
	(void)putc('e', file);
	if (*++exponent == '-')
		(void)putc('-', file);
	exponent += strspn(exponent, "+-0");
	(void)fputs(exponent, file);
}

void json_start(struct json *json, FILE *file, unsigned n_open_lines)
{
	assert(json && file);
	*json = (struct json){.file = file, .n_open_lines = n_open_lines};
}

void json_start_object(struct json *json, FILE *file, unsigned n_open_lines)
{
	json_start(json, file, n_open_lines);
	json_begin_object(json, NULL);
}

void json_finish(struct json *json)
{
	while (json->depth > 0)
		json_end(json);
	(void)fputc('\n', json->file);
}

void json_go_on(struct json *part, const struct json *json, FILE *file, bool has_item)
{
	assert(json->depth > 0 && !json->has_item[json->depth - 1]);
	*part = *json;
	part->file = file;
	part->has_item[part->depth - 1] = has_item;
}

void json_skip(struct json *json, bool has_item)
{
	assert(json->depth > 0);
	json->has_item[json->depth - 1] |= has_item;
}

static void new_line(struct json *json, unsigned n_tab)
{
	(void)fputc('\n', json->file);
	for (unsigned i = 0; i < n_tab; i++)
		(void)fputc('\t', json->file);
}

/* Comma, line end and key before an item. */
static void begin_item(struct json *json, const char *key)
{
	assert(json && json->file);
	if (json->depth == 0) {
		assert(!key);
		return;
	}
	unsigned i = json->depth - 1;
	assert(json->is_list[i] == !key);
	if (json->has_item[i])
		(void)fputc(',', json->file);
	if (json->depth <= json->n_open_lines)
		new_line(json, json->depth);
	else if (json->has_item[i] && !json->is_tight)
		(void)fputc(' ', json->file);
	json->has_item[i] = true;
	if (key) {
		print_text(json->file, key);
		(void)fputs(json->is_tight ? ":" : ": ", json->file);
	}
}

static void begin_container(struct json *json, const char *key, bool is_list)
{
	begin_item(json, key);
	assert(json->depth < JSON_MAX_DEPTH);
	json->is_list[json->depth] = is_list;
	json->has_item[json->depth] = false;
	json->depth++;
	(void)fputc(is_list ? '[' : '{', json->file);
}

void json_begin_object(struct json *json, const char *key)
{
	begin_container(json, key, false);
}

void json_begin_list(struct json *json, const char *key)
{
	begin_container(json, key, true);
}

void json_end(struct json *json)
{
	assert(json->depth > 0);
	json->depth--;
	if (json->has_item[json->depth] && json->depth + 1 <= json->n_open_lines)
		new_line(json, json->depth);
	(void)fputc(json->is_list[json->depth] ? ']' : '}', json->file);
}

void json_put_text(struct json *json, const char *key, const char *text)
{
	begin_item(json, key);
	if (text)
		print_text(json->file, text);
	else
		(void)fputs("null", json->file);
}

void json_put_lines(struct json *json, const char *key, const char *text)
{
	json_begin_list(json, key);
	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = strndup(text, n);
		json_put_text(json, NULL, line);
		free(line);
		text += n + (text[n] == '\n');
	}
	json_end(json);
}

void json_put_real(struct json *json, const char *key, double value)
{
	begin_item(json, key);
	if (isfinite(value))
		print_real(json->file, value);
	else
		(void)fputs("null", json->file);
}

void json_put_number(struct json *json, const char *key, double value)
{
	char text[NUMBER_SIZE];
	begin_item(json, key);
	if (isfinite(value))
		number_print(value, text);
	(void)fputs(isfinite(value) ? text : "null", json->file);
}

void json_put_u64(struct json *json, const char *key, uint64_t value)
{
	char digit[20];
	size_t first = sizeof(digit);
	begin_item(json, key);
	do
		digit[--first] = (char)('0' + value % 10);
	while ((value /= 10) > 0);
	(void)fwrite(digit + first, 1, sizeof(digit) - first, json->file);
}

void json_put_bool(struct json *json, const char *key, bool value)
{
	begin_item(json, key);
	(void)fputs(value ? "true" : "false", json->file);
}

static void put_fields(struct json *json, const char *format, va_list *arguments)
{
	while (*format) {
		char key[64];
		size_t n = strcspn(format, " ");
		assert(n < sizeof(key) && format[n] == ' ');
		memcpy(key, format, n);
		key[n] = '\0';
		format += n + 1;
		const struct format_item item = format_item_next(&format, arguments);
		assert(item.type != FORMAT_CHAR && item.precision < 0);
		if (item.type == FORMAT_TEXT)
			json_put_text(json, key, item.text);
		else if (item.type == FORMAT_REAL)
			json_put_real(json, key, item.real);
		else if (item.type == FORMAT_COUNT)
			json_put_u64(json, key, item.count);
		else
			json_put_bool(json, key, item.count != 0);
		format += strspn(format, ", ");
	}
}

void json_put_fields(struct json *json, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	put_fields(json, format, &arguments);
	va_end(arguments);
}

void json_put_object(struct json *json, const char *key, const char *format, ...)
{
	va_list arguments;
	json_begin_object(json, key);
	va_start(arguments, format);
	put_fields(json, format, &arguments);
	va_end(arguments);
	json_end(json);
}
