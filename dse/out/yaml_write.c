/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/yaml_write.h"
#include <assert.h>
#include <string.h>

void yaml_write_quoted(FILE *file, const char *text)
{
	assert(file && text);
	(void)fputc('"', file);
	for (const char *at = text; *at; at++) {
		unsigned char byte = (unsigned char)*at;
		if (byte == '"' || byte == '\\')
			(void)fprintf(file, "\\%c", byte);
		else if (byte < 0x20 || byte == 0x7f)
			(void)fprintf(file, "\\x%02x", byte);
		else
			(void)fputc(byte, file);
	}
	(void)fputc('"', file);
}

void yaml_write_text(FILE *file, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
	if (text[0] && text[0] != '-' && strspn(text, plain) == strlen(text))
		(void)fputs(text, file);
	else
		yaml_write_quoted(file, text);
}
