/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/base/hash.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#define READ_BYTE 65536u

uint64_t hash_bytes(const void *data, size_t n_byte, uint64_t seed)
{
	assert(data || n_byte == 0);
	return XXH3_64bits_withSeed(data, n_byte, seed);
}

/* The canonical form is big-endian, so the text is the same on every machine. */
static void print_hex(XXH128_hash_t hash, char hex[HASH_HEX_SIZE])
{
	static const char digit[] = "0123456789abcdef";
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, hash);

	_Static_assert(2 * sizeof(canonical.digest) + 1 == HASH_HEX_SIZE, "128 bit and a terminator");
	for (size_t i = 0; i < sizeof(canonical.digest); i++) {
		hex[2 * i] = digit[canonical.digest[i] >> 4];
		hex[2 * i + 1] = digit[canonical.digest[i] & 15];
	}
	hex[HASH_HEX_SIZE - 1] = '\0';
}

void hash_hex(const void *data, size_t n_byte, char hex[HASH_HEX_SIZE])
{
	assert(data || n_byte == 0);
	assert(hex);
	print_hex(XXH3_128bits(data, n_byte), hex);
}

enum err_code hash_file(const char *path, char hex[HASH_HEX_SIZE], struct err *err)
{
	assert(path && hex);
	unsigned char buffer[READ_BYTE];
	enum err_code code = ERR_OK;
	size_t n;
	FILE *file = fopen(path, "rb");
	XXH3_state_t *state = XXH3_createState();

	if (!file) {
		code = err_add(err, ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
		goto cleanup;
	}
	if (!state || XXH3_128bits_reset(state) != XXH_OK) {
		code = err_add(err, ERR_INTERNAL, "%s: out of memory", path);
		goto cleanup;
	}
	while ((n = fread(buffer, 1, sizeof(buffer), file)) > 0)
		(void)XXH3_128bits_update(state, buffer, n);
	if (ferror(file)) {
		code = err_add(err, ERR_IO, "%s: cannot be read: %s", path, strerror(errno));
		goto cleanup;
	}
	print_hex(XXH3_128bits_digest(state), hex);

cleanup:
	(void)XXH3_freeState(state);
	if (file)
		(void)fclose(file);
	return code;
}
