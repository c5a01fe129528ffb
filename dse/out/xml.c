/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/xml.h"
#include "sim/base/text.h"
#include <assert.h>
#include <string.h>

void xml_put_text(FILE *file, const char *text)
{
	assert(file && text);
	for (size_t n; *text; text += n) {
		n = strchr("\t\n", *text) ? 1 : text_printable_length(text, strnlen(text, 4));
		if (n == 1 && strchr("<>&\"", *text))
			(void)fprintf(file, "&#%d;", *text);
		else
			(void)fprintf(file, "%.*s", n > 0 ? (int)n : 1, n > 0 ? text : "?");
		n = n > 0 ? n : 1;
	}
}
