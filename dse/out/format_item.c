/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/format_item.h"
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct format_item format_item_next(const char **format, va_list *arguments)
{
	struct format_item item = {.type = FORMAT_CHAR, .letter = *(*format), .precision = -1};
	if (item.letter == '\0')
		return (struct format_item){.type = FORMAT_END};
	if (*(*format)++ != '%')
		return item;
	if (**format == '.') {
		char *end;
		item.precision = (int)strtol(*format + 1, &end, 10);
		*format = end;
	}
	const char *length = *format;
	*format += strspn(length, "zl");
	switch (*(*format)++) {
	case 's':
		item.type = FORMAT_TEXT;
		item.text = va_arg(*arguments, const char *);
		break;
	case 'g':
	case 'f':
		item.type = (*format)[-1] == 'g' ? FORMAT_REAL : FORMAT_FIXED;
		item.real = va_arg(*arguments, double);
		break;
	case 'u':
		item.type = FORMAT_COUNT;
		item.count = length[0] == 'z'                       ? va_arg(*arguments, size_t)
		             : length[0] == 'l' && length[1] == 'l' ? va_arg(*arguments, unsigned long long)
		             : length[0] == 'l'                     ? va_arg(*arguments, unsigned long)
		                                                    : va_arg(*arguments, unsigned);
		break;
	case 'd':
		item.type = FORMAT_TRUTH;
		item.count = va_arg(*arguments, int) != 0;
		break;
	default:
		assert((*format)[-1] == '%');
	}
	return item;
}
