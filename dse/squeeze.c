/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/squeeze.h"
#include <assert.h>
#include <stdlib.h>
#include <zlib.h>

/* The fastest: fronts repeat themselves so much that the best level saves another third and takes four times as long. */
#define LEVEL Z_BEST_SPEED

enum err_code squeeze(const void *data, size_t n_byte, uint8_t **out, size_t *n_out, struct err *err)
{
	assert((data || n_byte == 0) && out && n_out);
	uLong n = compressBound((uLong)n_byte);
	*out = n >= n_byte ? malloc(n) : NULL;
	if (!*out || compress2(*out, &n, data, (uLong)n_byte, LEVEL) != Z_OK) {
		free(*out);
		*out = NULL;
		return err_add(err, ERR_INTERNAL, "out of memory");
	}
	*n_out = n;
	return ERR_OK;
}

enum err_code squeeze_expand(const char *what, const void *data, size_t n_byte, size_t n_out, uint8_t **out,
                             struct err *err)
{
	assert(what && (data || n_byte == 0) && out);
	/* deflate makes a thousandth at best, so that no memory is asked for a length that was made up */
	if (n_out / 1100 > n_byte)
		return err_add(err, ERR_INPUT, "%s: is damaged: %zu bytes cannot be %zu", what, n_byte, n_out);
	uLongf n = (uLongf)n_out;
	uint8_t *memory = malloc(n_out + 1);
	int status = memory ? uncompress(memory, &n, data, (uLong)n_byte) : Z_MEM_ERROR;
	if (status == Z_OK && n == n_out) {
		memory[n_out] = 0;
		*out = memory;
		return ERR_OK;
	}
	free(memory);
	if (status == Z_MEM_ERROR)
		return err_add(err, ERR_INTERNAL, "out of memory");
	return err_add(err, ERR_INPUT, "%s: is damaged: it does not expand to the %zu bytes that it was", what, n_out);
}
