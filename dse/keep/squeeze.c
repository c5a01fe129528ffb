/* SPDX-License-Identifier: Apache-2.0 */
#include "dse/keep/squeeze.h"
#include "dse/base/memory.h"
#include "dse/base/parallel.h"
#include "sim/base/hash.h"
#include "sim/base/checked.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* The fastest: fronts repeat themselves so much that the best level saves another third and takes four times as long.
 */
#define LEVEL Z_BEST_SPEED

/*
 * Parts of so many bytes are squeezed by themselves and put one behind the other, as zlib's manual has it: all but the
 * last end at a whole byte (Z_SYNC_FLUSH), and the check is combined. The cut costs a thousandth, and hides no more
 * than the last 32 KiB before it.
 */
#define PART_BYTE ((size_t)1 << 18)

struct squeeze_part {
	const uint8_t *data;
	size_t n_byte;
	bool is_last;
	uint8_t *out;
	size_t n_out;
	uLong check;
};

static void squeeze_part(void *context, size_t i)
{
	struct squeeze_part *part = &((struct squeeze_part *)context)[i];
	z_stream stream = {0};
	/* negative: without header and check, which stand around all parts */
	memory_check(deflateInit2(&stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK);
	size_t n_most = deflateBound(&stream, (uLong)part->n_byte) + 16; /* an empty block at the end of a part */
	part->out = memory_array(n_most, 1);
	stream.next_in = (Bytef *)(uintptr_t)part->data;
	stream.avail_in = (uInt)part->n_byte;
	stream.next_out = part->out;
	stream.avail_out = (uInt)n_most;
	int status = deflate(&stream, part->is_last ? Z_FINISH : Z_SYNC_FLUSH);
	assert(status == (part->is_last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0);
	(void)status;
	part->n_out = n_most - stream.avail_out;
	part->check = adler32(adler32(0, NULL, 0), part->data, (uInt)part->n_byte);
	(void)deflateEnd(&stream);
}

static uint8_t *join_parts(const struct squeeze_part *part, size_t n_part, size_t *n_out)
{
	static const uint8_t header[] = {0x78, 0x01}; /* deflate, 32 KiB; the fastest level */
	size_t n = sizeof(header) + 4;
	uLong check = adler32(0, NULL, 0);
	for (size_t i = 0; i < n_part; i++) {
		n += part[i].n_out;
		check = adler32_combine(check, part[i].check, (z_off_t)part[i].n_byte);
	}
	uint8_t *out = memory_must(malloc(n)), *at = out + sizeof(header);
	memcpy(out, header, sizeof(header));
	for (size_t i = 0; i < n_part; at += part[i++].n_out)
		memcpy(at, part[i].out, part[i].n_out);
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (uint8_t)(check >> shift);
	*n_out = n;
	return out;
}

uint8_t *squeeze(const void *data, size_t n_byte, unsigned n_thread, size_t *n_out)
{
	assert((data || n_byte == 0) && n_thread > 0 && n_out);
	size_t n_part = n_byte > PART_BYTE ? ceil_div(n_byte, PART_BYTE) : 1;
	struct squeeze_part *part = memory_array(n_part, sizeof(*part));
	for (size_t i = 0; i < n_part; i++) {
		size_t first = i * PART_BYTE, left = n_byte - first;
		part[i] =
		    (struct squeeze_part){.data = n_byte > 0 ? (const uint8_t *)data + first : (const uint8_t *)"",
		                          .n_byte = left < PART_BYTE ? left : PART_BYTE,
		                          .is_last = i + 1 == n_part};
	}
	parallel_for(n_part, n_thread, squeeze_part, part);
	uint8_t *out = join_parts(part, n_part, n_out);
	for (size_t i = 0; i < n_part; i++)
		free(part[i].out);
	free(part);
	return out;
}

enum err_code squeeze_check(const char *what, const void *data, size_t n_byte, const char *hash, struct err *err)
{
	char hex[HASH_HEX_SIZE];
	hash_hex(data, n_byte, hex);
	return strcmp(hex, hash) == 0
	           ? ERR_OK
	           : err_add(err, ERR_INPUT, "%s: is damaged: content %s is another one", what, hash);
}

enum err_code squeeze_expand(const char *what, const void *data, size_t n_byte, size_t n_out, const char *hash,
                             uint8_t **out, struct err *err)
{
	assert(what && (data || n_byte == 0) && out);
	*out = NULL;
	/* deflate makes a thousandth at best, so that no memory is asked for a length that was made up */
	if (n_out / 1100 > n_byte)
		return err_add(err, ERR_INPUT, "%s: is damaged: %zu bytes cannot be %zu", what, n_byte, n_out);
	uLongf n = (uLongf)n_out;
	uint8_t *memory = memory_must(malloc(n_out + 1));
	int status = uncompress(memory, &n, data, (uLong)n_byte);
	enum err_code code = ERR_OK;
	memory_check(status != Z_MEM_ERROR);
	if (status != Z_OK || n != n_out)
		code = err_add(err, ERR_INPUT, "%s: is damaged: it does not expand to the %zu bytes that it was", what,
		               n_out);
	else if (hash)
		code = squeeze_check(what, memory, n_out, hash, err);
	if (code != ERR_OK) {
		free(memory);
		return code;
	}
	memory[n_out] = 0;
	*out = memory;
	return ERR_OK;
}
