/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/csv_write.h"
#include "dse/base/number.h"
#include "dse/out/format_item.h"
#include "sim/base/text.h"
#include <assert.h>
#include <math.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a spreadsheet would compute: a text that begins as formulas do and is no number. A dash alone is our "none". */
static bool is_formula(const char *text)
{
	char *end;
	if (*text == '\0' || !strchr("=+-@", *text) || strcmp(text, "-") == 0)
		return false;
	(void)strtod(text, &end);
	return *end != '\0' || end == text;
}

void csv_put_text(FILE *file, bool first, const char *text)
{
	assert(file && text);
	if (!first)
		(void)fputc(',', file);
	bool is_quoted = strpbrk(text, ",\"\r\n") || is_formula(text);
	if (!is_quoted && text[text_printable_span(text, "")] == '\0') {
		(void)fputs(text, file);
		return;
	}
	(void)fputs(is_quoted ? "\"" : "", file);
	(void)fputs(is_formula(text) ? "'" : "", file);
	for (size_t n; *text; text += n) {
		n = text_printable_length(text, strnlen(text, 4));
		(void)fprintf(file, "%s%.*s", *text == '"' ? "\"" : "", n > 0 ? (int)n : 1,
		              n > 0           ? text
		              : *text == '\n' ? "\n"
		                              : "?");
		n = n > 0 ? n : 1;
	}
	(void)fputs(is_quoted ? "\"" : "", file);
}

void csv_put_real(FILE *file, bool first, double value)
{
	char text[NUMBER_SIZE];
	assert(file);
	number_print(value, text);
	if (!first)
		(void)fputc(',', file);
	(void)fputs(text, file);
}

void csv_put_known(FILE *file, bool first, double value)
{
	if (isfinite(value))
		csv_put_real(file, first, value);
	else
		csv_put_text(file, first, "");
}

void csv_put_row(FILE *file, const char *format, ...)
{
	va_list arguments;
	struct format_item item;
	va_start(arguments, format);
	while ((item = format_item_next(&format, &arguments)).type != FORMAT_END) {
		assert(item.precision < 0);
		if (item.type == FORMAT_TEXT)
			csv_put_text(file, true, item.text);
		else if (item.type == FORMAT_COUNT)
			(void)fprintf(file, "%" PRIu64, item.count);
		else if (item.type == FORMAT_CHAR)
			(void)fputc(item.letter, file);
		else
			csv_put_real(file, true, item.real);
	}
	va_end(arguments);
}
