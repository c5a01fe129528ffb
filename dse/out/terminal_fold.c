/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* fopencookie */
#include "dse/out/terminal_fold.h"
#include "dse/out/terminal.h"
#include "dse/out/words.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__)

/* A line that has not ended yet. */
struct fold {
	FILE *terminal;
	size_t n, n_alloc;
	char *line;
};

/* What stands before commands that are printed to be copied: in a shell they go on behind a backslash. */
static bool is_command(const char *line)
{
	static const char *const label[] = {"Replay one design: ", "Look at it: ", "Search again: "};
	for (size_t i = 0; i < sizeof(label) / sizeof(label[0]); i++)
		if (strncmp(line, label[i], strlen(label[i])) == 0)
			return true;
	return false;
}

/* Each line of a piece, broken where it is too wide; what follows the last line feed waits for its end. */
static ssize_t fold_write(void *cookie, const char *data, size_t n_byte)
{
	struct fold *fold = cookie;
	unsigned n_column, n_row;
	if (fold->n + n_byte + 1 > fold->n_alloc) {
		size_t n_alloc = 2 * (fold->n + n_byte + 1);
		char *line = realloc(fold->line, n_alloc);
		if (!line)
			return 0;
		fold->line = line;
		fold->n_alloc = n_alloc;
	}
	memcpy(fold->line + fold->n, data, n_byte);
	fold->n += n_byte;
	size_t width = terminal_size(fold->terminal, &n_column, &n_row) ? n_column : SIZE_MAX, n_done = 0;
	for (char *end; (end = memchr(fold->line + n_done, '\n', fold->n - n_done));
	     n_done = (size_t)(end - fold->line) + 1) {
		*end = '\0';
		const char *line = fold->line + n_done;
		words_put_folded(fold->terminal, line, width, is_command(line) ? " \\" : "");
	}
	memmove(fold->line, fold->line + n_done, fold->n - n_done);
	fold->n -= n_done;
	return fflush(fold->terminal) == 0 ? (ssize_t)n_byte : 0;
}

static int fold_close(void *cookie)
{
	struct fold *fold = cookie;
	bool good = fold->n == 0 || fwrite(fold->line, 1, fold->n, fold->terminal) == fold->n;
	good = fflush(fold->terminal) == 0 && good;
	free(fold->line);
	free(fold);
	return good ? 0 : EOF;
}

void terminal_fold_begin(void)
{
	unsigned n_column, n_row;
	struct fold *fold = terminal_size(stdout, &n_column, &n_row) ? calloc(1, sizeof(*fold)) : NULL;
	if (!fold)
		return;
	fold->terminal = stdout;
	FILE *folding = fopencookie(fold, "w", (cookie_io_functions_t){.write = fold_write, .close = fold_close});
	if (!folding) {
		free(fold);
		return;
	}
	(void)setvbuf(folding, NULL, _IOLBF, BUFSIZ);
	stdout = folding; /* the GNU C library lets it be set; terminal.c knows that it is the terminal still */
}

void terminal_fold_end(void)
{
	if (fileno(stdout) >= 0)
		return;
	(void)fclose(stdout);
	stdout = stderr; /* nothing is printed any more */
}

#else

void terminal_fold_begin(void)
{
}

void terminal_fold_end(void)
{
}

#endif
