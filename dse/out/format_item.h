/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DSE_FORMAT_ITEM_H
#define DSE_FORMAT_ITEM_H
/*
 * Formats of rows, one item after the other: the compiler checks a row against its arguments as it does printf's, and
 * csv_write.c, json.c and table.c say what becomes of each. Conversions are %s, %.Ns, %g, %.Nf, %u with zu, lu and llu,
 * and %d of a truth value.
 */
#include <stdarg.h>
#include <stdint.h>

enum format_type { FORMAT_END, FORMAT_CHAR, FORMAT_TEXT, FORMAT_REAL, FORMAT_FIXED, FORMAT_COUNT, FORMAT_TRUTH };

struct format_item {
	enum format_type type;
	char letter;      /* FORMAT_CHAR: stands for itself; %% is a percent sign */
	const char *text; /* FORMAT_TEXT */
	double real;      /* FORMAT_REAL: %g, FORMAT_FIXED: %.Nf */
	uint64_t count;   /* FORMAT_COUNT, FORMAT_TRUTH */
	int precision;    /* N; -1: not given */
};

/* The item that *format begins with, and its argument; *format moves behind it. */
struct format_item format_item_next(const char **format, va_list *arguments);

#endif
