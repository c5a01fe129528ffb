/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in their parts, out of the lines that all of dse has them in: "FILE:LINE:COLUMN: TEXT; did you mean 'WORD'?". */
#include "dse/lib/library_parts.h"
#include <stdlib.h>
#include <string.h>

size_t dse_n_error(const struct dse *dse)
{
	size_t n = 0;
	for (const char *at = dse ? err_text(&dse->err) : ""; *at; at++)
		n += *at == '\n';
	return n;
}

/* Line and column of a place that begins at the colon; *end: the text behind it. false: it is none. */
static bool read_place(char *colon, unsigned *line, unsigned *column, char **end)
{
	char *at = colon + 1;
	unsigned long number[2];
	for (unsigned i = 0; i < 2; i++) {
		if (*at < '0' || *at > '9')
			return false;
		number[i] = strtoul(at, &at, 10);
		if (*at++ != ':')
			return false;
	}
	if (*at != ' ')
		return false;
	*line = (unsigned)number[0];
	*column = (unsigned)number[1];
	*end = at + 1;
	return true;
}

/* The word of "did you mean 'WORD'?", cut out of a copy. */
static char *find_suggestion(const char *message, char *room)
{
	static const char before[] = "did you mean '";
	const char *at = strstr(message, before), *end = at ? strstr(at, "'?") : NULL;
	if (!end)
		return NULL;
	at += sizeof(before) - 1;
	memcpy(room, at, (size_t)(end - at));
	room[end - at] = '\0';
	return room;
}

const struct dse_error *dse_error(struct dse *dse, size_t i)
{
	const char *line = dse ? err_text(&dse->err) : "";
	for (; i > 0 && line[0]; i--) {
		line = strchr(line, '\n');
		line = line ? line + 1 : "";
	}
	size_t n = strcspn(line, "\n");
	if (!line[0])
		return NULL;
	char *text = malloc(2 * n + 2); /* the line, and the suggestion behind it */
	if (!text)
		return NULL;
	memcpy(text, line, n);
	text[n] = '\0';
	free(dse->error_text);
	dse->error_text = text;
	dse->error = (struct dse_error){.message = text};
	for (char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
		char *end;
		if (!read_place(colon, &dse->error.line, &dse->error.column, &end))
			continue;
		*colon = '\0';
		dse->error.file = text;
		dse->error.message = end;
		break;
	}
	dse->error.suggestion = find_suggestion(dse->error.message, text + n + 1);
	return &dse->error;
}
