/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/base/file.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BYTE 65536u

static enum err_code read_stream(FILE *file, const char *path, size_t max_byte, char **text, size_t *n_byte,
                                 struct err *err)
{
	size_t n_alloc = 0, n = 0;
	do {
		if (n == n_alloc) {
			n_alloc = n_alloc ? 2 * n_alloc : FIRST_BYTE;
			char *more = realloc(*text, n_alloc);
			if (!more)
				return err_add(err, ERR_INTERNAL, "%s: out of memory", path);
			*text = more;
		}
		n += fread(*text + n, 1, n_alloc - n, file);
		assert(n <= n_alloc);
		if (ferror(file))
			return err_add(err, ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
	} while (!feof(file) && n <= max_byte);
	*n_byte = n;
	return ERR_OK;
}

enum err_code file_read(const char *path, size_t max_byte, char **text, size_t *n_byte, struct err *err)
{
	assert(path && text && n_byte);
	*text = NULL;
	*n_byte = 0;
	FILE *file = fopen(path, "rb");
	if (!file)
		return err_add(err, ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
	enum err_code code = read_stream(file, path, max_byte, text, n_byte, err);
	(void)fclose(file);
	if (code != ERR_OK) {
		free(*text);
		*text = NULL;
	}
	return code;
}
