/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/colour.h"
#include "dse/out/terminal.h"
#include "sim/base/text.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const colour_choice_name[N_COLOUR_CHOICE] = {"auto", "always", "never"};

/* ECMA-48, select graphic rendition. The eight first colours, which every palette makes readable on its ground. */
static const char *const code_of[N_COLOUR] = {
    [COLOUR_NONE] = "\033[0m", [COLOUR_HEAD] = "\033[1m",     [COLOUR_BEST] = "\033[32m", [COLOUR_KNEE] = "\033[1;36m",
    [COLOUR_BAD] = "\033[31m", [COLOUR_WARNING] = "\033[33m", [COLOUR_FAINT] = "\033[2m",
};

void colour_choose(enum colour_choice choice)
{
	assert(choice < N_COLOUR_CHOICE);
	if (choice == COLOUR_AUTO)
		return;
	(void)setenv("NO_COLOR", choice == COLOUR_NEVER ? "1" : "", 1);
	(void)setenv("CLICOLOR_FORCE", choice == COLOUR_ALWAYS ? "1" : "", 1);
}

bool colour_is_on(FILE *file)
{
	const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE");
	assert(file);
	if ((file != stdout && file != stderr) || (no && no[0]))
		return false;
	return (force && force[0] && strcmp(force, "0") != 0) || terminal_obeys(file);
}

const char *colour_code(bool is_on, enum colour colour)
{
	assert(colour < N_COLOUR);
	return is_on ? code_of[colour] : "";
}

void colour_put(FILE *file, enum colour colour, const char *text)
{
	bool is_on = colour != COLOUR_NONE && colour_is_on(file);
	while (*text) {
		size_t n = strcspn(text, "\n");
		if (n > 0)
			(void)fprintf(file, "%s%.*s%s", colour_code(is_on, colour), (int)n, text,
			              colour_code(is_on, COLOUR_NONE));
		text += n;
		if (*text == '\n')
			(void)fputc(*text++, file);
	}
}

void colour_print(FILE *file, enum colour colour, const char *format, ...)
{
	char text[COLOUR_MAX_TEXT];
	TEXT_FILL(text, format);
	text_make_printable_lines(text);
	colour_put(file, colour, text);
}
