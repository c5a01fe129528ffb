/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/out/terminal.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Of standard output also where its lines are folded, a stream without a descriptor (dse/out/terminal_fold.h). */
static int descriptor_of(FILE *file)
{
	int descriptor = fileno(file);
	return descriptor < 0 && file == stdout ? STDOUT_FILENO : descriptor;
}

bool terminal_obeys(FILE *file)
{
	const char *term = getenv("TERM");
	assert(file);
	return term && term[0] && strcmp(term, "dumb") != 0 && isatty(descriptor_of(file));
}

bool terminal_size(FILE *file, unsigned *n_column, unsigned *n_row)
{
	struct winsize size = {0};
	assert(file && n_column && n_row);
	if (ioctl(descriptor_of(file), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
		return false;
	*n_column = size.ws_col;
	*n_row = size.ws_row;
	return true;
}

bool terminal_is_utf8(void)
{
	static const char *const variable[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	for (size_t i = 0; i < sizeof(variable) / sizeof(variable[0]); i++) {
		const char *locale = getenv(variable[i]);
		if (!locale || !locale[0])
			continue;
		const char *charset = strchr(locale, '.');
		return charset && (strncasecmp(charset, ".utf-8", 6) == 0 || strncasecmp(charset, ".utf8", 5) == 0);
	}
	return false;
}
